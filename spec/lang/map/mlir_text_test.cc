// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/map/mlir_text.h"

#include "gtest/gtest.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/map/map_text.h"
#include "spec/lang/map/memref_text.h"

namespace tileproof {
namespace {

TEST(MemRef, HasItsTextAndItsType) {
  const absl::StatusOr<MemRef> memref = parse_memref("  memref< 4xvector<2x8xf32>,   1>");
  ASSERT_TRUE(memref.ok()) << memref.status();
  EXPECT_EQ(to_text(*memref), "memref< 4xvector<2x8xf32>, 1>");
  EXPECT_EQ(memref->element_type, "vector<2x8xf32>");
  EXPECT_EQ(parse_memref(std::string(kMaxTextBytes + 1, ' ')).status().message(),
            "column 1: expected a text of at most 16 MiB");
}

// What ends in space, or in a comment behind a tab.
TEST(Mlir, ReadsToTheEndsOfTheText) {
  for (const char* text :
       {"affine_map<(d0) -> (d0)> // ", "//\tCHECK: affine_map<(d0) -> (d0)>\n"}) {
    const absl::StatusOr<std::vector<MlirItem>> items = find_mlir(text);
    ASSERT_TRUE(items.ok()) << items.status();
    EXPECT_EQ(items->size(), 1) << text;
  }
}

TEST(Mlir, IsPrintedAgain) {
  const IndexingMap map = *parse_map("(d0)[s0] -> (d0 + s0), domain: d0 in [0, 3], s0 in [0, 1]");
  EXPECT_EQ(*to_mlir(map, MlirKind::kAffineMap), "affine_map<(d0)[s0] -> (d0 + s0)>");
  EXPECT_EQ(*to_mlir(map, MlirKind::kIndexingMap),
            "#xla.indexing_map<\"(d0)[s0] -> (d0 + s0), domain: d0 in [0, 3], s0 in [0, 1]\">");
  EXPECT_EQ(*parse_map(*to_mlir(map, MlirKind::kIndexingMap)), map);
  EXPECT_FALSE(is_unbounded(map));
  const IndexingMap constrained =
      *parse_map("(d0) -> (d0), domain: d0 in [0, 3], d0 mod 2 in [0, 0]");
  EXPECT_FALSE(to_mlir(constrained, MlirKind::kAffineMap).ok());
  for (const char* other : {"(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 3], rt0 in [0, 1]"}) {
    EXPECT_FALSE(to_mlir(*parse_map(other), MlirKind::kAffineMap).ok());
  }
  EXPECT_FALSE(to_mlir(no_points(map), MlirKind::kAffineMap).ok());
  EXPECT_FALSE(
      is_unbounded(*parse_map("(d0) -> (d0), domain: d0 in [-9223372036854775808, "
                              "9223372036854775807], d0 mod 2 in [0, 0]")));
  EXPECT_FALSE(is_unbounded(no_points(*parse_map("() -> ()"))));
  EXPECT_EQ(*to_mlir(*parse_map("() -> (5)"), MlirKind::kAffineMap), "affine_map<() -> (5)>");
}

}  // namespace
}  // namespace tileproof
