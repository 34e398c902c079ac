// SPDX-License-Identifier: Apache-2.0
// The conformance run: sends a program the requests of the suites and judges its answers.
//
//     ConformOptions options;
//     options.command = {"./my_implementation"};
//     options.suites = {suite_named("layout")};
//     absl::StatusOr<Report> report = conform(options);
//
// For each suite, the run
//  1. asks all cases,
//  2. asks the failed cases once more; a different answer makes the verdict `flaky`,
//  3. finds the causes of the failures (conform/run/cause_search.h),
//  4. if there are any, asks as many new cases that differ from every known cause in at least one
//     feature, so that quieter causes show up (ConformOptions::steer).
// After five unexpected crashes or timeouts of one kind it asks without the feature that they have
// in common (conform/run/screening.h); if there is none, it stops the suite.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "conform/protocol/subprocess.h"
#include "conform/report/report.h"
#include "conform/run/cause_search.h"
#include "conform/run/crew.h"
#include "conform/run/screening.h"
#include "conform/run/session.h"
#include "conform/suites/suites.h"

namespace tileproof::conform {

struct ConformOptions {
  std::vector<std::string> command;
  std::vector<const Suite*> suites;  // none: those by default for the program's hello
  uint64_t seed = 1;
  std::optional<int64_t> count = 1000;  // cases of each suite; none: until the time is over
  std::optional<Milliseconds> time;     // for all suites together
  bool valid_only = false;              // ask no request whose right answer may be an error
  bool titles = false;                  // keep a title of each case, for reports that name all
  bool exhaustive = false;              // ask all fixed requests and the whole bounded family
  // Ask only cases with these ids. Searches the first 100,000 cases of each suite, or `count` cases
  // if that is more.
  std::vector<std::string> cases;
  Milliseconds timeout{2000};     // for each answer
  int64_t shard = 0, shards = 1;  // ask case i if i % shards == shard
  int64_t jobs = 1;               // copies of the program, asked side by side (conform/run/crew.h)
  // The command serves a plug-in (respond --plugin). Then the suite `layout` also sweeps through
  // `count` whole layouts in long lists, or through as many as time allows
  // (conform/run/questions.h).
  bool plugin = false;
  std::vector<Expectation> expectations;
  Requirements requirements;
  bool keep_going = false;  // do not screen or stop a suite after crashes and timeouts
  bool steer = false;       // needs all shards in one run, and random cases
  ShrinkBudget budget;      // for each suite
  RightAnswers* right_answers = nullptr;  // shared by several runs, if any
  // Takes what a person should see at once (Session::start); may be called in another thread.
  Tell tell;
  // Called for each case that is asked.
  std::function<void(const std::string& suite, int64_t asked)> progress;
  // Called for each verdict. If it returns false, the run asks no more cases, but still shrinks.
  std::function<bool(Verdict verdict)> go_on;
};

// An error if the program cannot be started, or ends before its first answer whatever it is asked. A
// signal (conform/protocol/subprocess.h) ends it soon: then the report has what was judged until then.
absl::StatusOr<Report> conform(const ConformOptions& options);

// Judges recorded requests and answers, one on each line. Ids match answers to requests. A request
// without an answer has the verdict kProtocol. If the requests include a hello, its answer decides
// the form of integers. A signal ends it as it ends conform(). Errors name the line of a malformed
// request or of a repeated id.
absl::StatusOr<Report> judge_files(absl::string_view requests, absl::string_view answers);

}  // namespace tileproof::conform
