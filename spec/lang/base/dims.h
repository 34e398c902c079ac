// SPDX-License-Identifier: Apache-2.0
// Sizes of an array, major to minor: their text, and how many elements they make.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tileproof {

using Dims = std::vector<int64_t>;

// dims_text({2, 3}) is "[2,3]", as in the text of a shape. Serves indices too.
std::string dims_text(const Dims& dims);

// The number of elements, or nothing if it does not fit 63 bits.
std::optional<int64_t> element_count(const Dims& dims);

}  // namespace tileproof
