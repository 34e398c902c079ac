// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/loop_paths.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "verify/prove/hlo/containment.h"

namespace tileproof::verify {
namespace {

using spec::Dims;

constexpr int64_t kMaxPower = 8;
constexpr size_t kMaxCarriedLeaves = 40;
constexpr size_t kMaxLoopPaths = 400;
constexpr int64_t kMaxUnrolledTrips = 8;
constexpr size_t kMaxUnrolledPaths = 128;       // before each iteration
constexpr int64_t kMostUnrolledPoints = 4096;   // of paths, if others may have them
constexpr int64_t kMostUnrolledSteps = 50'000;  // of all paths, before those that are alike are one

// Which coordinate of the result each coordinate of the operand is; -1 is any index.
using Along = std::vector<int64_t>;

// Whether every pair of a path from the leaf plainly is a pair of the others to the same leaf.
bool is_contained(const spec::Loop& loop, const Leaves& leaves, int64_t from,
                  const DataflowPath& path, const Paths& others) {
  std::vector<Disjunct> whole;
  for (const DataflowPath& other : others) {
    if (other.leaf == path.leaf) whole.emplace_back(other);
  }
  const SourceResolver resolver(*loop.loop.module, loop.loop.body);
  return are_plainly_contained({resolver, leaves[from].dims, leaves[path.leaf].dims},
                               {Disjunct(path)}, whole, whole.empty() ? 0 : kMostUnrolledPoints);
}

// The coordinates of the result that the path plainly keeps. It must read no value.
Along kept_by(const DataflowPath& path, const Dims& result, const Dims& operand) {
  Dims sizes = result;
  sizes.insert(sizes.end(), path.ranges.begin(), path.ranges.end());
  std::vector<Interval> bounds;
  for (const int64_t size : sizes) bounds.push_back({0, std::max<int64_t>(size, 1) - 1});
  QuasiAffineContext context(bounds);
  std::vector<Symbol> o, s;
  for (size_t v = 0; v < bounds.size(); ++v) {
    (v < result.size() ? o : s).emplace_back(context.atom(static_cast<int32_t>(v)));
  }
  const auto none = [](const RuntimeRead<Symbol>&) { return Symbol(0); };
  const std::vector<Symbol> index = walk<Symbol>(path, o, s, none).index;
  Along along(operand.size(), -1);
  for (size_t d = 0; d < index.size(); ++d) {
    for (size_t v = 0; v < o.size() && operand[d] > 1; ++v) {
      if (result[v] == operand[d] && index[d].sum == o[v].sum) along[d] = static_cast<int64_t>(v);
    }
  }
  return along;
}

// Gives the offsets that the path reads the values of an iteration. False if one has none, and for
// a superset.
bool give_values(
    DataflowPath& path,
    absl::FunctionRef<std::optional<LoopValue>(const HloPosition&, const Interval&)> of) {
  if (path.is_superset) return false;
  for (Step& step : path.steps) {
    if (!step.values.empty()) continue;  // of a loop in the body
    const auto give = [&](const HloPosition& position, bool is_scalar, const Interval& bounds) {
      const auto value = is_scalar ? of(position, bounds) : std::nullopt;
      if (value) step.values.push_back(*value);
      return value.has_value();
    };
    if (step.lemma != nullptr) {
      for (const impl::RuntimeSource* source : step.lemma->relation.sources()) {
        HloPosition position = source->position;
        position.calls.insert(position.calls.begin(), step.calls.begin(), step.calls.end());
        if (!give(position, source->map.results.empty(), source->feasible)) return false;
      }
    }
    if (step.relation == nullptr || !uses_runtime(step.relation->dependences[step.dependence])) {
      continue;
    }
    for (const spec::RuntimeVariable& variable : step.relation->runtime) {
      const HloPosition position{step.calls, step.operands[variable.operand], 0};
      const bool is_scalar =
          std::ranges::all_of(variable.dims, [](int64_t size) { return size == 1; });
      if (!give(position, is_scalar, {variable.low, variable.high})) return false;
    }
  }
  return true;
}

// Whether an offset of the path grows from iteration to iteration.
bool uses_iteration(const DataflowPath& path) {
  return std::ranges::any_of(path.steps, [](const Step& step) {
    return std::ranges::any_of(step.values, [](const LoopValue& value) {
      return value.growth != 0 && value.range == kIteration;
    });
  });
}

// A path that reads every element of the operand's leaf with these coordinates.
DataflowPath path_along(const Along& coordinates, const Dims& operand, int64_t leaf) {
  spec::access::Projection projection;
  Dims ranges;
  for (size_t d = 0; d < operand.size(); ++d) {
    if (coordinates[d] >= 0) {
      projection.coordinates.push_back(spec::access::output(coordinates[d]));
    } else if (operand[d] == 1) {
      projection.coordinates.push_back(spec::access::constant(0));
    } else {
      projection.coordinates.push_back(spec::access::range(std::ssize(ranges)));
      ranges.push_back(operand[d]);
    }
  }
  auto relation = std::make_shared<spec::AccessRelation>();
  relation->dependences.push_back({0, leaf, ranges, std::move(projection)});
  return {0, leaf, {{std::move(relation), 0, {}, {}}}, ranges};
}

bool within(const Along& a, const Along& b) {
  for (size_t d = 0; d < a.size(); ++d) {
    if (b[d] != -1 && a[d] != b[d]) return false;
  }
  return true;
}

void insert(std::set<Along>& all, const Along& one) {
  for (const Along& other : all) {
    if (within(one, other)) return;
  }
  std::erase_if(all, [&](const Along& other) { return within(other, one); });
  all.insert(one);
}

// One after the other. Nothing if two coordinates would be the same arbitrary index.
std::optional<Along> one_after_the_other(const Along& first, const Along& second) {
  Along both;
  std::set<int64_t> repeated;
  for (const int64_t d : second) {
    both.push_back(d < 0 ? -1 : first[d]);
    if (d >= 0 && first[d] < 0 && !repeated.insert(d).second) return std::nullopt;
  }
  return both;
}

// The slab that a dynamic-update-slice writes in iteration k.
struct Slab {
  std::shared_ptr<const spec::AccessRelation> relation;
  std::vector<int32_t> calls;
  size_t dimension = 0;
  LoopValue offset;
  int64_t width = 0;
};

class LoopPaths {
 public:
  using Body = absl::FunctionRef<absl::StatusOr<Paths>(int64_t leaf)>;

