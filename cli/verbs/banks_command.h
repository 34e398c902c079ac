// SPDX-License-Identifier: Apache-2.0
// The accesses of `tileproof banks`: a map, a layout of threads and values, or a named pattern.
//
//     (lane)[s0] -> (lane, s0), domain: ..     a map from lanes and values to an index of the layout
//     (32,8):(8,1)                             a layout (T, V): thread t holds as its value v the
//                                              element with the number of their offset; elements are
//                                              numbered as in CuTe, the first dimension fastest
//     tensor<32x8xf16, #ttg.blocked<{..}>>     a layout of threads: the registers are a lane's values
//     ldmatrix, stmatrix                       each matrix of 8 rows of 16 bytes in the layout
//     vector, tma                              32 or 8 lanes with one vector after the other
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/map/indexing_map.h"
#include "spec/layout/layout_function.h"

namespace tileproof::cli {

inline const std::vector<std::string> kBankPatterns = {"ldmatrix", "stmatrix", "vector", "tma"};

// Whether the text names a pattern. Patterns move 16 bytes a lane, unless a vector is given.
bool is_bank_pattern(absl::string_view text);

// `at_once`: the elements of a vector. Errors: no map, layout or pattern; a pattern in a layout that
// has no two dimensions, or whose rows do not consist of whole vectors.
absl::StatusOr<IndexingMap> bank_access(const std::string& text, const spec::LayoutFunction& layout,
                                        int64_t at_once);

}  // namespace tileproof::cli
