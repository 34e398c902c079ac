// SPDX-License-Identifier: Apache-2.0
#include "conform/suites/access_suite.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "conform/oracle/hlo_access.h"
#include "conform/oracle/hlo_ops.h"
#include "conform/suites/hlo_suites.h"
#include "generate/choose/limits.h"
#include "impl/hlo/analysis_scope.h"

namespace tileproof::conform {
namespace {

constexpr absl::string_view kAccessExamples[] = {
    "s = f32[4,8] slice(f32[10,8] p), slice={[0:8:2], [0:8]}",
    "g = f32[2,8] gather(f32[9,8] table, s32[2] rows), offset_dims={1}, collapsed_slice_dims={0}, "
    "start_index_map={0}, index_vector_dim=1, slice_sizes={1,8}",
    "d = f32[4] dynamic-slice(f32[9] p, s32[] o), dynamic_slice_sizes={4}",
};

// An HLO text and a tile of its result. The last five are invalid.
constexpr std::pair<absl::string_view, absl::string_view> kTiles[] = {
    {"t = f32[16,8] transpose(f32[8,16] p), dimensions={1,0}", "[[4,4,1],[0,4,2]]"},
    {"r = f32[16] reverse(f32[16] p), dimensions={0}", "[[0,4,3]]"},
    {"r = f32[128] reshape(f32[16,8] p)", "[[0,12,1]]"},
    {"r = f32[128] reshape(f32[16,8] p)", "[[8,16,1]]"},
    {"d = f32[4] dynamic-slice(f32[9] p, s32[] o), dynamic_slice_sizes={4}", "[[1,2,1]]"},
    {"b = f32[2,3] broadcast(f32[] x), dimensions={}", "[[0,2,1],[0,0,1]]"},
    {"r = f32[16] reverse(f32[16] p), dimensions={0}", "[[0,17,1]]"},
    {"r = f32[16] reverse(f32[16] p), dimensions={0}", "[[0,4,0]]"},
    {"r = f32[16] reverse(f32[16] p), dimensions={0}", "[[0,4]]"},
    {"r = f32[16] reverse(f32[16] p), dimensions={0}", "[]"},
    {"r = f32[16] reverse(f32[16] p), dimensions={0}", "7"},
};

// The maps `threads` and `access` of map.transactions. The last three are invalid.
constexpr std::pair<absl::string_view, absl::string_view> kThreads[] = {
    {"(th_x, bl_x)[s0] -> (bl_x * 4 + s0, th_x), domain: th_x in [0, 127], bl_x in [0, 31], "
     "s0 in [0, 3]",
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 127], d1 in [0, 127]"},
    {"(th_x, bl_x)[s0] -> (bl_x * 4 + s0, th_x), domain: th_x in [0, 127], bl_x in [0, 31], "
     "s0 in [0, 3]",
     "(d0, d1) -> (d1, d0), domain: d0 in [0, 127], d1 in [0, 127]"},
    {"(th_x, th_y) -> (th_y, th_x * 3), domain: th_x in [0, 20], th_y in [0, 2]",
     "(d0, d1)[s0] -> (d1, s0), domain: d0 in [0, 2], d1 in [0, 60], s0 in [0, 7]"},
    {"(th_x) -> (th_x, 0), domain: th_x in [1, 20]",
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 127], d1 in [0, 127]"},
    {"(x) -> (x, 0), domain: x in [0, 20]",
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 127], d1 in [0, 127]"},
    {"(th_x) -> (th_x), domain: th_x in [0, 20]",
     "(d0, d1) -> (d0, d1), domain: d0 in [0, 127], d1 in [0, 127]"},
};
constexpr absl::string_view kArrays[] = {"f32[128,128]{1,0}", "bf16[128,128]{1,0:T(8,128)(2,1)}"};

constexpr int kMaxDraws = 8;  // attempts to make a request that the reference can answer

// Turns a request of hlo.index into a request of another operation.
Json with_operation(absl::string_view op, Json request) {
  set(request, "op", op);
  remove(request, "direction");
  return request;
}

Json random_tile(Choose& choose, const std::vector<int64_t>& sizes) {
  Json::Array tile;
  for (int64_t size : sizes) {
    const int64_t offset = size == 0 ? 0 : choose(size);
    const int64_t stride =
        choose.chance(1, 3) ? choose_within(choose, limits::kAskedTileStride) : 1;
    const int64_t most = size == 0 ? 0 : (size - offset + stride - 1) / stride;
    tile.emplace_back(std::vector<int64_t>{offset, most == 0 ? 0 : 1 + choose(most), stride});
  }
  return tile;
}

Json random_request(Choose& choose, const Limits& limits) {
  const bool tile = choose.chance(1, 2);
  Json request = make_hlo_request(choose, limits);
  remove(request, "input");  // only requests of direction input_to_output have it
  Json as_index = request;
  set(as_index, "direction", "output_to_input");
  const absl::StatusOr<HloQuestion> question = read_hlo_question(as_index);
  if (!tile || !question.ok()) {
    remove(request, "output");
    return with_operation("hlo.utilization", std::move(request));
  }
  const auto sizes = impl::sizes_of_result(question->module, question->computation,
                                           question->instruction, question->array);
  request = with_operation("hlo.tile", std::move(request));
  set(request, "tile", sizes.ok() ? random_tile(choose, *sizes) : Json(Json::Array()));
  return request;
}

bool is_beyond_reference(const Json& request) {
  const auto answer = find(request, "tile") == nullptr ? hlo_utilization : hlo_tile;
  return absl::IsResourceExhausted(answer(request, Engine::kSpec).status());
}

}  // namespace

std::vector<Json> access_fixed() {
  std::vector<Json> requests;
  for (absl::string_view hlo : kAccessExamples) {
    requests.push_back(json_object({{"op", "hlo.utilization"}, {"hlo", hlo}}));
  }
  requests.push_back(json_object({{"op", "hlo.utilization"}, {"hlo", "s = f32[4]"}}));
  for (const auto& [hlo, tile] : kTiles) {
    requests.push_back(
        json_object({{"op", "hlo.tile"}, {"hlo", hlo}, {"tile", read_json(tile)->value}}));
  }
  for (absl::string_view array : kArrays) {
    for (const auto& [threads, access] : kThreads) {
      requests.push_back(json_object({{"op", "map.transactions"},
                                      {"threads", threads},
                                      {"access", access},
                                      {"shape", array},
                                      {"warp", 32},
                                      {"width", 32}}));
    }
  }
  return requests;
}

Json make_access_request(Choose& choose, const Limits& limits) {
  Json request = random_request(choose, limits);
  // The judge needs the reference's answer.
  for (int i = 0; i < kMaxDraws && is_beyond_reference(request); ++i) {
    request = random_request(choose, limits);
  }
  return request;
}

std::vector<Json> shrink_access_requests(const Json& request) {
  const Json* tile = find(request, "tile");
  if (find(request, "hlo") == nullptr) return {};
  if (tile == nullptr) return shrink_hlo_requests(request);
  // Only the tile shrinks: another instruction would need a tile of another rank.
  std::vector<Json> shrink;
  const auto* dimensions = tile->as<Json::Array>();
  for (size_t d = 0; dimensions != nullptr && d < dimensions->size(); ++d) {
    Json::Array changed = *dimensions;
    changed[d] = std::vector<int64_t>{0, 1, 1};
    if (changed[d] == (*dimensions)[d]) continue;
    shrink.push_back(request);
    set(shrink.back(), "tile", std::move(changed));
  }
  return shrink;
}

}  // namespace tileproof::conform
