// SPDX-License-Identifier: Apache-2.0
// The module that XLA runs: a surrogate of the module in question, whose values show dependences.
//
// In the encodings `bits` and `fields` every value is a u64, a set of sources:
// * bits: source n is bit n mod 64 of run n / 64, and 0 in every other run;
// * fields: source n is the lowest bit of 16-bit field n mod 4 of run n / 4; for sums of products,
//   which would carry between bits.
// XLA's own operations move elements, with all attributes. Operations that compute get a surrogate:
// * elementwise operations: `or` of the operands; a scalar predicate or bound is broadcast;
// * select: `or` too, if the predicate may be anything. If it follows from iotas and constants
//   (spec/hlo/terms.h), XLA computes it with the module's own operations and types, and
//   selects by it; so XLA decides which operand flows. A predicate that is known in part, or within
//   a call, has no surrogate;
// * reduce, reduce-window, scatter, map: XLA's own, applying `or` to all arguments. In a whole
//   computation each input is reduced alone and the results and inits are or'ed (docs/findings.md,
//   init-is-identity);
// * all-reduce, reduce-scatter: XLA's own, applying `maximum`, because XLA's CPU collectives have
//   no `or`. Every replica gets the same values;
// * dot(a, b) and convolution(a, b): XLA's own, twice, as dot(a, ones) and dot(ones, b); each field
//   is reduced to 0 or 1; `or` of both. The ones are behind an optimization barrier;
// * sort, topk: `or` along the line, broadcast. This restates the definition, so single operations
//   are asked in the encoding of changes;
// * data constants and iota: 0; fusion: call.
//
// In the encoding `changes` the operations are the module's own, with the functions they apply, on
// integers: f32 becomes s32, bf16 s16, and a sort compares the sums of all its operands, so that
// every operand matters. (Floating-point elementwise operations are asked in floating point, once
// each: verify/xla/elementwise.hlo.) A result depends on a source if changing the source changes the
// result.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "verify/xla/question.h"

namespace tileproof::xla {

enum class Encoding { kBits, kFields, kChanges };

struct Surrogate {
  std::string computations;  // text; the last is named `name` and has the question's parameters
  std::string name;
  std::vector<std::string> inputs;   // shapes of the parameters' arrays, in order
  std::vector<std::string> outputs;  // shapes of the result's arrays, in order
  bool tuple = false;                // the result is a tuple, possibly of one array
};

// Returns kFields if the module has a sum of products, else kBits.
Encoding bits_or_fields(const HloModule& module);

// Errors: an operation without a surrogate (Unimplemented, with its name). Names of computations
// start with `name`.
absl::StatusOr<Surrogate> make_surrogate(const Question& question, absl::string_view name,
                                         Encoding encoding);

}  // namespace tileproof::xla
