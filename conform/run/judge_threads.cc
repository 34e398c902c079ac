// SPDX-License-Identifier: Apache-2.0
#include "conform/run/judge_threads.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conform/protocol/signals.h"

namespace tileproof::conform {
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
