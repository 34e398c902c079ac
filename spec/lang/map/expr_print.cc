// SPDX-License-Identifier: Apache-2.0
// Prints expressions. expr_text.h says where parentheses are.
#include "spec/lang/base/append_number.h"
#include "spec/lang/map/expr_text.h"

namespace tileproof {
namespace {

// A piece of text that is still to be written.
struct Piece {
  enum class Kind { kWord, kNumber, kExpression, kOperand };
  Kind kind;
  absl::string_view word = {};
  int64_t number = 0;
  NodeId node = -1;
};

Piece word(absl::string_view text) { return {Piece::Kind::kWord, text}; }
Piece number(int64_t value) { return {.kind = Piece::Kind::kNumber, .number = value}; }

// The expression in a sum or alone: no parentheses.
Piece expression(NodeId node) { return {.kind = Piece::Kind::kExpression, .node = node}; }

// The expression as an operand of `*`, `mod`, ..: an operation gets parentheses.
Piece operand(NodeId node) { return {.kind = Piece::Kind::kOperand, .node = node}; }

using Pieces = std::vector<Piece>;

// Prints e * -1. A constant e gets parentheses, or its sign would parse as part of the number.
Pieces negation(const ExprTable& table, NodeId e) {
  if (table[e].op == Op::kConstant) return {word("-("), expression(e), word(")")};
  return {word("-"), operand(e)};
}

// Prints a + e * -1 as a - e.
Pieces subtraction(const ExprTable& table, NodeId a, NodeId e) {
  const Node& node = table[e];
  const bool sum = node.op == Op::kAdd;
  const bool scaled = node.op == Op::kMul && table[node.right].op == Op::kConstant;
  if (sum || scaled || node.op == Op::kConstant) {
    return {expression(a), word(" - ("), expression(e), word(")")};
  }
  return {expression(a), word(" - "), expression(e)};
}

// Returns whether the value is below the limit and can be negated: INT64_MIN cannot.
bool below(int64_t value, int64_t limit) { return value < limit && value != INT64_MIN; }

Pieces sum(const ExprTable& table, const Node& node) {
  const Node& right = table[node.right];
  if (right.op == Op::kConstant && below(right.value, 0)) {
    return {expression(node.left), word(" - "), number(-right.value)};
  }
  if (right.op == Op::kMul && table[right.right].op == Op::kConstant) {
    const int64_t factor = table[right.right].value;
    if (factor == -1) return subtraction(table, node.left, right.left);
    if (below(factor, -1)) {
      return {expression(node.left), word(" - "), operand(right.left), word(" * "),
              number(-factor)};
    }
  }
  if (right.op == Op::kAdd) {
    return {expression(node.left), word(" + ("), expression(node.right), word(")")};
  }
  return {expression(node.left), word(" + "), expression(node.right)};
}

Pieces operation(const ExprTable& table, const Node& node) {
  if (node.op == Op::kAdd) return sum(table, node);
  const Node& right = table[node.right];
  if (node.op == Op::kMul && right.op == Op::kConstant && right.value == -1) {
    return negation(table, node.left);
  }
  return {operand(node.left), word(symbol_of(node.op)), operand(node.right)};
}

void append_leaf(std::string& out, const IndexingMap& map, const Node& node) {
  if (node.op == Op::kConstant) {
    append_number(out, node.value);
  } else {
    out += name_of(map, node.op, node.value);
  }
}

}  // namespace

absl::string_view symbol_of(Op operation) {
  constexpr absl::string_view kSymbols[] = {" + ", " * ", " floordiv ", " ceildiv ", " mod "};
  return kSymbols[static_cast<int>(operation) - static_cast<int>(Op::kAdd)];
}

void append_expression(std::string& out, const IndexingMap& map, NodeId root) {
  if (is_leaf(map.nodes[root].op)) return append_leaf(out, map, map.nodes[root]);
  Pieces left = {expression(root)};  // a stack: the last piece is written next
  while (!left.empty()) {
    const Piece piece = left.back();
    left.pop_back();
    if (piece.kind == Piece::Kind::kWord) {
      out.append(piece.word.data(), piece.word.size());
      continue;
    }
    if (piece.kind == Piece::Kind::kNumber) {
      append_number(out, piece.number);
      continue;
    }
    const Node& node = map.nodes[piece.node];
    if (is_leaf(node.op)) {
      append_leaf(out, map, node);
    } else if (piece.kind == Piece::Kind::kOperand) {
      left.insert(left.end(), {word(")"), expression(piece.node), word("(")});
    } else {
      const Pieces pieces = operation(map.nodes, node);
      left.insert(left.end(), pieces.rbegin(), pieces.rend());
    }
  }
}

}  // namespace tileproof
