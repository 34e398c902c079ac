// SPDX-License-Identifier: Apache-2.0
// Fuzz target: the access analyses of a module's root. Tile propagation, operand utilization and
// coalescing agree with the reference, which looks at each element.
#include <utility>

#include "fuzz/targets/hlo_inputs.h"
#include "verify/compare/access_compare.h"

namespace tileproof {
namespace {

constexpr int64_t kCombinations = 30;  // combinations of values of offsets
constexpr spec::Limits kLimits{.elements = 1024, .work = 1 << 16, .depth = 50};
constexpr int64_t kPoints = 4096;

std::string check(absl::string_view text, verify::CaseCounts& tally) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(text);
  if (!module.ok()) return "";
  const int32_t entry = module->entry, root = module->computations[entry].root;
  const uint64_t seed = seed_of(text);
  Choose choose(Choose::Random{seed});
  const absl::string_view opcode = name_of(module->computations[entry].instructions[root].opcode);
  const std::pair<absl::string_view, std::string> differences[] = {
      {"tiles", verify::tile_difference(*module, entry, root, choose, tally, kLimits)},
      {"coalescing", verify::coalescing_difference(*module, entry, root, choose, tally, kPoints)},
      {"utilization",
       verify::utilization_difference(*module, entry, root, seed, tally, kCombinations, kLimits)}};
  for (const auto& [what, difference] : differences) {
    if (!difference.empty())
      return about(absl::StrCat(what, " of ", opcode, " at ", difference), text);
  }
  return "";
}

}  // namespace

const TextTarget kTarget = {check, mutated_hlo, /*bytes_of_16=*/0};

}  // namespace tileproof
