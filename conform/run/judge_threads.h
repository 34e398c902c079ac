// SPDX-License-Identifier: Apache-2.0
// Judges outcomes in threads of its own, while the program under test answers the next requests.
//
//     JudgeThreads judges(take);
//     judges.add(ticket, outcome);  // for each outcome; calls take() for those that are judged
//     judges.finish();              // waits for all others
//
// take() is called in the thread that calls add() and finish(), in the order of the outcomes. So
// the report does not depend on the threads. An outcome that is no answer, such as a crash, is
// waited for, because the next request may depend on it (conform/run/screening.h).
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"
#include "conform/judge/judge.h"
#include "conform/protocol/json.h"
#include "conform/run/right_answers.h"
#include "conform/run/session.h"

namespace tileproof::conform {

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

}  // namespace tileproof::conform
