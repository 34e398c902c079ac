// SPDX-License-Identifier: Apache-2.0
// Bounded families of requests about maps: all small expressions.
//
// The expressions have at most two operations on d0, s0 and the constants -3 to 4, or they are sums
// of two expressions of one operation:
//
//     c, v                    a constant, a variable
//     c op c, v op c, c + v   op: + * floordiv ceildiv mod, no division by 0
//     (v op c) op c           two operations by constants
//     e + f                   e and f are a variable or v op c
//     (v + w) op c
//
// Example: ((d0) floordiv (3)) mod (2). The families evaluate each expression at every point of a
// small domain and at points just outside, and simplify it in three domains. Expressions of one
// operation also serve as constraints, and every two of them are composed and compared.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conform/protocol/json.h"
#include "conform/suites/family.h"

namespace tileproof::conform {

// All expressions, as text.
std::vector<std::string> bounded_expressions();

Family evaluate_family();
Family simplify_family();
Family compose_family();
Family equal_family();

// Descriptions of the families for the report.
std::string evaluate_family_text();
std::string simplify_family_text();
std::string compose_family_text();
std::string equal_family_text();

}  // namespace tileproof::conform
