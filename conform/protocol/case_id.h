// SPDX-License-Identifier: Apache-2.0
// The id of a case: a hash of its request, the same on every machine and in every version.
//
//     {"op":"layout.linearize","shape":"f32[3,5]{1,0:T(2,2)}","index":[2,3]}
//     is the case 15e8dd9403184cca
//
// Source: INTERFACE, section 3.
#pragma once

#include <cstdint>
#include <string>

#include "conform/protocol/json.h"

namespace tileproof::conform {

// stable_hash (generate/choose/stable_hash.h) of the request's text with sorted keys, without `id`
// and `parsed`.
uint64_t case_hash(const Json& request);

// 16 hexadecimal digits.
std::string case_id(uint64_t hash);

}  // namespace tileproof::conform
