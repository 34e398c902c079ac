// SPDX-License-Identifier: Apache-2.0
// Shared by the fuzz targets of HLO: an input is the text of a module, or chooses one.
#pragma once

#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "fuzz/targets/text_input.h"
#include "generate/choose/choose.h"
#include "generate/hlo/generate_hlo.h"
#include "generate/hlo/mutate_hlo.h"
#include "impl/hlo/module_indexing.h"
#include "spec/lang/hlo/hlo_text.h"
#include "verify/compare/indexing_compare.h"

namespace tileproof {

// A finding about a module.
inline std::string about(absl::string_view finding, absl::string_view hlo) {
  if (finding.empty()) return "";
  return absl::StrCat(finding, ": tileproof map $'", absl::CEscape(hlo), "'");
}

inline std::string generated(Choose& choose) {
  return choose.chance(1, 3) ? generate_computation(choose, {.elements = 60, .operations = 4}).text
                             : generate_operation(choose, {.elements = 60}).text;
}

// Returns a changed module, or a new one if the text is not a module.
inline std::string mutated_hlo(Choose& choose, absl::string_view text) {
  absl::StatusOr<HloModule> module = parse_hlo_module(text);
  if (!module.ok() || choose.chance(1, 24)) return generated(choose);
  std::string changed = mutate_hlo(choose, *module);
  for (int64_t more = choose(3); more > 0; --more) {
    module = parse_hlo_module(changed);
    if (!module.ok()) break;
    changed = mutate_hlo(choose, *std::move(module));
  }
  return changed;
}

// The analysis counts every instruction once, and agrees with the reference at the root.
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
