// What flows from the parameters of a computation to one of its instructions.
//
// The computation is walked from the instruction backwards, once. Each array on the way has the
// union of all ways in which its elements flow to the instruction: when it is reached, all its uses
// have been. So shared parts are done once, and a way that is met twice counts once:
//
//     a: x -> root, b: y -> x        compose(a, b): y -> root, for each a of the union of x
//
// A runtime variable whose value is known inside the computation gets it: an offset that is a
// constant, or the index of an iota, perhaps after operations that only move elements.
#pragma once

#include <optional>
#include <vector>

#include "impl/operation.h"

namespace tileproof::impl {

// The flows of every leaf of a computation, found when asked for.
class ComputationFlows {
 public:
  ComputationFlows(const HloModule& module, int32_t computation, const Summaries& summaries);

  const ComputationView& view() const { return view_; }

  // As flows_of; known values are not filled in.
  const absl::StatusOr<Flows>& of(int32_t instruction, int32_t leaf);
  // With known values filled in.
  const absl::StatusOr<Flows>& with_values(int32_t instruction, int32_t leaf);

 private:
  ComputationView view_;
  const Summaries* summaries_;
  std::vector<std::optional<absl::StatusOr<Flows>>> flows_, with_values_;
};

// Flows from parameters (Flow::operand is a parameter's number) to the leaf, by parameter and leaf.
// An error names the first instruction on the way that is wrong. Where given, `work` grows by a
// measure of the time it took.
absl::StatusOr<Flows> trace(ComputationFlows& flows, int32_t instruction, int32_t leaf,
                            int64_t* work = nullptr);

// The relation with known values in place of runtime variables that read a place of the
// computation itself; the same pointer where there are none. Nothing where no pair is left.
RelationPtr with_known_values(ComputationFlows& flows, const RelationPtr& relation,
                              const Dims& output, const Dims& operand);

}  // namespace tileproof::impl
