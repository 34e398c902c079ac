// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/map_relation.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/types/span.h"
#include "spec/base/exact_int.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::verify {
namespace {

// Marks the runtime variables that the map's results and constraints use, and those that the sources
// of used ones depend on.
std::vector<bool> used_runtime(const impl::IndexedMap& indexed) {
  std::vector<bool> used(indexed.runtime.size(), false);
  const auto take = [&](const ExprTable& nodes, const std::vector<NodeId>& roots) {
    for (const NodeId id : spec::nodes_under(nodes, roots)) {
      if (nodes[id].op == Op::kRuntime) used[nodes[id].value] = true;
    }
  };
  take(indexed.map.nodes, roots_of(indexed.map));
  for (size_t r = used.size(); r-- > 0;) {
    const impl::RuntimeSource& source = indexed.runtime[r];
    if (used[r]) take(source.map.nodes, source.map.results);
  }
  return used;
}

// A source can mention range variables that the map does not have. If the map uses such a source
// anyway (a bug of the analysis), the missing variables count as 0.
struct SymbolsOf {
  const std::vector<Symbol>& o;
  const std::vector<Symbol>& s;
  const std::vector<Symbol>& rt;

  Sum constant(int64_t value) const { return Symbol(value).sum; }
  Sum variable(Op kind, int64_t number) const {
    const std::vector<Symbol>& list = kind == Op::kDimension ? o : kind == Op::kRange ? s : rt;
    return number < std::ssize(list) ? list[number].sum : constant(0);
  }
};

struct NumbersOf {
  const spec::Point& point;

  spec::Exact constant(int64_t value) const { return spec::exact(value); }
  spec::Exact variable(Op kind, int64_t number) const {
    const std::vector<int64_t>& list = kind == Op::kDimension ? point.dims
                                       : kind == Op::kRange   ? point.ranges
                                                              : point.runtime;
    return constant(number < std::ssize(list) ? list[number] : 0);
  }
};

// Evaluates the results of a source. Its bounds repeat those of the map it belongs to, so they are
// ignored.
std::optional<std::vector<int64_t>> element_of(const IndexingMap& source,
                                               const spec::Point& point) {
  std::vector<int64_t> index;
  for (const spec::Exact& value : spec::evaluate_expressions<spec::Exact>(
           source.nodes, absl::MakeConstSpan(source.results), NumbersOf{point})) {
    const std::optional<int64_t> coordinate = to_int64(value);
    if (!coordinate) return std::nullopt;
    index.push_back(*coordinate);
  }
  return index;
}

std::vector<Symbol> values_of(const IndexingMap& map, const std::vector<NodeId>& roots,
                              const SymbolsOf& symbols) {
  std::vector<Symbol> values;
  for (Sum& sum : spec::evaluate_expressions<Sum>(map.nodes, absl::MakeConstSpan(roots), symbols)) {
    values.emplace_back(std::move(sum));
  }
  return values;
}

// The bounds of the variable are what the value is clamped to.
template <class N>
RuntimeRead<N> read_of(const impl::RuntimeSource& source, const Variable& variable,
                       std::vector<N> index) {
  RuntimeRead<N> read;
  read.position.calls = source.position.calls;
  read.position.instruction = source.position.instruction;
  read.position.leaf = source.position.leaf;
  read.index = std::move(index);
  read.low = variable.bounds.low;
  read.high = variable.bounds.high;
  return read;
}

Formula between(const Symbol& x, const Interval& interval) {
  return Formula::at_least_zero(x.sum - Symbol(interval.low).sum) &&
         Formula::at_least_zero(Symbol(interval.high).sum - x.sum);
}

}  // namespace

MapRelation::MapRelation(const impl::IndexedMap& map) : map_(&map), used_(used_runtime(map)) {}

std::vector<const impl::RuntimeSource*> MapRelation::sources() const {
  std::vector<const impl::RuntimeSource*> sources;
  for (size_t r = 0; r < used_.size(); ++r) {
    if (used_[r]) sources.push_back(&map_->runtime[r]);
  }
  return sources;
}

std::vector<Interval> MapRelation::reads() const {
  std::vector<Interval> reads;
  for (size_t r = 0; r < used_.size(); ++r) {
    if (used_[r]) reads.push_back(map_->map.runtime[r].bounds);
  }
  return reads;
}

PathEnd<Symbol> MapRelation::at(const std::vector<Symbol>& o, const std::vector<Symbol>& s,
                                SymbolOf value) const {
  const IndexingMap& map = map_->map;
  if (map.known_empty) return {{}, false};
  const auto is_empty = [](const Variable& v) { return v.bounds.low > v.bounds.high; };
  if (std::ranges::any_of(map.runtime, is_empty)) return {{}, false};
  std::vector<Symbol> rt(map.runtime.size(), Symbol(0));
  const SymbolsOf symbols{o, s, rt};
  PathEnd<Symbol> walked{{}, true};
  for (size_t r = 0; r < rt.size(); ++r) {
    if (!used_[r]) continue;
    const impl::RuntimeSource& source = map_->runtime[r];
    rt[r] =
        value(read_of(source, map.runtime[r], values_of(source.map, source.map.results, symbols)));
  }
  for (size_t d = 0; d < map.dimensions.size(); ++d) {
    walked.in_domain = walked.in_domain && between(o[d], map.dimensions[d].bounds);
  }
  const std::vector<Symbol> values = values_of(map, roots_of(map), symbols);
  for (size_t c = 0; c < map.constraints.size(); ++c) {
    walked.in_domain =
        walked.in_domain && between(values[map.results.size() + c], map.constraints[c].interval);
  }
  const auto results = static_cast<std::ptrdiff_t>(map.results.size());
  walked.index.assign(values.begin(), values.begin() + results);
  return walked;
}

PathEnd<int64_t> MapRelation::at(const std::vector<int64_t>& o, const std::vector<int64_t>& s,
                                 NumberOf value) const {
  const IndexingMap& map = map_->map;
  if (map.known_empty) return {{}, false};
  spec::Point point{o, s, {}};
  for (const Variable& variable : map.runtime) point.runtime.push_back(variable.bounds.low);
  for (size_t r = 0; r < map.runtime.size(); ++r) {
    if (!used_[r]) continue;
    const impl::RuntimeSource& source = map_->runtime[r];
    std::optional<std::vector<int64_t>> element = element_of(source.map, point);
    if (!element) return {{}, false};
    point.runtime[r] = value(read_of(source, map.runtime[r], *std::move(element)));
  }
  auto index = spec::evaluate(map, point);
  if (!index.ok() || !*index) return {{}, false};
  return {**std::move(index), true};
}

}  // namespace tileproof::verify
