// SPDX-License-Identifier: Apache-2.0
#include "impl/map/ranges/range_sums.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "impl/map/atom_sum.h"
#include "impl/map/normal_form/normal_form.h"
#include "spec/lang/base/checked_arithmetic.h"

namespace tileproof::impl {
namespace {

// The sums that a map's results and constraints consist of, and those inside of quotients.
class SumsOfRanges {
 public:
  // Of a range variable: its coefficient in each sum that has it.
  using Uses = std::map<int64_t, int64_t>;

  explicit SumsOfRanges(const IndexingMap& map) : map_(map), uses_(map.ranges.size()) {
    for (const NodeId result : map.results) visit(result);
    for (size_t c = 0; c < map.constraints.size(); ++c) visit(map.constraints[c].expr, c);
  }

  const Uses& uses(size_t range) const { return uses_[range]; }
  bool is_blocked(size_t range) const { return blocked_.contains(static_cast<int64_t>(range)); }

  // The constraint, if the sum is that of one and nothing else.
  std::optional<size_t> constraint_of(int64_t sum) const {
    return owners_[sum].uses == 1 ? owners_[sum].constraint : std::nullopt;
  }

 private:
  struct Owner {
    int64_t uses = 0;
    std::optional<size_t> constraint = std::nullopt;
  };

  // A sum is visited once, however often it is used.
  void visit(NodeId root, std::optional<size_t> constraint = std::nullopt) {
    const auto [at, is_new] = sums_.try_emplace(root, std::ssize(sums_));
    if (is_new) owners_.emplace_back();
    ++owners_[at->second].uses;
    owners_[at->second].constraint = constraint;
    if (is_new) add(root, at->second);
  }

  void add(NodeId root, int64_t sum) {
    const std::optional<AtomSum> written = sum_as_written(map_.nodes, root);
    if (!written) return block(root);
    for (const auto& [atom, factor] : written->factors) {
      const Node& node = map_.nodes[atom];
      if (node.op == Op::kRange) {
        int64_t& known = uses_[node.value][sum];
        const auto both = checked_add(known, factor);
        if (!both) blocked_[node.value] = true;
        known = both.value_or(0);
      } else if (node.op == Op::kMul) {
        block(atom);
      } else if (!is_leaf(node.op)) {  // a quotient or remainder
        visit(node.left);
        visit(node.right);
      }
    }
  }

  void block(NodeId id) {
    const Node& node = map_.nodes[id];
    if (node.op == Op::kRange) blocked_[node.value] = true;
    if (is_leaf(node.op)) return;
    block(node.left);
    block(node.right);
  }

