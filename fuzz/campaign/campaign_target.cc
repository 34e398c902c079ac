// SPDX-License-Identifier: Apache-2.0
// The turn of a target: its folder, its time with libFuzzer, the merge of what was kept.
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "fuzz/campaign/parts.h"
#include "fuzz/campaign/running.h"
#include "fuzz/campaign/target.h"

namespace tileproof::campaign {
namespace {

namespace fs = std::filesystem;

// Returns the input that libFuzzer printed; it prints short ones.
std::optional<std::string> printed_input(absl::string_view log) {
  constexpr absl::string_view kBase64 = "Base64: ";
  const size_t at = log.find(kBase64);
  if (at == absl::string_view::npos) return std::nullopt;
  const absl::string_view text = log.substr(at + kBase64.size());
  std::string input;
  if (!absl::Base64Unescape(absl::StripAsciiWhitespace(text.substr(0, text.find('\n'))), &input))
    return std::nullopt;
  return input;
}

// Returns where libFuzzer wrote, or wanted to write, the failing input.
fs::path artifact_of(const TargetLocation& at, absl::string_view log) {
  constexpr absl::string_view kWritten = "Test unit written to ";
  const size_t place = log.find(kWritten);
  if (place == absl::string_view::npos) return at.folder / "found" / "printed";
  const absl::string_view text = log.substr(place + kWritten.size());
  return at.folder / std::string(text.substr(0, text.find('\n')));
}

bool is_full(const fs::path& disk) {
  std::error_code error;
  const fs::space_info space = fs::space(disk, error);
  return !error && space.available < 64 << 10;
}

int64_t seconds_to(Clock::time_point end) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(end - Clock::now());
  return std::max<int64_t>(1, seconds.count());
}

}  // namespace

void Campaign::run_target(const Turn& turn) {
  prepare(turn);
  if (::access(turn.at.program.c_str(), X_OK) != 0) {
    return leave(turn,
                 absl::StrCat("there is no program ", turn.at.program.string(),
                              "; build it: cmake --preset fuzz && cmake --build --preset fuzz"));
  }
  look_at_known(turn);
  look_at_failures(turn, Milliseconds(0));
  const Clock::time_point begin = Clock::now();
  fuzz(turn);
  const auto ran = std::chrono::duration_cast<Milliseconds>(Clock::now() - begin);
  result(turn).milliseconds += ran.count();
  look_at_failures(turn, Milliseconds(0));
}

void Campaign::leave(const Turn& turn, const std::string& why) {
  result(turn).left = why;
  note(turn, absl::StrCat("skipped from now on: ", why));
}

// Makes the folders, and writes seeds and dictionary. Nothing here stops a campaign.
void Campaign::prepare(const Turn& turn) {
  const fs::path& folder = turn.at.folder;
  std::error_code error;
  for (const char* name : {"scratch", "seeds"}) fs::remove_all(folder / name, error);
  for (const char* name : {"seeds", "kept", "found", "findings", "regressions", "scratch"}) {
    if (const absl::Status status = make_folder(folder / name); !status.ok())
      return note_failure(turn, status);
  }
  fs::create_symlink(turn.at.program, folder / "scratch" / "program", error);
  write_inputs(turn);
}

void Campaign::write_inputs(const Turn& turn) {
  const fs::path& folder = turn.at.folder;
  std::vector<std::string> notes;
  const std::vector<Seed> seeds = seeds_of(turn.at.target, options_.corpus, notes);
  for (const std::string& text : notes) note(turn, text);
  for (const Seed& seed : seeds) {
    const absl::Status status = write_file(folder / "seeds" / seed.name, seed.content);
    note_failure(turn, status);
    if (!status.ok()) break;  // the others would fail, too
  }
  if (!seeds.empty()) note_failure(turn, write_file(folder / "dictionary", dictionary_of(seeds)));
}

// Merges seeds and kept inputs, fuzzes, and merges again, which takes longer than at first.
void Campaign::fuzz(const Turn& turn) {
  const Clock::time_point begin = Clock::now();
  const auto all = std::chrono::duration_cast<Milliseconds>(turn.end - begin);
  Inputs inputs = {"kept", "seeds"};
  Milliseconds for_merge(0);
  if (merge(turn, inputs, all / 3)) {
    inputs.pop_back();  // all that they reach is now kept
    const auto merged = std::chrono::duration_cast<Milliseconds>(Clock::now() - begin);
    for_merge = std::clamp(2 * merged, all / 10, all / 3);
  }
  if (!fuzz_with_forks(turn, inputs, turn.end - for_merge)) fuzz_without_forks(turn, inputs);
  if (inputs.size() == 1 && result(turn).left.empty() &&
      !merge(turn, inputs, for_merge + allowance())) {
    note(turn, "the edges at the end were not counted");
  }
}

