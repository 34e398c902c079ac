// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/error_text.h"

#include <cstdint>

#include "absl/strings/string_view.h"
#include "cli/verbs/time_text.h"
#include "gtest/gtest.h"

namespace tileproof::cli {
namespace {

TEST(ErrorText, APlaceAndWhatWasExpected) {
  EXPECT_EQ(error_parts("LEFT: column 9: expected ')' to close the tile, found '}'"),
            (ErrorParts{std::nullopt, 9, "')' to close the tile", "'}'", ""}));
  EXPECT_EQ(error_parts("map: line 3, column 12: expected an opcode, found 'transpsoe'; did you "
                        "mean 'transpose'?"),
            (ErrorParts{3, 12, "an opcode", "'transpsoe'", "did you mean 'transpose'?"}));
  EXPECT_EQ(error_parts("no file"), ErrorParts());
  EXPECT_EQ(error_parts("line x, column 3: no"), (ErrorParts{}));
  EXPECT_EQ(error_parts("column : expected one"),
            (ErrorParts{std::nullopt, std::nullopt, "one", "", ""}));
}

TEST(ErrorText, JsonHasWhatTheMessageSays) {
  EXPECT_EQ(to_text(error_json("equiv: LEFT: column 2: expected a, found b")),
            R"({"error":{"message":"equiv: LEFT: column 2: expected a, found b","column":2,)"
            R"("expected":"a","found":"b"}})");
  EXPECT_EQ(to_text(error_json("no file")), R"({"error":{"message":"no file"}})");
}

TEST(ErrorText, ThePlaceInAFile) {
  EXPECT_EQ(in_file("LEFT: line 3, column 2: expected a", "ci/b.hlo"),
            "LEFT: ci/b.hlo:3:2: expected a");
  EXPECT_EQ(in_file("column 9: expected a: b", "x"), "x:1:9: expected a: b");
  EXPECT_EQ(in_file("expected one module", "x"), "expected one module");
}

TEST(ErrorText, TheCaretIsUnderThePlace) {
  EXPECT_EQ(caret_lines("f32[8,}", "column 7: expected an integer"), "  f32[8,}\n        ^\n");
  EXPECT_EQ(caret_lines("a\nbc\nd", "line 2, column 2: no"), "  bc\n   ^\n");
  EXPECT_EQ(caret_lines("ab", "column 3: expected more, found end of input"), "  ab\n    ^\n");
  EXPECT_EQ(caret_lines("a\tb", "column 3: no"), "  a b\n    ^\n");
  EXPECT_EQ(caret_lines("\xc3\xa4x", "column 3: no"), "  \xc3\xa4x\n   ^\n");
}

TEST(ErrorText, NoCaretWithoutAPlaceInTheText) {
  EXPECT_EQ(caret_lines("ab", "no place"), "");
  EXPECT_EQ(caret_lines("ab", "column 4: behind the end"), "");
  EXPECT_EQ(caret_lines("ab", "line 2, column 1: no such line"), "");
  EXPECT_EQ(caret_lines("", "column 1: expected a shape, found end of input"), "");
}

TEST(ErrorText, ALongLineIsCutAroundThePlace) {
  const std::string text = std::string(500, 'a') + "!" + std::string(500, 'b');
  const std::string drawn = caret_lines(text, "column 501: no");
  EXPECT_EQ(drawn.find('!'), drawn.find('^') - drawn.find('\n') - 1);
  EXPECT_LT(drawn.size(), 200);
}

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
