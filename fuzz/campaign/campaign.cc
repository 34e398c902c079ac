// SPDX-License-Identifier: Apache-2.0
#include "fuzz/campaign/campaign.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "conform/protocol/json.h"
#include "conform/protocol/signals.h"
#include "fuzz/campaign/commands.h"
#include "fuzz/campaign/files.h"
#include "fuzz/campaign/findings.h"
#include "fuzz/campaign/running.h"
#include "fuzz/campaign/schedule.h"
#include "spec/lang/base/try.h"

namespace tileproof::campaign {
namespace {

namespace fs = std::filesystem;

constexpr Milliseconds kShortest(300);       // in less time, do not start a process
constexpr Milliseconds kSliceGrace(15'000);  // time to start and to end a slice
constexpr uintmax_t kLowSpace = 32 << 20;    // bytes

}  // namespace

Summary Campaign::run() {
  ++summary_.state.campaigns;
  for (size_t i = 0; i < options_.targets.size(); ++i) begin_target(i);
  save();
  while (step()) std::this_thread::sleep_for(Milliseconds(20));
  for (size_t i = 0; i < options_.targets.size(); ++i) end_target(i);
  save();
  summary_.time = elapsed();
  summary_.state.milliseconds += summary_.time.count();
  summary_.interrupted = conform::Signals::received() != 0;
  return std::move(summary_);
}

void Campaign::note(const std::string& said) {
  const std::string text = conform::shown(said, 4096);  // it may contain names of files
  if (!reported_.insert(text).second) return;
  summary_.notes.push_back(text);
  if (options_.happened) options_.happened(text);
}

TargetLocation Campaign::location(size_t i) const {
  // A short campaign cannot wait long for one input.
  const int64_t timeout = std::clamp<int64_t>(options_.time.count() / 4000, 2, kInputSeconds);
  return {target(i), options_.programs / absl::StrCat(target(i).name, "_fuzzer"),
          options_.folder / target(i).name, timeout};
}

void Campaign::note_all(const std::string& about, const Notes& notes) {
  for (const std::string& text : notes) note(absl::StrCat(about, text));
}

void Campaign::leave(size_t i, const std::string& why) {
  standings_[i].open = false;
  result(i).left = why;
  note(absl::StrCat(target(i).name, " is skipped from now on: ", why));
}

void Campaign::begin_target(size_t i) {
  summary_.targets.push_back({});
  result(i).name = target(i).name;
  standings_[i].before = state_of(summary_.state, target(i).name).milliseconds;
  const TargetLocation at = location(i);
  std::vector<std::string> failing;
  for (const Finding& finding : summary_.state.findings) {
    if (finding.target != target(i).name || finding.gone || finding.input.empty()) continue;
    std::vector<fs::path> inputs = {options_.folder / finding.input};
    for (const std::string& name : finding.artifacts) inputs.push_back(at.folder / "found" / name);
    for (const fs::path& file : inputs) {
      if (const auto input = read_file(file); input.ok()) failing.push_back(*input);
    }
  }
  Notes notes;
  prepare(target(i), at.folder, options_.corpus, failing, notes);
  note_all(absl::StrCat(target(i).name, ": "), notes);
  if (::access(at.program.c_str(), X_OK) != 0) {
    return leave(i, absl::StrCat("there is no program ", at.program.string(),
                                 "; build it: cmake --preset fuzz && cmake --build --preset fuzz"));
  }
  for (const Finding& finding : summary_.state.findings) {
    if (finding.target != target(i).name || finding.input.empty()) continue;
    tasks_.push_back({Task::Kind::kReplay, i, finding.key, options_.folder / finding.input});
  }
  look_at_unfiled(i);
}

void Campaign::look_at_unfiled(size_t i) {
  for (const fs::path& file : unfiled(location(i), summary_.state)) {
    const bool known =
        absl::c_any_of(tasks_, [&](const Task& task) { return task.file == file; }) ||
        absl::c_any_of(jobs_, [&](const Job& job) { return job.task.file == file; });
    if (!known) tasks_.push_back({Task::Kind::kReplay, i, "", file});
  }
}

void Campaign::end_target(size_t i) {
  result(i).inputs = count_files(location(i).folder / "kept");
  summary_.waiting += std::ssize(unfiled(location(i), summary_.state));
  if (result(i).executions == 0 && result(i).left.empty())
    note(absl::StrCat(target(i).name, ": there was no time for a run"));
}

// Finishes jobs that ended and starts new ones. Returns false when the campaign is over.
bool Campaign::step() {
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    if (!job->child.poll()) {
      ++job;
      continue;
    }
    const Job gone = std::move(*job);
    job = jobs_.erase(job);
    finish(gone);
    save();
  }
  if (over()) {
    if (!std::exchange(ending_, true)) {
      for (Job& job : jobs_) job.child.interrupt();
    }
  } else {
    while (std::ssize(jobs_) < options_.jobs && start_one()) {
    }
  }
  report_progress();
  return !jobs_.empty();
}

bool Campaign::start_one() {
  if (left() < kShortest) return false;
  const auto task = absl::c_find_if(tasks_, [this](const Task& t) { return can_start(t); });
  if (task != tasks_.end()) {
    const Task chosen = std::move(*task);
    tasks_.erase(task);
    start(chosen);
    return true;
  }
  const std::optional<size_t> turn = next_target(standings_);
  if (!turn) return false;
  start({Task::Kind::kSlice, *turn});
  return true;
}

// A merge must be alone on its target.
bool Campaign::can_start(const Task& task) const {
  return task.kind != Task::Kind::kMerge ||
         absl::c_none_of(jobs_, [&](const Job& job) { return job.task.target == task.target; });
}

int64_t Campaign::seconds_of_slice() const {
  const int64_t share = options_.time.count() * options_.jobs / 2000 /
                        std::max<int64_t>(1, std::ssize(options_.targets));
  return std::clamp<int64_t>(share, 1, 300);
}

void Campaign::start(const Task& task) {
  const TargetLocation at = location(task.target);
  const int64_t seconds_left = std::max<int64_t>(1, left().count() / 1000);
  int64_t seconds = at.timeout;
  Command command;
  switch (task.kind) {
    case Task::Kind::kSlice:
      seconds = std::min(seconds_of_slice(), seconds_left);
      command = slice_command(at, seconds);
      break;
    case Task::Kind::kMerge: {
      seconds = std::min<int64_t>(600, seconds_left);
      if (const absl::Status status = make_folder(task.file); !status.ok())
        return cannot_start(task, status);
      command = merge_command(at, task.file);
      break;
    }
    case Task::Kind::kReplay:
      command = replay_command(at, task.file);
      break;
    case Task::Kind::kMinimize: {
      seconds = std::clamp<int64_t>(options_.time.count() / 20'000, 2, 60);
      const Finding* finding = finding_of(summary_.state, target(task.target).name, task.key);
      command = minimize_command(at, options_.folder / finding->input, task.file,
                                 std::min(seconds, seconds_left));
      break;
    }
  }
  const Milliseconds planned(seconds * 1000);
  const Clock::time_point limit =
      std::min(deadline_, Clock::now() + planned + kSliceGrace + Milliseconds(at.timeout * 1000));
  absl::StatusOr<Child> child = Child::start(command, limit);
  if (!child.ok()) return cannot_start(task, child.status());
  if (task.kind == Task::Kind::kSlice) standings_[task.target].milliseconds += planned.count();
  jobs_.push_back({task, *std::move(child), planned});
}

// For example, the disk is full or there are too many processes.
void Campaign::cannot_start(const Task& task, const absl::Status& status) {
  note(absl::StrCat(target(task.target).name, ": ", status.message()));
  if (task.kind == Task::Kind::kMerge) {
    standings_[task.target].open = true;
    state_of(summary_.state, target(task.target).name).merged =
        count_files(location(task.target).folder / "kept");
  } else if (++deaths_[task.target] >= kMaxDeaths) {
    leave(task.target, "it cannot be started");
  }
}

void Campaign::finish(const Job& job) {
  const size_t i = job.task.target;
  switch (job.task.kind) {
    case Task::Kind::kSlice:
      return finish_slice(i, job);
    case Task::Kind::kMerge:
      return finish_merge(i, job);
    case Task::Kind::kReplay:
      return finish_replay(i, job);
    case Task::Kind::kMinimize:
      return finish_minimize(i, job);
  }
}

void Campaign::save() {
  State state = summary_.state;
  state.milliseconds += elapsed().count();
  const absl::Status status = write_state(options_.folder / "state.json", state);
  if (!status.ok()) note(absl::StrCat(status.message(), "; the campaign goes on without a record"));
  summary_.recorded = status.ok();
  std::error_code error;
  const fs::space_info space = fs::space(options_.folder, error);
  if (!error && space.available < kLowSpace)
    note(absl::StrCat("the disk of ", options_.folder.string(),
                      " is nearly full: new inputs may be lost"));
}

void Campaign::report_progress() {
  const Clock::time_point now = Clock::now();
  if (!options_.progress || now - reported_at_ < Milliseconds(500)) return;
  reported_at_ = now;
  Progress progress;
  progress.left = std::max(Milliseconds(0), left());
  for (const TargetResult& one : summary_.targets) {
    progress.executions += one.executions;
    progress.edges += one.edges;
    progress.new_edges +=
        std::max<int64_t>(0, one.edges - one.edges_before) * (one.edges_before >= 0);
    progress.new_inputs += one.new_inputs;
  }
  for (const Job& job : jobs_) {
    const std::string& name = target(job.task.target).name;
    progress.executions += job.child.output().executions;
    progress.running.push_back(
        job.task.kind == Task::Kind::kMerge      ? absl::StrCat("merge of ", name)
        : job.task.kind == Task::Kind::kReplay   ? absl::StrCat("replay of ", name)
        : job.task.kind == Task::Kind::kMinimize ? absl::StrCat("minimizing ", name)
                                                 : name);
  }
  progress.findings = open_findings(summary_);
  recent_.emplace_back(now, progress.executions);
  if (recent_.size() > 60) recent_.pop_front();
  const double seconds = std::chrono::duration<double>(now - recent_.front().first).count();
  const int64_t more = progress.executions - recent_.front().second;
  progress.per_second = seconds > 0 ? std::max(0.0, static_cast<double>(more) / seconds) : 0;
  options_.progress(progress);
}

absl::StatusOr<Summary> run(const Options& options) {
  const conform::Signals signals;
  TRY(make_folder(options.folder));
  const Lock lock = TRY(Lock::take(options.folder));
  const fs::path file = options.folder / "state.json";
  absl::StatusOr<State> state = read_state(file);
  std::string lost;
  if (!state.ok()) {
    const fs::path aside = options.folder / "state.json.unreadable";
    std::error_code error;
    fs::rename(file, aside, error);
    lost = absl::StrCat(state.status().message(), "; it is now ", aside.string(),
                        ", and findings are collected anew");
    state = State{};
  }
  Campaign campaign(options, *std::move(state));
  if (!lost.empty()) campaign.note(lost);
  return campaign.run();
}

std::vector<const Finding*> findings_of(const Summary& summary) {
  std::vector<const Finding*> findings;
  for (const Finding& finding : summary.state.findings) {
    const auto is_its_target = [&](const TargetResult& one) { return one.name == finding.target; };
    if (absl::c_any_of(summary.targets, is_its_target)) findings.push_back(&finding);
  }
  return findings;
}

int64_t open_findings(const Summary& summary) {
  return absl::c_count_if(findings_of(summary),
                          [](const Finding* finding) { return !finding->gone; });
}

int exit_status(const Summary& summary) {
  if (open_findings(summary) > 0 || summary.waiting > 0) return 1;
  const bool all_ran = absl::c_all_of(summary.targets, [](const TargetResult& one) {
    return one.left.empty() && one.executions > 0;
  });
  return all_ran && summary.recorded ? 0 : 2;
}

}  // namespace tileproof::campaign
