// SPDX-License-Identifier: Apache-2.0
// What a caller of a module sees besides values: in which order the elements of parameters and
// results lie in memory.
//
//     LEFT   HloModule a, entry_computation_layout={(f32[4,6]{1,0})->f32[4,6]{0,1}}
//     RIGHT  HloModule b, entry_computation_layout={(f32[4,6]{1,0})->f32[4,6]{1,0}}
//
//     result 0 has the layout {0,1} in LEFT, {1,0} in RIGHT
//
// A compiled module (`is_scheduled=true`) promises these layouts. Before that, XLA has not assigned
// them yet: JAX prints what came out of the last transpose.
//
// The layout of an array is that of the header, or else that of the parameter or the root. Without
// any it is row-major, as XLA reads it.
// Source: XLA, "Shapes and layout"; the attribute entry_computation_layout of HLO text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::verify {

struct LayoutDifference {
  bool is_of_result = false;
  int64_t parameter = 0;              // if it is not of the result
  int64_t leaf = 0;                   // of the parameter or the result, if that is a tuple
  std::string left = {}, right = {};  // "{0,1}"

  bool operator==(const LayoutDifference&) const = default;
};

// Whether a caller can rely on the layouts that the module says: it is compiled.
bool promises_layouts(const HloModule& module);

// The parameters in their order, then the result. The modules must have parameters and results of
// the same sizes. An error for a shape without known sizes.
absl::StatusOr<std::vector<LayoutDifference>> layout_differences(const HloModule& left,
                                                                 const HloModule& right);

}  // namespace tileproof::verify
