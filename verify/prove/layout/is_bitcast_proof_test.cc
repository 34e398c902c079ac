// SPDX-License-Identifier: Apache-2.0
// Decides whether reshapes, transposes and bitcasts are free: worked examples and random small
// layouts.
#include "verify/prove/layout/is_bitcast_proof.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/strip.h"
#include "corpus/answers_testing.h"
#include "spec/lang/layout/any_layout.h"

namespace tileproof::verify {
namespace {

// "reshape", "bitcast", "transpose 1,0"
Move move_named(absl::string_view name) {
  if (name == "reshape") return {Move::Kind::kReshape, {}};
  if (name == "bitcast") return {Move::Kind::kBitcast, {}};
  EXPECT_TRUE(absl::ConsumePrefix(&name, "transpose ")) << name;
  return {Move::Kind::kTranspose, numbers_of(name)};
}

std::string described(absl::string_view text) {
  const auto [name, in, out] = parts_of<3>(text, "\n");
  const Move move = move_named(name);
  const auto from = spec::layout_function(*parse_any_layout(in));
  const auto to = spec::layout_function(*parse_any_layout(out));
  if (!from.ok() || !to.ok()) return "no layout";
  const auto proof = prove_is_bitcast(*from, *to, move);
  if (!proof.ok()) return std::string(proof.status().message());
  if (proof->verdict == Verdict::kProven) return "free";
  return proof->verdict == Verdict::kRefuted ? proof->counterexample : "undecided";
}

TEST(IsBitcastProof, Answers) { expect_answers("answers/bitcasts.txt", {{"is_free", described}}); }

}  // namespace
}  // namespace tileproof::verify
