// SPDX-License-Identifier: Apache-2.0
#include "impl/layout/relayout/copy_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "impl/layout/relayout/relayout_testing.h"

namespace tileproof::impl {
namespace {

constexpr char kBefore = '?';

// Bytes of which neighbors differ, also a power of two apart.
char byte_at(int64_t place) { return static_cast<char>(place * 31 + place / 251 * 5 + 1); }

// A buffer that ends (or begins) `shift` bytes from a guard page.
struct Buffer {
  Buffer(int64_t bytes, bool at_end, int64_t shift)
      : memory(bytes + shift, at_end), data(memory.data() + (at_end ? 0 : shift)), size(bytes) {}
  GuardedBytes memory;
  char* data;
  int64_t size;
};

// What a copy is about besides the matrix.
struct Way {
  int64_t width;  // of an element, in bytes
  bool streams;
  bool at_end;    // of the memory
  int64_t shift;  // from a guard page, in bytes
};

// Every byte of the destination: destination[j][i] = source[i][j], and all others stay.
void expect_transposed(const MatrixCopy& copy, const Way& way) {
  const auto& [width, streams, at_end, shift] = way;
  const int64_t source_elements = (copy.a - 1) * copy.source_stride + copy.b;
  const int64_t destination_elements = (copy.b - 1) * copy.destination_stride + copy.a;
  Buffer source(source_elements * width, at_end, shift);
  Buffer destination(destination_elements * width, at_end, shift);
  for (int64_t k = 0; k < source.size; ++k) source.data[k] = byte_at(k);
  std::fill_n(destination.data, destination.size, kBefore);
  std::string expected(static_cast<size_t>(destination.size), kBefore);
  for (int64_t i = 0; i < copy.a; ++i) {
    for (int64_t j = 0; j < copy.b; ++j) {
      std::copy_n(source.data + (i * copy.source_stride + j) * width, width,
                  expected.begin() + (j * copy.destination_stride + i) * width);
    }
  }
  copy_kernels_of(static_cast<size_t>(width)).matrix(copy, source.data, destination.data, streams);
  finish_streams();
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), destination.data))
      << "a " << copy.a << ", b " << copy.b << ", source stride " << copy.source_stride
      << ", destination stride " << copy.destination_stride << ", elements of " << width
      << " bytes, streams " << streams << ", shift " << shift;
}

// By whether it ends at a page, and whether it is written past the cache.
void expect_transposed_each_way(const MatrixCopy& copy, int64_t width) {
  for (const bool streams : {false, true}) {
    expect_transposed(copy, {width, streams, false, 0});
    expect_transposed(copy, {width, streams, false, 16});
    expect_transposed(copy, {width, streams, false, 1});
    expect_transposed(copy, {width, streams, true, 0});
  }
}

class Widths : public ::testing::TestWithParam<int64_t> {};
INSTANTIATE_TEST_SUITE_P(CopyKernels, Widths, ::testing::Values(1, 2, 4, 8, 16));

TEST_P(Widths, SmallMatricesAreTransposed) {
  for (const int64_t a : {1, 2, 3, 4, 5, 8, 16, 17}) {
    for (const int64_t b : {1, 2, 3, 4, 5, 8, 16, 19, 33}) {
      for (const int64_t more : {0, 3}) {
        for (const bool streams : {false, true}) {
          expect_transposed({.a = a, .b = b, .source_stride = b, .destination_stride = a + more},
                            {GetParam(), streams, true, 0});
          expect_transposed({.a = a, .b = b, .source_stride = b + more, .destination_stride = a},
                            {GetParam(), streams, false, more});
        }
      }
    }
  }
}

// Two or four rows that become one, and one that becomes two or four: in whole registers, and what
// is left.
TEST_P(Widths, AFewRowsAreInterleavedAndTakenApart) {
  for (const int64_t few : {2, 4}) {
    for (const int64_t many : {1, 7, 16, 31, 32, 64, 100}) {
      for (const int64_t stride : {many, many + 1, many + 16}) {
        expect_transposed_each_way(
            {.a = few, .b = many, .source_stride = stride, .destination_stride = few}, GetParam());
        expect_transposed_each_way(
            {.a = many, .b = few, .source_stride = few, .destination_stride = stride}, GetParam());
      }
    }
    // As many rows, but not beside each other.
    expect_transposed_each_way(
        {.a = few, .b = 40, .source_stride = 40, .destination_stride = few + 1}, GetParam());
    expect_transposed_each_way(
        {.a = 40, .b = few, .source_stride = few + 1, .destination_stride = 40}, GetParam());
  }
}

// More than a part, in both directions; rows far apart, which a buffer gathers.
TEST_P(Widths, LargeMatricesAreTransposedInParts) {
  for (const MatrixCopy& copy :
       {MatrixCopy{.a = 131, .b = 67, .source_stride = 67, .destination_stride = 131},
        MatrixCopy{.a = 128, .b = 64, .source_stride = 64, .destination_stride = 128},
        MatrixCopy{.a = 70, .b = 300, .source_stride = 300, .destination_stride = 1030},
        MatrixCopy{.a = 257, .b = 259, .source_stride = 261, .destination_stride = 1024},
        MatrixCopy{.a = 3, .b = 513, .source_stride = 513, .destination_stride = 1100}}) {
    for (const bool streams : {false, true}) {
      expect_transposed(copy, {GetParam(), streams, true, 0});
      expect_transposed(copy, {GetParam(), streams, false, 1});
    }
  }
}

