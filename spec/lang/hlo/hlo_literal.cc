// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/hlo/hlo_literal.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "spec/lang/base/element_type.h"

namespace tileproof {
namespace {

bool is_integer_type(ElementType type) {
  return type >= ElementType::kS1 && type <= ElementType::kU64;
}
bool is_complex_type(ElementType type) {
  return type == ElementType::kC64 || type == ElementType::kC128;
}

struct Range {
  int64_t low, high;
};

// Nothing for predicates, for floating point, and for integers of 64 bits.
std::optional<Range> range_of(ElementType type) {
  const int bits = info(type).bits;
  const bool is_signed = type >= ElementType::kS1 && type <= ElementType::kS32;
  const bool is_unsigned = type >= ElementType::kU1 && type <= ElementType::kU32;
  if (is_signed) return Range{-(int64_t{1} << (bits - 1)), (int64_t{1} << (bits - 1)) - 1};
  if (is_unsigned) return Range{0, (int64_t{1} << bits) - 1};
  return std::nullopt;
}

bool is_integer(absl::string_view word) {
  absl::ConsumePrefix(&word, "-");
  return !word.empty() && std::ranges::all_of(word, absl::ascii_isdigit);
}

// Whether XLA reads a number of 64 bits here.
bool fits_64_bits(absl::string_view word) {
  absl::int128 value;
  return absl::SimpleAtoi(word, &value) && value >= INT64_MIN && value <= UINT64_MAX;
}

// `1`, `-1.5`, `1.e5`, `inf`, `-nan(0x7f)`, but not `.5`, `+1`, `0x10` or `infinity`.
bool is_floating_point(absl::string_view word) {
  absl::ConsumePrefix(&word, "-");
  if (word == "inf" || word == "nan") return true;
  if (absl::ConsumePrefix(&word, "nan(0x")) {
    return absl::ConsumeSuffix(&word, ")") && !word.empty() &&
           std::ranges::all_of(word, absl::ascii_isxdigit);
  }
  double value = 0;
  return !word.empty() && absl::ascii_isdigit(word[0]) && !absl::StartsWithIgnoreCase(word, "0x") &&
         absl::SimpleAtod(word, &value) && std::isfinite(value);
}

class LiteralChecker {
 public:
  explicit LiteralChecker(absl::string_view text) : text_(text) {}

  std::optional<LiteralError> run(const Shape& shape) {
    if (check(shape) && !at_end()) fail("the end of the literal");
    return std::move(error_);
  }

 private:
  bool fail(absl::string_view expected) {
    if (!error_) error_ = LiteralError{position_, absl::StrCat("expected ", expected)};
    return false;
  }

  // Moves to the next character that is neither white space nor in a comment.
  bool at_end() {
    while (position_ < text_.size()) {
      const absl::string_view rest = text_.substr(position_);
      const absl::string_view close = absl::StartsWith(rest, "/*")   ? "*/"
                                      : absl::StartsWith(rest, "//") ? "\n"
                                                                     : "";
      if (!close.empty()) {
        const size_t end = rest.find(close, 2);
        position_ = end == rest.npos ? text_.size() : position_ + end + close.size();
      } else if (absl::ascii_isspace(rest[0])) {
        ++position_;
      } else {
        return false;
      }
    }
    return true;
  }

  bool take(absl::string_view token) {
    if (at_end() || !absl::StartsWith(text_.substr(position_), token)) return false;
    position_ += token.size();
    return true;
  }

  // The run of characters up to white space, a comma, a brace or a parenthesis. `nan(0x7f)` is one
  // word.
  absl::string_view peek_word() {
    if (at_end()) return "";
    const absl::string_view rest = text_.substr(position_);
    size_t end = std::min(rest.find_first_of(" ,{}()/\t\n\r\f\v"), rest.size());
    if (absl::EndsWith(rest.substr(0, end), "nan") && end < rest.size() && rest[end] == '(') {
      end = std::min(rest.find(')', end), rest.size() - 1) + 1;
    }
    return rest.substr(0, end);
  }

