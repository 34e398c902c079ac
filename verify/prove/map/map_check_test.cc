// SPDX-License-Identifier: Apache-2.0
// Facts of maps: the questions of public reports, and proofs against the reference.

#include "verify/prove/map/map_check.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "corpus/answers_testing.h"
#include "generate/map/generate_map.h"
#include "spec/lang/base/cases_testing.h"
#include "spec/lang/map/map_text.h"
#include "spec/lang/map/variable_divisors.h"
#include "verify/prove/map/grid_check.h"

namespace tileproof::verify {
namespace {

IndexingMap map_of(absl::string_view text) { return *parse_map_with_variable_divisors(text); }

std::string said(const absl::StatusOr<CheckedFact>& checked, const auto& text) {
  if (!checked.ok()) return std::string(checked.status().message());
  if (checked->verdict == Verdict::kProven) return absl::StrCat("yes, by ", checked->by);
  if (checked->verdict == Verdict::kUndecided) return absl::StrCat("undecided: ", checked->open);
  return text(*checked);
}

// `[0, 8] x [0, 3]`, then a map.
std::string inside(absl::string_view text) {
  const auto [intervals, written] = parts_of<2>(text, "\n");
  std::vector<Interval> box;
  for (absl::string_view interval : absl::StrSplit(intervals, " x ")) {
    const std::vector<int64_t> ends =
        numbers_of(absl::StripSuffix(absl::StripPrefix(interval, "["), "]"));
    box.push_back({ends.at(0), ends.at(1)});
  }
  const IndexingMap map = map_of(written);
  return said(check_inside(map, box),
              [&](const CheckedFact& found) { return text_of_outside(map, box, found); });
}

std::string one_to_one(absl::string_view text) {
  const IndexingMap map = map_of(text);
  return said(check_one_to_one(map),
              [&](const CheckedFact& found) { return text_of_meeting(map, found); });
}

// `9,4`, then a map.
std::string onto(absl::string_view text) {
  const auto [sizes, map] = parts_of<2>(text, "\n");
  return said(check_onto(map_of(map), numbers_of(sizes)),
              [&](const CheckedFact& found) { return text_of_missing(found); });
}

// `8 unsigned`, then a map.
std::string width(absl::string_view text) {
  const auto [first, written] = parts_of<2>(text, "\n");
  absl::string_view bits = first;
  const bool is_unsigned = absl::ConsumeSuffix(&bits, " unsigned");
  const IndexingMap map = map_of(written);
  return said(check_width(map, {numbers_of(bits).at(0), is_unsigned}),
              [&](const CheckedFact& found) { return text_of_leaving(map, found); });
}

TEST(MapCheckTest, Answers) {
  expect_answers(
      "answers/map_checks.txt",
      {{"inside", inside}, {"one_to_one", one_to_one}, {"onto", onto}, {"width", width}});
}

// What the prover says without the reference agrees with the reference.
TEST(MapCheckTest, ProofsAgreeWithTheReference) {
  int64_t proven = 0, refuted = 0, open = 0;
  for (uint64_t seed = 0; seed < cases<uint64_t>(2400); ++seed) {
    Choose choose(Choose::Random{seed});
    const IndexingMap map = generate_map(choose);
    const auto count = spec::box_size(map);
    if (!count || *count > 3000 || map.results.empty()) continue;
    std::vector<Interval> box;
    std::vector<int64_t> sizes;
    for (size_t i = 0; i < map.results.size(); ++i) {
      sizes.push_back(choose.pick<int64_t>({4, 1, 10, 64}));
      box.push_back({choose.chance(1, 3) ? -5 : 0, sizes.back() - 1});
    }
    const CheckOptions none{500, 0};
    const auto agree = [&](const absl::StatusOr<spec::MapFact>& right,
                           const absl::StatusOr<CheckedFact>& found) {
      if (!right.ok() || !found.ok() || found->verdict == Verdict::kUndecided) {
        ++open;
        return;
      }
      (right->holds() ? proven : refuted) += 1;
      EXPECT_EQ(right->holds(), found->verdict == Verdict::kProven)
          << "seed " << seed << " " << to_text(map) << ", by " << found->by;
      if (found->verdict == Verdict::kRefuted && !right->holds() && found->by != "points") {
        EXPECT_EQ(found->fact->at, right->at) << "seed " << seed << " " << to_text(map);
      }
    };
    agree(spec::inside(map, box, 3000), check_inside(map, box, none));
    agree(spec::onto(map, sizes, 3000), check_onto(map, sizes, none));
    agree(spec::within_width(map, {7}, 3000), check_width(map, {7}, none));
  }
  EXPECT_GT(proven, cases(300)) << refuted << " refuted, " << open << " open";
  EXPECT_GT(refuted, cases(300));
}

using spec::Grid;
using spec::GridOperand;

GridOperand output(const Dims& shape, const Dims& block, const std::string& index_map) {
  GridOperand result{.name = "out",
                     .is_output = true,
                     .shape = shape,
                     .block = {},
                     .index_map = parse_map(index_map).value()};
  for (const int64_t size : block) result.block.push_back({.size = size});
  return result;
}

CheckedGrid checked(const Grid& grid, const GridCheckOptions& options = {}) {
  const auto found = check_grid(grid, options);
  EXPECT_TRUE(found.ok()) << found.status();
  return found.value_or(CheckedGrid());
}

TEST(GridCheck, LargeGridsAreDecidedByTheirMaps) {
  // A matrix product: the last dimension adds up.
  const Grid product = {{1024, 2048, 4096},
                        {true, true, false},
                        {output({131072, 262144}, {128, 128},
                                "(i, j, k) -> (i, j), domain: i in [0, 1023], j in [0, 2047], k in "
                                "[0, 4095]")}};
  const CheckedGrid found = checked(product);
  for (const CheckedGridFact& fact : {found.inside, found.covered, found.once, found.races}) {
    EXPECT_EQ(fact.verdict, Verdict::kProven) << fact.open;
  }
  Grid wrong = product;  // two steps at once add to one block
  wrong.is_parallel[2] = true;
  const CheckedGrid race = checked(wrong);
  ASSERT_EQ(race.races.verdict, Verdict::kRefuted) << race.races.open;
  EXPECT_EQ(text_of_collision(*race.races.finding),
            "step (0, 0, 0) and step (0, 0, 1) both touch out[0, 0]");
}

TEST(GridCheck, ALargeGridThatLeavesItsArray) {
  const Grid groups = {{1 << 24},
                       {true},
                       {output({4194301, 4}, {1, 1},
                               "(pid) -> ((pid floordiv 32) * 8 + pid mod 8, (pid mod 32) floordiv "
                               "8), domain: pid in [0, 16777215]")}};
  const CheckedGrid found = checked(groups);
  ASSERT_EQ(found.inside.verdict, Verdict::kRefuted) << found.inside.open;
  EXPECT_GE(found.inside.finding->block[0], 4194301);
}

TEST(GridCheck, FindingsAreTexts) {
  EXPECT_EQ(text_of_outside({"x", spec::GridStep{3, 0}, {}, {3, 0}, {}}),
            "step (3, 0): block (3, 0) of x has no element");
  EXPECT_EQ(text_of_uncovered({"out", {}, {}, {}, {0, 128}}), "out[0, 128] is never written");
}

}  // namespace
}  // namespace tileproof::verify
