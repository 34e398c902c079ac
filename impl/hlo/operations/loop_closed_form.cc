// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/operations/loop_closed_form.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "impl/hlo/access_relation_limits.h"
#include "impl/hlo/remembered/relation_memo.h"
#include "impl/map/solve_ranges.h"
#include "spec/lang/base/checked_arithmetic.h"

namespace tileproof::impl {
namespace {

constexpr int64_t kMaxPowers = 8;
constexpr size_t kMaxCarried = 40;
constexpr size_t kMaxDependences = 24;

// A relation of the body. If it depends on the iteration, range variable `k` is its number.
struct Step {
  int32_t leaf = 0;  // that it reads
  AccessRelation relation;
  std::optional<int64_t> k = std::nullopt;
};

// A relation of coordinates: each is a dimension of the output, or any index. In a dimension of size 1
// it is the constant 0. Null for other relations.
AccessRelationPtr pick_of(const AccessRelation& relation, const Dims& output, const Dims& operand) {
  const IndexingMap& map = relation.map;
  if (!relation.runtime.empty() || !is_box(map, output)) return nullptr;
  MapBuilder m(output);
  std::set<int64_t> ranges;
  for (int32_t i = 0; i < relation.rank; ++i) {
    const Node& node = map.nodes[map.results[i]];
    if (operand[i] == 1) {
      m.result(m.constant(0));
    } else if (node.op == Op::kDimension) {
      m.result(m.dimension(node.value));
    } else if (node.op == Op::kRange && ranges.insert(node.value).second &&
               map.ranges[node.value].bounds == Interval{0, operand[i] - 1}) {
      m.result(m.range(operand[i]));
    } else {
      return nullptr;
    }
  }
  AccessRelation pick;
  pick.map = m.take();
  pick.rank = relation.rank;
  return finish(std::move(pick), output, operand);
}

// Unions of picks between two leaves, of which none contains another.
using Union = std::vector<AccessRelationPtr>;
using Picks = std::map<std::pair<int32_t, int32_t>, Union>;

// An expression as a sum of slopes * dimensions + growth * k + constant.
struct Line {
  std::map<int64_t, int64_t> slopes;  // by dimension
  int64_t growth = 0, constant = 0;
};

// Adds `factor` times the expression to the line. Returns false if it is of another form. A
// simplified map has constants as right factors.
bool add_to(Line& line, const IndexingMap& map, NodeId at, std::optional<int64_t> k,
            int64_t factor) {
  const Node& node = map.nodes[at];
  const auto grow = [factor](int64_t& sum, int64_t value) {
    const auto part = checked_mul(factor, value);
    const auto whole = part ? checked_add(sum, *part) : std::nullopt;
    if (whole) sum = *whole;
    return whole.has_value();
  };
  switch (node.op) {
    case Op::kConstant:
      return grow(line.constant, node.value);
    case Op::kDimension:
      return grow(line.slopes[node.value], 1);
    case Op::kRange:
      return node.value == k && grow(line.growth, 1);
    case Op::kAdd:
      return add_to(line, map, node.left, k, factor) && add_to(line, map, node.right, k, factor);
    case Op::kMul: {
      const Node& right = map.nodes[node.right];
      const auto product =
          right.op == Op::kConstant ? checked_mul(factor, right.value) : std::nullopt;
      return product && add_to(line, map, node.left, k, *product);
    }
    default:
      return false;
  }
}

std::optional<Line> line_of(const IndexingMap& map, NodeId at, std::optional<int64_t> k) {
  Line line;
  return add_to(line, map, at, k, 1) ? std::optional(line) : std::nullopt;
}

// d_x - step * k is in an interval.
struct Band {
  int64_t dimension = 0;
  int64_t step = 0;
  Interval interval;
};

std::optional<Band> band_of(const Step& at, const Constraint& constraint) {
  const auto line = line_of(at.relation.map, constraint.expr, at.k);
  if (!line || line->slopes.size() != 1 || line->slopes.begin()->second != 1) return std::nullopt;
  const auto from = checked_sub(constraint.interval.low, line->constant);
  const auto to = checked_sub(constraint.interval.high, line->constant);
  if (!from || !to) return std::nullopt;
  return Band{line->slopes.begin()->first, -line->growth, {*from, *to}};
}

// The slab of iteration k: first + step * k and the next `width` indices of one dimension.
struct Slab {
  int64_t dimension = 0;
  int64_t first = 0, step = 0, width = 0;
};

class LoopAnalysis {
 public:
  LoopAnalysis(const op::While& loop, const LoopCounters& counters, const OperationContext& context)
      : loop_(loop), counters_(counters), context_(context), last_(counters.trips - 1) {}

