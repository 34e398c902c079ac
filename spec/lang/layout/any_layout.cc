// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/layout/any_layout.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/element_type.h"
#include "spec/lang/base/nearest.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/blocked_text.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/layout/shared_memory_text.h"
#include "spec/lang/layout/ttg_text.h"
#include "spec/lang/layout/vpad_text.h"
#include "spec/lang/map/expr_text.h"
#include "spec/lang/map/map_text.h"

namespace tileproof {
namespace {

// For `bf16[30,200] (8,128)(2,1)`, tiles without the braces of a layout: the shape that was
// probably meant. Empty for other texts.
std::string with_braces(absl::string_view text) {
  const size_t dims = text.find(']');
  if (dims == absl::string_view::npos) return "";
  absl::string_view tiles = absl::StripAsciiWhitespace(text.substr(dims + 1));
  absl::ConsumePrefix(&tiles, "T");
  const absl::StatusOr<Shape> array = parse_shape(text.substr(0, dims + 1));
  if (!absl::StartsWith(tiles, "(") || !array.ok() || array->layout) return "";
  std::string order;
  for (size_t d = array->dimensions.size(); d-- > 0;) absl::StrAppend(&order, d, d > 0 ? "," : "");
  const std::string meant = absl::StrCat(to_text(*array), "{", order, ":T", tiles, "}");
  return parse_shape(meant).ok() ? meant : "";
}

// `f32[3,5] strides=(20,4)`: an array of NumPy, as the memref of the same strides.
absl::StatusOr<MemRef> parse_byte_strides(absl::string_view text) {
  Cursor cursor(text);
  const Shape array = TRY(parse_shape(cursor));
  const bool is_fixed = std::ranges::all_of(
      array.dimensions, [](const Dimension& d) { return d.kind == Dimension::Kind::kFixed; });
  if (array.kind != Shape::Kind::kArray || array.layout || !is_fixed) {
    return cursor.error_at(0, "expected an array of known sizes without a layout before strides");
  }
  if (cursor.take_identifier() != "strides") return cursor.error_at(0, "expected 'strides'");
  TRY(cursor.expect("=", "after 'strides'"));
  TRY(cursor.expect("(", "to open the strides"));
  const int64_t bytes = byte_width(array.element_type);
  std::vector<int64_t> strides;
  while (!cursor.take(")")) {
    const size_t place = cursor.token_position();
    const int64_t stride = TRY(cursor.take_integer("a stride in bytes, or ')'"));
    if (stride % bytes != 0) {
      return cursor.error_at(place, absl::StrCat("expected a stride of whole elements of ", bytes,
                                                 " bytes, found ", stride));
    }
    strides.push_back(stride / bytes);
    if (cursor.peek() != ')') TRY(cursor.expect(",", "or ')' after a stride"));
  }
  TRY(cursor.expect_end());
  if (strides.size() != array.dimensions.size()) {
    return cursor.error_at(
        0, absl::StrCat("expected ", array.dimensions.size(), " strides, found ", strides.size()));
  }
  std::string dims;
  for (const Dimension& d : array.dimensions) absl::StrAppend(&dims, d.size, "x");
  return parse_memref(absl::StrCat("memref<", dims, mlir_element_type(array.element_type),
                                   ", strided<[", absl::StrJoin(strides, ", "), "]>>"));
}

// `(i, j) -> (i * 36 + j), domain: ..`, or an index expression alone.
bool looks_like_formula(absl::string_view text) {
  return looks_like_python(text) || (Cursor(text).peek() == '(' && absl::StrContains(text, "->"));
}

// A map to one offset is the memref that has it.
absl::StatusOr<MemRef> parse_formula(absl::string_view text) {
  const IndexingMap map = TRY(parse_map(text));
  const auto is_size = [](const Variable& d) {
    return d.bounds.low == 0 && d.bounds.high >= 0 && d.bounds.high < INT64_MAX;
  };
  const bool is_plain = map.results.size() == 1 && map.ranges.empty() && map.runtime.empty() &&
                        map.constraints.empty() && std::ranges::all_of(map.dimensions, is_size);
  if (!is_plain || map.known_empty) {
    return Cursor(text).error_at(
        0, "expected a map from dimensions in [0, ..] to one offset, as this layout is a formula");
  }
  std::string dims, header = to_text(map);
  for (const Variable& d : map.dimensions) absl::StrAppend(&dims, d.bounds.high + 1, "x");
  header.resize(header.find(", domain:") == header.npos ? header.size() : header.find(", domain:"));
  MemRef memref = TRY(parse_memref(absl::StrCat("memref<", dims, "i8, affine_map<", header, ">>")));
  memref.text = std::string(text);
  memref.element_type.clear();
  memref.element_bits.reset();
  return memref;
}

constexpr auto as_any = [](auto&& layout) {
  return AnyLayout(std::forward<decltype(layout)>(layout));
};

}  // namespace

absl::StatusOr<Shape> parse_array_shape(absl::string_view text) {
  absl::StatusOr<Shape> shape = parse_shape(text);
  if (const std::string layout = shape.ok() ? "" : with_braces(text); !layout.empty()) {
    return with_hint(shape.status(), absl::StrCat("; did you mean '", layout, "'?"));
  }
  Cursor cursor(text);
  const absl::string_view word = cursor.take_identifier();
  if (shape.ok() || cursor.peek() != '<') return shape;
  const std::string meant = did_you_mean(word, {"memref", "Swizzle", "Sw"});
  if (meant.empty()) return shape;
  cursor.set_position(0);
  return with_hint(cursor.expected("a layout"), meant);
}

absl::StatusOr<AnyLayout> parse_any_layout(absl::string_view text) {
  if (looks_like_tensor(text)) return std::visit(as_any, TRY(parse_tensor(text)));
  if (absl::StrContains(text, "] strides")) return parse_byte_strides(text);
  if (looks_like_swizzled_layout(text)) return parse_swizzled_layout(text);
  if (looks_like_memref(text)) return parse_memref(text);
  if (looks_like_vpad(text)) return parse_vpad(text);
  if (has_shared_layout(text)) return std::visit(as_any, TRY(parse_shared_layout(text)));
  if (looks_like_formula(text)) return parse_formula(text);
  switch (layout_form(text)) {
    case LayoutForm::kNested:
      return parse_nested_layout(text);
    case LayoutForm::kTagged:
      if (Cursor(text).peek_identifier() == "dnnl") return parse_blocked_shape(text);
      return parse_tagged_shape(text);
    case LayoutForm::kShape:
      break;
  }
  return parse_array_shape(text);
}

std::string to_text(const AnyLayout& layout) {
  return std::visit([](const auto& one) { return to_text(one); }, layout);
}

}  // namespace tileproof
