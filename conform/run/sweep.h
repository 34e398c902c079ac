// SPDX-License-Identifier: Apache-2.0
// Sweeps: test a plug-in in its own process with millions of layouts.
//
// A sweep goes through random layouts. A seed and a number determine each layout. The sweep asks
// for the layout's sizes, for the offsets of many indices in one call, and for the indices at many
// offsets in another call.
//
//     f32[3,5]{1,0:T(2,2)}   1 question about sizes, 15 indices, 24 offsets
//
// The reference gives the right answers: of a small array the whole buffer (spec::buffer), of a
// large one each index step by step. A sweep has no verdicts of its own. It returns each difference
// as an ordinary request, which the run then asks, judges and shrinks like any other.
// conform/plugin/plugin_sweep.h answers sweeps.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "conform/protocol/json.h"
#include "conform/protocol/protocol.h"
#include "spec/lang/layout/shape.h"
#include "spec/layout/tiled_layout.h"

namespace tileproof::conform {

inline constexpr absl::string_view kSweepOp = "plugin.sweep";
inline constexpr int64_t kMaxSwept = 16384;  // up to this many elements, all of them are asked

struct SweptLayout {
  Shape shape;
  spec::TiledLayout layout;
  std::vector<int64_t> indices;    // concatenated, layout.logical().size() numbers for each
  int64_t count = 0;               // the number of indices
  std::vector<int64_t> positions;  // offsets to delinearize
  // The reference's buffer, if all elements are asked. Then `indices` and `positions` are complete
  // and in order.
  std::optional<std::vector<int64_t>> buffer;
};

// The offsets of swept.indices.
std::vector<int64_t> right_offsets(const SweptLayout& swept);

// The indices at swept.positions, concatenated. At padding, `padding` is 1 and the index is 0.
struct Preimages {
  std::vector<int64_t> indices;
  std::vector<uint8_t> padding;
};
Preimages right_preimages(const SweptLayout& swept);

// The layout with this number. No value if it is beyond the limits or 64 bits.
std::optional<SweptLayout> swept_layout(uint64_t seed, int64_t number, const Limits& limits);

inline constexpr size_t kSweptAtOnce = 1024;  // indices or offsets in one call

// The same questions as requests of the protocol: sizes, and lists of at most kSweptAtOnce indices
// or offsets.
std::vector<Json> requests_about(const SweptLayout& swept);

// A request for `count` indices or offsets from number `from` on. `list` is "indices" or "offsets".
Json part_request(const SweptLayout& swept, absl::string_view list, size_t from, size_t count);

// A request for a single index or offset.
Json linearize_request(const SweptLayout& swept, size_t number);
Json delinearize_request(const SweptLayout& swept, size_t number);

// Asks about the layouts from, from + step, .. below `to`, until the time is over; about one at
// least.
struct SweepRequest {
  uint64_t seed = 1;
  int64_t from = 0, step = 1, to = 0;
  int64_t milliseconds = 100;
};

struct SweepAnswer {
  int64_t next = 0;  // the first layout that was not asked
  int64_t layouts = 0;
  std::map<std::string, int64_t> questions;    // by operation
  std::map<std::string, int64_t> unsupported;  // layouts, by operation and reason
  std::vector<Json> differences;               // requests whose answers differ from the reference's
  std::vector<Json> unsteady;                  // requests whose answers differed only once
};

Json to_json(const SweepRequest& request);  // without id
absl::StatusOr<SweepRequest> read_sweep_request(const Json& json);
Json to_json(const SweepAnswer& answer);
absl::StatusOr<SweepAnswer> read_sweep_answer(const Json& json);

// Adds the counts of one part of a sweep to those of all.
void add(const SweepAnswer& answer, SweepAnswer& totals);

// "1000 layouts, 1234567 indices, 2345678 offsets"
std::string to_text(const SweepAnswer& totals);

}  // namespace tileproof::conform
