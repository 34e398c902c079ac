// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/map/map_points.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "spec/base/exact_int.h"
#include "spec/map/map_evaluation.h"
#include "verify/prove/smt/quasi_affine.h"

namespace tileproof::verify {
namespace {

using spec::Exact;
using spec::exact;
using spec::Point;

struct ValuesAt {
  const Point& point;
  Exact constant(int64_t value) const { return exact(value); }
  Exact variable(Op kind, int64_t number) const {
    if (kind == Op::kDimension) return exact(point.dims[number]);
    return exact(kind == Op::kRange ? point.ranges[number] : point.runtime[number]);
  }
};

// Compares results that do not fit int64.
AtPoint compare_large(const IndexingMap& left, const IndexingMap& right, const Point& point) {
  const std::vector<Exact> a =
      spec::evaluate_expressions<Exact>(left.nodes, left.results, ValuesAt{point});
  const std::vector<Exact> b =
      spec::evaluate_expressions<Exact>(right.nodes, right.results, ValuesAt{point});
  bool unknown = false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!a[i].value || !b[i].value) {
      unknown = true;
    } else if (*a[i].value != *b[i].value) {
      return AtPoint::kDiffer;
    }
  }
  return unknown ? AtPoint::kUnknown : AtPoint::kSame;
}

int64_t nodes_of(const IndexingMap& left, const IndexingMap& right) {
  return std::ssize(left.nodes) + std::ssize(right.nodes) + 8;
}

int64_t random_in(Choose& choose, Interval interval) {
  const uint64_t width = static_cast<uint64_t>(interval.high) - static_cast<uint64_t>(interval.low);
  uint64_t above = 0;
  if (width < INT64_MAX) {
    above = static_cast<uint64_t>(choose(static_cast<int64_t>(width) + 1));
  } else {
    above = static_cast<uint64_t>(choose(INT64_MAX)) * 2 + static_cast<uint64_t>(choose(2));
    if (above > width) above -= width;
  }
  return static_cast<int64_t>(static_cast<uint64_t>(interval.low) + above);
}

// Chooses points near edges of the domains, of constraints and of floors.
class Sampler {
 public:
  Sampler(const IndexingMap& left, const IndexingMap& right, Choose& choose)
      : choose_(choose), box_(box_around(left, right)), context_(box_) {
    for (const IndexingMap* map : {&left, &right}) {
      std::vector<NodeId> roots = map->results;
      for (const Constraint& constraint : map->constraints) roots.push_back(constraint.expr);
      const std::vector<Sum> sums = context_.sums(*map, roots);
      std::vector<Limit>& limits = limits_[map == &right];
      for (size_t i = 0; i < map->constraints.size(); ++i) {
        limits.push_back({sums[map->results.size() + i], map->constraints[i].interval});
      }
    }
    for (const QuasiAffineContext::Atom& atom : context_.atoms()) {
      if (atom.divisor != 0) divisions_.push_back(&atom);
    }
  }

  Values next(int64_t number) {
    Values values = number < 2 * corners() ? corner(number) : inside();
    if (number >= 2 * corners() && !divisions_.empty() && choose_.chance(3, 4)) {
      const QuasiAffineContext::Atom& atom = *divisions_[choose_(std::ssize(divisions_))];
      move_to_multiple(values, atom.dividend, atom.divisor);
    }
    if (choose_.chance(3, 4)) repair(values, limits_[choose_(2)]);
    return values;
  }

 private:
  struct Limit {
    Sum sum;
    Interval interval;
  };

  int64_t corners() const { return std::min<int64_t>(std::ssize(box_) + 2, 16); }

  // All variables low or all high, except for at most one.
  Values corner(int64_t number) {
    Values values;
    const bool high = number % 2 == 1;
    for (int64_t v = 0; v < std::ssize(box_); ++v) {
      values.push_back(high != (v == number / 2 - 1) ? box_[v].high : box_[v].low);
    }
    return values;
  }

  Values inside() {
    const int64_t style = choose_(4);
    Values values;
    for (const Interval& interval : box_) {
      const int64_t kind = style < 2 ? style * 3 : choose_(4);
      switch (kind) {
        case 0:
          values.push_back(near(interval, 0, 2));
          break;
        case 1:
          values.push_back(near(interval, interval.low, 3));
          break;
        case 2:
          values.push_back(near(interval, interval.high, 3));
          break;
        default:
          values.push_back(random_in(choose_, interval));
      }
    }
    return values;
  }

