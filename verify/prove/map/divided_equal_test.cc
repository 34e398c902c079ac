// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/map/divided_equal.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
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

MapEquality equal_affine(const std::string& left, const std::string& right) {
  const std::string variables = "affine_map<(i, j)[n, m] -> (";
  return equal_texts(absl::StrCat(variables, left, ")>"), absl::StrCat(variables, right, ")>"));
}

EqualOptions without_enumeration(int64_t sampled = 300) {
  EqualOptions options;
  options.enumerated = 0;
  options.sampled_points = sampled;
  return options;
}

TEST(DividedEqual, SmallMapsAreEnumerated) {
  const MapEquality equality =
      equal_texts("(d0)[s0] -> (d0 mod s0), domain: d0 in [0, 99], s0 in [1, 8]",
                  "(d0)[s0] -> (d0 - (d0 floordiv s0) * s0), domain: d0 in [0, 99], s0 in [1, 8]");
  EXPECT_EQ(equality.verdict, Verdict::kProven);
  EXPECT_EQ(equality.basis, Basis::kEnumerated);
}

TEST(DividedEqual, LargeMapsForAllQuotients) {
  const std::string domain = ", domain: d0 in [0, 999999999], d1 in [0, 999], s0 in [1, 1000000]";
  for (const auto& [left, right] : std::vector<std::pair<std::string, std::string>>{
           {"d0 mod s0", "d0 - (d0 floordiv s0) * s0"},
           {"(d1 + d0) mod s0 + d0 - d0", "(d0 + d1) mod s0"},
           {"d0 ceildiv s0", "((-d0) floordiv s0) * -1"},
           {"(d0 floordiv s0 + d1) floordiv s0", "(d1 + d0 floordiv s0) floordiv s0"},
           {"d0 floordiv s0 + d0 floordiv s0", "(d0 floordiv s0) * 2"}}) {
    const MapEquality equality = equal_texts(absl::StrCat("(d0, d1)[s0] -> (", left, ")", domain),
                                             absl::StrCat("(d0, d1)[s0] -> (", right, ")", domain));
    EXPECT_EQ(equality.verdict, Verdict::kProven) << left << " " << right << ": " << equality.open;
    EXPECT_NE(equality.basis, Basis::kIdentical);
  }
}

