// SPDX-License-Identifier: Apache-2.0
#include "impl/map/normal_form/normalize.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "impl/map/evaluate.h"
#include "impl/map/normal_form/floors.h"
#include "impl/map/proof_log/proof_log.h"
#include "impl/map/visit_nodes.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {

std::optional<int64_t> folded_tree(const ExprTable& nodes, NodeId root) {
  const auto unknown = [](const Node&) -> std::optional<int64_t> { return std::nullopt; };
  return values_of_nodes(nodes, root + 1, unknown)[root];
}

int32_t variable_atom(const IndexingMap& map, Op kind, int64_t number) {
  auto atom = static_cast<int32_t>(number);
  if (kind != Op::kDimension) atom += static_cast<int32_t>(map.dimensions.size());
  if (kind == Op::kRuntime) atom += static_cast<int32_t>(map.ranges.size());
  return atom;
}

void begin_domain(NormalFormContext& context, const IndexingMap& map,
                  absl::Span<const Range> bounds) {
  clear(context);
  if (context.proof_log != nullptr) context.proof_log->box = {};
  for (size_t i = 0; i < bounds.size(); ++i) {
    add_variable(context, bounds[i], i < map.dimensions.size());
  }
}

absl::Status check_node(const IndexingMap& map, NodeId id) {
  const Node& node = map.nodes[id];
  if (is_variable(node.op)) {
    if (node.value < 0 || node.value >= std::ssize(variables_of(map, node.op))) {
      return absl::InvalidArgumentError(absl::StrCat("expected a variable of the map, found ",
                                                     default_name(node.op, node.value)));
    }
  } else if (!is_leaf(node.op)) {
    if (!operands_precede(node, id)) {
      return absl::InvalidArgumentError("expected operands before the operation");
    }
    if (is_division(node.op) && folded(map.nodes, node.right).value_or(0) == 0) {
      return absl::InvalidArgumentError("expected a constant divisor other than 0");
    }
  }
  return absl::OkStatus();
}

absl::Status validate_map(const IndexingMap& map) {
  for (NodeId id = 0; id < std::ssize(map.nodes); ++id) {
    TRY(check_node(map, id));
  }
  return absl::OkStatus();
}

Linear Normalizer::step(const Node& node) {
  switch (node.op) {
    case Op::kConstant:
      return constant(node.value);
    case Op::kDimension:
    case Op::kRange:
    case Op::kRuntime:
      return variable_form(context_, variable_atom(map_, node.op, node.value));
    case Op::kAdd:
      return plus(context_, done_[node.left], done_[node.right]);
    case Op::kMul:
      return product(context_, done_[node.left], done_[node.right]);
    case Op::kFloorDiv:
      return floor_division(context_, done_[node.left], done_[node.right].constant);
    case Op::kCeilDiv:
      return ceil_division(context_, done_[node.left], done_[node.right].constant);
    case Op::kMod:
      return remainder_of(context_, done_[node.left], done_[node.right].constant);
  }
  return {};
}

Linear Normalizer::form_of(NodeId root) {
  known_.resize(map_.nodes.size(), 0);
  done_.resize(map_.nodes.size());
  const bool done = compute_under(map_.nodes, root, known_, [this](NodeId id) {
    done_[id] = step(map_.nodes[id]);
    return !context_.gave_up;
  });
  return done ? done_[root] : Linear{};
}

}  // namespace tileproof::impl
