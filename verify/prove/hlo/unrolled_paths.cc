// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/unrolled_paths.h"

#include <algorithm>
#include <utility>

#include "verify/prove/hlo/path_set.h"

namespace tileproof::verify {
namespace {

constexpr int64_t kMaxUnrolledTrips = 8;
constexpr size_t kMaxUnrolledPaths = 128;       // before each iteration
constexpr int64_t kMostUnrolledSteps = 50'000;  // of all paths, before those that are alike are one

class UnrolledPaths {
 public:
  using Body = absl::FunctionRef<absl::StatusOr<Definition>(int64_t leaf)>;

  UnrolledPaths(const spec::Loop& loop, const LoopRun& run, const Leaves& leaves, Body of_body,
                ThreadCpuClock::time_point deadline)
      : loop_(loop), run_(run), leaves_(leaves), of_body_(of_body), deadline_(deadline) {}

  std::optional<std::vector<DataflowPath>> run() {
    if (run_.trips() > kMaxUnrolledTrips) return std::nullopt;
    std::vector<DataflowPath> paths = {{0, loop_.leaf, {}, {}}};
    for (int64_t k = run_.trips(); k-- > 0;) {
      PathSet before;
      for (const DataflowPath& path : paths) {
        if (!add_through(path, k, before)) return std::nullopt;
      }
      paths = before.take();
      if (paths.size() > kMaxUnrolledPaths) return std::nullopt;
      if (std::ranges::any_of(paths, &DataflowPath::is_superset)) return std::nullopt;
    }
    return paths;
  }

 private:
  // Adds the paths that go on through iteration k.
  bool add_through(const DataflowPath& path, int64_t k, PathSet& before) {
    const absl::StatusOr<Definition> body = of_body_(path.leaf);
    if (!body.ok()) return false;
    for (const DataflowPath& one : body->paths) {
      if (ThreadCpuClock::now() >= deadline_) return false;
      std::optional<DataflowPath> further = at_iteration(one, k);
      if (!further) return false;
      DataflowPath both = path;
      append(both, *further);
      steps_ -= 1 + std::ssize(both.steps);
      if (steps_ < 0) return false;
      before.add(std::move(both), leaves_[loop_.leaf].dims, leaves_[one.leaf].dims);
    }
    return true;
  }

  // The path of the body with the values of its offsets.
  std::optional<DataflowPath> at_iteration(DataflowPath path, int64_t k) const {
    if (path.is_superset) return std::nullopt;
    for (Step& step : path.steps) {
      if (!step.values.empty()) continue;  // of a loop in the body
      if (step.lemma != nullptr) {
        for (const impl::RuntimeSource* source : step.lemma->relation.sources()) {
          HloPosition position = source->position;
          position.calls.insert(position.calls.begin(), step.calls.begin(), step.calls.end());
          const bool is_scalar = source->map.results.empty();
          if (!is_scalar || !add_value(position, source->feasible, k, step)) return std::nullopt;
        }
        continue;
      }
      if (step.relation == nullptr) continue;
      if (!uses_runtime(step.relation->dependences[step.dependence])) continue;
      for (const spec::RuntimeVariable& variable : step.relation->runtime) {
        const auto is_one = [](int64_t size) { return size == 1; };
        const HloPosition position{step.calls, step.operands[variable.operand], 0};
        if (!std::ranges::all_of(variable.dims, is_one) ||
            !add_value(position, {variable.low, variable.high}, k, step)) {
          return std::nullopt;
        }
      }
    }
    return path;
  }

  // Returns false if the value is not known.
  bool add_value(const HloPosition& position, Interval bounds, int64_t k, Step& step) const {
    const auto now = integer_at(*loop_.loop.module, loop_.loop.body, position, run_.states[k]);
    if (!now) return false;
    step.values.push_back({.first = std::clamp(*now, bounds.low, bounds.high)});
    return true;
  }

  const spec::Loop& loop_;
  const LoopRun& run_;
  const Leaves& leaves_;
  Body of_body_;
  ThreadCpuClock::time_point deadline_;
  int64_t steps_ = kMostUnrolledSteps;
};

}  // namespace

std::optional<std::vector<DataflowPath>> unrolled_paths(
    const spec::Loop& loop, const LoopRun& run, const Leaves& leaves,
    absl::FunctionRef<absl::StatusOr<Definition>(int64_t leaf)> of_body,
    ThreadCpuClock::time_point deadline) {
  return UnrolledPaths(loop, run, leaves, of_body, deadline).run();
}

}  // namespace tileproof::verify
