// SPDX-License-Identifier: Apache-2.0
// The parts of `tileproof layout`: an answer for each kind of layout, and pictures for a terminal.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/text.h"
#include "impl/layout/tiled_layout.h"

namespace tileproof::cli {

// ---- How each kind of layout answers --index and --offset: layout_by_map.cc ----

struct AskedElement {
  std::optional<std::string> index;
  std::optional<int64_t> offset;

  bool any() const { return index || offset; }
};

// The offset of the index, and the index at the offset, as JSON and as text.
struct FoundElement {
  std::optional<int64_t> offset = {};
  std::optional<std::pair<Json, std::string>> index = {};
};

// The layout as `described` and `explained`. What was found joins both.
Answer element_answer(Json described, std::string explained, const FoundElement& found);

// Of a swizzled layout or a memref: the layout, its words if it is swizzled, and its map; or the offset of an index, or the index at an
// offset.
absl::StatusOr<Answer> explain_by_map(const std::string& text, const AskedElement& asked);

// ---- Nested layouts and tagged shapes: layout_nested.cc ----

// Explains a NESTED or TAGGED text, or answers the questions about it.
absl::StatusOr<Answer> explain_nested(const std::string& text, const AskedElement& asked);

// ---- Layouts of threads: layout_threads.cc ----

struct ThreadQuestions {
  std::optional<std::string> index;  // which places hold it?
  std::array<std::optional<int64_t>, 4> place =
      {};                             // what do the places with these coordinates hold?
  std::optional<std::string> system;  // to write it in: ttg.linear, cute or map

  bool asks_place() const { return place[0] || place[1] || place[2] || place[3]; }
};

// Explains a layout, or answers the questions about it.
absl::StatusOr<Answer> explain_threads(const std::string& text, const ThreadQuestions& questions);

// ---- Other notations, --as, and named formats, --format: layout_conversion.cc ----

// `system` is xla, tla, cute or dnnl. `type` is the element type of a layout that names none.
// The exit status of the answer: 0 if the printed layout is proven equal, 1 if a counterexample shows
// that no equal layout exists, 3 if no layout or no proof was found.
absl::StatusOr<Answer> convert_layout(const std::string& text, const std::string& system,
                                      const std::string& type);

// The answer with a layout in another notation: `proven` says what is the same, or is "" if nothing
// is proven, and `open` says why.
Answer written_answer(const std::string& layout, const std::string& proven, const std::string& open,
                      const std::vector<std::string>& notes);

// The answer that there is none, or that none was found.
Answer no_layout(const std::string& system, absl::string_view reason, bool is_ruled_out);

// The layout that a named format chooses for a shape, `text`, and why.
absl::StatusOr<Answer> choose_layout(const std::string& format, const std::string& text);

// ---- Which part of an array each device holds, --sharding: layout_sharding.cc ----

struct ShardingQuestions {
  std::optional<int64_t> devices = std::nullopt;     // not given: as many as the sharding names
  std::optional<std::string> system = std::nullopt;  // the notation to write it in
  std::string svg = {};                              // the file for a picture
};

absl::StatusOr<Answer> explain_sharding(absl::string_view shape, const std::string& sharding,
                                        const ShardingQuestions& asked);

// ---- Pictures for a terminal: layout_picture.cc ----

// The array with the offset of each element, and memory with the element at each offset. Empty if the picture does not fit a screen: more than two dimensions, more than 1,024
// offsets, or rows that are too long.
std::string text_picture(const impl::TiledLayout& layout);

// For arrays whose picture does not fit: says so, and lists the offsets beside the edges of tiles.
std::string part_of_offsets(const impl::TiledLayout& layout);

// The offsets beside the edges of tiles, for arrays that are too large to draw as text. Along each
// dimension, the other coordinates being 0: the first step, and both sides of the first edge of each
// tile. Then the last element. For f32[4096,4096]{1,0:T(8,128)}:
//
//     offsets beside the edges of tiles
//       [0,1]  1
//       [0,127]  127
//       [0,128]  1024
//       [1,0]  128
//       [7,0]  896
//       [8,0]  32768
//       [4095,4095]  16777215
//
// An edge is where the offset stops growing by equal steps. So the rule needs no tiles, and serves
// the layouts of every system.

// `offset` gives the offset of an index inside of `dims`. Empty if there is no element or no edge.
// Looks for an edge among the first 4,096 steps of each size only.
std::string edge_offsets(const std::vector<int64_t>& dims,
                         absl::FunctionRef<int64_t(const std::vector<int64_t>&)> offset);

}  // namespace tileproof::cli
