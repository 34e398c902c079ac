// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/utilization_compare.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "impl/access/utilization.h"
#include "impl/hlo/indexing.h"
#include "spec/access/utilization.h"
#include "spec/hlo/runtime_value.h"
#include "spec/lang/base/reached_limit.h"
#include "verify/compare/indexing_compare.h"

namespace tileproof::verify {
namespace {

// The reference's counts, and whether they hold for all values.
struct Expected {
  absl::StatusOr<spec::Utilization> utilization;
  bool all_values = true;
};

Expected expected_of(const HloModule& module, int32_t computation, int32_t instruction, Scope scope,
                     uint64_t seed, int64_t combinations, const spec::Limits& limits) {
  Expected expected{
      spec::utilization(module, computation, instruction, scope, combinations, limits)};
  if (!absl::IsResourceExhausted(expected.utilization.status())) return expected;
  expected.all_values = false;
  constexpr int kSamples = 6;
  for (int i = 0; i < kSamples; ++i) {
    RuntimeChoice choice{seed + i, 4};
    if (i == 0) choice.all = 0;
    const auto value = [&](const spec::HloElement& position) {
      const HloComputation& within = module.computations[position.computation];
      const auto type =
          spec::integer_range_of(within.instructions[position.instruction], position.leaf);
      const int64_t any = value_of(position, choice);
      return type ? std::clamp(any, type->low, type->high) : any;
    };
    const auto one = spec::utilization_at(module, computation, instruction, scope, value, limits);
    if (i == 0 || !one.ok()) expected.utilization = one;
    if (!one.ok()) return expected;
    for (size_t k = 0; k < one->read.size(); ++k) {
      for (size_t l = 0; l < one->read[k].size(); ++l) {
        spec::ElementsRead& whole = expected.utilization->read[k][l];
        whole.least = std::min(whole.least, one->read[k][l].least);
        whole.most = std::max(whole.most, one->read[k][l].most);
      }
    }
  }
  return expected;
}

std::string difference_in(Scope scope, const HloModule& module, int32_t computation,
                          int32_t instruction, uint64_t seed, CaseCounts& tally,
                          int64_t combinations, const spec::Limits& limits) {
  const Expected expected =
      expected_of(module, computation, instruction, scope, seed, combinations, limits);
  impl::IndexingAnalysis analysis(module);
  const auto found = impl::utilization(analysis, module, computation, instruction, scope);
  const absl::Status& status = expected.utilization.status();
  if (reached_limit(status) || (!status.ok() && !found.ok())) {
    ++tally["refused"];
    return "";
  }
  if (!status.ok() || !found.ok()) {
    return absl::StrCat("refused by the ", status.ok() ? "analysis" : "reference",
                        " only: ", (status.ok() ? found.status() : status).message());
  }
  const auto& read = expected.utilization->read;
  for (size_t k = 0; k < read.size(); ++k) {
    for (size_t l = 0; l < read[k].size(); ++l) {
      const impl::ElementsRead& ours = (*found)[k][l];
      const spec::ElementsRead& theirs = read[k][l];
      if (!ours.uncounted.empty()) {
        ++tally["arrays not counted"];
        ++tally[absl::StrCat("not counted: ", ours.uncounted)];
        continue;
      }
      const bool holds = expected.all_values
                             ? ours.least == theirs.least && ours.most == theirs.most
                             : ours.least <= theirs.least && theirs.most <= ours.most;
      if (holds && ours.elements == theirs.elements) {
        ++tally[expected.all_values ? "arrays equal" : "arrays within"];
        continue;
      }
      // If the reference has a superset, the exact relation can have fewer dataflow paths.
      if (!expected.utilization->conservative.empty() && ours.most <= theirs.most) {
        ++tally["arrays of a superset"];
        continue;
      }
      return absl::StrCat("operand ", k, l == 0 ? "" : absl::StrCat("#", l), ": expected ",
                          theirs.least, " to ", theirs.most, " of ", theirs.elements,
                          expected.all_values ? "" : " and more", ", found ", ours.least, " to ",
                          ours.most, " of ", ours.elements);
    }
  }
  return "";
}

}  // namespace

std::string utilization_difference(const HloModule& module, int32_t computation,
                                   int32_t instruction, uint64_t seed, CaseCounts& tally,
                                   int64_t combinations, const spec::Limits& limits) {
  for (const Scope scope : {Scope::kInstruction, Scope::kComputation}) {
    std::string found =
        difference_in(scope, module, computation, instruction, seed, tally, combinations, limits);
    if (!found.empty()) return found;
  }
  return "";
}

}  // namespace tileproof::verify
