// SPDX-License-Identifier: Apache-2.0
// The table of deliberate differences from XLA, by name.
//
// If Tileproof rejects a shape that XLA accepts, the error ends with the name of the difference in
// brackets. `tileproof layout --differences` prints the table. Tests check the example of every
// kRejected entry. Source: XLA's HLO parser, xla/layout.cc and xla/shape_util.cc.
#pragma once

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tileproof {

struct Difference {
  enum class Kind {
    kRejected,  // XLA accepts the example or crashes on it; Tileproof rejects it
    kAccepted,  // Tileproof accepts the example; XLA rejects it
    kSize,      // both accept the example; sizes or offsets differ
  };
  absl::string_view name;
  Kind kind;
  absl::string_view example;  // a shape that shows it
  absl::string_view xla;
  absl::string_view tileproof;
};

absl::Span<const Difference> differences();

// The entry of this name. It must exist.
const Difference& difference(absl::string_view name);

}  // namespace tileproof
