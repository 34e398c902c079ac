// The text forms of a request once more as plain JSON, for programs without a parser.
//
//     "shape": "bf16[<=16,256]{1,0:T(8,128)(*,1)L(64)}"   has under "parsed"
//     "shape": {"type": "bf16", "bits": 16, "dims": [16,256], "bounded": [true,false],
//               "minor_to_major": [1,0], "tiles": [[8,128],[null,1]], "tail": 64,
//               "memory_space": 0, "splits": [], "metadata_bytes": 0}
//
// The schema is in docs/protocol.md. A text that is no valid shape is null. Source: INTERFACE,
// section 3.
#pragma once

#include "spec/lang/shape.h"
#include "verify/json.h"

namespace tileproof::verify {

Json parsed_shape(const Shape& shape);

// The request with its key "parsed".
Json with_parsed(const Json& request);

}  // namespace tileproof::verify
