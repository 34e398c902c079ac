// SPDX-License-Identifier: Apache-2.0
#include "cli/equiv_threads.h"

#include <algorithm>
#include <iostream>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/commands.h"
#include "cli/text.h"
#include "cli/verbs/threads.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/try.h"
#include "verify/prove/map/map_equal.h"

namespace tileproof::cli {
namespace {

struct ThreadDifference {
  std::string sizes;           // other numbers of registers, lanes, warps or blocks
  std::optional<Place> place;  // that holds other elements
  std::string open;            // undecided: why
};

// Two of bases: the first bit of a place whose basis differs. Bits that only one side has come last.
std::optional<Place> other_basis(const Threads& left, const Threads& right) {
  for (size_t i = 0; i < 4; ++i) {
    Place place = {};
    for (place[i] = 1; place[i] < std::min(left.sizes[i], right.sizes[i]); place[i] *= 2) {
      if (held_at(left, place) != held_at(right, place)) return place;
    }
  }
  return std::nullopt;
}

// Others: as maps, on the places that both have.
absl::StatusOr<ThreadDifference> difference_of(Threads left, Threads right, unsigned milliseconds) {
  ThreadDifference difference{other_sizes(left.sizes, right.sizes), std::nullopt, ""};
  if (left.form && right.form) {
    difference.place = other_basis(left, right);
    return difference;
  }
  for (size_t i = 0; i < 4; ++i) {
    const int64_t high = std::min(left.sizes[i], right.sizes[i]) - 1;
    left.map.dimensions[i].bounds.high = right.map.dimensions[i].bounds.high = high;
  }
  verify::EqualOptions limits;
  limits.milliseconds = milliseconds;
  const auto equality = TRY(verify::equal(left.map, right.map, limits));
  if (equality.verdict == verify::Verdict::kUndecided) difference.open = equality.open;
  if (equality.difference) {
    Place& place = difference.place.emplace();
    std::ranges::copy(equality.difference->at.dims, place.begin());
  }
  return difference;
}

}  // namespace

int compare_threads(const std::string (&texts)[2], bool as_json, unsigned milliseconds) {
  Threads sides[2];
  for (int side = 0; side < 2; ++side) {
    absl::StatusOr<Threads> threads = parse_threads(texts[side]);
    if (!threads.ok()) return complain(side == 0 ? "LEFT" : "RIGHT", threads.status(), texts[side]);
    sides[side] = *std::move(threads);
  }
  const auto& [left, right] = sides;
  if (left.layout.dims != right.layout.dims) {
    return complain("equiv", absl::InvalidArgumentError(absl::StrCat(
                                 "the logical shapes differ: ", dims_text(left.layout.dims),
                                 " and ", dims_text(right.layout.dims))));
  }
  const absl::StatusOr<ThreadDifference> found = difference_of(left, right, milliseconds);
  if (!found.ok()) return complain("equiv", found.status());
  const ThreadDifference& difference = *found;
  const bool is_different = difference.place || !difference.sizes.empty();
  const bool is_open = !is_different && !difference.open.empty();
  const int status = is_different ? kCounterexample : is_open ? kUndecided : kHolds;
  if (as_json) {
    Json json = json_object(
        {{"equal", is_open ? Json() : Json(!is_different)}, {"notes", Json(Json::Array{})}});
    if (!difference.sizes.empty()) set(json, "difference", difference.sizes);
    if (difference.place) {
      set(json, "at", place_json(*difference.place));
      set(json, "left", Json(held_at(left, *difference.place)));
      set(json, "right", Json(held_at(right, *difference.place)));
    }
    std::cout << json_line(json);
    return status;
  }
  if (!is_different) {
    std::cout << (is_open
                      ? absl::StrCat("undecided: ", difference.open)
                      : "equal: every place, (register, lane, warp, block), holds the same element")
              << "\n";
  }
  if (difference.place) {
    std::cout << "different at " << place_text(*difference.place) << ": LEFT holds "
              << dims_text(held_at(left, *difference.place)) << ", RIGHT "
              << dims_text(held_at(right, *difference.place)) << "\n";
  }
  if (!difference.sizes.empty())
    std::cout << (difference.place ? "  " : "different: ") << difference.sizes << "\n";
  return status;
}

}  // namespace tileproof::cli
