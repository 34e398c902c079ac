// SPDX-License-Identifier: Apache-2.0
// Rewrites expressions by a rule. The known-wrong simplifiers of the zoo consist of such rules.
//
// A rule takes an expression whose operands are already rewritten. It returns the expression to
// replace it, or nothing. Equal expressions have equal ids, because nodes are interned.
//
//     (x mod m) mod n  ->  x mod n, a rule that forgets to check that n divides m:
//     by(kMod, id) is {y, n}, by(kMod, y) is {x, m}, and the rule returns mod(x, n)
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/numeric/int128.h"
#include "absl/types/span.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::zoo {

// a / b, rounded down. b is not 0.
absl::int128 floor_of(absl::int128 a, absl::int128 b);

class Rewriting {
 public:
  explicit Rewriting(const IndexingMap& map) : map_(map) {}

  struct By {  // an expression `left op c` with a constant c
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
  Scaled scaled(NodeId id) const;              // the factor is 1 if `id` is not a product
  std::vector<NodeId> terms(NodeId id) const;  // of nested sums; `id` itself if it is not a sum
  Range range(NodeId id);                      // contains all values within the variables' bounds

  NodeId number(int64_t value);
  NodeId make(Op op, NodeId left, NodeId right);
  NodeId with(Op op, NodeId left, int64_t right) { return make(op, left, number(right)); }
  NodeId plus(NodeId left, NodeId right) { return make(Op::kAdd, left, right); }
  NodeId times(NodeId left, int64_t factor);
  NodeId floordiv(NodeId left, int64_t c) { return with(Op::kFloorDiv, left, c); }
  NodeId mod(NodeId left, int64_t c) { return with(Op::kMod, left, c); }
  NodeId sum(absl::Span<const NodeId> terms);
  // The sum of all terms except number i and j, and of `more`.
  NodeId sum_without(const std::vector<NodeId>& terms, size_t i, size_t j, NodeId more);

  // Copies an expression from another table.
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

// Applies the rule to every expression of the map, from the leaves up. Folds constants and moves
// them to the right of sums and products. Returns nothing if the rule never matched.
std::optional<IndexingMap> rewritten(
    const IndexingMap& map, absl::FunctionRef<std::optional<NodeId>(Rewriting&, NodeId)> rule,
    Where where = Where::kEverywhere);

}  // namespace tileproof::zoo
