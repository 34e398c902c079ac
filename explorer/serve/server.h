// SPDX-License-Identifier: Apache-2.0
// An HTTP server for this machine alone: it listens on 127.0.0.1.
//
// Everything is bounded: connections, the sizes of headers and bodies, and the times to read a
// request, to answer it and to write the reply. One thread serves connections, another one asks the
// process that answers (worker.h), one question after the other.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conform/protocol/subprocess.h"

namespace tileproof::explorer {

struct ServerOptions {
  uint16_t port = 0;                   // 0: a free one
  std::string page;                    // HTML
  std::vector<std::string> worker;     // the command of the process that answers
  uint64_t most_body = 16 << 20;       // bytes
  uint32_t most_header = 16 << 10;     // bytes
  int most_connections = 64;           // further ones are closed
  std::chrono::seconds read_time{20};  // for a request
  std::chrono::milliseconds answer_time{60'000};
};

// Serves until the process gets SIGINT or SIGTERM. Calls `listening` with the port first. Errors:
// the port cannot be used.
absl::Status serve(const ServerOptions& options, const std::function<void(uint16_t)>& listening);

// What the server replies, apart from sockets.
//
//     GET  /          the page
//     POST /answer    a question as JSON (explorer/answers/answer.h), answered as JSON
//
// Anything else gets an error of one line. A page of another site must not ask us through the
// reader's browser: the host, and the origin if there is one, must be this machine.

struct HttpRequest {
  std::string method = "", target = "";
  std::string host = "", origin = "";  // headers; "" if absent
  std::string body = "";
};

struct HttpReply {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
};

// The page with a mark that tells it that the program answers, too.
std::string page_with_program(absl::string_view page);

// Whether "localhost:8000", "127.0.0.1" or "[::1]:80" names this machine.
bool is_this_machine(absl::string_view host);

// `ask` answers one line of JSON.
HttpReply reply_to(const HttpRequest& request, absl::string_view page,
                   absl::FunctionRef<absl::StatusOr<std::string>(const std::string&)> ask);

// An error of one line.
HttpReply error_reply(int status, absl::string_view message);

// The process that answers questions: one line for each line. It is ended if an answer takes too
// long, and started again for the next question, so no question harms the server.

class Worker {
 public:
  Worker(std::vector<std::string> command, conform::Milliseconds limit)
      : command_(std::move(command)), limit_(limit) {}

  // The question must be one line, without its end. Errors: the process cannot be started; it ended
  // without an answer; DeadlineExceeded.
  absl::StatusOr<std::string> ask(const std::string& question);

  // Ends the waiting of `ask` soon. Any thread may call it.
  void stop() { stopped_ = true; }

 private:
  std::atomic<bool> stopped_ = false;
  std::vector<std::string> command_;
  conform::Milliseconds limit_;
  std::optional<conform::Subprocess> process_;
};

}  // namespace tileproof::explorer
