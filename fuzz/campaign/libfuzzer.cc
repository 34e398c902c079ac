// SPDX-License-Identifier: Apache-2.0
#include "fuzz/campaign/libfuzzer.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "conform/protocol/subprocess.h"

namespace tileproof::campaign {
namespace {

namespace fs = std::filesystem;

constexpr Milliseconds kGrace(2000);
constexpr size_t kMaxLog = 16 << 20;
constexpr const char* kProgram = "scratch/program";  // a link: its path may have spaces

// Returns the options of a program in its folder. A slow input is not a finding before it times
// out. -print_funcs=0: new functions would start the symbolizer.
Command in_folder(const TargetLocation& location, const std::string& program,
                  std::vector<std::string> environment = {}) {
  Command command = {"env", "-C", location.folder.string(), "TMPDIR=scratch"};
  command.insert(command.end(), environment.begin(), environment.end());
  command.insert(command.end(), {program, absl::StrCat("-timeout=", location.timeout),
                                 absl::StrCat("-rss_limit_mb=", location.target.limits.memory_mb),
                                 "-report_slow_units=1000000", "-print_funcs=0"});
  return command;
}

// Returns the integer at the beginning of the text, or -1.
int64_t number_at(absl::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), absl::ascii_isdigit);
  int64_t number;
  return absl::SimpleAtoi(text.substr(0, static_cast<size_t>(end - text.begin())), &number) ? number
                                                                                            : -1;
}

// "99 new files with 2345 new features added; 815 new coverage edges"
void read_merge(const std::vector<absl::string_view>& words, Output& output) {
  for (size_t i = 1; i + 2 < words.size(); ++i) {
    if (words[i + 1] != "new") continue;
    if (words[i + 2] == "features") output.features = number_at(words[i]);
    if (words[i + 2] == "coverage") output.edges = number_at(words[i]);
  }
}

void read_numbers(const std::vector<absl::string_view>& words, Output& output) {
  const bool forked = absl::EndsWith(words[0], ":");
  output.executions = std::max(output.executions, number_at(words[0].substr(1)));
  output.started |= forked || words[1] == "INITED";
  output.new_inputs += words[1] == "NEW" ? 1 : 0;
  for (size_t i = 1; i + 1 < words.size(); ++i) {
    const int64_t number = number_at(words[i + 1]);
    if (words[i] == "ft:") output.features = number;
    if (words[i] == "cov:" && !forked) output.edges = number;
    if (words[i] == "corp:" && forked) {
      if (!output.inputs_at_start) output.inputs_at_start = number;
      output.new_inputs = number - *output.inputs_at_start;
    }
    if (words[i] != "oom/timeout/crash:") continue;
    output.failures = 0;
    for (const absl::string_view kind : absl::StrSplit(words[i + 1], '/'))
      output.failures += number_at(kind);
  }
}

// Reads what there is of the output, at most a megabyte, and takes its whole lines. False at its
// end, when the rest is a line, too.
bool read_lines(conform::Subprocess& process, std::string& text, Ended& ended) {
  bool open = true;
  for (int round = 0; open && round < 16; ++round) {
    const size_t before = text.size();
    open = process.read_some(text);
    if (text.size() == before) break;
  }
  if (!open || text.size() > kMaxLog) text += '\n';
  size_t start = 0;
  for (size_t end; (end = text.find('\n', start)) != std::string::npos; start = end + 1) {
    const absl::string_view line = absl::string_view(text).substr(start, end - start);
    if (!read_line(line, ended.output) && ended.log.size() < kMaxLog)
      absl::StrAppend(&ended.log, line, "\n");
  }
  text.erase(0, start);
  return open;
}

}  // namespace

