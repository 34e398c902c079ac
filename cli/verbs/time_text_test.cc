// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/time_text.h"

#include <cstdint>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace tileproof::cli {
namespace {

// The milliseconds, or -1 for an error.
int64_t read(absl::string_view text, BareTime bare) {
  const absl::StatusOr<std::chrono::milliseconds> time = read_time(text, bare);
  return time.ok() ? time->count() : -1;
}

TEST(TimeText, ReadsUnits) {
  for (const BareTime bare : {BareTime::kMilliseconds, BareTime::kSeconds}) {
    EXPECT_EQ(read("500ms", bare), 500);
    EXPECT_EQ(read("5s", bare), 5'000);
    EXPECT_EQ(read("2m", bare), 120'000);
    EXPECT_EQ(read("2min", bare), 120'000);
    EXPECT_EQ(read("48h", bare), 172'800'000);
    EXPECT_EQ(read("999999999h", bare), 3'599'999'996'400'000);
    for (const char* wrong :
         {"", "s", "-1s", "+1", "1.5s", "5 s", " 5", "5d", "5S", "5sec", "0x5", "1000000000"}) {
      EXPECT_EQ(read(wrong, bare), -1) << wrong;
    }
  }
}

TEST(TimeText, TheUnitOfANumberAloneDependsOnTheOption) {
  EXPECT_EQ(read("300", BareTime::kMilliseconds), 300);
  EXPECT_EQ(read("300", BareTime::kSeconds), 300'000);
  EXPECT_EQ(read("0", BareTime::kSeconds), 0);
}

}  // namespace
}  // namespace tileproof::cli
