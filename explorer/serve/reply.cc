// SPDX-License-Identifier: Apache-2.0
#include "explorer/serve/reply.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "conform/protocol/json.h"

namespace tileproof::explorer {
namespace {

HttpReply answer(const std::string& body,
                 absl::FunctionRef<absl::StatusOr<std::string>(const std::string&)> ask) {
  const absl::StatusOr<conform::JsonText> question = conform::read_json(body);
  if (!question.ok()) return error_reply(400, question.status().message());
  if (question->value.as<conform::Json::Object>() == nullptr) {
    return error_reply(400, "expected a JSON object");
  }
  const absl::StatusOr<std::string> found = ask(to_text(question->value));
  return {
      200, "application/json",
      found.ok() ? *found : to_text(conform::json_object({{"error", found.status().message()}}))};
}

}  // namespace

std::string page_with_program(absl::string_view page) {
  constexpr absl::string_view kHead = "<head>";
  const size_t at = page.find(kHead);
  if (at == absl::string_view::npos) return std::string(page);
  return absl::StrCat(page.substr(0, at + kHead.size()),
                      "<script>window.tileproofProgram=true</script>",
                      page.substr(at + kHead.size()));
}

bool is_this_machine(absl::string_view host) {
  for (const absl::string_view name : {"localhost", "127.0.0.1", "[::1]"}) {
    absl::string_view rest = host;
    if (!absl::ConsumePrefix(&rest, name)) continue;
    int port = 0;
    if (rest.empty()) return true;
    if (absl::ConsumePrefix(&rest, ":") && absl::SimpleAtoi(rest, &port)) {
      return port > 0 && port < 65536;
    }
  }
  return false;
}

HttpReply error_reply(int status, absl::string_view message) {
  return {status, "text/plain; charset=utf-8", absl::StrCat(message, "\n")};
}

HttpReply reply_to(const HttpRequest& request, absl::string_view page,
                   absl::FunctionRef<absl::StatusOr<std::string>(const std::string&)> ask) {
  if (!is_this_machine(request.host)) {
    return error_reply(403, "expected the host localhost, 127.0.0.1 or [::1]");
  }
  absl::string_view origin = request.origin;
  if (!origin.empty() && !(absl::ConsumePrefix(&origin, "http://") && is_this_machine(origin))) {
    return error_reply(403, "expected a question from the page itself");
  }
  const std::string path = request.target.substr(0, request.target.find('?'));
  if (path == "/" || path == "/index.html") {
    if (request.method != "GET" && request.method != "HEAD")
      return error_reply(405, "expected GET");
    return {200, "text/html; charset=utf-8", std::string(page)};
  }
  if (path == "/answer") {
    if (request.method != "POST") return error_reply(405, "expected POST");
    return answer(request.body, ask);
  }
  return error_reply(404, "expected / or /answer");
}

}  // namespace tileproof::explorer
