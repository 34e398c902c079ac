// SPDX-License-Identifier: Apache-2.0
#include "generate/layout/generate_nested.h"

#include <algorithm>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "spec/lang/layout/nested_text.h"

namespace tileproof {
namespace {

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
