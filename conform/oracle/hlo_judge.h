// Is an answer to hlo.index right? There are many right ones: what counts is the relation.
//
//     request  {"op":"hlo.index","hlo":"r = f32[4] reverse(f32[4] p), dimensions={0}", ..}
//     answers  [["(d0) -> (3 - d0), domain: d0 in [0, 3]"]]                right
//              [["(d0) -> (3 - d0), domain: d0 in [0, 2]"]]                wrong: (3) has no source
//              [["(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 3]"]]  wrong; with
//              "inexact":[0]
//                                                                          right
//
// All elements of a result are enumerated, for several values of offsets and indices (all of one
// small value each, and random ones, far out of range too): the maps must reach what the provenance
// interpreter finds. The analysis is not asked. A list that is "unknown" leaves the question open,
// as it may; what is too large to enumerate, or finer than the reference where that itself is a
// superset, the judge leaves open. Source: INTERFACE, sections 2 "HLO" and 3.
#pragma once

#include "conform/oracle/oracle.h"
#include "conform/protocol/json.h"
#include "conform/protocol/protocol.h"

namespace tileproof::conform {

Assessment judge_hlo_index(const Json& request, const Answer& answer);

}  // namespace tileproof::conform
