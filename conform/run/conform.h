// The conformance run: asks a program the suites and judges what it answers.
//
// For each suite: ask all its cases; ask those that failed once more (another answer then is
// `flaky`); shrink the first few of each kind to the smallest request that still fails. A suite is
// left after five crashes or timeouts of one kind that nobody expected.
// Source: INTERFACE, sections 3 and 4.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "conform/protocol/subprocess.h"
#include "conform/report/report.h"
#include "conform/suites/suites.h"

namespace tileproof::conform {

struct ConformOptions {
  std::vector<std::string> command;
  std::vector<const Suite*> suites;
  uint64_t seed = 1;
  std::optional<int64_t> count = 1000;  // of a suite; none: until the time is over
  std::optional<Milliseconds> time;     // for all suites together
  bool exhaustive = false;              // the fixed requests and the bounded family, all of it
  std::vector<std::string> cases;       // only these, looked for among the first 100,000 or `count`
  Milliseconds timeout{2000};           // of an answer
  int64_t shard = 0, shards = 1;        // of the cases, every shards-th from this one
  // The command answers for a plug-in (respond --plugin): besides the cases of the suite layout, as
  // many whole layouts are asked about in its process, or as time is left (conform/run/sweep.h).
  bool plugin = false;
  std::vector<Expectation> expectations;
  bool keep_going = false;
  // Told now and then what is being done.
  std::function<void(const std::string& suite, int64_t asked)> progress;
  // Told each verdict when it is first given; false: nothing more is asked, but to shrink.
  std::function<bool(Verdict verdict)> go_on;
};

inline constexpr int kStopAfter = 5;  // crashes or timeouts of one kind

// An error: the program cannot be started.
absl::StatusOr<Report> conform(const ConformOptions& options);

// Judges recorded lines: each answer is matched to its request by id. A request without an answer
// counts as `protocol`. A hello among the requests settles the form of the integers. Errors name
// the line of a request that cannot be read or whose id was used before.
absl::StatusOr<Report> judge_files(absl::string_view requests, absl::string_view answers);

}  // namespace tileproof::conform
