// SPDX-License-Identifier: Apache-2.0
// The operations of CuTe's layout algebra that others make up: flat_divide, tile_to_shape, recast, ..
//
//     flat_divide (8,16):(16,1) <2:1,4:1>         (2,4,4,4):(16,1,32,4)
//     tile_to_shape (2,4):(4,1) (4,8)             ((2,2),(4,2)):((4,8),(1,16))
//     recast (4,8):(1,4) 32 16                    (8,8):(1,8), in elements of 16 bits
//
// Source: CUTLASS, include/cute/layout.hpp.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/lang/layout/layout_algebra.h"
#include "spec/lang/layout/nested.h"

namespace tileproof::cli {

// The operations that others are made of, of the reference or of the closed form.
struct AlgebraEngine {
  absl::StatusOr<NestedLayout> (*coalesce)(const NestedLayout&);
  absl::StatusOr<NestedLayout> (*composition)(const NestedLayout&, const NestedLayout&);
  absl::StatusOr<NestedLayout> (*right_inverse)(const NestedLayout&);
  absl::StatusOr<NestedLayout> (*logical_product)(const NestedLayout&, const NestedLayout&);
  absl::StatusOr<NestedLayout> (*blocked_product)(const NestedLayout&, const NestedLayout&);
  absl::StatusOr<NestedLayout> (*tiled_divide)(const NestedLayout&, const Tiler&);
};

// How the name takes its operands after the layout, such as "SHAPE [ORDER]"; empty for other names.
absl::string_view derived_operands(absl::string_view name);
std::vector<absl::string_view> derived_names();

// The result of an operation of this name. Errors: those of the engine; other operands.
absl::StatusOr<NestedLayout> derived(absl::string_view name, const AlgebraEngine& engine,
                                     const NestedLayout& a, absl::Span<const std::string> operands);

}  // namespace tileproof::cli
