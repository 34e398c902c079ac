// SPDX-License-Identifier: Apache-2.0
// Several copies of the program under test, asked side by side.
//
//     absl::StatusOr<std::unique_ptr<Crew>> crew = Crew::start({"./my_implementation"}, timeout, 4);
//     (*crew)->ask_all(next, take);  // take() receives each outcome, judged, in any order
//
// Each copy has a session in a thread of its own, where its answers are judged, too. A crew of one
// asks in the thread that calls ask_all, and judges in others (JudgeThreads). `next`
// and `take` are only called in the thread that calls ask_all.
//
// Ticket i goes to copy i % N, so each copy gets the same requests in every run. A thread lives as
// long as its session: the system ends a program when the thread ends that started it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conform/judge/judge.h"
#include "conform/protocol/json.h"
#include "conform/run/session.h"

namespace tileproof::conform {

// Judges outcomes in threads of its own, while the program under test answers the next requests.
//
//     JudgeThreads judges(take);
//     judges.add(ticket, outcome);  // for each outcome; calls take() for those that are judged
//     judges.finish();              // waits for all others
//
// take() is called in the thread that calls add() and finish(), in the order of the outcomes. So
// the report does not depend on the threads. An outcome that is no answer, such as a crash, is
// waited for, because the next request may depend on it (conform/run/screening.h).

// Answers that passed the judge, so that runs that ask the same questions judge them once.
//
//     RightAnswers known;
//     options.right_answers = &known;  // of several runs, also side by side
//
// The zoo asks each of its implementations the same questions, and most answers are right.

class RightAnswers {
 public:
  // `text`: of a request and its answer.
  bool contains(const std::string& text) const {
    const std::lock_guard lock(mutex_);
    return texts_.contains(text);
  }
  void add(std::string text) {
    const std::lock_guard lock(mutex_);
    texts_.insert(std::move(text));
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_set<std::string> texts_;
};

// The outcome of a ticket, with the judgment. `request` is set if it fails.
struct Judged {
  Purpose purpose;  // this and the next two: as Ticket has them
  uint32_t features = 0;
  std::optional<uint64_t> random;
  Outcome outcome;
  Json request = {};
  Judgment judgment = {};
};
// An answer that is among `known`, if given, passes; one that passes is added to them.
Judged judged(const Ticket& ticket, Outcome outcome, RightAnswers* known = nullptr);
Judgment judgment_of(const Json& request, const Outcome& outcome);

class JudgeThreads {
 public:
  using Take = absl::FunctionRef<void(Judged)>;

  explicit JudgeThreads(Take take, RightAnswers* known = nullptr) : take_(take), known_(known) {}
  JudgeThreads(const JudgeThreads&) = delete;
  JudgeThreads& operator=(const JudgeThreads&) = delete;
  // Waits only for the judgments that are being made.
  ~JudgeThreads();

  void add(const Ticket& ticket, Outcome outcome);
  void finish() { take_until(0); }

 private:
  struct Open {
    Ticket ticket;
    Outcome outcome;
    std::optional<Judged> judged = {};
  };

  void start();
  void run();
  void take_until(size_t most_open);

  Take take_;
  RightAnswers* known_;
  std::mutex mutex_;  // guards the members up to `unwanted_`
  std::condition_variable some_, first_judged_;
  std::deque<Open> open_;  // in the order of the outcomes
  size_t begun_ = 0;       // of open_, from its front: judged, or being judged
  bool unwanted_ = false;  // the destructor is waiting
  std::vector<std::thread> threads_;
};

class Crew {
 public:
  // Starts `count` copies. An error if one cannot be started. `known`: of a crew of one. `tell`: as
  // for Session::start; only the first copy tells.
  static absl::StatusOr<std::unique_ptr<Crew>> start(const std::vector<std::string>& command,
                                                     Milliseconds timeout, int64_t count,
                                                     RightAnswers* known = nullptr,
                                                     const Tell& tell = nullptr);
  virtual ~Crew() = default;

  // The first copy's answer to hello.
  virtual const Hello& hello() const = 0;

  // Oddities of all copies (Session::notes), each once.
  virtual std::vector<std::string> notes() const = 0;

  using Next = Session::Next;
  using Done = Session::Done;
  using Take = absl::FunctionRef<void(Judged)>;

  // Asks all tickets of `next`, side by side. Otherwise as Session::ask.
  virtual absl::Status ask_all(Next next, Take take) = 0;

  // Asks the first copy alone (Session::ask). The caller waits; `next` and `done` may run in another
  // thread.
  virtual absl::Status ask(Next next, Done done) = 0;

  // Session::finish for each copy, one after the other.
  virtual void finish(Done done) = 0;
};

}  // namespace tileproof::conform
