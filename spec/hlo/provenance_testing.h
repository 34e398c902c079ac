// SPDX-License-Identifier: Apache-2.0
// For tests: the dataflow of one instruction as a short text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "spec/hlo/provenance.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof::spec {

struct Asked {
  int64_t operand = 0;
  int64_t operand_leaf = 0;
  int64_t leaf = 0;
  Scope scope = Scope::kInstruction;
  std::vector<int64_t> values = {};  // of the offset operands: see below
};

// What flows into each element of the entry's root from one operand: for each element of the root,
// the row-major numbers of the operand's elements, or "-" if there are none.
//
//     dataflow_text("r = f32[3] reverse(f32[3] p), dimensions={0}")    "2 | 1 | 0"
//
// The elements of all parameters whose names start with 'i' have the values of `values`, in order.
// For an error, returns its message.
inline std::string dataflow_text(absl::string_view text, const Asked& asked = {}) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(text);
  if (!module.ok()) return std::string(module.status().message());
  const HloComputation& entry = module->computations[module->entry];
  const auto value = [&](const HloElement& position) -> int64_t {
    int64_t before = 0;
    for (int32_t i = 0; i < position.instruction; ++i) {
      const HloInstruction& other = entry.instructions[i];
      if (other.name[0] == 'i' && other.opcode == HloOpcode::kParameter) {
        int64_t count = 1;
        for (const Dimension& d : other.shape->dimensions) count *= d.size;
        before += count;
      }
    }
    Dims dims;
    for (const Dimension& d : entry.instructions[position.instruction].shape->dimensions) {
      dims.push_back(d.size);
    }
    return asked.values.at(before + element_number(dims, position.index));
  };
  const auto result =
      provenance(*module, module->entry, entry.root, asked.leaf, asked.scope, value);
  if (!result.ok()) return std::string(result.status().message());
  std::string dependences;
  for (size_t e = 0; e < result->elements.size(); ++e) {
    std::string one;
    for (const Source& source : *result->elements[e]) {
      if (source.operand != asked.operand || source.leaf != asked.operand_leaf) continue;
      absl::StrAppend(&one, one.empty() ? "" : " ", source.element);
    }
    absl::StrAppend(&dependences, e == 0 ? "" : " | ", one.empty() ? "-" : one);
  }
  return dependences;
}

}  // namespace tileproof::spec
