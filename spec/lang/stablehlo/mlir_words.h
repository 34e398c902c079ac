// SPDX-License-Identifier: Apache-2.0
// The words of MLIR: brackets, names, types, attributes. Private to stablehlo_reader.cc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/element_type.h"
#include "spec/lang/base/nearest.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/mlir_array.h"
#include "spec/lang/stablehlo/stablehlo.h"

namespace tileproof::stablehlo {

inline constexpr absl::string_view kAsked = "tileproof.function";

// What names stand for: `#map = affine_map<(d0) -> (d0)>`, one a line.
inline std::map<std::string, std::string, std::less<>> aliases_in(absl::string_view text) {
  std::map<std::string, std::string, std::less<>> aliases;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (!absl::StartsWith(line, "#")) continue;
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(line.substr(1), absl::MaxSplits(" = ", 1));
    if (parts.first == kAsked) aliases.emplace(kAsked, absl::StripPrefix(parts.second, "@"));
    for (const char* word : {"affine_map<", "affine_set<", "strided<"}) {
      if (absl::StartsWith(parts.second, word))
        aliases.emplace(parts.first, absl::StripAsciiWhitespace(parts.second));
    }
  }
  return aliases;
}

inline absl::Status expected_size(const Cursor& cursor, size_t place) {
  return cursor.error_at(
      place,
      "expected a size that is known, found '?'; a number in its place asks about that size");
}

inline bool is_name(char c) { return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '$'; }

class MlirWords {
 public:
  explicit MlirWords(absl::string_view text) : cursor_(text), aliases_(aliases_in(text)) {}

  // Names and values up to a closing character, which is taken; '\0': the end of the text.
  absl::StatusOr<Attributes> attributes_until(char close) {
    Attributes attributes;
    while (cursor_.peek() != close) {
      if (!attributes.empty()) TRY(cursor_.expect(",", "between attributes"));
      std::string key;
      if (cursor_.peek() == '"') {
        key = TRY(quoted());
      } else {
        key = std::string(cursor_.take_identifier());
      }
      if (key.empty()) return cursor_.expected("the name of an attribute");
      std::string text;
      if (cursor_.take("=")) {
        text = expanded(TRY(value()));
        if (cursor_.take(":")) TRY(value());  // `1 : i64`
      }
      attributes.emplace_back(std::move(key), std::move(text));
    }
    if (close != '\0') cursor_.set_position(cursor_.position() + 1);
    return attributes;
  }

 protected:
  bool take_word(absl::string_view word) {
    if (cursor_.peek_identifier() != word) return false;
    cursor_.take_identifier();
    return true;
  }

  void skip_line() {
    const size_t end = cursor_.rest().find('\n');
    cursor_.set_position(end == absl::string_view::npos ? cursor_.text().size()
                                                        : cursor_.position() + end);
  }

  // Takes one bracket with all inside, a string, or one other character.
  absl::Status balanced() {
    const size_t start = cursor_.token_position();
    std::string open;
    do {
      if (!cursor_.skip_space())
        return cursor_.error_at(start, "expected brackets that are closed");
      const char c = cursor_.rest()[0];
      size_t length = 1;
      if (c == '"') {
        while (length < cursor_.rest().size() && cursor_.rest()[length] != '"')
          length += cursor_.rest()[length] == '\\' ? 2 : 1;
        if (length >= cursor_.rest().size()) return cursor_.expected("'\"' to close the string");
        ++length;
      } else if (absl::StartsWith(cursor_.rest(), "->") ||
                 (!absl::EndsWith(open, ">") && absl::StartsWith(cursor_.rest(), ">="))) {
        length = 2;
      } else if (const size_t kind = absl::string_view("([{<").find(c);
                 kind != absl::string_view::npos) {
        open.push_back(")]}>"[kind]);
        if (std::ssize(open) > kMaxNesting) return cursor_.expected("brackets nested at most 1000");
      } else if (!open.empty() && c == open.back()) {
        open.pop_back();
      } else if (absl::string_view(")]}>").find(c) != absl::string_view::npos) {
        return cursor_.expected(open.empty()
                                    ? std::string("a value")
                                    : absl::StrCat("'", open.substr(open.size() - 1), "'"));
      }
      cursor_.set_position(cursor_.position() + length);
    } while (!open.empty());
    return absl::OkStatus();
  }

