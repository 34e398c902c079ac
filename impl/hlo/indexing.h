// SPDX-License-Identifier: Apache-2.0
// Indexing analysis: which elements of its operands an element of a result depends on, and which
// elements of a result depend on an element of an operand.
//
//     (o, i) is in the relation   if, by the operation's definition, the value at i can flow to o
//
// The answer for an operand is a list of indexing maps that stands for their union: i flows to o if
// one of the maps takes o to i for some values of its range variables.
//
//     p = f32[4,8] parameter(0)
//     r = f32[2,4,4] reshape(p)
//
//     (d0, d1, d2) -> (d0 * 2 + d1 floordiv 2, (d1 mod 2) * 4 + d2),
//     domain: d0 in [0, 1], d1 in [0, 3], d2 in [0, 3]
//
// The answer from input to output is the inverse relation (impl/hlo/inverse.h): for one array that
// is read, a list of maps for each array of the result. One of these maps takes i to o exactly if
// one of the other direction takes o to i. Every operation, fusion and computation has both.
//
//     (d0, d1) -> (d0 floordiv 2, (d0 mod 2) * 2 + d1 floordiv 4, d1 mod 4),
//     domain: d0 in [0, 3], d1 in [0, 7]
//
// An answer is exact, or it says that it is a superset, and why. Supersets are:
//
//   * leaves of loops that have no closed form (impl/hlo/operations/loop_closed_form.h) and run more
//     than a few times (impl/hlo/operations/unrolled_loop.h), and offsets inside of branches;
//   * operations on whole arrays (custom-call, fft, cholesky, ..): the result
//     depends on all elements of all operands, and the reason names the operation;
//   * operations that depend on a size that is known only at run time (f32[<=4]): reverse,
//     concatenate, reduce, get-dimension-size, ..;
//   * compositions with such operations, and fusions and computations that contain one;
//   * computations with more than kMaxRelations maps between two arrays, or with a map of more than
//     kMaxRuntime runtime variables, kMaxRanges range variables, kMaxConstraints constraints or
//     kMaxNodes terms (impl/hlo/access_relation.h);
//   * computations whose maps reach 4,000,000 terms during composition.
//
// Known values. Offsets and indices from iotas and written constants are not runtime variables if
// they are inside of the scope. (For an instruction, inside of the computations that it calls.) The
// maps then contain the values, with one map for each different value. If that would take a union
// of more than 32 maps, the variable stays.
//
// Runtime variables. A map may depend on values that are known only at run time: offsets and
// indices. A runtime variable is the value of one element of an array, clamped to its feasible
// values. Its RuntimeSource says which element: a map from the variables of the indexing map to the
// index of the element. (So the variable of a gather that is reduced has a value for each value of
// the range variables.) All maps of an answer declare the same runtime variables. If a map does not
// use a variable, the source of the variable may use range variables that the map does not have,
// and need not be valid at all points of the map. A map has no two variables that are written as
// the same element. Scatters do not clamp: -1 stands for all values below 0, the value after the
// last start that fits stands for all larger ones, and a constraint excludes both.
//
//     f32[4,8] gather(f32[9,8] table, s32[4] rows)
//     table    (d0, d1){rt0} -> (rt0, d1), domain: .., rt0 in [0, 8]      rt0: element (d0) of rows
//     rows     (d0, d1){rt0} -> (d0), ..
//
// Source: XLA, "Indexing analysis" (docs/sources.md).
// The slow definition: spec/hlo/provenance.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "impl/hlo/access_relation.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/hlo/scope.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

class ComputationDependences;
struct Dependences;
struct Readers;

struct RuntimeSource {
  HloPosition position;  // the array that the element is in
  IndexingMap map;       // to the index of the element; declares range and runtime variables only
                         // if it uses some
  Interval feasible;     // the value is clamped to this: the bounds of the variable

  bool operator==(const RuntimeSource&) const = default;
};

struct IndexedMap {
  IndexingMap map;
  std::vector<RuntimeSource> runtime;  // one for each runtime variable of the map

  bool operator==(const IndexedMap&) const = default;
};

// One leaf of an operand or parameter.
struct LeafMaps {
  std::vector<IndexedMap> maps;  // none if nothing flows
  bool inexact = false;          // the union is a superset, for this reason:
  std::string reason;

  bool operator==(const LeafMaps&) const = default;
};

// By operand or parameter number, then by leaf.
using Indexing = std::vector<std::vector<LeafMaps>>;

enum class Direction : uint8_t { kOutputToInput, kInputToOutput };

// The analysis of one module. It remembers the dependences of called computations. The module must
// outlive it.
class IndexingAnalysis {
 public:
  explicit IndexingAnalysis(const HloModule& module);
  ~IndexingAnalysis();

  // From a leaf of the result of an instruction: to its operands, through fusions and calls, or to the
  // parameters of the computation that it is in. Errors: no such instruction or leaf; an invalid
  // instruction that the leaf depends on (spec/lang/hlo/operand_walk.h); numbers that do not fit 64
  // bits.
  absl::StatusOr<Indexing> reads(int32_t computation, int32_t instruction, int32_t leaf = 0,
                                 Scope scope = Scope::kInstruction);

  // The inverse: from leaf `input` of all operands, or of all parameters, to each leaf of the result.
  // Sources of runtime variables are functions of the variables of the inverse map.
  absl::StatusOr<std::vector<LeafMaps>> reached(int32_t computation, int32_t instruction,
                                                int32_t input = 0,
                                                Scope scope = Scope::kInstruction);

  // OK if all instructions are valid that the leaf depends on, or without one that all leaves depend
  // on. The instruction must exist.
  absl::Status expect_valid(Scope scope, int32_t computation, int32_t instruction,
                            std::optional<int32_t> leaf);

  // What both are made of: the dependences of the leaf, with the values of offsets that are known
  // inside of the scope; and who reads each leaf of all operands or parameters.
  absl::StatusOr<Dependences> dependences(Scope scope, int32_t computation, int32_t instruction,
                                          int32_t leaf);
  absl::StatusOr<Readers> readers(Scope scope, int32_t computation, int32_t instruction);

  // For the rest of impl/hlo: what the analysis remembers. The computation must exist. `summary`:
  // the dependences of each leaf of its root.
  const HloModule& module() const;
  ComputationDependences& within(int32_t computation);
  const std::vector<absl::StatusOr<Dependences>>& summary(int32_t computation);

 private:
  struct Memory;
  absl::StatusOr<Dependences> dependences_into(Scope scope, int32_t computation,
                                               int32_t instruction, int32_t leaf);

  std::unique_ptr<Memory> memory_;
};

// The name of a position: the calls that lead to it and the instruction, as in `fused.1/offset`. A
// leaf other than the first is appended, as in `t#2`.
std::string name_of(const HloModule& module, int32_t computation, const HloPosition& position);

}  // namespace tileproof::impl
