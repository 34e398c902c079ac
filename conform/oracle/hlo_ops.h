// The operation hlo.index of the protocol: the answer in closed form, and what the reference says
// of a request.
//
//     hlo.index   hlo, direction; optional instruction, scope, output, input      lists of maps
//
//     {"op":"hlo.index","hlo":"r = f32[3,2] transpose(f32[2,3] p), dimensions={1,0}",
//      "direction":"output_to_input"}
//     {"result":[["(d0, d1) -> (d1, d0), domain: d0 in [0, 2], d1 in [0, 1]"]],}
//
// Output to input the question is about the array `output` of the result, and the lists belong to
// what is read; input to output it is about the array `input` of what is read, and the lists belong
// to the result. The reference (kSpec) finds out whether a request is valid, and writes no maps.
// Source: INTERFACE, sections 2 "HLO" and 3.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "conform/oracle/oracle.h"
#include "conform/protocol/json.h"
#include "spec/hlo/provenance.h"
#include "spec/lang/hlo/hlo.h"
#include "verify/compare/indexing_compare.h"

namespace tileproof::conform {

struct HloQuestion {
  HloModule module;
  int32_t computation = 0;
  int32_t instruction = 0;
  int32_t array = 0;  // number of the output or input
  spec::Scope scope = spec::Scope::kInstruction;
  impl::Direction direction = impl::Direction::kOutputToInput;

  bool is_inverse() const { return direction == impl::Direction::kInputToOutput; }
};

// What is asked, or why that cannot be. The instruction may be in any computation, if only one has
// one of that name; without a name it is the root of the entry.
absl::StatusOr<HloQuestion> read_hlo_question(const Json& request);

// What is true, for one choice of the values of offsets; input to output seen from the input
// (spec/hlo/provenance_inverse.h). Errors as spec::provenance.
absl::StatusOr<spec::Provenance> provenance_of(const HloQuestion& question,
                                               verify::RuntimeChoice choice);

absl::StatusOr<Result> hlo_index(const Json& request, Engine engine);

}  // namespace tileproof::conform
