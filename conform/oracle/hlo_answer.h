// Answers of hlo.index as they are written.
//
// A result is an array of lists of maps: one list for each leaf of each operand (or parameter), in
// order; so one for each operand that is an array; input to output, one list for each array of the
// result. An item is a map; or, where it is not clear
// which values its runtime variables have, {"map": MAP, "runtime": [{"instruction": NAME, "map":
// MAP}, ..]}: each variable is the element of the instruction NAME whose index its map tells (with
// the variables of the item's map), clamped to the bounds of the variable. NAME is as impl::name_of
// writes it. Beside the result stand the numbers of the lists that are inexact.
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

// A map of a list, with the sources of the runtime variables that it declares.
Json hlo_item(const HloModule& module, int32_t computation, const impl::IndexedMap& one);

enum class Sources { kWritten, kLeftOut };

// The sources of runtime variables are written with each map that declares some, or with none.
HloAnswer hlo_answer(const HloModule& module, int32_t computation, const impl::Indexing& indexing,
                     Sources sources);

}  // namespace tileproof::conform
