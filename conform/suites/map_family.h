// Bounded families of requests about maps: every small expression, whole.
//
// The expressions are those of at most two operations out of d0, s0 and the constants -3 to 4:
//
//     c, v                  a constant, a variable
//     e op c                + * floordiv ceildiv mod by each constant (no division by 0)
//     c + v, v + w          and e + f of any two e, f of one operation by a constant on a variable
//     (e op c) op c         with e of one operation, the same once more
//
// Each is evaluated at every point of a small domain and next to it, and simplified in several
// domains; as a constraint where it has one operation; those of one operation are compared, and
// composed, each with each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conform/protocol/json.h"
#include "conform/suites/family.h"

namespace tileproof::conform {

// The texts of the expressions.
std::vector<std::string> bounded_expressions();

Family evaluate_family();
Family simplify_family();
Family compose_family();
Family equal_family();

// What they are, for the report.
std::string evaluate_family_text();
std::string simplify_family_text();
std::string compose_family_text();
std::string equal_family_text();

}  // namespace tileproof::conform
