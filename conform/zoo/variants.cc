// SPDX-License-Identifier: Apache-2.0
#include "conform/zoo/variants.h"

#include "spec/lang/layout/shape_text.h"

namespace tileproof::zoo {

using conform::Answer;
using conform::Json;

int64_t exact(Op op, int64_t a, int64_t b) {
  if (op == Op::kAdd) return static_cast<int64_t>(uint64_t(a) + uint64_t(b));
  if (op == Op::kMul) return static_cast<int64_t>(uint64_t(a) * uint64_t(b));
  if (b == -1) return op == Op::kMod ? 0 : static_cast<int64_t>(-uint64_t(a));
  const int64_t quotient = a / b, remainder = a % b;
  const bool inexact = remainder != 0, opposite = (a < 0) != (b < 0);
  if (op == Op::kFloorDiv) return quotient - (inexact && opposite ? 1 : 0);
  if (op == Op::kCeilDiv) return quotient + (inexact && !opposite ? 1 : 0);
  return inexact && opposite ? remainder + b : remainder;
}

std::optional<Rewriting::By> by(const IndexingMap& map, Op op, NodeId id) {
  const Node& node = map.nodes[id];
  if (node.op != op || map.nodes[node.right].op != Op::kConstant) return std::nullopt;
  return Rewriting::By{node.left, map.nodes[node.right].value};
}

std::string text_under(const Json& request, absl::string_view field) {
  const auto* text = find_as<std::string>(request, field);
  return text == nullptr ? "" : *text;
}

void answer_as_if(Json request, Answer& answer, absl::string_view field, Json value) {
  const std::string op = text_under(request, "op");
  set(request, std::string(field), std::move(value));
  Answer other = conform::answer({answer.id, op, std::move(request)}, conform::Engine::kSpec);
  if (is_result(other)) answer.result = std::move(other.result);
}

std::optional<int64_t> right_offset(const Shape& array, const std::vector<int64_t>& index) {
  const Json request = conform::json_object(
      {{"op", "layout.linearize"}, {"shape", to_text(array)}, {"index", index}});
  const Answer right =
      conform::answer({Json(1), "layout.linearize", request}, conform::Engine::kSpec);
  const int64_t* offset = is_result(right) ? right.result.as<int64_t>() : nullptr;
  return offset == nullptr ? std::nullopt : std::optional(*offset);
}

}  // namespace tileproof::zoo
