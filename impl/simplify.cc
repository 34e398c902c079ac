#include "impl/simplify.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "impl/derivation_map.h"
#include "impl/domain.h"
#include "impl/normalize.h"
#include "impl/price.h"
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

namespace {

// Results that could not be treated, after which all of them are left as they are.
constexpr int kMaxRefusals = 4;

bool fits(const Range& range) { return INT64_MIN <= range.low && range.high <= INT64_MAX; }

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
  std::vector<Linear> result_forms;
  bool settled = true;  // a second simplification would find the same
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

// A constraint of the map, its expression rewritten.
void keep_constraint(Job& job, int origin) {
  const Constraint& constraint = job.map.constraints[origin];
  const Linear form = job.normalizer.form_of(constraint.expr);
  if (job.forms.refused) return;
  bool by_parts = false;  // with constraints left the whole is done again anyway
  const NodeId expr = rewrite(job.forms, job.normalizer, job.map, constraint.expr, form, job.sizes,
                              job.out.nodes, by_parts);
  job.out.constraints.push_back({expr, constraint.interval});
}

void start_again(Job& job) {
  begin_domain(job.forms, job.map, job.domain.bounds);
  job.normalizer.reset();
}

void copy_constraint(Job& job, int origin) {
  const Constraint& constraint = job.map.constraints[origin];
  const NodeId expr = copy_tree(job.map.nodes, constraint.expr, job.out.nodes);
  job.out.constraints.push_back({expr, constraint.interval});
}

void write_condition(Job& job, const Condition& condition) {
  const Naming naming{std::ssize(job.map.dimensions), std::ssize(job.map.ranges)};
  const Spelling spelling = spell(job.forms, condition.form);
  // A constant that the words need stands in the interval.
  const Wide k = spelling.words.constant;
  const Range range{condition.range.low - k, condition.range.high - k};
  int64_t written = 0;
  for (int origin : condition.origins) written += job.sizes[job.map.constraints[origin].expr];
  if (!fits(range) || spelling.price / kNodePrice > written) {
    for (int origin : condition.origins) keep_constraint(job, origin);
    return;
  }
  const NodeId expr = write(job.forms, without_constant(spelling.words), naming, job.out.nodes);
  job.out.constraints.push_back({expr, interval_of(range)});
}

// Constraints in the order of their words; then, in their own order, those that stay as written. If
// words cannot be found for one of them, all stay as written.
void write_constraints(Job& job) {
  std::vector<Condition>& conditions = job.domain.conditions;
  std::ranges::stable_sort(conditions, [&](const Condition& a, const Condition& b) {
    if (a.as_written || b.as_written) return !a.as_written && b.as_written;
    return compare_written(job.forms, a.form, b.form) < 0;
  });
  for (const Condition& condition : conditions) {
    if (condition.as_written) {
      copy_constraint(job, condition.origins.front());
    } else if (!job.forms.refused) {
      write_condition(job, condition);
    }
  }
  if (!job.forms.refused) return;
  job.out.nodes.clear();
  job.out.constraints.clear();
  for (int i = 0; i < std::ssize(job.map.constraints); ++i) copy_constraint(job, i);
  conditions.clear();  // their forms are gone
  start_again(job);
}

void write_results(Job& job) {
  int refusals = 0;
  for (NodeId root : job.map.results) {
    NodeId result = -1;
    bool by_parts = false;
    if (refusals < kMaxRefusals) {
      const Linear form = job.normalizer.form_of(root);
      job.result_forms.push_back(form);
      if (!job.forms.refused) {
        result = rewrite(job.forms, job.normalizer, job.map, root, form, job.sizes, job.out.nodes,
                         by_parts);
      }
    }
    if (job.forms.refused) {
      ++refusals;
      job.settled = false;
      start_again(job);
      result = -1;
    }
    const bool copied = result < 0;
    if (copied) result = copy_tree(job.map.nodes, root, job.out.nodes);
    job.out.results.push_back(result);
    if (job.forms.derivation != nullptr && copied) {
      note_copied_result(job.forms, job.out);
    } else if (job.forms.derivation != nullptr) {
      note_result(job.forms, job.map, job.out, job.result_forms.back());
    }
    if (by_parts) job.settled = false;
  }
}

// A normal form is nearly, but not always, the only one for its values. Then the words that were
// chosen may have another normal form, with other words.
void check_results(Job& job) {
  Normalizer again(job.forms, job.out);
  for (size_t i = 0; i < job.out.results.size() && job.settled; ++i) {
    const Linear form = again.form_of(job.out.results[i]);
    job.settled = !job.forms.refused && form == job.result_forms[i];
  }
}

}  // namespace

