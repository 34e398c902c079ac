// SPDX-License-Identifier: Apache-2.0
#include "impl/access/tile_propagation.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "impl/map/atom_sum.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/map/interval.h"

namespace tileproof::impl {
namespace {

constexpr int64_t kMostNumber = int64_t{1} << 30;  // so that no product leaves 64 bits

// offset, size, stride and upper bound of one dimension
struct TileExpressions {
  NodeId offset, size, stride, upper_bound;
};

class TileWriter {
 public:
  TileWriter(const SymbolicTile& tile, const IndexingMap& map)
      : tile_(tile), map_(map), made_{tile.map} {}

  std::optional<SymbolicTile> write() {
    std::vector<TileExpressions> dimensions;
    for (const NodeId result : map_.results) {
      const auto one = dimension_of(result);
      if (!one) return std::nullopt;
      dimensions.push_back(*one);
    }
    if (cuts_others() || is_too_large_) return std::nullopt;
    made_.results.clear();
    for (const NodeId TileExpressions::*part :
         {&TileExpressions::offset, &TileExpressions::size, &TileExpressions::stride,
          &TileExpressions::upper_bound}) {
      for (const TileExpressions& one : dimensions) made_.results.push_back(one.*part);
    }
    return SymbolicTile{std::move(made_)};
  }

 private:
  // Whether the map is not defined for all of a dimension that no result has.
  bool cuts_others() const {
    for (size_t d = 0; d < map_.dimensions.size(); ++d) {
      if (used_.contains({Op::kDimension, static_cast<int64_t>(d)})) continue;
      const Interval bounds = map_.dimensions[d].bounds;
      const std::optional<Interval> own = interval_of(tile_.map, tile_.upper_bound(d));
      if (!own || bounds.low > 0 || own->high > bounds.high + 1) return true;
    }
    return false;
  }

  std::optional<TileExpressions> dimension_of(NodeId result) {
    const std::optional<AtomSum> sum = sum_as_written(map_.nodes, result);
    if (!sum) return std::nullopt;
    const int64_t constant = sum->constant;
    if (sum->factors.empty())
      return TileExpressions{number(constant), number(1), number(1), number(constant + 1)};
    const auto [atom, factor] = *sum->factors.begin();
    const Node& variable = map_.nodes[atom];
    if (sum->factors.size() > 1 || !is_variable(variable.op)) {
      if (!take_digit(result)) return std::nullopt;
      const auto all = progression_of(*sum);
      if (!all) return std::nullopt;
      return TileExpressions{all->offset, all->size, number(all->step), all->upper_bound};
    }
    if (!take_digit(atom)) return std::nullopt;
    if (variable.op == Op::kRange)
      return all_of(map_.ranges[variable.value].bounds, factor, constant);
    if (variable.op != Op::kDimension) return std::nullopt;
    const auto d = static_cast<size_t>(variable.value);
    const Interval bounds = map_.dimensions[d].bounds;
    return factor > 0 ? moved(d, bounds, factor, constant) : turned(d, bounds, -factor, constant);
  }

  // ---- Sums and digits ----

  // offset, offset + step, .., of which `size` numbers are held, and of these what is below the upper
  // bound. `is_whole`: the bound cuts nothing off. `is_whole_or_none`: or all.
  struct Progression {
    NodeId offset, size, upper_bound;
    int64_t step;
    bool is_whole, is_whole_or_none = is_whole;
  };

  // A digit of a sum of variables, (sum floordiv low) mod (high floordiv low); 0: the whole quotient.
  struct SumDigit {
    AtomSum sum;
    int64_t low = 1, high = 0;
  };

  std::optional<SumDigit> digit_of(NodeId x) const {
    const Node& node = map_.nodes[x];
    const bool divides = node.op == Op::kFloorDiv || node.op == Op::kMod;
    if (divides && map_.nodes[node.right].op == Op::kConstant) {
      std::optional<SumDigit> digit = digit_of(node.left);
      const int64_t by = map_.nodes[node.right].value;
      if (!digit || by < 1 || digit->low > kMostNumber / by) return std::nullopt;
      const int64_t at = digit->low * by;
      if (digit->high != 0 && digit->high % at != 0) return std::nullopt;
      (node.op == Op::kMod ? digit->high : digit->low) = at;
      return digit;
    }
    const auto sum = sum_as_written(map_.nodes, x);
    return sum ? std::optional(SumDigit{*sum}) : std::nullopt;
  }

