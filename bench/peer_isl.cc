// SPDX-License-Identifier: Apache-2.0
#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/options.h>
#include <isl/set.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "bench/peers.h"

namespace tileproof {
namespace {

// "(x0 + (3))". No value if isl cannot express it.
std::optional<std::string> expression_text(const IndexingMap& map, NodeId root) {
  const Node& node = map.nodes[root];
  const size_t dims = map.dimensions.size(), ranges = map.ranges.size();
  if (node.op == Op::kConstant) return absl::StrCat("(", node.value, ")");
  if (node.op == Op::kDimension) return absl::StrCat("x", node.value);
  if (node.op == Op::kRange) return absl::StrCat("x", dims + node.value);
  if (node.op == Op::kRuntime) return absl::StrCat("x", dims + ranges + node.value);
  const std::optional<std::string> left = expression_text(map, node.left),
                                   right = expression_text(map, node.right);
  if (!left || !right) return std::nullopt;
  const bool by_constant = map.nodes[node.right].op == Op::kConstant;
  const int64_t c = map.nodes[node.right].value;
  if (node.op == Op::kAdd) return absl::StrCat("(", *left, " + ", *right, ")");
  if (node.op == Op::kMul && by_constant) return absl::StrCat("(", c, " * ", *left, ")");
  if (node.op == Op::kMul && map.nodes[node.left].op == Op::kConstant) {
    return absl::StrCat("(", map.nodes[node.left].value, " * ", *right, ")");
  }
  if (!by_constant || c <= 0) return std::nullopt;
  if (node.op == Op::kFloorDiv) return absl::StrCat("floor(", *left, " / ", c, ")");
  if (node.op == Op::kCeilDiv) return absl::StrCat("ceil(", *left, " / ", c, ")");
  if (node.op == Op::kMod) return absl::StrCat("((", *left, ") mod ", c, ")");
  return std::nullopt;
}

// { [x0, x1] -> [((4 * x0) + x1)] : 0 <= x0 <= 9 and 0 <= x1 <= 3 }: the map, or only its domain. x0,
// x1, .. are the dimensions, then the range variables, then the runtime variables. No value if isl
// cannot express it: a product of variables, or a divisor below 1.
std::optional<std::string> isl_text(const IndexingMap& map, bool domain_only) {
  std::vector<std::string> names, results, conditions;
  const auto within = [&](const std::string& what, const Interval& interval) {
    conditions.push_back(absl::StrCat(interval.low, " <= ", what, " <= ", interval.high));
  };
  for (const auto* variables : {&map.dimensions, &map.ranges, &map.runtime}) {
    for (const Variable& variable : *variables) {
      names.push_back(absl::StrCat("x", names.size()));
      within(names.back(), variable.bounds);
    }
  }
  for (const Constraint& constraint : map.constraints) {
    const std::optional<std::string> text = expression_text(map, constraint.expr);
    if (!text) return std::nullopt;
    within(*text, constraint.interval);
  }
  for (NodeId result : map.results) {
    const std::optional<std::string> text = expression_text(map, result);
    if (!text) return std::nullopt;
    results.push_back(*text);
  }
  const std::string tuple = absl::StrCat("[", absl::StrJoin(names, ", "), "]");
  const std::string image =
      domain_only ? "" : absl::StrCat(" -> [", absl::StrJoin(results, ", "), "]");
  return absl::StrCat("{ ", tuple, image, conditions.empty() ? "" : " : ",
                      absl::StrJoin(conditions, " and "), " }");
}

std::optional<double> simplify_one(const IndexingMap& map) {
  using Clock = std::chrono::steady_clock;
  const std::optional<std::string> text = isl_text(map, false), domain = isl_text(map, true);
  if (!text || !domain) return std::nullopt;
  isl_ctx* context = isl_ctx_alloc();
  isl_options_set_on_error(context, ISL_ON_ERROR_CONTINUE);
  isl_ctx_set_max_operations(context, 10'000'000);
  isl_pw_multi_aff* whole = isl_pw_multi_aff_read_from_str(context, text->c_str());
  isl_set* box = isl_set_read_from_str(context, domain->c_str());
  double best = 1e18;
  bool done = whole != nullptr && box != nullptr;
  for (int i = 0; i < 5 && done; ++i) {
    const auto start = Clock::now();
    isl_pw_multi_aff* simplified = isl_pw_multi_aff_coalesce(
        isl_pw_multi_aff_gist(isl_pw_multi_aff_copy(whole), isl_set_copy(box)));
    const std::chrono::duration<double, std::nano> time = Clock::now() - start;
    done = simplified != nullptr;
    isl_pw_multi_aff_free(simplified);
    best = std::min(best, time.count());
  }
  isl_pw_multi_aff_free(whole);
  isl_set_free(box);
  isl_ctx_free(context);
  return done ? std::optional(best) : std::nullopt;
}

}  // namespace

std::optional<double> simplify_with_isl(absl::Span<const IndexingMap> maps) {
  double sum = 0;
  for (const IndexingMap& map : maps) {
    const std::optional<double> nanoseconds = simplify_one(map);
    if (!nanoseconds) return std::nullopt;
    sum += *nanoseconds;
  }
  return sum;
}

}  // namespace tileproof
