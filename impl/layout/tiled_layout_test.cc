// SPDX-License-Identifier: Apache-2.0
// Tests of what only the closed form has: its formula, programs and errors. Its correctness is
// tested against the definition in verify/compare/layout_compare_test.cc and
// verify/prove/layout/layout_proof_test.cc.
#include "impl/layout/tiled_layout.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "corpus/answers_testing.h"
#include "corpus/files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "impl/layout/tiled_layout_testing.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::impl {
namespace {

using ::testing::ElementsAre;

// The answer about the layout behind some numbers.
template <class Answer>
std::string with_numbers(absl::string_view text, const Answer& answer) {
  const auto [numbers, layout] = parts_of<2>(text);
  return answer_text(answer(compiled(layout), numbers_of(numbers)));
}

TEST(ClosedForm, Answers) {
  const auto bytes = [](absl::string_view text) {
    const auto layout = TiledLayout::create(*parse_shape(text));
    return layout.ok() ? absl::StrCat(layout->bytes()) : std::string(layout.status().message());
  };
  const auto offset = [](const TiledLayout& layout, const std::vector<int64_t>& index) {
    return layout.linearize(index);
  };
  const auto index = [](const TiledLayout& layout, const std::vector<int64_t>& offsets) {
    return layout.delinearize(offsets[0]);
  };
  expect_answers("answers/formulas.txt",
                 {{"bytes", bytes},
                  {"formula", [](auto text) { return compiled(text).formula(); }},
                  {"index", [&](auto text) { return with_numbers(text, index); }},
                  {"offset", [&](auto text) { return with_numbers(text, offset); }}});
}

size_t terms_in(const ClosedForm& form) {
  size_t count = 0;
  for (const Sum& sum : form.sums) count += sum.terms.size();
  return count;
}

TEST(ClosedForm, TheCostOfAnOffsetDoesNotDependOnTheSize) {
  const TiledLayout small = compiled("bf16[16,256]{1,0:T(8,128)(2,1)}");
  const TiledLayout large = compiled("bf16[16777216,1048576]{1,0:T(8,128)(2,1)}");
  EXPECT_EQ(terms_in(small.to_offset()), terms_in(large.to_offset()));
  EXPECT_LE(terms_in(large.to_offset()), 8);
  EXPECT_EQ(*large.linearize({16777215, 1048575}), 17592186044415);
  EXPECT_THAT(**large.delinearize(17592186044415), ElementsAre(16777215, 1048575));
}

// The formula; terms of the sums to the offset and back; checks of padding; terms of those to the
// physical index.
std::string described(absl::string_view text) {
  const TiledLayout layout = compiled(text);
  const absl::StatusOr<ClosedForm> positions = physical_index(*parse_shape(text));
  return absl::StrCat(text, "  ", layout.formula(), "  ", terms_in(layout.to_offset()), " ",
                      terms_in(layout.to_index()), " ", layout.to_index().checks.size(), " ",
                      positions.ok() ? terms_in(*positions) : 0);
}

// A form that is right but longer than before would pass every comparison with the definition.
TEST(ClosedForm, FormsAreNoLongerThanBefore) {
  const std::vector<std::string> lines = project_lines("corpus/layouts/forms.txt");
  for (const std::string& line : lines) EXPECT_EQ(described(line.substr(0, line.find("  "))), line);
  EXPECT_GT(lines.size(), 100);
}

TEST(ClosedForm, OnlyAnEmptyArrayHasEmptyPrograms) {
  EXPECT_EQ(physical_index(*parse_shape("f32[1,1]"))->outputs.size(), 2);
  EXPECT_TRUE(compiled("f32[0,5]{1,0:T(2,2)}").to_offset().outputs.empty());
  EXPECT_TRUE(physical_index(*parse_shape("f32[0,5]{1,0:T(2,2)}"))->outputs.empty());
}

TEST(ClosedForm, DistinguishesPadding) {
  const TiledLayout layout = compiled("f32[3,5]{1,0:T(2,2)L(7)}");
  EXPECT_EQ(layout.elements(), 28);
  EXPECT_EQ(layout.padding(), 13);
  int64_t padding = 0;
  for (int64_t offset = 0; offset < layout.elements(); ++offset)
    padding += layout.delinearize(offset)->has_value() ? 0 : 1;
  EXPECT_EQ(padding, 13);
}

TEST(ClosedForm, RejectsAHandMadeTileOfSizeZero) {
  Shape broken = *parse_shape("f32[3,5]{1,0:T(2,2)}");
  broken.layout->tiles[0].dims[0] = 0;
  EXPECT_FALSE(TiledLayout::create(broken).ok());
}

}  // namespace
}  // namespace tileproof::impl
