// SPDX-License-Identifier: Apache-2.0
// The panel "Layout": the picture, the way of an element, the steps as an animation, conversions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conform/protocol/json.h"
#include "explorer/answers/answer.h"
#include "impl/access/coalescing.h"
#include "impl/access/tile.h"
#include "impl/hlo/indexing.h"
#include "picture/access_svg.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/layout/shape.h"
#include "spec/layout/explain_index.h"
#include "spec/map/map_evaluation.h"
#include "verify/prove/smt/ask_solver.h"

namespace tileproof::explorer {

// {"text", "coloring"?: "offset", "tile", "line", "bank", "path"?: bool}
// {"layout", "dims", "elements", "slots", "padding", "bits"?, "bytes"?, "svg"}
absl::StatusOr<Json> layout_answer(const Json& question, Memory& memory);

// {"text", "index": [2,3]}
// {"index", "steps": [{"step", "dims", "index", "moves"} or {"mode", "digits", "extents",
// "strides"}], "unswizzled"?, "physical"?, "tile"?, "position"?, "offset", "byte"?, "bit"?}
absl::StatusOr<Json> element_answer(const Json& question, Memory& memory);
Json explanation_json(const spec::Explanation& explanation);

// {"text"}
// {"stages": [{"step", "dims", "ids"}]}: ids are row-major numbers of elements, -1 is padding. Only
// for tiled layouts and blocked formats of at most kMostAnimated positions.
inline constexpr int64_t kMostAnimated = 4096;
absl::StatusOr<Json> steps_answer(const Json& question, Memory& memory);

// {"text"}
// {"systems": [{"system", "text"?, "verdict", "reason"?, "notes"}]}
absl::StatusOr<Json> convert_answer(const Json& question, Memory& memory);

// The panel "Map": a map, its normal form with the lemma of each step, and a plot of its values.

// {"text"}
// {"map", "variables": [{"name", "kind", "low", "high"}], "results": number,
//  "simplified", "sections": [{"before", "after", "lets": [..], "steps": [{"number", "says",
//  "lemma"?, "by"}]}], "accepted": bool, "rejected"?: why}
// `accepted`: the checker (verify/trace) accepts the proof log.
absl::StatusOr<Json> map_answer(const Json& question, Memory& memory);

// {"text", "x", "y"?, "result", "at": values of all variables in order}
// {"x": [low, high], "y": [low, high], "values": rows of results, null outside of the domain}
// The values `at` are where the axes begin, and those of all other variables. At most kMostPlotted
// values along an axis.
inline constexpr int64_t kMostPlotted = 64;
absl::StatusOr<Json> plot_answer(const Json& question, Memory& memory);

// {"name"}
// {"name", "says", "statement", "subject", "variables"}
absl::StatusOr<Json> lemma_answer(const Json& question, Memory& memory);

// The panel "Compare": two layouts or two maps.

// {"left", "right", "coloring"?}. A text with "->" is a map, any other a layout.
// {"kind": "layout" or "map", "verdict": "equal", "different" or "undecided", "by"?, "at"?, "left"?,
//  "right"?, "svg"?, "notes"}
//     at      of layouts: the smallest index where the offsets differ;
//             of maps: {"dims", "ranges", "runtime"}
//     left    the offset, or the results there: null outside the domain
absl::StatusOr<Json> compare_answer(const Json& question, Memory& memory);

// "undecided", or one of the other two.
absl::string_view word_of(verify::Verdict verdict, absl::string_view proven,
                          absl::string_view refuted);

// A point, and the results there: an array, null outside the domain, or {"error": ..}.
using Results = absl::StatusOr<std::optional<std::vector<int64_t>>>;
Json point_json(const spec::Point& point);
Json results_json(const Results& results);

// The panel "HLO": the instructions of a module, the maps of one, and tiles through it.

// {"text"}
// {"name", "entry", "computations": [{"name", "root", "instructions": [{"name", "opcode", "shape",
//  "operands": [..], "calls": [..], "line"}]}]}
// At most memory.most_instructions instructions.
absl::StatusOr<Json> module_answer(const Json& question, Memory& memory);

// {"text", "computation", "instruction", "output"?}
// {"line", "arrays": [{"operand", "name", "leaf", "dims", "maps": [..], "inexact"?: why,
//  "inverse": [..], "utilization": {"least", "most", "elements"} or {"uncounted"}}], "dims"}
absl::StatusOr<Json> instruction_answer(const Json& question, Memory& memory);

// {"text", "computation", "instruction", "tile": "4:4,0:8:2"}
// {"needs": [{"operand", "leaf", "tile": [[offset, size, stride], ..], "why"?}]}
absl::StatusOr<Json> tile_answer(const Json& question, Memory& memory);

// {"text", "computation", "instruction", "output"?}, and
//     reads    "tile"?: "4:4,0:8"; without it, a tile in the corner
//     heat
//     traffic  "threads": a map, "warp"?, "width"?
// {"svg"}; the answer about traffic also has "arrays": [{"name", "accesses", "transactions", "most",
// "used": percent} or {"name", "uncounted": why}]
absl::StatusOr<Json> reads_answer(const Json& question, Memory& memory);
absl::StatusOr<Json> heat_answer(const Json& question, Memory& memory);
absl::StatusOr<Json> traffic_answer(const Json& question, Memory& memory);

// ---- What an instruction reads, and pictures of it: instruction_access.cc ----
//
// The accesses of an HLO instruction as pictures need them: what its maps read of each operand.

struct InstructionAccess {
  picture::Access access;
  std::vector<Shape> shapes;  // of the arrays, with layouts
};

// From array `output` of the result to each array of the operands. Errors: those of
// IndexingAnalysis; arrays of unknown size.
absl::StatusOr<InstructionAccess> instruction_access(impl::IndexingAnalysis& analysis,
                                                     const HloModule& module, int32_t computation,
                                                     int32_t instruction, int32_t output);

// The pictures of picture/access_svg.h. A tile without dimensions is the corner of the result.
absl::StatusOr<std::string> reads_picture(const InstructionAccess& at, const impl::Tile& tile);
absl::StatusOr<std::string> heat_picture(const InstructionAccess& at);
absl::StatusOr<std::string> traffic_picture(const InstructionAccess& at, const IndexingMap& threads,
                                            const Warps& warps);

// Reads the members of a question.

// Errors name the key: it is missing, or its value has another type.
absl::StatusOr<std::string> text_in(const conform::Json& question, absl::string_view key);
absl::StatusOr<std::vector<std::string>> texts_in(const conform::Json& question,
                                                  absl::string_view key);
absl::StatusOr<std::vector<int64_t>> integers_in(const conform::Json& question,
                                                 absl::string_view key);
absl::StatusOr<int32_t> number_in(const conform::Json& question, absl::string_view key);

// The text, or "" if the key is missing.
absl::StatusOr<std::string> text_or_none(const conform::Json& question, absl::string_view key);

}  // namespace tileproof::explorer
