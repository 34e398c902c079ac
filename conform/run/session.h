// A conversation with a program under test.
//
// Requests are sent while at most `window` of them wait for an answer, and whatever the program
// does ends in exactly one outcome for each: an answer, silence, its death, or a line that is no
// answer. A program that is gone is started again. Where several requests were waiting when it died
// or fell silent, each of them is asked once more alone, so the one that did it is named; where
// none does it again, the oldest is.
//
// The clock of an answer runs from when its request was the oldest waiting: from the last answer,
// or from the sending where nothing waited. Source: INTERFACE, section 3.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conform/protocol/protocol.h"
#include "conform/protocol/subprocess.h"

namespace tileproof::conform {

// A request, as text and without id, and the caller's own number for it.
struct Ticket {
  int64_t key = 0;
  std::string request = "";
  // What may be known of it before: how it is to be sent, where that is another text; the text of
  // its only right result, or that any error is right.
  std::string sent = "";
  std::string expected = "";
  bool error_expected = false;
  // The caller's too: from where the random choices of the case began.
  std::optional<uint64_t> random = {};
};

// Whether a program wants requests as they are. Else: what it is sent of one, without id.
bool asked_as_it_is(const Hello& hello);
std::string text_to_send(const Json& request, const Hello& hello);

struct Outcome {
  enum class Kind {
    kAnswer,
    kExpected,  // the answer is what the ticket expects, and was read no further
    kTimeout,
    kCrash,
    kProtocol
  };
  Kind kind = Kind::kAnswer;
  Answer answer;           // kAnswer: integers as JSON integers, in whatever form they came
  std::string what;        // else: what happened, in one line
  bool repeatable = true;  // false: asked again alone, it did not happen
};

class Session {
 public:
  // Starts the program and greets it. An error: it cannot be started.
  static absl::StatusOr<Session> start(std::vector<std::string> command, Milliseconds timeout);

  const Hello& hello() const { return hello_; }

  // What was odd but is no verdict, one line each: no greeting, input that did not end it.
  const std::vector<std::string>& notes() const { return notes_; }

  // Asks all that `next` gives, until it gives nothing and every answer is there. `done` is told
  // the outcome of each. It may be told of one again, when a second answer to it comes: that is its
  // outcome then. An error: the program could not be started again.
  using Next = absl::FunctionRef<std::optional<Ticket>()>;
  using Done = absl::FunctionRef<void(const Ticket&, Outcome)>;
  absl::Status ask(Next next, Done done);

  // End of input, and what the program still has to say.
  void finish(Done done);

 private:
  Session(std::vector<std::string> command, Milliseconds timeout)
      : command_(std::move(command)), timeout_(timeout) {}

  using Clock = std::chrono::steady_clock;
  struct Failure {
    Ticket ticket;  // the oldest that waited
    Outcome outcome;
  };

  absl::Status launch();
  void greet();
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
  std::optional<Subprocess> process_;
  Hello hello_;
  bool greeted_ = false;    // hello_ is known, or the defaults are taken
  bool says_hello_ = true;  // false: it dies of it
  std::vector<std::string> notes_;

  Lines lines_;
  std::string unsent_;
  int64_t next_id_ = 1;  // 0 is the greeting's; never used twice
  std::map<int64_t, Ticket> waiting_;
  Clock::time_point since_;                           // of the oldest waiting
  std::deque<std::pair<int64_t, Ticket>> completed_;  // the last ones
  int64_t excused_ = 0;          // the id whose answer may come late: a stray line settled it
  std::deque<Ticket> suspects_;  // to be asked alone
  std::optional<Failure> unexplained_;
};

}  // namespace tileproof::conform
