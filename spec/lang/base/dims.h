// SPDX-License-Identifier: Apache-2.0
// Sizes of an array, major to minor: their text, how many elements they make, and which indices
// they have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace tileproof {

using Dims = std::vector<int64_t>;

// dims_text({2, 3}) is "[2,3]", as in the text of a shape. Serves indices too.
std::string dims_text(const Dims& dims);

// The number of elements, or nothing if it does not fit 63 bits.
std::optional<int64_t> element_count(const Dims& dims);

// Whether the index is one of an element: a number for each dimension, in [0, size).
bool is_inside(const Dims& dims, const Dims& index);

// The same, with an error: "index 5 is outside dimension 1 of size 5", or how many numbers are
// expected.
absl::Status expect_index(const Dims& dims, const Dims& index);

}  // namespace tileproof
