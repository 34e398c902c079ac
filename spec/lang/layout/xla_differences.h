// Where Tileproof knowingly differs from XLA, by name.
//
// This is the one table. An error that rejects what XLA takes ends with the name in brackets, the
// program prints the table (`tileproof layout --differences`), and tests check that every kRejected
// entry is met by its example. Source: facts "HLO shape and layout text", sections 4, 5 and 6;
// INTERFACE, section 2 "Layouts".
#pragma once

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tileproof {

struct Difference {
  enum class Kind {
    kRejected,  // XLA reads the example (or dies on it); Tileproof answers with an error
    kAccepted,  // Tileproof reads the example; XLA refuses it
    kSize,      // both read the example; sizes or offsets differ
  };
  absl::string_view name;
  Kind kind;
  absl::string_view example;  // a shape that shows it
  absl::string_view xla;
  absl::string_view tileproof;
};

absl::Span<const Difference> differences();

// The entry of that name; it must exist.
const Difference& difference(absl::string_view name);

}  // namespace tileproof
