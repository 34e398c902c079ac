// SPDX-License-Identifier: Apache-2.0
// The checks of a room: the properties and the unit tests. For spec/ the answers of XLA are checks,
// too; provers have their unit tests alone.
#include <iterator>
#include <utility>

#include "absl/strings/string_view.h"
#include "verify/mutants/checks.h"

namespace tileproof::mutants {
namespace {

constexpr absl::string_view kRoom = TILEPROOF_MUTANTS_ROOM;

}  // namespace

std::vector<Check> checks_of_room(const std::vector<std::string>& tests) {
  std::vector<Check> checks;
  if constexpr (kRoom != "verify") checks = verify::all_properties();
  if constexpr (kRoom == "spec") {
    std::vector<Check> more = xla_checks();
    checks.insert(checks.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
  }
  checks.push_back(unit_tests(tests));
  return checks;
}

}  // namespace tileproof::mutants
