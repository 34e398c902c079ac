// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/operations/loop_counter.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "impl/hlo/backward_slice.h"
#include "impl/hlo/leaf_shapes.h"
#include "impl/hlo/offsets/resolve_source.h"
#include "impl/map/evaluate.h"
#include "impl/map/simplify.h"
#include "spec/lang/base/checked_arithmetic.h"

namespace tileproof::impl {
namespace {

using State = std::map<int32_t, Affine>;

ValueRegion region_in(ComputationDependences& here, const State* state) {
  const ComputationView& view = here.view();
  return {{*view.module, view.position},
          [&here](int32_t computation) { return &here.inside(computation); },
          ValueRegion::Through::kArithmetic,
          state};
}

// The results in iteration k; nothing where the conditions do not hold.
std::optional<std::vector<int64_t>> results_at(const IndexingMap& map, int64_t k) {
  const auto results = evaluate(map, {.dims = {&k, 1}, .ranges = {}, .runtime = {}});
  return results.ok() ? *results : std::nullopt;
}

// The integer at a position in iterations 0 .. last, if the state is that of the counters.
std::optional<Affine> affine_in(ComputationDependences& here, const State* state,
                                const HloPosition& position, int64_t last) {
  const ValueRegion region = region_in(here, state);
  const ComputationView& view = region.at(position)->view();
  const Dims& sizes = view.sizes[view.first_leaf[position.instruction] + position.leaf];
  if (element_count(sizes) != 1) return std::nullopt;
  const Dims iterations = {last + 1};
  const auto cases =
      values_at(region, position, iterations, universe_relation(iterations, sizes), 1);
  if (!cases || cases->size() != 1) return std::nullopt;
  auto [map, value] = cases->front();
  map.results = {value};
  const auto at_0 = results_at(map, 0), at_1 = results_at(map, last > 0 ? 1 : 0);
  if (!at_0 || !at_1) return std::nullopt;
  const int64_t first = at_0->front();
  const auto step = checked_sub(at_1->front(), first);
  if (!step) return std::nullopt;
  // The value is first + step * k if the difference has no other value than 0.
  const NodeId claim = add_product(map.nodes, add_counter(map.nodes, {first, *step}), -1);
  const NodeId difference = add_operation(map.nodes, Op::kAdd, value, claim);
  if (values_of(map, difference) != Interval{0, 0}) return std::nullopt;
  return Affine{first, *step};
}

// The last iteration, at most kMaxLoopTrips, for which the counter is in the interval.
int64_t last_within(const Affine& counter, Interval interval) {
  const absl::int128 room = counter.step < 0 ? absl::int128(counter.first) - interval.low
                                             : absl::int128(interval.high) - counter.first;
  const absl::int128 step = counter.step < 0 ? -absl::int128(counter.step) : counter.step;
  const absl::int128 last = step == 0 ? kMaxLoopTrips : room / step;
  return static_cast<int64_t>(std::min<absl::int128>(last, kMaxLoopTrips));
}

// The first iteration in which one of the alternatives holds.
std::optional<int64_t> first_in(const std::vector<IndexingMap>& alternatives) {
  std::optional<int64_t> first;
  for (const IndexingMap& one : alternatives) {
    const absl::StatusOr<IndexingMap> simple = simplify(one);
    const IndexingMap& map = simple.ok() ? *simple : one;
    if (map.known_empty) continue;
    const auto [low, high] = map.dimensions[0].bounds;
    for (int64_t k = low; k <= high && (!first || k < *first); ++k) {
      if (results_at(map, k)) first = k;
    }
  }
  return first;
}

// How often a loop runs whose state is that of the counters; nothing if that is not known, or more
// than `most`.
std::optional<int64_t> trips_of(ComputationDependences& condition, const State& state,
                                int64_t most) {
  const int32_t root = condition.view().computation().root;
  // An integer on the way may leave its type in a late iteration.
  for (; most > 0; most /= 2) {
    const Dims iterations = {most + 1};
    const auto conditions =
        conditions_at(region_in(condition, &state), {{}, root, 0}, iterations,
                      universe_relation(iterations, condition.view().sizes.back()));
    if (!conditions) return std::nullopt;
    if (conditions->gave_up) continue;
    const std::optional<int64_t> trips = first_in(conditions->no);
    const auto holds = [&](const IndexingMap& one) { return results_at(one, *trips).has_value(); };
    const bool may_go_on = trips && std::ranges::any_of(conditions->yes, holds);
    return may_go_on ? std::nullopt : trips;
  }
  return std::nullopt;
}

// Drops claims until the body takes all that are left to those of the next iteration, for iterations
// 0 .. last. Returns whether none had to go.
bool keep_proven(ComputationDependences& body, int64_t last, State& state) {
  bool all = true;
  for (bool again = true; std::exchange(again, false);) {
    const State claimed = state;
    const int32_t root = body.view().computation().root;
    for (const auto& [leaf, claim] : claimed) {
      const auto next = affine_in(body, &claimed, {{}, root, leaf}, last);
      const auto expected = checked_add(claim.first, claim.step);
      const bool holds =
          next && expected && next->first == *expected && (last == 0 || next->step == claim.step);
      if (holds) continue;
      state.erase(leaf);
      again = true;
    }
    all = all && !again;
  }
  return all;
}

}  // namespace

std::optional<LoopCounters> counters_of(const op::While& loop, ComputationDependences& around) {
  ComputationDependences& condition = around.inside(loop.condition);
  LoopCounters counters;
  counters.body = &around.inside(loop.body);
  const ComputationView& body = counters.body->view();
  const int32_t root = body.computation().root;
  State first;
  for (int32_t leaf = 0; leaf < std::ssize(body.shapes[root].leaves); ++leaf) {
    const auto value = affine_in(around, nullptr, {{}, loop.operand, leaf}, 0);
    if (value) first[leaf] = *value;
  }
  for (const auto& [leaf, value] : first) {
    const auto next = affine_in(*counters.body, &first, {{}, root, leaf}, 0);
    const auto step = next ? checked_sub(next->first, value.first) : std::nullopt;
    if (step) counters.state[leaf] = {value.first, *step};
  }
  keep_proven(*counters.body, 1, counters.state);
  for (;;) {
    int64_t most = kMaxLoopTrips;
    std::optional<int32_t> shortest;  // that leaves its type first
    for (const auto& [leaf, claim] : counters.state) {
      const ElementType type = body.shapes[root].leaves[leaf].array->element_type;
      const int64_t last = last_within(claim, *integers_in(type));
      if (last < most) shortest = leaf;
      most = std::min(most, last);
    }
    const std::optional<int64_t> trips = trips_of(condition, counters.state, most);
    if (!trips && !shortest) return std::nullopt;
    if (!trips) {
      counters.state.erase(*shortest);
      continue;
    }
    counters.trips = *trips;
    if (*trips == 0 || keep_proven(*counters.body, *trips - 1, counters.state)) return counters;
  }
}

std::optional<Affine> affine_at(const LoopCounters& counters, const HloPosition& position) {
  const auto [known, is_new] = counters.affine->try_emplace(position);
  if (is_new) {
    known->second = affine_in(*counters.body, &counters.state, position, counters.trips - 1);
  }
  return known->second;
}

}  // namespace tileproof::impl
