// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/map/smaller_difference.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "spec/base/exact_int.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::verify {
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
