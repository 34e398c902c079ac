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

namespace tileproof::cli {
namespace {

struct ThreadDifference {
  std::string sizes;           // other numbers of registers, lanes, warps or blocks
  std::optional<Place> place;  // that holds other elements
};

// The first bit of a place whose basis differs. Bits that only one side has come last.
ThreadDifference difference_of(const Threads& left, const Threads& right) {
  ThreadDifference difference{other_sizes(left.sizes, right.sizes), std::nullopt};
  for (size_t i = 0; i < 4; ++i) {
    Place place = {};
    for (place[i] = 1; place[i] < std::min(left.sizes[i], right.sizes[i]); place[i] *= 2) {
      if (impl::held_at(left.form, place) == impl::held_at(right.form, place)) continue;
      difference.place = place;
      return difference;
    }
  }
  return difference;
}

}  // namespace

int compare_threads(const std::string (&texts)[2], bool as_json) {
  Threads sides[2];
  for (int side = 0; side < 2; ++side) {
    absl::StatusOr<Threads> threads = parse_threads(texts[side]);
    if (!threads.ok()) return complain(side == 0 ? "LEFT" : "RIGHT", threads.status(), texts[side]);
    sides[side] = *std::move(threads);
  }
  const auto& [left, right] = sides;
  if (left.form.dims != right.form.dims) {
    return complain("equiv", absl::InvalidArgumentError(absl::StrCat(
                                 "the logical shapes differ: ", dims_text(left.form.dims), " and ",
                                 dims_text(right.form.dims))));
  }
  const ThreadDifference difference = difference_of(left, right);
  const bool is_equal = difference.sizes.empty() && !difference.place;
  if (as_json) {
    Json json = json_object({{"equal", is_equal}, {"notes", Json(Json::Array{})}});
    if (!difference.sizes.empty()) set(json, "difference", difference.sizes);
    if (difference.place) {
      set(json, "at", place_json(*difference.place));
      set(json, "left", Json(impl::held_at(left.form, *difference.place)));
      set(json, "right", Json(impl::held_at(right.form, *difference.place)));
    }
    std::cout << json_line(json);
    return is_equal ? kHolds : kCounterexample;
  }
  if (is_equal) {
    std::cout << "equal: every place, (register, lane, warp, block), holds the same element\n";
    return kHolds;
  }
  if (difference.place) {
    std::cout << "different at " << place_text(*difference.place) << ": LEFT holds "
              << dims_text(impl::held_at(left.form, *difference.place)) << ", RIGHT "
              << dims_text(impl::held_at(right.form, *difference.place)) << "\n";
  }
  if (!difference.sizes.empty())
    std::cout << (difference.place ? "  " : "different: ") << difference.sizes << "\n";
  return kCounterexample;
}

}  // namespace tileproof::cli
