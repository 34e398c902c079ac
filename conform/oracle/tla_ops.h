// SPDX-License-Identifier: Apache-2.0
// The operations of the protocol on nested layouts.
//
//     tla.offset   layout (NESTED), coord (nested arrays)   the offset
//     tla.make     tag, element_bits, rows, cols            NESTED
//     tla.tile     layout, tile (array)                     NESTED
//
//     {"op":"tla.offset","layout":"((4,2),(4,3)):((4,16),(1,32))","coord":[1,5]}   {"result":37}
//
// A NESTED answer must have the shape and stride of the reference; any spelling is right (`_4` is
// 4). Source: INTERFACE, sections 2 "Nested layouts" and 3.
#pragma once

#include "absl/status/statusor.h"
#include "conform/oracle/oracle.h"
#include "conform/protocol/json.h"
#include "spec/lang/layout/nested.h"

namespace tileproof::conform {

absl::StatusOr<Result> tla_offset(const Json& request, Engine engine);
absl::StatusOr<Result> tla_make(const Json& request, Engine engine);
absl::StatusOr<Result> tla_tile(const Json& request, Engine engine);

// An error is right too if a size or an intermediate sum may leave 64 bits.
Exact exact_tla(const Json& request);

Assessment judge_tla_make(const Json& request, const Answer& answer);
Assessment judge_tla_tile(const Json& request, const Answer& answer);

// kRight if the result of an answer is this layout, in any spelling.
Assessment compare_nested_answer(const NestedLayout& right, const Answer& answer);

// Parses the layout under a key of a request.
absl::StatusOr<NestedLayout> nested_under(const Json& request, absl::string_view key = "layout");

// A tuple as nested arrays of integers, and back. Errors name the value as `what`.
Json arrays(const IntTuple& tuple);
absl::StatusOr<IntTuple> int_tuple_in(const Json& json, absl::string_view what);

// True if a size or an intermediate sum may leave signed integers of `bits` bits.
bool tla_may_leave(const Json& request, int64_t bits);

}  // namespace tileproof::conform
