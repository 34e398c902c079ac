// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/map/equality_log.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "impl/map/simplify.h"
#include "spec/lang/map/map_text.h"
#include "verify/prove/map/map_points.h"
#include "verify/prove/smt/quasi_affine_log.h"
#include "verify/trace/trace_check.h"

namespace tileproof::verify {
namespace {

Range operator+(const Range& a, const Range& b) { return {a.low + b.low, a.high + b.high}; }

Range range_of(const Interval& interval) {
  return {spec::exact(interval.low), spec::exact(interval.high)};
}

// The ends of an interval that are not yet shown.
struct Open {
  bool low = true, high = true;

  bool closed() const { return !low && !high; }
  // Closes each open end that the range respects. Returns whether it closed one.
  bool close(const Range& range, const Interval& interval) {
    const bool closes_low = low && range.low.value && *range.low.value >= interval.low;
    const bool closes_high = high && range.high.value && *range.high.value <= interval.high;
    low = low && !closes_low;
    high = high && !closes_high;
    return closes_low || closes_high;
  }
};

std::string fact_text(const std::string& of, const Interval& interval) {
  return absl::StrCat(of, " in [", interval.low, ", ", interval.high, "]");
}

// Logs steps that show facts about the points of one box.
class Deduction {
 public:
  Deduction(const std::vector<Interval>& box, QuasiAffineLog& log)
      : box_(box), log_(log), context_(box, &log) {
    log.attach(context_);
  }

  Sum value_of(const IndexingMap& map, NodeId root) { return context_.sums(map, {root})[0]; }
  const Interval& bounds(size_t variable) const { return box_[variable]; }
  Sum variable(size_t number) {
    return Sum{&context_, {{{static_cast<int32_t>(number)}, 1}}, 0, false};
  }
  void assume(const Sum& value, const Interval& interval, int step) {
    assumed_.push_back({value, interval, step});
  }

  // Returns whether an assumed fact holds nowhere in the box, and logs why.
  bool contradiction() {
    for (const Assumed& fact : assumed_) {
      const Range range = context_.range_of(fact.value);
      const bool above = range.low.value && *range.low.value > fact.interval.high;
      const bool below = range.high.value && *range.high.value < fact.interval.low;
      if (!above && !below) continue;
      if (!fact.value.is_number()) log_.range_step(fact.value);
      return true;
    }
    return false;
  }

  // Logs steps that show that the value lies in the interval. Returns false if it finds none.
  bool show(const Sum& value, const Interval& interval, std::vector<int>& steps) {
    if (value.too_large) return false;
    Open open;
    if (open.close(context_.range_of(value), interval) && !value.is_number()) {
      steps.push_back(log_.range_step(value));
    }
    for (size_t i = 0; i < assumed_.size() && !open.closed(); ++i) {
      for (const Wide k : {1, -1}) show_by(assumed_[i], k, value, interval, open, steps);
    }
    return open.closed();
  }

 private:
  struct Assumed {
    Sum value;
    Interval interval;
    int step;
  };

  // Uses value = k * fact + rest: adds the range of the rest to the interval of the fact.
  void show_by(const Assumed& fact, Wide k, const Sum& value, const Interval& interval, Open& open,
               std::vector<int>& steps) {
    const Range given = range_of(fact.interval);
    const Range times = k > 0 ? given : Range{-given.high, -given.low};
    const Sum rest = value - fact.value * context_.number(k);
    const Range range = times + context_.range_of(rest);
    if (!open.close(range, interval)) return;
    std::vector<int> summands = {fact.step};
    if (!rest.is_number()) summands.push_back(log_.range_step(rest));
    const auto end = [](const spec::Exact& e, const char* infinite) {
      return e.value ? trace::to_text(*e.value) : std::string(infinite);
    };
    const std::string says = absl::StrCat(log_.text_of(value), " in [", end(range.low, "-inf"),
                                          ", ", end(range.high, "inf"), "]");
    const std::string by = absl::StrCat("sum(", trace::to_text(k), rest.is_number() ? ")" : ", 1)");
    steps.push_back(log_.add({0, says, by, {}, std::move(summands), {}}));
  }

