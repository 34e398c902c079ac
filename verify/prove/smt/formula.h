// SPDX-License-Identifier: Apache-2.0
// Symbolic evaluation of the definitions of operations: a number type and its truth values.
//
// A Symbol is a sum over variables and floors (verify/prove/smt/quasi_affine.h). If a definition of
// spec/hlo/access_function.h runs on Symbols, it gives the operand's index as sums, and the
// condition under which the element flows as a Formula. Negation goes down to the literals:
//
//     !(x < 3 && y == z)      x - 3 >= 0   or   y - z - 1 >= 0   or   z - y - 1 >= 0
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "verify/prove/smt/quasi_affine.h"

namespace tileproof::verify {

class Formula {
 public:
  enum class Kind : uint8_t { kTrue, kFalse, kLiteral, kAll, kAny };

  Formula(bool value) : kind_(value ? Kind::kTrue : Kind::kFalse) {}  // NOLINT: implicit on purpose
  static Formula at_least_zero(Sum sum);

  Kind kind() const { return kind_; }
  const Sum& literal() const { return literal_; }  // at least 0
  const std::vector<Formula>& parts() const { return parts_; }

  friend Formula operator&&(const Formula& a, const Formula& b);
  friend Formula operator||(const Formula& a, const Formula& b);
  friend Formula operator!(const Formula& a);

 private:
  static Formula of(Kind kind, const Formula& a, const Formula& b);

  Kind kind_;
  Sum literal_;
  std::vector<Formula> parts_;
};

struct Symbol {
  Sum sum;

  Symbol(int64_t value) : sum{nullptr, {}, value, false} {}  // NOLINT: implicit on purpose
  explicit Symbol(Sum value) : sum(std::move(value)) {}
};

Symbol operator+(const Symbol& a, const Symbol& b);
Symbol operator*(const Symbol& a, int64_t b);
Symbol floordiv(const Symbol& a, int64_t c);
Symbol mod(const Symbol& a, int64_t c);
Formula operator<(const Symbol& a, int64_t b);
Formula operator==(const Symbol& a, const Symbol& b);

// Sums that are all at least 0.
using Conjunction = std::vector<Sum>;

// True if the sum is at least 0 for all values of the variables within their bounds, false if for
// none. Nothing if the range of the sum shows neither.
std::optional<bool> always(const QuasiAffineContext& context, const Sum& at_least_zero);

// The formula in disjunctive normal form, without literals that always hold and without
// conjunctions that never do. Nothing if there are more than `most` conjunctions.
std::optional<std::vector<Conjunction>> cases_of(const QuasiAffineContext& context,
                                                 const Formula& formula, size_t most);

}  // namespace tileproof::verify
