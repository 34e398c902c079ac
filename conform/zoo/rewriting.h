// Rewriting expressions with a rule, right or wrong: what the known-wrong simplifiers are made of.
//
// Nodes are interned: two expressions are the same exactly if their places are. A rule looks at one
// expression, whose operands were rewritten before, and says what takes its place, if anything.
//
//     a nested remainder, rewritten by a rule that forgets that n must divide m:
//     by(kMod, id) = {y, n}, by(kMod, y.left) = {x, m}     ->  mod(x, n)
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/numeric/int128.h"
#include "absl/types/span.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::zoo {

class Rewriting {
 public:
  explicit Rewriting(const IndexingMap& map) : map_(map) {}

  struct By {  // left op c
    NodeId left;
    int64_t c;
  };
  struct Scaled {  // expr * factor
    NodeId expr;
    int64_t factor;
  };
  struct Range {
    absl::int128 low, high;
  };

  const IndexingMap& map() const { return map_; }
  const ExprTable& table() const { return table_; }
  const Node& at(NodeId id) const { return table_[id]; }
  std::optional<int64_t> constant(NodeId id) const;
  std::optional<By> by(Op op, NodeId id) const;
  Scaled scaled(NodeId id) const;              // the factor is 1 where there is none
  std::vector<NodeId> terms(NodeId id) const;  // of nested sums; itself where it is none
  Range range(NodeId id);                      // contains all values within the variables' bounds

  NodeId number(int64_t value);
  NodeId make(Op op, NodeId left, NodeId right);
  NodeId with(Op op, NodeId left, int64_t right) { return make(op, left, number(right)); }
  NodeId plus(NodeId left, NodeId right) { return make(Op::kAdd, left, right); }
  NodeId times(NodeId left, int64_t factor);
  NodeId floordiv(NodeId left, int64_t c) { return with(Op::kFloorDiv, left, c); }
  NodeId mod(NodeId left, int64_t c) { return with(Op::kMod, left, c); }
  NodeId sum(absl::Span<const NodeId> terms);
  // The sum of the terms but those at two places, and of one more.
  NodeId sum_without(const std::vector<NodeId>& terms, size_t i, size_t j, NodeId more);

  // The expression of another table, unchanged.
  NodeId copy(const ExprTable& from, NodeId id);
  NodeId intern(const Node& node);

 private:
  const IndexingMap& map_;
  ExprTable table_;
  absl::flat_hash_map<Node, NodeId> positions_;
  std::vector<std::optional<Range>> ranges_;
};

using Rule = std::optional<NodeId> (*)(Rewriting&, NodeId);

enum class Where { kEverywhere, kResults };

// The map with the rule applied to every expression in it, from the leaves up; constants are
// folded, and stand on the right of sums and products. Nothing if the rule never matched.
std::optional<IndexingMap> rewritten(const IndexingMap& map, Rule rule,
                                     Where where = Where::kEverywhere);

}  // namespace tileproof::zoo
