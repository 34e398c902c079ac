// SPDX-License-Identifier: Apache-2.0
// The reference's own steps are a list of the Coq model's steps that fits arrays of every size, and
// does to indices and offsets what the reference does.
#include <iostream>

#include "corpus/files.h"
#include "generate/layout/generate_shape.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/base/cases_testing.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/layout/tiled_layout.h"
#include "verify/prove/layout/coq_layouts.h"

namespace tileproof::verify {
namespace {

using spec::Dims;
using testing::HasSubstr;
using Kind = ModelStep::Kind;

// ---- The functions of verify/lemmas/tilings.v --------------------------------------------------

bool fits(const ModelStep& step, const Dims& n) {
  const int64_t left = std::ssize(n) - step.at;  // dimensions behind the Skips
  switch (step.kind) {
    case Kind::kPrepend:
      return left >= 0;
    case Kind::kCombine:
    case Kind::kSwap:
      return left >= 2;
    case Kind::kPad:
      return left >= 1 && step.number > 0;
    case Kind::kSplit:
      return left >= 1 && step.number > 0 && n[step.at] % step.number == 0;
  }
  return false;
}

Dims sizes_after(const ModelStep& step, Dims n) {
  const auto at = n.begin() + step.at;
  switch (step.kind) {
    case Kind::kPrepend:
      n.insert(at, 1);
      break;
    case Kind::kCombine:
      *at *= at[1];
      n.erase(at + 1);
      break;
    case Kind::kPad:
      *at = (*at / step.number + (*at % step.number != 0 ? 1 : 0)) * step.number;
      break;
    case Kind::kSplit:
      *at /= step.number;
      n.insert(at + 1, step.number);
      break;
    case Kind::kSwap:
      std::swap(*at, at[1]);
      break;
  }
  return n;
}

Dims multiples_after(const ModelStep& step, Dims m) {
  if (step.kind != Kind::kPad) return sizes_after(step, std::move(m));
  m[step.at] = step.number;
  return m;
}

Dims forward(const ModelStep& step, const Dims& n, Dims e) {
  const auto at = e.begin() + step.at;
  switch (step.kind) {
    case Kind::kPrepend:
      e.insert(at, 0);
      break;
    case Kind::kCombine:
      *at = *at * n[step.at + 1] + at[1];
      e.erase(at + 1);
      break;
    case Kind::kPad:
      break;
    case Kind::kSplit: {
      const int64_t whole = *at;
      *at = whole / step.number;
      e.insert(at + 1, whole % step.number);
      break;
    }
    case Kind::kSwap:
      std::swap(*at, at[1]);
      break;
  }
  return e;
}

std::optional<Dims> backward(const ModelStep& step, const Dims& n, Dims e) {
  const auto at = e.begin() + step.at;
  switch (step.kind) {
    case Kind::kPrepend:
      e.erase(at);
      break;
    case Kind::kCombine: {
      const int64_t whole = *at, minor = n[step.at + 1];
      *at = whole / minor;
      e.insert(at + 1, whole % minor);
      break;
    }
    case Kind::kPad:
      if (*at >= n[step.at]) return std::nullopt;
      break;
    case Kind::kSplit:
      *at = *at * step.number + at[1];
      e.erase(at + 1);
      break;
    case Kind::kSwap:
      std::swap(*at, at[1]);
      break;
  }
  return e;
}

// ---- One layout --------------------------------------------------------------------------------

struct Counts {
  int64_t layouts = 0, points = 0;
};

void compare_at(const std::vector<ModelStep>& steps, const std::vector<Dims>& sizes,
                const spec::TiledLayout& layout, const Dims& index, int64_t offset) {
  Dims e = index;
  for (size_t i = 0; i < steps.size(); ++i) e = forward(steps[i], sizes[i], std::move(e));
  ASSERT_EQ(e, Dims{spec::offset_of(layout, index)});
  std::optional<Dims> back = Dims{offset};
  for (size_t i = steps.size(); back && i-- > 0;) back = backward(steps[i], sizes[i], *back);
  const spec::Preimage<int64_t> preimage = spec::preimage_of(layout, offset, true);
  ASSERT_EQ(back, preimage.exists ? std::optional(preimage.index) : std::nullopt);
}

void check_layout(const Shape& shape, Counts& counts) {
  const absl::StatusOr<spec::TiledLayout> layout = spec::tiled_layout(shape);
  if (!layout.ok() || layout->elements() == 0) return;  // too large, unbounded, or without an index
  const spec::LayoutSteps reference = *spec::layout_steps(shape);
  const std::vector<ModelStep> steps = model_steps(reference.steps);

  Dims multiples(reference.logical.size(), 1);
  std::vector<Dims> sizes = {reference.logical};
  for (const ModelStep& step : steps) {
    ASSERT_TRUE(fits(step, multiples)) << to_text(shape) << ": " << to_coq(step);
    ASSERT_TRUE(fits(step, sizes.back())) << to_text(shape) << ": " << to_coq(step);
    multiples = multiples_after(step, std::move(multiples));
    sizes.push_back(sizes_after(step, sizes.back()));
  }
  ASSERT_EQ(sizes.back(), Dims{layout->elements()}) << to_text(shape);
  ++counts.layouts;

  Choose choose(Choose::Random{0});
  for (int i = 0; i < 8; ++i, ++counts.points) {
    SCOPED_TRACE(to_text(shape));
    compare_at(steps, sizes, *layout, random_index(choose, reference.logical),
               random_index(choose, {layout->elements()}).front());
  }
}

void print(const Counts& counts) {
  std::cout << counts.layouts << " layouts, " << counts.points
            << " indices and offsets, 0 differences\n";
}

// ---- Tests -------------------------------------------------------------------------------------

std::string coq_of(absl::string_view shape) {
  return to_coq(model_steps(spec::layout_steps(*parse_shape(shape))->steps));
}

TEST(ModelSteps, AreWrittenAsTheModelNamesThem) {
  EXPECT_EQ(coq_of("f32[3,5]{1,0:T(2,2)}"),
            "[Pad 2; Skip (Pad 2); Split 2; Skip (Skip (Split 2)); Skip Swap; Combine; Combine; "
            "Combine; Pad 1]");
  EXPECT_EQ(coq_of("f32[3,5,7]{0,1,2}"), "[Skip Swap; Swap; Skip Swap; Combine; Combine; Pad 1]");
  EXPECT_EQ(coq_of("f32[]{:T(2)}"), "[Prepend; Pad 2; Split 2; Combine; Pad 1]");
  EXPECT_EQ(coq_of("f32[3,5]{1,0:T(2,*,4)L(8)}"),
            "[Prepend; Skip Combine; Pad 2; Skip (Pad 4); Split 2; Skip (Skip (Split 4)); "
            "Skip Swap; Combine; Combine; Combine; Pad 8]");
}

TEST(ModelSteps, FitArraysOfEachSizeInTheFamilies) {
  Counts counts;
  int64_t number = 0;
  for (const ShapeFamily& family : small_families()) {
    for (Odometer odometer; !odometer.done() && !HasFatalFailure(); odometer.advance()) {
      Choose choose(&odometer);
      const Shape shape = bounded_shape(choose, family);
      if (is_tried(number++)) check_layout(shape, counts);
    }
  }
  print(counts);
  EXPECT_GT(counts.layouts, number / 10);
}

TEST(ModelSteps, FitTheLayoutsOfRealModules) {
  Counts counts;
  for (const std::string& line : project_lines("corpus/layouts/real.txt")) {
    if (HasFatalFailure()) break;
    const absl::StatusOr<Shape> shape = parse_shape(line);
    if (shape.ok()) check_layout(*shape, counts);
  }
  print(counts);
  EXPECT_GT(counts.layouts, 500);
}

TEST(ModelSteps, FitRandomLayouts) {
  Counts counts;
  for (uint64_t seed = 0; seed < cases<uint64_t>(5'000) && !HasFatalFailure(); ++seed) {
    Choose choose(Choose::Random{seed});
    check_layout(random_shape(choose, int64_t{1} << choose.pick<int64_t>({8, 30, 62})), counts);
  }
  print(counts);
  EXPECT_GT(counts.layouts, cases(2'500));
}

TEST(ModelSteps, ASplitThatNoPadPrecedesDoesNotFit) {
  EXPECT_TRUE(fits({Kind::kSplit, 1, 2}, {3, 4}));
  EXPECT_FALSE(fits({Kind::kSplit, 1, 2}, {3, 5}));
  EXPECT_FALSE(fits({Kind::kSplit, 1, 2}, {3}));
  EXPECT_FALSE(fits({Kind::kSwap, 1}, {3, 5}));
  EXPECT_FALSE(fits({Kind::kPad, 0, 0}, {3}));
}

TEST(CoqLayouts, StatesThatTheStepsFitAndWhatTheReferenceAnswers) {
  const absl::StatusOr<std::string> text =
      coq_layout("layout_0", *parse_shape("f32[3,5]{1,0:T(2,2)}"));
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, HasSubstr("Theorem layout_0_fits : forall n0 n1, all_fit layout_0 [n0; n1]."));
  EXPECT_THAT(*text, HasSubstr("sizes_after_all layout_0 [3; 5] = [24]"));
  EXPECT_THAT(*text, HasSubstr("forward_all layout_0 [3; 5] ["));
  EXPECT_THAT(*text, HasSubstr("= None"));
  EXPECT_THAT(*text, Not(HasSubstr("Admitted")));
  EXPECT_THAT(*coq_layout("layout_1", *parse_shape("f32[3,5]{1,0:T(*,2)}")), HasSubstr("T( *,2)"));
  EXPECT_FALSE(coq_layout("layout_1", *parse_shape("f32[?]{0}")).ok());
}

}  // namespace
}  // namespace tileproof::verify
