// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/map/mlir_array.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/base/nearest.h"
#include "spec/lang/base/try.h"

namespace tileproof {
namespace {

constexpr size_t kMaxMlirRank = 64;

absl::Status not_known_size(const absl::Status& expected) {
  return absl::FailedPreconditionError(expected.message());
}

// Whether the word is a type of MLIR's builtin dialect: f32, bf16, i1, si8, f8E4M3FN, index, ..
bool is_builtin_type(absl::string_view word) {
  static constexpr absl::string_view kWords[] = {"bf16",   "complex", "f128",  "f16",    "f32",
                                                 "f64",    "f80",     "index", "memref", "none",
                                                 "tensor", "tf32",    "tuple", "vector"};
  if (std::ranges::find(kWords, word) != std::end(kWords)) return true;
  const absl::string_view letters = word.substr(0, word.find_first_of("0123456789"));
  const absl::string_view rest = word.substr(letters.size());
  const bool is_number = !rest.empty() && std::ranges::all_of(rest, absl::ascii_isdigit);
  if (letters == "i" || letters == "si" || letters == "ui") return is_number && rest[0] != '0';
  // f8E5M2, f8E4M3FN, f6E2M3FN, f4E2M1FN: a number with an exponent and a mantissa.
  return letters == "f" && rest.size() >= 5 &&
         (rest[0] == '8' || rest[0] == '6' || rest[0] == '4') && rest[1] == 'E' &&
         absl::ascii_isdigit(rest[2]) && rest[3] == 'M' && absl::ascii_isdigit(rest[4]);
}

// The bits of `f32`, `bf16`, `i8`, `ui16`, `f8E4M3FN`; nothing for other words, and below a byte.
std::optional<int64_t> bits_of(absl::string_view type) {
  size_t first = 0;
  while (first < type.size() && absl::ascii_isalpha(type[first])) ++first;
  size_t end = first;
  while (end < type.size() && absl::ascii_isdigit(type[end])) ++end;
  const absl::string_view letters = type.substr(0, first);
  int64_t bits;
  if (letters != "f" && letters != "bf" && letters != "tf" && letters != "i" && letters != "si" &&
      letters != "ui") {
    return std::nullopt;
  }
  if (!absl::SimpleAtoi(type.substr(first, end - first), &bits)) return std::nullopt;
  return bits >= 8 && bits % 8 == 0 ? std::optional(bits) : std::nullopt;
}

// An element type: a word, `vector<4xf32>`, `complex<f32>`, `!dialect.type`.
absl::Status take_element(Cursor& cursor, MlirArray& array) {
  const size_t start = cursor.token_position();
  const bool is_foreign = cursor.take("!");
  const absl::string_view type = cursor.take_identifier();
  if (type.empty()) return cursor.expected("an element type");
  if (!is_foreign && !is_builtin_type(type)) {
    return cursor.error_at(
        start, absl::StrCat("expected an element type of MLIR, found '", type.substr(0, 64), "'",
                            did_you_mean(type, {"f32", "bf16", "f16", "f64", "f8E5M2", "f8E4M3FN",
                                                "i32", "i64", "i8", "i1", "index", "vector"})));
  }
  if (!is_foreign) array.element_bits = bits_of(type);
  int depth = 0;
  while (cursor.peek() == '<' || depth > 0) {
    const char next = cursor.peek();
    if (next == '\0') return cursor.expected("'>' to close the element type");
    if (next == '<') ++depth;
    if (next == '>') --depth;
    cursor.set_position(cursor.position() + 1);
  }
  array.element_type = std::string(cursor.text().substr(start, cursor.position() - start));
  return absl::OkStatus();
}

}  // namespace

absl::Status take_mlir_dims(Cursor& cursor, bool unknown_sizes, Dims& dims) {
  cursor.skip_space();
  while (true) {
    const absl::string_view rest = cursor.rest();
    const bool is_unknown = absl::StartsWith(rest, "?");
    if (is_unknown && !unknown_sizes)
      return not_known_size(cursor.expected("a size that is known"));
    size_t digits = is_unknown ? 1 : 0;
    while (digits < rest.size() && absl::ascii_isdigit(rest[digits])) ++digits;
    if (digits == 0) return absl::OkStatus();
    if (digits == rest.size() || rest[digits] != 'x') return cursor.expected("a size and 'x'");
    Cursor number(rest.substr(0, digits));
    const absl::StatusOr<int64_t> size = is_unknown ? kUnknownSize : number.take_integer("a size");
    if (!size.ok()) return cursor.expected("a size within 64 signed bits");
    dims.push_back(*size);
    if (dims.size() > kMaxMlirRank) return cursor.expected("at most 64 dimensions");
    cursor.set_position(cursor.position() + digits + 1);
  }
}

absl::StatusOr<MlirArray> take_mlir_array(Cursor& cursor, bool unknown_sizes) {
  MlirArray array;
  TRY(take_mlir_dims(cursor, unknown_sizes, array.dims));
  if (absl::StartsWith(cursor.rest(), "*"))
    return not_known_size(cursor.expected("a memref whose rank is known"));
  TRY(take_element(cursor, array));
  return array;
}

}  // namespace tileproof
