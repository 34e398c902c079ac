// SPDX-License-Identifier: Apache-2.0
#include "spec/layout/tiled_layout.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::spec {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TiledLayout layout_of_text(absl::string_view text) {
  absl::StatusOr<TiledLayout> layout = tiled_layout(*parse_shape(text));
  EXPECT_TRUE(layout.ok()) << text << ": " << layout.status();
  return *layout;
}

TEST(Reference, PutsElementTwoThreeOfTheDocumentAtOffset17) {
  const TiledLayout layout = layout_of_text("f32[3,5]{1,0:T(2,2)}");
  EXPECT_THAT(layout.physical(), ElementsAre(2, 3, 2, 2));
  EXPECT_EQ(layout.elements(), 24);
  EXPECT_EQ(layout.bytes, 96);
  EXPECT_EQ(*linearize(layout, {2, 3}), 17);
  EXPECT_THAT(**delinearize(layout, 17), ElementsAre(2, 3));
}

TEST(Reference, ReproducesFigure1WithItsPadding) {
  const int64_t P = Array::kPadding;
  EXPECT_THAT(
      buffer(layout_of_text("f32[3,5]{1,0:T(2,2)}")),
      ElementsAre(0, 1, 5, 6, 2, 3, 7, 8, 4, P, 9, P, 10, 11, P, P, 12, 13, P, P, 14, P, P, P));
}

TEST(Reference, ReproducesTheRepeatedTilingOfFigure2) {
  // 4x8 tiled by (2,4)(2,1): the offset of each element, row by row, as in the figure.
  const std::vector<std::vector<int64_t>> figure = {
      {0, 2, 4, 6, 8, 10, 12, 14},
      {1, 3, 5, 7, 9, 11, 13, 15},
      {16, 18, 20, 22, 24, 26, 28, 30},
      {17, 19, 21, 23, 25, 27, 29, 31},
  };
  const TiledLayout layout = layout_of_text("bf16[4,8]{1,0:T(2,4)(2,1)}");
  for (int64_t row = 0; row < 4; ++row) {
    for (int64_t column = 0; column < 8; ++column) {
      EXPECT_EQ(*linearize(layout, {row, column}), figure[row][column]) << row << "," << column;
    }
  }
}

TEST(Reference, CombinedDimensionsOfTheDocumentLayOutLike112By110) {
  const TiledLayout combined = layout_of_text("f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}");
  const TiledLayout plain = layout_of_text("f32[112,110]{1,0:T(2,3)}");
  EXPECT_EQ(combined.physical(), plain.physical());
  EXPECT_EQ(buffer(combined), buffer(plain));
}

