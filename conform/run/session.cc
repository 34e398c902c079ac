// SPDX-License-Identifier: Apache-2.0
#include "conform/run/session.h"

#include <algorithm>
#include <charconv>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conform/oracle/fields.h"
#include "conform/protocol/subprocess.h"
#include "conform/report/cause.h"
#include "spec/lang/base/try.h"

namespace tileproof::conform {
namespace {

constexpr size_t kMemoSize = 256;    // completed requests kept, to recognize second answers
constexpr int kHelloTimeouts = 5;    // a program may take longer to start than to answer
constexpr Milliseconds kDying(500);  // between closing its output and exiting
constexpr int kUnanswered = 2;       // requests that a program leaves unanswered, besides hello
constexpr int kMaxSilentStarts = 5;  // of a program that has not printed anything yet
constexpr size_t kAhead = 3;         // copies that are started ahead
constexpr Milliseconds kLastWords(5000);
constexpr size_t kMaxWords = 300;

Outcome failure(Outcome::Kind kind, std::string what) { return {kind, Answer(), std::move(what)}; }

std::string hello_line() { return to_text(hello_request()) + "\n"; }

// The lines of a text that may hold any bytes.
std::string lines_shown(absl::string_view text) {
  std::vector<std::string> lines;
  for (absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty()))
    lines.push_back(shown(line, kMaxWords));
  return absl::StrJoin(lines, "\n");
}

// An ASCII character that a JSON string holds without an escape.
bool is_simple(char c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\\'; }

std::string seconds(Milliseconds time) {
  return absl::StrCat(static_cast<double>(time.count()) / 1000, " s");
}

}  // namespace

absl::StatusOr<Session> Session::start(std::vector<std::string> command, Milliseconds timeout,
                                       Tell tell) {
  Session session(std::move(command), timeout, std::move(tell));
  TRY(session.launch());
  return session;
}

// An error if the program ended at hello, was asked since, and has not printed a line yet. A signal
// that ended it is a finding instead.
absl::Status Session::expect_sign_of_life() {
  if (was_heard_ || says_hello_ || next_id_ == 1) return absl::OkStatus();
  if (!absl::StartsWith(end_, "status ")) return absl::OkStatus();
  const std::string words = last_words();
  return absl::FailedPreconditionError(
      absl::StrCat("the program ended before its first answer (", end_, ")",
                   words.empty() ? ", and printed nothing" : ": ", words));
}

// An error if the program answered neither hello nor the first two requests: it does not run, or
// does not read its input, and all others would time out, too.
absl::Status Session::expect_an_answer() {
  if (was_heard_) return absl::OkStatus();
  for (const auto& [id, ticket] : waiting_) unanswered_.insert(ticket.request);
  if (std::ssize(unanswered_) < kUnanswered) {
    tell(absl::StrCat("the program did not answer a request within ", seconds(timeout_),
                      ", either; starting it again"));
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "the program does not answer: no line within ", seconds(kHelloTimeouts * timeout_),
      " of the greeting, and none within ", seconds(timeout_), " of the first ", kUnanswered,
      " requests (--timeout); does it read standard input and flush its output?"));
}

void Session::tell(const std::string& text) const {
  if (tell_) tell_(text);
}

void Session::tell_of_other_line(absl::string_view line) {
  if (told_of_lines_ || !is_other_line(line)) return;
  told_of_lines_ = true;
  tell(prints_other_lines(line));
}

// Starts the program once more. Returns the last line that it prints, on standard error, too.
std::string Session::last_words() {
  absl::StatusOr<Subprocess> process = Subprocess::start_with_errors(command_);
  if (!process.ok()) return "";
  process->write_some(hello_line());
  process->close_input();
  std::string said;
  const auto deadline = Clock::now() + kLastWords;
  while (process->read_some(said) && Clock::now() < deadline && Signals::received() == 0) {
    if (said.size() > 2 * kMaxWords) said.erase(0, said.size() - kMaxWords);
    process->wait_for(false, Milliseconds(100));
  }
  const absl::string_view text = absl::StripTrailingAsciiWhitespace(said);
  const size_t line = text.rfind('\n');  // npos + 1 is 0
  return shown(text.substr(line + 1), kMaxWords);
}

