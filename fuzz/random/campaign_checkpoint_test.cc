// SPDX-License-Identifier: Apache-2.0
#include "fuzz/random/campaign_checkpoint.h"

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace tileproof::verify {
namespace {

CampaignCheckpoint fresh(const std::string& name) {
  const std::string path = absl::StrCat(testing::TempDir(), "campaign_record_", name, ".txt");
  std::filesystem::remove(path);
  return {path, "simplify", 1};
}

TEST(CampaignCheckpoint, GoesOnAfterTheFinishedChunks) {
  const CampaignCheckpoint record = fresh("goes_on");
  EXPECT_EQ(first_open_case(record).value(), 0);
  ASSERT_TRUE(append_chunk(record, 0, 100, "7 points, 0 failures").ok());
  ASSERT_TRUE(append_chunk(record, 100, 100, "9 points, 0 failures").ok());
  EXPECT_EQ(first_open_case(record).value(), 200);
}

TEST(CampaignCheckpoint, IgnoresLinesOfOtherCampaignsAndSeeds) {
  const CampaignCheckpoint record = fresh("own");
  ASSERT_TRUE(append_chunk({record.path, "operations", 1}, 0, 50, "").ok());
  ASSERT_TRUE(append_chunk({record.path, "simplify", 2}, 0, 50, "").ok());
  EXPECT_EQ(first_open_case(record).value(), 0);
}

TEST(CampaignCheckpoint, StartsAtAGap) {
  const CampaignCheckpoint record = fresh("gap");
  ASSERT_TRUE(append_chunk(record, 100, 100, "").ok());
  EXPECT_EQ(first_open_case(record).value(), 0);
}

TEST(CampaignCheckpoint, RejectsAnInvalidLineWithItsNumber) {
  const CampaignCheckpoint record = fresh("other");
  std::ofstream(record.path) << "# a remark\nhalf a li";
  EXPECT_EQ(first_open_case(record).status().message(),
            absl::StrCat(record.path,
                         ":2: expected NAME seed SEED, cases FIRST to LAST: .., found half a li"));
}

TEST(CampaignCheckpoint, FailsIfTheFileCannotBeWritten) {
  EXPECT_FALSE(append_chunk({"/no such folder/record", "simplify", 1}, 0, 1, "").ok());
}

}  // namespace
}  // namespace tileproof::verify