  LoopPaths(const spec::Loop& loop, const LoopRun& run, const Leaves& leaves, Body of_body,
            absl::FunctionRef<bool()> is_late)
      : loop_(loop), run_(run), leaves_(leaves), of_body_(of_body), is_late_(is_late) {}

  std::optional<Paths> run() {
    if (run_.trips() == 0) return Paths{stays(loop_.leaf)};
    if (!find_leaves() || !find_powers()) return std::nullopt;
    const bool done = slab_ ? add_written() : add_before(stays(loop_.leaf), kIteration, loop_.leaf);
    if (!done || result_.size() > kMaxLoopPaths) return std::nullopt;
    return std::move(result_);
  }

 private:
  static DataflowPath stays(int64_t leaf) { return {0, leaf, {}, {}}; }
  const Dims& dims(int64_t leaf) const { return leaves_[leaf].dims; }

  // ---- The paths of the body ----

  // The value of an offset in each iteration, if it grows evenly.
  std::optional<LoopValue> value_of(const HloPosition& position, const Interval& bounds) {
    const auto [known, is_new] = values_.try_emplace({position, bounds.low, bounds.high});
    if (!is_new) return known->second;
    LoopValue value{0, 0, kIteration};
    for (int64_t k = 0; k < run_.trips(); ++k) {
      const auto now = integer_at(*loop_.loop.module, loop_.loop.body, position, run_.states[k]);
      if (!now) return std::nullopt;
      const int64_t clamped = std::clamp(*now, bounds.low, bounds.high);
      if (k == 0) value.first = clamped;
      if (k == 1) value.growth = clamped - value.first;
      if (clamped != value.first + value.growth * k) return std::nullopt;
    }
    known->second = value;
    return value;
  }

