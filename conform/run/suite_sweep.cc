// SPDX-License-Identifier: Apache-2.0
// The part of a suite's run that sweeps through many layouts (conform/run/sweep.h).
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conform/run/suite_run.h"
#include "conform/run/sweep.h"
#include "spec/lang/base/try.h"

namespace tileproof::conform {
namespace {

constexpr int64_t kSweptTogether = 64;  // layouts in one part of a sweep

}  // namespace

bool SuiteRun::swept() const {
  return options_.plugin && suite_.name == "layout" && options_.cases.empty() &&
         !options_.exhaustive;
}

// A sweep gets half of the suite's time.
SuiteRun::Clock::duration SuiteRun::sweep_time() const {
  if (!swept() || !options_.time) return Clock::duration::zero();
  return *options_.time / (2 * std::ssize(options_.suites));
}

// Asks requests as cases of the suite. Returns whether any failed.
absl::StatusOr<bool> SuiteRun::ask_each(std::vector<Json> requests) {
  const size_t before = report_.records.size();
  size_t position = 0;
  TRY(ask_in_order([&]() -> std::optional<Question> {
    if (position == requests.size()) return std::nullopt;
    return question_about(requests[position++], crew_.hello());
  }));
  return std::any_of(report_.records.begin() + static_cast<int64_t>(before), report_.records.end(),
                     [](const Record& r) { return fails(r.verdict); });
}

// Runs one part of a sweep, and asks its differences as cases. If the program crashes or times
// out, asks about the same layouts in single requests until one of them fails.
absl::Status SuiteRun::sweep_some(SweepRequest& next, SweepAnswer& totals) {
  Outcome outcome;
  std::optional<Ticket> ticket = Ticket{{}, to_text(to_json(next))};
  TRY(crew_.ask([&ticket] { return std::exchange(ticket, std::nullopt); },
                [&outcome](const Ticket&, Outcome o) { outcome = std::move(o); }));
  if (outcome.kind == Outcome::Kind::kAnswer) {
    SweepAnswer answer = TRY(read_sweep_answer(outcome.answer.result));
    next.from = answer.next;
    add(answer, totals);
    for (const Json& request : answer.unsteady) {
      report_.beyond.push_back(
          absl::StrCat("wrong in a sweep, but right when asked again: ", to_text(request)));
    }
    return ask_each(std::move(answer.differences)).status();
  }
  const int64_t first = next.from;
  while (next.from < next.to) {
    const std::optional<SweptLayout> layout =
        swept_layout(next.seed, next.from, crew_.hello().limits);
    next.from += next.step;
    if (!layout) continue;
    const absl::StatusOr<bool> failed = ask_each(requests_about(*layout));
    if (!failed.ok() || *failed) return failed.status();
  }
  report_.beyond.push_back(absl::StrCat("only in a sweep of layouts ", first, " to ", next.to,
                                        ", not in single requests: ", outcome.what));
  return absl::OkStatus();
}

absl::Status SuiteRun::sweep() {
  SweepAnswer totals;
  SweepRequest next{.seed = options_.seed, .from = options_.shard, .step = options_.shards};
  next.milliseconds = std::clamp<int64_t>(options_.timeout.count() / 4, 1, 100);
  const int64_t most = options_.count.value_or(INT64_MAX / 2);
  absl::Status status;
  while (status.ok() && stopped_.empty() && next.from < most) {
    if (deadline_ && Clock::now() >= *deadline_) break;
    next.to = std::min(most, next.from + kSweptTogether * next.step);
    status = sweep_some(next, totals);
  }
  report_.scope.push_back(
      absl::StrCat("suite layout, many at a time in the plug-in: ", to_text(totals)));
  for (const auto& [reason, count] : totals.unsupported) {
    report_.scope.push_back(
        absl::StrCat("  of them unsupported, ", count, " layouts: ", shown(reason)));
  }
  return status;
}

}  // namespace tileproof::conform
