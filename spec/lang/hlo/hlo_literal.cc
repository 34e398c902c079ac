// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/hlo/hlo_literal.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "spec/lang/base/cursor.h"
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
  explicit LiteralChecker(absl::string_view text) : cursor_(text) {}

  std::optional<LiteralError> run(const Shape& shape) {
    if (check(shape) && cursor_.skip_space()) fail("the end of the literal");
    return std::move(error_);
  }

 private:
  bool fail(absl::string_view expected) {
    if (!error_) error_ = LiteralError{cursor_.position(), absl::StrCat("expected ", expected)};
    return false;
  }

  // The run of characters up to white space, a comma, a brace or a parenthesis. `nan(0x7f)` is one
  // word.
  absl::string_view peek_word() {
    if (!cursor_.skip_space()) return "";
    const absl::string_view rest = cursor_.rest();
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
    if (!cursor_.take("(")) return fail("'(' to open a tuple");
    for (size_t k = 0; k < shape.parts.size(); ++k) {
      if (k > 0) cursor_.take(",");
      if (!check(shape.parts[k])) return false;
    }
    return cursor_.take(")") || fail("')' to close the tuple");
  }

  // Goes through the text of an array once. `seen[d]`: the parts so far of the open braces that are
  // d deep.
  bool check_array(const Shape& shape) {
    const size_t rank = shape.dimensions.size();
    std::vector<int64_t> seen(rank, 0);
    size_t depth = 0;
    do {
      if (depth < rank && cursor_.take("{")) {
        if (depth > 0) ++seen[depth - 1];
        seen[depth++] = 0;
      } else if (cursor_.take("}")) {
        const size_t behind = cursor_.position();
        cursor_.set_position(behind - 1);  // errors name the brace
        if (depth == 0) return fail("a number before '}'");
        --depth;
        if (seen[depth] != shape.dimensions[depth].size) {
          return fail(absl::StrCat(shape.dimensions[depth].size, " parts, found ", seen[depth]));
        }
        cursor_.set_position(behind);
      } else if (depth > 0 && cursor_.take(",")) {
        continue;
      } else if (depth == 1 && cursor_.take("...")) {
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
    return (cursor_.take("(") || fail("'(' to open a complex number")) &&
           check_number(ElementType::kF64) &&
           (cursor_.take(",") || fail("',' after the real part")) &&
           check_number(ElementType::kF64) &&
           (cursor_.take(")") || fail("')' to close the complex number"));
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
    cursor_.set_position(cursor_.position() + word.size());
    return true;
  }

  Cursor cursor_;
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

std::vector<uint64_t> numbers_of_bytes(absl::string_view bytes, int64_t width) {
  std::vector<uint64_t> numbers;
  const auto size = static_cast<size_t>(width);
  for (size_t end = size; end <= bytes.size(); end += size) {
    uint64_t number = 0;
    for (size_t b = 1; b <= size; ++b) number = number << 8 | static_cast<uint8_t>(bytes[end - b]);
    numbers.push_back(number);
  }
  return numbers;
}

std::string float_text(double value) { return absl::StrFormat("%.17g", value); }

namespace {

// The bits of a floating-point type. The largest exponent is of infinities and NaNs as IEEE 754 has
// them; or it has one NaN, its largest number; or only -0 is one, or there is none. A type of powers of
// two has neither sign nor mantissa.
struct BitFormat {
  int exponent = 0, mantissa = 0, bias = 0;
  enum { kIeee, kOneNan, kNegativeZeroIsNan, kFinite, kPowers } special = kIeee;
};

constexpr std::pair<ElementType, BitFormat> kFormats[] = {
    {ElementType::kF16, {5, 10, 15}},
    {ElementType::kBF16, {8, 7, 127}},
    {ElementType::kF32, {8, 23, 127}},
    {ElementType::kF64, {11, 52, 1023}},
    {ElementType::kF8E5M2, {5, 2, 15}},
    {ElementType::kF8E4M3, {4, 3, 7}},
    {ElementType::kF8E3M4, {3, 4, 3}},
    {ElementType::kF8E4M3FN, {4, 3, 7, BitFormat::kOneNan}},
    {ElementType::kF8E4M3B11FNUZ, {4, 3, 11, BitFormat::kNegativeZeroIsNan}},
    {ElementType::kF8E5M2FNUZ, {5, 2, 16, BitFormat::kNegativeZeroIsNan}},
    {ElementType::kF8E4M3FNUZ, {4, 3, 8, BitFormat::kNegativeZeroIsNan}},
    {ElementType::kF4E2M1FN, {2, 1, 1, BitFormat::kFinite}},
    {ElementType::kF6E2M3FN, {2, 3, 1, BitFormat::kFinite}},
    {ElementType::kF6E3M2FN, {3, 2, 3, BitFormat::kFinite}},
    {ElementType::kF8E8M0FNU, {8, 0, 127, BitFormat::kPowers}},
};

// The number of which the lower bits are these.
double number_of(uint64_t bits, const BitFormat& format) {
  if (format.special == BitFormat::kPowers) {
    return bits == 255 ? std::nan("") : std::ldexp(1.0, static_cast<int>(bits) - format.bias);
  }
  const uint64_t mantissa = bits & ((uint64_t{1} << format.mantissa) - 1);
  const uint64_t most = (uint64_t{1} << format.exponent) - 1;
  const uint64_t exponent = bits >> format.mantissa & most;
  const bool is_negative = (bits >> (format.mantissa + format.exponent) & 1) != 0;
  const bool is_last = exponent == most;
  const bool is_all = is_last && mantissa == (uint64_t{1} << format.mantissa) - 1;
  const bool is_nan =
      (format.special == BitFormat::kIeee && is_last && mantissa != 0) ||
      (format.special == BitFormat::kOneNan && is_all) ||
      (format.special == BitFormat::kNegativeZeroIsNan && is_negative && exponent + mantissa == 0);
  if (is_nan) return std::nan("");
  double value =
      std::ldexp(static_cast<double>(mantissa), -format.mantissa) + (exponent > 0 ? 1 : 0);
  value = std::ldexp(value, static_cast<int>(std::max<uint64_t>(exponent, 1)) - format.bias);
  if (format.special == BitFormat::kIeee && is_last)
    value = std::numeric_limits<double>::infinity();
  return is_negative ? -value : value;
}

}  // namespace

std::string element_of_bits(uint64_t bits, ElementType type) {
  if (type == ElementType::kPred) return bits != 0 ? "true" : "false";
  const auto* const row =
      std::ranges::find(kFormats, type, &std::pair<ElementType, BitFormat>::first);
  if (row != std::end(kFormats)) return float_text(number_of(bits, row->second));
  const int unused = 64 - info(type).bits;
  if (type >= ElementType::kU1) return absl::StrCat(bits << unused >> unused);
  return absl::StrCat(static_cast<int64_t>(bits << unused) >> unused);
}

std::string braces(absl::Span<const int64_t> numbers) {
  return absl::StrCat("{", absl::StrJoin(numbers, ","), "}");
}

std::string word_of_hlo(absl::string_view name) {
  std::string word;
  for (const char c : name)
    word.push_back(absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '-' ? c : '_');
  const bool begins = !word.empty() && (absl::ascii_isalpha(word[0]) || word[0] == '_');
  return begins ? word : absl::StrCat("v", word);
}

std::string unique_word(std::string word, std::set<std::string>& taken) {
  const std::string base = word;
  for (int64_t i = 1; !taken.insert(word).second; ++i) word = absl::StrCat(base, ".", i);
  return word;
}

}  // namespace tileproof
