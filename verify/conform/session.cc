#include "verify/conform/session.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "verify/conform/parsed.h"

namespace tileproof::conform {
namespace {

constexpr size_t kRemembered = 256;  // settled requests, for second answers
constexpr int kHelloTimeouts = 5;    // a program may take longer to start than to answer
constexpr Milliseconds kDying(500);  // from the end of its output to its end

Outcome failure(Outcome::Kind kind, std::string what) { return {kind, Answer(), std::move(what)}; }

std::string seconds(Milliseconds time) {
  return absl::StrCat(static_cast<double>(time.count()) / 1000, " s");
}

}  // namespace

absl::StatusOr<Session> Session::start(std::vector<std::string> command, Milliseconds timeout) {
  Session session(std::move(command), timeout);
  absl::Status status = session.launch();
  if (!status.ok()) return status;
  return session;
}

absl::Status Session::launch() {
  lines_ = Lines();
  unsent_.clear();
  process_.reset();
  absl::StatusOr<Subprocess> process = Subprocess::start(command_);
  if (!process.ok()) return process.status();
  process_ = *std::move(process);
  if (says_hello_) greet();
  if (process_.has_value()) return absl::OkStatus();
  return launch();  // without a greeting: it died of that
}

// Sends the greeting and waits for one line. Any other answer than the one that is hoped for means
// the defaults.
void Session::greet() {
  const bool first = !std::exchange(greeted_, true);
  const auto note = [this, first](std::string text) {
    if (first) notes_.push_back(std::move(text));
  };
  unsent_ = to_text(hello_request()) + "\n";
  const auto deadline = Clock::now() + kHelloTimeouts * timeout_;
  while (true) {
    if (const std::optional<Lines::Line> line = lines_.next()) {
      absl::StatusOr<Answer> answer = absl::InvalidArgumentError("expected a shorter line");
      if (!line->too_long) answer = read_answer(line->text);
      if (!first) return;
      absl::StatusOr<Hello> hello = absl::InvalidArgumentError("");
      if (answer.ok()) hello = read_hello(*answer);
      if (hello.ok()) {
        hello_ = *std::move(hello);
      } else if (!answer.ok() || answer->kind == Answer::Kind::kResult) {
        const absl::Status& why = answer.ok() ? hello.status() : answer.status();
        note(absl::StrCat("the answer to hello is not understood (", why.message(),
                          "): taking the defaults"));
      }
      return;
    }
    const auto left = std::chrono::duration_cast<Milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) {
      note(absl::StrCat("no answer to hello within ", seconds(kHelloTimeouts * timeout_),
                        ": taking the defaults"));
      return;
    }
    const Subprocess::Ready ready = process_->wait_for(!unsent_.empty(), left);
    if (ready.write) unsent_.erase(0, process_->write_some(unsent_).value_or(unsent_.size()));
    std::string text;
    if (ready.read && !process_->read_some(text)) {
      note(absl::StrCat("it ended at hello (", how_it_ended(), "): going on without"));
      says_hello_ = false;
      process_.reset();
      return;
    }
    lines_.add(text);
  }
}

std::string Session::how_it_ended() {
  return process_->end(kDying).value_or("it closed its standard output");
}

void Session::send(Ticket ticket) {
  const int64_t id = next_id_++;
  if (hello_.integers == IntegerForm::kString) {
    const Json request = hello_.parsed ? with_parsed(ticket.request) : ticket.request;
    append_text(unsent_, with_id(id, integers_to_strings(request)));
  } else {  // the same, without a copy of the request
    absl::StrAppend(&unsent_, "{\"id\":", id, ",");
    const size_t start = unsent_.size();
    append_text(unsent_, ticket.request);
    unsent_.erase(start, 1);  // its {
    if (hello_.parsed) {
      unsent_.pop_back();
      absl::StrAppend(&unsent_, ",\"parsed\":", parsed_text(ticket.request), "}");
    }
  }
  unsent_ += '\n';
  if (waiting_.empty()) since_ = Clock::now();
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
    if (waiting_.empty()) return absl::OkStatus();
    absl::Status status = step(done);
    if (!status.ok()) return status;
  }
}

