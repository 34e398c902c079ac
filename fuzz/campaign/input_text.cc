#include "fuzz/campaign/input_text.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "fuzz/gen_blocked.h"
#include "fuzz/gen_hlo.h"

namespace tileproof::campaign {
namespace {

// For bash and its like.
std::string in_quotes(absl::string_view text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return absl::ascii_isprint(c) && c != '\'' && c != '\\';
  });
  return plain ? absl::StrCat("'", text, "'") : absl::StrCat("$'", absl::CEscape(text), "'");
}

// For `printf %b`.
std::string octal(absl::string_view bytes) {
  std::string out;
  for (const char c : bytes) absl::StrAppendFormat(&out, "\\0%03o", static_cast<unsigned char>(c));
  return out;
}

std::string program_of(const Target& target) {
  switch (target.input) {
    case Input::kShape:
    case Input::kNested:
    case Input::kLayoutChoices:
      return "tileproof layout";
    case Input::kMap:
      return target.lines == 2 ? "tileproof equiv" : "tileproof simplify";
    default:
      return "tileproof map";
  }
}

}  // namespace

std::string text_of(const Target& target, absl::string_view input) {
  const absl::Span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(input.data()),
                                        input.size());
  if (target.input == Input::kLayoutChoices) return to_text(layout_of_choices(bytes));
  if (target.input != Input::kChoices) return std::string(input);
  return hlo_of_choices(bytes, target.name == "hlo_computation").text;
}

std::string command_of(const Target& target, absl::string_view input) {
  const std::string text = text_of(target, input);
  if (target.input == Input::kRequest)
    return absl::StrCat("printf '%s\\n' ", in_quotes(text), " | tileproof respond");
  if (target.input == Input::kBytes)
    return absl::StrCat("printf %b '", octal(text), "' > input; ", target.name, "_fuzzer input");
  if (target.lines < 2) return absl::StrCat(program_of(target), " ", in_quotes(text));
  std::vector<std::string> words = {program_of(target)};
  for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    words.push_back(in_quotes(line));
  }
  return absl::StrJoin(words, " ");
}

std::string regression_of(const Target& target, absl::string_view input, absl::string_view line,
                          absl::string_view replay) {
  const std::string text = text_of(target, input);
  const bool modules = target.input == Input::kHlo || target.input == Input::kChoices;
  const bool printable = std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return absl::ascii_isprint(c) || c == '\n';
  });
  std::string out = modules ? "// -----\n" : "";
  const size_t most = modules ? 200 : 1000;  // of what has the input in it once more
  absl::StrAppend(&out, "// ", line.substr(0, most), line.size() > most ? ".." : "",
                  "\n// Replay: ", replay, "\n");
  if (!target.regressions.empty())
    absl::StrAppend(&out, "// Belongs into corpus/", target.regressions, "\n");
  if (printable) return absl::StrCat(out, text, absl::EndsWith(text, "\n") ? "" : "\n");
  return absl::StrCat(out, "// The input, escaped: ", in_quotes(text), "\n");
}

}  // namespace tileproof::campaign
