// SPDX-License-Identifier: Apache-2.0
#include "generate/map/equivalent_rewrite.h"

#include <vector>

namespace tileproof {
namespace {

class IdentityRewriter {
 public:
  IdentityRewriter(Choose& choose, const ExprTable& from) : choose_(choose), from_(from) {}

  // Returns the rewritten nodes. `places` receives the new position of each old node.
  ExprTable run(std::vector<NodeId>& places) {
    for (const Node& node : from_) {  // keep expressions without variables: they may be divisors
      constant_.push_back(is_leaf(node.op) ? node.op == Op::kConstant
                                           : constant_[node.left] && constant_[node.right]);
    }
    for (const Node& node : from_) {
      if (is_leaf(node.op)) {
        table_.push_back(node);
        places.push_back(last());
        continue;
      }
      const NodeId x = places[node.left], y = places[node.right];
      // Keep a divisor constant.
      if (constant_[places.size()]) {
        places.push_back(op(node.op, x, y));
        continue;
      }
      const NodeId result = from_[node.right].op == Op::kConstant && node.op != Op::kAdd
                                ? by_constant(node.op, x, from_[node.right].value, y)
                                : operation(node.op, x, y);
      places.push_back(choose_.chance(1, 4) ? detour(result) : result);
    }
    return std::move(table_);
  }

 private:
  NodeId last() const { return static_cast<NodeId>(table_.size() - 1); }
  NodeId constant(int64_t value) { return add_constant(table_, value); }
  NodeId op(Op kind, NodeId x, NodeId y) { return add_operation(table_, kind, x, y); }
  NodeId by(Op kind, NodeId x, int64_t c) { return op(kind, x, constant(c)); }

  NodeId operation(Op kind, NodeId x, NodeId y) {
    const bool commutes = kind == Op::kAdd || kind == Op::kMul;
    return commutes && choose_.chance(1, 2) ? op(kind, y, x) : op(kind, x, y);
  }

  NodeId by_constant(Op kind, NodeId x, int64_t c, NodeId c_node) {
    if (kind == Op::kMul) return times(x, c, c_node);
    if (c <= 0 || c > 1 << 20 || kind == Op::kCeilDiv || choose_.chance(1, 2)) {
      return op(kind, x, c_node);
    }
    return kind == Op::kMod ? mod(x, c) : floordiv(x, c);
  }

  NodeId times(NodeId x, int64_t c, NodeId c_node) {
    const Node node = table_[x];
    if (node.op != Op::kAdd || choose_.chance(1, 2)) return op(Op::kMul, x, c_node);
    return op(Op::kAdd, by(Op::kMul, node.left, c), by(Op::kMul, node.right, c));
  }

  // Returns a small factor of c above 1, or 1 if there is none.
  static int64_t factor(int64_t c) {
    for (int64_t a = 2; a < 12; ++a) {
      if (c % a == 0 && c > a) return a;
    }
    return 1;
  }

  NodeId floordiv(NodeId x, int64_t c) {
    const int64_t a = factor(c);
    if (a > 1 && choose_.chance(1, 2)) return by(Op::kFloorDiv, by(Op::kFloorDiv, x, a), c / a);
    const int64_t k = choose_.between(1, 3);
    return by(Op::kAdd, by(Op::kFloorDiv, by(Op::kAdd, x, c * k), c), -k);
  }

  NodeId mod(NodeId x, int64_t c) {
    const int64_t a = factor(c);
    if (a > 1 && choose_.chance(1, 2)) {
      const NodeId high = by(Op::kMod, by(Op::kFloorDiv, x, a), c / a);
      return op(Op::kAdd, by(Op::kMod, x, a), by(Op::kMul, high, a));
    }
    if (choose_.chance(1, 2)) return by(Op::kMod, by(Op::kAdd, x, c * choose_.between(1, 3)), c);
    return op(Op::kAdd, x, by(Op::kMul, by(Op::kFloorDiv, x, c), -c));
  }

  NodeId detour(NodeId x) {
    const int64_t c = choose_.between(2, 9);
    switch (choose_(4)) {
      case 0:
        return by(Op::kAdd, by(Op::kAdd, x, c), -c);
      case 1: {
        const auto y = static_cast<NodeId>(choose_(std::ssize(table_)));
        return op(Op::kAdd, op(Op::kAdd, x, y), by(Op::kMul, y, -1));
      }
      case 2: {
        const NodeId high = by(Op::kMul, by(Op::kFloorDiv, x, c), c);
        return op(Op::kAdd, high, by(Op::kMod, x, c));
      }
      default:
        return by(Op::kFloorDiv, by(Op::kMul, x, c), c);
    }
  }

  Choose& choose_;
  const ExprTable& from_;
  ExprTable table_;
  std::vector<char> constant_;  // for each old node: there is no variable under it
};

}  // namespace

IndexingMap rewrite_by_identities(Choose& choose, const IndexingMap& map) {
  IndexingMap out = map;
  std::vector<NodeId> places;
  out.nodes = IdentityRewriter(choose, map.nodes).run(places);
  for (NodeId& result : out.results) result = places[result];
  for (Constraint& constraint : out.constraints) constraint.expr = places[constraint.expr];
  return out;
}

}  // namespace tileproof
