// SPDX-License-Identifier: Apache-2.0
// Operations that keep elements in their order in memory: reshape, bitcast, bitcast-convert.
#include <algorithm>
#include <numeric>
#include <utility>

#include "impl/hlo/operations/operation_handler.h"
#include "impl/hlo/reshape_indices.h"
#include "impl/layout/tiled_layout.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {
namespace {

// Whether reshaping needs floors: nothing else needs to be simplified.
Form form_of(const IndexingMap& map) {
  const bool simple =
      std::ranges::all_of(map.nodes, [](const Node& node) { return is_leaf(node.op); });
  return simple ? Form::kWritten : Form::kToSimplify;
}

std::vector<NodeId> dimensions_of(const MapBuilder& m, const Dims& sizes) {
  std::vector<NodeId> index;
  for (size_t i = 0; i < sizes.size(); ++i) index.push_back(m.dimension(static_cast<int64_t>(i)));
  return index;
}

// Every element of the operand is one of the result's.
absl::StatusOr<Dependences> dependence_onto(const OperationContext& context, MapBuilder& m,
                                            const std::vector<NodeId>& index) {
  for (NodeId result : index) m.result(result);
  return only_dependence(context, m, form_of(m.map()), true);
}

// For an index of an array of sizes `from`, the index at the same position in an array of sizes
// `to`. The orders list the dimensions from major to minor.
absl::StatusOr<std::vector<NodeId>> same_position(MapBuilder& m, const Dims& from,
                                                  const std::vector<int64_t>& from_order,
                                                  const Dims& to,
                                                  const std::vector<int64_t>& to_order) {
  std::vector<NodeId> index;
  Dims physical_from, physical_to;
  for (int64_t d : from_order) {
    index.push_back(m.dimension(d));
    physical_from.push_back(from[d]);
  }
  for (int64_t d : to_order) physical_to.push_back(to[d]);
  const auto physical = TRY(reshaped(m, index, physical_from, physical_to));
  std::vector<NodeId> logical(to.size());
  for (size_t i = 0; i < to_order.size(); ++i) logical[to_order[i]] = physical[i];
  return logical;
}

// For arrays with equally many elements, at least one. Without padding, both directions are the
// same kind of map.
absl::StatusOr<Dependences> dense_dependence(const OperationContext& context,
                                             const std::vector<int64_t>& result_order,
                                             const Dims& in,
                                             const std::vector<int64_t>& operand_order) {
  MapBuilder m(context.output);
  const auto index = same_position(m, context.output, result_order, in, operand_order);
  if (!index.ok()) return wrong(context, index.status().message());
  Dependences dependences = TRY(dependence_onto(context, m, *index));
  AccessRelationPtr& relation = dependences.dependences[0].relation;
  if (!relation->written) return dependences;
  MapBuilder back(in);
  const auto output = same_position(back, in, operand_order, context.output, result_order);
  if (!output.ok()) return wrong(context, output.status().message());
  for (NodeId result : *output) back.result(result);
  auto both = std::make_shared<AccessRelation>(*relation);
  both->backwards = std::make_shared<const IndexingMap>(back.take());
  relation = std::move(both);
  return dependences;
}

std::vector<int64_t> row_major(size_t rank) {
  std::vector<int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

absl::StatusOr<Dependences> reshape_dependences(const OperationContext& context, const Dims& in) {
  if (has_no_elements(in)) return Dependences{};
  return dense_dependence(context, row_major(context.output.size()), in, row_major(in.size()));
}

}  // namespace

absl::StatusOr<Dependences> dependences_of(const op::Reshape& reshape,
                                           const OperationContext& context) {
  return reshape_dependences(context, reshape.operand);
}

// The sizes decide for every element whether it is there.
absl::StatusOr<Dependences> dependences_of(const op::DynamicReshape& reshape,
                                           const OperationContext& context) {
  Dependences dependences = TRY(reshape_dependences(context, reshape.operand));
  for (int32_t k = 1; k < context.operands(); ++k) add_universe(context, dependences, {k});
  return dependences;
}

namespace {

bool is_untiled(const Shape& shape) { return !shape.layout || shape.layout->tiles.empty(); }

// Dimensions, major to minor.
std::vector<int64_t> order_of(const Shape& shape) {
  std::vector<int64_t> order = layout_of(shape).minor_to_major;
  std::ranges::reverse(order);
  return order;
}

// With tiles: the offset of the result's element, and the index that the operand has there, if an
// element is there. (Behind the operand's last offset the index is too large.)
absl::StatusOr<Dependences> tiled_bitcast(const OperationContext& context, const TiledLayout& from,
                                          const TiledLayout& to, const Dims& in) {
  MapBuilder m(context.output);
  const std::vector<NodeId> offset =
      closed_form_index(m, from.to_offset(), dimensions_of(m, context.output));
  const std::vector<NodeId> index = closed_form_index(m, to.to_index(), {offset[0]});
  for (size_t i = 0; i < index.size(); ++i) m.require(index[i], {0, in[i] - 1});
  for (NodeId result : index) m.result(result);
  return only_dependence(context, m, Form::kToSimplify);
}

struct BitcastLayouts {
  TiledLayout result, operand;
};

absl::StatusOr<BitcastLayouts> layouts_of(const op::Bitcast& bitcast) {
  const auto layout_of = [](const char* what, const Shape& shape) -> absl::StatusOr<TiledLayout> {
    absl::StatusOr<TiledLayout> layout = TiledLayout::create(shape);
    if (layout.ok()) return layout;
    return absl::InvalidArgumentError(
        absl::StrCat("layout of the ", what, ": ", layout.status().message()));
  };
  TiledLayout result = TRY(layout_of("result", *bitcast.result_shape));
  TiledLayout operand = TRY(layout_of("operand", *bitcast.operand_shape));
  BitcastLayouts found{std::move(result), std::move(operand)};
  if (element_count(bitcast.operand) == element_count(bitcast.result) ||
      found.result.elements() == found.operand.elements()) {
    return found;
  }
  return absl::InvalidArgumentError(absl::StrCat("expected as many elements as in ",
                                                 dims_text(bitcast.operand), ", found ",
                                                 dims_text(bitcast.result)));
}

}  // namespace

absl::Status bitcast_fits(const op::Bitcast& bitcast) { return layouts_of(bitcast).status(); }

// o and i with linearize(out, o) = linearize(in, i).
absl::StatusOr<Dependences> dependences_of(const op::Bitcast& bitcast,
                                           const OperationContext& context) {
  const Shape &operand = *bitcast.operand_shape, &result = *bitcast.result_shape;
  const Dims& in = bitcast.operand;
  const absl::StatusOr<BitcastLayouts> layouts = layouts_of(bitcast);
  if (!layouts.ok()) return wrong(context, layouts.status().message());
  const bool same_count = element_count(in) == element_count(context.output);
  if (has_no_elements(in)) return Dependences{};  // and so has the result
  if (in == context.output && result.layout == operand.layout) {
    Dependences dependences;
    add_identity(context, dependences, {0});
    return dependences;
  }
  if (same_count && is_untiled(result) && is_untiled(operand)) {
    return dense_dependence(context, order_of(result), in, order_of(operand));
  }
  return tiled_bitcast(context, layouts->result, layouts->operand, in);
}

// A wide element is a line of narrow ones in the last dimension.
absl::StatusOr<Dependences> dependences_of(const op::BitcastConvert& convert,
                                           const OperationContext& context) {
  const size_t rank = convert.result.size();
  MapBuilder m(context.output);
  std::vector<NodeId> index = dimensions_of(m, context.output);
  if (convert.operand.size() < rank) index.pop_back();
  if (convert.operand.size() > rank) index.push_back(m.range(convert.operand.back()));
  return dependence_onto(context, m, index);
}

}  // namespace tileproof::impl
