// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/threads_compare.h"

#include <algorithm>
#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "impl/layout/thread_map.h"
#include "impl/map/evaluate.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/layout/thread_layout.h"
#include "spec/layout/thread_layout.h"

namespace tileproof::verify {
namespace {

constexpr int64_t kMostComparedPlaces = 1 << 10;

std::string place_list(const std::vector<Place>& places) {
  std::vector<std::string> parts;
  for (const Place& place : places)
    parts.push_back(absl::StrCat("(", absl::StrJoin(place, ","), ")"));
  return absl::StrJoin(parts, " ");
}

// The first places of the box, all of them if they are few.
std::vector<Place> places_in(const Place& sizes) {
  std::vector<Place> places;
  const auto& [registers, lanes, warps, blocks] = sizes;
  for (int64_t r = 0; r < registers; ++r) {
    for (int64_t lane = 0; lane < lanes; ++lane) {
      for (int64_t warp = 0; warp < warps; ++warp) {
        for (int64_t block = 0; block < blocks; ++block) {
          if (std::ssize(places) == kMostComparedPlaces) return places;
          places.push_back({r, lane, warp, block});
        }
      }
    }
  }
  return places;
}

std::string other_holders(const ThreadLayout& layout, const impl::ThreadMap& closed,
                          const std::map<Dims, std::vector<Place>>& holders) {
  for (const auto& [index, expected] : holders) {
    const auto found = impl::holders_of(closed, index, kMostComparedPlaces);
    if (!found.ok() || *found != expected)
      return absl::StrCat("holders of ", dims_text(index), ": ", place_list(expected), " and ",
                          found.ok() ? place_list(*found) : found.status().message());
    if (closed.form && expected.size() != size_t{1} << impl::copies(*closed.form).size())
      return absl::StrCat(expected.size(), " places hold ", dims_text(index));
  }
  if (!closed.form) return "";
  const std::optional<Dims> missing = impl::not_held(*closed.form);
  const bool all = std::ssize(holders) == *element_count(layout.dims);
  if (missing.has_value() == all || (missing && holders.contains(*missing)))
    return absl::StrCat("not held: ", missing ? dims_text(*missing) : "none",
                        ", held: ", holders.size());
  return "";
}

std::string difference_of(const ThreadLayout& layout, const impl::ThreadMap& closed) {
  const auto sizes = spec::place_sizes(layout);
  if (!sizes.ok()) return std::string(sizes.status().message());
  if (*sizes != closed.sizes)
    return absl::StrCat("sizes ", place_list({*sizes}), " and ", place_list({closed.sizes}));
  const std::vector<Place> places = places_in(*sizes);
  std::map<Dims, std::vector<Place>> holders;  // by the definition
  for (const Place& place : places) {
    const auto held = spec::held_at(layout, place);
    if (!held.ok()) return std::string(held.status().message());
    holders[*held].push_back(place);
    const std::vector<int64_t> coordinates(place.begin(), place.end());
    const auto mapped = impl::evaluate(closed.map, {coordinates, {}, {}});
    const bool is_right = mapped.ok() && *mapped && **mapped == *held;
    if (is_right && impl::held_at(closed, place) == *held) continue;
    return absl::StrCat("at ", place_list({place}), ": ", dims_text(*held), " and ",
                        dims_text(impl::held_at(closed, place)));
  }
  return std::ssize(places) < kMostComparedPlaces ? other_holders(layout, closed, holders) : "";
}

}  // namespace

std::string threads_difference(absl::string_view text, CaseCounts& tally) {
  const absl::StatusOr<ThreadLayout> layout = parse_thread_layout(text);
  const auto closed = layout.ok() ? impl::thread_map(*layout) : layout.status();
  if (!closed.ok() && (!layout.ok() || !spec::place_sizes(*layout).ok())) {
    ++tally["refused"];
    return "";
  }
  ++tally["layouts"];
  const std::string difference =
      closed.ok() ? difference_of(*layout, *closed) : std::string(closed.status().message());
  return difference.empty() ? "" : absl::StrCat(text, ": ", difference);
}

}  // namespace tileproof::verify
