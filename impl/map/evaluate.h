// SPDX-License-Identifier: Apache-2.0
// Evaluation of an indexing map at a point, in 64-bit integers.
//
//     (d0)[s0] -> (d0 * 4 - s0), domain: d0 in [0, 9], s0 in [0, 3], d0 mod 2 in [0, 0]
//
//     at d0 = 2, s0 = 1: (7)      at d0 = 1, s0 = 1: nothing
//
// Bounds are checked first, and a violated constraint ends the evaluation. An intermediate value that leaves
// 64 bits is an error, even if the result fits.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// The value of an operation. Nothing if it leaves 64 bits or divides by 0.
std::optional<int64_t> apply(Op op, int64_t a, int64_t b);

// The values of the nodes before `end`, each computed once. Nothing for a node whose value, or that of
// an operand, leaves 64 bits, is divided by 0, or is that of a variable that has none.
std::vector<std::optional<int64_t>> values_of_nodes(
    const ExprTable& nodes, NodeId end,
    absl::FunctionRef<std::optional<int64_t>(const Node&)> value_of_variable);

// One value for each variable, by kind.
struct PointValues {
  absl::Span<const int64_t> dims, ranges, runtime;
};

// The results, or nothing if the point is outside the domain. The map must be valid. An error if
// the number of values differs from the number of variables.
absl::StatusOr<std::optional<std::vector<int64_t>>> evaluate(const IndexingMap& map,
                                                             const PointValues& point);

}  // namespace tileproof::impl
