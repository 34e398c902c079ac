// SPDX-License-Identifier: Apache-2.0
#include "spec/layout/blocked_layout.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/layout/blocked_text.h"

namespace tileproof::spec {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TiledLayout layout_of_text(absl::string_view text) {
  const absl::StatusOr<BlockedShape> shape = parse_blocked_shape(text);
  EXPECT_TRUE(shape.ok()) << text << ": " << shape.status();
  const absl::StatusOr<TiledLayout> layout = blocked_layout(*shape);
  EXPECT_TRUE(layout.ok()) << text << ": " << layout.status();
  return *layout;
}

TEST(BlockedLayout, BlocksFollowTheOuterDimensions) {
  const TiledLayout layout = layout_of_text("dnnl:nChw16c:f32[2,20,5,5]");
  EXPECT_THAT(layout.physical(), ElementsAre(2, 2, 5, 5, 16));
  EXPECT_EQ(layout.elements(), 1600);
  EXPECT_EQ(layout.bytes, 6400);
  EXPECT_EQ(*linearize(layout, {1, 17, 2, 3}), 800 + 400 + 2 * 80 + 3 * 16 + 1);
  EXPECT_THAT(**delinearize(layout, 1409), ElementsAre(1, 17, 2, 3));
}

TEST(BlockedLayout, BlocksOfOneDimensionAreDigitsOfItsIndex) {
  // The block of o, 16o, lies between the two blocks of i, 8i and 2i.
  const TiledLayout layout = layout_of_text("dnnl:OIhw8i16o2i:f32[16,16,1,1]");
  EXPECT_THAT(layout.physical(), ElementsAre(1, 1, 1, 1, 8, 16, 2));
  EXPECT_EQ(*linearize(layout, {3, 5, 0, 0}), 2 * 32 + 3 * 2 + 1);
}

TEST(BlockedLayout, FillsMemoryWithElementsAndPadding) {
  const int64_t P = Array::kPadding;
  EXPECT_THAT(buffer(layout_of_text("dnnl:Ba2b:f32[2,3]")), ElementsAre(0, 1, 3, 4, 2, P, 5, P));
  EXPECT_THAT(buffer(layout_of_text("dnnl:ba:f32[2,3]")), ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST(BlockedLayout, RejectsSizesBeyond64Bits) {
  const auto error = [](absl::string_view text) {
    return std::string(blocked_layout(*parse_blocked_shape(text)).status().message());
  };
  EXPECT_THAT(error("dnnl:aB4294967296b4294967296b:f32[1,1]"), HasSubstr("do not fit"));
  EXPECT_THAT(error("dnnl:aB4294967296b:f32[4294967296,1]"), HasSubstr("64 signed bits"));
  EXPECT_THAT(error("dnnl:aB3b:s8[1,9223372036854775807]"), HasSubstr("64 signed bits"));
}

}  // namespace
}  // namespace tileproof::spec
