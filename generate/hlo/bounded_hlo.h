// SPDX-License-Identifier: Apache-2.0
// Every small HLO operation, by kind, for exhaustive runs. This loop visits all operations of one
// kind:
//
//     for (Odometer odometer; !odometer.done(); odometer.advance()) {
//       Choose choose(&odometer);
//       .. bounded_hlo_kinds()[k].make(choose) ..
//     }
//
// for instance
//
//     r = f32[3,2] transpose(f32[2,3] p0), dimensions={1,0}
//
// All of them are valid. BoundedHlo::bounds states the bounds.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "generate/choose/choose.h"

namespace tileproof {

struct BoundedHlo {
  absl::string_view kind;
  absl::string_view bounds;  // in words, for reports
  std::string (*make)(Choose& choose);
};

absl::Span<const BoundedHlo> bounded_hlo_kinds();

}  // namespace tileproof
