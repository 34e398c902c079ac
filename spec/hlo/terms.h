// SPDX-License-Identifier: Apache-2.0
// Terms: what an element of an array is, as an expression of parameter elements.
//
//     term ::= parameter element   p[1]
//            | constant            5 of s32, an integer modulo 2^32; 0.5 of f32; there is one NaN
//            | f(term, ..)         an elementwise operation
//            | bag f {term, ..}    a reduction: the order of the terms does not count
//            | read {term, ..}     the one of these terms that offsets choose, which are terms, too
//            | g(term, ..)[e]      element e of an operation that is not looked into
//
//     p = f32[2] parameter(0)      p[0], p[1]
//     r = f32[2] reverse(p)        p[1], p[0]          an operation that moves elements is no term
//     a = f32[2] add(p, r)         add(p[0], p[1]), add(p[0], p[1])
//
// Equal terms are one node, so they have equal numbers. The operands of add, multiply, and, or, xor,
// minimum, maximum and of EQ and NE have no order; `a > b` is `b < a`. A dot is a bag of products.
//
// Integers and predicates that depend on no parameter are constants: they are evaluated in the
// arithmetic of their type (spec/hlo/integer_arithmetic.h). Floating-point arithmetic is a symbol.
//
// A value. A term that is no constant may have a value all the same, as `and(q, false)` has: what
// flows into it are the parameter elements that it holds. The value of a term decides what a select
// chooses, except that of `shown`: an offset is there, and a select takes either branch.
//
// Nothing here searches, and nothing has a limit.
// Source: XLA operation semantics, the section of each operation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "spec/lang/base/element_type.h"
#include "spec/lang/hlo/hlo_opcode.h"

namespace tileproof::spec {

using TermId = uint32_t;  // operands have smaller numbers
using SymbolId = uint32_t;

// Whether a reduction may apply the operation: neither the order nor the grouping of its operands
// counts (for floats, up to rounding). True of add and maximum, false of subtract.
bool is_reducer(HloOpcode opcode);

// The smallest and the largest value of an offset, which is clamped to them.
struct Bounds {
  int64_t low = 0;
  int64_t high = 0;
};

// What stands before the operands. Equal texts with equal types of the result mean equal functions.
struct Symbol {
  std::string text;
  HloOpcode opcode = HloOpcode::kOther;
  ElementType type = ElementType::kOpaque;  // of the result
  ElementType from = ElementType::kOpaque;  // of the first operand
  std::string direction = {};               // kCompare: LT, LE, EQ or NE
  int32_t operand = -1;                     // of a parameter element
  int32_t leaf = 0;                         // of a parameter element
  int32_t group = 1;                        // of a bag: 2 for a bag of products
  std::vector<Bounds> bounds = {};          // of a read: of each offset
  bool of_arrays = false;                   // opaque: each operand is any element of an array
};

struct Term {
  enum class Kind : uint8_t { kElement, kConstant, kApply, kBag, kRead, kOpaque };

  Kind kind = Kind::kConstant;
  bool has_value = false;
  bool decides = false;  // what a select chooses; only with a value
  SymbolId symbol = 0;
  uint32_t hash = 0;
  uint32_t count = 0;  // of operands
  uint64_t first = 0;
  int64_t number = 0;  // kElement, kOpaque: of the element; kConstant: the value, or its bits
  int64_t value = 0;   // if has_value
};

class Terms {
 public:
  // `keeps_order`: the order of the terms of a bag counts.
  explicit Terms(bool keeps_order = false)
      : keeps_order_(keeps_order), known_(0, Hash{this}, Equal{this}) {}
  Terms(const Terms&) = delete;

  SymbolId symbol(Symbol symbol);
  // One that is equal to no other, whatever its text.
  SymbolId new_symbol(Symbol symbol);
  // Whether it is one of those.
  bool is_unlike(SymbolId id) const {
    const auto known = symbol_numbers_.find({symbols_[id].text, symbols_[id].type});
    return known == symbol_numbers_.end() || known->second != id;
  }

