// SPDX-License-Identifier: Apache-2.0
// Slices of time and merges: what libFuzzer does with a target.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "fuzz/campaign/files.h"
#include "fuzz/campaign/report.h"
#include "fuzz/campaign/running.h"

namespace tileproof::campaign {

namespace fs = std::filesystem;

namespace {

constexpr int64_t kWorthMerging = 200;  // inputs above twice those of the last merge

}  // namespace

std::string last_output(const Job& job) {
  absl::string_view last;
  for (const absl::string_view line :
       absl::StrSplit(job.child.output().log, '\n', absl::SkipWhitespace())) {
    last = line;
  }
  return last.empty() ? "" : absl::StrCat(": ", last.substr(0, 300));
}

void Campaign::finish_slice(size_t i, const Job& job) {
  const Output& output = job.child.output();
  const int64_t ran = job.child.age().count();
  count(i, output, ran);
  Standing& standing = standings_[i];
  standing.milliseconds += ran - job.planned.count();
  const std::optional<Cause> cause = cause_of(output.log);
  int64_t removed = 0;
  if (cause) {
    removed = failed(i, *cause, output);
  } else if (!job.child.limited() && job.child.how() != "status 0" && output.started) {
    note(absl::StrCat(target(i).name, ": ended with ", job.child.how().value_or("a kill"),
                      " and no message"));
  }
  if (output.edges_at_start) {
    credit(standing, output.features - output.features_at_start, ran);
    deaths_[i] = 0;
  } else if (removed > 0) {
    deaths_[i] = 0;  // an initial input was removed, so the next run gets further
  } else if (!over()) {
    // It did not finish its initial inputs.
    standing.milliseconds += 1000;
    if (job.child.limited() && output.started)
      note(absl::StrCat(target(i).name, ": it did not finish its initial inputs in ",
                        time_text(ran)));
    if (++deaths_[i] >= kMaxDeaths) leave(i, why_it_died(job, cause));
  }
  want_merge(i);
}

std::string Campaign::why_it_died(const Job& job, const std::optional<Cause>& cause) const {
  if (cause) return absl::StrCat("it fails on its initial inputs: ", cause->text);
  return absl::StrCat(
      "it ends before its first input, with ",
      job.child.limited() ? "no output in time" : job.child.how().value_or("a kill"),
      last_output(job));
}

void Campaign::count(size_t i, const Output& output, int64_t ran) {
  TargetState& known = state_of(summary_.state, target(i).name);
  TargetResult& now = result(i);
  known.executions += output.executions;
  known.milliseconds += ran;
  now.executions += output.executions;
  now.milliseconds += ran;
  now.new_inputs += output.new_inputs;
  if (!output.edges_at_start) return;
  if (now.edges_before < 0) now.edges_before = *output.edges_at_start;
  now.edges = std::max(now.edges, output.edges);
  now.features = std::max(now.features, output.features);
  const int64_t at = summary_.state.milliseconds + elapsed().count();
  if (known.samples.empty())
    add_sample(known, {at - ran, 0, *output.edges_at_start, output.features_at_start, 0});
  add_sample(known, {at, known.executions, output.edges, output.features,
                     count_files(location(i).folder / "kept")});
}

// Files a failure of a slice. Returns how many initial inputs were removed because they made it
// fail.
int64_t Campaign::failed(size_t i, const Cause& cause, const Output& output) {
  const fs::path artifact = output.artifacts.empty() ? "" : output.artifacts.back();
  int64_t removed = 0;
  if (const auto input = read_file(artifact); !output.edges_at_start && input.ok())
    removed = remove_input(location(i).folder, *input);
  const Finding* finding = file(i, cause, artifact, output.log);
  // The machine may have been busy, so run a timeout once more.
  if (finding != nullptr && is_timeout(*finding) && !finding->input.empty())
    tasks_.push_back({Task::Kind::kReplay, i, finding->key, options_.folder / finding->input});
  return removed;
}

void Campaign::want_merge(size_t i) {
  const int64_t kept = count_files(location(i).folder / "kept");
  const int64_t merged = state_of(summary_.state, target(i).name).merged;
  if (kept < 2 * merged + kWorthMerging || !standings_[i].open) return;
  standings_[i].open = false;  // until the merge is done
  tasks_.push_back(
      {Task::Kind::kMerge, i, "", location(i).folder / "scratch" / "merge" / "inputs"});
}

void Campaign::finish_merge(size_t i, const Job& job) {
  standings_[i].open = result(i).left.empty();
  standings_[i].milliseconds += job.child.age().count();
  TargetState& known = state_of(summary_.state, target(i).name);
  const fs::path kept = location(i).folder / "kept";
  const int64_t merged = count_files(job.task.file);
  Notes notes;
  if (job.child.how() == "status 0" && !job.child.limited() && merged > 0) {
    replace_kept(location(i).folder, job.task.file, notes);
    known.merged = merged;
  } else {
    known.merged = count_files(kept);  // do not try again at once
    if (!over()) {
      const std::string how = job.child.how().value_or("no time");
      notes.push_back(absl::StrCat("the kept inputs could not be minimized: ",
                                   how == "status 0" ? "nothing was written" : how,
                                   last_output(job)));
    }
  }
  // Also remove the control file: libFuzzer would continue from it with inputs that no longer
  // exist.
  std::error_code error;
  fs::remove_all(job.task.file.parent_path(), error);
  note_all(absl::StrCat(target(i).name, ": "), notes);
  look_at_unfiled(i);
}

}  // namespace tileproof::campaign
