// SPDX-License-Identifier: Apache-2.0
// Shared by the fuzz targets of the HLO analysis: compares analysis and reference at the root of a
// module, in both directions.
#pragma once

#include <cstdint>
#include <string>

#include "fuzz/targets/hlo_inputs.h"
#include "impl/hlo/module_indexing.h"
#include "spec/lang/hlo/hlo.h"
#include "verify/compare/indexing_compare.h"

namespace tileproof {

// Limits of what the reference enumerates for one input.
inline constexpr spec::Limits kHloLimits{.elements = 4096, .work = 1 << 19, .depth = 50};
inline constexpr int64_t kMaxArrays = 8;

inline void check_root(const HloModule& module, absl::string_view text,
                       verify::RuntimeChoice choice) {
  const int32_t root = module.computations[module.entry].root;
  for (const verify::IndexingQuestion& question :
       verify::questions_about(module, module.entry, root, kMaxArrays)) {
    const verify::IndexingComparison result =
        verify::compare_indexing(module, question, choice, kHloLimits);
    if (result.kind != verify::IndexingComparison::Kind::kDifferent) continue;
    // The text up to " at " is the cause by which findings are filed.
    fail(absl::StrCat(
             name_of(module.computations[module.entry].instructions[root].opcode),
             question.scope == spec::Scope::kComputation ? " with what it reads" : "",
             question.direction == impl::Direction::kInputToOutput ? ", inputs to outputs" : "",
             " is indexed wrongly at ", to_text(question), ": ", result.difference),
         text);
  }
}

// Checks that the analysis of a module counts every instruction once.
inline void check_counts(const HloModule& module, absl::string_view text) {
  const impl::ModuleIndexing found = impl::index_module(module);
  if (found.instructions.total() != instruction_count(module))
    fail("wrong number of instructions", text);
}

// Checks a generated module, which is valid: analysis and reference agree on the root, in both
// scopes. `hlo` also has the values of its offsets.
inline void check_generated(const GeneratedHlo& hlo) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(hlo.text);
  if (!module.ok()) {
    fail(absl::StrCat("a generated module does not parse: ", module.status().message()), hlo.text);
  }
  check_counts(*module, hlo.text);
  check_root(*module, hlo.text, {hlo.seed, hlo.near});
}

}  // namespace tileproof
