// SPDX-License-Identifier: Apache-2.0
// tileproof simplify: prints the normal form of a map, and the steps that prove it.
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/text.h"
#include "cli/verbs/narrow_map.h"
#include "impl/map/simplify.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/map_text.h"
#include "spec/lang/map/mlir_text.h"
#include "spec/lang/map/variable_divisors.h"
#include "verify/trace/trace_check.h"

namespace tileproof::cli {
namespace {

// How results are simplified and printed: --as and --keep.
struct Style {
  std::optional<std::string> form;
  std::optional<impl::TileSizes> keep;
};

absl::StatusOr<Style> style_of(const Command& given) {
  auto keep = TRY(kept_tiles(given.text_if("--keep")));
  return Style{given.text_if("--as"), std::move(keep)};
}

// The text in the form that --as names. Without --as, an affine_map, which has no bounds, stays one.
absl::StatusOr<std::string> in_form(const IndexingMap& map, bool unbounded,
                                    const std::optional<std::string>& form) {
  if (form ? *form == "affine_map" : unbounded && is_unbounded(map)) {
    return to_mlir(map, MlirKind::kAffineMap);
  }
  if (form == "indexing_map") return to_mlir(map, MlirKind::kIndexingMap);
  return to_text(map);
}

absl::StatusOr<std::string> simplified_text(const std::string& text, const Style& style) {
  const IndexingMap map = TRY(parse_map_with_variable_divisors(text));
  const IndexingMap simple = TRY(simplified(map, style.keep));
  const bool is_affine = absl::StrContains(text.substr(0, text.find('(')), "affine_map");
  return in_form(simple, is_affine, style.form);
}

Answer answer_of(const std::string& result) {
  return {{json_object({{"map", result}})}, result + "\n"};
}

// Reads one map per line. Prints an empty line for an empty line, and for an invalid map an empty
// line or, with --json, an error. So result lines match input lines.
int simplify_lines(const Style& style, bool json) {
  int status = kHolds;
  std::string line;
  for (int64_t number = 1; std::getline(std::cin, line); ++number) {
    if (absl::StripAsciiWhitespace(line).empty()) {
      std::cout << "\n";
      continue;
    }
    const absl::StatusOr<std::string> result = simplified_text(line, style);
    if (result.ok()) {
      print(answer_of(*result), json);
      continue;
    }
    status = complain_in_text(absl::StrCat("line ", number), result.status());
    print({{json_object({{"line", number}, {"error", result.status().message()}})}, "\n"}, json);
  }
  if (!std::cout.flush()) {
    std::cerr << "tileproof: simplify: cannot write\n";
    return kInternal;
  }
  return status;
}

// Simplifies every map of a text of MLIR, up to the first that cannot be. A memref is the map to its
// offset.
absl::Status simplify_mlir(const std::string& text, const Style& style, bool json) {
  const std::vector<MlirItem> items = TRY(about("", find_mlir(text), text));
  if (items.empty()) {
    return invalid("expected an affine_map, indexing_map or memref");
  }
  for (const MlirItem& item : items) {
    const std::string place = absl::StrCat("line ", item.line);
    Json document = json_object({{"line", item.line}, {"name", item.name}, {"text", item.text}});
    if (item.is_dynamic) {
      const std::string reason = "its sizes, strides, offset or rank are not known";
      set(document, "map", Json());
      set(document, "reason", reason);
      print({{document}, absl::StrCat(place, ": no map of ", item.text, ": ", reason, "\n")}, json);
      continue;
    }
    const IndexingMap simple = TRY(about(place, simplified(item.map, style.keep)));
    const bool is_affine = item.kind == MlirKind::kAffineMap;
    const std::string result = TRY(about(place, in_form(simple, is_affine, style.form)));
    const std::string name = item.name.empty() ? "" : absl::StrCat("#", item.name, " = ");
    set(document, "map", result);
    print({{document}, absl::StrCat(place, ": ", name, result, "\n")}, json);
  }
  return absl::OkStatus();
}

// The steps, then the map. Reports steps that the checker rejects.
absl::StatusOr<Answer> simplify_with_trace(const std::string& text) {
  const IndexingMap map = TRY(about("", parse_map(text), text));
  const impl::Traced traced = TRY(impl::simplify_with_trace(map));
  const std::string result = to_text(traced.map);
  const absl::StatusOr<trace::Checked> checked = trace::check_trace(traced.trace);
  const std::vector<std::string> lines = absl::StrSplit(traced.trace, '\n', absl::SkipEmpty());
  Answer answer{
      {json_object({{"map", result}, {"trace", json_array(lines)}, {"accepted", checked.ok()}})},
      absl::StrCat(traced.trace, result, "\n")};
  if (checked.ok()) return answer;
  answer.status = kUndecided;
  std::cerr << "tileproof: simplify: "
            << (traced.trace.empty()
                    ? "the trace has too many steps"
                    : absl::StrCat("the checker rejects the trace: ", checked.status().message()))
            << "\n";
  return answer;
}

// Checks that a trace proves what it claims.
Answer check(const std::string& text) {
  const absl::StatusOr<trace::Checked> checked = trace::check_trace(text);
  if (!checked.ok()) {
    const absl::string_view message = checked.status().message();
    return {{json_object({{"accepted", false}, {"error", message}})},
            absl::StrCat("rejected: ", message, "\n"),
            kCounterexample};
  }
  const std::string before = to_text(checked->before), after = to_text(checked->after);
  return {{json_object({{"accepted", true},
                        {"before", before},
                        {"after", after},
                        {"steps", static_cast<int64_t>(checked->steps)}})},
          absl::StrCat("accepted: ", checked->steps, " steps\n", before, "\n", after, "\n")};
}

// The map; on standard error what leaves the width in every form.
absl::StatusOr<Answer> simplify_within_width(const std::string& text, const Command& given,
                                             const Style& style) {
  const spec::IntegerWidth width{given.number("--width"), given.flag("--unsigned")};
  const IndexingMap map = TRY(about("", parse_map(text), text));
  TRY(about("--width", spec::integers_of(width)));
  const NarrowMap narrow = TRY(simplified_within(map, width, style.keep));
  Answer answer = answer_of(TRY(in_form(narrow.map, false, style.form)));
  set(answer.json[0], "leaving", json_array(narrow.leaving));
  set(answer.json[0], "undecided", json_array(narrow.undecided));
  for (const std::string& why : narrow.leaving)
    std::cerr << "tileproof: simplify: leaves " << width.bits << " bits: " << why << "\n";
  for (const std::string& why : narrow.undecided)
    std::cerr << "tileproof: simplify: undecided: " << why << "\n";
  answer.status = !narrow.leaving.empty()     ? kCounterexample
                  : !narrow.undecided.empty() ? kUndecided
                                              : kHolds;
  return answer;
}

}  // namespace

absl::StatusOr<Answer> simplify_command(const Command& given) {
  const bool json = given.flag("--json"), traces = given.flag("--trace"),
             checks = given.flag("--check"), lines = given.flag("--lines");
  const std::string& argument = given.text("MAP");
  if (traces + checks + lines > 1) {
    return invalid("expected one of --lines, --trace and --check");
  }
  if (given.has("--keep") && (traces || checks)) {
    return invalid(
        "expected no --keep with --trace or --check, which log the steps to the joined form");
  }
  if (given.has("--width") && (traces || checks || lines || given.flag("--mlir"))) {
    return invalid("expected --width for one map, without --lines, --trace, --check and --mlir");
  }
  const Style style = TRY(style_of(given));
  if (lines) {
    if (argument == "-") return Answer{{}, "", simplify_lines(style, json)};
    return invalid("expected no MAP with --lines, which reads standard input");
  }
  const bool is_file = absl::EndsWith(argument, ".mlir") && !absl::StartsWith(argument, "@");
  const std::string text = TRY(read_argument(is_file ? absl::StrCat("@", argument) : argument));
  if (traces) return simplify_with_trace(text);
  if (checks) return check(text);
  if (given.flag("--mlir") || absl::EndsWith(argument, ".mlir")) {
    TRY(simplify_mlir(text, style, json));
    return Answer{};
  }
  if (given.has("--width")) return simplify_within_width(text, given, style);
  return answer_of(TRY(about("", simplified_text(text, style), text)));
}

}  // namespace tileproof::cli
