// SPDX-License-Identifier: Apache-2.0
#include "verify/trace/trace_check.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "spec/lang/base/try.h"
#include "verify/trace/inference.h"

namespace tileproof::trace {
namespace {

// What the steps so far have shown, starting from the bounds and constraints of one map.
struct Shown {
  Facts facts;
  std::set<size_t> constraints, new_constraints;
};

std::vector<Fact> bounds_of(const IndexingMap& map) {
  std::vector<Fact> bounds;
  for (Op kind : kVariableKinds) {
    for (const Variable& variable : variables_of(map, kind)) {
      const Polynomial polynomial = unknown(static_cast<int>(bounds.size()));
      bounds.push_back(make_fact(polynomial, variable.bounds.low, variable.bounds.high));
    }
  }
  return bounds;
}

Shown assume(const IndexingMap& map, bool is_new) {
  Shown shown;
  for (const Fact& bound : bounds_of(map)) shown.facts.add(bound);
  for (size_t i = 0; i < map.constraints.size(); ++i) {
    (is_new ? shown.new_constraints : shown.constraints).insert(i);
  }
  return shown;
}

bool implied(const Shown& shown, const std::vector<Fact>& facts) {
  return std::ranges::all_of(facts, [&](const Fact& fact) { return shown.facts.imply(fact); });
}

bool insert(std::set<size_t>& set, size_t number) { return set.insert(number).second; }

// If one set has its number, the other set gets its own. Returns whether a set grew.
bool tie(std::set<size_t>& a, size_t i, std::set<size_t>& b, size_t j) {
  if (a.contains(i)) return insert(b, j);
  return b.contains(j) && insert(a, i);
}

bool apply_constraint(const Inference& step, std::set<size_t>& constraints, Shown& shown) {
  if (!implied(shown, step.needs)) return false;
  if (constraints.contains(step.number)) return shown.facts.add(*step.says);
  return step.backward && shown.facts.imply(*step.says) && insert(constraints, step.number);
}

// Adds what the step shows, forwards or backwards. Returns whether anything is new.
bool apply(const Inference& step, Shown& shown) {
  switch (step.kind) {
    case InferenceKind::kConstraint:
      return apply_constraint(step, shown.constraints, shown);
    case InferenceKind::kNewConstraint:
      return apply_constraint(step, shown.new_constraints, shown);
    case InferenceKind::kSameConstraint:
      return tie(shown.constraints, step.other, shown.new_constraints, step.number);
    case InferenceKind::kFact:
    case InferenceKind::kNever:
      break;
    default:
      return false;
  }
  if (!implied(shown, step.needs)) return false;
  bool changed = false;
  if (implied(shown, step.from)) {
    if (step.says) {
      changed = shown.facts.add(*step.says);
    } else if (!shown.facts.contradictory()) {
      shown.facts.add_contradiction();
      changed = true;
    }
  }
  if (step.backward && shown.facts.imply(*step.says)) {
    for (const Fact& fact : step.from) changed |= shown.facts.add(fact);
  }
  return changed;
}

// Returns whether the step follows from what was shown.
bool applies(const Inference& step, const Shown& shown) {
  if (!implied(shown, step.needs)) return false;
  switch (step.kind) {
    case InferenceKind::kKnown:
      return shown.facts.imply(*step.says);
    case InferenceKind::kFact:
    case InferenceKind::kNever:
      return implied(shown, step.from);
    case InferenceKind::kNewConstraint:
      return shown.facts.imply(*step.says) && step.backward;
    default:
      return true;
  }
}

bool has_all(const std::set<size_t>& numbers, size_t count) { return numbers.size() == count; }

// Each result must have the same value before and after.
absl::Status check_results(const Section& section, const std::vector<Inference>& steps) {
  for (size_t i = 0; i < section.before.results.size(); ++i) {
    bool equal = false;
    for (const Inference& old_step : steps) {
      if (old_step.number != i) continue;
      equal |= old_step.kind == InferenceKind::kSameResult;
      if (old_step.kind != InferenceKind::kResult) continue;
      equal |= std::ranges::any_of(steps, [&](const Inference& step) {
        return step.kind == InferenceKind::kNewResult && step.number == i &&
               same(step.value, old_step.value);
      });
    }
    if (!equal) return error_at(section.line, absl::StrCat("result ", i, " is not shown equal"));
  }
  return absl::OkStatus();
}

absl::Status check_from_before(const Section& section, const std::vector<Inference>& steps) {
  Shown shown = assume(section.before, false);
  for (const Inference& step : steps) {
    if (!applies(step, shown)) {
      return error_at(step.line, "the step does not follow from the steps before it");
    }
    apply(step, shown);
  }
  if (shown.facts.contradictory()) return absl::OkStatus();
  if (section.after.known_empty) {
    return error_at(section.line, "expected a contradiction before KNOWN EMPTY");
  }
  if (!implied(shown, bounds_of(section.after))) {
    return error_at(section.line, "a bound of the result is not shown");
  }
  if (!has_all(shown.new_constraints, section.after.constraints.size())) {
    return error_at(section.line, "a constraint of the result is not shown");
  }
  return check_results(section, steps);
}

absl::Status check_from_after(const Section& section, const std::vector<Inference>& steps) {
  if (section.after.known_empty) return absl::OkStatus();
  Shown shown = assume(section.after, true);
  // The simplifier wrote equivalences from before to after, so most facts come from the backward
  // pass.
  for (bool changed = true; changed && !shown.facts.contradictory();) {
    changed = false;
    for (const Inference& step : steps) changed |= apply(step, shown);
    for (size_t i = steps.size(); i-- > 0;) changed |= apply(steps[i], shown);
  }
  if (shown.facts.contradictory()) return absl::OkStatus();
  if (!implied(shown, bounds_of(section.before))) {
    return error_at(section.line, "a bound does not follow from the result");
  }
  if (!has_all(shown.constraints, section.before.constraints.size())) {
    return error_at(section.line, "a constraint does not follow from the result");
  }
  return absl::OkStatus();
}

bool same_variables(const IndexingMap& a, const IndexingMap& b) {
  for (Op kind : kVariableKinds) {
    const auto count = std::ssize(variables_of(a, kind));
    if (count != std::ssize(variables_of(b, kind))) return false;
    for (int64_t i = 0; i < count && !b.known_empty; ++i) {
      if (name_of(a, kind, i) != name_of(b, kind, i)) return false;
    }
  }
  return b.known_empty || a.results.size() == b.results.size();
}

}  // namespace

absl::StatusOr<Checked> check_trace(absl::string_view text) {
  const std::vector<Section> sections = TRY(parse_trace(text));
  if (sections.empty()) return error_at(1, "expected 'map', found the end");
  Checked checked{sections.front().before, sections.back().after};
  const Section* previous = nullptr;
  for (const Section& section : sections) {
    if (previous != nullptr && !(previous->after == section.before)) {
      return error_at(section.line, "expected the map that the previous section became");
    }
    if (!same_variables(section.before, section.after)) {
      return error_at(section.line, "expected the same variables and the same number of results");
    }
    const Inferences inferences = TRY(read_inferences(section));
    TRY(check_from_before(section, inferences.steps));
    TRY(check_from_after(section, inferences.steps));
    ++checked.sections;
    checked.steps += static_cast<int>(section.steps.size());
    previous = &section;
  }
  return checked;
}

absl::StatusOr<StatedFacts> stated_facts(const Section& section) {
  Inferences inferences = TRY(read_inferences(section));
  StatedFacts stated{std::move(inferences.table), {}};
  for (Inference& step : inferences.steps) {
    if (step.says) stated.facts.push_back({step.line, *std::move(step.says)});
  }
  return stated;
}

}  // namespace tileproof::trace
