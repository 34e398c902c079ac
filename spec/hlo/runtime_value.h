// Values of elements that serve as offsets and indices.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tileproof::spec {

// The integers of a constant, row-major, if all of them are written: `7`, `{ {1, 2}, {3, 4} }`,
// `true`. A number beyond int64 counts as the nearest one. Nothing for what is left out (`{...}`)
// and for what is no integer.
std::optional<std::vector<int64_t>> integers_of_literal(const std::string& literal);

}  // namespace tileproof::spec
