// SPDX-License-Identifier: Apache-2.0
#include "conform/zoo/variants.h"

#include <utility>

#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/interval.h"

namespace tileproof::zoo {

using conform::Json;

int64_t exact(Op op, int64_t a, int64_t b) {
  if (op == Op::kAdd) return static_cast<int64_t>(uint64_t(a) + uint64_t(b));
  if (op == Op::kMul) return static_cast<int64_t>(uint64_t(a) * uint64_t(b));
  return value_of(op, a, b).value_or(INT64_MIN);  // INT64_MIN by -1
}

std::string text_under(const Json& request, absl::string_view field) {
  const auto* text = find_as<std::string>(request, field);
  return text == nullptr ? "" : *text;
}

std::optional<Json> right_result(const Json& request) {
  for (const auto engine : {conform::Engine::kSpec, conform::Engine::kImpl}) {
    conform::Answer right = conform::answer({Json(1), text_under(request, "op"), request}, engine);
    if (is_result(right)) return std::move(right.result);
  }
  return std::nullopt;
}

std::optional<int64_t> right_offset(const Shape& array, const std::vector<int64_t>& index) {
  const std::optional<Json> right = right_result(conform::json_object(
      {{"op", "layout.linearize"}, {"shape", to_text(array)}, {"index", index}}));
  const int64_t* offset = right ? right->as<int64_t>() : nullptr;
  return offset == nullptr ? std::nullopt : std::optional(*offset);
}

}  // namespace tileproof::zoo
