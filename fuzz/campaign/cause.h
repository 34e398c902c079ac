// SPDX-License-Identifier: Apache-2.0
// The cause of a finding. Findings with the same cause are one finding.
//
// If the target printed a FOUND line, the cause is that line without what is particular to the
// input: quoted parts and everything after " at " are dropped, and every number becomes N.
//
//     FOUND: simplified to another map: '(d0) -> (d0 mod 2)' '(d0) -> (d0)' at d0 = 2
//     FOUND: simplified to another map
//
// Otherwise the cause is the kind of failure with the three innermost functions of the project in
// its stack. For a timeout it has the three outermost ones, as the interrupt may come anywhere.
//
//     heap-buffer-overflow in tileproof::parse_shape < tileproof::check
//     runtime error: signed integer overflow: N + N cannot be .. at spec/lang/layout/shape.cc:N
//
// Several bugs can have the same cause, so a campaign keeps more than one input of each.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace tileproof::campaign {

// Both are printable ASCII; other bytes are escaped.
struct Cause {
  std::string text;
  std::string line;  // the whole line of the target; it can be pasted
};

// Returns the cause of the failure in the output of a program, or nullopt if it did not fail.
std::optional<Cause> cause_of(absl::string_view log);

// Returns a file name for the cause: 16 hexadecimal digits.
std::string key_of(absl::string_view target, const Cause& cause);

}  // namespace tileproof::campaign