TEST_P(Widths, ElementsWithStridesAreCopied) {
  const int64_t width = GetParam();
  for (const int64_t source_stride : {0, 1, 3}) {
    for (const int64_t destination_stride : {1, 2}) {
      constexpr int64_t kCount = 5;
      Buffer source((4 * source_stride + 1) * width, true, 0);
      Buffer destination((4 * destination_stride + 1) * width, true, 0);
      for (int64_t k = 0; k < source.size; ++k) source.data[k] = byte_at(k);
      std::fill_n(destination.data, destination.size, kBefore);
      copy_kernels_of(static_cast<size_t>(width))
          .strided(kCount, source_stride, destination_stride, source.data, destination.data);
      for (int64_t i = 0; i < destination.size; ++i) {
        const int64_t element = i / width / destination_stride;
        const bool copied = i / width % destination_stride == 0;
        EXPECT_EQ(destination.data[i],
                  copied ? byte_at(element * source_stride * width + i % width) : kBefore);
      }
    }
  }
}

// The head before the first aligned place, the middle, the tail: each may be empty.
TEST(CopyKernels, RunsOfEveryLengthAreCopied) {
  for (const bool streams : {false, true}) {
    for (const int64_t shift : {0, 1, 9, 15, 16}) {
      for (int64_t bytes = 0; bytes < 150; ++bytes) {
        for (const bool at_end : {false, true}) {
          Buffer source(bytes, at_end, shift), destination(bytes, at_end, shift);
          for (int64_t k = 0; k < bytes; ++k) source.data[k] = byte_at(k);
          std::fill_n(destination.data, bytes, kBefore);
          copy_run(source.data, destination.data, static_cast<size_t>(bytes), streams);
          finish_streams();
          EXPECT_TRUE(std::equal(source.data, source.data + bytes, destination.data))
              << bytes << " bytes, shift " << shift << ", streams " << streams;
        }
      }
    }
  }
}

// ---- Loops around runs ----

// The offsets of all runs: of the source, and of the destination.
struct Offsets {
  std::vector<int64_t> source = {0}, destination = {0};
};

Offsets offsets_of(const std::vector<RunLoop>& loops) {
  Offsets all;
  for (const RunLoop& loop : loops) {
    Offsets next{{}, {}};
    for (size_t i = 0; i < all.source.size(); ++i) {
      for (int64_t k = 0; k < loop.count; ++k) {
        next.source.push_back(all.source[i] + k * loop.source_stride);
        next.destination.push_back(all.destination[i] + k * loop.destination_stride);
      }
    }
    all = next;
  }
  return all;
}

// Every byte of the destination, of buffers that end (or begin) at a page that nobody may touch.
void expect_copied(const std::vector<RunLoop>& loops, int64_t bytes, bool streams, bool at_end) {
  const Offsets offsets = offsets_of(loops);
  GuardedBytes source(*std::ranges::max_element(offsets.source) + bytes, at_end);
  GuardedBytes destination(*std::ranges::max_element(offsets.destination) + bytes, at_end);
  for (size_t i = 0; i < source.size(); ++i) source.data()[i] = byte_at(static_cast<int64_t>(i));
  std::fill_n(destination.data(), destination.size(), kBefore);
  std::string expected(destination.size(), kBefore);
  for (size_t i = 0; i < offsets.source.size(); ++i) {
    std::copy_n(source.data() + offsets.source[i], bytes,
                expected.begin() + offsets.destination[i]);
  }
  copy_runs(loops, source.data(), destination.data(), static_cast<size_t>(bytes), streams);
  finish_streams();
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), destination.data()))
      << loops.size() << " loops, runs of " << bytes << " bytes, streams " << streams << ", at end "
      << at_end;
}

void expect_copied_each_way(const std::vector<RunLoop>& loops, int64_t bytes) {
  for (const bool streams : {false, true}) {
    expect_copied(loops, bytes, streams, false);
    expect_copied(loops, bytes, streams, true);
  }
}

// Rows of two runs, moved apart, as tiles do: with room between the runs of both sides.
std::vector<RunLoop> tiles_of(int64_t bytes) {
  const int64_t run = bytes + 3;
  return {{2, 6 * run, 12 * run}, {3, 2 * run, run}, {2, run, 6 * run}};
}

TEST(CopyRuns, RunsOfEachLength) {
  for (int64_t bytes = 1; bytes <= 200; ++bytes) expect_copied_each_way(tiles_of(bytes), bytes);
  for (const int64_t bytes : {511, 512, 1024, 2047, 2048, 2049, 2064, 5000})
    expect_copied_each_way(tiles_of(bytes), bytes);
}

TEST(CopyRuns, AnyNumberOfLoops) {
  for (const int64_t bytes : {4, 24, 512}) {
    std::vector<RunLoop> loops;
    int64_t size = bytes;
    for (int64_t count = 1; count <= 5; ++count) {
      expect_copied_each_way(loops, bytes);
      loops.insert(loops.begin(), {count, size, size + 16});
      size = (size + 16) * count;
    }
    expect_copied_each_way(loops, bytes);
  }
}

// The source may be read again, and in any order.
TEST(CopyRuns, StridesOfTheSource) {
  expect_copied_each_way({{4, 0, 64}}, 64);
  expect_copied_each_way({{3, 8, 96}, {2, 16, 32}}, 32);
}

TEST(CopyRuns, NoRuns) {
  const char source[] = "bc";
  char bytes[] = "aa";
  copy_runs({{0, 1, 1}}, source, bytes, 1, false);
  copy_runs({{2, 1, 1}, {0, 1, 1}}, source, bytes, 600, false);
  EXPECT_STREQ(bytes, "aa");
}

}  // namespace
}  // namespace tileproof::impl
