// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/smt/disjunction.h"

#include <algorithm>
#include <utility>

namespace tileproof::verify {
namespace {

using Confirm = absl::FunctionRef<bool(const std::vector<int64_t>&)>;

bool never(const QuasiAffineContext& context, const Sum& sum) {
  return always(context, sum) == false;
}

Sum negated(const Sum& sum) { return -sum - Sum{nullptr, {}, 1, false}; }  // not sum >= 0

bool hold_at(const QuasiAffineContext& context, const Conjunction& sums,
             const std::vector<int64_t>& values) {
  return std::ranges::all_of(sums, [&](const Sum& sum) {
    const spec::Exact value = value_at(context, sum, values);
    return value.value && *value.value >= 0;
  });
}

// Proven: the facts contradict each other or the claim. Refuted: the solver found values for all of
// them, and `confirm`, if there is one, agreed.
Verdict impossible(QuasiAffineContext& context, const Conjunction& facts, const Sum* claim,
                   SolverSession& solver_session, const Confirm* confirm) {
  Conjunction domain = facts, claims;
  if (claim != nullptr) claims.push_back(*claim);
  if (claim != nullptr && claim->too_large) return Verdict::kUndecided;
  std::erase_if(domain, [](const Sum& sum) { return sum.too_large; });
  for (const Sum& sum : domain) {
    if (never(context, sum) || (claim != nullptr && never(context, sum + *claim))) {
      return Verdict::kProven;
    }
  }
  if (claim != nullptr && never(context, *claim)) return Verdict::kProven;
  return prove_impossible(
      context, claims, domain, solver_session, [&](const std::vector<int64_t>& values) {
        if (confirm != nullptr) return (*confirm)(values);
        return hold_at(context, domain, values) && hold_at(context, claims, values);
      });
}

}  // namespace

bool drop_stated(const QuasiAffineContext& context, const Conjunction& facts, Conjunction& needs) {
  const auto is_stated = [&](const Sum& sum) {
    return std::ranges::any_of(
        facts, [&](const Sum& fact) { return fact == sum || never(context, fact + negated(sum)); });
  };
  for (const Sum& sum : needs) {
    if (std::ranges::any_of(facts, [&](const Sum& fact) { return never(context, fact + sum); })) {
      return false;
    }
  }
  std::erase_if(needs, is_stated);
  return true;
}

Verdict prove_disjunction(QuasiAffineContext& context, Conjunction facts,
                          std::vector<Conjunction> disjuncts, SolverSession& solver_session,
                          Confirm confirm) {
  if (solver_session.is_late()) return Verdict::kUndecided;
  std::vector<Conjunction> open;
  for (Conjunction& needs : disjuncts) {
    if (!drop_stated(context, facts, needs)) continue;
    if (needs.empty()) return Verdict::kProven;
    open.push_back(std::move(needs));
  }
  if (open.empty()) return impossible(context, facts, nullptr, solver_session, &confirm);
  const auto least =
      std::ranges::min_element(open, {}, [](const Conjunction& needs) { return needs.size(); });
  const Conjunction needs = std::move(*least);
  open.erase(least);
  for (const Sum& sum : needs) {
    const Sum broken = negated(sum);
    const Verdict verdict =
        impossible(context, facts, &broken, solver_session, open.empty() ? &confirm : nullptr);
    if (verdict != Verdict::kProven) {
      if (open.empty()) return verdict;
      Conjunction without = facts;
      without.push_back(broken);
      const Verdict others =
          prove_disjunction(context, std::move(without), open, solver_session, confirm);
      if (others != Verdict::kProven) return others;
    }
    facts.push_back(sum);
  }
  return Verdict::kProven;
}

}  // namespace tileproof::verify
