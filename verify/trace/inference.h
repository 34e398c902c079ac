// Steps of a trace as inferences, each found right on its own.
#pragma once

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "verify/trace/facts.h"
#include "verify/trace/trace_text.h"

namespace tileproof::trace {

enum class InferenceKind : uint8_t {
  kFact,            // from and needs => says
  kNever,           // from and needs => nothing satisfies the facts
  kKnown,           // says must have been shown before
  kConstraint,      // the constraint <=> says, given needs
  kNewConstraint,   // likewise, of the map after
  kSameConstraint,  // the new constraint and the old one are one
  kResult,          // needs => the result is `value`
  kNewResult,
  kSameResult,
};

struct Inference {
  int line = 0;
  InferenceKind kind = InferenceKind::kFact;
  std::optional<Fact> says;
  Fact as_written;  // says, with the sign and the constant of the text
  std::optional<std::pair<int, Polynomial>> equation;  // says, as unknown = polynomial
  std::vector<Fact> from, needs;
  bool forward = true;
  bool backward = false;  // says and needs => from
  size_t number = 0;      // of the constraint or result; of the new one of two
  size_t other = 0;       // of the old one
  Polynomial value;
};

struct Inferences {
  Table table;
  std::vector<Inference> steps;
};

// Variables are the first unknowns: dimensions, ranges, runtime. An error names the line of a step
// that is no instance of what it names.
absl::StatusOr<Inferences> read_inferences(const Section& section);

}  // namespace tileproof::trace
