// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "conform/protocol/json.h"
#include "fuzz/campaign/parts.h"
#include "generate/hlo/generate_hlo.h"
#include "generate/layout/generate_blocked.h"
#include "verify/compare/algebra_laws.h"

namespace tileproof::campaign {
namespace {

using Bytes = absl::Span<const uint8_t>;

constexpr size_t kMaxOfLine = 1000;         // of the comment in a regression
constexpr size_t kMaxOfLineOfModule = 200;  // for modules, which are longer

// The text that choices make, by target.
constexpr std::pair<absl::string_view, std::string (*)(Bytes)> kGenerated[] = {
    {"hlo_index", [](Bytes bytes) { return hlo_of_choices(bytes, /*computation=*/false).text; }},
    {"hlo_computation",
     [](Bytes bytes) { return hlo_of_choices(bytes, /*computation=*/true).text; }},
    {"layout_convert", [](Bytes bytes) { return to_text(layout_of_choices(bytes)); }},
    {"algebra",
     [](Bytes bytes) {
       Choose choose(Choose::Bytes{bytes});
       return verify::to_text(verify::random_algebra_case(choose));
     }},
};

// Quotes the text for bash.
std::string in_quotes(absl::string_view text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return absl::ascii_isprint(c) && c != '\'';
  });
  return plain ? absl::StrCat("'", text, "'") : absl::StrCat("$'", absl::CEscape(text), "'");
}

// A text that looks like an option or a file goes to standard input.
std::string argument(absl::string_view text) {
  const bool other = absl::StartsWith(text, "-") || absl::StartsWith(text, "@");
  return absl::StrCat(other ? "- <<< " : "", in_quotes(text));
}

std::string in_json(absl::string_view text) { return conform::to_text(std::string(text)); }

// Replaces {}, {1}, {2} .. and {*} by the quoted text and its lines.
std::string filled(absl::string_view form, absl::string_view text,
                   std::string (*quoted)(absl::string_view)) {
  std::vector<std::pair<std::string, std::string>> parts = {{"{}", quoted(text)}};
  std::vector<std::string> lines;
  for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    lines.push_back(quoted(line));
    parts.emplace_back(absl::StrCat("{", lines.size(), "}"), lines.back());
  }
  parts.emplace_back("{*}", absl::StrJoin(lines, " "));
  return absl::StrReplaceAll(form, parts);
}

}  // namespace

std::string text_of(const Target& target, absl::string_view input) {
  const auto generated =
      absl::c_find_if(kGenerated, [&](const auto& one) { return one.first == target.name; });
  if (generated == std::end(kGenerated)) return std::string(input);
  return generated->second(Bytes(reinterpret_cast<const uint8_t*>(input.data()), input.size()));
}

std::string command_of(const Target& target, absl::string_view input) {
  const std::string text = text_of(target, input);
  if (!absl::StartsWith(target.ask, "{")) return filled(target.ask, text, argument);
  return absl::StrCat("r=", in_quotes(filled(target.ask, text, in_json)),
                      "; tileproof respond <<< \"$r\" | "
                      "tileproof judge --requests <(cat <<< \"$r\") --answers -");
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
