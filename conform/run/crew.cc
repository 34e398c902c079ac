// SPDX-License-Identifier: Apache-2.0
#include "conform/run/crew.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conform/protocol/subprocess.h"
#include "spec/lang/base/try.h"

namespace tileproof::conform {
namespace {

constexpr size_t kMostRoom = 64;  // tickets that wait to be sent to one copy
constexpr std::chrono::milliseconds kShortTime{5};
constexpr size_t kMostOpen = 256;  // outcomes that wait to be judged
constexpr unsigned kMostJudges = 4;

bool is_answer(const Outcome& outcome) {
  return outcome.kind == Outcome::Kind::kAnswer || outcome.kind == Outcome::Kind::kExpected;
}

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

absl::StatusOr<std::unique_ptr<Crew>> Crew::start(const std::vector<std::string>& command,
                                                  Milliseconds timeout, int64_t count,
                                                  RightAnswers* known, const Tell& tell) {
  std::unique_ptr<Crew> crew(new Crew(known));
  try {
    for (int64_t i = 0; i < std::max<int64_t>(count, 1); ++i) {
      Copy& copy = *crew->copies_.emplace_back(std::make_unique<Copy>());
      copy.thread = std::thread([&crew = *crew, &copy] { crew.run(copy); });
      TRY(crew->call(copy, [&]() -> absl::Status {
        copy.session = TRY(Session::start(command, timeout, i == 0 ? tell : nullptr));
        return absl::OkStatus();
      }));
    }
    const unsigned judges = std::clamp(std::thread::hardware_concurrency(), 1U, kMostJudges);
    while (crew->judges_.size() < judges)
      crew->judges_.emplace_back([&crew = *crew] { crew.judge_outcomes(); });
  } catch (const std::system_error& error) {
    if (crew->judges_.empty())
      return absl::ResourceExhaustedError(absl::StrCat("cannot start a thread: ", error.what()));
  }
  return crew;
}

Crew::~Crew() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
    for (const auto& copy : copies_) {  // an internal failure may end a run before all is dealt
      copy->dealt.clear();
      copy->all_dealt = true;
    }
  }
  unjudged_.notify_all();
  for (std::thread& judge : judges_) judge.join();
  for (const auto& copy : copies_) {
    copy->wake.notify_one();
    if (copy->thread.joinable()) copy->thread.join();
  }
}

std::vector<std::string> Crew::notes() const {
  std::vector<std::string> notes;
  for (const auto& copy : copies_) {
    for (const std::string& note : copy->session->notes()) {
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
    }
  }
  return notes;
}

absl::Status Crew::ask_all(Next next, Take take, Wanted wanted) {
  for (const auto& copy : copies_) {
    begin(*copy, [this, &copy = *copy] {
      return copy.session->ask(
          [this, &copy] { return next_dealt(copy); },
          [this](const Ticket& ticket, Outcome outcome) { add(ticket, std::move(outcome)); });
    });
  }
  Lock lock(mutex_);
  for (size_t position = 0;; ++position) {
    Copy& copy = *copies_[position % copies_.size()];
    take_until(lock, take, wanted, [&] { return copy.dealt.size() < copy.room || !copy.busy; });
    lock.unlock();
    std::optional<Ticket> ticket = next();
    lock.lock();
    if (!ticket || !copy.busy) break;  // not busy: its program cannot be restarted
    deal(copy, *std::move(ticket));
  }
  for (const auto& copy : copies_) {
    copy->all_dealt = true;
    copy->wake.notify_one();
  }
  take_until(lock, take, wanted, [this] {
    const bool idle = std::ranges::none_of(copies_, [](const auto& copy) { return copy->busy; });
    return idle && (open_.empty() || Signals::received() != 0);
  });
  absl::Status status;
  for (const auto& copy : copies_) status.Update(copy->status);
  return status;
}

absl::Status Crew::ask(Next next, Done done) {
  Copy& first = *copies_.front();
  return call(first, [&] { return first.session->ask(next, done); });
}

void Crew::finish(Done done) {
  for (const auto& copy : copies_) {
    const auto end = [&] {
      copy->session->finish(done);
      return absl::OkStatus();
    };
    call(*copy, end).IgnoreError();
  }
}

