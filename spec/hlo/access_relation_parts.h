// What the files relation_*.cc share: an instruction with the shapes of its operands, and small
// pieces of relations. Private to spec/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/hlo/access_relation.h"

namespace tileproof::spec {

struct Operation {
  const HloModule& module;
  const HloInstruction& instruction;
  std::vector<const Shape*> operand_shapes;
  std::vector<std::vector<Leaf>> operands;  // by operand, by leaf
  std::vector<Leaf> result;                 // by leaf

  int64_t operand_count() const { return std::ssize(operands); }
};

// "NAME: expected <what>"
absl::Status expected(const Operation& op, absl::string_view what);

// The same, OutOfRange: of numbers that are not looked at, though they may make sense.
absl::Status beyond(const Operation& op, absl::string_view what);

// The dimensions of operand k, or of the result, where it must be an array.
absl::StatusOr<Dims> array_dims(const Operation& op, int64_t operand);
absl::StatusOr<Dims> result_dims(const Operation& op);

// OK if there are so many operands.
absl::Status expect_operands(const Operation& op, int64_t low, int64_t high);

// OK if operand k is an array of these dimensions.
absl::Status expect_dims(const Operation& op, int64_t operand, const Dims& dims);

// OK if the numbers are different dimensions of an array of this rank.
absl::Status expect_dimensions(const Operation& op, absl::string_view attribute,
                               const std::vector<int64_t>& dimensions, int64_t rank);

// The one number of an attribute like `dimensions={1}`.
absl::StatusOr<int64_t> one_dimension(const Operation& op, int64_t rank);

// "[2,3]"
std::string dims_text(const Dims& dims);

// Numbers below this cannot wrap when a few of them are added. No real size comes near.
inline constexpr int64_t kLargest = int64_t{1} << 56;
inline bool moderate(int64_t x) { return -kLargest <= x && x <= kLargest; }

// The elements of an array, or nothing if they do not fit int64.
std::optional<int64_t> element_count(const Dims& dims);

// (o0, o1, ..)
access::Projection same_index(int64_t rank);

// The flow of the element at the same index, of a scalar, of every element.
Dependence same(int64_t operand, int64_t leaf, int64_t rank);
Dependence scalar(int64_t operand);
Dependence universe(int64_t operand, int64_t leaf, const Dims& dims);

// One element, or several, of an operand that is an array.
template <class W>
Dependence dependence_of(int64_t operand, W w, Dims ranges = {}) {
  return {operand, 0, std::move(ranges), std::move(w)};
}

// One leaf of an operand as it is; an error if the dimensions differ.
absl::StatusOr<AccessRelation> passed_on(const Operation& op, int64_t leaf, int64_t operand,
                                         int64_t operand_leaf);

AccessRelation conservative(const Operation& op, std::string reason);

// The operand, and leaf of it, at a place in the list of all leaves of all operands.
struct OperandLeaf {
  int64_t operand;
  int64_t leaf;
};
std::vector<OperandLeaf> operand_leaves(const Operation& op);

// The size of a dimension of the result of a window, or an error.
absl::StatusOr<int64_t> windowed_size(const Operation& op, const WindowDimension& window,
                                      int64_t size);

// The operation of an instruction, with its result shape replaced if one is given.
absl::StatusOr<Operation> operation_of(const HloModule& module, const HloComputation& computation,
                                       const HloInstruction& instruction);

// The relation of one leaf; the leaf must be there.
absl::StatusOr<AccessRelation> access_relation_of(const Operation& op, int64_t leaf);

// ---- One definition for each kind of operation ----

using Definition = absl::StatusOr<AccessRelation>(const Operation& op, int64_t leaf);

// relation_movement.cc
Definition elementwise, select_between, clamp_between, broadcast, transpose, reverse_order, reshape,
    dynamic_reshape, set_dimension_size, bitcast, bitcast_convert, slice, pad, concatenate;
// relation_reduce.cc
Definition dot, reduce, sort, topk;
// relation_window.cc
Definition reduce_window, convolution, select_and_scatter;
// relation_dynamic.cc
Definition dynamic_slice, dynamic_update_slice;
// relation_gather.cc
Definition gather, scatter;
// relation_collective.cc
Definition all_gather, all_reduce, all_reduce_start, all_reduce_done, reduce_scatter, all_to_all,
    collective_permute, all_gather_start, collective_permute_start, start_done;
// relation_structure.cc
Definition tuple, get_tuple_element, pass, call, copy_start, copy_done, async_start, async_update,
    async_done, everywhere;

}  // namespace tileproof::spec
