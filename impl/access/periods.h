// SPDX-License-Identifier: Apache-2.0
// Variables whose results repeat, moved by a constant: what repeats, and how often, become two
// variables.
//
//     (b) -> ((b floordiv 64) * 4096 + (b mod 64) * 3), domain: b in [0, 999]
//
//     (b, k) -> (b * 3 + k * 4096), domain: b in [0, 63], k in [0, 14]
//     (b) -> (b * 3 + 61440), domain: b in [0, 39]
//
// Both maps together have the results of the first one, each as often. As k is a term of its own,
// counting need not visit all of its values.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// f(v + length) = f(v) + step for each value of the other variables, with a step for each result.
struct Period {
  int64_t length = 1;
  std::vector<int64_t> steps;
};

// The period of dimension v in a map of dimensions. Nothing if a constraint or a product of variables
// has it, or a number leaves 64 bits.
std::optional<Period> period_of(const IndexingMap& map, int64_t v);

// The maps that stand for this one, in which no dimension but those of `kept` is more than twice as
// long as its period. A new dimension comes last.
std::vector<IndexingMap> by_periods(const IndexingMap& map, const std::vector<int64_t>& kept);

}  // namespace tileproof::impl
