#include "impl/simplify.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "impl/domain.h"
#include "impl/normalize.h"
#include "impl/ranges.h"
#include "impl/rewrite.h"
#include "spec/lang/map_text.h"

namespace tileproof::impl {

struct Workspace::Parts {
  Forms forms;
  std::vector<int64_t> sizes;
};

Workspace::Workspace() : parts_(std::make_unique<Parts>()) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

namespace {

// Results that could not be treated, after which all of them are left as they are.
constexpr int kMaxRefusals = 4;

bool fits(const Range& range) { return INT64_MIN <= range.low && range.high <= INT64_MAX; }

bool fits_shifted(const Range& range, Wide by) { return fits({range.low - by, range.high - by}); }

Interval interval_of(const Range& range) {
  return {static_cast<int64_t>(range.low), static_cast<int64_t>(range.high)};
}

// One map on its way through the simplifier.
struct Job {
  const IndexingMap& map;
  Forms& forms;
  std::vector<int64_t>& sizes;
  Normalizer normalizer;
  Domain domain;
  IndexingMap out;
};

void copy_variables(const IndexingMap& map, const Domain& domain, IndexingMap& out) {
  size_t next = 0;
  const auto copy = [&](const std::vector<Variable>& from, std::vector<Variable>& to) {
    to = from;
    for (Variable& variable : to) variable.bounds = domain.bounds[next++];
  };
  copy(map.dimensions, out.dimensions);
  copy(map.ranges, out.ranges);
  copy(map.runtime, out.runtime);
}

// A constraint of the map, its expression rewritten where that can be done.
void keep_constraint(Job& job, int origin) {
  const Constraint& constraint = job.map.constraints[origin];
  const Linear form = job.normalizer.form_of(constraint.expr);
  NodeId expr = -1;
  if (!job.forms.refused) {
    expr = rewrite(job.forms, job.normalizer, job.map, constraint.expr, form, job.sizes,
                   job.out.nodes);
  }
  if (job.forms.refused) expr = copy_tree(job.map.nodes, constraint.expr, job.out.nodes);
  job.out.constraints.push_back({expr, constraint.interval});
}

void start_again(Job& job) {
  begin_domain(job.forms, job.map, job.domain.bounds);
  job.normalizer.reset();
}

// Constraints in the order of their words; those that stay as written come last.
void write_constraints(Job& job) {
  const Naming naming{std::ssize(job.map.dimensions), std::ssize(job.map.ranges)};
  std::vector<Condition>& conditions = job.domain.conditions;
  std::ranges::stable_sort(conditions, [&](const Condition& a, const Condition& b) {
    if (a.as_written || b.as_written) return !a.as_written && b.as_written;
    return compare_written(job.forms, a.form, b.form) < 0;
  });
  for (const Condition& condition : conditions) {
    if (condition.as_written) continue;
    const Spelling spelling = spell(job.forms, condition.form);
    int64_t written = 0;
    for (int origin : condition.origins) written += job.sizes[job.map.constraints[origin].expr];
    if (fits_shifted(condition.range, spelling.words.constant) && !job.forms.refused && spelling.price / kNodePrice <= written) {
      // A constant that the words need stands in the interval.
      const Wide k = spelling.words.constant;
      const Range range{condition.range.low - k, condition.range.high - k};
      const NodeId expr =
          write(job.forms, without_constant(spelling.words), naming, job.out.nodes);
      job.out.constraints.push_back({expr, interval_of(range)});
    } else {
      for (int origin : condition.origins) keep_constraint(job, origin);
    }
  }
  for (const Condition& condition : conditions) {
    if (!condition.as_written) continue;
    const Constraint& constraint = job.map.constraints[condition.origins.front()];
    const NodeId expr = copy_tree(job.map.nodes, constraint.expr, job.out.nodes);
    job.out.constraints.push_back({expr, constraint.interval});
  }
}

void write_results(Job& job) {
  int refusals = 0;
  for (NodeId root : job.map.results) {
    NodeId result = -1;
    if (refusals < kMaxRefusals) {
      const Linear form = job.normalizer.form_of(root);
      if (!job.forms.refused) {
        result = rewrite(job.forms, job.normalizer, job.map, root, form, job.sizes, job.out.nodes);
      }
    }
    if (job.forms.refused) {
      ++refusals;
      start_again(job);
      result = -1;
    }
    if (result < 0) result = copy_tree(job.map.nodes, root, job.out.nodes);
    job.out.results.push_back(result);
  }
}

}  // namespace

absl::StatusOr<IndexingMap> simplify(const IndexingMap& map, Workspace& workspace) {
  const absl::Status status = validate_map(map);
  if (!status.ok()) return status;
  if (map.known_empty) return no_points(map);
  Workspace::Parts& parts = workspace.parts();
  Job job{map, parts.forms, parts.sizes, Normalizer(parts.forms, map), {}, {}};
  job.domain = simplify_domain(job.forms, job.normalizer, map);
  if (job.domain.empty) return no_points(map);
  tree_sizes(map.nodes, job.sizes);
  copy_variables(map, job.domain, job.out);
  if (!job.domain.conditions.empty()) {
    write_constraints(job);
    if (job.forms.refused) {
      start_again(job);
      job.domain.conditions.clear();  // their forms are gone
    }
    learn(job.forms, job.domain.conditions);
    job.normalizer.reset();
  }
  write_results(job);
  return std::move(job.out);
}

absl::StatusOr<IndexingMap> simplify(const IndexingMap& map) {
  thread_local Workspace workspace;
  return simplify(map, workspace);
}

absl::StatusOr<Interval> range_of(const IndexingMap& map, NodeId root) {
  const absl::Status status = validate_map(map);
  if (!status.ok()) return status;
  thread_local Forms forms;
  Normalizer normalizer(forms, map);
  const Domain domain = simplify_domain(forms, normalizer, map);
  if (domain.empty || map.known_empty) {
    return absl::InvalidArgumentError("expected a domain with points, found an empty one");
  }
  learn(forms, domain.conditions);
  normalizer.reset();
  const Linear form = normalizer.form_of(root);
  const Range range = forms.refused ? Range{} : range_of(forms, form);
  if (forms.refused || !fits(range)) {
    return absl::OutOfRangeError("expected values within 64 signed bits");
  }
  return interval_of(range);
}

}  // namespace tileproof::impl
