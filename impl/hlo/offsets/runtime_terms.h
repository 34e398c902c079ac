// SPDX-License-Identifier: Apache-2.0
// How a map depends on its runtime variables.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "impl/hlo/indexing.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// Which runtime variables the results and constraints use.
std::vector<bool> runtime_used(const IndexingMap& map);

// Whether the expression uses variables of the kind.
bool uses(const IndexingMap& map, NodeId root, Op kind);

// The factors of the runtime variables in a sum. Nothing if one occurs deeper in the expression.
//
//     d0 * 4 + rt0 * 2 + 1     {0: 2}            (d0 + rt0) floordiv 2     nothing
std::optional<std::map<int64_t, int64_t>> runtime_terms(const IndexingMap& map, NodeId root);

// The map with its runtime variables replaced by these values.
IndexingMap with_runtime(const IndexingMap& map, absl::Span<const int64_t> values);

// Whether the variable reads one element for all points: the index consists of constants.
bool is_uniform(const RuntimeSource& source);

}  // namespace tileproof::impl
