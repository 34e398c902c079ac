// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/text_compare.h"

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "generate/choose/choose.h"
#include "spec/lang/map/map_text.h"
#include "spec/lang/map/memref_text.h"
#include "spec/lang/map/mlir_text.h"
#include "spec/lang/map/variable_divisors.h"
#include "spec/map/map_evaluation.h"
#include "verify/prove/map/map_points.h"
#include "verify/trace/trace_check.h"

namespace tileproof::verify {
namespace {

absl::StatusOr<IndexingMap> map_of(const MlirItem& item) {
  if (item.kind != MlirKind::kMemRef) return parse_map_with_variable_divisors(item.text);
  const absl::StatusOr<MemRef> memref = parse_memref(item.text);
  return memref.ok() ? absl::StatusOr<IndexingMap>(memref->map) : memref.status();
}

std::string item_difference(const MlirItem& item) {
  // A valid map has constant divisors; the text below has the others, too.
  if (!has_variable_divisors(item.map) && !validate(item.map).ok())
    return absl::StrCat("parsed as an invalid map: '", to_text(item.map), "'");
  const absl::StatusOr<IndexingMap> again = map_of(item);
  // The layout of a memref may be a map that the rest of the text names.
  const bool named =
      !again.ok() && item.kind == MlirKind::kMemRef && absl::StrContains(item.text, "#");
  if (!named && (!again.ok() || *again != item.map))
    return absl::StrCat("the text of an item is another map or none: '", item.text, "'");
  for (const MlirKind kind : {MlirKind::kIndexingMap, MlirKind::kAffineMap}) {
    if (kind == MlirKind::kAffineMap && !is_unbounded(item.map)) continue;
    const absl::StatusOr<std::string> printed = to_mlir(item.map, kind);
    if (!printed.ok()) continue;  // runtime variables in an affine_map
    const absl::StatusOr<IndexingMap> map = parse_map_with_variable_divisors(*printed);
    if (!map.ok() || *map != item.map)
      return absl::StrCat("the printed text is another map or none: '", *printed, "'");
  }
  return "";
}

}  // namespace

std::string mlir_difference(absl::string_view text, CaseCounts& tally) {
  const absl::StatusOr<std::vector<MlirItem>> items = find_mlir(text);
  if (!items.ok()) return error_difference(items.status(), "column ");
  tally["read"] += items->empty() ? 0 : 1;
  for (const MlirItem& item : *items) {
    if (item.is_dynamic) continue;
    std::string difference = item_difference(item);
    if (!difference.empty()) return difference;
  }
  return "";
}

std::string trace_difference(absl::string_view text, int64_t work, CaseCounts& tally) {
  const absl::StatusOr<trace::Checked> checked = trace::check_trace(text);
  if (!checked.ok()) {
    const absl::string_view message = checked.status().message();
    if (absl::StrContains(message, '\n')) return "expected an error of one line";
    return absl::StartsWith(message, "line ") ? "" : "expected an error that names a line";
  }
  ++tally["read"];
  const IndexingMap &before = checked->before, &after = checked->after;
  constexpr int64_t kPointsOfTrace = 60;
  Choose choose(Choose::Random{1});
  const SearchResult found = search(before, after, kPointsOfTrace, work, choose);
  if (!found.difference) return "";
  return absl::StrCat("the checker accepted the trace, but the maps differ at ",
                      spec::to_text(before, point_of(before, *found.difference)), ": '",
                      to_text(before), "' '", to_text(after), "'");
}

}  // namespace tileproof::verify
