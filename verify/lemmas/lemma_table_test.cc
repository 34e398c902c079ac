// SPDX-License-Identifier: Apache-2.0
// Evaluates the declaration of each lemma at every point of a box.

#include "verify/lemmas/lemma_table.h"

#include <gtest/gtest.h>

#include <iostream>
#include <limits>
#include <set>
#include <string>

#include "corpus/files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "impl/lemmas/lemmas.h"
#include "verify/lemmas/false_lemmas_testing.h"
#include "verify/lemmas/lemma_coq.h"
#include "verify/lemmas/lemma_enumeration.h"
#include "verify/lemmas/tiling_induction.h"

namespace tileproof::lemmas {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string point_text(const StatedLemma& lemma, const std::vector<int64_t>& point) {
  std::string text = lemma.name + " at";
  for (size_t i = 0; i < point.size(); ++i)
    text += " " + lemma.variables[i] + "=" + std::to_string(point[i]);
  return text;
}

TEST(Lemmas, HoldAtEveryPointOfABox) {
  int64_t points = 0;
  for (const StatedLemma& lemma : all_lemmas()) {
    const Enumeration seen = enumerate_largest(lemma, 12, 100'000);
    EXPECT_FALSE(seen.failure.has_value())
        << point_text(lemma, *seen.failure) << ": " << to_text(lemma.claim);
    EXPECT_GT(seen.points, 0) << lemma.name << ": no point satisfies the hypotheses";
    EXPECT_GT(seen.before, 0) << lemma.name << ": no point satisfies the left side";
    EXPECT_GE(seen.radius, 2) << lemma.name;
    points += seen.points;
  }
  std::cout << all_lemmas().size() << " lemmas, " << points << " points, 0 differences\n";
}

TEST(Lemmas, EnumerationRefutesEveryKnownWrongRule) {
  for (const StatedLemma& lemma : all_false_lemmas()) {
    const Enumeration seen = enumerate_largest(lemma, 12, 3'000'000);
    ASSERT_TRUE(seen.failure.has_value())
        << lemma.name << " was not refuted in [-" << seen.radius << ", " << seen.radius << "]";
    const impl::Claim<Integer> claim = lemma.at(defined(*seen.failure));
    EXPECT_EQ(are_true(claim.hypotheses), true) << point_text(lemma, *seen.failure);
    EXPECT_EQ(conclusion_is_true(claim), false) << point_text(lemma, *seen.failure);
  }
}

TEST(Lemmas, HaveUniqueNamesProseAndVariables) {
  std::set<std::string> names, words;
  for (const auto* table : {&all_lemmas(), &all_false_lemmas()}) {
    for (const StatedLemma& lemma : *table) {
      EXPECT_TRUE(names.insert(lemma.name).second) << lemma.name << " is declared twice";
      EXPECT_EQ(lemma.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), std::string::npos)
          << lemma.name;
      EXPECT_FALSE(lemma.says.empty()) << lemma.name;
      EXPECT_EQ(std::set<std::string>(lemma.variables.begin(), lemma.variables.end()).size(),
                lemma.variables.size())
          << lemma.name;
    }
  }
}

// Counts the declarations in a source file.
size_t declared(const std::string& path) {
  size_t count = 0;
  for (const std::string& line : project_lines(path))
    count += line.starts_with("inline constexpr Lemma k") ? 1 : 0;
  return count;
}

TEST(Lemmas, AreAllInTheTable) {
  EXPECT_EQ(declared("impl/lemmas/lemmas_rewriting.h") +
                declared("impl/lemmas/lemmas_constraint.h") +
                declared("impl/lemmas/lemmas_tiling.h"),
            all_lemmas().size());
}

TEST(Lemmas, AreInTheManual) {
  const std::string page = project_text("docs/lemmas.md");
  EXPECT_EQ(page, lemma_page()) << "tileproof prove lemmas --list > docs/lemmas.md";
}

TEST(Lemmas, AreFoundByName) {
  ASSERT_NE(find_lemma("nested-floor"), nullptr);
  EXPECT_EQ(find_lemma("nested-floor")->subject, "rewriting");
  EXPECT_EQ(find_lemma("false-parity"), nullptr);
  EXPECT_EQ(find_lemma(""), nullptr);
}

TEST(Lemmas, ArePrintedInTheLanguageOfMaps) {
  const auto text = [](absl::string_view name) { return to_text(find_lemma(name)->claim); };
  EXPECT_EQ(text("drop-small-part"),
            "0 < g and 0 < c and m * g <= B and B < (m + 1) * g => "
            "(g * A + B) floordiv (g * c) = (A + m) floordiv c");
  EXPECT_EQ(text("congruence-lower-bound"),
            "0 < m and x mod m = r => (l <= x <=> l + (r - l) mod m <= x)");
  EXPECT_EQ(text("constraint-never"), "x <= b and b < l => never l <= x and x <= h");
  EXPECT_EQ(text("negated-floor"), "0 < m => -(M floordiv m) = (-M + m - 1) floordiv m");
}

TEST(Lemmas, ReadAsTheyArePrinted) {
  EXPECT_GE(all_false_lemmas().size(), 30);
  for (const auto* table : {&all_lemmas(), &all_false_lemmas()}) {
    for (const StatedLemma& lemma : *table) {
      const auto claim = parse_claim(to_text(lemma.claim));
      ASSERT_TRUE(claim.ok()) << claim.status();
      EXPECT_EQ(to_text(*claim), to_text(lemma.claim));
    }
  }
  const auto error = [](absl::string_view text) {
    return std::string(parse_claim(text).status().message());
  };
  EXPECT_EQ(error("0 < c => x"), "expected <=, < or =, found 'x'");
  EXPECT_EQ(error("(x + 1 = y"), "expected ')', found ''");
  EXPECT_EQ(error("x ? 1 = y"), "expected an operation or the end, found ' ? 1'");
  EXPECT_EQ(error("x + = y"), "expected an operation or the end, found ' +'");
  EXPECT_EQ(error("x = y <=> y = x"), "expected (FACTS <=> FACTS)");
}

TEST(Lemmas, InstancesReplaceVariablesByTerms) {
  const Term d0 = variable("d0"), two = literal(d0, 2), three = literal(d0, 3);
  const impl::Claim<Term> claim = instance(*find_lemma("nested-floor"), {d0 + two, two, three});
  EXPECT_EQ(to_text(claim),
            "0 < 2 and 0 < 3 => ((d0 + 2) floordiv 2) floordiv 3 = (d0 + 2) floordiv (2 * 3)");
}

// A user-defined number type; the simplifier builds its steps this way.
TEST(Lemmas, CanBeReadWithAnyNumberType) {
  const auto claim = impl::kOneCell.at(Integer{17}, Integer{5}, Integer{3});
  EXPECT_EQ(are_true(claim.hypotheses), true);
  EXPECT_EQ(claim.lhs().value, 3);
  EXPECT_EQ(claim.rhs().value, 3);
  EXPECT_EQ(are_true(impl::kOneCell.at(Integer{17}, Integer{5}, Integer{2}).hypotheses), false);
}

TEST(Integer, DivisionsRoundDownForEverySign) {
  for (int64_t a = -20; a <= 20; ++a) {
    for (int64_t b = -7; b <= 7; ++b) {
      if (b == 0) continue;
      int64_t floor = -100;  // the greatest q with q <= a / b
      while (b > 0 ? (floor + 1) * b <= a : (floor + 1) * b >= a) ++floor;
      EXPECT_EQ(floordiv(Integer{a}, Integer{b}).value, floor) << a << " floordiv " << b;
      EXPECT_EQ(mod(Integer{a}, Integer{b}).value, a - b * floor) << a << " mod " << b;
      EXPECT_EQ(ceildiv(Integer{a}, Integer{b}).value, a == b * floor ? floor : floor + 1)
          << a << " ceildiv " << b;
    }
  }
}

TEST(Integer, OverflowAndDivisionByZeroAreUndefined) {
  const Integer least{std::numeric_limits<int64_t>::min()},
      most{std::numeric_limits<int64_t>::max()};
  const Integer zero{0}, one{1}, minus_one{-1};
  for (const Integer& undefined :
       {most + one, least - one, most * most, -least, floordiv(least, minus_one),
        floordiv(one, zero), mod(one, zero), ceildiv(one, zero), (most + one) - one}) {
    EXPECT_FALSE(undefined.value.has_value());
  }
  EXPECT_EQ(floordiv(least, one).value, least.value);
  EXPECT_EQ(is_true(most + one == one), std::nullopt);
  EXPECT_EQ(are_true({most + one == one, one == zero}), false);
  EXPECT_EQ(are_true({most + one == one, one == one}), std::nullopt);
}

Certificate recorded_certificate(const StatedLemma& lemma) {
  absl::StatusOr<Certificate> certificate =
      parse_certificate(project_text("verify/lemmas/certificates/" + lemma.name + ".cert"));
  EXPECT_TRUE(certificate.ok()) << lemma.name << ": " << certificate.status();
  return certificate.ok() ? *std::move(certificate) : Certificate{};
}

TEST(LemmaCoq, AStatementIsWrittenOverTheIntegersOfCoq) {
  EXPECT_EQ(coq_statement(*find_lemma("digit-quotient")),
            "forall q n r : Z, 0 < n -> 0 <= r -> r < n -> (((q * n) + r) / n) = q");
}

TEST(LemmaCoq, CeildivIsANotationForTheNegatedFloor) {
  EXPECT_THAT(coq_statement(*find_lemma("pad-size")), HasSubstr("(ceildiv n t)"));
  EXPECT_THAT(coq_prelude(), HasSubstr("Notation ceildiv x c := (- ((- x) / c))."));
}

TEST(LemmaCoq, EveryLemmaHasATheoremWithAProof) {
  for (const StatedLemma& lemma : all_lemmas()) {
    const absl::StatusOr<std::string> text = coq_theorem(lemma, recorded_certificate(lemma));
    ASSERT_TRUE(text.ok()) << lemma.name << ": " << text.status();
    EXPECT_THAT(*text, HasSubstr("Theorem " + coq_name(lemma) + " : " + coq_statement(lemma)));
    EXPECT_THAT(*text, HasSubstr("Print Assumptions " + coq_name(lemma)));
    EXPECT_THAT(*text, Not(HasSubstr("Admitted")));
    EXPECT_THAT(*text, Not(HasSubstr("Axiom")));
    EXPECT_THAT(*text, Not(HasSubstr("missing"))) << "a division without a witness";
  }
}

TEST(LemmaCoq, ACertificateOfAnotherLemmaIsAnError) {
  const Certificate other = recorded_certificate(*find_lemma("pad-size"));
  EXPECT_FALSE(coq_theorem(*find_lemma("nested-floor"), other).ok());
}

TEST(LemmaCoq, TheInductionOverLayoutStepsUsesTheLemmas) {
  EXPECT_THAT(coq_tilings(), HasSubstr("Require Import lemmas."));
  EXPECT_THAT(coq_tilings(), HasSubstr("digit_quotient"));
  EXPECT_THAT(coq_tilings(), Not(HasSubstr("Admitted")));
}

TEST(TilingInduction, EveryListOfStepsIsABijection) {
  const auto lemmas = prove_tilings_by_induction();
  ASSERT_TRUE(lemmas.ok()) << lemmas.status();
  EXPECT_THAT(*lemmas, ElementsAre("combine-in-bounds", "digit-quotient", "digit-remainder",
                                   "indexed-size", "leading-one", "split-in-bounds", "split-undone",
                                   "uncombine-in-bounds", "unsplit-in-bounds"));
}

// Every assumption and every instance is needed, and nothing else is shown.
TEST(TilingInduction, NoClaimHoldsWithLess) {
  for (const TilingClaim& claim : tiling_claims()) {
    for (size_t k = 0; k < claim.given.size(); ++k) {
      TilingClaim less = claim;
      less.given.erase(less.given.begin() + static_cast<ptrdiff_t>(k));
      EXPECT_FALSE(check_tiling_claim(less).ok()) << claim.name << " without assumption " << k;
    }
    for (size_t k = 0; k < claim.by.size(); ++k) {
      TilingClaim less = claim;
      less.by.erase(less.by.begin() + static_cast<ptrdiff_t>(k));
      EXPECT_FALSE(check_tiling_claim(less).ok()) << claim.name << " without " << claim.by[k].lemma;
    }
    TilingClaim more = claim;
    more.shows.push_back(variable("e") == variable("n"));
    EXPECT_THAT(std::string(check_tiling_claim(more).message()), HasSubstr("not known: e = n"));
  }
}

TEST(TilingInduction, RefusesAnInstanceThatIsNone) {
  const Term e = variable("e");
  EXPECT_THAT(std::string(check_tiling_claim({"", {}, {{"split-undone", {e}}}, {}}).message()),
              HasSubstr("no lemma split-undone"));
  EXPECT_THAT(std::string(check_tiling_claim({"", {}, {{"split-undone", {e, e}}}, {}}).message()),
              HasSubstr("split-undone: not known: 0 < e"));
}

}  // namespace
}  // namespace tileproof::lemmas
