// SPDX-License-Identifier: Apache-2.0
// Loops that run few times, and that do not do what scans do.
#include "impl/hlo/operations/unrolled_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "impl/hlo/indexing.h"
#include "impl/hlo/indexing_testing.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::impl {
namespace {

using testing::ElementsAre;

// The maps from x after the loop to x before it, sorted. `body` makes y of x, in iteration i = 0, 1, .. of
// so many; j is any integer.
std::vector<std::string> looped(const std::string& body, int64_t trips,
                                const std::string& shape = "f32[10]") {
  const std::string state = absl::StrCat("(s32[], ", shape, ", s32[])");
  const HloModule module = module_of(absl::StrCat(
      "body { s = ", state, " parameter(0)\n i = s32[] get-tuple-element(s), index=0\n x = ", shape,
      " get-tuple-element(s), index=1\n j = s32[] get-tuple-element(s), index=2\n",
      " one = s32[] constant(1)\n n = s32[] add(i, one)\n ", body, "\n ROOT r = ", state,
      " tuple(n, y, j) }\ncond { s = ", state,
      " parameter(0)\n i = s32[] get-tuple-element(s), index=0\n limit = s32[] constant(", trips,
      ")\n ROOT p = pred[] compare(i, limit), direction=LT }\nENTRY e { x = ", shape,
      " parameter(0)\n j = s32[] parameter(1)\n i = s32[] constant(0)\n t = ", state,
      " tuple(i, x, j)\n w = ", state, " while(t), condition=cond, body=body\n ROOT r = ", shape,
      " get-tuple-element(w), index=1 }"));
  IndexingAnalysis analysis(module);
  const auto found = analysis.computation(module.entry, module.computations[module.entry].root);
  EXPECT_TRUE(found.ok()) << found.status();
  std::vector<std::string> maps;
  if (!found.ok()) return maps;
  const LeafMaps& list = (*found)[0][0];
  for (const IndexedMap& one : list.maps) maps.push_back(to_text(one.map));
  std::ranges::sort(maps);
  if (list.inexact) return {"a superset"};
  return maps;
}

constexpr char kReverse[] = "y = f32[10] reverse(x), dimensions={0}";
constexpr char kRotate[] =
    "a = f32[7] slice(x), slice={[3:10]}\n b = f32[3] slice(x), slice={[0:3]}\n"
    " y = f32[10] concatenate(a, b), dimensions={0}";

TEST(UnrolledLoop, TheBodyIsComposedOnceForEachIteration) {
  EXPECT_THAT(looped(kReverse, 1), ElementsAre("(d0) -> (-d0 + 9), domain: d0 in [0, 9]"));
  EXPECT_THAT(looped(kReverse, 2), ElementsAre("(d0) -> (d0), domain: d0 in [0, 9]"));
  EXPECT_THAT(looped(kReverse, 7), ElementsAre("(d0) -> (-d0 + 9), domain: d0 in [0, 9]"));
  EXPECT_THAT(looped(kReverse, 8), ElementsAre("(d0) -> (d0), domain: d0 in [0, 9]"));
  EXPECT_THAT(looped(kReverse, 9), ElementsAre("a superset"));
  EXPECT_THAT(looped(kRotate, 2), ElementsAre("(d0) -> (d0 + 6), domain: d0 in [0, 3]",
                                              "(d0) -> (d0 - 4), domain: d0 in [4, 6]",
                                              "(d0) -> (d0 - 4), domain: d0 in [7, 9]"));
}

TEST(UnrolledLoop, OffsetsHaveTheirValueOfEachIteration) {
  const std::string at =
      "a = f32[2] dynamic-slice(x, i), dynamic_slice_sizes={2}\n"
      " b = f32[8] slice(x), slice={[0:8]}\n"
      " y = f32[10] concatenate(a, b), dimensions={0}";
  // First y is x[0], x[1], x[0], .., x[7]; then z is y[1], y[2], y[0], .., y[7].
  EXPECT_THAT(looped(at, 2),
              ElementsAre("(d0) -> (0), domain: d0 in [1, 1]", "(d0) -> (1), domain: d0 in [0, 0]",
                          "(d0) -> (d0 - 2), domain: d0 in [2, 3]",
                          "(d0) -> (d0 - 4), domain: d0 in [4, 9]"));
  const std::string clamped =
      "k = s32[] multiply(i, one)\n c = s32[] constant(100)\n"
      " m = s32[] add(k, c)\n"
      " a = f32[2] dynamic-slice(x, m), dynamic_slice_sizes={2}\n"
      " b = f32[8] slice(x), slice={[0:8]}\n"
      " y = f32[10] concatenate(a, b), dimensions={0}";
  EXPECT_THAT(looped(clamped, 1), ElementsAre("(d0) -> (d0 + 8), domain: d0 in [0, 1]",
                                              "(d0) -> (d0 - 2), domain: d0 in [2, 9]"));
}

TEST(UnrolledLoop, OffsetsThatAreNoCountersMakeASuperset) {
  EXPECT_THAT(looped("a = f32[2] dynamic-slice(x, j), dynamic_slice_sizes={2}\n"
                     " b = f32[8] slice(x), slice={[0:8]}\n"
                     " y = f32[10] concatenate(a, b), dimensions={0}",
                     2),
              ElementsAre("a superset"));
}

}  // namespace
}  // namespace tileproof::impl
