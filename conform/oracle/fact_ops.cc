// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "conform/oracle/fields.h"
#include "conform/oracle/operations.h"
#include "impl/access/banks.h"
#include "impl/layout/relayout/relayout_plan.h"
#include "spec/access/banks.h"
#include "spec/access/map_facts.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/layout/layout_function.h"
#include "verify/prove/map/map_check.h"

namespace tileproof::conform {
namespace {

using Integers = std::vector<int64_t>;
using verify::CheckedFact;
using verify::Verdict;

constexpr int64_t kFactBudget = 1'000'000;  // points of the reference

// The fact that a request asks about.
struct AskedFact {
  enum class Kind { kInside, kOnto, kOneToOne, kWidth } kind = Kind::kOneToOne;
  IndexingMap map;
  std::vector<Interval> box;
  Integers sizes;
  spec::IntegerWidth width;
};

absl::StatusOr<std::vector<Interval>> box_in(const Json& json) {
  std::vector<Interval> box;
  const auto* list = json.as<Json::Array>();
  for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
    const std::optional<Integers> ends = integers((*list)[i]);
    if (!ends || ends->size() != 2) list = nullptr;
    if (list != nullptr) box.push_back({(*ends)[0], (*ends)[1]});
  }
  if (list == nullptr) return invalid("inside: expected an array of [low, high]");
  return box;
}

absl::StatusOr<AskedFact> asked_fact(const Json& request) {
  AskedFact asked;
  asked.map = TRY(map_under(request, "map"));
  int facts = 0;
  if (const Json* inside = find(request, "inside"); inside != nullptr && ++facts == 1) {
    asked.kind = AskedFact::Kind::kInside;
    asked.box = TRY(box_in(*inside));
    TRY(spec::expect_results(asked.map, std::ssize(asked.box)));
  }
  if (const Json* onto = find(request, "onto"); onto != nullptr && ++facts == 1) {
    asked.kind = AskedFact::Kind::kOnto;
    const std::optional<Integers> sizes = integers(*onto);
    if (!sizes || std::ranges::count_if(*sizes, [](int64_t size) { return size < 0; }) > 0)
      return invalid("onto: expected an array of sizes of at least 0");
    asked.sizes = *sizes;
    TRY(spec::expect_results(asked.map, std::ssize(asked.sizes)));
  }
  if (const Json* one = find(request, "one_to_one"); one != nullptr && ++facts == 1) {
    if (!(*one == Json(true))) return invalid("one_to_one: expected true");
  }
  if (const Json* width = find(request, "width"); width != nullptr && ++facts == 1) {
    asked.kind = AskedFact::Kind::kWidth;
    const auto* bits = width->as<int64_t>();
    if (bits == nullptr) return invalid("width: expected an integer");
    asked.width.bits = *bits;
    TRY(spec::integers_of(asked.width));
  }
  if (facts != 1) return invalid("expected one of the keys inside, onto, one_to_one and width");
  return asked;
}

absl::StatusOr<spec::MapFact> by_reference(const AskedFact& asked) {
  switch (asked.kind) {
    case AskedFact::Kind::kInside:
      return spec::inside(asked.map, asked.box, kFactBudget);
    case AskedFact::Kind::kOnto:
      return spec::onto(asked.map, asked.sizes, kFactBudget);
    case AskedFact::Kind::kOneToOne:
      return spec::one_to_one(asked.map, kFactBudget);
    case AskedFact::Kind::kWidth:
      break;
  }
  return spec::within_width(asked.map, asked.width, kFactBudget);
}

absl::StatusOr<CheckedFact> by_prover(const AskedFact& asked, const verify::CheckOptions& options) {
  switch (asked.kind) {
    case AskedFact::Kind::kInside:
      return verify::check_inside(asked.map, asked.box, options);
    case AskedFact::Kind::kOnto:
      return verify::check_onto(asked.map, asked.sizes, options);
    case AskedFact::Kind::kOneToOne:
      return verify::check_one_to_one(asked.map, options);
    case AskedFact::Kind::kWidth:
      break;
  }
  return verify::check_width(asked.map, asked.width, options);
}

Json refutation(const spec::MapFact& fact) {
  Json at = fact.results;
  if (fact.at.size() == 1) at = point_json(fact.at[0]);
  if (fact.at.size() == 2) at = Json(Json::Array{point_json(fact.at[0]), point_json(fact.at[1])});
  return json_object({{"holds", false}, {"at", std::move(at)}});
}

// ---- Judging a claimed counterexample ----

Assessment judge_missing(const AskedFact& asked, const Json& at) {
  const std::optional<Integers> element = integers(at);
  if (!element || element->size() != asked.sizes.size())
    return wrong("expected \"at\" to be an index");
  for (size_t d = 0; d < element->size(); ++d) {
    if ((*element)[d] < 0 || (*element)[d] >= asked.sizes[d])
      return wrong("the claimed element is outside of the sizes");
  }
  switch (verify::never_gives(asked.map, *element)) {
    case Verdict::kProven:
      return {};
    case Verdict::kRefuted:
      return wrong("a point of the map gives the claimed element");
    case Verdict::kUndecided:
      break;
  }
  return open("neither proven nor refuted in time");
}

Assessment judge_meeting(const AskedFact& asked, const Json& at) {
  const auto* points = at.as<Json::Array>();
  if (points == nullptr || points->size() != 2) return wrong("expected \"at\" to be two points");
  const auto first = point_in((*points)[0]), second = point_in((*points)[1]);
  if (!first.ok() || !second.ok()) return wrong("expected \"at\" to be two points");
  if (*first == *second || first->runtime != second->runtime)
    return wrong("expected two points of the same runtime values");
  const auto left = spec::evaluate(asked.map, *first), right = spec::evaluate(asked.map, *second);
  if (absl::IsInvalidArgument(left.status())) return wrong(left.status().message());
  if (!left.ok() || !right.ok()) return open("a value at the points is too large");
  if (!*left || !*right || **left != **right)
    return wrong("the claimed points do not give the same results");
  return {};
}

Assessment judge_leaving(const AskedFact& asked, const Json& at) {
  const auto point = point_in(at);
  if (!point.ok()) return wrong(point.status().message());
  IndexingMap only = asked.map;  // the domain is this point
  for (const Op kind : kVariableKinds) {
    std::vector<Variable>& variables = variables_of(only, kind);
    const Integers& values = spec::values_of(*point, kind);
    if (values.size() != variables.size()) return wrong("expected a value for each variable");
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i] < variables[i].bounds.low || values[i] > variables[i].bounds.high)
        return wrong("the claimed point is outside of the domain");
      variables[i].bounds = {values[i], values[i]};
    }
  }
  AskedFact there = asked;
  there.map = std::move(only);
  const absl::StatusOr<spec::MapFact> fact = by_reference(there);
  if (!fact.ok()) return open(fact.status().message());
  return fact->holds() ? wrong("the fact holds at the claimed point") : Assessment{};
}

