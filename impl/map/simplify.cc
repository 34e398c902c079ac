#include "impl/map/simplify.h"

#include <algorithm>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "impl/map/cse.h"
#include "impl/map/domain/constraint.h"
#include "impl/map/domain/domain.h"
#include "impl/map/extraction/cost.h"
#include "impl/map/extraction/render_expr.h"
#include "impl/map/normal_form/assumed_sums.h"
#include "impl/map/normal_form/normalize.h"
#include "impl/map/normal_form/ranges.h"
#include "impl/map/proof_log/proof_log_map.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::impl {

struct Workspace::Parts {
  Forms forms;
  DistinctNodes distinct;
  IndexingMap map;  // that is simplified, every expression once
  IndexingMap out;  // what becomes of it
  Normalizer of_map{forms, map};
  Normalizer of_out{forms, out};
  std::vector<int64_t> sizes;
};

Workspace::Workspace() : parts_(std::make_unique<Parts>()) {}
Workspace::Workspace(int64_t max_work) : Workspace() { parts_->forms.max_work = max_work; }
Workspace::~Workspace() = default;

namespace {

// Results that could not be treated, after which all of them are left as they are.
constexpr int kMaxRefusals = 4;

Interval interval_of(const Range& range) {
  return {static_cast<int64_t>(range.low), static_cast<int64_t>(range.high)};
}

// One map on its way through the simplifier.
struct Job {
  const IndexingMap& map;
  IndexingMap& out;
  Forms& forms;
  Normalizer& normalizer;
  std::vector<int64_t>& sizes;
  Domain domain;
  std::vector<Linear> result_forms;
  bool settled = true;  // a second simplification would find the same
};

void copy_variables(const IndexingMap& map, const Domain& domain, IndexingMap& out) {
  size_t next = 0;
  const auto copy = [&](const std::vector<Variable>& from, std::vector<Variable>& to) {
    to = from;
    for (Variable& variable : to) variable.bounds = interval_of(domain.bounds[next++]);
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
// words cannot be found for one of them, which is refused then, all stay as written.
void write_constraints(Job& job) {
  std::vector<Condition>& conditions = job.domain.conditions;
  for (Condition& condition : conditions) {
    if (!condition.as_written) condition.words = spell(job.forms, condition.form).words;
  }
  if (!job.forms.refused) {
    std::ranges::stable_sort(conditions, [&](const Condition& a, const Condition& b) {
      if (a.as_written || b.as_written) return !a.as_written;
      return compare_words(job.forms, a.words, b.words) < 0;
    });
  }
  for (const Condition& condition : conditions) {
    if (condition.as_written) {
      job.settled = false;
      copy_constraint(job, condition.origins.front());
    } else if (!job.forms.refused) {
      write_condition(job, condition);
    }
  }
  if (!job.forms.refused) return;
  job.out.nodes.clear();
  job.out.constraints.clear();
  for (int i = 0; i < std::ssize(job.map.constraints); ++i) copy_constraint(job, i);
}

// Conditions on several floors may become others in a second run though they read the same here:
// one of a million random maps has such a condition.
bool has_one_floor(const Forms& forms, const Linear& form) {
  return std::count_if(form.begin(), form.end(), [&](const Term& term) {
           return forms.atoms[term.atom].kind != AtomKind::kVariable;  // or a product
         }) <= 1;
}

// True if the constraint, as it was written, is the condition again, and nothing more.
bool says_the_same(Job& job, Normalizer& again, const Constraint& written,
                   const Condition& condition) {
  if (!has_one_floor(job.forms, condition.form)) return false;
  Condition other = condition;
  other.form = again.form_of(written.expr);
  other.range = {written.interval.low, written.interval.high};
  std::vector<Range> bounds = job.domain.bounds;  // stay as they are where it is open
  settle(job.forms, other, bounds);
  return other == condition;
}

// Together the constraints may say more in their new words; where each says the same as before they
// do not, unless there are more rounds to come. (A condition that keeps the words of several
// constraints says the same if the first of them does; then the others say nothing.) Where that, or
// writing them, was refused, it goes on without the conditions, whose forms are gone.
void check_constraints(Job& job, Normalizer& again) {
  again.reset();
  job.settled &= !job.domain.crept;
  for (size_t i = 0; i < job.domain.conditions.size() && job.settled; ++i) {
    job.settled = says_the_same(job, again, job.out.constraints[i], job.domain.conditions[i]);
  }
  if (!job.forms.refused) return;
  job.settled = false;
  job.domain.conditions.clear();
  start_again(job);
}

// The form with known sums put in, where that has no more words.
Linear simpler(Forms& forms, const Linear& form) {
  const Linear other = with_known_sums(forms, form);
  return spell(forms, other).price <= spell(forms, form).price ? other : form;
}

void write_results(Job& job) {
  int refusals = 0;
  for (NodeId root : job.map.results) {
    NodeId result = -1;
    bool by_parts = false;
    if (refusals < kMaxRefusals) {
      const Linear form = simpler(job.forms, job.normalizer.form_of(root));
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

bool has_only_variables(const Forms& forms, const Linear& form) {
  return std::all_of(form.begin(), form.end(), [&](const Term& term) {
    return forms.atoms[term.atom].kind == AtomKind::kVariable;
  });
}

// A normal form is nearly, but not always, the only one for its values. Then the words that were
// chosen may have another normal form, with other words; a sum of variables has none.
void check_results(Job& job, Normalizer& again) {
  again.reset();
  for (size_t i = 0; i < job.out.results.size() && job.settled; ++i) {
    if (has_only_variables(job.forms, job.result_forms[i])) continue;
    // Nothing where that is refused.
    const Linear form = simpler(job.forms, again.form_of(job.out.results[i]));
    job.settled = form == job.result_forms[i];
  }
}

// What the map writes beyond floordiv and mod by positive constants.
Dialect dialect_of(const ExprTable& nodes) {
  Dialect dialect;
  for (const Node& node : nodes) {
    dialect.ceildiv |= node.op == Op::kCeilDiv;
    if (is_division(node.op)) {
      dialect.negative_divisors |= folded(nodes, node.right).value() < 0;
    }
  }
  return dialect;
}

// The map of the parts, simplified from its own words; `settled` as in Job.
void simplify_once(Workspace::Parts& parts, bool& settled) {
  const IndexingMap& map = parts.map;
  Job job{map, parts.out, parts.forms, parts.of_map, parts.sizes, {}, {}};
  parts.forms.dialect = dialect_of(map.nodes);
  job.domain = simplify_domain(job.forms, job.normalizer, map);
  if (job.domain.empty) {
    parts.out = no_points(map);
    return;
  }
  parts.out.nodes.clear();
  parts.out.results.clear();
  parts.out.constraints.clear();
  parts.out.known_empty = false;
  tree_sizes(map.nodes, job.sizes);
  copy_variables(map, job.domain, job.out);
  if (!job.domain.conditions.empty()) {
    write_constraints(job);
    if (job.forms.derivation != nullptr) note_new_constraints(job.forms, job.map, job.out);
    check_constraints(job, parts.of_out);
    learn(job.forms, job.domain.conditions);
    job.normalizer.reset();
  }
  write_results(job);
  check_results(job, parts.of_out);
  settled = job.settled;
}

using Maps = absl::InlinedVector<IndexingMap, 2>;

int64_t written_size(const IndexingMap& map) {
  std::vector<int64_t> sizes;
  tree_sizes(map.nodes, sizes);
  int64_t sum = 0;
  for (const Constraint& constraint : map.constraints) sum += sizes[constraint.expr];
  for (const NodeId root : map.results) sum += sizes[root];
  return sum;
}

// For a map that becomes another one every time (a factor that grows, in one of twenty million
// random maps): how many times give the first of the shortest, which will be found for itself, too.
size_t times_to_shortest(const IndexingMap& map, const Maps& maps) {
  size_t times = 0;
  int64_t least = written_size(map);
  for (size_t i = 0; i < maps.size(); ++i) {
    const int64_t size = written_size(maps[i]);
    if (size < least) times = i + 1;
    least = std::min(least, size);
  }
  return times;
}

}  // namespace

absl::StatusOr<IndexingMap> simplify(const IndexingMap& map, Workspace& workspace) {
  constexpr size_t kMaxTimes = 8;
  Workspace::Parts& parts = workspace.parts();
  Derivation* derivation = parts.forms.derivation;
  Maps maps;  // what the map becomes, time after time
  while (maps.size() < kMaxTimes) {
    const IndexingMap& before = maps.empty() ? map : maps.back();
    if (absl::Status status = parts.distinct.read(before, parts.map); !status.ok()) return status;
    if (before.known_empty) return no_points(map);
    bool settled = true;
    if (derivation != nullptr) begin_section(*derivation, parts.map);
    simplify_once(parts, settled);
    if (!maps.empty() && parts.out == before) return std::move(maps.back());
    if (derivation != nullptr) end_section(*derivation, before, parts.out);
    maps.push_back(parts.out);
    if (settled) return std::move(maps.back());
  }
  const size_t times = times_to_shortest(map, maps);
  if (derivation != nullptr) keep_sections(*derivation, times);
  if (derivation != nullptr && times == 0) tell_unchanged(parts.forms, map);
  return times == 0 ? map : std::move(maps[times - 1]);
}

absl::StatusOr<IndexingMap> simplify(const IndexingMap& map) {
  thread_local Workspace workspace;
  return simplify(map, workspace);
}

absl::StatusOr<Traced> simplify_traced(const IndexingMap& map) {
  Workspace workspace;
  Derivation derivation;
  workspace.parts().forms.derivation = &derivation;
  absl::StatusOr<IndexingMap> simplified = simplify(map, workspace);
  if (!simplified.ok()) return simplified.status();
  return Traced{*std::move(simplified), std::move(derivation.text)};
}

absl::StatusOr<Interval> range_of(const IndexingMap& map, NodeId root) {
  thread_local Workspace::Parts parts;
  Forms& forms = parts.forms;
  if (absl::Status status = parts.distinct.read(map, parts.map); !status.ok()) return status;
  const Domain domain = simplify_domain(forms, parts.of_map, parts.map);
  if (domain.empty || map.known_empty) {
    return absl::InvalidArgumentError("expected a domain with points, found an empty one");
  }
  learn(forms, domain.conditions);
  parts.of_map.reset();
  const Linear form = with_known_sums(forms, parts.of_map.form_of(parts.distinct.place(root)));
  const Range range = forms.refused ? Range{} : range_of(forms, form);
  if (forms.refused || !fits(range)) {
    return absl::OutOfRangeError("expected values within 64 signed bits");
  }
  return interval_of(range);
}

}  // namespace tileproof::impl
