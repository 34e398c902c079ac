// The operations of the protocol on layouts: answers by the reference and by the closed form, and
// what is right.
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

// The integer that a member of a request is, `what` in the error.
absl::StatusOr<int64_t> integer_in(const Json& json, absl::string_view what);

// What the reference cannot say because 64 bits do not reach: whether an error is right too, and
// the exact answer.
Exact exact_physical(const Json& request);
Exact exact_linearize(const Json& request);
Exact exact_delinearize(const Json& request);

// The reference's layout of a text, or why there is none. The last few are remembered, as a text is
// asked about when its case is made and when the answer is judged. Good until the next call.
const absl::StatusOr<spec::TiledLayout>& reference_layout(absl::string_view text);

// The same where the text was just written, to_text(shape) of a valid shape: it is not read back.
const absl::StatusOr<spec::TiledLayout>& reference_layout(const Shape& shape,
                                                          absl::string_view text);

}  // namespace tileproof::conform
