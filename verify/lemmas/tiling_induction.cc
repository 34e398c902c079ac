// SPDX-License-Identifier: Apache-2.0
#include "verify/lemmas/tiling_induction.h"

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/base/try.h"
#include "verify/lemmas/lemma_table.h"
#include "verify/lemmas/polynomial.h"
#include "verify/lemmas/proof_script.h"

namespace tileproof::lemmas {
namespace {

using impl::all;
using impl::Claim;
using impl::Fact;
using impl::Facts;
using impl::index_of;
using impl::Predicate;

// The facts known so far.
class Knowledge {
 public:
  void assume(const Facts<Term>& facts) {
    for (const Fact<Term>& fact : facts) {
      if (const std::optional<Normal> one = normal(fact)) known_.insert(*one);
    }
  }

  absl::Status require(const Facts<Term>& facts) {
    for (const Fact<Term>& fact : facts) {
      const std::optional<Normal> wanted = normal(fact);
      if (!wanted || (!is_trivial(*wanted) && !known_.contains(*wanted)))
        return absl::FailedPreconditionError(absl::StrCat("not known: ", to_text(fact)));
    }
    return absl::OkStatus();
  }

 private:
  using Sum = Terms<std::string, int64_t>;

  // A polynomial that is 0 or at least 0, over variables and the floors of others.
  struct Normal {
    bool equality;
    Sum terms;

    auto operator<=>(const Normal&) const = default;
  };

  static bool is_trivial(const Normal& fact) {
    if (fact.terms.empty()) return true;
    const auto& [monomial, coefficient] = *fact.terms.begin();
    return !fact.equality && fact.terms.size() == 1 && monomial.empty() && coefficient >= 0;
  }

  // Nothing if a coefficient does not fit.
  std::optional<Normal> normal(const Fact<Term>& fact) {
    // Equal dividends and divisors share their floor.
    const auto divide = [this](const Polynomial& dividend, const Polynomial& divisor) {
      const auto key = std::pair(dividend.terms(), divisor.terms());
      const size_t number = divisions_.try_emplace(key, divisions_.size()).first->second;
      return Witness{dividend, divisor, absl::StrCat("q", number), absl::StrCat("r", number)};
    };
    Polynomial difference = polynomial_of(fact.right, divide) - polynomial_of(fact.left, divide);
    if (fact.predicate == Predicate::kLess) difference = difference - Polynomial::constant(1);
    if (!difference.valid()) return std::nullopt;
    return Normal{fact.predicate == Predicate::kEqual, difference.terms()};
  }

  std::set<Normal> known_;
  std::map<std::pair<Sum, Sum>, size_t> divisions_;
};

}  // namespace

std::vector<TilingClaim> tiling_claims() {
  const Term e = variable("e"), n = variable("n"), m = variable("m"), t = variable("t");
  const Term i = variable("i"), j = variable("j"), o = variable("o");
  const Term zero = literal(e, 0), one = literal(e, 1);
  const Term tiles = ceildiv(n, t), padded = i * t + j, both = i * m + j;
  return {
      {"split, encode",
       all(zero < t, index_of(e, n)),
       {{"split-in-bounds", {e, n, t}}, {"split-undone", {e, t}}},
       all(index_of(floordiv(e, t), tiles), index_of(mod(e, t), t),
           floordiv(e, t) * t + mod(e, t) == e)},
      {"split, decode",
       all(zero < t, index_of(i, tiles), index_of(j, t)),
       {{"unsplit-in-bounds", {i, j, n, t}},
        {"digit-quotient", {i, t, j}},
        {"digit-remainder", {i, t, j}}},
       all(index_of(padded, tiles * t), floordiv(padded, t) == i, mod(padded, t) == j)},
      {"combine, encode",
       all(index_of(i, n), index_of(j, m)),
       {{"combine-in-bounds", {i, j, n, m}},
        {"indexed-size", {j, m}},
        {"digit-quotient", {i, m, j}},
        {"digit-remainder", {i, m, j}}},
       all(index_of(both, n * m), floordiv(both, m) == i, mod(both, m) == j)},
      {"combine, decode",  // the array has an element
       all(index_of(j, m), index_of(o, n * m)),
       {{"indexed-size", {j, m}}, {"uncombine-in-bounds", {o, n, m}}, {"split-undone", {o, m}}},
       all(index_of(floordiv(o, m), n), index_of(mod(o, m), m),
           floordiv(o, m) * m + mod(o, m) == o)},
      {"one, encode", {}, {}, index_of(zero, one)},
      {"one, decode", index_of(i, one), {{"leading-one", {i, zero, zero}}}, {i == zero}},
  };
}

absl::Status check_tiling_claim(const TilingClaim& claim) {
  Knowledge knowledge;
  knowledge.assume(claim.given);
  for (const auto& [name, terms] : claim.by) {
    const StatedLemma* lemma = find_lemma(name);
    if (lemma == nullptr || terms.size() != lemma->variables.size())
      return absl::InternalError(absl::StrCat("no lemma ", name, " over as many variables"));
    const Claim<Term> used = instance(*lemma, terms);
    if (used.kind != impl::ClaimKind::kEqual && used.kind != impl::ClaimKind::kHolds)
      return absl::InternalError(absl::StrCat(name, " concludes no fact"));
    const absl::Status status = knowledge.require(used.hypotheses);
    if (!status.ok())
      return absl::FailedPreconditionError(absl::StrCat(name, ": ", status.message()));
    knowledge.assume(used.after);
  }
  return knowledge.require(claim.shows);
}

absl::StatusOr<std::vector<std::string>> prove_tilings_by_induction() {
  std::set<std::string> names;
  for (const TilingClaim& claim : tiling_claims()) {
    const absl::Status status = check_tiling_claim(claim);
    if (!status.ok())
      return absl::FailedPreconditionError(absl::StrCat(claim.name, ": ", status.message()));
    for (const LemmaInstance& used : claim.by) names.insert(used.lemma);
  }
  return std::vector<std::string>(names.begin(), names.end());
}

}  // namespace tileproof::lemmas
