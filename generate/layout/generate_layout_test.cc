// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <string>

#include "generate/layout/generate_nested.h"
#include "generate/layout/generate_shape.h"
#include "gtest/gtest.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof {
namespace {

bool is_read_back(const Shape& shape) {
  const absl::StatusOr<Shape> again = parse_shape(to_text(shape));
  return again.ok() && *again == shape;
}

TEST(ShapeGenerator, EveryRandomShapeIsValidAndParsesAsItself) {
  for (uint64_t seed = 0; seed < 20'000; ++seed) {
    Choose choose(Choose::Random{seed});
    const Shape shape = random_shape(choose, int64_t{1} << (seed % 63));
    ASSERT_TRUE(is_read_back(shape)) << to_text(shape);
  }
}

TEST(ShapeGenerator, MakesWhatBreaksFormulas) {
  int64_t later_star = 0, not_dividing = 0, longer = 0, shorter = 0, empty = 0, one = 0, tail = 0;
  for (uint64_t seed = 0; seed < 5'000; ++seed) {
    Choose choose(Choose::Random{seed});
    const Shape shape = random_shape(choose, 1 << 14);
    const Layout layout = layout_of(shape);
    for (size_t i = 0; i < layout.tiles.size(); ++i) {
      const std::vector<int64_t>& dims = layout.tiles[i].dims;
      for (int64_t size : dims) later_star += i > 0 && size == Tile::kCombine ? 1 : 0;
      if (i > 0) not_dividing += layout.tiles[i - 1].dims.back() % dims.back() != 0 ? 1 : 0;
      longer += std::ssize(dims) > shape.rank() ? 1 : 0;
      shorter += std::ssize(dims) < shape.rank() ? 1 : 0;
    }
    for (const Dimension& d : shape.dimensions) {
      empty += d.size == 0 ? 1 : 0;
      one += d.size == 1 ? 1 : 0;
    }
    tail += layout.tail_padding_alignment > 1 ? 1 : 0;
  }
  for (int64_t count : {later_star, not_dividing, longer, shorter, empty, one, tail})
    EXPECT_GT(count, 100);
}

TEST(ShapeGenerator, AnOdometerVisitsAFamilyOnce) {
  const ShapeFamily family{
      .max_rank = 2, .sizes = {1, 2}, .max_tiles = 1, .max_tile_rank = 2, .tile_sizes = {3}};
  std::set<std::string> seen;
  int64_t count = 0;
  for (Odometer odometer; !odometer.done(); odometer.advance(), ++count) {
    Choose choose(&odometer);
    seen.insert(to_text(bounded_shape(choose, family)));
  }
  // Shapes: 1 + 2 + 4 * 2 orders. Layouts of each: none, (3), (3,3), (*,3).
  EXPECT_EQ(count, 11 * 4);
  EXPECT_EQ(std::ssize(seen), count);
}

TEST(ShapeGenerator, MostTextsParse) {
  int64_t read = 0, refused = 0;
  for (uint64_t seed = 0; seed < 2'000; ++seed) {
    Choose choose(Choose::Random{seed});
    ++(parse_shape(random_shape_text(choose)).ok() ? read : refused);
  }
  EXPECT_GT(read, 1'200);
  EXPECT_GT(refused, 100);
}

TEST(ShapeMutator, ChangesAShapeAndMostlyKeepsItValid) {
  Shape shape = *parse_shape("f32[3,5]{1,0:T(2,2)}");
  int64_t valid = 0, changed = 0;
  for (uint64_t seed = 0; seed < 20'000; ++seed) {
    Choose choose(Choose::Random{seed});
    Shape mutant = shape;
    mutate_shape(choose, mutant);
    changed += mutant != shape ? 1 : 0;
    const bool is_valid = validate(mutant).ok();
    valid += is_valid ? 1 : 0;
    if (is_valid && mutant.rank() <= 8 && mutant.layout->tiles.size() <= 4)
      shape = mutant;  // continue from the changed shape
  }
  EXPECT_GT(changed, 15'000);
  EXPECT_GT(valid, 10'000);
}

bool is_read_back(const NestedLayout& layout) {
  const auto again = parse_nested_layout(to_text(layout));
  return again.ok() && *again == layout;
}

TEST(NestedGenerator, EveryRandomLayoutIsValidAndParsesAsItself) {
  for (uint64_t seed = 0; seed < 20'000; ++seed) {
    Choose choose(Choose::Random{seed});
    NestedLayout layout = random_nested_layout(choose, int64_t{1} << (seed % 63));
    for (int i = 0; i < 4; ++i) {
      ASSERT_TRUE(is_read_back(layout)) << to_text(layout);
      ASSERT_TRUE(validate(layout).ok()) << to_text(layout);
      mutate_nested_layout(choose, layout);
    }
    const NestedLayout compact = random_compact_layout(choose, 1 << 10);
    ASSERT_TRUE(is_read_back(compact)) << to_text(compact);
    TaggedShape tagged = random_tagged_shape(choose, int64_t{1} << (seed % 63));
    for (int i = 0; i < 4; ++i) {
      const auto again = parse_tagged_shape(to_text(tagged));
      ASSERT_TRUE(again.ok() && *again == tagged) << to_text(tagged);
      mutate_tagged_shape(choose, tagged);
    }
  }
}

TEST(NestedGenerator, MakesWhatBreaksFormulas) {
  int64_t nothing = 0, one = 0, still = 0, back = 0, empty = 0, single = 0, deep = 0, wide = 0;
  for (uint64_t seed = 0; seed < 5'000; ++seed) {
    Choose choose(Choose::Random{seed});
    const NestedLayout layout = random_nested_layout(choose, 1 << 14);
    const std::string text = to_text(layout);
    const auto extents = leaves(layout.shape), strides = leaves(layout.stride);
    nothing += std::count(extents.begin(), extents.end(), 0);
    one += std::count(extents.begin(), extents.end(), 1);
    still += std::count(strides.begin(), strides.end(), 0);
    back += std::count_if(strides.begin(), strides.end(), [](int64_t d) { return d < 0; });
    empty += text.find("()") != std::string::npos ? 1 : 0;
    single += rank(layout.shape) == 1 ? 1 : 0;
    deep += depth(layout.shape) > 10 ? 1 : 0;
    wide += extents.size() > 10 ? 1 : 0;
  }
  for (int64_t count : {nothing, one, still, back, empty, single}) EXPECT_GT(count, 50);
  EXPECT_GT(deep, 30);
  EXPECT_GT(wide, 30);
}

TEST(NestedGenerator, AnOdometerVisitsAFamilyOnce) {
  const NestedFamily family{.max_leaves = 2, .max_depth = 1, .extents = {2, 3}, .strides = {1}};
  std::set<std::string> seen;
  int64_t count = 0;
  for (Odometer odometer; !odometer.done(); odometer.advance(), ++count) {
    Choose choose(&odometer);
    seen.insert(to_text(bounded_nested_layout(choose, family)));
  }
  EXPECT_EQ(count, 2 + 1 + 2 + 4);  // n, (), (n), (n,m)
  EXPECT_EQ(std::ssize(seen), count);
}

TEST(NestedGenerator, MostTextsParse) {
  int64_t read = 0;
  for (uint64_t seed = 0; seed < 2'000; ++seed) {
    Choose choose(Choose::Random{seed});
    const std::string text = random_nested_text(choose);
    read += parse_nested_layout(text).ok() || parse_tagged_shape(text).ok() ? 1 : 0;
  }
  EXPECT_GT(read, 1000);
  EXPECT_LT(read, 1900);
}

}  // namespace
}  // namespace tileproof
