// SPDX-License-Identifier: Apache-2.0
// For tests of the interpreter: modules, and the dataflow of one instruction as a short text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "spec/hlo/provenance.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof::spec {

// A module whose text is right.
inline HloModule module_of(absl::string_view text) {
  absl::StatusOr<HloModule> module = parse_hlo_module(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return *module;
}

// jnp.where is a function of its own in the text of JAX programs.
inline std::string where_twice(absl::string_view second) {
  return absl::StrCat(R"(HloModule m
where {
  q = pred[4] parameter(0)
  a = f32[4] parameter(1)
  b = f32[4] parameter(2)
  ROOT s = f32[4] select(q, a, b)
}
both {
  q = pred[4] parameter(0)
  a = f32[4] parameter(1)
  b = f32[4] parameter(2)
  n = pred[4] not(q)
  ROOT s = f32[4] call(n, a, b), to_apply=where
}
ENTRY e {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  u = pred[4] parameter(2)
  i = s32[4] iota(), iota_dimension=0
  k = s32[4] constant({2, 2, 2, 2})
  p = pred[4] compare(i, k), direction=LT
  f = f32[4] call(p, x, y), to_apply=where
  ROOT r = f32[4] call()",
                      second, R"(, f, y), to_apply=both
}
)");
}

// Each value that is read is 0.
inline int64_t zero(const HloElement&) { return 0; }

// The provenance of the root of the entry, leaf 0.
inline absl::StatusOr<Provenance> of_root(const HloModule& module, Scope scope,
                                          RuntimeValues values = zero, const Limits& limits = {}) {
  const HloComputation& entry = module.computations[module.entry];
  return provenance(module, module.entry, entry.root, 0, scope, values, limits);
}

// A state of four leaves that move on: the last is the first of two iterations before.
inline std::string moving_loop(absl::string_view counter) {
  return absl::StrCat(R"(HloModule m
body {
  s = (s32[], f32[1], f32[1], f32[1]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  a = f32[1] get-tuple-element(s), index=1
  b = f32[1] get-tuple-element(s), index=2
  one = s32[] constant(1)
  k = s32[] add(i, one)
  n = f32[1] negate(a)
  ROOT t = (s32[], f32[1], f32[1], f32[1]) tuple(k, n, a, b)
}
cond {
  s = (s32[], f32[1], f32[1], f32[1]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  two = s32[] constant(2)
  ROOT c = pred[] compare(i, two), direction=LT
}
ENTRY e {
  a = f32[1] parameter(0)
  b = f32[1] parameter(1)
  c = f32[1] parameter(2)
  j = s32[] parameter(3)
  zero = s32[] constant(0)
  p = (s32[], f32[1], f32[1], f32[1]) tuple()",
                      counter, R"(, a, b, c)
  w = (s32[], f32[1], f32[1], f32[1]) while(p), condition=cond, body=body
  ROOT r = f32[1] get-tuple-element(w), index=3
}
)");
}

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
