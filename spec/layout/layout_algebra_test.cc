// SPDX-License-Identifier: Apache-2.0
// The layout algebra: the answers in corpus/answers/layout_algebra.txt, and cases that no text can say.
#include "spec/layout/layout_algebra.h"

#include <string>

#include "corpus/answers_testing.h"
#include "gtest/gtest.h"
#include "spec/lang/layout/nested_text.h"

namespace tileproof::spec {
namespace {

NestedLayout layout_in(absl::string_view text) {
  const auto layout = parse_nested_layout(text);
  EXPECT_TRUE(layout.ok()) << text << ": " << layout.status();
  return *layout;
}

using Answer = absl::StatusOr<NestedLayout>;

template <Answer (*operation)(const NestedLayout&)>
std::string of_one(absl::string_view text) {
  return answer_text(operation(layout_in(text)));
}

template <Answer (*operation)(const NestedLayout&, const NestedLayout&)>
std::string of_two(absl::string_view text) {
  const auto [a, b] = parts_of<2>(text);
  return answer_text(operation(layout_in(a), layout_in(b)));
}

template <Answer (*operation)(const NestedLayout&, const Tiler&)>
std::string by_tiler(absl::string_view text) {
  const auto [a, tiler] = parts_of<2>(text);
  return answer_text(operation(layout_in(a), *parse_tiler(tiler)));
}

std::string filled(absl::string_view text) {
  const auto [a, m] = parts_of<2>(text);
  return answer_text(complement(layout_in(a), numbers_of(m)[0]));
}

std::string cut(absl::string_view text) {
  const auto [a, slicer] = parts_of<2>(text);
  return answer_text(slice(layout_in(a), *parse_slicer(slicer)));
}

// The offsets at a list of integers.
std::string values_of(absl::string_view text) {
  const auto [a, at] = parts_of<2>(text);
  return answer_text(values_at(layout_in(a), numbers_of(at)));
}

TEST(LayoutAlgebra, Answers) {
  expect_answers("answers/layout_algebra.txt",
                 {{"coalesce", of_one<coalesce>},
                  {"right_inverse", of_one<right_inverse>},
                  {"left_inverse", of_one<left_inverse>},
                  {"composition", of_two<composition>},
                  {"logical_product", of_two<logical_product>},
                  {"blocked_product", of_two<blocked_product>},
                  {"raked_product", of_two<raked_product>},
                  {"composition_by_mode", by_tiler<composition_by_mode>},
                  {"logical_divide", by_tiler<logical_divide>},
                  {"zipped_divide", by_tiler<zipped_divide>},
                  {"tiled_divide", by_tiler<tiled_divide>},
                  {"complement", filled},
                  {"slice", cut},
                  {"values_at", values_of}});
}

// No text is read as such a layout.
TEST(LayoutAlgebra, RejectsStridesOfAnotherNesting) {
  const NestedLayout layout{make_flat({2, 3}), make_flat({1})};
  for (const absl::Status& status :
       {composition_by_mode(layout, *parse_tiler("<1:1,1:1>")).status(),
        right_inverse(layout).status(), slice(layout, *parse_slicer("(_,1)")).status()}) {
    EXPECT_EQ(status.message(), "expected a stride of the same nesting as the shape");
  }
}

}  // namespace
}  // namespace tileproof::spec
