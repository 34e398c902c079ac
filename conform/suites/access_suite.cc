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

Json make_access_request(Choose& choose, const Limits& limits) {
  Json request = random_request(choose, limits);
  // The judge needs the reference's answer.
  for (int i = 0; i < kMaxDraws && is_beyond_reference(request); ++i) {
    request = random_request(choose, limits);
  }
  return request;
}

}  // namespace tileproof::conform
