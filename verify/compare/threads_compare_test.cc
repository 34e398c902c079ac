// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "corpus/files.h"
#include "generate/choose/choose.h"
#include "impl/layout/thread_map.h"
#include "spec/layout/layout_function.h"
#include "spec/layout/thread_layout.h"
#include "verify/compare/layout_compare.h"

namespace tileproof::verify {
namespace {

std::vector<std::pair<std::string, std::string>> facts(const char* file) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const std::string& line : project_lines(file)) {
    rows.push_back(absl::StrSplit(line, absl::MaxSplits('\t', 1)));
  }
  return rows;
}

// The places that the layout has, by the definition; none if it cannot be read.
std::vector<Place> places_of(const ThreadLayout& layout) {
  const Place sizes = spec::place_sizes(layout).value_or(Place{});
  std::vector<Place> places;
  for (int64_t n = 0; n < sizes[0] * sizes[1] * sizes[2] * sizes[3]; ++n) {
    places.push_back({n % sizes[0], n / sizes[0] % sizes[1], n / sizes[0] / sizes[1] % sizes[2],
                      n / sizes[0] / sizes[1] / sizes[2]});
  }
  return places;
}

TEST(ThreadsCompare, FactsOfTriton) {
  int rows = 0;
  for (const auto& [text, bases] : facts("corpus/layouts/threads.tsv")) {
    SCOPED_TRACE(text);
    const absl::StatusOr<ThreadLayout> layout = parse_thread_layout(text);
    const absl::StatusOr<ThreadLayout> linear = parse_thread_layout(bases);
    ASSERT_TRUE(layout.ok()) << layout.status();
    ASSERT_TRUE(linear.ok()) << linear.status();
    ASSERT_EQ(spec::place_sizes(*layout).value_or(Place{}),
              spec::place_sizes(*linear).value_or(Place{}));
    const std::vector<Place> places = places_of(*linear);
    for (size_t n = 0; n < places.size(); n += places.size() / 256 + 1)  // odd or even
      ASSERT_EQ(*spec::held_at(*layout, places[n]), *spec::held_at(*linear, places[n]));
    CaseCounts tally;
    EXPECT_EQ(threads_difference(text, tally), "");
    ++rows;
  }
  EXPECT_GE(rows, 200);
}

TEST(SharedMemoryCompare, FactsOfTriton) {
  int rows = 0;
  for (const auto& [text, bases] : facts("corpus/layouts/shared_memory.tsv")) {
    SCOPED_TRACE(text);
    const absl::StatusOr<AnyLayout> layout = parse_any_layout(text),
                                    linear = parse_any_layout(bases);
    ASSERT_TRUE(layout.ok()) << layout.status();
    ASSERT_TRUE(linear.ok()) << linear.status();
    const auto left = spec::layout_function(*layout), right = spec::layout_function(*linear);
    ASSERT_TRUE(left.ok() && right.ok());
    ASSERT_EQ(left->dims, right->dims);
    int64_t elements = 1;
    for (const int64_t size : left->dims) elements *= size;
    for (int64_t n = 0; n < elements; n += std::max<int64_t>(elements / 4096, 1)) {
      Dims index(left->dims.size());
      for (int64_t rest = n, d = std::ssize(index); d-- > 0; rest /= left->dims[d])
        index[d] = rest % left->dims[d];
      ASSERT_EQ(*spec::offset_at(*left, index), *spec::offset_at(*right, index)) << n;
    }
    ++rows;
  }
  EXPECT_GE(rows, 60);
}

// How many of block, warp and lane a place of `from` that holds the same shares with each place of `to`, at
// best; -1 if there is none.
int kept_by_all(const ThreadLayout& from, const ThreadLayout& to) {
  int kept = 3;
  for (const Place& place : places_of(to)) {
    int best = -1;
    const absl::StatusOr<Dims> index = spec::held_at(to, place);
    const auto holders = spec::holders_of(from, index.value_or(Dims{}), 1 << 20);
    for (const Place& other : holders.value_or(std::vector<Place>{})) {
      int same = 0;
      while (same < 3 && other[3 - same] == place[3 - same]) ++same;
      best = std::max(best, same);
    }
    kept = std::min(kept, best);
  }
  return kept;
}

