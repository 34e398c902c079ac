// SPDX-License-Identifier: Apache-2.0
// Logs the proof that two maps are equal, if rearranging alone proves it.
//
//     map (d0) -> (d0 mod 8 + (d0 floordiv 8) * 8), domain: d0 in [0, 99]
//     1: result 0 is d0
//     2: new result 0 is d0
//     becomes (d0) -> (d0), domain: d0 in [0, 99]
//
// The log is one section of a trace: the bounds and constraints of each map follow from those of
// the other, and the results are equal. verify/trace/trace_check.h checks it without the code that
// wrote it. The equality then rests on the lemmas, the checker and spec/lang alone.
//
// A fact follows in one of three ways:
//
//     by the range of a sum           d0 * 3 in [0, 297], as d0 in [0, 99]
//     from a constraint               d1 - f1 in [0, 9], as d0 + d1 - f1 in [5, 9] and d0 in [0, 5]
//     by the same text                new constraint 1 is constraint 0
#pragma once

#include <optional>
#include <string>

#include "spec/lang/map/indexing_map.h"

namespace tileproof::verify {

// The text of the log. Nothing if rearranging does not prove the equality, or if the log is
// incomplete: a number has more than 127 bits, or the bounds of the two maps give a constraint
// different forms. The maps must be valid and have the same numbers of variables and results. If
// the left map is known to be empty, the log goes from right to left.
std::optional<std::string> equality_log(const IndexingMap& left, const IndexingMap& right);

// Simplifications that need no trust in the simplifier: simplifies the map again with a proof log
// (impl/map/simplify.h). Returns whether verify/trace/trace_check.h accepts the log, and the log leads
// from `map` to `simple`. False if the map is known to be empty or has too many steps to log. The map
// has no names.
//
//     map        (d0) -> ((-d0) mod 2), domain: d0 in [0, 127]
//     simple     (d0) -> (d0 mod 2), domain: d0 in [0, 127]
//     log        by pull-multiple(x = -d0, y = d0, c = 2), ..      accepted by verify/trace
bool simplification_is_logged(const IndexingMap& map, const IndexingMap& simple);

}  // namespace tileproof::verify
