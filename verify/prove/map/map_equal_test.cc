// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/map/map_equal.h"

#include <chrono>
#include <iostream>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "corpus/answers_testing.h"
#include "generate/map/generate_map.h"
#include "generate/map/mutate_map.h"
#include "gtest/gtest.h"
#include "impl/map/simplify.h"
#include "spec/lang/base/cases_testing.h"
#include "spec/lang/map/map_text.h"
#include "verify/prove/map/equality_log.h"
#include "verify/prove/map/map_points.h"
#include "verify/prove/map/map_smtlib.h"
#include "verify/prove/smt/ask_solver.h"
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

// The verdict with what it rests on, or the difference.
std::string decided(absl::string_view text, const EqualOptions& options) {
  const auto [left, right] = parts_of<2>(text, "\n");
  const absl::StatusOr<MapEquality> found = equal(map_of(left), map_of(right), options);
  if (!found.ok()) return std::string(found.status().message());
  const std::string basis(to_text(found->basis));
  if (found->difference) {
    return absl::StrCat(to_text(map_of(left), *found->difference),
                        basis == "solver" ? ", solver" : "");
  }
  if (found->verdict == Verdict::kUndecided) return absl::StrCat("undecided: ", found->open);
  return absl::StrCat("proven, ", basis, ", ", found->questions, " questions",
                      found->points > 0 ? absl::StrCat(", ", found->points, " points") : "");
}

// The verdict alone.
std::string verdict_of(absl::string_view text) {
  const auto [left, right] = parts_of<2>(text, "\n");
  const Verdict verdict = equal_texts(left, right, solver_alone()).verdict;
  return verdict == Verdict::kProven    ? "proven"
         : verdict == Verdict::kRefuted ? "refuted"
                                        : "undecided";
}

TEST(MapEqual, Answers) {
  expect_answers("answers/equal_maps.txt",
                 {{"equal", [](auto text) { return decided(text, {}); }},
                  {"solver", [](auto text) { return decided(text, solver_alone()); }},
                  {"decided", verdict_of}});
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

TEST(MapEqual, MapsWithoutPointsAreEqual) {
  const IndexingMap some = map_of("(d0) -> (d0), domain: d0 in [0, 99999999], d0 mod 6 in [1, 1]");
  const IndexingMap none = no_points(some), empty = map_of("(d0) -> (d0), domain: d0 in [5, 4]");
  EXPECT_EQ(equal(none, empty, solver_alone())->verdict, Verdict::kProven);
  const absl::StatusOr<MapEquality> other = equal(some, none, solver_alone());
  ASSERT_TRUE(other.ok() && other->difference);
  EXPECT_EQ(to_text(some, *other->difference), "d0 = 1: (1) and outside");
}

TEST(MapEqual, OtherConstraintsOnLargeValuesAreNotEqual) {
  const std::string map = "(d0, d1) -> (d0), domain: d0 in [0, 99999], ";
  const std::string huge = "((-9223372036854775808 * 9223372036854775806) * (d0 * 8)) * -2 in ";
  const std::string wide = map + "d1 in [0, 28], d1 mod 8 in [4, 4], " + huge;
  const std::string narrow = map + "d1 in [4, 28], d1 mod 8 in [4, 4], " + huge;
  const auto verdict = [&](const std::string& left, const std::string& right) {
    return equal_texts(wide + left, narrow + right, solver_alone()).verdict;
  };
  EXPECT_NE(verdict("[0, 7]", "[1, 7]"), Verdict::kProven);
  EXPECT_NE(verdict("[0, 6]", "[0, 7]"), Verdict::kProven);
}

TEST(MapEqual, ManyResiduesAreNotDecidedByCases) {
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

Verdict answer(absl::string_view left, absl::string_view right) {
  const std::string text = whole_question(*parse_map(left), *parse_map(right));
  return ask_solver(text, {.milliseconds = 20'000}, {}).verdict;
}

TEST(WholeQuestion, HasASolutionExactlyIfTheMapsDiffer) {
  const char* plain = "(d0) -> (d0 mod 6), domain: d0 in [0, 99]";
  EXPECT_EQ(answer(plain, "(d0) -> (d0 - (d0 floordiv 6) * 6), domain: d0 in [0, 99]"),
            Verdict::kProven);
  EXPECT_EQ(answer(plain, "(d0) -> (d0 mod 6), domain: d0 in [0, 98]"), Verdict::kRefuted);
  EXPECT_EQ(answer(plain, "(d0) -> (d0 mod 3), domain: d0 in [0, 99]"), Verdict::kRefuted);
  EXPECT_EQ(answer(plain, "(d0) -> (d0 mod 6), domain: d0 in [0, 99], d0 mod 2 in [0, 0]"),
            Verdict::kRefuted);
  EXPECT_EQ(answer("() -> ()", "() -> ()"), Verdict::kProven);
}

// floordiv rounds down for every sign, mod has the sign of the divisor, ceildiv rounds up.
TEST(WholeQuestion, DivisionsHaveOurMeaningForEverySign) {
  EXPECT_EQ(
      answer("(d0)[s0] -> (d0 floordiv -3, d0 mod -3, d0 ceildiv -3, s0), domain: d0 in [-7, "
             "7], s0 in [0, 1]",
             "(d0)[s0] -> ((-d0) floordiv 3, -((-d0) mod 3), -(d0 floordiv 3), s0), domain: d0 "
             "in [-7, 7], s0 in [0, 1]"),
      Verdict::kProven);
  EXPECT_EQ(answer("(d0) -> (d0 ceildiv 3), domain: d0 in [-7, 7]",
                   "(d0) -> ((d0 + 2) floordiv 3), domain: d0 in [-7, 7]"),
            Verdict::kProven);
  EXPECT_EQ(answer("(d0) -> (d0 mod (1 + 2)), domain: d0 in [-7, 7]",
                   "(d0) -> (d0 mod 3), domain: d0 in [-7, 7]"),
            Verdict::kProven);
  EXPECT_EQ(answer("(d0) -> (d0 mod -3), domain: d0 in [-7, 7]",
                   "(d0) -> (d0 mod 3), domain: d0 in [-7, 7]"),
            Verdict::kRefuted);
}

}  // namespace
}  // namespace tileproof::verify