absl::Status Session::launch() {
  if (launches_ >= kMaxSilentStarts) TRY(expect_sign_of_life());
  lines_ = Lines();
  unsent_.clear();
  process_.reset();
  // A program that ends again and again says the same each time, such as a traceback.
  constexpr int kHeard = 1;
  if (++launches_ == kHeard + 1)
    notes_.push_back(
        "standard error of later starts of the program is shown only with the crashes above");
  const bool is_ahead = take_ahead();
  if (!is_ahead) process_ = TRY(Subprocess::start(command_, launches_ > kHeard));
  if (says_hello_) greet(is_ahead ? "" : hello_line());
  if (process_.has_value()) {
    if (launches_ > kHeard + 1) start_ahead();
    return absl::OkStatus();
  }
  if (is_ahead) {  // it may need something that another copy had
    may_start_ahead_ = false;
    ahead_.clear();
    says_hello_ = true;
  }
  return launch();  // without hello, if the program ended when it received it
}

// Takes a copy that was started ahead, if it still runs.
bool Session::take_ahead() {
  if (ahead_.empty()) return false;
  process_ = std::move(ahead_.front());
  ahead_.pop_front();
  if (!process_->ended()) return true;
  may_start_ahead_ = false;
  ahead_.clear();
  process_.reset();
  return false;
}

void Session::start_ahead() {
  while (may_start_ahead_ && says_hello_ && ahead_.size() < kAhead) {
    absl::StatusOr<Subprocess> copy = Subprocess::start(command_, true);
    if (!copy.ok()) return;
    copy->write_some(hello_line());
    ahead_.push_back(*std::move(copy));
  }
}

// Sends hello, unless it was sent, and waits for one line that may be an answer. Unless it is a valid answer to hello,
// uses the defaults.
void Session::greet(std::string greeting) {
  const bool first = !std::exchange(greeted_, true);
  const auto note = [this, first](std::string text) {
    if (first) notes_.push_back(std::move(text));
  };
  unsent_ = std::move(greeting);
  auto deadline = Clock::now() + kHelloTimeouts * timeout_;
  bool waited = !first, other = false;
  while (true) {
    if (const std::optional<Lines::Line> line = lines_.next()) {
      was_heard_ = true;
      if (!line->too_long && is_other_line(line->text)) {  // the answer may follow
        tell_of_other_line(line->text);
        if (!std::exchange(other, true)) deadline = std::min(deadline, Clock::now() + timeout_);
        continue;
      }
      absl::StatusOr<Answer> answer = absl::InvalidArgumentError("expected a shorter line");
      if (!line->too_long) answer = read_answer(line->text);
      if (!first) return;
      absl::StatusOr<Hello> hello = absl::InvalidArgumentError("");
      if (answer.ok()) hello = read_hello(*answer);
      if (hello.ok()) {
        hello_ = *std::move(hello);
      } else if (!answer.ok() || answer->kind == Answer::Kind::kResult) {
        const absl::Status& why = answer.ok() ? hello.status() : answer.status();
        note(absl::StrCat("the answer to hello is malformed (", why.message(),
                          "); using the defaults"));
      }
      return;
    }
    const auto left = std::chrono::duration_cast<Milliseconds>(deadline - Clock::now());
    if (Signals::received() != 0) return;
    if (left.count() <= 0) {
      note(absl::StrCat("no answer to hello within ",
                        seconds(other ? timeout_ : kHelloTimeouts * timeout_),
                        other ? " of another line" : "", "; using the defaults"));
      return;
    }
    const bool late = !other && left < (kHelloTimeouts - 1) * timeout_;
    if (late && !std::exchange(waited, true)) {
      tell(absl::StrCat("the program has not answered the greeting within ", seconds(timeout_),
                        "; waiting for up to ", seconds(kHelloTimeouts * timeout_)));
    }
    const Milliseconds wait = waited ? left : std::min(left, timeout_);
    const Subprocess::Ready ready = process_->wait_for(!unsent_.empty(), wait);
    if (ready.write) unsent_.erase(0, process_->write_some(unsent_).value_or(unsent_.size()));
    std::string text;
    if (ready.read && !process_->read_some(text)) {
      note(absl::StrCat("the program ended at hello (", how_it_ended(), "); continuing without"));
      says_hello_ = false;
      process_.reset();
      return;
    }
    lines_.add(text);
  }
}

std::string Session::how_it_ended() {
  end_ = process_->end(kDying).value_or("it closed its standard output");
  return end_;
}

