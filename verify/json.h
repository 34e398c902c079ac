// JSON values with exact integers.
//
// The protocol promises integers of any size and ids that come back exactly as they came, so a
// number is kept as int64 where it is an integer that fits, and otherwise as the characters that
// stood there. (The usual libraries turn a large integer into the nearest double, or refuse it; the
// tests compare this reader with nlohmann/json on everything else.)
//
//     {"id": 18446744073709551616, "index": [2, 3]}
//
// holds the Number "18446744073709551616" and the int64s 2 and 3. Strings are UTF-8. Objects keep
// their order. Source: RFC 8259; INTERFACE, section 3.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tileproof::verify {

struct Member;

struct Json {
  struct Null {
    bool operator==(const Null&) const = default;
  };
  // A number that is no int64, as it was written: "1.5", "1e3", "9223372036854775808".
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
  Json(std::same_as<bool> auto truth) : value(truth) {}
  template <std::integral I>
  requires(!std::same_as<I, bool> && (std::is_signed_v<I> || sizeof(I) < sizeof(int64_t)))
      Json(I integer)
      : value(int64_t{integer}) {}
  Json(Number number) : value(std::move(number)) {}
  Json(const char* text) : value(std::string(text)) {}
  Json(absl::string_view text) : value(std::string(text)) {}
  Json(std::string text) : value(std::move(text)) {}
  Json(Array array) : value(std::move(array)) {}
  Json(Object object) : value(std::move(object)) {}
  Json(const std::vector<int64_t>& integers);

  template <class T>
  const T* as() const {
    return std::get_if<T>(&value);
  }
  template <class T>
  T* as() {
    return std::get_if<T>(&value);
  }
  bool is_null() const { return std::holds_alternative<Null>(value); }
};

struct Member {
  std::string key;
  Json value;
};

// Equal as values: the order of an object's members does not count.
bool operator==(const Json& a, const Json& b);

Json json_object(std::initializer_list<Member> members);

// The value of a member, or null where `json` is no object or has none of that name.
const Json* find(const Json& json, absl::string_view key);

// Sets or replaces a member of an object; removes one, if it is there.
void set(Json& object, absl::string_view key, Json value);
void remove(Json& object, absl::string_view key);

// True for integers of any size: an int64, or a Number of digits alone.
bool is_integer(const Json& json);

struct JsonText {
  Json value;
  // The first object key that stands twice in one object, as an error message; the first of its
  // values counts.
  std::optional<std::string> duplicate;
};

// The whole text is one JSON value, with white space around it. Errors name the column, in bytes
// from 1, and what was expected: also for more than `kMaxNesting` (1,000) nested arrays and
// objects, for text that is not UTF-8, and for lone surrogates.
absl::StatusOr<JsonText> read_json(absl::string_view text);

// One line, no white space.
std::string to_text(const Json& json);

// Any text, shortened to about `most` bytes, with what is not printable ASCII escaped: for messages
// of one line.
std::string shown(absl::string_view text, size_t most = 120);

}  // namespace tileproof::verify
