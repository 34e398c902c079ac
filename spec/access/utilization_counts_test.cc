// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "absl/strings/str_cat.h"
#include "corpus/answers_testing.h"
#include "gtest/gtest.h"
#include "spec/access/utilization.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof::spec {
namespace {

// "0..3 of 4" for each array of each operand or parameter, or the error.
template <Scope scope>
std::string counts_of(absl::string_view question) {
  const auto [combinations, text] = parts_of<2>(question, "\n");
  const absl::StatusOr<HloModule> module = parse_hlo_module(text);
  if (!module.ok()) return std::string(module.status().message());
  const int32_t root = module->computations[module->entry].root;
  const auto found = utilization(*module, module->entry, root, scope, numbers_of(combinations)[0]);
  if (!found.ok()) return std::string(found.status().message());
  std::string counts;
  for (const auto& leaves : found->read) {
    for (const ElementsRead& one : leaves) {
      absl::StrAppend(&counts, counts.empty() ? "" : ", ", one.least,
                      one.least == one.most ? "" : absl::StrCat("..", one.most), " of ",
                      one.elements);
    }
  }
  for (const std::string& reason : found->conservative) absl::StrAppend(&counts, "; ", reason);
  return counts;
}

TEST(Utilization, Answers) {
  expect_answers("answers/utilization.txt", {{"computation", counts_of<Scope::kComputation>},
                                             {"count", counts_of<Scope::kInstruction>}});
}

TEST(Utilization, GivenValuesHaveOneCount) {
  const HloModule module = *parse_hlo_module(
      "g = f32[2] gather(f32[3] t, s32[2] r), offset_dims={}, collapsed_slice_dims={0}, "
      "start_index_map={0}, index_vector_dim=1, slice_sizes={1}");
  const int32_t root = module.computations[module.entry].root;
  for (const int64_t step : {0, 1}) {
    const auto value = [&](const HloElement& at) { return at.index[0] * step; };
    const auto found = utilization_at(module, module.entry, root, Scope::kInstruction, value);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(found->read[0][0].least, step + 1);
    EXPECT_EQ(found->read[0][0].most, step + 1);
    EXPECT_EQ(found->read[0][0].elements, 3);
  }
}

}  // namespace
}  // namespace tileproof::spec
