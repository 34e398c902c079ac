// SPDX-License-Identifier: Apache-2.0
// Tiles and transactions: what the definitions take at the ends of their limits.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "corpus/answers_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/access/banks.h"
#include "spec/access/coalescing.h"
#include "spec/access/tile.h"
#include "spec/access/utilization.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::spec {
namespace {

using ::testing::ElementsAre;

TEST(AccessDefinition, AnEmptyTileMayBeAnywhere) {
  for (const int64_t offset : {-5, 0, 4, 100}) {
    const auto indices = indices_of({{offset, 0, 1}}, {4});
    ASSERT_TRUE(indices.ok()) << offset;
    EXPECT_TRUE(indices->empty());
    EXPECT_EQ(indices_of({{offset, 1, 1}}, {4}).ok(), offset == 0) << offset;
  }
  EXPECT_EQ(indices_of({{1, 2, 2}}, {4})->size(), 2);
  EXPECT_TRUE(indices_of({{0, 0, 1}, {0, 2, 1}}, {4, 4})->empty());
  EXPECT_TRUE(indices_of({{0, 2, 1}, {0, 0, 1}}, {4, 4})->empty());
  EXPECT_FALSE(indices_of({{2, 2, 2}}, {4}).ok());
  EXPECT_FALSE(indices_of({{0, -1, 1}}, {4}).ok());
  EXPECT_FALSE(indices_of({{0, 1, 0}}, {4}).ok());
}

TEST(AccessDefinition, ThreadsMayLackDimensions) {
  const auto of = [](absl::string_view text) { return *thread_dimensions(*parse_map(text)); };
  EXPECT_THAT(of("() -> ()"), ElementsAre(-1, -1, -1, -1, -1, -1));
  EXPECT_THAT(of("(bl_x, th_x) -> (bl_x, th_x), domain: bl_x in [0, 1], th_x in [0, 1]"),
              ElementsAre(1, -1, -1, 0, -1, -1));
  EXPECT_THAT(of("(d0, d1, d2, d3, d4, d5) -> (d0), domain: d0 in [0, 1], d1 in [0, 1], d2 in "
                 "[0, 1], d3 in [0, 1], d4 in [0, 1], d5 in [0, 1]"),
              ElementsAre(0, 1, 2, 3, 4, 5));
  for (const char* name : {"th_x", "th_y", "th_z"}) {
    const IndexingMap map =
        *parse_map(absl::StrCat("(", name, ") -> (), domain: ", name, " in [1, 2]"));
    EXPECT_FALSE(thread_dimensions(map).ok()) << name;
  }
  for (const char* name : {"bl_x", "bl_y", "bl_z"}) {
    const IndexingMap map =
        *parse_map(absl::StrCat("(", name, ") -> (), domain: ", name, " in [1, 2]"));
    EXPECT_TRUE(thread_dimensions(map).ok()) << name;
  }
}

// One for each point, and one for each further transaction of an element that is wider than one.
TEST(AccessDefinition, TransactionsCountAgainstTheBudget) {
  const auto with = [](absl::string_view array, int64_t threads, int64_t width, int64_t budget) {
    const IndexingMap map =
        *parse_map(absl::StrCat("(th_x) -> (th_x), domain: th_x in [0, ", threads - 1, "]"));
    const IndexingMap access =
        *parse_map(absl::StrCat("(d0) -> (d0), domain: d0 in [0, ", threads - 1, "]"));
    return count_transactions(map, access, *parse_shape(array), {32, width}, budget).ok();
  };
  EXPECT_TRUE(with("f32[8]", 8, 32, 8));
  EXPECT_FALSE(with("f32[8]", 8, 32, 7));
  EXPECT_TRUE(with("f64[1]", 1, 1, 9));
  EXPECT_FALSE(with("f64[1]", 1, 1, 8));
  EXPECT_TRUE(with("f64[1]", 1, 8, 2));
  EXPECT_FALSE(with("f64[1]", 1, 8, 1));
  EXPECT_TRUE(with("f64[1]", 1, 9, 1));
}

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

// Bank conflicts: what the definition serves together, and which lanes it names.

// The element's bits and those of a vector; a layout; the access. A line for each phase.
template <bool amd_read>
std::string served(absl::string_view text) {
  const auto [element, layout, access] = parts_of<3>(text, "\n");
  const std::vector<int64_t> sizes = numbers_of(element);
  const auto phases = serve(*layout_function(*parse_any_layout(layout)), *parse_map(access),
                            {sizes[0], sizes[1]}, {.amd_read = amd_read}, 100'000);
  if (!phases.ok()) return std::string(phases.status().message());
  std::string lines;
  for (const BankPhase& phase : *phases) {
    absl::StrAppend(&lines, "lanes ", absl::StrJoin(phase.lanes, " "), ": ", phase.ways, " ways");
    if (phase.clash) {
      absl::StrAppend(&lines, ", bank ", phase.clash->bank, " of lanes ", phase.clash->lanes[0],
                      " and ", phase.clash->lanes[1], ", words ", phase.clash->words[0], " and ",
                      phase.clash->words[1]);
    }
    lines += "\n";
  }
  return lines;
}

TEST(BanksDefinition, Answers) {
  expect_answers("answers/banks.txt", {{"amd", served<true>}, {"serve", served<false>}});
}

}  // namespace
}  // namespace tileproof::spec
