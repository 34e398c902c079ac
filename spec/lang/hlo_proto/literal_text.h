// SPDX-License-Identifier: Apache-2.0
// Constants of a proto as HLO text.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "spec/lang/hlo_proto/message.h"

namespace tileproof::hlo_proto {

// `f32`, `tuple`: the type of a ShapeProto as HLO names it. Empty if there is none.
std::string type_of(const Message& shape);

// `{1, 2}`, `{...}` for arrays of floats that are not read, `nan` for such scalars. The elements of a
// literal of another number than the shape's count as absent, and so does a literal that is null.
// Errors: a scalar integer that is absent, as offsets may be computed from it.
absl::StatusOr<std::string> literal_text(const Message& shape, const Message* literal);

}  // namespace tileproof::hlo_proto
