// Generators of small HLO modules.
//
// generate_operation describes one instruction of any kind whose operands are parameters;
// generate_computation describes up to eight of them, one upon the other, with fusions and calls;
// a quarter have none but operations with offsets and indices.
// What they describe is valid HLO, in shapes too, and leans towards what decides whether a reader
// is real: reshapes of every kind, bitcasts through transposed and tiled layouts, padding with
// holes and negative edges, strides, gathers with the index vector anywhere, implicit, and with
// batching dimensions, convolutions with both dilations, reversal and groups, broadcasts that
// transpose, variadic reduces, offsets out of range, repeated operands, sizes 0 and 1.
//
//     HloModule generated
//     ENTRY main {
//       p0 = f32[3,2] parameter(0)
//       ROOT r1 = f32[2,3,4] broadcast(p0), dimensions={1,0}
//     }
//
// Offsets and indices that are parameters have no value here: whoever interprets the module gives
// them values, by `seed` and `near` (spec::arbitrary_value). The choices are the caller's
// (generate/choose/choose.h); 0 is always the simplest.
#pragma once

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "generate/choose/choose.h"

namespace tileproof {

struct HloLimits {
  int64_t elements = 200;  // of each array
  int64_t operations = 8;  // of a computation, at most; a few need a helper or two beside them
};

struct GeneratedHlo {
  std::string text;    // a module with one ENTRY; its ROOT is what to ask about
  std::string kind;    // of an operation: "gather", ..; of a computation: its kinds in turn
  int64_t leaves = 1;  // of the root
  uint64_t seed = 0;   // for the values of offsets
  int64_t near = 1;    // sizes that offsets are about
};

// One instruction. `kind` < operation_kinds() picks one; otherwise it is chosen.
GeneratedHlo generate_operation(Choose& choose, const HloLimits& limits = {}, int64_t kind = -1);
int64_t operation_kinds();

GeneratedHlo generate_computation(Choose& choose, const HloLimits& limits = {});

// What the bytes of a fuzzer choose: an operation, or a computation. Small, as there are many runs.
GeneratedHlo hlo_of_choices(absl::Span<const uint8_t> bytes, bool computation);

}  // namespace tileproof
