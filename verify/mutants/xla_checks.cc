// SPDX-License-Identifier: Apache-2.0
// Checks of mutants of spec/ that those of impl/ do not need: the recorded answers of XLA. Each
// answer is a case. They guard what no closed form compares: which shapes and modules are valid, and
// which text and shape they have.
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "corpus/paths.h"
#include "verify/mutants/checks.h"
#include "verify/xla/acceptance.h"
#include "verify/xla/judge.h"
#include "verify/xla/verdict.h"

namespace tileproof::mutants {
namespace {

// The lines of a file of answers but the first, which has the version.
const std::vector<std::string>& answers(const std::string& name) {
  static std::map<std::string, std::vector<std::string>> files;
  const auto [found, is_new] = files.try_emplace(name);
  if (!is_new) return found->second;
  std::ifstream file(xla_answers(name));
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) found->second.push_back(line);
  return found->second;
}

std::string check_dependences(const std::string& line) {
  const absl::StatusOr<xla::Judged> judged = xla::judge(line);
  if (!judged.ok()) return std::string(judged.status().message());
  return absl::StrCat(judged->unanswered, judged->difference);
}

std::string check_shape(const std::string& line) {
  const absl::StatusOr<xla::Verdict> judged = xla::judge_shape(line);
  return judged.ok() ? judged->difference : std::string(judged.status().message());
}

std::string check_acceptance(const std::string& line) {
  const absl::StatusOr<xla::Verdict> judged = xla::judge_acceptance(line);
  if (!judged.ok()) return std::string(judged.status().message());
  const bool differs = judged->kind == xla::Verdict::Kind::kDifferent;  // and is not known
  return differs ? judged->difference : "";
}

Check check_of(const std::string& name, std::string (*check)(const std::string&)) {
  return {absl::StrCat("xla-", name), [name] { return std::ssize(answers(name)); }, false,
          [name, check](int64_t i, Choose&, verify::CaseCounts&) {
            return check(answers(name)[static_cast<size_t>(i)]);
          }};
}

}  // namespace

std::vector<Check> xla_checks() {
  std::vector<Check> checks = {check_of("acceptance", check_acceptance),
                               check_of("shapes", check_shape)};
  for (const char* name : {"operations", "elementwise", "computations", "layouts", "values"}) {
    checks.push_back(check_of(name, check_dependences));
  }
  return checks;
}

}  // namespace tileproof::mutants
