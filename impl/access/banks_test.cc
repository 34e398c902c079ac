// SPDX-License-Identifier: Apache-2.0
// Bank conflicts in closed form: known answers of kernels, and agreement with the simulator.
#include "impl/access/banks.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/map/map_text.h"
#include "verify/compare/banks_compare.h"

namespace tileproof::verify {
namespace {

BanksQuestion question(absl::string_view layout, absl::string_view access, int64_t bits,
                       int64_t vector) {
  return {*parse_any_layout(layout), *parse_map(access), {bits, vector}, {}};
}

// The ways of the phases, by both: "1 1 2".
std::string ways(const BanksQuestion& question) {
  CaseCounts tally;
  if (const std::string found = banks_difference(question, tally); !found.empty()) return found;
  const auto side = impl::relayout_side(question.layout);
  const auto phases =
      impl::bank_phases(*side, question.access, {question.element.bits, question.element.vector},
                        {question.memory.banks, question.memory.bank_bytes});
  if (!phases.ok()) return std::string(phases.status().message());
  std::string text;
  for (const BankPhase& phase : *phases)
    absl::StrAppend(&text, text.empty() ? "" : " ", phase.ways);
  return text;
}

constexpr char kRowsOf8[] = "(lane) -> (lane, 0), domain: lane in [0, 7]";

TEST(BanksTest, RowsOfHalvesReadBy16Bytes) {
  EXPECT_EQ(ways(question("f16[8,72]{1,0}", kRowsOf8, 16, 16)), "1");
  EXPECT_EQ(ways(question("f16[8,64]{1,0}", kRowsOf8, 16, 16)), "8");
  EXPECT_EQ(ways(question("f16[8,80]{1,0}", kRowsOf8, 16, 16)), "2");
}

TEST(BanksTest, TheSwizzleOf128BytesHasNoConflicts) {
  EXPECT_EQ(ways(question("Sw<3,4,3> o smem_ptr[8b](unset) o (8,128):(128,1)", kRowsOf8, 8, 16)),
            "1");
  EXPECT_EQ(ways(question("(8,128):(128,1)", kRowsOf8, 8, 16)), "8");
}

TEST(BanksTest, ARowOfDoublesHasNoConflicts) {
  EXPECT_EQ(ways(question("f64[32]{0}", "(lane) -> (lane), domain: lane in [0, 31]", 64, 8)),
            "1 1");
}

// A swizzle of elements has none; behind a pointer, it moves 8 bytes, half a vector.
TEST(BanksTest, Cutlass3172ReadsColumnsOf16Bytes) {
  const char* lanes = "(lane) -> (0, lane), domain: lane in [0, 7]";
  EXPECT_EQ(ways(question("Sw<3,3,4> o 0 o (128,8):(1,128)", lanes, 16, 16)), "1");
  EXPECT_EQ(ways(question("Sw<3,3,4> o smem_ptr[16b](unset) o (128,8):(1,128)", lanes, 16, 16)),
            "2");
  EXPECT_EQ(ways(question("(128,8):(1,128)", lanes, 16, 16)), "8");
}

TEST(BanksTest, CudaOxide544ReadsColumnsOfFloats) {
  const char* column = "(lane) -> (lane, 0), domain: lane in [0, 31]";
  EXPECT_EQ(ways(question("(32,32):(32,1)", column, 32, 4)), "32");
  EXPECT_EQ(ways(question("(32,32):(33,1)", column, 32, 4)), "1");
  EXPECT_EQ(ways(question("Sw<5,0,5> o 0 o (32,32):(32,1)", column, 32, 4)), "1");
  EXPECT_EQ(ways(question("Sw<3,0,5> o 0 o (32,32):(32,1)", column, 32, 4)), "4");
  EXPECT_EQ(ways(question("Sw<2,0,5> o 0 o (32,32):(32,1)", column, 32, 4)), "8");
}

TEST(BanksTest, LanesThatReadOneWordAreOne) {
  EXPECT_EQ(ways(question("f16[64]{0}", "(lane) -> (lane), domain: lane in [0, 31]", 16, 2)), "1");
  EXPECT_EQ(ways(question("f32[64]{0}", "(lane) -> (0), domain: lane in [0, 31]", 32, 4)), "1");
}

TEST(BanksTest, ValuesThatLieBesideEachOtherAreOneVector) {
  const char* values =
      "(lane, k)[s0] -> (lane, k * 8 + s0), domain: lane in [0, 7], k in [0, 1], s0 in [0, 7]";
  EXPECT_EQ(ways(question("f16[8,64]{1,0}", values, 16, 16)), "8 8");
  EXPECT_EQ(ways(question("f16[8,64]{1,0}", values, 16, 4)), "8 8 8 8 8 8 8 8");
  EXPECT_NE(ways(question("f16[8,64]{0,1}", values, 16, 16)).find("beside"), std::string::npos);
}

// Every swizzle of up to 3 bits, of 8 and 16 bits an element, read along rows and columns by each
// vector.
TEST(BanksTest, AgreesWithTheSimulatorOnEverySmallSwizzle) {
  CaseCounts tally;
  for (Odometer odometer; !odometer.done(); odometer.advance()) {
    Choose choose(&odometer);
    const int64_t bits = choose.between(0, 3), base = choose.between(0, 4);
    const int64_t shift = choose.between(-3, 5);
    const int64_t element = choose.pick<int64_t>({8, 16});
    const int64_t vector = choose.pick<int64_t>({2, 4, 8, 16});
    const bool along_rows = choose.chance(1, 2);
    const std::string layout =
        absl::StrCat("Sw<", bits, ",", base, ",", shift, "> o 0 o (32,64):(64,1)");
    const auto parsed = parse_any_layout(layout);
    if (!parsed.ok()) continue;
    const std::string access =
        along_rows ? "(lane) -> (lane mod 32, 0), domain: lane in [0, 31]"
                   : "(lane) -> (lane floordiv 8, (lane mod 8) * 8), domain: lane in [0, 31]";
    ASSERT_EQ(banks_difference({*parsed, *parse_map(access), {element, vector}, {}}, tally), "");
    ASSERT_EQ(tally["refused"] + tally["not counted"], 0) << layout;
  }
  EXPECT_GE(tally["counted"], 2000);
  EXPECT_GE(tally["phases of several ways"], 1000);
  EXPECT_LT(tally["phases of several ways"], tally["phases"]);
}

}  // namespace
}  // namespace tileproof::verify
