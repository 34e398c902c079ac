// One expression of a map, rewritten in the shortest words known.
#pragma once

#include <vector>

#include "impl/map/extraction/extraction.h"
#include "impl/map/normal_form/normalize.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// Appends to `out` the shortest tree for an expression of the map, and returns its place. `form` is
// the normal form of `root`, `sizes` the tree sizes of the map's nodes. The tree that the normal
// form alone gives is taken unless the expression as written is strictly shorter; then each of its
// subexpressions is replaced where that makes it shorter, and `by_parts` is set. Never longer than
// `root`. -1 where finding words is refused; writing them never is, as it asks for known ones only.
NodeId rewrite(NormalFormContext& context, Normalizer& normalizer, const IndexingMap& map,
               NodeId root, const Linear& form, const std::vector<int64_t>& sizes, ExprTable& out,
               bool& by_parts);

// Appends a copy of the tree, sharing nothing with what is in `out` already.
NodeId copy_tree(const ExprTable& nodes, NodeId root, ExprTable& out);

// The tree sizes of all nodes, saturating at kMaxCost / kNodeCost.
void tree_sizes(const ExprTable& nodes, std::vector<int64_t>& sizes);

}  // namespace tileproof::impl
