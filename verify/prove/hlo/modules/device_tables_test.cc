// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/modules/device_tables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace tileproof::verify {
namespace {

using Table = std::vector<int64_t>;

// Whether the table has a closed form, which must be right.
bool has_form(const Table& table) {
  const auto form = DigitTable::of(table);
  for (int64_t x = 0; form && x < std::ssize(table); ++x) {
    EXPECT_EQ(form->at(x).value, table[x]) << x;
    int64_t count = 0;
    for (const auto& [holds, value] : form->cases(x)) {
      if (!*holds.known) continue;
      EXPECT_EQ(value.value, table[x]) << x;
      ++count;
    }
    EXPECT_EQ(count, 1) << x;
  }
  return form.has_value();
}

TEST(DigitTable, KnowsTheTablesThatShardingsGroupsAndRingsAre) {
  EXPECT_TRUE(has_form({0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_TRUE(has_form({0, 4, 1, 5, 2, 6, 3, 7}));  // [2,4]T(1,0)
  EXPECT_TRUE(has_form({7, 0, 1, 2, 3, 4, 5, 6}));  // a ring
  EXPECT_TRUE(has_form({6, 7, 0, 1, 2, 3, 4, 5}));  // a ring of one axis
  EXPECT_TRUE(has_form({4, 5, 6, 7, 8, 9, 10, 11, 0, 1, 2, 3}));
  EXPECT_TRUE(has_form({3, 2, 1, 0}));                // reversed
  EXPECT_TRUE(has_form({0, 100, 200, 0, 100, 200}));  // starts
  EXPECT_TRUE(has_form({5, 5, 5}));
  EXPECT_TRUE(has_form({-3}));
  EXPECT_FALSE(has_form({0, 1, 2, 4}));
  EXPECT_FALSE(has_form({0, 2, 1, 3, 5, 4, 6, 7}));
  EXPECT_FALSE(has_form({}));
  EXPECT_FALSE(has_form({0, INT64_MAX}));
}

TEST(DigitTable, IsRightForEveryPermutationOfSix) {
  Table table(6);
  std::iota(table.begin(), table.end(), 0);
  int64_t known = 0;
  do {
    known += has_form(table) ? 1 : 0;
  } while (std::ranges::next_permutation(table).found);
  EXPECT_GT(known, 20);
}

TEST(DigitTable, OneOfManyDevicesIsSmall) {
  Table table(int64_t{1} << 16);
  for (size_t k = 0; k < table.size(); ++k)
    table[k] = static_cast<int64_t>(k / 256 + k % 256 * 256);
  EXPECT_TRUE(has_form(table));
  std::swap(table[1000], table[40000]);
  EXPECT_FALSE(has_form(table));
}

}  // namespace
}  // namespace tileproof::verify
