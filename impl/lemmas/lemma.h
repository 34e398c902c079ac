// SPDX-License-Identifier: Apache-2.0
// A lemma: a fact about integers, stated once and interpreted in several ways.
//
// The statement is a generic lambda over the number type. The number type decides what a call does:
//
//     checked integers   executes it: the tests try every point of a small box
//     terms              records it: to print it, to prove it for all integers, to refute it if it
//                        is false, and to write it as SMT-LIB (verify/lemmas/lemma_numbers.h)
//     expressions        builds both sides of a rewriting step
//
// Example. `given` lists the hypotheses. Each one may rely on those before it (the sign of a
// divisor comes before the first use of the divisor). `equal` states the conclusion. `by` names
// facts that the proof shows first.
//
//     inline constexpr Lemma kDropSmallPart{
//         "drop-small-part", "what stays inside one cell of g counts as a constant",
//         {"A", "B", "g", "c", "m"}, [](auto A, auto B, auto g, auto c, auto m) {
//           return given(g > 0, c > 0, m * g <= B, B < (m + 1) * g)
//               .equal(floordiv(g * A + B, g * c), floordiv(A + m, c));
//         }};
//
//     kDropSmallPart.at(A, B, g, c, m)     Claim<N> for these numbers: hypotheses, lhs(), rhs()
//
// A number type N has a member type LemmaNumber, the operators + - * and unary -, the functions
// floordiv, mod and ceildiv, and literal(like, value), which makes a constant of the kind of
// `like`. floordiv rounds down for every sign, and x mod c = x - c * (x floordiv c).
// Claims hold vectors: they serve proof logs, proofs and tests, not inner loops.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace tileproof::impl {

template <class N>
concept LemmaNumber = requires {
  typename N::LemmaNumber;
};

enum class Predicate : uint8_t { kEqual, kLess, kLessEqual };

// left = right, left < right or left <= right.
template <class N>
struct Fact {
  N left;
  Predicate predicate;
  N right;
};

template <class N>
using Facts = std::vector<Fact<N>>;

enum class ClaimKind : uint8_t {
  kEqual,       // given => lhs = rhs
  kHolds,       // given => every fact of `after`
  kEquivalent,  // given => (all of `before` <=> all of `after`)
  kNever,       // given => not all of `before`
};

template <class N>
struct Claim {
  ClaimKind kind = ClaimKind::kHolds;
  Facts<N> hypotheses = {};    // the lemma applies only if these hold
  Facts<N> before = {};        // kEquivalent, kNever
  Facts<N> after = {};         // kEqual: the one fact lhs = rhs
  Facts<N> steps = {};         // shown in this order; lead from hypotheses and `before` to `after`
  Facts<N> steps_back = {};    // kEquivalent: lead from `after` to `before`
  std::vector<N> splits = {};  // the proof distinguishes e >= 0 from e <= -1 for each e of these

  const N& lhs() const { return after.front().left; }   // kEqual only
  const N& rhs() const { return after.front().right; }  // kEqual only

  Claim equal(N left, N right) && {
    kind = ClaimKind::kEqual;
    after.push_back({std::move(left), Predicate::kEqual, std::move(right)});
    return std::move(*this);
  }
  template <class... F>
  Claim holds(F... facts) && {
    kind = ClaimKind::kHolds;
    (append(after, std::move(facts)), ...);
    return std::move(*this);
  }
  Claim equivalent(Facts<N> left, Facts<N> right) && {
    kind = ClaimKind::kEquivalent;
    before = std::move(left);
    after = std::move(right);
    return std::move(*this);
  }
  template <class... F>
  Claim never(F... facts) && {
    kind = ClaimKind::kNever;
    (append(before, std::move(facts)), ...);
    return std::move(*this);
  }
  template <class... F>
  Claim by(F... facts) && {
    (append(steps, std::move(facts)), ...);
    return std::move(*this);
  }
  template <class... F>
  Claim back_by(F... facts) && {
    (append(steps_back, std::move(facts)), ...);
    return std::move(*this);
  }
  template <class... E>
  Claim cases(E... expressions) && {
    (splits.push_back(std::move(expressions)), ...);
    return std::move(*this);
  }

