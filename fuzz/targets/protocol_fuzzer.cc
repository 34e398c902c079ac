// Fuzz target: lines of the protocol. Every line, whatever it holds, gets one line as its answer,
// with its id; what the closed forms answer, and what the reference answers, the judge does not
// find wrong.
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
  // Up to " at " the sentence is the cause, for which findings are told apart.
  fail(absl::StrCat(finding, " at the request: printf '%s\\n' $'", absl::CEscape(line),
                    "' | tileproof respond"));
}

void check_line(absl::string_view line, conform::Engine engine) {
  const std::string text = conform::answer_line(line, engine);
  if (text.find('\n') != std::string::npos) fail_at("an answer of two lines", line);
  const absl::StatusOr<conform::Answer> answer = conform::read_answer(text);
  if (!answer.ok()) fail_at(absl::StrCat("no answer: ", answer.status().message()), line);
  const auto request = conform::read_request(line);
  const auto* good = std::get_if<conform::Request>(&request);
  if (good == nullptr) {
    if (answer->kind != conform::Answer::Kind::kError) fail_at("an unreadable line answered", line);
    return;
  }
  if (answer->id != good->id) fail_at("another id", line);
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
