// SPDX-License-Identifier: Apache-2.0
// tileproof layout --as: writes a layout in the notation of another system.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace tileproof::cli {

// `system` is xla, tla, cute or dnnl. `type` is the element type of a layout that names none.
// Returns the exit status: 0 if the printed layout is proven equal, 1 if a counterexample shows
// that no equal layout exists, 2 for bad input, 3 if no layout or no proof was found.
int convert_layout(absl::string_view text, const std::string& system, const std::string& type,
                   bool json);

}  // namespace tileproof::cli
