// SPDX-License-Identifier: Apache-2.0
// Failing inputs: run again, filed by cause, made smaller, gone.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "fuzz/campaign/parts.h"
#include "fuzz/campaign/running.h"

namespace tileproof::campaign {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostOfACause = 20;  // inputs kept of a finding

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

Finding* Campaign::finding_of(const std::string& target, const std::string& key) {
  const auto found = absl::c_find_if(summary_.findings, [&](const Finding& finding) {
    return finding.target == target && finding.key == key;
  });
  return found == summary_.findings.end() ? nullptr : &*found;
}

// Looks at the causes of earlier campaigns. Several bugs can have the same cause: it is gone only if
// none of its inputs fails. A failure for another cause is another finding.
void Campaign::look_at_known(const Turn& turn) {
  for (const fs::path& folder : folders_in(turn.at.folder / "found")) {
    if (over(turn.end)) return;
    const std::string key = folder.filename().string();
    std::vector<fs::path> inputs = files_in(folder);
    inputs.insert(inputs.begin(), turn.at.folder / "findings" / key);
    std::error_code error;
    bool is_open = false;
    for (size_t i = 0; i < inputs.size() && !is_open; ++i) {
      if (fs::exists(inputs[i], error)) look_at_failure(turn, inputs[i]);
      is_open = finding_of(turn.at.target.name, key) != nullptr || unclear_.contains(inputs[i]);
    }
    if (is_open) continue;
    note(turn, absl::StrCat("no longer fails: ",
                            regression_file(options_, turn.at.target, key).string()));
    fs::remove(folder, error);
  }
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

// Runs an input again and files it by its cause, sets it aside, or leaves it where it is.
void Campaign::look_at_failure(const Turn& turn, const fs::path& input) {
  std::error_code error;
  const std::string name = input.filename().string();
  const fs::path found = turn.at.folder / "found", aside = turn.at.folder / "aside";
  for (const Finding& finding : summary_.findings) {
    if (finding.target == turn.at.target.name && fs::exists(found / finding.key / name, error))
      return (void)fs::remove(input, error);
  }
  const absl::StatusOr<std::string> content = read_file(input);
  const Ended ended = replay(turn, input);
  if (const std::optional<Cause> cause = cause_of(ended.log); cause && content.ok()) {
    const std::string key = key_of(turn.at.target.name, *cause);
    const fs::path folder = found / key;
    const bool is_known = input == folder / name || name == key;
    if (!is_known && make_folder(folder).ok()) {  // moving needs no space
      if (files_in(folder).size() < kMostOfACause) fs::rename(input, folder / name, error);
      fs::remove(input, error);
    }
    file(turn, *cause, name, *content);
  } else if (ended.how == "status 0") {
    if (make_folder(aside).ok()) fs::rename(input, aside / name, error);
    if (input.parent_path() == found)
      note(turn, absl::StrCat("run again, ", name, " does not fail; moved to ", aside.string()));
  } else {
    unclear_.insert(input);
    note_death(turn, ended, input);
  }
}

// Files a failing input as a new finding, or as one more of a known one. There is no input if the
// disk is full, and it is long. The input that an earlier campaign made smaller has the key as its
// name.
void Campaign::file(const Turn& turn, const Cause& cause, const std::string& name,
                    const std::optional<std::string>& input) {
  const std::string key = key_of(turn.at.target.name, cause);
  const fs::path folder = turn.at.folder / "found" / key;
  std::error_code error;
  if (input && name != key && !fs::exists(folder / name, error) && make_folder(folder).ok() &&
      files_in(folder).size() < kMostOfACause)
    note_failure(turn, write_file(folder / name, *input));
  if (!input) note(turn, absl::StrCat(cause.text, ": its input could not be written"));
  Finding* finding = finding_of(turn.at.target.name, key);
  const bool is_news = finding == nullptr;
  if (is_news) {
    finding = &summary_.findings.emplace_back();
    finding->target = turn.at.target.name;
    finding->key = key;
    finding->cause = cause.text;
    finding->line = cause.line;
    finding->count = std::ssize(files_in(folder)) - 1;
  }
  finding->count = std::max<int64_t>(finding->count, 0) + 1;
  if (input && finding->input.empty()) take_input(turn, *finding, *input, cause.line);
  if (!is_news) return;
  finding->minimized = name == key;
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
    status = write_file(regression_file(options_, turn.at.target, finding.key),
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
  if (!cause) return;
  if (key_of(finding.target, *cause) != finding.key) return file(turn, *cause, finding.key, *input);
  take_input(turn, finding, *input, cause->line);
  finding.minimized = true;
}

}  // namespace tileproof::campaign
