// SPDX-License-Identifier: Apache-2.0
#include "spec/layout/layout_function.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "corpus/answers_testing.h"
#include "gtest/gtest.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/layout/explain_index.h"

namespace tileproof::spec {
namespace {

absl::StatusOr<LayoutFunction> function_in(const std::string& text) {
  const absl::StatusOr<AnyLayout> layout = parse_any_layout(text);
  if (!layout.ok()) return layout.status();
  return layout_function(*layout);
}

LayoutFunction function_of(const std::string& text) {
  absl::StatusOr<LayoutFunction> function = function_in(text);
  EXPECT_TRUE(function.ok()) << text << ": " << function.status();
  return function.ok() ? *std::move(function) : LayoutFunction();
}

std::string offset(absl::string_view text) {
  const auto [layout, index] = parts_of<2>(text, " at ");
  return answer_text(offset_at(function_of(layout), numbers_of(index)));
}

// "[60,90], 16 bits, 6144 elements, memory space 2"
std::string described(absl::string_view text) {
  const LayoutFunction function = function_of(std::string(text));
  std::string said = dims_text(function.dims);
  if (function.element_bits) absl::StrAppend(&said, ", ", *function.element_bits, " bits");
  if (function.elements) absl::StrAppend(&said, ", ", *function.elements, " elements");
  if (function.memory_space) absl::StrAppend(&said, ", memory space ", *function.memory_space);
  return said;
}

std::string why_none(absl::string_view text) {
  const auto function = function_in(std::string(text));
  return function.ok() ? "has offsets" : std::string(function.status().message());
}

// The dimensions of two functions of one array.
std::string shared(absl::string_view text) {
  const auto [left, right] = parts_of<2>(text, " and ");
  LayoutFunction a = function_of(left), b = function_of(right);
  const absl::Status status = share_shape(a, b);
  if (!status.ok()) return std::string(status.message());
  EXPECT_EQ(a.dims, b.dims);
  return absl::StrJoin(a.dims, ",");
}

// What moves no element.
std::string noted(absl::string_view text) {
  const auto [left, right] = parts_of<2>(text, " and ");
  const std::vector<std::string> found = notes(function_of(left), function_of(right));
  return found.empty() ? "nothing" : absl::StrJoin(found, ", ");
}

TEST(LayoutFunction, Answers) {
  expect_answers("answers/layout_functions.txt", {{"offset", offset},
                                                  {"function", described},
                                                  {"error", why_none},
                                                  {"shared", shared},
                                                  {"notes", noted}});
}

// Layouts that were not parsed.
TEST(LayoutFunction, WhatHasNoOffsets) {
  const NestedLayout nested{make_flat({2, -1}), make_flat({1, 2})},
      plain{make_integer(4), make_integer(1)};
  EXPECT_EQ(layout_function(nested).status().message(),
            "expected an extent of at least 0, found -1");
  EXPECT_FALSE(layout_function(SwizzledLayout{.swizzle = {-1, 0, 0}, .layout = plain}).ok());
  EXPECT_EQ(
      layout_function(SwizzledLayout{.swizzle = {0, 0, 0}, .start = -1, .layout = plain}).status(),
      absl::InvalidArgumentError("expected a start of at least 0"));
}

std::string listed(const Dims& numbers) { return absl::StrJoin(numbers, ","); }

std::string explained(absl::string_view text) {
  const auto [index, bits, layout] = parts_of<3>(text);
  const Explanation found =
      explain_index(*layout_function(*parse_any_layout(layout)), numbers_of(index),
                    bits == "?" ? std::nullopt : std::optional(numbers_of(bits)[0]));
  std::string lines = absl::StrCat("index ", listed(found.index), "\n");
  for (const ExplainedStep& step : found.steps) {
    absl::StrAppend(&lines, step.moves ? "(moves) " : "", step.step, " [", listed(step.dims), "] [",
                    listed(step.index), "]\n");
  }
  for (const ExplainedMode& mode : found.modes) {
    absl::StrAppend(&lines, "mode ", mode.mode, ": digits ", listed(mode.digits), " of ",
                    listed(mode.extents), " by ", listed(mode.strides), "\n");
  }
  absl::StrAppend(&lines, "physical ", listed(found.physical), "; tile ", listed(found.tile),
                  " of ", listed(found.tiles), "; position ", listed(found.position), " of ",
                  listed(found.tile_dims), "; offset ", found.offset);
  if (found.unswizzled) absl::StrAppend(&lines, ", unswizzled ", *found.unswizzled);
  if (found.bit) absl::StrAppend(&lines, ", bit ", *found.bit);
  return lines;
}

TEST(Explanation, Answers) {
  expect_answers("answers/explained_indices.txt", {{"explain", explained}});
}

}  // namespace
}  // namespace tileproof::spec
