// SPDX-License-Identifier: Apache-2.0
#include "impl/layout/offset_array.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "impl/layout/tiled_layout.h"
#include "impl/layout/tiled_layout_testing.h"
#include "spec/lang/base/odometer.h"

namespace tileproof::impl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(OffsetArray, OffsetsAreSumsOfPartsUnlessTilesCutDigits) {
  for (const char* shape :
       {"f32[7]{0}", "f32[3,5]{1,0:T(2,2)}", "f32[512,1024]{1,0:T(8,128)}",
        "bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}", "f32[100,200]{1,0:T(3,7)}",
        "f32[10,20,30]{0,2,1:T(6,5)L(1024)}", "s8[4000000000,1000000000]{1,0:T(8,128)}", "f32[]"}) {
    EXPECT_TRUE(compiled(shape).is_sum_of_parts()) << shape;
  }
  EXPECT_FALSE(compiled("f32[2,16]{1,0:T(2,4)(*,3,2)}").is_sum_of_parts());
}

// The box in the middle of an array: each offset by itself.
void expect_box(const TiledLayout& layout, std::vector<int64_t> begin, std::vector<int64_t> sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  std::vector<int64_t> wide(count), expected;
  std::vector<int32_t> narrow(count);
  ASSERT_TRUE(offsets(layout, begin, sizes, absl::MakeSpan(wide)).ok());
  std::vector<int64_t> step(sizes.size(), 0);
  do {
    std::vector<int64_t> index = begin;
    for (size_t d = 0; d < index.size(); ++d) index[d] += step[d];
    expected.push_back(*layout.linearize(index));
  } while (next_index(sizes, step));
  EXPECT_EQ(wide, expected);
  if (layout.elements() > INT32_MAX) return;
  ASSERT_TRUE(offsets(layout, begin, sizes, absl::MakeSpan(narrow)).ok());
  EXPECT_EQ(std::vector<int64_t>(narrow.begin(), narrow.end()), expected);
}

TEST(OffsetArray, AreThoseOfEachIndex) {
  expect_box(compiled("f32[]"), {}, {});
  expect_box(compiled("f32[3,5]{1,0:T(2,2)}"), {1, 1}, {2, 2});
  expect_box(compiled("f32[512,1024]{1,0:T(8,128)}"), {5, 100}, {20, 300});
  expect_box(compiled("f32[100,200]{1,0:T(3,7)}"), {0, 0}, {100, 200});
  expect_box(compiled("f32[10,20,30]{0,2,1:T(6,5)}"), {3, 4, 5}, {4, 5, 6});
  expect_box(compiled("f32[2,16]{1,0:T(2,4)(*,3,2)}"), {0, 3}, {2, 13});
  expect_box(compiled("s8[4000000000,1000000000]{1,0:T(8,128)}"), {3999999990, 999999000}, {10, 9});
}

TEST(OffsetArray, WrongBoxesAndRoomsAreErrors) {
  const TiledLayout layout = compiled("f32[3,5]{1,0:T(2,2)}");
  std::vector<int64_t> out(4);
  const auto failed = [&](std::vector<int64_t> begin, std::vector<int64_t> sizes) {
    return std::string(offsets(layout, begin, sizes, absl::MakeSpan(out)).message());
  };
  EXPECT_EQ(failed({1, 1}, {2, 2}), "");
  EXPECT_THAT(out, ElementsAre(3, 6, 13, 16));
  EXPECT_THAT(failed({1}, {2}), HasSubstr("rank 2"));
  EXPECT_THAT(failed({1, 1}, {4}), HasSubstr("rank 2"));
  EXPECT_THAT(failed({2, 1}, {2, 2}), HasSubstr("2 elements from 2 on"));
  EXPECT_THAT(failed({-1, 1}, {2, 2}), HasSubstr("dimension 0"));
  EXPECT_THAT(failed({INT64_MAX, 0}, {2, 2}), HasSubstr("dimension 0"));
  EXPECT_THAT(failed({0, 0}, {1, 3}), HasSubstr("4 places"));
  std::vector<int32_t> narrow(1);
  EXPECT_THAT(offsets(compiled("f32[4000000000]"), {0}, {1}, absl::MakeSpan(narrow)).message(),
              HasSubstr("do not fit 32 bits"));
}

// The largest offset counts, not the number of offsets.
TEST(OffsetArray, AnArrayOf2To31ElementsHasOffsetsOf32Bits) {
  std::vector<int32_t> last(1);
  EXPECT_TRUE(offsets(compiled("s8[2147483648]"), {INT32_MAX}, {1}, absl::MakeSpan(last)).ok());
  EXPECT_THAT(last, ElementsAre(INT32_MAX));
  EXPECT_FALSE(offsets(compiled("s8[2147483649]"), {0}, {1}, absl::MakeSpan(last)).ok());
}

}  // namespace
}  // namespace tileproof::impl
