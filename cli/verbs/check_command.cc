// SPDX-License-Identifier: Apache-2.0
// tileproof check: facts of a map or a layout, each proven or refuted by a point.
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/equiv_modules.h"
#include "cli/text.h"
#include "cli/verbs/any_map.h"
#include "cli/verbs/check_shards.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/mlir_text.h"
#include "verify/prove/map/map_check.h"

namespace tileproof::cli {
namespace {

using verify::CheckedFact;
using verify::Verdict;

// "9,4", also in brackets, or the logical sizes of a layout.
absl::StatusOr<std::vector<int64_t>> sizes_of_box(absl::string_view text) {
  absl::string_view stripped = absl::StripAsciiWhitespace(text);
  for (const auto& [open, close] : {std::pair("[", "]"), std::pair("(", ")")}) {
    if (absl::StartsWith(stripped, open) && absl::EndsWith(stripped, close) &&
        !absl::StrContains(stripped, ':'))
      stripped = stripped.substr(1, stripped.size() - 2);
  }
  if (!stripped.empty() && (absl::ascii_isdigit(stripped[0]) || stripped[0] == '-') &&
      !absl::StrContains(stripped, ':')) {
    std::vector<int64_t> sizes = TRY(parse_integers(stripped));
    for (const int64_t size : sizes) {
      if (size < 0) return invalid("expected sizes of at least 0, found ", size);
    }
    return sizes;
  }
  return TRY(layout_function_of(text)).dims;
}

// "0..8,-3..3", or sizes.
absl::StatusOr<std::vector<Interval>> box_in(const std::string& text) {
  std::vector<Interval> box;
  if (!absl::StrContains(text, "..")) {
    const std::vector<int64_t> sizes = TRY(prefixed("--inside", sizes_of_box(text)));
    for (const int64_t size : sizes) box.push_back({0, size - 1});
    return box;
  }
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    const std::vector<absl::string_view> ends = absl::StrSplit(part, "..");
    Interval interval;
    if (ends.size() != 2 || !absl::SimpleAtoi(ends[0], &interval.low) ||
        !absl::SimpleAtoi(ends[1], &interval.high)) {
      return invalid("--inside: expected LO..HI,LO..HI,.., found ", part);
    }
    box.push_back(interval);
  }
  return box;
}

// One fact that is asked for.
struct AskedFact {
  std::string name;  // "inside", "width 32"
  std::string key;   // of the JSON
  std::function<absl::StatusOr<CheckedFact>(const IndexingMap&)> ask;
  std::function<std::string(const IndexingMap&, const CheckedFact&)> why;
};

absl::StatusOr<std::vector<AskedFact>> questions_of(const Command& given) {
  verify::CheckOptions limits;
  limits.milliseconds = static_cast<unsigned>(given.number("--timeout"));
  std::vector<AskedFact> questions;
  if (given.has("--inside")) {
    const std::vector<Interval> box = TRY(box_in(given.text("--inside")));
    questions.push_back(
        {"inside", "inside",
         [=](const IndexingMap& map) { return verify::check_inside(map, box, limits); },
         [=](const IndexingMap& map, const CheckedFact& checked) {
           return verify::text_of_outside(map, box, checked);
         }});
  }
  if (given.flag("--one-to-one")) {
    questions.push_back(
        {"one-to-one", "one_to_one",
         [=](const IndexingMap& map) { return verify::check_one_to_one(map, limits); },
         verify::text_of_meeting});
  }
  if (given.has("--onto")) {
    const std::vector<int64_t> sizes = TRY(prefixed("--onto", sizes_of_box(given.text("--onto"))));
    questions.push_back(
        {"onto", "onto",
         [=](const IndexingMap& map) { return verify::check_onto(map, sizes, limits); },
         [](const IndexingMap&, const CheckedFact& checked) {
           return verify::text_of_missing(checked);
         }});
  }
  if (given.has("--width")) {
    const spec::IntegerWidth width{given.number("--width"), given.flag("--unsigned")};
    TRY(spec::integers_of(width));
    questions.push_back(
        {absl::StrCat("width ", width.bits, width.is_unsigned ? " unsigned" : ""), "width",
         [=](const IndexingMap& map) { return verify::check_width(map, width, limits); },
         verify::text_of_leaving});
  }
  if (!questions.empty()) return questions;
  return invalid("expected --inside, --one-to-one, --onto or --width");
}

Json to_json(const AskedFact& question, const IndexingMap& map, const CheckedFact& checked) {
  Json json = json_object({{"holds", Json()}});
  if (checked.verdict == Verdict::kUndecided) {
    set(json, "why", checked.open);
    return json;
  }
  set(json, "holds", checked.verdict == Verdict::kProven);
  set(json, "by", checked.by);
  if (checked.is_counted) set(json, "of", checked.fact->of);
  if (checked.verdict == Verdict::kProven) return json;
  const spec::MapFact& fact = *checked.fact;
  if (checked.is_counted) set(json, "against", fact.against);
  if (fact.at.size() == 1) {
    set(json, "at", point_json(fact.at[0]));
  } else if (fact.at.size() == 2) {
    set(json, "at", Json(Json::Array{point_json(fact.at[0]), point_json(fact.at[1])}));
  } else {
    set(json, "at", fact.results);
  }
  if (!fact.at.empty() && question.key != "width") set(json, "results", fact.results);
  set(json, "why", question.why(map, checked));
  return json;
}

// Answers all questions about one map. `place` is "line 3", or "".
absl::StatusOr<Answer> answer(const IndexingMap& map, const std::vector<AskedFact>& questions,
                              const std::string& place) {
  Json all = json_object({});
  if (!place.empty()) set(all, "map", place);
  int status = kHolds;
  std::string text;
  for (const AskedFact& question : questions) {
    const CheckedFact checked = TRY(question.ask(map));
    status = worse(status, exit_status(checked.verdict));
    set(all, question.key, to_json(question, map, checked));
    absl::StrAppend(&text, place, place.empty() ? "" : ": ", question.name, ": ");
    switch (checked.verdict) {
      case Verdict::kProven:
        absl::StrAppend(&text, "yes");
        if (checked.is_counted)
          absl::StrAppend(&text, ", ", checked.fact->of,
                          question.key == "onto" ? " elements" : " points");
        absl::StrAppend(&text, "\n");
        break;
      case Verdict::kRefuted:
        absl::StrAppend(&text, "no: ", question.why(map, checked), "\n");
        break;
      case Verdict::kUndecided:
        absl::StrAppend(&text, "undecided: ", checked.open, "\n");
    }
  }
  return Answer{{std::move(all)}, std::move(text), status};
}

// A map, and its place in the text, "line 3". A map that is alone has the place "".
struct PlacedMap {
  std::string place;
  absl::StatusOr<IndexingMap> map;
};

// One map a line; or the maps and memrefs of a text of MLIR; or the only map.
std::vector<PlacedMap> maps_in(const std::string& text, bool lines) {
  std::vector<PlacedMap> maps;
  const auto map_of = [](absl::string_view one) -> absl::StatusOr<IndexingMap> {
    return TRY(parse_any_divided_map(one)).map;
  };
  if (lines) {
    int64_t number = 0;
    for (const absl::string_view line : absl::StrSplit(text, '\n')) {
      ++number;
      if (absl::StripAsciiWhitespace(line).empty()) continue;
      maps.push_back({absl::StrCat("line ", number), map_of(line)});
    }
    return maps;
  }
  maps.push_back({"", about("", map_of(text), text)});
  const auto items = find_mlir(text);
  if (maps[0].map.ok() || !items.ok() || items->size() < 2) return maps;
  maps.clear();
  for (const MlirItem& item : *items) {
    const std::string name = item.name.empty() ? "" : absl::StrCat(", #", item.name);
    maps.push_back({absl::StrCat("line ", item.line, name),
                    item.is_dynamic ? invalid("its sizes, strides, offset or rank are not known")
                                    : absl::StatusOr<IndexingMap>(item.map)});
  }
  return maps;
}

// What a file of shards says; the name of a file is enough.
absl::StatusOr<std::vector<Answer>> shards_in(const std::string& file) {
  std::error_code ignored;
  const bool is_file = std::filesystem::is_regular_file(file, ignored);
  return check_shards(TRY(read_argument(is_file ? "@" + file : file)));
}

}  // namespace

absl::StatusOr<int> check_command(const Command& given) {
  if (given.flag("--shards")) {
    int status = kHolds;
    for (const Answer& one : TRY(about("check --shards", shards_in(given.text("MAP"))))) {
      status = worse(status, print(one, given.flag("--json")));
    }
    return status;
  }
  const std::vector<AskedFact> questions = TRY(questions_of(given));
  const std::vector<PlacedMap> maps =
      maps_in(TRY(read_argument(given.text("MAP"))), given.flag("--lines"));
  if (maps.empty()) return invalid("expected a map a line");
  int status = kHolds;
  for (const auto& [place, map] : maps) {
    const absl::StatusOr<Answer> answered =
        map.ok() ? answer(*map, questions, place) : map.status();
    const std::string what = place.empty() ? "check" : absl::StrCat("check: ", place);
    status = worse(status, answered.ok() ? print(*answered, given.flag("--json"))
                                         : complain(what, answered.status()));
  }
  return status;
}

}  // namespace tileproof::cli
