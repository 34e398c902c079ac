// SPDX-License-Identifier: Apache-2.0
#include "spec/layout/thread_layout.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "corpus/answers_testing.h"

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

// The accumulators of mma.m16n8 as CuTe writes them: SM80_16x8_Row, ((4,8),(2,2)):((32,1),(16,8)).
TEST(ThreadLayoutSpec, ThreadsAndValues) {
  const ThreadLayout layout = layout_of("tv:((4,8),(2,2)):((32,1),(16,8)):f32[16,8]");
  EXPECT_EQ(sizes(layout), (Place{4, 32, 1, 1}));
  for (int64_t i = 0; i < 4; ++i) {
    for (int64_t lane = 0; lane < 32; ++lane) {
      EXPECT_EQ(held(layout, {i, lane, 0, 0}), (Dims{lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2}));
    }
  }
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
}

std::string listed(const Place& place) { return absl::StrJoin(place, ","); }

template <class Answer>  // of the layout and the numbers before it
std::string answer_of(absl::string_view text, const Answer& answer) {
  const auto [numbers, layout] = parts_of<2>(text);
  return answer_text(answer(layout_of(layout), numbers_of(numbers)));
}

std::string size_of_place(absl::string_view text) {
  const absl::StatusOr<ThreadLayout> layout = parse_thread_layout(text);
  const absl::StatusOr<Place> found = layout.ok() ? place_sizes(*layout) : layout.status();
  return found.ok() ? listed(*found) : std::string(found.status().message());
}

std::string held_by(absl::string_view text) {
  return answer_of(text, [](const ThreadLayout& layout, const Dims& at) {
    return held_at(layout, {at[0], at[1], at[2], at[3]});
  });
}

std::string holders(absl::string_view text) {
  return answer_of(text, [](const ThreadLayout& layout, const Dims& index) {
    return absl::StrJoin(holders_of(layout, index, 1 << 20).value(), " ",
                         [](std::string* out, const Place& place) { out->append(listed(place)); });
  });
}

TEST(ThreadLayoutSpec, Answers) {
  expect_answers("answers/thread_layouts.txt",
                 {{"held", held_by}, {"holders", holders}, {"sizes", size_of_place}});
}

}  // namespace
}  // namespace tileproof::spec
