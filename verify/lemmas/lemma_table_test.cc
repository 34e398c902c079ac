// SPDX-License-Identifier: Apache-2.0
// Evaluates the declaration of each lemma at every point of a box.
#include "verify/lemmas/lemma_table.h"

#include <gtest/gtest.h>

#include <iostream>
#include <limits>
#include <set>
#include <string>

#include "corpus/files.h"
#include "impl/lemmas/lemmas.h"
#include "verify/lemmas/false_lemmas_testing.h"
#include "verify/lemmas/lemma_enumeration.h"

namespace tileproof::lemmas {
namespace {

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
  EXPECT_EQ(declared("impl/lemmas/lemmas_rewriting.h") + declared("impl/lemmas/lemmas_range.h") +
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

}  // namespace
}  // namespace tileproof::lemmas
