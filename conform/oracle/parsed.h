// SPDX-License-Identifier: Apache-2.0
// The text forms of a request as plain JSON, for programs without a parser.
//
//     "shape": "bf16[<=16,256]{1,0:T(8,128)(*,1)L(64)}"   becomes, under the key "parsed",
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
// An invalid text becomes null. The schema is in docs/protocol.md.
#pragma once

#include <string>

#include "conform/protocol/json.h"
#include "conform/protocol/protocol.h"

namespace tileproof::conform {

// The request with the key "parsed" added.
Json with_parsed(const Json& request);

// True if a program takes requests unchanged: with JSON integers and without `parsed`.
bool asked_as_it_is(const Hello& hello);

// The text of a request in the form that the program asked for. An id is kept.
std::string text_to_send(const Json& request, const Hello& hello);

}  // namespace tileproof::conform
