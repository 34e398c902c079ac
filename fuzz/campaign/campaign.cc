#include "fuzz/campaign/campaign.h"

#include <unistd.h>

#include <algorithm>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "fuzz/campaign/commands.h"
#include "fuzz/campaign/files.h"
#include "fuzz/campaign/findings.h"
#include "fuzz/campaign/report.h"
#include "fuzz/campaign/schedule.h"
#include "fuzz/campaign/signals.h"
#include "verify/conform/json.h"

namespace tileproof::campaign {
namespace {

namespace fs = std::filesystem;

constexpr int kMostDeaths = 3;               // in a row, before the first input
constexpr int64_t kWorthMerging = 200;       // inputs beyond twice those of the last merge
constexpr Milliseconds kShortest(300);       // less time is not worth a process
constexpr Milliseconds kSliceGrace(15'000);  // to start and to end, above its time
constexpr uintmax_t kLowSpace = 32 << 20;    // bytes

struct Task {
  enum class Kind { kSlice, kMerge, kReplay, kMinimise };
  Kind kind = Kind::kSlice;
  size_t target = 0;
  std::string key = "";  // of the finding; of a replay empty where it is not filed yet
  fs::path file = "";    // replayed; or written, by a merge or when an input is made smaller
};

struct Job {
  Task task;
  Child child;
  Milliseconds planned;
};

class Campaign {
 public:
  Campaign(const Options& options, State state)
      : options_(options),
        deadline_(Clock::now() + options.time),
        standings_(options.targets.size()) {
    summary_.state = std::move(state);
  }

  Summary run() {
    ++summary_.state.campaigns;
    for (size_t i = 0; i < options_.targets.size(); ++i) begin_target(i);
    save();
    while (step()) std::this_thread::sleep_for(Milliseconds(20));
    for (size_t i = 0; i < options_.targets.size(); ++i) end_target(i);
    save();
    summary_.time = elapsed();
    summary_.state.milliseconds += summary_.time.count();
    summary_.interrupted = Signals::came();
    return std::move(summary_);
  }

  void note(const std::string& said) {
    const std::string text = conform::shown(said, 4096);  // it may hold names of files
    if (!told_.insert(text).second) return;
    summary_.notes.push_back(text);
    if (options_.happened) options_.happened(text);
  }

 private:
  const Target& target(size_t i) const { return options_.targets[i]; }
  TargetResult& result(size_t i) { return summary_.targets[i]; }
  Milliseconds elapsed() const {
    return std::chrono::duration_cast<Milliseconds>(Clock::now() - begun_);
  }
  Milliseconds left() const {
    return std::chrono::duration_cast<Milliseconds>(deadline_ - Clock::now());
  }

  Place place(size_t i) const {
    // A short campaign cannot wait long for one input.
    const int64_t timeout = std::clamp<int64_t>(options_.time.count() / 4000, 2, kInputSeconds);
    return {target(i), options_.programs / absl::StrCat(target(i).name, "_fuzzer"),
            options_.folder / target(i).name, timeout};
  }

  void note_all(const std::string& about, const Notes& notes) {
    for (const std::string& text : notes) note(absl::StrCat(about, text));
  }

  void leave(size_t i, const std::string& why) {
    standings_[i].open = false;
    result(i).left = why;
    note(absl::StrCat(target(i).name, " is left: ", why));
  }

  void begin_target(size_t i) {
    summary_.targets.push_back({});
    result(i).name = target(i).name;
    standings_[i].before = state_of(summary_.state, target(i).name).milliseconds;
    const Place at = place(i);
    std::vector<std::string> failing;
    for (const Finding& finding : summary_.state.findings) {
      if (finding.target != target(i).name || finding.gone || finding.input.empty()) continue;
      std::vector<fs::path> inputs = {options_.folder / finding.input};
      for (const std::string& name : finding.artifacts)
        inputs.push_back(at.folder / "found" / name);
      for (const fs::path& file : inputs) {
        if (const auto input = read_file(file); input.ok()) failing.push_back(*input);
      }
    }
    Notes notes;
    prepare(target(i), at.folder, options_.corpus, failing, notes);
    note_all(absl::StrCat(target(i).name, ": "), notes);
    if (::access(at.program.c_str(), X_OK) != 0) {
      return leave(i,
                   absl::StrCat("there is no program ", at.program.string(),
                                "; build it: cmake --preset fuzz && cmake --build --preset fuzz"));
    }
    for (const Finding& finding : summary_.state.findings) {
      if (finding.target != target(i).name || finding.input.empty()) continue;
      tasks_.push_back({Task::Kind::kReplay, i, finding.key, options_.folder / finding.input});
    }
    look_at_unfiled(i);
  }

  void look_at_unfiled(size_t i) {
    for (const fs::path& file : unfiled(place(i), summary_.state)) {
      const bool known =
          absl::c_any_of(tasks_, [&](const Task& task) { return task.file == file; }) ||
          absl::c_any_of(jobs_, [&](const Job& job) { return job.task.file == file; });
      if (!known) tasks_.push_back({Task::Kind::kReplay, i, "", file});
    }
  }

  void end_target(size_t i) {
    result(i).inputs = count_files(place(i).folder / "kept");
    summary_.waiting += std::ssize(unfiled(place(i), summary_.state));
    if (result(i).executions == 0 && result(i).left.empty())
      note(absl::StrCat(target(i).name, ": there was no time for a run"));
  }

  // Looks after what runs and starts what can be. False when it is over.
  bool step() {
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
    tell_progress();
    return !jobs_.empty();
  }

  bool over() const { return Signals::came() || Clock::now() >= deadline_; }

  bool start_one() {
    if (left() < kShortest) return false;
    const auto task = absl::c_find_if(tasks_, [this](const Task& t) { return can_start(t); });
    if (task != tasks_.end()) {
      const Task chosen = std::move(*task);
      tasks_.erase(task);
      start(chosen);
      return true;
    }
    const std::optional<size_t> turn = whose_turn(standings_);
    if (!turn) return false;
    start({Task::Kind::kSlice, *turn});
    return true;
  }

  // A merge has its target for itself.
  bool can_start(const Task& task) const {
    return task.kind != Task::Kind::kMerge ||
           absl::c_none_of(jobs_, [&](const Job& job) { return job.task.target == task.target; });
  }

  int64_t seconds_of_slice() const {
    const int64_t share = options_.time.count() * options_.jobs / 2000 /
                          std::max<int64_t>(1, std::ssize(options_.targets));
    return std::clamp<int64_t>(share, 1, 300);
  }

  void start(const Task& task) {
    const Place at = place(task.target);
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
      case Task::Kind::kMinimise: {
        seconds = std::clamp<int64_t>(options_.time.count() / 20'000, 2, 60);
        const Finding* finding = finding_of(summary_.state, target(task.target).name, task.key);
        command = minimise_command(at, options_.folder / finding->input, task.file,
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

  // The disk is full, say, or the machine out of processes.
  void cannot_start(const Task& task, const absl::Status& status) {
    note(absl::StrCat(target(task.target).name, ": ", status.message()));
    if (task.kind == Task::Kind::kMerge) {
      standings_[task.target].open = true;
      state_of(summary_.state, target(task.target).name).merged =
          count_files(place(task.target).folder / "kept");
    } else if (++deaths_[task.target] >= kMostDeaths) {
      leave(task.target, "it cannot be started");
    }
  }

  void finish(const Job& job) {
    const size_t i = job.task.target;
    switch (job.task.kind) {
      case Task::Kind::kSlice:
        return finish_slice(i, job);
      case Task::Kind::kMerge:
        return finish_merge(i, job);
      case Task::Kind::kReplay:
        return finish_replay(i, job);
      case Task::Kind::kMinimise:
        return finish_minimise(i, job);
    }
  }

  void finish_slice(size_t i, const Job& job) {
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
                        " and no word"));
    }
    if (output.edges_at_start) {
      credit(standing, output.features - output.features_at_start, ran);
      deaths_[i] = 0;
    } else if (removed > 0) {
      deaths_[i] = 0;  // an input that it started with is gone; now it gets further
    } else if (!over()) {
      // It never was through with the inputs that it starts with.
      standing.milliseconds += 1000;
      if (job.child.limited() && output.started)
        note(absl::StrCat(target(i).name, ": in ", time_text(ran),
                          " it was not through with the inputs that it starts with"));
      if (++deaths_[i] >= kMostDeaths) leave(i, why_it_died(job, cause));
    }
    want_merge(i);
  }

  std::string why_it_died(const Job& job, const std::optional<Cause>& cause) const {
    if (cause) return absl::StrCat("it fails on what it starts with: ", cause->text);
    return absl::StrCat(
        "it ends before its first input, with ",
        job.child.limited() ? "nothing said in time" : job.child.how().value_or("a kill"),
        last_words(job));
  }

  // The last line that was said, behind a colon.
  static std::string last_words(const Job& job) {
    absl::string_view last;
    for (const absl::string_view line :
         absl::StrSplit(job.child.output().log, '\n', absl::SkipWhitespace())) {
      last = line;
    }
    return last.empty() ? "" : absl::StrCat(": ", last.substr(0, 300));
  }

  void count(size_t i, const Output& output, int64_t ran) {
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
                       count_files(place(i).folder / "kept")});
  }

  // Files a failure of a slice. How many inputs were removed because they make it fail at once.
  int64_t failed(size_t i, const Cause& cause, const Output& output) {
    const fs::path artifact = output.artifacts.empty() ? "" : output.artifacts.back();
    int64_t removed = 0;
    if (const auto input = read_file(artifact); !output.edges_at_start && input.ok())
      removed = remove_input(place(i).folder, *input);
    const Finding* finding = file(i, cause, artifact, output.log);
    // The machine may have been busy with something else: a timeout is run once more.
    if (finding != nullptr && is_timeout(*finding) && !finding->input.empty())
      tasks_.push_back({Task::Kind::kReplay, i, finding->key, options_.folder / finding->input});
    return removed;
  }

  // The finding, where it is new or was gone; or null.
  const Finding* file(size_t i, const Cause& cause, const fs::path& artifact,
                      absl::string_view log) {
    Notes notes;
    const Finding* finding = nullptr;
    if (file_failure(place(i), cause, artifact, log, summary_.state, notes)) {
      finding = finding_of(summary_.state, target(i).name, key_of(target(i).name, cause));
      if (options_.happened) options_.happened(absl::StrCat(target(i).name, ": ", finding->line));
      minimise(i, *finding);
    }
    note_all("", notes);
    return finding;
  }

  void minimise(size_t i, const Finding& finding) {
    if (finding.minimised || finding.gone || !can_be_minimised(finding)) return;
    tasks_.push_back({Task::Kind::kMinimise, i, finding.key,
                      place(i).folder / "scratch" / absl::StrCat(finding.key, ".min")});
  }

  void finish_replay(size_t i, const Job& job) {
    const std::optional<Cause> cause = cause_of(job.child.output().log);
    if (cause) return fails_again(i, job, *cause);
    if (!ran_to_its_end(job)) return dies_again(i, job);
    const Task& task = job.task;
    if (task.key.empty()) return set_aside(i, task.file);
    Finding& finding = *finding_of(summary_.state, target(i).name, task.key);
    if (is_smaller(task)) {
      finding.minimised = true;  // as small as it can be made
      return;
    }
    does_not_happen(i, finding, task.file);
  }

  // One sentence may stand for several bugs: it is gone where none of its inputs fails.
  void does_not_happen(size_t i, Finding& finding, const fs::path& input) {
    if (finding.gone) return;
    if (const std::optional<fs::path> next = next_input(i, finding, input)) {
      tasks_.push_back({Task::Kind::kReplay, i, finding.key, *next});
      return;
    }
    finding.gone = true;
    note(absl::StrCat(target(i).name, ": does not happen any more: ", finding.cause));
  }

  // Of the inputs of a finding, the one of findings/ first, that after this one.
  std::optional<fs::path> next_input(size_t i, const Finding& finding,
                                     const fs::path& input) const {
    const fs::path found = place(i).folder / "found";
    bool after = input.parent_path() != found;
    for (const std::string& name : finding.artifacts) {
      std::error_code error;
      if (after && fs::exists(found / name, error)) return found / name;
      after = after || name == input.filename();
    }
    return std::nullopt;
  }

  static bool is_smaller(const Task& task) { return task.file.extension() == ".min"; }

  // It had its inputs, all of them, and found nothing.
  static bool ran_to_its_end(const Job& job) {
    return job.child.how() == "status 0" && !job.child.limited();
  }

  // A finding counts where its input fails for the same cause; for another one it is another
  // finding.
  void fails_again(size_t i, const Job& job, const Cause& cause) {
    const Task& task = job.task;
    if (task.key.empty()) {
      file(i, cause, task.file, job.child.output().log);
      return;
    }
    Finding& finding = *finding_of(summary_.state, target(i).name, task.key);
    const bool same = key_of(target(i).name, cause) == finding.key;
    if (is_smaller(task)) {
      if (same) take_input(i, finding, task.file, cause);
      finding.minimised = true;
    } else if (same) {
      const bool first = task.file == options_.folder / finding.input;
      if (!first && take_input(i, finding, task.file, cause)) finding.minimised = false;
      finding.gone = false;
      minimise(i, finding);
    } else {
      if (!finding.gone) {
        note(absl::StrCat(target(i).name, ": ", task.file.filename().string(),
                          " fails for another cause now, ", cause.text, ": ", finding.cause));
      }
      does_not_happen(i, finding, task.file);
    }
    if (!same) file_as_another(i, job, cause);
  }

  // True if it is the input of the finding now.
  bool take_input(size_t i, Finding& finding, const fs::path& file, const Cause& cause) {
    const absl::StatusOr<std::string> input = read_file(file);
    if (!input.ok()) return false;
    Notes notes;
    finding.line = cause.line;
    write_finding(place(i), finding, *input, notes);
    note_all("", notes);
    return true;
  }

  // The input of the job fails for a cause that is not the one of its finding.
  void file_as_another(size_t i, const Job& job, const Cause& cause) {
    const std::string key = key_of(target(i).name, cause);
    const std::string name = absl::StrCat(job.task.key, "-", key);
    const Finding* known = finding_of(summary_.state, target(i).name, key);
    if (known != nullptr && !known->gone && absl::c_linear_search(known->artifacts, name)) return;
    const fs::path kept = place(i).folder / "found" / name;
    std::error_code error;
    fs::copy_file(job.task.file, kept, fs::copy_options::overwrite_existing, error);
    file(i, cause, error ? fs::path() : kept, job.child.output().log);
  }

  // No word of a failure, and not run to its end: a library is missing, or memory. Nothing is known
  // of the input then. At the end of the time that is no news: the next campaign looks again.
  void dies_again(size_t i, const Job& job) {
    if (job.child.limited() && over()) return;
    const std::string how =
        job.child.limited() ? "nothing said in time" : job.child.how().value_or("a kill");
    note(absl::StrCat(target(i).name, ": run again, it ended with ", how, last_words(job), ": ",
                      job.task.file.string(), " counts until it is run to its end"));
  }

  void set_aside(size_t i, const fs::path& input) {
    const fs::path aside = place(i).folder / "aside";
    std::error_code error;
    if (make_folder(aside).ok()) fs::rename(input, aside / input.filename(), error);
    note(absl::StrCat(target(i).name, ": run again, ", input.filename().string(),
                      " does not fail: it is in ", aside.string()));
  }

  void finish_minimise(size_t i, const Job& job) {
    std::error_code error;
    if (fs::exists(job.task.file, error)) {
      tasks_.push_back({Task::Kind::kReplay, i, job.task.key, job.task.file});
    } else if (!over()) {
      finding_of(summary_.state, target(i).name, job.task.key)->minimised = true;
    }
  }

  void want_merge(size_t i) {
    const int64_t kept = count_files(place(i).folder / "kept");
    const int64_t merged = state_of(summary_.state, target(i).name).merged;
    if (kept < 2 * merged + kWorthMerging || !standings_[i].open) return;
    standings_[i].open = false;  // until it is merged
    tasks_.push_back({Task::Kind::kMerge, i, "", place(i).folder / "scratch" / "merge" / "inputs"});
  }

  void finish_merge(size_t i, const Job& job) {
    standings_[i].open = result(i).left.empty();
    standings_[i].milliseconds += job.child.age().count();
    TargetState& known = state_of(summary_.state, target(i).name);
    const fs::path kept = place(i).folder / "kept";
    const int64_t merged = count_files(job.task.file);
    Notes notes;
    if (job.child.how() == "status 0" && !job.child.limited() && merged > 0) {
      replace_kept(place(i).folder, job.task.file, notes);
      known.merged = merged;
    } else {
      known.merged = count_files(kept);  // not again at once
      if (!over()) {
        const std::string how = job.child.how().value_or("no time");
        notes.push_back(absl::StrCat("the inputs kept could not be minimised: ",
                                     how == "status 0" ? "nothing was written" : how,
                                     last_words(job)));
      }
    }
    // With the control file: libFuzzer would go on from an old one, with inputs that are gone.
    std::error_code error;
    fs::remove_all(job.task.file.parent_path(), error);
    note_all(absl::StrCat(target(i).name, ": "), notes);
    look_at_unfiled(i);
  }

  void save() {
    State state = summary_.state;
    state.milliseconds += elapsed().count();
    const absl::Status status = write_state(options_.folder / "state.json", state);
    if (!status.ok())
      note(absl::StrCat(status.message(), "; the campaign goes on without a record"));
    summary_.recorded = status.ok();
    std::error_code error;
    const fs::space_info space = fs::space(options_.folder, error);
    if (!error && space.available < kLowSpace)
      note(absl::StrCat("the disk of ", options_.folder.string(),
                        " is nearly full: new inputs may be lost"));
  }

  void tell_progress() {
    const Clock::time_point now = Clock::now();
    if (!options_.progress || now - told_at_ < Milliseconds(500)) return;
    told_at_ = now;
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
          : job.task.kind == Task::Kind::kMinimise ? absl::StrCat("minimising ", name)
                                                   : name);
    }
    progress.findings = absl::c_count_if(summary_.state.findings,
                                         [](const Finding& finding) { return !finding.gone; });
    recent_.emplace_back(now, progress.executions);
    if (recent_.size() > 60) recent_.pop_front();
    const double seconds = std::chrono::duration<double>(now - recent_.front().first).count();
    const int64_t more = progress.executions - recent_.front().second;
    progress.per_second = seconds > 0 ? std::max(0.0, static_cast<double>(more) / seconds) : 0;
    options_.progress(progress);
  }

