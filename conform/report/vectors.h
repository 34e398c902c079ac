// Test vectors: a request, its right answer, and what the case is about, on one line.
//
//     {"id":7,"op":"layout.linearize","shape":"f32[3,5]{1,0:T(2,2)}","index":[2,3],
//      "case":"15e8dd9403184cca","valid":true,"flags":["padding","tiled"],
//      "answer":{"result":17},"variation":"none"}
//
// Flags say what a case tests, so that an implementation can leave out what it does not do; the
// variation names which other answers are right too. Both are defined once, in the tables below,
// from which the schema is made. corpus/vectors holds a set of them. Source: INTERFACE, sections 3
// and 4.
#pragma once

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

// The line for a request without id.
Json vector_line(Json id, const Json& request);

// The request of a line that may be one: without the keys that a vector adds.
void remove_vector_keys(Json& request);

// The JSON Schema of a line (draft 2020-12).
Json vector_schema();

}  // namespace tileproof::conform
