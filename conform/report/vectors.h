// SPDX-License-Identifier: Apache-2.0
// Test vectors: each line has a request, its right answer, and flags for what the case tests.
//
//     {"id":7,"op":"layout.linearize","shape":"f32[3,5]{1,0:T(2,2)}","index":[2,3],
//      "case":"15e8dd9403184cca","valid":true,"flags":["padding","tiled"],
//      "answer":{"result":17},"variation":"none"}
//
// An implementation can leave out the vectors whose flags it does not support. The variation names
// the other answers that are right too. vector_flags() and vector_variations() define them all, and
// the schema is made from these tables. corpus/vectors holds a set of vectors.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "conform/protocol/json.h"

namespace tileproof::conform {

struct Defined {
  absl::string_view name;
  absl::string_view meaning;
};

absl::Span<const Defined> vector_flags();
absl::Span<const Defined> vector_variations();

// The vector for a request without id. `right`: right_answer() of conform/judge/judge.h. An error if
// that has no answer to show.
absl::StatusOr<Json> vector_line(Json id, const Json& request, const Json& right);

// Removes the keys that a vector adds to its request.
void remove_vector_keys(Json& request);

// The JSON Schema of a line (draft 2020-12).
Json vector_schema();

}  // namespace tileproof::conform