Command fuzz_command(const TargetLocation& location, const Inputs& inputs, int forks,
                     int64_t seconds) {
  // The jobs of -fork need no names of functions: a failing input is run again.
  const char* sanitizer = std::getenv("ASAN_OPTIONS");
  Command command =
      forks > 0 ? in_folder(location, kProgram,
                            {absl::StrCat("ASAN_OPTIONS=", sanitizer == nullptr ? "" : sanitizer,
                                          ":symbolize=0")})
                : in_folder(location, location.program.string());
  if (forks > 0) {
    command.insert(command.end(), {absl::StrCat("-fork=", forks), "-ignore_crashes=1",
                                   "-ignore_ooms=1", "-ignore_timeouts=1"});
  }
  // Looking for leaks runs most inputs twice, as the targets keep memory for the next input.
  // tools/replay looks for leaks.
  command.insert(command.end(),
                 {absl::StrCat("-max_total_time=", seconds),
                  absl::StrCat("-max_len=", location.target.limits.longest), "-print_final_stats=1",
                  "-detect_leaks=0", "-artifact_prefix=found/"});
  for (const auto& [name, value] : options_of(location.target.limits.schedule)) {
    command.push_back(absl::StrCat("-", name, "=", value));
  }
  std::error_code error;
  if (fs::exists(location.folder / "dictionary", error)) command.push_back("-dict=dictionary");
  command.insert(command.end(), inputs.begin(), inputs.end());
  return command;
}

void end_jobs(const TargetLocation& location) {
  std::error_code error;
  for (fs::directory_iterator at(location.folder / "scratch", error), end; !error && at != end;
       at.increment(error)) {
    if (absl::StrContains(at->path().filename().string(), "FuzzWithFork"))
      std::ofstream(at->path() / "STOP") << "1";
  }
}

Command merge_command(const TargetLocation& location, const Inputs& inputs) {
  Command command = in_folder(location, kProgram);
  command.insert(command.end(),
                 {"-merge=1", absl::StrCat("-max_len=", location.target.limits.longest),
                  "-artifact_prefix=found/", "scratch/merged"});
  command.insert(command.end(), inputs.begin(), inputs.end());
  return command;
}

Command replay_command(const TargetLocation& location, const fs::path& input) {
  Command command = in_folder(location, location.program.string());
  command.insert(command.end(), {"-artifact_prefix=scratch/", input.string()});
  return command;
}

Command minimize_command(const TargetLocation& location, const std::string& key, int64_t seconds) {
  Command command = in_folder(location, kProgram);
  command.insert(command.end(), {"-minimize_crash=1", absl::StrCat("-max_total_time=", seconds),
                                 absl::StrCat("-exact_artifact_path=scratch/", key),
                                 "-artifact_prefix=scratch/", absl::StrCat("findings/", key)});
  return command;
}

bool read_line(absl::string_view line, Output& output) {
  const std::vector<absl::string_view> words =
      absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
  if (words.size() < 2) return false;
  if (words[0] == "MERGE-OUTER:") {
    read_merge(words, output);
    return false;
  }
  if (words[0] == "stat::number_of_executed_units:") {
    output.executions = std::max(output.executions, number_at(words[1]));
    return true;
  }
  if (line[0] != '#' || number_at(words[0].substr(1)) < 0) return false;
  read_numbers(words, output);
  return true;
}

std::string why(const Ended& ended) {
  absl::string_view last;
  for (const absl::string_view line : absl::StrSplit(ended.log, '\n', absl::SkipWhitespace()))
    last = line;
  return absl::StrCat(ended.how.value_or("no output in time"), last.empty() ? "" : ": ",
                      last.substr(0, 300));
}

Ended run_program(const Command& command, Clock::time_point limit,
                  absl::FunctionRef<bool(const Output&)> meanwhile) {
  Ended ended;
  // libFuzzer prints to standard error.
  absl::StatusOr<conform::Subprocess> process = conform::Subprocess::start_with_errors(command);
  if (!process.ok()) {
    ended.how = std::string(process.status().message());
    return ended;
  }
  process->close_input();
  bool signaled = false;
  for (std::string text; read_lines(*process, text, ended);) {
    if (!std::exchange(signaled, conform::Signals::received() != 0) && signaled)
      limit = std::min(limit, Clock::now() + kGrace);
    if (!meanwhile(ended.output) || Clock::now() >= limit) {
      process->end(Milliseconds(0));
      return ended;
    }
    std::this_thread::sleep_for(Milliseconds(20));
  }
  ended.how = process->end(kGrace);
  return ended;
}

}  // namespace tileproof::campaign
