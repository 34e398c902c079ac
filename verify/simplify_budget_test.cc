// The simplifier with less work than it asks for: what is refused in the midst of a map is left as
// it was written, and the rest is simplified all the same.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "fuzz/gen_map.h"
#include "gtest/gtest.h"
#include "impl/simplify.h"
#include "spec/lang/map_text.h"
#include "verify/map_compare.h"

namespace tileproof {
namespace {

int64_t unused_nodes(const IndexingMap& map) {
  std::vector<bool> used(map.nodes.size());
  for (const NodeId root : map.results) used[root] = true;
  for (const Constraint& constraint : map.constraints) used[constraint.expr] = true;
  for (size_t i = used.size(); i-- > 0;) {
    const Node& node = map.nodes[i];
    if (used[i] && node.left >= 0) used[node.left] = used[node.right] = true;
  }
  return std::ranges::count(used, false);
}

// What is wrong with the answer that this much work gives; "" if it is right, no longer than the
// map, and stays as it is with as much work.
std::string wrong_with(const IndexingMap& map, int64_t max_work) {
  impl::Workspace workspace(max_work);
  const absl::StatusOr<IndexingMap> once = impl::simplify(map, workspace);
  if (!once.ok()) return std::string(once.status().message());
  const std::string difference = verify::compare_by_enumeration(map, *once, 1 << 16).difference;
  if (!difference.empty()) return difference;
  if (verify::nodes_of(*once) > verify::nodes_of(map)) return "longer";
  if (unused_nodes(*once) > 0) return "nodes that nothing uses";
  const absl::StatusOr<IndexingMap> twice = impl::simplify(*once, workspace);
  if (!twice.ok()) return std::string(twice.status().message());
  return *twice == *once ? "" : absl::StrCat(to_text(*once), " becomes ", to_text(*twice));
}

TEST(SimplifyBudget, WhateverTheBudgetTheAnswerIsRight) {
  int64_t maps = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Choose choose(Choose::Random{seed});
    const IndexingMap map = generate_map(choose, {.points = 64});
    if (map.constraints.empty()) continue;
    for (int64_t work = 0; work < 2'000; work += 1 + work / 16) {
      EXPECT_EQ(wrong_with(map, work), "") << to_text(map) << ", work " << work;
    }
    ++maps;
  }
  EXPECT_GT(maps, 100);
}

// The constraint is short once it was written. Where it could be read with the last of the work,
// but not read again, it is forgotten, and the second run is the one that makes the result 0.
TEST(SimplifyBudget, AConstraintThatCannotBeReadAgainIsTriedOnceMore) {
  std::string sum = "d0 + 1";
  for (int i = 2; i < 60; ++i) absl::StrAppend(&sum, " + d0 * ", i, " - d0 * ", i);
  const IndexingMap map =
      parse_map(absl::StrCat("(d0) -> (((d0 + 1) mod 3) floordiv 2), domain: ", "d0 in [0, 5], (",
                             sum, ") mod 3 in [0, 1]"))
          .value();
  int64_t kept = 0, zero = 0;
  for (int64_t work = 0; work < 2'000; ++work) {
    EXPECT_EQ(wrong_with(map, work), "") << to_text(map) << ", work " << work;
    impl::Workspace workspace(work);
    const std::string text = to_text(impl::simplify(map, workspace).value());
    ++(absl::StrContains(text, "-> (0)") ? zero : kept);
  }
  EXPECT_GT(kept, 50);
  EXPECT_GT(zero, 50);
}

}  // namespace
}  // namespace tileproof
