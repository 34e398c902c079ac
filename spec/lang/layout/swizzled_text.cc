// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/layout/swizzled_text.h"

#include <bit>
#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/nested_text.h"

namespace tileproof {
namespace {

// `[16b](unset)`, behind the name of a pointer: the bits of an element.
absl::StatusOr<int64_t> take_pointer(Cursor& cursor) {
  TRY(cursor.expect("[", "and the bits of an element after the pointer"));
  const size_t place = cursor.token_position(), length = cursor.rest().find(']');
  absl::string_view text = cursor.rest().substr(0, length);
  int64_t bits = 0;
  if (length == absl::string_view::npos || !absl::ConsumeSuffix(&text, "b") ||
      !absl::SimpleAtoi(text, &bits)) {
    return cursor.expected("the bits of an element and ']', such as 16b]");
  }
  cursor.set_position(place + length + 1);
  TRY(cursor.expect("(", "after the pointer"));
  if (cursor.peek_identifier() != "unset")
    return cursor.expected("'unset': a pointer of unknown value has no offset");
  cursor.take_identifier();
  TRY(cursor.expect(")", "after the pointer"));
  return bits;
}

// `0`, `_0`, `Int<0>`, `smem_ptr[16b](unset)` or `smem_ptr_flag_bits<16>`: where the layout starts.
absl::StatusOr<int64_t> take_start(Cursor& cursor, std::optional<int64_t>& pointer_bits) {
  const size_t place = cursor.token_position();
  if (peek_template(cursor) == "smem_ptr_flag_bits") {
    take_template(cursor);
    pointer_bits = TRY(cursor.take_integer("the bits of an element"));
    TRY(cursor.expect(">", "after the bits of an element"));
    return 0;
  }
  const absl::string_view name = cursor.peek_identifier();
  if (name == "smem_ptr" || name == "gmem_ptr" || name == "ptr") {
    cursor.take_identifier();
    pointer_bits = TRY(take_pointer(cursor));
    return 0;
  }
  const bool is_type = !peek_template(cursor).empty();
  take_template(cursor);
  cursor.take("_");
  const int64_t start = TRY(cursor.take_integer("an offset"));
  if (is_type) TRY(cursor.expect(">", "after an offset"));
  if (start >= 0) return start;
  return cursor.error_at(place, absl::StrCat("expected an offset of at least 0, found ", start));
}

// `ComposedLayout<Swizzle<3,4,3>, _0, Layout<..>>`, after the '<'.
absl::StatusOr<SwizzledLayout> take_composed(Cursor& cursor) {
  SwizzledLayout result;
  cursor.take("cute::");
  result.swizzle = TRY(parse_swizzle(cursor));
  TRY(cursor.expect(",", "after the swizzle"));
  const size_t place = cursor.token_position();
  result.start = TRY(take_start(cursor, result.pointer_bits));
  if (const absl::Status valid = validate(result); !valid.ok()) {
    return cursor.error_at(place, valid.message());
  }
  TRY(cursor.expect(",", "after the offset"));
  result.layout = TRY(parse_nested_layout(cursor));
  TRY(cursor.expect(">", "to close the layout"));
  return result;
}

absl::Status take_o(Cursor& cursor, absl::string_view why) {
  const size_t place = cursor.token_position();
  if (cursor.take_identifier() == "o") return absl::OkStatus();
  cursor.set_position(place);
  return cursor.expected(absl::StrCat("'o' ", why));
}

absl::StatusOr<SwizzledLayout> take_swizzled(Cursor& cursor) {
  if (peek_template(cursor) == "ComposedLayout") {
    take_template(cursor);
    return take_composed(cursor);
  }
  SwizzledLayout result;
  cursor.take("cute::");
  result.swizzle = TRY(parse_swizzle(cursor));
  const bool joined = absl::StartsWith(cursor.rest(), "_") && cursor.take("_");  // >_smem_ptr[16b]
  if (!joined) TRY(take_o(cursor, "after the swizzle"));
  // With two more parts, the first one is the start.
  const size_t place = cursor.token_position();
  const bool pointer = !cursor.peek_identifier().empty() && cursor.peek() != '_';
  const absl::StatusOr<int64_t> start = take_start(cursor, result.pointer_bits);
  if (!start.ok() && pointer) return start.status();
  if (start.ok() && cursor.peek_identifier() == "o") {
    result.start = *start;
    if (const absl::Status valid = validate(result); !valid.ok()) {
      return cursor.error_at(place, valid.message());
    }
    TRY(take_o(cursor, "after the offset"));
  } else {
    result.pointer_bits.reset();
    cursor.set_position(place);
  }
  result.layout = TRY(parse_nested_layout(cursor));
  return result;
}

}  // namespace

bool looks_like_swizzled_layout(absl::string_view text) {
  Cursor cursor(text);
  const absl::string_view name = peek_template(cursor);
  return name == "Sw" || name == "S" || name == "Swizzle" || name == "ComposedLayout";
}

absl::StatusOr<SwizzledLayout> parse_swizzled_layout(absl::string_view text) {
  return read_all<SwizzledLayout>(text, take_swizzled);
}

std::string to_text(const SwizzledLayout& layout) {
  const std::string start = layout.pointer_bits
                                ? absl::StrCat("smem_ptr[", *layout.pointer_bits, "b](unset)")
                                : absl::StrCat(layout.start);
  return absl::StrCat(to_text(layout.swizzle), " o ", start, " o ", to_text(layout.layout));
}

absl::Status validate(const SwizzledLayout& layout) {
  TRY(validate(layout.swizzle));
  if (layout.start < 0) return absl::InvalidArgumentError("expected a start of at least 0");
  if (!layout.pointer_bits) return absl::OkStatus();
  const int64_t bits = *layout.pointer_bits;
  if (layout.start != 0) return absl::InvalidArgumentError("expected a pointer or a start");
  if (bits < 1 || 256 % bits != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected elements whose bits divide 256, found ", bits));
  }
  // The address of a byte of an element is a multiple of 2^low; 2^shared elements are in one byte.
  const int64_t low = bits < 8 ? 0 : std::bit_width(static_cast<uint64_t>(bits) / 8) - 1;
  const int64_t shared = bits < 8 ? std::bit_width(8 / static_cast<uint64_t>(bits)) - 1 : 0;
  const auto [count, base, shift] = layout.swizzle;
  for (int64_t i = base; i < base + count; ++i) {
    if (i < low && i + shift >= low) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected a swizzle that moves whole elements of ", bits, " bits, found ",
                       to_text(layout.swizzle)));
    }
  }
  if (count + base + std::abs(shift) + shared > 62) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected bits + base + |shift| <= ", 62 - shared, " for elements of ", bits,
                     " bits, found ", to_text(layout.swizzle)));
  }
  return absl::OkStatus();
}

}  // namespace tileproof
