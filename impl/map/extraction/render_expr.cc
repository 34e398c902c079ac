// SPDX-License-Identifier: Apache-2.0
#include "impl/map/extraction/render_expr.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "impl/map/extraction/cost.h"
#include "impl/map/extraction/extraction.h"
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

// Renders combinations as trees, in one fixed order.

namespace {

// The kinds of summands, in the order in which a sum is written. Runtime variables follow ranges by
// their number.
enum class Rank : uint8_t { kScaled, kProduct, kMod, kQuotient, kVariable, kSum };

Rank rank_of(const Atom& atom) {
  switch (atom.kind) {
    case AtomKind::kVariable:
      break;
    case AtomKind::kFloor:
    case AtomKind::kQuotient:
    case AtomKind::kCeiling:
      return Rank::kQuotient;
    case AtomKind::kMod:
      return Rank::kMod;
    case AtomKind::kSum:
      return Rank::kSum;
    case AtomKind::kProduct:
    case AtomKind::kFactored:
      return Rank::kProduct;
  }
  return Rank::kVariable;
}

bool is_product(const Atom& atom) {
  return atom.kind == AtomKind::kProduct || atom.kind == AtomKind::kFactored;
}

template <class T>
int three_way(const T& a, const T& b) {
  return int{b < a} - int{a < b};
}

int compare_atoms(NormalFormContext& context, int32_t a, int32_t b) {
  if (a == b) return 0;
  const Atom x = context.atoms[a];
  const Atom y = context.atoms[b];
  if (const int order = three_way(rank_of(x), rank_of(y)); order != 0) return order;
  if (x.kind == AtomKind::kVariable) return three_way(a, b);
  if (is_product(x)) return compare_renderings(context, x.inside, y.inside);
  const int inside = compare_renderings(context, extract(context, x.inside).rendering,
                                        extract(context, y.inside).rendering);
  if (inside != 0) return inside;
  return x.kind != y.kind ? three_way(x.kind, y.kind) : three_way(x.divisor, y.divisor);
}

int compare_terms(NormalFormContext& context, const Term& a, const Term& b) {
  const Atom& x = context.atoms[a.atom];
  const Atom& y = context.atoms[b.atom];
  if (x.has_dimension != y.has_dimension) return x.has_dimension ? -1 : 1;
  const bool plain_a = a.factor == 1, plain_b = b.factor == 1;
  if (plain_a != plain_b) return plain_a ? 1 : -1;
  const int order = compare_atoms(context, a.atom, b.atom);
  return order != 0 ? order : three_way(a.factor, b.factor);
}

using Terms = absl::InlinedVector<Term, 8>;  // nearly always short

Terms in_order(NormalFormContext& context, const Linear& rendering) {
  Terms terms(rendering.begin(), rendering.end());
  std::ranges::sort(terms,
                    [&](const Term& a, const Term& b) { return compare_terms(context, a, b) < 0; });
  return terms;
}

NodeId append(ExprTable& table, Op op, NodeId left, NodeId right) {
  table.push_back({.op = op, .left = left, .right = right});
  return static_cast<NodeId>(table.size() - 1);
}

NodeId append_leaf(ExprTable& table, Op op, int64_t value) {
  table.push_back({.op = op, .value = value});
  return static_cast<NodeId>(table.size() - 1);
}

NodeId write_variable(int32_t atom, const VariableCounts& counts, ExprTable& table) {
  if (atom < counts.dimensions) return append_leaf(table, Op::kDimension, atom);
  if (atom < counts.dimensions + counts.ranges) {
    return append_leaf(table, Op::kRange, atom - counts.dimensions);
  }
  return append_leaf(table, Op::kRuntime, atom - counts.dimensions - counts.ranges);
}

Op operator_of(AtomKind kind) {
  if (kind == AtomKind::kMod) return Op::kMod;
  return kind == AtomKind::kCeiling ? Op::kCeilDiv : Op::kFloorDiv;
}

NodeId write_atom(NormalFormContext& context, int32_t number, const VariableCounts& counts,
                  ExprTable& table) {
  const Atom atom = context.atoms[number];
  if (atom.kind == AtomKind::kVariable) return write_variable(number, counts, table);
  if (atom.kind == AtomKind::kSum) {
    return render(context, extract(context, atom.inside).rendering, counts, table);
  }
  if (is_product(atom)) {
    NodeId product = -1;
    for (const Term& power : in_order(context, atom.inside)) {
      for (int64_t i = 0; i < power.factor; ++i) {
        const NodeId next = write_atom(context, power.atom, counts, table);
        product = product < 0 ? next : append(table, Op::kMul, product, next);
      }
    }
    return product;
  }
  const NodeId inside = render(context, extract(context, atom.inside).rendering, counts, table);
  const NodeId divisor = append_leaf(table, Op::kConstant, atom.divisor);
  return append(table, operator_of(atom.kind), inside, divisor);
}

}  // namespace

int compare_renderings(NormalFormContext& context, const Linear& a, const Linear& b) {
  const Terms x = in_order(context, a);
  const Terms y = in_order(context, b);
  for (size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    if (const int order = compare_terms(context, x[i], y[i]); order != 0) return order;
  }
  if (x.size() != y.size()) return three_way(x.size(), y.size());
  return three_way(a.constant, b.constant);
}

NodeId render(NormalFormContext& context, const Linear& rendering, const VariableCounts& counts,
              ExprTable& table) {
  Terms terms = in_order(context, rendering);
  NodeId sum = -1;
  const auto add = [&](NodeId summand) {
    sum = sum < 0 ? summand : append(table, Op::kAdd, sum, summand);
  };
  for (size_t i = 0; i < terms.size(); ++i) {
    const int64_t factor = terms[i].factor;
    if (factor == 0) continue;  // written with an earlier term
    NodeId summand = write_atom(context, terms[i].atom, counts, table);
    if (factor != 1) {
      for (size_t j = i + 1; j < terms.size(); ++j) {
        if (terms[j].factor != factor) continue;
        terms[j].factor = 0;
        const NodeId next = write_atom(context, terms[j].atom, counts, table);
        summand = append(table, Op::kAdd, summand, next);
      }
      const NodeId scale = append_leaf(table, Op::kConstant, factor);
      summand = append(table, Op::kMul, summand, scale);
    }
    add(summand);
  }
  if (rendering.constant != 0 || sum < 0)
    add(append_leaf(table, Op::kConstant, rendering.constant));
  return sum;
}

}  // namespace tileproof::impl
