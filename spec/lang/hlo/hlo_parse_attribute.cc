// SPDX-License-Identifier: Apache-2.0
// Attributes, names and shapes of HLO text.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_parser.h"
#include "spec/lang/hlo/hlo_raw_text.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof {

absl::StatusOr<absl::string_view> take_name(Cursor& cursor, absl::string_view what) {
  const size_t start = cursor.token_position();
  cursor.take("%");
  const size_t word_start = cursor.position();
  const absl::string_view word = cursor.take_identifier();
  const bool adjacent = cursor.position() == word_start + word.size();
  if (!word.empty() && adjacent) return word;
  cursor.set_position(start);
  return cursor.expected(what);
}

bool at_shape(Cursor& cursor) {
  if (cursor.peek() == '(') return true;
  const absl::string_view word = cursor.peek_identifier();
  if (word != "b" && !element_type_named(word)) return false;
  const size_t start = cursor.position();
  cursor.take_identifier();
  const char after = cursor.peek();
  cursor.set_position(start);
  return after == (word == "b" ? '(' : '[');
}

absl::StatusOr<SharedShape> take_shape(HloReader& reader) {
  Cursor& cursor = reader.cursor;
  const absl::string_view known = peek_shape_text(cursor);
  if (!known.empty()) {
    const auto entry = reader.shapes.find(known);
    if (entry != reader.shapes.end()) {
      cursor.set_position(cursor.position() + known.size());
      return entry->second;
    }
  }
  const size_t start = cursor.position();
  Shape shape = TRY(parse_shape(cursor));
  SharedShape shared(std::move(shape));
  // Without the space behind, which a shape without a layout takes along.
  reader.shapes.emplace(
      absl::StripTrailingAsciiWhitespace(cursor.text().substr(start, cursor.position() - start)),
      shared);
  return shared;
}

bool take_comma(Cursor& cursor) {
  const size_t start = cursor.position();
  if (cursor.take(",")) return true;
  cursor.set_position(start);
  return false;
}

absl::StatusOr<absl::string_view> take_attribute_name(Cursor& cursor) {
  const absl::string_view name = cursor.take_identifier();
  if (name.empty()) return cursor.expected("the name of an attribute");
  if (!cursor.take("=")) TRY(cursor.expect("=", absl::StrCat("after the attribute ", name)));
  return name;
}

namespace {

// `literal=s32[2]{0} {1, 2}`: a shape and its elements.
absl::StatusOr<absl::string_view> take_typed_literal(Cursor& cursor, absl::string_view name) {
  const size_t start = cursor.token_position();
  if (cursor.peek() == '(') return take_value(cursor, name, Inside::kComments);
  TRY(parse_shape(cursor));
  TRY(take_value(cursor, name, Inside::kComments));
  return cursor.text().substr(start, cursor.position() - start);
}

// The padding of a scalar is empty: `padding=` at the end of the line.
bool at_empty_value(const Cursor& cursor) {
  for (char c : cursor.rest()) {
    if (c == ',' || c == '\n' || c == '}') return true;
    if (c != ' ' && c != '\t' && c != '\r') return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<absl::string_view> take_plain_value(Cursor& cursor, absl::string_view name) {
  if (name == "padding" && at_empty_value(cursor)) return cursor.rest().substr(0, 0);
  if (name == "literal") return take_typed_literal(cursor, name);
  const bool foreign = name == "backend_config" || name == "frontend_attributes";
  return take_value(cursor, name, foreign ? Inside::kAnything : Inside::kComments);
}

absl::Status check_attributes(const Cursor& cursor, size_t position,
                              const std::vector<HloAttribute>& attributes) {
  std::vector<absl::string_view> names;
  names.reserve(attributes.size());
  for (const HloAttribute& attribute : attributes) names.push_back(attribute.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice == names.end()) return absl::OkStatus();
  return cursor.error_at(position,
                         absl::StrCat("expected each attribute once, found ", *twice, " again"));
}

absl::Status parse_plain_attributes(Cursor& cursor, std::vector<HloAttribute>& attributes) {
  const size_t start = cursor.position();
  while (take_comma(cursor)) {
    absl::string_view name = TRY(take_attribute_name(cursor));
    absl::string_view value = TRY(take_plain_value(cursor, name));
    attributes.push_back(HloAttribute{std::string(name), std::string(value)});
  }
  return check_attributes(cursor, start, attributes);
}

}  // namespace tileproof
