// SPDX-License-Identifier: Apache-2.0
// The checks of a room: the properties and the unit tests. For spec/ the answers of XLA are checks,
// too; provers have their unit tests alone.
#include <iterator>
#include <utility>

#include "absl/strings/string_view.h"
#include "verify/golden/golden.h"
#include "verify/golden/random_questions.h"
#include "verify/mutants/checks.h"
#include "verify/mutants/mutant.h"

namespace tileproof::mutants {
namespace {

constexpr absl::string_view kRoom = TILEPROOF_MUTANTS_ROOM;

std::string without_mutant(const std::string& question) {
  const int mutant = std::exchange(mutant::active, mutant::kNone);
  std::string answer = verify::answer_to(question);
  mutant::active = mutant;
  return answer;
}

Check differs() {
  return verify::of_texts(
      kDiffers, 1000, verify::any_question,
      [](const std::string& question, verify::CaseCounts&) -> std::string {
        return verify::answer_to(question) == without_mutant(question) ? "" : "another answer";
      },
      {});
}

}  // namespace

std::vector<Check> checks_of_room(const std::vector<std::string>& tests) {
  std::vector<Check> checks;
  if constexpr (kRoom != "verify") {
    checks = verify::all_properties();
    checks.push_back(differs());
  }
  if constexpr (kRoom == "spec") {
    std::vector<Check> more = xla_checks();
    checks.insert(checks.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
  }
  checks.push_back(unit_tests(tests));
  return checks;
}

}  // namespace tileproof::mutants
