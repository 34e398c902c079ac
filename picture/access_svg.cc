// SPDX-License-Identifier: Apache-2.0
#include "picture/access_svg.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "picture/grid.h"
#include "picture/svg.h"
#include "spec/access/coalescing.h"
#include "spec/access/tile.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/map_text.h"
#include "spec/layout/layout_function.h"
#include "spec/layout/tiled_layout.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::picture {
namespace {

// The heat of one array, by row-major number of its elements.
struct Heat {
  std::string name, note;
  Dims dims;
  std::vector<int64_t> counts;
  std::set<int64_t> outlined = {};  // drawn with a thick outline
  std::set<int64_t> unused = {};    // drawn with a dashed mark
};

struct Square {
  int64_t elements = 0, hot = 0, most = 0, least = INT64_MAX;
  bool outlined = false, unused = false;
};

Square square_of(const Heat& heat, const Dims& first, const Dims& sizes) {
  Square square;
  Dims step(sizes.size(), 0);
  do {
    Dims index = first;
    for (size_t d = 0; d < step.size(); ++d) index[d] += step[d];
    const int64_t number = heat.dims.empty() ? 0 : number_of(index, heat.dims).value_or(0);
    const int64_t count = heat.counts[static_cast<size_t>(number)];
    ++square.elements;
    square.hot += count > 0 ? 1 : 0;
    square.most = std::max(square.most, count);
    square.least = std::min(square.least, count);
    square.outlined = square.outlined || heat.outlined.contains(number);
    square.unused = square.unused || heat.unused.contains(number);
  } while (next_index(sizes, step));
  return square;
}

// "3", "1..4", or the share of the block that is read.
std::string label_of(const Square& square) {
  if (square.elements == 1) return absl::StrCat(square.most);
  if (square.hot < square.elements) return absl::StrCat(100 * square.hot / square.elements, "%");
  if (square.least == square.most) return absl::StrCat(square.most);
  return absl::StrCat(square.least, "..", square.most);
}

// Draws the array below y and returns the y of its end.
int64_t draw(const Heat& heat, int64_t most, int64_t y, int64_t& width, Svg& svg) {
  const std::string name =
      absl::StrCat(heat.name, " [", absl::StrJoin(heat.dims, ","), "]: ", heat.note);
  svg.text(kMargin, y + 14, name, Svg::Anchor::kStart);
  width = std::max(width, 2 * kMargin + text_width(name));
  y += kLineHeight;
  Grid grid(heat.dims, 2 * std::ssize(absl::StrCat(most)), kMargin, y);
  if (grid.has_blocks()) {
    grid = Grid(heat.dims, std::max<int64_t>(4, 2 * std::ssize(absl::StrCat(most)) + 2), kMargin,
                y + kLineHeight);
    svg.text(kMargin, y + 14,
             absl::StrCat("a square is ", grid.block_text(),
                          " elements; a share is that of the elements with any"),
             Svg::Anchor::kStart);
    y += kLineHeight;
  }
  grid.draw_numbers(svg);
  std::vector<Rect> outlines, marks;
  grid.for_each([&](const Dims& first, const Dims& sizes, const Rect& place) {
    const Square square = square_of(heat, first, sizes);
    if (square.hot == 0) return svg.padding(place);
    const double part = static_cast<double>(square.most) / static_cast<double>(most);
    svg.cell(place, ramp(0.15 + 0.8 * part), label_of(square));
    if (square.outlined) outlines.push_back(place);
    if (square.unused) marks.push_back(place);
  });
  for (const Rect& place : marks) svg.mark(place);
  for (const Rect& place : outlines) svg.outline(place, 0);
  width = std::max(width, 2 * kMargin + grid.width());
  return y + grid.height() + kLineHeight;
}

std::string finish(const std::string& title, const std::string& explanation,
                   const std::vector<Heat>& heats) {
  Svg svg;
  svg.heading(kMargin, kMargin + 13, title);
  svg.text(kMargin, kMargin + kLineHeight + 13, explanation, Svg::Anchor::kStart);
  int64_t width = 2 * kMargin + std::max<int64_t>(8 * std::ssize(title), text_width(explanation));
  int64_t y = kMargin + 2 * kLineHeight + 8;
  int64_t most = 1;
  for (const Heat& heat : heats) {
    for (const int64_t count : heat.counts) most = std::max(most, count);
  }
  for (const Heat& heat : heats) y = draw(heat, most, y, width, svg);
  return std::move(svg).finish(title, width, y);
}

int64_t hot(const std::vector<int64_t>& counts) {
  return std::ranges::count_if(counts, [](int64_t count) { return count > 0; });
}

std::string with_note(std::string text, const ReadArray& array) {
  return array.note.empty() ? text : absl::StrCat(text, "; ", array.note);
}

// The offset of each element, by row-major number.
absl::StatusOr<std::vector<int64_t>> offsets_of(const Shape& shape, const Dims& dims) {
  const spec::LayoutFunction function = TRY(spec::layout_function(AnyLayout(shape)));
  std::vector<int64_t> offsets;
  Dims index(dims.size(), 0);
  do {
    offsets.push_back(spec::offset_of(function, index));
  } while (next_index(dims, index));
  return offsets;
}

// The transactions of one array.
absl::StatusOr<Heat> traffic_of(const ReadArray& array, const Shape& shape,
                                const IndexingMap& threads, const Warps& warps) {
  const std::vector<int64_t> offsets = TRY(offsets_of(shape, array.dims));
  std::map<absl::int128, int64_t> moves;  // transactions of each piece of memory
  std::set<int64_t> used, first;          // offsets
  int64_t accesses = 0, transactions = 0, most = 0;
  for (const IndexingMap& map : array.maps) {
    TRY(spec::for_each_access(threads, map, shape, warps, kMostPoints,
                              [&](const spec::Touched& touched) {
                                for (const absl::int128 piece : touched.pieces) ++moves[piece];
                                used.insert(touched.offsets.begin(), touched.offsets.end());
                                if (first.empty()) first = touched.offsets;
                                ++accesses;
                                transactions += std::ssize(touched.pieces);
                                most = std::max<int64_t>(most, std::ssize(touched.pieces));
                              }));
  }
  Heat heat{array.name, "", array.dims, {}, {}, {}};
  const int64_t bits = spec::bits_of_element(shape), width = 8 * warps.width;
  for (int64_t number = 0; number < std::ssize(offsets); ++number) {
    const auto begin = absl::int128{offsets[static_cast<size_t>(number)]} * bits;
    int64_t count = 0;
    for (auto piece = begin / width; piece <= (begin + bits - 1) / width; ++piece) {
      const auto found = moves.find(piece);
      if (found != moves.end()) count = std::max(count, found->second);
    }
    heat.counts.push_back(count);
    const int64_t offset = offsets[static_cast<size_t>(number)];
    if (first.contains(offset)) heat.outlined.insert(number);
    if (count > 0 && !used.contains(offset)) heat.unused.insert(number);
  }
  heat.note = with_note(absl::StrCat(accesses, " accesses, ", transactions, " transactions of ",
                                     warps.width, " bytes, at most ", most, " an access"),
                        array);
  return heat;
}

}  // namespace