  static void append(Facts<N>& to, Fact<N> fact) { to.push_back(std::move(fact)); }
  static void append(Facts<N>& to, Facts<N> facts) {
    for (Fact<N>& fact : facts) to.push_back(std::move(fact));
  }
};

// Concatenates facts into one list.
template <class N, class... F>
Facts<N> all(Fact<N> first, F... rest) {
  Facts<N> facts = {std::move(first)};
  (Claim<N>::append(facts, std::move(rest)), ...);
  return facts;
}
template <class N, class... F>
Facts<N> all(Facts<N> first, F... rest) {
  (Claim<N>::append(first, std::move(rest)), ...);
  return first;
}

template <class N, class... F>
Claim<N> given(Fact<N> first, F... rest) {
  return {.hypotheses = all(std::move(first), std::move(rest)...)};
}
template <class N, class... F>
Claim<N> given(Facts<N> first, F... rest) {
  return {.hypotheses = all(std::move(first), std::move(rest)...)};
}

// A claim without hypotheses. `like` only determines the number type.
template <LemmaNumber N>
Claim<N> always(const N& /*like*/) {
  return {};
}

template <size_t count, class Statement>
struct Lemma {
  absl::string_view name;  // used by proof logs, certificates, the manual and failure messages
  absl::string_view says;  // a description in English
  std::array<absl::string_view, count> variables;
  Statement statement;

  constexpr Lemma(absl::string_view the_name, absl::string_view description,
                  const absl::string_view (&names)[count], Statement stated)
      : name(the_name), says(description), variables{}, statement(stated) {
    for (size_t i = 0; i < count; ++i) variables[i] = names[i];
  }

  template <LemmaNumber... N>
  requires(sizeof...(N) == count) auto at(N... values) const {
    return statement(std::move(values)...);
  }
  template <LemmaNumber N>
  Claim<N> at(const std::array<N, count>& values) const {
    return std::apply(statement, values);
  }
};

// An integer literal as the right operand.
struct LemmaConstant {
  int64_t value;
  constexpr LemmaConstant(int64_t the_value) : value(the_value) {}  // implicit: allows `c > 0`
};

// Comparisons build facts. The right operand may be an integer literal.
template <LemmaNumber N>
Fact<N> operator==(const N& a, const N& b) {
  return {a, Predicate::kEqual, b};
}
template <LemmaNumber N>
Fact<N> operator<(const N& a, const N& b) {
  return {a, Predicate::kLess, b};
}
template <LemmaNumber N>
Fact<N> operator<=(const N& a, const N& b) {
  return {a, Predicate::kLessEqual, b};
}
template <LemmaNumber N>
Fact<N> operator>(const N& a, const N& b) {
  return b < a;
}
template <LemmaNumber N>
Fact<N> operator>=(const N& a, const N& b) {
  return b <= a;
}
template <LemmaNumber N>
Fact<N> operator==(const N& a, LemmaConstant b) {
  return a == literal(a, b.value);
}
template <LemmaNumber N>
Fact<N> operator<(const N& a, LemmaConstant b) {
  return a < literal(a, b.value);
}
template <LemmaNumber N>
Fact<N> operator<=(const N& a, LemmaConstant b) {
  return a <= literal(a, b.value);
}
template <LemmaNumber N>
Fact<N> operator>(const N& a, LemmaConstant b) {
  return literal(a, b.value) < a;
}
template <LemmaNumber N>
Fact<N> operator>=(const N& a, LemmaConstant b) {
  return literal(a, b.value) <= a;
}
template <LemmaNumber N>
N operator+(const N& a, LemmaConstant b) {
  return a + literal(a, b.value);
}
template <LemmaNumber N>
N operator-(const N& a, LemmaConstant b) {
  return a - literal(a, b.value);
}
template <LemmaNumber N>
N operator*(const N& a, LemmaConstant b) {
  return a * literal(a, b.value);
}

// low <= x <= high.
template <LemmaNumber N>
Facts<N> between(const N& low, const N& x, const N& high) {
  return {low <= x, x <= high};
}
// 0 <= x < size: x is an index of a dimension of this size.
template <LemmaNumber N>
Facts<N> index_of(const N& x, const N& size) {
  return {literal(x, 0) <= x, x < size};
}

}  // namespace tileproof::impl
