// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "picture/access_svg.h"
#include "picture/grid.h"
#include "picture/svg.h"
#include "spec/access/tile.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::picture {
namespace {

constexpr int64_t kRoom = 48;  // between the result and its operands

struct Numbered {
  int64_t number;  // of the element of the tile, from 0
  int64_t others;  // elements of the tile that read it, too
};

Color color_of(int64_t number, int64_t all) {
  return ramp(0.12 + 0.8 * static_cast<double>(number) /
                         static_cast<double>(std::max<int64_t>(all - 1, 1)));
}

Dims index_of(int64_t number, const Dims& dims) {
  Dims index(dims.size());
  for (size_t d = dims.size(); d-- > 0;) {
    index[d] = number % dims[d];
    number /= dims[d];
  }
  return index;
}

std::string label_of(const Numbered& at) {
  return at.others == 0 ? absl::StrCat(at.number) : absl::StrCat(at.number, "+", at.others);
}

// Squares without a number are empty.
class NumberedGrid {
 public:
  NumberedGrid(const Dims& dims, int64_t tile, int64_t x, int64_t y)
      : grid_(dims, std::ssize(absl::StrCat(tile)) + 2, x, y), all_(tile) {}

  void set(const Dims& index, int64_t number) {
    const std::optional<Rect> place = grid_.place(index);
    if (!place) return;
    const auto [at, is_new] = squares_.insert({{place->x, place->y}, {number, 0}});
    if (!is_new && at->second.number != number) ++at->second.others;
  }

  void draw(Svg& svg) const {
    grid_.draw_numbers(svg);
    grid_.for_each([&](const Dims&, const Dims&, const Rect& place) {
      const auto found = squares_.find({place.x, place.y});
      if (found == squares_.end()) return svg.empty(place);
      svg.cell(place, color_of(found->second.number, all_), label_of(found->second));
    });
  }

  const Grid& grid() const { return grid_; }
  bool has_others() const {
    return std::ranges::any_of(squares_, [](const auto& one) { return one.second.others > 0; });
  }

 private:
  Grid grid_;
  int64_t all_;
  std::map<std::pair<int64_t, int64_t>, Numbered> squares_;
};

std::string below_name(const ReadArray& array, const Reader& reader, const Grid& grid) {
  std::vector<std::string> parts;
  if (array.maps.empty()) parts.push_back("nothing flows from it");
  if (array.maps.size() == 1) {
    const std::string map = to_text(array.maps.front());
    parts.push_back(map.substr(0, map.find(", domain:")));
  }
  if (!reader.assumed().empty()) parts.push_back(absl::StrCat("drawn for ", reader.assumed()));
  if (grid.has_blocks()) parts.push_back(absl::StrCat("a square is ", grid.block_text()));
  if (!array.note.empty()) parts.push_back(array.note);
  return absl::StrJoin(parts, "; ");
}

}  // namespace

std::vector<TileSpan> corner_tile(const Dims& result) {
  std::vector<TileSpan> tile;
  for (size_t d = 0; d < result.size(); ++d) {
    const int64_t most = d + 1 == result.size() ? 4 : d + 2 == result.size() ? 2 : 1;
    tile.push_back({0, std::min(most, result[d]), 1});
  }
  return tile;
}

absl::StatusOr<std::string> reads_svg(const Access& access, const std::vector<TileSpan>& tile) {
  int64_t size = 1;
  spec::Tile spans;
  for (const TileSpan& dimension : tile) {
    if (dimension.size < 1 || dimension.size > kMostTile || (size *= dimension.size) > kMostTile) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected a tile of 1 to ", kMostTile, " elements to draw"));
    }
    spans.push_back({dimension.offset, dimension.size, dimension.stride});
  }
  const spec::IndexSet elements = TRY(spec::indices_of(spans, access.result));
  Svg svg;
  svg.heading(kMargin, kMargin + 13, access.title);
  int64_t y = kMargin + 2 * kLineHeight, x = kMargin;
  svg.text(x, y - 6, "the result, with a tile", Svg::Anchor::kStart);
  NumberedGrid result(access.result, size, x, y + kLineHeight);
  int64_t number = 0;
  for (const std::vector<int64_t>& index : elements) result.set(index, number++);
  result.draw(svg);
  int64_t bottom = y + kLineHeight + result.grid().height();
  x += std::max(result.grid().width(), text_width("the result, with a tile")) + kRoom;
  int64_t width = std::max<int64_t>(x, 2 * kMargin + 8 * std::ssize(access.title));
  bool others = false;
  for (const ReadArray& array : access.arrays) {
    Reader reader(array);
    NumberedGrid grid(array.dims, size, x, y + 2 * kLineHeight);
    const std::string note = below_name(array, reader, grid.grid());
    svg.text(x, y - 6, absl::StrCat(array.name, " [", absl::StrJoin(array.dims, ","), "]"),
             Svg::Anchor::kStart);
    svg.text(x, y - 6 + kLineHeight, note, Svg::Anchor::kStart);
    number = 0;
    for (const std::vector<int64_t>& index : elements) {
      const std::set<int64_t> read = TRY(reader.reads(index));
      for (const int64_t element : read) grid.set(index_of(element, array.dims), number);
      ++number;
    }
    grid.draw(svg);
    others = others || grid.has_others();
    width = std::max({width, x + grid.grid().width() + kMargin, x + text_width(note) + kMargin});
    y += 4 * kLineHeight + grid.grid().height();
    bottom = std::max(bottom, y - 2 * kLineHeight);
  }
  std::string legend = "An element of the tile and what it reads have one number and one color.";
  if (others) legend += " 3+1: one more element of the tile reads it.";
  svg.text(kMargin, bottom + kLineHeight, legend, Svg::Anchor::kStart);
  width = std::max(width, text_width(legend) + 2 * kMargin);
  bottom += kLineHeight;
  return std::move(svg).finish(absl::StrCat("What a tile reads: ", access.title), width,
                               bottom + kMargin);
}

}  // namespace tileproof::picture
