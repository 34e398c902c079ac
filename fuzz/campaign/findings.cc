// SPDX-License-Identifier: Apache-2.0
#include "fuzz/campaign/findings.h"

#include <algorithm>
#include <ctime>
#include <system_error>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "conform/protocol/json.h"
#include "fuzz/campaign/files.h"
#include "fuzz/campaign/input_text.h"

namespace tileproof::campaign {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxArtifacts = 20;
constexpr absl::string_view kBase64 = "Base64: ";

// Returns the input that libFuzzer printed; it prints short ones.
std::optional<std::string> printed_input(absl::string_view log) {
  const size_t at = log.find(kBase64);
  if (at == absl::string_view::npos) return std::nullopt;
  absl::string_view text = log.substr(at + kBase64.size());
  std::string input;
  if (!absl::Base64Unescape(absl::StripAsciiWhitespace(text.substr(0, text.find('\n'))), &input))
    return std::nullopt;
  return input;
}

}  // namespace

Finding* finding_of(State& state, const std::string& target, const std::string& key) {
  const auto found = absl::c_find_if(state.findings, [&](const Finding& finding) {
    return finding.target == target && finding.key == key;
  });
  return found == state.findings.end() ? nullptr : &*found;
}

bool file_failure(const TargetLocation& location, const Cause& cause, const fs::path& artifact,
                  absl::string_view log, State& state, Notes& notes) {
  const std::string key = key_of(location.target.name, cause);
  Finding* finding = finding_of(state, location.target.name, key);
  const bool is_news = finding == nullptr || finding->gone;
  if (finding == nullptr) {
    state.findings.push_back({});
    finding = &state.findings.back();
    finding->target = location.target.name;
    finding->key = key;
    finding->cause = cause.text;
    finding->seen = absl::FormatTime(absl::RFC3339_sec, absl::Now(), absl::UTCTimeZone());
  }
  ++finding->count;
  finding->gone = false;
  // The old input of a finding that was gone no longer fails; this one does.
  if (is_news || finding->input.empty()) {
    finding->line = cause.line;
    absl::StatusOr<std::string> input = absl::NotFoundError("its input could not be written");
    if (!artifact.empty()) input = read_file(artifact);
    if (const auto printed = printed_input(log); !input.ok() && printed) input = *printed;
    if (input.ok()) {
      finding->minimized = false;
      write_finding(location, *finding, *input, notes);
    } else {
      notes.push_back(absl::StrCat(location.target.name, ": ", cause.text, ": ",
                                   std::string(input.status().message())));
    }
  }
  const std::string name = artifact.filename().string();
  // Names by libFuzzer are plain. The state file cannot hold others.
  const bool plain = !name.empty() && conform::shown(name, name.size()) == name;
  if (plain && !absl::c_linear_search(finding->artifacts, name)) {
    std::error_code error;
    if (finding->artifacts.size() < kMaxArtifacts) {
      finding->artifacts.push_back(name);
    } else {
      fs::remove(artifact, error);
    }
  }
  return is_news;
}

void write_finding(const TargetLocation& location, Finding& finding, const std::string& input,
                   Notes& notes) {
  absl::Status status = write_file(location.folder / "findings" / finding.key, input);
  if (status.ok()) {
    finding.input = (fs::path(location.target.name) / "findings" / finding.key).string();
    status = write_file(
        regression_file(location, finding),
        regression_of(location.target, input, finding.line, replay_line(location, finding)));
  }
  if (!status.ok()) notes.emplace_back(status.message());
}

std::string replay_line(const TargetLocation& location, const Finding& finding) {
  return absl::StrCat(location.program.string(), " ",
                      (location.folder / "findings" / finding.key).string());
}

fs::path regression_file(const TargetLocation& location, const Finding& finding) {
  const fs::path form = location.target.regressions.file;
  return location.folder / "regressions" / absl::StrCat(finding.key, form.extension().string());
}

std::vector<fs::path> unfiled(const TargetLocation& location, const State& state) {
  std::vector<fs::path> files = files_in(location.folder / "found");
  std::erase_if(files, [&](const fs::path& file) {
    return absl::c_any_of(state.findings, [&](const Finding& finding) {
      return finding.target == location.target.name &&
             absl::c_linear_search(finding.artifacts, file.filename().string());
    });
  });
  return files;
}

bool is_timeout(const Finding& finding) { return absl::StartsWith(finding.cause, "timeout"); }

bool can_be_minimized(const Finding& finding) {
  return !finding.input.empty() && !is_timeout(finding) &&
         !absl::StartsWith(finding.cause, "out-of-memory");
}

}  // namespace tileproof::campaign
