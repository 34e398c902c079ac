// SPDX-License-Identifier: Apache-2.0
// Arguments that are a map, or a layout, which is the map from an index to its offset.
//
//     (d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31]
//     f32[4,8]{0,1}      (d0, d1) -> (d1 * 4 + d0), domain: d0 in [0, 3], d1 in [0, 7]
//     memref<4x8xf32, strided<[1, 4]>>                the same
//     memref<4x8xf32, strided<[1, 4], offset: ?>>     (d0, d1)[s0] -> (d0 + d1 * 4 + s0), ..: a map
//     Sw<1,0,1> o 0 o (2,2):(2,1)                     a swizzled layout of CuTe
//     tensor<16x32xf16, #ttg.blocked<{..}>>           a layout of threads: a map (cli/verbs/layout_index.h)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/text.h"
#include "explorer/answers/panels.h"
#include "spec/lang/map/indexing_map.h"
#include "spec/layout/layout_function.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::cli {

struct AnyMap {
  IndexingMap map;
  std::optional<spec::LayoutFunction> layout;  // of which it is the offset
  bool has_symbols = false;                    // it is a memref's, with a symbol for each `?`
};

// Whether the text is one of a map. No array shape begins like this, and a tuple has no layout of
// its own. A nested layout has numbers where a map has variables.
bool looks_like_map(absl::string_view text);

absl::StatusOr<AnyMap> parse_any_map(absl::string_view text);

// Against `offset: ?`, an offset that is known is compared for all values of the symbol.
void share_symbols(AnyMap& left, AnyMap& right);

// Of two index expressions alone, `i // 8` and `j, domain: ..`: appends to both the variables of both, or to
// one the domain of the other, so that equal names are equal variables. To any map that says no domain, the one of
// the other map or layout, if that has as many variables; standard error says so.
void share_domain(std::string (&texts)[2]);

// The same, but variables may divide (spec/lang/map/variable_divisors.h).
absl::StatusOr<AnyMap> parse_any_divided_map(absl::string_view text);

// The function of a layout of any system.
absl::StatusOr<spec::LayoutFunction> layout_function_of(absl::string_view text);

// Reads both arguments and parses them; variables may divide. If both are layouts, they get one logical shape. The error
// begins with the name of the argument: "RIGHT: column 3: ..".
struct TwoMaps {
  AnyMap left, right;
};
absl::StatusOr<TwoMaps> parse_two_maps(const std::string& left, const std::string& right);

// "7,2": integers separated by commas; none in "".
absl::StatusOr<std::vector<int64_t>> parse_integers(absl::string_view text);

using explorer::point_json;
using explorer::Results;
using explorer::results_json;

// "(7, 2)", "outside", or the error.
std::string results_text(const Results& results);

}  // namespace tileproof::cli
