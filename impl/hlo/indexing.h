// Indexing analysis: which elements of its operands an element of a result needs, and which
// elements of a result an element of an operand flows to.
//
//     (o, i) is in the relation   when the operation's definition lets the value at i flow to o
//
// The answer for an operand is a list of indexing maps, a finite union: i flows to o when for one
// of the maps and some values of its range variables the map takes o to i.
//
//     p = f32[4,8] parameter(0)
//     r = f32[2,4,4] reshape(p)       (d0, d1, d2) -> (d0 * 2 + d1 floordiv 2, (d1 mod 2) * 4 +
//     d2),
//                                     domain: d0 in [0, 1], d1 in [0, 3], d2 in [0, 3]
//
// Input to output it is the same relation, turned round (impl/hlo/inverse.h): for one array that is
// read a list of maps for each array of the result; o is among what the maps give for i exactly
// when i is among what they give for o the other way. Every operation, fusion and computation has
// both.
//
//     p = f32[4,8] parameter(0)
//     r = f32[2,4,4] reshape(p)       (d0, d1) -> (d0 floordiv 2, (d0 mod 2) * 2 + d1 floordiv 4,
//                                     d1 mod 4), domain: d0 in [0, 3], d1 in [0, 7]
//
// An answer is exact, or says that it is a superset, and why. That happens for
//
//   * operations on whole arrays (while, conditional, custom-call, fft, cholesky, ..): all elements
//     of all operands are listed; the reason names the operation;
//   * what is composed with one of these, and fusions and computations that contain one;
//   * computations in which more than kMaxRelations (impl/hlo/access_relation.h) maps lie between two arrays,
//   or
//     a map has more than kMaxRuntime runtime variables, kMaxRanges range variables,
//     kMaxConstraints conditions or kMaxNodes terms; or whose maps come to 4,000,000 terms while
//     they are composed.
//
// Values that are known inside of what is asked about (of an instruction: inside of the
// computations that it enters), those of iotas and of constants that are written, are no runtime
// variables: the maps have them, one map for each where they are different. Only where a union of
// more than 32 maps would be needed the variable stays; it has but that one value.
//
// Runtime variables. A map may depend on values that are known only when the program runs: offsets
// and indices. Each runtime variable is the value of one element of an array, clamped to its
// feasible values, and a RuntimeSource says which element: its map takes the variables of the
// indexing map to the index of it. (So the variables of a gather that was reduced have a value for
// each value of the range variables.) All maps of an answer declare the same runtime variables;
// where one has no use for a variable, its source may use range variables that the map has not, and
// need not hold for all its points. Variables of one map that are one value, as they are written,
// are one.
// Scatters do not clamp: all values below 0 count as -1, all above the last start that fits as
// the next one, and a condition keeps the others.
//
//     f32[4,8] gather(f32[9,8] table, s32[4] rows)
//     table    (d0, d1){rt0} -> (rt0, d1), domain: .., rt0 in [0, 8]      rt0: element (d0) of rows
//     rows     (d0, d1){rt0} -> (d0), ..
//
// Source: INTERFACE, section 2 "HLO"; seed "Indexing analysis"; facts "XLA indexing maps".
// By definition, and slowly: spec/hlo/provenance.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "impl/hlo/access_relation.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

class ComputationDependences;
struct Dependences;

struct RuntimeSource {
  HloPosition position;  // whose element it is
  IndexingMap map;       // to the index of that element; without ranges or runtime variables if it
                         // uses none
  Interval feasible;     // what its value is clamped to

  bool operator==(const RuntimeSource&) const = default;
};

struct IndexedMap {
  IndexingMap map;
  std::vector<RuntimeSource> runtime;  // one for each runtime variable of the map

  bool operator==(const IndexedMap&) const = default;
};

// One array: an operand, or a leaf of one that is a tuple (its arrays in the order of the text).
struct LeafMaps {
  std::vector<IndexedMap> maps;  // none: nothing flows
  bool inexact = false;          // the union is a superset
  std::string reason;            // of inexact
};

// By operand position, or by number of the parameter; by leaf.
using Indexing = std::vector<std::vector<LeafMaps>>;

enum class Direction : uint8_t { kOutputToInput, kInputToOutput };

// Whose elements flow: those of the instruction's operands, or of the parameters of its
// computation.
enum class Scope : uint8_t { kInstruction, kComputation };

// The analysis of one module. It keeps what it finds out about computations that are entered. The
// module must outlive it.
class IndexingAnalysis {
 public:
  explicit IndexingAnalysis(const HloModule& module);
  ~IndexingAnalysis();

  // From a leaf of the result of an instruction to its operands. Fusions and calls are entered.
  // Errors: no such instruction or leaf; an instruction whose attributes and shapes do not fit: its
  // name and what was expected.
  absl::StatusOr<Indexing> instruction(int32_t computation, int32_t instruction, int32_t leaf = 0);

  // To the parameters of the computation that the instruction is in.
  absl::StatusOr<Indexing> computation(int32_t computation, int32_t instruction, int32_t leaf = 0);

  // The inverse: from an array that an instruction reads, by its number among the leaves of all
  // operands, to each leaf of its result; and from a leaf of the parameters of the computation, by
  // its number among all of them, to the leaves of the instruction. Sources of runtime variables
  // take the variables of the inverse map.
  absl::StatusOr<std::vector<LeafMaps>> instruction_outputs(int32_t computation,
                                                            int32_t instruction, int32_t input = 0);
  absl::StatusOr<std::vector<LeafMaps>> computation_outputs(int32_t computation,
                                                            int32_t instruction, int32_t input = 0);

 private:
  struct Memory;
  // The computation, if there is such an instruction in it.
  absl::StatusOr<ComputationDependences*> dependences_at(int32_t computation, int32_t instruction);
  absl::StatusOr<Dependences> dependences_into(Scope scope, int32_t computation,
                                               int32_t instruction, int32_t leaf);
  absl::StatusOr<Indexing> indexing(Scope scope, int32_t computation, int32_t instruction,
                                    int32_t leaf);
  absl::StatusOr<std::vector<LeafMaps>> outputs(Scope scope, int32_t computation,
                                                int32_t instruction, int32_t input);

  std::unique_ptr<Memory> memory_;
};

// The name of a place: `fused.1/offset`, the calls that lead to it and the instruction; and `#2`
// behind it for a leaf other than the first.
std::string name_of(const HloModule& module, int32_t computation, const HloPosition& position);

}  // namespace tileproof::impl
