// SPDX-License-Identifier: Apache-2.0
#include "conform/run/crew.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conform/protocol/signals.h"
#include "spec/lang/base/try.h"

namespace tileproof::conform {

namespace {

constexpr size_t kBacklog = 64;  // tickets that wait to be sent to one copy

class Single : public Crew {
 public:
  Single(Session session, RightAnswers* known) : session_(std::move(session)), known_(known) {}

  const Hello& hello() const override { return session_.hello(); }
  std::vector<std::string> notes() const override { return session_.notes(); }
  absl::Status ask_all(Next next, Take take) override {
    JudgeThreads judges(take, known_);
    absl::Status status = session_.ask(next, [&judges](const Ticket& ticket, Outcome outcome) {
      judges.add(ticket, std::move(outcome));
    });
    judges.finish();
    return status;
  }
  absl::Status ask(Next next, Done done) override { return session_.ask(next, done); }
  void finish(Done done) override { session_.finish(done); }

 private:
  Session session_;
  RightAnswers* known_;
};

// What the threads tell the one that waits for them.
struct Inbox {
  std::mutex mutex;  // guards all members, and most of those of Copy
  std::condition_variable changed;
  std::vector<Judged> judged;
};

// A copy of the program, and the thread that talks to it.
class Copy {
 public:
  explicit Copy(Inbox& inbox) : inbox_(inbox), thread_([this] { run(); }) {}
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;
  ~Copy() {
    {
      const std::scoped_lock lock(inbox_.mutex);
      unwanted_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

  // Does the work in the thread, and waits for it.
  absl::Status call(std::function<absl::Status()> work) {
    begin(std::move(work));
    std::unique_lock lock(inbox_.mutex);
    inbox_.changed.wait(lock, [this] { return !busy_; });
    return status_;
  }

  // Asks the tickets that deal() brings, until deal_no_more().
  void begin_to_ask() {
    begin([this] {
      return session_->ask([this] { return next(); },
                           [this](const Ticket& ticket, Outcome outcome) {
                             Judged one = judged(ticket, std::move(outcome));
                             const std::scoped_lock lock(inbox_.mutex);
                             inbox_.judged.push_back(std::move(one));
                             inbox_.changed.notify_one();
                           });
    });
  }

  // The thread uses the session while it is busy.
  std::optional<Session>& session() { return session_; }

  // For those who hold the lock of the inbox.
  bool is_busy() const { return busy_; }
  bool has_room() const { return dealt_.size() < kBacklog; }
  const absl::Status& status() const { return status_; }
  void deal(Ticket ticket) {
    dealt_.push_back(std::move(ticket));
    wake_.notify_one();
  }
  void deal_no_more() {
    all_dealt_ = true;
    wake_.notify_one();
  }

 private:
  void begin(std::function<absl::Status()> work) {
    const std::scoped_lock lock(inbox_.mutex);
    work_ = std::move(work);
    busy_ = true;
    all_dealt_ = false;
    dealt_.clear();
    wake_.notify_one();
  }

  std::optional<Ticket> next() {
    std::unique_lock lock(inbox_.mutex);
    wake_.wait(lock, [this] { return !dealt_.empty() || all_dealt_; });
    if (dealt_.empty()) return std::nullopt;
    Ticket ticket = std::move(dealt_.front());
    dealt_.pop_front();
    inbox_.changed.notify_one();
    return ticket;
  }

  void run() {
    std::unique_lock lock(inbox_.mutex);
    while (true) {
      wake_.wait(lock, [this] { return unwanted_ || work_; });
      if (!work_) break;
      const std::function<absl::Status()> work = std::exchange(work_, nullptr);
      lock.unlock();
      absl::Status status = work();
      lock.lock();
      status_ = std::move(status);
      busy_ = false;
      inbox_.changed.notify_one();
    }
    lock.unlock();
    session_.reset();
  }

  Inbox& inbox_;
  std::optional<Session> session_;
  std::condition_variable wake_;
  std::function<absl::Status()> work_;  // from here on guarded by the lock of the inbox
  bool busy_ = false, unwanted_ = false, all_dealt_ = false;
  absl::Status status_;
  std::deque<Ticket> dealt_;
  std::thread thread_;  // the last member, because it uses all others
};

class Several : public Crew {
 public:
  absl::Status start(const std::vector<std::string>& command, Milliseconds timeout, int64_t count,
                     const Tell& tell) {
    for (int64_t i = 0; i < count; ++i) {
      Copy& member = *members_.emplace_back(std::make_unique<Copy>(inbox_));
      TRY(member.call([&]() -> absl::Status {
        member.session() = TRY(Session::start(command, timeout, i == 0 ? tell : nullptr));
        return absl::OkStatus();
      }));
    }
    return absl::OkStatus();
  }

  const Hello& hello() const override { return members_.front()->session()->hello(); }

  std::vector<std::string> notes() const override {
    std::vector<std::string> notes;
    for (const auto& member : members_) {
      for (const std::string& note : member->session()->notes()) {
        if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
      }
    }
    return notes;
  }

  absl::Status ask_all(Next next, Take take) override {
    for (const auto& member : members_) member->begin_to_ask();
    for (size_t position = 0;; ++position) {
      Copy& member = *members_[position % members_.size()];
      wait(take, [&member] { return member.has_room() || !member.is_busy(); });
      std::optional<Ticket> ticket = next();
      const std::scoped_lock lock(inbox_.mutex);
      if (!ticket || !member.is_busy()) break;  // not busy: its program cannot be restarted
      member.deal(*std::move(ticket));
    }
    {
      const std::scoped_lock lock(inbox_.mutex);
      for (const auto& member : members_) member->deal_no_more();
    }
    const auto is_idle = [](const auto& member) { return !member->is_busy(); };
    wait(take, [&] { return std::all_of(members_.begin(), members_.end(), is_idle); });
    absl::Status status;
    for (const auto& member : members_) status.Update(member->status());
    return status;
  }

  absl::Status ask(Next next, Done done) override {
    Copy& first = *members_.front();
    return first.call([&] { return first.session()->ask(next, done); });
  }

  void finish(Done done) override {
    for (const auto& member : members_) {
      member
          ->call([&] {
            member->session()->finish(done);
            return absl::OkStatus();
          })
          .IgnoreError();
    }
  }

 private:
  // Takes what is judged until the condition holds and nothing is left to take.
  void wait(Take take, absl::FunctionRef<bool()> condition) {
    std::unique_lock lock(inbox_.mutex);
    while (true) {
      std::vector<Judged> judged = std::exchange(inbox_.judged, {});
      if (judged.empty()) {
        if (condition()) return;
        inbox_.changed.wait(lock);
        continue;
      }
      lock.unlock();
      for (Judged& one : judged) take(std::move(one));
      lock.lock();
    }
  }

  Inbox inbox_;
  std::vector<std::unique_ptr<Copy>> members_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Crew>> Crew::start(const std::vector<std::string>& command,
                                                  Milliseconds timeout, int64_t count,
                                                  RightAnswers* known, const Tell& tell) {
  if (count <= 1) {
    Session session = TRY(Session::start(command, timeout, tell));
    return std::unique_ptr<Crew>(std::make_unique<Single>(std::move(session), known));
  }
  auto several = std::make_unique<Several>();
  TRY(several->start(command, timeout, count, tell));
  return std::unique_ptr<Crew>(std::move(several));
}

namespace {

constexpr size_t kMostOpenJudgments = 256;  // outcomes that wait to be judged
constexpr unsigned kMostJudgeThreads = 4;

// The request and its answer, without id.
std::string text_of(const Ticket& ticket, const Answer& answer) {
  Json json = to_json(answer);
  remove(json, "id");
  return absl::StrCat(ticket.request, "\n", to_text(json));
}

}  // namespace

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

Judged judged(const Ticket& ticket, Outcome outcome, RightAnswers* known) {
  Judged result{ticket.purpose, ticket.features, ticket.random, std::move(outcome)};
  if (result.outcome.kind == Outcome::Kind::kExpected) return result;
  std::string text;
  if (known != nullptr && result.outcome.kind == Outcome::Kind::kAnswer) {
    text = text_of(ticket, result.outcome.answer);
    if (known->contains(text)) return result;
  }
  result.request = read_json(ticket.request)->value;  // we wrote this text, so it is valid
  result.judgment = judgment_of(result.request, result.outcome);
  if (!text.empty() && result.judgment.verdict == Verdict::kPass) known->add(std::move(text));
  return result;
}

JudgeThreads::~JudgeThreads() {
  {
    const std::lock_guard lock(mutex_);
    unwanted_ = true;
  }
  some_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void JudgeThreads::start() {
  const unsigned count = std::clamp(std::thread::hardware_concurrency(), 1U, kMostJudgeThreads);
  while (threads_.size() < count) {
    try {
      threads_.emplace_back([this] { run(); });
    } catch (const std::system_error&) {
      return;  // without any thread, add() judges
    }
  }
}

// Other threads change neither the order nor the number of open_, so asking for it needs no lock.
void JudgeThreads::add(const Ticket& ticket, Outcome outcome) {
  const bool expected = outcome.kind == Outcome::Kind::kExpected;
  if (expected && open_.empty()) return take_(judged(ticket, std::move(outcome)));
  const bool answered = expected || outcome.kind == Outcome::Kind::kAnswer;
  if (!expected && threads_.empty()) start();
  Open one{{.purpose = ticket.purpose, .features = ticket.features, .random = ticket.random},
           std::move(outcome)};
  if (expected || threads_.empty()) {
    one.judged = judged(ticket, std::move(one.outcome), known_);
  } else {
    one.ticket.request = ticket.request;
  }
  {
    const std::lock_guard lock(mutex_);
    open_.push_back(std::move(one));
  }
  some_.notify_one();
  take_until(answered ? kMostOpenJudgments : 0);
}

// Takes what is judged, and waits until at most so many outcomes are open.
void JudgeThreads::take_until(size_t most_open) {
  std::unique_lock lock(mutex_);
  while (!open_.empty()) {
    if (!open_.front().judged) {
      if (open_.size() <= most_open || Signals::received() != 0) return;
      first_judged_.wait(lock, [this] { return open_.front().judged.has_value(); });
    }
    Judged first = *std::move(open_.front().judged);
    open_.pop_front();
    if (begun_ > 0) --begun_;
    lock.unlock();
    take_(std::move(first));
    lock.lock();
  }
}

void JudgeThreads::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    some_.wait(lock, [this] { return unwanted_ || begun_ < open_.size(); });
    if (unwanted_) return;
    Open& one = open_[begun_++];  // stays where it is while others come and go
    if (one.judged) continue;
    lock.unlock();
    Judged result = judged(one.ticket, std::move(one.outcome), known_);
    lock.lock();
    one.judged = std::move(result);
    if (&one == &open_.front()) first_judged_.notify_one();
  }
}

}  // namespace tileproof::conform
