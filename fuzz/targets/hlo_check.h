// Fuzz targets of HLO analysis: the roots of a module, by the analysis and by the reference.
#pragma once

#include <cstdint>
#include <string>

#include "fuzz/targets/hlo_inputs.h"
#include "impl/module_indexing.h"
#include "spec/lang/hlo.h"
#include "verify/indexing_compare.h"

namespace tileproof {

// What the reference enumerates of an input.
inline constexpr spec::Limits kHloLimits{.elements = 4096, .work = 1 << 19, .depth = 50};
inline constexpr int32_t kMostLeaves = 8;

inline void check_root(const HloModule& module, absl::string_view text,
                       verify::RuntimeChoice choice) {
  const HloComputation& entry = module.computations[module.entry];
  const SharedShape& shape = entry.instructions[entry.root].shape;
  if (!shape) return;
  const absl::StatusOr<std::vector<spec::Leaf>> leaves = spec::leaves_of(*shape);
  if (!leaves.ok()) return;
  for (int32_t leaf = 0; leaf < std::min<int64_t>(std::ssize(*leaves), kMostLeaves); ++leaf) {
    for (const spec::Scope scope : {spec::Scope::kInstruction, spec::Scope::kComputation}) {
      const verify::IndexingComparison result = verify::compare_indexing(
          module, module.entry, entry.root, leaf, scope, choice, kHloLimits);
      if (result.kind != verify::IndexingComparison::Kind::kDifferent) continue;
      fail(absl::StrCat("leaf ", leaf, ", scope ",
                        scope == spec::Scope::kInstruction ? "instruction" : "computation", ": ",
                        result.difference),
           text);
    }
  }
}

// Every instruction is counted once, whatever is in the module.
inline void check_counts(const HloModule& module, absl::string_view text) {
  const impl::ModuleIndexing found = impl::index_module(module);
  if (found.instructions.total() != instruction_count(module)) fail("not all counted", text);
}

}  // namespace tileproof
