// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/layout/any_layout.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/nearest.h"
#include "spec/lang/layout/blocked_text.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof {

absl::StatusOr<Shape> parse_array_shape(absl::string_view text) {
  absl::StatusOr<Shape> shape = parse_shape(text);
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
