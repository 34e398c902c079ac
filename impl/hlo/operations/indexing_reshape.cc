// Operations that keep elements in their order in memory: reshape, bitcast, bitcast-convert.
#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/strings/str_join.h"
#include "impl/hlo/operations/operation_handler.h"
#include "impl/hlo/reshape_indices.h"
#include "impl/layout/tiled_layout.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {
namespace {

std::string text_of(const Dims& sizes) { return absl::StrCat("[", absl::StrJoin(sizes, ","), "]"); }

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
absl::StatusOr<Dependences> dependence_to(const Operation& op, MapBuilder& m,
                                          const std::vector<NodeId>& index, const Dims& in) {
  for (NodeId result : index) m.result(result);
  Dependences dependences;
  const Form form = form_of(m.map());
  TRY(add_dependence(op, dependences, 0, m, in, form, true));
  return dependences;
}

// For an index of an array of sizes `from`, the index that has the same place in an array of sizes
// `to`; dimensions of both from major to minor.
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

// Of arrays with elements, as many of both. Without padding both ways are the same kind of map.
absl::StatusOr<Dependences> dense_dependence(const Operation& op,
                                             const std::vector<int64_t>& result_order,
                                             const Dims& in,
                                             const std::vector<int64_t>& operand_order) {
  MapBuilder m(op.output);
  const auto index = same_position(m, op.output, result_order, in, operand_order);
  if (!index.ok()) return wrong(op, index.status().message());
  Dependences dependences = TRY(dependence_to(op, m, *index, in));
  AccessRelationPtr& relation = dependences.dependences[0].relation;
  if (!relation->written) return dependences;
  MapBuilder back(in);
  const auto output = same_position(back, in, operand_order, op.output, result_order);
  if (!output.ok()) return wrong(op, output.status().message());
  for (NodeId result : *output) back.result(result);
  auto both = std::make_shared<AccessRelation>(*relation);
  both->backwards = std::make_shared<const IndexingMap>(back.take());
  relation = std::move(both);
  return dependences;
}

}  // namespace

absl::StatusOr<Dependences> reshape_dependences(const Operation& op) {
  const int64_t most = op.opcode() == HloOpcode::kReshape ? 1 : INT32_MAX;
  TRY(expect_operands(op, 1, most));
  const Dims in = TRY(operand_sizes(op, 0));
  const std::optional<int64_t> count = element_count(in);
  if (!count || count != element_count(op.output)) {
    return wrong(op, "expected as many elements as in ", text_of(in), ", found ",
                 text_of(op.output));
  }
  absl::StatusOr<Dependences> dependences = Dependences{};
  if (*count > 0) {
    const auto row_major = [](size_t rank) {
      std::vector<int64_t> order(rank);
      std::iota(order.begin(), order.end(), 0);
      return order;
    };
    dependences = dense_dependence(op, row_major(op.output.size()), in, row_major(in.size()));
    if (!dependences.ok()) return dependences;
  }
  // The sizes of a dynamic-reshape decide for every element whether it is there.
  for (int32_t k = 1; k < op.operands(); ++k) {
    TRY(operand_sizes(op, k));
    add_universe(op, *dependences, k, 0, "");
  }
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

// With tiles: the offset of the result's element, and the index that the operand has there, if it
// is one of an element. (Behind the operand's last place it is too large.)
absl::StatusOr<Dependences> tiled_bitcast(const Operation& op, const TiledLayout& from,
                                          const TiledLayout& to, const Dims& in) {
  MapBuilder m(op.output);
  const std::vector<NodeId> offset =
      closed_form_index(m, from.to_offset(), dimensions_of(m, op.output));
  const std::vector<NodeId> index = closed_form_index(m, to.to_index(), {offset[0]});
  for (size_t i = 0; i < index.size(); ++i) m.require(index[i], {0, in[i] - 1});
  for (NodeId result : index) m.result(result);
  Dependences dependences;
  TRY(add_dependence(op, dependences, 0, m, in, Form::kToSimplify));
  return dependences;
}

}  // namespace

// o and i with linearize(out, o) = linearize(in, i).
absl::StatusOr<Dependences> bitcast_dependences(const Operation& op) {
  TRY(expect_operands(op, 1, 1));
  const Dims in = TRY(operand_sizes(op, 0));
  const Shape& operand = *op.leaves(0).shapes[0];
  if (byte_width(operand.element_type) != byte_width(op.shape().element_type) ||
      layout_of(operand).element_size_in_bits != layout_of(op.shape()).element_size_in_bits) {
    return conservatively(op, "bitcast between element types of different widths");
  }
  const absl::StatusOr<TiledLayout> from = TiledLayout::create(op.shape());
  if (!from.ok()) return wrong(op, "layout of the result: ", from.status().message());
  const absl::StatusOr<TiledLayout> to = TiledLayout::create(operand);
  if (!to.ok()) return wrong(op, "layout of the operand: ", to.status().message());
  const bool same_count = element_count(in) == element_count(op.output);
  if (!same_count && from->elements() != to->elements()) {
    return wrong(op, "expected as many elements as in ", text_of(in), ", found ",
                 text_of(op.output));
  }
  if (has_no_elements(in)) return Dependences{};  // and so has the result
  if (in == op.output && op.shape().layout == operand.layout) {
    Dependences dependences;
    add_identity(op, dependences, 0);
    return dependences;
  }
  if (same_count && is_untiled(op.shape()) && is_untiled(operand)) {
    return dense_dependence(op, order_of(op.shape()), in, order_of(operand));
  }
  return tiled_bitcast(op, *from, *to, in);
}

namespace {

// A wide element is `ratio` narrow ones. A predicate counts as the byte it takes, as in XLA.
bool widths_fit(ElementType wide, ElementType narrow, int64_t ratio) {
  const auto bits = [](ElementType type) -> int64_t {
    return type == ElementType::kPred ? 8 : info(type).bits;
  };
  const int64_t w = bits(wide), n = bits(narrow);
  return n > 0 && w % n == 0 && w / n == ratio;
}

}  // namespace

// A wide element is a line of narrow ones in the last dimension.
absl::StatusOr<Dependences> bitcast_convert_dependences(const Operation& op) {
  TRY(expect_operands(op, 1, 1));
  const Dims in = TRY(operand_sizes(op, 0));
  const ElementType from = op.leaves(0).shapes[0]->element_type, to = op.shape().element_type;
  const Dims longer = in.size() < op.output.size() ? op.output : in;
  Dims shorter = longer;
  if (!shorter.empty()) shorter.pop_back();
  MapBuilder m(op.output);
  std::vector<NodeId> index = dimensions_of(m, op.output);
  Dependences dependences;
  if (in == op.output && widths_fit(from, to, 1)) {
    add_identity(op, dependences, 0);
    return dependences;
  }
  // A line of one is none: XLA infers the operand's dimensions.
  const bool line = !longer.empty() && longer.back() > 1;
  if (line && shorter == in && widths_fit(from, to, longer.back())) {
    index.pop_back();
  } else if (line && shorter == op.output && widths_fit(to, from, longer.back())) {
    index.push_back(m.range(longer.back()));
  } else {
    return wrong(op, "expected a result of as many bytes as ", text_of(in), " of ", info(from).bits,
                 " bits, found ", text_of(op.output), " of ", info(to).bits, " bits");
  }
  return dependence_to(op, m, index, in);
}

}  // namespace tileproof::impl
