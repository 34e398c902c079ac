// SPDX-License-Identifier: Apache-2.0
// A short title of a request, for reports that name every case:
//
//     {"op":"layout.linearize","shape":"f32[2]{0:T(1)}","index":[1]}      f32[2]{0:T(1)} [1]
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace tileproof::conform {

// `request` is JSON text. Longer titles end with "..".
std::string title_of(absl::string_view request);

}  // namespace tileproof::conform
