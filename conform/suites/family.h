// Bounded families of requests, for `conform --exhaustive`.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "conform/protocol/json.h"
#include "generate/choose/choose.h"

namespace tileproof::conform {

// Request after request, until there is none.
using Family = std::function<std::optional<Json>()>;

// Whatever make(part, choose) gives for parts 0, 1, .., parts - 1 and all sequences of choices of
// each, of one call the last request first. A part without choices is made once.
Family family_of(size_t parts, std::function<std::vector<Json>(size_t part, Choose& choose)> make);

}  // namespace tileproof::conform