  const Options& options_;
  const Clock::time_point begun_ = Clock::now();
  const Clock::time_point deadline_;
  Summary summary_;
  std::vector<Standing> standings_;
  std::map<size_t, int> deaths_;  // in a row
  std::deque<Task> tasks_;        // before any slice
  std::list<Job> jobs_;
  std::set<std::string> told_;
  bool ending_ = false;
  Clock::time_point told_at_;
  std::deque<std::pair<Clock::time_point, int64_t>> recent_;
};

}  // namespace

absl::StatusOr<Summary> run(const Options& options) {
  const Signals signals;
  if (absl::Status status = make_folder(options.folder); !status.ok()) return status;
  const absl::StatusOr<Lock> lock = Lock::take(options.folder);
  if (!lock.ok()) return lock.status();
  const fs::path file = options.folder / "state.json";
  absl::StatusOr<State> state = read_state(file);
  std::string lost;
  if (!state.ok()) {
    const fs::path aside = options.folder / "state.json.unreadable";
    std::error_code error;
    fs::rename(file, aside, error);
    lost = absl::StrCat(state.status().message(), "; it is now ", aside.string(),
                        ", and the findings are made out anew");
    state = State{};
  }
  Campaign campaign(options, *std::move(state));
  if (!lost.empty()) campaign.note(lost);
  return campaign.run();
}

int exit_status(const Summary& summary) {
  const bool found =
      absl::c_any_of(summary.state.findings, [](const Finding& finding) { return !finding.gone; });
  if (found || summary.waiting > 0) return 1;
  const bool all_ran = absl::c_all_of(summary.targets, [](const TargetResult& one) {
    return one.left.empty() && one.executions > 0;
  });
  return all_ran && summary.recorded ? 0 : 2;
}

}  // namespace tileproof::campaign
