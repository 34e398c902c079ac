// SPDX-License-Identifier: Apache-2.0
#include "spec/layout/nested_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "corpus/answers_testing.h"
#include "gtest/gtest.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/layout/layout_algebra.h"

namespace tileproof::spec {
namespace {

// Of a text such as (4,2):(1,10) or zN:f16[64,96].
NestedLayout layout_of(absl::string_view text) {
  const auto layout = layout_form(text) == LayoutForm::kTagged
                          ? make_layout(*parse_tagged_shape(text))
                          : parse_nested_layout(text);
  EXPECT_TRUE(layout.ok()) << layout.status();
  return *layout;
}

std::string offset_in(absl::string_view text) {
  const auto [layout, coordinate] = parts_of<2>(text);
  return answer_text(offset(layout_of(layout), *parse_int_tuple(coordinate)));
}

std::string coordinate_in(absl::string_view text) {
  const auto [layout, at] = parts_of<2>(text);
  return answer_text(coordinate_at(layout_of(layout), numbers_of(at)[0]));
}

std::string tiled(absl::string_view text) {
  const auto [layout, tile] = parts_of<2>(text);
  return answer_text(make_layout_tile(layout_of(layout), numbers_of(tile)));
}

// Of the extent, of a tile, and where it begins.
std::string cropped(absl::string_view text) {
  const auto [extent, begin, tile] = parts_of<3>(text);
  return answer_text(valid_extent(numbers_of(extent), numbers_of(begin), numbers_of(tile)));
}

TEST(NestedReference, Answers) {
  expect_answers(
      "answers/nested_layouts.txt",
      {{"offset", offset_in},
       {"coordinate_at", coordinate_in},
       {"tile", tiled},
       {"crop", cropped},
       {"make", [](auto text) { return answer_text(make_layout(*parse_tagged_shape(text))); }},
       {"size", [](auto text) { return answer_text(size(*parse_int_tuple(text))); }},
       {"cosize", [](auto text) { return answer_text(cosize(layout_of(text))); }},
       {"depth", [](auto text) { return answer_text(depth(layout_of(text).shape)); }},
       {"rank", [](auto text) { return answer_text(rank(layout_of(text).shape)); }}});
}

// Each formula is written here as its source writes it: the offset of an element from its row and
// column. The second is CUDA code that users pass around for COL4_4R2_8C (DeepLearningExamples#770).
TEST(NestedReference, FormatsWithANameHaveTheOffsetsOfTheirSources) {
  struct Format {
    const char* text;
    int64_t rows, cols;
    int64_t (*offset)(int64_t r, int64_t c);
  };
  const Format formats[] = {
      {"COL32:s8[5,70]", 5, 70,
       [](int64_t r, int64_t c) { return c / 32 * (5 * 32) + r * 32 + c % 32; }},
      {"COL4_4R2_8C:s8[16,64]", 16, 64,
       [](int64_t r, int64_t c) {
         return ((c >> 5) << 9) + (((((r >> 3) << 3) + ((r & 1) << 2) + ((c & 31) >> 3)) << 5) +
                                   (((((c & 7) >= 4) ? 4 : 0) + ((r & 7) >> 1)) << 2) + (c & 3));
       }},
      {"COL32_2R_4R4:s8[64,64]", 64, 64,
       [](int64_t r, int64_t c) {
         const int64_t row = r % 32;
         return c / 32 * (64 * 32) + r / 32 * 1024 +
                (((row % 8) / 2 * 4 + row / 8) * 2 + row % 2) * 32 + c % 32;
       }},
      {"SWIZZLE_32_4_4:f8e8m0fnu[256,8]", 256, 8,
       [](int64_t r, int64_t c) {
         return (r / 128 * 2 + c / 4) * 512 + r % 32 * 16 + r % 128 / 32 * 4 + c % 4;
       }},
      {"VNNI:bf16[6,5]", 6, 5, [](int64_t r, int64_t c) { return r / 2 * 10 + c * 2 + r % 2; }},
      {"VNNI:s8[8,3]", 8, 3, [](int64_t r, int64_t c) { return r / 4 * 12 + c * 4 + r % 4; }},
      {"Q4_0_4_4:u4[8,64]", 8, 64,
       [](int64_t r, int64_t c) {
         const int64_t byte = c % 16, chunk = byte / 4 * 4 + r % 4;  // of 4 bytes
         return (r / 4 * 2 + c / 32) * 144 + (chunk * 4 + byte % 4) * 2 + c % 32 / 16;
       }},
      {"Q4_0_8_8:u4[16,64]", 16, 64,
       [](int64_t r, int64_t c) {
         const int64_t byte = c % 16, chunk = byte / 8 * 8 + r % 8;  // of 8 bytes
         return (r / 8 * 2 + c / 32) * 288 + (chunk * 8 + byte % 8) * 2 + c % 32 / 16;
       }},
  };
  for (const Format& format : formats) {
    const NestedLayout layout = layout_of(format.text);
    for (int64_t r = 0; r < format.rows; ++r) {
      for (int64_t c = 0; c < format.cols; ++c) {
        ASSERT_EQ(*offset(layout, make_flat({r, c})), format.offset(r, c))
            << format.text << " --index " << r << "," << c;
      }
    }
  }
}

TEST(NestedReference, CosizeSpansAllOffsets) {
  for (const char* text : {"((4,2),(4,3)):((4,16),(1,32))", "(3,5):(-7,2)", "(2,2):(0,0)", "4:3",
                           "(0,3):(1,1)", "(2,(3,2)):(5,(-1,4))"}) {
    const NestedLayout layout = layout_of(text);
    std::vector<int64_t> offsets;
    for (int64_t c = 0; c < *size(layout.shape); ++c) {
      offsets.push_back(*offset(layout, make_integer(c)));
    }
    const auto ends = std::minmax_element(offsets.begin(), offsets.end());
    EXPECT_EQ(*cosize(layout), offsets.empty() ? 0 : *ends.second - *ends.first + 1) << text;
  }
}

TEST(NestedTags, HaveTwoSizesAndWholeElements) {
  EXPECT_EQ(make_layout(TaggedShape{Tag::kzN, ElementType::kF16, {3}}).status().message(),
            "expected 2 dimensions for zN, found 1");
  EXPECT_FALSE(make_layout(Tag::kzN, 24, 1, 1).ok());
  EXPECT_FALSE(make_layout(Tag::kzN, 0, 1, 1).ok());
  EXPECT_FALSE(make_layout(Tag::kzN, 16, -1, 1).ok());
  EXPECT_FALSE(make_layout(Tag::kzN, 16, 1, -1).ok());
  EXPECT_TRUE(make_layout(Tag::kzN, 16, 1, 0).ok());
}

// Numbers the elements in the order that the letters of a tag state: fractals in their order, and
// the elements of each fractal in theirs.
std::vector<int64_t> walked(int64_t rows, int64_t cols, int64_t down, int64_t across, bool z_inside,
                            bool Z_outside) {
  std::vector<int64_t> offsets(rows * cols, -1);
  const int64_t fr = rows / down, fc = cols / across;
  int64_t next = 0;
  for (int64_t fractal = 0; fractal < down * across; ++fractal) {
    const int64_t R = Z_outside ? fractal / across : fractal % down;
    const int64_t C = Z_outside ? fractal % across : fractal / down;
    for (int64_t position = 0; position < fr * fc; ++position) {
      const int64_t r = R * fr + (z_inside ? position / fc : position % fr);
      const int64_t c = C * fc + (z_inside ? position % fc : position / fr);
      offsets[r * cols + c] = next++;
    }
  }
  return offsets;
}

TEST(NestedTags, LettersNameTheOrderInsideAndOutsideOfFractals) {
  const int64_t rows = 128, cols = 192;
  for (const auto& [text, fr, fc, z, Z] : {std::tuple("zN:f16[128,192]", 16, 16, true, false),
                                           {"nZ:f32[128,192]", 8, 16, false, true},
                                           {"zZ:s8[128,192]", 16, 32, true, true},
                                           {"nN:s4[128,192]", 64, 16, false, false},
                                           {"L0C:s8[128,192]", 16, 16, true, false},
                                           {"Weight4BitnZ:s4[128,192]", 32, 16, false, true},
                                           {"RowMajor:s8[128,192]", 128, 192, true, true},
                                           {"ColumnMajor:s8[128,192]", 128, 192, false, false}}) {
    const NestedLayout layout = *make_layout(*parse_tagged_shape(text));
    const std::vector<int64_t> right = walked(rows, cols, rows / fr, cols / fc, z, Z);
    for (int64_t i = 0; i < rows * cols; ++i) {
      ASSERT_EQ(*offset(layout, make_flat({i / cols, i % cols})), right[i])
          << text << " at " << i / cols << "," << i % cols;
    }
  }
}

// The layout algebra: the answers in corpus/answers/layout_algebra.txt, and cases that no text can say.

NestedLayout layout_in(absl::string_view text) {
  const auto layout = parse_nested_layout(text);
  EXPECT_TRUE(layout.ok()) << text << ": " << layout.status();
  return *layout;
}

using Answer = absl::StatusOr<NestedLayout>;

template <Answer (*operation)(const NestedLayout&)>
std::string of_one(absl::string_view text) {
  return answer_text(operation(layout_in(text)));
}

template <Answer (*operation)(const NestedLayout&, const NestedLayout&)>
std::string of_two(absl::string_view text) {
  const auto [a, b] = parts_of<2>(text);
  return answer_text(operation(layout_in(a), layout_in(b)));
}

template <Answer (*operation)(const NestedLayout&, const Tiler&)>
std::string by_tiler(absl::string_view text) {
  const auto [a, tiler] = parts_of<2>(text);
  return answer_text(operation(layout_in(a), *parse_tiler(tiler)));
}

std::string filled(absl::string_view text) {
  const auto [a, m] = parts_of<2>(text);
  return answer_text(complement(layout_in(a), numbers_of(m)[0]));
}

std::string cut(absl::string_view text) {
  const auto [a, slicer] = parts_of<2>(text);
  return answer_text(slice(layout_in(a), *parse_slicer(slicer)));
}

// The offsets at a list of integers.
std::string values_of(absl::string_view text) {
  const auto [a, at] = parts_of<2>(text);
  return answer_text(values_at(layout_in(a), numbers_of(at)));
}

TEST(LayoutAlgebra, Answers) {
  expect_answers("answers/layout_algebra.txt",
                 {{"coalesce", of_one<coalesce>},
                  {"right_inverse", of_one<right_inverse>},
                  {"left_inverse", of_one<left_inverse>},
                  {"composition", of_two<composition>},
                  {"logical_product", of_two<logical_product>},
                  {"blocked_product", of_two<blocked_product>},
                  {"raked_product", of_two<raked_product>},
                  {"composition_by_mode", by_tiler<composition_by_mode>},
                  {"logical_divide", by_tiler<logical_divide>},
                  {"zipped_divide", by_tiler<zipped_divide>},
                  {"tiled_divide", by_tiler<tiled_divide>},
                  {"complement", filled},
                  {"slice", cut},
                  {"values_at", values_of}});
}

// No text is read as such a layout.
TEST(LayoutAlgebra, RejectsStridesOfAnotherNesting) {
  const NestedLayout layout{make_flat({2, 3}), make_flat({1})};
  for (const absl::Status& status :
       {composition_by_mode(layout, *parse_tiler("<1:1,1:1>")).status(),
        right_inverse(layout).status(), slice(layout, *parse_slicer("(_,1)")).status()}) {
    EXPECT_EQ(status.message(), "expected a stride of the same nesting as the shape");
  }
}

}  // namespace
}  // namespace tileproof::spec
