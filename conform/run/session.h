// SPDX-License-Identifier: Apache-2.0
// A conversation with a program under test.
//
//     absl::StatusOr<Session> session = Session::start({"./my_implementation"}, timeout);
//     session->ask(next, done);  // next() returns tickets, done() receives an outcome for each
//     session->finish(done);
//
// At most `window` requests wait for their answers at a time. Whatever the program does, each
// request gets an outcome: an answer, a timeout, a crash, or a malformed line.
//
// The session restarts a program that crashed or timed out. From the second restart on it has copies
// ready that it started ahead, because a program may need longer to start than to answer. If several requests were waiting then,
// it asks each of them again alone, and charges the one that fails again. If none does, it charges
// the oldest one and marks the outcome as not repeatable.
//
// The timeout of the oldest waiting request runs from the last answer, or from when the request was
// sent if no request was waiting then.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conform/protocol/protocol.h"
#include "conform/protocol/subprocess.h"

namespace tileproof::conform {

// Why the caller asks a request.
struct Purpose {
  enum class Kind {
    kProbe,     // to learn more; nothing is recorded
    kQuestion,  // as the question of this number
    kAgain,     // because the case of the record of this number failed
  };
  Kind kind = Kind::kProbe;
  size_t number = 0;
};

// A request to ask. The members from `sent` on are optional.
struct Ticket {
  Purpose purpose = {};         // for the caller
  std::string request = "";     // its text, without id
  std::string sent = "";        // the text to send, if it differs from `request`
  std::string expected = "";    // the text of the only right result
  bool error_expected = false;  // only an error is right
  uint32_t features = 0;        // for the caller: conform/run/screening.h
  // For the caller: the seed of the random choices of the case.
  std::optional<uint64_t> random = {};
};

struct Outcome {
  enum class Kind {
    kAnswer,
    kExpected,  // exactly the answer that the ticket expects; `answer` is not set
    kTimeout,
    kCrash,
    kProtocol
  };
  Kind kind = Kind::kAnswer;
  Answer answer;            // kAnswer: decimal strings are converted to integers
  std::string what;         // otherwise: what happened, in one line
  bool repeatable = true;   // false: it did not happen again when the request was asked alone
  std::string errors = {};  // kCrash: the end of what the program printed on standard error
};

// Outcome::what of a line that is cut off, after which the program is started again.
inline constexpr char kTooLong[] = "a line of more than 16 MiB";

// Takes a line that a person should see at once. Several sessions may call it at a time.
using Tell = std::function<void(const std::string&)>;

class Session {
 public:
  // Starts the program and sends hello. An error if the program cannot be started. `tell`, if any,
  // is called while the session waits for a silent program, and when it prints what is no answer.
  static absl::StatusOr<Session> start(std::vector<std::string> command, Milliseconds timeout,
                                       Tell tell = nullptr);

  const Hello& hello() const { return hello_; }

  // Oddities that are not failures, one line each: no answer to hello, no exit at the end of input.
  const std::vector<std::string>& notes() const { return notes_; }

  // Asks all tickets of `next` until it returns no value, and waits for all outcomes. Calls `done`
  // with the outcome of each ticket; and once more if a second answer to a ticket arrives, which
  // replaces its outcome. An error if the program cannot be restarted; kFailedPrecondition if it
  // exited at hello and at each request since, or answered neither hello nor two requests in time,
  // and never printed a line: such a program is not an implementation that crashes, but one that
  // does not run; kCancelled if we got a signal (conform/protocol/subprocess.h).
  using Next = absl::FunctionRef<std::optional<Ticket>()>;
  using Done = absl::FunctionRef<void(const Ticket&, Outcome)>;
  absl::Status ask(Next next, Done done);

  // Closes the program's input, reads its last lines, and waits for its end.
  void finish(Done done);

 private:
  Session(std::vector<std::string> command, Milliseconds timeout, Tell tell)
      : command_(std::move(command)), timeout_(timeout), tell_(std::move(tell)) {}

  using Clock = std::chrono::steady_clock;
  struct Failure {
    Ticket ticket;  // the oldest one that was waiting
    Outcome outcome;
  };

  absl::Status launch();
  bool take_ahead();
  void start_ahead();
  absl::Status expect_sign_of_life();
  absl::Status expect_an_answer();
  void tell(const std::string& text) const;
  void tell_of_other_line(absl::string_view line);
  std::string last_words();
  void greet(std::string greeting);
  void send(Ticket ticket);
  absl::Status step(Done done);
  bool as_expected(absl::string_view line, Done done);
  void handle(const Lines::Line& line, Done done);
  void malformed(absl::string_view what, Done done);
  void complete(int64_t id, Outcome outcome, Done done);
  absl::Status fail(Outcome outcome, Done done);
  std::string how_it_ended();

  std::vector<std::string> command_;
  Milliseconds timeout_;
  Tell tell_;
  std::optional<Subprocess> process_;
  std::deque<Subprocess> ahead_;  // copies that were sent hello, to take the place of a crashed one
  bool may_start_ahead_ = true;   // false: a copy does not run beside another one
  Hello hello_;
  int launches_ = 0;        // how often the program was started
  bool greeted_ = false;    // hello was answered, or the defaults are in use
  bool says_hello_ = true;  // false: the program ends when it receives hello
  bool was_heard_ = false;  // the program printed a line
  bool told_of_lines_ = false;
  std::set<std::string> unanswered_;  // requests, as long as it was not heard
  std::string end_;                   // how it ended last
  std::vector<std::string> notes_;

  Lines lines_;
  std::string unsent_;
  int64_t next_id_ = 1;  // no id is used twice; 0 is the id of hello
  std::map<int64_t, Ticket> waiting_;
  Clock::time_point since_;                           // when the timeout of the oldest one began
  std::deque<std::pair<int64_t, Ticket>> completed_;  // the most recent ones
  int64_t excused_ = 0;          // an id charged with a stray line; its own answer may come later
  std::deque<Ticket> suspects_;  // to be asked again alone
  std::optional<Failure> unexplained_;  // the failure that one of the suspects caused
};

}  // namespace tileproof::conform
