// SPDX-License-Identifier: Apache-2.0
// Runs of libFuzzer: their options, and the lines that they print.
//
// -fork=N fuzzes in N processes that libFuzzer starts, watches and merges; it goes on after every
// failing input. -merge=1 makes the smallest set of inputs that reaches the same coverage, and says
// how many edges that is. (-fork does not know: clang 14 counts features among its edges.)
//
//     #1234: cov: 900 ft: 2345 corp: 99 exec/s 345 oom/timeout/crash: 0/0/1 time: 3s job: 2 ..
//     MERGE-OUTER: 99 new files with 2345 new features added; 815 new coverage edges
//     #1234	NEW    cov: 815 ft: 2345 corp: 99/12Kb ..           (without -fork)
//
// libFuzzer starts itself by a line for the shell in which nothing is quoted. So it runs in the
// folder of the target, where all names are plain.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "fuzz/campaign/target.h"

namespace tileproof::campaign {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;
using Command = std::vector<std::string>;

// A target, its program and folder, and the seconds that one input may take. The folder has
//
//     seeds/        inputs from the corpus, rewritten by every campaign
//     dictionary    their words
//     kept/         inputs that reach new coverage; libFuzzer adds to it
//     found/        failing inputs as libFuzzer wrote them; found/KEY/ those of a cause
//     findings/     one input of each cause, minimized
//     regressions/  the same in the form of corpus/, with the line that replays it
//     aside/        inputs that do not fail when they are run again
//     scratch/      of processes that run now
struct TargetLocation {
  const Target& target;
  std::filesystem::path program;
  std::filesystem::path folder;
  int64_t timeout = kInputSeconds;
};

// Folders of a target with inputs: kept, seeds.
using Inputs = std::vector<std::string>;

// Fuzzes for some seconds, in `forks` processes; with 0, in its own until the first failure. The
// first folder gets new inputs.
Command fuzz_command(const TargetLocation& location, const Inputs& inputs, int forks,
                     int64_t seconds);

// Lets the jobs of -fork in the folder end after their current input.
void end_jobs(const TargetLocation& location);

// Copies the smallest set of the inputs that reaches the same coverage to scratch/merged.
Command merge_command(const TargetLocation& location, const Inputs& inputs);

// Runs one input.
Command replay_command(const TargetLocation& location, const std::filesystem::path& input);

// Makes findings/KEY smaller and writes the smallest one to scratch/KEY.
Command minimize_command(const TargetLocation& location, const std::string& key, int64_t seconds);

// The numbers that a program printed so far.
struct Output {
  bool started = false;  // it got through its initial inputs
  int64_t executions = 0;
  int64_t failures = 0;
  int64_t features = 0;
  int64_t new_inputs = 0;
  std::optional<int64_t> edges;
  std::optional<int64_t> inputs_at_start;  // of -fork
};

// Reads a line. Returns whether it had only numbers.
bool read_line(absl::string_view line, Output& output);

// A program that has ended.
struct Ended {
  std::optional<std::string> how;  // "status 77", "signal 9 (Killed)"; empty: it had to be ended
  Output output;
  std::string log;  // the other lines, at most the first 16 MiB
};

// Returns how it ended, with the last line of the log.
std::string why(const Ended& ended);

// Runs a program. Ends it, and the processes that it started, at `limit`, or two seconds after a
// signal (conform/protocol/subprocess.h). Calls `meanwhile` often; if it returns false, ends it now.
Ended run_program(const Command& command, Clock::time_point limit,
                  absl::FunctionRef<bool(const Output&)> meanwhile);

}  // namespace tileproof::campaign