void Session::send(Ticket ticket) {
  const int64_t id = next_id_++;
  if (!asked_as_it_is(hello_) && ticket.sent.empty()) {
    ticket.sent = text_to_send(read_json(ticket.request)->value, hello_);
  }
  absl::string_view members = ticket.sent.empty() ? ticket.request : ticket.sent;
  members.remove_prefix(1);  // the {
  absl::StrAppend(&unsent_, "{\"id\":", id, ",", members, "\n");
  if (waiting_.empty()) {
    since_ = Clock::now();
    process_->forget_errors();
  }
  waiting_.emplace(id, std::move(ticket));
}

absl::Status Session::ask(Next next, Done done) {
  bool more = true;
  while (true) {
    if (suspects_.empty() && waiting_.empty() && unexplained_) {
      Failure failure = *std::exchange(unexplained_, std::nullopt);
      failure.outcome.repeatable = false;
      done(failure.ticket, std::move(failure.outcome));
    }
    if (!suspects_.empty() || unexplained_) {
      if (waiting_.empty() && !suspects_.empty()) {
        Ticket ticket = std::move(suspects_.front());
        suspects_.pop_front();
        send(std::move(ticket));
      }
    } else {
      while (more && std::ssize(waiting_) < hello_.window) {
        std::optional<Ticket> ticket = next();
        more = ticket.has_value();
        if (more) send(*std::move(ticket));
      }
    }
    if (waiting_.empty()) return expect_sign_of_life();
    TRY(step(done));
  }
}

// Writes, waits, reads, and handles the lines read.
absl::Status Session::step(Done done) {
  if (Signals::received() != 0) return absl::CancelledError("interrupted");
  bool handled = false;
  while (const std::optional<Lines::Line> line = lines_.next()) {
    was_heard_ = true;
    if (line->too_long) {
      return fail(failure(Outcome::Kind::kProtocol, kTooLong), done);
    }
    handle(*line, done);
    handled = true;
  }
  // Return to ask(), which fills the window: the program may wait for more requests.
  if (handled) return absl::OkStatus();
  if (!unsent_.empty()) {
    const size_t written = process_->write_some(unsent_).value_or(unsent_.size());
    unsent_.erase(0, written);
    // The time of a request begins when it is sent: filling the window may have taken long.
    if (written > 0) since_ = Clock::now();
  }
  const auto left = std::max(
      std::chrono::duration_cast<Milliseconds>(since_ + timeout_ - Clock::now()), Milliseconds(0));
  // Look even if no time is left: the next ticket may have come late, and the answer long before.
  const Subprocess::Ready ready = process_->wait_for(!unsent_.empty(), left);
  if (!ready.read && left.count() == 0) {
    if (process_->ended()) return fail(failure(Outcome::Kind::kCrash, how_it_ended()), done);
    return fail(failure(Outcome::Kind::kTimeout, absl::StrCat("no answer in ", seconds(timeout_))),
                done);
  }
  if (!ready.read) return absl::OkStatus();
  std::string text;
  if (process_->read_some(text)) {
    lines_.add(text);
    return absl::OkStatus();
  }
  lines_.end();
  while (const std::optional<Lines::Line> line = lines_.next()) {
    was_heard_ = true;
    handle(*line, done);
  }
  if (waiting_.empty()) return launch();
  return fail(failure(Outcome::Kind::kCrash, how_it_ended()), done);
}

// Completes the request if the line is exactly {"id":N,"result":..} with the expected result, or
// {"id":N,"error":".."} if an error is expected. Returns false for any other line. This fast path
// saves parsing the JSON of right answers.
bool Session::as_expected(absl::string_view line, Done done) {
  if (!absl::ConsumePrefix(&line, "{\"id\":") || line.empty() || line.front() == '0') return false;
  int64_t id;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), id);
  if (error != std::errc()) return false;
  line.remove_prefix(static_cast<size_t>(end - line.data()));
  const auto waiting = waiting_.find(id);
  if (waiting == waiting_.end()) return false;
  const Ticket& ticket = waiting->second;
  if (absl::ConsumePrefix(&line, ",\"result\":")) {
    if (!absl::ConsumeSuffix(&line, "}") || ticket.expected.empty() || ticket.expected != line) {
      return false;
    }
  } else if (!ticket.error_expected || !absl::ConsumePrefix(&line, ",\"error\":\"") ||
             !absl::ConsumeSuffix(&line, "\"}") ||
             !std::all_of(line.begin(), line.end(), is_simple)) {
    return false;
  }
  complete(id, {Outcome::Kind::kExpected, Answer(), ""}, done);
  return true;
}

