// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/hlo/hlo_attributes.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The root of a text of instructions.
HloInstruction root_of(absl::string_view text) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(text);
  EXPECT_TRUE(module.ok()) << text << "\n" << module.status();
  if (!module.ok()) return HloInstruction();
  const HloComputation& entry = module->computations[module->entry];
  return entry.instructions[entry.root];
}

template <typename Value>
std::string error_of(const absl::StatusOr<Value>& value) {
  return value.ok() ? "no error" : std::string(value.status().message());
}

// Each prefix of the text, and the text without each of its characters, is read or refused with an
// error that names a column.
template <typename Read>
void expect_place_of_errors(const Read& read, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    EXPECT_TRUE(read(text).ok()) << text;
    for (size_t i = 0; i < text.size(); ++i) {
      for (const std::string& cut : {text.substr(0, i), text.substr(0, i) + text.substr(i + 1),
                                     text.substr(0, i) + "@" + text.substr(i + 1)}) {
        const auto value = read(cut);
        if (value.ok()) continue;
        EXPECT_THAT(std::string(value.status().message()), testing::HasSubstr("column ")) << cut;
      }
    }
  }
}

TEST(HloAttributes, WhatIsCutOffIsRefusedWithItsPlace) {
  expect_place_of_errors(read_integers, {"{0, 2,1}"});
  expect_place_of_errors(read_slice, {"{[0:8:2], [1:3]}"});
  expect_place_of_errors(read_padding, {"0_0x1_2_3"});
  expect_place_of_errors(read_window, {"{size=1x5 stride=1x2 pad=0_0x-1_3 lhs_dilate=1x4 "
                                       "rhs_dilate=1x6 rhs_reversal=0x1}"});
  expect_place_of_errors(read_dim_labels, {"b01f_10io->1fb0"});
  expect_place_of_errors(read_replica_groups,
                         {"{{0,1},{2,3}}", "[2,4]<=[8]", "[2,4]<=[4,2]T(1,0)",
                          "mesh['x'=4,'y'=2], device_ids=([2,4]T(1,0)) {'x':(1)2,'y'}"});
}

TEST(HloAttributes, IntegersAndListsOfThem) {
  EXPECT_EQ(*read_integer(" 7 "), 7);
  EXPECT_THAT(*read_integers("{}"), IsEmpty());
  EXPECT_THAT(*read_integers("{0, 2,1}"), ElementsAre(0, 2, 1));
  EXPECT_THAT(*read_integers("{ /*outer*/ -3 }"), ElementsAre(-3));
}

TEST(HloAttributes, SlicesHaveAStrideOrNot) {
  EXPECT_THAT(*read_slice("{[0:8:2], [1:3]}"),
              ElementsAre(SliceLimits{0, 8, 2}, SliceLimits{1, 3, 1}));
  EXPECT_THAT(*read_slice("{[5 : 5]}"), ElementsAre(SliceLimits{5, 5, 1}));
  EXPECT_THAT(*read_slice("{}"), IsEmpty());
}

TEST(HloAttributes, PaddingIsTwoOrThreeNumbersAndMayBeNegative) {
  EXPECT_THAT(*read_padding("0_0x1_2_3"), ElementsAre(PadLimits{0, 0, 0}, PadLimits{1, 2, 3}));
  EXPECT_THAT(*read_padding("-1_-2x1_-3_1"),
              ElementsAre(PadLimits{-1, -2, 0}, PadLimits{1, -3, 1}));
  EXPECT_THAT(*read_padding(""), IsEmpty());
}

TEST(HloAttributes, WindowsNameTheirFieldsInAnyOrder) {
  WindowDimension plain;
  plain.size = 3;
  EXPECT_THAT(*read_window("{size=3}"), ElementsAre(plain));
  EXPECT_THAT(*read_window("{size=1x5 stride=1x2 pad=0_0x-1_3 lhs_dilate=1x4 rhs_dilate=1x6 "
                           "rhs_reversal=0x1}"),
              ElementsAre(WindowDimension{1, 1, 0, 0, 1, 1, false},
                          WindowDimension{5, 2, -1, 3, 4, 6, true}));
  EXPECT_EQ(*read_window("{pad=1_1 size=1}"), *read_window("{size=1 pad=1_1}"));
  EXPECT_THAT(*read_window("{}"), IsEmpty());
}

