// SPDX-License-Identifier: Apache-2.0
// Rewrites one expression of a map to its shortest known rendering.
#pragma once

#include <vector>

#include "impl/map/extraction/extraction.h"
#include "impl/map/extraction/local_rules.h"
#include "impl/map/normal_form/normalize.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// A second candidate: the local rules, and the normal forms of what is written.
struct Net {
  LocalRules& rules;
  Normalizer& of_out;
  bool taken = false;  // the last expression was written by the rules, and has another normal form
};

// Appends to `out` the expression after the local rules. Returns -1 if that takes `nodes` or more,
// or if its normal form is another one and `proven` is set. Sets `net.taken`.
NodeId write_by_rules(NormalFormContext& context, Net& net, const IndexingMap& map, NodeId root,
                      const Linear& form, int64_t nodes, bool proven, ExprTable& out);

// Appends to `out` the shortest tree for an expression of the map, and returns its position. `form`
// is the normal form of `root`; `sizes` are the tree sizes of the map's nodes. Takes the tree that
// extraction gives, unless the expression after the local rules, or as written, is strictly shorter.
// In that case takes the former, or replaces each written subexpression that becomes shorter, and
// sets `by_parts`. The tree is never longer than `root`. Returns -1 if extraction gave up. Rendering
// never gives up: it uses memoized extractions only.
NodeId rewrite(NormalFormContext& context, Normalizer& normalizer, Net* net, const IndexingMap& map,
               NodeId root, const Linear& form, const std::vector<int64_t>& sizes, ExprTable& out,
               bool& by_parts);

// Returns whether no expression has fewer nodes than this rendering, as far as is seen at once: each
// variable occurs once, no term is negative, and there is no constant. So no term can vanish in another
// one. Then a second candidate is not worth its cost, and a second simplification changes nothing.
bool is_shortest(const NormalFormContext& context, const Extraction& extraction);

// Appends a copy of the tree that shares no nodes with the rest of `out`.
NodeId copy_tree(const ExprTable& nodes, NodeId root, ExprTable& out);

// The tree sizes of all nodes, saturating at kMaxCost / kNodeCost.
void tree_sizes(const ExprTable& nodes, std::vector<int64_t>& sizes);

}  // namespace tileproof::impl