  const Paths* paths_of(int64_t leaf) {
    const auto [known, is_new] = paths_.try_emplace(leaf);
    if (is_new) {
      const auto definition = of_body_(leaf);
      if (!definition.ok()) return nullptr;
      Paths paths;
      for (DataflowPath path : *definition) {
        const auto value = [&](const auto& position, const auto& bounds) {
          return value_of(position, bounds);
        };
        if (!give_values(path, value)) return nullptr;
        const bool flows = uses_iteration(path) || !is_contained(loop_, leaves_, leaf, path, {});
        if (flows) paths.push_back(std::move(path));
      }
      known->second = std::move(paths);
    }
    return known->second ? &*known->second : nullptr;
  }

  // ---- Kinds of leaves ----

  // Every index of the leaf to itself.
  Along same(int64_t leaf) const {
    Along coordinates;
    for (size_t d = 0; d < dims(leaf).size(); ++d) {
      coordinates.push_back(dims(leaf)[d] == 1 ? -1 : static_cast<int64_t>(d));
    }
    return coordinates;
  }

  bool is_static(int64_t leaf, const Paths& paths) const {
    if (paths.size() != 1 || paths[0].leaf != leaf || uses_iteration(paths[0])) return false;
    return paths[0].steps.empty() || along(leaf, paths[0]) == same(leaf);
  }

  // How the path runs along whole dimensions; nothing if it does anything else.
  std::optional<Along> along(int64_t leaf, const DataflowPath& path) const {
    Along coordinates = kept_by(path, dims(leaf), dims(path.leaf));
    const DataflowPath all = path_along(coordinates, dims(path.leaf), path.leaf);
    if (!is_contained(loop_, leaves_, leaf, all, {path})) return std::nullopt;
    return coordinates;
  }

  bool is_carried(int64_t leaf) const { return carried_.contains(leaf); }

  bool find_leaves() {
    std::vector<int64_t> open = {loop_.leaf};
    std::set<int64_t> met = {loop_.leaf};
    while (!open.empty()) {
      if (is_late_()) return false;
      const int64_t leaf = open.back();
      open.pop_back();
      if (std::ranges::count(dims(leaf), 0) > 0) return false;
      const Paths* paths = paths_of(leaf);
      if (paths == nullptr) return false;
      if (is_static(leaf, *paths)) continue;
      if (leaf == loop_.leaf && !find_slab(*paths)) return false;
      const bool written = leaf == loop_.leaf && slab_.has_value();
      if (!written) carried_.insert(leaf);
      for (const DataflowPath& one : *paths) {
        if (!written && slab_ && one.leaf == loop_.leaf) return false;
        if (met.insert(one.leaf).second) open.push_back(one.leaf);
      }
    }
    return carried_.size() <= kMaxCarriedLeaves;
  }

  // The slab outside of which the path keeps the leaf.
  std::optional<Slab> slab_of(const DataflowPath& one) const {
    if (one.leaf != loop_.leaf || one.steps.size() != 1) return std::nullopt;
    const Step& step = one.steps[0];
    if (step.relation == nullptr || step.values.empty()) return std::nullopt;
    const spec::Dependence& dependence = step.relation->dependences[step.dependence];
    const auto* update = std::get_if<op::DynamicUpdateSlice>(&dependence.access);
    if (update == nullptr || dependence.operand != 0) return std::nullopt;
    std::optional<Slab> slab;
    for (size_t d = 0; d < update->operand.size(); ++d) {
      if (update->update[d] == update->operand[d]) continue;
      if (slab || update->update[d] == 0) return std::nullopt;
      slab = Slab{step.relation, step.calls, d, step.values[d], update->update[d]};
    }
    return slab;
  }

  // Whether the leaf has no slab, or one: then it is set.
  bool find_slab(const Paths& paths) {
    for (const DataflowPath& one : paths) {
      if (const auto slab = slab_of(one)) {
        if (slab_ && (slab_->relation != slab->relation || slab_->calls != slab->calls)) {
          return false;
        }
        slab_ = slab;
      }
    }
    if (!slab_) return true;
    for (const DataflowPath& one : paths) {
      if (one.leaf == loop_.leaf && !slab_of(one)) return false;
    }
    return run_.trips() == 1 || std::abs(slab_->offset.growth) == slab_->width;
  }