  const std::vector<Interval>& box_;
  QuasiAffineLog& log_;
  QuasiAffineContext context_;
  std::vector<Assumed> assumed_;
};

class EqualityLogger {
 public:
  EqualityLogger(const IndexingMap& left, const IndexingMap& right)
      : left_(left),
        right_(right),
        left_box_(box_of(left)),
        right_box_(right.known_empty ? left_box_ : box_of(right)),
        log_(std::ssize(left.dimensions), std::ssize(left.ranges)) {}

  std::optional<std::string> log() {
    const Shown forward = show_domain(left_, left_box_, right_, right_box_);
    if (forward == Shown::kNothing) return std::nullopt;
    if (!right_.known_empty) {
      const Shown backward = show_domain(right_, right_box_, left_, left_box_);
      if (backward == Shown::kNothing) return std::nullopt;
      const bool empty = forward == Shown::kEmpty || backward == Shown::kEmpty;
      if (!empty && !show_results()) return std::nullopt;
    }
    if (log_.incomplete()) return std::nullopt;
    return to_text(trace::Section{0, left_, right_, log_.lets(), log_.steps()});
  }

 private:
  // Of one domain: nothing; it is empty; it lies in the other domain.
  enum class Shown { kNothing, kEmpty, kImplied };

  bool is_new(const IndexingMap& map) const { return &map == &right_; }

  // Logs "constraint 0 is d0 * 3 in [0, 290]". The checker accepts it for the right map only if
  // earlier steps show the fact.
  int state(const IndexingMap& map, size_t number, const std::string& value,
            std::vector<int> rules) {
    const std::string fact = fact_text(value, map.constraints[number].interval);
    const bool fresh = stated_.insert(fact).second;
    if (fresh && is_new(map) && !showing_right_) log_.set_incomplete();
    return log_.add({0,
                     absl::StrCat(is_new(map) ? "new " : "", "constraint ", number, " is ", fact),
                     "",
                     {},
                     {},
                     std::move(rules)});
  }

  static bool is_on_variable(const IndexingMap& map, size_t constraint) {
    return is_variable(map.nodes[map.constraints[constraint].expr].op);
  }

  void state_on_variable(const IndexingMap& map, size_t number) {
    const Node& node = map.nodes[map.constraints[number].expr];
    state(map, number, default_name(node.op, static_cast<size_t>(node.value)), {});
  }

  // Constraints on variables first: other steps use the bounds.
  void state_bounds(const IndexingMap& map) {
    for (size_t i = 0; i < map.constraints.size(); ++i) {
      if (is_on_variable(map, i)) state_on_variable(map, i);
    }
  }

  void assume(const IndexingMap& map, Deduction& from) {
    for (size_t i = 0; i < map.constraints.size(); ++i) {
      if (is_on_variable(map, i)) continue;
      const Sum value = from.value_of(map, map.constraints[i].expr);
      std::vector<int> used = log_.take_used();
      if (value.too_large) continue;
      const int step = state(map, i, log_.text_of(value), std::move(used));
      from.assume(value, map.constraints[i].interval, step);
    }
  }

  // Shows bounds and constraints of `outer` from those of `inner`.
  Shown show_domain(const IndexingMap& inner, const std::vector<Interval>& inner_box,
                    const IndexingMap& outer, const std::vector<Interval>& outer_box) {
    state_bounds(inner);
    if (!has_points(inner_box)) return Shown::kEmpty;
    Deduction from(inner_box, log_);
    assume(inner, from);
    if (from.contradiction()) return Shown::kEmpty;
    if (outer.known_empty || !show_bounds(from, outer_box)) return Shown::kNothing;
    showing_right_ = is_new(outer);
    const bool shown = show_constraints(inner, outer, from);
    showing_right_ = false;
    return shown ? Shown::kImplied : Shown::kNothing;
  }

  static bool show_bounds(Deduction& from, const std::vector<Interval>& box) {
    std::vector<int> steps;
    for (size_t v = 0; v < box.size(); ++v) {
      const Interval& known = from.bounds(v);
      if (box[v].low <= known.low && known.high <= box[v].high) continue;
      if (!from.show(from.variable(v), box[v], steps)) return false;
    }
    return true;
  }

