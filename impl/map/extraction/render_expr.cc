// SPDX-License-Identifier: Apache-2.0
#include "impl/map/extraction/render_expr.h"

#include <algorithm>

#include "impl/map/extraction/cost.h"
#include "impl/map/visit_nodes.h"

namespace tileproof::impl {
namespace {

NodeId append_copy(const ExprTable& nodes, NodeId id, const std::vector<NodeId>& positions,
                   ExprTable& out) {
  Node node = nodes[id];
  if (!is_leaf(node.op)) {
    node.left = positions[node.left];
    node.right = positions[node.right];
  }
  out.push_back(node);
  return static_cast<NodeId>(out.size() - 1);
}

// Takes each subexpression as written or in the rendering of its normal form, whichever is shorter.
NodeId rewrite_parts(NormalFormContext& context, Normalizer& normalizer, const IndexingMap& map,
                     NodeId root, const VariableCounts& counts, ExprTable& out) {
  const ExprTable& nodes = map.nodes;
  const std::vector<NodeId> under = nodes_under(nodes, {root});
  std::vector<int64_t> sizes(root + 1);
  std::vector<char> extracted(root + 1);
  for (NodeId id : under) {
    const Node& node = nodes[id];
    const int64_t own = is_leaf(node.op) ? 1 : 1 + sizes[node.left] + sizes[node.right];
    const Linear form = normalizer.form_of(id);
    const Extraction extraction = extract(context, form);
    if (context.gave_up) return -1;
    extracted[id] = extraction.cost / kNodeCost <= own;
    sizes[id] = std::min(own, extraction.cost / kNodeCost);
  }
  // From the root down, copy only what is not inside extracted parts.
  std::vector<char> used(root + 1, 0);
  used[root] = 1;
  for (NodeId id = root; id >= 0; --id) {
    if (!used[id] || extracted[id]) continue;  // as all leaves are
    used[nodes[id].left] = 1;
    used[nodes[id].right] = 1;
  }
  std::vector<NodeId> positions(root + 1, -1);
  for (NodeId id : under) {
    if (!used[id]) continue;
    positions[id] =
        extracted[id]
            ? render(context, extract(context, normalizer.form_of(id)).rendering, counts, out)
            : append_copy(nodes, id, positions, out);
  }
  return positions[root];
}

bool has_only_variables(const Atoms& context, const Linear& sum) {
  return std::all_of(sum.begin(), sum.end(), [&](const Term& term) {
    return context.atoms[term.atom].kind == AtomKind::kVariable;
  });
}

// Returns whether each variable occurs once, no assumption is about it, no term is negative, and there
// is no constant. `seen` has the variables so far, as bits.
bool is_plain(const NormalFormContext& context, const Linear& rendering, uint64_t& seen) {
  if (rendering.constant != 0 || !context.assumptions.empty()) return false;
  return std::all_of(rendering.begin(), rendering.end(), [&](const Term& term) {
    const Atom& atom = context.atoms[term.atom];
    if (term.factor < 0) return false;
    if (atom.kind == AtomKind::kVariable) {
      const uint64_t bit = term.atom < 64 ? uint64_t{1} << term.atom : 0;
      const bool is_new = (seen & bit) != bit;
      seen |= bit;
      return is_new;
    }
    const bool is_floor = atom.kind == AtomKind::kFloor && has_only_variables(context, atom.inside);
    // A mod of few values is something else in normal form.
    const bool is_mod = atom.kind == AtomKind::kMod && atom.meaning.count > atom.inside.count;
    return (is_floor || is_mod) && is_plain(context, atom.inside, seen);
  });
}

}  // namespace

void tree_sizes(const ExprTable& nodes, std::vector<int64_t>& sizes) {
  sizes.clear();
  for (const Node& node : nodes) {
    const int64_t size = is_leaf(node.op) ? 1 : 1 + sizes[node.left] + sizes[node.right];
    sizes.push_back(std::min(size, kMaxCost / kNodeCost));
  }
}

bool is_shortest(const NormalFormContext& context, const Extraction& extraction) {
  constexpr int64_t kDivision = 3;  // nodes, of one variable
  uint64_t seen = 0;
  return extraction.cost / kNodeCost <= kDivision ||
         has_only_variables(context, extraction.rendering) ||
         (context.dialect == Dialect{} && is_plain(context, extraction.rendering, seen));
}

NodeId copy_tree(const ExprTable& nodes, NodeId root, ExprTable& out) {
  std::vector<NodeId> positions(root + 1, -1);
  for (NodeId id : nodes_under(nodes, {root}))
    positions[id] = append_copy(nodes, id, positions, out);
  return positions[root];
}

NodeId write_by_rules(NormalFormContext& context, Net& net, const IndexingMap& map, NodeId root,
                      const Linear& form, int64_t nodes, bool proven, ExprTable& out) {
  const std::optional<Extraction> other = net.rules.candidate(root);
  if (!other || other->cost / kNodeCost >= nodes) return -1;
  const VariableCounts counts{std::ssize(map.dimensions), std::ssize(map.ranges)};
  const size_t size = out.size();
  const NodeId expr = net.rules.write(*other, counts, out);
  net.taken = !(net.of_out.form_of(expr) == form);
  if (!net.taken || (!proven && !context.gave_up)) return expr;
  net.taken = false;
  out.resize(size);
  net.of_out.reset();
  return -1;
}

NodeId rewrite(NormalFormContext& context, Normalizer& normalizer, Net* net, const IndexingMap& map,
               NodeId root, const Linear& form, const std::vector<int64_t>& sizes, ExprTable& out,
               bool& by_parts) {
  const VariableCounts counts{std::ssize(map.dimensions), std::ssize(map.ranges)};
  const Extraction extraction = extract(context, form);
  if (context.gave_up) return -1;
  const size_t size = out.size();
  int64_t nodes = extraction.cost / kNodeCost;
  const bool parts = nodes > sizes[root];
  NodeId best = -1;
  if (parts) {
    best = rewrite_parts(context, normalizer, map, root, counts, out);
    if (best < 0) return -1;
    by_parts = true;
    nodes = tree_size(out, best);
  }
  if (net != nullptr && !is_shortest(context, extraction)) {
    const std::optional<Extraction> other = net->rules.candidate(root);
    if (other && other->cost / kNodeCost < nodes) {
      out.resize(size);  // without the parts
      by_parts = true;
      return write_by_rules(context, *net, map, root, form, nodes, /*proven=*/false, out);
    }
  }
  return parts ? best : render(context, extraction.rendering, counts, out);
}

}  // namespace tileproof::impl
