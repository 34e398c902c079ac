// SPDX-License-Identifier: Apache-2.0
#include "spec/layout/tiled_layout.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "corpus/answers_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/layout/blocked_text.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/layout/blocked_layout.h"

namespace tileproof::spec {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TiledLayout layout_of_text(absl::string_view text) {
  absl::StatusOr<TiledLayout> layout = tiled_layout(*parse_shape(text));
  EXPECT_TRUE(layout.ok()) << text << ": " << layout.status();
  return *layout;
}

std::string sizes(absl::string_view text) {
  const absl::StatusOr<TiledLayout> layout = tiled_layout(*parse_shape(text));
  if (!layout.ok()) return std::string(layout.status().message());
  return absl::StrCat(layout->elements(), " elements of ", answer_text(layout->physical()), ", ",
                      layout->bytes, " bytes");
}

std::string elements_in_order(absl::string_view text) {
  return absl::StrJoin(buffer(layout_of_text(text)), " ", [](std::string* out, int64_t id) {
    out->append(id == Array::kPadding ? "-" : absl::StrCat(id));
  });
}

std::string offset_at(absl::string_view text) {
  const auto [index, layout] = parts_of<2>(text);
  return answer_text(linearize(layout_of_text(layout), numbers_of(index)));
}

std::string index_at(absl::string_view text) {
  const auto [offset, layout] = parts_of<2>(text);
  return answer_text(delinearize(layout_of_text(layout), numbers_of(offset)[0]));
}

std::string names_of_steps(absl::string_view text) {
  const TiledLayout layout = layout_of_text(text);
  std::vector<std::string> steps;
  for (size_t i = 0; i < layout.steps.size(); ++i)
    steps.push_back(to_text(layout.steps[i], layout.dims[i + 1]));
  return absl::StrJoin(steps, "; ");
}

TEST(Reference, Answers) {
  expect_answers("answers/tiled_layouts.txt", {{"buffer", elements_in_order},
                                               {"index", index_at},
                                               {"offset", offset_at},
                                               {"sizes", sizes},
                                               {"steps", names_of_steps}});
}

TEST(Reference, CombinedDimensionsOfTheDocumentLayOutLike112By110) {
  const TiledLayout combined = layout_of_text("f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}");
  const TiledLayout plain = layout_of_text("f32[112,110]{1,0:T(2,3)}");
  EXPECT_EQ(combined.physical(), plain.physical());
  EXPECT_EQ(buffer(combined), buffer(plain));
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

// A shape that was not parsed: that it is no array is said first.
TEST(Reference, RejectsShapesThatWereNotParsed) {
  Shape invalid = make_array(ElementType::kF32, {3, 5}, default_layout(3));
  EXPECT_FALSE(tiled_layout(invalid).ok());
  Shape tuple;
  tuple.kind = Shape::Kind::kTuple;
  tuple.parts = {invalid};
  EXPECT_EQ(tiled_layout(tuple).status().message(),
            "expected an array with elements, found (f32[3,5]{2,1,0})");
}

TiledLayout blocked_layout_of_text(absl::string_view text) {
  const absl::StatusOr<BlockedShape> shape = parse_blocked_shape(text);
  EXPECT_TRUE(shape.ok()) << text << ": " << shape.status();
  const absl::StatusOr<TiledLayout> layout = blocked_layout(*shape);
  EXPECT_TRUE(layout.ok()) << text << ": " << layout.status();
  return *layout;
}

TEST(BlockedLayout, BlocksFollowTheOuterDimensions) {
  const TiledLayout layout = blocked_layout_of_text("dnnl:nChw16c:f32[2,20,5,5]");
  EXPECT_THAT(layout.physical(), ElementsAre(2, 2, 5, 5, 16));
  EXPECT_EQ(layout.elements(), 1600);
  EXPECT_EQ(layout.bytes, 6400);
  EXPECT_EQ(*linearize(layout, {1, 17, 2, 3}), 800 + 400 + 2 * 80 + 3 * 16 + 1);
  EXPECT_THAT(**delinearize(layout, 1409), ElementsAre(1, 17, 2, 3));
}

TEST(BlockedLayout, BlocksOfOneDimensionAreDigitsOfItsIndex) {
  // The block of o, 16o, lies between the two blocks of i, 8i and 2i.
  const TiledLayout layout = blocked_layout_of_text("dnnl:OIhw8i16o2i:f32[16,16,1,1]");
  EXPECT_THAT(layout.physical(), ElementsAre(1, 1, 1, 1, 8, 16, 2));
  EXPECT_EQ(*linearize(layout, {3, 5, 0, 0}), 2 * 32 + 3 * 2 + 1);
}

TEST(BlockedLayout, FillsMemoryWithElementsAndPadding) {
  const int64_t P = Array::kPadding;
  EXPECT_THAT(buffer(blocked_layout_of_text("dnnl:Ba2b:f32[2,3]")),
              ElementsAre(0, 1, 3, 4, 2, P, 5, P));
  EXPECT_THAT(buffer(blocked_layout_of_text("dnnl:ba:f32[2,3]")), ElementsAre(0, 3, 1, 4, 2, 5));
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
