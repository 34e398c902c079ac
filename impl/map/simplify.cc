// SPDX-License-Identifier: Apache-2.0
#include "impl/map/simplify.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "impl/map/cse.h"
#include "impl/map/domain/constraint.h"
#include "impl/map/domain/domain.h"
#include "impl/map/extraction/cost.h"
#include "impl/map/extraction/render_expr.h"
#include "impl/map/normal_form/assumed_sums.h"
#include "impl/map/normal_form/normalize.h"
#include "impl/map/normal_form/ranges.h"
#include "impl/map/proof_log/proof_log_map.h"
#include "impl/map/simple_maps.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::impl {

namespace {

constexpr size_t kMaxRounds = 8;

}  // namespace

struct Workspace::Parts {
  NormalFormContext context;
  CommonSubexpressions distinct;
  IndexingMap map;  // the map to simplify, every expression once
  IndexingMap out;  // the result
  Normalizer of_map{context, map};
  Normalizer of_out{context, out};
  LocalRules rules, rules_of_out;
  std::vector<int64_t> sizes;
  std::array<IndexingMap, kMaxRounds> rounds;  // the map after each round but the last
  std::vector<std::pair<NodeId, NodeId>> open;
  IndexingMap simple;  // room for simplify_simple
  bool try_simple = true;
};

Workspace::Workspace() : parts_(std::make_unique<Parts>()) {}
// With less work than usual, the general way may leave a simple map that it did not simplify. Then a
// second simplification must leave it, too.
Workspace::Workspace(int64_t max_work) : Workspace() {
  parts_->context.max_work = max_work;
  parts_->try_simple = max_work >= kMaxWork;
}
Workspace::~Workspace() = default;
void Workspace::try_simple(bool yes) {
  parts_->try_simple = yes;
  parts_->context.try_plain = yes;
}

