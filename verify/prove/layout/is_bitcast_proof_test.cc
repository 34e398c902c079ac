// SPDX-License-Identifier: Apache-2.0
// Decides whether reshapes, transposes and bitcasts are free: worked examples and random small
// layouts.
#include "verify/prove/layout/is_bitcast_proof.h"

#include <gtest/gtest.h>

#include <string>

#include "spec/lang/layout/any_layout.h"

namespace tileproof::verify {
namespace {

using Kind = Move::Kind;

std::string described(absl::string_view in, absl::string_view out, const Move& move) {
  const auto from = spec::layout_function(*parse_any_layout(in));
  const auto to = spec::layout_function(*parse_any_layout(out));
  if (!from.ok() || !to.ok()) return "no layout";
  const auto proof = prove_is_bitcast(*from, *to, move);
  if (!proof.ok()) return std::string(proof.status().message());
  if (proof->verdict == Verdict::kProven) return "free";
  return proof->verdict == Verdict::kRefuted ? proof->counterexample : "undecided";
}

TEST(IsBitcastProof, ReshapesOfWholeTilesAreFree) {
  const Move reshape{Kind::kReshape, {}};
  EXPECT_EQ(described("f32[32]", "f32[4,8]", reshape), "free");
  EXPECT_EQ(described("f32[16,128]{1,0:T(8,128)}", "f32[2,8,128]{2,1,0:T(8,128)}", reshape),
            "free");
  EXPECT_EQ(described("bf16[1048576,4096]{1,0:T(8,128)(2,1)}",
                      "bf16[131072,8,4096]{2,1,0:T(8,128)(2,1)}", reshape),
            "free");
  EXPECT_EQ(described("f32[16,256]{1,0:T(8,128)}", "f32[4096]{0:T(1024)}", reshape),
            "element [0,128] becomes [128] and moves from offset 1024 to 128");
  EXPECT_EQ(described("f32[2,3]{0,1}", "f32[6]", reshape),
            "element [0,1] becomes [1] and moves from offset 2 to 1");
  EXPECT_EQ(described("f32[2,3]", "f32[7]", reshape),
            "reshape: expected as many elements as in [2,3], found [7]");
  EXPECT_EQ(described("f32[6]", "bf16[6]", reshape), "the elements have 32 and 16 bits");
}

TEST(IsBitcastProof, TransposesThatOnlyRenameDimensionsAreFree) {
  const Move swap{Kind::kTranspose, {1, 0}};
  EXPECT_EQ(described("f32[4,8]{1,0}", "f32[8,4]{0,1}", swap), "free");
  EXPECT_EQ(described("f32[4096,8192]{1,0:T(8,128)}", "f32[8192,4096]{0,1:T(8,128)}", swap),
            "free");
  EXPECT_EQ(described("f32[4,1]{1,0}", "f32[1,4]{1,0}", swap), "free");
  EXPECT_EQ(described("f32[4,8]{1,0}", "f32[8,4]{1,0}", swap),
            "element [1,0] becomes [0,1] and moves from offset 8 to 1");
  EXPECT_EQ(described("f32[4,8]", "f32[4,8]", swap), "transpose: expected [8,4], found [4,8]");
  EXPECT_EQ(described("f32[4,8]", "f32[4,8]", {Kind::kTranspose, {0, 0}}),
            "transpose: expected each dimension of [4,8] once, found {0,0}");
}

TEST(IsBitcastProof, LayoutsMayBeOfAnySystem) {
  const Move reshape{Kind::kReshape, {}}, swap{Kind::kTranspose, {1, 0}};
  EXPECT_EQ(described("(8,64):(64,1)", "(512):(1)", reshape), "free");
  EXPECT_EQ(described("(8,64):(1,8)", "(512):(1)", reshape),
            "element [0,1] becomes [1] and moves from offset 8 to 1");
  EXPECT_EQ(
      described("memref<85x40xf32, affine_map<(d0, d1) -> (d1, d0)>>", "memref<40x85xf32>", swap),
      "free");
  EXPECT_EQ(
      described("memref<2x1x8x32xf32, strided<[32, 512, 64, 1]>>", "memref<2x256xf32>", reshape),
      "element [0,0,1,0] becomes [0,32] and moves from offset 64 to 32");
  EXPECT_EQ(described("zN:f16[64,96]", "((16,4),(16,6)):((16,256),(1,1024))", swap),
            "transpose: expected [96,64], found [64,96]");
  EXPECT_EQ(described("Sw<1,0,1> o 0 o (2,2):(2,1)", "(4):(1)", reshape),
            "element [1,0] becomes [2] and moves from offset 3 to 2");
  const Move bitcast{Kind::kBitcast, {}};
  EXPECT_EQ(described("(8,64):(64,1)", "f32[512]", bitcast), "free");
  EXPECT_EQ(described("(64,8):(1,64)", "Sw<3,3,3> o 0 o (8,64):(64,1)", bitcast), "free");
  EXPECT_EQ(described("(8,64):(65,1)", "f32[512]", bitcast),
            "element [64] of the result lies at offset 64, where the operand has no element");
  EXPECT_EQ(described("(4,8):(8,1)", "(4,4):(8,2)", bitcast),
            "element [0,1] of the operand lies at offset 1, where the result has no element");
}

TEST(IsBitcastProof, BitcastsCoverElementsWithElements) {
  const Move bitcast{Kind::kBitcast, {}};
  EXPECT_EQ(described("f32[4,8]{1,0}", "f32[8,4]{1,0}", bitcast), "free");
  EXPECT_EQ(described("f32[16,128]{1,0:T(8,128)}", "f32[2048]", bitcast), "free");
  EXPECT_EQ(described("f32[3,5]{1,0:T(2,2)}", "f32[24]", bitcast),
            "element [9] of the result lies at offset 9, where the operand has no element");
  EXPECT_EQ(described("f32[24]", "f32[3,5]{1,0:T(2,2)}", bitcast),
            "element [9] of the operand lies at offset 9, where the result has no element");
}

}  // namespace
}  // namespace tileproof::verify
