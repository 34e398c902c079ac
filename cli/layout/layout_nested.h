// SPDX-License-Identifier: Apache-2.0
// tileproof layout, for nested layouts and tagged shapes.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "cli/layout/layout_by_map.h"
#include "cli/text.h"
#include "impl/layout/nested_layout.h"

namespace tileproof::cli {

// Explains a NESTED or TAGGED text, or answers the questions about it.
absl::StatusOr<Answer> explain_nested(const std::string& text, const AskedElement& asked);

// The offset of every coordinate of a layout of rank 1 or 2, as CuTe's print_layout and CATLASS's
// "TLA Layouts" show it:
//
//          0   1   2
//        +---+---+---+
//     0  | 0 | 1 | 2 |
//        +---+---+---+
//     1  | 3 | 4 | 5 |
//        +---+---+---+
//
// Empty if the table does not fit a screen: other ranks, more than 1,024 offsets, or lines of more
// than 200 characters.
std::string offset_table(const impl::NestedLayout& layout);

}  // namespace tileproof::cli
