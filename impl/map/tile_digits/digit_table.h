// SPDX-License-Identifier: Apache-2.0
// The digits of the expressions that one result divides by kept sizes.
//
// The places of x are the numbers between its digits. With places 8 and 32:
//
//     x = x mod 8 + 8 * ((x floordiv 8) mod 4) + 32 * (x floordiv 32)
//     (x mod 32) floordiv 8           part [8, 32) of x: one digit
//     x floordiv 8                    part [8, ..) of x: two digits, times 1 and 4
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "impl/map/atom_sum.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// (whole floordiv low) mod (high / low); no mod if high is 0.
struct DigitPart {
  NodeId whole = -1;
  int64_t low = 1;
  int64_t high = 0;
};

// Expressions over the variables and the domain of a map. Equal trees are one node.
class Expressions {
 public:
  explicit Expressions(const IndexingMap& domain);

  NodeId add(const Node& node);
  NodeId constant(int64_t value) { return add({.op = Op::kConstant, .value = value}); }
  NodeId operation(Op op, NodeId left, NodeId right) {
    return add({.op = op, .left = left, .right = right});
  }
  std::vector<NodeId> add_all(const ExprTable& nodes);  // the ids of these nodes

  const Node& operator[](NodeId id) const { return map_.nodes[id]; }
  const IndexingMap& map() const { return map_; }
  int64_t constant_or_0(NodeId id) const;  // of a positive constant; else 0

  std::optional<AtomSum> sum_of(NodeId root) const { return sum_as_written(map_.nodes, root); }
  NodeId write(const AtomSum& sum);  // the largest factors first

  absl::StatusOr<std::vector<NodeId>> simplified(const std::vector<NodeId>& roots);
  DigitPart part_of(NodeId id) const;

 private:
  IndexingMap map_;
  absl::flat_hash_map<Node, NodeId> known_;
};

// A digit with its part and what simplify makes of it.
struct TileDigit {
  int64_t low = 1, high = 0;
  NodeId simple = -1;
};

class DigitTable {
 public:
  // Finds the kept parts among the divisions below `root`.
  static absl::StatusOr<DigitTable> find(Expressions& expressions, NodeId root,
                                         absl::FunctionRef<bool(int64_t)> is_kept);

  bool empty() const { return digits_.empty(); }
  // A kept division below the root, with its dividend simplified; else the division itself.
  NodeId rewritten(NodeId id) const;
  // The digits of the part, the lowest first; none if it does not consist of whole digits.
  std::vector<TileDigit> digits_of(const DigitPart& part) const;
  bool occurs_in(const Expressions& expressions, NodeId root) const;  // any digit, below the root
  const std::map<NodeId, std::vector<TileDigit>>& all() const { return digits_; }

 private:
  std::map<NodeId, std::vector<TileDigit>> digits_;  // by their whole
  std::map<NodeId, NodeId> rewritten_;
};

}  // namespace tileproof::impl
