// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/containment.h"

#include <utility>

#include "verify/prove/hlo/coverage.h"

namespace tileproof::verify {
namespace {

bool is_covered(const Between& between, const std::vector<Disjunct>& parts,
                const std::vector<Disjunct>& whole, bool are_inside) {
  const auto along = all_pairs_along(whole, between.result, between.operand);
  return along && keep(parts, *along, between.result) &&
         (are_inside || stay_inside(parts, between.result, between.operand));
}

SubsetProof by_cases(const Between& between, const std::vector<Disjunct>& parts,
                     const std::vector<Disjunct>& whole, SolverSession& session,
                     Counterexamples counterexamples) {
  SubsetProof worst{Verdict::kProven, std::nullopt};
  for (const Disjunct& part : parts) {
    SubsetProof one =
        prove_is_subset(between.resolver, between.result, part, whole, session, counterexamples);
    if (one.verdict == Verdict::kProven) continue;
    worst = std::move(one);
    const bool is_enough = counterexamples == Counterexamples::kSkipped;
    if (is_enough || worst.verdict == Verdict::kRefuted) break;
  }
  return worst;
}

}  // namespace

Containment prove_contained(const Between& between, const std::vector<Disjunct>& parts,
                            const std::vector<Disjunct>& whole, SolverSession& session,
                            const ContainmentOptions& options) {
  if (parts.empty()) return {{Verdict::kProven, std::nullopt}};
  if (auto walked = enumerate_is_subset(between.result, parts, whole, options.enumerated)) {
    return {*std::move(walked), ContainedBy::kEnumeration};
  }
  // One disjunct in another seldom needs coverage, which evaluates many points.
  const bool skips = options.counterexamples == Counterexamples::kSkipped;
  const bool cases_first = skips && parts.size() == 1 && whole.size() == 1;
  SubsetProof found;
  if (cases_first) found = by_cases(between, parts, whole, session, options.counterexamples);
  if (found.verdict == Verdict::kProven) return {std::move(found), ContainedBy::kCases};
  if (is_covered(between, parts, whole, options.are_inside)) {
    return {{Verdict::kProven, std::nullopt}, ContainedBy::kCoverage};
  }
  if (!cases_first) found = by_cases(between, parts, whole, session, options.counterexamples);
  return {std::move(found), ContainedBy::kCases};
}

}  // namespace tileproof::verify
