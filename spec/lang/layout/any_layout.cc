// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/layout/any_layout.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/nearest.h"
#include "spec/lang/layout/blocked_text.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/layout/shape_text.h"

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

}  // namespace

absl::StatusOr<Shape> parse_array_shape(absl::string_view text) {
  absl::StatusOr<Shape> shape = parse_shape(text);
  if (const std::string layout = shape.ok() ? "" : with_braces(text); !layout.empty()) {
    return absl::Status(shape.status().code(), absl::StrCat(std::string(shape.status().message()),
                                                            "; did you mean '", layout, "'?"));
  }
  Cursor cursor(text);
  const absl::string_view word = cursor.take_identifier();
  if (shape.ok() || cursor.peek() != '<') return shape;
  const std::string meant = did_you_mean(word, {"memref", "Swizzle", "Sw"});
  if (meant.empty()) return shape;
  cursor.set_position(0);
  const absl::Status expected = cursor.expected("a layout");
  return absl::Status(expected.code(), absl::StrCat(std::string(expected.message()), meant));
}

absl::StatusOr<AnyLayout> parse_any_layout(absl::string_view text) {
  if (looks_like_swizzled_layout(text)) return parse_swizzled_layout(text);
  if (looks_like_memref(text)) return parse_memref(text);
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
