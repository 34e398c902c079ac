// SPDX-License-Identifier: Apache-2.0
// The run of one suite: asks its cases, asks failures again, and finds their causes.
//
//     SuiteRun run(options, suite, crew, report, records_of_keys);
//     absl::Status status = run.run(wanted, deadline);  // adds records and failures to the report
//
// Outcomes are recorded in the order of the questions. So it makes no difference how many copies of
// the program answer, and how many requests wait at a time: what was asked before a suite stopped,
// or before a feature was screened, but comes after it, is left out.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conform/run/cause_search.h"
#include "conform/run/conform.h"
#include "conform/run/crew.h"
#include "conform/run/questions.h"
#include "conform/run/screening.h"

namespace tileproof::conform {

class SuiteRun {
 public:
  using Clock = std::chrono::steady_clock;

  // `records_of_keys`: by the key of a ticket, the record of its case; shared by all suites.
  SuiteRun(const ConformOptions& options, const Suite& suite, Crew& crew, Report& report,
           std::vector<size_t>& records_of_keys);

  // `wanted`: the ids of options.cases that were not found yet. An error if the program cannot be
  // restarted.
  absl::Status run(std::set<std::string>& wanted, std::optional<Clock::time_point> deadline);

  // Takes the outcome of a case. Called again if a second answer to the case arrives.
  void settle(Judged judged);

  // True after options.go_on returned false.
  bool enough() const { return enough_; }

 private:
  static constexpr size_t kLeftOut = SIZE_MAX;  // instead of a record

  // A question whose outcome is not recorded yet.
  struct Open {
    Question question;
    std::optional<Judged> judged = {};
    bool screened = false;  // and so it was not asked
  };

  absl::Status run_steps();
  void settle_in_order();
  void done(size_t key, const Judged& judged);
  absl::Status ask_in_order(absl::FunctionRef<std::optional<Question>()> next);
  absl::Status ask_all();
  absl::Status ask_quieter();

  bool swept() const;
  Clock::duration sweep_time() const;
  Clock::duration quieter_time() const;
  absl::Status ask_until_one_fails(const std::vector<Json>& requests);
  absl::Status sweep();

  void count_death(size_t key, const Judged& judged);
  absl::Status ask_again();
  absl::StatusOr<Outcome> ask_one(const Json& request);
  absl::Status find_causes();

  const ConformOptions& options_;
  const Suite& suite_;
  Crew& crew_;
  Report& report_;
  std::vector<size_t>& records_of_keys_;
  std::deque<Open> open_;  // their keys follow those of records_of_keys_
  int64_t asked_ = 0;      // questions that have a record
  NotAsked last_;          // of the last of them
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