// Returns false if libFuzzer cannot go on so: the program dies before its first job, or failing
// inputs cannot be written.
bool Campaign::fuzz_with_forks(const Turn& turn, const Inputs& inputs, Clock::time_point end) {
  const int64_t seconds = seconds_to(end);
  const Clock::time_point least = Clock::now() + std::chrono::seconds(seconds);
  end = std::max(end, least);  // libFuzzer would start another job before
  bool ending = false, any_failure = false;
  const auto is_lost = [&](const Output& output) {
    any_failure = look_at_failures(turn, Milliseconds(1000)) || any_failure;
    return (output.failures > 0 && !any_failure) || is_full(turn.at.folder);
  };
  counted_[turn.target] = Output();
  const Ended ended = wait_for(turn, "", fuzz_command(turn.at, inputs, turn.forks, seconds),
                               end + allowance(), [&](const Output& output) {
                                 count(turn, output);
                                 if (!ending && over(end)) {
                                   ending = true;
                                   end_jobs(turn.at);
                                 }
                                 return !is_lost(output);
                               });
  count(turn, ended.output);
  if (conform::Signals::received() != 0) return true;
  if (is_lost(ended.output)) return false;
  return Clock::now() >= least;  // else it ended by itself
}

// Fuzzes until the first failure. Its output tells what -fork keeps to itself: how the program ends,
// and a failing input although the disk is full.
void Campaign::fuzz_without_forks(const Turn& turn, const Inputs& inputs) {
  counted_[turn.target] = Output();
  const Ended ended =
      wait_for(turn, "", fuzz_command(turn.at, inputs, 0, seconds_to(turn.end)),
               std::max(turn.end, Clock::now()) + allowance(), [&](const Output& output) {
                 count(turn, output);
                 return true;
               });
  count(turn, ended.output);
  if (const std::optional<Cause> cause = cause_of(ended.log)) {
    const fs::path artifact = artifact_of(turn.at, ended.log);
    std::optional<std::string> input = printed_input(ended.log);
    if (const auto written = read_file(artifact); !input && written.ok()) input = *written;
    file(turn, *cause, artifact.filename().string(), input);
    std::error_code error;
    fs::remove(artifact, error);
    if (!ended.output.started)
      leave(turn, absl::StrCat("it fails on its initial inputs: ", cause->text));
  } else if (!ended.output.started && !over(turn.end)) {
    leave(turn, absl::StrCat("it ends before its first input, with ", why(ended)));
  } else if (ended.how && *ended.how != "status 0") {
    note(turn, absl::StrCat("ended with ", *ended.how, " and no message"));
  }
}

// Adds what a program has printed since the last time.
void Campaign::count(const Turn& turn, const Output& output) {
  Output& before = counted_[turn.target];
  TargetResult& now = result(turn);
  const int64_t executions = output.executions - before.executions;
  now.executions += executions;
  now.new_inputs += output.new_inputs - before.new_inputs;
  before = output;
  if (!output.started || executions == 0) return;
  if (now.features_before < 0) now.features_before = output.features;
  now.features = std::max(now.features, output.features);
}

// Replaces the kept inputs by the smallest set of the inputs that reaches the same coverage, and
// counts its edges. Returns whether there was time for that.
bool Campaign::merge(const Turn& turn, const Inputs& inputs, Milliseconds most) {
  const fs::path kept = turn.at.folder / "kept", merged = turn.at.folder / "scratch" / "merged";
  std::error_code error;
  fs::remove_all(merged, error);
  if (const absl::Status status = make_folder(merged); !status.ok()) {
    note_failure(turn, status);
    return false;
  }
  const Ended ended = wait_for(turn, "merge of ", merge_command(turn.at, inputs),
                               Clock::now() + most, [](const Output&) { return true; });
  const bool any = !files_in(merged).empty(), had_any = !files_in(kept).empty();
  if (ended.how != "status 0" || (!any && had_any)) {
    if (ended.how)
      note(turn, absl::StrCat("the kept inputs could not be minimized: ",
                              ended.how == "status 0" ? "nothing was written" : why(ended)));
    return false;
  }
  // At once: a campaign that is killed has the one or the other.
  if (any && ::renameat2(AT_FDCWD, merged.c_str(), AT_FDCWD, kept.c_str(), RENAME_EXCHANGE) != 0)
    note(turn, absl::StrCat("cannot replace ", kept.string(), ": ", std::strerror(errno)));
  TargetResult& now = result(turn);
  now.edges = ended.output.edges.value_or(0);
  now.features = std::max(now.features, ended.output.features);
  if (now.edges_before < 0) now.edges_before = now.edges;
  if (now.features_before < 0) now.features_before = now.features;
  return true;
}

}  // namespace tileproof::campaign
