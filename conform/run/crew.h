// SPDX-License-Identifier: Apache-2.0
// Several copies of the program under test, asked side by side.
//
//     absl::StatusOr<std::unique_ptr<Crew>> crew = Crew::start({"./my_implementation"}, timeout, 4);
//     (*crew)->ask_all(next, take);  // take() receives each outcome, judged, in any order
//
// Each copy has a session in a thread of its own, where its answers are judged, too. A crew of one
// asks in the thread that calls ask_all, and judges in others (conform/run/judge_threads.h). `next`
// and `take` are only called in the thread that calls ask_all.
//
// Ticket i goes to copy i % N, so each copy gets the same requests in every run. A thread lives as
// long as its session: the system ends a program when the thread ends that started it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conform/run/judge_threads.h"
#include "conform/run/right_answers.h"
#include "conform/run/session.h"

namespace tileproof::conform {

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