  int64_t near(Interval interval, int64_t center, int64_t distance) {
    return into(interval, exact(center) + exact(choose_.between(-distance, distance)));
  }

  static int64_t into(Interval interval, const Exact& value) {
    if (!value.value) return interval.low;
    return static_cast<int64_t>(std::clamp<Wide>(*value.value, interval.low, interval.high));
  }

  Exact at(const Sum& sum, const Values& values) const { return value_at(context_, sum, values); }

  // A variable of the sum with its coefficient, or a variable inside of one of its floors.
  std::pair<int32_t, Wide> some_variable(const Sum& sum) {
    const Sum* in = &sum;
    for (int depth = 0; depth < 64 && !in->terms.empty(); ++depth) {
      auto term = in->terms.begin();
      std::advance(term, choose_(std::ssize(in->terms)));
      const int32_t atom = term->first[choose_(std::ssize(term->first))];
      if (atom < std::ssize(box_)) return {atom, term->second};
      in = &context_.atoms()[atom].dividend;
    }
    return {-1, 1};
  }

  // Moves one variable, so that the sum changes by about `change`.
  void move(Values& values, const Sum& sum, const Exact& change) {
    const auto [v, factor] = some_variable(sum);
    if (v < 0) return;
    const Exact step = floordiv(change, exact(factor)) + exact(choose_(2));
    values[v] = into(box_[v], exact(values[v]) + step);
  }

  // Moves one variable, so that the sum becomes about a multiple of c, or one less.
  void move_to_multiple(Values& values, const Sum& sum, Wide c) {
    const Exact here = at(sum, values);
    move(values, sum, -mod(here, exact(c)) - exact(choose_(2)));
  }

  int64_t violated(const std::vector<Limit>& limits, const Values& values, const Limit*& some) {
    int64_t count = 0;
    for (const Limit& limit : limits) {
      const Exact here = at(limit.sum, values);
      if (here.value && *here.value >= limit.interval.low && *here.value <= limit.interval.high)
        continue;
      if (choose_(++count) == 0) some = &limit;
    }
    return count;
  }

  // Moves variables until all constraints hold, or until it gives up.
  void repair(Values& values, const std::vector<Limit>& limits) {
    const Limit* wrong = nullptr;
    int64_t count = violated(limits, values, wrong);
    for (int tries = 0; tries < 12 && count > 0; ++tries) {
      Values moved = values;
      const Exact here = at(wrong->sum, values);
      const int64_t aim = choose_.chance(1, 2) ? wrong->interval.low : wrong->interval.high;
      if (choose_.chance(1, 4)) {
        const int32_t v = some_variable(wrong->sum).first;
        if (v >= 0) moved[v] = into(box_[v], exact(moved[v]) + exact(choose_.between(-8, 8)));
      } else {
        move(moved, wrong->sum, exact(aim) - here);
      }
      const Limit* next = nullptr;
      const int64_t left = violated(limits, moved, next);
      if (left > count) continue;
      values = std::move(moved);
      count = left;
      wrong = next;
    }
  }

  Choose& choose_;
  std::vector<Interval> box_;
  QuasiAffineContext context_;
  std::vector<Limit> limits_[2];
  std::vector<const QuasiAffineContext::Atom*> divisions_;
};

}  // namespace

AtPoint compare_at(const IndexingMap& left, const IndexingMap& right, const Point& point) {
  const auto a = spec::evaluate(left, point);
  const auto b = spec::evaluate(right, point);
  if (a.ok() && b.ok()) return *a == *b ? AtPoint::kSame : AtPoint::kDiffer;
  const absl::StatusOr<bool> in_a = spec::in_domain(left, point);
  const absl::StatusOr<bool> in_b = spec::in_domain(right, point);
  if (!in_a.ok() || !in_b.ok()) return AtPoint::kUnknown;
  if (*in_a != *in_b) return AtPoint::kDiffer;
  return *in_a ? compare_large(left, right, point) : AtPoint::kSame;
}

