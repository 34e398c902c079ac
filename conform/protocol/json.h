// SPDX-License-Identifier: Apache-2.0
// JSON values with exact integers.
//
// The protocol promises integers of any size and returns ids exactly as received. A
// number is kept as int64 if it is an integer that fits, and otherwise as the characters that were
// read. (Common libraries turn a large integer into the nearest double, or reject it; the
// tests compare this reader with nlohmann/json on everything else.)
//
//     {"id": 18446744073709551616, "index": [2, 3]}
//
// holds the Number "18446744073709551616" and the int64s 2 and 3. Strings are UTF-8. Objects keep
// their order. Source: RFC 8259.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace tileproof::conform {

// The error of invalid input; the parts make its text: invalid("expected ", n, " results").

template <class... Parts>
absl::Status invalid(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

// The error, with a name in front: "LEFT: expected ..".
template <class T>
absl::StatusOr<T> prefixed(absl::string_view name, absl::StatusOr<T> value) {
  if (value.ok()) return value;
  return absl::Status(value.status().code(), absl::StrCat(name, ": ", value.status().message()));
}

struct Member;

// bool, and every integer type whose values fit int64.
template <class I>
concept FitsInt64 = std::integral<I> && !std::same_as<I, uint64_t> && !std::same_as<I, size_t>;

struct Json {
  struct Null {
    bool operator==(const Null&) const = default;
  };
  // A number that is not an int64, as written: "1.5", "1e3", "9223372036854775808".
  struct Number {
    std::string text;
    bool operator==(const Number&) const = default;
  };
  using Array = std::vector<Json>;
  using Object = std::vector<Member>;

  std::variant<Null, bool, int64_t, Number, std::string, Array, Object> value;

  Json();
  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(const Json& other);
  Json& operator=(Json&& other) noexcept;
  ~Json();
  template <FitsInt64 I>
  Json(I integer);
  Json(Number number);
  Json(const char* text);
  Json(absl::string_view text);
  Json(std::string text);
  Json(Array array);
  Json(Object object);
  Json(const std::vector<int64_t>& integers);

  template <class T>
  const T* as() const {
    return std::get_if<T>(&value);
  }
  template <class T>
  T* as() {
    return std::get_if<T>(&value);
  }
  bool is_null() const;
};

struct Member {
  std::string key;
  Json value;
};

template <FitsInt64 I>
Json::Json(I integer) {
  if constexpr (std::is_same_v<I, bool>) {
    value = integer;
  } else {
    value = int64_t{integer};
  }
}

// Equal as values: the order of an object's members does not count.
bool operator==(const Json& a, const Json& b);

Json json_object(std::initializer_list<Member> members);

// The value of a member, or null if `json` is not an object or has no such member.
const Json* find(const Json& json, absl::string_view key);

// The same if the member is of a type, such as std::string; null for any other value.
template <class T>
const T* find_as(const Json& json, absl::string_view key) {
  const Json* value = find(json, key);
  return value == nullptr ? nullptr : value->as<T>();
}

// Whether the member is there and has this value.
bool is(const Json& object, absl::string_view key, const Json& value);

// Sets or replaces a member of an object; removes one if present.
void set(Json& object, absl::string_view key, Json value);
void remove(Json& object, absl::string_view key);

// True for integers of any size: an int64, or a Number of digits alone.
bool is_integer(const Json& json);

// The elements of an array of int64 numbers; nothing for any other value.
std::optional<std::vector<int64_t>> integers(const Json& json);
std::optional<std::vector<int64_t>> find_integers(const Json& json, absl::string_view key);

struct JsonText {
  Json value;
  // An error message that names the first key that one object has twice. The first of the two
  // values counts.
  std::optional<std::string> duplicate;
};

// Reads a text that is one JSON value between white space. Errors name the column, in bytes
// from 1, and what was expected: also for more than `kMaxNesting` (1,000) nested arrays and
// objects, for text that is not UTF-8, and for lone surrogates.
absl::StatusOr<JsonText> read_json(absl::string_view text);

// One line, no white space.
std::string to_text(const Json& json);
void append_text(std::string& out, const Json& json);
void append_text(std::string& out, absl::string_view text);  // as a string, in quotes

// The text cut to about `most` bytes, with all but printable ASCII escaped: for messages
// of one line.
std::string shown(absl::string_view text, size_t most = 120);

}  // namespace tileproof::conform
