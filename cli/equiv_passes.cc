// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <climits>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "cli/equiv_modules.h"
#include "explorer/answers/panels.h"
#include "spec/lang/base/try.h"

namespace tileproof::cli {
namespace {

using verify::Verdict;

// A module as it was after a pass.
struct Dumped {
  int place = 0;     // among the passes: those before all others have -1
  std::string pass;  // "simplification.after_algsimp"
  std::string path;

  auto operator<=>(const Dumped&) const = default;
};

bool is_number(absl::string_view text) {
  return !text.empty() && std::ranges::all_of(text, absl::ascii_isdigit);
}

// The module's name and what is dumped there. Nothing for files that are no module after a pass.
std::optional<std::pair<std::string, Dumped>> dumped_in(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  absl::string_view rest = name;
  if (!absl::ConsumePrefix(&rest, "module_") || !absl::ConsumeSuffix(&rest, ".txt")) {
    return std::nullopt;
  }
  const std::vector<std::string> parts = absl::StrSplit(rest, '.');
  for (size_t k = 1; k < parts.size(); ++k) {
    const bool is_first = parts[k] == "before_optimizations" && k + 1 == parts.size();
    const bool is_last = absl::EndsWith(parts[k], "after_optimizations") && k + 1 == parts.size();
    const bool is_pass = is_number(parts[k]) && k + 1 < parts.size();
    if (!is_first && !is_last && !is_pass) continue;
    Dumped dumped{is_first ? -1 : INT_MAX, parts[k], path.string()};
    if (is_pass && !absl::SimpleAtoi(parts[k], &dumped.place)) return std::nullopt;
    for (size_t j = k + 1; j < parts.size(); ++j) {
      if (!absl::StartsWith(parts[j], "before_")) absl::StrAppend(&dumped.pass, " ", parts[j]);
    }
    const std::vector<std::string> module(parts.begin(), parts.begin() + static_cast<int64_t>(k));
    return std::pair("module_" + absl::StrJoin(module, "."), std::move(dumped));
  }
  return std::nullopt;
}

absl::StatusOr<std::map<std::string, std::vector<Dumped>>> dumped_modules(
    const std::string& folder) {
  std::map<std::string, std::vector<Dumped>> modules;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (auto one = dumped_in(entry.path())) modules[one->first].push_back(std::move(one->second));
  }
  if (error) return absl::NotFoundError(absl::StrCat(folder, ": ", error.message()));
  std::erase_if(modules, [](const auto& one) { return one.second.size() < 2; });
  if (modules.empty()) {
    return invalid(folder,
                   ": expected two files or more of one module, such as "
                   "module_0001.jit_f.0003.PIPELINE.after_PASS.txt (XLA writes them with "
                   "--xla_dump_hlo_as_text --xla_dump_hlo_pass_re=.*)");
  }
  for (auto& [name, passes] : modules) std::ranges::sort(passes);
  return modules;
}

// The module after a pass against that before it.
absl::StatusOr<ModuleComparison> compared(const Dumped& before, const Dumped& after,
                                          const Command& given) {
  const std::string texts[] = {TRY(read_argument("@" + before.path)),
                               TRY(read_argument("@" + after.path))};
  if (texts[0] == texts[1]) return ModuleComparison{};
  return values_of_modules(texts, given);
}

// The passes of one module, up to the first that is different.
Verdict compare_in_turn(const std::vector<Dumped>& passes, const Command& given, Json& json) {
  Verdict worst = Verdict::kProven;
  Json::Array list;
  for (size_t k = 1; k < passes.size() && worst != Verdict::kRefuted; ++k) {
    const Dumped &before = passes[k - 1], &after = passes[k];
    Json one = json_object({{"pass", after.pass}, {"left", before.path}, {"right", after.path}});
    ModuleComparison found;
    if (auto comparison = compared(before, after, given); comparison.ok()) {
      found = *std::move(comparison);
    } else {
      found = {Verdict::kUndecided, {std::string(comparison.status().message())}};
    }
    const bool is_equal = found.verdict == Verdict::kProven;
    set(one, "equal", equal_json(found.verdict));
    if (!is_equal) set(one, "lines", json_array(found.lines));
    list.push_back(std::move(one));
    if (found.verdict != Verdict::kProven) worst = found.verdict;
    if (given.flag("--json")) continue;
    const bool is_different = found.verdict == Verdict::kRefuted;
    std::cout << "  " << after.pass << ": "
              << explorer::word_of(found.verdict, "equal", "different") << "\n";
    for (const std::string& line : found.lines) {
      if (!is_equal) std::cout << "    " << line << "\n";
    }
    if (is_different) {
      std::cout << "  the first that differs: " << before.path << " and " << after.path << "\n";
    }
  }
  set(json, "passes", std::move(list));
  set(json, "equal", equal_json(worst));
  return worst;
}

}  // namespace

absl::StatusOr<Answer> compare_passes(const std::string& folder, const Command& given) {
  const auto modules = TRY(about("--passes", dumped_modules(folder)));
  bool is_different = false, is_undecided = false;
  Json::Array list;
  for (const auto& [name, passes] : modules) {
    if (!given.flag("--json")) std::cout << name << "\n";
    Json json = json_object({{"module", name}});
    const Verdict worst = compare_in_turn(passes, given, json);
    is_different = is_different || worst == Verdict::kRefuted;
    is_undecided = is_undecided || worst == Verdict::kUndecided;
    list.push_back(std::move(json));
  }
  const Verdict all = is_different   ? Verdict::kRefuted
                      : is_undecided ? Verdict::kUndecided
                                     : Verdict::kProven;
  Json json = json_object({{"modules", std::move(list)}, {"equal", equal_json(all)}});
  return Answer{{std::move(json)}, "", exit_status(all)};
}

}  // namespace tileproof::cli
