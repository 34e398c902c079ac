// SPDX-License-Identifier: Apache-2.0
// Shared by the fuzz targets of the HLO analysis: the analysis of a module counts every instruction
// once, and agrees with the reference at the root.
#pragma once

#include "fuzz/targets/hlo_inputs.h"
#include "impl/hlo/module_indexing.h"
#include "verify/compare/indexing_compare.h"

namespace tileproof {

inline std::string module_difference(const HloModule& module, absl::string_view text,
                                     verify::RuntimeChoice choice, verify::CaseCounts& tally) {
  if (impl::index_module(module).instructions.total() != instruction_count(module))
    return about("wrong number of instructions", text);
  return about(verify::indexing_difference(module, module.computations[module.entry].root, choice,
                                           {.arrays = 8}, tally),
               text);
}

// Checks a generated module, which is valid.
inline std::string generated_difference(const GeneratedHlo& hlo, verify::CaseCounts& tally) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(hlo.text);
  return module.ok()
             ? module_difference(*module, hlo.text, {hlo.seed, hlo.near}, tally)
             : about(absl::StrCat("a generated module does not parse: ", module.status().message()),
                     hlo.text);
}

}  // namespace tileproof
