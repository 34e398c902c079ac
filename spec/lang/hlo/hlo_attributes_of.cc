// SPDX-License-Identifier: Apache-2.0
// Attributes of an instruction, found by name and read.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_attributes.h"

namespace tileproof {
namespace {

absl::Status complaint(const HloInstruction& instruction, absl::string_view name,
                       absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat(instruction.name, ": ", name, ": ", message));
}

// The attribute, read by `read`. If it is missing: `otherwise`, or an error without `otherwise`.
template <typename Value>
absl::StatusOr<Value> value_of(const HloInstruction& instruction, absl::string_view name,
                               absl::StatusOr<Value> (*read)(absl::string_view),
                               std::optional<Value> otherwise = std::nullopt) {
  const std::string* const text = find_attribute(instruction.attributes, name);
  if (text == nullptr) {
    if (otherwise) return *std::move(otherwise);
    return complaint(instruction, name,
                     absl::StrCat("expected this attribute of ", instruction.opcode_text));
  }
  absl::StatusOr<Value> value = read(*text);
  if (value.ok()) return value;
  return complaint(instruction, name, value.status().message());
}

absl::StatusOr<int64_t> read_natural(absl::string_view text) {
  absl::StatusOr<int64_t> value = read_integer(text);
  if (!value.ok() || *value >= 0) return value;
  return absl::InvalidArgumentError(
      absl::StrCat("column 1: expected a number of at least 0, found ", *value));
}

absl::StatusOr<std::vector<int64_t>> read_naturals(absl::string_view text) {
  std::vector<int64_t> values = TRY(read_integers(text));
  for (int64_t value : values) {
    if (value >= 0) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("column 1: expected numbers of at least 0, found ", value));
  }
  return values;
}

// Reads several attributes into one value. Stops at the first error.
class Fields {
 public:
  explicit Fields(const HloInstruction& instruction) : instruction_(instruction) {}

  void required(absl::string_view name, std::vector<int64_t>& field) {
    take(integers_of(instruction_, name), field);
  }
  void optional(absl::string_view name, std::vector<int64_t>& field) {
    take(integers_of(instruction_, name, {}), field);
  }
  void required(absl::string_view name, int64_t& field) {
    take(integer_of(instruction_, name), field);
  }
  // Two lists that belong together must have one length.
  void same_length(absl::string_view name, const std::vector<int64_t>& a,
                   absl::string_view other_name, const std::vector<int64_t>& b) {
    if (!status_.ok() || a.size() == b.size()) return;
    status_ = complaint(instruction_, name,
                        absl::StrCat("expected as many numbers as in ", other_name, " (", b.size(),
                                     "), found ", a.size()));
  }
  const absl::Status& status() const { return status_; }

 private:
  template <typename Value>
  void take(absl::StatusOr<Value> value, Value& field) {
    if (!status_.ok()) return;
    status_ = value.status();
    if (value.ok()) field = *std::move(value);
  }

  const HloInstruction& instruction_;
  absl::Status status_;
};

}  // namespace

absl::StatusOr<int64_t> integer_of(const HloInstruction& instruction, absl::string_view name) {
  return value_of<int64_t>(instruction, name, read_natural);
}
absl::StatusOr<int64_t> integer_of(const HloInstruction& instruction, absl::string_view name,
                                   int64_t otherwise) {
  return value_of<int64_t>(instruction, name, read_natural, otherwise);
}
absl::StatusOr<std::vector<int64_t>> integers_of(const HloInstruction& instruction,
                                                 absl::string_view name) {
  return value_of<std::vector<int64_t>>(instruction, name, read_naturals);
}
absl::StatusOr<std::vector<int64_t>> integers_of(const HloInstruction& instruction,
                                                 absl::string_view name,
                                                 std::vector<int64_t> otherwise) {
  return value_of<std::vector<int64_t>>(instruction, name, read_naturals,
                                        std::make_optional(std::move(otherwise)));
}

absl::StatusOr<std::vector<SliceLimits>> slice_of(const HloInstruction& slice) {
  return value_of<std::vector<SliceLimits>>(slice, "slice", read_slice);
}
absl::StatusOr<std::vector<PadLimits>> padding_of(const HloInstruction& pad) {
  return value_of<std::vector<PadLimits>>(pad, "padding", read_padding);
}
absl::StatusOr<std::vector<WindowDimension>> window_of(const HloInstruction& instruction) {
  return value_of<std::vector<WindowDimension>>(instruction, "window", read_window,
                                                std::vector<WindowDimension>());
}
absl::StatusOr<ConvolutionDimensionNumbers> dim_labels_of(const HloInstruction& convolution) {
  return value_of<ConvolutionDimensionNumbers>(convolution, "dim_labels", read_dim_labels);
}

absl::StatusOr<ReplicaGroups> replica_groups_of(const HloInstruction& collective) {
  return value_of<ReplicaGroups>(collective, "replica_groups", read_replica_groups,
                                 ReplicaGroups());
}

absl::StatusOr<DotDimensionNumbers> dot_numbers_of(const HloInstruction& dot) {
  DotDimensionNumbers n;
  Fields fields(dot);
  fields.optional("lhs_batch_dims", n.lhs_batch);
  fields.optional("rhs_batch_dims", n.rhs_batch);
  fields.optional("lhs_contracting_dims", n.lhs_contracting);
  fields.optional("rhs_contracting_dims", n.rhs_contracting);
  fields.same_length("rhs_batch_dims", n.rhs_batch, "lhs_batch_dims", n.lhs_batch);
  fields.same_length("rhs_contracting_dims", n.rhs_contracting, "lhs_contracting_dims",
                     n.lhs_contracting);
  if (!fields.status().ok()) return fields.status();
  return n;
}

absl::StatusOr<GatherDimensionNumbers> gather_numbers_of(const HloInstruction& gather) {
  GatherDimensionNumbers n;
  Fields fields(gather);
  fields.required("offset_dims", n.offset_dims);
  fields.required("collapsed_slice_dims", n.collapsed_slice_dims);
  fields.required("start_index_map", n.start_index_map);
  fields.optional("operand_batching_dims", n.operand_batching_dims);
  fields.optional("start_indices_batching_dims", n.start_indices_batching_dims);
  fields.required("index_vector_dim", n.index_vector_dim);
  fields.required("slice_sizes", n.slice_sizes);
  fields.same_length("start_indices_batching_dims", n.start_indices_batching_dims,
                     "operand_batching_dims", n.operand_batching_dims);
  if (!fields.status().ok()) return fields.status();
  return n;
}

absl::StatusOr<ScatterDimensionNumbers> scatter_numbers_of(const HloInstruction& scatter) {
  ScatterDimensionNumbers n;
  Fields fields(scatter);
  fields.required("update_window_dims", n.update_window_dims);
  fields.required("inserted_window_dims", n.inserted_window_dims);
  fields.required("scatter_dims_to_operand_dims", n.scatter_dims_to_operand_dims);
  fields.optional("input_batching_dims", n.input_batching_dims);
  fields.optional("scatter_indices_batching_dims", n.scatter_indices_batching_dims);
  fields.required("index_vector_dim", n.index_vector_dim);
  fields.same_length("scatter_indices_batching_dims", n.scatter_indices_batching_dims,
                     "input_batching_dims", n.input_batching_dims);
  if (!fields.status().ok()) return fields.status();
  return n;
}

}  // namespace tileproof
