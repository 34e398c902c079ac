// SPDX-License-Identifier: Apache-2.0
// Shared by the fuzz targets of the HLO analysis: the analysis of a module counts every instruction
// once, and agrees with the reference at the root.
#pragma once

#include "fuzz/targets/hlo_inputs.h"
#include "impl/hlo/module_indexing.h"
#include "verify/compare/indexing_compare.h"

namespace tileproof {

inline void check_module(const HloModule& module, absl::string_view text,
                         verify::RuntimeChoice choice) {
  if (impl::index_module(module).instructions.total() != instruction_count(module))
    fail("wrong number of instructions", text);
  verify::CaseCounts tally;
  const std::string found = verify::indexing_difference(
      module, module.computations[module.entry].root, choice, {.arrays = 8}, tally);
  if (!found.empty()) fail(found, text);
}

// Checks a generated module, which is valid.
inline void check_generated(const GeneratedHlo& hlo) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(hlo.text);
  if (!module.ok()) {
    fail(absl::StrCat("a generated module does not parse: ", module.status().message()), hlo.text);
  }
  check_module(*module, hlo.text, {hlo.seed, hlo.near});
}

}  // namespace tileproof
