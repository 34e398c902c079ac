// SPDX-License-Identifier: Apache-2.0
// The dataflow paths from operands to one leaf of a result, by the definitions alone.
//
// A path is one dependence of one operation (spec/hlo/access_relation.h) or, inside a computation,
// a chain of them from the root back to a parameter. Each is a function of the index before it, so
// the chain is evaluated step by step and never composed.
//
//     fused (p = f32[8]) { b = f32[4,8] broadcast(p), dimensions={1}
//                          ROOT r = f32[4] reduce(b, ..), dimensions={1} }
//
//     path to operand 0:   (o0)  -- reduce -->  (o0, s0)  -- broadcast -->  (s0)      s0 in [0, 8)
//
// The access relation of the leaf is the union of its paths: element i of an operand's leaf is read
// by o if some path to that leaf and some values of its range variables give walk().index == i and
// walk().flows. The index may depend on values of elements; walk() names each element
// (RuntimeRead) and
// asks for its value.
//
// Inside of a large computation, paths are cut (verify/prove/hlo/path_cuts.h): what was proven of
// an
// array there is one step of all paths through it, a lemma.
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

#include "absl/status/statusor.h"
#include "spec/hlo/access_relation.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/map/indexing_map.h"
#include "verify/prove/hlo/known_predicate.h"
#include "verify/prove/hlo/loop_run.h"
#include "verify/prove/hlo/map_relation.h"
#include "verify/prove/hlo/runtime_read.h"
#include "verify/prove/smt/thread_cpu_clock.h"

namespace tileproof::verify {

// The value of a runtime variable in a loop: first + growth * k, where range variable `range` of
// the path is the number k of the iteration. It needs none if it does not grow.
struct LoopValue {
  int64_t first = 0;
  int64_t growth = 0;
  size_t range = 0;
};

// A sum of range variables of the path, and of a coordinate of the index before the step, is in an
// interval.
struct StepCondition {
  std::vector<std::pair<size_t, int64_t>> terms;  // range variable, factor
  std::optional<size_t> coordinate;
  Interval interval;
};

// A map from an array of a computation to an array of a parameter. All maps from the one to the
// other
// together were proven to be what the definitions give.
struct Lemma {
  explicit Lemma(impl::IndexedMap proven) : map(std::move(proven)), relation(map) {}
  Lemma(const Lemma&) = delete;
  Lemma& operator=(const Lemma&) = delete;

  impl::IndexedMap map;  // its ranges are not empty
  MapRelation relation;
};

// The branch that a select takes where its predicate may have this value.
struct Choice {
  std::shared_ptr<const PossibleValues> predicate = nullptr;  // none: either branch, everywhere
  bool is_scalar = false;                                     // one predicate for all elements
  bool value = true;
};

struct Step {
  std::shared_ptr<const spec::AccessRelation> relation = nullptr;  // none: the index stays
  size_t dependence = 0;                                           // position among its dependences
  std::vector<int32_t> calls = {};     // calls that lead to the operation's computation
  std::vector<int32_t> operands = {};  // the operation's operands: instructions there

  // Of loops (verify/prove/hlo/loop_paths.h).
  std::vector<LoopValue> values = {};  // by runtime variable; empty if they are read
  std::vector<StepCondition> conditions = {};
  size_t iterations = 0;  // range variables of the path that come before those of the relation

  Choice choice = {};  // in place of a relation: the index stays

