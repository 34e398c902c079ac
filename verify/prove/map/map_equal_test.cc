// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/map/map_equal.h"

#include <chrono>
#include <initializer_list>
#include <iostream>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "generate/map/generate_map.h"
#include "generate/map/mutate_map.h"
#include "gtest/gtest.h"
#include "impl/map/simplify.h"
#include "spec/lang/base/cases_testing.h"
#include "spec/lang/map/map_text.h"
#include "verify/prove/map/equality_log.h"
#include "verify/prove/map/map_points.h"
#include "verify/prove/smt/quasi_affine.h"

namespace tileproof::verify {
namespace {

using Clock = std::chrono::steady_clock;

IndexingMap map_of(absl::string_view text) {
  absl::StatusOr<IndexingMap> map = parse_map(text);
  EXPECT_TRUE(map.ok()) << text << ": " << map.status();
  return map.ok() ? *map : IndexingMap{};
}

// Options with which only rearranging and the solver can decide.
EqualOptions solver_alone(int64_t milliseconds = 20'000) {
  return {.milliseconds = milliseconds,
          .enumerated = 0,
          .sampled_points = 0,
          .normal_forms = false,
          .smtlib_directory = ""};
}

MapEquality equal_texts(absl::string_view left, absl::string_view right,
                        const EqualOptions& options = {}) {
  absl::StatusOr<MapEquality> result = equal(map_of(left), map_of(right), options);
  EXPECT_TRUE(result.ok()) << left << " and " << right << ": " << result.status();
  return result.ok() ? *result : MapEquality{};
}

std::string pair_text(const IndexingMap& left, const IndexingMap& right) {
  return "'" + to_text(left) + "' '" + to_text(right) + "'";
}

bool has_products(const IndexingMap& map) {
  std::vector<bool> varies;
  for (const Node& node : map.nodes) {
    const bool left = !is_leaf(node.op) && varies[node.left];
    const bool right = !is_leaf(node.op) && varies[node.right];
    if (node.op == Op::kMul && left && right) return true;
    varies.push_back(is_variable(node.op) || left || right);
  }
  return false;
}

// Whether two maps are equal, by enumeration.
Verdict truth(const IndexingMap& left, const IndexingMap& right) {
  const SearchResult all = search_all(left, right, INT64_MAX / 2);
  if (all.difference) return Verdict::kRefuted;
  return all.complete ? Verdict::kProven : Verdict::kUndecided;
}

struct Tally {
  std::map<std::string, int64_t> by_basis;
  int64_t pairs = 0, affine = 0, proven = 0, refuted = 0, undecided = 0, undecided_affine = 0;
  int64_t questions = 0;
  double slowest = 0;

