// SPDX-License-Identifier: Apache-2.0
#include "verify/lemmas/proof_script.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace tileproof::lemmas {
namespace {

using impl::Claim;
using impl::ClaimKind;
using impl::Fact;
using impl::Facts;
using impl::Predicate;

// Derives a script from its claim and keeps the facts established so far.
class Reader {
 public:
  explicit Reader(const std::vector<bool>& negative) : negative_(negative) {}

  void assume(const Fact<Term>& fact) { establish(lower(fact)); }

  // Requires a proof of the fact and uses it from then on.
  void show(const Fact<Term>& fact) {
    const Lowered goal = lower(fact);
    const std::string text = to_text(fact);
    const Polynomial one = Polynomial::constant(1);
    switch (goal.predicate) {
      case Predicate::kEqual:
        ask(absl::StrCat(text, ", not greater"), goal.difference - one);
        ask(absl::StrCat(text, ", not less"), -goal.difference - one);
        break;
      case Predicate::kLess:  // left - right >= 0
        ask(text, goal.difference);
        break;
      case Predicate::kLessEqual:  // left - right >= 1
        ask(text, goal.difference - one);
        break;
    }
    establish(goal);
  }

  void show_contradiction() { ask("contradiction", std::nullopt); }

  // Assumes e >= 0, or e <= -1.
  void assume_sign(const Term& term, bool negative) {
    const Polynomial value = lower(term);
    inequalities_.push_back(negative ? -value - Polynomial::constant(1) : value);
  }

  absl::StatusOr<Script> script(std::string name) && {
    if (!status_.ok()) return status_;
    for (const Query& query : queries_) {
      for (const auto* facts : {&query.equalities, &query.inequalities}) {
        for (const Polynomial& fact : *facts) {
          if (!fact.valid())
            return absl::OutOfRangeError(absl::StrCat("a coefficient does not fit: ", query.shows));
        }
      }
    }
    return Script{std::move(name), std::move(witnesses_), std::move(queries_)};
  }

 private:
  struct Lowered {
    Polynomial difference;  // left - right
    Predicate predicate;
  };

  void ask(std::string shows, std::optional<Polynomial> negation) {
    Query query{std::move(shows), equalities_, inequalities_};
    if (negation) query.inequalities.push_back(*std::move(negation));
    queries_.push_back(std::move(query));
  }

  void establish(const Lowered& fact) {
    switch (fact.predicate) {
      case Predicate::kEqual:
        equalities_.push_back(fact.difference);
        break;
      case Predicate::kLess:
        inequalities_.push_back(-fact.difference - Polynomial::constant(1));
        break;
      case Predicate::kLessEqual:
        inequalities_.push_back(-fact.difference);
        break;
    }
  }

  Lowered lower(const Fact<Term>& fact) {
    const Polynomial left = lower(fact.left);
    return {left - lower(fact.right), fact.predicate};
  }

  Polynomial lower(const Term& term) {
    check_names(term);
    return polynomial_of(
        term, [this](const Polynomial& dividend, const Polynomial& divisor) -> const Witness& {
          return divide(dividend, divisor);
        });
  }

  // Names with digits are those of witnesses.
  void check_names(const Term& term) {
    const TermNode& node = *term.node;
    if (node.op == TermOp::kLiteral) return;
    if (node.op == TermOp::kVariable) {
      if (std::any_of(node.name.begin(), node.name.end(), absl::ascii_isdigit)) {
        status_ = absl::InvalidArgumentError(
            absl::StrCat("variable ", node.name, ": expected a name without digits"));
      }
      return;
    }
    check_names(node.left);
    if (node.op != TermOp::kNegate) check_names(node.right);
  }

  // Returns the witnesses of dividend floordiv divisor. New ones first require the divisor's sign.
  const Witness& divide(const Polynomial& dividend, const Polynomial& divisor) {
    for (const Witness& known : witnesses_) {
      if (known.dividend == dividend && known.divisor == divisor) return known;
    }
    const size_t number = witnesses_.size();
    const bool negative = number < negative_.size() && negative_[number];
    witnesses_.push_back(
        {dividend, divisor, absl::StrCat("q", number), absl::StrCat("r", number), negative});
    define(witnesses_.back());
    return witnesses_.back();
  }

  void define(const Witness& witness) {
    const Polynomial one = Polynomial::constant(1);
    const Polynomial size = witness.negative ? -witness.divisor : witness.divisor;
    ask(absl::StrCat("divisor ", to_text(witness.divisor), witness.negative ? " < 0" : " > 0"),
        -size);
    queries_.back().divisor_sign = true;
    const Polynomial quotient = Polynomial::variable(witness.quotient);
    const Polynomial remainder = Polynomial::variable(witness.remainder);
    const Polynomial distance =
        witness.negative ? -remainder : remainder;  // distance from zero in the divisor's direction
    equalities_.push_back(witness.dividend - witness.divisor * quotient - remainder);
    inequalities_.push_back(size - one);
    inequalities_.push_back(distance);
    inequalities_.push_back(size - one - distance);
  }

  const std::vector<bool>& negative_;
  std::vector<Witness> witnesses_;
  std::vector<Polynomial> equalities_, inequalities_;
  std::vector<Query> queries_;
  absl::Status status_;
};

size_t directions(const Claim<Term>& claim) { return claim.kind == ClaimKind::kEquivalent ? 2 : 1; }

}  // namespace

std::vector<std::string> script_names(const Claim<Term>& claim) {
  std::vector<std::string> names;
  for (size_t direction = 0; direction < directions(claim); ++direction) {
    for (size_t choice = 0; choice < size_t{1} << claim.splits.size(); ++choice) {
      std::string name = direction == 0 ? "forward" : "back";
      if (!claim.splits.empty()) name += '/';
      for (size_t i = 0; i < claim.splits.size(); ++i) name += (choice >> i & 1) != 0 ? '-' : '+';
      names.push_back(std::move(name));
    }
  }
  return names;
}

absl::StatusOr<Script> make_script(const Claim<Term>& claim, size_t position,
                                   const std::vector<bool>& negative) {
  const std::vector<std::string> names = script_names(claim);
  if (position >= names.size()) return absl::InvalidArgumentError("the claim has no such script");
  const size_t choices = size_t{1} << claim.splits.size();
  const bool back = position / choices == 1, never = claim.kind == ClaimKind::kNever;
  Reader reader(negative);
  for (const Fact<Term>& fact : claim.hypotheses) reader.assume(fact);
  for (const Fact<Term>& fact : back ? claim.after : claim.before) reader.assume(fact);
  for (size_t i = 0; i < claim.splits.size(); ++i) {
    reader.assume_sign(claim.splits[i], (position % choices >> i & 1) != 0);
  }
  for (const Fact<Term>& fact : back ? claim.steps_back : claim.steps) reader.show(fact);
  if (never) {
    reader.show_contradiction();
  } else {
    for (const Fact<Term>& fact : back ? claim.before : claim.after) reader.show(fact);
  }
  return std::move(reader).script(names[position]);
}

}  // namespace tileproof::lemmas
