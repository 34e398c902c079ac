// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/layout/swizzled_text.h"

#include <bit>
#include <cstdlib>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/element_type.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/nested_text.h"

namespace tileproof {
namespace {

// `smem_ptr[16b](unset)` or `gmem_ptr[32b](0x7f00)`: the bits of an element, and the address.
struct Pointer {
  bool is_shared = false;
  int64_t bits = 0;
  std::optional<uint64_t> address = {};
};

bool is_pointer(absl::string_view name) { return name == "ptr" || absl::EndsWith(name, "mem_ptr"); }

absl::StatusOr<Pointer> take_pointer(Cursor& cursor) {
  Pointer pointer{.is_shared = cursor.take_identifier() == "smem_ptr"};
  TRY(cursor.expect("[", "and the bits of an element after the pointer"));
  const size_t place = cursor.token_position(), length = cursor.rest().find(']');
  absl::string_view text = cursor.rest().substr(0, length);
  if (length == absl::string_view::npos || !absl::ConsumeSuffix(&text, "b") ||
      !absl::SimpleAtoi(text, &pointer.bits)) {
    return cursor.expected("the bits of an element and ']', such as 16b]");
  }
  cursor.set_position(place + length + 1);
  TRY(cursor.expect("(", "after the pointer"));
  const size_t value = cursor.token_position(), end = cursor.rest().find(')');
  const absl::string_view address = cursor.rest().substr(0, end);
  uint64_t number = 0;
  if (absl::StartsWith(address, "0x") && absl::SimpleHexAtoi(address, &number)) {
    pointer.address = number;
  } else if (address != "unset") {
    return cursor.expected("'unset' or an address such as 0x400");
  }
  cursor.set_position(value + address.size());
  TRY(cursor.expect(")", "after the pointer"));
  return pointer;
}

// `0`, `_0`, `Int<0>`, `smem_ptr[16b](unset)` or `smem_ptr_flag_bits<16>`: where the layout starts.
// An address changes nothing if no bit that the swizzle reads or writes is set in it.
absl::StatusOr<int64_t> take_start(Cursor& cursor, const Swizzle& swizzle,
                                   std::optional<int64_t>& pointer_bits) {
  const size_t place = cursor.token_position();
  if (peek_template(cursor) == "smem_ptr_flag_bits") {
    take_template(cursor);
    pointer_bits = TRY(cursor.take_integer("the bits of an element"));
    TRY(cursor.expect(">", "after the bits of an element"));
    return 0;
  }
  if (is_pointer(cursor.peek_identifier())) {
    const Pointer pointer = TRY(take_pointer(cursor));
    pointer_bits = pointer.bits;
    const int64_t period = swizzle.bits + swizzle.base + std::abs(swizzle.shift);
    if (pointer.address.value_or(0) % (uint64_t{1} << period) == 0) return 0;
    return cursor.error_at(place, absl::StrCat("expected an address that is a multiple of 2^",
                                               period, ", as the swizzle acts on addresses"));
  }
  const bool is_type = !peek_template(cursor).empty();
  take_template(cursor);
  cursor.take("_");
  const int64_t start = TRY(cursor.take_integer("an offset"));
  if (is_type) TRY(cursor.expect(">", "after an offset"));
  if (start >= 0) return start;
  return cursor.error_at(place, absl::StrCat("expected an offset of at least 0, found ", start));
}

// `ComposedLayout<Swizzle<3,4,3>, _0, Layout<..>>`, `make_composed_layout(make_swizzle(3,4,3), 0, ..)`,
// or, without an offset, `composition(Swizzle<3,4,3>{}, ..)`.
absl::StatusOr<SwizzledLayout> take_composed(Cursor& cursor, bool is_type) {
  SwizzledLayout result;
  const bool has_start = peek_word(cursor, '(') != "composition";
  take_word(cursor, is_type ? '<' : '(');
  result.swizzle = TRY(parse_swizzle(cursor));
  TRY(cursor.expect(",", "after the swizzle"));
  if (has_start) {
    const size_t place = cursor.token_position();
    result.start = TRY(take_start(cursor, result.swizzle, result.pointer_bits));
    if (const absl::Status valid = validate(result); !valid.ok()) {
      return cursor.error_at(place, valid.message());
    }
    TRY(cursor.expect(",", "after the offset"));
  }
  result.layout = TRY(parse_nested_layout(cursor));
  TRY(cursor.expect(is_type ? ">" : ")", "to close the layout"));
  return result;
}

bool is_composer(absl::string_view name) {
  return name == "composition" || name == "make_composed_layout";
}

// `f16, smem, align<128>, S<3,4,3>`: what the CuTe DSL says of a pointer.
struct Said {
  int64_t bits = 0;  // 0: unknown
  bool is_shared = false;
  Swizzle swizzle = {0, 4, 3};
};

absl::StatusOr<Said> take_said(Cursor& cursor) {
  Said said;
  do {
    const absl::string_view type = peek_template(cursor);
    if (type == "S") {
      said.swizzle = TRY(parse_swizzle(cursor));
    } else if (type == "align") {
      take_template(cursor);
      TRY(cursor.take_integer("an alignment"));
      TRY(cursor.expect(">", "after the alignment"));
    } else if (const absl::string_view word = cursor.take_identifier(); word == "smem") {
      said.is_shared = true;
    } else if (const auto element = element_type_of_mlir(word)) {
      said.bits = info(*element).bits;
    }
  } while (cursor.take(","));
  return said;
}

// `<ptr<` of the type of a tensor, or `(raw_ptr(` of a printed one.
bool is_dsl_pointer(Cursor& cursor) {
  return (cursor.take("<") && peek_template(cursor) == "ptr") ||
         (cursor.take("(") && peek_word(cursor, '(') == "raw_ptr");
}

absl::Status take_o(Cursor& cursor, absl::string_view why) {
  const size_t place = cursor.token_position();
  if (cursor.take_identifier() == "o") return absl::OkStatus();
  cursor.set_position(place);
  return cursor.expected(absl::StrCat("'o' ", why));
}

}  // namespace

absl::StatusOr<SwizzledLayout> parse_swizzled_layout(Cursor& cursor) {
  const bool is_type = peek_template(cursor) == "ComposedLayout";
  if (is_type || is_composer(peek_word(cursor, '('))) return take_composed(cursor, is_type);
  SwizzledLayout result;
  result.swizzle = TRY(parse_swizzle(cursor));
  const bool joined = absl::StartsWith(cursor.rest(), "_") && cursor.take("_");  // >_smem_ptr[16b]
  if (!joined) TRY(take_o(cursor, "after the swizzle"));
  // With two more parts, the first one is the start.
  const size_t place = cursor.token_position();
  const bool pointer = !cursor.peek_identifier().empty() && cursor.peek() != '_';
  const absl::StatusOr<int64_t> start = take_start(cursor, result.swizzle, result.pointer_bits);
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

bool looks_like_swizzled_layout(absl::string_view text) {
  Cursor cursor(text);
  const absl::string_view name = peek_template(cursor);
  return name == "Sw" || name == "S" || name == "Swizzle" || name == "ComposedLayout" ||
         is_composer(peek_word(cursor, '('));
}

absl::StatusOr<SwizzledLayout> parse_swizzled_layout(absl::string_view text) {
  return read_all<SwizzledLayout>(text, [](Cursor& at) { return parse_swizzled_layout(at); });
}

bool looks_like_tensor(absl::string_view text) {
  Cursor cursor(text);
  if (absl::StartsWith(cursor.rest().substr(cursor.token_position()), "!cute.")) return true;
  const absl::string_view name = cursor.take_identifier();
  return name == "tensor" ? is_dsl_pointer(cursor) : is_pointer(name) && cursor.peek() == '[';
}

absl::StatusOr<std::variant<NestedLayout, SwizzledLayout>> parse_tensor(absl::string_view text) {
  Cursor cursor(text);
  Said said;
  absl::string_view close;
  if (cursor.take("!cute.")) {
    const bool has_pointer = cursor.take_identifier() == "memref";
    TRY(cursor.expect("<", "after the type"));
    if (has_pointer) said = TRY(take_said(cursor));
    TRY(cursor.expect("\"", "before the layout"));
    close = "\"";
  } else if (cursor.peek_identifier() == "tensor") {
    cursor.take_identifier();
    const bool is_type = cursor.take("<");
    if (!is_type) cursor.take("(");
    take_word(cursor, is_type ? '<' : '(');
    if (const size_t colon = cursor.rest().find(':'); !is_type && colon != absl::string_view::npos)
      cursor.set_position(cursor.position() + colon + 1);  // 0x7f00: f32
    said = TRY(take_said(cursor));
    close = is_type ? ">" : ")";
    TRY(cursor.expect(close, "to close the pointer"));
    TRY(take_o(cursor, "after the pointer"));
  } else {
    const Pointer pointer = TRY(take_pointer(cursor));
    said.is_shared = pointer.is_shared;
    said.bits = pointer.bits;
    TRY(take_o(cursor, "after the pointer"));
  }
  std::variant<NestedLayout, SwizzledLayout> result;
  if (looks_like_swizzled_layout(cursor.rest())) {
    result = TRY(parse_swizzled_layout(cursor));
  } else {
    NestedLayout layout = TRY(parse_nested_layout(cursor));
    const bool is_shared = said.is_shared && said.bits > 0;
    if (is_shared) result = SwizzledLayout{said.swizzle, 0, std::move(layout), said.bits};
    if (!is_shared) result = std::move(layout);
  }
  if (close == ")" && cursor.take(",")) return result;  // the values of its elements follow
  if (!close.empty()) TRY(cursor.expect(close, "after the layout"));
  if (close == "\"") TRY(cursor.expect(">", "to close the type"));
  TRY(cursor.expect_end());
  return result;
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
