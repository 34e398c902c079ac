// SPDX-License-Identifier: Apache-2.0
// The steps that shrink a request about maps: simpler questions about simpler maps.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "conform/suites/map_suites.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::conform {
namespace {

constexpr int64_t kMostNodes = 2000;  // larger maps are not shrunk node by node

using VisitMap = absl::FunctionRef<void(IndexingMap)>;

constexpr int64_t kMachineLimits[] = {int64_t{1} << 31, int64_t{1} << 32};

// Numbers to try in place of n, the simplest first.
std::vector<int64_t> toward_zero(int64_t n) {
  std::vector<int64_t> result;
  const auto add = [&](int64_t candidate) {
    const bool closer = n > 0 ? candidate < n : n < candidate && candidate <= 0;
    if (closer) result.push_back(candidate);
  };
  for (int64_t candidate : {int64_t{0}, int64_t{1}, int64_t{2}, n / 2}) add(candidate);
  for (int64_t limit : kMachineLimits) add(n > 0 ? limit : -limit);
  for (int64_t step = n / 4; step != 0 && step != 1 && step != -1; step /= 2) add(n - step);
  add(n > 0 ? n - 1 : n + 1);
  return result;
}

void smaller_interval(const Interval& now, absl::FunctionRef<void(Interval)> visit) {
  for (int64_t low : toward_zero(now.low)) visit({low, now.high});
  for (int64_t high : toward_zero(now.high)) visit({now.low, high});
}

void shrink_variables(const IndexingMap& map, VisitMap visit) {
  for (Op kind : kVariableKinds) {
    for (size_t i = 0; i < variables_of(map, kind).size(); ++i) {
      IndexingMap less = map;
      Variable& variable = variables_of(less, kind)[i];
      variable.name.clear();
      if (!variables_of(map, kind)[i].name.empty()) visit(less);
      smaller_interval(variables_of(map, kind)[i].bounds, [&](Interval bounds) {
        variables_of(less, kind)[i].bounds = bounds;
        visit(less);
      });
    }
  }
}

void shrink_constraints(const IndexingMap& map, VisitMap visit) {
  for (size_t i = 0; i < map.constraints.size(); ++i) {
    IndexingMap less = map;
    less.constraints.erase(less.constraints.begin() + static_cast<int64_t>(i));
    visit(std::move(less));
    smaller_interval(map.constraints[i].interval, [&](Interval interval) {
      IndexingMap changed = map;
      changed.constraints[i].interval = interval;
      visit(std::move(changed));
    });
  }
}

// Replaces a node by one of its operands, or by a smaller number, wherever it is used.
void shrink_nodes(const IndexingMap& map, VisitMap visit) {
  if (std::ssize(map.nodes) > kMostNodes) return;
  for (size_t i = map.nodes.size(); i-- > 0;) {
    const Node& node = map.nodes[i];
    IndexingMap less = map;
    if (node.op == Op::kConstant) {
      for (int64_t value : toward_zero(node.value)) {
        less.nodes[i].value = value;
        visit(less);
      }
    } else if (is_leaf(node.op)) {
      less.nodes[i] = {Op::kConstant, -1, -1, 0};
      visit(std::move(less));
    } else {
      for (NodeId operand : {node.left, node.right}) {
        less.nodes[i] = map.nodes[operand];
        visit(less);
      }
    }
  }
}

// Replaces all equal expressions at once, by one of their operands or by a variable.
void shrink_repetitions(const IndexingMap& map, VisitMap visit) {
  if (std::ssize(map.nodes) > kMostNodes) return;
  TreeNumbers numbers;
  const std::vector<NodeId> number = numbers.of(map.nodes, static_cast<NodeId>(map.nodes.size()));
  std::vector<std::vector<size_t>> same(map.nodes.size());
  for (size_t i = 0; i < map.nodes.size(); ++i) {
    if (!is_leaf(map.nodes[i].op)) same[static_cast<size_t>(number[i])].push_back(i);
  }
  for (const std::vector<size_t>& positions : same) {
    if (positions.size() < 2) continue;
    const Node first = map.nodes[positions[0]];
    for (const Node& instead : {Node(map.nodes[first.left]), Node(map.nodes[first.right]),
                                Node{Op::kDimension, -1, -1, 0}}) {
      if (instead.op == Op::kDimension && map.dimensions.empty()) continue;
      IndexingMap less = map;
      for (size_t position : positions) less.nodes[position] = instead;
      visit(std::move(less));
    }
  }
}

void shrink_maps(const IndexingMap& map, VisitMap visit) {
  shrink_constraints(map, visit);
  shrink_variables(map, visit);
  shrink_nodes(map, visit);
  shrink_repetitions(map, visit);
}

bool uses(const IndexingMap& map, Op kind, int64_t number) {
  const IndexingMap plain = *parse_map(to_text(map));  // drops unused nodes
  return std::any_of(plain.nodes.begin(), plain.nodes.end(),
                     [&](const Node& node) { return node.op == kind && node.value == number; });
}

IndexingMap without_variable(IndexingMap map, Op kind, int64_t number) {
  map = *parse_map(to_text(map));
  variables_of(map, kind).erase(variables_of(map, kind).begin() + number);
  for (Node& node : map.nodes) {
    if (node.op == kind && node.value > number) --node.value;
  }
  return map;
}

// Returns whether the text of a map with valid bounds is surely a valid map: no variable has a name
// of its own, every divisor is a constant, and every product has a constant factor.
bool is_plain(const IndexingMap& map) {
  for (Op kind : kVariableKinds) {
    for (const Variable& variable : variables_of(map, kind)) {
      if (!variable.name.empty()) return false;
    }
  }
  const auto constant = [&](NodeId id) { return map.nodes[id].op == Op::kConstant; };
  return std::all_of(map.nodes.begin(), map.nodes.end(), [&](const Node& node) {
    if (is_leaf(node.op) || node.op == Op::kAdd) return true;
    if (node.op == Op::kMul) return constant(node.left) || constant(node.right);
    return constant(node.right) && map.nodes[node.right].value != 0;
  });
}

struct MapQuestion {
  Json request;
  std::vector<std::pair<std::string, IndexingMap>> maps;  // by key
};

// Makes the simpler requests. Skips maps that are invalid.
class MapSteps {
 public:
  explicit MapSteps(MapQuestion question) : question_(std::move(question)) {}

