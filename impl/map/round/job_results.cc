// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "impl/map/extraction/cost.h"
#include "impl/map/normal_form/assumed_sums.h"
#include "impl/map/proof_log/proof_log_map.h"
#include "impl/map/round/job.h"

namespace tileproof::impl {
namespace {

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

// Searches for the renderings of all results, in an order that does not depend on theirs: what one
// search finds memoized decides how far it comes.
void search_in_order(Job& job) {
  absl::InlinedVector<std::pair<uint64_t, Linear>, 8> forms;
  for (const NodeId root : job.map.results) {
    const Linear form = job.normalizer.form_of(root);
    if (job.context.gave_up) break;
    if (!has_only_variables(job.context, form)) forms.push_back({key_of(job.context, form), form});
  }
  std::ranges::sort(forms, [](const auto& a, const auto& b) {
    return std::pair(a.second.count, a.first) < std::pair(b.second.count, b.first);
  });
  for (const auto& [key, form] : forms) {
    if (job.context.gave_up) break;
    begin_search(job.context);
    extract(job.context, simpler(job.context, form));
    note_search(job);
  }
  if (job.context.gave_up) start_again(job);
}

}  // namespace

void start_again(Job& job) {
  begin_domain(job.context, job.map, job.domain.bounds);
  job.normalizer.reset();
}

bool becomes_shorter(Job& job, NodeId root, const Linear& form) {
  if (is_shortest(job.context, extract(job.context, form))) return false;
  const std::optional<Extraction> other = job.rules_of_out.candidate(root);
  return other && other->cost / kNodeCost < tree_size(job.out.nodes, root);
}

void write_results(Job& job) {
  search_in_order(job);
  int give_ups = 0;
  for (NodeId root : job.map.results) {
    NodeId result = -1;
    bool by_parts = false;
    job.net.taken = false;
    if (give_ups < kMaxGiveUps) {
      const Linear written = job.normalizer.form_of(root);
      if (!job.ended_early) begin_search(job.context);
      const Linear form = simpler(job.context, written);
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
    note_search(job);
  }
}

void check_results(Job& job, Normalizer& again) {
  again.reset();
  job.rules_of_out.begin(job.out, job.domain.bounds);
  if (!job.out.constraints.empty()) job.rules_of_out.assume_constraints();
  for (size_t i = 0; i < job.out.results.size() && job.at_fixpoint; ++i) {
    const Linear& before = job.result_forms[i];
    if (has_only_variables(job.context, before) || extract(job.context, before).plain) continue;
    // Empty if the context gives up.
    const Linear written = again.form_of(job.out.results[i]);
    begin_search(job.context);
    const Linear form = simpler(job.context, written);
    job.at_fixpoint = form == before && !becomes_shorter(job, job.out.results[i], form);
    note_search(job);
  }
}

}  // namespace tileproof::impl
