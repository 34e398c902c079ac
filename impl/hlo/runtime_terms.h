// How a map depends on its runtime variables.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "impl/hlo/indexing.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// The runtime variables that results and conditions use.
std::vector<bool> runtime_used(const IndexingMap& map);

// Each node of the expression, once.
void visit_nodes_under(const IndexingMap& map, NodeId root,
                       absl::FunctionRef<void(const Node&)> visit);

// Whether the expression uses variables of the kind.
bool uses(const IndexingMap& map, NodeId root, Op kind);

// The factors of runtime variables in a sum, where they occur nowhere deeper.
//
//     d0 * 4 + rt0 * 2 + 1     {0: 2}            (d0 + rt0) floordiv 2     nothing
std::optional<std::map<int64_t, int64_t>> runtime_terms(const IndexingMap& map, NodeId root);

// The map with these values in place of its runtime variables, which are gone.
IndexingMap with_runtime(const IndexingMap& map, absl::Span<const int64_t> values);

// Whether the value is that of one element for all points: its index is made of constants.
bool is_uniform(const RuntimeSource& source);

}  // namespace tileproof::impl
