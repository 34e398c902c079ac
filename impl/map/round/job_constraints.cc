// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "impl/map/domain/constraint.h"
#include "impl/map/extraction/cost.h"
#include "impl/map/round/job.h"

namespace tileproof::impl {
namespace {

// Writes the constraint after the local rules. No, if that takes `nodes` or more.
bool keep_by_rules(Job& job, int source, const Linear& form, int64_t nodes) {
  const Constraint& constraint = job.map.constraints[source];
  const NodeId expr = write_by_rules(job.context, job.net, job.map, constraint.expr, form, nodes,
                                     /*proven=*/true, job.out.nodes);
  if (expr < 0) return false;
  job.out.constraints.push_back({expr, constraint.interval});
  job.at_fixpoint = false;
  return true;
}

// Writes a constraint of the map with its expression rewritten.
void keep_constraint(Job& job, int source) {
  const Constraint& constraint = job.map.constraints[source];
  const Linear form = job.normalizer.form_of(constraint.expr);
  if (job.context.gave_up || keep_by_rules(job, source, form, job.sizes[constraint.expr])) return;
  bool by_parts = false;  // ignored: while constraints remain, simplify runs again anyway
  const NodeId expr = rewrite(job.context, job.normalizer, nullptr, job.map, constraint.expr, form,
                              job.sizes, job.out.nodes, by_parts);
  job.out.constraints.push_back({expr, constraint.interval});
}

void copy_constraint(Job& job, int source) {
  const Constraint& constraint = job.map.constraints[source];
  const NodeId expr = copy_tree(job.map.nodes, constraint.expr, job.out.nodes);
  job.out.constraints.push_back({expr, constraint.interval});
}

void write_constraint(Job& job, const NormalConstraint& constraint) {
  const VariableCounts counts{std::ssize(job.map.dimensions), std::ssize(job.map.ranges)};
  const Extraction extraction = extract(job.context, constraint.form);
  // The constant of the rendering moves into the interval.
  const Wide k = extraction.rendering.constant;
  const Range range{constraint.range.low - k, constraint.range.high - k};
  int64_t written = 0;
  for (int source : constraint.sources) written += job.sizes[job.map.constraints[source].expr];
  const int64_t nodes = extraction.cost / kNodeCost;
  if (!fits(range) || nodes > written) {
    for (int source : constraint.sources) keep_constraint(job, source);
    return;
  }
  if (constraint.sources.size() == 1 && !is_shortest(job.context, extraction)) {
    const int source = constraint.sources.front();
    const Linear form = job.normalizer.form_of(job.map.constraints[source].expr);
    if (keep_by_rules(job, source, form, nodes)) return;
  }
  const NodeId expr =
      render(job.context, without_constant(extraction.rendering), counts, job.out.nodes);
  job.out.constraints.push_back({expr, interval_of(range)});
}

// Constraints on several floors may become others in a second run, even if they read the same here:
// one of a million random maps has such a constraint.
bool has_one_floor(const NormalFormContext& context, const Linear& form) {
  return std::count_if(form.begin(), form.end(), [&](const Term& term) {
           return context.atoms[term.atom].kind != AtomKind::kVariable;  // a floor or a product
         }) <= 1;
}

// Returns whether the written constraint normalizes to exactly the condition again.
bool says_the_same(Job& job, const Constraint& written, const NormalConstraint& constraint) {
  if (!has_one_floor(job.context, constraint.form) ||
      becomes_shorter(job, written.expr, constraint.form)) {
    return false;
  }
  NormalConstraint other = constraint;
  other.form = job.of_out.form_of(written.expr);
  other.range = {written.interval.low, written.interval.high};
  std::vector<Range> bounds = job.domain.bounds;  // unchanged while that is open
  canonicalize(job.context, other, bounds);
  return other == constraint;
}

}  // namespace

void write_constraints(Job& job) {
  std::vector<NormalConstraint>& constraints = job.domain.constraints;
  for (NormalConstraint& constraint : constraints) {
    if (constraint.as_written) continue;
    begin_search(job.context);
    constraint.rendering = extract(job.context, constraint.form).rendering;
    note_search(job);
  }
  if (!job.context.gave_up) {
    std::ranges::stable_sort(constraints,
                             [&](const NormalConstraint& a, const NormalConstraint& b) {
                               if (a.as_written || b.as_written) return !a.as_written;
                               return compare_renderings(job.context, a.rendering, b.rendering) < 0;
                             });
  }
  for (const NormalConstraint& constraint : constraints) {
    if (constraint.as_written) {
      job.at_fixpoint = false;
      copy_constraint(job, constraint.sources.front());
    } else if (!job.context.gave_up) {
      write_constraint(job, constraint);
      note_search(job);
    }
  }
  if (!job.context.gave_up) return;
  job.out.nodes.clear();
  job.out.constraints.clear();
  for (int i = 0; i < std::ssize(job.map.constraints); ++i) copy_constraint(job, i);
}

void check_constraints(Job& job) {
  job.of_out.reset();
  job.rules_of_out.begin(job.out, job.domain.bounds);
  job.at_fixpoint &= !job.domain.no_fixpoint;
  for (size_t i = 0; i < job.domain.constraints.size() && job.at_fixpoint; ++i) {
    job.at_fixpoint = says_the_same(job, job.out.constraints[i], job.domain.constraints[i]);
  }
  if (!job.context.gave_up) return;
  job.at_fixpoint = false;
  job.domain.constraints.clear();
  start_again(job);
}

}  // namespace tileproof::impl