  std::optional<Dependences> run() {
    if (counters_.trips == 0) {
      add_identity(context_, result_, {0, context_.leaf});
      return std::move(result_);
    }
    if (!find_carried()) return std::nullopt;
    const bool done = is_written_ ? add_written() : add_carried();
    for (const int32_t leaf : pushed_) {
      for (AccessRelationPtr& one : relations_of(unions_[leaf], context_.output, dims(leaf))) {
        result_.dependences.push_back({0, leaf, std::move(one)});
      }
    }
    if (!done || result_.dependences.size() > kMaxDependences) return std::nullopt;
    return std::move(result_);
  }

 private:
  const Dims& dims(int32_t leaf) const { return context_.sizes({0, leaf}); }

  // The relation with its offsets as functions of the iteration.
  std::optional<Step> step_of(const Dependence& dependence) {
    Step step{dependence.leaf, *dependence.relation};
    AccessRelation& relation = step.relation;
    if (relation.runtime.empty()) return step;
    for (const RuntimeValue& value : relation.runtime) {
      auto known = affine_at(counters_, value.position);
      if (!known) return std::nullopt;
      if (last_ == 0) known->step = 0;  // a single value
      const int64_t ends[] = {known->first, known->first + known->step * last_};
      for (const int64_t end : ends) {
        if (end < value.feasible.low || end > value.feasible.high) return std::nullopt;
      }
      values_[value.position] = *known;
    }
    step.k = std::ssize(relation.map.ranges);
    relation.map.ranges.push_back({{0, last_}, ""});
    for (size_t v = 0; v < relation.runtime.size(); ++v) {
      const Affine known = values_.at(relation.runtime[v].position);
      ExprTable& nodes = relation.map.nodes;
      const NodeId k = add_variable(nodes, Op::kRange, *step.k);
      const NodeId grown = add_operation(nodes, Op::kMul, k, add_constant(nodes, known.step));
      const NodeId value = add_operation(nodes, Op::kAdd, grown, add_constant(nodes, known.first));
      relation = with_value(std::move(relation), static_cast<int32_t>(v), value);
    }
    relation.runtime.clear();
    relation.map.runtime.clear();
    relation.map.results.resize(relation.rank);
    relation.written.reset();
    return step;
  }

  // What one iteration reads for a leaf; null if some offset is not known.
  const std::vector<Step>* steps_of(int32_t leaf) {
    const auto [known, is_new] = steps_.try_emplace(leaf);
    if (is_new) {
      known->second.emplace();
      for (const Dependence& dependence : context_.summaries[loop_.body][leaf]->dependences) {
        auto step = step_of(dependence);
        if (!step) {
          known->second.reset();
          break;
        }
        known->second->push_back(*std::move(step));
      }
    }
    return known->second ? &*known->second : nullptr;
  }

  static bool is_static(int32_t leaf, const std::vector<Step>& steps) {
    return steps.size() == 1 && steps.front().leaf == leaf && steps.front().relation.identity &&
           !steps.front().relation.inexact;
  }

  // The leaves that are carried, and the powers of what the body makes of them.
  bool find_carried() {
    std::vector<int32_t> open = {context_.leaf};
    std::set<int32_t> met = {context_.leaf};
    while (!open.empty()) {
      const int32_t leaf = open.back();
      open.pop_back();
      const std::vector<Step>* steps = steps_of(leaf);
      if (steps == nullptr) return false;
      if (is_static(leaf, *steps)) continue;
      if (leaf == context_.leaf) is_written_ = reads_itself_at_a_counter(*steps);
      const bool written = leaf == context_.leaf && is_written_;
      if (!written) carried_.push_back(leaf);
      for (const Step& step : *steps) {
        // Only its own slabs may keep a written leaf.
        if (!written && step.leaf == context_.leaf && is_written_) return false;
        if (met.insert(step.leaf).second) open.push_back(step.leaf);
      }
    }
    return carried_.size() <= kMaxCarried && find_powers();
  }

