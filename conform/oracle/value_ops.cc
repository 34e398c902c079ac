// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "conform/oracle/fields.h"
#include "conform/oracle/operations.h"
#include "conform/oracle/sharding_json.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/device_groups.h"
#include "spec/lang/hlo/hlo_text.h"
#include "verify/prove/hlo/modules/module_equal.h"
#include "verify/prove/hlo/modules/module_values.h"

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
         verify::meets_devices(asked.left) || verify::meets_devices(asked.right);
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

}  // namespace tileproof::conform
