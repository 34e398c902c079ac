// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/reshape_indices.h"

#include "impl/layout/tiled_layout.h"
#include "impl/map/compose.h"
#include "impl/map/simplify.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {
namespace {

// The dimensions [begin, end) of a shape, and the product of their sizes.
struct Group {
  size_t begin = 0;
  size_t end = 0;
  int64_t size = 1;
};

absl::Status too_large() { return absl::OutOfRangeError("expected fewer than 2^63 elements"); }

bool take_next(Group& group, const Dims& sizes) {
  const std::optional<int64_t> size = checked_mul(group.size, sizes[group.end]);
  if (!size) return false;
  group.size = *size;
  ++group.end;
  return true;
}

// The row-major number of an element within a group. -1 if all sizes are 1. (All sizes of the other
// group are then 1, too, and split_number does not use the number.)
NodeId number_in(MapBuilder& m, const std::vector<NodeId>& index, const Dims& sizes,
                 const Group& group) {
  NodeId number = -1;
  int64_t stride = 1;
  for (size_t i = group.end; i-- > group.begin;) {
    if (sizes[i] == 1) continue;
    const NodeId term = m.times(index[i], stride);
    number = number < 0 ? term : m.plus(term, number);
    stride *= sizes[i];
  }
  return number;
}

void split_number(MapBuilder& m, NodeId number, const Dims& sizes, const Group& group,
                  std::vector<NodeId>& index) {
  int64_t stride = group.size;
  bool first = true;
  for (size_t i = group.begin; i < group.end; ++i) {
    if (sizes[i] == 1) {
      index.push_back(m.constant(0));
      continue;
    }
    stride /= sizes[i];
    const NodeId quotient = m.floordiv(number, stride);
    index.push_back(first ? quotient : m.mod(quotient, sizes[i]));
    first = false;
  }
}

}  // namespace

absl::StatusOr<std::vector<NodeId>> reshaped(MapBuilder& m, const std::vector<NodeId>& index,
                                             const Dims& from, const Dims& to) {
  std::vector<NodeId> result;
  Group a, b;
  while (b.end < to.size()) {  // the dimensions of `from` that are left then have size 1
    a = {a.end, a.end, 1};
    b = {b.end, b.end, 1};
    do {
      const bool more_of_a = a.end < from.size() && a.size <= b.size;
      if (!(more_of_a ? take_next(a, from) : take_next(b, to))) return too_large();
    } while (a.size != b.size);
    split_number(m, number_in(m, index, from, a), to, b, result);
  }
  return result;
}

std::vector<NodeId> closed_form_index(MapBuilder& m, const ClosedForm& form,
                                      const std::vector<NodeId>& inputs) {
  std::vector<NodeId> values = inputs;
  for (const Sum& sum : form.sums) {
    NodeId total = m.constant(0);
    for (const auto& [value, weight, divisor] : sum.terms)
      total = m.plus(total, m.times(m.floordiv(values[value], divisor.value()), weight));
    values.push_back(total);
  }
  for (const Check& check : form.checks) m.require(values[check.value], {0, check.bound - 1});
  std::vector<NodeId> outputs;
  for (ValueId output : form.outputs) outputs.push_back(values[output]);
  return outputs;
}

namespace {

std::vector<NodeId> dimensions_of(const MapBuilder& m, size_t rank) {
  std::vector<NodeId> dimensions;
  for (size_t i = 0; i < rank; ++i) dimensions.push_back(m.dimension(static_cast<int64_t>(i)));
  return dimensions;
}

absl::StatusOr<IndexingMap> finished(MapBuilder& m, const std::vector<NodeId>& results) {
  for (NodeId result : results) m.result(result);
  if (m.failed()) return too_large();
  return simplify(m.take());
}

absl::StatusOr<TiledLayout> layout_with_elements(const Shape& array) {
  absl::StatusOr<TiledLayout> layout = TiledLayout::create(array);
  if (layout.ok() && layout->elements() == layout->padding()) {
    return absl::InvalidArgumentError("expected an array with an element");
  }
  return layout;
}

}  // namespace

absl::StatusOr<IndexingMap> logical_to_physical(const Shape& array) {
  const TiledLayout layout = TRY(layout_with_elements(array));
  const ClosedForm form = TRY(physical_index(array));
  MapBuilder m(layout.logical());
  return finished(m, closed_form_index(m, form, dimensions_of(m, layout.logical().size())));
}

absl::StatusOr<IndexingMap> logical_to_offset(const Shape& array) {
  const TiledLayout layout = TRY(layout_with_elements(array));
  MapBuilder m(layout.logical());
  const auto dimensions = dimensions_of(m, layout.logical().size());
  return finished(m, closed_form_index(m, layout.to_offset(), dimensions));
}

absl::StatusOr<IndexingMap> offset_to_logical(const Shape& array) {
  const TiledLayout layout = TRY(layout_with_elements(array));
  MapBuilder m({layout.elements()});
  const std::vector<NodeId> index = closed_form_index(m, layout.to_index(), {m.dimension(0)});
  for (size_t i = 0; i < index.size(); ++i) m.require(index[i], {0, layout.logical()[i] - 1});
  return finished(m, index);
}

absl::StatusOr<IndexingMap> physical_to_logical(const Shape& array) {
  const TiledLayout layout = TRY(layout_with_elements(array));
  MapBuilder m(layout.physical());
  const Dims& physical = layout.physical();
  const std::vector<NodeId> at = dimensions_of(m, physical.size());
  NodeId offset = m.constant(0);
  int64_t stride = 1;
  for (size_t i = physical.size(); i-- > 0;) {
    offset = m.plus(m.times(at[i], stride), offset);
    stride *= physical[i];
  }
  const std::vector<NodeId> index = closed_form_index(m, layout.to_index(), {offset});
  for (size_t i = 0; i < index.size(); ++i) m.require(index[i], {0, layout.logical()[i] - 1});
  return finished(m, index);
}

absl::StatusOr<IndexingMap> between_physical(const IndexingMap& map, const Shape& output,
                                             const Shape& operand) {
  const IndexingMap before = TRY(physical_to_logical(output));
  const IndexingMap after = TRY(logical_to_physical(operand));
  IndexingMap first = TRY(compose(before, map));
  IndexingMap all = TRY(compose(first, after));
  return simplify(all);
}

}  // namespace tileproof::impl