  bool is_carried(int32_t leaf) const { return std::ranges::count(carried_, leaf) > 0; }

  bool find_powers() {
    Picks body, power;
    for (const int32_t leaf : carried_) {
      for (const Step& step : *steps_of(leaf)) {
        if (!is_carried(step.leaf)) continue;
        if (step.k || step.relation.inexact) return false;
        const auto pick = pick_of(step.relation, dims(leaf), dims(step.leaf));
        if (pick) add(body, leaf, step.leaf, pick);
      }
      // Others may be part of one.
      for (const Step& step : *steps_of(leaf)) {
        if (is_carried(step.leaf) && !has(body, leaf, step.leaf, step.relation)) return false;
      }
      power[{leaf, leaf}] = {pick_of(*identity_relation(dims(leaf)), dims(leaf), dims(leaf))};
    }
    for (int64_t i = 0; i <= kMaxPowers; ++i) {
      powers_.push_back(power);
      std::optional<Picks> next = product(body, power);
      if (!next) return false;
      if (are_in(*next, power) && are_in(power, *next)) return true;
      power = *std::move(next);
    }
    return false;
  }

  bool has(const Picks& all, int32_t from, int32_t to, const AccessRelation& one) const {
    const auto found = all.find({from, to});
    return found != all.end() && std::ranges::any_of(found->second, [&](const auto& other) {
             return contains(*other, one, dims(from), dims(to));
           });
  }

  void add(Picks& all, int32_t from, int32_t to, const AccessRelationPtr& pick) const {
    if (has(all, from, to, *pick)) return;
    Union& picks = all[{from, to}];
    std::erase_if(picks, [&](const AccessRelationPtr& other) {
      return contains(*pick, *other, dims(from), dims(to));
    });
    picks.push_back(pick);
  }

  // Nothing if two coordinates would be the same arbitrary index.
  std::optional<Picks> product(const Picks& first, const Picks& second) const {
    Picks result;
    for (const auto& [leaves, picks] : first) {
      for (const auto& [further, others] : second) {
        if (leaves.second != further.first) continue;
        const Dims &x = dims(leaves.first), &y = dims(leaves.second), &z = dims(further.second);
        for (const AccessRelationPtr& a : picks) {
          for (const AccessRelationPtr& b : others) {
            const AccessRelationPtr both = compose(a, b, x, y, z);
            const AccessRelationPtr pick = both ? pick_of(*both, x, z) : nullptr;
            if (!pick) return std::nullopt;
            add(result, leaves.first, further.second, pick);
          }
        }
      }
    }
    return result;
  }

  bool are_in(const Picks& a, const Picks& b) const {
    return std::ranges::all_of(a, [&](const auto& one) {
      return std::ranges::all_of(one.second, [&](const AccessRelationPtr& pick) {
        return has(b, one.first.first, one.first.second, *pick);
      });
    });
  }

  // ---- Written leaves ----

  // Of a leaf that reads itself: whether it is the identity where one dimension lies before or
  // behind a slab.
  std::optional<Band> keep_of(const Step& step) const {
    const AccessRelation& relation = step.relation;
    if (relation.inexact) return std::nullopt;
    for (int32_t i = 0; i < relation.rank; ++i) {
      const Node& node = relation.map.nodes[relation.map.results[i]];
      if (context_.output[i] == 1) continue;
      if (node.op != Op::kDimension || node.value != i) return std::nullopt;
    }
    std::optional<Band> only;
    for (const Constraint& constraint : relation.map.constraints) {
      const auto band = band_of(step, constraint);
      if (!band) continue;
      if (only) return std::nullopt;
      only = band;
    }
    return only && says_no_more(step, *only) ? only : std::nullopt;
  }

