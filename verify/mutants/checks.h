// SPDX-License-Identifier: Apache-2.0
// The checks that must kill every mutant: the properties (verify/properties), among them the golden
// answers, and the unit tests. They are linked with the mutated implementation and never with the
// original.
#pragma once

#include <string>
#include <vector>

#include "verify/properties/property.h"

namespace tileproof::mutants {

using Check = verify::Property;

// The checks of the room whose mutants this program has. What a check is about, such as a file of the
// corpus, is read when it is first needed: a process that tries one mutant runs few checks. `tests`
// is for unit_tests().
std::vector<Check> checks_of_room(const std::vector<std::string>& tests);

// The check that a question (verify/golden) gets the answer that it gets without the mutant, though
// another one may be right, too. It runs only if --checks names it.
inline constexpr char kDiffers[] = "differs";

std::vector<Check> xla_checks();  // of mutants of spec/

// The unit tests of GoogleTest, each a case; if `only` is not empty, those whose names contain one.
Check unit_tests(const std::vector<std::string>& only);

}  // namespace tileproof::mutants