  absl::Status skip_location() {
    if (cursor_.peek_identifier() != "loc") return absl::OkStatus();
    cursor_.take_identifier();
    return balanced();
  }

  absl::Status skip_braces() { return cursor_.peek() == '{' ? balanced() : absl::OkStatus(); }

  // Takes the letters of a kind that come next, which may be none.
  template <class Is>
  absl::string_view run(Is is) {
    const absl::string_view rest = cursor_.rest();
    const size_t length =
        static_cast<size_t>(std::find_if_not(rest.begin(), rest.end(), is) - rest.begin());
    cursor_.set_position(cursor_.position() + length);
    return rest.substr(0, length);
  }

  // A string, without its quotes.
  absl::StatusOr<std::string> quoted() {
    const size_t start = cursor_.token_position();
    TRY(balanced());
    return std::string(cursor_.text().substr(start + 1, cursor_.position() - start - 2));
  }

  // One bracket with all inside, or a word.
  absl::StatusOr<std::string> taken() {
    const size_t start = cursor_.token_position();
    if (cursor_.take_identifier().empty()) TRY(balanced());
    return std::string(cursor_.text().substr(start, cursor_.position() - start));
  }

  // `#map`, `#linalg.elementwise_kind<add>`, `affine_map<..>`, `1`, `-1.0`, `[1, 0]`
  absl::StatusOr<std::string> item() {
    const size_t start = cursor_.token_position();
    const bool is_attribute = cursor_.take("#");
    if (!cursor_.take_identifier().empty() || is_attribute) {
      run([](char c) { return is_name(c); });
      if (absl::StartsWith(cursor_.rest(), "<")) TRY(balanced());
    } else if (run([](char c) { return is_name(c) || c == '-' || c == '+'; }).empty()) {
      TRY(balanced());
    }
    return expanded(cursor_.text().substr(start, cursor_.position() - start));
  }

  // One bracket with all inside. The values in it are operands.
  absl::StatusOr<std::string> bracket(Op& op) {
    const size_t start = cursor_.token_position();
    TRY(balanced());
    const std::string text = expanded(absl::StrReplaceAll(
        cursor_.text().substr(start, cursor_.position() - start), {{"#0", ""}}));
    for (size_t at = text.find('%'); at != std::string::npos; at = text.find('%', at + 1)) {
      const size_t end = static_cast<size_t>(
          std::find_if_not(text.begin() + static_cast<int64_t>(at) + 1, text.end(),
                           [](char c) { return is_name(c) || c == '#'; }) -
          text.begin());
      op.operands.emplace_back(text.substr(at + 1, end - at - 1));
    }
    return text;
  }

  // `%arg0`, without the '%'.
  absl::StatusOr<std::string> name() {
    TRY(cursor_.expect("%", "before the name of a value"));
    const absl::string_view name = run([](char c) { return is_name(c) || c == '-'; });
    if (name.empty()) return cursor_.expected("a name after '%'");
    return std::string(name);
  }

  absl::StatusOr<Operand> operand() {
    std::string result = TRY(name());
    if (!absl::StartsWith(cursor_.rest(), "#")) return Operand(std::move(result));
    cursor_.take("#");
    return Operand(result_name(result, TRY(cursor_.take_integer("the number of a result"))));
  }

  // `@main`, `@"a name"`.
  absl::StatusOr<std::string> symbol() {
    TRY(cursor_.expect("@", "before a name"));
    if (absl::StartsWith(cursor_.rest(), "\"")) return quoted();
    const absl::string_view name = run(is_name);
    if (name.empty()) return cursor_.expected("a name after '@'");
    return std::string(name);
  }

