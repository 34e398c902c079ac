// The provenance interpreter: where every element of a result comes from.
//
// The value of a tensor element is the set of (operand, leaf, index) that flow into it. An
// instruction is interpreted by the loop its definition states: for every result element, for every
// value of the range variables, the set of the operand element reached (spec/hlo/access_relation.h) is
// united. Fusions, calls and asynchronous computations are entered. No map is ever composed.
//
//     p = f32[4] parameter(0)            {p0[0]}, {p0[1]}, {p0[2]}, {p0[3]}
//     r = f32[4] reverse(p)              {p0[3]}, {p0[2]}, {p0[1]}, {p0[0]}
//     a = f32[4] add(p, r)               {p0[0], p0[3]}, {p0[1], p0[2]}, ..
//
// Scope kInstruction: the sources are the elements of the instruction's operands, by position, so
// that a repeated operand counts once for each position. Scope kComputation: the instruction is
// interpreted with all that leads to it, and the sources are the elements of the parameters of the
// computation it is in, by parameter number.
//
// Offsets and indices have concrete values, which the caller gives for any place in the module;
// values out of range are clamped or skipped as the operation defines. Before the caller is asked,
// a value is followed to where it comes from within the analysed region (all instructions
// interpreted): through parameters of entered computations to the operands of the caller, and
// through operations that only move elements (copy, reshape, broadcast, tuple, ..). If it ends at
// a constant whose literal is written, or at an iota, its true value is used; else the caller is
// asked about the place where it ended. `reads` lists every value that was used, by the place the
// operation reads and the place it was followed to. So two maps that name the same tensor by
// different instructions get the same values.
//
// This is the reference: slow, exact, and limited to what can be enumerated.
// Source: ARCHITECTURE, "The reference interpreter"; INTERFACE, section 2 "HLO".
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "spec/hlo/access_relation.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::spec {

enum class Scope : uint8_t { kInstruction, kComputation };

// One element of an operand or parameter.
struct Source {
  int32_t operand = 0;  // position of the operand, or number of the parameter
  int32_t leaf = 0;
  int64_t element = 0;  // in row-major order; element_index tells its index

  auto operator<=>(const Source&) const = default;
};

// One element of the result of an instruction.
struct HloElement {
  int32_t computation = 0;
  int32_t instruction = 0;
  int64_t leaf = 0;
  std::vector<int64_t> index;

  auto operator<=>(const HloElement&) const = default;
};

struct RuntimeRead {
  HloElement position;  // as the operation names it: an element of its offset operand
  HloElement source;    // where that was followed to
  int64_t value = 0;    // as it is, before it is clamped

  bool operator==(const RuntimeRead&) const = default;
};

struct Provenance {
  Dims dims;                               // of the result leaf
  std::vector<std::vector<Dims>> sources;  // of operand or parameter, by leaf
  std::vector<std::shared_ptr<const std::vector<Source>>> elements;  // by row-major element: sorted
  std::vector<RuntimeRead> reads;                                    // sorted by place, each once
  std::vector<std::string> conservative;  // "NAME: reason" of each that was interpreted so
};

// The value of an element that serves as an offset or index. Must give the same for the same place.
using RuntimeValues = absl::FunctionRef<int64_t(const HloElement&)>;

struct Limits {
  int64_t elements = int64_t{1} << 20;  // of one array
  int64_t work = int64_t{1} << 26;      // points visited and sources united, about one each
  int64_t depth = 200;                  // of calls in calls
};

// Errors: a place or leaf that is not there; an instruction that does not fit its operands (its
// name and what was expected); "too large to enumerate" (ResourceExhausted), naming the
// instruction.
absl::StatusOr<Provenance> provenance(const HloModule& module, int32_t computation,
                                      int32_t instruction, int64_t leaf, Scope scope,
                                      RuntimeValues values, const Limits& limits = {});

// The index of an element by its row-major number, and back. Both must be in the array.
std::vector<int64_t> element_index(const Dims& dims, int64_t element);
int64_t element_number(const Dims& dims, const std::vector<int64_t>& index);

// Values for tests and judges: any place gets a number from its own text and the seed, mostly in
// [-2, 2 * near], sometimes far outside, to the ends of int64.
int64_t arbitrary_value(const HloElement& position, uint64_t seed, int64_t near);

}  // namespace tileproof::spec
