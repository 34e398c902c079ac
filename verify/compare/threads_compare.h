// SPDX-License-Identifier: Apache-2.0
// Compares a layout of threads in closed form with the definition: the numbers of places, what each
// place holds, by the bases and by the map, which places hold an element, and which elements nobody
// holds.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace tileproof::verify {

struct ThreadsComparison {
  int64_t places = 0;
  bool refused = false;    // the text is invalid, or both refuse it
  std::string difference;  // the layout, and both answers; empty if equal
};

ThreadsComparison compare_threads(absl::string_view text);

}  // namespace tileproof::verify
