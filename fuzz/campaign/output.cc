// SPDX-License-Identifier: Apache-2.0
#include "fuzz/campaign/output.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "fuzz/campaign/cause.h"

namespace tileproof::campaign {
namespace {

constexpr size_t kMaxLog = 64 * 1024;
constexpr size_t kMaxBefore = 8 * 1024;      // of the log before a failure
constexpr size_t kMaxBeginning = 24 * 1024;  // of the failure
constexpr absl::string_view kWritten = "Test unit written to ";
constexpr absl::string_view kExecuted = "stat::number_of_executed_units:";

// "#1234 NEW cov: 812 .."
bool read_progress(absl::string_view line, Output& output) {
  if (line.size() < 2 || line[0] != '#' ||
      !absl::ascii_isdigit(static_cast<unsigned char>(line[1]))) {
    return false;
  }
  const std::vector<absl::string_view> words =
      absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
  int64_t executions;
  if (words.size() < 2 || !absl::SimpleAtoi(words[0].substr(1), &executions)) return false;
  output.executions = std::max(output.executions, executions);
  output.started = true;
  for (size_t i = 2; i + 1 < words.size(); ++i) {
    int64_t value;
    if (!absl::SimpleAtoi(words[i + 1], &value)) continue;
    if (words[i] == "cov:") output.edges = value;
    if (words[i] == "ft:") output.features = value;
  }
  if (words[1] == "INITED") {
    output.edges_at_start = output.edges;
    output.features_at_start = output.features;
  }
  output.new_inputs += words[1] == "NEW" ? 1 : 0;
  return true;
}

void add_to_log(absl::string_view line, Output& output) {
  std::string& log = output.log;
  if (!output.failing && reports_failure(line)) {
    output.failing = true;
    if (log.size() > kMaxBefore) log.erase(0, log.size() - kMaxBefore);
  }
  absl::StrAppend(&log, line, "\n");
  if (log.size() <= kMaxLog) return;
  // Cut a quarter more than necessary, so that not every line moves the rest.
  const size_t kept = output.failing ? kMaxBefore + kMaxBeginning : 0;
  log.erase(kept, log.size() - kMaxLog * 3 / 4);
}

}  // namespace

void read_line(absl::string_view line, Output& output) {
  if (read_progress(line, output)) return;
  if (absl::StartsWith(line, kExecuted)) {
    int64_t executions;
    if (absl::SimpleAtoi(absl::StripAsciiWhitespace(line.substr(kExecuted.size())), &executions))
      output.executions = std::max(output.executions, executions);
    return;
  }
  const size_t written = line.find(kWritten);
  if (written != absl::string_view::npos) {
    output.artifacts.emplace_back(
        absl::StripAsciiWhitespace(line.substr(written + kWritten.size())));
  }
  add_to_log(line, output);
}

}  // namespace tileproof::campaign
