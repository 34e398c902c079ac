#include "impl/map/domain/domain.h"

#include <algorithm>

#include "impl/map/domain/constraint.h"
#include "impl/map/normal_form/ranges.h"
#include "impl/map/proof_log/proof_log_map.h"

namespace tileproof::impl {
namespace {

// Rounds until the bounds stop changing. Most domains need two; those that creep towards a limit
// by one step a round (2*x <= 3*y with 3*y <= 2*x + 1) are better left alone.
constexpr int kMaxRounds = 24;

enum class Round : uint8_t { kStable, kTightened, kEmpty, kRefused };

struct Work {
  std::vector<Range> bounds;
  std::vector<bool> as_written;  // of the constraints: not to be touched
  std::vector<Condition> conditions;
  bool use_sums = true;
  bool crept = false;  // some bounds did
};

// What was refused is left as it is written.
Round refuse(Work& work, int origin) {
  work.as_written[origin] = true;
  return Round::kRefused;
}

// Brings all conditions into normal form, drops what always holds, joins what belongs together.
Round settle_all(Forms& forms, Work& work) {
  for (bool changed = true; changed;) {
    changed = false;
    for (Condition& condition : work.conditions) {
      if (condition.as_written) continue;
      const Truth truth = settle(forms, condition, work.bounds);
      if (forms.refused) return refuse(work, condition.origins.front());
      if (truth == Truth::kNever) return Round::kEmpty;
      if (truth == Truth::kAlways) condition.origins.clear();
    }
    if (!join(forms, work.conditions, changed)) return Round::kEmpty;
  }
  return Round::kStable;
}

Round run_round(Forms& forms, Normalizer& normalizer, const IndexingMap& map, Work& work) {
  work.conditions.clear();
  for (size_t i = 0; i < map.constraints.size(); ++i) {
    const Constraint& constraint = map.constraints[i];
    Condition condition;
    condition.origins = {static_cast<int>(i)};
    condition.as_written = work.as_written[i];
    condition.range = {constraint.interval.low, constraint.interval.high};
    if (!condition.as_written) condition.form = normalizer.form_of(constraint.expr);
    if (forms.refused) return refuse(work, static_cast<int>(i));
    if (telling(forms) && !condition.as_written) {
      note_constraint(forms, map, i);
    }
    work.conditions.push_back(std::move(condition));
  }
  const std::vector<Range> before = work.bounds;
  if (const Round round = settle_all(forms, work); round != Round::kStable) return round;
  for (const Condition& condition : work.conditions) {  // those as written have no form
    if (work.use_sums) tighten(forms, condition.form, condition.range, work.bounds);
    pull_bounds(forms, condition, work.bounds);
    if (forms.refused) return refuse(work, condition.origins.front());
  }
  for (const Range& range : work.bounds) {
    if (range.low > range.high) return Round::kEmpty;
  }
  return work.bounds == before ? Round::kStable : Round::kTightened;
}

std::vector<Range> bounds_of(const IndexingMap& map) {
  std::vector<Range> bounds;
  bounds.reserve(map.dimensions.size() + map.ranges.size() + map.runtime.size());
  for (Op kind : {Op::kDimension, Op::kRange, Op::kRuntime}) {
    for (const Variable& variable : variables_of(map, kind)) {
      bounds.push_back({variable.bounds.low, variable.bounds.high});
    }
  }
  return bounds;
}

void begin_round(Forms& forms, Normalizer& normalizer, const IndexingMap& map, const Work& work) {
  begin_domain(forms, map, work.bounds);
  normalizer.reset();
}

// Rounds until nothing changes, from the bounds of the work on, which are `start`.
Round run_rounds(Forms& forms, Normalizer& normalizer, const IndexingMap& map,
                 const std::vector<Range>& start, Work& work) {
  work.as_written.assign(map.constraints.size(), false);
  work.use_sums = true;
  Round round = Round::kTightened;
  for (int i = 0; round == Round::kTightened || round == Round::kRefused; ++i) {
    if (i == kMaxRounds) {  // again from the start, without what creeps
      work.bounds = start;
      work.use_sums = false;
      work.crept = true;
    }
    if (i == 2 * kMaxRounds) work.as_written.assign(map.constraints.size(), true);
    begin_round(forms, normalizer, map, work);
    round = run_round(forms, normalizer, map, work);
  }
  return round;
}

}  // namespace

Domain simplify_domain(Forms& forms, Normalizer& normalizer, const IndexingMap& map) {
  Work work;
  work.bounds = bounds_of(map);
  Domain domain;
  for (const Range& range : work.bounds) domain.empty |= range.low > range.high;
  if (map.constraints.empty()) {
    begin_round(forms, normalizer, map, work);
    domain.bounds = std::move(work.bounds);
    return domain;
  }
  // What could not be treated within the first bounds may be within tighter ones.
  constexpr int kMaxAttempts = 8;
  for (int i = 0; i < kMaxAttempts && !domain.empty; ++i) {
    const std::vector<Range> before = work.bounds;
    domain.empty = run_rounds(forms, normalizer, map, before, work) == Round::kEmpty;
    if (work.bounds == before || std::ranges::count(work.as_written, true) == 0) break;
  }
  domain.bounds = std::move(work.bounds);
  domain.conditions = std::move(work.conditions);
  domain.crept = work.crept;
  return domain;
}

void learn(Forms& forms, const std::vector<Condition>& conditions) {
  for (const Condition& condition : conditions) {
    if (condition.as_written) continue;
    const Wide k = condition.form.constant;
    forms.known.push_back(
        {without_constant(condition.form), {condition.range.low - k, condition.range.high - k}});
  }
  if (forms.known.empty()) return;
  // Mods and quotients remember what they meant; they are made anew.
  for (FormIndex* memo : {&forms.floor_memo, &forms.range_memo, &forms.spelling_memo, &forms.mods,
                          &forms.quotients, &forms.ceilings, &forms.sums, &forms.factored}) {
    memo->clear();
  }
  // An atom stands behind the atoms that it is made of.
  for (size_t i = 0; i < forms.atoms.size() && !forms.refused; ++i) {
    forms.atoms[i].price = -1;
    if (forms.atoms[i].kind != AtomKind::kFloor) continue;
    const Range inside = range_of(forms, forms.atoms[i].inside);
    forms.atoms[i].range = {floor_wide(inside.low, forms.atoms[i].divisor),
                            floor_wide(inside.high, forms.atoms[i].divisor)};
    if (telling(forms)) note_floor_range(forms, static_cast<int32_t>(i), inside);
  }
}

}  // namespace tileproof::impl
