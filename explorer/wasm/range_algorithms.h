// SPDX-License-Identifier: Apache-2.0
// The range algorithms and other parts of C++20 that the project uses, for a C++ library that lacks
// them (libc++ before 15).
// Every file of the build for WebAssembly includes this first. Not for other builds.
#pragma once

#include <version>

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 15000
#include <algorithm>
#include <compare>
#include <functional>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace std::ranges {

struct identity_projection {
  template <class T>
  constexpr T&& operator()(T&& value) const {
    return std::forward<T>(value);
  }
};

template <class Less, class Projection>
constexpr auto by_projection(Less less, Projection projection) {
  return [=](const auto& a, const auto& b) {
    return std::invoke(less, std::invoke(projection, a), std::invoke(projection, b));
  };
}

// Those without a projection, of one range and of two; by a predicate, which may be a member; those
// that order, by a projection.
#define TILEPROOF_OF_RANGE(name)                                   \
  template <class R, class... More>                                \
  constexpr auto name(R&& range, More... more) {                   \
    return std::name(std::begin(range), std::end(range), more...); \
  }
#define TILEPROOF_BY_PREDICATE(name)                                           \
  template <class R, class P>                                                  \
  constexpr auto name(R&& range, P predicate) {                                \
    return std::name(std::begin(range), std::end(range), std::ref(predicate)); \
  }
#define TILEPROOF_OF_RANGES(name)                                                          \
  template <class R, class S, class... More>                                               \
  constexpr auto name(R&& left, S&& right, More... more) {                                 \
    return std::name(std::begin(left), std::end(left), std::begin(right), std::end(right), \
                     more...);                                                             \
  }
#define TILEPROOF_ORDERS(name)                                                             \
  template <class R, class Less = std::less<>, class Projection = identity_projection>     \
  constexpr auto name(R&& range, Less less = {}, Projection projection = {}) {             \
    return std::name(std::begin(range), std::end(range), by_projection(less, projection)); \
  }
TILEPROOF_OF_RANGE(adjacent_find)
TILEPROOF_OF_RANGE(binary_search)
TILEPROOF_OF_RANGE(copy)
TILEPROOF_OF_RANGE(copy_if)
TILEPROOF_OF_RANGE(fill)
TILEPROOF_OF_RANGE(replace)
TILEPROOF_OF_RANGE(replace_if)
TILEPROOF_OF_RANGE(reverse)
TILEPROOF_BY_PREDICATE(any_of)
TILEPROOF_BY_PREDICATE(count_if)
TILEPROOF_BY_PREDICATE(find_if)
TILEPROOF_BY_PREDICATE(none_of)
TILEPROOF_OF_RANGES(includes)
TILEPROOF_OF_RANGES(is_permutation)
TILEPROOF_OF_RANGES(merge)
TILEPROOF_OF_RANGES(set_difference)
TILEPROOF_OF_RANGES(set_intersection)
TILEPROOF_ORDERS(is_sorted)
TILEPROOF_ORDERS(max_element)
TILEPROOF_ORDERS(min_element)
TILEPROOF_ORDERS(sort)
TILEPROOF_ORDERS(stable_sort)

template <class R, class P, class Projection = identity_projection>
constexpr bool all_of(R&& range, P predicate, Projection projection = {}) {
  return std::all_of(std::begin(range), std::end(range), [&](const auto& element) {
    return std::invoke(predicate, std::invoke(projection, element));
  });
}
template <class R, class T, class Projection = identity_projection>
constexpr auto find(R&& range, const T& value, Projection projection = {}) {
  return ranges::find_if(
      range, [&](const auto& element) { return std::invoke(projection, element) == value; });
}
template <class R, class T, class Projection = identity_projection>
constexpr auto count(R&& range, const T& value, Projection projection = {}) {
  return ranges::count_if(
      range, [&](const auto& element) { return std::invoke(projection, element) == value; });
}
template <class R, class S, class Same = std::equal_to<>, class A = identity_projection,
          class B = identity_projection>
constexpr bool equal(R&& left, S&& right, Same same = {}, A of_left = {}, B of_right = {}) {
  return std::equal(std::begin(left), std::end(left), std::begin(right), std::end(right),
                    [&](const auto& a, const auto& b) {
                      return std::invoke(same, std::invoke(of_left, a), std::invoke(of_right, b));
                    });
}
template <class At, class Less = std::less<>, class Projection = identity_projection>
requires requires(At at) { *at; }
constexpr At min_element(At begin, At end, Less less = {}, Projection projection = {}) {
  return std::min_element(begin, end, by_projection(less, projection));
}
template <class R, class T, class Less = std::less<>, class Projection = identity_projection>
constexpr auto lower_bound(R&& range, const T& value, Less less = {}, Projection projection = {}) {
  return std::lower_bound(std::begin(range), std::end(range), value,
                          [&](const auto& a, const auto& b) {
                            return std::invoke(less, std::invoke(projection, a), b);
                          });
}
template <class R, class T, class Less = std::less<>, class Projection = identity_projection>
constexpr auto upper_bound(R&& range, const T& value, Less less = {}, Projection projection = {}) {
  return std::upper_bound(std::begin(range), std::end(range), value,
                          [&](const auto& a, const auto& b) {
                            return std::invoke(less, a, std::invoke(projection, b));
                          });
}
template <class T>
struct min_max_result {
  T min, max;
};
template <class R, class Less = std::less<>, class Projection = identity_projection>
constexpr auto minmax(R&& range, Less less = {}, Projection projection = {}) {
  const auto [low, high] =
      std::minmax_element(std::begin(range), std::end(range), by_projection(less, projection));
  return min_max_result<std::decay_t<decltype(*low)>>{*low, *high};
}

}  // namespace std::ranges

namespace std {

template <class To, class From>
constexpr To bit_cast(const From& from) {
  return __builtin_bit_cast(To, from);
}

// Defaulted comparisons of classes with vectors need it.
template <class T>
constexpr strong_ordering operator<=>(const vector<T>& left, const vector<T>& right) {
  for (size_t i = 0; i < left.size() && i < right.size(); ++i) {
    if (left[i] < right[i]) return strong_ordering::less;
    if (right[i] < left[i]) return strong_ordering::greater;
  }
  return left.size() <=> right.size();
}

// Not by left < right: that would call this function again, as it is more special than the library's.
template <class K, class V>
strong_ordering operator<=>(const map<K, V>& left, const map<K, V>& right) {
  if (lexicographical_compare(left.begin(), left.end(), right.begin(), right.end())) {
    return strong_ordering::less;
  }
  return lexicographical_compare(right.begin(), right.end(), left.begin(), left.end())
             ? strong_ordering::greater
             : strong_ordering::equal;
}

}  // namespace std
#endif
