// Coalescing: written examples, arrays too large to look at each thread, and random kernels of
// random HLO against the reference.
#include "impl/coalescing.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "fuzz/choose.h"
#include "fuzz/gen_hlo.h"
#include "spec/coalescing.h"
#include "spec/lang/hlo_text.h"
#include "spec/lang/map_text.h"
#include "spec/lang/shape_text.h"
#include "verify/coalescing_compare.h"

namespace tileproof::verify {
namespace {

constexpr char kRows[] =
    "(th_x, bl_x)[s0] -> (bl_x * 4 + s0, th_x), "
    "domain: th_x in [0, 127], bl_x in [0, 31], s0 in [0, 3]";
constexpr char kSame[] = "(d0, d1) -> (d0, d1), domain: d0 in [0, 127], d1 in [0, 127]";
constexpr char kSwapped[] = "(d0, d1) -> (d1, d0), domain: d0 in [0, 127], d1 in [0, 127]";

// "accesses transactions most elements", the same by the reference where `compare`.
std::string counted(absl::string_view threads, absl::string_view access, absl::string_view array,
                    int64_t width = 32, bool compare = true) {
  const auto text = [](const auto& a) {
    if (!a.ok()) return std::string(a.status().message());
    return absl::StrCat(a->accesses, " ", a->transactions, " ", a->most, " ", a->elements);
  };
  const IndexingMap t = *parse_map(threads), m = *parse_map(access);
  const Shape shape = *parse_shape(array);
  const std::string found = text(impl::count_transactions(t, m, shape, {32, width}));
  if (compare) {
    EXPECT_EQ(found, text(spec::count_transactions(t, m, shape, {32, width}, 1'000'000)));
  }
  return found;
}

TEST(CoalescingTest, NeighboursShareTransactions) {
  EXPECT_EQ(counted(kRows, kSame, "f32[128,128]{1,0}"), "512 2048 4 16384");
  EXPECT_EQ(counted(kRows, kSame, "f32[128,128]{1,0}", 128), "512 512 1 16384");
  EXPECT_EQ(counted(kRows, kSame, "s8[128,128]{1,0}"), "512 512 1 16384");
}

TEST(CoalescingTest, WhatIsNoMapOfThreadsIsRefusedByBothInTheSameWords) {
  constexpr char kLine[] = "(d0) -> (d0), domain: d0 in [0, 127]";
  for (const auto& [threads, message] :
       {std::pair("(d0) -> (d0), domain: d0 in [0, 127]",
                  "thread map: expected six dimensions, or the names th_x, .., bl_z, found 1 "
                  "dimensions without these names"),
        {"(th_x, row) -> (th_x), domain: th_x in [0, 127], row in [0, 1]",
         "thread map: expected th_x, th_y, th_z, bl_x, bl_y or bl_z, found 'row'"},
        {"(th_x) -> (th_x), domain: th_x in [1, 127]",
         "thread map: expected bounds of th_x that begin with 0"},
        {"(th_x){rt0} -> (th_x), domain: th_x in [0, 127], rt0 in [0, 0]",
         "thread map: expected no runtime variables"},
        {"(th_x) -> (th_x, th_x), domain: th_x in [0, 127]",
         "thread map: expected 1 results, found 2"}}) {
    EXPECT_EQ(counted(threads, kLine, "f32[128]"), message) << threads;
  }
  EXPECT_EQ(counted("(th_x) -> (th_x), domain: th_x in [0, 127]", kLine, "f32[128]", 0, false),
            "expected a warp of 1 to 1024 threads and a width of 1 to 4096 bytes");
  EXPECT_EQ(spec::count_transactions(*parse_map("(th_x) -> (th_x), domain: th_x in [0, 127]"),
                                     *parse_map(kLine), *parse_shape("f32[128]"), {0, 32}, 1'000)
                .status(),
            absl::InvalidArgumentError("expected a warp and a width of at least 1"));
}

TEST(CoalescingTest, ATransposeReadsOneElementATransaction) {
  EXPECT_EQ(counted(kRows, kSwapped, "f32[128,128]{1,0}"), "512 16384 32 16384");
  EXPECT_EQ(counted(kRows, kSwapped, "f32[128,128]{0,1}"), "512 2048 4 16384");
}

TEST(CoalescingTest, TilesArePhysical) {
  EXPECT_EQ(counted(kRows, kSame, "f32[128,128]{1,0:T(8,128)}"), "512 2048 4 16384");
  // Pairs of rows are interleaved: a row takes twice the transactions.
  EXPECT_EQ(counted(kRows, kSame, "bf16[128,128]{1,0:T(8,128)(2,1)}"), "512 2048 4 16384");
  EXPECT_EQ(counted(kRows, kSame, "bf16[128,128]{1,0:T(8,128)}"), "512 1024 2 16384");
}

TEST(CoalescingTest, ABroadcastIsOneElement) {
  EXPECT_EQ(counted(kRows, "(d0, d1) -> (d0), domain: d0 in [0, 127], d1 in [0, 127]", "f32[128]"),
            "512 512 1 512");
}

TEST(CoalescingTest, AReductionReadsOnceForEachValueOfItsRange) {
  EXPECT_EQ(counted("(th_x) -> (th_x), domain: th_x in [0, 63]",
                    "(d0)[s0] -> (s0, d0), domain: d0 in [0, 63], s0 in [0, 9]", "f32[10,64]"),
            "20 80 4 640");
}

// Thread 3 does nothing; the warps stay where they are.
TEST(CoalescingTest, IdleThreadsKeepTheirPlaces) {
  EXPECT_EQ(counted("(th_x, th_y) -> (th_y * 3 + th_x), "
                    "domain: th_x in [0, 3], th_y in [0, 15], th_x in [0, 2]",
                    "(d0) -> (d0), domain: d0 in [0, 47]", "f32[48]"),
            "2 6 3 48");
}

TEST(CoalescingTest, LargeGridsAreCountedByRemainders) {
  EXPECT_EQ(counted("(th_x, bl_x)[s0] -> (bl_x * 512 + s0 * 128 + th_x), "
                    "domain: th_x in [0, 127], bl_x in [0, 8388607], s0 in [0, 3]",
                    "(d0) -> (d0), domain: d0 in [0, 4294967295]", "f32[4294967296]", 32, false),
            "134217728 536870912 4 4294967296");
  // Rows of 1001 elements begin at every remainder.
  EXPECT_EQ(counted("(th_x, bl_x) -> (bl_x, th_x), domain: th_x in [0, 31], bl_x in [0, 7999999]",
                    "(d0, d1) -> (d0, d1), domain: d0 in [0, 7999999], d1 in [0, 1000]",
                    "f32[8000000,1001]", 32, false),
            "8000000 39000000 5 256000000");
}

TEST(CoalescingTest, RandomKernelsAsTheReferenceCounts) {
  CoalescingComparison all;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    Choose choose(Choose::Random{seed});
    const GeneratedHlo hlo = generate_operation(choose);
    const absl::StatusOr<HloModule> module = parse_hlo_module(hlo.text);
    ASSERT_TRUE(module.ok()) << hlo.text;
    const CoalescingComparison found = compare_coalescing(
        *module, module->entry, module->computations[module->entry].root, choose);
    ASSERT_EQ(found.difference, "") << "seed " << seed << "\n" << hlo.text;
    all.equal += found.equal;
    all.accesses += found.accesses;
    all.uncounted += found.uncounted;
  }
  EXPECT_GT(all.equal, 1000);
  EXPECT_GT(all.accesses, 10 * all.equal);
  EXPECT_EQ(all.uncounted, 0);
}

}  // namespace
}  // namespace tileproof::verify
