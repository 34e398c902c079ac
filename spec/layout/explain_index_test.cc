// SPDX-License-Identifier: Apache-2.0
#include "spec/layout/explain_index.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "corpus/answers_testing.h"
#include "gtest/gtest.h"
#include "spec/lang/layout/any_layout.h"

namespace tileproof::spec {
namespace {

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
