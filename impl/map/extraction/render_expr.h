// SPDX-License-Identifier: Apache-2.0
// Rewrites one expression of a map to its shortest known rendering.
#pragma once

#include <vector>

#include "impl/map/extraction/extraction.h"
#include "impl/map/normal_form/normalize.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// Appends to `out` the shortest tree for an expression of the map, and returns its position. `form`
// is the normal form of `root`; `sizes` are the tree sizes of the map's nodes. Takes the tree that
// extraction gives, unless the expression as written is strictly shorter. In that case replaces
// each subexpression that becomes shorter, and sets `by_parts`. The tree is never longer than
// `root`. Returns -1 if extraction gave up. Rendering never gives up: it uses memoized extractions
// only.
NodeId rewrite(NormalFormContext& context, Normalizer& normalizer, const IndexingMap& map,
               NodeId root, const Linear& form, const std::vector<int64_t>& sizes, ExprTable& out,
               bool& by_parts);

// Appends a copy of the tree that shares no nodes with the rest of `out`.
NodeId copy_tree(const ExprTable& nodes, NodeId root, ExprTable& out);

// The tree sizes of all nodes, saturating at kMaxCost / kNodeCost.
void tree_sizes(const ExprTable& nodes, std::vector<int64_t>& sizes);

}  // namespace tileproof::impl
