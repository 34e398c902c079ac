// SPDX-License-Identifier: Apache-2.0
// tileproof check: facts of a map or a layout, each proven or refuted by a point.

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/equiv_modules.h"
#include "cli/text.h"
#include "cli/verbs/any_map.h"
#include "conform/oracle/grid_json.h"
#include "conform/protocol/json.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/indexing_map.h"
#include "spec/lang/map/mlir_text.h"
#include "verify/prove/map/grid_check.h"
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

// tileproof check --shards: do the slices that devices hold make the whole, each element once?
//
//     {"shape": [48, 8], "devices": [{"device": 0, "slice": [[0, 24], [0, 8]]},
//                                    {"device": 1, "slice": [[0, 24], [0, 8]]}]}
//
//     no: nobody holds [24:48, 0:8]; [0:24, 0:8] is on devices 0, 1
//
// A slice is [low, high) along each dimension, as `layout --sharding --json` prints it; null holds nothing.
// `"copies": N` beside the shape: each element is on N devices. A file may have a list of arrays, with names.

using conform::find;
using conform::find_as;

constexpr int64_t kMostWork = int64_t{1} << 28;  // of slices that overlap at random

// [low, high) along each dimension.
using Box = std::vector<Interval>;

struct HeldBox {
  int64_t device = 0;
  Box box;
};

struct ShardedArray {
  Dims dims;
  int64_t copies = 1;
  std::vector<HeldBox> held;
};

absl::StatusOr<Box> box_in(const Json& slice, const Dims& dims) {
  const auto* sides = slice.as<Json::Array>();
  if (sides == nullptr || sides->size() != dims.size()) {
    return invalid("expected a slice of ", dims.size(), " dimensions, found ", to_text(slice));
  }
  Box box;
  for (size_t d = 0; d < dims.size(); ++d) {
    const auto ends = conform::integers((*sides)[d]);
    const bool is_inside = ends && ends->size() == 2 && (*ends)[0] >= 0 &&
                           (*ends)[0] <= (*ends)[1] && (*ends)[1] <= dims[d];
    if (!is_inside) {
      return invalid("expected [low, high] inside of [0, ", dims[d], "], found ",
                     to_text((*sides)[d]));
    }
    box.push_back({(*ends)[0], (*ends)[1]});
  }
  return box;
}

absl::StatusOr<ShardedArray> array_in(const Json& json) {
  ShardedArray array;
  const auto dims = conform::find_integers(json, "shape");
  const auto* devices = find_as<Json::Array>(json, "devices");
  if (!dims || devices == nullptr || !element_count(*dims)) {
    return invalid("expected an object with \"shape\", a list of sizes, and \"devices\"");
  }
  array.dims = *dims;
  if (const Json* copies = find(json, "copies")) {
    array.copies = copies->as<int64_t>() == nullptr ? 0 : *copies->as<int64_t>();
    if (array.copies < 1) return invalid("expected copies from 1 on, found ", to_text(*copies));
  }
  std::set<int64_t> numbers;
  for (const Json& one : *devices) {
    const auto* device = find_as<int64_t>(one, "device");
    const Json* slice = find(one, "slice");
    if (device == nullptr || *device < 0 || slice == nullptr) {
      return invalid("expected {\"device\": number, \"slice\": [[low, high], ..]}, found ",
                     to_text(one));
    }
    if (!numbers.insert(*device).second) {
      return invalid("expected each device once, found device ", *device, " again");
    }
    if (!slice->is_null()) array.held.push_back({*device, TRY(box_in(*slice, array.dims))});
  }
  return array;
}

// A box whose elements are on another number of devices than they should be.
struct Wrong {
  Box box;
  std::vector<int64_t> devices;
};

// Cuts each dimension where a slice begins or ends, and looks at each piece. Takes from `work` what it looks
// at.
void find_wrong(const ShardedArray& array, const std::vector<const HeldBox*>& held, Box& box,
                int64_t& work, std::vector<Wrong>& wrong) {
  const size_t d = box.size();
  work -= 1 + std::ssize(held);
  if (work < 0) return;
  if (d == array.dims.size() || held.empty()) {
    if (std::ssize(held) == array.copies) return;
    wrong.push_back({box, {}});
    for (size_t k = d; k < array.dims.size(); ++k) wrong.back().box.push_back({0, array.dims[k]});
    for (const HeldBox* one : held) wrong.back().devices.push_back(one->device);
    return;
  }
  std::set<int64_t> cuts = {0, array.dims[d]};
  for (const HeldBox* one : held) cuts.insert({one->box[d].low, one->box[d].high});
  for (auto low = cuts.begin(); std::next(low) != cuts.end(); ++low) {
    const int64_t high = *std::next(low);
    std::vector<const HeldBox*> inside;
    for (const HeldBox* one : held) {
      if (one->box[d].low <= *low && one->box[d].high >= high) inside.push_back(one);
    }
    box.push_back({*low, high});
    find_wrong(array, inside, box, work, wrong);
    box.pop_back();
  }
}

std::string text_of(const Wrong& one) {
  if (one.devices.empty()) return absl::StrCat("nobody holds ", box_text(one.box));
  return absl::StrCat(box_text(one.box),
                      one.devices.size() == 1 ? " is on device " : " is on devices ",
                      absl::StrJoin(one.devices, ", "));
}

