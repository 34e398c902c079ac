// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/try.h"
#include "spec/lang/stablehlo/op_text.h"

namespace tileproof::stablehlo {

absl::Status invalid(absl::string_view message) { return absl::InvalidArgumentError(message); }

absl::StatusOr<Ints> integers(absl::string_view text) {
  Ints result;
  if (absl::StartsWith(text, "array<")) {
    const size_t colon = text.find(':');
    text = colon == absl::string_view::npos ? absl::string_view() : text.substr(colon + 1);
  }
  if (absl::StartsWith(text, "dense<")) text.remove_prefix(6);
  Cursor cursor(text);
  while (cursor.skip_space()) {
    if (cursor.at_integer()) {
      result.push_back(TRY(cursor.take_integer("an integer")));
    } else if (cursor.take("true")) {
      result.push_back(1);
    } else if (cursor.take("false")) {
      result.push_back(0);
    } else if (!cursor.take("[") && !cursor.take("]") && !cursor.take(",") && !cursor.take(">")) {
      return invalid(
          absl::StrCat("expected integers, found '", std::string(text.substr(0, 60)), "'"));
    }
  }
  return result;
}

absl::StatusOr<Ints> ints(const Attributes& attributes, absl::string_view name) {
  const std::string* text = find_attribute(attributes, name);
  return text == nullptr ? absl::StatusOr<Ints>(Ints()) : integers(*text);
}

absl::StatusOr<int64_t> one_int(const Attributes& attributes, absl::string_view name,
                                std::optional<int64_t> missing) {
  const Ints found = TRY(ints(attributes, name));
  if (found.size() == 1) return found[0];
  if (found.empty() && missing) return *missing;
  return invalid(absl::StrCat("expected one integer as '", name, "'"));
}

absl::StatusOr<Ints> ints_or(const Attributes& attributes, absl::string_view name, size_t n,
                             int64_t value) {
  Ints found = TRY(ints(attributes, name));
  if (found.empty()) found.assign(n, value);
  if (found.size() == 1) found.assign(n, found[0]);
  if (found.size() == n) return found;
  return invalid(
      absl::StrCat("expected ", n, n == 1 ? " integer as '" : " integers as '", name, "'"));
}

absl::string_view either(const Attributes& attributes, absl::string_view pretty,
                         absl::string_view generic) {
  return find_attribute(attributes, pretty) != nullptr ? pretty : generic;
}

std::string word_of(const Attributes& attributes, absl::string_view name,
                    const std::vector<absl::string_view>& words, absl::string_view otherwise) {
  const std::string* text = find_attribute(attributes, name);
  for (const absl::string_view word : words) {
    if (text != nullptr && absl::StrContains(*text, word)) otherwise = word;
  }
  return std::string(otherwise);
}

absl::StatusOr<Attributes> inner(const Attributes& attributes, absl::string_view name) {
  const std::string* text = find_attribute(attributes, name);
  const size_t open = text == nullptr ? std::string::npos : text->find('<');
  if (open == std::string::npos || text->back() != '>')
    return invalid(absl::StrCat("expected the attribute '", name, "'"));
  return parse_attributes(absl::string_view(*text).substr(open + 1, text->size() - open - 2));
}

std::string array_like(const Type& type, const Ints& dims) {
  return absl::StrCat(type.shape.substr(0, type.shape.find('[')), "[", absl::StrJoin(dims, ","),
                      "]");
}

std::string call(absl::string_view opcode, const std::vector<Value>& operands,
                 absl::string_view attributes) {
  std::vector<std::string> names;
  for (const Value& operand : operands) names.push_back(operand.name);
  return absl::StrCat(opcode, "(", absl::StrJoin(names, ", "), ")", attributes.empty() ? "" : ", ",
                      attributes);
}

std::vector<Piece> Asked::one(absl::string_view attributes) const {
  return {{shape_of(op.types), call(opcode, operands, attributes)}};
}

absl::Status Asked::expect_operands(size_t at_least) const {
  if (operands.size() >= at_least) return absl::OkStatus();
  return invalid(absl::StrCat("expected ", at_least, " operands, found ", operands.size()));
}

std::string Asked::applying() const {
  return absl::StrCat("to_apply=", applied.empty() ? "" : applied[0]);
}

}  // namespace tileproof::stablehlo
