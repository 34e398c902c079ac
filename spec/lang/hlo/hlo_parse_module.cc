// SPDX-License-Identifier: Apache-2.0
// Reads modules of HLO text: headers, sections, computations. References to computations that come
// later are resolved at the end of the module.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_parser.h"
#include "spec/lang/hlo/hlo_raw_text.h"
#include "spec/lang/hlo/hlo_shapes.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof {
namespace {

constexpr absl::string_view kSections[] = {"FileNames", "FunctionNames", "FileLocations",
                                           "StackFrames"};

void name_the_unnamed(HloBody& body) {
  FreshNames fresh;
  for (int32_t index : body.unnamed) {
    HloInstruction& instruction = body.computation.instructions[index];
    instruction.name = fresh.make(instruction.opcode_text, [&](const std::string& name) {
      return body.names.find(name) != body.names.end();
    });
  }
}

// Implicit parameters take the smallest free numbers. After that there must be no gap.
absl::Status number_parameters(const Cursor& cursor, HloBody& body) {
  std::vector<HloInstruction>& instructions = body.computation.instructions;
  const auto count = std::count_if(instructions.begin(), instructions.end(),
                                   [](const auto& i) { return i.opcode == HloOpcode::kParameter; });
  std::vector<bool> used(count, false);
  for (const HloInstruction& instruction : instructions) {
    const int64_t number = instruction.parameter_number;
    if (number < 0) continue;
    if (number >= count || used[number]) {
      return cursor.error_at(
          cursor.position(),
          absl::StrCat("expected the parameters of the computation before to be numbered from 0 "
                       "without gaps, found ",
                       number, number >= count ? "" : " again"));
    }
    used[number] = true;
  }
  int64_t next = 0;
  for (int32_t index : body.implicit_parameters) {
    while (used[next]) ++next;
    instructions[index].parameter_number = next++;
  }
  return absl::OkStatus();
}

absl::StatusOr<HloSignature> parse_signature(HloReader& reader) {
  Cursor& cursor = reader.cursor;
  HloSignature signature;
  if (!cursor.take(")")) {
    do {
      absl::string_view name = TRY(take_name(cursor, "the name of a parameter"));
      cursor.take(":");
      if (!at_shape(cursor)) return cursor.expected("the shape of a parameter");
      SharedShape shape = TRY(take_shape(reader));
      signature.parameters.emplace_back(std::string(name), std::move(shape));
    } while (cursor.take(","));
    TRY(cursor.expect(")", "or ',' after a parameter"));
  }
  TRY(cursor.expect("->", "after the parameters"));
  signature.result = TRY(take_shape(reader));
  return signature;
}

absl::Status mark_entry(HloReader& reader, size_t position, int32_t index) {
  if (reader.module.entry >= 0) {
    return reader.cursor.error_at(position, "expected one ENTRY in a module, found a second");
  }
  reader.module.entry = index;
  return absl::OkStatus();
}

// Whether the result in the header, if there is one, has the shape that is written for the root.
// XLA does not compare the parameters in the header with those of the computation.
bool result_fits(const HloComputation& computation) {
  const SharedShape& root = computation.instructions[computation.root].shape;
  return !computation.signature || !root || compatible(*computation.signature->result, *root);
}

absl::Status parse_computation(HloReader& reader) {
  Cursor& cursor = reader.cursor;
  const size_t start = cursor.token_position();
  const bool entry = cursor.peek_identifier() == "ENTRY";
  if (entry) cursor.take_identifier();
  const size_t name_position = cursor.token_position();
  absl::string_view name = TRY(take_name(cursor, "a computation or an instruction"));
  HloBody body;
  body.computation.name = std::string(name);
  if (cursor.take("(")) {
    body.computation.signature = TRY(parse_signature(reader));
  }
  absl::Status status = cursor.expect("{", "to open the computation");
  if (!status.ok()) return status;
  int32_t index = TRY(parse_body(reader, std::move(body)));
  if (!reader.computations.emplace(name, index).second) {
    return cursor.error_at(name_position,
                           absl::StrCat("expected each computation once in a module, found '",
                                        name.substr(0, 64), "' again"));
  }
  if (!result_fits(reader.module.computations[index])) {
    return cursor.error_at(name_position,
                           absl::StrCat("expected the result of ", name.substr(0, 64),
                                        " to have the shape of its root"));
  }
  status = parse_plain_attributes(cursor, reader.module.computations[index].attributes);
  if (!status.ok() || !entry) return status;
  return mark_entry(reader, start, index);
}

// Numbered lines: `1 "file.py"`, `1 {file_name_id=1 line=2}`.
absl::Status parse_section(HloReader& reader) {
  Cursor& cursor = reader.cursor;
  HloSection section{std::string(cursor.take_identifier()), {}};
  while (cursor.at_integer()) {
    int64_t number = TRY(cursor.take_integer("the number of an entry"));
    const char next = cursor.peek();
    if (next != '"' && next != '{') return cursor.expected("a string or '{'");
    absl::string_view text = TRY(take_value(cursor, section.name, Inside::kComments));
    section.entries.emplace_back(number, std::string(text));
  }
  reader.module.sections.push_back(std::move(section));
  return absl::OkStatus();
}

enum class Next { kEnd, kHeader, kSection, kComputation, kInstruction };

// Whether parameters of a computation follow `name (`, and not operands of an operation.
bool at_signature(Cursor& cursor) {
  if (cursor.take(")")) return cursor.take("->");
  return take_name(cursor, "").ok() && (cursor.peek() == ':' || at_shape(cursor));
}

Next after_word(Cursor& cursor, absl::string_view word) {
  if (word == "HloModule") return Next::kHeader;
  if (word == "ENTRY") return Next::kComputation;
  if (word == "ROOT") return Next::kInstruction;
  const bool names_section =
      std::find(std::begin(kSections), std::end(kSections), word) != std::end(kSections);
  const char after = cursor.peek();
  if ((!word.empty() && absl::ascii_isdigit(after)) ||
      (names_section && after != '=' && after != '{' && after != '(')) {
    return Next::kSection;
  }
  return after == '[' ? Next::kInstruction : Next::kComputation;
}

// What starts at the cursor, outside of all braces.
Next next_of(Cursor& cursor) {
  if (!cursor.skip_space()) return Next::kEnd;
  if (cursor.peek() == '(') return Next::kInstruction;
  const size_t start = cursor.position();
  const bool percent = cursor.take("%");
  const absl::string_view word = cursor.take_identifier();
  const char after = cursor.peek();
  Next next = percent ? Next::kComputation : after_word(cursor, word);
  if (!word.empty() && after == '=') next = Next::kInstruction;
  if (next == Next::kComputation && word != "ENTRY" && cursor.take("(") && !at_signature(cursor)) {
    next = Next::kInstruction;
  }
  cursor.set_position(start);
  return next;
}

// Whether a line `// -----` comes before the next word. Does not move the cursor.
bool at_separator(Cursor& cursor) {
  const size_t start = cursor.position();
  cursor.skip_space();
  const absl::string_view passed = cursor.text().substr(start, cursor.position() - start);
  cursor.set_position(start);
  return passed.find("\n// -----") != absl::string_view::npos;
}

// Instructions outside of any computation.
absl::Status parse_alone(HloReader& reader) {
  const size_t start = reader.cursor.position();
  HloBody body;
  body.alone = true;
  do {
    TRY(parse_instruction(reader, body));
  } while (!at_separator(reader.cursor) && next_of(reader.cursor) == Next::kInstruction);
  int32_t index = TRY(finish_body(reader, std::move(body)));
  return mark_entry(reader, start, index);
}

void name_inline_computations(HloReader& reader) {
  FreshNames fresh;
  for (const InlineComputation& one : reader.inline_computations) {
    HloInstruction& caller = reader.module.computations[one.caller].instructions[one.instruction];
    HloAttribute& attribute = caller.attributes[one.attribute];
    std::string& name = reader.module.computations[one.computation].name;
    name = fresh.make(absl::StrCat(caller.opcode_text, "_", attribute.name),
                      [&reader](const std::string& candidate) {
                        return reader.computations.find(candidate) != reader.computations.end();
                      });
    std::string& value = attribute.value;  // so far empty (one computation) or "{}" (a list)
    value.insert(value.empty() ? 0 : value.size() - 1,
                 absl::StrCat(value.size() > 2 ? ", %" : "%", name));
  }
}

absl::StatusOr<HloModule> finish_module(HloReader& reader) {
  HloModule& module = reader.module;
  if (module.computations.empty()) return reader.cursor.expected("a computation");
  for (const MissingComputation& missing : reader.missing) {
    if (reader.computations.find(missing.name) == reader.computations.end()) continue;
    return reader.cursor.error_at(missing.position,
                                  absl::StrCat("expected a computation defined before, found '",
                                               missing.name.substr(0, 64), "'"));
  }
  name_inline_computations(reader);
  if (module.entry < 0) module.entry = static_cast<int32_t>(module.computations.size()) - 1;
  module.computations[module.entry].is_entry = true;
  reader.computations.clear();
  reader.inline_computations.clear();
  reader.missing.clear();
  infer_shapes(module);
  return std::exchange(module, HloModule());
}

absl::Status parse_header(HloReader& reader) {
  Cursor& cursor = reader.cursor;
  cursor.take_identifier();
  absl::string_view name = TRY(take_name(cursor, "the name of the module"));
  reader.module.has_header = true;
  reader.module.name = std::string(name);
  cursor.take(":");
  return parse_plain_attributes(cursor, reader.module.attributes);
}

// One module, up to the next header, separator or the end.
absl::StatusOr<HloModule> parse_one_module(HloReader& reader) {
  if (next_of(reader.cursor) == Next::kHeader) {
    TRY(parse_header(reader));
  }
  while (!at_separator(reader.cursor)) {
    const Next next = next_of(reader.cursor);
    if (next == Next::kEnd || next == Next::kHeader) break;
    TRY(next == Next::kSection       ? parse_section(reader)
        : next == Next::kInstruction ? parse_alone(reader)
                                     : parse_computation(reader));
  }
  return finish_module(reader);
}

}  // namespace

