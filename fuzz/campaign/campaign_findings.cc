// SPDX-License-Identifier: Apache-2.0
// Failing inputs: run again, filed by cause, made smaller, gone.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "fuzz/campaign/files.h"
#include "fuzz/campaign/input_text.h"
#include "fuzz/campaign/report.h"
#include "fuzz/campaign/running.h"

namespace tileproof::campaign {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostOfACause = 20;  // inputs kept of a finding

bool is_of(const Finding& finding, const std::optional<Cause>& cause) {
  return cause && key_of(finding.target, *cause) == finding.key;
}

// Making these smaller would take too long.
bool takes_long(const Finding& finding) {
  return absl::StartsWith(finding.cause, "timeout") ||
         absl::StartsWith(finding.cause, "out-of-memory");
}

}  // namespace

Ended Campaign::replay(const Turn& turn, const fs::path& input) {
  const auto limit = Clock::now() + std::chrono::seconds(turn.at.timeout) + Milliseconds(15'000);
  return wait_for(turn, "replay of ", replay_command(turn.at, input),
                  std::min(limit, std::max(turn.end, Clock::now()) + allowance()),
                  [](const Output&) { return true; });
}

void Campaign::look_at_findings(const Turn& turn) {
  const size_t known = summary_.state.findings.size();
  for (size_t i = 0; i < known && !over(turn.end); ++i) {
    Finding& finding = summary_.state.findings[i];
    if (finding.target == turn.at.target.name && !finding.input.empty()) look_at(turn, finding);
  }
}

// Several bugs can have the same cause: the finding is gone only if none of its inputs fails. A
// failure for another cause is another finding.
void Campaign::look_at(const Turn& turn, Finding& finding) {
  std::vector<fs::path> inputs = files_in(turn.at.folder / "found" / finding.key);
  inputs.insert(inputs.begin(), turn.at.folder / "findings" / finding.key);
  for (const fs::path& input : inputs) {
    const Ended ended = replay(turn, input);
    const std::optional<Cause> cause = cause_of(ended.log);
    const std::string content = read_file(input).value_or("");
    if (is_of(finding, cause)) {
      if (input != inputs.front()) take_input(turn, finding, content, cause->line);
      finding.gone = false;
      return minimize(turn, finding);
    }
    if (cause) {
      if (!finding.gone)
        note(turn, absl::StrCat(input.filename().string(), " now fails for another cause, ",
                                cause->text, ": ", finding.cause));
      file(turn, *cause, finding.key, content);
    } else if (ended.how != "status 0") {
      return note_death(turn, ended, input);
    }
  }
  if (!finding.gone) note(turn, absl::StrCat("no longer fails: ", finding.cause));
  finding.gone = true;
}

// The program neither reported a failure nor finished: perhaps a library or memory is missing. So
// nothing is known about the input. If the time was over, say nothing: the next campaign tries
// again.
void Campaign::note_death(const Turn& turn, const Ended& ended, const fs::path& input) {
  if (!ended.how && over(turn.end)) return;
  note(turn, absl::StrCat("run again, it ended with ", why(ended), ": ", input.string(),
                          " still counts until it runs to its end"));
}

// Looks at failing inputs that libFuzzer wrote at least `age` ago: it may still be writing the
// others. Returns whether there are any.
bool Campaign::look_at_failures(const Turn& turn, Milliseconds age) {
  const std::vector<fs::path> inputs = files_in(turn.at.folder / "found");
  for (const fs::path& input : inputs) {
    if (over(std::max(turn.end, Clock::now() - Milliseconds(1)) + allowance())) break;
    std::error_code error;
    const auto written = fs::last_write_time(input, error);
    if (fs::file_time_type::clock::now() - written >= age && !unclear_.contains(input))
      look_at_failure(turn, input);
  }
  return !inputs.empty();
}

void Campaign::look_at_failure(const Turn& turn, const fs::path& input) {
  std::error_code error;
  const std::string name = input.filename().string();
  for (const Finding& finding : summary_.state.findings) {
    const fs::path known = turn.at.folder / "found" / finding.key / name;
    if (!finding.gone && fs::exists(known, error)) return (void)fs::remove(input, error);
  }
  const absl::StatusOr<std::string> content = read_file(input);
  const Ended ended = replay(turn, input);
  if (const std::optional<Cause> cause = cause_of(ended.log); cause && content.ok()) {
    file(turn, *cause, name, *content);
    fs::remove(input, error);
  } else if (ended.how == "status 0") {
    const fs::path aside = turn.at.folder / "aside";
    if (make_folder(aside).ok()) fs::rename(input, aside / name, error);
    note(turn, absl::StrCat("run again, ", name, " does not fail; moved to ", aside.string()));
  } else {
    unclear_.insert(input);
    note_death(turn, ended, input);
  }
}

// Files a failing input as a new finding, or as one more of a known one. A finding that no longer
// failed gets this input instead of its old one. There is no input if the disk is full, and it is
// long.
void Campaign::file(const Turn& turn, const Cause& cause, const std::string& name,
                    const std::optional<std::string>& input) {
  const std::string key = key_of(turn.at.target.name, cause);
  const fs::path folder = turn.at.folder / "found" / key;
  std::error_code error;
  Finding* finding = finding_of(summary_.state, turn.at.target.name, key);
  if (finding != nullptr && !finding->gone && fs::exists(folder / name, error)) return;
  const bool is_news = finding == nullptr || finding->gone;
  if (finding == nullptr) {
    finding = &summary_.state.findings.emplace_back();
    finding->target = turn.at.target.name;
    finding->key = key;
    finding->cause = cause.text;
    finding->seen = absl::FormatTime(absl::RFC3339_sec, absl::Now(), absl::UTCTimeZone());
  }
  ++finding->count;
  finding->gone = false;
  if (is_news) finding->line = cause.line;
  if (!input) {
    note(turn, absl::StrCat(cause.text, ": its input could not be written"));
  } else if (is_news || finding->input.empty()) {
    take_input(turn, *finding, *input, cause.line);
  }
  if (input && make_folder(folder).ok() && files_in(folder).size() < kMostOfACause)
    note_failure(turn, write_file(folder / name, *input));
  save();
  if (!is_news) return;
  if (options_.happened) options_.happened(absl::StrCat(finding->target, ": ", finding->line));
  minimize(turn, *finding);
}

// Makes this the input of the finding, and writes it as a regression.
void Campaign::take_input(const Turn& turn, Finding& finding, const std::string& input,
                          const std::string& line) {
  finding.line = line;
  finding.minimized = false;
  absl::Status status = write_file(turn.at.folder / "findings" / finding.key, input);
  if (status.ok()) {
    finding.input = (fs::path(finding.target) / "findings" / finding.key).string();
    status = write_file(regression_file(options_, turn.at.target, finding),
                        regression_of(turn.at.target, input, line, replay_line(options_, finding)));
  }
  note_failure(turn, status);
}

void Campaign::minimize(const Turn& turn, Finding& finding) {
  if (finding.minimized || finding.input.empty() || takes_long(finding) ||
      over(turn.end + allowance())) {
    return;
  }
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(allowance()).count();
  wait_for(turn, "minimizing ", minimize_command(turn.at, finding.key, seconds),
           Clock::now() + 2 * allowance(), [](const Output&) { return true; });
  if (conform::Signals::received() != 0) return;
  finding.minimized = true;
  const fs::path smaller = turn.at.folder / "scratch" / finding.key;
  const absl::StatusOr<std::string> input = read_file(smaller);
  if (!input.ok()) return;  // it is as small as possible
  const std::optional<Cause> cause = cause_of(replay(turn, smaller).log);
  if (is_of(finding, cause)) {
    take_input(turn, finding, *input, cause->line);
    finding.minimized = true;
  } else if (cause) {
    file(turn, *cause, finding.key, *input);
  }
}

}  // namespace tileproof::campaign
