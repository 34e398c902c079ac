// SPDX-License-Identifier: Apache-2.0
#include "cli/equiv_threads.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/equiv_modules.h"
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

absl::StatusOr<Answer> compare_threads(const std::string (&texts)[2], unsigned milliseconds) {
  const auto [left, right] = TRY(both_sides(texts, parse_threads));
  if (left.layout.dims != right.layout.dims) {
    return invalid("the logical shapes differ: ", dims_text(left.layout.dims), " and ",
                   dims_text(right.layout.dims));
  }
  const ThreadDifference difference = TRY(difference_of(left, right, milliseconds));
  const bool is_different = difference.place || !difference.sizes.empty();
  const verify::Verdict verdict = is_different              ? verify::Verdict::kRefuted
                                  : difference.open.empty() ? verify::Verdict::kProven
                                                            : verify::Verdict::kUndecided;
  Json json = json_object({{"equal", equal_json(verdict)}, {"notes", Json(Json::Array{})}});
  std::string text;
  if (!is_different) {
    text = difference.open.empty()
               ? "equal: every place, (register, lane, warp, block), holds the same element\n"
               : absl::StrCat("undecided: ", difference.open, "\n");
  }
  if (difference.place) {
    const Dims at_left = held_at(left, *difference.place);
    const Dims at_right = held_at(right, *difference.place);
    set(json, "at", place_json(*difference.place));
    set(json, "left", at_left);
    set(json, "right", at_right);
    absl::StrAppend(&text, "different at ", place_text(*difference.place), ": LEFT holds ",
                    dims_text(at_left), ", RIGHT ", dims_text(at_right), "\n");
  }
  if (!difference.sizes.empty()) {
    set(json, "difference", difference.sizes);
    absl::StrAppend(&text, difference.place ? "  " : "different: ", difference.sizes, "\n");
  }
  return Answer{{std::move(json)}, std::move(text), exit_status(verdict)};
}

}  // namespace tileproof::cli
