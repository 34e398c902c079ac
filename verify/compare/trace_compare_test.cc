// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "corpus/files.h"
#include "corpus/paths.h"
#include "verify/compare/text_compare.h"

namespace tileproof::verify {
namespace {

constexpr int64_t kWork = 200'000;

// Splits a file at the lines // ----- and drops comments.
std::vector<std::string> texts_of(const std::string& file) {
  const std::string content = file_text(file);
  std::vector<std::string> texts;
  for (const absl::string_view part : absl::StrSplit(content, "// -----\n")) {
    std::string text;
    for (const absl::string_view line : absl::StrSplit(absl::StripSuffix(part, "\n"), '\n')) {
      if (!absl::StartsWith(line, "//")) absl::StrAppend(&text, line, "\n");
    }
    if (!text.empty()) texts.push_back(std::move(text));
  }
  return texts;
}

TEST(TraceCompare, EveryAcceptedTraceOfTheCorpusKeepsTheMeaning) {
  CaseCounts tally;
  for (const std::string& text : texts_of(project_path("corpus/maps/traces.txt"))) {
    EXPECT_EQ(trace_difference(text, kWork, tally), "") << text;
    ++tally["texts"];
  }
  EXPECT_GT(tally["read"], 0);
  EXPECT_GT(tally["texts"], tally["read"]);
}

}  // namespace
}  // namespace tileproof::verify
