// Evaluation of an indexing map at a point, in 64-bit integers.
//
//     (d0)[s0] -> (d0 * 4 - s0), domain: d0 in [0, 9], s0 in [0, 3], d0 mod 2 in [0, 0]
//
//     at d0 = 2, s0 = 1: (7)      at d0 = 1, s0 = 1: nothing
//
// A point outside the bounds costs nothing, a violated constraint ends the work, every node is
// computed once. Where a value on the way leaves 64 bits it is an error, though the result may fit.
// Source: INTERFACE, section 2 "Integers" and "Maps".
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// The value of an operation; nothing where it leaves 64 bits, or divides by 0.
std::optional<int64_t> apply(Op op, int64_t a, int64_t b);

// A value for every variable, by kind.
struct PointValues {
  absl::Span<const int64_t> dims, ranges, runtime;
};

// The results, or nothing outside the domain. The map must be valid. An error if the point has not
// as many values as the map has variables.
absl::StatusOr<std::optional<std::vector<int64_t>>> evaluate(const IndexingMap& map,
                                                             const PointValues& point);

}  // namespace tileproof::impl
