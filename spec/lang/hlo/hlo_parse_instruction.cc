// SPDX-License-Identifier: Apache-2.0
// Instructions of HLO text, and the computations that they form.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_known.h"
#include "spec/lang/hlo/hlo_literal.h"
#include "spec/lang/hlo/hlo_parser.h"
#include "spec/lang/hlo/hlo_raw_text.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof {
namespace {

// The attributes whose values are computations.
constexpr absl::string_view kCalling[] = {
    "to_apply",
    "calls",
    "body",
    "condition",
    "select",
    "scatter",
    "true_computation",
    "false_computation",
    "branch_computations",
    "called_computations",
};

int32_t append(HloBody& body, HloInstruction instruction) {
  body.computation.instructions.push_back(std::move(instruction));
  return static_cast<int32_t>(body.computation.instructions.size()) - 1;
}

int32_t append_unnamed(HloBody& body, HloInstruction instruction) {
  const int32_t place = append(body, std::move(instruction));
  body.unnamed.push_back(place);
  return place;
}

// An operand that is not defined. An empty name is replaced later.
HloOperand append_parameter(HloBody& body, absl::string_view name, SharedShape shape) {
  HloInstruction parameter;
  parameter.name = std::string(name);
  parameter.opcode = HloOpcode::kParameter;
  parameter.opcode_text = std::string(name_of(HloOpcode::kParameter));
  parameter.shape = shape;
  const int32_t place = name.empty() ? append_unnamed(body, std::move(parameter))
                                     : append(body, std::move(parameter));
  if (!name.empty()) body.names.emplace(name, place);
  body.implicit_parameters.push_back(place);
  return HloOperand{place, std::move(shape)};
}

absl::Status too_deep(const Cursor& cursor) {
  return cursor.error_at(cursor.position(),
                         absl::StrCat("expected nesting of at most ", kMaxNesting));
}

absl::Status parse_arguments(HloReader& reader, HloBody& body, HloInstruction& instruction);

// `opcode(operands)`, the shape already taken.
absl::Status parse_operation(HloReader& reader, HloBody& body, HloInstruction& instruction) {
  const size_t position = reader.cursor.token_position();
  const absl::string_view opcode = reader.cursor.take_identifier();
  if (opcode.empty()) return reader.cursor.expected("an opcode");
  instruction.opcode = opcode_named(opcode);
  const bool is_type = !instruction.shape && reader.cursor.peek() == '[';
  if (instruction.opcode == HloOpcode::kOther &&
      (is_type || reader.unknown == UnknownHlo::kRefuse)) {
    return reader.cursor.error_at(position, unknown_opcode(opcode, is_type));
  }
  instruction.opcode_text = std::string(opcode);
  TRY(reader.cursor.expect("(", absl::StrCat("after the opcode ", opcode)));
  return parse_arguments(reader, body, instruction);
}

absl::StatusOr<HloOperand> parse_nested_operation(HloReader& reader, HloBody& body,
                                                  SharedShape shape) {
  if (++reader.depth > kMaxNesting) return too_deep(reader.cursor);
  HloInstruction nested;
  nested.shape = shape;
  absl::Status parsed = parse_operation(reader, body, nested);
  --reader.depth;
  if (!parsed.ok()) return parsed;
  return HloOperand{append_unnamed(body, std::move(nested)), std::move(shape)};
}

absl::StatusOr<HloOperand> named_operand(HloReader& reader, HloBody& body, absl::string_view name,
                                         size_t position, SharedShape shape) {
  const auto entry = body.names.find(name);
  if (entry == body.names.end()) {
    if (body.alone && shape) return append_parameter(body, name, std::move(shape));
    if (!shape && reader.cursor.peek() == '[') {
      return reader.cursor.error_at(position, unknown_opcode(name, /*is_type=*/true));
    }
    return reader.cursor.error_at(position, absl::StrCat("expected an instruction defined before",
                                                         body.alone ? " or a shape" : "",
                                                         ", found '", name.substr(0, 64), "'"));
  }
  const SharedShape& defined = body.computation.instructions[entry->second].shape;
  if (shape && defined && !(shape == defined) && !compatible(*shape, *defined)) {
    return reader.cursor.error_at(
        position, absl::StrCat("expected the shape that ", name, " has where it is defined"));
  }
  return HloOperand{entry->second, std::move(shape)};
}

absl::StatusOr<HloOperand> parse_operand(HloReader& reader, HloBody& body) {
  Cursor& cursor = reader.cursor;
  SharedShape shape;
  if (at_shape(cursor)) {
    shape = TRY(take_shape(reader));
    const char next = cursor.peek();
    if (body.alone && (next == ',' || next == ')')) {
      return append_parameter(body, "", std::move(shape));
    }
  }
  const size_t position = cursor.token_position();
  absl::string_view name = TRY(take_name(cursor, "an operand"));
  if (cursor.peek() == '(') {
    cursor.set_position(position);
    return parse_nested_operation(reader, body, std::move(shape));
  }
  return named_operand(reader, body, name, position, std::move(shape));
}

absl::Status parse_literal(Cursor& cursor, HloInstruction& instruction) {
  const absl::string_view literal = TRY(take_until_closed(cursor));
  instruction.literal = std::string(literal);
  if (!instruction.shape) return absl::OkStatus();
  const std::optional<LiteralError> wrong = literal_error(literal, *instruction.shape);
  if (!wrong) return absl::OkStatus();
  const auto start = static_cast<size_t>(literal.data() - cursor.text().data());
  return cursor.error_at(start + wrong->position, wrong->message);
}

// The text in the parentheses and the closing one. The opening one is already taken.
absl::Status parse_arguments(HloReader& reader, HloBody& body, HloInstruction& instruction) {
  Cursor& cursor = reader.cursor;
  if (instruction.opcode == HloOpcode::kConstant) {
    return parse_literal(cursor, instruction);
  }
  if (instruction.opcode == HloOpcode::kParameter) {
    const size_t position = cursor.token_position();
    int64_t number = TRY(cursor.take_integer("a parameter number"));
    if (number < 0) return cursor.error_at(position, "expected a parameter number of at least 0");
    instruction.parameter_number = number;
    return cursor.expect(")", "after the parameter number");
  }
  if (cursor.take(")")) return absl::OkStatus();
  do {
    instruction.operands.push_back(TRY(parse_operand(reader, body)));
  } while (cursor.take(","));
  return cursor.expect(")", "or ',' after an operand");
}

// One computation by its name.
absl::Status parse_call(HloReader& reader, HloInstruction& instruction) {
  const size_t position = reader.cursor.token_position();
  absl::string_view name = TRY(take_name(reader.cursor, "the name of a computation"));
  HloCall call{static_cast<int32_t>(instruction.attributes.size()), -1};
  const auto entry = reader.computations.find(name);
  if (entry != reader.computations.end()) {
    call.computation = entry->second;
  } else if (reader.module.has_header) {
    return reader.cursor.error_at(
        position,
        absl::StrCat("expected a computation defined before, found '", name.substr(0, 64), "'"));
  } else {
    reader.missing.push_back(MissingComputation{name, position});
  }
  instruction.calls.push_back(call);
  return absl::OkStatus();
}

// A computation in braces. The opening one is already taken.
absl::Status parse_inline_computation(HloReader& reader, HloBody& body,
                                      HloInstruction& instruction) {
  if (++reader.depth > kMaxNesting) return too_deep(reader.cursor);
  HloBody inner;
  inner.alone = body.alone;
  absl::StatusOr<int32_t> computation = parse_body(reader, std::move(inner));
  --reader.depth;
  if (!computation.ok()) return computation.status();
  const auto attribute = static_cast<int32_t>(instruction.attributes.size());
  const auto place = static_cast<int32_t>(body.computation.instructions.size());
  instruction.calls.push_back(HloCall{attribute, *computation});
  body.inline_computations.push_back(InlineComputation{*computation, -1, place, attribute});
  return absl::OkStatus();
}

// The character after the name at the cursor ('\0' at the end); nothing if there is no name.
std::optional<char> behind_name(Cursor& cursor) {
  const size_t start = cursor.token_position();
  cursor.take("%");
  const bool named = !cursor.take_identifier().empty();
  const char next = cursor.peek();
  cursor.set_position(start);
  return named ? std::make_optional(next) : std::nullopt;
}

// Whether an instruction of a computation in braces starts here, and not a list of names.
bool at_instruction(Cursor& cursor) {
  const std::optional<char> next = behind_name(cursor);
  return next == '=' || next == '(' || at_shape(cursor) || cursor.peek_identifier() == "ROOT";
}

enum class CallText { kNone, kName, kNames, kInline, kInlines };

// These functions are not inlined to keep the stack frame of parse_instruction small: nested
// computations call it recursively.

// The form of the value of a calling attribute: `%f`, `{%f, %g}`, `{ body }`, `{{ body }, ..}`.
// Takes the outer brace.
[[gnu::noinline]] CallText take_call_text(Cursor& cursor) {
  const size_t start = cursor.token_position();
  if (behind_name(cursor)) return CallText::kName;
  if (!cursor.take("{")) return CallText::kNone;
  if (cursor.peek() == '{') return CallText::kInlines;
  if (at_instruction(cursor)) return CallText::kInline;
  if (cursor.peek() == '}' || behind_name(cursor)) return CallText::kNames;
  cursor.set_position(start);
  return CallText::kNone;
}

[[gnu::noinline]] absl::Status parse_call_list(HloReader& reader, HloInstruction& instruction) {
  if (reader.cursor.take("}")) return absl::OkStatus();
  do {
    TRY(parse_call(reader, instruction));
  } while (reader.cursor.take(","));
  return reader.cursor.expect("}", "or ',' after the name of a computation");
}

[[gnu::noinline]] absl::Status parse_inline_list(HloReader& reader, HloBody& body,
                                                 HloInstruction& instruction) {
  do {
    TRY(reader.cursor.expect("{", "to open a computation"));
    TRY(parse_inline_computation(reader, body, instruction));
  } while (reader.cursor.take(","));
  return reader.cursor.expect("}", "or ',' after a computation");
}

// The value of an attribute as the module keeps it. Names of computations in braces are added
// later, when they have some.
absl::StatusOr<std::string> parse_attribute_value(HloReader& reader, HloBody& body,
                                                  HloInstruction& instruction,
                                                  absl::string_view name) {
  Cursor& cursor = reader.cursor;
  const bool calling =
      std::find(std::begin(kCalling), std::end(kCalling), name) != std::end(kCalling);
  const size_t start = calling ? cursor.token_position() : cursor.position();
  const CallText text = calling ? take_call_text(cursor) : CallText::kNone;
  if (text == CallText::kNone) {
    absl::string_view value = TRY(take_plain_value(cursor, name));
    return std::string(value);
  }
  TRY(text == CallText::kName     ? parse_call(reader, instruction)
      : text == CallText::kNames  ? parse_call_list(reader, instruction)
      : text == CallText::kInline ? parse_inline_computation(reader, body, instruction)
                                  : parse_inline_list(reader, body, instruction));
  if (text == CallText::kInline) return std::string();
  if (text == CallText::kInlines) return std::string("{}");
  return std::string(cursor.text().substr(start, cursor.position() - start));
}

absl::Status parse_attribute(HloReader& reader, HloBody& body, HloInstruction& instruction) {
  const size_t position = reader.cursor.token_position();
  absl::string_view name = TRY(take_attribute_name(reader.cursor));
  if (reader.unknown == UnknownHlo::kRefuse &&
      !is_known_attribute(instruction.opcode, instruction.opcode_text, name)) {
    return reader.cursor.error_at(
        position, unknown_attribute(instruction.opcode, instruction.opcode_text, name));
  }
  const size_t value_position = reader.cursor.position();  // an empty value may end the line
  std::string value = TRY(parse_attribute_value(reader, body, instruction, name));
  if (reader.unknown == UnknownHlo::kRefuse && !is_known_value(instruction.opcode, name, value)) {
    return reader.cursor.error_at(value_position, unknown_value(name, value));
  }
  instruction.attributes.push_back(HloAttribute{std::string(name), std::move(value)});
  return absl::OkStatus();
}

absl::Status parse_attributes(HloReader& reader, HloBody& body, HloInstruction& instruction) {
  const size_t start = reader.cursor.position();
  while (take_comma(reader.cursor)) {
    TRY(parse_attribute(reader, body, instruction));
  }
  return check_attributes(reader.cursor, start, instruction.attributes);
}

// `name =`, unless an operation stands alone without a name. The name is empty then.
[[gnu::noinline]] absl::StatusOr<absl::string_view> take_defined_name(Cursor& cursor,
                                                                      const HloBody& body) {
  const size_t start = cursor.token_position();
  if (body.alone && behind_name(cursor) != '=') return cursor.text().substr(start, 0);
  absl::string_view name = TRY(take_name(cursor, "an instruction"));
  TRY(cursor.expect("=", "after the name of an instruction"));
  return name;
}

// Takes `ROOT` if it marks the next instruction, and checks that it is the first to be marked.
[[gnu::noinline]] absl::StatusOr<bool> take_root(Cursor& cursor, const HloBody& body) {
  if (cursor.peek_identifier() != "ROOT") return false;
  const size_t start = cursor.position();
  cursor.take_identifier();
  if (body.computation.root < 0) return true;
  return cursor.error_at(start, "expected one ROOT in a computation, found a second");
}

// Puts the instruction into the body, under its name if it has one.
[[gnu::noinline]] absl::StatusOr<int32_t> keep(HloBody& body, HloInstruction instruction,
                                               absl::string_view name, const Cursor& cursor,
                                               size_t position) {
  if (name.empty()) return append_unnamed(body, std::move(instruction));
  instruction.name = std::string(name);
  const int32_t place = append(body, std::move(instruction));
  if (body.names.emplace(name, place).second) return place;
  return cursor.error_at(position, absl::StrCat("expected each name once in a computation, found '",
                                                name.substr(0, 64), "' again"));
}

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

absl::Status parse_instruction(HloReader& reader, HloBody& body) {
  Cursor& cursor = reader.cursor;
  bool root = TRY(take_root(cursor, body));
  const size_t name_position = cursor.token_position();
  absl::string_view name = TRY(take_defined_name(cursor, body));
  HloInstruction instruction;
  if (at_shape(cursor)) {
    instruction.shape = TRY(take_shape(reader));
  }
  TRY(parse_operation(reader, body, instruction));
  TRY(parse_attributes(reader, body, instruction));
  if (instruction.opcode == HloOpcode::kCompare && reader.unknown == UnknownHlo::kRefuse &&
      find_attribute(instruction.attributes, "direction") == nullptr) {
    return cursor.error_at(name_position, "expected the direction of a comparison: direction=LT");
  }
  const int32_t place = TRY(keep(body, std::move(instruction), name, cursor, name_position));
  if (root) body.computation.root = place;
  return absl::OkStatus();
}

absl::StatusOr<int32_t> parse_body(HloReader& reader, HloBody body) {
  do {
    TRY(parse_instruction(reader, body));
  } while (reader.cursor.peek() != '}' && reader.cursor.peek() != '\0');
  TRY(reader.cursor.expect("}", "to close the computation"));
  return finish_body(reader, std::move(body));
}

// Attributes, names and shapes of HLO text.

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
