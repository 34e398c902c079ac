// The text of indexing maps.
//
//     (d0, d1)[s0]{rt0} -> (d0 + rt0, s0), domain: d0 in [0, 9], d1 in [0, 3], s0 in [0, 7],
//     rt0 in [0, 2], d0 mod 2 in [0, 0]
//
//     map    = header [ [","] "domain" ":" item { separator item } [","] ]
//     header = "(" [names] ")" [ "[" [names] "]" ] [ "{" [names] "}" ] "->" "(" [expressions] ")"
//     item   = name "in" interval          one for every variable, in the order of the header
//            | expression "in" interval    then the constraints
//     interval = "[" integer "," integer "]"
//
// A separator is a comma, or, as in XLA's older form, a line break; the domain may be absent only
// if there are no variables. Expressions: spec/lang/map/expr_text.h. Also read:
//
//   * the older form's runtime variables. A range variable whose bounds are followed by
//
//         hlo: of1 = s32[] parameter(1)
//         (d0, d1) -> ()
//
//     is one: it moves behind the range variables. The instruction, a line of its own, is skipped;
//     the map of the line after it is checked and dropped;
//   * `#xla.indexing_map<"MAP">`;
//   * `affine_map<HEADER>`, which knows no bounds: every variable may be any int64.
//
// A name is kept unless it is the default of its variable (d<i>, s<i>, rt<i>).
// Errors name the column, and the line where there are several.
//
// For every valid map m that is not known to be empty, parse_map(to_text(m)) == m; and a text that
// XLA prints comes back unchanged. Source: facts "XLA indexing maps", section 1; INTERFACE,
// section 1. Differences from XLA: an integer in an interval has no leading zeros (XLA reads
// octal), names are distinct (XLA leaves that to MLIR), and `() -> (5)` is read. Nothing is folded
// and no constraint is merged while reading.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof {

// The whole text is one map.
absl::StatusOr<IndexingMap> parse_map(absl::string_view text);

// One map at the cursor, which then stands behind it. After a line break anything that can begin an
// expression is taken for a constraint.
absl::StatusOr<IndexingMap> parse_map(Cursor& cursor);

// One map per line. Blank lines, and comments alone on their lines, are skipped.
absl::StatusOr<std::vector<IndexingMap>> parse_maps(absl::string_view text);

// A map in an answer: as parse_map, and `KNOWN EMPTY` stands for no_points(like). Whether another
// map has the variables of `like` is not looked at.
absl::StatusOr<IndexingMap> parse_answer(absl::string_view text, const IndexingMap& like);

// The known-empty map with as many variables as `like`, each in [0, -1], and no results.
IndexingMap no_points(const IndexingMap& like);

// One line, as XLA prints it, constraints in the order of the map. The map must be valid.
std::string to_text(const IndexingMap& map);

// OK if the map, however it was made, is one that can be written down and read.
absl::Status validate(const IndexingMap& map);

}  // namespace tileproof
