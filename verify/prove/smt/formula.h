// Statements about sums, and numbers whose comparisons are such statements: what the definitions of
// operations (spec/hlo/access_function.h) say of indices that are not known.
//
// A Symbol is a number type for the functions `reach`: run on Symbols they give the operand's index
// as sums over variables and floors (verify/prove/smt/quasi_affine.h), and the condition under which it flows
// as a Formula. Negation is pushed down to the literals at once:
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

  Formula(bool value)
      : kind_(value ? Kind::kTrue : Kind::kFalse) {}  // NOLINT: a truth value is one
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

// A number that is a sum.
struct Symbol {
  Sum sum;

  Symbol(int64_t value) : sum{nullptr, {}, value, false} {}  // NOLINT: a number is one
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

// Whether the sum is at least 0 for all values of the variables within their bounds, or for none;
// nothing if its range does not show either.
std::optional<bool> always(const QuasiAffineContext& context, const Sum& at_least_zero);

// Conjunctions of which one holds exactly where the formula does. What always holds is left out,
// and so are conjunctions that never do. Nothing if there are more than `most`.
std::optional<std::vector<Conjunction>> cases_of(const QuasiAffineContext& context,
                                                 const Formula& formula, size_t most);

}  // namespace tileproof::verify
