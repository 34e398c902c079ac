// SPDX-License-Identifier: Apache-2.0
// An SVG document that scales to its page, in units of one pixel at full size.
//
//     Svg svg;
//     svg.cell({10, 10, 24, 24}, "#eee", "17");
//     std::string file = std::move(svg).finish("a title", 44, 44);
//
// Texts are escaped. The document has a light and a dark look, and refers to nothing outside.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace tileproof::picture {

// The margin of a page, and the height of a line of text and of a cell.
constexpr int64_t kMargin = 16, kLineHeight = 22;

struct Rect {
  int64_t x = 0, y = 0, width = 0, height = 0;
};

// A color that is readable in gray, too.
struct Color {
  int red = 255, green = 255, blue = 255;
};

// From light (0) to dark (1): the lightness falls all the way, so prints in gray keep the order.
Color ramp(double position);
// One of seven colors. Neighbors in the cycle differ in lightness.
Color in_cycle(int64_t number);
std::string to_text(const Color& color);  // "#rrggbb"

class Svg {
 public:
  // A filled square with a label in its middle, black or white, whichever is readable. A label may
  // have several lines. `at` becomes the attribute data-at, unless it is empty.
  void cell(const Rect& rect, const Color& color, absl::string_view label,
            absl::string_view at = "");
  // A square without content.
  void empty(const Rect& rect);
  // A square of padding: hatched.
  void padding(const Rect& rect);
  // The outline of a tile, above all squares. Level 0 is the thickest line: it has a light edge, so
  // that it shows on dark squares and dark pages.
  void outline(const Rect& rect, int64_t level);
  // A thick dashed mark around what differs.
  void mark(const Rect& rect);
  // A ring around what is chosen, above all else.
  void ring(const Rect& rect);
  // A path through points, with an arrow at its end.
  void path(const std::vector<std::pair<int64_t, int64_t>>& points);
  // A straight line with an arrow at its end.
  void line(int64_t from_x, int64_t from_y, int64_t to_x, int64_t to_y);

  enum class Anchor { kStart, kMiddle, kEnd };
  void text(int64_t x, int64_t y, absl::string_view text, Anchor anchor);
  void heading(int64_t x, int64_t y, absl::string_view text);
  // The ramp from light to dark between its ends, such as 0 and 31. Returns its width.
  int64_t legend(int64_t x, int64_t y, absl::string_view low, absl::string_view high);

  // The whole document. The title is what screen readers read.
  std::string finish(absl::string_view title, int64_t width, int64_t height) &&;

 private:
  std::string body_;
  std::string lines_;  // what lies above it
};

// The width of a text in the font of the labels, rounded up.
int64_t text_width(absl::string_view text);

}  // namespace tileproof::picture
