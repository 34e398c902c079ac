#include "verify/map_equal.h"

#include <chrono>
#include <iostream>
#include <map>
#include <string>

#include "fuzz/gen_map.h"
#include "fuzz/mutate_map.h"
#include "fuzz/scramble.h"
#include "gtest/gtest.h"
#include "spec/lang/map_text.h"
#include "verify/map_points.h"

namespace tileproof::verify {
namespace {

using Clock = std::chrono::steady_clock;

IndexingMap map_of(absl::string_view text) {
  absl::StatusOr<IndexingMap> map = parse_map(text);
  EXPECT_TRUE(map.ok()) << text << ": " << map.status();
  return map.ok() ? *map : IndexingMap{};
}

// Nothing but the solver.
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

// Whether two maps are equal, by looking everywhere.
Verdict truth(const IndexingMap& left, const IndexingMap& right) {
  const Searched all = search_all(left, right, INT64_MAX / 2);
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

// Asks, and checks the verdict against the truth.
void judge(const IndexingMap& left, const IndexingMap& right, const EqualOptions& options,
           Tally& tally) {
  const auto begin = Clock::now();
  const absl::StatusOr<MapEquality> result = equal(left, right, options);
  ASSERT_TRUE(result.ok()) << pair_text(left, right) << ": " << result.status();
  tally.slowest =
      std::max(tally.slowest, std::chrono::duration<double>(Clock::now() - begin).count());
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

TEST(MapEqual, ModIsWhatTheQuotientLeaves) {
  const MapEquality result = equal_texts(
      "(d0) -> (d0 mod 6), domain: d0 in [0, 999999999]",
      "(d0) -> (d0 - (d0 floordiv 6) * 6), domain: d0 in [0, 999999999]", solver_alone());
  EXPECT_EQ(result.verdict, Verdict::kProven);
  EXPECT_EQ(to_text(result.basis), "rearranged");
}

TEST(MapEqual, GeneratedPairsAgreeWithEnumeration) {
  Tally same, edited;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    Choose choose(Choose::Random{seed});
    const IndexingMap map = seed % 2 == 0 ? generate_map(choose, {.points = 512})
                                          : generate_chain(choose, {.points = 512}).map;
    judge(map, scramble(choose, map), solver_alone(), same);
    IndexingMap other = scramble(choose, map);
    mutate_meaning(choose, other);
    if (spec::box_size(other).value_or(INT64_MAX) > 20'000) continue;
    judge(map, other, solver_alone(), edited);
    if (HasFatalFailure()) return;
  }
  same.print("scrambled");
  edited.print("scrambled and edited");
}

}  // namespace
}  // namespace tileproof::verify
