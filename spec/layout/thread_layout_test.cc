// SPDX-License-Identifier: Apache-2.0
#include "spec/layout/thread_layout.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace tileproof::spec {
namespace {

constexpr char kMma2[] =
    "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, "
    "8]}>";

ThreadLayout layout_of(const std::string& text) {
  const absl::StatusOr<ThreadLayout> layout = parse_thread_layout(text);
  EXPECT_TRUE(layout.ok()) << layout.status() << " " << text;
  return layout.value_or(ThreadLayout{});
}

Dims held(const ThreadLayout& layout, const Place& place) {
  const absl::StatusOr<Dims> index = held_at(layout, place);
  EXPECT_TRUE(index.ok()) << index.status();
  return index.value_or(Dims{});
}

Place sizes(const ThreadLayout& layout) { return place_sizes(layout).value_or(Place{}); }

// PTX ISA, "Matrix fragments for mma.m16n8k16": the accumulators c0 to c3.
TEST(ThreadLayoutSpec, AccumulatorsOfMma) {
  const ThreadLayout layout = layout_of(absl::StrCat("tensor<16x8xf32, ", kMma2, ">"));
  EXPECT_EQ(sizes(layout), (Place{4, 32, 1, 1}));
  for (int64_t i = 0; i < 4; ++i) {
    for (int64_t lane = 0; lane < 32; ++lane) {
      const int64_t group = lane / 4, in_group = lane % 4;
      EXPECT_EQ(held(layout, {i, lane, 0, 0}),
                (Dims{i < 2 ? group : group + 8, in_group * 2 + i % 2}));
    }
  }
}

// The same page: a0 to a7 of f16, and b0 to b3.
TEST(ThreadLayoutSpec, OperandsOfMma) {
  const ThreadLayout a = layout_of(absl::StrCat(
      "tensor<16x16xf16, #ttg.dot_op<{opIdx = 0, parent = ", kMma2, ", kWidth = 2}>>"));
  const ThreadLayout b = layout_of(
      absl::StrCat("tensor<16x8xf16, #ttg.dot_op<{opIdx = 1, parent = ", kMma2, ", kWidth = 2}>>"));
  EXPECT_EQ(sizes(a), (Place{8, 32, 1, 1}));
  EXPECT_EQ(sizes(b), (Place{4, 32, 1, 1}));
  for (int64_t lane = 0; lane < 32; ++lane) {
    const int64_t group = lane / 4, in_group = lane % 4;
    for (int64_t i = 0; i < 8; ++i) {
      const bool is_upper = i < 2 || (i >= 4 && i < 6);
      EXPECT_EQ(held(a, {i, lane, 0, 0}),
                (Dims{is_upper ? group : group + 8, in_group * 2 + i % 2 + (i >= 4 ? 8 : 0)}));
    }
    for (int64_t i = 0; i < 4; ++i)
      EXPECT_EQ(held(b, {i, lane, 0, 0}), (Dims{in_group * 2 + i % 2 + (i >= 2 ? 8 : 0), group}));
  }
}

// Warps along n hold the same part of A, and warps along m the same of B.
TEST(ThreadLayoutSpec, WarpsOfOperands) {
  const std::string parent =
      "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = "
      "[16, "
      "8]}>";
  const ThreadLayout a = layout_of(absl::StrCat(
      "tensor<32x16xf16, #ttg.dot_op<{opIdx = 0, parent = ", parent, ", kWidth = 2}>>"));
  const ThreadLayout b = layout_of(absl::StrCat(
      "tensor<16x16xf16, #ttg.dot_op<{opIdx = 1, parent = ", parent, ", kWidth = 2}>>"));
  EXPECT_EQ(held(a, {0, 0, 1, 0}), (Dims{0, 0}));
  EXPECT_EQ(held(a, {0, 0, 2, 0}), (Dims{16, 0}));
  EXPECT_EQ(held(b, {0, 0, 1, 0}), (Dims{0, 8}));
  EXPECT_EQ(held(b, {0, 0, 2, 0}), (Dims{0, 0}));
}

// PTX ISA, "wgmma": the accumulators of m64nNk16; warp w has rows 16w to 16w + 15.
TEST(ThreadLayoutSpec, AccumulatorsOfWgmma) {
  const ThreadLayout layout = layout_of(
      "tensor<64x32xf32, #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, "
      "1], "
      "instrShape = [16, 32, 16]}>>");
  EXPECT_EQ(sizes(layout), (Place{16, 32, 4, 1}));
  for (int64_t i = 0; i < 16; ++i) {
    for (int64_t thread = 0; thread < 128; ++thread) {
      const int64_t row = thread / 32 * 16 + thread % 32 / 4 + (i / 2 % 2 == 0 ? 0 : 8);
      EXPECT_EQ(held(layout, {i, thread % 32, thread / 32, 0}),
                (Dims{row, i / 4 * 8 + thread % 4 * 2 + i % 2}));
    }
  }
}

// Warps of version 3 are numbered along m first, those of version 2 along n.
TEST(ThreadLayoutSpec, OrderOfWarps) {
  const ThreadLayout three = layout_of(
      "tensor<32x16xf32, #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [2, "
      "2], "
      "instrShape = [16, 8, 16]}>>");
  EXPECT_EQ(held(three, {0, 0, 1, 0}), (Dims{16, 0}));
  const ThreadLayout two = layout_of(
      "tensor<32x16xf32, #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, "
      "2], "
      "instrShape = [16, 8]}>>");
  EXPECT_EQ(held(two, {0, 0, 1, 0}), (Dims{0, 8}));
}

// AMD's matrix instruction calculator, v_mfma_f32_32x32x8f16: D[i][j] is in lane 32 * ((i / 4) mod 2)
// + j, register 4 * (i / 8) + i mod 4; in 16x16, in lane 16 * (i / 4) + j, register i mod 4.
TEST(ThreadLayoutSpec, AccumulatorsOfMfma) {
  for (const bool is_transposed : {false, true}) {
    for (const int64_t size : {32, 16}) {
      const ThreadLayout layout = layout_of(absl::StrCat(
          "tensor<", size, "x", size,
          "xf32, #ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 1], "
          "instrShape = [",
          size, ", ", size, "], isTransposed = ", is_transposed ? "true" : "false", "}>>"));
      for (int64_t i = 0; i < size; ++i) {
        for (int64_t j = 0; j < size; ++j) {
          const int64_t lane = size == 32 ? 32 * (i / 4 % 2) + j : 16 * (i / 4) + j;
          const int64_t r = size == 32 ? 4 * (i / 8) + i % 4 : i % 4;
          EXPECT_EQ(held(layout, {r, lane, 0, 0}), (is_transposed ? Dims{j, i} : Dims{i, j}));
        }
      }
    }
  }
}

// Triton's TritonGPUAttrDefs.td, BlockedEncodingAttr, the first example: 16x16 over two warps.
TEST(ThreadLayoutSpec, Blocked) {
  const ThreadLayout layout = layout_of(
      "tensor<16x16xf32, #ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [8, 4], "
      "warpsPerCTA "
      "= [1, 2], order = [1, 0]}>>");
  EXPECT_EQ(sizes(layout), (Place{4, 32, 2, 1}));
  EXPECT_EQ(held(layout, {0, 0, 0, 0}), (Dims{0, 0}));
  EXPECT_EQ(held(layout, {1, 0, 0, 0}), (Dims{0, 1}));
  EXPECT_EQ(held(layout, {2, 0, 0, 0}), (Dims{1, 0}));
  EXPECT_EQ(held(layout, {0, 1, 0, 0}), (Dims{0, 2}));
  EXPECT_EQ(held(layout, {0, 4, 0, 0}), (Dims{2, 0}));
  EXPECT_EQ(held(layout, {0, 0, 1, 0}), (Dims{0, 8}));
  EXPECT_EQ(held(layout, {3, 31, 1, 0}), (Dims{15, 15}));
}

// triton#1910: of 32x32, both warps of the second layout hold all, those of the first one do not.
TEST(ThreadLayoutSpec, WrapsAndRepeats) {
  const std::string threads = "threadsPerWarp = [4, 16], warpsPerCTA = [1, 2], order = [1, 0]}>>";
  const ThreadLayout source =
      layout_of("tensor<32x32xi32, #ttg.blocked<{sizePerThread = [1, 1], " + threads);
  const ThreadLayout target =
      layout_of("tensor<32x32xi32, #ttg.blocked<{sizePerThread = [1, 2], " + threads);
  EXPECT_EQ(holders_of(source, {5, 3}, 1 << 20).value(), (std::vector<Place>{{1, 19, 0, 0}}));
  EXPECT_EQ(holders_of(target, {5, 3}, 1 << 20).value(),
            (std::vector<Place>{{3, 17, 0, 0}, {3, 17, 1, 0}}));
  const ThreadLayout short_one = layout_of(
      "tensor<8xf32, #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [4], warpsPerCTA = [2], "
      "order "
      "= [0]}>>");
  EXPECT_EQ(holders_of(short_one, {3}, 1 << 20).value(),
            (std::vector<Place>{{1, 1, 0, 0}, {1, 1, 1, 0}}));
}

// Two blocks hold halves of the rows; the two others hold copies.
TEST(ThreadLayoutSpec, Blocks) {
  const ThreadLayout layout = layout_of(
      "tensor<8x4xf32, #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 4], warpsPerCTA "
      "= "
      "[1, 1], order = [1, 0], CTAsPerCGA = [2, 2], CTASplitNum = [2, 1], CTAOrder = [1, 0]}>>");
  EXPECT_EQ(sizes(layout), (Place{1, 16, 1, 4}));
  EXPECT_EQ(held(layout, {0, 0, 0, 1}), (Dims{0, 0}));
  EXPECT_EQ(held(layout, {0, 5, 0, 2}), (Dims{5, 1}));
}

// The slice of registers that hold one row's columns keeps one of each.
TEST(ThreadLayoutSpec, Slice) {
  const std::string parent =
      "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order "
      "= [1, "
      "0]}>";
  const ThreadLayout rows =
      layout_of(absl::StrCat("tensor<16xf32, #ttg.slice<{dim = 1, parent = ", parent, "}>>"));
  EXPECT_EQ(sizes(rows), (Place{2, 32, 1, 1}));
  EXPECT_EQ(held(rows, {1, 9, 0, 0}), (Dims{10}));
  EXPECT_EQ(holders_of(rows, {10}, 1 << 20).value(),
            (std::vector<Place>{{1, 8, 0, 0}, {1, 9, 0, 0}, {1, 10, 0, 0}, {1, 11, 0, 0}}));
  const ThreadLayout columns =
      layout_of(absl::StrCat("tensor<16xf32, #ttg.slice<{dim = 0, parent = ", parent, "}>>"));
  EXPECT_EQ(sizes(columns), (Place{4, 32, 1, 1}));
  EXPECT_EQ(held(columns, {3, 9, 0, 0}), (Dims{7}));
}

TEST(ThreadLayoutSpec, LinearIsExclusiveOr) {
  const ThreadLayout layout = layout_of(
      "#ttg.linear<{register = [[0, 1], [2, 2]], lane = [[1, 0], [3, 3]], warp = [[0, 0]], block = "
      "[]}>");
  EXPECT_EQ(layout.dims, (Dims{4, 4}));
  EXPECT_EQ(held(layout, {3, 3, 1, 0}), (Dims{0, 0}));  // 0^2^1^3, 1^2^0^3
  EXPECT_EQ(held(layout, {2, 1, 0, 0}), (Dims{3, 2}));
}

TEST(ThreadLayoutSpec, NamesOfLayouts) {
  const ThreadLayout layout = layout_of(
      "#blocked = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [2, 2], warpsPerCTA = [1, "
      "1], "
      "order = [0, 1]}>\n#smem = #ttg.other\ntensor<8xf32, #ttg.slice<{dim = 0, parent = "
      "#blocked}>>");
  EXPECT_EQ(held(layout, {3, 2, 0, 0}), (Dims{7}));
}

// The accumulators of mma.m16n8 as CuTe writes them: SM80_16x8_Row, ((4,8),(2,2)):((32,1),(16,8)).
TEST(ThreadLayoutSpec, ThreadsAndValues) {
  const ThreadLayout layout = layout_of("tv:((4,8),(2,2)):((32,1),(16,8)):f32[16,8]");
  EXPECT_EQ(sizes(layout), (Place{4, 32, 1, 1}));
  for (int64_t i = 0; i < 4; ++i) {
    for (int64_t lane = 0; lane < 32; ++lane) {
      EXPECT_EQ(held(layout, {i, lane, 0, 0}), (Dims{lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2}));
    }
  }
  EXPECT_EQ(sizes(layout_of("tv:(128,3):(3,1):f32[384]")), (Place{3, 32, 4, 1}));
  EXPECT_EQ(sizes(layout_of("tv:(12,3):(3,1):f32[36]")), (Place{3, 12, 1, 1}));
  EXPECT_EQ(held(layout_of("tv:(128,3):(3,1):f32[384]"), {2, 1, 1, 0}), (Dims{101}));
}

// JAX's fragmented_array.py, the example of TiledLayout: wgmma's accumulators of 128x128.
TEST(ThreadLayoutSpec, TiledLayout) {
  const ThreadLayout layout = layout_of(
      "TiledLayout(tiling=Tiling(tiles=((64, 8), (16, 8), (8, 8), (1, 2))), warp_dims=(-8,), "
      "lane_dims=(-4, -3), vector_dim=-1):f32[128,128]");
  EXPECT_EQ(sizes(layout), (Place{128, 32, 4, 1}));
  // Registers (2, 16, 1, 1, 2, 1, 1, 1, 1, 1) of 2 elements, row-major.
  for (int64_t r = 0; r < 128; ++r) {
    for (int64_t lane = 0; lane < 32; ++lane) {
      const Dims expected = {r / 64 * 64 + 3 * 16 + r / 2 % 2 * 8 + lane / 4,
                             r / 4 % 16 * 8 + lane % 4 * 2 + r % 2};
      EXPECT_EQ(held(layout, {r, lane, 3, 0}), expected);
    }
  }
  const ThreadLayout rows = layout_of(
      "TiledLayout(Tiling((64,)(16,)(8,)(1,)), warp_dims=(-4,), lane_dims=(-2, "
      "Replicated(times=4)), vector_dim=-1)");
  EXPECT_EQ(sizes(rows), (Place{2, 32, 4, 1}));
  EXPECT_EQ(held(rows, {1, 9, 2, 0}), (Dims{42}));
}

void expect_error(const std::string& text, const std::string& part) {
  const absl::StatusOr<ThreadLayout> layout = parse_thread_layout(text);
  ASSERT_FALSE(layout.ok()) << text;
  EXPECT_NE(std::string(layout.status().message()).find(part), std::string::npos)
      << layout.status() << "\n"
      << text;
}

TEST(ThreadLayoutSpec, Errors) {
  const std::string start = "tensor<8xf32, #ttg.blocked<{sizePerThread = [1], ";
  expect_error(start + "threadsPerWarp = [4], order = [0]}>>",
               "expected the parameter warpsPerCTA");
  expect_error(start + "threadsPerWarp = [3], warpsPerCTA = [1], order = [0]}>>", "powers of two");
  expect_error(start + "threadsPerWarp = [4], warpsPerCTA = [1], order = [1]}>>",
               "each dimension once in order");
  expect_error(start + "threadsPerWarp = [4], warpsPerCTA = [1], order = [0], swizzle = 3}>>",
               "the parameter swizzle is not supported");
  expect_error(start + "threadsPerWarp = [4, 1], warpsPerCTA = [1], order = [0]}>>",
               "a number for each dimension in threadsPerWarp");
  expect_error(
      "tensor<8x8xf32, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [4], warpsPerCTA = "
      "[1], order = [0]}>>",
      "expected a tensor of 1 dimensions");
  expect_error("tensor<6xf32, #ttg.linear<{register = [[1]], lane = [], warp = []}>>",
               "sizes that are powers of two");
  expect_error("tensor<8xf32, #ttg.dpas<{repeatCount = 8}>>", "expected one of #ttg.linear");
  expect_error("tensor<8xf32, #other>", "a name that a line before defines, found '#other'");
  expect_error(
      "#ttg.slice<{dim = 0, parent = #ttg.linear<{register = [[1, 0]], lane = [], warp = []}>}>",
      "a tensor around the layout");
  expect_error(
      "tensor<16x16xf32, #ttg.nvidia_mma<{versionMajor = 5, versionMinor = 0, warpsPerCTA = "
      "[1, 1], instrShape = [16, 8]}>>",
      "versionMajor = 5 is not supported");
  expect_error("tv:(4,2):(2,1)", "an array, such as :f32[16,8]");
  expect_error("tv:(4,2):(2,1):f32[7]", "expected numbers of the 7 elements of the array, found 7");
  expect_error("tv:8:1:f32[8]", "a layout of two modes");
  expect_error("TiledLayout(Tiling((64,)), warp_dims=(-1,), lane_dims=(-1,), vector_dim=-1)",
               "warp_dims of 4 warps in all");
  EXPECT_FALSE(
      place_sizes(layout_of("tensor<2xf32, #ttg.linear<{register = [[4]], lane = [], warp = "
                            "[]}>>"))
          .ok());
}

}  // namespace
}  // namespace tileproof::spec
