// Layouts by the million: what a plug-in is asked in its own process.
//
// A sweep goes through random layouts, which follow from a seed and a number, and asks for the
// sizes of each, the offsets of many indices in one call, and the indices at many offsets in
// another. What is right is what the reference says: of a small array its whole buffer
// (spec::buffer), of a large one the way of each index through the steps.
//
//     f32[3,5]{1,0:T(2,2)}   15 indices, 24 offsets, 1 question about sizes
//
// Whatever is found is told as an ordinary request, which is then asked, judged and shrunk like any
// other: a sweep has no verdicts of its own. The plug-in's side is conform/plugin/plugin_sweep.h.
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
inline constexpr int64_t kMaxSwept = 16384;  // elements of an array that is asked about whole

struct SweptLayout {
  Shape shape;
  spec::TiledLayout layout;
  std::vector<int64_t> indices;    // one after another, layout.logical().size() numbers each
  int64_t count = 0;               // .. of them
  std::vector<int64_t> positions;  // offsets to find the index at
  // Of an array that is asked about whole: indices and places are all there are, in order.
  std::optional<std::vector<int64_t>> buffer;
};

// What is right: the offsets of the indices; the indices at the places, one after another, and
// where there is none 1 in `padding`, and 0 for its numbers.
std::vector<int64_t> right_offsets(const SweptLayout& swept);
struct Preimages {
  std::vector<int64_t> indices;
  std::vector<uint8_t> padding;
};
Preimages right_preimages(const SweptLayout& swept);

// The layout of that number. Nothing where it is beyond the limits or 64 bits.
std::optional<SweptLayout> swept_layout(uint64_t seed, int64_t number, const Limits& limits);

inline constexpr size_t kSweptAtOnce = 1024;  // questions in one call

// The same questions as requests: sizes, all indices, all places, so many at once.
std::vector<Json> requests_about(const SweptLayout& swept);

// `count` of them from number `from` on: under the key "indices" or "offsets".
Json part_request(const SweptLayout& swept, absl::string_view list, size_t from, size_t count);

// One of the indices, or places, as a request of its own.
Json linearize_request(const SweptLayout& swept, size_t number);
Json delinearize_request(const SweptLayout& swept, size_t number);

// From layout `from`, in steps, before `to`: as many as there is time for, and one at least.
struct SweepRequest {
  uint64_t seed = 1;
  int64_t from = 0, step = 1, to = 0;
  int64_t milliseconds = 100;
};

struct SweepAnswer {
  int64_t next = 0;  // the first layout that was not done
  int64_t layouts = 0;
  std::map<std::string, int64_t> questions;    // by operation
  std::map<std::string, int64_t> unsupported;  // layouts, by operation and reason
  std::vector<Json> differences;               // requests whose answers are not the reference's
  std::vector<Json> unsteady;                  // .. were not, and when asked again were
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
