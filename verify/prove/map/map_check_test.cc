// SPDX-License-Identifier: Apache-2.0
// Facts of maps: the questions of public reports, and proofs against the reference.
#include "verify/prove/map/map_check.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "generate/map/generate_map.h"
#include "spec/lang/base/cases_testing.h"
#include "spec/lang/map/map_text.h"
#include "spec/lang/map/variable_divisors.h"

namespace tileproof::verify {
namespace {

IndexingMap map_of(absl::string_view text) { return *parse_map_with_variable_divisors(text); }

std::string said(const absl::StatusOr<CheckedFact>& checked, const auto& text) {
  if (!checked.ok()) return std::string(checked.status().message());
  if (checked->verdict == Verdict::kProven) return absl::StrCat("yes, by ", checked->by);
  if (checked->verdict == Verdict::kUndecided) return absl::StrCat("undecided: ", checked->open);
  return text(*checked);
}

std::string inside(absl::string_view text, const std::vector<Interval>& box) {
  const IndexingMap map = map_of(text);
  return said(check_inside(map, box),
              [&](const CheckedFact& found) { return text_of_outside(map, box, found); });
}

std::string one_to_one(absl::string_view text) {
  const IndexingMap map = map_of(text);
  return said(check_one_to_one(map),
              [&](const CheckedFact& found) { return text_of_meeting(map, found); });
}

std::string onto(absl::string_view text, const std::vector<int64_t>& sizes) {
  return said(check_onto(map_of(text), sizes),
              [&](const CheckedFact& found) { return text_of_missing(found); });
}

std::string width(absl::string_view text, spec::IntegerWidth bits = {}) {
  const IndexingMap map = map_of(text);
  return said(check_width(map, bits),
              [&](const CheckedFact& found) { return text_of_leaving(map, found); });
}

TEST(MapCheckTest, FlyDsl979RunsPastItsGrid) {
  const char* map =
      "(pid) -> ((pid floordiv 32) * 8 + pid mod 8, (pid mod 32) floordiv 8), domain: pid in [0, "
      "35]";
  EXPECT_EQ(inside(map, {{0, 8}, {0, 3}}),
            "pid = 33 gives (9, 0), outside dimension 0 of size 9; 3 of 36 points do");
  EXPECT_EQ(onto(map, {9, 4}), "(8, 1) is never reached; 3 of 36 are");
}

TEST(MapCheckTest, Numpy13706ReadsBehindTheArray) {
  EXPECT_EQ(
      inside("(r, c) -> (r * 2 + c * 2), domain: r in [0, 990], c in [0, 9]", {{0, 999}}),
      "r = 491, c = 9 gives (1000), outside dimension 0 of size 1000; 4955 of 9910 points do");
}

TEST(MapCheckTest, Tvm12720HasTwoThreadsOfOneElement) {
  EXPECT_EQ(
      one_to_one("(i, j) -> (i mod 4 + (j mod 8) * 4, (j floordiv 8) * 8 + (i floordiv 16) * "
                 "4 + i mod 4), domain: i in [0, 31], j in [0, 15]"),
      "i = 0, j = 0 and i = 4, j = 0 both give (0, 0); 384 of 512 points meet an earlier one");
}

TEST(MapCheckTest, Triton830LeavesTheWidth) {
  const char* factored =
      "(x) -> (x mod 8388608 + (x floordiv 8388608 - 32) * 67108864 + 33554432), domain: x in "
      "[268435456, 335544319]";
  const char* expanded =
      "(x) -> (x mod 8388608 + (x floordiv 8388608) * 67108864 - 2147483648 + 33554432), domain: x "
      "in [268435456, 335544319]";
  EXPECT_EQ(width(factored).substr(0, 4), "yes,");
  EXPECT_EQ(width(expanded), "(x floordiv 8388608) * 67108864 at x = 268435456 is 2147483648");
}

TEST(MapCheckTest, WidthReadsDifferencesAsWritten) {
  EXPECT_EQ(width("(x) -> (x - 5), domain: x in [5, 9]", {8, true}), "yes, by points");
  EXPECT_EQ(width("(x) -> (x - 5), domain: x in [4, 9]", {8, true}),
            "x - 5 at x = 4 is -1; 1 of 6 points does");
  EXPECT_EQ(width("(x, y) -> (x - y * 3), domain: x in [6, 9], y in [0, 2]", {8, true}),
            "yes, by points");
  EXPECT_EQ(width("(x) -> ((x - 32768) * 65536), domain: x in [0, 200000]"),
            "(x - 32768) * 65536 at x = 65536 is 2147483648");
}

// A machine computes the operation, not the sums and powers of two that write it.
TEST(MapCheckTest, WidthReadsOperationsOnBitsAsOne) {
  const auto of_bytes = [](absl::string_view results, spec::IntegerWidth bits) {
    return width(absl::StrCat("(x, y) -> (", results, "), domain: x in [0, 127], y in [0, 127]"),
                 bits);
  };
  for (const absl::string_view results :
       {"x xor y", "x xor 85", "x | y", "x | 64", "x & y", "x & 127, y & 85", "min(x, y)",
        "max(x, y)", "(x >> 7) << 6", "x - (x & y)", "shift_right(x, 7)", "(x | y) xor (x & y)",
        "min(x, 7) & max(y, 3)"}) {
    EXPECT_EQ(of_bytes(results, {8}), "yes, by points") << results;
    EXPECT_EQ(of_bytes(results, {7, true}), "yes, by points") << results;
  }
  EXPECT_EQ(width("(x, y) -> (max(x, y)), domain: x in [-128, 127], y in [-128, 127]", {8}),
            "yes, by points");
  EXPECT_EQ(of_bytes("x & 0x55", {8}), "yes, by points");
  EXPECT_EQ(of_bytes("((x | y) >> 0) & (x xor (y | 1)), min(x * 100, 0)", {8}).substr(0, 7),
            "x * 100");
  EXPECT_EQ(of_bytes("(x << 1) & (y mod 1)", {8}).substr(0, 5), "x * 2");
  EXPECT_EQ(of_bytes("(x xor y) * 3", {8}).substr(0, 3), "((x");
  EXPECT_EQ(of_bytes("(x + y) & 63", {7, true}).substr(0, 5), "x + y");
  EXPECT_EQ(of_bytes("x << 1", {8}),
            "x * 2 at x = 64, y = 0 is 128; 8192 of 16384 points leave the width");
  EXPECT_EQ(of_bytes("x mod 128", {8}),
            "128 at x = 0, y = 0 is 128; 16384 of 16384 points leave the width");
  EXPECT_EQ(
      width("(x, y) -> (x xor y), domain: x in [0, 1073741823], y in [0, 1073741823]").substr(0, 4),
      "yes,");
}

TEST(MapCheckTest, LargeDomainsAreDecidedByTheProver) {
  EXPECT_EQ(inside("(x) -> (x floordiv 1000), domain: x in [0, 999999999999]", {{0, 999999999}})
                .substr(0, 4),
            "yes,");
  EXPECT_EQ(inside("(x, y) -> (x + y), domain: x in [0, 999999], y in [0, 999999]", {{0, 1999990}}),
            "x = 999992, y = 999999 gives (1999991), outside dimension 0 of size 1999991");
  EXPECT_EQ(one_to_one("(x) -> (x mod 1000, x floordiv 1000), domain: x in [0, 999999999999]"),
            "yes, by inverse");
  EXPECT_EQ(one_to_one("(x, y) -> (x * 4000 + y), domain: x in [0, 99999], y in [0, 4000]"),
            "x = 0, y = 4000 and x = 1, y = 0 both give (4000)");
  EXPECT_EQ(
      onto("(x) -> (x mod 1000, x floordiv 1000), domain: x in [0, 999999999]", {1000, 1000000}),
      "yes, by inverse");
  EXPECT_EQ(onto("(x) -> (x floordiv 2), domain: x in [0, 1999999]", {1000000}), "yes, by image");
  EXPECT_EQ(onto("(x, y) -> (x, y), domain: x in [0, 9999], y in [0, 127]", {10000, 256}),
            "(0, 128) is never reached");
  EXPECT_EQ(onto("(x, y) -> (x, y * 2), domain: x in [0, 9999], y in [0, 127]", {10000, 255}),
            "(0, 1) is never reached");
}

TEST(MapCheckTest, SizesMayBeVariables) {
  EXPECT_EQ(
      inside("(x, n) -> (x mod n), domain: x in [0, 9999], n in [1, 64]", {{0, 63}}).substr(0, 4),
      "yes,");
  EXPECT_EQ(inside("(x, n) -> (x mod n), domain: x in [0, 9999], n in [1, 64]", {{0, 62}}),
            "x = 63, n = 64 gives (63), outside dimension 0 of size 63");
}

// What the prover says without the reference agrees with the reference.
TEST(MapCheckTest, ProofsAgreeWithTheReference) {
  int64_t proven = 0, refuted = 0, open = 0;
  for (uint64_t seed = 0; seed < cases<uint64_t>(2400); ++seed) {
    Choose choose(Choose::Random{seed});
    const IndexingMap map = generate_map(choose);
    const auto count = spec::box_size(map);
    if (!count || *count > 3000 || map.results.empty()) continue;
    std::vector<Interval> box;
    std::vector<int64_t> sizes;
    for (size_t i = 0; i < map.results.size(); ++i) {
      sizes.push_back(choose.pick<int64_t>({4, 1, 10, 64}));
      box.push_back({choose.chance(1, 3) ? -5 : 0, sizes.back() - 1});
    }
    const CheckOptions none{500, 0};
    const auto agree = [&](const absl::StatusOr<spec::MapFact>& right,
                           const absl::StatusOr<CheckedFact>& found) {
      if (!right.ok() || !found.ok() || found->verdict == Verdict::kUndecided) {
        ++open;
        return;
      }
      (right->holds() ? proven : refuted) += 1;
      EXPECT_EQ(right->holds(), found->verdict == Verdict::kProven)
          << "seed " << seed << " " << to_text(map) << ", by " << found->by;
      if (found->verdict == Verdict::kRefuted && !right->holds() && found->by != "points") {
        EXPECT_EQ(found->fact->at, right->at) << "seed " << seed << " " << to_text(map);
      }
    };
    agree(spec::inside(map, box, 3000), check_inside(map, box, none));
    agree(spec::onto(map, sizes, 3000), check_onto(map, sizes, none));
    agree(spec::within_width(map, {7}, 3000), check_width(map, {7}, none));
  }
  EXPECT_GT(proven, cases(300)) << refuted << " refuted, " << open << " open";
  EXPECT_GT(refuted, cases(300));
}

}  // namespace
}  // namespace tileproof::verify
