// SPDX-License-Identifier: Apache-2.0
// Provenance: where every element of a result comes from.
//
// What flows into an element of a result are the parameter elements that its term holds
// (spec/hlo/terms.h). The interpreter computes the terms (spec/hlo/term_interpreter.h).
//
//     p = f32[4] parameter(0)            {p0[0]}, {p0[1]}, {p0[2]}, {p0[3]}
//     r = f32[4] reverse(p)              {p0[3]}, {p0[2]}, {p0[1]}, {p0[0]}
//     a = f32[4] add(p, r)               {p0[0], p0[3]}, {p0[1], p0[2]}, ..
//
// Predicates. A branch of a select flows to an element unless the predicate's value there excludes
// it. The value is known as far as constants and iotas of the scope say it, whatever parameters are:
//
//     i = s32[4] iota(), iota_dimension=0
//     p = pred[4] compare(i, two), direction=LT
//     s = f32[4] select(p, x, y)         {x[0]}, {x[1]}, {y[2]}, {y[3]}
//
// Values that a loop changes decide no predicate, neither in the loop nor behind it: what flows in
// its body is one relation for all iterations. A parameter of a branch decides none either, nor does
// what an asynchronous operation or a custom call takes or gives.
//
// Scopes. In kInstruction, the sources are the elements of the instruction's operands, by position.
// A repeated operand counts once for each position. In kComputation, the interpreter runs the
// instruction and all that leads to it. The sources are the elements of the parameters of its
// computation, by parameter number.
//
// Runtime values. Offsets and indices have concrete values, which the caller gives. They are
// clamped or skipped as the operation defines. The interpreter asks about the source of a value: the
// element of an instruction in the analyzed region (all instructions that it runs) that it is a copy
// of, through calls and fusions in both directions, and through operations that only move elements
// (copy, reshape, broadcast, tuple, ..; spec/hlo/runtime_value.h). A constant, an iota and a counter
// of a loop have their true values, and nobody is asked. `reads` lists every value that was used,
// with the position that the operation reads and the source. So two maps that name the same tensor
// by different instructions get the same values.
//
// This is the reference. It is slow and exact, and it needs arrays that can be enumerated.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "spec/hlo/access_relation.h"
#include "spec/hlo/terms.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/hlo/scope.h"

namespace tileproof::spec {

// One element of an operand or parameter.
struct Source {
  int32_t operand = 0;  // position of the operand, or number of the parameter
  int32_t leaf = 0;
  int64_t element = 0;  // its row-major number; element_index gives the index

  auto operator<=>(const Source&) const = default;
};

// One element of the result of an instruction. `calls` lead from the analyzed computation to that
// of the instruction, outermost first: two calls of one computation have two elements.
struct HloElement {
  int32_t computation = 0;
  int32_t instruction = 0;
  int64_t leaf = 0;
  std::vector<int64_t> index;
  std::vector<int32_t> calls = {};  // in loops and conditionals: with numbers of iterations

  auto operator<=>(const HloElement&) const = default;
};

struct RuntimeRead {
  HloElement position;  // an element of the operation's offset operand
  HloElement source;    // the element that defines its value
  int64_t value = 0;    // before it is clamped

  bool operator==(const RuntimeRead&) const = default;
};

struct Provenance {
  Dims dims;                               // of the result leaf
  std::vector<std::vector<Dims>> sources;  // of operand or parameter, by leaf
  std::vector<std::shared_ptr<const std::vector<Source>>> elements;  // by row-major element: sorted
  std::vector<RuntimeRead> reads;         // sorted by position, each once
  std::vector<std::string> conservative;  // "NAME: reason" of each such instruction
};

// The value of an element that is an offset or index. Equal elements must get equal values.
using RuntimeValues = absl::FunctionRef<int64_t(const HloElement&)>;

struct Limits {
  int64_t elements = int64_t{1} << 20;  // of one array
  int64_t work = int64_t{1} << 26;      // about one for each point visited and each source united
  int64_t depth = 200;                  // of calls in calls
};

// OK if the instruction exists, and all are valid that the leaf depends on, or without a leaf all
// leaves (spec/lang/hlo/operand_walk.h).
absl::Status expect_valid(const HloModule& module, int32_t computation, int32_t instruction,
                          std::optional<int64_t> leaf, Scope scope);

// Errors: those of expect_valid; a leaf that does not exist; numbers that are too large for the
// definition (OutOfRange); "NAME: too large to enumerate" (ResourceExhausted).
absl::StatusOr<Provenance> provenance(const HloModule& module, int32_t computation,
                                      int32_t instruction, int64_t leaf, Scope scope,
                                      RuntimeValues values, const Limits& limits = {});

// Whether a loop, which must be valid, runs a number of times that is known where it is. False if that
// is too much to enumerate.
bool is_counted(const HloModule& module, int32_t computation, int32_t loop,
                const Limits& limits = {});

// The terms of the elements of a result, in row-major order. Parameters are numbered, so terms of two
// modules in one `terms` are equal if they are the same expression of the same parameter elements.
struct ElementTerms {
  Dims dims;
  std::vector<TermId> terms;
};
absl::StatusOr<ElementTerms> terms_of(const HloModule& module, int32_t computation,
                                      int32_t instruction, int64_t leaf, Terms& terms,
                                      const Limits& limits = {});
// The same of all arrays of the result, by leaf. What leads to several of them runs once.
absl::StatusOr<std::vector<ElementTerms>> terms_of_all(const HloModule& module, int32_t computation,
                                                       int32_t instruction, Terms& terms,
                                                       const Limits& limits = {});

// The index of an element by its row-major number, and back. The element must be in the array.
std::vector<int64_t> element_index(const Dims& dims, int64_t element);
int64_t element_number(const Dims& dims, const std::vector<int64_t>& index);

// Values for tests and judges: a number that depends on the position and the seed alone, mostly in
// [-2, 2 * near], sometimes far outside, up to the ends of int64.
int64_t arbitrary_value(const HloElement& position, uint64_t seed, int64_t near);

}  // namespace tileproof::spec
