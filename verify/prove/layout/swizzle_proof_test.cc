// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/layout/swizzle_proof.h"

#include <cstdlib>
#include <iostream>
#include <optional>

#include "generate/choose/choose.h"
#include "generate/layout/generate_blocked.h"
#include "gtest/gtest.h"
#include "spec/layout/layout_function.h"
#include "spec/layout/swizzled_layout.h"
#include "spec/map/map_evaluation.h"
#include "verify/prove/layout/layout_equal.h"

namespace tileproof::verify {
namespace {

// Compares offset map, closed form and its inverse with the definition at every coordinate.
int64_t compare(const SwizzledLayout& layout) {
  const absl::StatusOr<spec::LayoutFunction> function = spec::layout_function(AnyLayout{layout});
  const absl::StatusOr<impl::SwizzledLayout> closed = impl::SwizzledLayout::create(layout);
  EXPECT_TRUE(function.ok()) << to_text(layout) << function.status();
  EXPECT_TRUE(closed.ok()) << to_text(layout) << closed.status();
  if (!function.ok() || !closed.ok()) return 0;
  int64_t compared = 0;
  const bool is_tuple = layout.layout.shape.is_tuple;
  const absl::Status status = spec::for_each_point(
      offset_map(*function), 1 << 16,
      [&](const spec::Point& point, const std::vector<int64_t>& results) {
        const int64_t offset = *spec::offset_at(*function, point.dims);
        EXPECT_EQ(results[0], offset) << to_text(layout);
        const Coordinate c = is_tuple ? make_flat(point.dims) : make_integer(point.dims[0]);
        EXPECT_EQ(*closed->offset(c), offset) << to_text(layout);
        const auto back = closed->coordinate_at(offset);
        EXPECT_TRUE(back.ok() && *back) << to_text(layout);
        if (back.ok() && *back) {
          EXPECT_EQ(*closed->offset(**back), offset) << to_text(layout);
        }
        ++compared;
        return true;
      });
  EXPECT_TRUE(status.ok()) << status;
  return compared;
}

TEST(SwizzleProof, TheUsualSwizzlesOfSharedMemory) {
  for (const char* text :
       {"Sw<3,3,3> o 0 o (8,64):(64,1)", "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)",
        "Sw<3,4,3> o smem_ptr[4b](unset) o (8,256):(256,1)",
        "Sw<3,4,3> o smem_ptr[32b](unset) o (8,32):(32,1)",
        "Sw<2,0,-3> o smem_ptr[64b](unset) o (8,32):(32,1)", "Sw<2,3,3> o 0 o (8,32):(32,1)",
        "Sw<1,3,3> o 0 o (8,16):(16,1)", "Sw<2,0,-3> o 5 o ((4,2),8):((8,64),1)",
        "Sw<0,0,0> o 0 o (3,5):(5,1)"}) {
    EXPECT_GT(compare(*parse_swizzled_layout(text)), 10) << text;
  }
}

TEST(SwizzleProof, EverySwizzleOfSmallNumbersIsProven) {
  ProofSession session;
  int64_t proven = 0;
  for (int64_t bits = 0; bits <= 3; ++bits) {
    for (int64_t base = 0; base <= 3; ++base) {
      for (int64_t shift = -4; shift <= 4; ++shift) {
        for (const std::optional<int64_t> pointer : {std::optional<int64_t>(), {4}, {8}, {32}}) {
          const SwizzledLayout layout{.swizzle = {bits, base, shift}, .pointer_bits = pointer};
          if (!validate(layout).ok() || (pointer && std::abs(shift) != 3)) continue;
          const LayoutProof proof = prove_swizzle(layout, impl::words_of(layout), session);
          EXPECT_EQ(proof.verdict, Verdict::kProven) << to_text(layout);
          ++proven;
        }
      }
    }
  }
  const SwizzledLayout wide{.swizzle = {6, 4, 9}};
  EXPECT_EQ(prove_swizzle(wide, impl::words_of(wide), session).verdict, Verdict::kProven);
  std::cout << proven << " swizzles proven\n";
  EXPECT_GT(proven, 150);
}

TEST(SwizzleProof, WrongWordsAreRefuted) {
  const SwizzledLayout swizzle{.swizzle = {3, 3, 3}};
  const SwizzledLayout pointer{.swizzle = {3, 4, 3}, .pointer_bits = 16};
  ProofSession session;
  EXPECT_EQ(prove_swizzle(pointer, impl::words_of(pointer.swizzle), session).verdict,
            Verdict::kRefuted);
  for (const impl::SwizzleWords wrong :
       {impl::SwizzleWords{24, 3, 0}, impl::SwizzleWords{56, 0, 3}, impl::SwizzleWords{56, 4, 0}}) {
    const LayoutProof proof = prove_swizzle(swizzle, wrong, session);
    EXPECT_EQ(proof.verdict, Verdict::kRefuted);
    EXPECT_NE(proof.counterexample.find("the swizzle of "), std::string::npos);
  }
}

TEST(SwizzleProof, RandomLayouts) {
  Choose choose(Choose::Random{7});
  int64_t compared = 0;
  for (int i = 0; i < 300; ++i) compared += compare(random_swizzled_layout(choose, 1 << 10));
  EXPECT_GT(compared, 3000);
}

TEST(SwizzleProof, OffsetsBelowZeroAreErrors) {
  for (const char* text :
       {"Sw<1,0,1> o 0 o (4,2):(-1,4)", "Sw<1,0,1> o 9223372036854775807 o 4:1"}) {
    EXPECT_FALSE(spec::layout_function(AnyLayout{*parse_swizzled_layout(text)}).ok()) << text;
  }
}

}  // namespace
}  // namespace tileproof::verify
