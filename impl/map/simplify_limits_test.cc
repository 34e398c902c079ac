// SPDX-License-Identifier: Apache-2.0
// The simplifier at its limits: an expression beyond a limit stays as written, and the rest is
// still simplified. A workspace with less work moves the limit to any point.

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "corpus/files.h"
#include "generate/map/generate_map.h"
#include "gtest/gtest.h"
#include "impl/map/simplify.h"
#include "spec/lang/base/cases_testing.h"
#include "spec/lang/map/map_text.h"
#include "verify/compare/map_compare.h"

namespace tileproof {
namespace {

std::string simplified_text(absl::string_view text) {
  return to_text(impl::simplify(parse_map(text).value()).value());
}

// The first defect of the answer with this much work, or "": the answer must be right, no longer
// than the map, and a fixpoint with the same work.
std::string wrong_with(const IndexingMap& map, int64_t max_work) {
  impl::Workspace workspace(max_work);
  const absl::StatusOr<IndexingMap> once = impl::simplify(map, workspace);
  if (!once.ok()) return std::string(once.status().message());
  verify::CaseCounts tally;
  const std::string difference = verify::enumeration_difference(map, *once, 1 << 16, tally);
  if (!difference.empty()) return difference;
  if (verify::nodes_of(*once) > verify::nodes_of(map)) return "longer";
  if (verify::unused_nodes(*once) > 0) return "nodes that nothing uses";
  const absl::StatusOr<IndexingMap> twice = impl::simplify(*once, workspace);
  if (!twice.ok()) return std::string(twice.status().message());
  return *twice == *once ? "" : absl::StrCat(to_text(*once), " becomes ", to_text(*twice));
}

// A product of long sums is not multiplied out. If a quotient leaves 64 bits, only its sum becomes
// shorter.
TEST(SimplifyLimits, ExpressionsBeyondTheLimitsKeepTheirForm) {
  std::string dims, sum, domain;
  for (int i = 0; i < 17; ++i) {
    absl::StrAppend(&dims, i == 0 ? "" : ", ", "d", i);
    absl::StrAppend(&sum, i == 0 ? "" : " + ", "d", i);
    absl::StrAppend(&domain, i == 0 ? "" : ", ", "d", i, " in [0, 9]");
  }
  const std::string product =
      absl::StrCat("(", dims, ") -> ((", sum, ") * (", sum, ")), domain: ", domain);
  EXPECT_EQ(simplified_text(product), product);
  const std::string wide =
      "(d0, d1, d2) -> ((d0 * 4611686018427387904 + d1 * 4611686018427387904 + "
      "d2 * 4611686018427387905) floordiv 3), domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, 9]";
  EXPECT_EQ(simplified_text(wide),
            "(d0, d1, d2) -> (((d0 + d1) * 4611686018427387904 + d2 * 4611686018427387905) "
            "floordiv 3), domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, 9]");
}

// Added up by halves, because adding one by one would take too long.
TEST(SimplifyLimits, ASumOfMoreThan4096TermsKeepsItsForm) {
  const auto keeps_form = [](int terms) {
    std::string dims, domain;
    std::vector<std::string> sums;
    for (int i = 0; i < terms; ++i) {
      absl::StrAppend(&dims, i == 0 ? "" : ", ", "d", i);
      absl::StrAppend(&domain, i == 0 ? "" : ", ", "d", i, " in [0, 9]");
      sums.push_back(absl::StrCat("d", i));
    }
    for (; sums.size() > 1; sums.resize((sums.size() + 1) / 2)) {
      for (size_t i = 0; i < sums.size(); i += 2) {
        sums[i / 2] =
            i + 1 < sums.size() ? absl::StrCat("(", sums[i], " + ", sums[i + 1], ")") : sums[i];
      }
    }
    const std::string text = simplified_text(
        absl::StrCat("(", dims, ") -> (d0 - d0 + ", sums[0], "), domain: ", domain));
    return absl::StrContains(text, "d0 - d0");
  };
  EXPECT_FALSE(keeps_form(4096));
  EXPECT_TRUE(keeps_form(4097));
}

// Two sums of 16 terms are multiplied out, two of 17 are not.
TEST(SimplifyLimits, AProductOfMoreThan256TermsKeepsItsForm) {
  const auto cancels = [](int terms) {
    std::string dims, sum, domain;
    for (int i = 0; i < terms; ++i) {
      absl::StrAppend(&dims, i == 0 ? "" : ", ", "d", i);
      absl::StrAppend(&sum, i == 0 ? "" : " + ", "d", i);
      absl::StrAppend(&domain, i == 0 ? "" : ", ", "d", i, " in [0, 9]");
    }
    const std::string square = absl::StrCat("(", sum, ") * (", sum, ")");
    const std::string tail = absl::StrCat(", domain: ", domain);
    return simplified_text(absl::StrCat("(", dims, ") -> (d0 + ", square, " - ", square, ")",
                                        tail)) == absl::StrCat("(", dims, ") -> (d0)", tail);
  };
  EXPECT_TRUE(cancels(16));
  EXPECT_FALSE(cancels(17));
}

// A sum of 1000 terms added again and again: 2000 steps each time, of four million.
TEST(SimplifyLimits, SumsThatTakeTooManyStepsKeepTheirForm) {
  const auto keeps_form = [](int times) {
    IndexingMap map;
    NodeId sum = add_constant(map.nodes, 1);
    for (int i = 0; i < 1000; ++i) {
      map.dimensions.push_back({{0, 9}, ""});
      sum = add_operation(map.nodes, Op::kAdd, sum, add_variable(map.nodes, Op::kDimension, i));
    }
    NodeId all = sum;
    for (int i = 1; i < times; ++i) all = add_operation(map.nodes, Op::kAdd, all, sum);
    map.results.push_back(all);
    const IndexingMap simplified = impl::simplify(map).value();
    return std::ranges::count(simplified.nodes, Op::kMul, &Node::op) == 0;
  };
  EXPECT_FALSE(keeps_form(1600));
  EXPECT_TRUE(keeps_form(1800));
}

// The floors nest: each is computed in a call inside the one before.
TEST(SimplifyLimits, ASumOfMoreFloorsThanNestedCallsKeepsItsForm) {
  const auto keeps_form = [](int floors) {
    std::string sum = "d0 - d0";
    for (int i = 2; i < floors + 2; ++i) absl::StrAppend(&sum, " + d0 floordiv ", i);
    const std::string map = absl::StrCat("(d0) -> (", sum, "), domain: d0 in [0, 999999]");
    return simplified_text(map) == map;
  };
  EXPECT_FALSE(keeps_form(500));
  EXPECT_TRUE(keeps_form(501));
}

TEST(SimplifyLimits, AQuotientOfMoreThanAHundredLevelsKeepsItsForm) {
  const auto keeps_form = [](int levels) {
    std::string quotient = "d0";
    for (int i = 0; i < levels; ++i)
      quotient = absl::StrCat("((", quotient, ") * 2 + d1) floordiv 5");
    const std::string text = simplified_text(
        absl::StrCat("(d0, d1) -> (d1 - d1 + ", quotient,
                     "), domain: d0 in [0, 1000000000000000], d1 in [0, 1000000000000000]"));
    return absl::StrContains(text, "d1 - d1");
  };
  EXPECT_FALSE(keeps_form(100));
  EXPECT_TRUE(keeps_form(101));
}

// Long sums are added up when they are read, and again when the rewritten map is read. Five of them
// exceed the budget. They stay as written, and the results do not depend on any constraint.
TEST(SimplifyLimits, DropsConstraintsThatTakeTooLongToReadAgain) {
  constexpr int kVariables = 1000;
  const auto results = [](int sums) {
    std::string dims, domain, constraints;
    for (int i = 0; i < kVariables; ++i) {
      absl::StrAppend(&dims, i == 0 ? "" : ", ", "d", i);
      absl::StrAppend(&domain, "d", i, " in [0, 1], ");
    }
    for (int n = 0; n < sums; ++n) {
      for (int i = 0; i < kVariables; ++i)
        absl::StrAppend(&constraints, i == 0 ? ", " : " + ", "d", i, i == n ? " * 2" : "");
      absl::StrAppend(&constraints, " in [2, 500]");
    }
    const std::string text = simplified_text(
        absl::StrCat("(", dims, ") -> (d0 mod 2, (d0 + d1 + d2) floordiv 3), domain: ", domain,
                     "d0 + d1 in [0, 1]", constraints));
    const std::string behind_arrow = text.substr(text.find("-> ") + 3);
    return behind_arrow.substr(0, behind_arrow.find(", domain"));
  };
  EXPECT_EQ(results(1), "(d0, 0)");
  EXPECT_EQ(results(5), "(d0, (d0 + d1 + d2) floordiv 3)");
}

// The sum, with other terms that cancel, exceeds the budget together with its rewritten form. The
// rewritten form is short, so the second run assumes the constraints.
TEST(SimplifyLimits, AssumesDroppedConstraintsOnceTheyAreShort) {
  constexpr int kVariables = 990;
  const auto sum_with_twice = [](int n) {
    std::string sum = "(d0";
    for (int i = 1; i < kVariables; ++i) absl::StrAppend(&sum, " + d", i, i == n ? " * 2" : "");
    return absl::StrCat(sum, ")");
  };
  std::string dims = "d0", domain = "d0 in [0, 1]", long_sum = sum_with_twice(2);
  for (int i = 1; i < kVariables; ++i) {
    absl::StrAppend(&dims, ", d", i);
    absl::StrAppend(&domain, ", d", i, " in [0, 1]");
  }
  for (int n = 3; n < 10; ++n)
    absl::StrAppend(&long_sum, " + (", sum_with_twice(n), " - ", sum_with_twice(n), ")");
  const std::string text =
      simplified_text(absl::StrCat("(", dims, ") -> ((d0 + d1) floordiv 2), domain: ", domain,
                                   ", d0 + d1 in [0, 1], ", long_sum, " in [2, 500]"));
  EXPECT_TRUE(absl::StrContains(text, "-> (0), domain")) << text.substr(0, 300);
}

TEST(SimplifyLimits, TheAnswerIsRightForEveryBudget) {
  // The simplifier gives up at its third constraint, after two were written.
  std::vector<IndexingMap> maps = {
      parse_map("(){th_x, bl_x} -> (th_x mod 16 + 0, bl_x, 2), domain: th_x in [9, 14], "
                "bl_x in [0, 9], (bl_x floordiv -8) * 3 in [-18, 52], "
                "(th_x floordiv 3) * 16 + -1 * (bl_x * 10) in [-23, 173], "
                "((th_x mod 16) mod 7 + (63 + th_x * 0)) mod 3 in [0, 2]")
          .value()};
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Choose choose(Choose::Random{seed});
    maps.push_back(generate_map(choose, {.points = 64}));
    if (maps.back().constraints.empty()) maps.pop_back();
  }
  EXPECT_GT(maps.size(), 100u);
  for (const IndexingMap& map : maps) {
    for (int64_t work = 0; work < 1'500; work += 1 + work / 8) {
      EXPECT_EQ(wrong_with(map, work), "") << to_text(map) << ", work " << work;
    }
  }
}

// The rewritten constraint is short. If the last of the work suffices to read it but not to read it
// again, the constraint is dropped, and the second run makes the result 0.
TEST(SimplifyLimits, RetriesAConstraintThatCannotBeReadAgain) {
  std::string sum = "d0 + 1";
  for (int i = 2; i < 40; ++i) absl::StrAppend(&sum, " + d0 * ", i, " - d0 * ", i);
  const IndexingMap map =
      parse_map(absl::StrCat("(d0) -> (((d0 + 1) mod 3) floordiv 2), domain: ", "d0 in [0, 5], (",
                             sum, ") mod 3 in [0, 1]"))
          .value();
  int64_t kept = 0, zero = 0;
  for (int64_t work = 0; work < 1'000; ++work) {
    EXPECT_EQ(wrong_with(map, work), "") << to_text(map) << ", work " << work;
    impl::Workspace workspace(work);
    const std::string text = to_text(impl::simplify(map, workspace).value());
    ++(absl::StrContains(text, "-> (0)") ? zero : kept);
  }
  EXPECT_GT(kept, 50);
  EXPECT_GT(zero, 50);
}

// How much the simplifier works, counted in additions of terms: its limits bound every map, and the
// fast ways are taken.

int64_t work_of(const IndexingMap& map, impl::Workspace& workspace) {
  EXPECT_TRUE(impl::simplify_in(workspace, map).ok()) << to_text(map);
  return workspace.work();
}

constexpr int64_t kPoints = 1 << 16;

bool is_small(const IndexingMap& map) {
  double points = 1;
  for (const auto* variables : {&map.dimensions, &map.ranges, &map.runtime}) {
    for (const Variable& variable : *variables) {
      points *= static_cast<double>(variable.bounds.high - variable.bounds.low + 1);
    }
  }
  return points <= kPoints;
}

constexpr int64_t kMostOfRandomMaps = 8'000;
constexpr int64_t kMostOfANode = 150;

TEST(SimplifyWork, RandomMapsTakeLittle) {
  impl::Workspace workspace;
  int64_t most = 0;
  for (uint64_t seed = 0; seed < cases<uint64_t>(20'000); ++seed) {
    Choose choose(Choose::Random{seed});
    const IndexingMap map = generate_map(choose);
    const int64_t work = work_of(map, workspace);
    EXPECT_LE(work, kMostOfRandomMaps) << to_text(map);
    most = std::max(most, work);
  }
  EXPECT_GT(most, 1'000);
}

TEST(SimplifyWork, LongMapsTakeLittleForEachNode) {
  impl::Workspace workspace;
  for (uint64_t seed = 0; seed < cases<uint64_t>(5'000); ++seed) {
    Choose choose(Choose::Random{seed});
    for (const IndexingMap& map : {generate_chain(choose).map, generate_rule_shaped(choose)}) {
      EXPECT_LE(work_of(map, workspace), kMostOfRandomMaps + kMostOfANode * verify::nodes_of(map))
          << to_text(map);
    }
  }
}

// Without the limit of the search these took up to 180,000.
TEST(SimplifyWork, SlowMapsTakeLittleAndStayRight) {
  impl::Workspace workspace;
  int64_t maps = 0;
  verify::CaseCounts tally;
  for (const std::string& line : project_lines("corpus/maps/slow.txt")) {
    const IndexingMap map = parse_map(line).value();
    EXPECT_LE(work_of(map, workspace), kMostOfRandomMaps + kMostOfANode * verify::nodes_of(map))
        << line;
    const IndexingMap once = impl::simplify(map, workspace).value();
    EXPECT_LE(verify::nodes_of(once), verify::nodes_of(map)) << line;
    if (is_small(map)) {
      EXPECT_EQ(verify::enumeration_difference(map, once, kPoints, tally), "") << line;
    }
    EXPECT_EQ(to_text(impl::simplify(once, workspace).value()), to_text(once)) << line;
    ++maps;
  }
  EXPECT_GT(maps, 10);
  EXPECT_GT(tally["points"], 0);
}

// The normal form of each result takes half a million steps. With 700,000 for normal forms, every
// other one gives up, and the second round exceeds four times that.
TEST(SimplifyWork, TheWholeIsLimited) {
  constexpr int kVariables = 1000;
  const auto changes = [](int64_t max_work) {
    IndexingMap map;
    for (int i = 0; i < kVariables; ++i) map.dimensions.push_back({{0, 9}, ""});
    const NodeId zero = add_constant(map.nodes, 0);
    for (int result = 0; result < 8; ++result) {
      NodeId sum = zero;
      for (int i = 0; i < kVariables; ++i) {
        const NodeId variable = add_variable(map.nodes, Op::kDimension, (i + result) % kVariables);
        sum = add_operation(map.nodes, Op::kAdd, sum, variable);
      }
      map.results.push_back(sum);
    }
    impl::Workspace workspace(max_work);
    const IndexingMap simplified = impl::simplify(map, workspace).value();
    EXPECT_EQ(impl::simplify(simplified, workspace).value(), simplified);
    return !(simplified == map);
  };
  EXPECT_TRUE(changes(4'000'000));
  EXPECT_FALSE(changes(700'000));
}

// The local rules are not tried for a sum of digits of different variables, nor is its text read again.
TEST(SimplifyWork, SumsThatCannotBecomeShorterTakeLess) {
  impl::Workspace workspace(4'000'000);  // recognizes none of them
  const auto work = [&](const std::string& sum) {
    const std::string domain = "), domain: d0 in [0, 999], d1 in [0, 999]";
    return work_of(parse_map("(d0, d1) -> (" + sum + domain).value(), workspace);
  };
  for (const char* sum : {"(d0 * 3 + d1) mod 8", "d0 mod 8 + d1 floordiv 4", "d0 floordiv 4"}) {
    EXPECT_LT(3 * work(sum), 2 * work(std::string(sum) + " + 1")) << sum;
  }
}

}  // namespace
}  // namespace tileproof
