// The operations of the protocol on nested layouts: answers by the reference and by the closed
// form, and what is right.
//
//     tla.offset   layout (NESTED), coord (nested arrays)   the offset
//     tla.make     tag, element_bits, rows, cols            NESTED
//     tla.tile     layout, tile (array)                     NESTED
//
// A NESTED answer is right in any spelling (`_4` is 4), with the shape and stride of the reference.
// Source: INTERFACE, sections 2 "Nested layouts" and 3.
#pragma once

#include "absl/status/statusor.h"
#include "conform/oracle/oracle.h"
#include "conform/protocol/json.h"
#include "spec/lang/layout/nested.h"

namespace tileproof::conform {

absl::StatusOr<Result> tla_offset(const Json& request, Engine engine);
absl::StatusOr<Result> tla_make(const Json& request, Engine engine);
absl::StatusOr<Result> tla_tile(const Json& request, Engine engine);

// Whether an error is right too, as a size or a sum on the way leaves 64 bits.
Exact exact_tla(const Json& request);

Assessment judge_tla_make(const Json& request, const Answer& answer);
Assessment judge_tla_tile(const Json& request, const Answer& answer);

// Whether the result of an answer is this layout, in whatever spelling.
Assessment compare_nested_answer(const NestedLayout& right, const Answer& answer);

// The layout under the key of a request, or why it is none.
absl::StatusOr<NestedLayout> nested_under(const Json& request);

// Nested arrays of integers, and back. An error names the member that is none.
Json arrays(const IntTuple& tuple);
absl::StatusOr<IntTuple> int_tuple_in(const Json& json, absl::string_view what);

// Whether a size, or a sum on the way to an answer, may leave signed integers of so many bits.
bool tla_may_leave(const Json& request, int64_t bits);

}  // namespace tileproof::conform
