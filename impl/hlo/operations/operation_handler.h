// SPDX-License-Identifier: Apache-2.0
// One operation of an HLO program: on which operand elements one leaf of its result depends.
//
// The result of an instruction, and each operand, is an array or a tuple. The arrays are its
// leaves (spec/lang/hlo/checked_op.h). For one leaf of the result, `dependences_of` returns the
// access relations to leaves of operands:
//
//     p = f32[3,4] pad(f32[1,4] x, f32[] v), padding=1_1x0_0
//
//     operand 0   (d0, d1) -> (0, d1), domain: d0 in [1, 1], d1 in [0, 3]
//     operand 1   (d0, d1) -> (), domain: d0 in [0, 0], ..
//     operand 1   (d0, d1) -> (), domain: d0 in [2, 2], ..
//
// Each operation has a handler: a `dependences_of` that takes the checked operation. A handler does
// not check shapes and attributes again.
//
// Source: XLA, xla/hlo/analysis/indexing_analysis.cc (docs/sources.md).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "impl/hlo/access_relation.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::impl {

struct Dependence {
  int32_t operand = 0;  // its position; of a computation: the number of the parameter
  int32_t leaf = 0;     // of that operand
  AccessRelationPtr relation;
};

// What a leaf of a computation needs (impl/hlo/reached_leaves.h).
struct ReachedLeaves {
  std::vector<OperandLeaf> leaves;       // of parameters
  std::optional<OperandLeaf> handed_on;  // the leaf of a parameter that this is, as it is
  // Leaves of parameters that predicates of selects depend on, anywhere in the computation.
  std::vector<OperandLeaf> deciding = {};
};

struct Dependences {
  std::vector<Dependence> dependences;
  // A relation of rank 0 that declares all runtime variables of the operation, also those that no
  // dependence uses. Null if there are none.
  AccessRelationPtr declared;
  // Not empty: the structure of the operation is unknown, and the result depends on all elements of
  // all operands. This is the reason.
  std::string conservative;
  // Of the root of a computation; null for an operation.
  std::shared_ptr<const ReachedLeaves> reached = nullptr;
};

class ComputationDependences;
struct LoopCounters;  // loop_counter.h
using SharedCounters = std::shared_ptr<const std::optional<LoopCounters>>;

// A computation with facts that the analysis looks up for each instruction.
struct ComputationView {
  const HloModule* module = nullptr;
  int32_t position = -1;
  std::vector<ShapeLeaves> shapes;  // by instruction
  std::vector<int32_t> first_leaf;  // numbers all leaves of all instructions, one after another
  std::vector<Dims> sizes;          // by that number; empty if a dimension is `?`
  // The checked operation, by instruction. dependences_of keeps it from the first leaf to the last.
  std::vector<std::unique_ptr<const absl::StatusOr<op::Any>>> operations;
  std::map<int32_t, SharedCounters> counters;     // of a loop, kept as long; null: not yet known
  ComputationDependences* dependences = nullptr;  // what belongs to it

  const HloComputation& computation() const { return module->computations[position]; }
};

ComputationView view_of(const HloModule& module, int32_t computation);

// The dependences of the root of a computation on its parameters, by leaf of the root; or an error.
using Summary = std::vector<absl::StatusOr<Dependences>>;
using Summaries = std::vector<Summary>;  // by index of the computation

// Where an operation is: what a handler needs beside the checked operation.
struct OperationContext {
  const ComputationView& view;
  int32_t position;    // of the instruction
  int32_t leaf;        // of the result of the operation (in a Start: of the operation inside)
  const Dims& output;  // the sizes of that leaf
  const Summaries& summaries;
  SharedCounters* counters = nullptr;  // of a loop, for all of its leaves

  const HloInstruction& instruction() const { return view.computation().instructions[position]; }
  int32_t operands() const { return static_cast<int32_t>(instruction().operands.size()); }
  // The index of the instruction that an operand is.
  int32_t operand(int32_t k) const { return instruction().operands[k].instruction; }
  const Dims& sizes(OperandLeaf of) const {
    return view.sizes[view.first_leaf[operand(of.operand)] + of.leaf];
  }
};

// An error that names the instruction: "reshape.1: expected .., found ..".
absl::Status wrong(const OperationContext& context, absl::string_view what);
template <class... Parts>
absl::Status wrong(const OperationContext& context, const Parts&... parts) {
  return wrong(context, absl::string_view(absl::StrCat(parts...)));
}

bool has_no_elements(const Dims& sizes);

// The number of elements, or nothing if it is above 2^63 - 1.
std::optional<int64_t> element_count(const Dims& sizes);