  // ---- Powers of what the body makes of carried leaves ----

  using Power = std::map<std::pair<int64_t, int64_t>, std::set<Along>>;

  bool find_powers() {
    Power body, power;
    for (const int64_t leaf : carried_) {
      std::vector<const DataflowPath*> others;  // that only may be part of one along dimensions
      power[{leaf, leaf}].insert(same(leaf));
      for (const DataflowPath& one : *paths_of(leaf)) {
        if (!is_carried(one.leaf)) continue;
        if (uses_iteration(one)) return false;
        const auto coordinates = along(leaf, one);
        if (coordinates) insert(body[{leaf, one.leaf}], *coordinates);
        if (!coordinates) others.push_back(&one);
      }
      for (const DataflowPath* one : others) {
        const Along kept = kept_by(*one, dims(leaf), dims(one->leaf));
        const auto has_it = [&](const Along& way) { return within(kept, way); };
        if (std::ranges::none_of(body[{leaf, one->leaf}], has_it)) return false;
      }
    }
    while (std::ssize(powers_) <= kMaxPower) {
      powers_.push_back(power);
      Power next;
      for (const auto& [from, firsts] : body) {
        for (const auto& [to, seconds] : power) {
          if (from.second != to.first) continue;
          for (const Along& first : firsts) {
            for (const Along& second : seconds) {
              const auto both = one_after_the_other(first, second);
              if (!both) return false;
              insert(next[{from.first, to.second}], *both);
            }
          }
        }
      }
      if (next == power) return true;
      power = std::move(next);
    }
    return false;
  }

  // ---- Paths of the loop ----

  bool add_written() {
    const int64_t last = slab_->offset.first + slab_->offset.growth * (run_.trips() - 1);
    const int64_t low = std::min(slab_->offset.first, last);
    const int64_t high = std::max(slab_->offset.first, last) + slab_->width;
    const int64_t size = dims(loop_.leaf)[slab_->dimension];
    for (const Interval kept : {Interval{0, low - 1}, Interval{high, size - 1}}) {
      if (kept.low > kept.high) continue;
      DataflowPath path = stays(loop_.leaf);
      path.steps.push_back({.conditions = {{{}, slab_->dimension, kept}}});
      result_.push_back(std::move(path));
    }
    for (const DataflowPath& one : *paths_of(loop_.leaf)) {
      if (one.leaf == loop_.leaf) continue;
      if (is_update(one)) {
        DataflowPath path = stays(loop_.leaf);
        path.ranges = {run_.trips()};
        path.steps.push_back({.iterations = 1});
        append(path, one, 0);
        if (!add_before(path, 0, one.leaf)) return false;
      } else if (!uses_iteration(one) && !is_carried(one.leaf)) {
        result_.push_back(one);  // of the last iteration, after which nothing is overwritten
      } else {
        return false;
      }
    }
    return true;
  }

  bool is_update(const DataflowPath& one) const {
    if (one.steps.empty()) return false;
    const Step& step = one.steps[0];
    return step.relation == slab_->relation && step.calls == slab_->calls &&
           step.relation->dependences[step.dependence].operand == 1 && !step.values.empty();
  }

  // Continues a path that has come to `leaf` before iteration k, a range variable of it; after the
  // last iteration if there is none.
  bool add_before(const DataflowPath& path, size_t k, int64_t leaf) {
    if (!is_carried(leaf)) {
      result_.push_back(path);
      return true;
    }
    const int64_t trips = run_.trips(), stable = std::ssize(powers_) - 1;
    for (int64_t i = 0; i <= stable; ++i) {
      const int64_t most = i < stable ? i : trips;
      for (const auto& [leaves, ways] : powers_[i]) {
        if (leaves.first != leaf) continue;
        for (const Along& way : ways) {
          const DataflowPath power = path_along(way, dims(leaves.second), leaves.second);
          if (auto start = limited(path, k, i, most)) {
            append(*start, power);
            result_.push_back(*std::move(start));
          }
          for (const DataflowPath& one : *paths_of(leaves.second)) {
            if (!is_carried(one.leaf)) {
              add_earlier(path, k, power, one, i + 1, i < stable ? i + 1 : trips);
            }
          }
        }
      }
    }
    return result_.size() <= kMaxLoopPaths;
  }

