// SPDX-License-Identifier: Apache-2.0
// An element of a layout of any system, by its index or its offset.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/layout/layout_function.h"

namespace tileproof::cli {

// A logical index: `2,3`, `[2,3]`, or for nested layouts `((1,0),2)`.
absl::StatusOr<std::vector<int64_t>> layout_index(const spec::LayoutFunction& function,
                                                  const std::string& text);

// The index of the element at an offset, or nothing in padding. An error outside of the buffer.
absl::StatusOr<std::optional<std::vector<int64_t>>> element_at(const spec::LayoutFunction& function,
                                                               int64_t offset);

// The error of an offset outside of a buffer of so many slots.
absl::Status expect_slot(int64_t offset, int64_t slots);

}  // namespace tileproof::cli
