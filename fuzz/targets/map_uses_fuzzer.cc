// SPDX-License-Identifier: Apache-2.0
// Fuzz target: the other functions of a map, checked by the reference at its points. They are
// evaluation, the range of a result, replacing variables, counting the elements that it and a
// changed copy reach, and the trace of its simplification.
#include <utility>

#include "fuzz/targets/map_inputs.h"
#include "impl/map/simplify.h"
#include "verify/compare/image_compare.h"
#include "verify/compare/map_functions_compare.h"
#include "verify/trace/trace_check.h"

namespace tileproof {
namespace {

constexpr int64_t kPoints = 64, kThoroughPoints = 256;
constexpr uint64_t kTracedShare = 16;

// A rejected trace proves nothing. It is not a finding (corpus/maps/incomplete_logs.txt).
std::string trace_difference(const IndexingMap& map, absl::string_view text) {
  if (!is_in_share(text, kTracedShare)) return "";
  const absl::StatusOr<IndexingMap> simple = impl::simplify(map);
  const absl::StatusOr<impl::Traced> traced = impl::simplify_with_trace(map);
  if (!simple.ok() || !traced.ok()) return absl::StrCat("refused at ", quoted(map));
  if (!(traced->map == *simple)) return absl::StrCat("another map with a trace at ", quoted(map));
  const absl::StatusOr<trace::Checked> checked = trace::check_trace(traced->trace);
  if (!checked.ok() || (checked->before == map && checked->after == *simple)) return "";
  return absl::StrCat("a trace of other maps at ", quoted(map));
}

void check(absl::string_view text) {
  const std::vector<IndexingMap> maps = maps_of(text, 1);
  if (maps.empty()) return;
  const IndexingMap& map = maps[0];
  Choose choose(Choose::Random{seed_of(text)});
  IndexingMap changed = map;
  change(choose, changed);
  changed = parse_map(to_text(changed)).value_or(map);  // drops unused nodes
  const int64_t points = extent(text, kPoints, kThoroughPoints);
  for (const std::string& difference :
       {verify::evaluation_difference(map, choose), verify::range_difference(map, points),
        verify::variables_difference(map, choose, points), trace_difference(map, text),
        verify::compare_images({map, std::move(changed)}, choose, points).difference}) {
    if (!difference.empty()) fail(difference);
  }
}

}  // namespace

const TextTarget kTarget = {check, mutated_map, crossed_map, /*bytes_of_16=*/0};

}  // namespace tileproof
