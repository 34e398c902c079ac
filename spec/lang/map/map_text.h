// SPDX-License-Identifier: Apache-2.0
// The text of indexing maps.
//
//     (d0, d1)[s0]{rt0} -> (d0 + rt0, s0), domain: d0 in [0, 9], d1 in [0, 3], s0 in [0, 7],
//         rt0 in [0, 2], d0 mod 2 in [0, 0]
//
//     map      = header [ [","] "domain" ":" item { separator item } [","] ]
//     header   = "(" [names] ")" [ "[" [names] "]" ] [ "{" [names] "}" ] "->" "(" [expressions] ")"
//     item     = name "in" interval          one for every variable, in the order of the header
//              | expression "in" interval    then the constraints
//     interval = "[" bound "," bound "]"
//     bound    = integer, or of a variable an expression of variables
//
// A separator is a comma or, as in XLA's older form, a line break. The domain is optional only if
// there are no variables. spec/lang/map/expr_text.h has the grammar of expressions.
//
// The parser also reads:
//
//   * runtime variables of the older form: range variables with two lines after their bounds.
//
//         hlo: of1 = s32[] parameter(1)
//         (d0, d1) -> ()
//
//     The parser moves it after the range variables, skips the line of the instruction, and
//     checks and drops the map on the next line.
//   * `#xla.indexing_map<"MAP">`, and `#xla_gpu.indexing_map<MAP>` of older versions.
//   * the flag `is_simplified: true` of 2024 as the last item of the domain, which is skipped.
//   * `affine_map<HEADER>`, which has no bounds: every variable may be any int64.
//   * one of these after the name of an alias, `#map = `, which is skipped.
//   * `KNOWN EMPTY`, the map of no variables and no points.
//   * `lambda i, j: (i // 8, j % 8)` of Python, and index expressions alone, `_i // 8 * 16 + _j % 16`,
//     whose variables are dimensions in the order of the domain, then by name. Those that the domain
//     lacks may be any int64.
//   * `Fragment([16, 64] -> [8], replicate: 1, thread: 128, forward_thread: _j // 8, forward_index: [_i])`
//     of TileLang: from an index, with the range variable _rep, to a thread and what it numbers there.
//   * `Layout([8, 8] -> [8, 8], transform: [_i, _j] -> [_j, _i])` of TileLang.
//   * `i in [0, n - 1], n in [1, 9]`: the constraint n - 1 - i in [0, 8], and i in [0, 8].
//
// A name is kept unless it is the default of its variable (d<i>, s<i>, rt<i>). Nothing is folded
// and no constraints are merged. Errors name the column, and the line if there are several.
//
// For every valid map m that is not known to be empty, parse_map(to_text(m)) == m. A text that XLA
// prints is printed unchanged.
//
// Differences from XLA: an integer in an interval has no leading zeros (XLA reads octal), names are
// distinct (XLA leaves that to MLIR), and `() -> (5)` is valid.
// Source: XLA, xla/hlo/analysis/indexing_map_serialization.cc (docs/sources.md).
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof {

// Whether the text is a Fragment or a Layout as TileLang prints it.
bool looks_like_tilelang(absl::string_view text);

// Parses the whole text as one map.
absl::StatusOr<IndexingMap> parse_map(absl::string_view text);

// Parses one map at the cursor and moves the cursor past it. After a line break, a token that can
// begin an expression begins a constraint.
absl::StatusOr<IndexingMap> parse_map(Cursor& cursor);

// Parses one map per line. Skips blank lines and lines that hold only a comment.
absl::StatusOr<std::vector<IndexingMap>> parse_maps(absl::string_view text);

// Parses a map in an answer. `KNOWN EMPTY` means no_points(like). The variables of any other map
// are not compared with those of `like`.
absl::StatusOr<IndexingMap> parse_answer(absl::string_view text, const IndexingMap& like);

// The text of a map without a domain, `(i, j) -> (j)` or `affine_map<..>`, with that of another map of as many
// dimensions; range and runtime variables that the other one lacks are unbounded. Any other text stays.
std::string with_domain_of(absl::string_view text, IndexingMap like);

// The known-empty map with as many variables as `like`, each in [0, -1], and no results.
IndexingMap no_points(const IndexingMap& like);

// One line, as XLA prints it, constraints in the order of the map. The map must be valid.
std::string to_text(const IndexingMap& map);
void append_text(std::string& out, const IndexingMap& map);

// Fails unless parse_map could have returned the map. For maps that were not parsed.
absl::Status validate(const IndexingMap& map);

}  // namespace tileproof
