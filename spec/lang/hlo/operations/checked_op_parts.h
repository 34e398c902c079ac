// SPDX-License-Identifier: Apache-2.0
// What the files checked_op_*.cc share: an instruction with its shapes resolved, the questions that
// many checks ask, and the check of each operation. Private to spec/lang.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/hlo/operations/result_sizes.h"

namespace tileproof::check {

// An instruction that is being checked. Of an operation wrapped by an asynchronous start, the
// instruction is the start: its name and attributes are those of the operation.
struct Instruction {
  const HloModule& module;
  const HloComputation& within;
  const HloInstruction& instruction;
  HloOpcode opcode;
  std::string opcode_text;
  std::vector<const Shape*> operand_shapes;
  const Shape* result_shape;
  std::vector<absl::Span<const Leaf>> operands;
  absl::Span<const Leaf> result;

  int64_t operand_count() const { return std::ssize(operands); }
  bool has(absl::string_view attribute) const {
    return find_attribute(instruction.attributes, attribute) != nullptr;
  }
};

// "NAME: expected <parts>"
template <class... Parts>
absl::Status expected(const Instruction& in, const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(in.instruction.name, ": expected ", parts...));
}

std::string count_text(int64_t n, absl::string_view noun);  // "1 operand", "2 operands"

// The dimensions of an operand, or of the result, that must be one array.
absl::StatusOr<Dims> array_dims(const Instruction& in, int64_t operand);
absl::StatusOr<Dims> result_dims(const Instruction& in);

// The dimensions of the only operand.
absl::StatusOr<Dims> only_operand(const Instruction& in);

// OK if there are `low` to `high` operands.
absl::Status expect_operands(const Instruction& in, int64_t low, int64_t high);

// OK if the operand, or the result, is an array of these dimensions.
absl::Status expect_operand(const Instruction& in, int64_t operand, const Dims& dims);
absl::Status expect_result(const Instruction& in, const Dims& dims);

// OK if the elements of the operand, an array, can be offsets or indices, or can be predicates.
absl::Status expect_integers(const Instruction& in, int64_t operand);
absl::Status expect_predicates(const Instruction& in, int64_t operand);

// OK if every part of the result has these dimensions.
absl::Status expect_parts(const Instruction& in, const Dims& dims);

// OK if part `part` of the result has these dimensions.
absl::Status expect_part(const Instruction& in, int64_t part, const Dims& dims);

// OK if the numbers are different dimensions below `rank`.
absl::Status expect_dimensions(const Instruction& in, absl::string_view what,
                               const std::vector<int64_t>& dimensions, int64_t rank);

// `dimensions={..}`, which may be left out for a scalar.
absl::StatusOr<std::vector<int64_t>> dimensions_unless_scalar(const Instruction& in,
                                                              const Dims& operand);

// The one number of `dimensions={1}`, below the rank.
absl::StatusOr<int64_t> one_dimension(const Instruction& in, int64_t rank);

// Operands that are inputs, then one scalar init for each; a part of the result for each input; a
// computation that takes two scalars for each. Returns the number of inputs. All inputs have the
// dimensions of the first.
absl::StatusOr<int32_t> inputs_and_inits(const Instruction& in);

// OK if the computation of the attribute takes so many scalars and gives so many; also if the text
// does not have it.
absl::Status expect_on_scalars(const Instruction& in, absl::string_view attribute,
                               int64_t parameters, int64_t results);

// The same, of a computation that gives one pred.
absl::Status expect_predicate_on_scalars(const Instruction& in, absl::string_view attribute,
                                         int64_t parameters);

// OK if the root of the computation, a scalar, is pred.
absl::Status expect_predicate_of(const Instruction& in, const HloComputation& computation);

// "[],[2]"
std::string leaves_text(absl::Span<const Leaf> leaves);

// All leaves of all operands, in order.
std::vector<OperandLeaf> operand_leaves(const Instruction& in);
const Dims& dims_of(const Instruction& in, OperandLeaf leaf);

// The leaf, if the operand is there and has it, and if part `part` of the result has its
// dimensions.
absl::StatusOr<OperandLeaf> forwarded(const Instruction& in, int64_t part, OperandLeaf leaf);

// Part k of the result is leaf first + k of operand 0.
absl::StatusOr<op::Any> forwarded_from(const Instruction& in, int64_t first);

// OK if the result has so many parts.
absl::Status expect_part_count(const Instruction& in, int64_t count);

// The number of leaves of a shape.
int32_t leaf_count(const Shape& shape);

// The operation, by the check of the opcode.
absl::StatusOr<op::Any> checked(const Instruction& in);

// The instruction with its operation.
std::shared_ptr<const CheckedOp> checked_op_of(const Instruction& in, op::Any operation);

using Check = absl::StatusOr<op::Any>(const Instruction& in);

// checked_op_movement.cc
Check known_elementwise, map, select, clamp, copy, broadcast, transpose, reverse, reshape,
    dynamic_reshape, set_dimension_size, bitcast, bitcast_convert, slice, pad, concatenate;
// checked_op_reduce.cc
Check dot, reduce, sort, topk, scan;
// checked_op_window.cc
Check reduce_window, convolution, select_and_scatter;
// checked_op_offsets.cc
Check dynamic_slice, dynamic_update_slice, gather, scatter;
// checked_op_collective.cc
Check all_gather, all_gather_start, all_reduce, all_reduce_start, all_reduce_done, reduce_scatter,
    all_to_all, collective_permute, collective_permute_start, done;
// checked_op_structure.cc
Check tuple, get_tuple_element, same_leaves, add_dependency, call, loop, conditional, copy_start,
    copy_done, async_start, async_done, source, iota, replica_number, rng_state, infeed, token,
    outfeed, send_done, get_dimension_size, rng, custom_call, opaque;

// checked_op_attention.cc: of a custom-call that is attention; nothing for others.
std::optional<op::Attention> attention_of(const Instruction& in);

}  // namespace tileproof::check
