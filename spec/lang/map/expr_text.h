// SPDX-License-Identifier: Apache-2.0
// The text of expressions, as XLA writes them.
//
//     sum     = product { ("+" | "-") product }
//     product = unary { ("*" | "floordiv" | "ceildiv" | "mod") unary }     left-associative
//     unary   = { "-" } primary
//     primary = integer | name | "(" sum ")"
//     name    = ( letter | "_" ) { letter | digit | "_" }, except reserved words
//
// It also reads what Python, TVM and PyTorch's Inductor write for the same:
//
//     a // 8             a floordiv 8, if a number, '(' or a variable follows: else a comment begins
//     a / 8              a floordiv 8, if the bounds show that it is not negative, as C rounds toward 0
//     a % 8              a mod 8
//     0x1f               31
//     a << 3, a >> 3     a * 8, a floordiv 8
//     a & 7              a mod 8, for a mask 2^k - 1. Shifts bind less than sums, then '&', then
//                        '^' and `xor`, then '|'
//     a & b, a ^ b, a xor b, a | b, min(a, b), max(a, b)     sums and quotients of their bits
//                        (spec/lang/map/bitwise.h)
//     FloorDiv(a, 8)     a floordiv 8; so floordiv, CleanDiv. CeilDiv(a, 8) is a ceildiv 8
//     Mod(a, 8)          a mod 8; so PythonMod, floormod, indexmod, T.floormod
//     i < 4 ? a : b      a where the comparison holds, as Where(i < 4, a, b) of Inductor
//     T.shift_right(a, 3), T.bitwise_xor(a, b)     and other names of TVM
//     ModularIndexing(a, 4, 8)     (a floordiv 4) mod 8
//
// The parser folds nothing. A minus sign becomes a constant, so that printing can reproduce the
// text:
//
//     -3              the constant -3              -(3)            3 * -1
//     -e              e * -1, before any `*` or `mod` that follows
//     a - 3           a + (-3)                     a - (3)         a + (3 * -1)
//     a - e * 4       a + (e * -4)                 a - (e * 4)     a + ((e * 4) * -1)
//     a - e           a + (e * -1)                 for any other e
//
// The printer puts parentheses where XLA does: around operands that are operations, except those of
// a sum. It adds parentheses only if XLA's text would parse as another tree, as in the right column
// above and in `a + (b + c)`. So parsing and printing keep any text that XLA prints, and printing
// and parsing keep any tree.
//
// A divisor must be a constant or consist of constants, and must not be 0. Parentheses and
// operations nest at most kMaxNesting deep. A sum of n terms is n - 1 deep.
//
// Differences from XLA: leading zeros are decimal, a product of two variables of any kinds is
// valid, and names must be distinct. Source: XLA, indexing_map_serialization.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/map/bitwise.h"
#include "spec/lang/map/expr.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof {

// Returns the name at the cursor without taking it, or "" if none is next. It may be a reserved
// word.
absl::string_view peek_name(Cursor& cursor);

// Takes the word if it is the whole name at the cursor.
bool take_word(Cursor& cursor, absl::string_view word);

// The error "expected <what>, found <the name at the cursor>", with the word that was probably meant.
absl::Status expected_word(Cursor& cursor, absl::string_view what,
                           const std::vector<absl::string_view>& words);

// Whether the text is an index expression of Python, TVM or Inductor, or several with commas between
// them, and no map: `_i // 8 * 16 + _j % 16`, `FloorDiv(x, 8)`, `x, domain: x in [0, 9]`. What follows
// ", domain:" does not count.
bool looks_like_python(absl::string_view text);

// Returns whether the name is domain, in, mod, true, false, floorDiv, floordiv or ceildiv.
bool is_reserved(absl::string_view name);

// Parses expressions at a cursor into a table. Cursor, text and table must outlive the reader.
class ExprReader {
 public:
  // With `variable_divisors`, variables may divide.
  ExprReader(Cursor& cursor, ExprTable& table, bool variable_divisors = false)
      : cursor_(cursor), table_(table), variable_divisors_(variable_divisors) {}

  // Takes a name and declares it as a variable. Fails if it is reserved or already declared.
  absl::StatusOr<absl::string_view> declare(Op kind, int64_t number);

  // The same for a name that the text does not declare. The name must outlive the reader.
  void declare_as(absl::string_view name, Op kind, int64_t number) {
    names_[name] = Node{.op = kind, .value = number};
  }

  // From here on each name that is not declared becomes a dimension, and the next of `names`.
  void declare_all(std::vector<std::string>* names) { undeclared_ = names; }

  // Parses one expression and moves the cursor past it.
  absl::StatusOr<NodeId> read();

  // The operations on bits so far, which are sums until the bounds are known.
  const std::vector<Bitwise>& bitwise() const { return bitwise_; }

  // Returns whether the next token can begin an expression.
  bool at_expression();

 private:
  // The expression that was just parsed.
  struct Term {
    NodeId node;
    size_t position;
    int depth = 0;                         // as tree_depth
    std::optional<int64_t> constant = {};  // the value, if the tree consists of constants
    bool parenthesized = false;            // the whole of it
  };

  absl::StatusOr<Term> conditional();  // of least precedence
  absl::StatusOr<Term> bit_expression();
  absl::StatusOr<Term> exclusive();
  absl::StatusOr<Term> masked();
  absl::StatusOr<Term> shifted();
  absl::StatusOr<Term> power_of_two(const Term& shift);
  absl::StatusOr<Term> sum();
  absl::StatusOr<Term> product();
  absl::StatusOr<Term> unary();
  absl::StatusOr<Term> power(const Term& base);
  absl::StatusOr<Term> primary(bool negative);
  absl::StatusOr<Term> literal(bool negative);
  absl::StatusOr<Term> function();
  absl::StatusOr<Term> choice(size_t start);
  absl::StatusOr<Term> comparison(const Term& left);
  absl::StatusOr<Term> chosen(size_t start, const Term& holds, const Term& yes, const Term& no);
  absl::Status too_deep(size_t start) const;
  bool take_double_slash();
  Term constant(int64_t value, const Term& in_place_of);
  absl::StatusOr<Term> operation(Op op, const Term& left, const Term& right);
  absl::StatusOr<Term> bitwise(BitwiseOp op, const Term& left, const Term& right);
  absl::StatusOr<Term> negation(const Term& term);
  absl::StatusOr<Term> difference(const Term& left, Term right);

  Cursor& cursor_;
  ExprTable& table_;
  bool variable_divisors_;
  int nesting_ = 0;
  std::vector<Bitwise> bitwise_;
  std::vector<std::string>* undeclared_ = nullptr;
  absl::flat_hash_map<absl::string_view, Node> names_;
};

// Returns " + ", " * ", " floordiv ", " ceildiv " or " mod ".
absl::string_view symbol_of(Op operation);

// Appends the text of the expression. `map` holds the nodes and the names of the variables.
void append_expression(std::string& out, const IndexingMap& map, NodeId root);

}  // namespace tileproof
