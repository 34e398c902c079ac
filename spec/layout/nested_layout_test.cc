// SPDX-License-Identifier: Apache-2.0
#include "spec/layout/nested_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/layout/nested_tags.h"

namespace tileproof::spec {
namespace {

using ::testing::HasSubstr;

NestedLayout layout_of(absl::string_view text) {
  const auto layout = parse_nested_layout(text);
  EXPECT_TRUE(layout.ok()) << layout.status();
  return *layout;
}

// Returns the offset, or the error.
std::string offset_of(absl::string_view layout, absl::string_view coordinate) {
  const auto result = offset(layout_of(layout), *parse_int_tuple(coordinate));
  return result.ok() ? absl::StrCat(*result) : std::string(result.status().message());
}

std::string made(absl::string_view tagged) {
  const auto layout = make_layout(*parse_tagged_shape(tagged));
  return layout.ok() ? to_text(*layout) : std::string(layout.status().message());
}

std::string tiled(absl::string_view layout, std::vector<int64_t> tile) {
  const auto result = make_layout_tile(layout_of(layout), tile);
  return result.ok() ? to_text(*result) : std::string(result.status().message());
}

TEST(NestedReference, ReproducesTheExamplesOfTheDocument) {
  const std::string seed = "((4,2),(4,3)):((4,16),(1,32))";
  EXPECT_EQ(offset_of(seed, "(1,5)"), "37");
  EXPECT_EQ(tiled(seed, {4, 4}), "((4,1),(4,1)):((4,16),(1,32))");
  EXPECT_EQ(tiled("((_4,_2),(_4,_3)):((_4,_16),(_1,_32))", {4, 4}),
            "((_4,1),(_4,1)):((_4,_16),(_1,_32))");
  EXPECT_EQ(offset_of("(_2,4):(_12,_1)", "(1,3)"), "15");
  EXPECT_EQ(offset_of("((16,2),(16,3)):((16,256),(1,512))", "(17,17)"), "785");
  EXPECT_EQ(offset_of("(2,3):(3,1)", "(1,2)"), "5");
  EXPECT_EQ(offset_of("(2,3):(1,2)", "(1,2)"), "5");
  EXPECT_EQ(depth(layout_of(seed).shape), 2);
  EXPECT_EQ(rank(layout_of(seed).shape), 2);
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
    const std::string layout = made(format.text);
    for (int64_t r = 0; r < format.rows; ++r) {
      for (int64_t c = 0; c < format.cols; ++c) {
        ASSERT_EQ(offset_of(layout, absl::StrCat("(", r, ",", c, ")")),
                  absl::StrCat(format.offset(r, c)))
            << format.text << " --index " << r << "," << c;
      }
    }
  }
  EXPECT_EQ(made("SWIZZLE_32_4_4:u8[512,2]"), "((32,4,4),(4,1)):((16,4,512),(1,512))");
  EXPECT_EQ(made("COL4_4R2_8C:s8[1,33]"), "((2,4,1),(4,2,4,2)):((128,4,256),(1,16,32,256))");
  EXPECT_EQ(made("Q4_0_4_8:s4[4,32]"), "((4,1),(8,2,2,1)):((16,144),(2,64,1,144))");
}

TEST(NestedReference, AcceptsEveryNestingOfACoordinate) {
  const std::string layout = "((4,2),(4,3)):((4,16),(1,32))";
  for (const char* same : {"((1,0),(1,1))", "(1,(1,1))", "((1,0),5)", "(1,5)", "41"}) {
    EXPECT_EQ(offset_of(layout, same), "37") << same;
  }
  EXPECT_EQ(offset_of("(5,(1,(2,2)),2):(16,(27,(46,0)),8)", "(3,38,5)"), "88");
  EXPECT_EQ(offset_of("4:3", "2"), "6");
  EXPECT_EQ(offset_of("(4):(3)", "(2)"), "6");
  EXPECT_EQ(offset_of("(4):(3)", "2"), "6");
}

TEST(NestedReference, ExtrapolatesPastTheEndOfTheLastMode) {
  EXPECT_EQ(offset_of("4:3", "9"), "27");
  EXPECT_EQ(offset_of("(4,2):(1,10)", "9"), "21");              // 9 = 1 + 4 * 2
  EXPECT_EQ(offset_of("((4,2),3):((1,10),100)", "26"), "302");  // mode (4,2) takes 26 mod 8
  EXPECT_EQ(offset_of("(4,2):(1,10)", "(7,5)"), "57");
  EXPECT_EQ(offset_of("(4,0):(1,10)", "9"), "21");
}

TEST(NestedReference, RejectsInvalidCoordinates) {
  EXPECT_EQ(offset_of("(4,2):(1,10)", "-1"), "coordinate -1: expected an integer of at least 0");
  EXPECT_EQ(offset_of("(4,2):(1,10)", "(0,-1)"),
            "coordinate -1: expected an integer of at least 0");
  EXPECT_EQ(offset_of("(4,2):(1,10)", "(0,(1))"),
            "coordinate (1): expected an integer, as in the shape");
  EXPECT_EQ(offset_of("(4,2):(1,10)", "(0)"),
            "coordinate (0): expected an integer or a tuple of 2 for the mode (4,2), found a tuple "
            "of 1");
  // Texts of more than 80 characters are cut.
  std::string shown = "(";
  for (int i = 0; i < 25; ++i) shown += "11,";
  const std::string error = ": expected an integer, as in the shape";
  EXPECT_EQ(offset_of("4:1", shown + "111)"), "coordinate " + shown + "111)" + error);
  EXPECT_EQ(offset_of("4:1", shown + "1111)"), "coordinate " + shown + "1111.." + error);
  EXPECT_THAT(offset_of("(0,2):(1,10)", "5"), HasSubstr("that is not the last has no elements"));
  EXPECT_EQ(offset_of("(0,2):(1,10)", "(3,1)"), "13");
  EXPECT_EQ(offset_of("4:1", "()"), "coordinate (): expected an integer, as in the shape");
}

TEST(NestedReference, TheEmptyTupleHasOneCoordinate) {
  EXPECT_EQ(*size(make_tuple({})), 1);
  EXPECT_EQ(*cosize(layout_of("():()")), 1);
  EXPECT_EQ(offset_of("():()", "()"), "0");
  EXPECT_EQ(offset_of("():()", "0"), "0");
  EXPECT_THAT(offset_of("():()", "1"), HasSubstr("below the size"));
  EXPECT_EQ(offset_of("((),4):((),3)", "2"), "6");
  EXPECT_EQ(offset_of("(4,()):(3,())", "3"), "9");
  EXPECT_THAT(offset_of("(4,()):(3,())", "4"), HasSubstr("below the size"));
}

TEST(NestedReference, ReportsOverflowOf64BitsAndNeverWraps) {
  EXPECT_EQ(offset_of("(2,2):(9223372036854775807,1)", "(1,0)"), "9223372036854775807");
  EXPECT_EQ(offset_of("(2,2):(9223372036854775807,1)", "(1,1)"),
            "the offset does not fit 64 signed bits");
  EXPECT_EQ(offset_of("(2,2):(9223372036854775807,-1)", "(1,1)"), "9223372036854775806");
  // 2^28 rows of int8 in zN: 32 bits would wrap.
  EXPECT_EQ(offset_of(made("zN:s8[268435456,64]"), "(0,32)"), "8589934592");
  // The size of the first mode does not fit int64, and is not needed.
  EXPECT_EQ(offset_of("((4294967296,4294967296),2):((1,0),7)", "5"), "5");
  EXPECT_EQ(offset_of("(4294967296,4294967296,()):(1,0,())", "5"), "5");
  // The partial sums exceed even 128 bits.
  const std::string most = "9223372036854775807";
  EXPECT_EQ(offset_of(absl::StrCat("(1,1,1,1,1,1):(", most, ",", most, ",", most, ",-", most, ",-",
                                   most, ",-", most, ")"),
                      absl::StrCat("(", most, ",", most, ",", most, ",", most, ",", most, ",", most,
                                   ")")),
            "0");
  EXPECT_EQ(size(*parse_int_tuple("(4294967296,2147483648)")).status().message(),
            "the size does not fit 64 signed bits");
  EXPECT_EQ(*size(*parse_int_tuple("(4294967296,2147483648,0)")), 0);
  EXPECT_EQ(*cosize(layout_of("(4294967296,2147483648):(0,1)")), 2147483648);
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

TEST(NestedReference, FindsTheFirstCoordinateOfAnOffset) {
  const NestedLayout layout = layout_of("((4,2),(4,3)):((4,16),(1,32))");
  EXPECT_EQ(to_text(**coordinate_at(layout, 37)), "((1,0),(1,1))");
  EXPECT_EQ(*coordinate_at(layout, 96), std::nullopt);
  EXPECT_EQ(*coordinate_at(layout, -1), std::nullopt);
  EXPECT_EQ(to_text(**coordinate_at(layout_of("(3,3):(1,1)"), 2)), "(2,0)");
  EXPECT_EQ(to_text(**coordinate_at(layout, 0)), "((0,0),(0,0))");
  EXPECT_EQ(to_text(**coordinate_at(layout_of("4194304:1"), 3)), "3");
  for (const char* large : {"4194305:1", "(4294967296,4294967296):(1,1)"}) {
    EXPECT_EQ(coordinate_at(layout_of(large), 2).status().message(),
              "the reference walks at most 4194304 coordinates");
  }
}

TEST(NestedTags, MakeTheLayoutsOfTheTable) {
  EXPECT_EQ(made("RowMajor:f16[5,7]"), "(5,7):(7,1)");
  EXPECT_EQ(made("ColumnMajor:f16[5,7]"), "(5,7):(1,5)");
  EXPECT_EQ(made("RowMajor:s4[5,7]"), "(5,7):(8,1)");
  EXPECT_EQ(made("ColumnMajor:s4[5,7]"), "(5,7):(1,6)");
  EXPECT_EQ(made("RowMajor:s2[5,7]"), "(5,7):(7,1)");
  EXPECT_EQ(made("zN:f16[64,96]"), "((16,4),(16,6)):((16,256),(1,1024))");
  EXPECT_EQ(made("nZ:f32[20,33]"), "((8,3),(16,3)):((1,384),(8,128))");
  EXPECT_EQ(made("zZ:s8[17,33]"), "((16,2),(32,2)):((32,1024),(1,512))");
  EXPECT_EQ(made("nN:s4[65,5]"), "((64,2),(16,1)):((1,1024),(64,2048))");
  EXPECT_EQ(made("L0C:f64[33,65]"), "((16,3),(16,5)):((16,256),(1,768))");
  EXPECT_EQ(made("Weight4BitnZ:s4[16,16]"), "((32,1),(16,1)):((1,512),(32,512))");
  // Sizes that fill their blocks, and of one element more.
  EXPECT_EQ(made("ColumnMajor:s4[7,5]"), "(7,5):(1,8)");
  EXPECT_EQ(made("zN:s1[16,257]"), "((16,1),(256,2)):((256,4096),(1,4096))");
  EXPECT_EQ(made("nZ:f32[8,16]"), "((8,1),(16,1)):((1,128),(8,128))");
  EXPECT_EQ(made("nZ:f32[9,17]"), "((8,2),(16,2)):((1,256),(8,128))");
  EXPECT_EQ(made("L0C:f32[16,16]"), "((16,1),(16,1)):((16,256),(1,256))");
  EXPECT_EQ(made("L0C:f32[17,17]"), "((16,2),(16,2)):((16,256),(1,512))");
  EXPECT_EQ(made("Weight4BitnZ:s4[32,16]"), "((32,1),(16,1)):((1,512),(32,512))");
  EXPECT_EQ(made("Weight4BitnZ:s4[33,17]"), "((32,2),(16,2)):((1,1024),(32,512))");
  EXPECT_EQ(made("VectorLayout:f32[253]"), "(253):(1)");
  EXPECT_EQ(made("zN:pred[16,64]"), made("zN:s8[16,64]"));
  EXPECT_EQ(made("zN:f32[0,9]"), "((16,0),(8,2)):((8,128),(1,0))");
  EXPECT_EQ(made("zN:s8[9223372036854775807,1]"), "a stride does not fit 64 signed bits");
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

TEST(NestedTiles, KeepTheNestingOfTheModes) {
  EXPECT_EQ(tiled("(134,138):(1,134)", {32, 144}), "(32,144):(1,134)");
  EXPECT_EQ(tiled("((16,4),(16,6)):((16,256),(1,1024))", {20, 0}),
            "((16,2),(16,0)):((16,256),(1,1024))");
  EXPECT_EQ(tiled("4:1", {9}), "9:1");
  EXPECT_EQ(tiled("(4):(1)", {9}), "(9):(1)");
  EXPECT_EQ(tiled("((2,3),5):((1,2),6)", {9223372036854775807, 1}),
            "((2,4611686018427387904),1):((1,2),6)");
  EXPECT_THAT(tiled("(4,4):(1,4)", {4}), HasSubstr("expected a tile of 2 sizes"));
  EXPECT_THAT(tiled("4:1", {-1}), HasSubstr("at least 0"));
  EXPECT_THAT(tiled("((2,2,2),4):((1,2,4),8)", {4, 4}), HasSubstr("expected mode 0"));
  EXPECT_THAT(tiled("(4,(2,(2))):(1,(1,(2)))", {4, 4}), HasSubstr("expected mode 1"));
  EXPECT_THAT(tiled("((0,2),4):((1,2),8)", {4, 4}), HasSubstr("expected mode 0"));
}

TEST(NestedTiles, AreCroppedToTheExtent) {
  EXPECT_EQ(*valid_extent({134, 138}, {51, 43}, {32, 144}), (std::vector<int64_t>{32, 95}));
  EXPECT_EQ(*valid_extent({4}, {9}, {2}), (std::vector<int64_t>{0}));
  EXPECT_EQ(*valid_extent({4, 8, 2, 9, 5}, {4, 6, 3, 8, 0}, {2, 4, 4, 4, 4}),
            (std::vector<int64_t>{0, 2, 0, 1, 4}));
  EXPECT_FALSE(valid_extent({4}, {9, 1}, {2}).ok());
  EXPECT_FALSE(valid_extent({4}, {9}, {2, 1}).ok());
  EXPECT_EQ(*valid_extent({0, 4}, {0, 0}, {3, 0}), (std::vector<int64_t>{0, 0}));
  EXPECT_FALSE(valid_extent({-1}, {0}, {2}).ok());
  EXPECT_FALSE(valid_extent({4}, {-1}, {2}).ok());
  EXPECT_FALSE(valid_extent({4}, {0}, {-1}).ok());
}

}  // namespace
}  // namespace tileproof::spec
