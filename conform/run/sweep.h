// SPDX-License-Identifier: Apache-2.0
// Sweeps: a plug-in is also asked about many whole layouts, in long lists, because it converts many
// indices in one call.
//
//     f32[3,5]{1,0:T(2,2)}   its sizes, a list of 15 indices, a list of 24 offsets
//
// A seed and a number determine each layout. A sweep has no verdicts of its own: what is wrong is
// asked again as a case of the suite.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "conform/protocol/json.h"
#include "conform/protocol/protocol.h"

namespace tileproof::conform {

inline constexpr int64_t kMaxSwept = 16384;   // up to this many elements, all of them are asked
inline constexpr size_t kSweptAtOnce = 1024;  // indices or offsets in one list

// The requests about the layout with this number: its sizes, and lists of indices and offsets. None
// if it is beyond the limits or 64 bits.
std::vector<Json> swept_requests(uint64_t seed, int64_t number, const Limits& limits);

struct SweepTotals {
  int64_t layouts = 0;
  std::map<std::string, int64_t> questions;    // by operation
  std::map<std::string, int64_t> unsupported;  // requests, by operation and reason
};

// Counts the questions of a request; its list has many.
void count_questions(const Json& request, SweepTotals& totals);

// "1000 layouts, 1234567 indices, 2345678 offsets"
std::string to_text(const SweepTotals& totals);

}  // namespace tileproof::conform