absl::StatusOr<int64_t> number_under(const Json& request, absl::string_view key,
                                     std::optional<int64_t> otherwise) {
  if (const auto* number = find_as<int64_t>(request, key)) return *number;
  if (find(request, key) == nullptr && otherwise) return *otherwise;
  return invalid("expected the key \"", key, "\", an integer");
}

Json json_of_phases(const std::vector<BankPhase>& phases) {
  Integers ways;
  for (const BankPhase& phase : phases) ways.push_back(phase.ways);
  return json_object({{"phases", ways}});
}

}  // namespace

absl::StatusOr<Result> map_check(const Json& request, Engine engine) {
  const AskedFact asked = TRY(asked_fact(request));
  if (engine == Engine::kSpec) {
    const spec::MapFact fact = TRY(by_reference(asked));
    return Result(fact.holds() ? json_object({{"holds", true}}) : refutation(fact));
  }
  verify::CheckOptions options;
  options.milliseconds = 500;  // an answer has 2 seconds, and may take several questions
  const CheckedFact checked = TRY(by_prover(asked, options));
  if (checked.verdict == Verdict::kRefuted) return Result(refutation(*checked.fact));
  const bool is_proven = checked.verdict == Verdict::kProven;
  return Result(json_object({{"holds", is_proven ? Json(true) : Json()}}));
}

Assessment judge_check(const Json& request, const Answer& answer) {
  const absl::StatusOr<AskedFact> asked = asked_fact(request);
  const Json* holds = find(answer.result, "holds");
  if (holds == nullptr) return wrong("expected the key \"holds\"");
  if (holds->is_null()) return {Assessment::Kind::kUnspecified, "undecided: \"holds\" is null"};
  const bool* said = holds->as<bool>();
  if (said == nullptr) return wrong("expected \"holds\" to be true, false or null");
  if (*said) {
    verify::CheckOptions options;
    options.milliseconds = 20'000;
    const absl::StatusOr<CheckedFact> checked = by_prover(*asked, options);
    if (!checked.ok()) return open(checked.status().message());
    if (checked->verdict == Verdict::kUndecided) return open(checked->open);
    if (checked->verdict == Verdict::kProven) return {};
    const Json counterexample = refutation(*checked->fact);
    return wrong("it does not hold at ", to_text(*find(counterexample, "at")));
  }
  const Json* at = find(answer.result, "at");
  if (at == nullptr) return wrong("expected the key \"at\"");
  if (asked->kind == AskedFact::Kind::kOnto) return judge_missing(*asked, *at);
  if (asked->kind == AskedFact::Kind::kOneToOne) return judge_meeting(*asked, *at);
  return judge_leaving(*asked, *at);
}

absl::StatusOr<Result> layout_banks(const Json& request, Engine engine) {
  const AnyLayout layout = TRY(parsed_field(request, "layout", parse_any_layout));
  const spec::LayoutFunction function = TRY(spec::layout_function(layout));
  const IndexingMap access = TRY(map_under(request, "access"));
  const int64_t bits = TRY(number_under(request, "bits", function.element_bits));
  const int64_t vector = TRY(number_under(request, "vector", std::nullopt));
  const int64_t banks = TRY(number_under(request, "banks", 32));
  const int64_t bank_bytes = TRY(number_under(request, "bank_bytes", 4));
  if (engine == Engine::kSpec) {
    const auto phases =
        TRY(spec::serve(function, access, {bits, vector}, {banks, bank_bytes}, kFactBudget));
    return Result(json_of_phases(phases));
  }
  const absl::StatusOr<impl::RelayoutSide> side = impl::relayout_side(layout);
  // The closed form has no digits for the layout, or no negative strides.
  if (absl::IsFailedPrecondition(side.status()) || absl::IsOutOfRange(side.status()))
    return absl::UnimplementedError(side.status().message());
  if (!side.ok()) return side.status();
  const auto phases = TRY(impl::bank_phases(*side, access, {bits, vector}, {banks, bank_bytes}));
  return Result(json_of_phases(phases));
}

}  // namespace tileproof::conform
