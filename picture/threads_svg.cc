// SPDX-License-Identifier: Apache-2.0
#include "picture/threads_svg.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "picture/held_svg.h"
#include "spec/lang/base/try.h"
#include "spec/layout/thread_layout.h"

namespace tileproof::picture {
namespace {

constexpr int64_t kMostDrawnElements = 4096, kMostDrawnPlaces = 1 << 16;

// The places of each element, row by row.
absl::StatusOr<std::vector<std::vector<Place>>> places_of(const ThreadLayout& layout,
                                                          const Place& sizes, int64_t elements) {
  std::vector<std::vector<Place>> places(elements);
  const auto& [registers, lanes, warps, blocks] = sizes;
  for (int64_t i = 0; i < registers * lanes * warps * blocks; ++i) {
    const Place place = {i % registers, i / registers % lanes, i / registers / lanes % warps,
                         i / registers / lanes / warps};
    const Dims index = TRY(spec::held_at(layout, place));
    const int64_t row = index.size() == 2 ? index[0] * layout.dims[1] : 0;
    places[row + index.back()].push_back(place);
  }
  return places;
}

int64_t thread_of(const Place& place, const Place& sizes) { return place[2] * sizes[1] + place[1]; }

std::string label_of(const std::vector<Place>& places, const Place& sizes) {
  const Place& first = places[0];
  std::string label = absl::StrCat(sizes[3] > 1 ? absl::StrCat("B", first[3], ":") : "", "T",
                                   thread_of(first, sizes), ":V", first[0]);
  if (places.size() > 1) absl::StrAppend(&label, " +", places.size() - 1);
  return label;
}

}  // namespace

absl::StatusOr<std::string> threads_svg(const ThreadLayout& layout) {
  const Place sizes = TRY(spec::place_sizes(layout));
  int64_t elements = 1, places = 1;
  for (const int64_t size : layout.dims) elements = std::min(elements * size, int64_t{1} << 31);
  for (const int64_t size : sizes) {
    places = size > kMostDrawnPlaces ? size : places * size;
    if (places > kMostDrawnPlaces) break;
  }
  if (layout.dims.empty() || layout.dims.size() > 2 || elements > kMostDrawnElements ||
      places > kMostDrawnPlaces) {
    return absl::InvalidArgumentError(
        "expected a layout of threads of one or two dimensions, at most 4,096 elements and 65,536 "
        "places to draw");
  }
  const auto held = TRY(places_of(layout, sizes, elements));
  std::vector<HeldCell> cells;
  for (const std::vector<Place>& holders : held) {
    cells.emplace_back();
    if (holders.empty()) continue;
    cells.back() = {label_of(holders, sizes), in_cycle(thread_of(holders[0], sizes))};
  }
  return held_svg(
      layout.text,
      "T9:V2: register 2 of thread 9 holds it, and neighbors have other colors; +1: one "
      "more place does; hatched: none",
      layout.dims, cells);
}

}  // namespace tileproof::picture
