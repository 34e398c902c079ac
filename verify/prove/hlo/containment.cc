// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/containment.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "spec/base/exact_int.h"
#include "spec/lang/base/odometer.h"
#include "verify/prove/hlo/dataflow_path.h"

namespace tileproof::verify {
namespace {

std::optional<int64_t> points_of(const spec::Dims& dims, const std::vector<Disjunct>& disjuncts) {
  spec::Exact outputs = spec::exact(1), all = spec::exact(0);
  for (const int64_t size : dims) outputs = outputs * spec::exact(size);
  for (const Disjunct& disjunct : disjuncts) {
    if (!disjunct.reads().empty()) return std::nullopt;
    if (is_empty(disjunct.ranges())) continue;
    spec::Exact points = disjunct.is_inverse() ? spec::exact(1) : outputs;
    for (const Interval& range : disjunct.ranges()) {
      points = points * (spec::exact(range.high) - spec::exact(range.low) + spec::exact(1));
    }
    all = all + points;
  }
  return to_int64(all);
}

using Pairs = std::set<std::pair<std::vector<int64_t>, std::vector<int64_t>>>;

void add_pairs(const Disjunct& disjunct, const std::vector<int64_t>& o, Pairs& pairs) {
  std::vector<int64_t> s;
  for (const Interval& interval : disjunct.ranges()) s.push_back(interval.low);
  do {
    Pair<int64_t> pair =
        disjunct.pair(o, s, [](const RuntimeRead<int64_t>& read) { return read.low; });
    if (pair.in_domain) pairs.emplace(std::move(pair.output), std::move(pair.index));
  } while (next_point(disjunct.ranges(), s));
}

Pairs pairs_of(const std::vector<Interval>& outputs, const std::vector<Disjunct>& disjuncts) {
  Pairs pairs;
  std::vector<int64_t> o(outputs.size(), 0);
  for (const Disjunct& disjunct : disjuncts) {
    if (is_empty(disjunct.ranges())) continue;
    do {
      add_pairs(disjunct, o, pairs);
    } while (!disjunct.is_inverse() && next_point(outputs, o));
  }
  return pairs;
}

// Nothing if there are more than `work` points or a value is read.
std::optional<SubsetProof> enumerate_is_subset(const spec::Dims& dims,
                                               const std::vector<Disjunct>& parts,
                                               const std::vector<Disjunct>& whole, int64_t work) {
  const auto left = points_of(dims, parts), right = points_of(dims, whole);
  if (!left || !right || *left > work || *right > work) return std::nullopt;
  std::vector<Interval> outputs;
  for (const int64_t size : dims) outputs.push_back({0, size - 1});
  if (is_empty(outputs)) return SubsetProof{Verdict::kProven, std::nullopt};
  const Pairs wanted = pairs_of(outputs, parts), found = pairs_of(outputs, whole);
  for (const auto& [output, index] : wanted) {
    if (found.contains({output, index})) continue;
    return SubsetProof{Verdict::kRefuted, Counterexample{output, index, {}}};
  }
  return SubsetProof{Verdict::kProven, std::nullopt};
}

}  // namespace

SubsetProof prove_contained(const Between& between, const std::vector<Disjunct>& parts,
                            const std::vector<Disjunct>& whole, SolverSession& session,
                            const ContainmentOptions& options) {
  if (parts.empty()) return {Verdict::kProven, std::nullopt};
  if (auto walked = enumerate_is_subset(between.result, parts, whole, options.enumerated)) {
    return *std::move(walked);
  }
  // Most parts need no solver.
  std::vector<const Disjunct*> open;
  SolverSession none = session;
  none.asks = false;
  for (const Disjunct& part : parts) {
    SubsetProof one = prove_is_subset(between.resolver, between.result, part, whole, none,
                                      options.counterexamples);
    if (one.verdict == Verdict::kRefuted) return one;
    if (one.verdict != Verdict::kProven) open.push_back(&part);
  }
  if (open.empty()) return {Verdict::kProven, std::nullopt};
  if (!session.asks) return {};
  const bool wanted = options.counterexamples == Counterexamples::kWanted;
  SubsetProof worst{Verdict::kProven, std::nullopt};
  for (const Disjunct* part : open) {
    SubsetProof one =
        prove_is_subset(between.resolver, between.result, *part, whole, session,
                        wanted ? Counterexamples::kWanted : Counterexamples::kSkipped);
    if (one.verdict == Verdict::kProven) continue;
    worst = std::move(one);
    if (!wanted || worst.verdict == Verdict::kRefuted) break;
  }
  return worst;
}

bool are_plainly_contained(const Between& between, const std::vector<Disjunct>& parts,
                           const std::vector<Disjunct>& whole, int64_t enumerated) {
  SolverSession session{ThreadCpuClock::time_point::max(), "", 0};
  session.asks = false;
  return prove_contained(between, parts, whole, session, {.enumerated = enumerated}).verdict ==
         Verdict::kProven;
}

bool have_all_pairs(const Between& between, const std::vector<Disjunct>& disjuncts) {
  const DataflowPath all = universe(0, 0, between.operand);
  return has_elements(between.result) && has_elements(between.operand) &&
         are_plainly_contained(between, {Disjunct(all)}, disjuncts);
}

}  // namespace tileproof::verify
