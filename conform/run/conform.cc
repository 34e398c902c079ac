// SPDX-License-Identifier: Apache-2.0
#include "conform/run/conform.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conform/protocol/signals.h"
#include "conform/run/crew.h"
#include "conform/run/questions.h"
#include "conform/run/suite_run.h"
#include "spec/lang/base/try.h"

namespace tileproof::conform {

namespace {

constexpr int64_t kMostFoundById =
    10'000;  // a count with which --case finds all cases, steered too

// Says for each id why no case was asked: the limits of the program's hello, or nobody knows it.
void append_not_found(const ConformOptions& options, const Limits& limits,
                      std::set<std::string> wanted, std::vector<std::string>& notes) {
  const bool limited = limits.rank || limits.tiles || limits.bits || limits.ops;
  for (const Suite* suite : options.suites) {
    if (!limited || options.exhaustive) break;
    Cases cases(*suite, options.seed, {});
    for (int64_t i = 0; i < kMaxSearched && !wanted.empty(); ++i) {
      const std::optional<Case> made = cases.next();
      if (!made) break;
      const std::string id = case_id(case_hash(made->request));
      if (wanted.erase(id) == 0) continue;
      notes.push_back(absl::StrCat("case ", id,
                                   is_named(made->request, limits)
                                       ? " is beyond the limits of your hello: "
                                       : " asks for an operation that your hello does not name: ",
                                   shown(to_text(made->request), 300)));
    }
  }
  for (const std::string& id : wanted) notes.push_back(absl::StrCat("found no case ", id));
}

}  // namespace

absl::StatusOr<Report> conform(const ConformOptions& options) {
  Report report;
  report.found_by_id =
      !options.plugin && !options.exhaustive && options.count && *options.count <= kMostFoundById;
  report.command = options.command;
  report.seed = options.seed;
  report.shard = options.shard;
  report.shards = options.shards;
  report.expectations = options.expectations;
  report.requirements = options.requirements;
  const std::unique_ptr<Crew> crew = TRY(Crew::start(options.command, options.timeout, options.jobs,
                                                     options.right_answers, options.tell));
  report.name = crew->hello().name;
  report.version = crew->hello().version;
  report.hello = crew->hello();

  std::set<std::string> wanted(options.cases.begin(), options.cases.end());
  const auto start = std::chrono::steady_clock::now();
  absl::Status status;
  bool enough = false;
  std::vector<size_t> records_of_keys;
  size_t whole = 0;  // suites that were run to the end
  for (size_t i = 0; i < options.suites.size() && status.ok() && !enough; ++i) {
    std::optional<std::chrono::steady_clock::time_point> deadline;
    if (options.time) {
      const auto parts = static_cast<int64_t>(options.suites.size());
      deadline = start + *options.time * (static_cast<int64_t>(i) + 1) / parts;
    }
    SuiteRun run(options, *options.suites[i], *crew, report, records_of_keys);
    status = run.run(wanted, deadline);
    enough = run.enough();
    whole += status.ok() ? 1 : 0;
    if ((enough || i + 1 == options.suites.size()) && status.ok()) {
      crew->finish([&run](const Ticket& t, Outcome o) { run.settle(judged(t, std::move(o))); });
    }
  }
  if (absl::IsFailedPrecondition(status)) return status;  // the program does not run
  if (absl::IsCancelled(status)) {
    report.interrupted = signal_text(Signals::received());
    for (; whole < options.suites.size(); ++whole) {
      report.not_asked[std::string(options.suites[whole]->name)] =
          absl::StrCat("interrupted by ", report.interrupted);
    }
  } else if (!status.ok()) {
    const absl::string_view why = status.message();
    report.beyond.push_back(absl::StrCat("the program could not be restarted: ", why));
  }
  append_not_found(options, crew->hello().limits, std::move(wanted), report.notes);
  for (const std::string& note : crew->notes()) report.notes.push_back(note);
  return report;
}

}  // namespace tileproof::conform
