// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "picture/access_svg.h"
#include "picture/grid.h"
#include "picture/svg.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/base/try.h"
#include "spec/layout/layout_function.h"
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
class TrafficCounter {
 public:
  TrafficCounter(const ReadArray& array, std::vector<int64_t> offsets, int64_t bits,
                 const IndexingMap& threads, std::array<int32_t, 6> places, const Warps& warps)
      : array_(array),
        offsets_(std::move(offsets)),
        bits_(bits),
        threads_(threads),
        places_(places),
        warps_(warps) {}

  absl::StatusOr<Heat> count() {
    for (const IndexingMap& map : array_.maps) TRY(add(map));
    return heat();
  }

 private:
  // The bytes of an element touch the pieces of memory `first` to `last`.
  std::pair<int64_t, int64_t> pieces(int64_t number) const {
    const int64_t bit = offsets_[static_cast<size_t>(number)] * bits_;
    return {bit / 8 / warps_.width, (bit + bits_ - 1) / 8 / warps_.width};
  }

  int64_t value_at(const spec::Point& point, int32_t which) const {
    return places_[which] < 0 ? 0 : point.dims[places_[which]];
  }

  int64_t size_at(int32_t which) const {
    return places_[which] < 0 ? 1 : threads_.dimensions[places_[which]].bounds.high + 1;
  }

  // Block, warp, values of ranges of both maps: what runs together.
  using Together = std::tuple<std::array<int64_t, 4>, std::vector<int64_t>, std::vector<int64_t>>;

  absl::Status add(const IndexingMap& map) {
    std::map<Together, std::set<int64_t>> accesses;  // elements
    int64_t points = 0;
    absl::Status inner;
    TRY(spec::for_each_point(
        threads_, kMostPoints, [&](const spec::Point& thread, const std::vector<int64_t>& result) {
          const int64_t number =
              value_at(thread, 0) +
              size_at(0) * (value_at(thread, 1) + size_at(1) * value_at(thread, 2));
          const std::array<int64_t, 4> warp = {value_at(thread, 3), value_at(thread, 4),
                                               value_at(thread, 5), number / warps_.warp};
          IndexingMap one = map;
          for (size_t d = 0; d < result.size() && d < one.dimensions.size(); ++d) {
            const Interval bounds = one.dimensions[d].bounds;
            if (result[d] < bounds.low || result[d] > bounds.high) return true;
            one.dimensions[d].bounds = {result[d], result[d]};
          }
          for (Variable& variable : one.runtime) variable.bounds.high = variable.bounds.low;
          inner = spec::for_each_point(
              one, kMostPoints, [&](const spec::Point& at, const std::vector<int64_t>& index) {
                const auto element = number_of(index, array_.dims);
                if (element) accesses[{warp, thread.ranges, at.ranges}].insert(*element);
                return ++points <= kMostPoints;
              });
          return inner.ok() && points <= kMostPoints;
        }));
    if (!inner.ok()) return inner;
    if (points > kMostPoints) {
      return absl::ResourceExhaustedError(absl::StrCat("more than ", kMostPoints, " accesses"));
    }
    for (const auto& [together, elements] : accesses) take(elements);
    return absl::OkStatus();
  }

  void take(const std::set<int64_t>& elements) {
    std::set<int64_t> moved;
    for (const int64_t number : elements) {
      const auto [first, last] = pieces(number);
      for (int64_t piece = first; piece <= last; ++piece) moved.insert(piece);
      used_.insert(number);
    }
    for (const int64_t piece : moved) ++moves_[piece];
    if (first_.empty()) first_ = elements;
    ++accesses_;
    transactions_ += std::ssize(moved);
    most_ = std::max(most_, std::ssize(moved));
  }

  Heat heat() const {
    Heat heat{array_.name, "", array_.dims, {}, first_, {}};
    for (int64_t number = 0; number < std::ssize(offsets_); ++number) {
      const auto [first, last] = pieces(number);
      int64_t count = 0;
      for (int64_t piece = first; piece <= last; ++piece) {
        const auto found = moves_.find(piece);
        if (found != moves_.end()) count = std::max(count, found->second);
      }
      heat.counts.push_back(count);
      if (count > 0 && !used_.contains(number)) heat.unused.insert(number);
    }
    heat.note = with_note(absl::StrCat(accesses_, " accesses, ", transactions_, " transactions of ",
                                       warps_.width, " bytes, at most ", most_, " an access"),
                          array_);
    return heat;
  }

  const ReadArray& array_;
  std::vector<int64_t> offsets_;
  int64_t bits_;
  const IndexingMap& threads_;
  std::array<int32_t, 6> places_;
  Warps warps_;
  std::map<int64_t, int64_t> moves_;  // transactions of each piece of memory
  std::set<int64_t> used_, first_;
  int64_t accesses_ = 0, transactions_ = 0;
  ptrdiff_t most_ = 0;
};

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
  const auto places = TRY(spec::thread_dimensions(threads));
  std::vector<Heat> heats;
  for (size_t k = 0; k < access.arrays.size(); ++k) {
    const ReadArray& array = access.arrays[k];
    if (element_count(array.dims).value_or(INT64_MAX) > kMostPoints ||
        element_count(array.dims) == 0) {
      return absl::ResourceExhaustedError(
          absl::StrCat("expected arrays of 1 to ", kMostPoints, " elements to draw"));
    }
    const int64_t given = layout_of(shapes[k]).element_size_in_bits;
    const int64_t bits = given != 0 ? given : 8 * byte_width(shapes[k].element_type);
    TrafficCounter counter(array, TRY(offsets_of(shapes[k], array.dims)), bits, threads, places,
                           warps);
    heats.push_back(TRY(counter.count()));
  }
  return finish(access.title,
                "how many transactions move each element; thick: read by the first warp at once; "
                "dashed: moved, never used; hatched: not moved",
                heats);
}

}  // namespace tileproof::picture