  // Whether the other constraints hold in each iteration in which the band has an index at all.
  bool says_no_more(const Step& step, const Band& band) const {
    const int64_t size = context_.output[band.dimension];
    for (const Constraint& constraint : step.relation.map.constraints) {
      if (band_of(step, constraint)) continue;
      const auto line = line_of(step.relation.map, constraint.expr, step.k);
      if (!line || !line->slopes.empty()) return false;
      for (int64_t k = 0; k <= last_; ++k) {
        const int64_t value = line->growth * k + line->constant;
        if (constraint.interval.low <= value && value <= constraint.interval.high) continue;
        const int64_t move = band.step * k;
        if (band.interval.low + move < size && band.interval.high + move >= 0) return false;
      }
    }
    return true;
  }

  // Only a written leaf may do so.
  bool reads_itself_at_a_counter(const std::vector<Step>& steps) const {
    return std::ranges::any_of(
        steps, [&](const Step& step) { return step.leaf == context_.leaf && step.k; });
  }

  int64_t least(const Band& band, int64_t bound) const {
    return bound + std::min<int64_t>(0, band.step * last_);
  }
  int64_t most(const Band& band, int64_t bound) const {
    return bound + std::max<int64_t>(0, band.step * last_);
  }

  // The slabs that all keeps leave out. Their bounds must say nothing else.
  std::optional<Slab> slab_of(const std::vector<Step>& steps) const {
    std::optional<Slab> slab;
    std::optional<int64_t> before, behind;  // the last index before the slab of k = 0; the first
    for (const Step& step : steps) {
      if (step.leaf != context_.leaf) continue;
      const auto band = keep_of(step);
      if (!band || (slab && (slab->dimension != band->dimension || slab->step != band->step))) {
        return std::nullopt;
      }
      slab.emplace();
      slab->dimension = band->dimension;
      slab->step = band->step;
      const int64_t size = context_.output[band->dimension];
      for (size_t d = 0; d < context_.output.size(); ++d) {
        const Interval bounds = step.relation.map.dimensions[d].bounds;
        Interval all{0, context_.output[d] - 1};
        if (static_cast<int64_t>(d) == band->dimension) {
          // Bounds that the band implies in every iteration.
          all.low = std::max(all.low, least(*band, band->interval.low));
          all.high = std::min(all.high, most(*band, band->interval.high));
        }
        if (bounds.low > all.low || bounds.high < all.high) return std::nullopt;
      }
      if (most(*band, band->interval.low) <= 0) {
        if (before) return std::nullopt;
        before = band->interval.high;
      } else if (least(*band, band->interval.high) >= size - 1) {
        if (behind) return std::nullopt;
        behind = band->interval.low;
      } else {
        return std::nullopt;
      }
    }
    if (!before || !behind) return std::nullopt;
    slab->first = *before + 1;
    slab->width = *behind - slab->first;
    const bool side_by_side = last_ == 0 || std::abs(slab->step) == slab->width;
    return side_by_side ? slab : std::nullopt;
  }

  bool add_written() {
    const std::vector<Step>& steps = *steps_of(context_.leaf);
    const auto slab = slab_of(steps);
    if (!slab) return false;
    const int64_t end = slab->first + slab->step * last_;
    const int64_t low = std::min(slab->first, end);
    const int64_t high = std::max(slab->first, end) + slab->width;
    const int64_t size = context_.output[slab->dimension];
    for (const Interval kept : {Interval{0, low - 1}, Interval{high, size - 1}}) {
      AccessRelation same = *identity_relation(context_.output);
      same.map.dimensions[slab->dimension].bounds = kept;
      push(context_.leaf, std::move(same));
    }
    for (const Step& step : steps) {
      if (step.leaf == context_.leaf) continue;
      const bool inside =
          std::ranges::any_of(step.relation.map.constraints, [&](const Constraint& constraint) {
            const auto band = band_of(step, constraint);
            return band && band->dimension == slab->dimension && band->step == slab->step &&
                   band->interval.low >= slab->first &&
                   band->interval.high < slab->first + slab->width;
          });
      if (inside && step.k) {
        add_read(step, step.leaf);
      } else if (!step.k && !is_carried(step.leaf)) {
        push(step.leaf, step.relation);  // in the last iteration, which overwrites nothing of it
      } else {
        return false;
      }
    }
    return true;
  }

  // ---- Carried leaves ----

  bool add_carried() {
    if (!is_carried(context_.leaf)) {
      add_identity(context_, result_, {0, context_.leaf});
      return true;
    }
    add_read({context_.leaf, *identity_relation(context_.output)}, context_.leaf);
    return true;
  }

