// SPDX-License-Identifier: Apache-2.0
#include "impl/layout/relayout/copy_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "impl/layout/relayout/copy_kernels.h"
#include "impl/layout/relayout/relayout_testing.h"

namespace tileproof::impl {
namespace {

constexpr char kBefore = '?';

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
  for (size_t i = 0; i < source.size(); ++i)
    source.data()[i] = static_cast<char>(i * 31 + i / 251 * 5 + 1);
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