namespace {

// After this many results that gave up, all results stay as they are.
constexpr int kMaxGiveUps = 4;

Interval interval_of(const Range& range) {
  return {static_cast<int64_t>(range.low), static_cast<int64_t>(range.high)};
}

// The state of the simplification of one map.
struct Job {
  const IndexingMap& map;
  IndexingMap& out;
  NormalFormContext& context;
  Normalizer& normalizer;
  Net net;
  LocalRules& rules_of_out;
  std::vector<int64_t>& sizes;
  Domain domain;
  std::vector<Linear> result_forms;
  bool at_fixpoint = true;  // a second simplification would change nothing
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

void start_again(Job& job) {
  begin_domain(job.context, job.map, job.domain.bounds);
  job.normalizer.reset();
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

// Writes the constraints in the order of their renderings, then those that stay as written, in
// their own order. If extraction gives up for one of them, all stay as written.
void write_constraints(Job& job) {
  std::vector<NormalConstraint>& constraints = job.domain.constraints;
  for (NormalConstraint& constraint : constraints) {
    if (constraint.as_written) continue;
    begin_search(job.context);
    constraint.rendering = extract(job.context, constraint.form).rendering;
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
    }
  }
  if (!job.context.gave_up) return;
  job.out.nodes.clear();
  job.out.constraints.clear();
  for (int i = 0; i < std::ssize(job.map.constraints); ++i) copy_constraint(job, i);
}

// Constraints on several floors may become others in a second run, even if they read the same here:
// one of a million random maps has such a constraint.
bool has_one_floor(const NormalFormContext& context, const Linear& form) {
  return std::count_if(form.begin(), form.end(), [&](const Term& term) {
           return context.atoms[term.atom].kind != AtomKind::kVariable;  // a floor or a product
         }) <= 1;
}

// Returns whether the local rules make the written expression of this form shorter.
bool becomes_shorter(Job& job, NodeId root, const Linear& form) {
  if (is_shortest(job.context, extract(job.context, form))) return false;
  const std::optional<Extraction> other = job.rules_of_out.candidate(root);
  return other && other->cost / kNodeCost < tree_size(job.out.nodes, root);
}

// Returns whether the written constraint normalizes to exactly the condition again.
bool says_the_same(Job& job, Normalizer& again, const Constraint& written,
                   const NormalConstraint& constraint) {
  if (!has_one_floor(job.context, constraint.form) ||
      becomes_shorter(job, written.expr, constraint.form)) {
    return false;
  }
  NormalConstraint other = constraint;
  other.form = again.form_of(written.expr);
  other.range = {written.interval.low, written.interval.high};
  std::vector<Range> bounds = job.domain.bounds;  // unchanged while that is open
  canonicalize(job.context, other, bounds);
  return other == constraint;
}

// Decides whether the job is at its fixpoint, as far as constraints are concerned. It is not if a
// rewritten constraint has another normal form: a second run may then imply more. (If several
// originals became one text, it is enough to compare with the first of them, as the others are
// redundant.) If this check, or writing the constraints, gave up, their normal forms are lost, and
// the simplifier continues without constraints.
void check_constraints(Job& job, Normalizer& again) {
  again.reset();
  job.rules_of_out.begin(job.out, job.domain.bounds);
  job.at_fixpoint &= !job.domain.no_fixpoint;
  for (size_t i = 0; i < job.domain.constraints.size() && job.at_fixpoint; ++i) {
    job.at_fixpoint = says_the_same(job, again, job.out.constraints[i], job.domain.constraints[i]);
  }
  if (!job.context.gave_up) return;
  job.at_fixpoint = false;
  job.domain.constraints.clear();
  start_again(job);
}

// The form after replacing assumed sums, if that does not add terms.
Linear simpler(NormalFormContext& context, const Linear& form) {
  if (context.assumptions.empty()) return form;
  const Linear other = with_assumed_sums(context, form);
  if (other == form) return form;
  const int64_t cost = extract(context, form).cost;
  return extract(context, other, cost).cost <= cost ? other : form;
}

void write_results(Job& job) {
  int give_ups = 0;
  for (NodeId root : job.map.results) {
    NodeId result = -1;
    bool by_parts = false;
    job.net.taken = false;
    if (give_ups < kMaxGiveUps) {
      begin_search(job.context);
      const Linear form = simpler(job.context, job.normalizer.form_of(root));
      job.result_forms.push_back(form);
      if (!job.context.gave_up) {
        result = rewrite(job.context, job.normalizer, &job.net, job.map, root, form, job.sizes,
                         job.out.nodes, by_parts);
      }
    }
    if (job.context.gave_up) {
      ++give_ups;
      job.at_fixpoint = false;
      start_again(job);
    }
    const bool copied = result < 0;
    if (copied) result = copy_tree(job.map.nodes, root, job.out.nodes);
    job.out.results.push_back(result);
    if (job.context.proof_log != nullptr && copied) {
      log_copied_result(job.context, job.out);
    } else if (job.context.proof_log != nullptr && job.net.taken) {
      job.rules_of_out.log_result(job.net.rules, *job.context.proof_log,
                                  job.out.results.size() - 1);
    } else if (job.context.proof_log != nullptr) {
      log_result(job.context, job.map, job.out, job.result_forms.back());
    }
    if (by_parts) job.at_fixpoint = false;
  }
}

// A normal form is nearly, but not always, the only one for its values. So the extracted expression
// may have another normal form, with another rendering. A sum of variables has only one.
void check_results(Job& job, Normalizer& again) {
  again.reset();
  job.rules_of_out.begin(job.out, job.domain.bounds);
  if (!job.out.constraints.empty()) job.rules_of_out.assume_constraints();
  for (size_t i = 0; i < job.out.results.size() && job.at_fixpoint; ++i) {
    const Linear& before = job.result_forms[i];
    if (has_only_variables(job.context, before) || extract(job.context, before).plain) continue;
    begin_search(job.context);
    // Empty if the context gives up.
    const Linear form = simpler(job.context, again.form_of(job.out.results[i]));
    job.at_fixpoint = form == before && !becomes_shorter(job, job.out.results[i], form);
  }
}

// The extensions that the map uses: ceildiv, negative divisors.
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

// Returns whether simplify leaves the map as it is.
bool is_simple(const IndexingMap& map, IndexingMap& scratch) {
  return simplify_simple(map, Validated::kNo, scratch) == Simple::kUnchanged;
}

// Simplifies the map of the parts once. `at_fixpoint` as in Job.
void simplify_once(Workspace::Parts& parts, bool& at_fixpoint) {
  const IndexingMap& map = parts.map;
  Job job{map,
          parts.out,
          parts.context,
          parts.of_map,
          {parts.rules, parts.of_out},
          parts.rules_of_out,
          parts.sizes,
          {},
          {}};
  parts.context.dialect = dialect_of(map.nodes);
  job.domain = simplify_domain(job.context, job.normalizer, map);
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
  parts.rules.begin(map, job.domain.bounds);
  if (!job.domain.constraints.empty()) {
    parts.of_out.reset();
    write_constraints(job);
    if (job.context.proof_log != nullptr) log_new_constraints(job.context, job.map, job.out);
    check_constraints(job, parts.of_out);
    assume(job.context, job.domain.constraints);
    job.normalizer.reset();
    parts.rules.assume_constraints();
  }
  parts.of_out.reset();
  write_results(job);
  // A simple result is a fixpoint, so only the others need another look.
  if (job.context.proof_log == nullptr && parts.try_simple && is_simple(parts.out, parts.simple)) {
    at_fixpoint = true;
    return;
  }
  check_results(job, parts.of_out);
  at_fixpoint = job.at_fixpoint;
}

int64_t written_size(const IndexingMap& map) {
  std::vector<int64_t> sizes;
  tree_sizes(map.nodes, sizes);
  int64_t sum = 0;
  for (const Constraint& constraint : map.constraints) sum += sizes[constraint.expr];
  for (const NodeId root : map.results) sum += sizes[root];
  return sum;
}

// Returns whether the trees are the same, node for node. (operator== numbers all trees, which is
// linear in tables of any kind, and slower.)
bool same_trees(const ExprTable& a, NodeId root_a, const ExprTable& b, NodeId root_b, int64_t& left,
                std::vector<std::pair<NodeId, NodeId>>& open) {
  open.assign(1, {root_a, root_b});
  while (!open.empty()) {
    if (--left < 0) return false;
    const auto [at_a, at_b] = open.back();
    open.pop_back();
    const Node &x = a[at_a], &y = b[at_b];
    if (x.op != y.op || x.value != y.value) return false;
    if (is_leaf(x.op)) continue;
    open.push_back({x.left, y.left});
    open.push_back({x.right, y.right});
  }
  return true;
}

// The same as a == b.
bool same_maps(const IndexingMap& a, const IndexingMap& b,
               std::vector<std::pair<NodeId, NodeId>>& open) {
  if (a.results.size() != b.results.size() || a.constraints.size() != b.constraints.size()) {
    return false;
  }
  // Visits each node of a tree once; a table with shared nodes may have larger trees.
  int64_t left = 4 * std::ssize(a.nodes) + 16;
  bool same = true;
  for (size_t i = 0; i < a.results.size() && same; ++i) {
    same = same_trees(a.nodes, a.results[i], b.nodes, b.results[i], left, open);
  }
  for (size_t i = 0; i < a.constraints.size() && same; ++i) {
    same = a.constraints[i].interval == b.constraints[i].interval &&
           same_trees(a.nodes, a.constraints[i].expr, b.nodes, b.constraints[i].expr, left, open);
  }
  if (left < 0) return a == b;
  return same && a.known_empty == b.known_empty && a.dimensions == b.dimensions &&
         a.ranges == b.ranges && a.runtime == b.runtime;
}

// A map may change in every round (one of twenty million random maps does, by a growing factor).
// Then this is the number of rounds up to the first of the shortest maps, which becomes the answer.
size_t times_to_shortest(const IndexingMap& map, absl::Span<const IndexingMap> maps) {
  size_t times = 0;
  int64_t least = written_size(map);
  for (size_t i = 0; i < maps.size(); ++i) {
    const int64_t size = written_size(maps[i]);
    if (size < least) times = i + 1;
    least = std::min(least, size);
  }
  return times;
}

// Simplifies by normal forms, in rounds, until nothing changes.
absl::StatusOr<const IndexingMap*> simplify_in_rounds(const IndexingMap& map,
                                                      Workspace::Parts& parts) {
  ProofLog* proof_log = parts.context.proof_log;
  const IndexingMap* before = &map;
  for (size_t round = 0; round < kMaxRounds; ++round) {
    TRY(parts.distinct.read(*before, parts.map));
    if (before->known_empty) {
      parts.out = no_points(map);
      return &parts.out;
    }
    bool at_fixpoint = true;
    if (proof_log != nullptr) begin_section(*proof_log, parts.map);
    simplify_once(parts, at_fixpoint);
    if (round > 0 && same_maps(parts.out, *before, parts.open)) return before;
    if (proof_log != nullptr) end_section(*proof_log, *before, parts.out);
    if (at_fixpoint) return &parts.out;
    std::swap(parts.rounds[round], parts.out);
    before = &parts.rounds[round];
  }
  const size_t times = times_to_shortest(map, parts.rounds);
  if (proof_log != nullptr) keep_sections(*proof_log, times);
  if (proof_log != nullptr && times == 0) log_unchanged(parts.context, map);
  return times == 0 ? &map : &parts.rounds[times - 1];
}

}  // namespace

absl::StatusOr<const IndexingMap*> simplify_in(Workspace& workspace, const IndexingMap& map) {
  Workspace::Parts& parts = workspace.parts();
  if (parts.context.proof_log == nullptr && parts.try_simple) {
    const Simple simple = simplify_simple(map, Validated::kNo, parts.out);
    if (simple != Simple::kNo) return simple == Simple::kUnchanged ? &map : &parts.out;
  }
  return simplify_in_rounds(map, parts);
}

absl::StatusOr<IndexingMap> simplify(const IndexingMap& map, Workspace& workspace) {
  return *TRY(simplify_in(workspace, map));
}

absl::StatusOr<IndexingMap> simplify(const IndexingMap& map) {
  thread_local Workspace workspace;
  return simplify(map, workspace);
}

absl::StatusOr<Traced> simplify_with_trace(const IndexingMap& map) {
  Workspace workspace;
  ProofLog proof_log;
  workspace.parts().context.proof_log = &proof_log;
  IndexingMap simplified = TRY(simplify(map, workspace));
  return Traced{std::move(simplified), std::move(proof_log.text)};
}

absl::StatusOr<Interval> range_of(const IndexingMap& map, NodeId root) {
  thread_local Workspace::Parts parts;
  NormalFormContext& context = parts.context;
  TRY(parts.distinct.read(map, parts.map));
  const Domain domain = simplify_domain(context, parts.of_map, parts.map);
  if (domain.empty || map.known_empty) {
    return absl::InvalidArgumentError("expected a domain with points, found an empty one");
  }
  assume(context, domain.constraints);
  parts.of_map.reset();
  const Linear form =
      with_assumed_sums(context, parts.of_map.form_of(parts.distinct.position(root)));
  const Range range = context.gave_up ? Range{} : range_of(context, form);
  if (context.gave_up || !fits(range)) {
    return absl::OutOfRangeError("expected values within 64 signed bits");
  }
  return interval_of(range);
}

}  // namespace tileproof::impl
