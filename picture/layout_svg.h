// SPDX-License-Identifier: Apache-2.0
// Pictures of layouts of every system.
//
// Above: the array. Each square is an element with its offset; the color follows the offset from
// light to dark; lines outline the tiles of each level; padding is hatched. An array of more than
// two dimensions is a row of slices. Below: memory, a square for each offset with the index of its
// element. Long rows and columns show their beginning and their end. An array of many tiles is
// drawn as tiles with their offsets, and one tile is enlarged: the first, or that of the chosen
// element. A swizzled layout also has the bits that its swizzle xors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "picture/svg.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/layout/thread_layout.h"

namespace tileproof::picture {

// The number that colors an element.
enum class Coloring {
  kOffset,  // the offset
  kTile,    // the outermost tile, in order of the offsets
  kLine,    // the cache line: 64 bytes
  kBank,    // the memory bank: 32 banks of 4 bytes. The picture names the worst conflicts
};

// "offset", "tile", "line", "bank". Errors: another name.
absl::StatusOr<Coloring> parse_coloring(absl::string_view name);

struct LayoutPicture {
  Coloring coloring = Coloring::kOffset;
  bool path = false;  // a line through the elements in the order of their offsets
  // Each element has its index as data-at="2,3", for pages that react to the pointer; in a large
  // array each tile has the index of its first element as data-at="tile:8,0".
  bool indices = false;
  int64_t element_bits = 0;  // of a layout that names no element type; 0: unknown
  std::string formula = {};  // of the offset, for readers
  // The element to mark. In a large array its tile is enlarged. Errors: it is not in the array.
  std::optional<Dims> chosen = {};
};

// Errors: no elements; coloring by lines or banks without the width of an element.
absl::StatusOr<std::string> layout_svg(const AnyLayout& layout, const LayoutPicture& picture = {});

// Two layouts of one array side by side. Marks the elements whose offsets differ, and says how
// many these are of the elements that are drawn. Errors: those above; other logical sizes.
absl::StatusOr<std::string> compared_svg(const AnyLayout& left, const AnyLayout& right,
                                         const LayoutPicture& picture = {});

// ---- Who holds each element of an array of one or two dimensions: threads_svg.cc ----
//
// Draws a layout of threads: each element of the array with the thread and the register, or value,
// that hold it, T3:V1, colored by the thread. A thread counts through all warps of a block. `+1` says
// that one more place holds the element; what nobody holds is hatched.

struct HeldCell {
  std::string label = {};  // empty: nobody holds it; T9:V2 is two lines if the picture is wide
  Color color = {};
};

// The cells are in row-major order. `legend` says what labels and colors mean.
std::string held_svg(const std::string& title, const std::string& legend, const Dims& dims,
                     const std::vector<HeldCell>& cells);

// Errors: those of the definition; an array of three dimensions or more, or more than 4,096 elements;
// more than 2^16 places.
absl::StatusOr<std::string> threads_svg(const ThreadLayout& layout);

}  // namespace tileproof::picture
