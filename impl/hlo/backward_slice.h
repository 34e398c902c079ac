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

#include <functional>
#include <optional>
#include <vector>

#include "impl/hlo/operations/operation_handler.h"

namespace tileproof::impl {

// The flows of every leaf of a computation, found when asked for.
class ComputationDependences {
 public:
  ComputationDependences(const HloModule& module, int32_t computation, const Summaries& summaries);

  const ComputationView& view() const { return view_; }

  // As dependences_of; known values are not filled in.
  const absl::StatusOr<Dependences>& of(int32_t instruction, int32_t leaf);
  // With known values filled in.
  const absl::StatusOr<Dependences>& with_values(int32_t instruction, int32_t leaf);

 private:
  ComputationView view_;
  const Summaries* summaries_;
  std::vector<std::optional<absl::StatusOr<Dependences>>> dependences_, with_values_;
};

// Dependences from parameters (Dependence::operand is a parameter's number) to the leaf, by parameter and leaf.
// An error names the first instruction on the way that is wrong. Where given, `work` grows by a
// measure of the time it took. Once more than `most_terms` terms were written while composing, what
// is still to be composed is answered with supersets; a compiler's fusion stays far below.
inline constexpr int64_t kMostTerms = 4'000'000;
absl::StatusOr<Dependences> backward_slice(ComputationDependences& dependences, int32_t instruction,
                                           int32_t leaf, int64_t* work = nullptr,
                                           int64_t most_terms = kMostTerms);

// The flows of the computation that these calls enter; nullptr where values are not followed to.
using DependencesAt = std::function<ComputationDependences*(const std::vector<int32_t>& calls)>;

// The relation as at most so many (at least 1), which have known values in place of runtime
// variables. An iota is clamped, and a constant has another value at each index, so that one
// relation may become several, each with its conditions:
//
//     (d0){rt0} -> (rt0)      rt0 in [0, 3], element (d0) of iota 0, 1, .., 7
//     (d0) -> (d0), domain: d0 in [0, 3]      (d0) -> (3), domain: d0 in [4, 7]
//
// None where no pair is left.
std::vector<AccessRelationPtr> with_resolved_offsets(const DependencesAt& dependences_at,
                                                     const AccessRelationPtr& relation,
                                                     const Dims& output, const Dims& operand,
                                                     size_t most);

}  // namespace tileproof::impl
