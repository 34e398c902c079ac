// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/modules/cut_points.h"

#include <algorithm>
#include <set>
#include <utility>

#include "spec/hlo/integer_arithmetic.h"
#include "spec/lang/base/operands_first.h"

namespace tileproof::verify {

using spec::TermId;
using How = CutPoints::Walk::Made::How;

namespace {

// The number of a parameter that stands for a cut; others have a number from -1 on.
int64_t parameter_of(int64_t cut) { return -2 - cut; }

}  // namespace

// Sums of real numbers hide what other laws look for.
CutPoints::CutPoints(AtAnyIndex& domain, std::array<Walk*, 2> walks, TermComparison& comparison,
                     const ValueOptions& options)
    : domain_(domain), walks_(walks), comparison_(comparison), options_(options) {
  Laws without = options.allowed;
  without.erase(ValueLaw::kReal);
  for (const Laws& laws : std::set<Laws>{without, options.allowed}) {
    forms_.push_back(std::make_unique<Forms>(domain.terms(), laws, options.limits.work));
  }
}

bool CutPoints::has_work() const {
  const auto is_exhausted = [](const auto& forms) { return forms->is_exhausted(); };
  return !options_.is_late() && !domain_.has_failed() && walks_[0]->work() >= 0 &&
         walks_[1]->work() >= 0 && std::ranges::none_of(forms_, is_exhausted);
}

// ---- Values ----

CutPoints::Value CutPoints::value_of(int side, const Array& array, Laws* laws) {
  Walk& walk = *walks_[side];
  const std::optional<TermId> term = walk.whole(array);
  if (!term) {
    domain_.recover();
    return --unknown_;
  }
  std::vector<FormKey> keys;
  for (size_t k = 0; k < forms_.size(); ++k) {
    keys.emplace_back(k, forms_[k]->of(*term), walk.dims(array), walk.type(array));
    if (!has_work()) return --unknown_;
  }
  const Value value = known_value(keys, *term);
  for (FormKey& key : keys) values_.try_emplace(std::move(key), value);
  if (laws == nullptr) return value;
  const auto needed = laws_between(known_[value].term, *term);
  if (!needed) return --unknown_;
  laws->insert(needed->begin(), needed->end());
  return value;
}

// The value that an array has one of these keys of, or that is alike; or a new one.
CutPoints::Value CutPoints::known_value(const std::vector<FormKey>& keys, TermId term) {
  Value value = std::ssize(known_);
  for (const FormKey& key : keys) {
    const auto known = values_.find(key);
    if (known != values_.end()) value = std::min(value, known->second);
  }
  if (value < std::ssize(known_)) return value;
  const auto& [laws, form, dims, type] = keys.back();
  std::set<Value>& alike = of_outline_[{forms_[laws]->outline(form), dims, type}];
  for (const Value one : alike) {
    if (laws_between(known_[one].term, term)) return one;
  }
  alike.insert(value);
  known_.push_back({term});
  return value;
}

std::optional<Laws> CutPoints::laws_between(TermId a, TermId b) {
  Laws all = laws_of(a);
  all.merge(laws_of(b));
  if (a == b) return all;
  auto needed = comparison_.prove({{}, {a}, {b}}, false);
  if (!needed) return std::nullopt;
  all.merge(*needed);
  return all;
}

Laws CutPoints::laws_of(TermId term) const {
  const spec::Terms& terms = domain_.terms();
  Laws all;
  if (std::ranges::all_of(laws_, &Laws::empty)) return all;
  std::set<TermId> seen;
  operands_first(
      term, [&](TermId at) { return terms.operands(at); },
      [&](TermId at) { return seen.contains(at); },
      [&](TermId at) {
        seen.insert(at);
        const int64_t cut = parameter_of(terms.symbol_of(at).operand);
        if (terms.symbol_of(at).opcode != HloOpcode::kParameter || cut < 0) return;
        all.insert(laws_[cut].begin(), laws_[cut].end());
      },
      [] { return true; });
  return all;
}

int64_t CutPoints::new_cut(Laws laws) {
  laws_.push_back(std::move(laws));
  return std::ssize(laws_) - 1;
}

// ---- Arrays ----

// Adds the arrays that the roots are made of, and that are computed.
void CutPoints::add_heights(int side, const std::vector<Array>& roots, Heights& heights) const {
  absl::flat_hash_map<Array, int64_t> known;
  absl::flat_hash_map<Array, Walk::Made> made;
  const auto made_of = [&](const Array& at) -> const Walk::Made& {
    const auto [found, is_new] = made.try_emplace(at);
    if (is_new) found->second = walks_[side]->made(at);
    return found->second;
  };
  for (const Array& root : roots) {
    operands_first(
        root, [&](const Array& at) { return made_of(at).of; },
        [&](const Array& at) { return known.contains(at); },
        [&](const Array& at) {
          const Walk::Made& here = made_of(at);
          const bool is_computed = here.how == How::kComputed || here.how == How::kLoop;
          int64_t height = 0;
          for (const Array& below : here.of) height = std::max(height, known.at(below));
          if (is_computed) heights[++height][side].push_back(at);
          known.emplace(at, height);
        },
        [] { return true; });
  }
}

void CutPoints::cut_region(const Arrays& roots) {
  const int64_t outside = std::exchange(region_, ++regions_);
  const std::optional<int64_t> late_outside = std::exchange(late_, std::nullopt);
  for (Walk* walk : walks_) walk->forget();
  Heights heights;
  for (const int side : {0, 1}) add_heights(side, roots[side], heights);
  cut_heights(heights);
  region_ = outside;
  late_ = late_outside;
}

// What is cut late was looked at by others already: all that may be above it is looked at again.
void CutPoints::cut_heights(Heights& heights) {
  std::map<int64_t, Arrays> open_loops;  // before each height
  Arrays open;
  for (auto at = heights.begin(); at != heights.end() && has_work();) {
    const auto& [height, arrays] = *at;
    open_loops[height] = open;
    cut_loops(arrays, open);
    cut_arrays(arrays, height);
    ++at;
    if (!late_) continue;
    for (Walk* walk : walks_) walk->forget();
    at = heights.lower_bound(*std::exchange(late_, std::nullopt));
    if (at != heights.end()) open = open_loops.at(at->first);
  }
}

// Integers stay as they are, so that their ranges are seen.
void CutPoints::cut_arrays(const Arrays& arrays, int64_t height) {
  std::set<Value> found;
  for (const int side : {0, 1}) {
    for (const Array& array : arrays[side]) {
      const bool is_given = walks_[side]->made(array).how == How::kGiven;
      if (is_given || spec::is_integer(walks_[side]->type(array))) continue;
      const Value value = value_of(side, array);
      if (!has_work()) return;
      if (value < 0) continue;
      const std::optional<TermId> term = walks_[side]->whole(array);
      if (!term) return;  // no work is left
      if (forms_.back()->is_short_sum(*term)) continue;
      known_[value].members.push_back({side, region_, height, array, *term});
      found.insert(value);
    }
  }
  for (const Value value : found) cut_known(known_[value], height);
}

void CutPoints::cut_known(Known& known, int64_t height) {
  const auto is_right = [](const Member& one) { return one.side == 1; };
  const auto count = std::ranges::count_if(known.members, is_right);
  if (count == 0 || count == std::ssize(known.members)) return;
  if (!known.cut) known.cut = new_cut({});
  for (Member& one : known.members) {
    const auto laws = one.is_cut ? std::nullopt : laws_between(known.term, one.term);
    if (!laws) continue;
    laws_[*known.cut].insert(laws->begin(), laws->end());
    walks_[one.side]->cut(one.array, parameter_of(*known.cut));
    one.is_cut = true;
    const int64_t at = one.region == region_ ? one.height : INT64_MIN;
    if (at != height) late_ = std::min(late_.value_or(at), at);
  }
}

// ---- Loops ----

CutPoints::Array CutPoints::leaf_of(const LoopPair& pair, int side, size_t leaf) const {
  return {pair.loops[side].frame, pair.loops[side].instruction, static_cast<int64_t>(leaf)};
}

// Tries each loop of these arrays with those of the other side that are open.
void CutPoints::cut_loops(const Arrays& arrays, Arrays& open) {
  const Arrays before = open;
  for (const int side : {0, 1}) {
    for (const Array& array : arrays[side]) {
      if (walks_[side]->made(array).how != How::kLoop) continue;
      const Array first{array.frame, array.instruction, 0};
      if (std::ranges::count(open[side], first) == 0) open[side].push_back(first);
    }
  }
  const auto uncut_leaves = [&](Array loop) {
    int64_t count = 0;
    const auto leaves = std::ssize(walks_[0]->starts(loop));
    for (loop.leaf = 0; loop.leaf < leaves; ++loop.leaf) {
      count += walks_[0]->made(loop).how == How::kLoop ? 1 : 0;
    }
    return count;
  };
  for (auto left = open[0].begin(); left != open[0].end();) {
    const int64_t uncut = uncut_leaves(*left);
    const auto right = std::ranges::find_if(open[1], [&](const Array& one) {
      const bool are_old =
          std::ranges::count(before[0], *left) > 0 && std::ranges::count(before[1], one) > 0;
      if (are_old || !has_work()) return false;
      return cut_pair({{*left, one}, {walks_[0]->starts(*left), walks_[1]->starts(one)}});
    });
    if (right == open[1].end()) {
      ++left;
      continue;
    }
    const bool are_old =
        std::ranges::count(before[0], *left) + std::ranges::count(before[1], *right) > 0;
    if (are_old && uncut_leaves(*left) < uncut) late_ = INT64_MIN;
    open[1].erase(right);
    left = open[0].erase(left);
  }
}

// Makes the classes finer until the bodies keep them.
bool CutPoints::cut_pair(LoopPair pair) {
  if (pair.starts[0].empty() || pair.starts[1].empty()) return false;
  for (const int side : {0, 1}) {
    for (size_t leaf = 0; leaf < pair.starts[side].size(); ++leaf) {
      const Array& start = pair.starts[side][leaf];
      const bool is_same =
          walks_[side]->type(start) == walks_[side]->type(leaf_of(pair, side, leaf));
      pair.classes[side].push_back(is_same ? value_of(side, start) : --unknown_);
    }
  }
  keep_leaves(pair);
  while (has_work()) {
    pair.laws.clear();
    const Arrays roots = begin_round(pair);
    cut_region(roots);
    const auto classes = pair.classes;
    if (!end_round(roots, pair)) return false;
    if (classes == pair.classes) break;
  }
  std::map<Value, int64_t> cuts;
  const Laws& laws = pair.laws;
  for (const int side : {0, 1}) {
    for (size_t leaf = 0; leaf < pair.classes[side].size(); ++leaf) {
      const Value value = pair.classes[side][leaf];
      if (walks_[side]->is_kept(leaf_of(pair, side, leaf))) continue;
      if (std::ranges::count(pair.classes[1 - side], value) == 0) continue;
      const auto [cut, is_new] = cuts.try_emplace(value);
      if (is_new) cut->second = new_cut(laws);
      walks_[side]->cut(leaf_of(pair, side, leaf), parameter_of(cut->second));
    }
  }
  return has_work();
}

// Cuts the states. The roots: the condition, then the leaves of the next state.
CutPoints::Arrays CutPoints::begin_round(const LoopPair& pair) {
  ++rounds_;
  std::map<Value, int64_t> cuts;
  Arrays roots;
  for (const int side : {0, 1}) {
    Walk& walk = *walks_[side];
    const Array& loop = pair.loops[side];
    const op::While& at = walk.loop_of(loop);
    for (const int32_t computation : {at.condition, at.body}) {
      const HloComputation& inside = at.module->computations[computation];
      for (size_t leaf = 0; leaf < pair.classes[side].size(); ++leaf) {
        const auto number = static_cast<int64_t>(leaf);
        if (computation == at.body || leaf == 0) {
          roots[side].push_back(walk.in_loop(loop, computation, inside.root, number, rounds_));
        }
        if (walk.is_kept(leaf_of(pair, side, leaf))) continue;
        const auto [cut, is_new] = cuts.try_emplace(pair.classes[side][leaf]);
        if (is_new) cut->second = new_cut({});
        const Array state =
            walk.in_loop(loop, computation, parameters_of(inside)[0], number, rounds_);
        walk.cut(state, parameter_of(cut->second));
      }
    }
  }
  return roots;
}

// Leaves stay in one class if they are equal after the round, too. False if the conditions are not.
bool CutPoints::end_round(const Arrays& roots, LoopPair& pair) {
  const Value left = value_of(0, roots[0][0], &pair.laws);
  if (left < 0 || left != value_of(1, roots[1][0], &pair.laws)) return false;
  std::map<std::pair<Value, Value>, Value> finer;
  std::set<Value> taken;
  for (const int side : {0, 1}) {
    for (size_t leaf = 0; leaf < pair.classes[side].size(); ++leaf) {
      Value& value = pair.classes[side][leaf];
      value_of(side, pair.starts[side][leaf], &pair.laws);
      const std::pair key(value, value_of(side, roots[side][leaf + 1], &pair.laws));
      const auto [known, is_new] = finer.try_emplace(key, value);
      if (is_new && !taken.insert(value).second) known->second = --unknown_;
      value = known->second;
    }
  }
  return true;
}

// Marks the leaves that the bodies do not change, though they may move them there and back.
void CutPoints::keep_leaves(LoopPair pair) {
  for (auto& classes : pair.classes) {
    for (Value& value : classes) value = --unknown_;
  }
  const Arrays roots = begin_round(pair);
  for (const int side : {0, 1}) {
    Walk& walk = *walks_[side];
    const op::While& at = walk.loop_of(pair.loops[side]);
    const int32_t parameter = parameters_of(at.module->computations[at.body])[0];
    for (size_t leaf = 0; leaf < pair.classes[side].size(); ++leaf) {
      const Array array = leaf_of(pair, side, leaf), root = roots[side][leaf + 1];
      if (walk.is_kept(array) || walk.type(array) != walk.type(pair.starts[side][leaf])) continue;
      Heights heights;
      add_heights(side, {root}, heights);
      const Array state =
          walk.in_loop(pair.loops[side], at.body, parameter, static_cast<int64_t>(leaf), rounds_);
      const bool is_computed = !heights.empty();
      if (is_computed || walk.dims(state) != walk.dims(root)) continue;
      const auto before = walk.whole(state), after = walk.whole(root);
      if (before && after && *before == *after) walk.keep(array);
      domain_.recover();
    }
  }
}

}  // namespace tileproof::verify