TEST(Reference, LaysOutTheMatrixOfTheDocumentInBothOrders) {
  // The matrix a b c / d e f is a d b e c f in column-major order and a b c d e f in row-major.
  EXPECT_THAT(buffer(layout_of_text("f32[2,3]{0,1}")), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(buffer(layout_of_text("f32[2,3]{1,0}")), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(buffer(layout_of_text("f32[2,3]")), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(Reference, ReproducesSizesOfTheDocumentsAndOfRealAllocations) {
  struct Case {
    const char* shape;
    int64_t elements, bytes;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"f32[7,130]{1,0:T(8,128)}", 2048, 8192},
           {"bf16[7,130]{1,0:T(8,128)(2,1)}", 2048, 4096},
           {"bf16[1000]{0:T(1024)(128)(2,1)}", 1024, 2048},
           {"f32[200001,128]{1,0:T(8)L(1024)}", 25601024, 102404096},
           {"f32[200001,128]{1,0:L(1024)}", 25601024, 102404096},
           {"s4[9216,6144]{1,0:T(64,128)(8,1)E(4)}", 56623104, 28311552},
           {"s4[3,5]{1,0}", 15, 15},
           {"s4[3,5]{1,0:E(4)}", 15, 8},
           {"pred[4]{0:E(32)}", 4, 16},
           {"f32[]{:T(8,128)}", 1024, 4096},
           {"f32[5]{0:T(8,128)}", 1024, 4096},
           {"u32[]{:T(128)}", 128, 512},
           {"bf16[]{:T(512)(2,1)}", 1024, 2048},
           {"f32[0,64]{1,0:T(8,128)}", 0, 0},
           {"f32[64,0]{1,0:T(8,128)L(7)}", 0, 0},
           {"f32[]{:L(5)}", 5, 20},
           {"f32[<=6]{0:T(4)}", 8, 32},
           {"c128[3]{0}", 3, 48},
           {"f32[]", 1, 4},
       }) {
    const TiledLayout layout = layout_of_text(c.shape);
    EXPECT_EQ(layout.elements(), c.elements) << c.shape;
    EXPECT_EQ(layout.bytes, c.bytes) << c.shape;
  }
}

// The two definitions of a step agree at every position of every array.
TEST(Reference, StepsOnAnIndexAgreeWithStepsOnTheArray) {
  int64_t positions = 0;
  for (const char* text :
       {"f32[3,5]{1,0:T(2,2)}", "f32[3,5]{0,1:T(2,2)}", "f32[4,8]{1,0:T(2,4)(2,1)}",
        "f32[2,3,5]{1,2,0:T(*,4)(3,2)L(7)}", "f32[2,16]{1,0:T(2,4)(*,3,2)}", "f32[]{:T(2)(3,2)}",
        "f32[5]{0:T(2,1,4)}", "f32[2,0,3]{2,1,0:T(2,2)}", "f32[13]{0:T(8)(3)}",
        "f32[2,1,3,2]{0,2,1,3:T(*,*,*,5)(*,2)}"}) {
    const TiledLayout layout = layout_of_text(text);
    Array array = counted_array(layout.logical());
    for (size_t i = 0; i < layout.steps.size(); ++i) {
      const Step& step = layout.steps[i];
      const Array after = array_after(step, array);
      ASSERT_EQ(after.dims, layout.dims[i + 1]) << text;
      for (size_t position = 0; position < after.ids.size(); ++position) {
        Dims index(after.dims.size());  // of this position
        for (size_t d = index.size(), rest = position; d-- > 0; rest /= after.dims[d])
          index[d] = rest % after.dims[d];
        const Preimage<int64_t> preimage = backward(step, array.dims, index, true);
        ASSERT_EQ(preimage.exists,
                  [&] {
                    for (size_t d = 0; d < preimage.index.size(); ++d) {
                      if (preimage.index[d] >= array.dims[d]) return false;
                    }
                    return true;
                  }())
            << text << " " << to_text(step, after.dims);
        if (!preimage.exists) {
          EXPECT_EQ(after.ids[position], Array::kPadding)
              << text << " " << to_text(step, after.dims);
          continue;
        }
        size_t from = 0;
        for (size_t d = 0; d < array.dims.size(); ++d)
          from = from * array.dims[d] + preimage.index[d];
        EXPECT_EQ(after.ids[position], array.ids[from]) << text << " " << to_text(step, after.dims);
        EXPECT_EQ(forward(step, array.dims, preimage.index), index)
            << text << " " << to_text(step, after.dims);
        ++positions;
      }
      array = after;
    }
    EXPECT_EQ(array.ids, buffer(layout)) << text;
  }
  EXPECT_GT(positions, 2000);
}

TEST(Reference, StepsPrintTheirNames) {
  const auto words = [](absl::string_view text) {
    const TiledLayout layout = layout_of_text(text);
    std::vector<std::string> steps;
    for (size_t i = 0; i < layout.steps.size(); ++i) {
      steps.push_back(to_text(layout.steps[i], layout.dims[i + 1]));
    }
    return absl::StrJoin(steps, "; ");
  };
  EXPECT_EQ(words("f32[2,3,5]{1,2,0:T(*,4)}"),
            "transpose to dimensions 0,2,1; combine dimensions 1 and 2; pad dimension 1 to 16; "
            "split dimension 1 into tiles of 4; transpose to dimensions 0,1,2; "
            "combine dimensions 0 and 1; combine dimensions 0 and 1");
  EXPECT_EQ(words("f32[]{:T(2)}"),
            "transpose to dimensions ; put a dimension of 1 in front; pad dimension 0 to 2; "
            "split dimension 0 into tiles of 2; transpose to dimensions 0,1; "
            "combine dimensions 0 and 1");
}

TEST(Reference, RejectsShapesWithoutOffsetsAndIndicesOutsideTheArray) {
  for (const char* text : {"(f32[2])", "token[]", "opaque[]", "b(f32[2])", "f32[?]"}) {
    EXPECT_FALSE(tiled_layout(*parse_shape(text)).ok()) << text;
  }
  const TiledLayout layout = layout_of_text("f32[3,5]{1,0:T(2,2)}");
  EXPECT_THAT(std::string(linearize(layout, {2, 5}).status().message()),
              HasSubstr("index 5 is outside dimension 1 of size 5"));
  EXPECT_FALSE(linearize(layout, {2}).ok());
  EXPECT_FALSE(linearize(layout, {-1, 0}).ok());
  EXPECT_FALSE(delinearize(layout, 24).ok());
  EXPECT_FALSE(delinearize(layout, -1).ok());
  EXPECT_EQ(*delinearize(layout, 23), std::nullopt);
  EXPECT_EQ(*delinearize(layout, 0), (Dims{0, 0}));
  // A shape that was not parsed: that it is no array is said first.
  Shape invalid = make_array(ElementType::kF32, {3, 5}, default_layout(3));
  EXPECT_FALSE(tiled_layout(invalid).ok());
  Shape tuple;
  tuple.kind = Shape::Kind::kTuple;
  tuple.parts = {invalid};
  EXPECT_EQ(tiled_layout(tuple).status().message(),
            "expected an array with elements, found (f32[3,5]{2,1,0})");
}

TEST(Reference, RejectsSizesBeyond64BitsAndHandlesTheLargestThatFit) {
  EXPECT_FALSE(tiled_layout(*parse_shape("s8[9223372036854775807]{0:T(2)}")).ok());
  EXPECT_FALSE(tiled_layout(*parse_shape("s8[2]{0:T(9223372036854775807)(3,2)}")).ok());
  EXPECT_EQ(tiled_layout(*parse_shape("s8[3,3]{1,0:T(4294967296,8589934592)}")).status().message(),
            "combined dimensions of 4294967296 and 8589934592 have more places than 64 signed bits "
            "count");
  EXPECT_EQ(tiled_layout(*parse_shape("s8[2]{0:T(9223372036854775807)(3,2)}")).status().message(),
            "9223372036854775807 rounded up to a multiple of 2 does not fit 64 signed bits");
  EXPECT_EQ(tiled_layout(*parse_shape("f32[2]{0:T(4611686018427387904)}")).status().message(),
            "the bytes of 4611686018427387904 elements do not fit 64 signed bits");
  EXPECT_EQ(layout_of_text("pred[8]{0:E(1)}").bytes, 1);
  EXPECT_EQ(layout_of_text("pred[9]{0:E(1)}").bytes, 2);
  const TiledLayout largest = layout_of_text("s8[9223372036854775807]{0}");
  EXPECT_EQ(*linearize(largest, {9223372036854775806}), 9223372036854775806);
  const TiledLayout wide = layout_of_text("s8[16777216,128]{1,0:T(8,128)(4,1)}");
  EXPECT_EQ(*linearize(wide, {16777215, 127}), 16777216LL * 128 - 1);
}

}  // namespace
}  // namespace tileproof::spec
