// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/map/divided_equal.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "corpus/answers_testing.h"
#include "generate/choose/choose.h"
#include "gtest/gtest.h"
#include "spec/lang/map/map_text.h"
#include "spec/lang/map/variable_divisors.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::verify {
namespace {

MapEquality equal_texts(const std::string& left, const std::string& right,
                        const EqualOptions& options = {}) {
  const auto a = parse_map_with_variable_divisors(left);
  const auto b = parse_map_with_variable_divisors(right);
  EXPECT_TRUE(a.ok() && b.ok()) << left << " " << right;
  if (!a.ok() || !b.ok()) return {};
  const auto equality = equal_with_variable_divisors(*a, *b, options);
  EXPECT_TRUE(equality.ok()) << equality.status();
  return equality.ok() ? *equality : MapEquality{};
}

EqualOptions without_enumeration(int64_t sampled = 300) {
  EqualOptions options;
  options.enumerated = 0;
  options.sampled_points = sampled;
  return options;
}

// What the verdict rests on, or the difference.
std::string decided(absl::string_view text) {
  const auto [left, right] = parts_of<2>(text, "\n");
  const auto map = parse_map_with_variable_divisors(left);
  const auto found = equal_with_variable_divisors(*map, *parse_map_with_variable_divisors(right));
  if (!found.ok()) return std::string(found.status().message());
  if (found->difference) return to_text(*map, *found->difference);
  if (found->verdict == Verdict::kUndecided) return absl::StrCat("undecided: ", found->open);
  return absl::StrCat("proven, ", to_text(found->basis));
}

// The verdict alone: of results of an affine_map, whose variables have no bounds.
std::string affine_verdict(absl::string_view text) {
  const auto [left, right] = parts_of<2>(text, "\n");
  const std::string variables = "affine_map<(i, j)[n, m] -> (";
  const MapEquality found =
      equal_texts(absl::StrCat(variables, left, ")>"), absl::StrCat(variables, right, ")>"));
  return found.verdict == Verdict::kProven    ? "proven"
         : found.verdict == Verdict::kRefuted ? "refuted"
                                              : absl::StrCat("undecided: ", found.open);
}

TEST(DividedEqual, Answers) {
  expect_answers("answers/divided_maps.txt", {{"affine", affine_verdict}, {"equal", decided}});
}

TEST(DividedEqual, ARareDifferenceAtOneDivisorIsFound) {
  const MapEquality rare =
      equal_texts("(d0)[s0] -> (d0 mod s0), domain: d0 in [0, 999999999], s0 in [1, 8]",
                  "(d0)[s0] -> (d0 mod s0 + ((d0 + 1) floordiv 1000000000) * (s0 floordiv 8)), "
                  "domain: d0 in [0, 999999999], s0 in [1, 8]",
                  without_enumeration(0));
  ASSERT_EQ(rare.verdict, Verdict::kRefuted) << rare.open;
  EXPECT_EQ(rare.difference->at.dims[0], 999999999);
}

TEST(DividedEqual, TooManyDivisorsAreUndecided) {
  const std::string domain = ", domain: d0 in [0, 999999999], s0 in [1, 1000000]";
  const MapEquality equality =
      equal_texts("(d0)[s0] -> (((d0 mod s0) * (d0 mod s0)) floordiv (s0 * s0))" + domain,
                  "(d0)[s0] -> (0)" + domain);
  EXPECT_EQ(equality.verdict, Verdict::kUndecided);
  EXPECT_NE(equality.open.find("1024 values of the variables that divide"), std::string::npos);
}

// Random small maps: the answer is that of the reference at all points, also without enumeration.
TEST(DividedEqual, RandomMapsAgreeWithTheReference) {
  const std::vector<std::string> terms = {"d0 mod s0",
                                          "d0 floordiv s0",
                                          "(d0 + s0 - 1) floordiv s0",
                                          "(d0 + s0) floordiv s0",
                                          "d0 ceildiv s0",
                                          "(d0 * 2 + 1) mod s0",
                                          "(d0 * s0 + d0) mod s0",
                                          "(1 - d0 * s0 * 2) floordiv s0",
                                          "(d0 floordiv s0) * s0",
                                          "d0 mod (s0 + 1)",
                                          "(d0 floordiv s0) floordiv 2",
                                          "d0 floordiv (2 * s0)",
                                          "(d0 mod (s0 * 2)) mod s0",
                                          "(s0 - 1 + d0 * s0) floordiv s0",
                                          "d0 floordiv (s0 * s0)",
                                          "d0 ceildiv (0 - s0)",
                                          "d0 mod 3",
                                          "(d0 mod (3 * s0)) floordiv 3",
                                          "(d0 mod s0 + 1) floordiv (s0 + 1)",
                                          "(d0 * s0 + d0 mod s0) mod (2 * s0)",
                                          "d0",
                                          "s0",
                                          "1"};
  int proven = 0, refuted = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    Choose choose(Choose::Random{seed});
    std::string texts[2];
    for (std::string& text : texts) {
      text = absl::StrCat("(d0)[s0] -> (", choose.pick(terms), " + ", choose.pick(terms), " * ",
                          choose.between(-1, 2), "), domain: d0 in [", choose.between(-9, 0), ", ",
                          choose.between(1, 20), "], s0 in [", choose.between(1, 2), ", ",
                          choose.between(2, 4), "]");
    }
    if (choose.chance(1, 3)) texts[1] = texts[0];
    if (choose.chance(1, 3)) {  // the same results, written otherwise
      const size_t at = texts[0].find("-> (") + 4, end = texts[0].find("), domain");
      const std::string result = texts[0].substr(at, end - at);
      texts[1] = absl::StrCat(texts[0].substr(0, at), "(", result, ") * 2 - (", result, ")",
                              texts[0].substr(end));
    }
    const MapEquality all = equal_texts(texts[0], texts[1]);
    const MapEquality asked = equal_texts(texts[0], texts[1], without_enumeration());
    ASSERT_NE(all.verdict, Verdict::kUndecided);
    EXPECT_EQ(all.verdict, asked.verdict) << "'" << texts[0] << "' '" << texts[1] << "'";
    (all.verdict == Verdict::kProven ? proven : refuted) += 1;
  }
  EXPECT_GT(proven, 50);
  EXPECT_GT(refuted, 50);
}

}  // namespace
}  // namespace tileproof::verify
