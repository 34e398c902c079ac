// SPDX-License-Identifier: Apache-2.0
#include "impl/access/kernel_traffic.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "impl/hlo/indexing_testing.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::impl {
namespace {

// One line for each array of the entry's root: "result: 4 accesses, 4 transactions, at most 1, 128
// elements of 32 bits".
std::string traffic_of(const std::string& text, const std::string& threads, int32_t output = 0,
                       const Warps& warps = {}) {
  const HloModule module = module_of(text);
  IndexingAnalysis analysis(module);
  const auto all =
      kernel_traffic(analysis, module, module.entry, module.computations[module.entry].root, output,
                     parse_map(threads).value(), warps);
  if (!all.ok()) return std::string(all.status().message());
  std::string lines;
  for (const KernelTraffic& one : *all) {
    absl::StrAppend(&lines, one.name, ": ");
    if (one.accesses) {
      absl::StrAppend(&lines, one.accesses->accesses, " accesses, ", one.accesses->transactions,
                      " transactions, at most ", one.accesses->most, ", ", one.accesses->elements,
                      " elements of ", one.bits, " bits\n");
    } else {
      absl::StrAppend(&lines, one.why, ", ", one.bits, " bits\n");
    }
  }
  return lines;
}

constexpr char kRows[] = "(th_x, bl_x) -> (bl_x, th_x), domain: th_x in [0, 31], bl_x in [0, 3]";

// A warp writes a row of 128 bytes, which lies in four transactions of 32, and reads a column.
TEST(KernelTraffic, ATransposeReadsColumns) {
  EXPECT_EQ(
      traffic_of("p = f32[32,4] parameter(0)\nt = f32[4,32] transpose(p), dimensions={1,0}", kRows),
      "result: 4 accesses, 16 transactions, at most 4, 128 elements of 32 bits\n"
      "operand 0, p: 4 accesses, 64 transactions, at most 16, 128 elements of 32 bits\n");
}

TEST(KernelTraffic, TheWidthOfElementsAndOfTransactionsCounts) {
  const std::string text = "p = f16[4,32] parameter(0)\nn = f16[4,32] negate(p)";
  EXPECT_EQ(traffic_of(text, kRows),
            "result: 4 accesses, 8 transactions, at most 2, 128 elements of 16 bits\n"
            "operand 0, p: 4 accesses, 8 transactions, at most 2, 128 elements of 16 bits\n");
  EXPECT_EQ(traffic_of(text, kRows, 0, {.warp = 16, .width = 64}),
            "result: 8 accesses, 8 transactions, at most 1, 128 elements of 16 bits\n"
            "operand 0, p: 8 accesses, 8 transactions, at most 1, 128 elements of 16 bits\n");
  EXPECT_EQ(
      traffic_of("p = s4[4,32]{1,0:E(4)} parameter(0)\nn = s4[4,32]{1,0:E(4)} negate(p)", kRows),
      "result: 4 accesses, 4 transactions, at most 1, 128 elements of 4 bits\n"
      "operand 0, p: 4 accesses, 4 transactions, at most 1, 128 elements of 4 bits\n");
}

// Each map is a separate access; the counts are sums, `most` is the largest. Rows that begin with
// column 1 lie in five transactions, those that begin with column 0 in four.
TEST(KernelTraffic, AnOperandThatIsReadThroughTwoMaps) {
  for (const auto& [first, second] :
       {std::pair("[0:32]", "[1:33]"), std::pair("[1:33]", "[0:32]")}) {
    const std::string text = absl::StrCat(
        "f {\n q = f32[9,40] parameter(0)\n a = f32[4,32] slice(q), slice={[0:4], ", first,
        "}\n b = f32[4,32] slice(q), slice={[5:9], ", second,
        "}\n ROOT c = f32[4,32] add(a, b)\n}\nENTRY e {\n p = f32[9,40] parameter(0)\n ROOT m = "
        "f32[4,32] fusion(p), kind=kLoop, calls=f\n}");
    EXPECT_EQ(traffic_of(text, kRows),
              "result: 4 accesses, 16 transactions, at most 4, 128 elements of 32 bits\n"
              "operand 0, p: 8 accesses, 36 transactions, at most 5, 256 elements of 32 bits\n");
  }
}

// Four maps of an array: the sum of the elements, or of the transactions, needs 64 bits.
TEST(KernelTraffic, SumsThatNeed64BitsAreNotCounted) {
  const auto four_times = [](const std::string& type, int64_t last, const Warps& warps) {
    const std::string array = type + "[2,2]";
    return traffic_of(
        absl::StrCat("g {\n q = ", array, " parameter(0)\n r = ", array,
                     " reverse(q), dimensions={0}\n s = ", array, " add(q, r)\n t = ", array,
                     " reverse(s), dimensions={1}\n ROOT a = ", array,
                     " add(s, t)\n}\nENTRY e {\n p = ", array, " parameter(0)\n ROOT f = ", array,
                     " fusion(p), kind=kLoop, calls=g\n}"),
        absl::StrCat("(th_x, bl_y) -> (0, th_x), domain: th_x in [0, ", last,
                     "], bl_y in [0, 1152921504606846976]"),
        0, warps);
  };
  EXPECT_EQ(four_times("f32", 1, {}),
            "result: 1152921504606846977 accesses, 1152921504606846977 transactions, at most 1, "
            "2305843009213693954 elements of 32 bits\n"
            "operand 0, p: more than 63 bits, 32 bits\n");
  EXPECT_EQ(four_times("c128", 0, {.warp = 32, .width = 8}),
            "result: 1152921504606846977 accesses, 2305843009213693954 transactions, at most 2, "
            "1152921504606846977 elements of 128 bits\n"
            "operand 0, p: more than 63 bits, 128 bits\n");
}

// Threads beyond the array do nothing.
TEST(KernelTraffic, OnlyElementsOfTheArrayAreAccessed) {
  EXPECT_EQ(traffic_of("p = f32[20] parameter(0)\nn = f32[20] negate(p)",
                       "(th_x) -> (th_x), domain: th_x in [0, 31]"),
            "result: 1 accesses, 3 transactions, at most 3, 20 elements of 32 bits\n"
            "operand 0, p: 1 accesses, 3 transactions, at most 3, 20 elements of 32 bits\n");
}

TEST(KernelTraffic, OnlyOperandsWithDependencesAreListed) {
  EXPECT_EQ(
      traffic_of(
          "p = f32[4,32] parameter(0)\nq = f32[4,32] parameter(1)\n"
          "t = (f32[4,32], f32[4,32]) tuple(p, q)\ng = f32[4,32] get-tuple-element(t), index=1",
          kRows),
      "result: 4 accesses, 16 transactions, at most 4, 128 elements of 32 bits\n"
      "operand 0, t#1: 4 accesses, 16 transactions, at most 4, 128 elements of 32 bits\n");
  EXPECT_EQ(traffic_of("p = f32[4,32] parameter(0)\nq = f32[2] parameter(1)\n"
                       "t = (f32[2], f32[4,32]) tuple(q, p)",
                       kRows, 1),
            "result: 4 accesses, 16 transactions, at most 4, 128 elements of 32 bits\n"
            "operand 1, p: 4 accesses, 16 transactions, at most 4, 128 elements of 32 bits\n");
}

TEST(KernelTraffic, OffsetsThatAreNotKnownAreNotCounted) {
  EXPECT_EQ(traffic_of("p = f32[9,32] parameter(0)\ni = s32[] parameter(1)\nz = s32[] constant(0)\n"
                       "d = f32[4,32] dynamic-slice(p, i, z), dynamic_slice_sizes={4,32}",
                       kRows),
            "result: 4 accesses, 16 transactions, at most 4, 128 elements of 32 bits\n"
            "operand 0, p: it depends on the values of offsets, 32 bits\n"
            "operand 1, i: 4 accesses, 4 transactions, at most 1, 4 elements of 32 bits\n"
            "operand 2, z: 4 accesses, 4 transactions, at most 1, 4 elements of 32 bits\n");
}

TEST(KernelTraffic, ErrorsOfTheMapAndOfTheModuleArePassedOn) {
  const std::string text = "p = f32[4,32] parameter(0)\nn = f32[4,32] negate(p)";
  EXPECT_EQ(traffic_of(text, "(th_x) -> (th_x), domain: th_x in [0, 31]"),
            "thread map: expected 2 results, found 1");
  EXPECT_EQ(traffic_of("p = f32[4,32] parameter(0)\nn = f32[4,33] negate(p)", kRows),
            "n: expected operand 0 of dimensions [4,33], found [4,32]");
}

}  // namespace
}  // namespace tileproof::impl
