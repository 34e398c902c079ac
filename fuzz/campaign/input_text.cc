// SPDX-License-Identifier: Apache-2.0
#include "fuzz/campaign/input_text.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "conform/protocol/json.h"
#include "generate/hlo/generate_hlo.h"
#include "generate/layout/generate_blocked.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/map/map_text.h"
#include "verify/compare/algebra_laws.h"

namespace tileproof::campaign {
namespace {

using conform::Json;
using conform::json_object;
using conform::Member;

constexpr size_t kMaxOfLine = 1000;         // of the comment in a regression
constexpr size_t kMaxOfLineOfModule = 200;  // for modules, which are longer

// Quotes the text for bash.
std::string in_quotes(absl::string_view text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return absl::ascii_isprint(c) && c != '\'';
  });
  return plain ? absl::StrCat("'", text, "'") : absl::StrCat("$'", absl::CEscape(text), "'");
}

// Returns the command with the text as its argument. A text that looks like an option or a file
// goes to standard input.
std::string asked(absl::string_view command, absl::string_view text) {
  const bool other = absl::StartsWith(text, "-") || absl::StartsWith(text, "@");
  return absl::StrCat("tileproof ", command, other ? " - <<< " : " ", in_quotes(text));
}

// Returns the command with each line of the text as an argument.
std::string asked_of_lines(absl::string_view command, absl::string_view text) {
  std::vector<std::string> words = {absl::StrCat("tileproof ", command)};
  for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    words.push_back(in_quotes(line));
  }
  return absl::StrJoin(words, " ");
}

Json request(int64_t id, absl::string_view op, const std::vector<Member>& more) {
  Json json = json_object({{"id", id}, {"op", op}});
  for (const Member& member : more) conform::set(json, member.key, member.value);
  return json;
}

// Returns the command that judges our answers to the requests by the reference.
std::string judged(const std::vector<Json>& requests) {
  std::vector<std::string> lines;
  for (const Json& one : requests) lines.push_back(in_quotes(conform::to_text(one)));
  return absl::StrCat(
      "r=", lines.size() == 1 ? lines[0] : "$(printf '%s\\n' " + absl::StrJoin(lines, " ") + ")",
      "; tileproof respond <<< \"$r\" | "
      "tileproof judge --requests <(cat <<< \"$r\") --answers -");
}

std::string composed(absl::string_view text) {
  const std::vector<absl::string_view> lines = absl::StrSplit(text, '\n', absl::SkipEmpty());
  if (lines.size() != 2) return asked_of_lines("equiv", text);  // the target ignores such inputs
  return judged({request(1, "map.compose", {{"first", lines[0]}, {"second", lines[1]}})});
}

// Returns a request to evaluate the map at a corner of its box.
Json evaluation(int64_t id, absl::string_view text, const IndexingMap& map, bool high) {
  const auto corner = [high](const std::vector<Variable>& variables) {
    std::vector<int64_t> values;
    for (const Variable& variable : variables)
      values.push_back(high ? variable.bounds.high : variable.bounds.low);
    return values;
  };
  return request(id, "map.evaluate",
                 {{"map", text},
                  {"dims", corner(map.dimensions)},
                  {"ranges", corner(map.ranges)},
                  {"runtime", corner(map.runtime)}});
}

std::string map_functions(absl::string_view text) {
  const std::string steps = asked("simplify --trace", text);
  const absl::StatusOr<IndexingMap> map = parse_map(text);
  if (!map.ok()) return steps;
  return absl::StrCat(steps, "; ",
                      judged({evaluation(1, text, *map, false), evaluation(2, text, *map, true)}));
}

// Returns the tile with every second element along each dimension of the root.
std::optional<Json> tile_of_root(absl::string_view text) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(text);
  if (!module.ok()) return std::nullopt;
  const HloComputation& entry = module->computations[module->entry];
  const SharedShape& shape = entry.instructions[entry.root].shape;
  if (!shape || shape->kind != Shape::Kind::kArray) return std::nullopt;
  Json::Array tile;
  for (const Dimension& dimension : shape->dimensions) {
    if (dimension.size == 0) return std::nullopt;
    const int64_t size = dimension.size / 2 + dimension.size % 2;
    tile.push_back(std::vector<int64_t>{0, size, size > 1 ? 2 : 1});
  }
  return tile;
}

std::string module_access(absl::string_view text) {
  std::vector<Json> requests = {
      request(1, "hlo.utilization", {{"hlo", text}, {"scope", "computation"}})};
  if (const std::optional<Json> tile = tile_of_root(text))
    requests.push_back(request(2, "hlo.tile", {{"hlo", text}, {"tile", *tile}}));
  return judged(requests);
}

}  // namespace

std::string text_of(const Target& target, absl::string_view input) {
  const absl::Span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(input.data()),
                                        input.size());
  switch (target.input) {
    case Input::kOperation:
      return hlo_of_choices(bytes, /*computation=*/false).text;
    case Input::kComputation:
      return hlo_of_choices(bytes, /*computation=*/true).text;
    case Input::kLayout:
      return to_text(layout_of_choices(bytes));
    case Input::kAlgebra: {
      Choose choose(Choose::Bytes{bytes});
      return verify::to_text(verify::random_algebra_case(choose));
    }
    default:
      return std::string(input);
  }
}

std::string command_of(const Target& target, absl::string_view input) {
  const std::string text = text_of(target, input);
  switch (target.question) {
    case Question::kIsLayout:
      return asked("layout", text);
    case Question::kLayout:
      return asked("prove", text);
    case Question::kConversions:
      return absl::StrCat("for system in xla tla cute dnnl; do ",
                          asked("layout --as $system", text), "; done");
    case Question::kRelayout:
      return asked_of_lines("relayout", text);
    case Question::kLaws:
      return asked("algebra laws", text);
    case Question::kIsMap:
      return asked("simplify", text);
    case Question::kIsMlir:
      return asked("simplify --mlir", text);
    case Question::kSimplified:
      return judged({request(1, "map.simplify", {{"map", text}})});
    case Question::kComposed:
      return composed(text);
    case Question::kEqual:
      return asked_of_lines("equiv", text);
    case Question::kMapFunctions:
      return map_functions(text);
    case Question::kIsModule:
      return asked("map", text);
    case Question::kIndexing:
      return absl::StrCat("for direction in output_to_input input_to_output; do ",
                          asked("map --verify --direction $direction", text), "; done");
    case Question::kModuleAccess:
      return module_access(text);
    case Question::kAnswer:
      return absl::StrCat("tileproof respond <<< ", in_quotes(text));
    case Question::kTrace:
      return absl::StrCat("tileproof simplify --check - <<< ", in_quotes(text));
  }
  return "";
}

std::string regression_of(const Target& target, absl::string_view input, absl::string_view line,
                          absl::string_view replay) {
  const std::string text = text_of(target, input);
  const Regressions& form = target.regressions;
  const bool printable = std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return absl::ascii_isprint(c) || c == '\n';
  });
  std::string out = form.modules ? "// -----\n" : "";
  const size_t most = form.modules ? kMaxOfLineOfModule : kMaxOfLine;
  absl::StrAppend(&out, form.comment, " ", line.substr(0, most), line.size() > most ? ".." : "",
                  "\n", form.comment, " Replay: ", replay, "\n", form.comment,
                  " Belongs into corpus/", form.file, "\n");
  if (printable) return absl::StrCat(out, text, absl::EndsWith(text, "\n") ? "" : "\n");
  return absl::StrCat(out, form.comment, " The input, escaped: ", in_quotes(text), "\n");
}

}  // namespace tileproof::campaign
