// SPDX-License-Identifier: Apache-2.0
#include "generate/hlo/generate_hlo.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "generate/hlo/hlo_builder.h"

namespace tileproof {
namespace {

std::vector<hlo::Kind> all_kinds() {
  std::vector<hlo::Kind> kinds = hlo::movement_kinds();
  for (const auto* more : {&hlo::computing_kinds(), &hlo::dynamic_kinds()}) {
    kinds.insert(kinds.end(), more->begin(), more->end());
  }
  return kinds;
}

const std::vector<hlo::Kind>& kinds() {
  static const auto* const all = new std::vector<hlo::Kind>(all_kinds());
  return *all;
}

hlo::Value first_parameter(hlo::Builder& b) {
  const int64_t rank = b.within(limits::kRank);
  const Dims dims = b.small_dims(rank, rank);
  const std::string type = b.any_type();
  return b.parameter({"", type, dims, ""});
}

GeneratedHlo finished(const hlo::Builder& b, std::string kind) {
  GeneratedHlo result;
  result.text = absl::StrCat("HloModule generated\n", b.regions, "ENTRY main {\n", b.body(), "}\n");
  result.kind = std::move(kind);
  result.leaves = b.root_leaves;
  result.near = b.near;
  return result;
}

}  // namespace

int64_t operation_kinds() { return std::ssize(kinds()); }

GeneratedHlo generate_operation(Choose& choose, const HloLimits& limits, int64_t kind) {
  hlo::Builder b(choose, limits, false);
  const hlo::Kind& chosen = kinds()[kind < 0 ? choose(operation_kinds()) : kind];
  const hlo::Value x = first_parameter(b);
  chosen.apply(b, x);
  GeneratedHlo result = finished(b, chosen.name);
  result.seed = static_cast<uint64_t>(choose(int64_t{1} << 30));
  return result;
}

GeneratedHlo generate_computation(Choose& choose, const HloLimits& limits) {
  hlo::Builder b(choose, limits, true);
  std::vector<hlo::Value> start = {first_parameter(b)};
  if (choose.chance(1, 2)) start.push_back(first_parameter(b));
  hlo::Value x = start.back();
  std::string names;
  const int64_t operations = choose.between(1, limits.operations);
  const std::vector<hlo::Kind>& from = choose.chance(1, 4) ? hlo::dynamic_kinds() : kinds();
  for (int64_t k = 0; k < operations; ++k) {
    // Mostly use the last value, sometimes an earlier one.
    if (choose.chance(1, 4)) x = b.values[choose(std::ssize(b.values))];
    const hlo::Kind kind = choose.pick(from);
    x = kind.apply(b, x);
    absl::StrAppend(&names, names.empty() ? "" : " ", kind.name);
    if (choose.chance(1, 6)) {
      x = b.wrap(x);
      absl::StrAppend(&names, " (fused)");
    }
  }
  GeneratedHlo result = finished(b, names);
  result.seed = static_cast<uint64_t>(choose(int64_t{1} << 30));
  return result;
}

GeneratedHlo hlo_of_choices(absl::Span<const uint8_t> bytes, bool computation) {
  constexpr HloLimits kSmall{.elements = 60, .operations = 6};
  Choose choose(Choose::Bytes{bytes});
  return computation ? generate_computation(choose, kSmall) : generate_operation(choose, kSmall);
}

}  // namespace tileproof
