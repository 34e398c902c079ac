// SPDX-License-Identifier: Apache-2.0
// Divisions by expressions, as variables.
//
//     x mod (n * 4)                     x - 4*n*q       q = x floordiv (n * 4)
//     (x mod (n * 4)) floordiv 4        x floordiv 4 - n*q
//     (x floordiv 4) mod n              x floordiv 4 - n*q
//
// Each quotient becomes one range variable behind those of the map, the same one in all maps that one
// object has replaced. So maps that are equal for every value of these variables are equal.
//
// A dividend and a divisor are polynomials of variables, quotients and floors by constants. Each step
// is an identity of integers (c, d, g > 0):
//
//     (g*x) floordiv (g*c)             x floordiv c
//     x floordiv c                     (-x) floordiv (-c), where c < 0
//     (c*x + y) floordiv c             x + y floordiv c
//     y floordiv c                     0 where 0 <= y < c;  -1 where -c <= y < 0
//     (g*x + y) floordiv (g*c)         (x + m) floordiv c, where m is y floordiv g: 0 or -1
//     (x floordiv d + y) floordiv c    (x + d*y) floordiv (d*c)
//     y floordiv c                     -1 - (-y - 1) floordiv c, where y begins with a minus
//
// What is below a divisor follows from the bounds of variables, from 0 <= x - d*q < d of the quotients
// q, and from constraints without divisions.
#pragma once

#include <optional>
#include <vector>

#include "spec/lang/map/indexing_map.h"
#include "verify/prove/smt/quasi_affine.h"

namespace tileproof::verify {

class Quotients {
 public:
  // All maps have the variables of this one, with its bounds.
  explicit Quotients(const IndexingMap& like);

  // The map in which only constants divide. Nothing if there are too many quotients, or a number
  // does not fit int64. Its range variables are those that exist so far.
  std::optional<IndexingMap> replaced(const IndexingMap& map);

  // All range variables, to give earlier maps those of later ones.
  const std::vector<Variable>& ranges() const { return variables_.ranges; }

  // Whether a quotient may be no int64. Then the bounds of its variable are too narrow.
  bool has_wide() const;

  // Whether replaced maps, each with all range variables, have the same constraints and results as
  // sums over floors.
  bool are_same(const IndexingMap& left, const IndexingMap& right) const;

 private:
  class Context;
  struct Inner;

  // A quotient that became a variable.
  struct Known {
    IndexingMap map;  // of both nodes
    NodeId dividend, divisor;
    Range range;
    bool is_positive;  // the divisor
  };

  NodeId appended(const Node& node);
  NodeId plus(NodeId a, NodeId b) { return add_operation(made_.nodes, Op::kAdd, a, b); }
  NodeId times(NodeId a, NodeId b) { return add_operation(made_.nodes, Op::kMul, a, b); }
  NodeId minus(NodeId a) { return times(a, add_constant(made_.nodes, -1)); }

  std::optional<NodeId> divided(const Node& node);
  std::optional<NodeId> quotient_of(NodeId dividend, NodeId divisor, int depth = 0);
  std::optional<NodeId> quotient_of_rest(Context& context, const Sum& rest, const Sum& by,
                                         int depth);
  std::optional<NodeId> quotient_of(const Context& context, const Sum& x, const Sum& by, int depth);
  std::optional<NodeId> without_small_part(Context& context, const Sum& x, const Sum& by,
                                           int depth);
  std::optional<NodeId> nested_quotient(Context& context, const Sum& rest, const Sum& by,
                                        int depth);
  std::optional<NodeId> below(Context& context, const Sum& rest, const Sum& by, int depth);
  std::optional<NodeId> variable_of(NodeId dividend, NodeId divisor);

  std::optional<NodeId> node_of(const Context& context, const Sum& sum);
  std::optional<NodeId> node_of_atom(const Context& context, int64_t number);

  int64_t first_;          // range variable of quotient 0
  IndexingMap variables_;  // with those of the quotients so far
  IndexingMap made_;
  std::vector<Known> known_;
  std::vector<Constraint> facts_;  // of the nodes of the map that is being made
};

}  // namespace tileproof::verify
