// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/indexing_result.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "impl/hlo/inverse.h"
#include "impl/hlo/merge_maps.h"
#include "impl/hlo/remembered/relation_memo.h"
#include "impl/map/extraction/render_expr.h"
#include "impl/map/simplify.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::impl {
namespace {

// A runtime variable of a relation, with the map to its element.
struct Declared {
  int64_t key;  // variables with equal keys have equal values
  RuntimeSource source;
};

// Numbers the texts that identify variables. (A text that held the texts of other variables in
// full would double with each variable.)
using Keys = std::map<std::string, int64_t>;

// A map to some results of the relation, with all its variables and no constraints. It holds only
// the nodes of these results, since an answer may have many such maps.
IndexingMap map_to(const AccessRelation& relation, size_t first, int32_t count) {
  IndexingMap map;
  map.dimensions = relation.map.dimensions;
  map.ranges = relation.map.ranges;
  map.runtime = relation.map.runtime;
  for (int32_t i = 0; i < count; ++i) {
    map.results.push_back(
        copy_tree(relation.map.nodes, relation.map.results[first + i], map.nodes));
  }
  return map;
}

// Whether the map uses such a variable. It holds only the nodes that its results need.
bool uses(const IndexingMap& map, Op kind) {
  return std::ranges::any_of(map.nodes, [kind](const Node& node) { return node.op == kind; });
}

// Two variables have equal values if they read the same element of the same position and are
// clamped alike. If the element depends on range variables, their bounds must agree, too. If it
// depends on other runtime variables, these must have equal keys.
int64_t key_of(const RuntimeSource& source, const std::vector<Declared>& before, Keys& keys) {
  const IndexingMap& element = source.map;
  const auto number = [&keys](const std::string& key) {
    return keys.try_emplace(key, std::ssize(keys)).first->second;
  };
  std::string key =
      absl::StrCat(absl::StrJoin(source.position.calls, "/"), ":", source.position.instruction, ":",
                   source.position.leaf, ":", source.feasible.low, ":", source.feasible.high);
  if (element.results.empty()) return number(key);
  IndexingMap named = element;
  for (Variable& dimension : named.dimensions) dimension = {};
  if (!uses(element, Op::kRange)) named.ranges.clear();
  if (uses(element, Op::kRuntime)) {
    for (const Declared& other : before) absl::StrAppend(&key, "<", other.key, ">");
    for (Variable& variable : named.runtime) variable = {};  // the nodes still use them
  } else {
    named.runtime.clear();
  }
  return number(absl::StrCat(key, " ", to_text(named)));
}

std::vector<RuntimeSource> sources_of(const AccessRelation& relation) {
  std::vector<RuntimeSource> sources;
  size_t first = relation.rank;
  for (const RuntimeValue& value : relation.runtime) {
    sources.push_back({value.position, map_to(relation, first, value.rank), value.feasible});
    first += value.rank;
  }
  return sources;
}

std::vector<Declared> declared_by(const AccessRelation& relation, Keys& keys) {
  std::vector<Declared> declared;
  for (RuntimeSource& source : sources_of(relation)) {
    const int64_t key = key_of(source, declared, keys);
    declared.push_back({key, std::move(source)});
  }
  return declared;
}

void renumber_runtime(IndexingMap& map, const std::vector<int64_t>& positions) {
  for (Node& node : map.nodes) {
    if (node.op == Op::kRuntime) node.value = positions[node.value];
  }
}

// The position of each variable of `declared` in the common list. Appends new ones to the list.
// An element depends only on earlier variables.
std::vector<int64_t> positions_in(std::vector<Declared>& all,
                                  const std::vector<Declared>& declared) {
  std::vector<int64_t> positions;
  for (const Declared& one : declared) {
    auto found = std::ranges::find(all, one.key, &Declared::key);
    positions.push_back(found - all.begin());
    if (found != all.end()) continue;
    all.push_back(one);
    renumber_runtime(all.back().source.map, positions);
  }
  return positions;
}

std::vector<RuntimeSource> sources_of(const std::vector<Declared>& declared) {
  std::vector<RuntimeSource> sources;
  for (const Declared& one : declared) sources.push_back(one.source);
  return sources;
}

// The relation as a map with all runtime variables. All maps share the bounds of the variables, so
// tighter bounds become constraints.
IndexedMap indexed(const AccessRelation& relation, const std::vector<RuntimeSource>& own,
                   const std::vector<int64_t>& positions, std::vector<RuntimeSource> all) {
  if (all.empty()) return {relation.map, {}};  // the only results are the index
  IndexedMap out;
  out.map = map_to(relation, 0, relation.rank);
  for (const Constraint& constraint : relation.map.constraints) {
    out.map.constraints.push_back(
        {copy_tree(relation.map.nodes, constraint.expr, out.map.nodes), constraint.interval});
  }
  renumber_runtime(out.map, positions);
  out.map.runtime.clear();
  for (const RuntimeSource& one : all) out.map.runtime.push_back({one.feasible, ""});
  out.runtime = std::move(all);
  for (size_t i = 0; i < own.size(); ++i) {
    RuntimeSource& source = out.runtime[positions[i]];
    source = own[i];
    renumber_runtime(source.map, positions);
    const Interval known = relation.map.runtime[i].bounds;
    Interval& bounds = out.map.runtime[positions[i]].bounds;
    bounds = {std::max(bounds.low, known.low), std::min(bounds.high, known.high)};
  }
  keep_clamps(out);
  for (RuntimeSource& source : out.runtime) {
    if (uses(source.map, Op::kRuntime)) {
      source.map.runtime = out.map.runtime;
    } else {
      source.map.runtime.clear();
    }
    if (!uses(source.map, Op::kRange)) source.map.ranges.clear();
  }
  return out;
}

// The element as a function of any output index: its dimensions become range variables.
RuntimeSource of_any_output(RuntimeSource source, const Dims& sizes) {
  const auto added = std::ssize(source.map.dimensions);
  for (Node& node : source.map.nodes) {
    if (node.op == Op::kRange) node.value += added;
    if (node.op == Op::kDimension) node.op = Op::kRange;
  }
  source.map.ranges.insert(source.map.ranges.begin(), source.map.dimensions.begin(),
                           source.map.dimensions.end());
  source.map.dimensions.clear();
  for (const int64_t size : sizes) source.map.dimensions.push_back({{0, size - 1}, ""});
  return source;
}

// Whether each element depends only on variables that come before it in the common list.
bool is_in_order(const AccessRelation& relation, const std::vector<int64_t>& positions) {
  const std::vector<RuntimeSource> sources = sources_of(relation);
  for (size_t i = 0; i < sources.size(); ++i) {
    for (const Node& node : sources[i].map.nodes) {
      if (node.op == Op::kRuntime && positions[node.value] >= positions[i]) return false;
    }
  }
  return true;
}

// The positions of the dependences in the order of operands and leaves.
std::vector<size_t> by_leaf(const std::vector<Dependence>& dependences) {
  std::vector<size_t> order(dependences.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(
      order, {}, [&](size_t i) { return std::pair(dependences[i].operand, dependences[i].leaf); });
  return order;
}

// The relation as a map with the runtime variables that it uses, in the order of the common list.
IndexedMap indexed_alone(const AccessRelation& relation, const std::vector<RuntimeSource>& own,
                         const std::vector<int64_t>& positions) {
  if (own.empty()) return {relation.map, {}};
  std::vector<int64_t> order = positions;
  std::ranges::sort(order);
  order.erase(std::unique(order.begin(), order.end()), order.end());
  std::vector<int64_t> numbers;
  std::vector<RuntimeSource> sources(order.size());
  for (size_t i = 0; i < own.size(); ++i) {
    numbers.push_back(std::ranges::lower_bound(order, positions[i]) - order.begin());
    sources[numbers.back()].feasible = own[i].feasible;
  }
  return without_unused_runtime(indexed(relation, own, numbers, std::move(sources)));
}

void add(LeafMaps& list, IndexedMap map, const AccessRelation& relation) {
  list.maps.push_back(std::move(map));
  if (!relation.inexact || list.inexact) return;
  list.inexact = true;
  list.reason = relation.reason;
}

}  // namespace

LeavesRead answer_of(const Dependences& dependences, RuntimeVariables declared) {
  std::vector<Declared> all;
  Keys keys;
  // One operation declares all its variables, even if one scalar is several of its offsets.
  if (dependences.declared) all = declared_by(*dependences.declared, keys);
  std::vector<std::vector<Declared>> own;
  std::vector<std::vector<int64_t>> positions;
  for (const Dependence& dependence : dependences.dependences) {
    own.push_back(declared_by(*dependence.relation, keys));
    positions.push_back(positions_in(all, own.back()));
  }
  LeavesRead answer;
  const std::vector<RuntimeSource> sources = sources_of(all);
  for (const size_t i : by_leaf(dependences.dependences)) {
    const auto& [operand, leaf, relation] = dependences.dependences[i];
    if (answer.empty() || answer.back().operand != operand || answer.back().leaf != leaf) {
      answer.push_back({operand, leaf, {}});
    }
    IndexedMap map = declared == RuntimeVariables::kAll
                         ? indexed(*relation, sources_of(own[i]), positions[i], sources)
                         : indexed_alone(*relation, sources_of(own[i]), positions[i]);
    add(answer.back().list, std::move(map), *relation);
  }
  return answer;
}

LeavesReached inverse_answer_of(const Readers::Input& input, const AccessRelationPtr& declared,
                                RuntimeVariables variables) {
  const Dims& sizes = *input.sizes;
  std::vector<Declared> all;
  Keys keys;
  struct Turned {
    int32_t leaf;
    AccessRelationPtr relation;
    std::vector<int64_t> positions;
  };
  std::vector<Turned> turned;
  if (declared) all = declared_by(*declared, keys);
  for (const auto& [leaf, output, from] : input.readers) {
    const auto make = [&from = from, &output = output, &sizes] {
      return inverse(*from, *output, sizes);
    };
    AccessRelationPtr relation = remembered_one(MadeOf::kInverse, from, *output, sizes, make);
    if (!relation) continue;
    std::vector<int64_t> positions = positions_in(all, declared_by(*from, keys));
    const bool in_order = is_in_order(*relation, positions);
    if (!in_order) relation = unsolved_inverse(*from, *output, sizes);
    if (relation) turned.push_back({leaf, std::move(relation), std::move(positions)});
  }
  std::vector<RuntimeSource> sources;
  for (Declared& one : all) sources.push_back(of_any_output(std::move(one.source), sizes));
  LeavesReached answer;
  for (const auto& [leaf, relation, positions] : turned) {
    if (answer.empty() || answer.back().leaf != leaf) answer.push_back({leaf, {}});
    const std::vector<RuntimeSource> own = sources_of(*relation);
    IndexedMap map = variables == RuntimeVariables::kAll
                         ? indexed(*relation, own, positions, sources)
                         : indexed_alone(*relation, own, positions);
    add(answer.back().list, std::move(map), *relation);
  }
  return answer;
}

absl::StatusOr<LeavesRead> leaves_read(IndexingAnalysis& analysis, int32_t computation,
                                       int32_t instruction, int32_t leaf, Scope scope) {
  return answer_of(TRY(analysis.dependences(scope, computation, instruction, leaf)),
                   RuntimeVariables::kUsed);
}

absl::StatusOr<std::vector<LeavesReached>> leaves_reached(IndexingAnalysis& analysis,
                                                          int32_t computation,
                                                          int32_t instruction) {
  const Readers found = TRY(analysis.readers(Scope::kInstruction, computation, instruction));
  std::vector<LeavesReached> answer;
  for (const Readers::Input& input : found.inputs) {
    answer.push_back(inverse_answer_of(input, found.declared, RuntimeVariables::kUsed));
  }
  return answer;
}

}  // namespace tileproof::impl
