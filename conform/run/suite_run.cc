// SPDX-License-Identifier: Apache-2.0
#include "conform/run/suite_run.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conform/judge/judge.h"
#include "conform/report/cause.h"
#include "conform/run/questions.h"
#include "spec/lang/base/try.h"

namespace tileproof::conform {
namespace {

constexpr int64_t kMaxSkipped = 8;  // cases passed over for each one that avoids the known causes

// The outcome as a line: the answer without its id, or what happened instead.
std::string line_of(const Outcome& outcome) {
  if (outcome.kind != Outcome::Kind::kAnswer) return outcome.what;
  Json json = to_json(outcome.answer);
  remove(json, "id");
  return to_text(json);
}

// Compares outcomes, but not the messages of errors.
bool same(const Outcome& a, const Outcome& b) {
  if (a.kind != b.kind) return false;
  if (a.kind == Outcome::Kind::kAnswer) {
    return a.answer.kind == b.answer.kind && a.answer.result == b.answer.result &&
           a.answer.inexact == b.answer.inexact;
  }
  return a.kind != Outcome::Kind::kCrash || a.what == b.what;
}

constexpr char kAnsweredAlone[] = "asked again alone, it answered";

}  // namespace

SuiteRun::SuiteRun(const ConformOptions& options, const Suite& suite, Crew& crew, Report& report,
                   std::vector<size_t>& records_of_keys)
    : options_(options),
      suite_(suite),
      crew_(crew),
      report_(report),
      records_of_keys_(records_of_keys),
      search_(suite, crew.hello().limits, options.budget, report) {
  suite_number_ = number_of(report, suite.name);
}

absl::Status SuiteRun::run(std::set<std::string>& wanted,
                           std::optional<Clock::time_point> deadline) {
  wanted_ = &wanted;
  deadline_ = deadline;
  const absl::Status status = run_steps();
  if (!stopped_.empty()) report_.not_asked[std::string(suite_.name)] = stopped_;
  for (ScreenedFeature& one : screen_.screened(std::string(suite_.name))) {
    report_.screened.push_back(std::move(one));
  }
  return status;
}

absl::Status SuiteRun::run_steps() {
  TRY(ask_all());
  if (swept()) TRY(sweep());
  TRY(ask_again());
  TRY(find_causes());
  return ask_quieter();
}

// Records the outcome of a case. A second answer to the case may change it later.
void SuiteRun::done(size_t key, const Judged& judged) {
  const Outcome& outcome = judged.outcome;
  report_.failures.erase(key);
  if (outcome.kind != Outcome::Kind::kTimeout && outcome.kind != Outcome::Kind::kCrash) {
    screen_.answered(judged.features);
  }
  report_.records[key].verdict = judged.judgment.verdict;
  count_reason(report_, judged.judgment);
  if (fails(judged.judgment.verdict)) {
    Failure failure;
    failure.record = key;
    failure.request = judged.request;
    failure.what = line_of(outcome);
    failure.right = judged.judgment.right;
    failure.errors = outcome.errors;
    if (!outcome.repeatable) failure.again = kAnsweredAlone;
    report_.failures.emplace(key, std::move(failure));
    outcomes_.insert_or_assign(key, outcome);
    if (judged.random) random_.insert_or_assign(key, *judged.random);
    count_death(key, judged);
  }
  if (options_.go_on && !enough_) enough_ = !options_.go_on(judged.judgment.verdict);
}

void SuiteRun::settle(Judged judged) {
  if (judged.purpose.kind != Purpose::Kind::kQuestion) return;
  const size_t position = judged.purpose.number;
  if (position >= records_of_keys_.size()) {
    open_[position - records_of_keys_.size()].judged = std::move(judged);
    settle_in_order();
  } else if (records_of_keys_[position] != kLeftOut) {  // a second answer
    done(records_of_keys_[position], judged);
  }
}

// Records the outcomes up to the first question that has none yet.
void SuiteRun::settle_in_order() {
  while (!open_.empty() && (open_.front().judged || open_.front().screened)) {
    const Open one = std::move(open_.front());
    open_.pop_front();
    const Question& question = one.question;
    if (!stopped_.empty() || enough_ || !screen_.wants(question.ticket.features)) {
      records_of_keys_.push_back(kLeftOut);
      continue;
    }
    const size_t key = report_.records.size();
    records_of_keys_.push_back(key);
    report_.records.push_back(
        {question.id, suite_number_, number_of(report_, question.op), Verdict::kPass});
    report_.records.back().title = question.title;
    last_ = question.not_asked;
    ++asked_;
    if (options_.progress) options_.progress(std::string(suite_.name), asked_);
    done(key, *one.judged);
  }
}

absl::Status SuiteRun::ask_in_order(absl::FunctionRef<std::optional<Question>()> next) {
  const auto next_ticket = [&]() -> std::optional<Ticket> {
    while (stopped_.empty() && !enough_) {
      std::optional<Question> question = next();
      if (!question) break;
      Open& one = open_.emplace_back();
      one.screened = screen_.leaves_out(question->ticket.features);
      std::optional<Ticket> ticket;
      if (!one.screened) {
        ticket = std::exchange(question->ticket, {});
        ticket->purpose = {Purpose::Kind::kQuestion, records_of_keys_.size() + open_.size() - 1};
        question->ticket.features = ticket->features;
      }
      one.question = *std::move(question);
      if (ticket) return ticket;
      settle_in_order();
    }
    return std::nullopt;
  };
  const auto is_wanted = [this](const Ticket& ticket) {
    const bool wanted = stopped_.empty() && !enough_ && !screen_.leaves_out(ticket.features);
    if (!wanted) open_[ticket.purpose.number - records_of_keys_.size()].screened = true;
    return wanted;
  };
  const absl::Status status = crew_.ask_all(
      next_ticket, [this](Judged judged) { settle(std::move(judged)); }, is_wanted);
  settle_in_order();
  return status;
}

absl::Status SuiteRun::ask_all() {
  Questions questions(options_, suite_, crew_.hello(), *wanted_);
  absl::Status status = ask_in_order([&]() -> std::optional<Question> {
    if (deadline_ && Clock::now() >= *deadline_ - sweep_time() - quieter_time()) {
      return std::nullopt;
    }
    std::optional<Question> question = questions.next();
    if (question && !options_.cases.empty()) wanted_->erase(case_id(question->id));
    return question;
  });
  const std::string name(suite_.name);
  const bool whole = stopped_.empty() && !enough_;
  NotAsked dropped = whole ? questions.not_asked() : last_;
  if (!options_.cases.empty()) dropped = {};  // nobody wanted them
  if (dropped.beyond > 0) report_.beyond_limits[name] = dropped.beyond;
  if (dropped.unnamed > 0) report_.unnamed_ops[name] = dropped.unnamed;
  if (dropped.undecidable > 0) report_.undecidable[name] = dropped.undecidable;
  if (options_.exhaustive && whole) {
    report_.scope.push_back(absl::StrCat(
        "suite ", name, ", ", asked_, " requests: every fixed one",
        suite_.family_text == nullptr ? "" : absl::StrCat(", and ", suite_.family_text())));
  }
  return status;
}

// The time for the cases that avoid the known causes, if there is no count.
SuiteRun::Clock::duration SuiteRun::quieter_time() const {
  if (!options_.steer || options_.count || !options_.time) return Clock::duration::zero();
  return *options_.time / (4 * std::ssize(options_.suites));
}

// Asks as many cases again, without the features of the known causes.
absl::Status SuiteRun::ask_quieter() {
  const bool random = options_.cases.empty() && !options_.exhaustive && options_.shards == 1;
  if (!options_.steer || !random || search_.causes() == 0 || !stopped_.empty() || enough_) {
    return absl::OkStatus();
  }
  ConformOptions more = options_;
  const int64_t first = options_.count.value_or(std::ssize(report_.records));
  const int64_t wanted = std::min(first, INT64_MAX / (2 * kMaxSkipped));
  more.count = first + kMaxSkipped * wanted;
  Questions questions(more, suite_, crew_.hello(), {}, first);
  const size_t before = report_.records.size();
  const int64_t asked_before = asked_;
  const auto asked = [&] { return asked_ - asked_before; };
  bool more_questions = true;
  const auto next = [&]() -> std::optional<Question> {
    const auto under_way =
        std::count_if(open_.begin(), open_.end(), [](const Open& one) { return !one.screened; });
    while (asked() + under_way < wanted) {
      std::optional<Question> question;
      if (!deadline_ || Clock::now() < *deadline_) question = questions.next();
      more_questions = question.has_value();
      if (!more_questions) break;
      if (!search_.is_explained(read_json(question->ticket.request)->value)) return question;
    }
    return std::nullopt;
  };
  const size_t causes = search_.causes();
  while (more_questions && stopped_.empty() && !enough_ && asked() < wanted) {
    TRY(ask_in_order(next));  // again, if some were left out that were under way
  }
  TRY(ask_again());
  TRY(find_causes());
  const auto failed =
      std::count_if(report_.records.begin() + static_cast<int64_t>(before), report_.records.end(),
                    [](const Record& r) { return fails(r.verdict); });
  const size_t found = search_.causes() - causes;
  const std::string more_causes = found == 0 ? "none" : absl::StrCat(found, " more");
  const char* before_too = found == 0 ? " as before" : "";
  report_.scope.push_back(
      absl::StrCat("suite ", std::string(suite_.name), ": ", asked(),
                   " more cases were asked to find other causes: ", more_causes, " found",
                   failed == 0 ? "" : absl::StrCat(" (", failed, " failed", before_too, ")")));
  return absl::OkStatus();
}

void SuiteRun::count_death(size_t key, const Judged& judged) {
  const Outcome& outcome = judged.outcome;
  const bool died = outcome.kind == Outcome::Kind::kTimeout ||
                    outcome.kind == Outcome::Kind::kCrash || outcome.what == kTooLong;
  if (!died) return;
  const Record& record = report_.records[key];
  if (options_.keep_going || expectation_of(report_, record) != nullptr) return;
  const std::string why = screen_.died(judged.features, outcome.what);
  if (stopped_.empty()) stopped_ = why;
}

// Asks every failure once more, except for stray lines, and except for crashes and timeouts after
// the first five of a kind. A crash stays a crash if the second answer is another one: it depends
// on earlier requests.
absl::Status SuiteRun::ask_again() {
  std::vector<size_t> again;
  std::map<std::string, int> deaths;
  for (const auto& [key, outcome] : outcomes_) {
    const Verdict verdict = report_.records[key].verdict;
    if (!fails(verdict) || verdict == Verdict::kProtocol || looked_at_.contains(key)) continue;
    if (!outcome.repeatable) continue;
    if (outcome.kind != Outcome::Kind::kAnswer && ++deaths[outcome.what] > kStopAfter) continue;
    again.push_back(key);
  }
  size_t position = 0;
  const auto next = [&]() -> std::optional<Ticket> {
    if (position == again.size()) return std::nullopt;
    const size_t key = again[position++];
    return Ticket{{Purpose::Kind::kAgain, key}, to_text(report_.failures.at(key).request)};
  };
  return crew_.ask(next, [this](const Ticket& ticket, const Outcome& outcome) {
    if (ticket.purpose.kind != Purpose::Kind::kAgain) {
      return settle(judged(ticket, outcome));  // a second answer
    }
    const size_t key = ticket.purpose.number;
    const auto first = outcomes_.find(key);
    if (first == outcomes_.end() || same(first->second, outcome)) return;
    Record& record = report_.records[key];
    const bool died = record.verdict == Verdict::kCrash || record.verdict == Verdict::kTimeout;
    if (!died) {
      record.verdict = outcome.kind == Outcome::Kind::kCrash ? Verdict::kCrash : Verdict::kFlaky;
    }
    report_.failures.at(key).again = line_of(outcome);
  });
}

// Asks a request of which nothing is recorded.
absl::StatusOr<Outcome> SuiteRun::ask_one(const Json& request) {
  Outcome outcome;
  std::optional<Ticket> ticket = Ticket{{}, to_text(request)};
  TRY(crew_.ask([&ticket] { return std::exchange(ticket, std::nullopt); },
                [&outcome](const Ticket&, Outcome o) { outcome = std::move(o); }));
  return outcome;
}

absl::Status SuiteRun::find_causes() {
  std::vector<CauseSearch::Candidate> candidates;
  for (const auto& [key, failure] : report_.failures) {
    const Record& record = report_.records[key];
    if (record.suite != suite_number_ || !looked_at_.insert(key).second) continue;
    const Expectation* expected = expectation_of(report_, record);
    const bool whole_operation = expected != nullptr && expected->key == report_.op_of(record);
    const bool worth = record.verdict == Verdict::kWrong || record.verdict == Verdict::kError ||
                       record.verdict == Verdict::kCrash;
    if (!worth || !failure.again.empty() || whole_operation) continue;
    const auto random = random_.find(key);
    candidates.push_back(
        {key, random == random_.end() ? std::nullopt : std::optional(random->second)});
  }
  absl::Status status;
  search_.run(candidates, [&](const Json& request) -> std::optional<Probe> {
    absl::StatusOr<Outcome> outcome = ask_one(request);
    status = outcome.status();
    if (!status.ok()) return std::nullopt;
    Judgment judgment = judgment_of(request, *outcome);
    return Probe{
        judgment.verdict,
        {request, line_of(*outcome), std::move(judgment.right), std::move(outcome->errors)}};
  });
  return status;
}

// The part of a suite's run that sweeps through many layouts (conform/run/questions.h).

bool SuiteRun::swept() const {
  return options_.plugin && suite_.name == "layout" && options_.cases.empty() &&
         !options_.exhaustive;
}

// A sweep gets half of the suite's time.
SuiteRun::Clock::duration SuiteRun::sweep_time() const {
  if (!swept() || !options_.time) return Clock::duration::zero();
  return *options_.time / (2 * std::ssize(options_.suites));
}

// Asks requests as cases of the suite until one of them fails.
absl::Status SuiteRun::ask_until_one_fails(const std::vector<Json>& requests) {
  for (const Json& request : requests) {
    const auto before = std::ssize(report_.records);
    std::optional<Question> question = question_about(request, crew_.hello());
    TRY(ask_in_order([&question] { return std::exchange(question, std::nullopt); }));
    const bool failed = std::any_of(report_.records.begin() + before, report_.records.end(),
                                    [](const Record& r) { return fails(r.verdict); });
    if (failed || !stopped_.empty() || enough_) return absl::OkStatus();
  }
  report_.beyond.push_back(
      absl::StrCat("wrong in a sweep, but right when asked again: ", to_text(requests.front())));
  return absl::OkStatus();
}

absl::Status SuiteRun::sweep() {
  SweepTotals totals;
  std::deque<Json> requests;                   // about the last layout
  std::vector<std::vector<Json>> differences;  // requests that show it, the smallest first
  int64_t number = options_.shard;
  const int64_t most = options_.count.value_or(INT64_MAX / 2);
  const auto next = [&]() -> std::optional<Ticket> {
    const bool late = deadline_ && Clock::now() >= *deadline_;
    while (requests.empty() && number < most) {
      const std::vector<Json> about = swept_requests(options_.seed, number, crew_.hello().limits);
      requests.assign(about.begin(), about.end());
      totals.layouts += about.empty() || late ? 0 : 1;
      number += options_.shards;
    }
    if (requests.empty() || late || !differences.empty()) return std::nullopt;
    Ticket ticket = question_about(requests.front(), crew_.hello()).ticket;
    requests.pop_front();
    return ticket;
  };
  const auto done = [&](const Ticket& ticket, Outcome outcome) {
    Judged one = judged(ticket, std::move(outcome));
    if (one.purpose.kind != Purpose::Kind::kProbe) return settle(std::move(one));
    const Json request = read_json(ticket.request)->value;
    if (one.judgment.verdict == Verdict::kUnsupported) {
      ++totals.unsupported[absl::StrCat(*find_as<std::string>(request, "op"), ": ",
                                        one.judgment.reason)];
      return;
    }
    count_questions(request, totals);
    if (!fails(one.judgment.verdict)) return;
    const auto is_same = [&](const char* key) {
      return *find(differences.back().front(), key) == *find(request, key);
    };
    if (!differences.empty() && is_same("op") && is_same("shape")) return;
    std::vector<Json>& difference = differences.emplace_back();
    const absl::StatusOr<JsonText> right = read_json(ticket.expected);
    if (right.ok() && one.outcome.kind == Outcome::Kind::kAnswer) {
      difference.push_back(first_wrong(request, one.outcome.answer.result, right->value));
    }
    difference.push_back(request);
  };
  absl::Status status;
  for (bool more = true; more && status.ok() && stopped_.empty() && !enough_;) {
    status = crew_.ask(next, done);
    for (const std::vector<Json>& difference : differences) {
      if (status.ok() && stopped_.empty() && !enough_) status = ask_until_one_fails(difference);
    }
    more = !differences.empty();
    differences.clear();
  }
  report_.scope.push_back(
      absl::StrCat("suite layout, many at a time in the plug-in: ", to_text(totals)));
  for (const auto& [reason, count] : totals.unsupported) {
    report_.scope.push_back(
        absl::StrCat("  of them unsupported, ", count, " requests: ", shown(reason)));
  }
  return status;
}

}  // namespace tileproof::conform