Point point_of(const IndexingMap& map, const Values& values) {
  const auto dims = values.begin() + std::ssize(map.dimensions);
  const auto ranges = dims + std::ssize(map.ranges);
  return {{values.begin(), dims}, {dims, ranges}, {ranges, values.end()}};
}

Values values_of(const Point& point) {
  Values values = point.dims;
  values.insert(values.end(), point.ranges.begin(), point.ranges.end());
  values.insert(values.end(), point.runtime.begin(), point.runtime.end());
  return values;
}

SearchResult search_all(const IndexingMap& left, const IndexingMap& right, int64_t work) {
  SearchResult result;
  const std::optional<int64_t> in_left = spec::box_size(left);
  const std::optional<int64_t> in_right = spec::box_size(right);
  const int64_t budget = work / nodes_of(left, right);
  if (!in_left || !in_right || *in_left > budget || *in_right > budget) return result;
  bool known = true;
  for (const IndexingMap* map : {&left, &right}) {
    if (map == &right && bounds_of(left) == bounds_of(right) &&
        left.known_empty == right.known_empty) {
      break;  // the same box again
    }
    const absl::Status status = spec::for_each_box_point(*map, budget, [&](const Point& point) {
      ++result.points;
      const AtPoint at = compare_at(left, right, point);
      known = known && at != AtPoint::kUnknown;
      if (at != AtPoint::kDiffer) return true;
      result.difference = values_of(point);
      return false;
    });
    known = known && status.ok();
    if (result.difference) return result;
  }
  result.complete = known;
  return result;
}

std::vector<Values> sample(const IndexingMap& left, const IndexingMap& right, int64_t points,
                           Choose& choose) {
  std::vector<Values> all;
  if (!has_points(box_around(left, right))) return all;  // both boxes are empty
  Sampler sampler(left, right, choose);
  for (int64_t i = 0; i < points; ++i) all.push_back(sampler.next(i));
  return all;
}

SearchResult search_some(const IndexingMap& left, const IndexingMap& right, int64_t points,
                         int64_t work, Choose& choose) {
  SearchResult result;
  points = std::min(points, work / nodes_of(left, right));
  for (Values& values : sample(left, right, points, choose)) {
    ++result.points;
    if (compare_at(left, right, point_of(left, values)) != AtPoint::kDiffer) continue;
    result.difference = std::move(values);
    break;
  }
  return result;
}

SearchResult search(const IndexingMap& left, const IndexingMap& right, int64_t points, int64_t work,
                    Choose& choose) {
  SearchResult found = search_all(left, right, work);
  if (!found.complete && !found.difference) found = search_some(left, right, points, work, choose);
  return found;
}

std::vector<Interval> bounds_of(const IndexingMap& map) {
  std::vector<Interval> bounds;
  for (Op kind : kVariableKinds) {
    for (const Variable& variable : variables_of(map, kind)) bounds.push_back(variable.bounds);
  }
  return bounds;
}

std::vector<Interval> box_around(const IndexingMap& left, const IndexingMap& right) {
  if (spec::box_size(left) == 0) return bounds_of(right);
  std::vector<Interval> box = bounds_of(left);
  if (spec::box_size(right) == 0) return box;
  const std::vector<Interval> other = bounds_of(right);
  for (size_t v = 0; v < box.size(); ++v) {
    box[v] = {std::min(box[v].low, other[v].low), std::max(box[v].high, other[v].high)};
  }
  return box;
}

std::vector<Interval> box_of(const IndexingMap& map) {
  std::vector<Interval> box = bounds_of(map);
  for (const Constraint& constraint : map.constraints) {
    const Node& node = map.nodes[constraint.expr];
    if (!is_variable(node.op)) continue;
    Interval& bounds = box[place_of(map, node)];
    bounds = {std::max(bounds.low, constraint.interval.low),
              std::min(bounds.high, constraint.interval.high)};
  }
  return box;
}

size_t place_of(const IndexingMap& map, const Node& variable) {
  auto place = static_cast<size_t>(variable.value);
  if (variable.op != Op::kDimension) place += map.dimensions.size();
  if (variable.op == Op::kRuntime) place += map.ranges.size();
  return place;
}

bool has_points(const std::vector<Interval>& box) {
  return std::ranges::all_of(box, [](const Interval& i) { return i.low <= i.high; });
}

