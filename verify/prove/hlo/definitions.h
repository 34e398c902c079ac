// SPDX-License-Identifier: Apache-2.0
// What a leaf of an instruction's result depends on, by the definitions alone.
//
// An operation has one path for each dependence of its access relation. An operation that enters
// computations has those of their roots, which are found from the parameters on: each array has its
// operation, and then the lines of the arrays before it (verify/prove/hlo/lines.h).
//
//     fused (p = f32[8]) { b = f32[4,8] broadcast(p), dimensions={1}
//                          ROOT r = f32[4] reduce(b, ..), dimensions={1} }
//
//     line of r    (d0)[s0] -> (s0), s0 in [0, 7]: reduce, and then the line of b
//
// The access relation of the leaf is the union of its paths.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "absl/status/statusor.h"
#include "impl/hlo/indexing.h"
#include "spec/hlo/access_relation.h"
#include "spec/lang/hlo/hlo.h"
#include "verify/prove/hlo/dataflow_path.h"
#include "verify/prove/hlo/known_predicate.h"
#include "verify/prove/hlo/lines.h"
#include "verify/prove/hlo/loop_run.h"
#include "verify/prove/smt/thread_cpu_clock.h"

namespace tileproof::verify {

// The definitions of the instructions of one module. Keeps the lines of entered computations. Both
// arguments must outlive this object.
class Definitions {
 public:
  Definitions(const HloModule& module, impl::IndexingAnalysis& analysis)
      : module_(module), lines_(module, analysis) {}

  // Errors: those of spec::access_relation_of; ResourceExhausted beyond kMaxCalls; DeadlineExceeded
  // after the deadline. Another call goes on from there.
  absl::StatusOr<Paths> of(int32_t computation, int32_t instruction, int64_t leaf);

  // The processor time of the calling thread at which `of` ends. That of claims does not count.
  void set_deadline(ThreadCpuClock::time_point deadline) {
    deadline_ = deadline - (ThreadCpuClock::now() - lines_.now());
  }

  const Lines& lines() const { return lines_; }

 private:
  using LeafOf = std::pair<int32_t, int64_t>;  // an instruction, operand or parameter, and a leaf

  // The paths from the parameters of one computation, by instruction and leaf.
  struct Inside {
    std::map<LeafOf, absl::StatusOr<Paths>> known;
    std::map<LeafOf, absl::StatusOr<Paths>> own;  // to operands; of those not yet known
  };

  // Computations are run by calls at a site, which may know predicates of selects. Sites that know
  // nothing are site 0; the others are numbered as they come.
  struct Site {
    CallSite call;
    int64_t number = 0;
  };
  absl::StatusOr<Paths> of_root(int32_t computation, int64_t leaf, const Site* site = nullptr);
  absl::StatusOr<Paths> of_root_here(int32_t computation, int64_t leaf);
  const Site* site_of(int32_t computation, int32_t call, int32_t callee);
  Choice choice_of(int32_t computation, const HloInstruction& at);
  absl::StatusOr<Paths> of_loop(int32_t computation, int32_t instruction, const spec::Loop& loop);
  absl::StatusOr<Paths> of_branches(int32_t computation, int32_t instruction,
                                    const spec::AccessRelation& relation);
  absl::StatusOr<std::set<int64_t>> leaves_reached(const spec::Loop& loop);
  const std::optional<LoopRun>& run_of(const op::While& loop);
  absl::StatusOr<Paths> to_parameters(int32_t computation, const LeafOf& position, const Paths& own,
                                      Inside& inside);

  bool is_late() const { return lines_.now() >= deadline_; }

  const HloModule& module_;
  Lines lines_;
  std::map<std::pair<int32_t, int64_t>, Inside> inside_;  // by computation and site
  std::map<std::tuple<int64_t, int32_t, int32_t>, std::optional<Site>> sites_;  // by site, call
  std::map<int32_t, bool> has_select_;                                          // by computation
  const Site* site_ = nullptr;  // of the computation that is run now
  std::map<op::While, std::optional<LoopRun>> runs_;
  int64_t depth_ = 0;  // nesting depth of the entered computations
  ThreadCpuClock::time_point deadline_ = ThreadCpuClock::time_point::max();  // by lines_.now()
};

// The limit: nesting of computations.
inline constexpr int64_t kMaxCalls = 200;

}  // namespace tileproof::verify