  // Adds what `leaf` has before iteration k of the step; after the last if the step has no k.
  void add_read(const Step& step, int32_t leaf) {
    if (!is_carried(leaf)) {
      push(leaf, step.relation);
      return;
    }
    const int64_t stable = std::ssize(powers_) - 1;
    for (int64_t i = 0; i <= stable; ++i) {
      for (const auto& [leaves, picks] : powers_[i]) {
        if (leaves.first != leaf) continue;
        for (const AccessRelationPtr& pick : picks) {
          const AccessRelation& power = *pick;
          const int64_t high = i < stable ? i : counters_.trips;
          if (auto first = limited(step, i, high)) {
            push(leaves.second, joined(*first, power, dims(leaf)));
          }
          add_earlier(step, leaf, power, leaves.second, i + 1,
                      i < stable ? i + 1 : counters_.trips);
        }
      }
    }
  }

  // The relation of the step where `low` <= k <= `high`. Nothing if that is nowhere.
  std::optional<AccessRelation> limited(const Step& step, int64_t low, int64_t high) const {
    AccessRelation relation = step.relation;
    if (!step.k) {
      if (low > counters_.trips || counters_.trips > high) return std::nullopt;
      return relation;
    }
    if (low > last_) return std::nullopt;
    const NodeId k = add_variable(relation.map.nodes, Op::kRange, *step.k);
    relation.map.constraints.push_back({k, {low, std::min(high, last_)}});
    return relation;
  }

  // What iteration j = k - difference read of static leaves for the leaf `between`, for the
  // differences from low to high.
  void add_earlier(const Step& step, int32_t leaf, const AccessRelation& power, int32_t between,
                   int64_t low, int64_t high) {
    const auto first = limited(step, low, counters_.trips);
    if (!first) return;
    const AccessRelation before = joined(*first, power, dims(leaf));
    const int64_t shift = std::ssize(before.map.ranges);
    for (const Step& read : *steps_of(between)) {
      if (is_carried(read.leaf)) continue;
      AccessRelation all = joined(before, read.relation, dims(between));
      if (read.k) {
        ExprTable& nodes = all.map.nodes;
        const NodeId j = add_variable(nodes, Op::kRange, shift + *read.k);
        const NodeId k = step.k ? add_variable(nodes, Op::kRange, *step.k)
                                : add_constant(nodes, counters_.trips);
        const NodeId minus = add_operation(nodes, Op::kMul, j, add_constant(nodes, -1));
        all.map.constraints.push_back({add_operation(nodes, Op::kAdd, k, minus), {low, high}});
      }
      push(read.leaf, std::move(all));
    }
  }

  void push(int32_t leaf, AccessRelation relation) {
    const Dims& operand = dims(leaf);
    relation.onto = false;
    relation.fingerprint = fingerprint_of(relation);
    const auto read = std::make_shared<const AccessRelation>(std::move(relation));
    const AccessRelationPtr done =
        remembered_one(MadeOf::kLoopRead, read, context_.output, operand, [&] {
          AccessRelation copy = *read;
          if (auto solved = solve_ranges(copy.map)) copy.map = *std::move(solved);
          return simplified(std::move(copy), context_.output, operand);
        });
    if (!done) return;
    impl::add(unions_[leaf], done, context_.output, operand);
    std::erase(pushed_, leaf);
    pushed_.push_back(leaf);
  }

  const op::While& loop_;
  const LoopCounters& counters_;
  const OperationContext& context_;
  const int64_t last_;
  std::map<HloPosition, Affine> values_;
  std::map<int32_t, std::optional<std::vector<Step>>> steps_;
  std::vector<int32_t> carried_;
  bool is_written_ = false;
  std::vector<Picks> powers_;
  std::map<int32_t, UnionMap> unions_;
  std::vector<int32_t> pushed_;  // the leaves that have unions, the last one that grew at the end
  Dependences result_;
};

}  // namespace

std::optional<Dependences> loop_closed_form(const op::While& loop, const LoopCounters& counters,
                                            const OperationContext& context) {
  return LoopAnalysis(loop, counters, context).run();
}

}  // namespace tileproof::impl