  // Whether no other result depends on the same digits of the same variables. A sum of several digits
  // depends on each of them.
  bool take_digit(NodeId x) {
    const std::optional<SumDigit> digit = digit_of(x);
    if (!digit) return false;
    const bool is_digit = digit->low != 1 || digit->high != 0;
    std::vector<std::pair<std::pair<Op, int64_t>, int64_t>> variables;
    for (const auto& [atom, factor] : digit->sum.factors) {
      const Node& node = map_.nodes[atom];
      if (!is_variable(node.op)) {
        if (is_digit || !take_digit(atom)) return false;
        continue;
      }
      variables.push_back({{node.op, node.value}, factor});
    }
    for (const auto& [variable, factor] : variables) {
      for (const Taken& taken : taken_[variable]) {
        const bool is_apart = (taken.high != 0 && taken.high <= digit->low) ||
                              (digit->high != 0 && digit->high <= taken.low);
        if (!is_apart || taken.variables != variables || taken.constant != digit->sum.constant)
          return false;
      }
    }
    for (const auto& [variable, factor] : variables) {
      taken_[variable].push_back({digit->low, digit->high, digit->sum.constant, variables});
      used_.insert(variable);
    }
    return true;
  }

  std::optional<Progression> progression_of(NodeId x) {
    const Node& node = map_.nodes[x];
    if (node.op != Op::kFloorDiv && node.op != Op::kMod) {
      const auto sum = sum_as_written(map_.nodes, x);
      return sum ? progression_of(*sum) : std::nullopt;
    }
    const std::optional<Progression> all = progression_of(node.left);
    const auto size = all ? value_of(all->size) : std::nullopt;
    if (!size || *size < 1 || !all->is_whole_or_none || all->step != 1) return std::nullopt;
    const int64_t by = map_.nodes[node.right].value;
    const bool is_quotient = node.op == Op::kFloorDiv;
    // The end of the array is that of its largest digit.
    const auto end = all->is_whole || !is_quotient ? 0 : value_of(all->upper_bound);
    if (!end || *end % by != 0) return std::nullopt;
    const auto digit = [&](NodeId offset, int64_t held) {
      if (*end == 0) return whole(offset, number(held), 1);
      return Progression{offset, number(held), number(*end / by), 1, false, true};
    };
    if (*size % by == 0 && is_multiple(all->offset, by)) {  // whole periods
      if (!is_quotient) return digit(number(0), by);
      return digit(quotient(all->offset, by), *size / by);
    }
    if (by % *size != 0 || !is_multiple(all->offset, *size)) return std::nullopt;
    const NodeId within = add_operation(made_.nodes, node.op, all->offset, number(by));
    return digit(within, is_quotient ? 1 : *size);
  }

  Progression whole(NodeId offset, NodeId size, int64_t step) {
    const NodeId last = sum_of(offset, times(plus(size, -1), step));
    return {offset, size, plus(last, 1), step, true};
  }

  // The parts of a sum, from the least factor on: each has to go on where those before it end, or
  // within them.
  std::optional<Progression> progression_of(const AtomSum& sum) {
    if (sum.constant == 0 && sum.factors.size() == 1 && sum.factors.begin()->second == 1)
      return part_of(sum.factors.begin()->first);
    std::vector<std::pair<int64_t, Progression>> parts;  // by factor
    NodeId offset = number(sum.constant);                // of parts that are one number
    for (const auto& [atom, factor] : sum.factors) {
      const auto part = part_of(atom);
      if (!part || factor < 1) return std::nullopt;
      if (value_of(part->size) == 1 && part->is_whole) {
        offset = sum_of(times(part->offset, factor), offset);
      } else {
        parts.emplace_back(factor, *part);
      }
    }
    std::ranges::sort(
        parts, {}, [](const auto& part) { return std::pair(part.first, !part.second.is_whole); });
    Progression all = whole(offset, number(1), 1);
    bool is_first = true;
    for (const auto& [factor, part] : parts) {
      const int64_t step = factor * part.step;
      const auto inner = value_of(all.size);
      if (is_first) all.step = step;
      if (!all.is_whole || !inner || step % all.step != 0 || step / all.step > *inner ||
          (!is_first && !part.is_whole && !begins_inside(part, step / all.step == *inner)))
        return std::nullopt;
      const int64_t before = fitting(checked_sub(*inner, 1));
      const NodeId inner_last = plus(all.offset, fitting(checked_mul(before, all.step)));
      const NodeId upper = plus(sum_of(times(plus(part.upper_bound, -1), factor), inner_last), 1);
      NodeId size = part.size;
      if (!is_first) {
        const int64_t steps = step / all.step;
        size = steps == *inner ? times(size, steps) : plus(times(plus(size, -1), steps), *inner);
      }
      all = {sum_of(times(part.offset, factor), all.offset), size, upper, all.step, part.is_whole};
      is_first = false;
    }
    return all;
  }

