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

namespace tileproof::picture {
namespace {

constexpr int64_t kArrows = 90;      // width of the space for arrows
constexpr int64_t kMostArrows = 96;  // in one picture

struct Numbered {
  int64_t number;  // of the element of the tile, from 0
  int64_t others;  // elements of the tile that read it, too
};

Rect center(const Rect& rect) {
  return {rect.x + rect.width / 2, rect.y + rect.height / 2, rect.width, rect.height};
}

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

 private:
  Grid grid_;
  int64_t all_;
  std::map<std::pair<int64_t, int64_t>, Numbered> squares_;
};

std::string below_name(const ReadArray& array, const Reader& reader, const Grid& grid) {
  std::vector<std::string> parts;
  if (array.maps.empty()) parts.push_back("nothing flows from it");
  if (!reader.assumed().empty()) parts.push_back(absl::StrCat("drawn for ", reader.assumed()));
  if (grid.has_blocks()) parts.push_back(absl::StrCat("a square is ", grid.block_text()));
  if (!array.note.empty()) parts.push_back(array.note);
  return absl::StrJoin(parts, "; ");
}

struct Arrow {
  Rect from, to;
};

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
  x += std::max(result.grid().width(), text_width("the result, with a tile")) + kArrows;
  int64_t width = std::max<int64_t>(x, 2 * kMargin + 8 * std::ssize(access.title));
  std::vector<Arrow> arrows;
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
      for (const int64_t element : read) {
        const Dims at = index_of(element, array.dims);
        grid.set(at, number);
        const std::optional<Rect> from = result.grid().place(index), to = grid.grid().place(at);
        if (from && to) arrows.push_back({center(*from), center(*to)});
      }
      ++number;
    }
    grid.draw(svg);
    width = std::max({width, x + grid.grid().width() + kMargin, x + text_width(note) + kMargin});
    y += 3 * kLineHeight + grid.grid().height();
    bottom = std::max(bottom, y - kLineHeight);
  }
  // Too many arrows hide what they point to; the numbers say the same.
  const int64_t every = (std::ssize(arrows) + kMostArrows - 1) / kMostArrows;
  for (int64_t i = 0; i < std::ssize(arrows); i += every) {
    svg.arrow(arrows[i].from.x, arrows[i].from.y, arrows[i].to.x, arrows[i].to.y);
  }
  if (every > 1) {
    svg.text(kMargin, bottom + kLineHeight,
             absl::StrCat("one of ", every, " arrows is drawn; ", arrows.size(), " reads"),
             Svg::Anchor::kStart);
    bottom += kLineHeight;
  }
  return std::move(svg).finish(absl::StrCat("What a tile reads: ", access.title), width,
                               bottom + kMargin);
}

}  // namespace tileproof::picture
