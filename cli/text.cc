// SPDX-License-Identifier: Apache-2.0
#include "cli/text.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <tuple>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "cli/commands.h"
#include "cli/verbs/any_map.h"
#include "cli/verbs/error_text.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/element_type.h"
#include "spec/lang/base/nearest.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_known.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/hlo_proto/hlo_proto.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/layout/xla_differences.h"
#include "spec/lang/map/interval.h"
#include "spec/lang/map/map_text.h"
#include "spec/lang/map/mlir_text.h"
#include "spec/lang/stablehlo/stablehlo_text.h"

namespace tileproof::cli {
namespace {

// Payloads of a status: the text that its message is about, and the argument.
constexpr char kInputText[] = "tileproof/input";
constexpr char kAbout[] = "tileproof/about";

void sort_keys(Json& json) {
  if (Json::Array* array = json.as<Json::Array>()) {
    for (Json& element : *array) sort_keys(element);
  }
  Json::Object* object = json.as<Json::Object>();
  if (object == nullptr) return;
  for (conform::Member& member : *object) sort_keys(member.value);
  std::sort(object->begin(), object->end(),
            [](const conform::Member& a, const conform::Member& b) { return a.key < b.key; });
}

constexpr char kAskedFunction[] = "\n#tileproof.function = @";

// The text of a map or memref of a file of MLIR, "@FILE#map1", or the file with the function that is
// asked for in the end, where no line moves.
absl::StatusOr<std::string> read_named_map(const std::string& file, const std::string& name) {
  const std::string text = TRY(read_argument(file));
  if (absl::StrContains(text, absl::StrCat("@", name, "(")))
    return absl::StrCat(text, kAskedFunction, name, "\n");
  const std::vector<MlirItem> items = TRY(find_mlir(text));
  std::vector<absl::string_view> names;
  for (const MlirItem& item : items) {
    if (!name.empty() && item.name == name) return item.text;
    if (!item.name.empty()) names.push_back(item.name);
  }
  return absl::NotFoundError(absl::StrCat("no map #", conform::shown(name, 40), " in the file ",
                                          file.substr(1), did_you_mean(name, names)));
}

// In blocks: an iterator over the characters would take as long as parsing them.
std::string all_of(std::istream& in) {
  constexpr size_t kBlock = size_t{1} << 16;
  std::string text;
  while (in) {
    const size_t size = text.size();
    text.resize(std::max(2 * size, size + kBlock));
    in.read(text.data() + size, static_cast<std::streamsize>(text.size() - size));
    text.resize(size + static_cast<size_t>(in.gcount()));
  }
  return text;
}

// The files that were read.
struct FileRead {
  size_t text = 0;  // its hash
  size_t size = 0;
  std::string name;
};

std::vector<FileRead>& files_read() {
  static auto* const files = new std::vector<FileRead>;
  return *files;
}

size_t hash_of(absl::string_view text) {
  return std::hash<std::string_view>()(std::string_view(text.data(), text.size()));
}

// Line and column, from 1, of the name in `name = ..` at the beginning of a line, behind ROOT, or
// behind the head of a computation. Nothing if the text has no such name, or several. `computation`:
// where it is; empty if that is not known.
std::optional<std::pair<int64_t, int64_t>> find_instruction_text(absl::string_view text,
                                                                 absl::string_view computation,
                                                                 absl::string_view name) {
  std::optional<std::pair<int64_t, int64_t>> place;
  absl::string_view within;
  int64_t line = 1;
  for (size_t start = 0; start < text.size(); ++line) {
    const size_t end = std::min(text.find('\n', start), text.size());
    Cursor cursor(text.substr(0, end));
    cursor.set_position(start);
    if (cursor.peek_identifier() == "ENTRY") cursor.take("ENTRY");
    const auto first_name = [&cursor] {
      if (cursor.peek_identifier() == "ROOT") cursor.take("ROOT");
      cursor.take("%");
      const size_t position = cursor.token_position();
      return std::pair(position, cursor.take_identifier());
    };
    auto [position, found] = first_name();
    if (!found.empty() && (cursor.peek() == '{' || cursor.peek() == '(')) {  // a computation
      within = found;
      if (cursor.take("{")) std::tie(position, found) = first_name();
    }
    if (!found.empty() && found == name && cursor.peek() == '=' &&
        (computation.empty() || computation == within)) {
      if (place) return std::nullopt;
      place = {line, static_cast<int64_t>(position - start) + 1};
    }
    start = end + 1;
  }
  return place;
}

// The same of a value of StableHLO, in which v5 of HLO is `%5 = ..`.
std::optional<std::pair<int64_t, int64_t>> find_value_text(absl::string_view text,
                                                           absl::string_view name) {
  if (name.size() > 1 && name[0] == 'v' && absl::ascii_isdigit(name[1])) name.remove_prefix(1);
  const std::string defined = absl::StrCat("%", name, " = ");
  const size_t at = text.find(defined);
  if (at == text.npos || text.find(defined, at + 1) != text.npos) return std::nullopt;
  const absl::string_view before = text.substr(0, at);
  const size_t line = before.rfind('\n');
  const size_t column = line == before.npos ? at : at - line - 1;
  return std::pair(std::count(before.begin(), before.end(), '\n') + 1,
                   static_cast<int64_t>(column) + 1);
}

absl::Status unread(const std::string& file) {
  std::error_code error;
  const auto kind = std::filesystem::status(file, error).type();
  const std::string why = kind == std::filesystem::file_type::directory   ? "it is a folder"
                          : kind == std::filesystem::file_type::not_found ? "there is none"
                          : error                                         ? error.message()
                                                                          : "no permission";
  return absl::NotFoundError(absl::StrCat("cannot read the file ", file, ": ", why));
}

// The name of the format, if the text is in one that is often taken for HLO text.
std::string other_format(absl::string_view text) {
  if (absl::StartsWith(text, "\x1f\x8b")) return "gzip data: gunzip it first";
  if (absl::StartsWith(text, "ML\xefR")) return "MLIR bytecode: convert it to HLO text first";
  return "";
}

void report_unknown(const std::vector<HloModule>& modules) {
  std::vector<std::string> words;
  for (const HloModule& module : modules) {
    for (std::string& word : unknown_words(module)) words.push_back(std::move(word));
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  if (words.empty()) return;
  std::cerr << "tileproof: note: not known to XLA, and kept: "
            << conform::shown(absl::StrJoin(words, ", "), 500) << "\n";
}

// The error of data that is read as a binary proto because it is no text.
absl::Status no_proto(const std::string& text, const absl::Status& error) {
  const std::string file = file_of(text);
  return invalid(
      file, file.empty() ? "" : ": ",
      "expected an HLO module, as text or as a proto (read as a proto: ", error.message(), ")");
}

const std::string& unread_prefix() {
  static const auto* const prefix = new std::string(absl::StrCat("\"", stablehlo::kUnreadTarget));
  return *prefix;
}

// The line of "line 5, column 16: ..", counted from 1; 0 if the message names none.
int64_t line_of(absl::string_view message) {
  Cursor cursor(message);
  if (cursor.take_identifier() != "line") return 0;
  const absl::StatusOr<int64_t> line = cursor.take_integer("a line");
  return line.ok() ? *line : 0;
}

// Whether an instruction, a computation or the end of one begins here: `ROOT %r = `, `ENTRY`, `}`.
bool begins_anew(absl::string_view line) {
  line = absl::StripLeadingAsciiWhitespace(line);
  if (line.empty() || line[0] == '}') return true;
  Cursor cursor(line);
  if (cursor.peek_identifier() == "ENTRY") return true;
  if (cursor.peek_identifier() == "ROOT") cursor.take_identifier();
  cursor.take("%");
  return !cursor.take_identifier().empty() && cursor.take("=");
}

// How many brackets, and strings, are open behind a line; -1 if one closes that was not open.
int64_t open_brackets(absl::string_view line) {
  int64_t open = 0;
  bool in_string = false;
  for (const char c : line) {
    if (c == '"') in_string = !in_string;
    if (!in_string && absl::StrContains("([{", c)) ++open;
    if (!in_string && absl::StrContains(")]}", c) && --open < 0) return -1;
  }
  return open + (in_string ? 1 : 0);
}

// A custom call of the name and shape of the instruction on this line; empty if none is there.
std::string unread_instruction(absl::string_view line, size_t number) {
  Cursor cursor(line);
  const bool is_root = cursor.peek_identifier() == "ROOT";
  if (is_root) cursor.take_identifier();
  cursor.take("%");
  const absl::string_view name = cursor.take_identifier();
  if (name.empty() || !cursor.take("=")) return "";
  const absl::StatusOr<Shape> shape = parse_shape(cursor);
  return absl::StrCat(is_root ? "ROOT %" : "%", name, " = ",
                      shape.ok() ? absl::StrCat(to_text(*shape), " ") : "",
                      "custom-call(), custom_call_target=", unread_prefix(), number, "\"");
}

// The text with another instruction on the line of the error; empty if that line holds none. Where a bracket
// stays open and a new instruction follows, the error comes later.
std::string without_line(const std::string& text, const absl::Status& error, size_t number) {
  std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  const auto count = static_cast<size_t>(line_of(error.message()));
  if (count == 0 || count > lines.size()) return "";
  const auto stays_open = [&](size_t i) {
    return begins_anew(lines[i]) && open_brackets(lines[i]) > 0 &&
           !absl::EndsWith(absl::StripAsciiWhitespace(lines[i]), "{") &&
           (i + 1 == lines.size() || begins_anew(lines[i + 1]));
  };
  size_t line = count - 1;
  while (line > 0 && !stays_open(line)) --line;
  if (!stays_open(line)) line = count - 1;
  const bool is_whole = open_brackets(lines[line]) == 0 || stays_open(line);
  const std::string other = is_whole ? unread_instruction(lines[line], number) : "";
  if (other.empty()) return "";
  lines[line] = other;
  return absl::StrJoin(lines, "\n");
}

// An array that reads another one by the map: r = f32[4,8] custom-call(f32[8,4] p), .. Without a shape
// the array that is read ends behind the last element that may be.
absl::StatusOr<std::string> module_of_map(absl::string_view text, absl::string_view shape) {
  const IndexingMap map = TRY(parse_map(text));
  std::vector<int64_t> result, operand;
  if (!shape.empty()) operand = TRY(about("--shape", layout_function_of(shape), shape)).dims;
  if (!shape.empty() && operand.size() != map.results.size()) {
    return invalid("--shape: expected ", map.results.size(),
                   " dimensions, as the map has results, found ", operand.size());
  }
  for (const Variable& variable : map.dimensions) {
    if (variable.bounds.low != 0 || variable.bounds.high == INT64_MAX)
      return invalid("expected dimensions from 0 on, in place of a module");
    result.push_back(variable.bounds.high + 1);
  }
  for (size_t k = 0; k < map.results.size(); ++k) {
    const std::optional<Interval> values = interval_of(map, map.results[k]);
    if (!values || values->low < 0 || values->high == INT64_MAX)
      return invalid("expected results of at least 0, in place of a module");
    if (shape.empty()) operand.push_back(values->high + 1);
    if (values->high >= operand[k]) {
      return invalid("--shape: expected more than ", values->high, " elements in dimension ", k,
                     ", as the map reads them, found ", operand[k]);
    }
  }
  if (!map.ranges.empty() || !map.runtime.empty() || !map.constraints.empty())
    return invalid("expected a map of dimensions alone, in place of a module");
  const std::string header = to_text(map);
  return absl::StrCat("r = f32[", absl::StrJoin(result, ","), "] custom-call(f32[",
                      absl::StrJoin(operand, ","), "] p), custom_call_target=\"tileproof.read\", ",
                      "backend_config=\"affine_map<", header.substr(0, header.find(", domain:")),
                      ">\"");
}

bool looks_like_written_map(absl::string_view text) {
  return absl::StartsWith(absl::StripLeadingAsciiWhitespace(text), "(") &&
         absl::StrContains(text, "->");
}

// The message with what XLA does in place of the name of the difference: "expected .. [limits]".
std::string in_words(absl::string_view message) {
  for (const Difference& difference : differences()) {
    const std::string mark = absl::StrCat(" [", difference.name, "]");
    if (!absl::EndsWith(message, mark)) continue;
    return absl::StrCat(message.substr(0, message.size() - mark.size()),
                        "; XLA differs: ", difference.xla);
  }
  return std::string(message);
}

}  // namespace

std::string file_of(absl::string_view text) {
  const size_t hash = hash_of(text);
  for (const FileRead& file : files_read()) {
    if (file.text == hash && file.size == text.size()) return file.name;
  }
  return "";
}

std::string place_of_instruction(absl::string_view text, absl::string_view instruction) {
  const auto place = find_instruction_text(text, "", instruction);
  if (!place) return "";
  const std::string file = file_of(text);
  if (file.empty()) return absl::StrCat("line ", place->first);
  return absl::StrCat(file, ":", place->first, ":", place->second);
}

absl::Status error_at_instruction(const std::string& text, absl::string_view computation,
                                  absl::string_view instruction, const absl::Status& error) {
  auto place = find_instruction_text(text, computation, instruction);
  if (!place && stablehlo::looks_like_mlir(text)) place = find_value_text(text, instruction);
  if (!place) return error;
  absl::Status placed(error.code(), absl::StrCat("line ", place->first, ", column ", place->second,
                                                 ": ", error.message()));
  if (text.size() <= kMaxTextBytes) placed.SetPayload(kInputText, absl::Cord(text));
  return placed;
}

absl::Status error_at_reason(const std::string& file, absl::string_view computation,
                             absl::string_view reason, const absl::Status& error) {
  const std::string name = absl::StartsWith(file, "@") ? file.substr(1) : file;
  std::error_code no_file;
  if (!std::filesystem::is_regular_file(name, no_file)) return error;
  const absl::StatusOr<std::string> text = read_argument("@" + name);
  if (!text.ok()) return error;
  return error_at_instruction(*text, computation, reason.substr(0, reason.find(": ")), error);
}

bool looks_like_path(absl::string_view argument) {
  constexpr absl::string_view kEndings[] = {".hlo",  ".txt",   ".json", ".jsonl",
                                            ".mlir", ".pbtxt", ".pb",   ".gz"};
  const auto is_in_path = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
           absl::string_view("_./~+-").find(c) != absl::string_view::npos;
  };
  if (!std::ranges::all_of(argument, is_in_path)) return false;
  return absl::StrContains(argument, '/') || std::ranges::any_of(kEndings, [&](auto ending) {
           return absl::EndsWith(argument, ending);
         });
}

absl::StatusOr<std::string> read_argument(const std::string& argument) {
  if (argument == "-") return all_of(std::cin);
  const size_t name_at = argument.find(".mlir#");
  const std::string path =
      name_at == std::string::npos ? argument : argument.substr(0, name_at + 5);
  if (looks_like_path(path)) {
    std::error_code no_file;
    if (std::filesystem::exists(path, no_file)) return read_argument("@" + argument);
    return unread(path);
  }
  if (argument.empty() || argument[0] != '@') return argument;
  const size_t hash = argument.rfind('#');
  std::error_code no_file;
  if (hash != std::string::npos && !std::filesystem::exists(argument.substr(1), no_file)) {
    const std::string name = argument.substr(0, hash);
    std::string text = TRY(read_named_map(name, argument.substr(hash + 1)));
    if (absl::StrContains(text, kAskedFunction))
      files_read().push_back({hash_of(text), text.size(), name.substr(1)});
    return text;
  }
  std::ifstream file(argument.substr(1), std::ios::binary);
  if (!file) return unread(argument.substr(1));
  std::string text = all_of(file);
  if (file.bad()) return unread(argument.substr(1));  // opening a folder succeeds, reading it fails
  files_read().push_back({hash_of(text), text.size(), argument.substr(1)});
  return text;
}

absl::StatusOr<std::string> read_file_argument(const std::string& argument) {
  std::error_code ignored;
  const bool is_file = std::filesystem::is_regular_file(argument, ignored);
  return read_argument(is_file ? "@" + argument : argument);
}

absl::StatusOr<std::vector<HloModule>> modules_in(const std::string& text, bool allow_unknown) {
  const UnknownHlo unknown = allow_unknown ? UnknownHlo::kKeep : UnknownHlo::kRefuse;
  const std::string other = other_format(text);
  if (!other.empty()) {
    return invalid("expected an HLO module, found ", other);
  }
  absl::StatusOr<std::vector<HloModule>> modules =
      hlo_proto::looks_like_proto(text)  ? hlo_proto::parse_modules(text, unknown)
      : stablehlo::looks_like_mlir(text) ? stablehlo::parse_modules(text, unknown)
                                         : parse_hlo_modules(text, unknown);
  if (modules.ok() && allow_unknown) report_unknown(*modules);
  if (modules.ok()) return modules;
  if (absl::StartsWith(modules.status().message(), "byte "))
    return no_proto(text, modules.status());
  absl::Status refused = modules.status();  // complain() shows the place in this text
  if (text.size() <= kMaxTextBytes) refused.SetPayload(kInputText, absl::Cord(text));
  return refused;
}

std::string refused_text(const absl::Status& refused) {
  return std::string(refused.GetPayload(kInputText).value_or(absl::Cord()));
}

std::optional<size_t> unread_line(const HloInstruction& instruction) {
  const std::string* target = find_attribute(instruction.attributes, "custom_call_target");
  absl::string_view number = target == nullptr ? absl::string_view() : *target;
  size_t line = 0;
  if (!absl::ConsumePrefix(&number, unread_prefix()) || !absl::ConsumeSuffix(&number, "\"") ||
      !absl::SimpleAtoi(number, &line)) {
    return std::nullopt;
  }
  return line;
}

absl::StatusOr<ReadLines> modules_but_bad_lines(const absl::Status& refused, bool allow_unknown) {
  constexpr size_t kMostLines = 64;
  const std::string whole = refused_text(refused);
  std::string text = whole;
  ReadLines result;
  absl::StatusOr<std::vector<HloModule>> modules = refused;
  if (stablehlo::looks_like_mlir(whole)) {
    const UnknownHlo unknown = allow_unknown ? UnknownHlo::kKeep : UnknownHlo::kRefuse;
    modules = stablehlo::parse_modules_but(whole, unknown, result.unread);
    if (!modules.ok() || result.unread.empty()) return refused;
    for (absl::Status& one : result.unread) {
      one = invalid(one.message());
      one.SetPayload(kInputText, absl::Cord(whole));
    }
  }
  while (!modules.ok()) {
    const size_t number = result.unread.size();
    std::string other = without_line(text, modules.status(), number);
    if (other.empty() || other == text || number == kMostLines) return refused;
    result.unread.push_back(modules.status());
    result.unread.back().SetPayload(kInputText, absl::Cord(whole));
    text = std::move(other);
    modules = modules_in(text, allow_unknown);
  }
  for (HloModule& module : *modules) {
    for (HloComputation& computation : module.computations) {
      for (HloInstruction& instruction : computation.instructions) {
        if (unread_line(instruction)) instruction.opcode_text = "unread";
      }
    }
  }
  result.modules = *std::move(modules);
  return result;
}

bool looks_like_module(absl::string_view text) {
  return absl::StrContains(text, "HloModule") || absl::StrContains(text, "parameter(") ||
         absl::StrContains(text, "func.func") || hlo_proto::looks_like_proto(text);
}

absl::StatusOr<std::vector<HloModule>> read_modules(const std::string& file, bool allow_unknown,
                                                    absl::string_view shape) {
  if (looks_like_written_map(file)) {
    return modules_in(TRY(about("", module_of_map(file, shape), file)), allow_unknown);
  }
  if (!shape.empty()) return invalid("--shape: expected a map in place of a module");
  const bool is_argument = file == "-" || absl::StartsWith(file, "@");
  std::error_code no_file;  // exists() fails if the text is too long for a file name
  const bool has_code = absl::StrContains(file, " = ") || absl::StrContains(file, "{");
  const bool is_text = has_code && !std::filesystem::exists(file, no_file);
  const std::string text = TRY(
      is_text && !is_argument ? file : read_argument(is_argument ? file : absl::StrCat("@", file)));
  return modules_in(text, allow_unknown);
}

absl::StatusOr<Asked> find_asked(const std::vector<HloModule>& modules, absl::string_view name) {
  if (modules.size() != 1) {
    return invalid("expected one module, found ", modules.size());
  }
  const HloModule& module = modules[0];
  name = absl::StripPrefix(name, "%");
  if (name.empty()) return Asked{module, module.entry, module.computations[module.entry].root};
  const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(name, '/');
  const bool has_computation = absl::StrContains(name, '/');
  std::vector<Asked> found;
  for (int32_t c = 0; c < std::ssize(module.computations); ++c) {
    const HloComputation& computation = module.computations[c];
    if (has_computation && computation.name != parts.first) continue;
    const int32_t i = find_instruction(computation, has_computation ? parts.second : name);
    if (i >= 0) found.push_back({module, c, i});
  }
  if (found.size() == 1) return found[0];
  const std::string shown = conform::shown(name, 60);
  if (found.empty()) return absl::NotFoundError(absl::StrCat("no instruction '", shown, "'"));
  return absl::NotFoundError(
      absl::StrCat("more than one instruction '", shown, "'; name the computation, as in ",
                   conform::shown(module.computations[found[0].computation].name, 60), "/", shown));
}

std::string json_line(Json json) {
  sort_keys(json);
  return to_text(json) + "\n";
}

absl::StatusOr<ElementType> element_type_argument(const std::string& type) {
  const std::optional<ElementType> known = element_type_named(type);
  if (known && has_elements(*known)) return *known;
  return invalid("--type: expected an element type, found ", type, meant_element_type(type));
}

Json json_array(const std::vector<std::string>& texts) {
  Json::Array array;
  for (const std::string& text : texts) array.emplace_back(text);
  return Json(std::move(array));
}

std::string box_text(const std::vector<Interval>& box) {
  const auto add = [](std::string* out, const Interval& side) {
    absl::StrAppend(out, side.low, ":", side.high);
  };
  return absl::StrCat("[", absl::StrJoin(box, ", ", add), "]");
}

Json box_json(const std::vector<Interval>& box) {
  Json::Array sides;
  for (const Interval& side : box) sides.push_back(std::vector<int64_t>{side.low, side.high});
  return Json(std::move(sides));
}

Json json_number(double number) { return Json(Json::Number{absl::StrCat(number)}); }

absl::Status make_folder(const std::string& path) {
  if (path.empty()) return absl::OkStatus();
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (!failed && std::filesystem::is_directory(path, failed) && access(path.c_str(), W_OK) == 0) {
    return absl::OkStatus();
  }
  return absl::UnavailableError(absl::StrCat("cannot write into the folder ", path));
}

std::string placed_message(const absl::Status& status) {
  const std::string text = refused_text(status);
  const std::string file = text.empty() ? "" : file_of(text);
  const std::string message = in_words(status.message());
  return file.empty() ? message : in_file(message, file);
}

int complain_in_text(const std::string& what, const absl::Status& status) {
  std::cerr << "tileproof: " << what << ": " << in_words(status.message()) << "\n";
  return kBadInput;
}

int print(const Answer& answer, bool as_json) {
  if (!as_json || answer.json.empty()) std::cout << answer.text;
  for (const Json& document : answer.json) {
    if (as_json) std::cout << (answer.sorts_keys ? json_line(document) : to_text(document) + "\n");
  }
  return answer.status;
}

absl::Status about(absl::string_view what, const absl::Status& error, absl::string_view text) {
  absl::Status named = error;
  if (!what.empty()) named.SetPayload(kAbout, absl::Cord(what));
  if (!text.empty()) named.SetPayload(kInputText, absl::Cord(text));
  return named;
}

int complain(const std::string& what, const absl::Status& status) {
  const std::string argument(status.GetPayload(kAbout).value_or(absl::Cord(what)));
  const std::string input = refused_text(status);
  const std::string file = status.GetPayload(kInputText) ? file_of(input) : "";
  const std::string message = absl::StrCat(argument, ": ", in_words(status.message()));
  std::cerr << "tileproof: " << (file.empty() ? message : in_file(message, file)) << "\n";
  if (isatty(STDERR_FILENO) != 0) std::cerr << caret_lines(input, message);
  if (json_errors()) std::cout << json_line(error_json(message, file));
  return absl::IsInternal(status) ? kInternal : kBadInput;
}

}  // namespace tileproof::cli
