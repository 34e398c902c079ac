// SPDX-License-Identifier: Apache-2.0
// Findings: filed, made smaller, replayed, gone.
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "fuzz/campaign/files.h"
#include "fuzz/campaign/running.h"

namespace tileproof::campaign {

namespace fs = std::filesystem;

namespace {

bool is_smaller(const Task& task) { return task.file.extension() == ".min"; }

// The program ran all of its inputs and found nothing.
bool ran_to_its_end(const Job& job) {
  return job.child.how() == "status 0" && !job.child.limited();
}

}  // namespace

// Files a failure. Returns the finding if it is new or was gone, else null.
const Finding* Campaign::file(size_t i, const Cause& cause, const fs::path& artifact,
                              absl::string_view log) {
  Notes notes;
  const Finding* finding = nullptr;
  if (file_failure(location(i), cause, artifact, log, summary_.state, notes)) {
    finding = finding_of(summary_.state, target(i).name, key_of(target(i).name, cause));
    if (options_.happened) options_.happened(absl::StrCat(target(i).name, ": ", finding->line));
    minimize(i, *finding);
  }
  note_all("", notes);
  return finding;
}

void Campaign::minimize(size_t i, const Finding& finding) {
  if (finding.minimized || finding.gone || !can_be_minimized(finding)) return;
  tasks_.push_back({Task::Kind::kMinimize, i, finding.key,
                    location(i).folder / "scratch" / absl::StrCat(finding.key, ".min")});
}

void Campaign::finish_replay(size_t i, const Job& job) {
  const std::optional<Cause> cause = cause_of(job.child.output().log);
  if (cause) return fails_again(i, job, *cause);
  if (!ran_to_its_end(job)) return dies_again(i, job);
  const Task& task = job.task;
  if (task.key.empty()) return set_aside(i, task.file);
  Finding& finding = *finding_of(summary_.state, target(i).name, task.key);
  if (is_smaller(task)) {
    finding.minimized = true;  // as small as possible
    return;
  }
  does_not_happen(i, finding, task.file);
}

// Several bugs can have the same cause: the finding is gone only if none of its inputs fails.
void Campaign::does_not_happen(size_t i, Finding& finding, const fs::path& input) {
  if (finding.gone) return;
  if (const std::optional<fs::path> next = next_input(i, finding, input)) {
    tasks_.push_back({Task::Kind::kReplay, i, finding.key, *next});
    return;
  }
  finding.gone = true;
  note(absl::StrCat(target(i).name, ": no longer fails: ", finding.cause));
}

// Returns the next input of a finding after this one. The input in findings/ is the first.
std::optional<fs::path> Campaign::next_input(size_t i, const Finding& finding,
                                             const fs::path& input) const {
  const fs::path found = location(i).folder / "found";
  bool after = input.parent_path() != found;
  for (const std::string& name : finding.artifacts) {
    std::error_code error;
    if (after && fs::exists(found / name, error)) return found / name;
    after = after || name == input.filename();
  }
  return std::nullopt;
}

// A finding still counts if its input fails for the same cause. A failure for another cause is
// another finding.
void Campaign::fails_again(size_t i, const Job& job, const Cause& cause) {
  const Task& task = job.task;
  if (task.key.empty()) {
    file(i, cause, task.file, job.child.output().log);
    return;
  }
  Finding& finding = *finding_of(summary_.state, target(i).name, task.key);
  const bool same = key_of(target(i).name, cause) == finding.key;
  if (is_smaller(task)) {
    if (same) take_input(i, finding, task.file, cause);
    finding.minimized = true;
  } else if (same) {
    const bool first = task.file == options_.folder / finding.input;
    if (!first && take_input(i, finding, task.file, cause)) finding.minimized = false;
    finding.gone = false;
    minimize(i, finding);
  } else {
    if (!finding.gone) {
      note(absl::StrCat(target(i).name, ": ", task.file.filename().string(),
                        " now fails for another cause, ", cause.text, ": ", finding.cause));
    }
    does_not_happen(i, finding, task.file);
  }
  if (!same) file_as_another(i, job, cause);
}

// Makes the file the input of the finding. Returns whether it could be read.
bool Campaign::take_input(size_t i, Finding& finding, const fs::path& file, const Cause& cause) {
  const absl::StatusOr<std::string> input = read_file(file);
  if (!input.ok()) return false;
  Notes notes;
  finding.line = cause.line;
  write_finding(location(i), finding, *input, notes);
  note_all("", notes);
  return true;
}

// Files the input of the job under the cause for which it fails now.
void Campaign::file_as_another(size_t i, const Job& job, const Cause& cause) {
  const std::string key = key_of(target(i).name, cause);
  const std::string name = absl::StrCat(job.task.key, "-", key);
  const Finding* known = finding_of(summary_.state, target(i).name, key);
  if (known != nullptr && !known->gone && absl::c_linear_search(known->artifacts, name)) return;
  const fs::path kept = location(i).folder / "found" / name;
  std::error_code error;
  fs::copy_file(job.task.file, kept, fs::copy_options::overwrite_existing, error);
  file(i, cause, error ? fs::path() : kept, job.child.output().log);
}

// The program neither reported a failure nor finished: perhaps a library or memory is missing. So
// nothing is known about the input. If the time was over, say nothing: the next campaign tries
// again.
void Campaign::dies_again(size_t i, const Job& job) {
  if (job.child.limited() && over()) return;
  const std::string how =
      job.child.limited() ? "no output in time" : job.child.how().value_or("a kill");
  note(absl::StrCat(target(i).name, ": run again, it ended with ", how, last_output(job), ": ",
                    job.task.file.string(), " still counts until it runs to its end"));
}

void Campaign::set_aside(size_t i, const fs::path& input) {
  const fs::path aside = location(i).folder / "aside";
  std::error_code error;
  if (make_folder(aside).ok()) fs::rename(input, aside / input.filename(), error);
  note(absl::StrCat(target(i).name, ": run again, ", input.filename().string(),
                    " does not fail; moved to ", aside.string()));
}

void Campaign::finish_minimize(size_t i, const Job& job) {
  std::error_code error;
  if (fs::exists(job.task.file, error)) {
    tasks_.push_back({Task::Kind::kReplay, i, job.task.key, job.task.file});
  } else if (!over()) {
    finding_of(summary_.state, target(i).name, job.task.key)->minimized = true;
  }
}

}  // namespace tileproof::campaign
