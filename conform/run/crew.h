// SPDX-License-Identifier: Apache-2.0
// The pipeline of a run: requests are made, sent to copies of the program, and their answers judged.
//
//     absl::StatusOr<std::unique_ptr<Crew>> crew = Crew::start({"./my_implementation"}, timeout, 4);
//     (*crew)->ask_all(next, take, wanted);  // take() receives each outcome, judged, in any order
//
// The thread that calls ask_all makes the requests and takes what is judged: `next`, `take` and
// `wanted` are only called there. Each copy of the program has a session in a thread of its own.
// Other threads judge. So all three go on side by side, also with one copy.
//
// Ticket i goes to copy i % N, so each copy gets the same requests in every run. Outcomes of one copy
// are taken in their order. What is no answer, such as a crash, is waited for, because the next
// request may depend on it (conform/run/screening.h).
//
// The thread of a copy lives as long as its session: the system ends a program when the thread ends
// that started it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
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

class Crew {
 public:
  using Next = Session::Next;
  using Done = Session::Done;
  using Take = absl::FunctionRef<void(Judged)>;
  using Wanted = absl::FunctionRef<bool(const Ticket&)>;

  // Starts `count` copies, at least one. An error if one cannot be started. `tell`: as for
  // Session::start; only the first copy tells.
  static absl::StatusOr<std::unique_ptr<Crew>> start(const std::vector<std::string>& command,
                                                     Milliseconds timeout, int64_t count,
                                                     RightAnswers* known = nullptr,
                                                     const Tell& tell = nullptr);
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  // Waits only for the judgments that are being made.
  ~Crew();

  // The first copy's answer to hello.
  const Hello& hello() const { return copies_.front()->session->hello(); }

  // Oddities of all copies (Session::notes), each once.
  std::vector<std::string> notes() const;

  // Asks all tickets of `next`, side by side. Otherwise as Session::ask. After an outcome that is no
  // answer, tickets that are not sent yet and no longer wanted are dropped.
  absl::Status ask_all(Next next, Take take, Wanted wanted);

  // Asks the first copy alone (Session::ask). The caller waits; `next` and `done` run in another
  // thread.
  absl::Status ask(Next next, Done done);

  // Session::finish for each copy, one after the other.
  void finish(Done done);

 private:
  using Clock = std::chrono::steady_clock;
  using Lock = std::unique_lock<std::mutex>;
  using Work = std::function<absl::Status()>;

  // A copy of the program, and the thread that talks to it.
  struct Copy {
    std::optional<Session> session;  // the thread uses it while it is busy
    Work work;                       // this and the next ones: guarded by mutex_
    bool busy = false, all_dealt = false;
    absl::Status status;
    std::deque<Ticket> dealt;  // to be sent
    // How many tickets may wait: as many as are sent in a short time, so that few are still sent
    // when the time of a run is over.
    size_t room = 1;
    std::optional<Clock::time_point> full_since;
    std::condition_variable wake;
    std::thread thread;
  };

  // An outcome that is not taken yet.
  struct Open {
    Ticket ticket;
    Outcome outcome;
    std::optional<Judged> judged = {};
  };

  explicit Crew(RightAnswers* known) : known_(known) {}
  void begin(Copy& copy, Work work);
  absl::Status call(Copy& copy, Work work);
  void deal(Copy& copy, Ticket ticket);
  std::optional<Ticket> next_dealt(Copy& copy);
  void add(const Ticket& ticket, Outcome outcome);
  void take_until(Lock& lock, Take take, Wanted wanted, absl::FunctionRef<bool()> condition);
  void run(Copy& copy);
  void judge_outcomes();

  RightAnswers* const known_;
  std::mutex mutex_;  // guards all members below, but not the copies' sessions
  std::condition_variable news_, unjudged_, taken_some_;
  std::vector<std::unique_ptr<Copy>> copies_;
  std::deque<Open> open_;         // in the order of the outcomes
  size_t begun_ = 0;              // of open_, from its front: judged, or being judged
  size_t added_ = 0, taken_ = 0;  // outcomes
  bool ending_ = false;           // the destructor is waiting
  std::vector<std::thread> judges_;
};

}  // namespace tileproof::conform
