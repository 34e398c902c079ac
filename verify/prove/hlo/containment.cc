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

}  // namespace

Containment prove_contained(const Between& between, const std::vector<Disjunct>& parts,
                            const std::vector<Disjunct>& whole, SolverSession& session,
                            const ContainmentOptions& options) {
  if (parts.empty()) return {{Verdict::kProven, std::nullopt}};
  if (auto walked = enumerate_is_subset(between.result, parts, whole, options.enumerated)) {
    return {*std::move(walked), ContainedBy::kEnumeration};
  }
  // Most parts need neither the solver nor coverage, which evaluates many points.
  std::vector<const Disjunct*> open;
  SolverSession none = session;
  none.asks = false;
  for (const Disjunct& part : parts) {
    SubsetProof one = prove_is_subset(between.resolver, between.result, part, whole, none,
                                      options.counterexamples);
    if (one.verdict == Verdict::kRefuted) return {std::move(one), ContainedBy::kCases};
    if (one.verdict != Verdict::kProven) open.push_back(&part);
  }
  if (open.empty()) return {{Verdict::kProven, std::nullopt}, ContainedBy::kCases};
  if (is_covered(between, parts, whole, options.are_inside)) {
    return {{Verdict::kProven, std::nullopt}, ContainedBy::kCoverage};
  }
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
  return {std::move(worst), ContainedBy::kCases};
}

}  // namespace tileproof::verify
