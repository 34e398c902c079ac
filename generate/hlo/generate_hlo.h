// SPDX-License-Identifier: Apache-2.0
// Generators of small HLO modules.
//
// generate_operation makes one instruction of any kind, whose operands are parameters.
// generate_computation makes up to eight that use each other's results, with fusions and calls; a
// quarter of the computations have only operations with offsets and indices.
//
// Every result is valid HLO, shapes included. The generators favor what breaks simple
// implementations:
//
//     reshapes           of every kind, and bitcasts between transposed and tiled layouts
//     pads, slices       interior and negative padding, strides
//     gathers            the index vector in any dimension, implicit, and with batching dimensions
//     convolutions       both dilations, reversal, groups
//     selects            predicates that iotas and constants decide
//     others             broadcasts that transpose, variadic reduces, offsets out of range,
//                        repeated operands, sizes 0 and 1
//
// Example:
//
//     HloModule generated
//     ENTRY main {
//       p0 = f32[3,2] parameter(0)
//       ROOT r1 = f32[2,3,4] broadcast(p0), dimensions={1,0}
//     }
//
// Offsets and indices that are parameters have no value here. The interpreter of the module gives
// them values by `seed` and `near` (spec::arbitrary_value). The caller provides the choices
// (generate/choose/choose.h); 0 is always the simplest.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "generate/choose/choose.h"
#include "generate/choose/limits.h"

namespace tileproof {

struct HloLimits {
  int64_t elements = 200;  // of each array
  // Of a computation, at most; some need one or two helpers more.
  int64_t operations = limits::kOperations.most;
  int64_t rare = kRare;  // once in so many times, a number exceeds the usual one of its limit
};

struct GeneratedHlo {
  std::string text;    // a module with one ENTRY; ask about its ROOT
  std::string kind;    // "gather"; of a computation: its kinds in order
  int64_t leaves = 1;  // of the root
  uint64_t seed = 0;   // for the values of offsets
  int64_t near = 1;    // offsets are near these sizes
};

// Makes one instruction. `kind` < operation_kinds() selects its kind; -1 chooses one.
GeneratedHlo generate_operation(Choose& choose, const HloLimits& limits = {}, int64_t kind = -1);
int64_t operation_kinds();

// Every kind; those with much to decide, such as gather, several times.
const std::vector<int64_t>& operation_turns();

// Makes the text of one instruction that moves elements of arrays with up to 2^40 elements and
// dimensions up to 2^31. Too large to enumerate.
std::string generate_large_operation(Choose& choose);

GeneratedHlo generate_computation(Choose& choose, const HloLimits& limits = {});

// Makes what a fuzzer's bytes choose: an operation or a computation. Small, because fuzzers make
// many runs.
GeneratedHlo hlo_of_choices(absl::Span<const uint8_t> bytes, bool computation);

}  // namespace tileproof