  // The text of a value, up to a comma, a closing bracket, a ':' or a '{' that follows something.
  absl::StatusOr<std::string> value() {
    const size_t start = cursor_.token_position();
    size_t end = start;
    while (cursor_.skip_space()) {
      const char next = cursor_.peek();
      if (absl::string_view(",)]}>:").find(next) != absl::string_view::npos) break;
      if (next == '{' && end != start) break;
      TRY(balanced());
      end = cursor_.position();
    }
    if (end == start) return cursor_.expected("a value");
    cursor_.set_position(end);
    return std::string(cursor_.text().substr(start, end - start));
  }

  // The text with the definitions of `#map`.
  std::string expanded(absl::string_view text) const {
    if (aliases_.empty()) return std::string(text);
    std::string result;
    while (!text.empty()) {
      const size_t begin = std::min(text.find('#'), text.size());
      absl::StrAppend(&result, text.substr(0, begin));
      text.remove_prefix(begin);
      const size_t length = static_cast<size_t>(
          std::find_if_not(text.begin() + (text.empty() ? 0 : 1), text.end(), is_name) -
          text.begin());
      const auto alias = aliases_.find(text.substr(std::min<size_t>(1, length), length - 1));
      absl::StrAppend(&result, alias == aliases_.end() ? text.substr(0, length) : alias->second);
      text.remove_prefix(length);
    }
    return result;
  }

  absl::StatusOr<Type> type() {
    if (cursor_.take("!")) {
      const size_t start = cursor_.token_position();
      const absl::string_view name = cursor_.take_identifier();
      if (name == "stablehlo.token" || name == "mhlo.token") return Type{"token[]", {}, {}};
      if (name == "stablehlo.future") {  // the value itself
        TRY(cursor_.expect("<", "after 'future'"));
        if (++depth_ > kMaxNesting) return cursor_.expected("types nested at most 1000");
        Type later = TRY(type());
        --depth_;
        TRY(cursor_.expect(">", "to close the future"));
        return later;
      }
      return cursor_.error_at(start, "expected a tensor, a tuple or a token");
    }
    const size_t start = cursor_.token_position();
    const absl::string_view word = cursor_.take_identifier();
    if (word == "tuple") {
      TRY(cursor_.expect("<", "after 'tuple'"));
      if (++depth_ > kMaxNesting) return cursor_.expected("types nested at most 1000");
      Type tuple;
      std::vector<std::string> parts;
      while (!cursor_.take(">")) {
        if (!parts.empty()) TRY(cursor_.expect(",", "or '>' in a tuple"));
        Type part = TRY(type());
        tuple.unknown = std::max(tuple.unknown, part.unknown);
        parts.push_back(std::move(part.shape));
      }
      --depth_;
      tuple.shape = absl::StrCat("(", absl::StrJoin(parts, ", "), ")");
      return tuple;
    }
    if (word == "index") return tensor_of(ElementType::kS64, {});
    if (const auto scalar = element_type_of_mlir(word)) return tensor_of(*scalar, {});
    if (word != "tensor" && word != "memref" && word != "vector")
      return cursor_.error_at(start, "expected a tensor, a tuple or a token");
    const size_t open = cursor_.token_position();
    TRY(cursor_.expect("<", absl::StrCat("after '", word, "'")));
    Type result;
    const size_t sizes = cursor_.token_position();
    TRY(take_mlir_dims(cursor_, /*unknown_sizes=*/true, result.dims));
    const bool has_unknown = std::ranges::count(result.dims, kUnknownSize) > 0;
    const size_t place = has_unknown ? cursor_.text().find('?', sizes) : 0;
    const bool is_quantized = cursor_.take("!quant.uniform<");
    const size_t at = cursor_.position();
    cursor_.take_identifier();
    if (cursor_.peek() == '<' && !is_quantized) TRY(balanced());
    const absl::string_view element =
        absl::StripAsciiWhitespace(cursor_.text().substr(at, cursor_.position() - at));
    result.element =
        element == "index" ? std::optional(ElementType::kS64) : element_type_of_mlir(element);
    if (!result.element) {
      return cursor_.error_at(
          at, absl::StrCat("expected an element type that XLA has, found '",
                           absl::Utf8SafeCEscape(element.substr(0, 64)), "'",
                           did_you_mean(element, {"f32", "bf16", "f16", "f64", "i32", "i64", "i16",
                                                  "i8", "i1", "ui32", "ui64", "ui8"})));
    }
    while (is_quantized && !cursor_.take(">")) {
      if (!cursor_.skip_space()) return cursor_.expected("'>' to close the element type");
      TRY(balanced());
    }
    if (is_quantized)
      result.quantized = std::string(cursor_.text().substr(at, cursor_.position() - 1 - at));
    if (word != "memref") {
      TRY(bounds(result, place));
      TRY(cursor_.expect(">", absl::StrCat("to close the ", word)));
      return result;
    }
    if (place > 0) return expected_size(cursor_, place);
    cursor_.set_position(open);
    TRY(balanced());
    result = tensor_of(*result.element, std::move(result.dims));
    result.memref =
        absl::StrCat("memref", expanded(cursor_.text().substr(open, cursor_.position() - open)));
    return result;
  }