namespace {

using spec::Wide;

constexpr size_t kMostModuli = 64;  // of the constants in the maps

// Powers of two, and constants of the maps, ascending.
std::set<Wide> moduli_of(const IndexingMap& left, const IndexingMap& right) {
  std::set<Wide> constants;
  for (const IndexingMap* map : {&left, &right}) {
    for (const Node& node : map->nodes) {
      if (node.op != Op::kConstant || constants.size() >= kMostModuli) continue;
      constants.insert(node.value < 0 ? -Wide{node.value} : Wide{node.value});
    }
  }
  constants.erase(0);
  for (Wide power = 2; power < (Wide{1} << 64); power *= 2) constants.insert(power);
  return constants;
}

class Search {
 public:
  Search(const IndexingMap& left, const IndexingMap& right, Values values, int64_t work)
      : left_(left),
        right_(right),
        box_(box_around(left, right)),
        moduli_(moduli_of(left, right)),
        values_(std::move(values)),
        size_(size_of(values_)),
        tries_(work / (4 * (std::ssize(left.nodes) + std::ssize(right.nodes) + 8))) {}

  Values run() {
    for (bool changed = true; changed && tries_ > 0;) {
      changed = false;
      for (size_t v = 0; v < values_.size(); ++v) changed = improve(v) || changed;
    }
    return std::move(values_);
  }

 private:
  // Lower is smaller: first the number of maps that have no answer, then the sum of the values.
  using Size = std::pair<int, Wide>;

  Size size_of(const Values& values) const {
    const spec::Point point = point_of(left_, values);
    const int unanswered =
        (evaluate(left_, point).ok() ? 0 : 1) + (evaluate(right_, point).ok() ? 0 : 1);
    Wide sum = 0;
    for (int64_t value : values) sum += value < 0 ? -Wide{value} : Wide{value};
    return {unanswered, sum};
  }

  // Sets the variable if the maps differ there and the point is smaller.
  bool try_value(size_t v, Wide value) {
    if (value < box_[v].low || value > box_[v].high || value == values_[v] || tries_ <= 0)
      return false;
    --tries_;
    Values moved = values_;
    moved[v] = static_cast<int64_t>(value);
    const Size size = size_of(moved);
    if (size >= size_) return false;
    if (compare_at(left_, right_, point_of(left_, moved)) != AtPoint::kDiffer) return false;
    values_ = std::move(moved);
    size_ = size;
    return true;
  }

  Wide goal(size_t v) const { return std::clamp<Wide>(0, box_[v].low, box_[v].high); }
  Wide distance(size_t v) const {
    return values_[v] < goal(v) ? goal(v) - values_[v] : values_[v] - goal(v);
  }
  // The value at that distance, on the side of the goal where the variable is.
  Wide at_distance(size_t v, Wide d) const {
    return values_[v] < goal(v) ? goal(v) - d : goal(v) + d;
  }

  bool improve(size_t v) {
    const Size before = size_;
    const Wide agrees = try_powers(v);
    for (const Wide modulus : moduli_) {
      if (modulus > distance(v)) break;
      if (try_value(v, at_distance(v, distance(v) % modulus))) break;
    }
    bisect(v, std::min(agrees, distance(v)));
    return size_ < before;
  }

  // Returns the largest distance tried before the first that differs.
  Wide try_powers(size_t v) {
    Wide agrees = 0;
    for (Wide d = 0; d < distance(v); d = d == 0 ? 1 : d * 2) {
      if (try_value(v, goal(v) + d) || try_value(v, goal(v) - d)) break;
      agrees = d;
    }
    return agrees;
  }

  void bisect(size_t v, Wide agrees) {
    while (tries_ > 0 && distance(v) - agrees > 1) {
      const Wide middle = agrees + (distance(v) - agrees) / 2;
      if (!try_value(v, at_distance(v, middle))) agrees = middle;
    }
  }

  const IndexingMap& left_;
  const IndexingMap& right_;
  std::vector<Interval> box_;
  std::set<Wide> moduli_;
  Values values_;
  Size size_;
  int64_t tries_;
};

}  // namespace

Values smaller_difference(const IndexingMap& left, const IndexingMap& right, Values values,
                          int64_t work) {
  return Search(left, right, std::move(values), work).run();
}

}  // namespace tileproof::verify
