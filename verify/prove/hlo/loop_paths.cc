// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/loop_paths.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "verify/prove/hlo/containment.h"
#include "verify/prove/smt/certain.h"
#include "verify/prove/smt/formula.h"
#include "verify/prove/smt/linear_query.h"
#include "verify/prove/smt/thread_cpu_clock.h"

namespace tileproof::verify {
namespace {

using spec::Dims;

constexpr int64_t kMaxPower = 8;
constexpr size_t kMaxCarriedLeaves = 40;
constexpr size_t kMaxLoopPaths = 400;
constexpr int64_t kProofMilliseconds = 2000;

// A path of the body. Offsets that its steps read are loop values of range variable kIteration.
struct BodyPath {
  DataflowPath path;
  bool uses_iteration = false;
};

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

// How a path runs along whole dimensions; nothing if it does anything else.
std::optional<Along> along(const DataflowPath& path, const Dims& result, const Dims& operand) {
  std::vector<Interval> bounds;
  for (const Dims* sizes : {&result, &path.ranges}) {
    for (const int64_t size : *sizes) {
      if (size == 0) return std::nullopt;
      bounds.push_back({0, size - 1});
    }
  }
  QuasiAffineContext context(bounds);
  std::vector<Symbol> o, s;
  for (size_t v = 0; v < bounds.size(); ++v) {
    (v < result.size() ? o : s).emplace_back(context.atom(static_cast<int32_t>(v)));
  }
  const auto value = [](const RuntimeRead<Symbol>&) { return Symbol(0); };
  if (!reads_of(path).empty()) return std::nullopt;
  const PathEnd<Symbol> end = walk(path, std::move(o), s, value);
  if (!is_certain(context, end.in_domain)) return std::nullopt;
  Along coordinates;
  std::set<size_t> ranges;
  for (size_t d = 0; d < operand.size(); ++d) {
    if (operand[d] == 1) {
      coordinates.push_back(-1);
      continue;
    }
    const Sum& sum = end.index[d].sum;
    if (sum.too_large || sum.constant != 0) return std::nullopt;
    std::map<Wide, int64_t> digits;  // range variables: their sizes, by their factors
    for (const auto& [product, coefficient] : sum.terms) {
      if (product.size() != 1) return std::nullopt;
      const auto atom = static_cast<size_t>(product[0]);
      if (atom < result.size()) {
        if (sum.terms.size() != 1 || coefficient != 1) return std::nullopt;
        coordinates.push_back(product[0]);
        break;
      }
      const size_t range = atom - result.size();
      if (range >= path.ranges.size() || !ranges.insert(range).second) return std::nullopt;
      if (!digits.emplace(coefficient, path.ranges[range]).second) return std::nullopt;
    }
    if (coordinates.size() > d) continue;
    // Digits of a number from 0 to the last index: any index.
    Wide next = 1;
    for (const auto& [factor, size] : digits) {
      if (factor != next) return std::nullopt;
      next *= size;
    }
    if (next != operand[d]) return std::nullopt;
    coordinates.push_back(-1);
  }
  return coordinates;
}

// Whether intervals show that the path has no pair.
bool never_flows(const DataflowPath& path, const Dims& result) {
  std::vector<Interval> bounds;
  for (const Dims* sizes : {&result, &path.ranges}) {
    for (const int64_t size : *sizes) {
      if (size == 0) return true;
      bounds.push_back({0, size - 1});
    }
  }
  const size_t end_of_ranges = bounds.size();
  const auto uses_range = [&](const LoopValue& value) { return value.growth != 0; };
  for (const Step& step : path.steps) {
    if (std::ranges::any_of(step.values, uses_range)) return false;
  }
  const std::vector<Interval> reads = reads_of(path);
  bounds.insert(bounds.end(), reads.begin(), reads.end());
  QuasiAffineContext context(bounds);
  const auto atom = [&](size_t v) { return Symbol(context.atom(static_cast<int32_t>(v))); };
  std::vector<Symbol> o, s;
  for (size_t v = 0; v < end_of_ranges; ++v) (v < result.size() ? o : s).push_back(atom(v));
  size_t next = end_of_ranges;
  const auto value = [&](const RuntimeRead<Symbol>&) { return atom(next++); };
  return is_certain(context, !walk(path, std::move(o), s, value).in_domain);
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
            ThreadCpuClock::time_point deadline)
      : loop_(loop), run_(run), leaves_(leaves), of_body_(of_body), deadline_(deadline) {}

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

  // The same for a step that is a lemma. Returns false if an offset does not grow evenly.
  bool in_loop(Step& step, BodyPath& result) {
    for (const impl::RuntimeSource* source : step.lemma->relation.sources()) {
      if (!source->map.results.empty()) return false;
      HloPosition position = source->position;
      position.calls.insert(position.calls.begin(), step.calls.begin(), step.calls.end());
      const auto value = value_of(position, source->feasible);
      if (!value) return false;
      step.values.push_back(*value);
      result.uses_iteration |= value->growth != 0;
    }
    return true;
  }

