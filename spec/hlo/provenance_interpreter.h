// SPDX-License-Identifier: Apache-2.0
// The parts of the provenance interpreter (spec/hlo/provenance.h). Private to
// spec/hlo/provenance*.cc.
//
//     provenance_slice.cc     sources, and the instructions that lead to a result
//     provenance_values.cc    runtime values
//     provenance_loop.cc      loops, iteration after iteration
//     provenance.cc           the interpretation
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "spec/hlo/access_relation.h"
#include "spec/hlo/interned_sets.h"
#include "spec/hlo/loop_run.h"
#include "spec/hlo/provenance.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/hlo/follow_source.h"

namespace tileproof::spec {

// The value of one leaf: the set of each element, in row-major order.
struct Value {
  Dims dims;
  std::vector<SetId> sets;
  std::optional<SetId> all = std::nullopt;  // the union of the sets, if it is known
};
using ValuePtr = std::shared_ptr<Value>;

// A computation that the interpreter runs, and its caller.
struct Frame {
  // kBranch: of a conditional. kIteration: the body of a loop.
  enum class Kind : uint8_t { kCall, kBranch, kIteration };
  int32_t computation = 0;
  const Frame* caller = nullptr;  // none in the frame of the question's instruction
  int32_t call = -1;              // the calling instruction, in the caller
  Kind kind = Kind::kCall;
  int32_t operand = 0;             // kBranch: the operand of the call that is the parameter
  const LoopRun* run = nullptr;    // kIteration
  int64_t iteration = 0;           // kIteration
  const CallSite* site = nullptr;  // of a call or loop whose operands are inside of the scope
};

// One leaf of one instruction that a result needs.
struct Needed {
  int32_t instruction = 0;
  int64_t leaf = 0;
  AccessRelation relation;
};

// Values of runtime variables of one instruction, by variable and element of the offset operand.
using RuntimeCache = absl::flat_hash_map<std::pair<size_t, int64_t>, int64_t>;

using LeafOf = std::pair<int32_t, int64_t>;  // an instruction and a leaf of it

// The arrays that a scope reads: the leaves of the instruction's operands, or of the parameters of
// its computation.
absl::StatusOr<std::vector<Leaves>> inputs_of(const HloModule& module, int32_t computation,
                                              int32_t instruction, Scope scope);

class Interpreter {
 public:
  Interpreter(const HloModule& module, Scope scope, RuntimeValues values, const Limits& limits)
      : module_(module), scope_(scope), values_(values), limits_(limits), work_(limits.work) {}

  absl::StatusOr<Provenance> run(int32_t computation, int32_t instruction, int64_t leaf);

 private:
  const HloInstruction& at(const Frame& frame, int32_t instruction) const {
    return module_.computations[frame.computation].instructions[instruction];
  }
  absl::Status too_large(const HloInstruction& instruction, absl::string_view what) const {
    return absl::ResourceExhaustedError(
        absl::StrCat(instruction.name, ": too large to enumerate: ", what));
  }
  absl::Status check_work(const HloInstruction& instruction) const {
    if (work_ >= 0) return absl::OkStatus();
    return too_large(instruction, absl::StrCat("more than ", limits_.work, " steps"));
  }

  // A value whose elements are the sources of an operand's leaf.
  absl::StatusOr<ValuePtr> sources(const HloInstruction& owner, int32_t operand, int64_t leaf,
                                   const Dims& dims);
  absl::Status count_sources(const std::vector<Leaves>& inputs);

  // The sources by their numbers, as count_sources counts them.
  std::vector<Source> numbered_sources() const;

  // The provenance of a value, with sources in place of their numbers.
  Provenance named(const Value& value) const;

  // The relation of a leaf of an instruction. Each instruction is checked once.
  absl::StatusOr<AccessRelation> relation_of(int32_t computation, int32_t instruction,
                                             int64_t leaf);

  // The leaves of instructions that a leaf of an instruction needs, in the order of the
  // computation; and the leaves of parameters among them.
  absl::StatusOr<std::vector<Needed>> needed_for(int32_t computation, int32_t instruction,
                                                 int64_t leaf, int64_t depth);
  absl::StatusOr<std::set<LeafOf>> parameters_needed(int32_t computation, int64_t leaf,
                                                     int64_t depth);
  absl::StatusOr<std::vector<LeafOf>> operands_needed(const HloInstruction& instruction,
                                                      const AccessRelation& relation,
                                                      int64_t depth);

  using Operands = std::map<LeafOf, ValuePtr>;  // by operand and leaf of it
  absl::StatusOr<ValuePtr> interpret(const Frame& frame, int32_t instruction, int64_t leaf,
                                     const Operands& parameters, int64_t depth);
  absl::StatusOr<ValuePtr> interpret_one(const Frame& frame, const Needed& anywhere,
                                         const Operands& operands, int64_t depth);
  absl::StatusOr<ValuePtr> enter(const Frame& frame, const Needed& needed, const Operands& operands,
                                 int64_t depth);
  absl::Status unite_branches(const Frame& frame, const Needed& needed, const Operands& operands,
                              int64_t depth, Value& value);
  // provenance_loop.cc
  const std::optional<LoopRun>& run_of(const op::While& loop);
  absl::StatusOr<std::set<int64_t>> loop_leaves(const Loop& loop, int64_t depth);
  absl::StatusOr<ValuePtr> iterate(const Frame& frame, const Needed& needed,
                                   const Operands& operands, int64_t depth);
  absl::Status propagate(const Frame& frame, const Needed& needed, const Dependence& dependence,
                         const IterationPoint<int64_t>& start, const Value& operand,
                         RuntimeCache& cache, std::vector<SetId>& ids);
  SetId all_sources_of(Value& operand);  // means nothing if the work is used up
  absl::StatusOr<std::vector<SetId>> uniform_sources(const Frame& frame, const Needed& needed,
                                                     const Operands& operands);

  std::vector<int64_t> runtime_values(const Frame& frame, const Needed& needed,
                                      const IterationPoint<int64_t>& point, RuntimeCache& cache);
  int64_t runtime_value(const HloElement& position);
  int64_t value_in(const Frame& frame, const ElementAt<std::vector<int64_t>>& element);
  std::optional<int64_t> known_value(int32_t computation,
                                     const ElementAt<std::vector<int64_t>>& element);

  const HloModule& module_;
  const Scope scope_;
  int32_t computation_ = -1;  // of the instruction asked about
  const RuntimeValues values_;
  const Limits limits_;
  int64_t work_;
  SetTable sets_;
  std::vector<std::vector<Dims>> source_dims_;
  std::vector<std::vector<int64_t>> first_source_;  // number of the first element of each leaf
  std::map<std::pair<int32_t, int64_t>, std::set<LeafOf>> parameters_needed_;
  std::map<std::pair<int32_t, int32_t>, absl::StatusOr<CheckedOp>> checked_;
  std::map<std::pair<int32_t, int32_t>, std::optional<std::vector<int64_t>>> literals_;
  std::map<op::While, std::optional<LoopRun>> runs_;
  std::set<std::string> conservative_;
  std::map<std::pair<HloElement, HloElement>, int64_t> reads_;
};

}  // namespace tileproof::spec
