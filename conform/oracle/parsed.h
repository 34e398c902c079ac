// The text forms of a request once more as plain JSON, for programs without a parser.
//
//     "shape": "bf16[<=16,256]{1,0:T(8,128)(*,1)L(64)}"   has under "parsed"
//     "shape": {"type": "bf16", "bits": 16, "dims": [16,256], "bounded": [true,false],
//               "minor_to_major": [1,0], "tiles": [[8,128],[null,1]], "tail": 64,
//               "memory_space": 0, "splits": [], "metadata_bytes": 0}
//
//     "map": "(d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 9], s0 in [0, 3], d0 mod 2 in [0, 0]"
//     "map": {"dims": [{"name": "d0", "bounds": [0,9]}], "ranges": [{"name": "s0", ..}],
//             "runtime": [], "results": [["+", ["*", "d0", 4], "s0"]],
//             "constraints": [{"expr": ["mod", "d0", 2], "bounds": [0,0]}]}
//
//     "hlo": "r = f32[4] reverse(f32[4] p), dimensions={0}"
//     "hlo": {"computations": [{"name": "", "root": 1, "instructions": [{"name": "p", ..},
//             {"name": "r", "opcode": "reverse", "shape": {..}, "operands": [0],
//              "attributes": {"dimensions": "{0}"}}]}], "entry": 0}
//
//     "layout": "((4,2),3):((1,4),8)"     "layout": {"shape": [[4,2],3], "stride": [[1,4],8]}
//
// The schema is in docs/protocol.md. A text that is not valid is null. Source:
// INTERFACE, section 3.
#pragma once

#include <string>

#include "conform/protocol/json.h"

namespace tileproof::conform {

// The value of the key "parsed" of a request, as text: it is written for every request there is.
std::string parsed_text(const Json& request);

// The request with that key.
Json with_parsed(const Json& request);

}  // namespace tileproof::conform
