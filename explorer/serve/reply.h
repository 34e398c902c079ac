// SPDX-License-Identifier: Apache-2.0
// What the server replies, apart from sockets.
//
//     GET  /          the page
//     POST /answer    a question as JSON (explorer/answers/answer.h), answered as JSON
//
// Anything else gets an error of one line. A page of another site must not ask us through the
// reader's browser: the host, and the origin if there is one, must be this machine.
#pragma once

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tileproof::explorer {

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

}  // namespace tileproof::explorer
