// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/layout/layout_equal.h"

#include <iostream>
#include <utility>
#include <variant>
#include <vector>

#include "corpus/answers_testing.h"
#include "generate/layout/generate_blocked.h"
#include "generate/layout/generate_nested.h"
#include "generate/layout/generate_shape.h"
#include "gtest/gtest.h"
#include "spec/lang/base/odometer.h"
#include "verify/prove/layout/convert_compare.h"
#include "verify/prove/map/map_smtlib.h"
#include "verify/prove/smt/ask_solver.h"

namespace tileproof::verify {
namespace {

// "equal", or how they differ.
std::string equality(absl::string_view text) {
  const auto [left, right] = parts_of<2>(text, "\n");
  ProofSession session;
  const absl::StatusOr<LayoutProof> proof =
      prove_equal(*parse_any_layout(left), *parse_any_layout(right), session);
  if (!proof.ok()) return std::string(proof.status().message());
  if (proof->verdict == Verdict::kProven) return "equal";
  return proof->verdict == Verdict::kRefuted ? proof->counterexample : "undecided";
}

TEST(LayoutEquality, Answers) {
  expect_answers("answers/equal_layouts.txt", {{"equal", equality}});
}

TEST(LayoutEquality, TheProofDoesNotDependOnSizes) {
  ProofSession session;
  const auto verdict = [&](absl::string_view left, absl::string_view right) {
    return prove_equal(*parse_any_layout(left), *parse_any_layout(right), session)->verdict;
  };
  EXPECT_EQ(verdict("zN:f16[1048576,1048576]", "f16[1048576,1048576]{0,1:T(16,16)(16,1)}"),
            Verdict::kProven);
  EXPECT_EQ(verdict("f32[1048577,1048579]{1,0:T(8,128)}",
                    "((8,131073),(128,8193)):((128,8389632),(1,1024))"),
            Verdict::kProven);
  EXPECT_EQ(
      verdict("dnnl:AB16b64a2b:s8[1048577,1048579]", "s8[1048577,1048579]{1,0:T(64,32)(64,2)}"),
      Verdict::kProven);
  EXPECT_EQ(session.asked, 0) << "rearranging alone should prove this, without the solver";
}

TEST(LayoutEquality, TheSolverAgreesWithRearranging) {
  for (const auto& [left, right] : std::vector<std::pair<const char*, const char*>>{
           {"zN:f16[60,90]", "f16[60,90]{0,1:T(16,16)(16,1)}"},
           {"dnnl:OIhw4i16o4i:f32[20,20,3,3]", "f32[20,20,3,3]{3,2,1,0:T(16,16,1,1)(16,4,1,1)}"},
           {"((8,4),(128,3)):((128,3072),(1,1024))", "f32[30,300]{1,0:T(8,128)}"}}) {
    spec::LayoutFunction a = *spec::layout_function(*parse_any_layout(left));
    spec::LayoutFunction b = *spec::layout_function(*parse_any_layout(right));
    ASSERT_TRUE(spec::share_shape(a, b).ok()) << left << " " << right;
    EXPECT_EQ(ask_solver(whole_question(offset_map(a), offset_map(b)), {}, {}).verdict,
              Verdict::kProven)
        << left << " " << right;
  }
}

// Changes a layout in a few places, or converts it.
AnyLayout changed(const AnyLayout& layout, Choose& choose) {
  AnyLayout result = layout;
  if (Shape* shape = std::get_if<Shape>(&result)) mutate_shape(choose, *shape);
  if (NestedLayout* nested = std::get_if<NestedLayout>(&result))
    mutate_nested_layout(choose, *nested);
  if (BlockedShape* blocked = std::get_if<BlockedShape>(&result)) {
    std::vector<BlockedFormat::Block>& blocks = blocked->format.blocks;
    if (blocks.size() > 1) std::swap(blocks.front(), blocks.back());
  }
  if (TaggedShape* tagged = std::get_if<TaggedShape>(&result)) {
    if (tagged->dims.size() == 2) tagged->tag = tags()[choose(8)].tag;
  }
  return result;
}

// The difference whose greatest coordinate is least, the first in row-major order, by enumeration.
std::vector<int64_t> smallest_difference(const spec::LayoutFunction& left,
                                         const spec::LayoutFunction& right) {
  std::vector<int64_t> index(left.dims.size(), 0), best;
  const auto greatest = [](const std::vector<int64_t>& x) {
    return x.empty() ? 0 : *std::max_element(x.begin(), x.end());
  };
  do {
    if (*spec::offset_at(left, index) == *spec::offset_at(right, index)) continue;
    if (best.empty() || greatest(index) < greatest(best)) best = index;
  } while (next_index(left.dims, index));
  return best;
}

TEST(LeastDifference, HasTheSmallestCoordinates) {
  ProofSession session;
  int64_t pairs = 0;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    Choose choose(Choose::Random{seed});
    const AnyLayout layout = random_any_layout(choose, choose.pick<int64_t>({8, 60}));
    absl::StatusOr<spec::LayoutFunction> left = spec::layout_function(layout);
    absl::StatusOr<spec::LayoutFunction> right = spec::layout_function(changed(layout, choose));
    if (!left.ok() || !right.ok() || !spec::share_shape(*left, *right).ok()) continue;
    const LayoutProof proof = prove_equal(*left, *right, session);
    if (!proof.at) continue;
    ++pairs;
    EXPECT_EQ(least_difference(*left, *right, *proof.at, 20'000),
              smallest_difference(*left, *right))
        << seed;
  }
  EXPECT_GT(pairs, 100);
}

TEST(LeastDifference, IsFoundInLargeArrays) {
  const auto least = [](absl::string_view a, absl::string_view b) {
    const spec::LayoutFunction left = *spec::layout_function(*parse_any_layout(a));
    const spec::LayoutFunction right = *spec::layout_function(*parse_any_layout(b));
    ProofSession session;
    return least_difference(left, right, *prove_equal(left, right, session).at, 20'000);
  };
  EXPECT_EQ(least("f32[128,256]{1,0:T(8,128)}", "f32[128,256]{1,0}"), (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(least("f32[16777216,128]{1,0:T(8,128)}", "f32[16777216,128]{1,0:T(8,128)(3)}"),
            (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(
      least("f32[16777217,128]{1,0:T(16777216,128)(1,1)}", "f32[16777217,128]{1,0:T(16777216,64)}"),
      (std::vector<int64_t>{1, 0}));
}

TEST(LayoutEquality, TheVerdictAgreesWithEnumeration) {
  ProofSession session;
  session.milliseconds_per_question = 2'000;
  int64_t pairs = 0, indices = 0, equal_pairs = 0;
  for (uint64_t seed = 0; seed < 6000; ++seed) {
    Choose choose(Choose::Random{seed});
    const AnyLayout layout = random_any_layout(choose, choose.pick<int64_t>({8, 60, 400}));
    absl::StatusOr<spec::LayoutFunction> left = spec::layout_function(layout);
    absl::StatusOr<spec::LayoutFunction> right = spec::layout_function(changed(layout, choose));
    if (!left.ok() || !right.ok() || !spec::share_shape(*left, *right).ok()) continue;
    const absl::StatusOr<int64_t> compared = compare_verdict(*left, *right, 1000, session);
    ASSERT_TRUE(compared.ok()) << compared.status().message();
    if (*compared == 0) continue;
    ++pairs;
    indices += *compared;
    equal_pairs += prove_equal(*left, *right, session).verdict == Verdict::kProven;
  }
  std::cout << pairs << " pairs, " << equal_pairs << " of them equal, " << indices
            << " indices, 0 differences; " << session.asked << " questions asked\n";
  EXPECT_GT(equal_pairs, 500);
  EXPECT_GT(pairs - equal_pairs, 500);
}

}  // namespace
}  // namespace tileproof::verify
