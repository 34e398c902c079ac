// Maps at the corners of simplification: the ends of 64 bits, and every small structure that a rule
// of a simplifier looks for, with numbers where a careless rule shows.
//
// Each is in the canonical text. The known-wrong simplifiers of corpus/zoo are caught by these, or
// by what every seed has plenty of: where one was caught by luck only, its structure belongs here.
#pragma once

#include <string>
#include <vector>

namespace tileproof::conform {

std::vector<std::string> simplify_boundaries();

}  // namespace tileproof::conform
