// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/disjunct.h"

#include <algorithm>

#include "spec/hlo/provenance.h"
#include "spec/hlo/runtime_value.h"
#include "spec/lang/hlo/follow_source.h"
#include "spec/map/map_evaluation.h"
#include "verify/prove/hlo/known_predicate.h"

namespace tileproof::verify {
Disjunct::Disjunct(const DataflowPath& path) : path_(&path), reads_(reads_of(path)) {
  for (const int64_t size : path.ranges) ranges_.push_back({0, size - 1});
}

Disjunct::Disjunct(const impl::IndexedMap& map) : map_(MapRelation(map)), reads_(map_->reads()) {
  for (const Variable& range : map.map.ranges) ranges_.push_back(range.bounds);
}

Disjunct::Disjunct(const impl::IndexedMap& map, const spec::Dims& input) : Disjunct(map) {
  inverse_ = true;
  std::vector<Interval> index;
  for (const Variable& dimension : map.map.dimensions) {
    Interval bounds = dimension.bounds;
    if (index.size() < input.size()) {  // a wrong map can have another rank
      bounds = {std::max<int64_t>(bounds.low, 0), std::min(bounds.high, input[index.size()] - 1)};
    }
    index.push_back(bounds);
  }
  ranges_.insert(ranges_.begin(), index.begin(), index.end());
}

template <class N, class Value>
Pair<N> Disjunct::pair_of(const std::vector<N>& o, const std::vector<N>& s,
                          const Value& value) const {
  if (inverse_) {
    const auto ranges = s.begin() + static_cast<std::ptrdiff_t>(index_variables());
    std::vector<N> index(s.begin(), ranges);
    PathEnd<N> found = map_->at(index, std::vector<N>(ranges, s.end()), value);
    return {std::move(found.index), std::move(index), std::move(found.in_domain)};
  }
  PathEnd<N> found =
      path_ != nullptr ? verify::walk<N>(*path_, o, s, value) : map_->at(o, s, value);
  return {o, std::move(found.index), std::move(found.in_domain)};
}

Pair<Symbol> Disjunct::pair(const std::vector<Symbol>& o, const std::vector<Symbol>& s,
                            SymbolOf value) const {
  return pair_of(o, s, value);
}

Pair<int64_t> Disjunct::pair(const std::vector<int64_t>& o, const std::vector<int64_t>& s,
                             NumberOf value) const {
  return pair_of(o, s, value);
}

PathEnd<Symbol> Disjunct::walk(const std::vector<Symbol>& o, const std::vector<Symbol>& s,
                               SymbolOf value) const {
  Pair<Symbol> found = pair(o, s, value);
  if (inverse_ && found.output.size() != o.size()) return {{}, false};
  for (size_t d = 0; inverse_ && d < o.size(); ++d) {
    found.in_domain = found.in_domain && found.output[d] == o[d];
  }
  return {std::move(found.index), std::move(found.in_domain)};
}

PathEnd<int64_t> Disjunct::walk(const std::vector<int64_t>& o, const std::vector<int64_t>& s,
                                NumberOf value) const {
  Pair<int64_t> found = pair(o, s, value);
  return {std::move(found.index), found.in_domain && found.output == o};
}

// ---- Resolving the source of a value ----

int32_t SourceResolver::computation_of(const std::vector<int32_t>& calls) const {
  return computation_at(region_.module, region_.computation, calls);
}

const HloInstruction& SourceResolver::at(const HloPosition& position) const {
  return region_.at(position);
}

std::optional<spec::IntegerRange> SourceResolver::integers_in(const HloPosition& position) const {
  const HloInstruction& array = at(position);
  const bool is_of_caller =
      region_.up_to == FollowRegion::UpTo::kParameters && array.opcode == HloOpcode::kParameter;
  return is_of_caller ? std::nullopt : spec::integer_range_of(array, position.leaf);
}

namespace {

constexpr size_t kMaxElements = 64;  // a larger constant's elements get no case of their own
constexpr int64_t kMaxFollowSteps = 100'000;

// Returns whether the index is out of bounds.
template <class N>
spec::Truth<N> is_outside(const std::vector<N>& index, const spec::Dims& dims) {
  spec::Truth<N> outside = false;
  for (size_t d = 0; d < dims.size(); ++d) {
    outside = outside || index[d] < int64_t{0} || !(index[d] < dims[d]);
  }
  return outside;
}

// Returns the value of the element, or nothing if it is unknown.
template <class N, class Holding, class Number>
std::optional<N> value_of_constant(const HloInstruction& constant, const std::vector<N>& index,
                                   const Holding& holding, const Number& number) {
  const std::optional<std::vector<int64_t>> values = elements_of_constant(constant);
  if (!values || values->empty()) return std::nullopt;
  const spec::Dims dims = leaves_of(*constant.shape)->front().dims;
  if (dims.size() != index.size()) return std::nullopt;
  if (const std::optional<std::vector<int64_t>> at = number(index)) {
    for (size_t d = 0; d < dims.size(); ++d) {
      if ((*at)[d] < 0 || (*at)[d] >= dims[d]) return std::nullopt;
    }
    return N((*values)[spec::element_number(dims, *at)]);
  }
  const auto is_first = [&](int64_t value) { return value == values->front(); };
  if (std::ranges::all_of(*values, is_first)) return N(values->front());
  if (values->size() > kMaxElements) return std::nullopt;
  std::vector<spec::Truth<N>> elements;
  for (int64_t e = 0; e < std::ssize(*values); ++e) {
    const std::vector<int64_t> element = spec::element_index(dims, e);
    spec::Truth<N> is = true;
    for (size_t d = 0; d < dims.size(); ++d) is = is && index[d] == N(element[d]);
    elements.push_back(is);
  }
  const std::optional<size_t> which = holding(elements, is_outside(index, dims));
  return which ? std::optional<N>((*values)[*which]) : std::nullopt;
}

}  // namespace

// `holding` chooses which of some cases holds (exactly one does, unless `none`). It returns nothing
// if `none` holds or the answer is unknown.
template <class N, class Holding, class Number>
ResolvedSource<N> SourceResolver::follow(const RuntimeRead<N>& read, const Holding& holding,
                                         const Number& number) const {
  using From = OperandElement<std::vector<N>>;
  const auto move = [&](const ElementAt<std::vector<N>>& at) -> std::optional<From> {
    const int32_t computation = computation_of(at.position.calls);
    const auto relation = spec::relation_of_move(region_.module, computation, at.position);
    if (!relation) return std::nullopt;
    std::vector<From> sources;
    std::vector<spec::Truth<N>> conditions;
    for (const spec::Dependence& dependence : relation->dependences) {
      auto reached = spec::reach(dependence, spec::IterationPoint<N>{at.index, {}, {}});
      sources.push_back({dependence.operand, dependence.leaf, std::move(reached.index)});
      conditions.push_back(reached.in_domain);
    }
    // An element that exists has its value from the only dependence.
    if (sources.size() == 1) return std::move(sources[0]);
    const auto leaves = leaves_of(*region_.at(at.position).shape);
    const spec::Dims& dims = (*leaves)[at.position.leaf].dims;
    const std::optional<size_t> which = holding(conditions, is_outside(at.index, dims));
    return which ? std::optional(std::move(sources[*which])) : std::nullopt;
  };
  int64_t steps = kMaxFollowSteps;
  const auto found =
      follow_source(region_, ElementAt<std::vector<N>>{read.position, read.index}, move, steps);
  if (!found) return {read.position, read.index, std::nullopt};
  ResolvedSource<N> source{found->position, found->index, std::nullopt};
  if (region_.is_outside(found->position)) return source;
  const HloInstruction& instruction = region_.at(found->position);
  if (instruction.opcode == HloOpcode::kIota) {
    source.known = element_of_iota(instruction, found->index);
  } else if (instruction.opcode == HloOpcode::kConstant) {
    source.known = value_of_constant(instruction, found->index, holding, number);
  }
  return source;
}

ResolvedSource<Symbol> SourceResolver::resolve_source(const RuntimeRead<Symbol>& read,
                                                      const QuasiAffineContext& context,
                                                      Pick pick) const {
  const auto holding = [&](const std::vector<Formula>& conditions,
                           const Formula& none) -> std::optional<size_t> {
    std::vector<Conjunction> cases;
    std::vector<size_t> of;  // index of the case
    for (size_t i = 0; i <= conditions.size(); ++i) {
      const auto own =
          cases_of(context, i < conditions.size() ? conditions[i] : none, kMaxElements);
      if (!own) return std::nullopt;
      for (const Conjunction& one : *own) {
        if (one.empty()) return i < conditions.size() ? std::optional(i) : std::nullopt;
        cases.push_back(one);
        of.push_back(i);
      }
    }
    const std::optional<size_t> which = cases.empty() ? std::nullopt : pick(cases);
    if (!which || of[*which] == conditions.size()) return std::nullopt;
    return of[*which];
  };
  const auto number = [](const std::vector<Symbol>& index) {
    std::optional<std::vector<int64_t>> numbers = std::vector<int64_t>{};
    for (const Symbol& symbol : index) {
      const bool fits = symbol.sum.is_number() && symbol.sum.constant >= INT64_MIN &&
                        symbol.sum.constant <= INT64_MAX;
      if (!fits) return std::optional<std::vector<int64_t>>();
      numbers->push_back(static_cast<int64_t>(symbol.sum.constant));
    }
    return numbers;
  };
  return follow(read, holding, number);
}

ResolvedSource<int64_t> SourceResolver::resolve_source(const RuntimeRead<int64_t>& read) const {
  const auto holding = [](const std::vector<bool>& conditions, bool) {
    const auto first = std::ranges::find(conditions, true);
    return first == conditions.end()
               ? std::nullopt
               : std::optional(static_cast<size_t>(first - conditions.begin()));
  };
  const auto number = [](const std::vector<int64_t>& index) {
    return std::optional<std::vector<int64_t>>(index);
  };
  return follow(read, holding, number);
}

}  // namespace tileproof::verify
