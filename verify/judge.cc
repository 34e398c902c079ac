#include "verify/judge.h"

#include <algorithm>
#include <optional>

#include "absl/status/statusor.h"
#include "verify/oracle.h"

namespace tileproof::verify {
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
  }
  return "";
}

Judgement judge(const Json& request, const Answer& given) {
  if (given.kind == Answer::Kind::kUnsupported) return {Verdict::kUnsupported, ""};
  const Operation* operation = operation_of(request);
  if (operation == nullptr) return {Verdict::kUnsupported, ""};
  const absl::StatusOr<Json> right = operation->answer(request, Engine::kSpec);
  const bool error = given.kind == Answer::Kind::kError;
  if (error && !right.ok()) return {};
  if (!error && right.ok() && same(*operation, given.result, *right)) return {};
  if (right_by_exact_count(*operation, request, given, !right.ok())) return {};
  const bool both_results = !error && right.ok();
  return {both_results ? Verdict::kWrong : Verdict::kError, to_text(right_answer(request))};
}

Json right_answer(const Json& request) {
  const Operation* operation = operation_of(request);
  if (operation == nullptr) {
    return json_object({{"unsupported", "this version has no oracle for the operation"}});
  }
  const absl::StatusOr<Json> right = operation->answer(request, Engine::kSpec);
  Json json =
      to_json(right.ok() ? result_answer(Json(), *right) : failed_answer(Json(), right.status()));
  remove(json, "id");
  return json;
}

}  // namespace tileproof::verify
