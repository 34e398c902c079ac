// SPDX-License-Identifier: Apache-2.0
// Tiles and transactions: what the definitions take at the ends of their limits.

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/access/coalescing.h"
#include "spec/access/tile.h"
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

}  // namespace
}  // namespace tileproof::spec
