// A lemma: a fact about integers, stated once and read in several ways.
//
// The statement is a generic lambda over the number type. What the numbers are decides what
// happens:
//
//     checked integers   it is executed: the tests try every point of a small box
//     terms              it is printed, proven for all integers, refuted when false, written as
//                        SMT-LIB (verify/lemmas/lemma_numbers.h, verify/lemmas/proof_script.h)
//     expressions        both sides of a rewriting step are built from its instance
//
// Example. `given` lists the hypotheses in the order in which they make each other meaningful (a
// divisor's sign comes before the first use of the divisor); `equal` states the conclusion; `by`
// names facts that the proof shows first.
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
// floordiv, mod, ceildiv (INTERFACE, section 2: floor for every sign, x mod c = x - c * (x floordiv
// c)), and literal(like, value), a constant of the same kind as `like`. Claims hold vectors: they
// serve traces, proofs and tests, not inner loops.
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
  Facts<N> hypotheses = {};  // what must hold for the lemma to apply
  Facts<N> before = {};      // kEquivalent, kNever
  Facts<N> after = {};       // kEqual: the one fact lhs = rhs
  Facts<N> steps = {};  // shown in this order on the way from hypotheses and `before` to `after`
  Facts<N> steps_back = {};    // kEquivalent: on the way from `after` to `before`
  std::vector<N> splits = {};  // the proof treats e >= 0 and e <= -1 apart, for each of these

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

// Several facts as one list.
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

// The claim without hypotheses, for the kind of number that `like` is.
template <LemmaNumber N>
Claim<N> always(const N& /*like*/) {
  return {};
}

template <size_t count, class Statement>
struct Lemma {
  absl::string_view name;  // of the trace, the certificate, the manual and the failure
  absl::string_view says;  // in words
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

// An integer written beside a number.
struct LemmaConstant {
  int64_t value;
  constexpr LemmaConstant(int64_t the_value) : value(the_value) {}  // implicit: `c > 0`
};

// Comparisons state facts; an integer may stand on the right.
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