void Session::handle(const Lines::Line& line, Done done) {
  if (as_expected(line.text, done)) return;
  absl::StatusOr<Answer> answer = read_answer(line.text);
  if (!answer.ok()) {
    const absl::string_view why(answer.status().message().data(), answer.status().message().size());
    tell_of_other_line(line.text);
    return malformed(absl::StrCat(kNotAnAnswer, shown(line.text), "  (", why, ")"), done);
  }
  const int64_t* id = answer->id.as<int64_t>();
  if (id != nullptr && *id == 0) return;  // a late answer to hello
  if (id != nullptr && waiting_.contains(*id)) {
    if (hello_.integers == IntegerForm::kString && answer->kind == Answer::Kind::kResult) {
      if (!integers_from_strings(*answer).ok()) {
        return complete(*id,
                        failure(Outcome::Kind::kProtocol,
                                absl::StrCat("hello promised decimal strings, found bare numbers: ",
                                             shown(line.text))),
                        done);
      }
    }
    return complete(*id, {Outcome::Kind::kAnswer, *std::move(answer), ""}, done);
  }
  if (id != nullptr && *id == excused_) return;
  const auto again = std::find_if(completed_.begin(), completed_.end(),
                                  [id](const auto& s) { return id != nullptr && s.first == *id; });
  if (again == completed_.end()) {
    return malformed(absl::StrCat("unknown id: ", shown(line.text)), done);
  }
  done(again->second,
       failure(Outcome::Kind::kProtocol, absl::StrCat("a second answer: ", shown(line.text))));
}

// Charges a line that belongs to no request to the oldest waiting request, or to the last one
// completed.
void Session::malformed(absl::string_view what, Done done) {
  Outcome outcome = failure(Outcome::Kind::kProtocol, std::string(what));
  if (!waiting_.empty()) {
    excused_ = waiting_.begin()->first;
    complete(excused_, std::move(outcome), done);
  } else if (!completed_.empty()) {
    done(completed_.back().second, std::move(outcome));
  }
}

void Session::complete(int64_t id, Outcome outcome, Done done) {
  const auto waiting = waiting_.find(id);
  completed_.emplace_back(id, std::move(waiting->second));
  if (completed_.size() > kMemoSize) completed_.pop_front();
  waiting_.erase(waiting);
  since_ = Clock::now();
  done(completed_.back().second, std::move(outcome));
}

// Restarts the program after a crash, a timeout or an endless line. If several requests were
// waiting, all of them become suspects.
absl::Status Session::fail(Outcome outcome, Done done) {
  if (outcome.kind == Outcome::Kind::kTimeout) TRY(expect_an_answer());
  if (outcome.kind == Outcome::Kind::kCrash) outcome.errors = lines_shown(process_->errors());
  if (waiting_.size() == 1) {
    unexplained_.reset();
    complete(waiting_.begin()->first, std::move(outcome), done);
  } else {
    unexplained_ = Failure{waiting_.begin()->second, std::move(outcome)};
    for (auto& [id, ticket] : waiting_) suspects_.push_back(std::move(ticket));
    waiting_.clear();
  }
  return launch();
}

void Session::finish(Done done) {
  if (!process_) return;
  process_->close_input();
  const auto deadline = Clock::now() + timeout_;
  bool open = true;
  while (open) {
    const auto left = std::chrono::duration_cast<Milliseconds>(deadline - Clock::now());
    if (left.count() <= 0 || Signals::received() != 0) break;
    std::string text;
    if (process_->wait_for(false, std::min(left, kDying)).read) {
      open = process_->read_some(text);
    } else {
      open = !process_->ended();  // a process that it left may hold its output open
    }
    lines_.add(text);
    if (!open) lines_.end();
    while (const std::optional<Lines::Line> line = lines_.next()) handle(*line, done);
  }
  const auto left = std::chrono::duration_cast<Milliseconds>(deadline - Clock::now());
  if (!process_->end(std::max(left, Milliseconds(0)))) {
    notes_.push_back(absl::StrCat("the program did not stop at the end of its input within ",
                                  seconds(timeout_), " and was killed"));
  }
  process_.reset();
}

}  // namespace tileproof::conform