  // Element `number` of an array of parameters. It may have a value that decides nothing.
  TermId element(SymbolId array, int64_t number, std::optional<int64_t> value = std::nullopt);
  // An integer or predicate. `type` is the symbol of its type.
  TermId constant(SymbolId type, int64_t value);
  TermId constant(ElementType type, int64_t value);
  // A floating-point number: `number` are the bits of this double. It has no value.
  TermId constant(ElementType type, double value);
  // f(operands). A constant, if all operands are.
  TermId apply(SymbolId f, absl::Span<const TermId> operands);
  // The terms in any order. In groups of two: the products of each two neighbors.
  TermId bag(SymbolId f, std::vector<TermId> operands);
  // The one of the choices that the clamped offsets number, in row-major order: one choice for each
  // tuple of offsets within the symbol's bounds. Without bounds: the first of the choices; the
  // others decide that it is this one.
  //
  //     f32[1] dynamic-slice(f32[3] x, s32[] i)      read [0,2] (i, x[0], x[1], x[2])
  TermId read(SymbolId operation, absl::Span<const TermId> offsets_and_choices);
  TermId opaque(SymbolId g, int64_t number, absl::Span<const TermId> operands);
  // The same integer, with a value that decides nothing.
  TermId shown(TermId id);

  const Term& at(TermId id) const { return terms_[id]; }
  const Symbol& symbol_of(TermId id) const { return symbols_[terms_[id].symbol]; }
  const Symbol& symbol_at(SymbolId id) const { return symbols_[id]; }
  absl::Span<const TermId> operands(TermId id) const {
    return {pool_.data() + terms_[id].first, terms_[id].count};
  }
  bool is_constant(TermId id) const { return terms_[id].kind == Term::Kind::kConstant; }
  std::optional<int64_t> value(TermId id) const {
    return terms_[id].has_value ? std::optional(terms_[id].value) : std::nullopt;
  }
  std::optional<int64_t> deciding_value(TermId id) const {
    return terms_[id].decides ? std::optional(terms_[id].value) : std::nullopt;
  }
  TermId size() const { return static_cast<TermId>(terms_.size()); }

  // The integers that a term may be, if every part whose value is not known may be anything of its
  // type; null if the term itself may be anything. A select may be each of its branches.
  //
  //     compare(select(q, 1, 2), 3), direction=LT       {1}, for any predicate q
  //
  // Takes from `work` what it looks at. If that gets negative, the result means nothing.
  const std::vector<int64_t>* possible(TermId id, int64_t& work);

  // "add.f32(p0[1], p0[0])", for tests and messages. Behind about `most` characters operands are left
  // out, as a term that is shared may have any number of them.
  std::string text(TermId id, size_t most = 10'000) const;

 private:
  struct Hash {
    const Terms* terms;
    size_t operator()(TermId id) const { return terms->terms_[id].hash; }
  };
  struct Equal {
    const Terms* terms;
    bool operator()(TermId a, TermId b) const { return terms->same(a, b); }
  };
  bool same(TermId a, TermId b) const;
  void append_text(TermId id, size_t most, std::string& text) const;
  // Whether it is the first of its operands.
  bool is_chosen(TermId id) const {
    return terms_[id].kind == Term::Kind::kRead && symbol_of(id).bounds.empty();
  }
  TermId intern(Term term, absl::Span<const TermId> operands);
  std::optional<std::vector<int64_t>> possible_of(TermId id, int64_t& work);
  std::optional<std::vector<int64_t>> combinations(TermId id, int64_t& work);

  bool keeps_order_;
  std::vector<Term> terms_;
  std::vector<TermId> pool_;
  std::vector<Symbol> symbols_;
  absl::flat_hash_map<std::pair<std::string, ElementType>, SymbolId> symbol_numbers_;
  std::vector<std::optional<SymbolId>> types_ = std::vector<std::optional<SymbolId>>(64);
  absl::flat_hash_set<TermId, Hash, Equal> known_;
  absl::flat_hash_map<TermId, std::optional<std::vector<int64_t>>> possible_;
};

}  // namespace tileproof::spec
