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

HloInstruction with(const std::string& name, const std::string& value) {
  HloInstruction instruction;
  instruction.attributes = {{name, value}};
  return instruction;
}

// Each prefix of the text, and the text without each of its characters, is read or refused with an
// error that names a column.
template <typename Read>
void expect_place_of_errors(const Read& read, const std::string& name, const std::string& text) {
  EXPECT_TRUE(read(with(name, text)).ok()) << text;
  for (size_t i = 0; i < text.size(); ++i) {
    for (const std::string& cut : {text.substr(0, i), text.substr(0, i) + text.substr(i + 1),
                                   text.substr(0, i) + "@" + text.substr(i + 1)}) {
      const auto value = read(with(name, cut));
      if (value.ok()) continue;
      EXPECT_THAT(std::string(value.status().message()), testing::HasSubstr("column ")) << cut;
    }
  }
}

TEST(HloAttributes, WhatIsCutOffIsRefusedWithItsPlace) {
  const auto dimensions = [](const HloInstruction& i) { return integers_of(i, "dimensions"); };
  expect_place_of_errors(dimensions, "dimensions", "{0, 2,1}");
  expect_place_of_errors(slice_of, "slice", "{[0:8:2], [1:3]}");
  expect_place_of_errors(padding_of, "padding", "0_0x1_2_3");
  expect_place_of_errors(window_of, "window",
                         "{size=1x5 stride=1x2 pad=0_0x-1_3 lhs_dilate=1x4 "
                         "rhs_dilate=1x6 rhs_reversal=0x1}");
  expect_place_of_errors(dim_labels_of, "dim_labels", "b01f_10io->1fb0");
  for (const char* groups : {"{{0,1},{2,3}}", "[2,4]<=[8]", "[2,4]<=[4,2]T(1,0)",
                             "mesh['x'=4,'y'=2], device_ids=([2,4]T(1,0)) {'x':(1)2,'y'}"}) {
    expect_place_of_errors(replica_groups_of, "replica_groups", groups);
  }
}

TEST(HloAttributes, IntegersAndListsOfThem) {
  const auto list = [](const char* text) { return *integers_of(with("a", text), "a"); };
  EXPECT_EQ(*integer_of(with("a", " 7 "), "a"), 7);
  EXPECT_THAT(list("{}"), IsEmpty());
  EXPECT_THAT(list("{0, 2,1}"), ElementsAre(0, 2, 1));
  EXPECT_THAT(list("{ /*outer*/ 3 }"), ElementsAre(3));
}

TEST(HloAttributes, SlicesHaveAStrideOrNot) {
  EXPECT_THAT(*slice_of(with("slice", "{[0:8:2], [1:3]}")),
              ElementsAre(SliceLimits{0, 8, 2}, SliceLimits{1, 3, 1}));
  EXPECT_THAT(*slice_of(with("slice", "{[5 : 5]}")), ElementsAre(SliceLimits{5, 5, 1}));
  EXPECT_THAT(*slice_of(with("slice", "{}")), IsEmpty());
}

TEST(HloAttributes, PaddingIsTwoOrThreeNumbersAndMayBeNegative) {
  EXPECT_THAT(*padding_of(with("padding", "0_0x1_2_3")),
              ElementsAre(PadLimits{0, 0, 0}, PadLimits{1, 2, 3}));
  EXPECT_THAT(*padding_of(with("padding", "-1_-2x1_-3_1")),
              ElementsAre(PadLimits{-1, -2, 0}, PadLimits{1, -3, 1}));
  EXPECT_THAT(*padding_of(with("padding", "")), IsEmpty());
}

TEST(HloAttributes, WindowsNameTheirFieldsInAnyOrder) {
  WindowDimension plain;
  plain.size = 3;
  EXPECT_THAT(*window_of(with("window", "{size=3}")), ElementsAre(plain));
  EXPECT_THAT(*window_of(with("window",
                              "{size=1x5 stride=1x2 pad=0_0x-1_3 lhs_dilate=1x4 rhs_dilate=1x6 "
                              "rhs_reversal=0x1}")),
              ElementsAre(WindowDimension{1, 1, 0, 0, 1, 1, false},
                          WindowDimension{5, 2, -1, 3, 4, 6, true}));
  EXPECT_EQ(*window_of(with("window", "{pad=1_1 size=1}")),
            *window_of(with("window", "{size=1 pad=1_1}")));
  EXPECT_THAT(*window_of(with("window", "{}")), IsEmpty());
}

TEST(HloAttributes, DimLabelsSayWhereBatchFeaturesAndSpaceAre) {
  const ConvolutionDimensionNumbers image = *dim_labels_of(with("dim_labels", "b01f_10io->1fb0"));
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
  const ConvolutionDimensionNumbers dense = *dim_labels_of(with("dim_labels", "bf_io->bf"));
  EXPECT_THAT(dense.input_spatial, IsEmpty());
  EXPECT_EQ(dense.kernel_rank, 2);
  const ConvolutionDimensionNumbers unknown =
      *dim_labels_of(with("dim_labels", "?b0f?_0?io->b?0f"));
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
  EXPECT_EQ(integers_of(broadcast, "dimensions").status().message(),
            "bc: dimensions: expected this attribute of broadcast");
  const HloInstruction conv =
      root_of("c = f32[1,2] convolution(f32[1,3] x, f32[3,2] w), dim_labels=bf_io->bf");
  EXPECT_EQ(*integer_of(conv, "feature_group_count", 1), 1);
  EXPECT_EQ(dim_labels_of(conv)->kernel_rank, 2);
}

}  // namespace
}  // namespace tileproof