  bool show_constraints(const IndexingMap& inner, const IndexingMap& outer, Deduction& from) {
    for (size_t i = 0; i < outer.constraints.size(); ++i) {
      const Constraint& wanted = outer.constraints[i];
      if (is_on_variable(outer, i)) {  // a bound
        state_on_variable(outer, i);
        continue;
      }
      if (const std::optional<size_t> given = same_constraint(inner, outer, wanted)) {
        const bool wanted_is_new = is_new(outer);
        log_.add({0,
                  absl::StrCat("new constraint ", wanted_is_new ? i : *given, " is constraint ",
                               wanted_is_new ? *given : i),
                  "",
                  {},
                  {},
                  {}});
        continue;
      }
      const Sum value = from.value_of(outer, wanted.expr);
      std::vector<int> used = log_.take_used(), steps;
      if (!from.show(value, wanted.interval, steps)) return false;
      state(outer, i, log_.text_of(value), std::move(used));
    }
    return true;
  }

  static std::optional<size_t> same_constraint(const IndexingMap& inner, const IndexingMap& outer,
                                               const Constraint& wanted) {
    for (size_t i = 0; i < inner.constraints.size(); ++i) {
      const Constraint& given = inner.constraints[i];
      if (given.interval == wanted.interval &&
          same_expression(inner.nodes, given.expr, outer.nodes, wanted.expr)) {
        return i;
      }
    }
    return std::nullopt;
  }

  bool show_results() {
    std::vector<Interval> box = left_box_;
    for (size_t v = 0; v < box.size(); ++v) {
      box[v] = {std::max(box[v].low, right_box_[v].low), std::min(box[v].high, right_box_[v].high)};
    }
    Deduction from(box, log_);
    assume(left_, from);
    if (box == right_box_) assume(right_, from);
    for (size_t i = 0; i < left_.results.size(); ++i) {
      if (!show_result(i, from)) return false;
    }
    return true;
  }

  bool show_result(size_t number, Deduction& from) {
    const NodeId left = left_.results[number], right = right_.results[number];
    const std::string what = absl::StrCat("result ", number);
    if (same_expression(left_.nodes, left, right_.nodes, right)) {
      log_.add({0, absl::StrCat("new ", what, " is ", what), "", {}, {}, {}});
      return true;
    }
    const Sum a = from.value_of(left_, left);
    std::vector<int> used_by_a = log_.take_used(), steps;
    const Sum b = from.value_of(right_, right);
    std::vector<int> used_by_b = log_.take_used();
    if (!(a == b) && !from.show(a - b, {0, 0}, steps)) return false;
    const std::string text = log_.text_of(b);
    log_.add({0, absl::StrCat(what, " is ", text), "", {}, std::move(steps), std::move(used_by_a)});
    log_.add({0, absl::StrCat("new ", what, " is ", text), "", {}, {}, std::move(used_by_b)});
    return true;
  }

  const IndexingMap& left_;
  const IndexingMap& right_;
  const std::vector<Interval> left_box_, right_box_;
  QuasiAffineLog log_;
  std::set<std::string> stated_;  // facts of constraints
  bool showing_right_ = false;    // the caller of state() has just shown the fact
};

}  // namespace

std::optional<std::string> equality_log(const IndexingMap& left, const IndexingMap& right) {
  if (!left.known_empty) return EqualityLogger(left, right).log();
  return right.known_empty ? std::nullopt : equality_log(right, left);
}

bool simplification_is_logged(const IndexingMap& map, const IndexingMap& simple) {
  if (map == simple) return true;
  const absl::StatusOr<impl::Traced> traced = impl::simplify_with_trace(map);
  if (!traced.ok() || traced->trace.empty()) return false;
  const absl::StatusOr<trace::Checked> checked = trace::check_trace(traced->trace);
  return checked.ok() && to_text(checked->before) == to_text(map) &&
         to_text(checked->after) == to_text(simple);
}

}  // namespace tileproof::verify
