// SPDX-License-Identifier: Apache-2.0
// Corner cases of simplification: bounds at the ends of 64 bits, and every small pattern that the
// rules of simplifiers match, with numbers that expose a wrong rule.
//
//     (d0) -> (d0), domain: d0 in [-9, 9], d0 floordiv -3 in [1, 2]
//
// Every seed must catch every known-wrong simplifier of corpus/zoo. If random requests catch one
// only by luck, add its pattern here.
#pragma once

#include <string>
#include <vector>

namespace tileproof::conform {

// Maps in canonical text.
std::vector<std::string> simplify_boundaries();

}  // namespace tileproof::conform
