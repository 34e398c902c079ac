// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/layout/layout_algebra.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/layout/shape.h"

namespace tileproof {
namespace {

// `_`, or None of Python.
bool take_free(Cursor& cursor) {
  if (cursor.peek_identifier() == "None") return !cursor.take_identifier().empty();
  return cursor.take("_");
}

absl::StatusOr<Slicer> parse_part(Cursor& cursor, int level) {
  Slicer result;
  if (cursor.peek() == '(') {
    if (level == kMaxNesting) {
      return cursor.error_at(cursor.token_position(),
                             absl::StrCat("expected nesting of at most ", kMaxNesting));
    }
    cursor.take("(");
    result.kind = Slicer::Kind::kTuple;
    if (cursor.take(")")) return result;
    do {
      if (std::ssize(result.elements) == kMaxRank) {
        return cursor.error_at(cursor.token_position(),
                               absl::StrCat("expected at most ", kMaxRank, " elements in a tuple"));
      }
      result.elements.push_back(TRY(parse_part(cursor, level + 1)));
    } while (cursor.take(","));
    TRY(cursor.expect(")", "to close the tuple"));
    return result;
  }
  if (take_free(cursor)) return result;
  int64_t value = TRY(cursor.take_integer("'_', an integer or '('"));
  result.kind = Slicer::Kind::kFixed;
  result.value = value;
  return result;
}

// `4:1`, or `_` for no layout.
absl::StatusOr<std::optional<NestedLayout>> take_mode(Cursor& cursor) {
  if (take_free(cursor)) return std::nullopt;
  return TRY(parse_nested_layout(cursor));
}

// A tuple of integers and `_`.
std::optional<Tiler> tuple_with_free_modes(absl::string_view text) {
  const absl::StatusOr<Slicer> tuple = parse_slicer(text);
  if (!tuple.ok() || tuple->kind != Slicer::Kind::kTuple) return std::nullopt;
  Tiler tiler{.by_mode = true, .layouts = {}};
  for (const Slicer& element : tuple->elements) {
    if (element.kind == Slicer::Kind::kTuple) return std::nullopt;
    tiler.layouts.emplace_back();
    if (element.kind == Slicer::Kind::kFree) continue;
    if (element.value < 1) return std::nullopt;
    tiler.layouts.back() = {make_integer(element.value), make_integer(1)};
  }
  return tiler;
}

}  // namespace

absl::StatusOr<Tiler> parse_tiler(absl::string_view text) {
  Cursor cursor(text);
  Tiler tiler;
  if (cursor.take("<")) {
    tiler.by_mode = true;
    tiler.layouts =
        TRY(take_list<std::optional<NestedLayout>>(cursor, ">", "to close the tiler", take_mode));
  } else if (const absl::StatusOr<IntTuple> extents = parse_int_tuple(text);
             extents.ok() && depth(*extents) <= 1) {
    tiler.by_mode = extents->is_tuple;
    for (int64_t extent : leaves(*extents)) {
      if (extent < 1) return cursor.error_at(0, "expected a tiler of extents above 0");
      tiler.layouts.push_back(NestedLayout{make_integer(extent), make_integer(1)});
    }
    return tiler;
  } else if (std::optional<Tiler> with_free_modes = tuple_with_free_modes(text)) {
    return *std::move(with_free_modes);
  } else {
    tiler.layouts.push_back(TRY(parse_nested_layout(cursor)));
  }
  TRY(cursor.expect_end());
  return tiler;
}

absl::StatusOr<Slicer> parse_slicer(absl::string_view text) {
  return read_all<Slicer>(text, [](Cursor& cursor) { return parse_part(cursor, 0); });
}

absl::StatusOr<Swizzle> parse_swizzle(absl::string_view text) {
  return read_all<Swizzle>(text, [](Cursor& cursor) { return parse_swizzle(cursor); });
}

absl::StatusOr<Swizzle> parse_swizzle(Cursor& cursor) {
  const size_t start = cursor.token_position();
  const bool is_made = peek_word(cursor, '(') == "make_swizzle";
  const absl::string_view name = peek_template(cursor);
  if (!is_made && name != "Sw" && name != "S" && name != "Swizzle")
    return cursor.expected("a swizzle such as Sw<3,4,3>");
  take_word(cursor, is_made ? '(' : '<');
  Swizzle result;
  for (int64_t* field : {&result.bits, &result.base, &result.shift}) {
    if (field != &result.bits) TRY(cursor.expect(",", "and another integer"));
    const int64_t value = TRY(cursor.take_integer("an integer"));
    *field = value;
  }
  TRY(cursor.expect(is_made ? ")" : ">", "to close the swizzle"));
  if (cursor.take("{")) TRY(cursor.expect("}", "after '{'"));
  const absl::Status status = validate(result);
  if (!status.ok()) return cursor.error_at(start, status.message());
  return result;
}

std::string to_text(const Tiler& tiler) {
  const std::string modes = absl::StrJoin(
      tiler.layouts, ",",
      [](std::string* out, const auto& layout) { out->append(layout ? to_text(*layout) : "_"); });
  return tiler.by_mode ? absl::StrCat("<", modes, ">") : modes;
}

std::string to_text(const Slicer& slicer) {
  if (slicer.kind == Slicer::Kind::kFree) return "_";
  if (slicer.kind == Slicer::Kind::kFixed) return absl::StrCat(slicer.value);
  const auto add = [](std::string* out, const Slicer& part) { out->append(to_text(part)); };
  return absl::StrCat("(", absl::StrJoin(slicer.elements, ",", add), ")");
}

std::string to_text(const Slice& slice) {
  return absl::StrCat(slice.offset, " + ", to_text(slice.layout));
}

std::string to_text(const Swizzle& swizzle) {
  return absl::StrCat("Sw<", swizzle.bits, ",", swizzle.base, ",", swizzle.shift, ">");
}

absl::Status validate(const Swizzle& s) {
  constexpr int64_t kMost = 62;
  const bool small = s.bits >= 0 && s.base >= 0 && std::max({s.bits, s.base, s.shift}) <= kMost &&
                     s.shift >= -kMost;
  const int64_t shift = small && s.shift < 0 ? -s.shift : s.shift;
  if (small && s.bits <= shift && s.bits + s.base + shift <= kMost) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("expected 0 <= bits <= |shift|, base >= 0 and bits + base + |shift| <= ", kMost,
                   ", found ", to_text(s)));
}

NestedLayout concatenated(const std::vector<NestedLayout>& modes) {
  NestedLayout result{make_tuple({}), make_tuple({})};
  for (const NestedLayout& mode : modes) {
    result.shape.elements.push_back(mode.shape);
    result.stride.elements.push_back(mode.stride);
  }
  return result;
}

}  // namespace tileproof
