// SPDX-License-Identifier: Apache-2.0
// Mutants of impl/ have no checks of their own. (Those of spec/ have: xla_checks.cc.)
#include "verify/mutants/checks.h"

namespace tileproof::mutants {

std::vector<Check> checks_of_room() { return {}; }

}  // namespace tileproof::mutants
