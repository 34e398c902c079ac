// The cause of a finding: findings of one cause are one.
//
// Where the target says what it found, the cause is that sentence without what is particular to the
// input: without quoted parts, without what follows " at ", with every number as N.
//
//     FOUND: simplified to another map: '(d0) -> (d0 mod 2)' '(d0) -> (d0)' at d0 = 2
//     FOUND: simplified to another map
//
// Otherwise it is the kind of failure and, of the stack, the three innermost functions of the
// project; of a timeout the three outermost, as where it was interrupted is chance.
//
//     heap-buffer-overflow in tileproof::parse_shape < tileproof::check
//     runtime error: signed integer overflow: N + N cannot be .. at spec/lang/layout/shape.cc:N
//
// One sentence may stand for several bugs, so a campaign keeps more than one input of a cause.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace tileproof::campaign {

// Both printable ASCII, whatever the program said: other bytes are escaped.
struct Cause {
  std::string text;
  std::string line;  // what the target said, whole: it can be pasted back
};

// The cause that the end of a program's output tells; nothing where there is no failure in it.
std::optional<Cause> cause_of(absl::string_view log);

// Whether a line of the output is one that cause_of looks for.
bool reports_failure(absl::string_view line);

// A name for a file: 16 hexadecimal digits.
std::string key_of(absl::string_view target, const Cause& cause);

}  // namespace tileproof::campaign
