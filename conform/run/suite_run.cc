// SPDX-License-Identifier: Apache-2.0
#include "conform/run/suite_run.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conform/judge/judge.h"
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

Judgment judgment_of(const Json& request, const Outcome& outcome) {
  switch (outcome.kind) {
    case Outcome::Kind::kAnswer:
      return judge(request, outcome.answer);
    case Outcome::Kind::kExpected:
      return {};
    case Outcome::Kind::kTimeout:
      return {Verdict::kTimeout, to_text(right_answer(request))};
    case Outcome::Kind::kCrash:
      return {Verdict::kCrash, to_text(right_answer(request))};
    case Outcome::Kind::kProtocol:
      return {Verdict::kProtocol, ""};
  }
  return {};
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

SuiteRun::SuiteRun(const ConformOptions& options, const Suite& suite, Session& session,
                   Report& report)
    : options_(options),
      suite_(suite),
      session_(session),
      report_(report),
      search_(suite, session.hello().limits, options.budget, report) {
  suite_number_ = number_of(report, suite.name);
}

absl::Status SuiteRun::run(std::set<std::string>& wanted,
                           std::optional<Clock::time_point> deadline) {
  wanted_ = &wanted;
  deadline_ = deadline;
  absl::Status status = ask_all();
  if (status.ok() && swept()) status = sweep();
  if (status.ok()) status = ask_again();
  if (status.ok()) status = find_causes();
  if (status.ok()) status = ask_quieter();
  if (!stopped_.empty()) report_.not_asked[std::string(suite_.name)] = stopped_;
  for (ScreenedFeature& one : screen_.screened(std::string(suite_.name))) {
    report_.screened.push_back(std::move(one));
  }
  return status;
}

void SuiteRun::done(const Ticket& ticket, const Outcome& outcome) {
  const auto key = static_cast<size_t>(ticket.key);
  report_.failures.erase(key);
  if (outcome.kind != Outcome::Kind::kTimeout && outcome.kind != Outcome::Kind::kCrash) {
    screen_.answered(ticket.features);
  }
  if (outcome.kind == Outcome::Kind::kExpected) return note(key, Verdict::kPass);
  Json request = read_json(ticket.request)->value;  // we wrote this text, so it is valid
  const Judgment judgment = judgment_of(request, outcome);
  report_.records[key].verdict = judgment.verdict;
  count_reason(report_, judgment);
  if (fails(judgment.verdict)) {
    Failure failure;
    failure.record = key;
    failure.request = std::move(request);
    failure.what = line_of(outcome);
    failure.right = judgment.right;
    if (!outcome.repeatable) failure.again = kAnsweredAlone;
    report_.failures.emplace(key, std::move(failure));
    outcomes_.insert_or_assign(key, outcome);
    if (ticket.random) random_.insert_or_assign(key, *ticket.random);
    count_death(ticket, outcome);
  }
  note(key, judgment.verdict);
}

// Records the verdict of a case. A second answer to the case may change it later.
void SuiteRun::note(size_t key, Verdict verdict) {
  report_.records[key].verdict = verdict;
  if (options_.go_on && !enough_) enough_ = !options_.go_on(verdict);
}

Ticket SuiteRun::record(Question question) {
  const size_t key = report_.records.size();
  report_.records.push_back(
      {question.id, suite_number_, number_of(report_, question.op), Verdict::kPass});
  question.ticket.key = static_cast<int64_t>(key);
  return std::move(question.ticket);
}

absl::Status SuiteRun::ask_all() {
  Questions questions(options_, suite_, session_.hello(), *wanted_);
  int64_t asked = 0;
  const auto next = [&]() -> std::optional<Ticket> {
    while (stopped_.empty() && !enough_) {
      if (deadline_ && Clock::now() >= *deadline_ - sweep_time() - quieter_time()) break;
      std::optional<Question> question = questions.next();
      if (!question) break;
      if (!options_.cases.empty()) wanted_->erase(case_id(question->id));
      if (!screen_.wants(question->ticket.features)) continue;
      ++asked;
      if (options_.progress) options_.progress(std::string(suite_.name), asked);
      return record(*std::move(question));
    }
    return std::nullopt;
  };
  absl::Status status =
      session_.ask(next, [this](const Ticket& t, const Outcome& o) { done(t, o); });
  const std::string name(suite_.name);
  if (questions.beyond() > 0) report_.beyond_limits[name] = questions.beyond();
  if (questions.undecidable() > 0) report_.undecidable[name] = questions.undecidable();
  if (options_.exhaustive && stopped_.empty() && !enough_) {
    report_.scope.push_back(
        absl::StrCat("suite ", name, ", ", asked, " requests: every fixed one", family_text()));
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
  Questions questions(more, suite_, session_.hello(), {}, first);
  const size_t before = report_.records.size();
  int64_t asked = 0;
  const auto next = [&]() -> std::optional<Ticket> {
    while (stopped_.empty() && !enough_ && asked < wanted) {
      if (deadline_ && Clock::now() >= *deadline_) break;
      std::optional<Question> question = questions.next();
      if (!question) break;
      if (search_.is_explained(read_json(question->ticket.request)->value)) continue;
      if (!screen_.wants(question->ticket.features)) continue;
      ++asked;
      return record(*std::move(question));
    }
    return std::nullopt;
  };
  const size_t causes = search_.causes();
  TRY(session_.ask(next, [this](const Ticket& t, const Outcome& o) { done(t, o); }));
  TRY(ask_again());
  TRY(find_causes());
  const auto failed =
      std::count_if(report_.records.begin() + static_cast<int64_t>(before), report_.records.end(),
                    [](const Record& r) { return fails(r.verdict); });
  report_.scope.push_back(absl::StrCat("suite ", std::string(suite_.name), ": of the cases, ",
                                       asked, " avoid the ", causes, " causes found before them; ",
                                       failed, " of these failed, and showed ",
                                       search_.causes() - causes, " new causes"));
  return absl::OkStatus();
}

std::string SuiteRun::family_text() const {
  return suite_.family_text == nullptr ? "" : absl::StrCat(", and ", suite_.family_text());
}

void SuiteRun::count_death(const Ticket& ticket, const Outcome& outcome) {
  if (outcome.kind != Outcome::Kind::kTimeout && outcome.kind != Outcome::Kind::kCrash) return;
  const Record& record = report_.records[static_cast<size_t>(ticket.key)];
  if (options_.keep_going || expectation_of(report_, record) != nullptr) return;
  const std::string why = screen_.died(ticket.features, outcome.what);
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
    return Ticket{static_cast<int64_t>(key), to_text(report_.failures.at(key).request)};
  };
  return session_.ask(next, [this](const Ticket& ticket, const Outcome& outcome) {
    const auto key = static_cast<size_t>(ticket.key);
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
    Outcome outcome;
    std::optional<Ticket> ticket = Ticket{-1, to_text(request)};
    status = session_.ask([&ticket] { return std::exchange(ticket, std::nullopt); },
                          [&outcome](const Ticket&, Outcome o) { outcome = std::move(o); });
    if (!status.ok()) return std::nullopt;
    Judgment judgment = judgment_of(request, outcome);
    return Probe{judgment.verdict, {request, line_of(outcome), std::move(judgment.right)}};
  });
  return status;
}

}  // namespace tileproof::conform
