// The text of expressions, as XLA writes them.
//
//     sum     = product { ("+" | "-") product }
//     product = unary { ("*" | "floordiv" | "ceildiv" | "mod") unary }     from the left
//     unary   = { "-" } primary
//     primary = integer | name | "(" sum ")"
//     name    = letter { letter | digit | "_" }, but no reserved word
//
// Reading folds nothing. A minus sign becomes a constant, in the way that makes printing exact:
//
//     -3              the constant -3              -(3)            3 * -1
//     -e              e * -1, before any `*` or `mod` that follows
//     a - 3           a + (-3)                     a - (3)         a + (3 * -1)
//     a - e * 4       a + (e * -4)                 a - (e * 4)     a + ((e * 4) * -1)
//     a - e           a + (e * -1)                 else
//
// Printing puts parentheses where XLA does: a sum's operands have none, every other operand that is
// itself an operation has. It adds parentheses only where XLA's text would be read as another tree,
// as in the right column above and in `a + (b + c)`. So what XLA prints comes back unchanged, and
// every tree comes back as the same tree.
//
// A divisor must be a constant, or be made of constants, and not be 0. Parentheses and operations
// are nested at most kMaxNesting deep; a sum of n terms is n - 1 deep.
//
// Source: facts "XLA indexing maps", section 1. Differences from XLA: leading zeros are decimal, a
// product of two variables is read whatever their kinds, and names must be distinct.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/map/expr.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof {

// The name at the cursor, without taking it; empty when none is next. May be a reserved word.
absl::string_view peek_name(Cursor& cursor);

// Takes the word if it is the whole name at the cursor.
bool take_word(Cursor& cursor, absl::string_view word);

// domain, in, mod, true, false, floorDiv, floordiv, ceildiv.
bool is_reserved(absl::string_view name);

// Reads expressions at a cursor into a table. Cursor, text and table must outlive the reader.
class ExprReader {
 public:
  ExprReader(Cursor& cursor, ExprTable& table) : cursor_(cursor), table_(table) {}

  // Takes a name that is neither reserved nor declared and lets it stand for a variable.
  absl::StatusOr<absl::string_view> declare(Op kind, int64_t number);

  // One expression; the cursor then stands behind it.
  absl::StatusOr<NodeId> read();

  // True when what is next can begin an expression.
  bool at_expression();

 private:
  // What was just read.
  struct Term {
    NodeId node;
    size_t position;
    int depth = 0;                         // as tree_depth
    std::optional<int64_t> constant = {};  // the value, where the tree is made of constants
    bool parenthesized = false;            // as a whole
  };

  absl::StatusOr<Term> sum();
  absl::StatusOr<Term> product();
  absl::StatusOr<Term> unary();
  absl::StatusOr<Term> primary(bool negative);
  absl::StatusOr<Term> literal(bool negative);
  absl::StatusOr<Term> operation(Op op, const Term& left, const Term& right);
  absl::StatusOr<Term> negation(const Term& term);
  absl::StatusOr<Term> difference(const Term& left, Term right);

  Cursor& cursor_;
  ExprTable& table_;
  int nesting_ = 0;
  absl::flat_hash_map<absl::string_view, Node> names_;
};

// Appends the text of the expression. `map` gives the nodes and the names of the variables.
void append_expression(std::string& out, const IndexingMap& map, NodeId root);

}  // namespace tileproof