// Adds a dependence whose relation is the map; its results are the index of the operand leaf. Adds
// nothing if the map has no points. `onto`: each operand index belongs to some output index.
// `kToSimplify` is for maps without runtime variables that are not in their simplest form.
enum class Form { kWritten, kToSimplify };
absl::Status add_dependence(const OperationContext& context, Dependences& dependences,
                            OperandLeaf operand, MapBuilder& map, Form form = Form::kWritten,
                            bool onto = false);

// The same for an operation with one dependence, on the leaf of operand 0.
absl::StatusOr<Dependences> only_dependence(const OperationContext& context, MapBuilder& map,
                                            Form form = Form::kWritten, bool onto = false);

// The result leaf is the operand leaf.
void add_identity(const OperationContext& context, Dependences& dependences, OperandLeaf operand);

// Each element of the result leaf depends on all elements of the operand leaf. With a reason, the
// relation is inexact.
void add_universe(const OperationContext& context, Dependences& dependences, OperandLeaf operand,
                  const std::string& reason = "");

// All elements of all operands, and why.
Dependences conservatively(const OperationContext& context, const std::string& reason);

// Why these dependences do not hold for every size that a bounded dimension can have at run time;
// "" if they do.
std::string runtime_size_reason(const op::Any& operation, const OperationContext& context,
                                const Dependences& dependences);

// The dependences of a leaf that the result has. An error names the instruction: what checked_op
// refuses, layouts of a bitcast that take different memory, or what is wrong in a called
// computation.
absl::StatusOr<Dependences> dependences_of(ComputationView& view, int32_t instruction, int32_t leaf,
                                           const Summaries& summaries);

absl::StatusOr<Dependences> dependences_of(const op::Any& operation,
                                           const OperationContext& context);

// For OperandWalk.
absl::Status bitcast_fits(const op::Bitcast& bitcast);

template <class Operation>
using OperationHandler = absl::StatusOr<Dependences>(const Operation&, const OperationContext&);

// indexing_movement.cc
OperationHandler<op::Elementwise> dependences_of;
OperationHandler<op::Broadcast> dependences_of;
OperationHandler<op::Transpose> dependences_of;
OperationHandler<op::Reverse> dependences_of;
OperationHandler<op::SetDimensionSize> dependences_of;
OperationHandler<op::Slice> dependences_of;
OperationHandler<op::Pad> dependences_of;
OperationHandler<op::Concatenate> dependences_of;
// indexing_reshape.cc
OperationHandler<op::Reshape> dependences_of;
OperationHandler<op::DynamicReshape> dependences_of;
OperationHandler<op::Bitcast> dependences_of;
OperationHandler<op::BitcastConvert> dependences_of;
// indexing_reduce.cc
OperationHandler<op::Dot> dependences_of;
OperationHandler<op::Reduce> dependences_of;
OperationHandler<op::Sort> dependences_of;
OperationHandler<op::TopK> dependences_of;
// indexing_window.cc
OperationHandler<op::ReduceWindow> dependences_of;
OperationHandler<op::Convolution> dependences_of;
OperationHandler<op::SelectAndScatter> dependences_of;
// indexing_dynamic.cc
OperationHandler<op::DynamicSlice> dependences_of;
OperationHandler<op::DynamicUpdateSlice> dependences_of;
// indexing_gather.cc
OperationHandler<op::Gather> dependences_of;
OperationHandler<op::Scatter> dependences_of;
// indexing_collective.cc
OperationHandler<op::AllGather> dependences_of;
OperationHandler<op::ReduceScatter> dependences_of;
OperationHandler<op::AllReduce> dependences_of;
OperationHandler<op::CollectivePermute> dependences_of;
OperationHandler<op::ArrayAllToAll> dependences_of;
OperationHandler<op::TupleAllToAll> dependences_of;
// indexing_structure.cc
OperationHandler<op::Forward> dependences_of;
OperationHandler<op::Call> dependences_of;
OperationHandler<op::While> dependences_of;        // indexing_loop.cc
OperationHandler<op::Conditional> dependences_of;  // indexing_loop.cc
OperationHandler<op::Start> dependences_of;
OperationHandler<op::Source> dependences_of;
OperationHandler<op::Token> dependences_of;
OperationHandler<op::GetDimensionSize> dependences_of;
OperationHandler<op::Rng> dependences_of;
OperationHandler<op::CustomCall> dependences_of;  // indexing_custom_call.cc
OperationHandler<op::Opaque> dependences_of;

}  // namespace tileproof::impl
