// SPDX-License-Identifier: Apache-2.0
// Fuzz target: the other functions of a map, checked by the reference at its points. They are
// evaluation, the range of a result, replacing variables, counting the elements that it and a
// changed copy reach, and the trace of its simplification. Each input gets evaluation and range, and
// each of the others is for a share of the inputs.
#include <utility>

#include "fuzz/targets/map_inputs.h"
#include "verify/compare/map_compare.h"

namespace tileproof {
namespace {

constexpr int64_t kPoints = 64, kThoroughPoints = 256;
Share thorough("more points", 16);
Share variables("variables", 4), counts("counting elements", 4), traces("traces", 16);

std::string count_difference(const IndexingMap& map, Choose& choose, int64_t points,
                             verify::CaseCounts& tally) {
  IndexingMap changed = map;
  change(choose, changed);
  changed = parse_map(to_text(changed)).value_or(map);  // drops unused nodes
  return verify::image_difference({map, std::move(changed)}, choose, points, tally);
}

std::string check(absl::string_view text, verify::CaseCounts& tally) {
  const std::vector<IndexingMap> maps = maps_of(text, 1);
  if (maps.empty()) return "";
  const IndexingMap& map = maps[0];
  Choose choose(Choose::Random{seed_of(text)});
  const int64_t points = thorough.has(text) ? kThoroughPoints : kPoints;
  std::string found = verify::evaluation_difference(map, choose);
  if (found.empty()) found = verify::range_difference(map, points);
  if (found.empty() && variables.has(text))
    found = verify::variables_difference(map, choose, points);
  if (found.empty() && counts.has(text)) found = count_difference(map, choose, points, tally);
  if (found.empty() && traces.has(text))
    found = verify::traced_difference(map, /*may_reject=*/true);
  return found;
}

}  // namespace

const TextTarget kTarget = {check, mutated_map, /*bytes_of_16=*/0};

}  // namespace tileproof
