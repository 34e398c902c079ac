// SPDX-License-Identifier: Apache-2.0
// The order in which texts of requests are small. Of two failures, the smaller one is the example.
#pragma once

#include "absl/strings/string_view.h"

namespace tileproof::conform {

// Is the text of one request smaller: shorter, or equally long and less in alphabetical order? The
// element type f32 and the default layout count as no letters, so others stay only where they
// matter. Arrays with elements are smaller than empty ones, which teach little:
//
//     f32[2]{0}       is smaller than   s4[2]{0}
//     f32[2,2]{1,0}   is smaller than   f32[2,2]{0,1}
//     f32[2,3]{1,0}   is smaller than   f32[0]{0}
bool is_smaller(absl::string_view a, absl::string_view b);

// Whether the request has an array of a shape like f32[2,0], which has no elements. `request` is its
// text.
bool has_empty_array(absl::string_view request);

}  // namespace tileproof::conform
