// SPDX-License-Identifier: Apache-2.0
// Sums of variables and of floors and mods of one variable, read from a map without normal forms.
//
//     (d0 floordiv 8) * 4 + d1 - 192        terms (d0 floordiv 8) * 4 and d1, constant -192
//
// Each variable occurs at most once, and at most once in a floor or mod. No two factors are equal,
// except 1. So nothing adds up, and the sum in the order of renderings is its own rendering.
#pragma once

#include <array>
#include <cstdint>

#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// factor * v, factor * ((v + inner) floordiv divisor) or factor * ((v + inner) mod divisor).
struct SimpleTerm {
  // Orders summands as extraction writes them (compare_renderings): terms with dimensions first,
  // then those with a factor; then mods, floordivs, variables.
  uint64_t key;
  int64_t factor;
  int64_t divisor;    // 0: the variable itself
  int64_t inner;      // no multiple of the divisor, unless 0
  Op op;              // of the division
  Op kind;            // of the variable
  int32_t variable;   // its number: dimensions, ranges, runtime variables
  int64_t number;     // within its kind
  int64_t low, high;  // its bounds
};

struct SimpleSum {
  static constexpr int kMaxTerms = 12;
  std::array<SimpleTerm, kMaxTerms> terms;  // not initialized; the last in the order comes first
  int count = 0;
  int64_t constant = 0;
  int64_t modulus = 0;     // of a constraint `sum mod modulus`; 0: none
  int quotients = 0;       // terms with a divisor
  uint64_t variables = 0;  // the variables' numbers modulo 64, as bits
  NodeId first = 0;        // the first node of the expression
  bool changed = false;    // the expression is written in another way

  const SimpleTerm* begin() const { return terms.data(); }
  const SimpleTerm* end() const { return terms.data() + count; }
};

// The factor of the variable outside of quotients; 0 if it does not occur.
int64_t factor_of(const SimpleSum& sum, int32_t variable);
bool has_factor(const SimpleSum& sum, int64_t factor);
inline int64_t magnitude(int64_t x) { return x < 0 ? -x : x; }

// Returns whether a comes before b in the order of renderings. No, if the sums are equal.
bool comes_before(const SimpleSum& a, const SimpleSum& b);

// Appends the sum to the table.
NodeId write(const SimpleSum& sum, ExprTable& out);

// Reads the sums of a map: expressions that are trees whose nodes follow each other in the table.
class SimpleReader {
 public:
  explicit SimpleReader(const IndexingMap& map) : map_(map), nodes_(map.nodes) {}

  // Reads the expression. No, if it is no such sum. Replaces what has one value within the bounds,
  // a mod by its operand if it changes nothing, and sorts the terms.
  bool read(NodeId root, SimpleSum& sum) const;
  // The same, and sums mod a constant.
  bool read_constraint(NodeId root, SimpleSum& sum) const;

  // Gives a variable tighter bounds. No, if there are too many.
  bool narrow(int32_t variable, int64_t low, int64_t high);

  struct Narrowed {
    int32_t variable;
    int64_t low, high;
  };
  const Narrowed* begin() const { return narrowed_.data(); }
  const Narrowed* end() const { return narrowed_.data() + count_; }

 private:
  bool read_sum(NodeId id, SimpleSum& sum) const;
  bool step_left(NodeId& id, int64_t& number) const;
  bool read_term(NodeId id, SimpleSum& sum) const;
  bool read_variable(const Node& node, SimpleTerm& term) const;
  bool add(SimpleTerm& term, SimpleSum& sum) const;

  const IndexingMap& map_;
  const ExprTable& nodes_;
  std::array<Narrowed, 8> narrowed_;
  int count_ = 0;
};

}  // namespace tileproof::impl
