// SPDX-License-Identifier: Apache-2.0
// Triton's layouts of shared memory against the formulas of TritonGPUAttrDefs.td, written anew.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/layout/layout_function.h"

namespace tileproof::spec {
namespace {

LayoutFunction function_of(const std::string& text) {
  const absl::StatusOr<AnyLayout> layout = parse_any_layout(text);
  EXPECT_TRUE(layout.ok()) << layout.status() << " " << text;
  return layout_function(layout.value_or(AnyLayout{})).value_or(LayoutFunction{});
}

int64_t offset_in(const LayoutFunction& function, int64_t i, int64_t j) {
  return offset_at(function, {i, j}).value_or(-1);
}

// In row r, the vector v of a row is where vector v xor ((r / perPhase) mod maxPhase) would be.
TEST(SharedMemory, Swizzled) {
  const struct {
    int64_t rows, columns, vec, per_phase, phases;
  } cases[] = {{4, 4, 1, 1, 4},   {8, 8, 2, 2, 4},  {64, 64, 8, 1, 8}, {16, 32, 4, 2, 4},
               {32, 16, 8, 1, 8}, {8, 8, 16, 1, 8}, {4, 64, 8, 1, 1}};
  for (const auto& [rows, columns, vec, per_phase, phases] : cases) {
    for (const char* type : {"f16", "f32", "i8"}) {
      const std::string parameters =
          absl::StrCat("{vec = ", vec, ", perPhase = ", per_phase, ", maxPhase = ", phases);
      const LayoutFunction by_rows = function_of(
          absl::StrCat("!ttg.memdesc<", rows, "x", columns, "x", type, ", #ttg.swizzled_shared<",
                       parameters, ", order = [1, 0]}>, #smem, mutable>"));
      const LayoutFunction by_columns =
          function_of(absl::StrCat("tensor<", columns, "x", rows, "x", type,
                                   ", #ttg.swizzled_shared<", parameters, ", order = [0, 1]}>>"));
      for (int64_t r = 0; r < rows; ++r) {
        for (int64_t c = 0; c < columns; ++c) {
          const int64_t phase = r / per_phase % phases;
          const int64_t expected = r * columns + (c ^ (vec * phase % columns));
          ASSERT_EQ(offset_in(by_rows, r, c), expected) << parameters << r << " " << c;
          ASSERT_EQ(offset_in(by_columns, c, r), expected) << parameters << r << " " << c;
        }
      }
    }
  }
}

// Tiles of 8 rows of `width` bytes, in which units of 16 bytes change places by the row: rows of 128
// bytes by r mod 8, of 64 by (r / 2) mod 4, of 32 by (r / 4) mod 2.
TEST(SharedMemory, Nvmma) {
  for (const int64_t width : {32, 64, 128}) {
    for (const int64_t bits : {8, 16, 32}) {
      const int64_t tile = width * 8 / bits, unit = 128 / bits;
      const int64_t rows = 16, columns = 2 * tile;
      for (const bool is_transposed : {false, true}) {
        const LayoutFunction function = function_of(absl::StrCat(
            "!ttg.memdesc<", is_transposed ? columns : rows, "x", is_transposed ? rows : columns,
            "xi", bits, ", #ttg.nvmma_shared<{swizzlingByteWidth = ", width, ", transposed = ",
            is_transposed ? "true" : "false", ", elementBitWidth = ", bits, "}>, #smem>"));
        for (int64_t r = 0; r < rows; ++r) {
          for (int64_t c = 0; c < columns; ++c) {
            const int64_t phase = r / (128 / width) % (width / 16);
            const int64_t in_tile = (c % tile) ^ (phase * unit);
            const int64_t expected = c / tile * rows * tile + r * tile + in_tile;
            ASSERT_EQ(is_transposed ? offset_in(function, c, r) : offset_in(function, r, c),
                      expected)
                << width << " " << bits << ": " << r << " " << c;
          }
        }
      }
    }
  }
}

// `padding` elements after each `interval`, counted before the padding.
TEST(SharedMemory, Padded) {
  const LayoutFunction function = function_of(
      "!ttg.memdesc<16x32xf32, #ttg.padded_shared<[32:+4, 128:+8] {order = [1, 0]}>, #smem>");
  for (int64_t i = 0; i < 16; ++i) {
    for (int64_t j = 0; j < 32; ++j) {
      const int64_t plain = i * 32 + j;
      ASSERT_EQ(offset_in(function, i, j), plain + plain / 32 * 4 + plain / 128 * 8);
    }
  }
}

// Row r is in phase (r / perPhase) mod maxPhase, bit by bit, and the number of all phases before it.
TEST(SharedMemory, Rotating) {
  for (const auto& [vec, per_phase, phases] :
       {std::array<int64_t, 3>{1, 1, 4}, {2, 2, 4}, {4, 1, 8}, {4, 1, 1}}) {
    const int64_t rows = 32, columns = 32;
    const LayoutFunction function = function_of(absl::StrCat(
        "!ttg.memdesc<3x32x32xf16, #ttg.amd_rotating_shared<{vec = ", vec,
        ", perPhase = ", per_phase, ", maxPhase = ", phases, ", order = [1, 0]}>, #smem>"));
    for (int64_t r = 0; r < rows; ++r) {
      int64_t phase = 0;
      for (int64_t bit = 1; bit < rows; bit *= 2) {
        if ((r & bit) != 0)
          phase ^= (bit / per_phase % phases) ^ (bit / per_phase / phases % phases);
      }
      for (int64_t c = 0; c < columns; ++c) {
        const int64_t expected = rows * columns + r * columns + (c ^ (vec * phase % columns));
        ASSERT_EQ(offset_at(function, {1, r, c}).value_or(-1), expected) << vec << " " << r;
      }
    }
  }
}

// What each row and column of tensor memory holds, bit by bit: the first column of a block of 64 rows is
// in rows 0 to 15, 32 to 47, ..; rows 16 to 31 hold the next rows, or columns, if there are any.
TEST(SharedMemory, TensorMemory) {
  for (const auto& [rows, columns, block_rows, block_columns] :
       {std::array<int64_t, 4>{64, 64, 64, 64},
        {128, 64, 64, 64},
        {64, 128, 64, 64},
        {256, 256, 64, 32},
        {128, 32, 128, 64},
        {256, 128, 128, 32}}) {
    for (const int64_t stride : {1, 2}) {
      const LayoutFunction function =
          function_of(absl::StrCat("!ttg.memdesc<", rows, "x", columns,
                                   "xf16, #ttng.tensor_memory_encoding<blockM = ", block_rows,
                                   ", blockN = ", block_columns, ", colStride = ", stride, ">>"));
      std::vector<std::array<int64_t, 2>> lane_bits,
          column_bits;  // what each bit adds to the index
      const int64_t width = std::min(block_columns, columns);
      int64_t done_rows = block_rows, done_columns = width;
      for (int64_t bit = 1; bit < width; bit *= 2) column_bits.push_back({0, bit});
      for (int64_t bit = 1; bit < (block_rows == 64 ? 16 : 128); bit *= 2)
        lane_bits.push_back({bit, 0});
      if (block_rows == 64) {
        lane_bits.push_back({rows > 64 ? 64 : 0, rows > 64 || columns == width ? 0 : width});
        lane_bits.push_back({16, 0});
        lane_bits.push_back({32, 0});
        done_rows *= rows > 64 ? 2 : 1;
        done_columns *= lane_bits[4][1] > 0 ? 2 : 1;
      }
      for (; done_rows < rows; done_rows *= 2) column_bits.push_back({done_rows, 0});
      for (; done_columns < columns; done_columns *= 2) column_bits.push_back({0, done_columns});
      for (int64_t lane = 0; lane < 128; ++lane) {
        if (lane_bits.size() > 4 && lane_bits[4] == std::array<int64_t, 2>{0, 0} &&
            (lane & 16) != 0)
          continue;  // holds nothing
        for (int64_t c = 0; c < int64_t{1} << column_bits.size(); ++c) {
          int64_t i = 0, j = 0;
          for (size_t bit = 0; bit < lane_bits.size(); ++bit) {
            i += (lane >> bit & 1) * lane_bits[bit][0];
            j += (lane >> bit & 1) * lane_bits[bit][1];
          }
          for (size_t bit = 0; bit < column_bits.size(); ++bit) {
            i += (c >> bit & 1) * column_bits[bit][0];
            j += (c >> bit & 1) * column_bits[bit][1];
          }
          ASSERT_EQ(offset_in(function, i, j), lane * 2 * 65536 + c * stride) << i << " " << j;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tileproof::spec