  // Whether 0 and the upper bound cut off its end alone, or all if the lesser parts `touch` and so reach
  // back into no array.
  bool begins_inside(const Progression& part, bool touch) const {
    const auto first = interval_of(made_, part.offset);
    const auto end = interval_of(made_, part.upper_bound);
    return first && end && first->low >= 0 && (touch || first->high < end->low);
  }

  std::optional<Progression> part_of(NodeId atom) {
    const Node& node = map_.nodes[atom];
    if (!is_variable(node.op)) return progression_of(atom);
    if (node.op == Op::kRange) {
      const Interval values = map_.ranges[node.value].bounds;
      return whole(number(values.low), number(values.high - values.low + 1), 1);
    }
    if (node.op != Op::kDimension) return std::nullopt;
    const auto d = static_cast<size_t>(node.value);
    const Interval bounds = map_.dimensions[d].bounds;
    const auto one = value_of(tile_.stride(d)) == 1 ? moved(d, bounds, 1, 0) : std::nullopt;
    if (!one) return std::nullopt;
    const NodeId last = plus(sum_of(one->offset, one->size), -1);
    const auto first = interval_of(made_, one->offset), end = interval_of(made_, one->upper_bound);
    const auto greatest = interval_of(made_, last);
    const bool is_whole = first && end && greatest && first->low >= 0 && greatest->high < end->low;
    const auto size = value_of(one->size), bound = value_of(one->upper_bound);
    const bool ends_with_one = first && first->low >= 0 && size && bound && *size > 0 &&
                               *bound % *size == 0 && is_multiple(one->offset, *size);
    return Progression{one->offset, one->size, one->upper_bound,
                       1,           is_whole,  is_whole || ends_with_one};
  }

  // Whether each summand is a multiple.
  bool is_multiple(NodeId x, int64_t of) const {
    const auto sum = sum_as_written(made_.nodes, x);
    return sum && sum->constant % of == 0 &&
           std::ranges::all_of(sum->factors,
                               [of](const auto& one) { return one.second % of == 0; });
  }

  // The quotient of a multiple.
  NodeId quotient(NodeId x, int64_t by) {
    const AtomSum sum = sum_as_written(made_.nodes, x).value_or(AtomSum{});
    NodeId result = number(0);
    for (const auto& [atom, factor] : sum.factors)
      result = sum_of(times(atom, factor / by), result);
    return plus(result, sum.constant / by);
  }

  // All values of a range variable.
  TileExpressions all_of(Interval values, int64_t factor, int64_t constant) {
    const int64_t first = factor * (factor > 0 ? values.low : values.high) + constant;
    const int64_t last = factor * (factor > 0 ? values.high : values.low) + constant;
    const int64_t count = values.high - values.low + 1;
    return {number(first), number(count), number(factor > 0 ? factor : -factor), number(last + 1)};
  }

  std::optional<TileExpressions> moved(size_t d, Interval bounds, int64_t factor,
                                       int64_t constant) {
    if (bounds.low > 0 && factor * (bounds.low - 1) + constant >= 0) return std::nullopt;
    // The least of the bounds of the map and of the tile.
    const std::optional<Interval> own = interval_of(tile_.map, tile_.upper_bound(d));
    if (!own || (own->low <= bounds.high && own->high > bounds.high + 1)) return std::nullopt;
    const NodeId upper = own->high <= bounds.high ? tile_.upper_bound(d) : number(bounds.high + 1);
    return TileExpressions{plus(times(tile_.offset(d), factor), constant), tile_.size(d),
                           times(tile_.stride(d), factor),
                           plus(times(plus(upper, -1), factor), constant + 1)};
  }

