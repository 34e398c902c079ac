// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/unrolled_paths.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "verify/prove/hlo/indexing_subset.h"
#include "verify/prove/hlo/path_text.h"

namespace tileproof::verify {
namespace {

constexpr int64_t kMaxUnrolledTrips = 8;
constexpr size_t kMaxUnrolledPaths = 128;       // before each iteration
constexpr int64_t kMostPointsOfPaths = 4096;    // that are enumerated
constexpr int64_t kMostUnrolledSteps = 50'000;  // of all paths, before those that are alike are one

class UnrolledPaths {
 public:
  using Body = absl::FunctionRef<absl::StatusOr<Paths>(int64_t leaf)>;

  UnrolledPaths(const spec::Loop& loop, const LoopRun& run, const Leaves& leaves, Body of_body,
                ThreadCpuClock::time_point deadline)
      : loop_(loop), run_(run), leaves_(leaves), of_body_(of_body), deadline_(deadline) {}

  std::optional<Paths> run() {
    if (run_.trips() > kMaxUnrolledTrips) return std::nullopt;
    Paths paths = {{0, loop_.leaf, {}, {}}};
    for (int64_t k = run_.trips(); k-- > 0;) {
      Paths before;
      Known known;
      for (const DataflowPath& path : paths) {
        if (!add_through(path, k, before, known)) return std::nullopt;
      }
      paths = std::move(before);
      if (paths.size() > kMaxUnrolledPaths) return std::nullopt;
      if (std::ranges::any_of(paths, &DataflowPath::is_superset)) return std::nullopt;
    }
    return paths;
  }

 private:
  using Known = std::set<std::pair<int64_t, std::string>>;  // leaves and texts of paths

  // Adds the paths that go on through iteration k.
  bool add_through(const DataflowPath& path, int64_t k, Paths& before, Known& known) {
    const absl::StatusOr<Paths> body = of_body_(path.leaf);
    if (!body.ok()) return false;
    for (const DataflowPath& one : *body) {
      if (ThreadCpuClock::now() >= deadline_) return false;
      std::optional<DataflowPath> further = at_iteration(one, k);
      if (!further) return false;
      DataflowPath both = path;
      append(both, *further);
      steps_ -= 1 + std::ssize(both.steps);
      if (steps_ < 0) return false;
      const auto text = text_of(both, leaves_[loop_.leaf].dims);
      if (text && (text->empty() || !known.emplace(one.leaf, *text).second)) continue;
      if (!is_contained(both, before)) before.push_back(std::move(both));
    }
    return true;
  }

  // Whether others to the same leaf have all of its pairs, where these are few.
  bool is_contained(const DataflowPath& path, const Paths& others) const {
    std::vector<Disjunct> whole;
    for (const DataflowPath& other : others) {
      if (other.leaf == path.leaf) whole.emplace_back(other);
    }
    const auto found =
        enumerate_is_subset(leaves_[loop_.leaf].dims, {Disjunct(path)}, whole, kMostPointsOfPaths);
    return found && found->verdict == Verdict::kProven;
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

std::optional<Paths> unrolled_paths(const spec::Loop& loop, const LoopRun& run,
                                    const Leaves& leaves,
                                    absl::FunctionRef<absl::StatusOr<Paths>(int64_t leaf)> of_body,
                                    ThreadCpuClock::time_point deadline) {
  return UnrolledPaths(loop, run, leaves, of_body, deadline).run();
}

}  // namespace tileproof::verify
