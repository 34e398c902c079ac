#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_attributes.h"
#include "spec/lang/hlo/hlo_shape_rules.h"

namespace tileproof::shape_rules {
namespace {

// The elements of the dimensions named are no more.
absl::StatusOr<Dimensions> without(const Operation& op, const Dimensions& dimensions,
                                   const std::vector<int64_t>& gone) {
  Dimensions left;
  for (int64_t d = 0; d < std::ssize(dimensions); ++d) {
    if (std::ranges::find(gone, d) == gone.end()) left.push_back(dimensions[d]);
  }
  if (std::ssize(left) + std::ssize(gone) != std::ssize(dimensions)) {
    return wrong(op, "expected different dimensions below the rank");
  }
  return left;
}

// The arrays, then a start for each; the types are those that the reducer gives.
absl::StatusOr<std::vector<ElementType>> reduced_types(const Operation& op) {
  const Result root = root_of(op, "to_apply");
  if (!root.ok()) return root.status();
  std::vector<ElementType> types;
  if (root->kind == Shape::Kind::kArray) return std::vector{root->element_type};
  for (const Shape& one : root->parts) types.push_back(one.element_type);
  return types;
}

Result of_types(const Operation& op, const Dimensions& dimensions) {
  const auto types = TRY(reduced_types(op));
  if (2 * std::ssize(types) != op.count()) return wrong(op, "expected a start for each array");
  std::vector<Shape> parts;
  for (const ElementType type : types) parts.push_back(array(type, dimensions));
  return one_or_tuple(std::move(parts));
}

absl::StatusOr<int64_t> positions(const Operation& op, const WindowDimension& w, int64_t size) {
  const auto whole = padded(size, w.lhs_dilate, w.pad_low, w.pad_high);
  const auto reach = w.size < 1 ? std::nullopt : checked_mul(w.size - 1, w.rhs_dilate);
  if (!whole || !reach) return wrong(op, "expected a window that fits 64 signed bits");
  return *whole <= *reach ? 0 : (*whole - *reach - 1) / w.stride + 1;
}

}  // namespace

Result dot(const Operation& op) {
  const auto lhs = TRY(array_operand(op, 0)), rhs = TRY(array_operand(op, 1));
  const auto numbers = TRY(dot_numbers_of(op.instruction));
  if (lhs->element_type != rhs->element_type) return cannot_infer(op);
  Dimensions dimensions;
  for (const int64_t d : numbers.lhs_batch) {
    if (d >= lhs->rank()) return wrong(op, "expected batch dimensions below the rank");
    dimensions.push_back(lhs->dimensions[d]);
  }
  const auto append = [&](const Shape& from, std::vector<int64_t> gone,
                          const std::vector<int64_t>& summed) -> absl::Status {
    gone.insert(gone.end(), summed.begin(), summed.end());
    const auto left = TRY(without(op, from.dimensions, gone));
    dimensions.insert(dimensions.end(), left.begin(), left.end());
    return absl::OkStatus();
  };
  absl::Status status = append(*lhs, numbers.lhs_batch, numbers.lhs_contracting);
  status.Update(append(*rhs, numbers.rhs_batch, numbers.rhs_contracting));
  if (!status.ok()) return status;
  return array(lhs->element_type, std::move(dimensions));
}

Result reduce(const Operation& op) {
  const auto from = TRY(array_operand(op, 0));
  const auto gone = TRY(integers_of(op.instruction, "dimensions"));
  const auto left = TRY(without(op, from->dimensions, gone));
  return of_types(op, left);
}

Result reduce_window(const Operation& op) {
  const auto from = TRY(array_operand(op, 0));
  auto window = TRY(window_of(op.instruction));
  if (window.empty()) window.resize(from->dimensions.size());
  if (std::ssize(window) != from->rank()) return wrong(op, "expected a window of the rank");
  Dimensions dimensions = from->dimensions;
  for (size_t d = 0; d < dimensions.size(); ++d) {
    if (window[d] == WindowDimension{}) continue;
    const auto size = TRY(fixed(op, dimensions[d]));
    const auto found = TRY(positions(op, window[d], size));
    dimensions[d].size = found;
  }
  return of_types(op, dimensions);
}

Result convolution(const Operation& op) {
  const auto input = TRY(array_operand(op, 0)), kernel = TRY(array_operand(op, 1));
  const auto n = TRY(dim_labels_of(op.instruction));
  auto window = TRY(window_of(op.instruction));
  const auto groups = TRY(integer_of(op.instruction, "batch_group_count", 1));
  const size_t spatial = n.output_spatial.size();
  if (window.empty()) window.resize(spatial);
  const bool fits = n.input_rank == input->rank() && n.kernel_rank == kernel->rank() &&
                    n.output_rank == static_cast<int64_t>(spatial) + 2 &&
                    n.input_spatial.size() == spatial && window.size() == spatial && groups >= 1 &&
                    input->element_type == kernel->element_type;
  if (!fits) return wrong(op, "expected arrays and a window of the ranks of dim_labels");
  Dimensions dimensions(spatial + 2);
  const auto batch = TRY(fixed(op, input->dimensions[n.input_batch]));
  dimensions[n.output_batch].size = batch / groups;
  dimensions[n.output_feature] = kernel->dimensions[n.kernel_output_feature];
  for (size_t k = 0; k < spatial; ++k) {
    const auto size = TRY(fixed(op, input->dimensions[n.input_spatial[k]]));
    const auto found = TRY(positions(op, window[k], size));
    dimensions[n.output_spatial[k]].size = found;
  }
  return array(input->element_type, std::move(dimensions));
}

Result dynamic_slice(const Operation& op) {
  const auto from = TRY(array_operand(op, 0));
  const auto sizes = TRY(integers_of(op.instruction, "dynamic_slice_sizes"));
  return make_array(from->element_type, sizes);
}

Result gather(const Operation& op) {
  const auto from = TRY(array_operand(op, 0)), indices = TRY(array_operand(op, 1));
  const auto n = TRY(gather_numbers_of(op.instruction));
  Dimensions batch = indices->dimensions;
  if (n.index_vector_dim < std::ssize(batch)) batch.erase(batch.begin() + n.index_vector_dim);
  std::vector<int64_t> gone = n.collapsed_slice_dims;
  gone.insert(gone.end(), n.operand_batching_dims.begin(), n.operand_batching_dims.end());
  const auto window =
      TRY(without(op, make_array(from->element_type, n.slice_sizes).dimensions, gone));
  if (window.size() != n.offset_dims.size()) return wrong(op, "expected offset_dims to fit");
  Dimensions dimensions;
  size_t next_batch = 0, next_window = 0;
  for (size_t d = 0; d < batch.size() + window.size(); ++d) {
    const bool offset = std::ranges::count(n.offset_dims, static_cast<int64_t>(d)) > 0;
    if (offset ? next_window == window.size() : next_batch == batch.size()) {
      return wrong(op, "expected offset_dims below the rank");
    }
    dimensions.push_back(offset ? window[next_window++] : batch[next_batch++]);
  }
  return array(from->element_type, std::move(dimensions));
}

}  // namespace tileproof::shape_rules
