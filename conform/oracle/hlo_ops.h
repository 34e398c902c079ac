// SPDX-License-Identifier: Apache-2.0
// The questions of hlo.index and of the operations that ask like it (conform/oracle/operations.h).
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
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
  bool is_on_devices = false;  // hlo.exchange: the device is the first coordinate of each array

  bool is_inverse() const { return direction == impl::Direction::kInputToOutput; }
};

// Reads a request of hlo.index, or of hlo.exchange. The instruction may be in any computation if its name is unique; without a name
// it is the root of the entry computation. kInvalidArgument if the request is invalid.
absl::StatusOr<HloQuestion> read_hlo_question(const Json& request);

// The reference's answer for one choice of offset values. Input to output it is the inverse
// provenance (spec/hlo/provenance_inverse.h), between devices spec/hlo/device_provenance.h. Errors
// are those of spec::provenance.
absl::StatusOr<spec::Provenance> provenance_of(const HloQuestion& question,
                                               verify::RuntimeChoice choice);

// The reference's answer if all offsets are 0, or an error of read_hlo_question or provenance_of.
// Remembers the last request; valid until the next call in this thread.
struct HloReference {
  absl::StatusOr<HloQuestion> question;
  absl::StatusOr<spec::Provenance> provenance;
};
const HloReference& reference_of(const Json& request);

}  // namespace tileproof::conform
