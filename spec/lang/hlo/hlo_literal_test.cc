// SPDX-License-Identifier: Apache-2.0
// corpus/readers/hlo.txt has literals against shapes.
#include "spec/lang/hlo/hlo_literal.h"

#include "gtest/gtest.h"

namespace tileproof {
namespace {

TEST(HloLiteral, BracesNestLikeTheDimensions) {
  EXPECT_EQ(braced_literal({"7"}, {}), "7");
  EXPECT_EQ(braced_literal({"1", "2"}, {2}), "{1, 2}");
  EXPECT_EQ(braced_literal({"1", "2", "3", "4"}, {2, 2}), "{ {1, 2}, {3, 4} }");
  EXPECT_EQ(braced_literal({"1", "2"}, {1, 2, 1}), "{ { {1}, {2} } }");
}

}  // namespace
}  // namespace tileproof
