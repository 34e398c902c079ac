// SPDX-License-Identifier: Apache-2.0
// The cause of a failure, as far as its smallest failing request shows it: the structure of the
// request, without what is particular to its numbers and names.
//
//     {"op":"map.simplify","map":"(d0)[s0] -> (s0 mod -3), domain: d0 in [0, 9], s0 in [0, 5]"}
//     map.simplify map (x1 mod -a)
//
//     {"op":"layout.linearize","shape":"s1[2,5]{0,1:T(4)(2,1)}","index":[1,3]}
//     layout.linearize shape [n,n] permuted T(n) T(n,1) index [n]
//
// Two requests have the same cause if these texts are equal. In a map, variables are numbered by
// first use, and equal constants have equal letters. 0, 1, -1, signs, empty and single-valued
// bounds, impossible remainders, and "divides" between two constants are structure. The length of an
// index is not, nor which kinds of variables have the values of a point. Numbers of 2^31 and more are written with capital letters. Element types never count.
// All requests of an operation that must be refused because a size or an offset does not fit 64 bits
// have one cause, if they are answered.
//
// The features of a request are the parts of this structure. A request contains a cause if it has
// all features of the cause; then it may fail for the same reason.
#pragma once

#include <set>
#include <string>

#include "absl/strings/string_view.h"
#include "conform/protocol/json.h"

namespace tileproof::conform {

// `request` may have an id and may be invalid.
std::string structure_of(const Json& request);

// "map.simplify", "mod(x, -c)", "negative variable", ..
std::set<std::string> features_of(const Json& request);

// Whether the request has all features of the cause and the same operation. False if the cause has
// no features: then nothing tells it from any other request.
bool contains(const std::set<std::string>& request, const std::set<std::string>& cause);

// The magnitude of the largest number in the request, up to 2^63. Larger ones count as 2^63.
uint64_t largest_number(absl::string_view request);

}  // namespace tileproof::conform
