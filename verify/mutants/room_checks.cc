// SPDX-License-Identifier: Apache-2.0
// The checks of a room: the comparisons with the reference (the same that campaigns make), the
// golden answers and the unit tests. For spec/ the answers of XLA are checks, too; provers have
// their unit tests alone.
#include <iterator>
#include <utility>

#include "verify/golden/golden.h"
#include "verify/mutants/checks.h"

namespace tileproof::mutants {
namespace {

constexpr absl::string_view kRoom = TILEPROOF_MUTANTS_ROOM;

}  // namespace

std::vector<Check> checks_of_room(const std::vector<std::string>& tests) {
  std::vector<Check> checks;
  [[maybe_unused]] const auto add = [&](std::vector<Check> more) {
    checks.insert(checks.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
  };
  if constexpr (kRoom != "verify") {
    checks.push_back(layout_check());
    add(map_checks());
    add(hlo_checks());
    add(access_checks());
    for (absl::string_view file : verify::kGoldenFiles) checks.push_back(golden_check(file));
    checks.push_back(changed_check());
  }
  if constexpr (kRoom == "spec") add(xla_checks());
  checks.push_back(unit_tests(tests));
  return checks;
}

}  // namespace tileproof::mutants