// The variables of an affine_map have no bounds.
TEST(DividedEqual, MapsWithoutBounds) {
  for (const auto& [left, right] : std::vector<std::pair<std::string, std::string>>{
           {"(i * n + j) mod n", "j mod n"},
           {"(i * n + j) floordiv n", "i + j floordiv n"},
           {"(j - i * n * 3) ceildiv n", "j ceildiv n - 3 * i"},
           {"(i ceildiv n) * n", "i + (-i) mod n"},
           {"(i * n * n + j * n) floordiv n", "i * n + j"},
           {"i ceildiv n", "(i + n - 1) floordiv n"},
           {"(i * n + n - 1) floordiv n", "i"},
           {"(n * 3 + 1) ceildiv n", "4"},
           {"(i floordiv n) floordiv (n + 1)", "i floordiv (n * n + n)"},
           {"(i floordiv 4) floordiv n", "i floordiv (4 * n)"},
           {"(i mod (n * n)) floordiv n", "(i floordiv n) mod n"},
           {"(i mod (2 * n)) mod n", "i mod n"},
           {"(i mod n) mod (2 * n)", "i mod n"},
           {"(i * 6) mod (n * 2)", "((i * 3) mod n) * 2"},
           {"(i * n + j * n + i + j) floordiv (n + 1)", "i + j"},
           // Products as divisors.
           {"(i mod (n * m)) floordiv m", "(i floordiv m) mod n"},
           {"(i mod (n * 4)) floordiv 4", "(i floordiv 4) mod n"},
           {"(i mod (2 * n)) floordiv n", "(i floordiv n) mod 2"},
           {"(i mod (4 * n)) mod 4", "i mod 4"},
           {"(i mod n) mod (n * m)", "i mod n"},
           {"(i mod (m * (n + 1))) floordiv m", "(i floordiv m) mod (n + 1)"},
           {"(i * m) mod (n * m)", "(i mod n) * m"},
           {"(i * n + j mod n) floordiv (n * m)", "i floordiv m"},
           {"(i * n + j mod n) mod (n * m)", "(i mod m) * n + j mod n"},
           {"(i * 4 + j mod 4) floordiv (4 * n)", "i floordiv n"},
           {"(i * 2 + 1) floordiv (2 * n)", "i floordiv n"},
           {"(i * 4 + 3) mod (4 * n)", "(i mod n) * 4 + 3"},
           // Quotients of quotients, in any order.
           {"(i floordiv n) floordiv 2", "(i floordiv 2) floordiv n"},
           {"(i ceildiv n) ceildiv m", "i ceildiv (n * m)"},
           {"((i floordiv 6) floordiv n) floordiv 5", "(i floordiv (10 * n)) floordiv 3"},
           {"(i floordiv (n + m)) floordiv 3", "i floordiv (3 * n + 3 * m)"},
           {"(j - i floordiv n) floordiv m", "-1 - (i - j * n - n) floordiv (n * m)"},
           // Sums of remainders are below sums of divisors.
           {"(i mod n) floordiv (n + 1)", "0"},
           {"((i mod (n + 1)) floordiv 2) floordiv (n + 1)", "0"},
           {"(i mod n + j mod n) floordiv (2 * n)", "0"},
           {"((i mod m) * n + j mod n) floordiv (n * m)", "0"},
           {"5 floordiv (n * m)", "11 floordiv (2 * n * m)"}}) {
    const MapEquality equality = equal_affine(left, right);
    EXPECT_EQ(equality.verdict, Verdict::kProven) << left << " " << right << ": " << equality.open;
  }
}

// What a constraint without divisions says holds for the results.
TEST(DividedEqual, AConstraintSaysWhatIsBelowTheDivisor) {
  const std::string map = "(i, j)[n] -> ", domain =
                                               ", domain: i in [0, 99], j in [0, 4095], n in [1, "
                                               "4096], n - j in [";
  EXPECT_EQ(equal_texts(map + "((i * n + j) floordiv n)" + domain + "1, 4096]",
                        map + "(i)" + domain + "1, 4096]")
                .verdict,
            Verdict::kProven);
  EXPECT_EQ(equal_texts(map + "((i * n + j) floordiv n)" + domain + "0, 4096]",
                        map + "(i)" + domain + "0, 4096]")
                .verdict,
            Verdict::kRefuted);
}

TEST(DividedEqual, MapsWithoutBoundsThatDifferDoSoAtSmallValues) {
  for (const auto& [left, right] : std::vector<std::pair<std::string, std::string>>{
           {"i floordiv n + j floordiv n", "(i + j) floordiv n"},
           {"(i * n + j) floordiv n", "i"},
           {"((((n * 2) ceildiv 4) * 3 + n * 7) ceildiv n)", "10"},
           {"(i mod (3 * n)) mod (2 * n)", "i mod (2 * n)"},
           {"i floordiv (n + 1)", "i floordiv n"},
           {"(i + j * 2) mod n", "i mod n"},
           {"(i mod (n + 1)) floordiv n", "0"},
           {"(i mod n + j mod n) floordiv n", "0"},
           {"(i mod (n * m)) floordiv m", "(i floordiv n) mod m"},
           {"(i * n + j) floordiv (n * m)", "i floordiv m"},
           {"(i floordiv n) ceildiv m", "i ceildiv (n * m)"}}) {
    const MapEquality equality = equal_affine(left, right);
    EXPECT_EQ(equality.verdict, Verdict::kRefuted) << left << " " << right << ": " << equality.open;
  }
}

