// SPDX-License-Identifier: Apache-2.0
// Fuzz target: modules that small changes made invalid or unusual. Analysis and reference refuse
// the same modules, and agree on the others.
#include "fuzz/targets/hlo_inputs.h"

namespace tileproof {
namespace {

std::string check(absl::string_view text, verify::CaseCounts& tally) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(text);
  return module.ok() ? module_difference(*module, text, {seed_of(text), 8}, tally) : "";
}

}  // namespace

const TextTarget kTarget = {check, mutated_hlo, /*bytes_of_16=*/1};

}  // namespace tileproof
