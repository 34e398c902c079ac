// SPDX-License-Identifier: Apache-2.0
#include "cli/equiv_modules.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "cli/commands.h"
#include "conform/oracle/sharding_json.h"
#include "conform/report/report.h"
#include "explorer/answers/panels.h"
#include "spec/lang/base/try.h"
#include "verify/prove/hlo/modules/module_equal.h"
#include "verify/prove/hlo/modules/module_interface.h"
#include "verify/prove/hlo/modules/module_values.h"

namespace tileproof::cli {
namespace {

using verify::ResultEquality;
using verify::Verdict;

Verdict worst_of(const std::vector<ResultEquality>& results) {
  const auto has = [&](Verdict verdict) {
    return std::ranges::count(results, verdict, &ResultEquality::verdict) > 0;
  };
  if (has(Verdict::kRefuted)) return Verdict::kRefuted;
  return has(Verdict::kUndecided) ? Verdict::kUndecided : Verdict::kProven;
}

// Why a result is undecided, with the place of the instruction that is to blame.
std::string why_open(const ResultEquality& result, const std::string (&texts)[2]) {
  std::string why = result.detail;
  if (!result.instruction.empty()) {
    absl::StrAppend(&why, " (instruction ", result.instruction);
    const std::string place =
        place_of_instruction(texts[result.is_of_right ? 1 : 0], result.instruction);
    if (!place.empty()) absl::StrAppend(&why, ", ", place);
    why += ")";
  }
  if (!result.may_take_time) why += "; more time would not decide it";
  return why;
}

// What the results read of the parameters.
Answer reads_answer(const std::vector<ResultEquality>& results, const std::string (&texts)[2]) {
  Json::Array list;
  std::string text;
  for (const ResultEquality& result : results) {
    Json one = json_object({{"result", result.leaf}, {"equal", equal_json(result.verdict)}});
    std::string said = "reads the same elements";
    if (result.verdict == Verdict::kRefuted) {
      set(one, "difference", result.detail);
      said = absl::StrCat("different: ", result.detail);
    } else if (result.verdict == Verdict::kUndecided) {
      const std::string why = why_open(result, texts);
      set(one, "open", why);
      said = absl::StrCat("undecided: ", why);
    }
    list.push_back(std::move(one));
    absl::StrAppend(&text, "result ", result.leaf, ": ", said, "\n");
  }
  const Verdict worst = worst_of(results);
  return {
      {json_object({{"results", std::move(list)}, {"equal", equal_json(worst)}})},
      absl::StrCat(text,
                   "Compared: which elements of the parameters each result reads. Not compared: "
                   "the arithmetic, and the layouts of parameters and results.\n"),
      exit_status(worst)};
}

// The error, `call: f: r: ..`, as one of its side, at the last instruction that it names.
absl::Status error_of_side(const absl::Status& error, const std::string (&texts)[2]) {
  const auto side = error.GetPayload(verify::kSideOfError);
  if (!side) return error;
  const bool is_right = *side == "RIGHT";
  const std::string& text = texts[is_right ? 1 : 0];
  const std::string message(error.message());
  std::string last;
  for (const absl::string_view part : absl::StrSplit(message, ": ")) {
    if (place_of_instruction(text, part).empty()) break;
    last = std::string(part);
  }
  return about(is_right ? "RIGHT" : "LEFT", error_at_instruction(text, "", last, error));
}

// ---- Values ----

using verify::LayoutDifference;
using verify::ValueEquality;
using verify::ValueLaw;

// What the files of --sharding say: of both modules, or of LEFT and of RIGHT.
absl::StatusOr<verify::Placements> placements_in(const std::vector<std::string>& files) {
  verify::Placements placements;
  if (files.size() > 2) return invalid("expected one or two files");
  for (size_t k = 0; k < files.size(); ++k) {
    const std::string text = TRY(read_file_argument(files[k]));
    const auto read = [&]() -> absl::StatusOr<verify::Placement> {
      return conform::read_sharding_json(TRY(conform::read_json(text)).value);
    };
    absl::StatusOr<verify::Placement> placement = read();
    if (!placement.ok()) {
      return invalid(files[k], ": ", placement.status().message());
    }
    if (k == 0) placements.left = *placement;
    if (k + 1 == files.size()) placements.right = *std::move(placement);
  }
  return placements;
}

// "[0, 3]", or "device 2, result[0, 3] (globally [4, 3])"
std::string place_text(const ValueEquality& result) {
  const std::string at = absl::StrCat("[", absl::StrJoin(result.at, ", "), "]");
  if (!result.device) return at;
  const auto& [device, is_of_left, global] = *result.device;
  std::string text = absl::StrCat("device ", device, is_of_left ? " of LEFT" : "", ", result", at);
  if (global.empty() || global == result.at) return text;
  return absl::StrCat(text, " (globally [", absl::StrJoin(global, ", "), "])");
}

// "equal", "equal, up to the order of reductions", "equal, with the laws reciprocal, zero"
std::string equal_text(const verify::Laws& laws) {
  std::string text = "equal";
  std::vector<absl::string_view> named;
  for (const ValueLaw law : laws) {
    if (law == ValueLaw::kReductionOrder) {
      absl::StrAppend(&text, ", up to the order of reductions");
    } else {
      named.push_back(name_of(law));
    }
  }
  if (named.empty()) return text;
  return absl::StrCat(text, ", with the law", named.size() == 1 ? " " : "s ",
                      absl::StrJoin(named, ", "));
}

std::string open_text(const ValueEquality& result) {
  std::string text = absl::StrCat("undecided: ", result.detail);
  const auto &left = result.path.left, &right = result.path.right;
  if (result.detail.empty() && !left.empty() && !right.empty()) {  // the instructions that are open
    const auto place = [](const verify::PathStep& one) {
      return absl::StrCat(one.instruction, " at (", absl::StrJoin(one.index, ", "), ")");
    };
    absl::StrAppend(&text, "LEFT ", place(left.back()), ", RIGHT ", place(right.back()), ": ");
  }
  if (result.detail.empty()) {
    absl::StrAppend(&text, "at ", place_text(result), " LEFT is ", result.left, ", RIGHT is ",
                    result.right);
  }
  if (result.laws.empty()) return text;
  std::vector<absl::string_view> names;
  for (const ValueLaw law : result.laws) names.push_back(name_of(law));
  return absl::StrCat(text, "; equal, if the laws ", absl::StrJoin(names, ", "),
                      " are allowed (--law)");
}

std::string value_text(const ValueEquality& result) {
  switch (result.verdict) {
    case Verdict::kProven:
      return equal_text(result.laws);
    case Verdict::kRefuted:
      if (!result.detail.empty()) return absl::StrCat("different: ", result.detail);
      return absl::StrCat("different at ", place_text(result), ": LEFT gives ", result.left,
                          ", RIGHT gives ", result.right, " for some values of the parameters");
    default:
      return open_text(result);
  }
}

// "layout of parameter 1: {1,0} in LEFT, {0,1} in RIGHT"
std::string layout_text(const LayoutDifference& difference) {
  const bool is_part = !difference.is_of_result && difference.leaf > 0;
  return absl::StrCat("layout of ", difference.is_of_result ? "result " : "parameter ",
                      difference.is_of_result ? difference.leaf : difference.parameter,
                      is_part ? absl::StrCat(", array ", difference.leaf) : "", ": ",
                      difference.left, " in LEFT, ", difference.right, " in RIGHT");
}

Json to_json(const LayoutDifference& difference) {
  Json json = json_object({{"leaf", Json::Array{difference.leaf}},
                           {"left", difference.left},
                           {"right", difference.right}});
  if (!difference.is_of_result) set(json, "parameter", difference.parameter);
  return json;
}

// Layouts of parameters and results that differ.
struct Layouts {
  std::vector<LayoutDifference> different;
  bool are_promised = false;  // by both modules: a caller gets other bytes
};

// What both modules compute.
struct Values {
  Layouts layouts;
  std::vector<ValueEquality> results;
  Verdict worst = Verdict::kProven;
};

// "r[0, 3] = 8", or on one of several devices "r@5[0, 3] = 8"
std::string step_text(const verify::PathStep& step) {
  return absl::StrCat(step.instruction, step.device ? absl::StrCat("@", *step.device) : "", "[",
                      absl::StrJoin(step.index, ", "), "] = ", step.value);
}

std::string steps_text(const std::vector<verify::PathStep>& steps) {
  return absl::StrJoin(steps, ", ", [](std::string* out, const verify::PathStep& step) {
    absl::StrAppend(out, step_text(step));
  });
}

// "r[0, 3] = 8, m[3] = 8: multiply of p[3] = 2, q[3] = 4, at before.hlo:7:3"
std::string path_text(const std::vector<verify::PathStep>& path,
                      const std::vector<verify::PathStep>& reads, const std::string& text) {
  const std::string place = place_of_instruction(text, path.back().instruction);
  return absl::StrCat(steps_text(path), ": ", path.back().opcode, reads.empty() ? "" : " of ",
                      steps_text(reads), place.empty() ? "" : ", at ", place);
}

Json path_json(const std::vector<verify::PathStep>& path, const std::string& text) {
  Json::Array list;
  for (const verify::PathStep& one : path) {
    Json step = json_object({{"instruction", one.instruction},
                             {"opcode", one.opcode},
                             {"at", one.index},
                             {"value", one.value}});
    if (one.device) set(step, "device", *one.device);
    const std::string place = place_of_instruction(text, one.instruction);
    if (!place.empty()) set(step, "place", place);
    list.push_back(std::move(step));
  }
  return list;
}

std::vector<std::string> value_lines(const Values& values, const std::string (&texts)[2]) {
  std::vector<std::string> lines;
  const bool are_promised = values.layouts.are_promised;
  for (const LayoutDifference& layout : values.layouts.different) {
    lines.push_back(absl::StrCat(are_promised ? "different " : "note: ", layout_text(layout),
                                 are_promised ? "" : "; not compared, as both are not compiled"));
  }
  for (const ValueEquality& result : values.results) {
    lines.push_back(absl::StrCat("result ", result.leaf, ": ", value_text(result)));
    if (result.path.left.empty() || result.path.right.empty()) continue;
    const auto& [left, right, left_reads, right_reads] = result.path;
    lines.push_back(absl::StrCat("  LEFT   ", path_text(left, left_reads, texts[0])));
    lines.push_back(absl::StrCat("  RIGHT  ", path_text(right, right_reads, texts[1])));
  }
  return lines;
}

Json to_json(const ValueEquality& result, const std::string (&texts)[2]) {
  Json one = json_object({{"leaf", Json::Array{result.leaf}}});
  set(one, "verdict", explorer::word_of(result.verdict, "equal", "different"));
  set(one, "equal", equal_json(result.verdict));
  Json::Array laws;
  for (const ValueLaw law : result.laws) laws.emplace_back(name_of(law));
  set(one, "laws", std::move(laws));
  if (!result.at.empty() || !result.left.empty()) {
    set(one, "at", result.at);
    if (result.device) {
      set(one, "device", result.device->device);
      if (result.device->is_of_left) set(one, "of", "LEFT");
      if (!result.device->global.empty()) set(one, "global", result.device->global);
    }
    set(one, "left", Json::Array{result.left});
    set(one, "right", Json::Array{result.right});
  }
  if (!result.path.left.empty() && !result.path.right.empty()) {
    set(one, "path",
        json_object({{"left", path_json(result.path.left, texts[0])},
                     {"right", path_json(result.path.right, texts[1])},
                     {"left_reads", path_json(result.path.left_reads, texts[0])},
                     {"right_reads", path_json(result.path.right_reads, texts[1])}}));
  }
  if (!result.detail.empty()) {
    set(one, result.verdict == Verdict::kRefuted ? "difference" : "open", result.detail);
  }
  return one;
}

Answer values_answer(const Values& values, const std::string (&texts)[2]) {
  const auto& [layouts, results, worst] = values;
  Json::Array list;
  for (const ValueEquality& result : results) list.push_back(to_json(result, texts));
  Json json = json_object({{"results", std::move(list)}, {"equal", equal_json(worst)}});
  if (!layouts.different.empty()) {
    Json::Array different;
    for (const LayoutDifference& layout : layouts.different) different.push_back(to_json(layout));
    set(json, "layouts", std::move(different));
  }
  return {{std::move(json)},
          absl::StrCat(absl::StrJoin(value_lines(values, texts), "\n"), "\n"),
          exit_status(worst)};
}

// "after.hlo:7:3" as a location of SARIF: the path of the result ends there.
Json location_of(const ValueEquality& result, const std::string& text) {
  if (result.path.right.empty()) return Json::Array{};
  const std::string place = place_of_instruction(text, result.path.right.back().instruction);
  const std::vector<std::string> parts = absl::StrSplit(place, ':');
  int64_t line = 0, column = 0;
  if (parts.size() < 3 || !absl::SimpleAtoi(parts[parts.size() - 2], &line) ||
      !absl::SimpleAtoi(parts.back(), &column)) {
    return Json::Array{};
  }
  const std::string file = absl::StrJoin(parts.begin(), parts.end() - 2, ":");
  return Json::Array{json_object(
      {{"physicalLocation",
        json_object({{"artifactLocation", json_object({{"uri", file}})},
                     {"region", json_object({{"startLine", line}, {"startColumn", column}})}})}})};
}

// The results that are not equal, for code review.
std::string sarif_of(const Values& values, const std::string (&texts)[2]) {
  const auto message = [](const std::string& text) { return json_object({{"text", text}}); };
  Json::Array results;
  for (const ValueEquality& result : values.results) {
    if (result.verdict == Verdict::kProven) continue;
    const bool is_different = result.verdict == Verdict::kRefuted;
    results.push_back(json_object(
        {{"ruleId", is_different ? "equiv/different" : "equiv/undecided"},
         {"level", is_different ? "error" : "warning"},
         {"message", message(absl::StrCat("result ", result.leaf, ": ", value_text(result)))},
         {"locations", location_of(result, texts[1])}}));
  }
  for (const LayoutDifference& layout : values.layouts.different) {
    results.push_back(json_object({{"ruleId", "equiv/layout"},
                                   {"level", values.layouts.are_promised ? "error" : "note"},
                                   {"message", message(layout_text(layout))}}));
  }
  Json::Array rules;
  for (const auto& [id, text] : {std::pair("equiv/different", "both compute other values"),
                                 std::pair("equiv/undecided", "nothing says that both are equal"),
                                 std::pair("equiv/layout", "a caller gets other bytes")}) {
    rules.push_back(json_object({{"id", id}, {"shortDescription", message(text)}}));
  }
  return conform::sarif_log(std::move(rules), std::move(results), true, exit_status(values.worst));
}

absl::Status write_report(const Command& given, const Values& values,
                          const std::string (&texts)[2]) {
  absl::string_view file = given.text("--report");
  if (file.empty()) return absl::OkStatus();
  if (!absl::ConsumePrefix(&file, "sarif:")) {
    return invalid("expected sarif:FILE");
  }
  std::ofstream out{std::string(file)};
  if (out << sarif_of(values, texts) << std::flush) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat("cannot write the file ", file));
}

absl::StatusOr<Values> values_of(const std::array<HloModule, 2>& modules, const Command& given) {
  verify::Laws laws = TRY(about("--law", verify::laws_named(given.list("--law"))));
  if (!given.flag("--exact")) laws.insert(ValueLaw::kReductionOrder);
  const verify::Placements placements =
      TRY(about("--sharding", placements_in(given.list("--sharding"))));
  const auto time = std::chrono::milliseconds(given.number_if("--timeout").value_or(60'000));
  Values values;
  values.results = TRY(verify::same_values(modules[0], modules[1],
                                           {.allowed = laws,
                                            .milliseconds = milliseconds_of(given),
                                            .smtlib_directory = given.text("--smtlib"),
                                            .limits = verify::limits_in(milliseconds_of(given)),
                                            .deadline = verify::ThreadCpuClock::now() + time},
                                           placements));
  if (!given.flag("--ignore-layouts")) {
    values.layouts = {TRY(verify::layout_differences(modules[0], modules[1])),
                      std::ranges::all_of(modules, verify::promises_layouts)};
  }
  std::vector<ResultEquality> verdicts;
  for (const ValueEquality& one : values.results) verdicts.push_back({one.leaf, one.verdict, ""});
  const bool differ = values.layouts.are_promised && !values.layouts.different.empty();
  values.worst = differ ? Verdict::kRefuted : worst_of(verdicts);
  return values;
}

}  // namespace

unsigned milliseconds_of(const Command& given) {
  return static_cast<unsigned>(given.number_if("--timeout").value_or(5'000));
}

int exit_status(Verdict verdict) {
  if (verdict == Verdict::kProven) return kHolds;
  return verdict == Verdict::kRefuted ? kCounterexample : kUndecided;
}

int worse(int a, int b) {
  for (const int status : {kCounterexample, kBadInput, kUndecided}) {
    if (a == status || b == status) return status;
  }
  return kHolds;
}

Json equal_json(Verdict verdict) {
  return verdict == Verdict::kUndecided ? Json() : Json(verdict == Verdict::kProven);
}

Answer list_laws() {
  Json::Array list;
  std::string text;
  for (const ValueLaw law : verify::kLaws) {
    list.push_back(
        json_object({{"name", name_of(law)}, {"level", level_of(law)}, {"law", meaning_of(law)}}));
    absl::StrAppend(&text, level_of(law), " ", name_of(law), ": ", meaning_of(law), "\n");
  }
  return {{json_object({{"laws", std::move(list)}})}, std::move(text)};
}

absl::StatusOr<HloModule> only_module(absl::string_view text) {
  std::vector<HloModule> modules = TRY(modules_in(std::string(text), false));
  if (modules.size() == 1) return std::move(modules.front());
  return invalid("expected one module, found ", modules.size());
}

absl::StatusOr<Answer> compare_modules(const std::string (&texts)[2], const Command& given) {
  const auto modules = TRY(both_sides(texts, only_module));
  if (given.flag("--reads")) {
    verify::VerifySession session;
    session.options.milliseconds = milliseconds_of(given);
    session.options.smtlib_directory = given.text("--smtlib");
    if (!given.text("--smtlib").empty()) session.options.enumerated = 0;
    const auto results = verify::same_accesses(modules[0], modules[1], session);
    if (!results.ok()) return error_of_side(results.status(), texts);
    return reads_answer(*results, texts);
  }
  const absl::StatusOr<Values> values = values_of(modules, given);
  if (!values.ok()) return error_of_side(values.status(), texts);
  TRY(about("--report", write_report(given, *values, texts)));
  return values_answer(*values, texts);
}

absl::StatusOr<ModuleComparison> values_of_modules(const std::string (&texts)[2],
                                                   const Command& given) {
  const Values values = TRY(values_of(TRY(both_sides(texts, only_module)), given));
  return ModuleComparison{values.worst, value_lines(values, texts)};
}

}  // namespace tileproof::cli
