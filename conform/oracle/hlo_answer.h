// SPDX-License-Identifier: Apache-2.0
// Writes answers of hlo.index.
//
// A result is an array of lists of maps. Output to input it has one list for each leaf of each
// operand (or parameter), in order. Input to output it has one list for each leaf of the result.
//
//     an item          "(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 3], rt0 in [0, 5]"
//     with its source  {"map":"(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 3], rt0 in [0, 5]",
//                       "runtime":[{"instruction":"o","map":"(d0) -> (), domain: d0 in [0, 3]"}]}
//
// Items have sources if the order of the runtime variables does not say which values they have. A
// source names an instruction (impl::name_of) and maps the item's variables to the index of one of
// its elements. The runtime variable is this element, clamped to the bounds of the variable.
//
// The key "inexact" beside "result" has the numbers of the lists that are supersets.
// Source: INTERFACE, sections 2 "HLO" and 3.
#pragma once

#include <cstdint>

#include "conform/protocol/json.h"
#include "impl/hlo/indexing.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::conform {

struct HloAnswer {
  Json::Array lists;
  Json::Array inexact;
};

// An item of a list, with sources if the map has runtime variables.
Json hlo_item(const HloModule& module, int32_t computation, const impl::IndexedMap& one);

// Whether the sources of runtime variables are written, for all maps or for none.
enum class Sources { kWritten, kLeftOut };

HloAnswer hlo_answer(const HloModule& module, int32_t computation, const impl::Indexing& indexing,
                     Sources sources);

}  // namespace tileproof::conform
