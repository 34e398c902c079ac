// SPDX-License-Identifier: Apache-2.0
#include "spec/access/map_facts.h"

#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/base/try.h"

namespace tileproof::spec {
namespace {

using Results = std::vector<int64_t>;

// Collects the parts of expressions.
class PartsWalk {
 public:
  explicit PartsWalk(const IndexingMap& map) : found_{map, {}} {}

  void visit(NodeId id, bool is_subtracted = false) {
    if (!seen_.emplace(id, is_subtracted).second) return;
    const Node node = found_.map.nodes[id];
    if (!node.is_computed) {
      if (is_leaf(node.op)) return;
      visit(node.left);
      visit(node.right);
      return;
    }
    if (is_subtracted) {
      const NodeId factor = node.op == Op::kConstant ? id : node.right;
      const NodeId positive = add_constant(found_.map.nodes, -found_.map.nodes[factor].value);
      if (node.op == Op::kConstant) {
        found_.parts.push_back(positive);
        return;
      }
      visit(node.left);
      if (found_.map.nodes[positive].value == 1) return;  // a - b
      found_.parts.push_back(positive);
      found_.parts.push_back(add_operation(found_.map.nodes, Op::kMul, node.left, positive));
      return;
    }
    if (!is_leaf(node.op)) {
      visit(node.left);
      visit(node.right, node.op == Op::kAdd && is_negative(node.right));
    }
    found_.parts.push_back(id);
  }

  Parts take() { return std::move(found_); }

 private:
  // -3, or b * -3: a sum with it is printed as a difference.
  bool is_negative(NodeId id) const {
    const Node& node = found_.map.nodes[id];
    const NodeId factor = node.op == Op::kMul ? node.right : id;
    const Node& number = found_.map.nodes[factor];
    return number.op == Op::kConstant && number.value < 0 && number.value != INT64_MIN;
  }

  Parts found_;
  std::set<std::pair<NodeId, bool>> seen_;
};

bool is_within(const Results& results, const std::vector<Interval>& box) {
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i] < box[i].low || results[i] > box[i].high) return false;
  }
  return true;
}

// Counts a point, or what refutes the fact.
void add_against(MapFact& fact, std::vector<Point> at, const Results& results) {
  if (fact.against++ > 0) return;
  fact.at = std::move(at);
  fact.results = results;
}

}  // namespace

absl::StatusOr<Interval> integers_of(const IntegerWidth& width) {
  const auto [bits, is_unsigned] = width;
  if (bits < 1 || bits > (is_unsigned ? 63 : 64)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected a width of 1 to ", is_unsigned ? "63 unsigned" : "64", " bits, found ", bits));
  }
  if (bits == 64) return Interval{INT64_MIN, INT64_MAX};
  if (is_unsigned) return Interval{0, static_cast<int64_t>((uint64_t{1} << bits) - 1)};
  return Interval{-(int64_t{1} << (bits - 1)), (int64_t{1} << (bits - 1)) - 1};
}

Parts parts_of(const IndexingMap& map) {
  PartsWalk walk(map);
  for (const NodeId result : map.results) walk.visit(result);
  return walk.take();
}

absl::Status expect_results(const IndexingMap& map, int64_t rank) {
  if (map.known_empty || std::ssize(map.results) == rank) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("expected a map of ", rank, " results, found ", map.results.size()));
}

absl::StatusOr<MapFact> inside(const IndexingMap& map, const std::vector<Interval>& box,
                               int64_t budget) {
  TRY(expect_results(map, std::ssize(box)));
  MapFact fact;
  TRY(for_each_point(map, budget, [&](const Point& point, const Results& results) {
    ++fact.of;
    if (!is_within(results, box)) add_against(fact, {point}, results);
    return true;
  }));
  return fact;
}

absl::StatusOr<MapFact> one_to_one(const IndexingMap& map, int64_t budget) {
  MapFact fact;
  std::map<std::pair<Results, Results>, Point> first;  // by runtime values and results
  TRY(for_each_point(map, budget, [&](const Point& point, const Results& results) {
    ++fact.of;
    const auto [earlier, is_new] = first.try_emplace({point.runtime, results}, point);
    if (!is_new) add_against(fact, {earlier->second, point}, results);
    return true;
  }));
  return fact;
}

absl::StatusOr<MapFact> onto(const IndexingMap& map, const std::vector<int64_t>& sizes,
                             int64_t budget) {
  TRY(expect_results(map, std::ssize(sizes)));
  Wide elements = 1;
  for (const int64_t size : sizes) {
    if (size < 0) return absl::InvalidArgumentError("expected sizes of at least 0");
    elements = elements * size;
    if (elements > budget) {
      return absl::ResourceExhaustedError(
          absl::StrCat("expected at most ", budget, " elements, found more"));
    }
  }
  std::set<Results> given;
  TRY(for_each_point(map, budget, [&](const Point&, const Results& results) {
    given.insert(results);
    return true;
  }));
  MapFact fact;
  fact.of = static_cast<int64_t>(elements);
  if (fact.of == 0) return fact;
  Results element(sizes.size(), 0);
  do {
    if (!given.contains(element)) add_against(fact, {}, element);
  } while (next_index(sizes, element));
  return fact;
}

absl::StatusOr<MapFact> within_width(const IndexingMap& map, const IntegerWidth& width,
                                     int64_t budget) {
  const Interval integers = TRY(integers_of(width));
  const Parts parts = parts_of(map);
  MapFact fact;
  absl::Status error;
  TRY(for_each_box_point(map, budget, [&](const Point& point) {
    const absl::StatusOr<bool> is_point = in_domain(map, point);
    if (!is_point.ok()) error = is_point.status();
    if (!is_point.ok() || !*is_point) return is_point.ok();
    ++fact.of;
    const std::vector<Exact> values =
        evaluate_expressions<Exact>(parts.map.nodes, parts.parts, ExactAtPoint{point});
    for (size_t i = 0; i < values.size(); ++i) {
      const std::optional<Wide>& value = values[i].value;
      if (value && *value >= integers.low && *value <= integers.high) continue;
      if (fact.holds()) {
        fact.part = parts.parts[i];
        fact.value = values[i];
      }
      add_against(fact, {point}, {});
      break;
    }
    return true;
  }));
  TRY(error);
  return fact;
}

}  // namespace tileproof::spec
