// SPDX-License-Identifier: Apache-2.0
// Mutants that can be switched on one at a time. verify/mutants/seed_mutants.py writes these calls
// in place of operators, constants, conditions and statements.
//
//     operation<7, std::plus<>, std::minus<>>(a, b)     a + b, or a - b while mutant 7 is on
//
// A template registers a mutant only if the change compiles and gives the same type
// (`register_mutant`). In recording mode no mutant is on; instead every mutant that the program
// reaches is noted. Only the checkers of mutants include this header; the program itself is never
// built with it.
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

namespace tileproof::mutant {

inline constexpr int kNone = 0;
inline constexpr int kRecording = -1;

extern int active;                 // a mutant's number, kNone or kRecording
void note(int number);             // in recording mode: the mutant is reached
bool register_mutant(int number);  // always true

template <int N>
struct Known {
  static inline const bool known = register_mutant(N);
};

// Returns whether mutant N is on.
template <int N>
constexpr bool on() {
  if (std::is_constant_evaluated()) return false;
  (void)&Known<N>::known;
  if (active < 0) note(N);
  return active == N;
}

template <int N>
constexpr bool truth(bool value) {
  return on<N>() ? !value : value;
}

template <int N, class T>
constexpr T constant(T value) {
  if (on<N>()) return static_cast<T>(value == 1 ? 2 : value + 1);
  if (on<N + 1>()) return static_cast<T>(value == 1 ? 0 : value - 1);
  return value;
}

// Applies `Right`, a function object such as std::plus<>. With mutant N on it applies `Wrong` if
// that gives the same type.
template <int N, class Right, class Wrong, class A, class B>
constexpr auto operation(const A& a, const B& b) {
  if constexpr (std::is_invocable_v<Wrong, const A&, const B&>) {
    if constexpr (std::is_same_v<std::invoke_result_t<Wrong, const A&, const B&>,
                                 std::invoke_result_t<Right, const A&, const B&>>) {
      if (on<N>()) return Wrong()(a, b);
    }
  }
  return Right()(a, b);
}

// With mutant N the bound is off by one; with N + 1 the comparison is negated.
template <int N, class Right, class OneOff, class Negated, class A, class B>
constexpr auto comparison(const A& a, const B& b)
    -> std::invoke_result_t<Right, const A&, const B&> {
  if (on<N + 1>()) return !Right()(a, b);
  return operation<N, Right, OneOff>(a, b);
}

template <int N, class A, class B>
constexpr void add_to(A& a, B&& b) {
  if constexpr (requires { a -= b; }) {
    if (on<N>()) {
      a -= b;
      return;
    }
  }
  a += std::forward<B>(b);
}

template <int N, class A, class B>
constexpr void take_from(A& a, B&& b) {
  if (on<N>()) {
    a += b;
  } else {
    a -= std::forward<B>(b);
  }
}

template <int N, class A>
constexpr auto negative(const A& a) {
  return on<N>() ? static_cast<decltype(-a)>(a) : -a;
}

template <int N, class T>
constexpr T min(const T& a, const T& b) {
  return (b < a) != on<N>() ? b : a;
}

template <int N, class T>
constexpr T max(const T& a, const T& b) {
  return (a < b) != on<N>() ? b : a;
}

// A limit, one lower while mutant N is on.
template <int N, class T>
constexpr T cap(T value) {
  return on<N>() ? static_cast<T>(value - 1) : value;
}

// The range of a loop, without its last element while mutant N is on. Holds a temporary.
template <int N, class Range>
struct AllButLast {
  Range range;

  auto begin() { return std::begin(range); }
  auto end() {
    auto last = std::begin(range);
    if (last == std::end(range) || !on<N>()) return std::end(range);
    for (auto next = std::next(last); next != std::end(range); ++next) last = next;
    return last;
  }
};
template <int N, class Range>
AllButLast<N, Range> all_but_last(Range&& range) {
  return {std::forward<Range>(range)};
}

// The values of a table that a mutant changes.
template <int N, class T, size_t Size>
struct ChangedTable {
  static inline T entries[Size];
};

// Returns the table. With mutant N + K on, its entry K is the next entry once more. Not constexpr:
// a reference to a constexpr result, such as that of a loop over the table, is made by the compiler.
template <int N, class T, size_t Size>
const T (&table(const T (&right)[Size]))[Size] {
  const auto change = [&right]<int K>(std::integral_constant<int, K>) {
    if (!on<N + K>()) return false;
    T(&entries)[Size] = ChangedTable<N, T, Size>::entries;
    for (size_t i = 0; i < Size; ++i) entries[i] = right[i == K ? i + 1 : i];
    return true;
  };
  // Not const: the compiler would evaluate the value of a constant, and no mutant is on there.
  bool any = [&]<int... K>(std::integer_sequence<int, K...>) {
    return (change(std::integral_constant<int, K>()) | ...);
  }
  (std::make_integer_sequence<int, static_cast<int>(Size) - 1>());
  return any ? ChangedTable<N, T, Size>::entries : right;
}

// Returns the value that a switch is about. With mutant N + k on, the case of the k-th label is
// forgotten: the value of that label becomes one that no label has.
template <int N, class T, class... Labels>
constexpr T switched(T value, Labels... labels) {
  const auto forgotten = [value]<int K>(std::integral_constant<int, K>, T label) {
    return value == label && on<N + K>();
  };
  const bool any = [&]<int... K>(std::integer_sequence<int, K...>) {
    return (forgotten(std::integral_constant<int, K>(), static_cast<T>(labels)) | ...);
  }
  (std::make_integer_sequence<int, sizeof...(Labels)>());
  return any ? static_cast<T>(-1) : value;
}

// Returns mine(). With the mutant on it returns other(), if the two types are interchangeable.
template <int N, class F, class G>
constexpr decltype(auto) either(const F& mine, const G& other) {
  using Mine = std::invoke_result_t<F>;
  using Other = std::invoke_result_t<G>;
  if constexpr (std::is_same_v<std::remove_cvref_t<Mine>, std::remove_cvref_t<Other>> &&
                std::is_convertible_v<Other, Mine> && std::is_convertible_v<Mine, Other> &&
                std::is_reference_v<Mine> == std::is_reference_v<Other>) {
    if (on<N>()) return static_cast<Mine>(other());
  }
  return mine();
}

}  // namespace tileproof::mutant
