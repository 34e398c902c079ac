// SPDX-License-Identifier: Apache-2.0
// The dependences of one instruction on the parameters of its computation.
//
// A walk goes backward from the instruction and visits each array once, after all of its users. It
// keeps for each array the union of all access relations to the instruction. So shared parts are
// composed once, and equal relations count once:
//
//     a: x -> root, b: y -> x        compose(a, b): y -> root, for each a of the union of x
//
// A runtime variable is replaced by its value if the computation holds it: an offset that is a
// constant, or the index of an iota, perhaps after operations that only move elements.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "impl/hlo/operations/known_values.h"
#include "impl/hlo/operations/operation_handler.h"

namespace tileproof::impl {

class ComputationDependences;

// The call, fusion or loop that runs a computation; none: any.
struct Caller {
  ComputationDependences* within = nullptr;  // of the computation that the call is in
  int32_t call = 0;
};

// The dependences of every leaf of a computation, computed on demand.
class ComputationDependences {
 public:
  ComputationDependences(const HloModule& module, int32_t computation, const Summaries& summaries,
                         Caller caller = {});

  const ComputationView& view() const { return view_; }
  const Caller& caller() const { return caller_; }

  // As dependences_of; known values are not filled in.
  const absl::StatusOr<Dependences>& of(int32_t instruction, int32_t leaf);
  // With known values filled in, and known predicates of selects, also of those inside of calls
  // (impl/hlo/operations/known_predicate.h).
  const absl::StatusOr<Dependences>& with_values(int32_t instruction, int32_t leaf);

  // The same as a list for walks.
  struct Edge {
    int32_t to = 0;           // number of the array that is read
    bool passes_all = false;  // if all pairs reach the result, all reach this array, exactly
    const Dependence* dependence = nullptr;
  };
  absl::StatusOr<absl::Span<const Edge>> edges(int32_t instruction, int32_t leaf);

  // The dependences in this computation, or in one that it calls.
  ComputationDependences& inside(int32_t computation);

  // Where values are followed from instructions of this computation.
  const ValueRegion& values() const { return values_; }

  // Memory of walks that have ended, by number of the array: all unions in it are empty.
  std::vector<UnionMap>& scratch() { return scratch_; }

 private:
  // Nothing if they are those of `of`.
  using Known = std::optional<absl::StatusOr<Dependences>>;
  Known find_values(int32_t instruction, int32_t leaf);
  Known with_offsets(int32_t instruction, int32_t leaf, const Dependences& plain);
  ComputationDependences* run_by(int32_t call);
  Known called_here(int32_t call, int32_t leaf);
  Dependences as_any_call(int32_t call, int32_t leaf, const char* reason);
  const Summaries& run_in_loop(int32_t loop, ComputationDependences& body);

  ComputationView view_;
  const Summaries* summaries_;
  Caller caller_;
  std::vector<std::optional<absl::StatusOr<Dependences>>> dependences_;
  std::vector<std::optional<Known>> with_values_;  // nothing: not yet
  std::vector<std::optional<std::vector<Edge>>> edges_;
  std::vector<UnionMap> scratch_;
  std::map<int32_t, std::unique_ptr<ComputationDependences>> called_;
  // Computations as calls with known operands run them, by call; null: as any call does.
  std::map<int32_t, std::unique_ptr<ComputationDependences>> run_by_;
  std::map<int32_t, Summaries> run_in_loop_;  // of the body and condition of a loop in run_by_
  std::shared_ptr<int64_t> calls_left_;  // that may still be looked at; of all that this one runs
  ValueRegion values_;
};

// Returns the dependences of the leaf on parameters, by parameter and leaf; Dependence::operand is
// the parameter's number. An error names the first invalid instruction of the walk. Adds a measure
// of the time to `work`, if given. After `most_terms` terms, further compositions give supersets; a
// compiler's fusion stays far below.
inline constexpr int64_t kMostTerms = 4'000'000;
absl::StatusOr<Dependences> backward_slice(ComputationDependences& dependences, int32_t instruction,
                                           int32_t leaf, int64_t* work = nullptr,
                                           int64_t most_terms = kMostTerms);

}  // namespace tileproof::impl
