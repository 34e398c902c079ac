// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/map/map_smtlib.h"

#include "gtest/gtest.h"
#include "spec/lang/map/map_text.h"
#include "verify/prove/smt/ask_solver.h"

namespace tileproof::verify {
namespace {

Verdict answer(absl::string_view left, absl::string_view right) {
  const std::string text = whole_question(*parse_map(left), *parse_map(right));
  return ask_solver(text, {.milliseconds = 20'000}, {}).verdict;
}

TEST(WholeQuestion, HasASolutionExactlyIfTheMapsDiffer) {
  const char* plain = "(d0) -> (d0 mod 6), domain: d0 in [0, 99]";
  EXPECT_EQ(answer(plain, "(d0) -> (d0 - (d0 floordiv 6) * 6), domain: d0 in [0, 99]"),
            Verdict::kProven);
  EXPECT_EQ(answer(plain, "(d0) -> (d0 mod 6), domain: d0 in [0, 98]"), Verdict::kRefuted);
  EXPECT_EQ(answer(plain, "(d0) -> (d0 mod 3), domain: d0 in [0, 99]"), Verdict::kRefuted);
  EXPECT_EQ(answer(plain, "(d0) -> (d0 mod 6), domain: d0 in [0, 99], d0 mod 2 in [0, 0]"),
            Verdict::kRefuted);
  EXPECT_EQ(answer("() -> ()", "() -> ()"), Verdict::kProven);
}

// floordiv rounds down for every sign, mod has the sign of the divisor, ceildiv rounds up.
TEST(WholeQuestion, DivisionsHaveOurMeaningForEverySign) {
  EXPECT_EQ(
      answer("(d0)[s0] -> (d0 floordiv -3, d0 mod -3, d0 ceildiv -3, s0), domain: d0 in [-7, "
             "7], s0 in [0, 1]",
             "(d0)[s0] -> ((-d0) floordiv 3, -((-d0) mod 3), -(d0 floordiv 3), s0), domain: d0 "
             "in [-7, 7], s0 in [0, 1]"),
      Verdict::kProven);
  EXPECT_EQ(answer("(d0) -> (d0 ceildiv 3), domain: d0 in [-7, 7]",
                   "(d0) -> ((d0 + 2) floordiv 3), domain: d0 in [-7, 7]"),
            Verdict::kProven);
  EXPECT_EQ(answer("(d0) -> (d0 mod (1 + 2)), domain: d0 in [-7, 7]",
                   "(d0) -> (d0 mod 3), domain: d0 in [-7, 7]"),
            Verdict::kProven);
  EXPECT_EQ(answer("(d0) -> (d0 mod -3), domain: d0 in [-7, 7]",
                   "(d0) -> (d0 mod 3), domain: d0 in [-7, 7]"),
            Verdict::kRefuted);
}

}  // namespace
}  // namespace tileproof::verify
