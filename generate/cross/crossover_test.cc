// SPDX-License-Identifier: Apache-2.0
#include "generate/cross/crossover.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "generate/hlo/generate_hlo.h"
#include "generate/layout/generate_nested.h"
#include "generate/layout/generate_shape.h"
#include "generate/map/generate_map.h"
#include "generate/map/mutate_map.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"

namespace tileproof {
namespace {

constexpr int kRuns = 2000;

TEST(Cross, OfShapesParsesAndHasPartsOfBoth) {
  Choose choose(Choose::Random{1});
  std::set<std::string> made;
  for (int i = 0; i < kRuns; ++i) {
    const Shape left = random_shape(choose, 1000), right = random_shape(choose, 1000);
    const Shape crossed = crossover_shapes(choose, left, right);
    const std::string text = to_text(crossed);
    const absl::StatusOr<Shape> again = parse_shape(text);
    // Crossover takes whole tiles, so none ends in `*`.
    ASSERT_TRUE(again.ok()) << to_text(left) << " " << to_text(right) << " gave " << text << ": "
                            << again.status();
    if (crossed != left && crossed != right) made.insert(text);
  }
  EXPECT_GT(made.size(), kRuns / 2);
}

TEST(Cross, OfNestedLayoutsIsValidAndHasModesOfBoth) {
  Choose choose(Choose::Random{5});
  std::set<std::string> made;
  for (int i = 0; i < kRuns; ++i) {
    const NestedLayout left = random_nested_layout(choose, 1000);
    const NestedLayout right = random_nested_layout(choose, 1000);
    const NestedLayout crossed = crossover_nested_layouts(choose, left, right);
    ASSERT_TRUE(validate(crossed).ok()) << to_text(left) << " " << to_text(right);
    if (crossed != left && crossed != right) made.insert(to_text(crossed));
  }
  EXPECT_GT(made.size(), kRuns / 2);
  made.clear();
  for (int i = 0; i < 100; ++i) {
    made.insert(to_text(crossover_nested_layouts(choose, *parse_nested_layout("(2,3):(1,2)"),
                                                 *parse_nested_layout("(5,7):(9,8)"))));
  }
  EXPECT_TRUE(made.contains("(2,7):(1,8)") && made.contains("(2,(5,7)):(1,(9,8))"));
}

TEST(Cross, OfTaggedShapesParsesAndHasPartsOfBoth) {
  Choose choose(Choose::Random{6});
  std::set<std::string> made;
  for (int i = 0; i < 200; ++i) {
    const TaggedShape crossed = crossover_tagged_shapes(
        choose, *parse_tagged_shape("zN:f16[64,96]"), *parse_tagged_shape("nZ:s4[5,7]"));
    const absl::StatusOr<TaggedShape> again = parse_tagged_shape(to_text(crossed));
    ASSERT_TRUE(again.ok() && *again == crossed) << to_text(crossed);
    made.insert(to_text(crossed));
  }
  EXPECT_EQ(made.size(), 16u);  // two tags, two types, two sizes for each of two dimensions
  EXPECT_TRUE(made.contains("nZ:f16[5,96]"));
  const TaggedShape vector = *parse_tagged_shape("VectorLayout:f32[253]");
  for (int i = 0; i < 20; ++i) {
    const std::string text =
        to_text(crossover_tagged_shapes(choose, vector, *parse_tagged_shape("nZ:s4[5,7]")));
    EXPECT_TRUE(text == "VectorLayout:f32[253]" || text == "VectorLayout:s4[253]") << text;
  }
}

TEST(Cross, OfMapsIsAcceptableAndHasPartsOfBoth) {
  Choose choose(Choose::Random{2});
  int other = 0;
  for (int i = 0; i < kRuns; ++i) {
    const IndexingMap left = generate_map(choose);
    const IndexingMap right = generate_chain(choose).map;
    const IndexingMap crossed = crossover_maps(choose, left, right);
    ASSERT_TRUE(acceptable(crossed)) << to_text(left) << " " << to_text(right);
    const std::string text = to_text(crossed);
    const absl::StatusOr<IndexingMap> again = parse_map(text);
    ASSERT_TRUE(again.ok() && *again == crossed) << text;
    other += crossed != left && crossed != right ? 1 : 0;
  }
  EXPECT_GT(other, kRuns / 2);
}

TEST(Cross, OfMapsTakesAnExpressionAndItsVariables) {
  const IndexingMap left = *parse_map("(d0) -> (d0), domain: d0 in [0, 3]");
  const IndexingMap right =
      *parse_map("(d0)[s0] -> (d0 * 7 + s0), domain: d0 in [0, 5], s0 in [0, 2]");
  std::set<std::string> made;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Choose choose(Choose::Random{seed});
    made.insert(to_text(crossover_maps(choose, left, right)));
  }
  EXPECT_TRUE(made.contains("(d0)[s0] -> (d0 + (d0 * 7 + s0)), domain: d0 in [0, 3], s0 in [0, 2]"))
      << *made.begin();
}

TEST(Cross, OfModulesParsesAndHasTheInstructionsOfBoth) {
  Choose choose(Choose::Random{3});
  for (int i = 0; i < 300; ++i) {
    const std::string left = generate_computation(choose, {.elements = 60, .operations = 4}).text;
    const std::string right = generate_computation(choose, {.elements = 60, .operations = 4}).text;
    const HloModule a = *parse_hlo_module(left), b = *parse_hlo_module(right);
    const std::string text = crossover_hlo(choose, a, b);
    const absl::StatusOr<HloModule> again = parse_hlo_module(text);
    ASSERT_TRUE(again.ok()) << again.status() << "\n" << left << right << "gave\n" << text;
    ASSERT_EQ(instruction_count(*again), instruction_count(a) + instruction_count(b)) << text;
  }
}

TEST(Cross, OfModulesUsesValuesOfBoth) {
  const HloModule left = *parse_hlo_module("a = f32[4] parameter(0)\nROOT b = f32[4] negate(a)");
  const HloModule right = *parse_hlo_module("a = f32[4] parameter(0)\nROOT b = f32[4] abs(a)");
  std::set<std::string> made;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Choose choose(Choose::Random{seed});
    const HloModule crossed = *parse_hlo_module(crossover_hlo(choose, left, right));
    const HloComputation& entry = crossed.computations[crossed.entry];
    made.insert(entry.instructions[entry.instructions[entry.root].operands[0].instruction].name);
  }
  EXPECT_EQ(made, (std::set<std::string>{"a", "b", "a.x"}));
}

}  // namespace
}  // namespace tileproof
