// Sizes of an array, major to minor, and their text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tileproof {

using Dims = std::vector<int64_t>;

// dims_text({2, 3}) is "[2,3]", as in the text of a shape. Serves indices too.
std::string dims_text(const Dims& dims);

}  // namespace tileproof
