// SPDX-License-Identifier: Apache-2.0
#include "impl/access/image.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "impl/access/components.h"
#include "impl/access/image_bits.h"
#include "impl/access/not_counted.h"
#include "impl/map/compose.h"
#include "impl/map/evaluate_nodes.h"
#include "impl/map/normal_form/linear.h"
#include "impl/map/simplify.h"
#include "impl/map/value_set.h"
#include "impl/map/variables.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {
namespace {

Image empty_image() { return {{}, true}; }

// The map simplified, with dimensions as its only variables, and without those that do not matter.
absl::StatusOr<IndexingMap> prepared(const IndexingMap& map) {
  IndexingMap simple = TRY(simplify(map));
  const auto removed = TRY(remove_unused_variables(simple, {.dimensions = true, .ranges = true}));
  return ranges_to_dimensions(removed.map);
}

// ---- Enumeration ----

// Row-major numbers of the results of a component at all points of its domain.
absl::StatusOr<NumberSet> enumerated(const IndexingMap& map, absl::Span<const int64_t> sizes,
                                     int64_t max_points) {
  if (!is_affordable(points_in_box(map), map.nodes, max_points)) {
    return not_counted("variables that are tied together have many values");
  }
  std::vector<int64_t> found;
  const bool fits = for_each_point(map, [&](const std::vector<int64_t>& values, bool inside) {
    if (!inside) return true;
    int64_t number = 0;
    for (size_t i = 0; i < map.results.size(); ++i) {
      number = number * sizes[i] + values[map.results[i]];
    }
    if (found.empty() || found.back() != number) found.push_back(number);
    return !map.results.empty();  // else one point is enough
  });
  if (!fits) return not_counted("a value leaves 64 bits");
  std::optional<NumberSet> set = NumberSet::of(std::move(found));
  if (!set) return not_counted("the elements lie in too many pieces");
  return *std::move(set);
}

// ---- Digits ----

// The positions where quotients and remainders cut a variable: all divisors, if each divides the
// next and all divide the variable's range.
std::vector<int64_t> cuts_of(const IndexingMap& map, int64_t variable) {
  std::set<int64_t> divisors;
  for (const Node& node : map.nodes) {
    if (node.op != Op::kFloorDiv && node.op != Op::kMod) continue;
    const Node& of = map.nodes[node.left];
    const Node& by = map.nodes[node.right];
    if (of.op == Op::kDimension && of.value == variable && by.op == Op::kConstant) {
      divisors.insert(by.value);
    }
  }
  const Interval& bounds = map.dimensions[variable].bounds;
  const Wide count = Wide{bounds.high} - bounds.low + 1;
  int64_t before = 1;
  for (int64_t divisor : divisors) {
    if (divisor < 2 || divisor % before != 0) return {};
    before = divisor;
  }
  if (count % before != 0 || bounds.low % before != 0) return {};
  std::vector<int64_t> cuts(divisors.begin(), divisors.end());
  return cuts;
}

// The map with digits in place of the variables that are cut, or nothing if none is.
absl::StatusOr<std::optional<IndexingMap>> in_digits(const IndexingMap& map) {
  IndexingMap digits;  // digits to variables
  bool any = false;
  const auto digit = [&digits](Interval bounds) {
    digits.dimensions.push_back({bounds, ""});
    return add_variable(digits.nodes, Op::kDimension, std::ssize(digits.dimensions) - 1);
  };
  for (int64_t v = 0; v < std::ssize(map.dimensions); ++v) {
    const Interval& bounds = map.dimensions[v].bounds;
    const std::vector<int64_t> cuts = cuts_of(map, v);
    if (cuts.empty()) {
      digits.results.push_back(digit(bounds));
      continue;
    }
    any = true;
    NodeId value = digit({0, cuts[0] - 1});
    const auto add = [&](Interval of, int64_t weight) {
      const NodeId part =
          add_operation(digits.nodes, Op::kMul, digit(of), add_constant(digits.nodes, weight));
      value = add_operation(digits.nodes, Op::kAdd, part, value);
    };
    for (size_t i = 1; i < cuts.size(); ++i) add({0, cuts[i] / cuts[i - 1] - 1}, cuts[i - 1]);
    add({bounds.low / cuts.back(), (bounds.high + 1) / cuts.back() - 1}, cuts.back());
    digits.results.push_back(value);
  }
  if (!any) return std::optional<IndexingMap>();
  const IndexingMap composed = TRY(compose(digits, map));
  IndexingMap simple = TRY(prepared(composed));
  return std::optional<IndexingMap>(std::move(simple));
}

// ---- Blocks ----

// Replaces several results by one, their row-major number. A single result stays as it is.
absl::StatusOr<IndexingMap> linearized(const IndexingMap& map, absl::Span<const int64_t> sizes) {
  IndexingMap line = map;
  NodeId number = map.results[0];
  for (size_t i = 1; i < map.results.size(); ++i) {
    number = add_operation(line.nodes, Op::kMul, number, add_constant(line.nodes, sizes[i]));
    number = add_operation(line.nodes, Op::kAdd, number, map.results[i]);
  }
  line.results = {number};
  if (line.results == map.results) return line;
  return prepared(line);
}

absl::Status add_component(const Component& component, absl::Span<const int64_t> sizes,
                           int64_t max_points, Image& image);

absl::Status add_components(const IndexingMap& map, const std::vector<int32_t>& results,
                            absl::Span<const int64_t> sizes, int64_t max_points, Image& image) {
  if (map.known_empty) image = empty_image();
  if (image.empty) return absl::OkStatus();
  const auto is_constant = [&map](const Constraint& constraint) {
    return variables_under(map, constraint.expr).empty();
  };
  // After simplification, a constraint on constants is one that could not be computed.
  if (std::ranges::any_of(map.constraints, is_constant)) {
    return not_counted("a value leaves 64 bits");
  }
  for (Component& component : components_of(map)) {
    for (int32_t& result : component.results) result = results[result];
    TRY(add_component(component, sizes, max_points, image));
    if (image.empty) return absl::OkStatus();
  }
  return absl::OkStatus();
}

std::optional<NumberSet> in_closed_form(const Component& component,
                                        absl::Span<const int64_t> sizes) {
  if (component.results.empty()) return std::nullopt;
  const absl::StatusOr<IndexingMap> line = linearized(component.map, sizes);
  return line.ok() ? values_of(*line) : std::nullopt;
}

// Terminates: each cut replaces a variable by several, each with at least two values, whose numbers
// of values multiply to the original. So there are fewer cuts than bits in the number of values.
absl::Status add_component(const Component& component, absl::Span<const int64_t> sizes,
                           int64_t max_points, Image& image) {
  std::vector<int64_t> own_sizes;
  for (int32_t result : component.results) own_sizes.push_back(sizes[result]);
  const auto cut = [&]() -> absl::StatusOr<bool> {
    const auto digits = in_digits(component.map);
    if (!digits.ok() || !*digits) return false;
    TRY(add_components(**digits, component.results, sizes, max_points, image));
    return true;
  };
  if (component.results.size() > 1) {
    const absl::StatusOr<bool> done = cut();
    if (!done.ok() || *done) return done.status();
    if (!element_count(own_sizes)) return not_counted("a block of more than 2^63 - 1 elements");
  }
  absl::StatusOr<NumberSet> numbers = NumberSet();
  if (std::optional<NumberSet> closed = in_closed_form(component, own_sizes)) {
    numbers = *std::move(closed);
  } else {
    if (component.results.size() == 1) {
      const absl::StatusOr<bool> done = cut();
      if (!done.ok() || *done) return done.status();
    }
    numbers = enumerated(component.map, own_sizes, max_points);
  }
  if (!numbers.ok()) return numbers.status();
  if (numbers->empty()) {
    image = empty_image();
  } else if (!component.results.empty()) {
    image.blocks.push_back({component.results, *std::move(numbers)});
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Image> image_of(const IndexingMap& map, absl::Span<const int64_t> sizes,
                               int64_t max_points) {
  if (map.known_empty) return empty_image();
  IndexingMap simple = TRY(prepared(map));
  if (!simple.runtime.empty()) {
    return absl::InvalidArgumentError("expected a map without runtime variables");
  }
  std::vector<int32_t> results(map.results.size());
  std::iota(results.begin(), results.end(), 0);
  Image image;
  const absl::Status status = add_components(simple, results, sizes, max_points, image);
  if (status.ok()) return image;
  std::optional<Image> by_bits = image_of_bits(map, sizes);
  return by_bits ? absl::StatusOr<Image>(*std::move(by_bits)) : status;
}

absl::StatusOr<NumberSet> union_along(absl::Span<const IndexingMap> maps, int32_t result,
                                      int64_t size) {
  std::vector<NumberSet> sets;
  for (const IndexingMap& map : maps) {
    IndexingMap one = map;
    if (!map.known_empty) one.results = {map.results[result]};
    Image image = TRY(image_of(one, {size}));
    if (!image.empty) sets.push_back(std::move(image.blocks[0].numbers));
  }
  std::optional<NumberSet> all = united(sets);
  if (!all) return not_counted("the elements lie in too many pieces");
  return *std::move(all);
}

}  // namespace tileproof::impl
