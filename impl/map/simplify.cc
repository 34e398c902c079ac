// SPDX-License-Identifier: Apache-2.0
#include "impl/map/simplify.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "impl/map/cse.h"
#include "impl/map/domain/constraint.h"
#include "impl/map/domain/domain.h"
#include "impl/map/extraction/cost.h"
#include "impl/map/extraction/render_expr.h"
#include "impl/map/normal_form/assumed_sums.h"
#include "impl/map/normal_form/floors.h"
#include "impl/map/normal_form/normalize.h"
#include "impl/map/normal_map.h"
#include "impl/map/proof_log/proof_log_map.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/indexing_map.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::impl {

// The state of the simplification of one map. It keeps its memory for the next one.
struct Job {
  NormalFormContext context;
  IndexingMap map;  // the map to simplify, every expression once
  IndexingMap out;  // the result
  Normalizer normalizer{context, map}, of_out{context, out};
  LocalRules rules, rules_of_out;
  Net net{rules, of_out};
  std::vector<int64_t> sizes;  // of the trees of the map
  Domain domain;
  std::vector<Linear> result_forms;
  bool at_fixpoint = true;   // a second simplification would change nothing
  bool ended_early = false;  // a search did, so another round may change this one's result for ever
};

namespace {

// ---- One round: writes constraints and results anew, and decides whether another one would change them ----

Interval interval_of(const Range& range) {
  return {static_cast<int64_t>(range.low), static_cast<int64_t>(range.high)};
}

// Takes note of how the last search ended.
void note_search(Job& job) {
  job.at_fixpoint &= search_was_short(job.context);
  job.ended_early |= search_ended_early(job.context);
}

// Forgets all normal forms, but not what was written.
void start_again(Job& job) {
  begin_domain(job.context, job.map, job.domain.bounds);
  job.normalizer.reset();
}

// Returns whether the local rules make the written expression of this form shorter.
bool becomes_shorter(Job& job, NodeId root, const Linear& form) {
  if (is_shortest(job.context, extract(job.context, form))) return false;
  const std::optional<Extraction> other = job.rules_of_out.candidate(root);
  return other && other->cost / kNodeCost < tree_size(job.out.nodes, root);
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

// Writes the constraints in the order of their renderings, then those that stay as written, in
// their own order. If extraction gives up for one of them, all stay as written.
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

// Decides whether the job is at its fixpoint, as far as constraints are concerned. It is not if a
// rewritten constraint has another normal form: a second run may then imply more. (If several
// originals became one text, it is enough to compare with the first of them, as the others are
// redundant.) If this check, or writing the constraints, gave up, their normal forms are lost, and
// the simplifier continues without constraints.
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

// After this many results that gave up, all results stay as they are.
constexpr int kMaxGiveUps = 4;

// The form after replacing assumed sums, if that does not add terms.
Linear simpler(NormalFormContext& context, const Linear& form) {
  if (context.assumptions.empty()) return form;
  const Linear other = with_assumed_sums(context, form);
  if (other == form) return form;
  const int64_t cost = extract(context, form).cost;
  return extract(context, other, cost).cost <= cost ? other : form;
}

// Finds the forms of all results, and searches for their renderings in an order that does not depend on
// that of the results: what one search finds memoized decides how far it comes. No, if the context gave
// up.
bool search_in_order(Job& job) {
  struct Search {
    uint64_t key;
    Linear form;
    size_t result;
  };
  absl::InlinedVector<Search, 8> searches;
  for (size_t i = 0; i < job.map.results.size(); ++i) {
    const Linear form = job.normalizer.form_of(job.map.results[i]);
    if (job.context.gave_up) break;
    searches.push_back({key_of(job.context, form), form, i});
  }
  std::ranges::sort(searches, [](const Search& a, const Search& b) {
    return std::pair(a.form.count, a.key) < std::pair(b.form.count, b.key);
  });
  for (const Search& search : searches) {
    if (job.context.gave_up) break;
    begin_search(job.context);
    const Linear form = simpler(job.context, search.form);
    job.result_forms[search.result] = form;
    extract(job.context, form);
    note_search(job);
  }
  if (!job.context.gave_up) return true;
  start_again(job);
  return false;
}

void write_results(Job& job) {
  job.result_forms.assign(job.map.results.size(), Linear{});
  bool searched = search_in_order(job);
  int give_ups = 0;
  for (size_t i = 0; i < job.map.results.size(); ++i) {
    const NodeId root = job.map.results[i];
    Linear& form = job.result_forms[i];
    NodeId result = -1;
    bool by_parts = false;
    job.net.taken = false;
    if (give_ups < kMaxGiveUps) {
      const Linear written = searched ? Linear{} : job.normalizer.form_of(root);
      if (!job.ended_early) begin_search(job.context);
      if (!searched) form = simpler(job.context, written);
      if (!job.context.gave_up) {
        result = rewrite(job.context, job.normalizer, &job.net, job.map, root, form, job.sizes,
                         job.out.nodes, by_parts);
      }
    }
    if (job.context.gave_up) {
      ++give_ups;
      job.at_fixpoint = false;
      searched = false;
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
      log_result(job.context, job.map, job.out, form);
    }
    if (by_parts) job.at_fixpoint = false;
    note_search(job);
  }
}

// A normal form is nearly, but not always, the only one for its values. So the extracted expression
// may have another normal form, with another rendering. A sum of variables has only one.
void check_results(Job& job) {
  job.of_out.reset();
  job.rules_of_out.begin(job.out, job.domain.bounds);
  if (!job.out.constraints.empty()) job.rules_of_out.assume_constraints();
  for (size_t i = 0; i < job.out.results.size() && job.at_fixpoint; ++i) {
    const Linear& before = job.result_forms[i];
    if (is_shortest(job.context, extract(job.context, before))) continue;
    // Empty if the context gives up.
    const Linear written = job.of_out.form_of(job.out.results[i]);
    begin_search(job.context);
    const Linear form = simpler(job.context, written);
    job.at_fixpoint = form == before && !becomes_shorter(job, job.out.results[i], form);
    note_search(job);
  }
}

constexpr size_t kMaxRounds = 8;
constexpr int64_t kMaxAttempts = 4;  // the whole work, as a multiple of that for normal forms

}  // namespace

struct Workspace::Parts : Job {
  bool recognizes = false;
  CommonSubexpressions distinct;
  std::array<IndexingMap, kMaxRounds> rounds;  // the map after each round but the last
};

Workspace::Workspace() : Workspace(kMaxWork) { parts_->recognizes = true; }
Workspace::Workspace(int64_t max_work) : parts_(std::make_unique<Parts>()) {
  parts_->context.max_work = max_work;
  parts_->context.max_total = kMaxAttempts * max_work;
  parts_->rules.share_work(parts_->context);
  parts_->rules_of_out.share_work(parts_->context);
}
Workspace::~Workspace() = default;
int64_t Workspace::work() const { return total_work(parts_->context); }

namespace {

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

// Simplifies the map of the job once.
void simplify_once(Job& job) {
  const IndexingMap& map = job.map;
  job.at_fixpoint = true;
  job.ended_early = false;
  job.context.dialect = dialect_of(map.nodes);
  job.domain = simplify_domain(job.context, job.normalizer, map);
  if (job.domain.empty) {
    job.out = no_points(map);
    return;
  }
  job.out.nodes.clear();
  job.out.results.clear();
  job.out.constraints.clear();
  job.out.known_empty = false;
  tree_sizes(map.nodes, job.sizes);
  copy_variables(map, job.domain, job.out);
  job.rules.begin(map, job.domain.bounds);
  if (!job.domain.constraints.empty()) {
    job.of_out.reset();
    write_constraints(job);
    if (job.context.proof_log != nullptr) log_new_constraints(job.context, job.map, job.out);
    check_constraints(job);
    assume(job.context, job.domain.constraints);
    job.normalizer.reset();
    job.rules.assume_constraints();
  }
  job.of_out.reset();
  write_results(job);
  check_results(job);
}

int64_t written_size(const IndexingMap& map) {
  std::vector<int64_t> sizes;
  tree_sizes(map.nodes, sizes);
  int64_t sum = 0;
  for (const Constraint& constraint : map.constraints) sum += sizes[constraint.expr];
  for (const NodeId root : map.results) sum += sizes[root];
  return sum;
}

// Returns whether the map has fewer nodes, or other bounds, which are tighter.
bool is_simpler(const IndexingMap& map, const IndexingMap& before) {
  return written_size(map) < written_size(before) || map.dimensions != before.dimensions ||
         map.ranges != before.ranges || map.runtime != before.runtime;
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

const IndexingMap* unchanged(const IndexingMap& map, Workspace::Parts& parts) {
  if (ProofLog* proof_log = parts.context.proof_log; proof_log != nullptr) {
    keep_sections(*proof_log, 0);
    log_unchanged(parts.context, map);
  }
  return &map;
}

}  // namespace

// Simplifies by normal forms, in rounds, until nothing changes, unless the map is recognized.
absl::StatusOr<const IndexingMap*> simplify_in(Workspace& workspace, const IndexingMap& map) {
  Workspace::Parts& parts = workspace.parts();
  begin_work(parts.context);
  ProofLog* proof_log = parts.context.proof_log;
  if (proof_log == nullptr && parts.recognizes) {
    if (const IndexingMap* normal = simplify_normal(map, parts.out)) return normal;
  }
  const IndexingMap* before = &map;
  for (size_t round = 0; round < kMaxRounds; ++round) {
    TRY(parts.distinct.read(*before, parts.map));
    if (before->known_empty) {
      parts.out = no_points(map);
      return &parts.out;
    }
    if (proof_log != nullptr) begin_section(*proof_log, parts.map);
    simplify_once(parts);
    // So that simplifying the answer again ends in the same way.
    if (total_work(parts.context) > parts.context.max_total) return unchanged(map, parts);
    if (round > 0 && parts.out == *before) return before;
    if (parts.ended_early && !is_simpler(parts.out, *before)) {
      return round == 0 ? unchanged(map, parts) : before;
    }
    if (proof_log != nullptr) end_section(*proof_log, *before, parts.out);
    if (parts.at_fixpoint) return &parts.out;
    std::swap(parts.rounds[round], parts.out);
    before = &parts.rounds[round];
  }
  const size_t times = times_to_shortest(map, parts.rounds);
  if (times == 0) return unchanged(map, parts);
  if (proof_log != nullptr) keep_sections(*proof_log, times);
  return &parts.rounds[times - 1];
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
  const Domain domain = simplify_domain(context, parts.normalizer, parts.map);
  if (domain.empty || map.known_empty) {
    return absl::InvalidArgumentError("expected a domain with points, found an empty one");
  }
  assume(context, domain.constraints);
  parts.normalizer.reset();
  const Linear form =
      with_assumed_sums(context, parts.normalizer.form_of(parts.distinct.position(root)));
  const Range range = context.gave_up ? Range{} : range_of(context, form);
  if (context.gave_up || !fits(range)) {
    return absl::OutOfRangeError("expected values within 64 signed bits");
  }
  return interval_of(range);
}

}  // namespace tileproof::impl