  bool check(const Shape& shape) {
    if (shape.kind == Shape::Kind::kTuple) return check_tuple(shape);
    return check_array(shape.kind == Shape::Kind::kBuffer ? shape.parts[0] : shape);
  }

  bool check_tuple(const Shape& shape) {
    if (!take("(")) return fail("'(' to open a tuple");
    for (size_t k = 0; k < shape.parts.size(); ++k) {
      if (k > 0) take(",");
      if (!check(shape.parts[k])) return false;
    }
    return take(")") || fail("')' to close the tuple");
  }

  // Goes through the text of an array once. `seen[d]`: the parts so far of the open braces that are
  // d deep.
  bool check_array(const Shape& shape) {
    const size_t rank = shape.dimensions.size();
    std::vector<int64_t> seen(rank, 0);
    size_t depth = 0;
    do {
      if (depth < rank && take("{")) {
        if (depth > 0) ++seen[depth - 1];
        seen[depth++] = 0;
      } else if (take("}")) {
        --position_;  // errors name the brace
        if (depth == 0) return fail("a number before '}'");
        --depth;
        if (seen[depth] != shape.dimensions[depth].size) {
          return fail(absl::StrCat(shape.dimensions[depth].size, " parts, found ", seen[depth]));
        }
        ++position_;
      } else if (depth > 0 && take(",")) {
        continue;
      } else if (depth == 1 && take("...")) {
        seen[0] = shape.dimensions[0].size;
      } else {
        if (!check_element(shape.element_type)) return false;
        if (rank > 0) ++seen[rank - 1];
      }
    } while (depth > 0);
    return true;
  }

  bool check_element(ElementType type) {
    if (!is_complex_type(type)) return check_number(type);
    return (take("(") || fail("'(' to open a complex number")) && check_number(ElementType::kF64) &&
           (take(",") || fail("',' after the real part")) && check_number(ElementType::kF64) &&
           (take(")") || fail("')' to close the complex number"));
  }

  bool check_number(ElementType type) {
    const absl::string_view word = peek_word();
    const absl::string_view name = info(type).name;
    if (type == ElementType::kPred) {
      const bool is_predicate =
          word == "true" || word == "false" || (is_integer(word) && fits_64_bits(word));
      if (!is_predicate) return fail("true, false or an integer");
    } else if (is_integer_type(type)) {
      if (!is_integer(word) || !fits_64_bits(word)) return fail(absl::StrCat("integers of ", name));
      int64_t value = 0;
      const std::optional<Range> range = range_of(type);
      const bool fits =
          !range || (absl::SimpleAtoi(word, &value) && value >= range->low && value <= range->high);
      if (!fits) return fail(absl::StrCat("integers that fit ", name));
    } else if (!is_floating_point(word)) {
      return fail(absl::StrCat("a number of ", name));
    }
    position_ += word.size();
    return true;
  }

  absl::string_view text_;
  size_t position_ = 0;
  std::optional<LiteralError> error_;
};

// Whether the rules apply: every part is an array of known size.
bool is_written_out(const Shape& shape) {
  if (shape.kind != Shape::Kind::kArray) return std::ranges::all_of(shape.parts, is_written_out);
  return has_elements(shape.element_type) &&
         std::ranges::none_of(shape.dimensions, [](const Dimension& dimension) {
           return dimension.kind == Dimension::Kind::kUnbounded;
         });
}

}  // namespace

std::optional<LiteralError> literal_error(absl::string_view literal, const Shape& shape) {
  if (!is_written_out(shape)) return std::nullopt;
  return LiteralChecker(literal).run(shape);
}

std::string braced_literal(absl::Span<const std::string> elements, absl::Span<const int64_t> dims) {
  if (dims.empty()) return elements[0];
  if (dims.size() == 1) return absl::StrCat("{", absl::StrJoin(elements, ", "), "}");
  const size_t part = elements.size() / static_cast<size_t>(dims[0]);
  std::string text = "{ ";
  for (size_t i = 0; i < elements.size(); i += part) {
    absl::StrAppend(&text, i > 0 ? ", " : "",
                    braced_literal(elements.subspan(i, part), dims.subspan(1)));
  }
  return text + " }";
}

}  // namespace tileproof