TEST(DividedEqual, QuotientsStayApartInMapsWithRuntimeVariables) {
  const std::string domain = ", domain: d0 in [0, 99999], s0 in [2, 5000], rt0 in [1, 7000]";
  const std::string map = "(d0)[s0]{rt0} -> ";
  EXPECT_EQ(equal_texts(map + "((d0 + rt0) floordiv s0, d0 floordiv rt0)" + domain,
                        map + "((rt0 + d0) floordiv s0, (d0 * 2 - d0) floordiv rt0)" + domain)
                .verdict,
            Verdict::kProven);
  EXPECT_EQ(equal_texts(map + "((d0 + rt0) floordiv s0)" + domain,
                        map + "((d0 + rt0) floordiv rt0)" + domain)
                .verdict,
            Verdict::kRefuted);
}

TEST(DividedEqual, DifferencesAreConfirmedAndSmall) {
  const MapEquality equality =
      equal_texts("(d0)[s0] -> (d0 mod s0), domain: d0 in [0, 999999999], s0 in [1, 1000000]",
                  "(d0)[s0] -> (d0), domain: d0 in [0, 999999999], s0 in [1, 1000000]");
  ASSERT_EQ(equality.verdict, Verdict::kRefuted);
  EXPECT_EQ(equality.difference->at.dims, (std::vector<int64_t>{1}));
  EXPECT_EQ(equality.difference->at.ranges, (std::vector<int64_t>{1}));
}

TEST(DividedEqual, EachDivisorIsACase) {
  const MapEquality equality =  // 840 is a multiple of all numbers to 8
      equal_texts("(d0)[s0] -> ((d0 * 840) mod s0), domain: d0 in [0, 999999999], s0 in [1, 8]",
                  "(d0)[s0] -> (0), domain: d0 in [0, 999999999], s0 in [1, 8]");
  EXPECT_EQ(equality.verdict, Verdict::kProven) << equality.open;
  EXPECT_EQ(equality.basis, Basis::kCases);
  // A rare difference, at one divisor.
  const MapEquality rare =
      equal_texts("(d0)[s0] -> (d0 mod s0), domain: d0 in [0, 999999999], s0 in [1, 8]",
                  "(d0)[s0] -> (d0 mod s0 + ((d0 + 1) floordiv 1000000000) * (s0 floordiv 8)), "
                  "domain: d0 in [0, 999999999], s0 in [1, 8]",
                  without_enumeration(0));
  ASSERT_EQ(rare.verdict, Verdict::kRefuted) << rare.open;
  EXPECT_EQ(rare.difference->at.dims[0], 999999999);
}

TEST(DividedEqual, BoundsOfDivisorsMatter) {
  const std::string map = "(d0)[s0] -> (d0 mod s0), domain: d0 in [0, 999999999], s0 in ";
  const MapEquality equality = equal_texts(map + "[1, 8]", map + "[1, 9]");
  ASSERT_EQ(equality.verdict, Verdict::kRefuted);
  EXPECT_EQ(equality.difference->at.ranges[0], 9);
  EXPECT_EQ(equal_texts(map + "[-8, -1]", map + "[-8, -1]").verdict, Verdict::kProven);
  EXPECT_EQ(equal_texts(map + "[-8, -1]", map + "[1, 8]").verdict, Verdict::kRefuted);
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

TEST(DividedEqual, MapsOfOtherNumbersOfVariablesAreErrors) {
  const auto a = parse_map_with_variable_divisors(
      "(d0)[s0] -> (d0 mod s0), domain: d0 in [0, 9], s0 in [1, 2]");
  const auto b = parse_map("(d0) -> (d0), domain: d0 in [0, 9]");
  EXPECT_EQ(equal_with_variable_divisors(*a, *b).status().message(),
            "expected the same number of range variables, found 1 and 0");
}

}  // namespace
}  // namespace tileproof::verify
