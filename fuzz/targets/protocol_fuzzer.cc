// SPDX-License-Identifier: Apache-2.0
// Fuzz target: lines of the protocol. Every line, valid or not, gets an answer of one line with its
// id. The judge accepts the answers of the closed forms and of the reference.
#include <string>
#include <variant>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "conform/judge/judge.h"
#include "conform/oracle/oracle.h"
#include "conform/protocol/protocol.h"
#include "fuzz/targets/request_inputs.h"
#include "fuzz/targets/text_input.h"

namespace tileproof {
namespace {

[[noreturn]] void fail_at(absl::string_view finding, absl::string_view line) {
  // The text up to " at " is the cause by which findings are filed.
  fail(absl::StrCat(finding, " at the request: printf '%s\\n' $'", absl::CEscape(line),
                    "' | tileproof respond"));
}

void check_line(absl::string_view line, conform::Engine engine) {
  const std::string text = conform::answer_line(line, engine);
  if (text.find('\n') != std::string::npos) fail_at("an answer of two lines", line);
  const absl::StatusOr<conform::Answer> answer = conform::read_answer(text);
  if (!answer.ok()) fail_at(absl::StrCat("an invalid answer: ", answer.status().message()), line);
  const auto request = conform::read_request(line);
  const auto* good = std::get_if<conform::Request>(&request);
  if (good == nullptr) {
    if (answer->kind != conform::Answer::Kind::kError)
      fail_at("an invalid line has a result", line);
    return;
  }
  if (answer->id != good->id) fail_at("the answer has another id", line);
  const conform::Judgment judgment = conform::judge(good->fields, *answer);
  if (conform::fails(judgment.verdict)) {
    fail_at(absl::StrCat("judged ", conform::to_text(judgment.verdict), " of ",
                         engine == conform::Engine::kSpec ? "spec" : "impl", " for ", good->op),
            line);
  }
}

void check(absl::string_view text) {
  conform::Lines lines;
  lines.add(text);
  lines.end();
  while (const std::optional<conform::Lines::Line> line = lines.next()) {
    const std::string copy(line->text);
    check_line(copy, conform::Engine::kImpl);
    check_line(copy, conform::Engine::kSpec);
  }
}

}  // namespace

const TextTarget kTarget = {check, mutated_requests, crossed_requests, /*bytes_of_16=*/4};

}  // namespace tileproof
