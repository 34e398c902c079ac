// One operation of an HLO program: what flows from its operands to one leaf of its result.
//
// The result of an instruction, and each of its operands, is an array or a tuple of such; its
// arrays, in the order of the text, are its leaves. `dependences_of` gives for a leaf of the result the
// relations to leaves of operands, each operation by its own definition:
//
//     p = f32[3,4] pad(f32[1,4] x, f32[] v), padding=1_1x0_0
//
//     operand 0   (d0, d1) -> (0, d1), domain: d0 in [1, 1], d1 in [0, 3]
//     operand 1   (d0, d1) -> (), domain: d0 in [0, 0], ..
//     operand 1   (d0, d1) -> (), domain: d0 in [2, 2], ..
//
// Source: INTERFACE, section 2 "HLO"; facts "XLA indexing maps", section 2.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "impl/hlo/access_relation.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/hlo/hlo_attributes.h"

namespace tileproof::impl {

struct Dependence {
  int32_t operand = 0;  // its position; of a computation: the number of the parameter
  int32_t leaf = 0;     // of that operand
  AccessRelationPtr relation;
};

struct Dependences {
  std::vector<Dependence> dependences;
  // All runtime variables of the operation, those too that no flow mentions: a relation of rank 0.
  // Where it is absent there are none.
  AccessRelationPtr declared;
  // Not empty: nothing is known about the structure of the operation, all elements of all operands
  // are listed, and this is why.
  std::string conservative;
};

// The leaves of an instruction's result, and where the leaves of its parts begin.
struct Leaves {
  std::vector<const Shape*> shapes;
  std::vector<int32_t> parts;  // of a tuple: the first leaf of each part, and the number of leaves
};

// A computation with what is asked again and again.
struct ComputationView {
  const HloModule* module = nullptr;
  int32_t position = -1;
  std::vector<Leaves> leaves;       // by instruction; empty where the shape is not written
  std::vector<int32_t> first_leaf;  // numbers all leaves of all instructions, one after another
  std::vector<Dims> sizes;          // by that number; nothing known of `?`
  std::vector<char> has_unknown;    // by instruction: whether some size is `?`
  const HloComputation& computation() const { return module->computations[position]; }
};

ComputationView view_of(const HloModule& module, int32_t computation);

Leaves leaves_of(const Shape& shape);

// What flows from the parameters of a computation to its root, by leaf of the root; or why that
// cannot be told.
using Summary = std::vector<absl::StatusOr<Dependences>>;
using Summaries = std::vector<Summary>;  // by place of the computation

// One instruction, about one leaf of its result.
struct Operation {
  const ComputationView& view;
  int32_t position;
  int32_t leaf;
  const Summaries& summaries;
  const HloInstruction& instruction;
  const Leaves& result;
  Dims output;  // sizes of the leaf

  HloOpcode opcode() const { return instruction.opcode; }
  int32_t operands() const { return static_cast<int32_t>(instruction.operands.size()); }
  const Leaves& leaves(int32_t operand) const {
    return view.leaves[instruction.operands[operand].instruction];
  }
  // Of a leaf of an operand; all are known (dependences_of sees to it).
  const Dims& sizes(int32_t operand, int32_t leaf_of_it) const {
    return view.sizes[view.first_leaf[instruction.operands[operand].instruction] + leaf_of_it];
  }
  const Shape& shape() const { return *result.shapes[leaf]; }
  int32_t leaf_count() const { return static_cast<int32_t>(result.shapes.size()); }
};

// An error that names the instruction: "reshape.1: expected .., found ..".
absl::Status wrong(const Operation& op, absl::string_view what);
template <class... Parts>
absl::Status wrong(const Operation& op, const Parts&... parts) {
  return wrong(op, absl::string_view(absl::StrCat(parts...)));
}

// The sizes of an array, a bounded dimension by its bound; {0} of a token. An error for `?`.
absl::StatusOr<Dims> sizes_of(const Shape& array);

// The sizes of an operand that must be one array.
absl::StatusOr<Dims> operand_sizes(const Operation& op, int32_t operand);

// An error unless there are so many operands.
absl::Status expect_operands(const Operation& op, int64_t at_least, int64_t at_most);

bool has_no_elements(const Dims& sizes);

// Nothing beyond 2^63 - 1.
std::optional<int64_t> element_count(const Dims& sizes);

// Each number below `rank`, none twice.
absl::Status expect_dimensions(const Operation& op, absl::string_view what,
                               const std::vector<int64_t>& dimensions, size_t rank);

// The map's results are the index of an operand of these sizes. `kToSimplify`: for maps without
// runtime variables that are not written in their simplest form. Adds nothing where the map has no
// points.
enum class Form { kWritten, kToSimplify };
absl::Status add_dependence(const Operation& op, Dependences& dependences, int32_t operand,
                            MapBuilder& map, const Dims& sizes, Form form = Form::kWritten,
                            bool onto = false);
void add_identity(const Operation& op, Dependences& dependences, int32_t operand, int32_t leaf = 0);
void add_universe(const Operation& op, Dependences& dependences, int32_t operand, int32_t leaf,
                  const std::string& reason);
// A scalar flows to every element.
absl::Status add_scalar(const Operation& op, Dependences& dependences, int32_t operand);

// All elements of all operands, and why.
Dependences conservatively(const Operation& op, const std::string& reason);

// What flows into the leaf, which the result has. An error names the instruction.
absl::StatusOr<Dependences> dependences_of(const ComputationView& view, int32_t instruction,
                                           int32_t leaf, const Summaries& summaries);

absl::StatusOr<Dependences> dependences_of(const Operation& op);

// The families of operations.
using OperationHandler = absl::StatusOr<Dependences>(const Operation& op);
OperationHandler elementwise_dependences, broadcast_dependences, transpose_dependences,
    reverse_dependences, slice_dependences, pad_dependences, concatenate_dependences;
OperationHandler reshape_dependences, bitcast_dependences, bitcast_convert_dependences;
OperationHandler dot_dependences, reduce_dependences, sort_dependences;
OperationHandler reduce_window_dependences, convolution_dependences, select_and_scatter_dependences;
OperationHandler dynamic_slice_dependences, dynamic_update_slice_dependences, gather_dependences,
    scatter_dependences;
OperationHandler tuple_dependences, element_dependences, pass_dependences, call_dependences,
    copy_start_dependences, copy_done_dependences, async_start_dependences, start_done_dependences;
OperationHandler all_reduce_start_dependences, all_reduce_done_dependences;
OperationHandler all_gather_dependences, all_reduce_dependences, reduce_scatter_dependences,
    all_to_all_dependences, permute_dependences, all_gather_start_dependences,
    permute_start_dependences;

// A leaf of an operand flows as it is; an error where the sizes differ.
absl::StatusOr<Dependences> passed(const Operation& op, int32_t operand, int32_t leaf);

// All leaves of all operands, one after another.
struct OperandLeaf {
  int32_t operand;
  int32_t leaf;
};
std::vector<OperandLeaf> operand_leaves(const Operation& op);

}  // namespace tileproof::impl
