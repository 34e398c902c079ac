// SPDX-License-Identifier: Apache-2.0
#include "cli/equiv_modules.h"

#include <algorithm>
#include <iostream>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cli/commands.h"
#include "cli/text.h"
#include "verify/prove/hlo/module_equal.h"

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

void print_json(const std::vector<ResultEquality>& results) {
  Json::Array list;
  for (const ResultEquality& result : results) {
    Json one = json_object({{"result", result.leaf}});
    set(one, "equal", equal_json(result.verdict));
    if (result.verdict == Verdict::kRefuted) set(one, "difference", result.detail);
    if (result.verdict == Verdict::kUndecided) set(one, "open", result.detail);
    list.push_back(std::move(one));
  }
  Json json = json_object({{"results", std::move(list)}});
  set(json, "equal", equal_json(worst_of(results)));
  std::cout << json_line(json);
}

void print_text(const std::vector<ResultEquality>& results) {
  for (const ResultEquality& result : results) {
    std::cout << "result " << result.leaf << ": ";
    if (result.verdict == Verdict::kProven) std::cout << "reads the same elements\n";
    if (result.verdict == Verdict::kUndecided) std::cout << "undecided: " << result.detail << "\n";
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
  if (!results.ok()) return complain("equiv", results.status());
  as_json ? print_json(*results) : print_text(*results);
  const Verdict worst = worst_of(*results);
  if (worst == Verdict::kProven) return kHolds;
  return worst == Verdict::kRefuted ? kCounterexample : kUndecided;
}

}  // namespace tileproof::cli
