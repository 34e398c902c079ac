// SPDX-License-Identifier: Apache-2.0
// From expressions to normal forms.
//
//     (d0 mod 8) floordiv 4        floor(d0 / 4) - 2 * floor(d0 / 8)        for d0 in [0, 99]
//
// Every operation of the expression is computed on normal forms, by the rules of
// impl/map/normal_form/floors.h and impl/map/normal_form/normal_form.h.
#pragma once

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "impl/map/normal_form/normal_form.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// The atom of a variable of the map: the atoms are numbered dimensions, ranges, runtime variables.
int32_t variable_atom(const IndexingMap& map, Op kind, int64_t number);

// Clears the context and adds the variables of the map with these bounds, in the order of
// variable_atom.
void begin_domain(NormalFormContext& context, const IndexingMap& map,
                  absl::Span<const Range> bounds);

// Normal forms of the nodes of a table, each computed once. Equal expressions should be one node
// (impl/map/cse.h). Reuses its memory after a reset.
class Normalizer {
 public:
  Normalizer(NormalFormContext& context, const IndexingMap& map) : context_(context), map_(map) {}

  // Starts again. Required after the map or the assumptions changed, or the context was cleared.
  void reset() { known_.clear(); }

  // The form of the expression; check context.gave_up. Only for tables that validate_map accepts.
  Linear form_of(NodeId root);

 private:
  Linear step(const Node& node);

  NormalFormContext& context_;
  const IndexingMap& map_;
  std::vector<Linear> done_;  // by node, valid if known_
  std::vector<char> known_;   // by node: 1 if its form is known
};

// The value of an expression without variables. Nothing if it has variables, divides by zero or
// leaves 64 bits.
std::optional<int64_t> folded_tree(const ExprTable& nodes, NodeId root);
inline std::optional<int64_t> folded(const ExprTable& nodes, NodeId root) {
  const Node& node = nodes[root];  // a divisor is hardly ever more than one node
  return node.op == Op::kConstant ? node.value : folded_tree(nodes, root);
}

// OK if every divisor is a constant other than 0 after folding constants, every variable exists,
// and operands precede their use.
absl::Status validate_map(const IndexingMap& map);

// The same for one node. The nodes before it are valid.
absl::Status check_node(const IndexingMap& map, NodeId id);

inline bool operands_precede(const Node& node, NodeId id) {
  const auto end = static_cast<uint32_t>(id);  // a negative place is a large one
  return static_cast<uint32_t>(node.left) < end && static_cast<uint32_t>(node.right) < end;
}

}  // namespace tileproof::impl
