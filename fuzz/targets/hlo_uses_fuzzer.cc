// SPDX-License-Identifier: Apache-2.0
// Fuzz target: the access analyses of a module's root. Tile propagation, operand utilization and
// coalescing agree with the reference, which looks at each element.
#include "fuzz/targets/hlo_inputs.h"
#include "verify/compare/coalescing_compare.h"
#include "verify/compare/tile_compare.h"
#include "verify/compare/utilization_compare.h"

namespace tileproof {
namespace {

constexpr int64_t kCombinations = 30;  // combinations of values of offsets
constexpr spec::Limits kLimits{.elements = 1024, .work = 1 << 16, .depth = 50};
constexpr int64_t kPoints = 4096;

void check(absl::string_view text) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(text);
  if (!module.ok()) return;
  const int32_t entry = module->entry, root = module->computations[entry].root;
  const uint64_t seed = seed_of(text);
  Choose choose(Choose::Random{seed});
  const absl::string_view opcode = name_of(module->computations[entry].instructions[root].opcode);
  const auto judge = [&](absl::string_view what, absl::string_view difference) {
    if (!difference.empty()) fail(absl::StrCat(what, " of ", opcode, " at ", difference), text);
  };
  verify::CaseCounts tally;
  judge("tiles", verify::tile_difference(*module, entry, root, choose, tally, kLimits));
  judge("coalescing", verify::coalescing_difference(*module, entry, root, choose, tally, kPoints));
  judge("utilization",
        verify::utilization_difference(*module, entry, root, seed, tally, kCombinations, kLimits));
}

}  // namespace

const TextTarget kTarget = {check, mutated_hlo, crossed_hlo, /*bytes_of_16=*/0};

}  // namespace tileproof
