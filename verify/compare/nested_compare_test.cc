// SPDX-License-Identifier: Apache-2.0
// Compares nested layouts of the reference and the closed form: bounded families, and recorded
// answers of other programs. Random ones are a property (verify/properties).
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "corpus/files.h"
#include "corpus/paths.h"
#include "generate/layout/generate_nested.h"
#include "gtest/gtest.h"
#include "impl/layout/nested_layout.h"
#include "impl/layout/nested_tags.h"
#include "nlohmann/json.hpp"
#include "spec/lang/base/cases_testing.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/layout/thread_layout.h"
#include "spec/layout/nested_layout.h"
#include "spec/layout/nested_tags.h"
#include "verify/compare/layout_compare.h"

namespace tileproof::verify {
namespace {

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

}  // namespace
}  // namespace tileproof::verify
