// SPDX-License-Identifier: Apache-2.0
// Bank conflicts: what the definition serves together, and which lanes it names.
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/access/banks.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::spec {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

absl::StatusOr<std::vector<BankPhase>> served(absl::string_view layout, absl::string_view access,
                                              BankElement element, BankMemory memory = {}) {
  return serve(*layout_function(*parse_any_layout(layout)), *parse_map(access), element, memory,
               100'000);
}

std::string error_of(absl::string_view layout, absl::string_view access, BankElement element) {
  return std::string(served(layout, access, element).status().message());
}

TEST(BanksDefinition, NamesTheFirstLaneThatWaits) {
  const auto phases =
      served("f16[8,80]{1,0}", "(lane) -> (lane, 0), domain: lane in [0, 7]", {16, 16});
  ASSERT_EQ(phases->size(), 1);
  // Row 4 begins at byte 640, word 160, and 160 mod 32 is 0.
  EXPECT_EQ((*phases)[0].ways, 2);
  EXPECT_EQ((*phases)[0].clash, (BankClash{0, {0, 4}, {0, 160}}));
}

TEST(BanksDefinition, APhaseMovesAWordOfEachBank) {
  const auto lanes_of_phases = [](int64_t bits, int64_t vector) {
    std::string text;
    const auto phases =
        served("(64,64):(64,1)", "(lane) -> (lane, 0), domain: lane in [0, 31]", {bits, vector});
    for (const BankPhase& phase : *phases) absl::StrAppend(&text, phase.lanes.size(), " ");
    return text;
  };
  EXPECT_EQ(lanes_of_phases(8, 1), "32 ");
  EXPECT_EQ(lanes_of_phases(32, 4), "32 ");
  EXPECT_EQ(lanes_of_phases(32, 8), "16 16 ");
  EXPECT_EQ(lanes_of_phases(32, 16), "8 8 8 8 ");
}

TEST(BanksDefinition, AmdReads16BytesInAnotherOrder) {
  const auto phases = served("(64,64):(64,1)", "(lane) -> (lane, 0), domain: lane in [0, 63]",
                             {32, 16}, {.amd_read = true});
  ASSERT_EQ(phases->size(), 8);
  EXPECT_THAT((*phases)[0].lanes, ElementsAre(0, 1, 2, 3, 20, 21, 22, 23));
  EXPECT_THAT((*phases)[1].lanes, ElementsAre(4, 5, 6, 7, 16, 17, 18, 19));
  EXPECT_THAT((*phases)[2].lanes, ElementsAre(8, 9, 10, 11, 28, 29, 30, 31));
  EXPECT_THAT((*phases)[3].lanes, ElementsAre(12, 13, 14, 15, 24, 25, 26, 27));
  EXPECT_THAT((*phases)[4].lanes, ElementsAre(32, 33, 34, 35, 52, 53, 54, 55));
}

TEST(BanksDefinition, AVectorThatIsNotAlignedNeedsOneWordMore) {
  const auto phases =
      served("(4,65):(65,1)", "(lane) -> (lane, 1), domain: lane in [0, 0]", {16, 128});
  EXPECT_EQ((*phases)[0].ways, 2);  // words 0 and 32
  EXPECT_EQ((*phases)[0].clash, (BankClash{0, {0, 0}, {0, 32}}));
}

TEST(BanksDefinition, RefusesWhatIsNoAccess) {
  EXPECT_THAT(error_of("f16[8,64]{1,0}", "(lane) -> (lane), domain: lane in [0, 7]", {16, 16}),
              HasSubstr("expected 2 results, found 1"));
  EXPECT_THAT(error_of("f16[8,64]{1,0}", "(lane) -> (lane, 0), domain: lane in [0, 8]", {16, 16}),
              HasSubstr("lane = 8 gives (8, 0): index 8 is outside dimension 0 of size 8"));
  EXPECT_THAT(error_of("f16[8,64]{1,0}", "(lane) -> (lane, 0), domain: lane in [-1, 7]", {16, 16}),
              HasSubstr("expected lanes of at least 0"));
  EXPECT_THAT(error_of("f16[8,64]{1,0}", "() -> (0, 0)", {16, 16}),
              HasSubstr("expected a dimension"));
  EXPECT_THAT(error_of("f16[8,64]{1,0}", "(lane) -> (lane, 0), domain: lane in [0, 7]", {16, 12}),
              HasSubstr("expected a vector that divides the 128 bytes of all banks, found 12"));
  EXPECT_THAT(error_of("(4):(-1)", "(lane) -> (lane), domain: lane in [0, 3]", {16, 2}),
              HasSubstr("offset of at least 0"));
  EXPECT_THAT(error_of("f16[8,64]{0,1}",
                       "(lane)[s0] -> (lane, s0), domain: lane in [0, 7], s0 in [0, 7]", {16, 16}),
              HasSubstr("beside each other"));
}

}  // namespace
}  // namespace tileproof::spec
