// SPDX-License-Identifier: Apache-2.0
// Errors and what is left out. corpus/readers/hlo.txt has attributes with what they say.
#include "spec/lang/hlo/hlo_attributes.h"

#include <string>

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

TEST(HloAttributes, DimLabelsMayHaveUnknownDimensions) {
  const ConvolutionDimensionNumbers unknown =
      *dim_labels_of(with("dim_labels", "?b0f?_0?io->b?0f"));
  EXPECT_EQ(unknown.input_batch, 1);
  EXPECT_EQ(unknown.input_rank, 5);
  EXPECT_THAT(unknown.output_spatial, ElementsAre(2));
}

TEST(HloAttributes, WhatIsLeftOutIsTheDefaultOrAnError) {
  const HloInstruction scalar_window = root_of("w = f32[] reduce-window(f32[] x, f32[] z)");
  EXPECT_THAT(*window_of(scalar_window), IsEmpty());
  const HloInstruction broadcast = root_of("bc = f32[3] broadcast(f32[] x)");
  EXPECT_THAT(*integers_of(broadcast, "dimensions", {}), IsEmpty());
  EXPECT_EQ(integers_of(broadcast, "dimensions").status().message(),
            "bc: dimensions: expected this attribute of broadcast");
  EXPECT_THAT(*padding_of(with("padding", "")), IsEmpty());
  EXPECT_THAT(*window_of(with("window", "{}")), IsEmpty());
}

}  // namespace
}  // namespace tileproof
