// What XLA is really given to run: a stand-in of the module asked about, whose values show what
// flowed.
//
// In the ways of bits every value is a u64, a set of sources:
// * bits: source n is bit n mod 64 of run n / 64, and 0 in every other run;
// * fields: source n is the lowest bit of 16-bit field n mod 4 of run n / 4, for sums of products,
//   which would carry.
// Operations that move elements are XLA's own, with all their attributes. What computes has a
// stand-in:
// * elementwise operations: `or` of the operands; one predicate or bound for all is broadcast;
// * reduce, reduce-window, scatter, map: XLA's own, applying `or` of everything it is given. In a
//   whole computation each input is reduced alone and the results and inits are or'ed
//   (docs/findings.md, init-is-identity);
// * all-reduce, reduce-scatter: XLA's own, applying `maximum`, as XLA's CPU collectives know no
//   `or`. Every replica is given the same values;
// * dot(a, b) and convolution(a, b): XLA's own, twice, as dot(a, ones) and dot(ones, b); each field
//   made 0 or 1; `or` of both. The ones are behind an optimization barrier;
// * sort, topk: `or` along the line, broadcast. That restates the definition: alone they are asked
//   in the way of changes;
// * data constants and iota: 0; fusion: call.
//
// In the way of changes the operations are the module's own, with the functions they apply, on
// integers: f32 becomes s32, bf16 s16, and a sort compares the sums of all it is given, so that no
// operand is idle. (Elementwise operations that are for floating point are asked in it, one each:
// verify/xla/elementwise.h.) A source flows where changing it changes something.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "verify/xla/question.h"

namespace tileproof::xla {

enum class Encoding { kBits, kFields, kChanges };

struct Surrogate {
  std::string computations;  // text; the last one is named `name` and has the question's parameters
  std::string name;
  std::vector<std::string> inputs;   // shapes of the parameters' arrays, in order
  std::vector<std::string> outputs;  // shapes of the result's arrays, in order
  bool tuple = false;                // the result is a tuple of these, even if of one
};

// kFields if a sum of products is in it, else kBits.
Encoding bits_or_fields(const HloModule& module);

// Errors: an operation that has no stand-in (Unimplemented, with its name). Names of computations
// start with `name`.
absl::StatusOr<Surrogate> make_surrogate(const Question& question, absl::string_view name,
                                         Encoding encoding);

}  // namespace tileproof::xla
