// SPDX-License-Identifier: Apache-2.0
// The operations of the protocol: what each asks, and the result. The table of oracle.cc has a row
// for each; oracle.h explains what its functions do. A request in the comments has no id.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "conform/protocol/json.h"
#include "conform/protocol/protocol.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::conform {

// Who answers: the definition (spec/) or the closed forms (impl/).
enum class Engine { kSpec, kImpl };

// The right answer if integers leave 64 bits.
struct Exact {
  bool error_is_right = false;  // some intermediate value or size leaves int64
  std::optional<Json> result;   // the answer in exact integers, if known and the request is valid
  bool unknown = false;         // the numbers are too large for the reference, too
};

// The judgment of a result, for operations with many right answers.
struct Assessment {
  enum class Kind {
    kRight,
    kSuperset,     // right, and the answer says that it is inexact: a list has too many pairs
    kWrong,        // `why` names a counterexample, or says what is malformed
    kUnspecified,  // the answer leaves the question open ("unknown", null), as the protocol allows
    kOpen,         // the judge cannot decide; `why` gives the reason
  };
  Kind kind = Kind::kRight;
  std::string why;
};
template <class... Parts>  // of the text
Assessment wrong(const Parts&... why) {
  return {Assessment::Kind::kWrong, absl::StrCat(why...)};
}
template <class... Parts>
Assessment open(const Parts&... why) {
  return {Assessment::Kind::kOpen, absl::StrCat(why...)};
}

// A result, and the value of the key `inexact` of hlo.index.
struct Result {
  Json value;
  Json inexact;  // null: the answer has no such key

  Result() = default;
  Result(Json result) : value(std::move(result)) {}
  Result(Json result, Json beside) : value(std::move(result)), inexact(std::move(beside)) {}
};

using AnswerFunction = absl::StatusOr<Result>(const Json& request, Engine engine);
using ExactFunction = Exact(const Json& request);
using JudgeFunction = Assessment(const Json& request, const Answer& answer);

// ---- Tiled layouts: layout_ops.cc ----
//
//     layout.physical     shape                     {"dims":[2,3,2,2],"elements":24,"bytes":96}
//     layout.linearize    shape, index or indices   the offset in elements, or an array of them
//     layout.delinearize  shape, offset or offsets  the index, null in padding, or an array
AnswerFunction layout_physical, layout_linearize, layout_delinearize;

// The right answer if a number leaves 64 bits.
ExactFunction exact_physical, exact_linearize, exact_delinearize;

// ---- Layouts of any system, extensions: layout_ops.cc ----
//
//     layout.offset    layout (any form of spec/lang/layout/any_layout.h), index (array)   the offset
//     layout.owner     layout (of threads), index (array)      all places that hold it, in order
//     layout.element   layout, register, lane, warp, block     the index that the place holds
//
//     {"op":"layout.offset","layout":"Sw<1,0,1> o 0 o (2,2):(2,1)","index":[1,0]}     {"result":3}
//     {"op":"layout.element","layout":"tensor<16x8xf16, #ttg.nvidia_mma<{..}>>","register":2,"lane":5,..}
//     {"result":[9,2]}
//
// The index has a coordinate for each dimension: of a nested or swizzled layout, for each mode. A
// request is invalid if the index is outside. spec/layout/layout_function.h and
// spec/layout/thread_layout.h are the definitions.
AnswerFunction layout_offset, layout_owner, layout_element;

