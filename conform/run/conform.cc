#include "conform/run/conform.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conform/run/questions.h"
#include "conform/run/session.h"
#include "conform/run/sweep.h"
#include "conform/shrink/shrink.h"
#include "spec/lang/base/try.h"

namespace tileproof::conform {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMaxShrunk = 3;      // failures of one operation and verdict
constexpr int kMaxAsked = 5000;    // requests to shrink one of them,
constexpr int kMaxRestarts = 400;  // .. where each ends the program
constexpr std::chrono::seconds kShrinkTime(10);
constexpr int64_t kSweptTogether = 64;  // layouts

// What happened, as a line: the answer without its id, or the event.
std::string line_of(const Outcome& outcome) {
  if (outcome.kind != Outcome::Kind::kAnswer) return outcome.what;
  Json json = to_json(outcome.answer);
  remove(json, "id");
  return to_text(json);
}

Judgment judgment_of(const Json& request, const Outcome& outcome) {
  if (!outcome.repeatable) return {Verdict::kFlaky, ""};
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

// The words of an error are not part of the answer.
bool same(const Outcome& a, const Outcome& b) {
  if (a.kind != b.kind) return false;
  if (a.kind == Outcome::Kind::kAnswer) {
    return a.answer.kind == b.answer.kind && a.answer.result == b.answer.result &&
           a.answer.inexact == b.answer.inexact;
  }
  return a.kind != Outcome::Kind::kCrash || a.what == b.what;
}

// One suite being asked.
class SuiteRun {
 public:
  SuiteRun(const ConformOptions& options, const Suite& suite, Session& session, Report& report)
      : options_(options), suite_(suite), session_(session), report_(report) {
    suite_number_ = number_of(report, suite.name);
  }

  absl::Status run(std::set<std::string>& wanted, std::optional<Clock::time_point> deadline) {
    wanted_ = &wanted;
    deadline_ = deadline;
    absl::Status status = ask_all();
    if (status.ok() && swept()) status = sweep();
    if (status.ok()) status = ask_again();
    if (status.ok()) status = shrink();
    return status;
  }

  void done(const Ticket& ticket, const Outcome& outcome) {
    const auto key = static_cast<size_t>(ticket.key);
    Record& record = report_.records[key];
    report_.failures.erase(key);
    if (outcome.kind == Outcome::Kind::kExpected) return note(key, Verdict::kPass);
    Json request = read_json(ticket.request)->value;  // it was written here
    const Judgment judgment = judgment_of(request, outcome);
    record.verdict = judgment.verdict;
    count_reason(report_, judgment);
    if (fails(judgment.verdict)) {
      Failure failure;
      failure.record = key;
      failure.request = std::move(request);
      failure.what = line_of(outcome);
      failure.right = judgment.right;
      if (!outcome.repeatable) failure.again = "asked again alone, it answered";
      report_.failures.emplace(key, std::move(failure));
      outcomes_.insert_or_assign(key, outcome);
      if (ticket.random) random_.insert_or_assign(key, *ticket.random);
      count_deaths(record, outcome);
    }
    note(key, judgment.verdict);
  }

  // Whether the caller wants no more.
  bool enough() const { return enough_; }

 private:
  // The verdict of a case; a second answer to it may bring another.
  void note(size_t key, Verdict verdict) {
    report_.records[key].verdict = verdict;
    if (options_.go_on && !enough_) enough_ = !options_.go_on(verdict);
  }

  absl::Status ask_all() {
    Questions questions(options_, suite_, session_.hello(), *wanted_);
    int64_t asked = 0;
    const auto next = [&]() -> std::optional<Ticket> {
      if (!stopped_.empty() || enough_) return std::nullopt;
      if (deadline_ && Clock::now() >= *deadline_ - sweep_time()) return std::nullopt;
      std::optional<Question> question = questions.next();
      if (!question) return std::nullopt;
      if (!options_.cases.empty()) wanted_->erase(case_id(question->id));
      ++asked;
      if (options_.progress) options_.progress(std::string(suite_.name), asked);
      return record(*std::move(question));
    };
    absl::Status status =
        session_.ask(next, [this](const Ticket& t, const Outcome& o) { done(t, o); });
    const int64_t beyond = questions.beyond();
    if (beyond > 0) report_.beyond_limits[std::string(suite_.name)] = beyond;
    if (!stopped_.empty()) report_.not_asked[std::string(suite_.name)] = stopped_;
    if (options_.exhaustive && stopped_.empty() && !enough_) {
      report_.scope.push_back(absl::StrCat("suite ", std::string(suite_.name), ", ", asked,
                                           " requests: every fixed one", family_text()));
    }
    return status;
  }

  std::string family_text() const {
    return suite_.family_text == nullptr ? "" : absl::StrCat(", and ", suite_.family_text());
  }

  bool swept() const {
    return options_.plugin && suite_.name == "layout" && options_.cases.empty() &&
           !options_.exhaustive;
  }

  // What is to be left of the time of the suite for a sweep: half.
  Clock::duration sweep_time() const {
    if (!swept() || !options_.time) return Clock::duration::zero();
    return *options_.time / (2 * std::ssize(options_.suites));
  }

  // Asks requests one after another, each a case of the suite. True where one of them failed.
  absl::StatusOr<bool> ask_each(std::vector<Json> requests) {
    const size_t before = report_.records.size();
    size_t position = 0;
    const auto next = [&]() -> std::optional<Ticket> {
      if (position == requests.size()) return std::nullopt;
      return record(question_about(requests[position++], session_.hello()));
    };
    TRY(session_.ask(next, [this](const Ticket& t, const Outcome& o) { done(t, o); }));
    return std::any_of(report_.records.begin() + static_cast<int64_t>(before),
                       report_.records.end(), [](const Record& r) { return fails(r.verdict); });
  }

  // One part of a sweep. What differs becomes cases. Where the program does not come back from it,
  // its layouts are asked about one by one, by requests, until it does not again.
  absl::Status sweep_some(SweepRequest& next, SweepAnswer& totals) {
    Outcome outcome;
    std::optional<Ticket> ticket = Ticket{-1, to_text(to_json(next))};
    TRY(session_.ask([&ticket] { return std::exchange(ticket, std::nullopt); },
                     [&outcome](const Ticket&, Outcome o) { outcome = std::move(o); }));
    if (outcome.kind == Outcome::Kind::kAnswer) {
      SweepAnswer answer = TRY(read_sweep_answer(outcome.answer.result));
      next.from = answer.next;
      add(answer, totals);
      for (const Json& request : answer.unsteady) {
        report_.beyond.push_back(absl::StrCat(
            "a wrong answer in a sweep, and a right one when asked again: ", to_text(request)));
      }
      return ask_each(std::move(answer.differences)).status();
    }
    const int64_t first = next.from;
    while (next.from < next.to) {
      const std::optional<SweptLayout> layout =
          swept_layout(next.seed, next.from, session_.hello().limits);
      next.from += next.step;
      if (!layout) continue;
      const absl::StatusOr<bool> failed = ask_each(requests_about(*layout));
      if (!failed.ok() || *failed) return failed.status();
    }
    report_.beyond.push_back(absl::StrCat("in a sweep of layouts ", first, " to ", next.to,
                                          ", and not when asked one by one: ", outcome.what));
    return absl::OkStatus();
  }

  absl::Status sweep() {
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

  Ticket record(Question question) {
    const size_t key = report_.records.size();
    report_.records.push_back(
        {question.id, suite_number_, number_of(report_, question.op), Verdict::kPass});
    question.ticket.key = static_cast<int64_t>(key);
    return std::move(question.ticket);
  }

  void count_deaths(const Record& record, const Outcome& outcome) {
    if (outcome.kind != Outcome::Kind::kTimeout && outcome.kind != Outcome::Kind::kCrash) return;
    if (options_.keep_going || expectation_of(report_, record) != nullptr) return;
    if (++deaths_[outcome.what] < kStopAfter || !stopped_.empty()) return;
    stopped_ =
        absl::StrCat("after ", kStopAfter, " times: ", outcome.what, " (--keep-going goes on)");
  }

  // Every failure once more, but for those that a stray line made, and for most of many deaths.
  absl::Status ask_again() {
    std::vector<size_t> again;
    std::map<std::string, int> deaths;
    for (const auto& [key, outcome] : outcomes_) {
      const Verdict verdict = report_.records[key].verdict;
      if (!fails(verdict) || verdict == Verdict::kProtocol || verdict == Verdict::kFlaky) continue;
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
      report_.records[key].verdict = Verdict::kFlaky;
      report_.failures.at(key).again = line_of(outcome);
    });
  }

  absl::Status shrink() {
    std::map<std::pair<uint32_t, Verdict>, int> done;
    for (const size_t key : shortest_first()) {
      Failure& failure = report_.failures.at(key);
      const Record& record = report_.records[key];
      if (record.suite != suite_number_ || expectation_of(report_, record) != nullptr) continue;
      const bool worth = record.verdict == Verdict::kWrong || record.verdict == Verdict::kError ||
                         record.verdict == Verdict::kCrash;
      if (!worth || done[{record.op, record.verdict}]++ >= kMaxShrunk) continue;
      TRY(shrink(failure, record.verdict));
    }
    return absl::OkStatus();
  }

  std::vector<size_t> shortest_first() const {
    std::vector<std::pair<size_t, size_t>> by_length;
    for (const auto& [key, failure] : report_.failures) {
      by_length.emplace_back(to_text(failure.request).size(), key);
    }
    std::sort(by_length.begin(), by_length.end());
    std::vector<size_t> keys;
    for (const auto& [length, key] : by_length) keys.push_back(key);
    return keys;
  }

  absl::Status shrink(Failure& failure, Verdict verdict) {
    absl::Status status;
    const auto deadline = Clock::now() + kShrinkTime;
    int left = verdict == Verdict::kCrash ? kMaxRestarts : kMaxAsked;
    std::optional<Failure::Smallest> smallest_so_far;
    const auto still_fails = [&](const Json& request) -> std::optional<bool> {
      if (!status.ok() || left-- <= 0 || Clock::now() >= deadline) return std::nullopt;
      Outcome outcome;
      std::optional<Ticket> ticket = Ticket{-1, to_text(request)};
      status = session_.ask([&ticket] { return std::exchange(ticket, std::nullopt); },
                            [&outcome](const Ticket&, Outcome o) { outcome = std::move(o); });
      Judgment judgment = judgment_of(request, outcome);
      if (!status.ok() || judgment.verdict != verdict) return false;
      smallest_so_far = {request, line_of(outcome), std::move(judgment.right)};
      return true;
    };
    Case failing{failure.request, std::nullopt};
    const auto random = random_.find(failure.record);
    if (random != random_.end()) failing.random = random->second;
    smallest(suite_, session_.hello().limits, failing, still_fails);
    failure.smallest = std::move(smallest_so_far);
    return status;
  }

  const ConformOptions& options_;
  const Suite& suite_;
  Session& session_;
  Report& report_;
  uint32_t suite_number_ = 0;
  std::set<std::string>* wanted_ = nullptr;
  std::optional<Clock::time_point> deadline_;
  std::map<size_t, uint64_t> random_;   // of failures: from where the choices began
  std::map<size_t, Outcome> outcomes_;  // .. and what happened first
  std::map<std::string, int> deaths_;
  std::string stopped_;
  bool enough_ = false;
};

}  // namespace

absl::StatusOr<Report> conform(const ConformOptions& options) {
  Report report;
  report.command = options.command;
  report.seed = options.seed;
  report.shard = options.shard;
  report.shards = options.shards;
  report.expectations = options.expectations;
  Session session = TRY(Session::start(options.command, options.timeout));
  report.name = session.hello().name;
  report.version = session.hello().version;

  std::set<std::string> wanted(options.cases.begin(), options.cases.end());
  const auto start = Clock::now();
  absl::Status status;
  bool enough = false;
  for (size_t i = 0; i < options.suites.size() && status.ok() && !enough; ++i) {
    std::optional<Clock::time_point> deadline;
    if (options.time) {
      const auto parts = static_cast<int64_t>(options.suites.size());
      deadline = start + *options.time * (static_cast<int64_t>(i) + 1) / parts;
    }
    SuiteRun run(options, *options.suites[i], session, report);
    status = run.run(wanted, deadline);
    enough = run.enough();
    if ((enough || i + 1 == options.suites.size()) && status.ok()) {
      session.finish([&run](const Ticket& t, const Outcome& o) {
        if (t.key >= 0) run.done(t, o);
      });
    }
  }
  if (!status.ok()) {
    const absl::string_view why = status.message();
    report.beyond.push_back(absl::StrCat("the program could not be started again: ", why));
  }
  for (const std::string& id : wanted) report.notes.push_back(absl::StrCat("no case ", id));
  for (const std::string& note : session.notes()) report.notes.push_back(note);
  return report;
}

}  // namespace tileproof::conform