  // The path where low <= k <= high.
  std::optional<DataflowPath> limited(const DataflowPath& path, size_t k, int64_t low,
                                      int64_t high) const {
    DataflowPath result = path;
    if (k == kIteration) {
      const bool holds = low <= run_.trips() && run_.trips() <= high;
      return holds ? std::optional(std::move(result)) : std::nullopt;
    }
    if (low >= run_.trips()) return std::nullopt;
    result.steps.push_back({.conditions = {{{{k, 1}}, std::nullopt, {low, high}}}});
    return result;
  }

  // What iteration k - difference of the carried leaf reads, for the differences from low to high.
  void add_earlier(const DataflowPath& path, size_t k, const DataflowPath& power,
                   const DataflowPath& read, int64_t low, int64_t high) {
    auto start = limited(path, k, low, run_.trips());
    if (!start) return;
    append(*start, power);
    const size_t j = start->ranges.size();
    if (uses_iteration(read)) {
      start->ranges.push_back(run_.trips());
      StepCondition condition{{{j, -1}}, std::nullopt, {low, high}};
      if (k == kIteration) {
        condition.interval = {low - run_.trips(), high - run_.trips()};
      } else {
        condition.terms.emplace_back(k, 1);
      }
      start->steps.push_back({.conditions = {condition}, .iterations = 1});
    }
    append(*start, read, j);
    result_.push_back(*std::move(start));
  }

  const spec::Loop& loop_;
  const LoopRun& run_;
  const Leaves& leaves_;
  Body of_body_;
  absl::FunctionRef<bool()> is_late_;
  std::map<std::tuple<HloPosition, int64_t, int64_t>, std::optional<LoopValue>> values_;
  std::map<int64_t, std::optional<Paths>> paths_;
  std::set<int64_t> carried_;
  std::optional<Slab> slab_;  // of the leaf in question, if it is written
  std::vector<Power> powers_;
  Paths result_;
};

// The paths of the body, one after the other for each iteration, the last one first.
std::optional<Paths> unrolled(const spec::Loop& loop, const LoopRun& run, const Leaves& leaves,
                              LoopPaths::Body of_body, absl::FunctionRef<bool()> is_late) {
  if (run.trips() > kMaxUnrolledTrips) return std::nullopt;
  int64_t steps = kMostUnrolledSteps;
  Paths paths = {{0, loop.leaf, {}, {}}};
  for (int64_t k = run.trips(); k-- > 0;) {
    const auto value_of = [&](const HloPosition& position,
                              const Interval& bounds) -> std::optional<LoopValue> {
      const auto now = integer_at(*loop.loop.module, loop.loop.body, position, run.states[k]);
      if (!now) return std::nullopt;
      return LoopValue{.first = std::clamp(*now, bounds.low, bounds.high)};
    };
    Paths before;
    for (const DataflowPath& path : paths) {
      const absl::StatusOr<Paths> body = of_body(path.leaf);
      if (!body.ok()) return std::nullopt;
      for (DataflowPath further : *body) {
        if (is_late() || !give_values(further, value_of)) return std::nullopt;
        DataflowPath both = path;
        append(both, further);
        steps -= 1 + std::ssize(both.steps);
        if (steps < 0) return std::nullopt;
        if (!is_contained(loop, leaves, loop.leaf, both, before)) before.push_back(std::move(both));
      }
    }
    if (before.size() > kMaxUnrolledPaths) return std::nullopt;
    paths = std::move(before);
  }
  return paths;
}

}  // namespace

std::optional<Paths> loop_paths(const spec::Loop& loop, const LoopRun& run, const Leaves& leaves,
                                absl::FunctionRef<absl::StatusOr<Paths>(int64_t leaf)> of_body,
                                absl::FunctionRef<bool()> is_late) {
  if (auto found = LoopPaths(loop, run, leaves, of_body, is_late).run()) return found;
  return unrolled(loop, run, leaves, of_body, is_late);
}

}  // namespace tileproof::verify
