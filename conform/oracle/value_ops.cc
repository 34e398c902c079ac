// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "conform/oracle/fields.h"
#include "conform/oracle/operations.h"
#include "conform/oracle/sharding_json.h"
#include "impl/access/banks.h"
#include "impl/layout/relayout/relayout_plan.h"
#include "spec/access/banks.h"
#include "spec/access/map_facts.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/device_groups.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/layout/layout_function.h"
#include "verify/prove/hlo/modules/module_equal.h"
#include "verify/prove/hlo/modules/module_values.h"
#include "verify/prove/map/map_check.h"

namespace tileproof::conform {
namespace {

using verify::ValueEquality;
using verify::Verdict;

struct AskedValues {
  HloModule left, right;
  verify::Laws laws;
  verify::Placements placements;
};

absl::StatusOr<AskedValues> asked_values(const Json& request) {
  AskedValues asked;
  asked.left = TRY(parsed_field(request, "left", parse_hlo_module));
  asked.right = TRY(parsed_field(request, "right", parse_hlo_module));
  std::vector<std::string> names;
  if (const Json* laws = find(request, "laws"); laws != nullptr) {
    const auto* list = laws->as<Json::Array>();
    for (size_t k = 0; list != nullptr && k < list->size(); ++k) {
      const auto* name = (*list)[k].as<std::string>();
      if (name != nullptr) names.push_back(*name);
    }
    if (list == nullptr || names.size() != list->size()) {
      return invalid("laws: expected an array of names");
    }
  }
  asked.laws = TRY(verify::laws_named(names));
  asked.laws.insert(verify::ValueLaw::kReductionOrder);
  if (const Json* sharding = find(request, "sharding"); sharding != nullptr) {
    const auto placement = read_sharding_json(*sharding);
    if (!placement.ok()) {
      return invalid("sharding: ", placement.status().message());
    }
    asked.placements = {*placement, *placement};
  }
  return asked;
}

absl::StatusOr<Leaves> result_leaves(const HloModule& module) {
  const HloComputation& entry = module.computations[module.entry];
  return leaves_of(*entry.instructions[entry.root].shape);
}

absl::StatusOr<std::vector<ValueEquality>> compared(const AskedValues& asked,
                                                    int64_t milliseconds) {
  verify::ValueOptions options;
  options.allowed = asked.laws;
  options.milliseconds = milliseconds;
  options.limits = verify::limits_in(milliseconds);
  auto results = TRY(verify::same_values(asked.left, asked.right, options, asked.placements));
  const Leaves leaves = TRY(result_leaves(asked.left));
  for (ValueEquality& one : results) {  // of results of different types, every element is
    if (one.at.empty()) one.at.resize(leaves[one.leaf].dims.size(), 0);
  }
  return results;
}

Json json_of(const ValueEquality& different) {
  Json json = json_object({{"equal", false}, {"leaf", different.leaf}, {"at", different.at}});
  if (different.device) set(json, "device", different.device->device);
  return json;
}

Json json_of(const std::vector<ValueEquality>& results) {
  const auto different = std::ranges::find(results, Verdict::kRefuted, &ValueEquality::verdict);
  if (different != results.end()) return json_of(*different);
  const bool all = std::ranges::all_of(
      results, [](const ValueEquality& one) { return one.verdict == Verdict::kProven; });
  return json_object({{"equal", all ? Json(true) : Json()}});
}

bool has_devices(const AskedValues& asked) {
  return verify::are_placed_differently(asked.left, asked.right, asked.placements) ||
         verify::depends_on_device(asked.left) || verify::depends_on_device(asked.right);
}

// The terms of the definition at the claimed element of a result.
absl::StatusOr<Verdict> verdict_at(const AskedValues& asked, int64_t leaf,
                                   const std::vector<int64_t>& at) {
  spec::Terms terms(true);
  verify::ResultTerms result;
  verify::ValueOptions options;
  options.allowed = asked.laws;
  for (const bool is_right : {false, true}) {
    const HloModule& module = is_right ? asked.right : asked.left;
    const int32_t root = module.computations[module.entry].root;
    const auto all = TRY(spec::terms_of(module, module.entry, root, leaf, terms, options.limits));
    if (all.terms.empty()) return Verdict::kProven;
    (is_right ? result.right : result.left) = {all.terms[spec::element_number(all.dims, at)]};
  }
  return verify::TermComparison(terms, options).compare(result).verdict;
}

// Devices make other terms: the claim is right if it is what the comparison finds.
Assessment judge_on_devices(const AskedValues& asked, const Json& claimed, int64_t milliseconds) {
  const auto results = compared(asked, milliseconds);
  if (!results.ok()) return open(results.status().message());
  const Json found = json_of(*results);
  if (found == claimed) return {};
  if (is(found, "equal", true)) return wrong("the modules compute the same values");
  return open("another element is different");
}

absl::StatusOr<std::vector<int64_t>> claimed_index(const AskedValues& asked, const Answer& answer,
                                                   int64_t& leaf) {
  const auto* number = find_as<int64_t>(answer.result, "leaf");
  const auto index = find_integers(answer.result, "at");
  const Leaves leaves = TRY(result_leaves(asked.left));
  if (number == nullptr || *number < 0 || *number >= std::ssize(leaves) || !index) {
    return invalid("expected \"leaf\", an array of the result, and \"at\"");
  }
  leaf = *number;
  const Dims& dims = leaves[leaf].dims;
  const bool is_empty = std::ranges::count(dims, 0) > 0 && index->size() == dims.size();
  if (is_empty || is_inside(dims, *index)) return *index;
  return invalid("expected \"at\" to be an index of the array");
}

}  // namespace

absl::StatusOr<Result> hlo_equal(const Json& request, Engine engine) {
  const AskedValues asked = TRY(asked_values(request));
  constexpr int64_t kQuick = 500;  // milliseconds: an answer has 2 seconds
  const auto results = TRY(compared(asked, engine == Engine::kSpec ? 1 : kQuick));
  return Result(json_of(results));
}

Assessment judge_values(const Json& request, const Answer& answer) {
  const absl::StatusOr<AskedValues> asked = asked_values(request);
  const Json* equal = find(answer.result, "equal");
  if (equal == nullptr) return wrong("expected the key \"equal\"");
  if (equal->is_null()) return {Assessment::Kind::kUnspecified, "undecided: \"equal\" is null"};
  const bool* said = equal->as<bool>();
  if (said == nullptr) return wrong("expected \"equal\" to be true, false or null");
  constexpr int64_t kMilliseconds = 5'000;
  if (*said) {
    const auto results = compared(*asked, kMilliseconds);
    if (!results.ok()) return open(results.status().message());
    const Json right = json_of(*results);
    if (is(right, "equal", Json())) return open("neither proven nor refuted in time");
    return is(right, "equal", true) ? Assessment() : wrong("they are not: ", to_text(right));
  }
  if (has_devices(*asked)) return judge_on_devices(*asked, answer.result, kMilliseconds);
  int64_t leaf = 0;
  const auto at = claimed_index(*asked, answer, leaf);
  if (!at.ok()) return wrong(at.status().message());
  const auto pairs = verify::result_pairs(asked->left, asked->right);
  if (pairs.ok() && (*pairs)[leaf].first != (*pairs)[leaf].second) return {};
  const absl::StatusOr<Verdict> verdict = verdict_at(*asked, leaf, *at);
  if (!verdict.ok()) return open(verdict.status().message());
  if (*verdict == Verdict::kRefuted) return {};
  return *verdict == Verdict::kProven
             ? wrong("both compute the same at [", absl::StrJoin(*at, ", "), "]")
             : open("neither proven nor refuted in time");
}

namespace {

using Integers = std::vector<int64_t>;
using verify::CheckedFact;

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

absl::StatusOr<int64_t> integer_under(const Json& request, absl::string_view key,
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
  const int64_t bits = TRY(integer_under(request, "bits", function.element_bits));
  const int64_t vector = TRY(integer_under(request, "vector", std::nullopt));
  const int64_t banks = TRY(integer_under(request, "banks", 32));
  const int64_t bank_bytes = TRY(integer_under(request, "bank_bytes", 4));
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