  std::vector<Json> all() {
    drop_results();
    drop_variables();
    smaller_values();
    for (size_t m = 0; m < question_.maps.size(); ++m) {
      shrink_maps(question_.maps[m].second, [&](IndexingMap map) {
        MapQuestion changed = question_;
        changed.maps[m].second = std::move(map);
        add(changed);
      });
    }
    return std::move(steps_);
  }

 private:
  void add(const MapQuestion& question) {
    Json request = question.request;
    for (const auto& [key, map] : question.maps) {
      std::string text = to_text(map);
      if (!is_plain(map) && !parse_map(text).ok()) return;
      set(request, key, std::move(text));
    }
    steps_.push_back(std::move(request));
  }

  bool composes() const { return question_.maps.front().first == "first"; }

  // Two maps that are compared both lose the same result. Of two maps that are composed, the second
  // loses a result, or the first loses a result and the second the matching dimension.
  void drop_results() {
    const IndexingMap& last = question_.maps.back().second;
    if (!composes()) keep_half_of_the_results();
    for (size_t i = 0; i < last.results.size(); ++i) {
      MapQuestion less = question_;
      const size_t from = composes() ? 1 : 0;
      bool possible = true;
      for (size_t m = from; m < less.maps.size(); ++m) {
        std::vector<NodeId>& results = less.maps[m].second.results;
        possible &= i < results.size();
        if (possible) results.erase(results.begin() + static_cast<int64_t>(i));
      }
      if (possible) add(less);
    }
    if (!composes()) return;
    const IndexingMap &first = question_.maps[0].second, &second = question_.maps[1].second;
    for (size_t i = 0; i < std::min(first.results.size(), second.dimensions.size()); ++i) {
      const auto number = static_cast<int64_t>(i);
      if (uses(second, Op::kDimension, number)) continue;
      MapQuestion less = question_;
      std::vector<NodeId>& results = less.maps[0].second.results;
      results.erase(results.begin() + number);
      less.maps[1].second = without_variable(second, Op::kDimension, number);
      add(less);
    }
  }

