// SPDX-License-Identifier: Apache-2.0
// The operations of the protocol on tiled layouts.
//
//     layout.physical     shape                     {"dims":[2,3,2,2],"elements":24,"bytes":96}
//     layout.linearize    shape, index or indices   the offset in elements, or an array of them
//     layout.delinearize  shape, offset or offsets  the index, null in padding, or an array
//
// Source: INTERFACE, sections 2 "Layouts" and 3.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conform/oracle/oracle.h"
#include "conform/protocol/json.h"
#include "spec/lang/layout/shape.h"
#include "spec/layout/tiled_layout.h"

namespace tileproof::conform {

absl::StatusOr<Result> layout_physical(const Json& request, Engine engine);
absl::StatusOr<Result> layout_linearize(const Json& request, Engine engine);
absl::StatusOr<Result> layout_delinearize(const Json& request, Engine engine);

// The right answer if a number leaves 64 bits.
Exact exact_physical(const Json& request);
Exact exact_linearize(const Json& request);
Exact exact_delinearize(const Json& request);

// The reference's layout of a shape text, or an error. A memo keeps recent results, because a shape
// is needed once to make its case and again to judge the answer. The result is valid until the next
// call.
const absl::StatusOr<spec::TiledLayout>& reference_layout(absl::string_view text);

// The same for a valid shape and its text to_text(shape), without parsing the text.
const absl::StatusOr<spec::TiledLayout>& reference_layout(const Shape& shape,
                                                          absl::string_view text);

}  // namespace tileproof::conform
