// SPDX-License-Identifier: Apache-2.0
// The limits of the analysis: what is beyond them is a superset that says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "impl/hlo/access_relation.h"
#include "impl/hlo/backward_slice.h"
#include "impl/hlo/indexing.h"
#include "impl/hlo/indexing_testing.h"
#include "impl/hlo/module_indexing.h"
#include "impl/hlo/operations/operation_handler.h"
#include "impl/map/map_builder.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::impl {
namespace {

// The reason why the answer for operand 0 is a superset.
std::string reason_of_root(const std::string& text) {
  const HloModule module = module_of(text);
  IndexingAnalysis analysis(module);
  const auto answer =
      analysis.reads(module.entry, module.computations[module.entry].root, 0, Scope::kComputation);
  if (!answer.ok()) return absl::StrCat("error: ", answer.status().message());
  return (*answer)[0][0].inexact ? (*answer)[0][0].reason : "exact";
}

TEST(IndexingLimits, BeyondTheLimitsTheAnswerIsASuperset) {
  const auto slices = [](int windows) {  // each adds a runtime variable
    std::string text = "v0 = f32[32] parameter(0)\n";
    for (int i = 1; i <= windows; ++i) {
      absl::StrAppend(&text, "o", i, " = s32[] parameter(", i, ")\nv", i, " = f32[", 32 - i,
                      "] dynamic-slice(v", i - 1, ", o", i, "), dynamic_slice_sizes={", 32 - i,
                      "}\n");
    }
    return text;
  };
  EXPECT_EQ(reason_of_root(slices(12)), "exact");
  EXPECT_EQ(reason_of_root(slices(13)), "more than 12 runtime variables in one map");

  const auto sum_of_slices = [](int count) {
    std::string text = "p = f32[70] parameter(0)\na0 = f32[4] slice(p), slice={[0:4]}\n";
    for (int i = 1; i < count; ++i) {
      absl::StrAppend(&text, "b", i, " = f32[4] slice(p), slice={[", i, ":", i + 4, "]}\na", i,
                      " = f32[4] add(a", i - 1, ", b", i, ")\n");
    }
    return text;
  };
  EXPECT_EQ(reason_of_root(sum_of_slices(48)), "exact");
  EXPECT_EQ(reason_of_root(sum_of_slices(49)), "more than 48 maps between two arrays");

  std::string shuffled = "v0 = f32[5,7,11] parameter(0)\n";
  for (int i = 1; i <= 40; ++i) {
    absl::StrAppend(&shuffled, "t", i, " = f32[11,5,7] transpose(v", i - 1,
                    "), dimensions={2,0,1}\nv", i, " = f32[5,7,11] reshape(t", i, ")\n");
  }
  EXPECT_EQ(reason_of_root(shuffled), "a map of too many terms");
}

// A chain of eight operations, each with a map of its own.
TEST(IndexingLimits, ASliceOfTooManyTermsIsASuperset) {
  std::string text = "p0 = f32[6,10] parameter(0)\n";
  for (int i = 0; i < 4; ++i) {
    absl::StrAppend(&text, "t", i, " = f32[10,6] transpose(p", i, "), dimensions={1,0}\np", i + 1,
                    " = f32[6,10] reshape(t", i, ")\n");
  }
  const HloModule module = module_of(text);
  const auto reason = [&](int64_t most_terms) {
    const Summaries summaries(1);
    ComputationDependences dependences(module, 0, summaries);
    const absl::StatusOr<Dependences> found =
        backward_slice(dependences, 8, 0, nullptr, most_terms);
    EXPECT_EQ(found->dependences.size(), 1);
    const AccessRelation& relation = *found->dependences.front().relation;
    EXPECT_EQ(relation.universe, relation.inexact);
    return relation.reason;
  };
  EXPECT_EQ(reason(kMostTerms), "");
  EXPECT_EQ(reason(50), "a computation of too many terms");
  EXPECT_EQ(reason(0), "a computation of too many terms");
}

// A step that composes no map counts as one term: here, four terms of sums and three arrays that
// only the root moves.
TEST(IndexingLimits, StepsWithoutANewMapTakeOneTerm) {
  const HloModule module = module_of(
      "p = f32[3,5] parameter(0)\n"
      "q = f32[3,5] parameter(1)\n"
      "r = f32[3,5] parameter(2)\n"
      "s = f32[5,3] transpose(p), dimensions={1,0}\n"
      "t = f32[5,3] transpose(q), dimensions={1,0}\n"
      "u = f32[5,3] transpose(r), dimensions={1,0}\n"
      "v = f32[5,3] add(s, t)\n"
      "w = f32[5,3] add(v, u)");
  const auto inexact = [&](int64_t most_terms) {
    const Summaries summaries(1);
    ComputationDependences dependences(module, 0, summaries);
    const absl::StatusOr<Dependences> found =
        backward_slice(dependences, 7, 0, nullptr, most_terms);
    return std::ranges::count_if(found->dependences, [](const Dependence& dependence) {
      return dependence.relation->inexact;
    });
  };
  EXPECT_EQ(inexact(6), 0);
  EXPECT_EQ(inexact(5), 1);
}

int64_t work_of(const HloModule& module, int32_t instruction) {
  const Summaries summaries(1);
  ComputationDependences dependences(module, 0, summaries);
  int64_t work = 0;
  EXPECT_TRUE(backward_slice(dependences, instruction, 0, &work).ok());
  return work;
}

// Each composed map adds terms. A long path without maps adds work, too, but less than a term for
// each instruction.
TEST(IndexingLimits, TheWorkOfABackwardSliceGrowsWithItsMapsAndItsLength) {
  constexpr int kSteps = 1600;
  std::string chain = "v0 = f32[8] parameter(0)\n", way = chain;
  for (int i = 1; i <= kSteps; ++i) {
    absl::StrAppend(&chain, "v", i, " = f32[8] reverse(v", i - 1, "), dimensions={0}\n");
    absl::StrAppend(&way, "v", i, " = f32[8] negate(v0)\n");
  }
  EXPECT_GT(work_of(module_of(chain), kSteps), 2 * kSteps);
  const HloModule module = module_of(way);
  EXPECT_GT(work_of(module, kSteps), work_of(module, 1));
  EXPECT_LT(work_of(module, kSteps), work_of(module, 1) + kSteps);
}

// The universe composed with a relation onto the operand stays the exact universe, without terms.
TEST(IndexingLimits, TheUniverseNeedsNoTerms) {
  const HloModule module = module_of(
      "HloModule m\n"
      "add {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT z = f32[] add(x, y)\n}\n"
      "ENTRY e {\n"
      "  q = f32[4] parameter(0)\n"
      "  k = f32[4] parameter(1)\n"
      "  i = f32[] constant(0)\n"
      "  m = f32[4] reverse(q), dimensions={0}\n"
      "  s = f32[] reduce(m, i), dimensions={0}, to_apply=add\n"
      "  c = f32[4] reverse(k), dimensions={0}\n"
      "  b = f32[4] broadcast(s), dimensions={}\n"
      "  ROOT r = f32[4] add(b, c)\n}");
  const Summaries summaries(module.computations.size());
  ComputationDependences dependences(module, module.entry, summaries);
  const int32_t root = module.computations[module.entry].root;
  const absl::StatusOr<Dependences> found = backward_slice(dependences, root, 0, nullptr, 2);
  ASSERT_TRUE(found.ok()) << found.status();
  for (const Dependence& dependence : found->dependences) {
    EXPECT_EQ(dependence.relation->reason, "") << dependence.operand;
    EXPECT_EQ(dependence.relation->universe, dependence.operand == 0) << dependence.operand;
  }
  EXPECT_EQ(found->dependences.size(), 2);
}

// The root has three equal leaves. The third is not begun if the first two exceed the limit.
TEST(IndexingLimits, LeavesOfARootAreBegunUntilTheWorkExceedsTheLimit) {
  const HloModule module = module_of(
      "p = f32[8] parameter(0)\nq = f32[8] reverse(p), dimensions={0}\n"
      "ROOT r = (f32[8], f32[8], f32[8]) tuple(q, q, q)");
  const Summaries summaries(module.computations.size());
  ComputationDependences dependences(module, 0, summaries);
  int64_t work = 0;
  ASSERT_TRUE(backward_slice(dependences, 2, 0, &work).ok());
  const auto left_out = [&module](int64_t most) {
    return index_module(
               module, [](int32_t, int32_t, const DataflowClass&) {}, most)
        .leaves_left_out;
  };
  EXPECT_EQ(left_out(work - 1), 2);
  EXPECT_EQ(left_out(work), 1);
  EXPECT_EQ(left_out(2 * work), 0);
}

// Four slices of an array of 51 dimensions after 6200 transposes: about 3 million terms for each
// leaf of the root. Nothing calls the computation, so no leaf is begun after 5 million terms.
TEST(IndexingLimits, LeavesOfARootAreLeftOutAfterManyTerms) {
  std::string twos, whole, order = "0";
  for (int d = 1; d <= 50; ++d) {
    absl::StrAppend(&twos, ",2");
    absl::StrAppend(&whole, ",[0:2]");
    absl::StrAppend(&order, ",", d % 50 + 1);
  }
  const std::string part = absl::StrCat("f32[4", twos, "]");
  std::string text = absl::StrCat("v0 = f32[8", twos, "] parameter(0)\n");
  for (int i = 1; i <= 6200; ++i) {
    absl::StrAppend(&text, "v", i, " = f32[8", twos, "] transpose(v", i - 1, "), dimensions={",
                    order, "}\n");
  }
  for (int i = 0; i < 4; ++i) {
    absl::StrAppend(&text, "s", i, " = ", part, " slice(v6200), slice={[", i, ":", i + 4, "]",
                    whole, "}\n");
  }
  absl::StrAppend(&text, "a = ", part, " add(s0, s1)\nb = ", part, " add(s2, s3)\nc = ", part,
                  " add(a, b)\nROOT r = (", part, ", ", part, ", ", part, ") tuple(c, c, c)");
  const ModuleIndexing found = index_module(module_of(text));
  EXPECT_EQ(found.leaves_left_out, 1);
  EXPECT_EQ(found.composed_maps, 2 * 4);
}

// The dependences of the only result on the parameters.
absl::StatusOr<Dependences> traced(const HloModule& module) {
  const Summaries summaries(module.computations.size());
  ComputationDependences dependences(module, module.entry, summaries);
  return backward_slice(dependences, module.computations[module.entry].root, 0);
}

// d0 + .. + d0 takes a term for each addition and one for d0; the second relation adds a constant.
TEST(IndexingLimits, AMapAtTheLimitOfTermsIsExact) {
  const auto composed = [](int additions) {
    MapBuilder sum({64}), pair({1000 * 64});
    NodeId all = sum.dimension(0);
    for (int i = 0; i < additions; ++i) all = sum.plus(all, sum.dimension(0));
    sum.result(all);
    pair.result(pair.dimension(0));
    pair.result(pair.constant(0));
    AccessRelation first, second;
    first.map = sum.take();
    first.rank = 1;
    second.map = pair.take();
    second.rank = 2;
    const Dims x = {64}, y = {1000 * 64}, z = {1000 * 64, 1};
    return *compose(finish(first, x, y), finish(second, y, z), x, y, z);
  };
  const AccessRelation largest = composed(598);
  EXPECT_EQ(largest.map.nodes.size(), kMaxNodes);
  EXPECT_FALSE(largest.inexact);
  EXPECT_EQ(composed(599).reason, "a map of too many terms");
}

// The constants, which are larger than the numbers of the variables, do not change.
TEST(IndexingLimits, RuntimeVariablesBeyondTheLimitAreRanges) {
  const absl::StatusOr<Dependences> found = traced(
      module_of("p = f32[60,4,4,4,4,4,4] parameter(0)\nv = s32[7] parameter(1)\n"
                "w = s32[7] parameter(2)\na = f32[50,3,3,3,3,3,3] dynamic-slice(p, v), "
                "dynamic_slice_sizes={50,3,3,3,3,3,3}\nb = f32[30,3,3,3,3,3,3] slice(a), "
                "slice={[20:50],[0:3],[0:3],[0:3],[0:3],[0:3],[0:3]}\nROOT r = "
                "f32[1,1,1,1,1,1,1] dynamic-slice(b, w), dynamic_slice_sizes={1,1,1,1,1,1,1}"));
  ASSERT_TRUE(found.ok()) << found.status();
  const AccessRelation& relation = *found->dependences.front().relation;
  EXPECT_EQ(relation.reason, "more than 12 runtime variables in one map");
  EXPECT_EQ(relation.runtime.size(), kMaxRuntime);
  EXPECT_EQ(relation.map.runtime.size(), kMaxRuntime);
  EXPECT_EQ(relation.map.results.size(), 7 + kMaxRuntime);
  EXPECT_THAT(to_text(relation.map), testing::HasSubstr("rt0 + rt7 + 20"));
}

}  // namespace
}  // namespace tileproof::impl