// ---- Maps: map_ops.cc ----
//
//     map.evaluate   map, dims, ranges, runtime   the results, or null outside the domain
//     map.simplify   map                          MAP
//     map.compose    first, second                MAP
//     map.equal      left, right                  {"equal": true}, {"equal": null},
//                    {"equal": false, "at": {"dims", "ranges", "runtime"}, "left", "right"}
//
// The reference (kSpec) evaluates and composes. It neither simplifies nor proves. `KNOWN EMPTY` is
// a valid answer, but not a valid request. A missing array of values means an empty one.
//
// There are many right answers, so the judge compares their meaning.
//
//     request  {"op":"map.simplify","map":"(d0) -> ((-d0) mod 2), domain: d0 in [0, 9]"}
//     answers  "(d0) -> (d0 mod 2), domain: d0 in [0, 9]"   right
//              "(d0) -> (d0 mod -2), domain: d0 in [0, 9]"  wrong: at d0 = 1: (1) and (-1)
//
// If the domain has few points, the judge compares the answer with the reference at each of them.
// Otherwise it compares a sample of points and asks the solver (verify/prove/map/map_equal.h). It
// never uses the simplifier. A claim that is neither proven nor refuted is kOpen.
AnswerFunction map_evaluate, map_simplify, map_compose, map_equal;

// An error is right too if an intermediate value leaves 64 bits. At a coordinate that does not fit
// 64 bits, null is right too.
ExactFunction exact_evaluate;

// An error is right too if a value may leave 64 bits.
ExactFunction exact_maps;

// True if interval arithmetic cannot exclude that an intermediate value leaves signed integers of
// `bits` bits (2 to 64) at a point within the bounds of a map; of the maps of a request, and of the
// composed map.
bool may_leave(const IndexingMap& map, int64_t bits);
bool request_may_leave(const Json& request, int64_t bits);

// The answer must have the same variables with the same names, the same domain, and the same
// results in it.
JudgeFunction judge_simplify;

// The answer must be x -> second(first(x)) with the variables in the order of spec/map/map_evaluation.h. Their
// names are free.
JudgeFunction judge_compose;

// The reference evaluates the maps at a claimed counterexample. {"equal": null} is kUnspecified.
JudgeFunction judge_equal;

// ---- What maps do, extensions: map_ops.cc, fact_ops.cc ----
//
//     map.transactions   threads, access (maps), shape; and may have warp, width (in bytes), both 32
//                        {"accesses":2,"transactions":8,"most":4,"elements":64}
//     map.check          map, and one of inside ([[low, high], ..]), onto ([size, ..]), one_to_one
//                        (true), width (bits)
//                        {"holds": true}, {"holds": null} (undecided), or {"holds": false, "at": ..}: a
//                        point; of one_to_one, two points; of onto, the element that is never reached
//     layout.banks       layout, access (a map from lanes to an index), vector; and may have bits,
//                        which the layout may name, banks (32), bank_bytes (4)
//                        {"phases": [ways, ..]}
//
//     {"op":"map.transactions","threads":"(th_x) -> (th_x), domain: th_x in [0, 63]",
//      "access":"(d0) -> (d0), domain: d0 in [0, 63]","shape":"f32[64]","warp":32,"width":32}
//     {"op":"map.check","map":"(k) -> (k floordiv 2), domain: k in [0, 7]","one_to_one":true}
//     {"result":{"holds":false,"at":[{"dims":[0],..},{"dims":[1],..}]}}
//
// Of map.transactions, "accesses" counts the accesses with at least one active thread, "most" is the
// largest number of transactions of one access, and "elements" counts the different elements of each
// access, summed over all accesses. spec/access/{coalescing,map_facts,banks}.h are the definitions.
AnswerFunction map_transactions, map_check, layout_banks;
JudgeFunction judge_transactions;

// Proves a fact that the answer claims, and evaluates the map where the answer refutes it.
JudgeFunction judge_check;

// ---- Tile grids, an extension: grid_json.cc ----
//
//     grid.check     the keys of a grid (conform/oracle/grid_json.h)
//                    {"inside": .., "covered": .., "once": .., "races": ..}
//
// A fact that holds is true; an undecided one is null. One that does not hold is a step of the grid
// that refutes it, and `covered` is {"operand": NAME, "element": [..]}, an element that no step
// writes. Of two steps that touch an element, either one refutes `once` or `races`.
//
//     {"op":"grid.check","grid":[2],"operands":[{"name":"out","kind":"out","shape":[3],"block":[1],
//      "index_map":"(i) -> (i * 3), domain: i in [0, 1]"}]}
//     {"result":{"inside":[1],"covered":{"operand":"out","element":[1]},"once":true,"races":true}}
//
// spec/access/grid.h is the definition.
AnswerFunction grid_check;