absl::StatusOr<Answer> answer(const Json& json) {
  const ShardedArray array = TRY(array_in(json));
  std::vector<const HeldBox*> held;
  for (const HeldBox& one : array.held) held.push_back(&one);
  std::vector<Wrong> wrong;
  Box box;
  int64_t work = kMostWork;
  if (*element_count(array.dims) > 0) find_wrong(array, held, box, work, wrong);
  const auto* name = find_as<std::string>(json, "name");
  const std::string place = name == nullptr ? "shards" : *name;
  Json::Array list;
  std::vector<std::string> texts;
  for (const Wrong& one : wrong) {
    list.push_back(json_object({{"slice", box_json(one.box)}, {"devices", one.devices}}));
    if (texts.size() < 8) texts.push_back(text_of(one));
  }
  if (wrong.size() > texts.size()) texts.push_back("..");
  std::string text = absl::StrCat("no: ", absl::StrJoin(texts, "; "));
  if (wrong.empty()) {
    text = absl::StrCat("yes, each of ", *element_count(array.dims), " elements is on ",
                        array.copies, array.copies == 1 ? " device" : " devices");
  }
  const bool is_open = wrong.empty() && work < 0;
  if (is_open) text = "undecided: the slices cut each other into too many pieces";
  Json shards = json_object({{"holds", wrong.empty()}, {"wrong", std::move(list)}});
  if (is_open) set(shards, "holds", Json());
  Json all = json_object({{"shards", std::move(shards)}});
  if (name != nullptr) set(all, "map", *name);
  const int status = is_open ? kUndecided : wrong.empty() ? kHolds : kCounterexample;
  return Answer{{std::move(all)}, absl::StrCat(place, ": ", text, "\n"), status};
}

// One answer for each array. Errors: what is not such a file.
absl::StatusOr<std::vector<Answer>> check_shards(const std::string& text) {
  const Json file = TRY(conform::read_json(text)).value;
  std::vector<Answer> answers;
  const auto* list = file.as<Json::Array>();
  if (list == nullptr) {
    answers.push_back(TRY(answer(file)));
    return answers;
  }
  for (const Json& one : *list) answers.push_back(TRY(answer(one)));
  if (answers.empty()) return invalid("expected an array");
  return answers;
}

// What a file of shards says; the name of a file is enough.
absl::StatusOr<std::vector<Answer>> shards_in(const std::string& file) {
  return check_shards(TRY(read_file_argument(file)));
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

// tileproof grid: does a grid of tiles read and write its arrays as it should?

namespace {

using spec::GridFinding;
using verify::CheckedGrid;
using verify::CheckedGridFact;

struct NamedFact {
  std::string name;
  const CheckedGridFact& fact;
  std::string holds;                        // what is printed if it holds
  std::string (*text)(const GridFinding&);  // of what refutes it
  std::string refuted = {};                 // behind that text
};

std::vector<NamedFact> facts_of(const spec::Grid& grid, const CheckedGrid& checked) {
  const std::string counted = checked.blocks
                                  ? absl::StrCat("yes, ", *checked.blocks, " blocks, ",
                                                 *checked.partly, " of them partly padding")
                                  : "yes";
  std::vector<NamedFact> facts = {
      {"inside", checked.inside, counted, verify::text_of_outside},
      {"covered", checked.covered, "yes", verify::text_of_uncovered},
      {"once", checked.once, "yes", verify::text_of_collision, ", with other steps between them"},
      {"races", checked.races, "none", verify::text_of_collision, ", and may run at once"}};
  const bool has_alias = std::ranges::any_of(
      grid.operands, [](const spec::GridOperand& operand) { return !operand.alias.empty(); });
  if (has_alias) {
    facts.push_back({"aliases", checked.aliases, "read before they are overwritten",
                     verify::text_of_collision, ": it is overwritten before it is read"});
  }
  return facts;
}

absl::StatusOr<spec::Grid> read_grid(const std::string& file) {
  const std::string text = TRY(read_argument(file));
  const conform::JsonText json = TRY(conform::read_json(text));
  if (json.duplicate) return invalid(*json.duplicate);
  return conform::grid_in(json.value);
}

Json to_json(const NamedFact& named) {
  Json json = json_object({{"holds", Json()}});
  if (named.fact.verdict == Verdict::kUndecided) {
    set(json, "why", named.fact.open);
    return json;
  }
  set(json, "holds", named.fact.verdict == Verdict::kProven);
  if (!named.fact.finding) return json;
  const GridFinding& finding = *named.fact.finding;
  set(json, "operand", finding.operand);
  if (finding.at) set(json, "at", *finding.at);
  if (finding.before) set(json, "before", *finding.before);
  if (!finding.block.empty()) set(json, "block", finding.block);
  if (!finding.element.empty()) set(json, "element", finding.element);
  set(json, "why", absl::StrCat(named.text(finding), named.refuted));
  return json;
}

std::string to_text(const NamedFact& named) {
  const CheckedGridFact& fact = named.fact;
  return absl::StrCat(named.name, ": ",
                      fact.verdict == Verdict::kProven ? named.holds
                      : fact.verdict == Verdict::kRefuted
                          ? absl::StrCat(named.text(*fact.finding), named.refuted)
                          : absl::StrCat("undecided: ", fact.open),
                      "\n");
}

}  // namespace

absl::StatusOr<Answer> grid_command(const Command& given) {
  const spec::Grid grid = TRY(read_grid(given.text("FILE")));
  verify::GridCheckOptions limits;
  limits.of_maps.milliseconds = static_cast<unsigned>(given.number("--timeout"));
  const CheckedGrid checked = TRY(verify::check_grid(grid, limits));
  Json json = json_object({});
  std::string text;
  int status = kHolds;
  for (const NamedFact& named : facts_of(grid, checked)) {
    set(json, named.name, to_json(named));
    absl::StrAppend(&text, to_text(named));
    status = worse(status, exit_status(named.fact.verdict));
  }
  return Answer{{std::move(json)}, std::move(text), status};
}

}  // namespace tileproof::cli