  // The last index of the tile comes first. What its upper bound cuts off has to be below 0.
  std::optional<TileExpressions> turned(size_t d, Interval bounds, int64_t factor,
                                        int64_t constant) {
    const std::optional<Interval> own = interval_of(tile_.map, tile_.upper_bound(d));
    if (!own) return std::nullopt;
    const auto cut = checked_mul(factor, std::min(bounds.high + 1, own->low));
    const auto least = cut ? checked_sub(constant, *cut) : std::nullopt;
    if (!least || *least >= 0) return std::nullopt;
    const NodeId steps = product(plus(tile_.size(d), -1), tile_.stride(d));
    const NodeId last = add_operation(made_.nodes, Op::kAdd, tile_.offset(d), steps);
    return TileExpressions{plus(times(last, -factor), constant), tile_.size(d),
                           times(tile_.stride(d), factor),
                           number(constant - factor * bounds.low + 1)};
  }

  NodeId number(int64_t value) { return add_constant(made_.nodes, value); }
  std::optional<int64_t> value_of(NodeId x) const {
    const Node& node = made_.nodes[x];
    return node.op == Op::kConstant ? std::optional(node.value) : std::nullopt;
  }
  // The number, or 0 if there is none: then nothing is known of the tile.
  int64_t fitting(std::optional<int64_t> value) {
    is_too_large_ = is_too_large_ || !value;
    return value.value_or(0);
  }
  NodeId times(NodeId x, int64_t factor) {
    if (const auto value = value_of(x)) return number(fitting(checked_mul(*value, factor)));
    return factor == 1 ? x : add_operation(made_.nodes, Op::kMul, x, number(factor));
  }
  NodeId plus(NodeId x, int64_t summand) {
    if (const auto value = value_of(x)) return number(fitting(checked_add(*value, summand)));
    const Node node = made_.nodes[x];
    if (const auto value = node.op == Op::kAdd ? value_of(node.right) : std::nullopt)
      return plus(node.left, fitting(checked_add(*value, summand)));
    return summand == 0 ? x : add_operation(made_.nodes, Op::kAdd, x, number(summand));
  }
  NodeId sum_of(NodeId x, NodeId y) {
    if (const auto value = value_of(y)) return plus(x, *value);
    if (const auto value = value_of(x)) return plus(y, *value);
    return add_operation(made_.nodes, Op::kAdd, x, y);
  }
  NodeId product(NodeId x, NodeId y) {
    if (const auto value = value_of(y)) return times(x, *value);
    if (const auto value = value_of(x)) return times(y, *value);
    return add_operation(made_.nodes, Op::kMul, x, y);
  }

  const SymbolicTile& tile_;
  const IndexingMap& map_;
  IndexingMap made_;
  bool is_too_large_ = false;
  // A digit of a sum, of which some result is made.
  struct Taken {
    int64_t low, high, constant;
    std::vector<std::pair<std::pair<Op, int64_t>, int64_t>> variables;
  };
  std::set<std::pair<Op, int64_t>> used_;
  std::map<std::pair<Op, int64_t>, std::vector<Taken>> taken_;
};

}  // namespace

std::optional<SymbolicTile> propagate(const SymbolicTile& tile, const IndexingMap& map) {
  const auto is_small = [](const Interval& i) {
    return -kMostNumber < i.low && i.high < kMostNumber;
  };
  bool is_plain = map.runtime.empty() && map.constraints.empty() && !map.known_empty;
  for (const Op kind : {Op::kDimension, Op::kRange}) {
    for (const Variable& variable : variables_of(map, kind))
      is_plain = is_plain && is_small(variable.bounds);
  }
  for (const Node& node : map.nodes)
    is_plain = is_plain && (node.op != Op::kConstant || is_small({node.value, node.value}));
  if (!is_plain || map.dimensions.size() != tile.rank()) return std::nullopt;
  return TileWriter(tile, map).write();
}

}  // namespace tileproof::impl