// Any step or element that refutes a fact is right.
JudgeFunction judge_grid;

// ---- Nested layouts: tla_ops.cc ----
//
//     tla.offset   layout (NESTED), coord (nested arrays)   the offset
//     tla.make     tag, element_bits, rows, cols            NESTED
//     tla.tile     layout, tile (array)                     NESTED
//
//     {"op":"tla.offset","layout":"((4,2),(4,3)):((4,16),(1,32))","coord":[1,5]}   {"result":37}
//
// A NESTED answer must have the shape and stride of the reference; any spelling is right (`_4` is
// 4).
AnswerFunction tla_offset, tla_make, tla_tile;
JudgeFunction judge_tla_make, judge_tla_tile;

// An error is right too if a size or an intermediate sum may leave 64 bits.
ExactFunction exact_tla;

// True if a size or an intermediate sum may leave signed integers of `bits` bits.
bool tla_may_leave(const Json& request, int64_t bits);

// ---- The layout algebra, an extension: tla_ops.cc ----
//
//     tla.coalesce, tla.right_inverse, tla.left_inverse        layout
//     tla.composition, tla.logical_product                     layout, by (NESTED)
//     tla.logical_divide, tla.zipped_divide, tla.tiled_divide  layout, by (a tiler)
//     tla.complement                                           layout, size
//
// The result is the NESTED that spec/layout/layout_algebra.h defines, in any spelling and with any
// stride of an extent of 1; tla.left_inverse may be any left inverse. A request is invalid if that
// definition has no result.
//
//     {"op":"tla.coalesce","layout":"(2,(1,6)):(1,(6,2))"}     {"result":"12:1"}
//
// One function for all of them; `op` of the request says which is asked.
AnswerFunction tla_algebra;
JudgeFunction judge_tla_algebra;

// ---- HLO: hlo_ops.cc, hlo_judge.cc ----
//
//     hlo.index   hlo, direction; optional instruction, scope, output, input      lists of maps
//
//     {"op":"hlo.index","hlo":"r = f32[3,2] transpose(f32[2,3] p), dimensions={1,0}",
//      "direction":"output_to_input"}
//     {"result":[["(d0, d1) -> (d1, d0), domain: d0 in [0, 2], d1 in [0, 1]"]]}
//
// Output to input, the request is about leaf `output` of the result, and the answer has a list for
// each leaf of the operands. Input to output, the request is about leaf `input` of the operands,
// and the answer has a list for each leaf of the result. The reference (kSpec) only decides whether
// a request is valid; it writes no maps.
//
// An answer has many right spellings: only its relation counts.
//
//     request  {"op":"hlo.index","hlo":"r = f32[4] reverse(f32[4] p), dimensions={0}", ..}
//     answers  [["(d0) -> (3 - d0), domain: d0 in [0, 3]"]]                right
//              [["(d0) -> (3 - d0), domain: d0 in [0, 2]"]]                wrong: (3) has no source
//              [["(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 3]"]]  wrong, but right with
//                                                                          "inexact":[0]
//
// The judge enumerates the elements of the result and compares the maps with the provenance
// interpreter (spec/hlo/provenance.h). It does so for several values of the offsets and indices:
// one small value for all, random values, and values far out of range. It never uses the analysis
// (impl/hlo). It also compares a margin around the result: outside of it, no element reads anything.
// Assessments other than right and wrong:
//     kSuperset     an inexact list has all pairs of the relation, and others
//     kUnspecified  a list of the answer is "unknown", which the protocol allows
//     kOpen         the relation is too large to enumerate and hlo_proof.h does not decide; or the
//                   answer has fewer pairs than a reference that is itself a superset
AnswerFunction hlo_index;
JudgeFunction judge_hlo_index;

