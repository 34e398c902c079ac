// SPDX-License-Identifier: Apache-2.0
// Runs every parser on texts of the corpus that were cut, or lost or changed one byte. The parser
// must accept or name the position of an error. raw_campaign tries many more.
#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/escaping.h"
#include "fuzz/raw/raw_parsers.h"
#include "generate/choose/choose.h"

namespace tileproof::verify {
namespace {

constexpr size_t kTexts = 24;     // of each parser, evenly spread
constexpr size_t kLongest = 200;  // a text is changed only in its first bytes

TEST(RawTexts, ChangedAtEachByteAreAcceptedOrRejectedWithAPosition) {
  for (const RawParser& parser : raw_parsers()) {
    int64_t texts = 0, accepted = 0;
    const auto expect_all_is_well = [&](const std::string& text) {
      bool read = false;
      EXPECT_EQ(parser.check(text, read), "") << parser.name << " $'" << absl::CEscape(text) << "'";
      ++texts;
      accepted += read;
    };
    const size_t step = std::max<size_t>(parser.texts.size() / kTexts, 1);
    for (size_t i = 0; i < parser.texts.size(); i += step) {
      const std::string& text = parser.texts[i];
      Choose choose(Choose::Random{i});
      for (size_t at = 0; at < std::min(text.size(), kLongest); ++at) {
        const std::string before = text.substr(0, at), after = text.substr(at + 1);
        expect_all_is_well(before);
        expect_all_is_well(before + after);
        expect_all_is_well(before + "@" + after);
        expect_all_is_well(before + choose.pick(parser.words) + text.substr(at));
        expect_all_is_well(before + choose.pick(numbers_at_limits()) + after);
      }
    }
    EXPECT_GT(texts, 400) << parser.name;
    EXPECT_GT(accepted, 5) << parser.name;
    EXPECT_LT(accepted, texts) << parser.name;
  }
}

}  // namespace
}  // namespace tileproof::verify
