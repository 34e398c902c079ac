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
  judge("tiles", verify::compare_tiles(*module, entry, root, choose, kLimits).difference);
  judge("coalescing", verify::compare_coalescing(*module, entry, root, choose, kPoints).difference);
  for (const spec::Scope scope : {spec::Scope::kInstruction, spec::Scope::kComputation}) {
    judge("utilization",
          verify::compare_utilization(*module, entry, root, scope, seed, kCombinations, kLimits)
              .difference);
  }
}

}  // namespace

const TextTarget kTarget = {check, mutated_hlo, crossed_hlo, /*bytes_of_16=*/0};

}  // namespace tileproof
