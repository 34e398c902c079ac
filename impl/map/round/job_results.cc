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

}  // namespace tileproof::impl