  // In place of a relation. Its positions are as seen from the computation that `calls` leads to.
  std::shared_ptr<const Lemma> lemma = nullptr;
};

struct DataflowPath {
  int32_t operand = 0;
  int64_t leaf = 0;
  std::vector<Step> steps;      // from the result back, without identities
  std::vector<int64_t> ranges;  // sizes of all range variables, in the order of steps
  // The path reads every element, and stands for others that read some of them: of a loop, or of a
  // branch of a conditional. Nothing follows from a pair of it.
  bool is_superset = false;
  bool is_everything = false;  // known to read every element of the operand's leaf
  // What it reads (PathText), where it has just been written. Empty: not known.
  std::string text = {};
};

// Appends the steps of `further`, and its range variables. A loop value or a condition of range
// variable kIteration is of range variable `iteration` of `path` then.
inline constexpr size_t kIteration = SIZE_MAX;
void append(DataflowPath& path, const DataflowPath& further, size_t iteration = kIteration);

// Returns whether the dependence uses the runtime variables of its access relation.
bool uses_runtime(const spec::Dependence& dependence);

// Returns the bounds of the values that the path reads, in order.
std::vector<Interval> reads_of(const DataflowPath& path);

template <class N>
N value_of(const LoopValue& known, const std::vector<N>& s) {
  return known.growth == 0 ? N(known.first) : s[known.range] * known.growth + N(known.first);
}

// The step of a lemma. Returns false if no index is reached.
template <class N, class Value>
bool walk_lemma(const Step& step, const std::vector<N>& s, size_t& next, const Value& value,
                PathEnd<N>& at) {
  const IndexingMap& map = step.lemma->map.map;
  std::vector<N> ranges;
  for (const Variable& range : map.ranges) ranges.push_back(s[next++] + N(range.bounds.low));
  size_t number = 0;
  const auto value_here = [&](const RuntimeRead<N>& read) -> N {
    if (!step.values.empty()) return value_of(step.values[number++], s);
    RuntimeRead<N> seen = read;
    seen.position.calls.insert(seen.position.calls.begin(), step.calls.begin(), step.calls.end());
    return value(seen);
  };
  PathEnd<N> end = step.lemma->relation.at(at.index, ranges, value_here);
  if (end.index.size() != map.results.size()) return false;
  at.index = std::move(end.index);
  at.in_domain = at.in_domain && end.in_domain;
  return true;
}

// `value(const RuntimeRead<N>&)` returns the value of a read. Reads come in the order of the
// steps; the
// index of one may depend on earlier values.
template <class N, class Value>
PathEnd<N> walk(const DataflowPath& path, std::vector<N> o, const std::vector<N>& s,
                const Value& value) {
  PathEnd<N> at{std::move(o), true};
  size_t next = 0;
  for (const Step& step : path.steps) {
    next += step.iterations;
    for (const StepCondition& condition : step.conditions) {
      N sum = condition.coordinate ? at.index[*condition.coordinate] : N(0);
      for (const auto& [range, factor] : condition.terms) sum = sum + s[range] * factor;
      at.in_domain =
          at.in_domain && !(sum < condition.interval.low) && sum < condition.interval.high + 1;
    }
    if (step.lemma != nullptr) {
      if (!walk_lemma(step, s, next, value, at)) return {{}, false};
      continue;
    }
    if (step.choice.predicate != nullptr) {
      const MayBe<N> predicate =
          may_be(*step.choice.predicate, step.choice.is_scalar ? std::vector<N>() : at.index);
      at.in_domain = at.in_domain && (step.choice.value ? predicate.yes : predicate.no);
    }
    if (step.relation == nullptr) continue;
    const spec::Dependence& dependence = step.relation->dependences[step.dependence];
    spec::IterationPoint<N> point{std::move(at.index), {}, {}};
    for (size_t k = 0; k < dependence.ranges.size(); ++k) point.s.push_back(s[next++]);
    for (const LoopValue& known : step.values) point.rt.push_back(value_of(known, s));
    if (uses_runtime(dependence) && step.values.empty()) {
      for (const spec::RuntimeVariable& variable : step.relation->runtime) {
        RuntimeRead<N> read;
        read.position.calls = step.calls;
        read.position.instruction = step.operands[variable.operand];
        read.index = reach(variable.element, point).index;
        read.low = variable.low;
        read.high = variable.high;
        point.rt.push_back(value(read));
      }
    }
    spec::AccessedElement<N> reached = spec::reach(dependence, point);
    at.index = std::move(reached.index);
    at.in_domain = at.in_domain && reached.in_domain;
  }
  return at;
}

// The dimensions of a leaf of the instruction's result.
spec::Dims leaf_dims(const HloInstruction& instruction, int64_t leaf);

struct Definition {
  std::vector<DataflowPath> paths;
  std::vector<std::string> conservative;  // reasons why operations are conservative
};

class PathCuts;

// The definitions of the instructions of one module. Caches the paths of entered computations. The
// module must outlive this object. With `cuts`, which must outlive it as well, paths are cut.
class Definitions {
 public:
  explicit Definitions(const HloModule& module, PathCuts* cuts = nullptr)
      : module_(module), cuts_(cuts) {}