// Does the work in the thread of the copy.
void Crew::begin(Copy& copy, Work work) {
  const std::scoped_lock lock(mutex_);
  copy.work = std::move(work);
  copy.busy = true;
  copy.all_dealt = false;
  copy.dealt.clear();
  copy.wake.notify_one();
}

// The same, and waits for it.
absl::Status Crew::call(Copy& copy, Work work) {
  begin(copy, std::move(work));
  Lock lock(mutex_);
  news_.wait(lock, [&copy] { return !copy.busy; });
  return copy.status;
}

void Crew::deal(Copy& copy, Ticket ticket) {
  copy.dealt.push_back(std::move(ticket));
  if (copy.dealt.size() == 1) copy.wake.notify_one();
  if (copy.dealt.size() >= copy.room) copy.full_since = Clock::now();
}

// Takes what is judged until the condition holds and nothing is left to take.
void Crew::take_until(Lock& lock, Take take, Wanted wanted, absl::FunctionRef<bool()> condition) {
  while (true) {
    if (open_.empty() || !open_.front().judged) {
      if (condition()) return;
      news_.wait(lock);
      continue;
    }
    Judged first = *std::move(open_.front().judged);
    open_.pop_front();
    if (begun_ > 0) --begun_;
    const bool is_answered = is_answer(first.outcome);
    lock.unlock();
    take(std::move(first));
    lock.lock();
    if (!is_answered) {
      for (const auto& copy : copies_)
        std::erase_if(copy->dealt, [wanted](const Ticket& ticket) { return !wanted(ticket); });
    }
    ++taken_;
    taken_some_.notify_all();
  }
}

// ---- In the thread of a copy ----

void Crew::run(Copy& copy) {
  Lock lock(mutex_);
  while (true) {
    copy.wake.wait(lock, [&] { return ending_ || copy.work; });
    if (!copy.work) break;
    const Work work = std::exchange(copy.work, nullptr);
    lock.unlock();
    absl::Status status = work();
    lock.lock();
    copy.status = std::move(status);
    copy.busy = false;
    news_.notify_one();
  }
  lock.unlock();
  copy.session.reset();
}

std::optional<Ticket> Crew::next_dealt(Copy& copy) {
  Lock lock(mutex_);
  copy.wake.wait(lock, [&copy] { return !copy.dealt.empty() || copy.all_dealt; });
  if (copy.dealt.empty()) return std::nullopt;
  Ticket ticket = std::move(copy.dealt.front());
  copy.dealt.pop_front();
  if (copy.dealt.size() > copy.room / 2) return ticket;
  if (copy.full_since) {
    const bool is_fast = Clock::now() - *copy.full_since < kShortTime;
    copy.room = is_fast ? std::min(2 * copy.room, kMostRoom) : std::max<size_t>(copy.room / 2, 1);
    copy.full_since.reset();
  }
  news_.notify_one();
  return ticket;
}

void Crew::add(const Ticket& ticket, Outcome outcome) {
  const bool is_answered = is_answer(outcome);
  Open one{{.purpose = ticket.purpose, .features = ticket.features, .random = ticket.random},
           std::move(outcome)};
  if (one.outcome.kind == Outcome::Kind::kExpected) {
    one.judged = judged(ticket, std::move(one.outcome));
  } else {
    one.ticket.request = ticket.request;
  }
  Lock lock(mutex_);
  const size_t number = added_++;
  (one.judged ? news_ : unjudged_).notify_one();
  open_.push_back(std::move(one));
  taken_some_.wait(lock, [&] { return is_answered ? open_.size() <= kMostOpen : taken_ > number; });
}

// ---- In the thread of a judge ----

void Crew::judge_outcomes() {
  Lock lock(mutex_);
  while (true) {
    unjudged_.wait(lock, [this] { return ending_ || begun_ < open_.size(); });
    if (ending_) return;
    Open& one = open_[begun_++];  // stays where it is while others come and go
    if (one.judged) continue;
    lock.unlock();
    Judged result = judged(one.ticket, std::move(one.outcome), known_);
    lock.lock();
    one.judged = std::move(result);
    if (&one == &open_.front()) news_.notify_one();
  }
}

}  // namespace tileproof::conform