// The same of a collective between devices, an extension. The number of the device is the first dimension
// and the first result of each map:
//
//     hlo.exchange   hlo; optional instruction, output      lists of maps
//
//     {"op":"hlo.exchange","hlo":"HloModule m, num_partitions=2 .. g = f32[4] all-gather(f32[2] p), .."}
//     {"result":[["(v, d0) -> (d0 floordiv 2, d0 mod 2), domain: v in [0, 1], d0 in [0, 3]"]]}
//
// A device on which no map has a point receives nothing. The judge compares with
// spec/hlo/device_provenance.h.

// ---- What HLO reads: hlo_access.cc, tile_ops.cc ----
//
// How many elements of each operand an instruction reads, and which tile of each operand a tile of its
// result needs.
//
//     {"op":"hlo.utilization","hlo":"s = f32[4] slice(f32[9] p), slice={[0:8:2]}"}
//     {"result":[4]}
//     {"op":"hlo.tile","hlo":"t = f32[3,2] transpose(f32[2,3] p), dimensions={1,0}",
//      "tile":[[1,2,1],[0,1,1]]}
//     {"result":[[[0,1,1],[1,2,1]]]}
//
// Both results have an item for each array of the operands (or of the parameters, by `scope`):
//
//     hlo.utilization   3                        the number of elements read
//                       [1,3]                    the least and the most, if it depends on offsets
//                       "unknown"
//     hlo.tile          [[0,4,1],[2,2,3]]        [offset, size, stride] for each dimension
//                       {"tile":..,"moved":..}   a tile that offsets move
//                       null                     nothing is read
//                       "none"                   the elements read are not a tile
//                       "unknown"
//
// The reference enumerates the elements.
AnswerFunction hlo_utilization, hlo_tile;
JudgeFunction judge_utilization, judge_tile;

// Symbolic tiles of operands from one of a result, or the reverse, an extension.
//
//     tile.propagate   hlo, direction, tile; and as hlo.index instruction, scope, output, input
//
//     {"op":"tile.propagate","hlo":"t = f32[3,8] transpose(f32[8,3] p), dimensions={1,0}",
//      "direction":"output_to_input","tile":"(t)[n] -> offsets [0, t * n] sizes [3, n] strides [1, 1]
//      upper bounds [3, 8], domain: t in [0, 3], n in [2, 2]"}
//     {"result":["(t)[n] -> offsets [t * n, 0] sizes [n, 3] strides [1, 1] upper bounds [8, 3], .."]}
//
// An item for each leaf at the other end is a tile of the same variables (spec/lang/map/symbolic_tile.h),
// null where nothing flows, or "unknown". The upper bounds that are given are at most the sizes of the
// array. A tile is right if it has exactly the elements that flow, for
// all values of the variables for which the given tile has any.
AnswerFunction tile_propagate;
JudgeFunction judge_propagation;

// ---- Values and devices, extensions: value_ops.cc, sharding_json.cc ----
//
//     hlo.equal      left, right (HLO); may have laws (names or levels), sharding (as a file of
//                    equiv --sharding: conform/oracle/sharding_json.h)
//                    {"equal": true}, {"equal": null} (undecided), or {"equal": false, "leaf": 0,
//                    "at": [..]}, an element that is different, and its "device" if there are several
//
//     {"op":"hlo.equal","left":"r = f32[2] reverse(f32[2] p), dimensions={0}","right":"r = f32[2] copy(f32[2] p)"}
//     {"result":{"equal":false,"leaf":0,"at":[0]}}
//
// Any element that is different is right: the judge compares the terms of the definition there
// (spec/hlo/terms.h). Reductions may add in any order.
AnswerFunction hlo_equal;
JudgeFunction judge_values;

//     shard.index    sharding (HLO text, or an object with devices, mesh and axes, as an array of
//                    equiv --sharding), shape, device, index; and may have devices, if the text
//                    does not say how many there are
//                    the global index, or null in padding, and where the device holds no part
//
//     {"op":"shard.index","sharding":"{devices=[2,1]<=[2]}","shape":"f32[3,4]","device":1,"index":[0,2]}
//     {"result":[2,2]}
//
// The reference looks at each element of the array; spec/lang/hlo/sharding.h has the closed form.
AnswerFunction shard_index;

}  // namespace tileproof::conform