absl::StatusOr<std::string> heat_svg(const Access& access) {
  std::vector<Heat> heats;
  for (const ReadArray& array : access.arrays) {
    auto times = TRY(times_read(array, access.result));
    Heat heat{array.name, "", array.dims, std::move(times)};
    const std::string assumed = Reader(array).assumed();
    heat.note =
        with_note(absl::StrCat(hot(heat.counts), " of ", heat.counts.size(), " elements are read",
                               assumed.empty() ? "" : absl::StrCat(", drawn for ", assumed)),
                  array);
    heats.push_back(std::move(heat));
  }
  return finish(access.title,
                "how many elements of the result read each element; hatched: none does", heats);
}

absl::StatusOr<std::string> traffic_svg(const Access& access, const std::vector<Shape>& shapes,
                                        const IndexingMap& threads, const Warps& warps) {
  std::vector<Heat> heats;
  for (size_t k = 0; k < access.arrays.size(); ++k) {
    const ReadArray& array = access.arrays[k];
    if (element_count(array.dims).value_or(INT64_MAX) > kMostPoints ||
        element_count(array.dims) == 0) {
      return absl::ResourceExhaustedError(
          absl::StrCat("expected arrays of 1 to ", kMostPoints, " elements to draw"));
    }
    heats.push_back(TRY(traffic_of(array, shapes[k], threads, warps)));
  }
  return finish(access.title,
                "how many transactions move each element; thick: read by the first warp at once; "
                "dashed: moved, never used; hatched: not moved",
                heats);
}

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
