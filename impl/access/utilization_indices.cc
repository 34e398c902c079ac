// SPDX-License-Identifier: Apache-2.0
// Windows at indices: gather and similar operations.
#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "impl/access/not_counted.h"
#include "impl/access/utilization_count.h"
#include "impl/hlo/offsets/runtime_terms.h"
#include "impl/map/normal_form/linear.h"
#include "impl/map/simplify.h"
#include "impl/map/variables.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {
namespace {

using Sizes = std::vector<int64_t>;

// The numbers of its variables (impl/map/variables.h).
std::set<int64_t> variables_in(const IndexingMap& map, NodeId root) {
  const std::vector<int32_t> found = variables_under(map, root);
  return {found.begin(), found.end()};
}

// The variables, and all variables that constraints connect to them.
std::set<int64_t> tied_to(const IndexingMap& map, std::set<int64_t> variables) {
  for (bool grown = true; grown;) {
    grown = false;
    for (const Constraint& constraint : map.constraints) {
      const std::set<int64_t> in = variables_in(map, constraint.expr);
      const auto is_known = [&variables](int64_t v) { return variables.contains(v); };
      if (std::ranges::none_of(in, is_known) || std::ranges::all_of(in, is_known)) continue;
      variables.insert(in.begin(), in.end());
      grown = true;
    }
  }
  return variables;
}

bool intersect(const std::set<int64_t>& a, const std::set<int64_t>& b) {
  return std::ranges::any_of(a, [&b](int64_t v) { return b.contains(v); });
}

// A map in which some results are windows at indices.
struct Windows {
  const IndexedMap& one;
  std::vector<int64_t> indices;  // the runtime variables that move windows
  std::vector<int32_t> moved;    // the results that contain one of them
  std::set<int64_t> lists;       // the variables that select an element of the indices
  std::set<int64_t> other;       // the variables of the other results
};

absl::StatusOr<Windows> windows_of(const IndexedMap& one) {
  const absl::Status otherwise = not_counted("it depends on the values of indices");
  const IndexingMap& map = one.map;
  for (const Constraint& constraint : map.constraints) {
    if (uses(map, constraint.expr, Op::kRuntime)) return otherwise;
  }
  Windows windows{one, {}, {}, {}, {}};
  std::set<int64_t> seen, inside;
  for (int32_t i = 0; i < std::ssize(map.results); ++i) {
    const auto terms = runtime_terms(map, map.results[i]);
    if (!terms || terms->size() > 1) return otherwise;
    const std::set<int64_t> variables = variables_in(map, map.results[i]);
    if (terms->empty()) {
      windows.other.insert(variables.begin(), variables.end());
      continue;
    }
    const auto [variable, factor] = *terms->begin();
    if (factor != 1 || !seen.insert(variable).second) return otherwise;
    windows.moved.push_back(i);
    inside.insert(variables.begin(), variables.end());
    const RuntimeSource& source = one.runtime[variable];
    if (is_uniform(source)) continue;
    windows.indices.push_back(variable);
    for (NodeId result : source.map.results) {
      if (uses(source.map, result, Op::kRuntime)) return otherwise;
      windows.lists.merge(variables_in(source.map, result));
    }
  }
  // All windows must have the same shape.
  windows.lists = tied_to(map, windows.lists);
  if (intersect(windows.lists, inside)) return otherwise;
  return windows;
}

// Returns whether the variables are components of one index vector, or there is only one: then at
// each position of the list they are different elements.
bool is_one_list(const Windows& windows) {
  for (int64_t a : windows.indices) {
    for (int64_t b : windows.indices) {
      if (a >= b) continue;
      const RuntimeSource& x = windows.one.runtime[a];
      const RuntimeSource& y = windows.one.runtime[b];
      if (x.position != y.position || x.map.results.size() != y.map.results.size()) return false;
      bool differ = false;
      for (size_t i = 0; i < x.map.results.size(); ++i) {
        const Node& p = x.map.nodes[x.map.results[i]];
        const Node& q = y.map.nodes[y.map.results[i]];
        if (p.op == Op::kConstant && q.op == Op::kConstant) {
          differ |= p.value != q.value;
        } else if (!same_expression(x.map.nodes, x.map.results[i], y.map.nodes, y.map.results[i])) {
          return false;
        }
      }
      if (!differ) return false;
    }
  }
  return true;
}

// The number of elements of the list of indices: of distinct values of the first variable's index
// over the domain.
absl::StatusOr<int64_t> list_length(const Windows& windows, const IndexingMap& fixed) {
  const RuntimeSource& source = windows.one.runtime[windows.indices[0]];
  IndexingMap map = fixed;
  const auto shift = static_cast<NodeId>(map.nodes.size());
  for (Node node : source.map.nodes) {
    if (!is_leaf(node.op)) {
      node.left += shift;
      node.right += shift;
    }
    if (node.op == Op::kRuntime) node = {};
    map.nodes.push_back(node);
  }
  map.results.clear();
  Sizes sizes;
  for (NodeId result : source.map.results) {
    map.results.push_back(result + shift);
    const absl::StatusOr<Interval> range = range_of(map, map.results.back());
    if (!range.ok() || range->low < 0) return not_counted("the indices are not counted");
    sizes.push_back(range->high + 1);
  }
  return count_union({map}, sizes);
}

// The largest number of elements in the union of `count` windows of `window` elements each. The
// windows are boxes that may lie anywhere. This is known only if they fit side by side, or are
// enough to cover everything.
//
//     of 9 rows, 2 windows of 4: 8        3 windows of 4: 9
absl::StatusOr<Wide> most_of(const Windows& windows, const IndexingMap& fixed, const Sizes& sizes,
                             int64_t count, int64_t window) {
  IndexingMap others = fixed;  // the results without indices
  Sizes sizes_of_others = sizes;
  Wide side_by_side = 1, to_cover = 1, box = 1, reached = 1;
  const auto times = [](Wide a, Wide b) { return std::min(a * b, Wide{INT64_MAX}); };
  for (auto d = std::ssize(windows.moved) - 1; d >= 0; --d) {
    const int32_t result = windows.moved[d];
    const NumberSet along = TRY(union_along({fixed}, result, sizes[result]));
    if (along.progression() != 1) return not_counted("windows at indices may overlap");
    const auto terms = runtime_terms(windows.one.map, windows.one.map.results[result]);
    const Interval& feasible = windows.one.runtime[terms->begin()->first].feasible;
    const Wide wide = along.size(), all = Wide{feasible.high} - feasible.low + wide;
    side_by_side = times(side_by_side, all / wide);
    to_cover = times(to_cover, (all + wide - 1) / wide);
    box = times(box, wide);
    reached = times(reached, all);
    others.results.erase(others.results.begin() + result);
    sizes_of_others.erase(sizes_of_others.begin() + result);
  }
  if (count <= side_by_side) return Wide{count} * window;
  const int64_t rest = TRY(count_union({others}, sizes_of_others));
  if (count < to_cover || box * rest != window) {
    return not_counted("windows at indices may overlap");
  }
  return reached * rest;
}

absl::StatusOr<Count> count_windows(const IndexedMap& one, const Sizes& sizes) {
  const Windows windows = TRY(windows_of(one));
  std::vector<int64_t> lowest;
  for (const RuntimeSource& source : one.runtime) lowest.push_back(source.feasible.low);
  const IndexingMap fixed = with_runtime(one.map, lowest);
  // With all windows at one position, every count is at its minimum: for all values, each position
  // of the other results has a whole window.
  const int64_t least = TRY(count_union({fixed}, sizes));
  if (least == 0) return Count{};
  if (windows.indices.empty()) return Count{least, least};  // one window, at any position
  const int64_t length = TRY(list_length(windows, fixed));
  const bool one_list = is_one_list(windows);
  if (length == 1 && one_list) return Count{least, least};
  if (windows.indices.size() != windows.moved.size() || !one_list ||
      intersect(windows.lists, windows.other)) {
    return not_counted("several indices may move what is read to one place");
  }
  const Wide most = TRY(most_of(windows, fixed, sizes, length, least));
  if (most > INT64_MAX) return not_counted("more than 63 bits");
  return Count{least, static_cast<int64_t>(most)};
}

// The elements that are read lie in slices of the array. Each slice has its own windows, and all
// have equally many.
struct Slices {
  IndexedMap one;  // the reads in the first slice; all reads if there are no slices
  Wide count = 1;
};

void fix(IndexingMap& map, Node variable, int64_t value) {
  for (Node& node : map.nodes) {
    if (node == variable) node = {.op = Op::kConstant, .value = value};
  }
}

// The results of the map that are the variable. Nothing if another result depends on it.
std::optional<std::vector<bool>> plainly(const IndexingMap& map, const Node& variable,
                                         int64_t number) {
  std::vector<bool> is_variable;
  for (NodeId result : map.results) {
    is_variable.push_back(map.nodes[result] == variable);
    if (!is_variable.back() && variables_in(map, result).contains(number)) return std::nullopt;
  }
  return is_variable;
}

// Returns whether the result is a variable that selects a slice: nothing else depends on it, except
// which elements the indices are. It must select the elements of all indices in the same way, so
// that other values of it always select other elements.
bool is_slice(const IndexedMap& one, size_t result) {
  const IndexingMap& map = one.map;
  const Node& variable = map.nodes[map.results[result]];
  if (variable.op != Op::kDimension && variable.op != Op::kRange) return false;
  const int64_t number =
      variable.value + (variable.op == Op::kRange ? std::ssize(map.dimensions) : 0);
  const auto own = plainly(map, variable, number);
  if (!own || std::ranges::count(*own, true) != 1) return false;
  for (const Constraint& constraint : map.constraints) {
    if (variables_in(map, constraint.expr).contains(number)) return false;
  }
  const std::vector<bool> used = runtime_used(map);
  std::optional<std::vector<bool>> of_indices;
  for (size_t i = 0; i < one.runtime.size(); ++i) {
    const IndexingMap& element = one.runtime[i].map;
    if (!used[i]) continue;
    const auto of_this = plainly(element, variable, number);
    if (!of_this || (of_indices && *of_indices != *of_this)) return false;
    of_indices = of_this;
  }
  return true;
}

//     t[d0, rt0], rt0 is element (d0, d1) of r       a slice for each d0; in that of d0 = 0:
//                                                    t[0, rt0], rt0 is element (0, d1)
Slices slices_of(const IndexedMap& one) {
  Slices slices{one};
  for (size_t i = 0; i < one.map.results.size(); ++i) {
    if (!is_slice(slices.one, i)) continue;
    const Node variable = slices.one.map.nodes[slices.one.map.results[i]];
    const Interval bounds =
        (variable.op == Op::kDimension ? one.map.dimensions : one.map.ranges)[variable.value]
            .bounds;
    if (bounds.low > bounds.high) continue;
    slices.count = std::min(slices.count * (Wide{bounds.high} - bounds.low + 1), Wide{INT64_MAX});
    fix(slices.one.map, variable, bounds.low);
    for (RuntimeSource& source : slices.one.runtime) fix(source.map, variable, bounds.low);
  }
  return slices;
}

}  // namespace

absl::StatusOr<Count> count_with_indices(const IndexedMap& one, const Sizes& sizes) {
  const absl::StatusOr<Count> count = count_windows(one, sizes);
  if (count.ok()) return count;
  const Slices slices = slices_of(one);
  if (slices.one == one) return count;
  const absl::StatusOr<Count> of_one = count_windows(slices.one, sizes);
  if (!of_one.ok() || slices.count * of_one->most > INT64_MAX) return count;
  const auto times = static_cast<int64_t>(slices.count);
  return Count{times * of_one->least, times * of_one->most};
}

absl::StatusOr<int64_t> count_union(absl::Span<const IndexingMap> maps, const Sizes& sizes,
                                    int64_t max_points) {
  std::vector<Image> images;
  const int64_t share = max_points / std::max<int64_t>(std::ssize(maps), 1) + 16;
  for (const IndexingMap& map : maps) {
    images.push_back(TRY(image_of(map, sizes, share)));
  }
  return union_size(images, sizes);
}

}  // namespace tileproof::impl
