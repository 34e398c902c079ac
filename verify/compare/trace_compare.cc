// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/trace_compare.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "generate/choose/choose.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/map_evaluation.h"
#include "verify/prove/map/map_points.h"
#include "verify/trace/trace_check.h"

namespace tileproof::verify {
namespace {

constexpr int64_t kPoints = 60;

}  // namespace

std::string trace_difference(absl::string_view text, int64_t work, CaseCounts& tally) {
  const absl::StatusOr<trace::Checked> checked = trace::check_trace(text);
  if (!checked.ok()) {
    const absl::string_view message = checked.status().message();
    if (absl::StrContains(message, '\n')) return "expected an error of one line";
    return absl::StartsWith(message, "line ") ? "" : "expected an error that names a line";
  }
  ++tally["read"];
  const IndexingMap &before = checked->before, &after = checked->after;
  Choose choose(Choose::Random{1});
  const SearchResult found = search(before, after, kPoints, work, choose);
  if (!found.difference) return "";
  return absl::StrCat("the checker accepted the trace, but the maps differ at ",
                      spec::to_text(before, point_of(before, *found.difference)), ": '",
                      to_text(before), "' '", to_text(after), "'");
}

}  // namespace tileproof::verify
