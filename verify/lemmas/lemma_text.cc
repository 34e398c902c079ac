// SPDX-License-Identifier: Apache-2.0
#include "verify/lemmas/lemma_text.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/lang/base/try.h"

namespace tileproof::lemmas {
namespace {

using impl::Claim;
using impl::ClaimKind;
using impl::Fact;
using impl::Facts;
using impl::Predicate;

class TermReader {
 public:
  explicit TermReader(absl::string_view text) : rest_(text) {}

  absl::StatusOr<Term> all() {
    Term term = TRY(sum());
    if (!rest_.empty()) return expected("an operation or the end");
    return term;
  }

 private:
  absl::Status expected(absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat("expected ", what, ", found '", rest_, "'"));
  }

  absl::StatusOr<Term> sum() {
    Term left = TRY(product());
    for (;;) {
      const bool is_minus = absl::ConsumePrefix(&rest_, " - ");
      if (!is_minus && !absl::ConsumePrefix(&rest_, " + ")) return left;
      const Term right = TRY(product());
      left = is_minus ? left - right : left + right;
    }
  }

  absl::StatusOr<Term> product() {
    using Operation = Term (*)(const Term&, const Term&);
    constexpr std::pair<absl::string_view, Operation> kOperations[] = {
        {" * ", [](const Term& a, const Term& b) { return a * b; }},
        {" floordiv ", floordiv},
        {" ceildiv ", ceildiv},
        {" mod ", mod}};
    Term left = TRY(factor());
    for (;;) {
      const auto* const operation = std::ranges::find_if(
          kOperations, [&](const auto& one) { return absl::ConsumePrefix(&rest_, one.first); });
      if (operation == std::end(kOperations)) return left;
      left = operation->second(left, TRY(factor()));
    }
  }

  absl::StatusOr<Term> factor() {
    if (absl::ConsumePrefix(&rest_, "-")) return -TRY(factor());
    if (absl::ConsumePrefix(&rest_, "(")) {
      Term inside = TRY(sum());
      if (!absl::ConsumePrefix(&rest_, ")")) return expected("')'");
      return inside;
    }
    size_t length = 0;
    while (length < rest_.size() && absl::ascii_isalnum(rest_[length])) ++length;
    const absl::string_view word = rest_.substr(0, length);
    if (word.empty()) return expected("a term");
    rest_.remove_prefix(length);
    int64_t value = 0;
    return absl::SimpleAtoi(word, &value) ? literal(Term{}, value) : variable(std::string(word));
  }

  absl::string_view rest_;
};

absl::StatusOr<Facts<Term>> parse_facts(absl::string_view text) {
  constexpr std::pair<absl::string_view, Predicate> kPredicates[] = {
      {" <= ", Predicate::kLessEqual}, {" < ", Predicate::kLess}, {" = ", Predicate::kEqual}};
  Facts<Term> facts;
  for (const absl::string_view part : absl::StrSplit(text, " and ")) {
    const size_t before = facts.size();
    for (const auto& [symbol, predicate] : kPredicates) {
      const size_t at = part.find(symbol);
      if (at == absl::string_view::npos || facts.size() > before) continue;
      const Term left = TRY(TermReader(part.substr(0, at)).all());
      facts.push_back({left, predicate, TRY(TermReader(part.substr(at + symbol.size())).all())});
    }
    if (facts.size() == before)
      return absl::InvalidArgumentError(absl::StrCat("expected <=, < or =, found '", part, "'"));
  }
  return facts;
}

}  // namespace

absl::StatusOr<Claim<Term>> parse_claim(absl::string_view text) {
  Claim<Term> claim;
  if (const size_t arrow = text.find(" => "); arrow != absl::string_view::npos) {
    claim.hypotheses = TRY(parse_facts(text.substr(0, arrow)));
    text.remove_prefix(arrow + 4);
  }
  if (const size_t both = text.find(" <=> "); both != absl::string_view::npos) {
    if (!absl::ConsumePrefix(&text, "(") || !absl::ConsumeSuffix(&text, ")"))
      return absl::InvalidArgumentError("expected (FACTS <=> FACTS)");
    claim.kind = ClaimKind::kEquivalent;
    claim.before = TRY(parse_facts(text.substr(0, both - 1)));
    claim.after = TRY(parse_facts(text.substr(both + 4)));
  } else if (absl::ConsumePrefix(&text, "never ")) {
    claim.kind = ClaimKind::kNever;
    claim.before = TRY(parse_facts(text));
  } else {
    claim.after = TRY(parse_facts(text));
  }
  return claim;
}

}  // namespace tileproof::lemmas