  // An encoding, which may have bounds of the sizes: `, #stablehlo.bounds<?, 8>`.
  absl::Status bounds(Type& type, size_t place) {
    std::vector<int64_t> known;
    if (cursor_.take(",")) {
      Cursor encoding(cursor_.text());
      encoding.set_position(cursor_.token_position());
      TRY(value());
      if (encoding.take("#stablehlo.bounds<") ||
          encoding.take("#mhlo.type_extensions<bounds = [")) {
        do {
          known.push_back(encoding.take("?") ? kUnknownSize
                                             : TRY(encoding.take_integer("a bound")));
        } while (encoding.take(","));
      }
    }
    std::vector<std::string> sizes;
    for (size_t d = 0; d < type.dims.size(); ++d) {
      const bool is_bounded = type.dims[d] == kUnknownSize;
      if (is_bounded && (d >= known.size() || known[d] < 0)) {
        type.unknown = place;
      } else if (is_bounded) {
        type.dims[d] = known[d];
      }
      sizes.push_back(absl::StrCat(is_bounded ? "<=" : "", type.dims[d]));
    }
    type.shape =
        absl::StrCat(std::string(info(*type.element).name), "[", absl::StrJoin(sizes, ","), "]");
    return absl::OkStatus();
  }

  // `(T, T {..})`, or one T.
  absl::Status types(std::vector<Type>& types, std::vector<Attributes>* of_types = nullptr) {
    if (!cursor_.take("(")) {
      types.push_back(TRY(type()));
      return absl::OkStatus();
    }
    while (!cursor_.take(")")) {
      if (!types.empty()) TRY(cursor_.expect(",", "or ')' after a type"));
      types.push_back(TRY(type()));
      Attributes found = TRY(shardings());
      if (of_types != nullptr) of_types->push_back(std::move(found));
      TRY(skip_location());
    }
    return absl::OkStatus();
  }

  // Of `{jax.result_info = "", sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}`, if it is there.
  absl::StatusOr<Attributes> shardings() {
    const size_t start = cursor_.token_position();
    TRY(skip_braces());
    const absl::string_view text = cursor_.text().substr(start, cursor_.position() - start);
    if (!absl::StrContains(text, ".sharding")) return Attributes();
    cursor_.set_position(start + 1);
    Attributes all = TRY(attributes_until('}'));
    std::erase_if(all, [](const auto& one) { return !absl::EndsWith(one.first, ".sharding"); });
    return all;
  }

  // `(%a: T, %b: T)`
  absl::StatusOr<std::vector<Argument>> arguments() {
    std::vector<Argument> result;
    TRY(cursor_.expect("(", "to open arguments"));
    while (!cursor_.take(")")) {
      if (!result.empty()) TRY(cursor_.expect(",", "or ')' after an argument"));
      Argument argument{TRY(name()), {}};
      TRY(cursor_.expect(":", "after an argument"));
      argument.type = TRY(type());
      argument.shardings = TRY(shardings());
      TRY(skip_location());
      result.push_back(std::move(argument));
    }
    return result;
  }

  Cursor cursor_;
  std::map<std::string, std::string, std::less<>> aliases_;
  int depth_ = 0;
};

}  // namespace tileproof::stablehlo
