// SPDX-License-Identifier: Apache-2.0
// Compares a layout of threads in closed form with the definition: the numbers of places, what each
// place holds, by the bases and by the map, which places hold an element, and which elements nobody
// holds.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "verify/compare/case_counts.h"

namespace tileproof::verify {

// Returns "", or the layout and both answers. Counts "layouts", or "refused": the text is invalid, or
// both refuse it.
std::string threads_difference(absl::string_view text, CaseCounts& tally);

}  // namespace tileproof::verify