  void print(absl::string_view what) const {
    std::cout << what << ": " << pairs << " pairs (" << affine << " affine), " << proven
              << " proven, " << refuted << " refuted, " << undecided << " undecided ("
              << undecided_affine << " affine), " << questions << " questions, slowest " << slowest
              << " s;";
    for (const auto& [basis, count] : by_basis) std::cout << " " << basis << " " << count;
    std::cout << "\n";
  }
};

// Compares the verdict of `equal` with the truth.
void judge(const IndexingMap& left, const IndexingMap& right, const EqualOptions& options,
           Tally& tally) {
  const auto begin = Clock::now();
  const absl::StatusOr<MapEquality> result = equal(left, right, options);
  ASSERT_TRUE(result.ok()) << pair_text(left, right) << ": " << result.status();
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  tally.slowest = std::max(tally.slowest, seconds);
  ++tally.pairs;
  const bool affine = !has_products(left) && !has_products(right);
  tally.affine += affine;
  tally.questions += result->questions;
  ++tally.by_basis[std::string(to_text(result->basis))];
  tally.proven += result->verdict == Verdict::kProven;
  tally.refuted += result->verdict == Verdict::kRefuted;
  if (result->verdict == Verdict::kUndecided) {
    ++tally.undecided;
    tally.undecided_affine += affine;
    if (affine)
      std::cout << "undecided: " << pair_text(left, right) << ": " << result->open << "\n";
    return;
  }
  ASSERT_EQ(result->verdict, truth(left, right)) << pair_text(left, right);
  if (result->difference) {
    ASSERT_EQ(compare_at(left, right, result->difference->at), AtPoint::kDiffer)
        << pair_text(left, right) << " at " << spec::to_text(left, result->difference->at);
  }
}

TEST(MapEqual, ModEqualsItsDefinition) {
  const MapEquality result = equal_texts(
      "(d0) -> (d0 mod 6), domain: d0 in [0, 999999999]",
      "(d0) -> (d0 - (d0 floordiv 6) * 6), domain: d0 in [0, 999999999]", solver_alone());
  EXPECT_EQ(result.verdict, Verdict::kProven);
  EXPECT_EQ(to_text(result.basis), "rearranged");
}

TEST(MapEqual, TheSameTextIsIdentical) {
  const MapEquality result =
      equal_texts("(d0, x) -> (d0 * x), domain: d0 in [0, 9], x in [0, 9]",
                  "(d0, d1) -> (d0 * d1), domain: d0 in [0, 9], d1 in [0, 9]", solver_alone());
  EXPECT_EQ(result.verdict, Verdict::kProven);
  EXPECT_EQ(to_text(result.basis), "identical");
}

TEST(MapEqual, FewPointsAreEnumerated) {
  const MapEquality result =
      equal_texts("(d0) -> (d0 * d0), domain: d0 in [0, 1]", "(d0) -> (d0), domain: d0 in [0, 1]");
  EXPECT_EQ(result.verdict, Verdict::kProven);
  EXPECT_EQ(to_text(result.basis), "enumerated");
  EXPECT_EQ(result.points, 2);
}

TEST(MapEqual, ThePointShownIsTheSmallest) {
  const IndexingMap left = map_of("(d0) -> (d0 mod 6), domain: d0 in [0, 999999999]");
  const IndexingMap right = map_of("(d0) -> (d0), domain: d0 in [0, 999999999]");
  const absl::StatusOr<MapEquality> result = equal(left, right);
  ASSERT_TRUE(result.ok() && result->difference);
  EXPECT_EQ(to_text(left, *result->difference), "d0 = 6: (0) and (6)");
}

// The number of steps to the smallest difference does not depend on the distance to it.
TEST(MapEqual, ADistantDifferenceIsFoundInFewSteps) {
  const auto shown = [](absl::string_view left, absl::string_view right) {
    const MapEquality result = equal_texts(left, right);
    EXPECT_TRUE(result.difference) << left;
    return result.difference ? to_text(map_of(left), *result.difference) : "";
  };
  EXPECT_EQ(shown("(d0) -> (d0), domain: d0 in [0, 9000000000000]",
                  "(d0) -> (d0), domain: d0 in [0, 6000000000000]"),
            "d0 = 6000000000001: (6000000000001) and outside");
  const std::string domain = ", domain: d0 in [0, 1000000000000000]";
  EXPECT_EQ(shown("(d0) -> (d0 mod 1024)" + domain,
                  "(d0) -> (d0 mod 1024 + ((d0 + 323) mod 1024) floordiv 1023)" + domain),
            "d0 = 700: (700) and (701)");
  // The residue is one of a modulus that is no power of two.
  EXPECT_EQ(shown("(d0) -> (d0 mod 1000)" + domain,
                  "(d0) -> (d0 mod 1000 + ((d0 + 77) mod 1000) floordiv 999)" + domain),
            "d0 = 922: (922) and (923)");
  EXPECT_EQ(shown("(d0) -> (d0), domain: d0 in [-9000000000000, -5]",
                  "(d0) -> (d0), domain: d0 in [-9000000000000, -6000000000000]"),
            "d0 = -5: (-5) and outside");
}

TEST(MapEqual, TheOnlyPointAmongManyIsFoundByTheSolver) {
  const std::string domain = ", domain: d0 in [0, 1099511627775], d1 in [0, 999]";
  const std::string plain = "(d0, d1) -> (d0, d1)" + domain;
  const auto with_divisor = [&](int64_t c) {
    return absl::StrCat("(d0, d1) -> (d0, d1 + (d0 * 1000 + d1) floordiv ", c, ")", domain);
  };
  EXPECT_EQ(equal_texts(plain, with_divisor(1099511627776000), solver_alone()).verdict,
            Verdict::kProven);
  const MapEquality other = equal_texts(plain, with_divisor(1099511627775999), solver_alone());
  ASSERT_TRUE(other.difference);
  EXPECT_EQ(to_text(other.basis), "solver");
  EXPECT_EQ(to_text(map_of(plain), *other.difference),
            "d0 = 1099511627775, d1 = 999: (1099511627775, 999) and (1099511627775, 1000)");
}

TEST(MapEqual, MapsWithDifferentDomainsDiffer) {
  const std::string whole = "(d0) -> (7), domain: d0 in [0, 1000000]";
  const std::string bounds = "(d0) -> (7), domain: d0 in [0, 999999]";
  const std::string constraint =
      "(d0) -> (7), domain: d0 in [0, 1000000], d0 * 3 in [-100, 2999999]";
  for (const EqualOptions& options : {EqualOptions{}, solver_alone()}) {
    const MapEquality narrower = equal_texts(whole, bounds, options);
    ASSERT_TRUE(narrower.difference);
    EXPECT_EQ(to_text(map_of(whole), *narrower.difference), "d0 = 1000000: (7) and outside");
    const MapEquality wider = equal_texts(constraint, whole, options);
    ASSERT_TRUE(wider.difference);
    EXPECT_EQ(to_text(map_of(whole), *wider.difference), "d0 = 1000000: outside and (7)");
    EXPECT_EQ(equal_texts(constraint, bounds, options).verdict, Verdict::kProven);
  }
}

TEST(MapEqual, EmptyDomainsAreEqual) {
  const std::string by_bounds = "(d0) -> (d0), domain: d0 in [5, 4]";
  const std::string by_constraints =
      "(d0) -> (d0 + 1), domain: d0 in [0, 99999999], d0 mod 6 in [1, 1], d0 mod 4 in [2, 2]";
  EXPECT_EQ(equal_texts(by_bounds, by_constraints, solver_alone()).verdict, Verdict::kProven);
  const IndexingMap some = map_of("(d0) -> (d0), domain: d0 in [0, 99999999], d0 mod 6 in [1, 1]");
  for (const IndexingMap& none : {map_of(by_bounds), no_points(some)}) {
    EXPECT_EQ(equal(none, map_of(by_constraints), solver_alone())->verdict, Verdict::kProven);
    const absl::StatusOr<MapEquality> other = equal(some, none, solver_alone());
    ASSERT_TRUE(other.ok() && other->difference);
    EXPECT_EQ(to_text(some, *other->difference), "d0 = 1: (1) and outside");
  }
}

TEST(MapEqual, DivisionRoundsDownForEverySign) {
  for (int64_t c : {-7, -2, -1, 1, 3, 12}) {
    const std::string domain = ", domain: d0 in [-1000000000, 1000000000]";
    const std::string d = absl::StrCat(c);
    const auto texts = [&](absl::string_view expr) {
      return absl::StrCat("(d0) -> (", expr, ")", domain);
    };
    EXPECT_EQ(equal_texts(texts("d0 mod " + d), texts("d0 - (d0 floordiv " + d + ") * " + d),
                          solver_alone())
                  .verdict,
              Verdict::kProven);
    EXPECT_EQ(
        equal_texts(texts("d0 ceildiv " + d), texts("-((-d0) floordiv " + d + ")"), solver_alone())
            .verdict,
        Verdict::kProven);
    const MapEquality down_and_up =
        equal_texts(texts("d0 floordiv " + d), texts("d0 ceildiv " + d), solver_alone());
    EXPECT_EQ(down_and_up.verdict, c * c == 1 ? Verdict::kProven : Verdict::kRefuted) << d;
  }
}

TEST(MapEqual, ResultsBeyondInt64AreStillIntegers) {
  const std::string domain = ", domain: d0 in [1, 2000000000]";
  const std::string large = "(d0) -> (d0 * 9000000000000000000)" + domain;
  const std::string same = "(d0) -> (d0 * 4500000000000000000 * 2)" + domain;
  const std::string other =
      "(d0) -> (d0 * 9000000000000000000 + (d0 + 5) floordiv 2000000005)" + domain;
  EXPECT_EQ(equal_texts(large, same, solver_alone()).verdict, Verdict::kProven);
  const MapEquality different = equal_texts(large, other, solver_alone());
  ASSERT_TRUE(different.difference);
  EXPECT_EQ(different.difference->at.dims[0], 2000000000);
  EXPECT_FALSE(different.difference->left.ok());
}

TEST(MapEqual, TheSameTextIsEqualHoweverLargeItsValues) {
  const std::string huge = "((-9223372036854775808 * 9223372036854775806) * (d0 * 8)) * -2";
  const std::string domain = ", domain: d0 in [-9223372036854775808, 9223372036854775807]";
  const MapEquality result =
      equal_texts("(d0) -> (" + huge + ", (-63 + d0 mod -4) mod 3)" + domain,
                  "(d0) -> (" + huge + ", (d0 mod -4) mod 3)" + domain, solver_alone());
  EXPECT_EQ(result.verdict, Verdict::kProven) << result.open;
}

TEST(MapEqual, AConstraintOnBothSidesHoldsHoweverLargeItsValues) {
  const std::string map = "(d0, d1) -> (d0), domain: d0 in [0, 99999], ";
  const std::string huge = "((-9223372036854775808 * 9223372036854775806) * (d0 * 8)) * -2 in ";
  const std::string wide = map + "d1 in [0, 28], d1 mod 8 in [4, 4], " + huge;
  const std::string narrow = map + "d1 in [4, 28], d1 mod 8 in [4, 4], " + huge;
  const auto verdict = [&](const std::string& left, const std::string& right) {
    return equal_texts(wide + left, narrow + right, solver_alone()).verdict;
  };
  EXPECT_EQ(verdict("[0, 7]", "[0, 7]"), Verdict::kProven);
  EXPECT_NE(verdict("[0, 7]", "[1, 7]"), Verdict::kProven);
  EXPECT_NE(verdict("[0, 6]", "[0, 7]"), Verdict::kProven);
}

TEST(MapEqual, SomeProductsOfVariablesAreDecided) {
  const std::string domain = ", domain: d0 in [0, 30000], d1 in [0, 30000]";
  EXPECT_EQ(equal_texts("(d0, d1) -> ((d0 + d1) * (d0 - d1))" + domain,
                        "(d0, d1) -> (d0 * d0 - d1 * d1)" + domain, solver_alone())
                .verdict,
            Verdict::kProven);
  EXPECT_EQ(equal_texts("(d0, d1) -> ((d0 * d1) floordiv 900000001)" + domain,
                        "(d0, d1) -> (0)" + domain, solver_alone())
                .verdict,
            Verdict::kProven);
  const MapEquality different = equal_texts("(d0, d1) -> ((d0 * d1) floordiv 899970001)" + domain,
                                            "(d0, d1) -> (0)" + domain, solver_alone());
  ASSERT_TRUE(different.difference);
}

TEST(MapEqual, PolynomialsModuloAConstantAreDecidedByTheirResidues) {
  const auto asked = [](absl::string_view left, absl::string_view right, absl::string_view domain) {
    return equal_texts(absl::StrCat("(d0, d1) -> (", left, "), domain: ", domain),
                       absl::StrCat("(d0, d1) -> (", right, "), domain: ", domain), solver_alone());
  };
  const char* wide = "d0 in [-1000000000, 1000000000], d1 in [0, 1000000000]";
  for (const auto& [left, right] : std::initializer_list<std::pair<const char*, const char*>>{
           {"(d0 * d0) mod 2", "d0 mod 2"},
           {"(d0 * d0 * d0 - d0) mod 6", "0"},
           {"(d0 * (d0 + 1)) floordiv 2 * 2", "d0 * d0 + d0"},
           {"(d0 * d1) mod 3", "((d0 mod 3) * (d1 mod 3)) mod 3"},
           {"(d0 * d0) ceildiv 4", "(d0 * d0 + 3) floordiv 4"},
           {"(d0 * d0) mod 8 * ((d0 * d1) mod 2)", "(d0 * d1) mod 2"}}) {
    const MapEquality result = asked(left, right, wide);
    EXPECT_EQ(result.verdict, Verdict::kProven) << left;
    EXPECT_EQ(to_text(result.basis), "cases") << left;
    EXPECT_EQ(result.questions, 0) << left;
  }
  // A quotient far from the products has a divisor with too many residues. The largest d0 alone is
  // in its second cell, or none.
  const auto with_cell = [&](int64_t divisor) {
    const std::string domain = ", domain: d0 in [0, 1000000000]";
    return equal_texts("(d0) -> ((d0 * d0) mod 4)" + domain,
                       absl::StrCat("(d0) -> (d0 mod 2 + d0 floordiv ", divisor, ")", domain),
                       solver_alone(500));
  };
  EXPECT_EQ(with_cell(1000000001).verdict, Verdict::kProven);
  EXPECT_NE(with_cell(1000000000).verdict, Verdict::kProven);
}

TEST(MapEqual, ProductsWithASmallFactorAreDecidedByItsValues) {
  const std::string domain = ", domain: d0 in [0, 40], d1 in [0, 1000000000000]";
  const std::string left = "(d0, d1) -> ((d0 * d1 + d0) floordiv 1009)" + domain;
  const auto other = [&](absl::string_view more) {
    return absl::StrCat("(d0, d1) -> ((d0 * (d1 + 1)) floordiv 1009 + ((d0 * d1) mod 7) floordiv ",
                        more, ")", domain);
  };
  const MapEquality same = equal_texts(left, other("7"), solver_alone());
  EXPECT_EQ(same.verdict, Verdict::kProven);
  EXPECT_EQ(to_text(same.basis), "cases");
  EXPECT_EQ(equal_texts(left, other("6"), solver_alone()).verdict, Verdict::kRefuted);
}

TEST(MapEqual, ANormalFormCountsIfItsLogIsAccepted) {
  const IndexingMap map = map_of("(d0) -> ((-d0) mod 2), domain: d0 in [0, 99999999]");
  const absl::StatusOr<IndexingMap> simple = impl::simplify(map);
  ASSERT_TRUE(simple.ok());
  EXPECT_TRUE(simplification_is_logged(map, *simple));
  EXPECT_TRUE(simplification_is_logged(*simple, *simple));
  EXPECT_FALSE(
      simplification_is_logged(map, map_of("(d0) -> (d0 mod 2), domain: d0 in [0, 99999998]")));
  const absl::StatusOr<MapEquality> result = equal(map, *simple);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(explain(result->basis), "normal form; simplification logged and checked");
}

TEST(MapEqual, MapsThatCannotBeComparedAreErrors) {
  const auto refusal = [](absl::string_view left, absl::string_view right) {
    return std::string(equal(map_of(left), map_of(right)).status().message());
  };
  EXPECT_EQ(refusal("(d0) -> (d0), domain: d0 in [0, 1]",
                    "(d0)[s0] -> (d0), domain: d0 in [0, 1], s0 in [0, 1]"),
            "expected the same number of range variables, found 0 and 1");
  EXPECT_EQ(refusal("() -> ()", "() -> (5)"), "expected the same number of results, found 0 and 1");
}

// At every point, the value of a Sum must equal the value of its expression.
TEST(QuasiAffineContext, ASumHasTheValueOfItsExpression) {
  int64_t points = 0, quotients = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    Choose choose(Choose::Random{seed});
    const IndexingMap map = seed % 2 == 0 ? generate_map(choose, {.points = 200})
                                          : generate_chain(choose, {.points = 200}).map;
    if (spec::box_size(map) == 0) continue;
    const std::vector<Interval> box = bounds_of(map);
    QuasiAffineContext context(box);
    const std::vector<Sum> sums = context.sums(map, map.results);
    quotients += std::ssize(context.atoms()) - std::ssize(box);
    const absl::Status status =
        spec::for_each_point(map, 200, [&](const spec::Point& point, const Values& results) {
          ++points;
          Values values = point.dims;
          values.insert(values.end(), point.ranges.begin(), point.ranges.end());
          values.insert(values.end(), point.runtime.begin(), point.runtime.end());
          for (size_t i = 0; i < results.size(); ++i) {
            const spec::Exact value = value_at(context, sums[i], values);
            EXPECT_TRUE(value.value && *value.value == results[i])
                << to_text(map) << " at " << spec::to_text(map, point);
          }
          return !HasFailure();
        });
    ASSERT_TRUE(status.ok() && !HasFailure()) << to_text(map);
  }
  std::cout << points << " points, " << quotients << " quotients, 0 differences\n";
  EXPECT_GT(points, 50'000);
  EXPECT_GT(quotients, 1'000);
}

TEST(MapEqual, GeneratedPairsAgreeWithEnumeration) {
  Tally same, simplified, edited;
  for (uint64_t seed = 0; seed < cases<uint64_t>(1500); ++seed) {
    Choose choose(Choose::Random{seed});
    const IndexingMap map = seed % 2 == 0 ? generate_map(choose, {.points = 512})
                                          : generate_chain(choose, {.points = 512}).map;
    judge(map, rewrite_by_identities(choose, map), solver_alone(), same);
    if (seed % 4 < 2) {
      const absl::StatusOr<IndexingMap> simple = impl::simplify(map);
      ASSERT_TRUE(simple.ok());
      judge(map, *simple, solver_alone(), simplified);
    }
    IndexingMap other = rewrite_by_identities(choose, map);
    mutate_meaning(choose, other);
    if (spec::box_size(other).value_or(INT64_MAX) > 20'000) continue;
    judge(map, other, solver_alone(), edited);
    if (HasFatalFailure()) return;
  }
  same.print("scrambled");
  simplified.print("simplified");
  edited.print("scrambled and edited");
  for (const Tally* tally : {&same, &simplified, &edited}) {
    EXPECT_EQ(tally->undecided_affine, 0);
    EXPECT_GT(tally->affine, cases(600));
  }
  EXPECT_EQ(same.refuted + simplified.refuted, 0);
  EXPECT_GT(edited.refuted, cases(500));
}

TEST(MapEqual, SamplingFindsMostDifferences) {
  int64_t different = 0, found = 0;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    Choose choose(Choose::Random{seed});
    const IndexingMap map = generate_map(choose, {.points = 512});
    IndexingMap other = map;
    mutate_meaning(choose, other);
    if (spec::box_size(other).value_or(INT64_MAX) > 20'000) continue;
    if (truth(map, other) != Verdict::kRefuted) continue;
    ++different;
    found += search_some(map, other, 300, INT64_MAX / 2, choose).difference.has_value();
  }
  std::cout << found << " of " << different << " differences found among 300 points\n";
  EXPECT_GT(found * 10, different * 9);
}

}  // namespace
}  // namespace tileproof::verify
