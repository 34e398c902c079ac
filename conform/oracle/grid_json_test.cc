// SPDX-License-Identifier: Apache-2.0
#include "conform/oracle/grid_json.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace tileproof::conform {
namespace {

absl::StatusOr<spec::Grid> read(const std::string& text) {
  const auto json = read_json(text);
  EXPECT_TRUE(json.ok()) << text;
  return json.ok() ? grid_in(json->value) : json.status();
}

// A grid of 4 steps with one operand that has this block and index map.
absl::StatusOr<spec::Grid> with(const std::string& block, const std::string& map,
                                const std::string& more = "") {
  return read(absl::StrCat(
      R"({"grid": [4], "operands": [{"name": "x", "kind": "in", "shape": [9], "block": [)", block,
      R"(], "index_map": ")", map, R"("}])", more, "}"));
}

std::string error(const absl::StatusOr<spec::Grid>& grid) {
  return std::string(grid.status().message());
}

constexpr char kMap[] = "(i) -> (i), domain: i in [0, 3]";

TEST(GridJson, BlocksOfEveryKind) {
  using Block = spec::BlockDimension;
  EXPECT_EQ(with("3", kMap)->operands[0].block[0], (Block{.size = 3}));
  EXPECT_EQ(with("null", kMap)->operands[0].block[0], Block());
  EXPECT_EQ(with(R"({"squeezed": true})", kMap)->operands[0].block[0], Block());
  EXPECT_EQ(with(R"({"element": 3, "padding": [1, 2]})", kMap)->operands[0].block[0],
            (Block{.size = 3, .is_element = true, .before = 1, .after = 2}));
}

TEST(GridJson, WithoutSemanticsStepsFollowEachOther) {
  EXPECT_FALSE(with("3", kMap)->is_parallel[0]);
  EXPECT_TRUE(with("3", kMap, R"(, "semantics": ["parallel"])")->is_parallel[0]);
}

TEST(GridJson, ScalarsBoundRuntimeVariables) {
  const auto grid = with("3", "(i){page} -> (page), domain: i in [0, 3], page in [0, 99]",
                         R"(, "scalars": [{"name": "page", "bounds": [0, 2]}])");
  EXPECT_EQ(grid->operands[0].index_map.runtime[0].bounds.high, 2);
}

TEST(GridJson, ErrorsNameTheOperandAndTheKey) {
  EXPECT_EQ(error(with("0", kMap)), "operand x: expected blocks of at least 1 element");
  EXPECT_EQ(error(with("true", kMap)),
            "operands[0]: block: expected a size, null, {\"squeezed\": true} or {\"element\": n}");
  EXPECT_EQ(error(with("3", "(i) -> (i), domain: i in [0, 2]")),
            "operands[0]: index_map: expected dimension 0 to be in [0, 3], as in the grid");
  EXPECT_EQ(error(with("3", "(i) -> i")).substr(0, 32), "operands[0]: index_map: column 8");
  EXPECT_EQ(error(with("3", kMap, R"(, "semantics": ["sequential"])")),
            "semantics: expected an array of \"parallel\" and \"arbitrary\"");
  EXPECT_EQ(error(with("3", kMap, R"(, "scalars": [{"name": "n"}])")),
            "scalars: expected objects with \"name\" and \"bounds\": [low, high]");
  EXPECT_EQ(error(read(R"({"grid": [4]})")), "operands: expected an array");
  EXPECT_EQ(error(read(R"({"operands": []})")), "grid: expected an array of integers");
  EXPECT_EQ(error(read("[]")), "expected an object");
}

}  // namespace
}  // namespace tileproof::conform