  std::optional<BodyPath> in_loop(DataflowPath path) {
    if (path.is_superset) return std::nullopt;
    BodyPath result{std::move(path)};
    for (Step& step : result.path.steps) {
      if (step.lemma != nullptr && step.values.empty()) {
        if (!in_loop(step, result)) return std::nullopt;
        continue;
      }
      if (step.relation == nullptr || !step.values.empty()) continue;
      const spec::Dependence& dependence = step.relation->dependences[step.dependence];
      if (!uses_runtime(dependence)) continue;
      for (const spec::RuntimeVariable& variable : step.relation->runtime) {
        if (std::ranges::any_of(variable.dims, [](int64_t size) { return size != 1; })) {
          return std::nullopt;
        }
        const auto value = value_of({step.calls, step.operands[variable.operand], 0},
                                    {variable.low, variable.high});
        if (!value) return std::nullopt;
        step.values.push_back(*value);
        result.uses_iteration |= value->growth != 0;
      }
    }
    return result;
  }

  const std::vector<BodyPath>* paths_of(int64_t leaf) {
    const auto [known, is_new] = paths_.try_emplace(leaf);
    if (is_new) {
      const auto definition = of_body_(leaf);
      if (!definition.ok()) return nullptr;
      std::vector<BodyPath> paths;
      for (const DataflowPath& path : *definition) {
        auto one = in_loop(path);
        if (!one) return nullptr;
        if (!never_flows(one->path, dims(leaf))) paths.push_back(*std::move(one));
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

  bool is_static(int64_t leaf, const std::vector<BodyPath>& paths) const {
    return paths.size() == 1 && paths[0].path.leaf == leaf && !paths[0].uses_iteration &&
           along(paths[0].path, dims(leaf), dims(leaf)) == same(leaf);
  }

  bool is_carried(int64_t leaf) const { return carried_.contains(leaf); }

  bool find_leaves() {
    std::vector<int64_t> open = {loop_.leaf};
    std::set<int64_t> met = {loop_.leaf};
    while (!open.empty()) {
      if (ThreadCpuClock::now() >= deadline_) return false;
      const int64_t leaf = open.back();
      open.pop_back();
      if (std::ranges::count(dims(leaf), 0) > 0) return false;
      const std::vector<BodyPath>* paths = paths_of(leaf);
      if (paths == nullptr) return false;
      if (is_static(leaf, *paths)) continue;
      if (leaf == loop_.leaf && !find_slab(*paths)) return false;
      const bool written = leaf == loop_.leaf && slab_.has_value();
      if (!written) carried_.insert(leaf);
      for (const BodyPath& one : *paths) {
        if (!written && slab_ && one.path.leaf == loop_.leaf) return false;
        if (met.insert(one.path.leaf).second) open.push_back(one.path.leaf);
      }
    }
    return carried_.size() <= kMaxCarriedLeaves;
  }

  // The slab outside of which the path keeps the leaf.
  std::optional<Slab> slab_of(const BodyPath& one) const {
    if (one.path.leaf != loop_.leaf || one.path.steps.size() != 1) return std::nullopt;
    const Step& step = one.path.steps[0];
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
  bool find_slab(const std::vector<BodyPath>& paths) {
    for (const BodyPath& one : paths) {
      if (const auto slab = slab_of(one)) {
        if (slab_ && (slab_->relation != slab->relation || slab_->calls != slab->calls)) {
          return false;
        }
        slab_ = slab;
      }
    }
    if (!slab_) return true;
    for (const BodyPath& one : paths) {
      if (one.path.leaf == loop_.leaf && !slab_of(one)) return false;
    }
    return run_.trips() == 1 || std::abs(slab_->offset.growth) == slab_->width;
  }

  // ---- Powers of what the body makes of carried leaves ----

  using Power = std::map<std::pair<int64_t, int64_t>, std::set<Along>>;

  // A path that only looks as if it did something else: it is contained in one that is there, or it
  // runs along whole dimensions, as a proof shows.
  bool insert_proven(int64_t leaf, const DataflowPath& path, std::set<Along>& all) const {
    if (!reads_of(path).empty()) return false;
    const Dims &result = dims(leaf), &operand = dims(path.leaf);
    const std::optional<Along> guess = guessed(path, result, operand);
    if (!guess) return false;
    for (const Along& other : all) {
      if (within(*guess, other) && is_subset(path, path_along(other, operand, path.leaf), result)) {
        return true;
      }
    }
    const DataflowPath guess_path = path_along(*guess, operand, path.leaf);
    if (!is_subset(path, guess_path, result) || !is_subset(guess_path, path, result)) return false;
    insert(all, *guess);
    return true;
  }

  // Which coordinates of the result the path may keep, by some points of it.
  static std::optional<Along> guessed(const DataflowPath& path, const Dims& result,
                                      const Dims& operand) {
    Along guess;
    std::vector<std::set<int64_t>> kept(operand.size());
    for (size_t d = 0; d < operand.size(); ++d) {
      for (size_t x = 0; x < result.size(); ++x) {
        if (operand[d] > 1 && result[x] == operand[d]) kept[d].insert(static_cast<int64_t>(x));
      }
    }
    const auto no_value = [](const RuntimeRead<int64_t>&) -> int64_t { return 0; };
    int64_t met = 0;
    for (int64_t sample = 0; sample < 64; ++sample) {
      const auto at = [&](const Dims& sizes, int64_t salt) {
        std::vector<int64_t> point;
        for (const int64_t size : sizes) {
          if (size == 0) return std::vector<int64_t>();
          salt = (salt * 1103515245 + 12345) % (int64_t{1} << 31);
          point.push_back((salt >> 8) % size);
        }
        return point;
      };
      const std::vector<int64_t> o = at(result, sample), s = at(path.ranges, sample + 1000);
      if (s.size() != path.ranges.size()) return std::nullopt;
      const PathEnd<int64_t> end = walk<int64_t>(path, o, s, no_value);
      if (!end.in_domain) continue;
      ++met;
      for (size_t d = 0; d < operand.size(); ++d) {
        std::erase_if(kept[d], [&](int64_t x) { return o[x] != end.index[d]; });
      }
    }
    if (met == 0) return std::nullopt;
    for (const std::set<int64_t>& one : kept) guess.push_back(one.empty() ? -1 : *one.begin());
    return guess;
  }

  bool is_subset(const DataflowPath& part, const DataflowPath& whole, const Dims& result) const {
    const SourceResolver resolver(*loop_.loop.module, loop_.loop.body);
    const auto end = ThreadCpuClock::now() + std::chrono::milliseconds(kProofMilliseconds);
    SolverSession session{std::min(deadline_, end), "", 0};
    return prove_contained({resolver, result, dims(part.leaf)}, {Disjunct(part)}, {Disjunct(whole)},
                           session)
               .proof.verdict == Verdict::kProven;
  }

  bool find_powers() {
    Power body, power;
    for (const int64_t leaf : carried_) {
      std::vector<const BodyPath*> others;
      power[{leaf, leaf}].insert(same(leaf));
      for (const BodyPath& one : *paths_of(leaf)) {
        if (!is_carried(one.path.leaf)) continue;
        if (one.uses_iteration) return false;
        const auto coordinates = along(one.path, dims(leaf), dims(one.path.leaf));
        if (coordinates) insert(body[{leaf, one.path.leaf}], *coordinates);
        if (!coordinates) others.push_back(&one);
      }
      for (const BodyPath* one : others) {
        if (!insert_proven(leaf, one->path, body[{leaf, one->path.leaf}])) return false;
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
    for (const BodyPath& one : *paths_of(loop_.leaf)) {
      if (one.path.leaf == loop_.leaf) continue;
      if (is_update(one)) {
        DataflowPath path = stays(loop_.leaf);
        path.ranges = {run_.trips()};
        path.steps.push_back({.iterations = 1});
        append(path, one.path, 0);
        if (!add_before(path, 0, one.path.leaf)) return false;
      } else if (!one.uses_iteration && !is_carried(one.path.leaf)) {
        result_.push_back(one.path);  // of the last iteration, after which nothing is overwritten
      } else {
        return false;
      }
    }
    return true;
  }

  bool is_update(const BodyPath& one) const {
    if (one.path.steps.empty()) return false;
    const Step& step = one.path.steps[0];
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
          for (const BodyPath& one : *paths_of(leaves.second)) {
            if (!is_carried(one.path.leaf)) {
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
                   const BodyPath& read, int64_t low, int64_t high) {
    auto start = limited(path, k, low, run_.trips());
    if (!start) return;
    append(*start, power);
    const size_t j = start->ranges.size();
    if (read.uses_iteration) {
      start->ranges.push_back(run_.trips());
      StepCondition condition{{{j, -1}}, std::nullopt, {low, high}};
      if (k == kIteration) {
        condition.interval = {low - run_.trips(), high - run_.trips()};
      } else {
        condition.terms.emplace_back(k, 1);
      }
      start->steps.push_back({.conditions = {condition}, .iterations = 1});
    }
    append(*start, read.path, j);
    result_.push_back(*std::move(start));
  }

  const spec::Loop& loop_;
  const LoopRun& run_;
  const Leaves& leaves_;
  Body of_body_;
  ThreadCpuClock::time_point deadline_;
  std::map<std::tuple<HloPosition, int64_t, int64_t>, std::optional<LoopValue>> values_;
  std::map<int64_t, std::optional<std::vector<BodyPath>>> paths_;
  std::set<int64_t> carried_;
  std::optional<Slab> slab_;  // of the leaf in question, if it is written
  std::vector<Power> powers_;
  Paths result_;
};

}  // namespace

std::optional<Paths> loop_paths(const spec::Loop& loop, const LoopRun& run, const Leaves& leaves,
                                absl::FunctionRef<absl::StatusOr<Paths>(int64_t leaf)> of_body,
                                ThreadCpuClock::time_point deadline) {
  return LoopPaths(loop, run, leaves, of_body, deadline).run();
}

}  // namespace tileproof::verify
