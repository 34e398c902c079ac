// SPDX-License-Identifier: Apache-2.0
// The operation hlo.index of the protocol. The closed forms answer it; the reference validates it.
//
//     hlo.index   hlo, direction; optional instruction, scope, output, input      lists of maps
//
//     {"op":"hlo.index","hlo":"r = f32[3,2] transpose(f32[2,3] p), dimensions={1,0}",
//      "direction":"output_to_input"}
//     {"result":[["(d0, d1) -> (d1, d0), domain: d0 in [0, 2], d1 in [0, 1]"]]}
//
// Output to input, the request is about leaf `output` of the result, and the answer has a list for
// each leaf of the operands. Input to output, the request is about leaf `input` of the operands,
// and the answer has a list for each leaf of the result. The reference (kSpec) only decides whether
// a request is valid; it writes no maps. Source: INTERFACE, sections 2 "HLO" and 3.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "conform/oracle/oracle.h"
#include "conform/protocol/json.h"
#include "spec/hlo/provenance.h"
#include "spec/lang/hlo/hlo.h"
#include "verify/compare/indexing_compare.h"

namespace tileproof::conform {

inline constexpr verify::RuntimeChoice kAllOffsetsZero{0, 1, 0};

struct HloQuestion {
  HloModule module;
  int32_t computation = 0;
  int32_t instruction = 0;
  int32_t array = 0;  // the number of the output or input leaf
  Scope scope = Scope::kInstruction;
  impl::Direction direction = impl::Direction::kOutputToInput;

  bool is_inverse() const { return direction == impl::Direction::kInputToOutput; }
};

// Reads a request. The instruction may be in any computation if its name is unique; without a name
// it is the root of the entry computation. kInvalidArgument if the request is invalid.
absl::StatusOr<HloQuestion> read_hlo_question(const Json& request);

// The reference's answer for one choice of offset values. Input to output it is the inverse
// provenance (spec/hlo/provenance_inverse.h). Errors are those of spec::provenance.
absl::StatusOr<spec::Provenance> provenance_of(const HloQuestion& question,
                                               verify::RuntimeChoice choice);

// The reference's answer if all offsets are 0, or an error of read_hlo_question or provenance_of.
// Remembers the last request; valid until the next call in this thread.
struct HloReference {
  absl::StatusOr<HloQuestion> question;
  absl::StatusOr<spec::Provenance> provenance;
};
const HloReference& reference_of(const Json& request);

absl::StatusOr<Result> hlo_index(const Json& request, Engine engine);

}  // namespace tileproof::conform
