// SPDX-License-Identifier: Apache-2.0
// TRY: use a value, or return the error.
//
//   const Dims dims = TRY(array_dims(op, 0));   // absl::StatusOr<Dims>: the value, or return
//   TRY(expect_operands(op, 1, 1));             // absl::Status: go on if ok, or return
//
// TRY(e) is an expression. The function around it must return absl::Status or absl::StatusOr<T>. A
// lambda that returns anything besides absl::Status must name its return type. TRY moves from a
// temporary and copies a variable: write TRY(std::move(x)) to move a variable.
//
// Do not use TRY in braces after a value that owns memory, as in Pair{text(), TRY(f())}: when TRY
// returns, g++ 12 and clang 14 forget to destroy `text()`. Name the result first. They do destroy
// the other arguments of a call.
//
// This is the only macro of its kind: no function can return from the function that calls it.
#pragma once

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace try_macro {

inline absl::Status error_of(absl::Status&& status) { return std::move(status); }
inline void value_of(absl::Status&&) {}

template <class T>
absl::Status error_of(absl::StatusOr<T>&& value) {
  return std::move(value).status();
}
template <class T>
T value_of(absl::StatusOr<T>&& value) {
  return *std::move(value);
}

}  // namespace try_macro

// __COUNTER__ names a variable for each use, so that one TRY inside another does not shadow it.
#define TRY(...) TRY_NUMBERED(__COUNTER__, __VA_ARGS__)
#define TRY_NUMBERED(number, ...) TRY_WITH(try_result_, number, __VA_ARGS__)
#define TRY_WITH(prefix, number, ...) TRY_IN(prefix##number, __VA_ARGS__)
#define TRY_IN(result, ...)                                          \
  __extension__({                                                    \
    auto result = (__VA_ARGS__);                                     \
    if (!result.ok()) return try_macro::error_of(std::move(result)); \
    try_macro::value_of(std::move(result));                          \
  })
