// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/hlo_proto/hlo_proto.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_literal.h"
#include "spec/lang/hlo_proto/message.h"

namespace tileproof::hlo_proto {
namespace {

absl::Status invalid(absl::string_view message) { return absl::InvalidArgumentError(message); }

// Unique names of the messages in a list, by their ids.
absl::StatusOr<std::map<int64_t, std::string>> names_of(const std::vector<const Message*>& messages,
                                                        absl::string_view what) {
  std::map<int64_t, std::string> names;
  std::set<std::string> taken;
  for (const Message* message : messages) {
    const std::string name = unique_word(word_of_hlo(message->text("name")), taken);
    if (!names.emplace(message->integer("id"), name).second)
      return invalid(
          absl::StrCat("expected each id of ", what, " once, found that of ", name, " again"));
  }
  return names;
}

absl::StatusOr<std::vector<std::string>> named(const std::map<int64_t, std::string>& names,
                                               const std::vector<int64_t>& ids,
                                               absl::string_view user) {
  std::vector<std::string> found;
  for (const int64_t id : ids) {
    const auto name = names.find(id);
    if (name == names.end())
      return invalid(
          absl::StrCat(user, ": expected the id of an operand or a computation, found ", id));
    found.push_back(name->second);
  }
  return found;
}

absl::StatusOr<std::string> computation_text(const Message& computation, const std::string& name,
                                             const std::map<int64_t, std::string>& computations,
                                             bool is_entry) {
  const std::vector<const Message*> instructions = computation.messages("instructions");
  const std::map<int64_t, std::string> names = TRY(names_of(instructions, "instructions"));
  std::string text = absl::StrCat(is_entry ? "ENTRY " : "", name, " {\n");
  for (const Message* instruction : instructions) {
    const std::string& own = names.at(instruction->integer("id"));
    const bool is_root = instruction->integer("id") == computation.integer("root_id");
    const std::vector<std::string> operands =
        TRY(named(names, instruction->integers("operand_ids"), own));
    const std::vector<std::string> called =
        TRY(named(computations, instruction->integers("called_computation_ids"), own));
    const absl::StatusOr<std::string> line = instruction_text(*instruction, operands, called);
    if (!line.ok()) return invalid(absl::StrCat(own, ": ", std::string(line.status().message())));
    absl::StrAppend(&text, is_root ? "ROOT " : "", own, " = ", *line, "\n");
  }
  return text + "}\n";
}

// `{ {0}: (1, {}, may-alias) }`
std::string alias_text(const Message& aliases) {
  const auto entry = [](const Message& one) {
    const bool must = one.integer("kind") == 2 || one.text("kind") == "MUST_ALIAS";
    return absl::StrCat(
        index_text(one, "output_shape_index"), ": (", one.integer("parameter_number"), ", ",
        index_text(one, "parameter_shape_index"), ", ", must ? "must" : "may", "-alias)");
  };
  return absl::StrCat("{ ", texts(aliases, "entries", ", ", entry), " }");
}

// `{(f32[4]{0}, s32[])->f32[4]{0}}`
absl::StatusOr<std::string> program_text(const Message& shape) {
  std::vector<std::string> parameters;
  for (const Message* one : shape.messages("parameters"))
    parameters.push_back(TRY(shape_text(*one)));
  return absl::StrCat("{(", absl::StrJoin(parameters, ", "), ")->",
                      TRY(shape_text(*shape.message("result"))), "}");
}

// The attributes of the module that its meaning depends on.
absl::StatusOr<std::string> header_text(const Message& module) {
  std::string text;
  const Message* aliases = module.message("input_output_alias");
  if (aliases != nullptr && aliases->has("entries"))
    absl::StrAppend(&text, ", input_output_alias=", alias_text(*aliases));
  const Message* program = module.message("host_program_shape");
  if (program != nullptr && program->has("result"))
    absl::StrAppend(&text, ", entry_computation_layout=", TRY(program_text(*program)));
  if (const Message* attributes = module.message("frontend_attributes")) {
    const std::string attributes_text = frontend_text(*attributes);
    if (!attributes_text.empty()) absl::StrAppend(&text, ", frontend_attributes=", attributes_text);
  }
  if (const Message* devices = module.message("device_assignment")) {
    for (const auto& [field, name] : {std::pair("replica_count", "replica_count"),
                                      std::pair("computation_count", "num_partitions")}) {
      if (devices->integer(field) > 1)
        absl::StrAppend(&text, ", ", name, "=", devices->integer(field));
    }
  }
  return text;
}

absl::StatusOr<std::string> module_text(const Message& module) {
  const std::vector<const Message*> computations = module.messages("computations");
  if (computations.empty()) return invalid("expected a module with computations");
  const std::map<int64_t, std::string> names = TRY(names_of(computations, "computations"));
  std::string text =
      absl::StrCat("HloModule ", word_of_hlo(module.text("name")), TRY(header_text(module)), "\n");
  const bool by_id = module.has("entry_computation_id");
  for (const Message* computation : computations) {
    const int64_t id = computation->integer("id");
    const bool is_entry = by_id
                              ? id == module.integer("entry_computation_id")
                              : computation->text("name") == module.text("entry_computation_name");
    text += TRY(computation_text(*computation, names.at(id), names, is_entry));
  }
  return text;
}

bool has_instructions(const Message& module) {
  return std::ranges::any_of(module.messages("computations"),
                             [](const Message* one) { return one->has("instructions"); });
}

// HloProto has its module in field 1, where HloModuleProto has its name.
template <class Parse>
absl::StatusOr<Message> module_in(Parse parse) {
  absl::StatusOr<Message> whole = parse("HloProto");
  if (whole.ok()) {
    const Message* module = whole->message("hlo_module");
    if (module != nullptr && has_instructions(*module)) return *module;
  }
  absl::StatusOr<Message> alone = parse("HloModuleProto");
  if (alone.ok() && has_instructions(*alone)) return alone;
  if (!whole.ok()) return whole.status();
  if (!alone.ok()) return alone.status();
  return invalid("expected an HloProto or HloModuleProto with instructions");
}

bool is_binary(absl::string_view input) {
  return input.substr(0, 4096).find_first_of(
             absl::string_view("\0\x01\x02\x03\x04\x05\x06\x08", 8)) != absl::string_view::npos;
}

}  // namespace

bool looks_like_proto(absl::string_view input) {
  if (is_binary(input)) return true;
  Cursor cursor(input);
  // `# comments` begin some files.
  while (cursor.peek() == '#') {
    const size_t end = cursor.rest().find('\n');
    if (end == absl::string_view::npos) return false;
    cursor.set_position(cursor.position() + end + 1);
  }
  const absl::string_view first = cursor.take_identifier();
  if (first == "hlo_module" || first == "computations")
    return cursor.peek() == '{' || cursor.peek() == ':';
  return (first == "name" || first == "entry_computation_name") && cursor.peek() == ':' &&
         absl::StrContains(input, "computations");
}

absl::StatusOr<std::vector<HloModule>> parse_modules(absl::string_view input, UnknownHlo unknown) {
  if (input.size() > kMaxHloBytes) return invalid("expected an input of at most 256 MiB");
  const Message module = TRY(module_in([&](absl::string_view type) {
    return is_binary(input) ? parse_binary(input, type) : parse_text(input, type);
  }));
  const std::string text = TRY(module_text(module));
  absl::StatusOr<std::vector<HloModule>> modules = parse_hlo_modules(text, unknown);
  if (modules.ok()) return modules;
  // A place in the HLO text is no place in the input: name the instruction instead.
  const std::string message(modules.status().message());
  Cursor cursor(message);
  const bool is_line = cursor.take_identifier() == "line";
  const absl::StatusOr<int64_t> line =
      is_line ? cursor.take_integer("") : absl::StatusOr<int64_t>(0);
  const size_t colon = message.find(": ");
  if (!line.ok() || *line < 1 || colon == std::string::npos) return modules.status();
  size_t start = 0;
  for (int64_t i = 1; i < *line && start != std::string::npos; ++i)
    start = text.find('\n', start) + 1;
  const std::string at = text.substr(start, text.find('\n', start) - start);
  return invalid(absl::StrCat(at.substr(0, std::min<size_t>(at.find(" = "), 80)), ": ",
                              message.substr(colon + 2)));
}

}  // namespace tileproof::hlo_proto