  void keep_half_of_the_results() {
    const size_t count = question_.maps[0].second.results.size();
    for (const bool first : {true, false}) {
      MapQuestion less = question_;
      bool possible = count >= 4;
      for (auto& [key, map] : less.maps) {
        possible &= map.results.size() == count;
        if (!possible) return;
        const auto middle = map.results.begin() + static_cast<int64_t>(count / 2);
        map.results = first ? std::vector<NodeId>(map.results.begin(), middle)
                            : std::vector<NodeId>(middle, map.results.end());
      }
      add(less);
    }
  }

  void drop_variables() {
    for (Op kind : kVariableKinds) {
      for (size_t m = 0; m < question_.maps.size(); ++m) {
        if (composes() ? m == 1 && kind == Op::kDimension : m == 1) continue;
        const auto count = std::ssize(variables_of(question_.maps[m].second, kind));
        for (int64_t number = 0; number < count; ++number) drop_variable(kind, m, number);
      }
    }
  }

  void drop_variable(Op kind, size_t of, int64_t number) {
    MapQuestion less = question_;
    for (size_t m = 0; m < less.maps.size(); ++m) {
      if (composes() && m != of) continue;
      IndexingMap& map = less.maps[m].second;
      if (number >= std::ssize(variables_of(map, kind)) || uses(map, kind, number)) return;
      map = without_variable(map, kind, number);
    }
    const char* key = kind == Op::kDimension ? "dims" : kind == Op::kRange ? "ranges" : "runtime";
    const Json* values = find(question_.request, key);
    if (const auto* array = values == nullptr ? nullptr : values->as<Json::Array>()) {
      if (number >= std::ssize(*array)) return;
      Json::Array fewer = *array;
      fewer.erase(fewer.begin() + number);
      set(less.request, key, std::move(fewer));
    }
    add(less);
  }

  void smaller_values() {
    for (const char* key : {"dims", "ranges", "runtime"}) {
      const Json* values = find(question_.request, key);
      const auto* array = values == nullptr ? nullptr : values->as<Json::Array>();
      for (size_t i = 0; array != nullptr && i < array->size(); ++i) {
        const int64_t* value = (*array)[i].as<int64_t>();
        if (value == nullptr) continue;
        for (int64_t shrink : toward_zero(*value)) {
          MapQuestion less = question_;
          Json::Array changed = *array;
          changed[i] = shrink;
          set(less.request, key, std::move(changed));
          add(less);
        }
      }
    }
  }

  MapQuestion question_;
  std::vector<Json> steps_;
};

}  // namespace

std::vector<Json> shrink_map_requests(const Json& request) {
  MapQuestion question{request, {}};
  for (const char* key : {"map", "first", "second", "left", "right"}) {
    const Json* given = find(request, key);
    const auto* text = given == nullptr ? nullptr : given->as<std::string>();
    if (text == nullptr) continue;
    absl::StatusOr<IndexingMap> map = parse_map(*text);
    if (!map.ok()) return {};
    question.maps.emplace_back(key, *std::move(map));
  }
  if (question.maps.empty()) return {};
  return MapSteps(std::move(question)).all();
}

}  // namespace tileproof::conform
