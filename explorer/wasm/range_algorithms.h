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

template <class R, class P>
constexpr bool any_of(R&& range, P predicate) {
  return std::any_of(std::begin(range), std::end(range), std::ref(predicate));
}
template <class R, class P, class Projection = identity_projection>
constexpr bool all_of(R&& range, P predicate, Projection projection = {}) {
  return std::all_of(std::begin(range), std::end(range), [&](const auto& element) {
    return std::invoke(predicate, std::invoke(projection, element));
  });
}
template <class R, class P>
constexpr bool none_of(R&& range, P predicate) {
  return std::none_of(std::begin(range), std::end(range), std::ref(predicate));
}
template <class R, class P>
constexpr auto find_if(R&& range, P predicate) {
  return std::find_if(std::begin(range), std::end(range), std::ref(predicate));
}
template <class R, class P>
constexpr auto count_if(R&& range, P predicate) {
  return std::count_if(std::begin(range), std::end(range), std::ref(predicate));
}
template <class R, class T, class Projection = identity_projection>
constexpr auto find(R&& range, const T& value, Projection projection = {}) {
  return std::find_if(std::begin(range), std::end(range), [&](const auto& element) {
    return std::invoke(projection, element) == value;
  });
}
template <class R, class T, class Projection = identity_projection>
constexpr auto count(R&& range, const T& value, Projection projection = {}) {
  return std::count_if(std::begin(range), std::end(range), [&](const auto& element) {
    return std::invoke(projection, element) == value;
  });
}
template <class R, class S, class Same = std::equal_to<>, class A = identity_projection,
          class B = identity_projection>
constexpr bool equal(R&& left, S&& right, Same same = {}, A of_left = {}, B of_right = {}) {
  return std::equal(std::begin(left), std::end(left), std::begin(right), std::end(right),
                    [&](const auto& a, const auto& b) {
                      return std::invoke(same, std::invoke(of_left, a), std::invoke(of_right, b));
                    });
}
template <class R, class S>
constexpr bool includes(R&& all, S&& some) {
  return std::includes(std::begin(all), std::end(all), std::begin(some), std::end(some));
}
template <class R, class T>
constexpr void replace(R&& range, const T& from, const T& to) {
  std::replace(std::begin(range), std::end(range), from, to);
}
template <class R, class Less = std::less<>, class Projection = identity_projection>
constexpr void sort(R&& range, Less less = {}, Projection projection = {}) {
  std::sort(std::begin(range), std::end(range), [&](const auto& a, const auto& b) {
    return std::invoke(less, std::invoke(projection, a), std::invoke(projection, b));
  });
}
template <class R, class Less = std::less<>, class Projection = identity_projection>
constexpr void stable_sort(R&& range, Less less = {}, Projection projection = {}) {
  std::stable_sort(std::begin(range), std::end(range), [&](const auto& a, const auto& b) {
    return std::invoke(less, std::invoke(projection, a), std::invoke(projection, b));
  });
}
template <class R, class Less = std::less<>>
constexpr bool is_sorted(R&& range, Less less = {}) {
  return std::is_sorted(std::begin(range), std::end(range), less);
}
template <class R>
constexpr void reverse(R&& range) {
  std::reverse(std::begin(range), std::end(range));
}
template <class R, class T>
constexpr void fill(R&& range, const T& value) {
  std::fill(std::begin(range), std::end(range), value);
}
template <class R, class Less = std::less<>, class Projection = identity_projection>
constexpr auto max_element(R&& range, Less less = {}, Projection projection = {}) {
  return std::max_element(std::begin(range), std::end(range), [&](const auto& a, const auto& b) {
    return std::invoke(less, std::invoke(projection, a), std::invoke(projection, b));
  });
}
template <class R, class Less = std::less<>, class Projection = identity_projection>
constexpr auto min_element(R&& range, Less less = {}, Projection projection = {}) {
  return std::min_element(std::begin(range), std::end(range), [&](const auto& a, const auto& b) {
    return std::invoke(less, std::invoke(projection, a), std::invoke(projection, b));
  });
}
template <class At, class Less = std::less<>, class Projection = identity_projection>
requires requires(At at) { *at; }
constexpr At min_element(At begin, At end, Less less = {}, Projection projection = {}) {
  return std::min_element(begin, end, [&](const auto& a, const auto& b) {
    return std::invoke(less, std::invoke(projection, a), std::invoke(projection, b));
  });
}
template <class R, class Out, class P>
constexpr void copy_if(R&& range, Out out, P predicate) {
  std::copy_if(std::begin(range), std::end(range), out, predicate);
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
  const auto before = [&](const auto& a, const auto& b) {
    return std::invoke(less, std::invoke(projection, a), std::invoke(projection, b));
  };
  const auto [low, high] = std::minmax_element(std::begin(range), std::end(range), before);
  return min_max_result<std::decay_t<decltype(*low)>>{*low, *high};
}
template <class R, class S, class Out>
constexpr void set_intersection(R&& left, S&& right, Out out) {
  std::set_intersection(begin(left), end(left), begin(right), end(right), out);
}

template <class R, class S, class Out>
constexpr void set_difference(R&& left, S&& right, Out out) {
  std::set_difference(begin(left), end(left), begin(right), end(right), out);
}

template <class R, class P, class T>
constexpr void replace_if(R&& range, P predicate, const T& to) {
  std::replace_if(begin(range), end(range), predicate, to);
}

template <class R, class Out>
constexpr void copy(R&& range, Out out) {
  std::copy(begin(range), end(range), out);
}

template <class R, class S, class Out>
constexpr void merge(R&& left, S&& right, Out out) {
  std::merge(std::begin(left), std::end(left), std::begin(right), std::end(right), out);
}
template <class R, class T>
constexpr bool binary_search(R&& range, const T& value) {
  return std::binary_search(std::begin(range), std::end(range), value);
}
template <class R, class Same = std::equal_to<>>
constexpr auto adjacent_find(R&& range, Same same = {}) {
  return std::adjacent_find(std::begin(range), std::end(range), same);
}
template <class R, class S>
constexpr bool is_permutation(R&& left, S&& right) {
  return std::is_permutation(std::begin(left), std::end(left), std::begin(right), std::end(right));
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