TEST(HloAttributes, DimLabelsSayWhereBatchFeaturesAndSpaceAre) {
  const ConvolutionDimensionNumbers image = *read_dim_labels("b01f_10io->1fb0");
  EXPECT_EQ(image.input_batch, 0);
  EXPECT_THAT(image.input_spatial, ElementsAre(1, 2));
  EXPECT_EQ(image.input_feature, 3);
  EXPECT_THAT(image.kernel_spatial, ElementsAre(1, 0));
  EXPECT_EQ(image.kernel_input_feature, 2);
  EXPECT_EQ(image.kernel_output_feature, 3);
  EXPECT_THAT(image.output_spatial, ElementsAre(3, 0));
  EXPECT_EQ(image.output_batch, 2);
  EXPECT_EQ(image.output_feature, 1);
  EXPECT_EQ(image.input_rank, 4);
}

TEST(HloAttributes, DimLabelsMayHaveNoSpaceOrUnknownDimensions) {
  const ConvolutionDimensionNumbers dense = *read_dim_labels("bf_io->bf");
  EXPECT_THAT(dense.input_spatial, IsEmpty());
  EXPECT_EQ(dense.kernel_rank, 2);
  const ConvolutionDimensionNumbers unknown = *read_dim_labels("?b0f?_0?io->b?0f");
  EXPECT_EQ(unknown.input_batch, 1);
  EXPECT_EQ(unknown.input_rank, 5);
  EXPECT_THAT(unknown.output_spatial, ElementsAre(2));
}

TEST(HloAttributes, ADotMayLeaveOutBatchesAndContractions) {
  const DotDimensionNumbers batched = *dot_numbers_of(
      root_of("d = f32[2,3,5] dot(f32[2,3,4] a, f32[4,2,5] b), lhs_batch_dims={0}, "
              "lhs_contracting_dims={2}, rhs_batch_dims={1}, rhs_contracting_dims={0}"));
  EXPECT_EQ(batched, (DotDimensionNumbers{{0}, {1}, {2}, {0}}));
  EXPECT_EQ(*dot_numbers_of(root_of("d = f32[3,5] dot(f32[3] a, f32[5] b)")),
            DotDimensionNumbers());
}

TEST(HloAttributes, AGatherWithAndWithoutBatchingDimensions) {
  const GatherDimensionNumbers plain = *gather_numbers_of(
      root_of("g = f32[1806,7,8,4] gather(f32[33,76,70] operand, s32[1806,2] indices), "
              "offset_dims={1,2,3}, collapsed_slice_dims={}, start_index_map={0,1}, "
              "index_vector_dim=1, slice_sizes={7,8,4}"));
  EXPECT_EQ(plain, (GatherDimensionNumbers{{1, 2, 3}, {}, {0, 1}, {}, {}, 1, {7, 8, 4}}));
  const GatherDimensionNumbers batched = *gather_numbers_of(
      root_of("g = f32[3,4,6] gather(f32[3,8,6] x, s32[3,4] i), offset_dims={2}, "
              "collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, "
              "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}"));
  EXPECT_EQ(batched, (GatherDimensionNumbers{{2}, {1}, {1}, {0}, {0}, 2, {1, 1, 6}}));
}

TEST(HloAttributes, AScatter) {
  const ScatterDimensionNumbers numbers = *scatter_numbers_of(
      root_of("s = f32[9,5] scatter(f32[9,5] x, s32[4] i, f32[4,5] u), update_window_dims={1}, "
              "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
              "to_apply=add"));
  EXPECT_EQ(numbers, (ScatterDimensionNumbers{{1}, {0}, {0}, {}, {}, 1}));
}

TEST(HloAttributes, WhatIsLeftOutIsTheDefaultOrAnError) {
  const HloInstruction scalar_window = root_of("w = f32[] reduce-window(f32[] x, f32[] z)");
  EXPECT_THAT(*window_of(scalar_window), IsEmpty());
  const HloInstruction broadcast = root_of("bc = f32[3] broadcast(f32[] x)");
  EXPECT_THAT(*integers_of(broadcast, "dimensions", {}), IsEmpty());
  EXPECT_EQ(error_of(integers_of(broadcast, "dimensions")),
            "bc: dimensions: expected this attribute of broadcast");
  const HloInstruction conv =
      root_of("c = f32[1,2] convolution(f32[1,3] x, f32[3,2] w), dim_labels=bf_io->bf");
  EXPECT_EQ(*integer_of(conv, "feature_group_count", 1), 1);
  EXPECT_EQ(dim_labels_of(conv)->kernel_rank, 2);
}

}  // namespace
}  // namespace tileproof
