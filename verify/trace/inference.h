// SPDX-License-Identifier: Apache-2.0
// Reads the steps of a trace as inferences and checks each of them on its own.
#pragma once

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "verify/trace/trace_text.h"
#include "verify/trace/values.h"

namespace tileproof::trace {

enum class InferenceKind : uint8_t {
  kFact,            // from and needs => says
  kNever,           // from and needs => contradiction
  kKnown,           // earlier steps must have shown `says`
  kConstraint,      // given needs: a constraint of the map before <=> says
  kNewConstraint,   // given needs: a constraint of the map after <=> says
  kSameConstraint,  // a constraint of the map after has the text of one before
  kResult,          // needs => a result of the map before is `value`
  kNewResult,       // needs => a result of the map after is `value`
  kSameResult,      // a result has the same text before and after
};

struct Inference {
  int line = 0;
  InferenceKind kind = InferenceKind::kFact;
  std::optional<Fact> says;
  Fact as_written;  // `says` with the sign and the constant of the text
  std::optional<std::pair<int, Polynomial>> equation;  // `says` as unknown = polynomial
  std::vector<Fact> from, needs;
  bool backward = false;  // says and needs => from
  size_t number = 0;      // of the constraint or result
  size_t other = 0;       // of a pair, the one in the map before; `number` is the one after
  Polynomial value;
};

struct Inferences {
  Table table;
  std::vector<Inference> steps;
};

// Variables are the first unknowns: dimensions, ranges, runtime. An error names the line of the
// first step that is not an instance of its lemma.
absl::StatusOr<Inferences> read_inferences(const Section& section);

}  // namespace tileproof::trace
