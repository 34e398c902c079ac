// SPDX-License-Identifier: Apache-2.0
#include "conform/judge/judge.h"

#include <algorithm>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "conform/oracle/oracle.h"
#include "conform/protocol/case_id.h"

namespace tileproof::conform {
namespace {

const Operation* operation_of(const Json& request) {
  const Json* op = find(request, "op");
  const auto* name = op == nullptr ? nullptr : op->as<std::string>();
  return name == nullptr ? nullptr : operation_named(*name);
}

bool same(const Operation& operation, const Json& given, const Json& right) {
  if (operation.keys.empty()) return given == right;
  return std::all_of(operation.keys.begin(), operation.keys.end(), [&](absl::string_view key) {
    const Json* value = find(given, key);
    return value != nullptr && *value == *find(right, key);
  });
}

bool right_by_exact_count(const Operation& operation, const Json& request, const Answer& answer,
                          bool reference_refuses) {
  if (operation.exact == nullptr) return false;
  const Exact exact = operation.exact(request);
  if (answer.kind == Answer::Kind::kError) return exact.error_is_right;
  return reference_refuses && exact.result && same(operation, answer.result, *exact.result);
}

// Both right answers of a request that the reference refuses although the exact result is right, too:
// {"result":1,"or":{"error":".."}}. No value if only one answer is right.
std::optional<Json> exact_or_error(const Operation& operation, const Json& request) {
  if (operation.exact == nullptr) return std::nullopt;
  Exact exact = operation.exact(request);
  if (!exact.error_is_right || !exact.result) return std::nullopt;
  return json_object({{"result", *std::move(exact.result)}, {"or", right_answer(request)}});
}

// The reason names the case, so that `--case` can ask it alone, and quotes the request.
Judgment undecided(const Operation& operation, const Json& request, const std::string& why) {
  return {Verdict::kUndecided, "",
          absl::StrCat(std::string(operation.name), ", case ", case_id(case_hash(request)), ": ",
                       why, ": ", to_text(request))};
}

// True if map.simplify was answered with the given map and a shorter one is known.
bool is_echo(const Json& request, const Answer& answer) {
  const Json* map = find(request, "map");
  const auto* given = answer.result.as<std::string>();
  if (*find(request, "op") != Json("map.simplify") || map == nullptr || given == nullptr ||
      *map != answer.result) {
    return false;
  }
  const Json right = right_answer(request);
  const Json* simple = find(right, "result");
  const auto* text = simple == nullptr ? nullptr : simple->as<std::string>();
  return text != nullptr && text->size() < given->size();
}

// Judges a result of a valid request by its meaning.
Judgment judge_meaning(const Operation& operation, const Json& request, const Answer& answer) {
  const Assessment meaning = operation.judge(request, answer);
  switch (meaning.kind) {
    case Assessment::Kind::kRight:
      return {is_echo(request, answer) ? Verdict::kUnsimplified : Verdict::kPass, ""};
    case Assessment::Kind::kSuperset:
      return {Verdict::kInexact, ""};
    case Assessment::Kind::kUnspecified:
      return {Verdict::kUnsupported, "", meaning.why};
    case Assessment::Kind::kOpen:
      return undecided(operation, request, meaning.why);
    case Assessment::Kind::kWrong:
      break;
  }
  Json right = right_answer(request);
  set(right, "why", meaning.why);
  return {Verdict::kWrong, to_text(right)};
}

// Returns whether the request is valid, from the status of the reference's answer. For an operation
// with many right answers, the reference may be unable to answer a valid request.
bool is_valid(const Operation& operation, const absl::Status& status) {
  return status.ok() || (operation.judge != nullptr && !absl::IsInvalidArgument(status));
}

}  // namespace

absl::string_view to_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return "pass";
    case Verdict::kWrong:
      return "wrong";
    case Verdict::kUnsupported:
      return "unsupported";
    case Verdict::kError:
      return "error";
    case Verdict::kTimeout:
      return "timeout";
    case Verdict::kCrash:
      return "crash";
    case Verdict::kFlaky:
      return "flaky";
    case Verdict::kProtocol:
      return "protocol";
    case Verdict::kUndecided:
      return "undecided";
    case Verdict::kInexact:
      return "inexact";
    case Verdict::kUnsimplified:
      return "unsimplified";
  }
  return "";
}

Judgment judge(const Json& request, const Answer& given) {
  if (given.kind == Answer::Kind::kUnsupported) return {Verdict::kUnsupported, "", given.why};
  const Operation* operation = operation_of(request);
  if (operation == nullptr) {
    return {Verdict::kUnsupported, "", "no oracle for the operation in this version"};
  }
  const absl::StatusOr<Result> right = operation->answer(request, Engine::kSpec);
  const bool error = given.kind == Answer::Kind::kError;
  const bool valid = is_valid(*operation, right.status());
  if (absl::IsResourceExhausted(right.status()) && (error || operation->judge == nullptr)) {
    return undecided(*operation, request, std::string(right.status().message()));
  }
  // kOutOfRange: the numbers are too large for the reference to tell whether they are valid.
  if (error && (!valid || absl::IsOutOfRange(right.status()))) return {};
  if (!error && valid && operation->judge != nullptr) {
    return judge_meaning(*operation, request, given);
  }
  if (!error && right.ok() && same(*operation, given.result, right->value)) return {};
  if (right_by_exact_count(*operation, request, given, !right.ok())) return {};
  if (!error && !right.ok() && operation->exact != nullptr && operation->exact(request).unknown) {
    return undecided(*operation, request, "an intermediate value needs more than 127 bits");
  }
  if (!error && !right.ok()) {
    if (const std::optional<Json> both = exact_or_error(*operation, request)) {
      return {Verdict::kWrong, to_text(*both)};
    }
  }
  const bool both_results = !error && right.ok();
  return {both_results ? Verdict::kWrong : Verdict::kError, to_text(right_answer(request))};
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
  if (operation == nullptr) {
    return json_object({{"unsupported", "this version has no oracle for the operation"}});
  }
  const Engine engine = operation->judge == nullptr ? Engine::kSpec : Engine::kImpl;
  const absl::StatusOr<Result> right = operation->answer(request, engine);
  Json json = to_json(right.ok() ? result_answer(Json(), right->value, right->inexact)
                                 : failed_answer(Json(), right.status()));
  remove(json, "id");
  return json;
}

}  // namespace tileproof::conform