// Writes, waits, reads, and handles what came.
absl::Status Session::step(Done done) {
  bool handled = false;
  while (const std::optional<Lines::Line> line = lines_.next()) {
    if (line->too_long) {
      return fail(failure(Outcome::Kind::kProtocol, "a line of more than 16 MiB"), done);
    }
    handle(*line, done);
    handled = true;
  }
  // The window is to be filled before anything is waited for: the program may wait for that too.
  if (handled) return absl::OkStatus();
  if (!unsent_.empty()) {
    unsent_.erase(0, process_->write_some(unsent_).value_or(unsent_.size()));
  }
  const auto left = std::chrono::duration_cast<Milliseconds>(since_ + timeout_ - Clock::now());
  if (left.count() <= 0) {
    if (process_->ended()) return fail(failure(Outcome::Kind::kCrash, how_it_ended()), done);
    return fail(failure(Outcome::Kind::kTimeout, absl::StrCat("no answer in ", seconds(timeout_))),
                done);
  }
  const Subprocess::Ready ready = process_->wait_for(!unsent_.empty(), left);
  if (!ready.read) return absl::OkStatus();
  std::string text;
  if (process_->read_some(text)) {
    lines_.add(text);
    return absl::OkStatus();
  }
  lines_.end();
  while (const std::optional<Lines::Line> line = lines_.next()) handle(*line, done);
  if (waiting_.empty()) return launch();
  return fail(failure(Outcome::Kind::kCrash, how_it_ended()), done);
}

void Session::handle(const Lines::Line& line, Done done) {
  absl::StatusOr<Answer> answer = read_answer(line.text);
  if (!answer.ok()) {
    const absl::string_view why(answer.status().message().data(), answer.status().message().size());
    return malformed(absl::StrCat("not an answer: ", shown(line.text), "  (", why, ")"), done);
  }
  const int64_t* id = answer->id.as<int64_t>();
  if (id != nullptr && *id == 0) return;  // the greeting's, late
  if (id != nullptr && waiting_.contains(*id)) {
    if (hello_.integers == IntegerForm::kString && answer->kind == Answer::Kind::kResult) {
      if (!integers_from_strings(*answer).ok()) {
        return settle(
            *id,
            failure(Outcome::Kind::kProtocol,
                    absl::StrCat("its hello promised decimal strings: ", shown(line.text))),
            done);
      }
    }
    return settle(*id, {Outcome::Kind::kAnswer, *std::move(answer), ""}, done);
  }
  if (id != nullptr && *id == excused_) return;
  const auto again = std::find_if(settled_.begin(), settled_.end(),
                                  [id](const auto& s) { return id != nullptr && s.first == *id; });
  if (again == settled_.end()) {
    return malformed(absl::StrCat("unknown id: ", shown(line.text)), done);
  }
  done(again->second,
       failure(Outcome::Kind::kProtocol, absl::StrCat("a second answer: ", shown(line.text))));
}

// A line that belongs to no request: it is charged to the oldest waiting, or to the last one
// answered.
void Session::malformed(absl::string_view what, Done done) {
  Outcome outcome = failure(Outcome::Kind::kProtocol, std::string(what));
  if (!waiting_.empty()) {
    excused_ = waiting_.begin()->first;
    settle(excused_, std::move(outcome), done);
  } else if (!settled_.empty()) {
    done(settled_.back().second, std::move(outcome));
  }
}

void Session::settle(int64_t id, Outcome outcome, Done done) {
  const auto waiting = waiting_.find(id);
  settled_.emplace_back(id, std::move(waiting->second));
  if (settled_.size() > kRemembered) settled_.pop_front();
  waiting_.erase(waiting);
  since_ = Clock::now();
  done(settled_.back().second, std::move(outcome));
}

// The program is of no use any more. It is started again; if there is doubt about who did it, all
// that waited are suspects.
absl::Status Session::fail(Outcome outcome, Done done) {
  if (waiting_.size() == 1) {
    unexplained_.reset();
    settle(waiting_.begin()->first, std::move(outcome), done);
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
    if (left.count() <= 0) break;
    std::string text;
    if (process_->wait_for(false, left).read) open = process_->read_some(text);
    lines_.add(text);
    if (!open) lines_.end();
    while (const std::optional<Lines::Line> line = lines_.next()) handle(*line, done);
  }
  const auto left = std::chrono::duration_cast<Milliseconds>(deadline - Clock::now());
  if (!process_->end(std::max(left, Milliseconds(0)))) {
    notes_.push_back(absl::StrCat("it did not stop at the end of its input within ",
                                  seconds(timeout_), " and was killed"));
  }
  process_.reset();
}

}  // namespace tileproof::conform