namespace {

// What the map writes beyond floordiv and mod by positive constants.
Dialect dialect_of(const ExprTable& nodes) {
  Dialect dialect;
  for (const Node& node : nodes) {
    dialect.ceildiv |= node.op == Op::kCeilDiv;
    if (is_division(node.op)) {
      dialect.negative_divisors |= folded(nodes, node.right).value_or(0) < 0;
    }
  }
  return dialect;
}

// The map, simplified from its own words; `settled` as in Job.
IndexingMap simplify_once(const IndexingMap& map, Workspace::Parts& parts, bool& settled) {
  Job job{map, parts.forms, parts.sizes, Normalizer(parts.forms, map), {}, {}, {}};
  parts.forms.dialect = dialect_of(map.nodes);
  job.domain = simplify_domain(job.forms, job.normalizer, map);
  if (job.domain.empty) return no_points(map);
  tree_sizes(map.nodes, job.sizes);
  copy_variables(map, job.domain, job.out);
  if (!job.domain.conditions.empty()) {
    write_constraints(job);
    if (job.forms.derivation != nullptr) note_new_constraints(job.forms, job.map, job.out);
    // Together they may say more in their new words: a second run decides.
    job.settled = false;
    learn(job.forms, job.domain.conditions);
    job.normalizer.reset();
  }
  write_results(job);
  check_results(job);
  job.settled &= dialect_of(job.out.nodes) == parts.forms.dialect;
  settled = job.settled;
  return std::move(job.out);
}

}  // namespace

namespace {

// As simplify_once, told to the derivation if there is one.
IndexingMap simplify_told(const IndexingMap& map, Workspace::Parts& parts, bool& settled) {
  Derivation* derivation = parts.forms.derivation;
  if (derivation != nullptr) begin_section(*derivation, map);
  return simplify_once(map, parts, settled);
}

IndexingMap simplify_valid(const IndexingMap& map, Workspace::Parts& parts) {
  if (map.known_empty) return no_points(map);
  Derivation* derivation = parts.forms.derivation;
  bool settled = true;
  IndexingMap out = simplify_told(map, parts, settled);
  if (derivation != nullptr) end_section(*derivation, map, out);
  constexpr int kMaxTimes = 8;
  for (int i = 1; i < kMaxTimes && !settled && !out.known_empty; ++i) {
    settled = true;
    IndexingMap again = simplify_told(out, parts, settled);
    if (again == out) break;
    if (derivation != nullptr) end_section(*derivation, out, again);
    out = std::move(again);
  }
  return out;
}

}  // namespace

absl::StatusOr<IndexingMap> simplify(const IndexingMap& map, Workspace& workspace) {
  const absl::Status status = validate_map(map);
  if (!status.ok()) return status;
  return simplify_valid(map, workspace.parts());
}

absl::StatusOr<IndexingMap> simplify(const IndexingMap& map) {
  thread_local Workspace workspace;
  return simplify(map, workspace);
}

absl::StatusOr<Traced> simplify_traced(const IndexingMap& map) {
  const absl::Status status = validate_map(map);
  if (!status.ok()) return status;
  Workspace workspace;
  Derivation derivation;
  workspace.parts().forms.derivation = &derivation;
  IndexingMap simplified = simplify_valid(map, workspace.parts());
  if (derivation.too_long()) derivation.text.clear();
  return Traced{std::move(simplified), std::move(derivation.text)};
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
