// SPDX-License-Identifier: Apache-2.0
// Solving maps for their range variables, compared with the definition: the pairs stay the same.
#include "impl/map/solve_ranges.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "corpus/answers_testing.h"
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

bool is_enumerable(const IndexingMap& map) {
  return spec::box_size(map).value_or(kMostPoints + 1) <= kMostPoints;
}

// Of maps that are small enough, the solution keeps the pairs.
std::string solved_text(absl::string_view text) {
  const IndexingMap map = parse_map(text).value();
  if (!impl::solve_ranges(map)) return "not solved";
  const IndexingMap solution = solved(map);
  if (is_enumerable(map) && is_enumerable(solution)) {
    EXPECT_EQ(pairs_of(solution), pairs_of(map)) << text;
  }
  return to_text(solution);
}

// Before it is simplified.
std::string solved_as_written(absl::string_view text) {
  const std::optional<IndexingMap> solution = impl::solve_ranges(parse_map(text).value());
  return solution ? to_text(*solution) : "not solved";
}

TEST(SolveRanges, Answers) {
  expect_answers("answers/solved_ranges.txt",
                 {{"solve", solved_text}, {"written", solved_as_written}});
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
    if (!is_enumerable(solution)) continue;
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
