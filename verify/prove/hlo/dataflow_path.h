// SPDX-License-Identifier: Apache-2.0
// Dataflow paths: what one array depends on of another, as a chain of steps from the result back.
//
// A step is one dependence of one operation (spec/hlo/access_relation.h), or a lemma: a map that was
// proven to be what the definitions give (verify/prove/hlo/lines.h). Each is a function of the index
// before it, so the chain is evaluated step by step and never composed.
//
//     r = f32[4] reduce(f32[4,8] b, ..), dimensions={1}       lemma of b: (d0, d1) -> (d1) of f32[8] p
//
//     path to p:   (o0)  -- reduce -->  (o0, s0)  -- lemma -->  (s0)      s0 in [0, 8)
//
// Element i of an array is read by o if some path to it and some values of its range variables give
// walk().index == i and walk().in_domain. The index may depend on values of elements; walk() names
// each element (RuntimeRead) and asks for its value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "spec/hlo/access_relation.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/map/indexing_map.h"
#include "verify/prove/hlo/known_predicate.h"
#include "verify/prove/hlo/map_relation.h"

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
  bool is_cut = false;  // more is known of the predicate than it says
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
  // It stands for others that read some of its pairs. Nothing follows from a pair of it.
  bool is_superset = false;
  // Paths between arrays of the same dimensions with the same text read the same. Empty: every index
  // to itself.
  std::string text = {};
  std::string open = {};  // of a superset: the line that is not proven to be exact
};
using Paths = std::vector<DataflowPath>;

// A path that reads every element of the leaf, and its text.
DataflowPath universe(int32_t operand, int64_t leaf, const spec::Dims& dims);
inline constexpr char kUniverse[] = "*";

// The same, in place of paths that may read less.
DataflowPath superset(int32_t operand, int64_t leaf, const spec::Dims& dims, std::string open);

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

// Whether an array with these dimensions has elements.
inline bool has_elements(const spec::Dims& dims) { return std::ranges::count(dims, 0) == 0; }

// The dimensions of a leaf of the instruction's result.
spec::Dims leaf_dims(const HloInstruction& instruction, int64_t leaf);

}  // namespace tileproof::verify
