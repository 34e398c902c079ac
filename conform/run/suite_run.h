// SPDX-License-Identifier: Apache-2.0
// The run of one suite: asks its cases, asks failures again, and finds their causes.
//
//     SuiteRun run(options, suite, session, report);
//     absl::Status status = run.run(wanted, deadline);  // adds records and failures to the report
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conform/run/cause_search.h"
#include "conform/run/conform.h"
#include "conform/run/questions.h"
#include "conform/run/screening.h"
#include "conform/run/session.h"
#include "conform/run/sweep.h"

namespace tileproof::conform {

class SuiteRun {
 public:
  using Clock = std::chrono::steady_clock;

  SuiteRun(const ConformOptions& options, const Suite& suite, Session& session, Report& report);

  // `wanted`: the ids of options.cases that were not found yet. An error if the program cannot be
  // restarted.
  absl::Status run(std::set<std::string>& wanted, std::optional<Clock::time_point> deadline);

  // Judges the outcome of a case. Called again if a second answer to the case arrives.
  void done(const Ticket& ticket, const Outcome& outcome);

  // True after options.go_on returned false.
  bool enough() const { return enough_; }

 private:
  void note(size_t key, Verdict verdict);
  Ticket record(Question question);
  absl::Status ask_all();
  absl::Status ask_quieter();
  std::string family_text() const;

  bool swept() const;
  Clock::duration sweep_time() const;
  Clock::duration quieter_time() const;
  absl::StatusOr<bool> ask_each(std::vector<Json> requests);
  absl::Status sweep_some(SweepRequest& next, SweepAnswer& totals);
  absl::Status sweep();

  void count_death(const Ticket& ticket, const Outcome& outcome);
  absl::Status ask_again();
  absl::Status find_causes();

  const ConformOptions& options_;
  const Suite& suite_;
  Session& session_;
  Report& report_;
  uint32_t suite_number_ = 0;
  std::set<std::string>* wanted_ = nullptr;
  std::optional<Clock::time_point> deadline_;
  std::map<size_t, uint64_t> random_;   // the seeds of the random choices of failures
  std::map<size_t, Outcome> outcomes_;  // the first outcomes of failures
  std::set<size_t> looked_at_;          // failures that were asked again and searched for causes
  Screen screen_;
  CauseSearch search_;
  std::string stopped_;  // why the suite was stopped, if it was
  bool enough_ = false;
};

}  // namespace tileproof::conform
