// SPDX-License-Identifier: Apache-2.0
#include "conform/run/conform.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conform/run/crew.h"
#include "conform/run/suite_run.h"
#include "spec/lang/base/try.h"

namespace tileproof::conform {

absl::StatusOr<Report> conform(const ConformOptions& options) {
  Report report;
  report.command = options.command;
  report.seed = options.seed;
  report.shard = options.shard;
  report.shards = options.shards;
  report.expectations = options.expectations;
  report.requirements = options.requirements;
  const std::unique_ptr<Crew> crew =
      TRY(Crew::start(options.command, options.timeout, options.jobs, options.right_answers,
                      options.tell));
  report.name = crew->hello().name;
  report.version = crew->hello().version;
  report.hello = crew->hello();

  std::set<std::string> wanted(options.cases.begin(), options.cases.end());
  const auto start = std::chrono::steady_clock::now();
  absl::Status status;
  bool enough = false;
  std::vector<size_t> records_of_keys;
  for (size_t i = 0; i < options.suites.size() && status.ok() && !enough; ++i) {
    std::optional<std::chrono::steady_clock::time_point> deadline;
    if (options.time) {
      const auto parts = static_cast<int64_t>(options.suites.size());
      deadline = start + *options.time * (static_cast<int64_t>(i) + 1) / parts;
    }
    SuiteRun run(options, *options.suites[i], *crew, report, records_of_keys);
    status = run.run(wanted, deadline);
    enough = run.enough();
    if ((enough || i + 1 == options.suites.size()) && status.ok()) {
      crew->finish([&run](const Ticket& t, Outcome o) { run.settle(judged(t, std::move(o))); });
    }
  }
  if (absl::IsFailedPrecondition(status)) return status;  // the program does not run
  if (!status.ok()) {
    const absl::string_view why = status.message();
    report.beyond.push_back(absl::StrCat("the program could not be restarted: ", why));
  }
  for (const std::string& id : wanted) report.notes.push_back(absl::StrCat("found no case ", id));
  for (const std::string& note : crew->notes()) report.notes.push_back(note);
  return report;
}

}  // namespace tileproof::conform
