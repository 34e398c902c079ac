// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/layout/blocked_text.h"

#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "corpus/files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tileproof {
namespace {

using ::testing::ElementsAre;

TEST(BlockedText, ReadsFormatsAsOneDnnNamesThem) {
  const BlockedFormat format = *parse_blocked_format("OIhw8i16o2i");
  EXPECT_EQ(format.letters, "oihw");
  EXPECT_THAT(format.outer, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(format.blocks, ElementsAre(BlockedFormat::Block{1, 8}, BlockedFormat::Block{0, 16},
                                         BlockedFormat::Block{1, 2}));
  EXPECT_THAT(parse_blocked_format("acdb")->outer, ElementsAre(0, 2, 3, 1));
  EXPECT_THAT(parse_blocked_format("ldigo")->outer, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(parse_blocked_format("ldgoi")->outer, ElementsAre(0, 1, 3, 4, 2));
}

TEST(BlockedText, EveryNameOfOneDnnHasOneDnnsFormat) {
  int names = 0;
  int misnamed = 0;  // wrong in oneDNN: OhwI32o has no blocks of i, gIOhw2i8o16i2o has O outside I
  for (const std::string& line : project_lines("corpus/layouts/onednn_names.tsv")) {
    const std::vector<std::string> fields = absl::StrSplit(line, '\t');
    ASSERT_GE(fields.size(), 2) << line;
    const absl::StatusOr<BlockedFormat> named = parse_blocked_format(fields[0]);
    const absl::StatusOr<BlockedFormat> plain = parse_blocked_format(fields[1]);
    ASSERT_TRUE(plain.ok()) << fields[1] << ": " << plain.status();
    EXPECT_EQ(to_text(*plain), fields[1]);
    const bool same = named.ok() && plain_format(named->outer, named->blocks) == *plain;
    EXPECT_EQ(same, fields.size() == 2) << line << ": " << named.status();
    if (same) {
      EXPECT_EQ(to_text(*named), fields[0]);
    }
    (same ? names : misnamed) += 1;
  }
  std::cout << names << " names, " << misnamed << " misnamed\n";
  EXPECT_EQ(names, 471);
  EXPECT_EQ(misnamed, 4);
}

TEST(BlockedText, FormatsWithoutATextAreInvalid) {
  for (const int64_t outside : {-1, 2}) {
    EXPECT_FALSE(validate(BlockedFormat{"ab", {0, outside}, {}}).ok());
    EXPECT_FALSE(validate(BlockedFormat{"ab", {0, 1}, {{outside, 4}}}).ok());
  }
  EXPECT_TRUE(validate(plain_format({1, 0}, {{0, 4}})).ok());
  EXPECT_FALSE(validate(plain_format({1, 1}, {})).ok());
  EXPECT_FALSE(validate(plain_format({0, 2}, {})).ok());
  EXPECT_FALSE(validate(plain_format({0}, {{-1, 4}})).ok());
  EXPECT_FALSE(validate(plain_format({0}, {{0, 0}})).ok());
  EXPECT_FALSE(validate(plain_format({}, {})).ok());
  // Its text is cba, which parses as dimensions 2, 1, 0 of a, b, c.
  EXPECT_EQ(validate(BlockedFormat{"cba", {0, 1, 2}, {}}).message(),
            "expected a format whose text parses as the same format");
  EXPECT_FALSE(validate(BlockedShape{plain_format({0}, {}), ElementType::kToken, {1}}).ok());
}

}  // namespace
}  // namespace tileproof
