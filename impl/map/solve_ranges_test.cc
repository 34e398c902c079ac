// SPDX-License-Identifier: Apache-2.0
// Solving maps for their range variables, compared with the definition: the pairs stay the same.
#include "impl/map/solve_ranges.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "generate/choose/choose.h"
#include "impl/map/simplify.h"
#include "impl/map/variables.h"
#include "spec/lang/base/cases_testing.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/map_evaluation.h"

namespace tileproof {
namespace {

constexpr int64_t kMostPoints = 1 << 18;

// Dimensions, runtime values and results, for all values of the range variables.
using Pairs = std::set<std::vector<int64_t>>;

Pairs pairs_of(const IndexingMap& map) {
  Pairs pairs;
  const absl::Status status = spec::for_each_point(
      map, kMostPoints, [&](const spec::Point& point, const std::vector<int64_t>& results) {
        std::vector<int64_t> pair = point.dims;
        pair.insert(pair.end(), point.runtime.begin(), point.runtime.end());
        pair.insert(pair.end(), results.begin(), results.end());
        pairs.insert(pair);
        return true;
      });
  EXPECT_TRUE(status.ok()) << status << "\n" << to_text(map);
  return pairs;
}

// Solved, and without unused range variables.
IndexingMap solved(const IndexingMap& map) {
  const std::optional<IndexingMap> solution = impl::solve_ranges(map);
  EXPECT_TRUE(solution.has_value()) << to_text(map);
  if (!solution) return map;
  const absl::StatusOr<IndexingMap> simple = impl::simplify(*solution);
  EXPECT_TRUE(simple.ok()) << to_text(map);
  return impl::remove_unused_variables(*simple)->map;
}

std::string solved_text(const std::string& text) {
  return to_text(solved(parse_map(text).value()));
}

TEST(SolveRanges, TheDocumentedExample) {
  EXPECT_EQ(solved_text("(d0)[s0, s1] -> (s0, s1), domain: d0 in [0, 31], s0 in [0, 3], "
                        "s1 in [0, 7], s0 * 8 + s1 - d0 in [0, 0]"),
            "(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31]");
}

TEST(SolveRanges, ReturnsNothingWithoutRangeVariables) {
  const auto is_solved = [](const std::string& text) {
    return impl::solve_ranges(parse_map(text).value()).has_value();
  };
  EXPECT_TRUE(is_solved("(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 3], s0 - d0 in [0, 0]"));
  EXPECT_FALSE(is_solved("(d0) -> (d0), domain: d0 in [0, 3], d0 * d0 in [4, 4]"));
}

TEST(SolveRanges, QuotientAndRemainderDetermineTheDividend) {
  EXPECT_EQ(solved_text("(d0, d1)[s0] -> (s0), domain: d0 in [0, 3], d1 in [0, 7], s0 in [0, 31], "
                        "s0 floordiv 8 - d0 in [0, 0], s0 mod 8 - d1 in [0, 0]"),
            "(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]");
}

TEST(SolveRanges, SolvingAQuotientLeavesTheRemainder) {
  EXPECT_EQ(solved_text("(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 30], "
                        "s0 floordiv 8 - d0 in [0, 0]"),
            "(d0)[s0] -> (d0 * 8 + s0), domain: d0 in [0, 3], s0 in [0, 7], d0 * 8 + s0 in "
            "[0, 30]");
}

TEST(SolveRanges, AStrideBecomesACongruence) {
  EXPECT_EQ(solved_text("(d0)[s0] -> (s0), domain: d0 in [0, 19], s0 in [0, 2], "
                        "s0 * 7 + 3 - d0 in [0, 0]"),
            "(d0) -> ((d0 - 3) floordiv 7), domain: d0 in [3, 17], d0 mod 7 in [3, 3]");
}

TEST(SolveRanges, SolvesTheVariableWithMoreValues) {
  EXPECT_EQ(solved_text("(d0)[s0, s1] -> (s0), domain: d0 in [0, 29], s0 in [0, 13], "
                        "s1 in [0, 2], s0 * 2 + s1 - d0 in [0, 0]"),
            "(d0)[s0] -> ((d0 - s0) floordiv 2), domain: d0 in [0, 28], s0 in [0, 2], "
            "(d0 + s0) mod 2 in [0, 0], d0 - s0 in [0, 26]");
}

TEST(SolveRanges, NonlinearEquationsStayConstraints) {
  for (const char* condition :
       {"s0 * s1 - d0", "s0 * s1 + s2 - d0", "s2 + s0 * s1 - d0", "s0 floordiv -2 + s2 - d0",
        "s0 * d0 - s2", "d0 * s0 - s2", "d0 * d0 - s0 - s2", "3 * s0 - d0 - s2",
        "d0 floordiv -2 + s0 - s2", "(s0 * d0) floordiv 2 - s2", "s0 * d0 - s0", "d0 * s0 - s0",
        "s0 floordiv (2 * 2) - s2", "d0 floordiv (2 * 2) + s0 - s2"}) {
    const IndexingMap map =
        parse_map(absl::StrCat("(d0)[s0, s1, s2] -> (s0, s2), domain: d0 in [-2, 5], s0 in [0, 3], "
                               "s1 in [0, 3], s2 in [0, 3], ",
                               condition, " in [0, 0]"))
            .value();
    EXPECT_EQ(pairs_of(solved(map)), pairs_of(map)) << condition;
  }
}

TEST(SolveRanges, AQuotientByOneIsTheDividend) {
  EXPECT_EQ(solved_text("(d0)[s0] -> (s0), domain: d0 in [0, 9], s0 in [0, 9], "
                        "s0 floordiv 1 - d0 in [0, 0]"),
            "(d0) -> (d0), domain: d0 in [0, 9]");
}

TEST(SolveRanges, ARemainderModuloOneIsZero) {
  EXPECT_EQ(solved_text("(d0)[s0, s1] -> (s1), domain: d0 in [0, 9], s0 in [0, 9], s1 in [0, 9], "
                        "s0 mod 1 + s1 - d0 in [0, 0]"),
            "(d0) -> (d0), domain: d0 in [0, 9]");
}

// Such an expression is a known number if it contains no range variable.
TEST(SolveRanges, SolvesNegativeDivisorsAndProductsOfKnownParts) {
  const std::string bounds = "domain: d0 in [1, 5], s0 in [0, 3], s1 in [-9, 9], ";
  EXPECT_EQ(solved_text("(d0)[s0, s1] -> (s1), " + bounds + "s1 - d0 floordiv -2 in [0, 0]"),
            "(d0) -> (d0 floordiv -2), domain: d0 in [1, 5]");
  EXPECT_EQ(solved_text("(d0)[s0, s1] -> (s1), " + bounds + "s1 - d0 * d0 in [0, 0]"),
            "(d0) -> (d0 * d0), domain: d0 in [1, 5], d0 * d0 in [1, 9]");
  EXPECT_EQ(solved_text("(d0)[s0, s1] -> (s1), " + bounds + "s1 - d0 * s0 in [0, 0]"),
            "(d0)[s0, s1] -> (s1), domain: d0 in [1, 5], s0 in [0, 3], s1 in [0, 9], "
            "-(d0 * s0) + s1 in [0, 0]");
}

TEST(SolveRanges, SolvesQuotientsThatAreRoundedUp) {
  EXPECT_EQ(solved_text("(d0)[s0, s1] -> (s1), domain: d0 in [0, 9], s0 in [0, 9], s1 in [0, 9], "
                        "s0 - d0 in [0, 0], s0 ceildiv 3 - s1 in [0, 0]"),
            "(d0) -> ((d0 + 2) floordiv 3), domain: d0 in [0, 9]");
}

// In each case a quotient or a remainder occurs together with other terms.
TEST(SolveRanges, QuotientsOfSumsKeepTheirPairs) {
  for (const char* conditions : {
           // The smallest quotient needs the smallest known part.
           "s1 * 16 + (s0 + d0) floordiv 4 - d1 in [0, 0]",
           // The second dividend is more than the first quotient.
           "(s0 floordiv 2 + d0) floordiv 3 - d1 in [0, 0]",
           "(s0 floordiv 2 + 1) floordiv 3 - d1 in [0, 0]",
           "((s0 floordiv 2) * 2) floordiv 5 - d1 in [0, 0]",
           "(s0 floordiv 2 + s0 mod 2) floordiv 3 - d1 in [0, 0]",
           "(s0 floordiv 2 + s1) floordiv 3 - d1 in [0, 0]",
           // A first quotient that is one number needs no variable, nor does a second one of it.
           "s1 mod 8 - d0 in [0, 0], s0 floordiv 2 - d1 in [0, 0]",
           "s0 mod 16 - d1 in [0, 0], s1 floordiv 2 - d0 in [0, 0]",
       }) {
    const IndexingMap map =
        parse_map(absl::StrCat("(d0, d1)[s0, s1] -> (d0, s0, s1), domain: d0 in [-6, -2], d1 in "
                               "[-3, 20], s0 in [-5, 9], s1 in [-2, 3], ",
                               conditions))
            .value();
    EXPECT_EQ(pairs_of(solved(map)), pairs_of(map)) << conditions;
  }
}

// Node 0 of the map is all that remains of the first dividend.
TEST(SolveRanges, AVariableMayBeTheFirstNode) {
  const IndexingMap map = parse_map(
                              "(d0)[s0] -> (), domain: d0 in [-5, 5], s0 in [-3, 9], (d0 - s0) "
                              "floordiv 4 in [0, 0], (d0 - s0) mod 4 in [0, 0], s0 * s0 in [0, 4]")
                              .value();
  ASSERT_EQ(map.nodes[0].op, Op::kDimension);
  EXPECT_EQ(pairs_of(solved(map)), pairs_of(map));
}

// The other equation contains twice the quotient, which the equation for four times it (s0) does
// not determine.
TEST(SolveRanges, SolvesTheDividendFirstIfTheQuotientIsUsedElsewhere) {
  EXPECT_EQ(solved_text("(d0)[s0, s1] -> (s0, s1), domain: d0 in [0, 99], s0 in [0, 40], s1 in "
                        "[0, 9], s0 mod 4 in [0, 0], (s0 floordiv 4) * 2 + s1 * 3 - d0 in [0, 0]"),
            "(d0)[s0] -> (((d0 - s0 * 3) floordiv 2) * 4, s0), domain: d0 in [0, 47], s0 in "
            "[0, 9], (d0 + s0) mod 2 in [0, 0], d0 - s0 * 3 in [0, 20]");
}

std::string solved_as_written(const std::string& text) {
  return to_text(impl::solve_ranges(parse_map(text).value()).value());
}

TEST(SolveRanges, AConstraintWithoutRangeVariablesStaysAsWritten) {
  const std::string bounds = "domain: d0 in [0, 9], s0 in [0, 9], ";
  for (const char* constraint : {"d0 mod 2 in [1, 1]", "d0 ceildiv 2 in [1, 3]"}) {
    EXPECT_EQ(solved_as_written("(d0)[s0] -> (d0), " + bounds + constraint),
              "(d0)[s0] -> (d0), " + bounds + constraint);
  }
}

TEST(SolveRanges, AFactorOfOneNeedsNoCongruence) {
  EXPECT_EQ(
      solved_as_written("(d0)[s0] -> (s0), domain: d0 in [0, 9], s0 in [1, 8], d0 - s0 in [0, 0]"),
      "(d0)[s0] -> (-(-d0)), domain: d0 in [0, 9], s0 in [1, 8], -(-d0) in [1, 8]");
}

TEST(SolveRanges, NumbersThatLeave64BitsAreNotSolved) {
  for (const char* equations :
       {"s0 * 9223372036854775807 + s1 * 9223372036854775805 - d0 in [0, 0]",
        "s0 - s1 * 2 in [0, 0], s0 * 4611686018427387904 + s2 - d0 in [0, 0]"}) {
    const IndexingMap map =
        parse_map(absl::StrCat("(d0)[s0, s1, s2] -> (s0), domain: d0 in [0, 5], s0 in [0, 9], "
                               "s1 in [0, 4], s2 in [0, 4611686018427387904], ",
                               equations))
            .value();
    EXPECT_FALSE(impl::solve_ranges(map).has_value()) << equations;
  }
}

// A quotient of an existing quotient, by a new divisor.
TEST(SolveRanges, AConstraintOnAnotherQuotientStays) {
  const IndexingMap map = parse_map(
                              "(d0)[s0] -> (s0), domain: d0 in [0, 9], s0 in [0, 30], s0 floordiv "
                              "2 - d0 in [0, 0], (s0 floordiv 2) floordiv 3 in [1, 2]")
                              .value();
  EXPECT_EQ(pairs_of(solved(map)), pairs_of(map));
}

// The divisor has 50 bits, so the second quotient would have the divisor 2^80.
TEST(SolveRanges, KeepsNestedQuotientsIfTheDivisorLeaves64Bits) {
  EXPECT_EQ(solved_text("(d0)[s0, s1] -> (s0 floordiv 1099511627776), domain: d0 in [0, 5], s0 in "
                        "[0, 1125899906842624], s1 in [0, 0], "
                        "(s0 floordiv 1099511627776) floordiv 1099511627776 - d0 in [0, 0], "
                        "s0 floordiv 1099511627776 - d0 * 7 in [0, 0]"),
            "(d0) -> (0), domain: d0 in [0, 0]");
}

TEST(SolveRanges, QuotientsThatLeave64BitsAreNotSolved) {
  for (const char* bounds : {"[0, 9223372036854775807]", "[-9223372036854775808, 0]"}) {
    const std::string in = absl::StrCat(" in ", bounds);
    const IndexingMap map =
        parse_map(absl::StrCat("(d0)[s0, s1, s2] -> (s0), domain: d0 in [0, 5], s0", in, ", s1", in,
                               ", s2", in,
                               ", (s0 * 3 + s1 * 3 + s2 * 3) floordiv 7 - d0 in [0, 0]"))
            .value();
    EXPECT_FALSE(impl::solve_ranges(map).has_value()) << bounds;
  }
  const IndexingMap sum = parse_map(
                              "(d0)[s0] -> (s0), domain: d0 in [0, 5], s0 in [0, 5], s0 + "
                              "9223372036854775807 + 9223372036854775807 - d0 in [0, 0]")
                              .value();
  EXPECT_FALSE(impl::solve_ranges(sum).has_value());
}

// Half the sum of three such numbers may leave 64 bits; half the sum of two is at most INT64_MAX
// and at least INT64_MIN.
TEST(SolveRanges, SolvesQuotientsUpTo64Bits) {
  for (const char* bounds : {"[0, 9223372036854775807]", "[-9223372036854775808, 0]"}) {
    const std::string in = absl::StrCat(" in ", bounds);
    const auto map = [&](const std::string& sum) {
      return parse_map(absl::StrCat("(d0)[s0, s1, s2] -> (s0), domain: d0 in [0, 5], s0", in,
                                    ", s1", in, ", s2", in, ", (", sum,
                                    ") floordiv 2 - d0 in [0, 0]"))
          .value();
    };
    EXPECT_FALSE(impl::solve_ranges(map("s0 + s1 + s2")).has_value()) << bounds;
    EXPECT_TRUE(impl::solve_ranges(map("s0 + s1")).has_value()) << bounds;
  }
}

// The nearest multiple of the divisor to the factor is 2^63 + 2, which has more than 64 bits.
TEST(SolveRanges, AnExtractedMultipleMayLeave64Bits) {
  const IndexingMap map =
      parse_map(
          "(d0)[s0] -> (s0), domain: d0 in [-9, 9], s0 in [0, 1], "
          "(s0 * 9223372036854775807) floordiv 4611686018427387905 - d0 in [0, 0]")
          .value();
  EXPECT_EQ(pairs_of(solved(map)), pairs_of(map));
}

// s0, s1, .., with equal bounds, and the sum of factor * s0, (factor + step) * s1, ..
struct Ranges {
  std::string declared, domain, sum;
};
Ranges sum_of_ranges(int count, absl::string_view bounds, int64_t factor, int64_t step) {
  Ranges ranges;
  for (int i = 0; i < count; ++i) {
    const absl::string_view comma = i > 0 ? ", " : "", plus = i > 0 ? " + " : "";
    absl::StrAppend(&ranges.declared, comma, "s", i);
    absl::StrAppend(&ranges.domain, comma, "s", i, " in ", bounds);
    absl::StrAppend(&ranges.sum, plus, "s", i, " * ", factor + i * step);
  }
  return ranges;
}

// Each term has 127 bits, so their sum could have more than 128.
TEST(SolveRanges, SumsThatLeave128BitsAreNotSolved) {
  for (const char* bounds : {"[0, 9223372036854775807]", "[-9223372036854775808, 0]"}) {
    const Ranges ranges = sum_of_ranges(5, bounds, INT64_MAX, -1);
    const IndexingMap map =
        parse_map(absl::StrCat("(d0)[", ranges.declared, "] -> (s0), domain: d0 in [0, 5], ",
                               ranges.domain, ", -d0 + ", ranges.sum, " in [0, 0]"))
            .value();
    EXPECT_FALSE(impl::solve_ranges(map).has_value()) << bounds;
  }
}

// Modulo 2^128, the ends of the range would be 0 and -4, or -2^65 and 0.
TEST(SolveRanges, QuotientsOfSumsThatLeave128BitsAreNotSolved) {
  for (const char* bounds : {"[0, 9223372036854775807]", "[-9223372036854775808, 0]"}) {
    const Ranges ranges = sum_of_ranges(9, bounds, 4099276460824344804, 0);  // (2^65 + 4) / 9
    const IndexingMap map =
        parse_map(absl::StrCat("(d0, d1)[", ranges.declared, "] -> (s0), domain: d0 in [0, 5], ",
                               "d1 in [0, 5], ", ranges.domain, ", (", ranges.sum, ") floordiv ",
                               INT64_MAX, " - d0 in [0, 0], (", ranges.sum, ") mod ", INT64_MAX,
                               " - d1 in [0, 0]"))
            .value();
    EXPECT_FALSE(impl::solve_ranges(map).has_value()) << bounds;
  }
}

// s0 and s1 together reach 2^125 in both directions; s3 has the most values.
TEST(SolveRanges, SolvesSumsOfUpTo126Bits) {
  for (const bool negative : {false, true}) {
    const std::string factor = negative ? "-4611686018427387904" : "4611686018427387904";
    const std::string bounds = negative ? "[0, 9223372036854775807]" : "[-9223372036854775807, 0]";
    const IndexingMap map =
        parse_map(absl::StrCat("(d0)[s0, s1, s2, s3] -> (s3), domain: d0 in [0, 5], s0 in "
                               "[0, 4611686018427387904], s1 in [0, 4611686018427387904], s2 in "
                               "[0, 1], s3 in ",
                               bounds, ", s2 * 4611686018427387905 + s0 * ", factor, " + s1 * ",
                               factor, " + s3 - d0 in [0, 0]"))
            .value();
    EXPECT_TRUE(impl::solve_ranges(map).has_value()) << negative;
  }
}

TEST(SolveRanges, AKnownPartThatLeaves64BitsIsNotSolved) {
  const IndexingMap map = parse_map(
                              "(d0)[s0] -> (s0), domain: d0 in [0, 9], s0 in [0, 9], "
                              "(d0 * 4611686018427387904 + s0) floordiv 2 in [0, 0]")
                              .value();
  EXPECT_FALSE(impl::solve_ranges(map).has_value());
}

// 8 * s0 is not part of the remainder; s0 has the most values.
TEST(SolveRanges, ExtractedMultiplesAreNoUnknownsOfTheRest) {
  const IndexingMap map = parse_map(
                              "(d0)[s0, s1, s2, s3, s4] -> (s0, s1), domain: d0 in [0, 3], s0 in "
                              "[0, 99], s1 in [0, 9], "
                              "s2 in [0, 1], s3 in [0, 1], s4 in [0, 1], "
                              "(s0 * 8 + s1) mod 8 + s2 * 3 + s3 * 5 + s4 * 7 - d0 in [0, 0]")
                              .value();
  EXPECT_EQ(pairs_of(solved(map)), pairs_of(map));
}

// ---- Random maps ----

std::string sum(Choose& choose, const std::vector<std::string>& variables) {
  std::string text = absl::StrCat(choose.between(-3, 3));
  for (const std::string& variable : variables) {
    if (!choose.chance(1, 2)) continue;
    absl::StrAppend(&text, " + ", variable, " * ",
                    choose.pick<int64_t>({1, 1, -1, 2, 3, 4, -2, 6, -5}));
  }
  return text;
}

std::string expression(Choose& choose, const std::vector<std::string>& variables, int depth) {
  std::string text = sum(choose, variables);
  while (depth-- > 0 && choose.chance(2, 5)) {
    const std::string op = choose.pick<std::string>({"floordiv", "mod", "ceildiv", "mod"});
    text = absl::StrCat("(", text, ") ", op, " ", choose.between(1, 5));
    if (choose.chance(1, 2)) {
      text = absl::StrCat("(", text, ") * ", choose.between(1, 3), " + ", sum(choose, variables));
    }
  }
  return text;
}

std::string random_map(Choose& choose) {
  const int64_t ranges = choose.between(1, 4);
  std::vector<std::string> unknown, known = {"d0", "d1"};
  std::string declared, domain = "d0 in [0, 5], d1 in [-2, 3]", results;
  for (int64_t i = 0; i < ranges; ++i) {
    const int64_t low = choose.between(-1, 1);
    unknown.push_back(absl::StrCat("s", i));
    absl::StrAppend(&declared, i == 0 ? "" : ", ", "s", i);
    absl::StrAppend(&domain, ", s", i, " in [", low, ", ", low + choose.between(0, 4), "]");
  }
  const bool runtime = choose.chance(1, 4);
  if (runtime) {
    known.push_back("rt0");
    absl::StrAppend(&domain, ", rt0 in [0, 2]");
  }
  std::vector<std::string> all = unknown;
  all.insert(all.end(), known.begin(), known.end());
  for (int64_t i = choose.between(1, 3); i > 0; --i) {
    absl::StrAppend(
        &domain, ", (", expression(choose, choose.chance(1, 3) ? all : unknown, 2), ") - (",
        choose.chance(1, 4) ? expression(choose, known, 1) : choose.pick(known), ") in [0, 0]");
  }
  for (int64_t i = choose.between(0, 2); i > 0; --i) {
    const int64_t low = choose.between(-4, 2);
    absl::StrAppend(&domain, ", ", expression(choose, all, 1), " in [", low, ", ",
                    low + choose.between(0, 9), "]");
  }
  for (int64_t i = choose.between(1, 2); i > 0; --i) {
    absl::StrAppend(&results, results.empty() ? "" : ", ",
                    choose.chance(2, 3) ? choose.pick(unknown) : expression(choose, all, 1));
  }
  return absl::StrCat("(d0, d1)[", declared, "]", runtime ? "{rt0}" : "", " -> (", results,
                      "), domain: ", domain);
}

TEST(SolveRanges, RandomMapsKeepTheirPairs) {
  int64_t with_pairs = 0, fewer = 0;
  for (uint64_t seed = 0; seed < cases<uint64_t>(1200); ++seed) {
    Choose choose(Choose::Random{seed});
    const std::string text = random_map(choose);
    const absl::StatusOr<IndexingMap> map = parse_map(text);
    ASSERT_TRUE(map.ok()) << text << ": " << map.status();
    const IndexingMap solution = solved(*map);
    if (spec::box_size(solution).value_or(kMostPoints + 1) > kMostPoints) continue;
    const Pairs pairs = pairs_of(*map);
    ASSERT_EQ(pairs_of(solution), pairs) << text << "\n" << to_text(solution);
    with_pairs += !pairs.empty();
    fewer += solution.ranges.size() < map->ranges.size();
  }
  EXPECT_GT(with_pairs, cases(250));
  EXPECT_GT(fewer, cases(250));
}

}  // namespace
}  // namespace tileproof
