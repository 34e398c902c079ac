// SPDX-License-Identifier: Apache-2.0
// Fuzz target: the other functions of a map, checked by the reference at its points. They are
// evaluation, the range of a result, replacing variables, counting the elements that it and a
// changed copy reach, and the trace of its simplification. Each input gets evaluation and range, and
// each of the others is for a share of the inputs.
#include <utility>

#include "fuzz/targets/map_inputs.h"
#include "impl/map/simplify.h"
#include "verify/compare/image_compare.h"
#include "verify/compare/map_functions_compare.h"
#include "verify/trace/trace_check.h"

namespace tileproof {
namespace {

constexpr int64_t kPoints = 64, kThoroughPoints = 256;
Share thorough("more points", 16);
Share removes("removing variables", 8), moves("ranges as dimensions", 8);
Share counts("counting elements", 4), traces("traces", 16);

// A rejected trace proves nothing. It is not a finding (corpus/maps/incomplete_logs.txt).
std::string trace_difference(const IndexingMap& map) {
  const absl::StatusOr<IndexingMap> simple = impl::simplify(map);
  const absl::StatusOr<impl::Traced> traced = impl::simplify_with_trace(map);
  if (!simple.ok() || !traced.ok()) return absl::StrCat("refused at ", quoted(map));
  if (!(traced->map == *simple)) return absl::StrCat("another map with a trace at ", quoted(map));
  const absl::StatusOr<trace::Checked> checked = trace::check_trace(traced->trace);
  if (!checked.ok() || (checked->before == map && checked->after == *simple)) return "";
  return absl::StrCat("a trace of other maps at ", quoted(map));
}

// Usually of the simplified map.
std::string variables_difference(const IndexingMap& map, Choose& choose, int64_t points,
                                 absl::string_view text) {
  const bool by_removing = removes.has(text), by_moving = moves.has(text);
  if (!by_removing && !by_moving) return "";
  absl::StatusOr<IndexingMap> used = impl::simplify(map);
  if (!used.ok() || used->known_empty) return "";
  if (choose.chance(1, 4)) used = map;
  std::string found = by_removing ? verify::removal_difference(*used, choose, points) : "";
  if (found.empty() && by_moving) found = verify::moved_ranges_difference(*used, points);
  return found;
}

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
  if (found.empty()) found = variables_difference(map, choose, points, text);
  if (found.empty() && counts.has(text)) found = count_difference(map, choose, points, tally);
  if (found.empty() && traces.has(text)) found = trace_difference(map);
  return found;
}

}  // namespace

const TextTarget kTarget = {check, mutated_map, crossed_map, /*bytes_of_16=*/0};

}  // namespace tileproof
