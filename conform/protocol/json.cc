// SPDX-License-Identifier: Apache-2.0
#include "conform/protocol/json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_set>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/base/cursor.h"

namespace tileproof::conform {
namespace {

// The bytes of one UTF-8 sequence at the start of `text`; 0 if it is not well-formed. (Unicode,
// table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF.)
size_t utf8_length(absl::string_view text) {
  const auto byte = [text](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto follows = [&byte](size_t i, unsigned low = 0x80, unsigned high = 0xbf) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const bool second = follows(1, first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf);
    return second && follows(2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const bool second = follows(1, first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf);
    return second && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

void append_utf8(std::string& out, uint32_t code) {
  const auto tail = [&out, code](int shift) {
    out += static_cast<char>(0x80 | ((code >> shift) & 0x3f));
  };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | (code >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xf0 | (code >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

// The characters that a JSON string holds unescaped.
constexpr std::array<bool, 256> plain_characters() {
  std::array<bool, 256> plain{};
  for (size_t c = 0x20; c < plain.size(); ++c) plain[c] = c != '"' && c != '\\' && c != 0x7f;
  return plain;
}
constexpr std::array<bool, 256> kPlain = plain_characters();

bool is_plain(char c) { return kPlain[static_cast<unsigned char>(c)]; }

constexpr size_t kFew = 8;  // up to so many members, compare all pairs

// Reads one text. A failing step stores its message in `error_` and returns false.
class Reader {
 public:
  explicit Reader(absl::string_view text) : text_(text) {}

  absl::StatusOr<JsonText> read() {
    JsonText result;
    skip_space();
    if (!read_value(result.value, 0)) return absl::InvalidArgumentError(error_);
    skip_space();
    if (at_ < text_.size()) {
      expected("the end of the line");
      return absl::InvalidArgumentError(error_);
    }
    result.duplicate = std::move(duplicate_);
    return result;
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void skip_space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r' || text_[at_] == '\n')) {
      ++at_;
    }
  }
  bool fail(absl::string_view message) {
    error_ = absl::StrCat("column ", at_ + 1, ": ", message);
    return false;
  }
  bool expected(absl::string_view what) {
    const std::string found = at_ < text_.size()
                                  ? absl::StrCat("'", shown(text_.substr(at_, 1)), "'")
                                  : std::string("the end of the line");
    return fail(absl::StrCat("expected ", what, ", found ", found));
  }

  bool read_value(Json& out, int depth) {
    switch (peek()) {
      case '{':
        return read_object(out.value.emplace<Json::Object>(), depth + 1);
      case '[':
        return read_array(out.value.emplace<Json::Array>(), depth + 1);
      case '"':
        return read_string(out.value.emplace<std::string>());
      case 't':
        return read_word("true", out, Json(true));
      case 'f':
        return read_word("false", out, Json(false));
      case 'n':
        return read_word("null", out, Json());
      default:
        return read_number(out);
    }
  }

  bool read_word(absl::string_view word, Json& out, Json value) {
    if (text_.substr(at_, word.size()) != word) return expected("a JSON value");
    at_ += word.size();
    out = std::move(value);
    return true;
  }

  size_t take_digits() {
    const size_t start = at_;
    while (absl::ascii_isdigit(static_cast<unsigned char>(peek()))) ++at_;
    return at_ - start;
  }

  bool read_number(Json& out) {
    const size_t start = at_;
    take('-');
    const size_t leading = at_;
    const size_t digits = take_digits();
    if (digits == 0) return expected(leading > start ? "a digit" : "a JSON value");
    if (digits > 1 && text_[leading] == '0') {
      at_ = leading;
      return fail("expected a number without leading zeros");
    }
    bool integer = true;
    if (take('.')) {
      integer = false;
      if (take_digits() == 0) return expected("a digit");
    }
    if (take('e') || take('E')) {
      integer = false;
      if (!take('-')) take('+');
      if (take_digits() == 0) return expected("a digit");
    }
    const absl::string_view number = text_.substr(start, at_ - start);
    int64_t small;
    const auto [end, error] = std::from_chars(number.begin(), number.end(), small);
    if (integer && error == std::errc() && end == number.end()) {
      out.value = small;
    } else {
      out.value = Json::Number{std::string(number)};
    }
    return true;
  }

  bool read_hex4(uint32_t& code) {
    const absl::string_view digits = text_.substr(at_, 4);
    code = 0;
    const char* end = std::from_chars(digits.begin(), digits.end(), code, 16).ptr;
    at_ += static_cast<size_t>(end - digits.begin());
    return end - digits.begin() == 4 || expected("four hexadecimal digits after \\u");
  }

  bool read_escape(std::string& out) {
    static constexpr absl::string_view kNames = "\"\\/bfnrt";
    static constexpr absl::string_view kMeant = "\"\\/\b\f\n\r\t";
    const size_t simple = at_ < text_.size() ? kNames.find(text_[at_]) : absl::string_view::npos;
    if (simple != absl::string_view::npos) {
      out += kMeant[simple];
      ++at_;
      return true;
    }
    if (!take('u')) return expected("an escape: one of \"\\/bfnrtu");
    uint32_t code;
    if (!read_hex4(code)) return false;
    if (code >= 0xdc00 && code <= 0xdfff) return fail("expected no lone surrogate");
    if (code >= 0xd800 && code <= 0xdbff) {
      uint32_t low;
      if (!take('\\') || !take('u')) return fail("expected the second half of a surrogate pair");
      if (!read_hex4(low)) return false;
      if (low < 0xdc00 || low > 0xdfff) {
        return fail("expected the second half of a surrogate pair");
      }
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    append_utf8(out, code);
    return true;
  }

  bool read_string(std::string& out) {
    take('"');
    while (true) {
      const size_t start = at_;
      while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\') {
        if (is_plain(text_[at_]) && static_cast<unsigned char>(text_[at_]) < 0x80) {
          ++at_;
          continue;
        }
        if (static_cast<unsigned char>(text_[at_]) < 0x20) {
          return fail("expected no control character in a string");
        }
        const size_t length = utf8_length(text_.substr(at_));
        if (length == 0) return fail("expected UTF-8");
        at_ += length;
      }
      out.append(text_.data() + start, at_ - start);
      if (take('"')) return true;
      if (!take('\\')) return expected("'\"' to close the string");
      if (!read_escape(out)) return false;
    }
  }

  bool read_array(Json::Array& out, int depth) {
    if (depth > kMaxNesting) return too_deep();
    take('[');
    skip_space();
    if (take(']')) return true;
    do {
      skip_space();
      if (!read_value(out.emplace_back(), depth)) return false;
      skip_space();
    } while (take(','));
    return take(']') || expected("',' or ']'");
  }

  bool read_object(Json::Object& out, int depth) {
    if (depth > kMaxNesting) return too_deep();
    take('{');
    skip_space();
    if (take('}')) return true;
    do {
      skip_space();
      if (peek() != '"') return expected("a key in quotes");
      Member& member = out.emplace_back();
      if (!read_string(member.key)) return false;
      skip_space();
      if (!take(':')) return expected("':' after a key");
      skip_space();
      if (!read_value(member.value, depth)) return false;
      skip_space();
    } while (take(','));
    if (!take('}')) return expected("',' or '}'");
    drop_duplicates(out);
    return true;
  }

  static bool all_differ(const Json::Object& object) {
    for (size_t i = 1; i < object.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (object[i].key == object[j].key) return false;
      }
    }
    return true;
  }

  bool too_deep() {
    return fail(absl::StrCat("expected at most ", kMaxNesting, " nested arrays and objects"));
  }

  // Keeps only the first member of each name.
  void drop_duplicates(Json::Object& object) {
    if (object.size() <= kFew && all_differ(object)) return;
    std::unordered_set<std::string> keys;
    Json::Object kept;
    for (Member& member : object) {
      if (keys.insert(member.key).second) {
        kept.push_back(std::move(member));
      } else if (!duplicate_) {
        duplicate_ =
            absl::StrCat("expected each key once, found \"", shown(member.key, 40), "\" again");
      }
    }
    object = std::move(kept);
  }

  absl::string_view text_;
  size_t at_ = 0;
  std::string error_;
  std::optional<std::string> duplicate_;
};

void append_escaped(std::string& out, char c) {
  static constexpr absl::string_view kMeant = "\"\\\n\t\r", kNames = "\"\\ntr";
  const size_t name = kMeant.find(c);
  if (name != absl::string_view::npos) {
    absl::StrAppend(&out, "\\", kNames.substr(name, 1));
  } else {
    absl::StrAppend(&out, "\\u", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad4));
  }
}

struct Append {
  std::string& out;

  void operator()(Json::Null) const { out += "null"; }
  void operator()(bool truth) const { out += truth ? "true" : "false"; }
  void operator()(int64_t integer) const {
    std::array<char, 24> digits;
    const auto end = std::to_chars(digits.begin(), digits.end(), integer).ptr;
    out.append(digits.data(), static_cast<size_t>(end - digits.data()));
  }
  void operator()(const Json::Number& number) const { out += number.text; }
  void operator()(const std::string& text) const { append_text(out, absl::string_view(text)); }
  void operator()(const Json::Array& array) const {
    out += '[';
    for (size_t i = 0; i < array.size(); ++i) {
      if (i > 0) out += ',';
      append_text(out, array[i]);
    }
    out += ']';
  }
  void operator()(const Json::Object& object) const {
    out += '{';
    for (size_t i = 0; i < object.size(); ++i) {
      if (i > 0) out += ',';
      append_text(out, absl::string_view(object[i].key));
      out += ':';
      append_text(out, object[i].value);
    }
    out += '}';
  }
};

}  // namespace

void append_text(std::string& out, const Json& json) { std::visit(Append{out}, json.value); }

void append_text(std::string& out, absl::string_view text) {
  out += '"';
  while (!text.empty()) {
    const auto special = std::find_if_not(text.begin(), text.end(), is_plain);
    const auto plain = static_cast<size_t>(special - text.begin());
    out.append(text.data(), plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    append_escaped(out, text.front());
    text.remove_prefix(1);
  }
  out += '"';
}

// Defined here because Member is incomplete in the header. (Inlined, they also make g++ 12 warn of
// uninitialized alternatives.)
Json::Json(Number number) : value(std::move(number)) {}
Json::Json(const char* text) : value(std::string(text)) {}
Json::Json(absl::string_view text) : value(std::string(text)) {}
Json::Json(std::string text) : value(std::move(text)) {}
Json::Json(Array array) : value(std::move(array)) {}
Json::Json(Object object) : value(std::move(object)) {}
Json::Json() = default;
Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(const Json& other) = default;
Json& Json::operator=(Json&& other) noexcept = default;
Json::~Json() = default;

bool Json::is_null() const { return std::holds_alternative<Null>(value); }

Json::Json(const std::vector<int64_t>& integers) : value(Array(integers.begin(), integers.end())) {}

bool operator==(const Json& a, const Json& b) {
  const auto* object = a.as<Json::Object>();
  if (object == nullptr || b.as<Json::Object>() == nullptr) {
    if (a.value.index() != b.value.index()) return false;
    return std::visit(
        [&b](const auto& left) {
          using T = std::decay_t<decltype(left)>;
          if constexpr (std::is_same_v<T, Json::Object>) {
            return false;  // told apart above
          } else {
            return left == *b.as<T>();
          }
        },
        a.value);
  }
  if (object->size() != b.as<Json::Object>()->size()) return false;
  return std::all_of(object->begin(), object->end(), [&b](const Member& member) {
    const Json* other = find(b, member.key);
    return other != nullptr && member.value == *other;
  });
}

Json json_object(std::initializer_list<Member> members) { return Json(Json::Object(members)); }

const Json* find(const Json& json, absl::string_view key) {
  const auto* object = json.as<Json::Object>();
  if (object == nullptr) return nullptr;
  for (const Member& member : *object) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

bool is(const Json& object, absl::string_view key, const Json& value) {
  const Json* found = find(object, key);
  return found != nullptr && *found == value;
}

void set(Json& object, absl::string_view key, Json value) {
  auto* members = object.as<Json::Object>();
  if (members == nullptr) members = &object.value.emplace<Json::Object>();
  for (Member& member : *members) {
    if (member.key == key) {
      member.value = std::move(value);
      return;
    }
  }
  members->push_back({std::string(key), std::move(value)});
}

void remove(Json& object, absl::string_view key) {
  auto* members = object.as<Json::Object>();
  if (members == nullptr) return;
  std::erase_if(*members, [key](const Member& member) { return member.key == key; });
}

bool is_integer(const Json& json) {
  if (json.as<int64_t>() != nullptr) return true;
  const auto* number = json.as<Json::Number>();
  return number != nullptr && number->text.find_first_of(".eE") == std::string::npos;
}

absl::StatusOr<JsonText> read_json(absl::string_view text) { return Reader(text).read(); }

std::string to_text(const Json& json) {
  std::string out;
  append_text(out, json);
  return out;
}

std::optional<std::vector<int64_t>> integers(const Json& json) {
  const auto* array = json.as<Json::Array>();
  if (array == nullptr) return std::nullopt;
  std::vector<int64_t> result;
  for (const Json& item : *array) {
    const auto* integer = item.as<int64_t>();
    if (integer == nullptr) return std::nullopt;
    result.push_back(*integer);
  }
  return result;
}

std::optional<std::vector<int64_t>> find_integers(const Json& json, absl::string_view key) {
  const Json* value = find(json, key);
  return value == nullptr ? std::nullopt : integers(*value);
}

std::string shown(absl::string_view text, size_t most) {
  std::string out;
  for (char c : text.substr(0, most)) {
    if (absl::ascii_isprint(static_cast<unsigned char>(c))) {
      out += c;
    } else {
      absl::StrAppend(&out, "\\x", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
    }
  }
  if (text.size() > most) absl::StrAppend(&out, ".. (", text.size(), " bytes)");
  return out;
}

}  // namespace tileproof::conform
