// The requests of the suite `hlo`: random small operations and computations (fuzz/gen_hlo.h), about
// their root or an instruction on the way, in both scopes. A small part is invalid. What is right
// is left to the judge.
#pragma once

#include <vector>

#include "fuzz/choose.h"
#include "verify/conform/json.h"
#include "verify/conform/protocol.h"

namespace tileproof::conform {

// The documents' examples, smaller where that says the same; then each kind of invalid request.
std::vector<Json> hlo_fixed();
Json make_hlo_request(Choose& choose, const Limits& limits);

// The same question of less: another root, a parameter in place of an instruction, without what is
// not used, without attributes that say nothing of elements.
std::vector<Json> simpler_hlo_requests(const Json& request);

}  // namespace tileproof::conform