TEST(ThreadsCompare, MovesBetweenLayouts) {
  int moves_found[4] = {};
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    Choose choose(Choose::Random{seed});
    std::vector<std::string> fields[2];
    for (auto& of_layout : fields) {
      for (const char* name : {"register", "lane", "warp", "block"}) {
        std::vector<std::string> bases;
        for (int64_t bits = choose(3); bits > 0; --bits)
          bases.push_back(absl::StrCat("[", choose(4), ", ", choose(4), "]"));
        of_layout.push_back(absl::StrCat(name, " = [", absl::StrJoin(bases, ", "), "]"));
      }
    }
    std::vector<ThreadLayout> layouts;
    for (const auto& of_layout : fields) {
      const auto layout = parse_thread_layout(
          absl::StrCat("tensor<4x4xf32, #ttg.linear<{", absl::StrJoin(of_layout, ", "), "}>>"));
      if (layout.ok()) layouts.push_back(*layout);
    }
    if (layouts.size() < 2) continue;
    const impl::ThreadForm from = *impl::thread_map(layouts[0])->form;
    const impl::ThreadForm to = *impl::thread_map(layouts[1])->form;
    const auto moves = impl::moves_between(from, to);
    const int kept = kept_by_all(layouts[0], layouts[1]);
    ASSERT_EQ(moves ? moves->kept : -1, kept) << layouts[0].text << "\n" << layouts[1].text;
    if (!moves) continue;
    ++moves_found[kept];
    for (const Place& place : places_of(layouts[1])) {
      const Dims source = held_at(moves->sources, place);
      ASSERT_EQ(*spec::held_at(layouts[0], {source[0], source[1], source[2], source[3]}),
                *spec::held_at(layouts[1], place));
      for (int i = 0; i < kept; ++i) ASSERT_EQ(source[3 - i], place[3 - i]);
    }
  }
  for (const int count : moves_found) EXPECT_GT(count, 0);
}

// Random ones are a property. Digits of 3 threads, which no 32 lanes end; and sizes that are no powers of two.
TEST(ThreadsCompare, OtherSizes) {
  for (const char* text :
       {"tv:((3,8,8),(8)):((0,64,8),(0)):f16[3,512]", "tv:((3,32),2):((64,1),32):f32[192]",
        "tv:((8,12),(3)):((12,1),(100)):f32[12,30]", "tv:(5,3):(3,1):f32[5,3]"}) {
    CaseCounts tally;
    EXPECT_EQ(threads_difference(text, tally), "");
    EXPECT_EQ(tally["refused"], 0) << text;
  }
}

// All layouts of 4x4 elements with two registers, two lanes and a basis of each from a few.
TEST(ThreadsCompare, AllSmallBases) {
  const std::vector<std::string> bases = {"[0, 0]", "[0, 1]", "[0, 2]", "[1, 0]",
                                          "[2, 0]", "[1, 1]", "[3, 0]", "[2, 3]"};
  for (Odometer odometer; !odometer.done(); odometer.advance()) {
    Choose choose(&odometer);
    std::vector<std::string> chosen;
    for (int i = 0; i < 4; ++i) chosen.push_back(choose.pick(bases));
    const std::string text =
        absl::StrCat("tensor<4x4xf32, #ttg.linear<{register = [", chosen[0], ", ", chosen[1],
                     "], lane = [", chosen[2], "], warp = [", chosen[3], "], block = []}>>");
    CaseCounts tally;
    ASSERT_EQ(threads_difference(text, tally), "");
    ASSERT_EQ(tally["refused"], 0) << text;
  }
}

}  // namespace
}  // namespace tileproof::verify
