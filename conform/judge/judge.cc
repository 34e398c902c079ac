// SPDX-License-Identifier: Apache-2.0
#include "conform/judge/judge.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "conform/protocol/protocol.h"

namespace tileproof::conform {
namespace {

const Operation* operation_of(const Json& request) {
  const auto* name = find_as<std::string>(request, "op");
  return name == nullptr ? nullptr : operation_named(*name);
}

bool same(const Operation& operation, const Json& given, const Json& right) {
  if (operation.keys.empty()) return given == right;
  return std::all_of(operation.keys.begin(), operation.keys.end(), [&](absl::string_view key) {
    const Json* value = find(given, key);
    return value != nullptr && *value == *find(right, key);
  });
}

// The exact answer to a request, computed when it is asked for, and once.
class ExactAnswer {
 public:
  ExactAnswer(const Operation& operation, const Json& request)
      : operation_(operation), request_(request) {}

  const Exact& get() {
    if (!known_) known_ = operation_.exact == nullptr ? Exact() : operation_.exact(request_);
    return *known_;
  }

  // Whether an error is right as well as the exact result.
  bool error_or_result() { return get().error_is_right && get().result; }

 private:
  const Operation& operation_;
  const Json& request_;
  std::optional<Exact> known_;
};

bool right_by_exact_count(const Operation& operation, const Answer& answer, bool reference_refuses,
                          ExactAnswer& exact) {
  if (answer.kind == Answer::Kind::kError) return exact.get().error_is_right;
  return reference_refuses && exact.get().result &&
         same(operation, answer.result, *exact.get().result);
}

// A verdict and its reason.
struct Finding {
  Verdict verdict = Verdict::kPass;
  std::string why = "";  // as the key "why" of Judgment::right, and Judgment::reason
};

// The reason names the case, so that `--case` can ask it alone, and quotes the request.
Finding undecided(const Operation& operation, const Json& request, const std::string& why) {
  return {Verdict::kUndecided,
          absl::StrCat(std::string(operation.name), ", case ", case_id(case_hash(request)), ": ",
                       why, ": ", to_text(request))};
}

// What the reference answers; if there are many right answers, what the closed forms do.
Answer example(const Operation& operation, const Json& request) {
  const Engine engine = operation.judge == nullptr ? Engine::kSpec : Engine::kImpl;
  absl::StatusOr<Result> result = operation.answer(request, engine);
  if (!result.ok()) return failed_answer(Json(), result.status());
  return result_answer(Json(), std::move(result->value), std::move(result->inexact));
}

Json without_id(const Answer& answer) {
  Json json = to_json(answer);
  remove(json, "id");
  return json;
}

Finding find_out(const Operation& operation, const Json& request, const Answer& given,
                 ExactAnswer& exact);

// Why an example is not shown as right; empty if it is right.
std::string why_not_shown(const Operation& operation, const Json& request, const Answer& example,
                          ExactAnswer& exact) {
  if (operation.judge == nullptr) return "";  // it is the reference's
  const Finding found = find_out(operation, request, example, exact);
  if (found.verdict == Verdict::kUndecided) {
    return absl::StrCat("the judge cannot decide about the example of Tileproof: ", found.why);
  }
  if (!fails(found.verdict)) return "";
  const bool error = example.kind == Answer::Kind::kError;
  return absl::StrCat("the example of Tileproof failed, which is a bug of Tileproof: ",
                      !found.why.empty() ? found.why
                      : error            ? absl::StrCat("it refuses a valid request: ", example.why)
                                         : "it is a result for an invalid request");
}

// True if map.simplify was answered with the given map and a shorter one is known.
bool is_echo(const Operation& operation, const Json& request, const Answer& answer,
             ExactAnswer& exact) {
  const Json* map = find(request, "map");
  const auto* given = answer.result.as<std::string>();
  if (operation.name != "map.simplify" || map == nullptr || given == nullptr ||
      *map != answer.result) {
    return false;
  }
  const Answer simple = example(operation, request);
  const auto* text = simple.result.as<std::string>();
  return text != nullptr && text->size() < given->size() &&
         why_not_shown(operation, request, simple, exact).empty();
}

// Judges a result of a valid request by its meaning.
Finding judge_meaning(const Operation& operation, const Json& request, const Answer& answer,
                      ExactAnswer& exact) {
  const Assessment meaning = operation.judge(request, answer);
  switch (meaning.kind) {
    case Assessment::Kind::kRight:
      return {is_echo(operation, request, answer, exact) ? Verdict::kUnsimplified : Verdict::kPass};
    case Assessment::Kind::kSuperset:
      return {Verdict::kInexact};
    case Assessment::Kind::kUnspecified:
      return {Verdict::kUnsupported, meaning.why};
    case Assessment::Kind::kOpen:
      return undecided(operation, request, meaning.why);
    case Assessment::Kind::kWrong:
      break;
  }
  return {Verdict::kWrong, meaning.why};
}

// Returns whether the request is valid, from the status of the reference's answer. For an operation
// with many right answers, the reference may be unable to answer a valid request.
bool is_valid(const Operation& operation, const absl::Status& status) {
  return status.ok() || (operation.judge != nullptr && !absl::IsInvalidArgument(status));
}

Finding find_out(const Operation& operation, const Json& request, const Answer& given,
                 ExactAnswer& exact) {
  if (given.kind == Answer::Kind::kUnsupported) return {Verdict::kUnsupported, given.why};
  const absl::StatusOr<Result> right = operation.answer(request, Engine::kSpec);
  const bool error = given.kind == Answer::Kind::kError;
  const bool valid = is_valid(operation, right.status());
  if (absl::IsResourceExhausted(right.status()) && (error || operation.judge == nullptr)) {
    return undecided(operation, request, std::string(right.status().message()));
  }
  // kOutOfRange: the numbers are too large for the reference to tell whether they are valid.
  if (error && (!valid || absl::IsOutOfRange(right.status()))) return {};
  if (!error && valid && operation.judge != nullptr) {
    return judge_meaning(operation, request, given, exact);
  }
  if (!error && right.ok() && same(operation, given.result, right->value)) return {};
  if (right_by_exact_count(operation, given, !right.ok(), exact)) return {};
  if (error) return {Verdict::kError};
  if (!right.ok() && exact.get().unknown) {
    return undecided(operation, request, "an intermediate value needs more than 127 bits");
  }
  const bool results = right.ok() || exact.error_or_result();
  return {results ? Verdict::kWrong : Verdict::kError};
}

Json right_answer(const Operation& operation, const Json& request, ExactAnswer& exact) {
  const Answer answer = example(operation, request);
  const std::string why = why_not_shown(operation, request, answer, exact);
  return why.empty() ? without_id(answer) : json_object({{"no_example", why}});
}

}  // namespace

Judgment judge(const Json& request, const Answer& given) {
  if (const Operation* operation = operation_of(request)) return judge(*operation, request, given);
  if (given.kind == Answer::Kind::kUnsupported) return {Verdict::kUnsupported, "", given.why};
  return {Verdict::kUnsupported, "", "no oracle for the operation in this version"};
}

Judgment judge(const Operation& operation, const Json& request, const Answer& given) {
  ExactAnswer exact(operation, request);
  const Finding found = find_out(operation, request, given, exact);
  if (!fails(found.verdict)) return {found.verdict, "", found.why};
  Json right = right_answer(operation, request, exact);
  const bool refused = find(right, "error") != nullptr;
  if (found.verdict == Verdict::kWrong && refused && exact.error_or_result()) {
    right = json_object({{"result", *exact.get().result}, {"or", std::move(right)}});
  }
  if (!found.why.empty()) set(right, "why", found.why);
  return {found.verdict, to_text(right)};
}

bool is_undecidable(const Json& request) {
  const Operation* operation = operation_of(request);
  return operation != nullptr && operation->may_be_unknown && operation->exact(request).unknown;
}

Expected expected_answer(const Json& request) {
  const Operation* operation = operation_of(request);
  if (operation == nullptr || operation->judge != nullptr) return {};
  absl::StatusOr<Result> right = operation->answer(request, Engine::kSpec);
  if (!right.ok()) return {std::nullopt, true};
  return {std::move(right->value), false};
}

Json right_answer(const Json& request) {
  const Operation* operation = operation_of(request);
  return operation == nullptr ? likely_answer(request) : right_answer(*operation, request);
}

Json right_answer(const Operation& operation, const Json& request) {
  ExactAnswer exact(operation, request);
  return right_answer(operation, request, exact);
}

Json likely_answer(const Json& request) {
  if (const Operation* operation = operation_of(request)) {
    return without_id(example(*operation, request));
  }
  return json_object({{"unsupported", "this version has no oracle for the operation"}});
}

}  // namespace tileproof::conform
