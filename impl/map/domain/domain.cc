// SPDX-License-Identifier: Apache-2.0
#include "impl/map/domain/domain.h"

#include <algorithm>

#include "impl/map/domain/constraint.h"
#include "impl/map/normal_form/floors.h"
#include "impl/map/proof_log/proof_log_map.h"

namespace tileproof::impl {
namespace {

// The limit on rounds of bound propagation. Most domains need two. Bounds that approach a limit by
// one per round (2*x <= 3*y with 3*y <= 2*x + 1) are better left alone.
constexpr int kMaxRounds = 24;

enum class Round : uint8_t { kStable, kTightened, kEmpty, kGaveUp };

struct Work {
  std::vector<Range> bounds;
  std::vector<bool> as_written;  // by constraint: the simplifier gave up on it
  std::vector<NormalConstraint> constraints;
  bool use_sums = true;
  bool no_fixpoint = false;  // some bounds did not reach a fixpoint
};

// Marks the constraint to stay as it is written.
Round give_up(Work& work, int source) {
  work.as_written[source] = true;
  return Round::kGaveUp;
}

// Canonicalizes all constraints, drops redundant ones, and merges those on one combination.
Round canonicalize_all(NormalFormContext& context, Work& work) {
  for (bool changed = true; changed;) {
    changed = false;
    for (NormalConstraint& constraint : work.constraints) {
      if (constraint.as_written) continue;
      const Truth truth = canonicalize(context, constraint, work.bounds);
      if (context.gave_up) return give_up(work, constraint.sources.front());
      if (truth == Truth::kNever) return Round::kEmpty;
      if (truth == Truth::kAlways) constraint.sources.clear();
    }
    if (!join(context, work.constraints, changed)) return Round::kEmpty;
  }
  return Round::kStable;
}

Round run_round(NormalFormContext& context, Normalizer& normalizer, const IndexingMap& map,
                Work& work) {
  work.constraints.clear();
  for (size_t i = 0; i < map.constraints.size(); ++i) {
    const Constraint& original = map.constraints[i];
    NormalConstraint constraint;
    constraint.sources = {static_cast<int>(i)};
    constraint.as_written = work.as_written[i];
    constraint.range = {original.interval.low, original.interval.high};
    if (!constraint.as_written) constraint.form = normalizer.form_of(original.expr);
    if (context.gave_up) return give_up(work, static_cast<int>(i));
    if (is_logging(context) && !constraint.as_written) {
      log_constraint(context, map, i);
    }
    work.constraints.push_back(std::move(constraint));
  }
  const std::vector<Range> before = work.bounds;
  if (const Round round = canonicalize_all(context, work); round != Round::kStable) return round;
  for (const NormalConstraint& constraint : work.constraints) {  // those as written have no form
    if (work.use_sums) tighten(context, constraint.form, constraint.range, work.bounds);
    pull_bounds(context, constraint, work.bounds);
    if (context.gave_up) return give_up(work, constraint.sources.front());
  }
  for (const Range& range : work.bounds) {
    if (range.low > range.high) return Round::kEmpty;
  }
  return work.bounds == before ? Round::kStable : Round::kTightened;
}

std::vector<Range> bounds_of(const IndexingMap& map) {
  std::vector<Range> bounds;
  bounds.reserve(map.dimensions.size() + map.ranges.size() + map.runtime.size());
  for (Op kind : kVariableKinds) {
    for (const Variable& variable : variables_of(map, kind)) {
      bounds.push_back({variable.bounds.low, variable.bounds.high});
    }
  }
  return bounds;
}

void begin_round(NormalFormContext& context, Normalizer& normalizer, const IndexingMap& map,
                 const Work& work) {
  begin_domain(context, map, work.bounds);
  normalizer.reset();
}

// Runs rounds until nothing changes. The bounds of `work` are `start` at first.
Round run_rounds(NormalFormContext& context, Normalizer& normalizer, const IndexingMap& map,
                 const std::vector<Range>& start, Work& work) {
  work.as_written.assign(map.constraints.size(), false);
  work.use_sums = true;
  Round round = Round::kTightened;
  for (int i = 0; round == Round::kTightened || round == Round::kGaveUp; ++i) {
    if (i == kMaxRounds) {  // start again, without bounds from sums
      work.bounds = start;
      work.use_sums = false;
      work.no_fixpoint = true;
    }
    if (i == 2 * kMaxRounds) work.as_written.assign(map.constraints.size(), true);
    begin_round(context, normalizer, map, work);
    round = run_round(context, normalizer, map, work);
  }
  return round;
}

}  // namespace

Domain simplify_domain(NormalFormContext& context, Normalizer& normalizer, const IndexingMap& map) {
  Work work;
  work.bounds = bounds_of(map);
  Domain domain;
  for (const Range& range : work.bounds) domain.empty |= range.low > range.high;
  if (map.constraints.empty()) {
    begin_round(context, normalizer, map, work);
    domain.bounds = std::move(work.bounds);
    return domain;
  }
  // A constraint that gave up within the first bounds may succeed within tighter ones.
  constexpr int kMaxAttempts = 8;
  for (int i = 0; i < kMaxAttempts && !domain.empty; ++i) {
    const std::vector<Range> before = work.bounds;
    domain.empty = run_rounds(context, normalizer, map, before, work) == Round::kEmpty;
    if (work.bounds == before || std::ranges::count(work.as_written, true) == 0) break;
  }
  domain.bounds = std::move(work.bounds);
  domain.constraints = std::move(work.constraints);
  domain.no_fixpoint = work.no_fixpoint;
  return domain;
}

void assume(NormalFormContext& context, const std::vector<NormalConstraint>& constraints) {
  for (const NormalConstraint& constraint : constraints) {
    if (constraint.as_written) continue;
    const Wide k = constraint.form.constant;
    context.assumptions.push_back(
        {without_constant(constraint.form), {constraint.range.low - k, constraint.range.high - k}});
  }
  if (context.assumptions.empty()) return;
  // Memoized results and meanings depend on the assumptions: compute them again.
  for (FormIndex* memo :
       {&context.floor_memo, &context.range_memo, &context.extraction_memo, &context.mods,
        &context.quotients, &context.ceilings, &context.sums, &context.factored}) {
    memo->clear();
  }
  // An atom comes after the atoms that it consists of.
  for (size_t i = 0; i < context.atoms.size() && !context.gave_up; ++i) {
    context.atoms[i].cost = -1;
    if (context.atoms[i].kind != AtomKind::kFloor) continue;
    const Range inside = range_of(context, context.atoms[i].inside);
    context.atoms[i].range = {floor_wide(inside.low, context.atoms[i].divisor),
                              floor_wide(inside.high, context.atoms[i].divisor)};
    if (is_logging(context)) log_floor_range(context, static_cast<int32_t>(i), inside);
  }
}

}  // namespace tileproof::impl