absl::StatusOr<int32_t> finish_body(HloReader& reader, HloBody body) {
  TRY(number_parameters(reader.cursor, body));
  name_the_unnamed(body);
  HloComputation& computation = body.computation;
  if (computation.root < 0) {
    computation.root = static_cast<int32_t>(computation.instructions.size()) - 1;
  }
  computation.instructions.shrink_to_fit();
  const auto index = static_cast<int32_t>(reader.module.computations.size());
  for (InlineComputation& inside : body.inline_computations) inside.caller = index;
  reader.inline_computations.insert(reader.inline_computations.end(),
                                    body.inline_computations.begin(),
                                    body.inline_computations.end());
  reader.module.computations.push_back(std::move(computation));
  return index;
}

absl::StatusOr<std::vector<HloModule>> parse_hlo_modules(absl::string_view text,
                                                         UnknownHlo unknown) {
  HloReader reader(text);
  reader.unknown = unknown;
  if (text.size() > kMaxHloBytes) {
    return reader.cursor.error_at(0, "expected an HLO text of at most 256 MiB");
  }
  std::vector<HloModule> modules;
  while (reader.cursor.skip_space()) {
    modules.push_back(TRY(parse_one_module(reader)));
  }
  if (modules.empty()) return reader.cursor.expected("an HLO module");
  return modules;
}

absl::StatusOr<HloModule> parse_hlo_module(absl::string_view text) {
  std::vector<HloModule> modules = TRY(parse_hlo_modules(text));
  if (modules.size() == 1) return std::move(modules.front());
  return Cursor(text).error_at(0, absl::StrCat("expected one HLO module, found ", modules.size()));
}

}  // namespace tileproof
