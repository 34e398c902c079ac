// SPDX-License-Identifier: Apache-2.0
#include "impl/map/simplify.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "impl/map/cse.h"
#include "impl/map/domain/domain.h"
#include "impl/map/extraction/render_expr.h"
#include "impl/map/normal_form/assumed_sums.h"
#include "impl/map/normal_form/floors.h"
#include "impl/map/normal_form/normalize.h"
#include "impl/map/normal_map.h"
#include "impl/map/proof_log/proof_log_map.h"
#include "impl/map/round/job.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::impl {

namespace {

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