  // Errors: those of spec::access_relation_of; ResourceExhausted beyond kMostSteps or kMaxCalls;
  // DeadlineExceeded after the deadline. Another call goes on from there. Beyond kMaxPaths, the
  // paths are a superset.
  absl::StatusOr<Definition> of(int32_t computation, int32_t instruction, int64_t leaf);

  // The processor time of the calling thread at which `of` ends.
  void set_deadline(ThreadCpuClock::time_point deadline) { deadline_ = deadline; }

  // Returns the leaves of operands that any path reaches, by operand and leaf. Overestimates if
  // constraints exclude each other. Errors: those of spec::access_relation_of.
  absl::StatusOr<std::set<std::pair<int32_t, int64_t>>> sources(int32_t computation,
                                                                int32_t instruction, int64_t leaf);

 private:
  using LeafOf = std::pair<int32_t, int64_t>;  // an instruction, operand or parameter, and a leaf
  using Sources = std::set<LeafOf>;

  // The paths from the parameters of one computation, by instruction and leaf.
  struct Inside {
    std::map<LeafOf, absl::StatusOr<Definition>> known;
    std::map<LeafOf, absl::StatusOr<Definition>> own;  // to operands; of those not yet known
    int64_t work = 0;                                  // evaluated steps
    std::vector<int32_t> parameters;                   // the instructions
  };

  // Computations are run by calls at a site, which may know predicates of selects. Sites that know
  // nothing are site 0; the others are numbered as they come.
  struct Site {
    CallSite call;
    int64_t number = 0;
  };
  absl::StatusOr<Definition> of_root(int32_t computation, int64_t leaf, const Site* site = nullptr);
  absl::StatusOr<Definition> of_root_here(int32_t computation, int64_t leaf);
  const Site* site_of(int32_t computation, int32_t call, int32_t callee);
  Choice choice_of(int32_t computation, const HloInstruction& at, Definition& definition);
  absl::StatusOr<Definition> of_loop(int32_t computation, int32_t instruction,
                                     const spec::Loop& loop);
  absl::StatusOr<Definition> of_branches(int32_t computation, int32_t instruction,
                                         const spec::AccessRelation& relation, int64_t leaf);
  absl::StatusOr<Sources> sources_of_loop(const spec::Loop& loop);
  const std::optional<LoopRun>& run_of(const op::While& loop);
  absl::StatusOr<Definition> to_parameters(int32_t computation, const LeafOf& position,
                                           const Definition& definition, Inside& inside);
  absl::StatusOr<Sources> sources_of_root(int32_t computation, int64_t leaf);

  bool is_late() const { return ThreadCpuClock::now() >= deadline_; }

  const HloModule& module_;
  PathCuts* cuts_;
  std::map<std::pair<int32_t, int64_t>, Inside> inside_;  // by computation and site
  std::map<std::tuple<int64_t, int32_t, int32_t>, std::optional<Site>> sites_;  // by site, call
  std::map<int32_t, ParameterLeaves> predicate_parameters_;
  const Site* site_ = nullptr;  // of the computation that is run now
  std::map<std::pair<int32_t, int64_t>, absl::StatusOr<Sources>> sources_;  // by computation, leaf
  std::map<op::While, std::optional<LoopRun>> runs_;
  int64_t depth_ = 0;  // nesting depth of the entered computations
  ThreadCpuClock::time_point deadline_ = ThreadCpuClock::time_point::max();
};

// The limits: paths to one array; nesting of computations.
inline constexpr int64_t kMaxPaths = 192;
inline constexpr int64_t kMostSteps = 4'000'000;  // of all paths of one computation
inline constexpr int64_t kMaxCalls = 200;

}  // namespace tileproof::verify
