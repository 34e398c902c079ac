// SPDX-License-Identifier: Apache-2.0
// Fuzz target: composition of two maps, one per line. At points of the box (all, if there are few)
// the composed map has the value second(first(x)).
#include "fuzz/targets/map_inputs.h"

namespace tileproof {
namespace {

constexpr int64_t kWork = 5'000, kThoroughWork = 50'000;
constexpr int64_t kPoints = 16, kThoroughPoints = 100;
Share thorough("more points", 16);

std::string check(absl::string_view text, verify::CaseCounts& tally) {
  const std::vector<IndexingMap> maps = maps_of(text, 2);
  if (maps.empty()) return "";
  Choose choose(Choose::Random{seed_of(text)});
  const bool more = thorough.has(text);
  return verify::composition_difference(maps[0], maps[1], more ? kThoroughPoints : kPoints,
                                        more ? kThoroughWork : kWork, choose, tally);
}

std::string mutated(Choose& choose, absl::string_view text) {
  std::vector<IndexingMap> maps = maps_of(text, 2);
  if (maps.empty() || choose.chance(1, 8)) {
    maps = {random_map(choose), random_map(choose)};
  } else {
    change(choose, maps[choose(2)]);
  }
  // Mostly make the number of dimensions equal the number of results.
  while (maps[1].dimensions.size() < maps[0].results.size() && !choose.chance(1, 64))
    maps[1].dimensions.push_back({{0, choose(40)}, ""});
  while (maps[0].results.size() < maps[1].dimensions.size() && !maps[0].nodes.empty())
    maps[0].results.push_back(static_cast<NodeId>(choose(std::ssize(maps[0].nodes))));
  return absl::StrCat(text_of_changed(choose, maps[0]), "\n", text_of_changed(choose, maps[1]));
}

}  // namespace

const TextTarget kTarget = {check, mutated, /*bytes_of_16=*/0};

}  // namespace tileproof
