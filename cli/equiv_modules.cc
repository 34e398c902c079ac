// SPDX-License-Identifier: Apache-2.0
#include "cli/equiv_modules.h"

#include <algorithm>
#include <iostream>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/commands.h"
#include "cli/text.h"
#include "verify/prove/hlo/modules/module_equal.h"

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

Json equal_json(Verdict verdict) {
  return verdict == Verdict::kUndecided ? Json() : Json(verdict == Verdict::kProven);
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

void print_json(const std::vector<ResultEquality>& results, const std::string (&texts)[2]) {
  Json::Array list;
  for (const ResultEquality& result : results) {
    Json one = json_object({{"result", result.leaf}});
    set(one, "equal", equal_json(result.verdict));
    if (result.verdict == Verdict::kRefuted) set(one, "difference", result.detail);
    if (result.verdict == Verdict::kUndecided) set(one, "open", why_open(result, texts));
    list.push_back(std::move(one));
  }
  Json json = json_object({{"results", std::move(list)}});
  set(json, "equal", equal_json(worst_of(results)));
  std::cout << json_line(json);
}

// The error of one side, `call: f: r: ..`, at the last instruction that it names.
int complain_of(const absl::Status& error, const std::string (&texts)[2]) {
  const auto side = error.GetPayload(verify::kSideOfError);
  if (!side) return complain("equiv", error);
  const bool is_right = *side == "RIGHT";
  const std::string& text = texts[is_right ? 1 : 0];
  const std::string message(error.message());
  std::string last;
  for (const absl::string_view part : absl::StrSplit(message, ": ")) {
    if (place_of_instruction(text, part).empty()) break;
    last = std::string(part);
  }
  return complain(is_right ? "RIGHT" : "LEFT", error_at_instruction(text, "", last, error));
}

void print_text(const std::vector<ResultEquality>& results, const std::string (&texts)[2]) {
  for (const ResultEquality& result : results) {
    std::cout << "result " << result.leaf << ": ";
    if (result.verdict == Verdict::kProven) std::cout << "reads the same elements\n";
    if (result.verdict == Verdict::kUndecided)
      std::cout << "undecided: " << why_open(result, texts) << "\n";
    if (result.verdict == Verdict::kRefuted) {
      std::cout << "different: " << result.detail << "\n";
    }
  }
  std::cout << "Compared: which elements of the parameters each result reads. Not compared: the "
               "arithmetic, and the layouts of parameters and results.\n";
}

}  // namespace

int compare_modules(const std::string (&texts)[2], int64_t milliseconds,
                    const std::string& smtlib_directory, bool as_json) {
  std::vector<HloModule> modules;
  for (int side = 0; side < 2; ++side) {
    const char* name = side == 0 ? "LEFT" : "RIGHT";
    absl::StatusOr<std::vector<HloModule>> read = modules_in(texts[side], false);
    if (!read.ok()) return complain(name, read.status());
    if (read->size() != 1) {
      return complain(name, absl::InvalidArgumentError(
                                absl::StrCat("expected one module, found ", read->size())));
    }
    modules.push_back(std::move(read->front()));
  }
  verify::VerifySession session;
  session.options.milliseconds = milliseconds;
  session.options.smtlib_directory = smtlib_directory;
  if (!smtlib_directory.empty()) session.options.enumerated = 0;
  const auto results = verify::same_accesses(modules[0], modules[1], session);
  if (!results.ok()) return complain_of(results.status(), texts);
  as_json ? print_json(*results, texts) : print_text(*results, texts);
  const Verdict worst = worst_of(*results);
  if (worst == Verdict::kProven) return kHolds;
  return worst == Verdict::kRefuted ? kCounterexample : kUndecided;
}

}  // namespace tileproof::cli
