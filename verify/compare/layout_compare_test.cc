// SPDX-License-Identifier: Apache-2.0
// Compares layouts of the reference and the closed form on bounded families. Random ones are a
// property (verify/properties).

#include "verify/compare/layout_compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "corpus/files.h"
#include "corpus/paths.h"
#include "generate/choose/choose.h"
#include "generate/layout/generate_nested.h"
#include "generate/layout/generate_shape.h"
#include "gtest/gtest.h"
#include "impl/layout/nested_layout.h"
#include "impl/layout/thread_map.h"
#include "nlohmann/json.hpp"
#include "spec/lang/base/cases_testing.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/layout/thread_layout.h"
#include "spec/layout/layout_function.h"
#include "spec/layout/nested_layout.h"
#include "spec/layout/thread_layout.h"

namespace tileproof::verify {
namespace {

TEST(LayoutCompare, EveryLayoutOfTheBoundedFamilies) {
  int64_t number = 0;
  for (const ShapeFamily& family : small_families()) {
    CaseCounts compared;
    for (Odometer odometer; !odometer.done(); odometer.advance()) {
      Choose choose(&odometer);
      const Shape shape = bounded_shape(choose, family);
      if (!is_tried(number++)) continue;
      Choose none(Choose::Replay{});
      ASSERT_EQ(compare_whole(shape, 1 << 20, 0, none, compared).message(), "");
    }
    EXPECT_GT(compared["indices"], 0);
    std::cout << to_text(family) << ": " << to_text(compared) << "\n";
  }
}

// Compares nested layouts of the reference and the closed form: bounded families, and recorded
// answers of other programs. Random ones are a property (verify/properties).

NestedLayout layout_of(absl::string_view text) {
  const auto layout = parse_nested_layout(text);
  EXPECT_TRUE(layout.ok()) << text << ": " << layout.status();
  return *layout;
}

TEST(NestedCompare, AgreesOnEveryLayoutOfBoundedFamilies) {
  for (const NestedFamily& family :
       {NestedFamily{.max_leaves = 3, .max_depth = 2, .extents = {1, 2, 3}, .strides = {0, 1, 2}},
        NestedFamily{.max_leaves = 2, .max_depth = 2, .extents = {0, 1, 4}, .strides = {-3, 1, 5}},
        NestedFamily{.max_leaves = 3, .max_depth = 1, .extents = {2, 3}, .strides = {1, 2, -6}}}) {
    CaseCounts compared;
    for (Odometer odometer; !odometer.done(); odometer.advance()) {
      Choose choose(&odometer);
      const NestedLayout layout = bounded_nested_layout(choose, family);
      Choose none(Choose::Replay{});
      ASSERT_EQ(compare_nested(layout, 1 << 8, 0, none, compared).message(), "");
    }
    EXPECT_GT(compared["offsets"], 0);
    EXPECT_EQ(compared["offsets given up"], 0);
    std::cout << to_text(family) << ": " << to_text(compared) << "\n";
  }
}

TEST(NestedCompare, AgreesOnEveryTagAndWidthAndManySizes) {
  int64_t made = 0;
  for (const TagInfo& tag : tags()) {
    for (int64_t bits = 1; bits <= 256; bits *= 2) {
      for (int64_t rows : {-1, 0, 1, 15, 16, 17, 33, 256, 1000}) {
        for (int64_t cols : {-1, 0, 1, 8, 16, 31, 64, 257}) {
          ASSERT_TRUE(compare_make(tag.tag, bits, rows, cols).ok())
              << compare_make(tag.tag, bits, rows, cols);
          ++made;
        }
      }
      for (int64_t large : {INT64_MAX, INT64_MAX - 20, int64_t{1} << 60, int64_t{1} << 32}) {
        for (int64_t other : {int64_t{0}, int64_t{1}, int64_t{1} << 31, INT64_MAX}) {
          ASSERT_TRUE(compare_make(tag.tag, bits, large, other).ok())
              << compare_make(tag.tag, bits, large, other);
          ASSERT_TRUE(compare_make(tag.tag, bits, other, large).ok())
              << compare_make(tag.tag, bits, other, large);
          made += 2;
        }
      }
    }
    EXPECT_TRUE(compare_make(tag.tag, 24, 3, 3).ok());
    EXPECT_TRUE(compare_make(tag.tag, 16, -3, 3).ok());
  }
  std::cout << made << " layouts made\n";
}

TEST(NestedCorpus, PastFindingsStayFixed) {
  CaseCounts total;
  for (const std::string& line : project_lines("corpus/nested/regressions.txt")) {
    if (parse_thread_layout(line).ok()) {
      EXPECT_EQ(threads_difference(line, total), "");
      continue;
    }
    const bool tagged = layout_form(line) == LayoutForm::kTagged;
    const auto layout =
        tagged ? spec::make_layout(*parse_tagged_shape(line)) : parse_nested_layout(line);
    ASSERT_TRUE(layout.ok()) << line << ": " << layout.status();
    Choose choose(Choose::Random{0});
    EXPECT_EQ(compare_nested(*layout, 1 << 8, 500, choose, total).message(), "");
  }
  EXPECT_GT(total["layouts"], 10);
}

// ---- Golden answers of CATLASS ----

std::vector<int64_t> numbers(absl::string_view text) {
  std::vector<int64_t> result;
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    result.emplace_back();
    EXPECT_TRUE(absl::SimpleAtoi(part, &result.back())) << text;
  }
  return result;
}

void expect_made(absl::string_view tag, int64_t bits, int64_t rows, int64_t cols,
                 const NestedLayout& right) {
  const auto layout = spec::make_layout(*tag_named(tag), bits, rows, cols);
  ASSERT_TRUE(layout.ok()) << layout.status();
  EXPECT_EQ(to_text(*layout), to_text(right))
      << tag << " of " << bits << " bits " << rows << "," << cols;
  EXPECT_TRUE(compare_make(*tag_named(tag), bits, rows, cols).ok());
}

void expect_offset(const NestedLayout& layout, const Coordinate& coordinate, int64_t right) {
  const auto offset = spec::offset(layout, coordinate);
  ASSERT_TRUE(offset.ok()) << offset.status();
  EXPECT_EQ(*offset, right) << to_text(layout) << " --index " << to_text(coordinate);
  EXPECT_TRUE(compare_offset(layout, coordinate).ok());
}

void expect_tile(const NestedLayout& layout, const std::vector<int64_t>& tile,
                 const NestedLayout& right) {
  const auto tiled = spec::make_layout_tile(layout, tile);
  ASSERT_TRUE(tiled.ok()) << tiled.status();
  EXPECT_EQ(to_text(*tiled), to_text(right))
      << to_text(layout) << " tile " << absl::StrJoin(tile, ",");
  EXPECT_TRUE(compare_tile(layout, tile).ok());
}

void expect_cropped(const std::vector<int64_t>& extent, const std::vector<int64_t>& coord,
                    const std::vector<int64_t>& tile, const std::vector<int64_t>& right) {
  const auto cropped = spec::valid_extent(extent, coord, tile);
  ASSERT_TRUE(cropped.ok()) << cropped.status();
  EXPECT_EQ(*cropped, right) << absl::StrJoin(extent, ",") << " at " << absl::StrJoin(coord, ",");
}

TEST(NestedCorpus, AgreesWithTheAnswersOfCatlass) {
  int64_t made = 0, offsets = 0, tiles = 0, cropped = 0;
  for (const std::string& line : project_lines("corpus/nested/catlass.tsv")) {
    const std::vector<std::string> part = absl::StrSplit(line, '\t');
    if (part[0] == "make") {
      expect_made(part[1], numbers(part[2])[0], numbers(part[3])[0], numbers(part[4])[0],
                  layout_of(part[5]));
      ++made;
    } else if (part[0] == "offset") {
      expect_offset(layout_of(part[1]), *parse_int_tuple(part[2]), numbers(part[3])[0]);
      ++offsets;
    } else if (part[0] == "tile") {
      expect_tile(layout_of(part[1]), numbers(part[2]), layout_of(part[3]));
      ++tiles;
    } else {
      ASSERT_EQ(part[0], "crop") << line;
      expect_cropped(numbers(part[1]), numbers(part[2]), numbers(part[3]), numbers(part[4]));
      ++cropped;
    }
  }
  std::cout << made << " layouts from tags, " << offsets << " offsets, " << tiles << " tiles, "
            << cropped << " valid extents\n";
  EXPECT_GT(made, 500);
  EXPECT_GT(offsets, 1000);
  EXPECT_GT(tiles, 300);
  EXPECT_GT(cropped, 200);
}

// The shared vectors in their original form: every vector, with its rank and depth.
IntTuple tuple_of(const nlohmann::json& json) {
  if (!json.is_array()) return make_integer(json.get<int64_t>());
  IntTuple tuple = make_tuple({});
  for (const nlohmann::json& item : json) tuple.elements.push_back(tuple_of(item));
  return tuple;
}

TEST(NestedCorpus, AgreesWithEveryVectorOfTheSharedFolder) {
  const std::vector<std::string> lines = project_lines("../shared/data/tla_vectors.jsonl");
  if (lines.empty()) GTEST_SKIP() << "the optional folder ../shared is absent";
  for (const std::string& line : lines) {
    const nlohmann::json v = nlohmann::json::parse(line);
    const NestedLayout layout = {tuple_of(v["shape"]), tuple_of(v["stride"])};
    EXPECT_EQ(rank(layout.shape), v.value("rank", rank(layout.shape))) << line;
    EXPECT_EQ(depth(layout.shape), v.value("depth", depth(layout.shape))) << line;
    if (v.contains("tile")) {
      const NestedLayout parent = {tuple_of(v["parent_shape"]), tuple_of(v["parent_stride"])};
      const auto tile = v["tile"].get<std::vector<int64_t>>();
      expect_tile(parent, tile, layout);
      if (v.contains("coord")) {
        expect_cropped(v["parent_origin"], v["coord"], tile, v["origin"]);
        expect_offset(layout, tuple_of(v["probe"]), v["offset"]);
      }
      continue;
    }
    if (v.value("api", "") == "tla::MakeLayout") {
      expect_made(v["tag"].get<std::string>(), v["elem_bits"], v["rows"], v["cols"], layout);
    }
    expect_offset(layout, tuple_of(v["coord"]), v["offset"]);
  }
  EXPECT_EQ(lines.size(), 1856);
}

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