  const IndexingMap& map_;
  std::map<NodeId, int64_t> sums_;  // numbers, by root
  std::vector<Owner> owners_;       // by number
  std::vector<Uses> uses_;          // by range variable
  std::map<int64_t, bool> blocked_;
};

// k, if the map uses `a` and `b` only as k * a + b, times some number.
std::optional<int64_t> ratio_of(const SumsOfRanges::Uses& a, const SumsOfRanges::Uses& b) {
  std::optional<int64_t> ratio;
  if (a.size() != b.size()) return std::nullopt;
  for (const auto& [sum, coefficient] : a) {
    const auto other = b.find(sum);
    if (other == b.end() || coefficient == INT64_MIN || other->second == 0 ||
        coefficient % other->second != 0) {
      return std::nullopt;
    }
    const int64_t here = coefficient / other->second;
    if (ratio && *ratio != here) return std::nullopt;
    ratio = here;
  }
  return ratio;
}

// The values of k * a + b, if they are all numbers of an interval.
std::optional<Interval> values_of_sum(int64_t k, const Interval& a, const Interval& b) {
  const auto first = checked_mul(k, a.low), last = checked_mul(k, a.high);
  const auto span = checked_sub(b.high, b.low);
  if (k == 0 || k == INT64_MIN || !first || !last || !span || a.low > a.high || *span < 0) {
    return std::nullopt;
  }
  if (a.low < a.high && *span < std::abs(k) - 1) return std::nullopt;  // with gaps
  const auto low = checked_add(std::min(*first, *last), b.low);
  const auto high = checked_add(std::max(*first, *last), b.high);
  return low && high ? std::optional(Interval{*low, *high}) : std::nullopt;
}

void replace_by_zero(IndexingMap& map, size_t range) {
  for (Node& node : map.nodes) {
    if (node.op == Op::kRange && node.value == static_cast<int64_t>(range)) node = Node{};
  }
}

bool join_two(IndexingMap& map, const SumsOfRanges& sums) {
  for (size_t a = 0; a < map.ranges.size(); ++a) {
    for (size_t b = 0; b < map.ranges.size(); ++b) {
      if (a == b || sums.is_blocked(a) || sums.is_blocked(b)) continue;
      if (map.ranges[a].bounds.low == map.ranges[a].bounds.high) continue;
      const auto ratio = ratio_of(sums.uses(a), sums.uses(b));
      const auto values =
          ratio ? values_of_sum(*ratio, map.ranges[a].bounds, map.ranges[b].bounds) : std::nullopt;
      if (!values) continue;
      replace_by_zero(map, a);
      map.ranges[b].bounds = *values;  // b takes the place of the sum
      return true;
    }
  }
  return false;
}

// The interval of R, if R + factor * s is in `interval` for some s.
std::optional<Interval> without_term(const Interval& interval, int64_t factor, const Interval& s) {
  const auto first = checked_mul(factor, s.low), last = checked_mul(factor, s.high);
  if (factor == INT64_MIN || !first || !last || s.low > s.high || interval.low > interval.high) {
    return std::nullopt;
  }
  const auto width = checked_sub(interval.high, interval.low);
  const bool has_gaps = s.low < s.high && width && *width < std::abs(factor) - 1;
  const auto low = checked_sub(interval.low, std::max(*first, *last));
  const auto high = checked_sub(interval.high, std::min(*first, *last));
  return !has_gaps && low && high ? std::optional(Interval{*low, *high}) : std::nullopt;
}

bool project_one(IndexingMap& map, const SumsOfRanges& sums) {
  for (size_t s = 0; s < map.ranges.size(); ++s) {
    if (sums.is_blocked(s) || sums.uses(s).size() != 1) continue;
    const auto [sum, factor] = *sums.uses(s).begin();
    const std::optional<size_t> constraint = sums.constraint_of(sum);
    if (!constraint) continue;
    Interval& interval = map.constraints[*constraint].interval;
    const auto rest = without_term(interval, factor, map.ranges[s].bounds);
    if (!rest) continue;
    interval = *rest;
    replace_by_zero(map, s);
    return true;
  }
  return false;
}

// The divisor, if the node is a range variable divided by a positive number.
std::optional<int64_t> divisor_of_range(const IndexingMap& map, const Node& node) {
  if (node.op != Op::kFloorDiv || map.nodes[node.left].op != Op::kRange) return std::nullopt;
  const Node& divisor = map.nodes[node.right];
  const bool is_divisor = divisor.op == Op::kConstant && divisor.value > 1;
  return is_divisor ? std::optional(divisor.value) : std::nullopt;
}

// Replaces variables that are used only divided by one number.
bool take_quotients(IndexingMap& map) {
  std::vector<std::optional<int64_t>> divisors(map.ranges.size());
  std::vector<char> is_other(map.ranges.size(), 0);
  const auto use = [&](NodeId id, std::optional<int64_t> divisor) {
    const Node& node = map.nodes[id];
    if (node.op != Op::kRange) return;
    std::optional<int64_t>& known = divisors[node.value];
    if (!divisor || (known && *known != *divisor)) is_other[node.value] = 1;
    known = divisor;
  };
  for (const NodeId result : map.results) use(result, std::nullopt);
  for (const Constraint& constraint : map.constraints) use(constraint.expr, std::nullopt);
  for (const Node& node : map.nodes) {
    if (is_leaf(node.op)) continue;
    use(node.left, divisor_of_range(map, node));
    use(node.right, std::nullopt);
  }
  std::vector<std::pair<size_t, int64_t>> quotients;  // nodes, and the variables in them
  for (size_t id = 0; id < map.nodes.size(); ++id) {
    if (!divisor_of_range(map, map.nodes[id])) continue;
    const int64_t range = map.nodes[map.nodes[id].left].value;
    if (!is_other[range]) quotients.emplace_back(id, range);
  }
  for (const auto& [id, range] : quotients) {
    map.nodes[id] = Node{.op = Op::kRange, .value = range};
  }
  for (size_t s = 0; s < divisors.size(); ++s) {
    if (!divisors[s] || is_other[s]) continue;
    Interval& bounds = map.ranges[s].bounds;
    bounds = {floor_quotient(bounds.low, *divisors[s]), floor_quotient(bounds.high, *divisors[s])};
  }
  return !quotients.empty();
}

}  // namespace

bool reduce_ranges(IndexingMap& map) {
  bool reduced = false;
  for (bool again = !map.ranges.empty(); again; reduced = reduced || again) {
    again = take_quotients(map);
    const SumsOfRanges sums(map);
    again = project_one(map, sums) || join_two(map, sums) || again;
  }
  return reduced;
}

}  // namespace tileproof::impl
