// SPDX-License-Identifier: Apache-2.0
#include "fuzz/campaign/campaign.h"

#include <algorithm>
#include <iterator>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "conform/protocol/json.h"
#include "conform/protocol/subprocess.h"
#include "fuzz/campaign/parts.h"
#include "fuzz/campaign/running.h"
#include "spec/lang/base/try.h"

namespace tileproof::campaign {
namespace {

namespace fs = std::filesystem;

constexpr Milliseconds kShortest(300);  // in less time, do not start a process

}  // namespace

Campaign::Campaign(const Options& options)
    : options_(options),
      deadline_(Clock::now() + options.time),
      doing_(options.targets.size()),
      counted_(options.targets.size()) {
  for (const Target& target : options.targets) {
    turns_.push_back(summary_.targets.size());
    summary_.targets.emplace_back().name = target.name;
  }
  // If there is not enough time for all, those come first whose last turn was longest ago.
  const auto last_turn = [this](size_t target) {
    std::error_code error;
    return fs::last_write_time(location(target).folder / "scratch", error);
  };
  absl::c_stable_sort(turns_, [&](size_t a, size_t b) { return last_turn(a) < last_turn(b); });
}

Summary Campaign::run() {
  std::unique_lock lock(mutex_);
  const int lanes = std::min(options_.jobs, static_cast<int>(options_.targets.size()));
  std::vector<std::thread> threads;
  for (lanes_left_ = 0; lanes_left_ < lanes; ++lanes_left_)
    threads.emplace_back(&Campaign::run_lane, this, lanes_left_, lanes);
  for (int ticks = 0; lanes_left_ > 0; ++ticks) {
    if (ticks % 10 == 0) report_progress();
    lock.unlock();
    std::this_thread::sleep_for(Milliseconds(50));
    lock.lock();
  }
  report_progress();
  for (size_t i = 0; i < options_.targets.size(); ++i) {
    TargetResult& one = summary_.targets[i];
    const fs::path folder = location(i).folder;
    one.inputs = std::ssize(files_in(folder / "kept"));
    summary_.waiting += std::ssize(files_in(folder / "found"));
    for (const fs::path& known : folders_in(folder / "found"))
      summary_.waiting += finding_of(one.name, known.filename().string()) == nullptr;
    if (one.executions == 0 && one.left.empty())
      note(absl::StrCat(one.name, ": there was no time for a run"));
  }
  summary_.time = elapsed();
  summary_.interrupted = conform::Signals::received() != 0;
  lock.unlock();
  for (std::thread& thread : threads) thread.join();
  return std::move(summary_);
}

Milliseconds Campaign::allowance() const {
  return std::clamp(options_.time / 20, Milliseconds(2000), Milliseconds(60'000));
}

TargetLocation Campaign::location(size_t target) const {
  // A short campaign cannot wait long for one input.
  const int64_t timeout = std::clamp<int64_t>(options_.time.count() / 4000, 2, kInputSeconds);
  const std::string& name = options_.targets[target].name;
  std::error_code error;
  return {options_.targets[target], fs::absolute(options_.programs, error) / (name + "_fuzzer"),
          fs::absolute(options_.folder, error) / name, timeout};
}

void Campaign::run_lane(int lane, int lanes) {
  const std::lock_guard lock(mutex_);
  while (const std::optional<Turn> turn = next_turn(lane, lanes)) {
    run_target(*turn);
    doing_[turn->target].clear();
  }
  --lanes_left_;
}

std::optional<Campaign::Turn> Campaign::next_turn(int lane, int lanes) {
  if (turns_.empty() || over(deadline_ - kShortest)) return std::nullopt;
  const size_t target = turns_.front();
  const int64_t rounds = (std::ssize(turns_) + lanes - 1) / lanes;
  turns_.pop_front();
  const auto now = Clock::now();
  return Turn{target, location(target), options_.jobs / lanes + (lane < options_.jobs % lanes),
              now + (deadline_ - now) / rounds};
}

void Campaign::note(const std::string& said) {
  const std::string text = conform::shown(said, 4096);  // it may contain names of files
  if (!noted_.insert(text).second) return;
  summary_.notes.push_back(text);
  if (options_.happened) options_.happened(text);
}

void Campaign::note(const Turn& turn, absl::string_view said) {
  note(absl::StrCat(turn.at.target.name, ": ", said));
}

void Campaign::note_failure(const Turn& turn, const absl::Status& status) {
  if (status.ok()) return;
  note(turn, absl::StrCat(status.message(), "; the campaign goes on without a record"));
  summary_.recorded = false;
}

// Runs a program of the target. `what` is for the progress: "merge of ".
Ended Campaign::wait_for(const Turn& turn, absl::string_view what, const Command& command,
                         Clock::time_point limit, Meanwhile meanwhile) {
  const std::string before =
      std::exchange(doing_[turn.target], absl::StrCat(what, turn.at.target.name));
  mutex_.unlock();
  Ended ended = run_program(command, limit, [&](const Output& output) {
    const std::lock_guard lock(mutex_);
    return meanwhile(output);
  });
  mutex_.lock();
  doing_[turn.target] = before;
  return ended;
}

void Campaign::report_progress() {
  if (!options_.progress) return;
  Progress progress;
  progress.left = std::max(Milliseconds(0), options_.time - elapsed());
  for (const TargetResult& one : summary_.targets) {
    progress.executions += one.executions;
    progress.features += one.features;
    if (one.features_before >= 0) progress.new_features += one.features - one.features_before;
    progress.new_inputs += one.new_inputs;
  }
  absl::c_copy_if(doing_, std::back_inserter(progress.running),
                  [](const std::string& what) { return !what.empty(); });
  progress.findings = std::ssize(summary_.findings);
  const Clock::time_point now = Clock::now();
  recent_.emplace_back(now, progress.executions);
  if (recent_.size() > 60) recent_.pop_front();
  const double seconds = std::chrono::duration<double>(now - recent_.front().first).count();
  const int64_t more = progress.executions - recent_.front().second;
  progress.per_second = seconds > 0 ? static_cast<double>(more) / seconds : 0;
  options_.progress(progress);
}

absl::StatusOr<Summary> run(const Options& options) {
  const conform::Signals signals;
  TRY(make_folder(options.folder));
  const Lock lock = TRY(Lock::take(options.folder));
  return Campaign(options).run();
}

int exit_status(const Summary& summary) {
  if (!summary.findings.empty() || summary.waiting > 0) return 1;
  const bool all_ran = absl::c_all_of(summary.targets, [](const TargetResult& one) {
    return one.left.empty() && one.executions > 0;
  });
  return all_ran && summary.recorded ? 0 : 2;
}

}  // namespace tileproof::campaign
