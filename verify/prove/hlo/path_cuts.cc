// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/path_cuts.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "impl/hlo/merge_maps.h"
#include "spec/lang/hlo/follow_source.h"
#include "spec/lang/map/map_text.h"
#include "verify/prove/hlo/coverage.h"
#include "verify/prove/hlo/disjunct.h"
#include "verify/prove/hlo/indexing_subset.h"
#include "verify/prove/hlo/integer_box.h"
#include "verify/prove/hlo/path_set.h"
#include "verify/prove/smt/linear_query.h"

namespace tileproof::verify {
namespace {

using Paths = std::vector<DataflowPath>;

constexpr std::chrono::milliseconds kLemmaTime{2000};  // for one lemma
constexpr std::chrono::milliseconds kExactTime{200};   // for whether inexact maps are exact
constexpr int64_t kMaxPoints = 4096;                   // enumerated
constexpr size_t kMaxUpdateSteps = 16;
constexpr size_t kMaxCompared = 8;  // maps that are compared with each other

size_t steps_of(const Paths& paths) {
  size_t steps = 0;
  for (const DataflowPath& path : paths) steps += path.steps.size();
  return steps;
}

// A superset is often a step of few other paths, and its proofs are costly.
constexpr size_t kMaxSupersetPaths = 8;
constexpr size_t kMaxSupersetSteps = 32;  // of all paths
// Longer ones may become a superset.
constexpr size_t kMaxExactSteps = 24;
// Still longer ones become one if they get no lemma: they would soon be too many to look at.
constexpr size_t kMostUnprovenPaths = 12;
constexpr size_t kMostUnprovenSteps = 128;  // of all paths

bool is_superset(const Paths& paths) {
  return std::ranges::any_of(paths, &DataflowPath::is_superset);
}

bool is_long(const Paths& paths) {
  if (is_superset(paths)) {
    return paths.size() > kMaxSupersetPaths || steps_of(paths) > kMaxSupersetSteps;
  }
  return paths.size() > kMaxUncutPaths || std::ranges::any_of(paths, [](const DataflowPath& path) {
           return path.steps.size() > kMaxUncutSteps;
         });
}

// Returns whether a lemma is worth its proof. Paths that soon have whole coordinates need none.
bool is_costly(const Paths& paths) {
  return is_superset(paths) || paths.size() > kMaxUncutPaths ||
         std::ranges::any_of(
             paths, [](const DataflowPath& path) { return path.steps.size() > kMaxLemmaSteps; });
}

// Returns whether some path writes into an array first. Loops look for such steps
// (verify/prove/hlo/loop_paths.h), so they stay unless the paths are very long.
bool is_update(const Paths& paths) {
  return std::ranges::any_of(paths,
                             [](const DataflowPath& path) {
                               if (path.steps.empty()) return false;
                               const Step& step = path.steps.front();
                               return step.relation != nullptr &&
                                      std::holds_alternative<op::DynamicUpdateSlice>(
                                          step.relation->dependences[step.dependence].access);
                             }) &&
         std::ranges::all_of(
             paths, [](const DataflowPath& path) { return path.steps.size() <= kMaxUpdateSteps; });
}

// Splits paths by the leaf that they reach.
std::vector<Paths> by_target(Paths paths) {
  std::vector<Paths> groups;
  for (DataflowPath& path : paths) {
    const bool is_new = groups.empty() || groups.back().front().operand != path.operand ||
                        groups.back().front().leaf != path.leaf;
    if (is_new) groups.emplace_back();
    groups.back().push_back(std::move(path));
  }
  return groups;
}

std::vector<Interval> ranges_of(const IndexingMap& map) {
  std::vector<Interval> ranges;
  for (const Variable& range : map.ranges) ranges.push_back(range.bounds);
  return ranges;
}

DataflowPath path_of(impl::IndexedMap map, const DataflowPath& like) {
  DataflowPath path{like.operand, like.leaf, {}, {}};
  for (const Interval& bounds : ranges_of(map.map)) {
    path.ranges.push_back(bounds.high - bounds.low + 1);
  }
  path.steps.push_back({.lemma = std::make_shared<const Lemma>(std::move(map))});
  return path;
}

bool is_union_inside(const SourceResolver& resolver, const spec::Dims& dims,
                     const std::vector<Disjunct>& parts, const std::vector<Disjunct>& whole,
                     SolverSession& session) {
  if (const auto walked = enumerate_is_subset(dims, parts, whole, kMaxPoints)) {
    return walked->verdict == Verdict::kProven;
  }
  return std::ranges::all_of(parts, [&](const Disjunct& part) {
    return prove_is_subset(resolver, dims, part, whole, session, Counterexamples::kSkipped)
               .verdict == Verdict::kProven;
  });
}

// Returns the maps that may replace the paths; nothing if they are no shorter, or only a superset.
std::optional<std::vector<impl::IndexedMap>> shorter_maps(const Paths& paths,
                                                          const impl::LeafMaps& list) {
  const bool may_be_inexact = is_superset(paths) || steps_of(paths) > kMaxExactSteps;
  if (list.inexact && !may_be_inexact) return std::nullopt;
  std::vector<impl::IndexedMap> maps = list.maps;
  impl::merge_maps(maps);
  std::erase_if(maps, [](const impl::IndexedMap& map) {
    return map.map.known_empty || is_empty(ranges_of(map.map));
  });
  if (maps.size() >= steps_of(paths)) return std::nullopt;
  return maps;
}

// Drops maps that the others contain, where they read values: each would be carried on, and no text
// shows that it says no more.
void drop_contained(const SourceResolver& resolver, const spec::Dims& dims,
                    std::vector<impl::IndexedMap>& maps, ThreadCpuClock::time_point deadline) {
  if (maps.size() > kMaxCompared) return;
  SolverSession session{std::min(deadline, ThreadCpuClock::now() + kExactTime), "", 0};
  for (size_t k = maps.size(); k-- > 0 && maps.size() > 1;) {
    const Disjunct part(maps[k]);
    if (part.reads().empty()) continue;
    std::vector<Disjunct> others;
    for (size_t m = 0; m < maps.size(); ++m) {
      if (m != k) others.emplace_back(maps[m]);
    }
    const SubsetProof proof =
        prove_is_subset(resolver, dims, part, others, session, Counterexamples::kSkipped);
    if (proof.verdict != Verdict::kProven) continue;
    maps.erase(maps.begin() + static_cast<std::ptrdiff_t>(k));
  }
}

std::vector<Disjunct> disjuncts_of_paths(const Paths& paths, bool also_supersets) {
  std::vector<Disjunct> disjuncts;
  for (const DataflowPath& path : paths) {
    if (also_supersets || !path.is_superset) disjuncts.emplace_back(path);
  }
  return disjuncts;
}

// If the paths together read every element of the operand, or every one of which some coordinates are
// those of the result, one path that does so takes their place.
bool replace_by_whole(Paths& paths, const spec::Dims& result, const spec::Dims& operand) {
  const std::vector<Disjunct> all = disjuncts_of_paths(paths, true);
  for (const bool also_supersets : {false, true}) {
    if (also_supersets && !is_superset(paths)) break;
    const auto along = all_pairs_along(disjuncts_of_paths(paths, also_supersets), result, operand);
    if (!along || !keep(all, *along, result)) continue;
    const DataflowPath first = paths.front();
    DataflowPath path = is_any_index(*along) ? universe(first.operand, first.leaf, operand)
                                             : path_along(*along, operand, first.leaf);
    path.operand = first.operand;
    path.is_superset = also_supersets;
    paths = {std::move(path)};
    return true;
  }
  return false;
}

}  // namespace

spec::Dims PathCuts::parameter_dims(int32_t computation, const DataflowPath& path) {
  const HloComputation& within = module_.computations[computation];
  std::vector<int32_t>& parameters = parameters_[computation];
  if (parameters.empty()) parameters = parameters_of(within);
  return leaf_dims(within.instructions[parameters[path.operand]], path.leaf);
}

std::optional<std::vector<bool>> PathCuts::proven_maps(int32_t computation, const spec::Dims& dims,
                                                       const Paths& paths,
                                                       const std::vector<impl::IndexedMap>& maps,
                                                       bool may_be_superset, bool only_superset,
                                                       ThreadCpuClock::time_point deadline) {
  std::vector<Disjunct> of_paths, of_exact, of_maps;
  for (const DataflowPath& path : paths) {
    of_paths.emplace_back(path);
    if (!path.is_superset) of_exact.emplace_back(path);
  }
  for (const impl::IndexedMap& map : maps) of_maps.emplace_back(map);
  const SourceResolver resolver(module_, computation, FollowRegion::UpTo::kParameters);
  SolverSession session{std::min(deadline, ThreadCpuClock::now() + kLemmaTime), "", 0};
  const spec::Dims operand = parameter_dims(computation, paths.front());
  const auto along = all_pairs_along(of_maps, dims, operand);
  const bool contained = along && keep(of_paths, *along, dims);
  if (!contained && !is_union_inside(resolver, dims, of_paths, of_maps, session)) {
    return std::nullopt;
  }
  std::vector<bool> exact;
  // That all pairs of an inexact map flow is seldom true, and costly to refute.
  if (only_superset) {
    session.deadline = std::min(session.deadline, ThreadCpuClock::now() + kExactTime);
  }
  for (const Disjunct& map : of_maps) {
    exact.push_back(!of_exact.empty() && is_union_inside(resolver, dims, {map}, of_exact, session));
    if (!may_be_superset && !exact.back()) return std::nullopt;
  }
  return exact;
}

bool is_lemma_of(const HloModule& module, int32_t computation, const DataflowPath& path,
                 const impl::IndexedMap& map) {
  if (path.is_superset || path.steps.size() != 1) return false;
  const Step& step = path.steps[0];
  if (!step.lemma || !step.values.empty() || !step.conditions.empty()) return false;
  const impl::IndexedMap& lemma = step.lemma->map;
  if (lemma.runtime.size() != map.runtime.size() || to_text(lemma.map) != to_text(map.map)) {
    return false;
  }
  // Operands of the caller for parameters, roots for calls.
  const FollowRegion region{module, computation, FollowRegion::UpTo::kOperands};
  const auto followed = [&](HloPosition position) {
    while (!region.is_outside(position)) {
      auto across = through_call(region, position);
      if (!across) break;
      position = *std::move(across);
    }
    return position;
  };
  for (size_t r = 0; r < map.runtime.size(); ++r) {
    const impl::RuntimeSource &a = lemma.runtime[r], &b = map.runtime[r];
    HloPosition position = a.position;
    position.calls.insert(position.calls.begin(), step.calls.begin(), step.calls.end());
    if (a.feasible != b.feasible || to_text(a.map) != to_text(b.map) ||
        followed(std::move(position)) != followed(b.position)) {
      return false;
    }
  }
  return true;
}

// Replaces the paths by one that has whole coordinates, if they have. Elementwise operations carry
// paths on as they are, so as many as in a failed attempt, with as many steps, are not tried again.
bool PathCuts::become_whole(int32_t computation, const spec::Dims& dims, Paths& paths) {
  const DataflowPath& first = paths.front();
  NotWhole& known = not_whole_[{computation, first.operand, first.leaf}];
  NotWhole now{paths.size(), steps_of(paths), dims};
  if (known == now) return false;
  if (replace_by_whole(paths, dims, parameter_dims(computation, first))) return true;
  known = std::move(now);
  return false;
}

void PathCuts::cut(int32_t computation, int32_t instruction, int64_t leaf, Paths& paths,
                   ThreadCpuClock::time_point deadline) {
  std::vector<Paths> groups = by_target(std::move(paths));
  paths.clear();
  std::optional<absl::StatusOr<impl::Indexing>> maps;
  const HloInstruction& at = module_.computations[computation].instructions[instruction];
  const spec::Dims dims = leaf_dims(at, leaf);
  for (Paths& group : groups) {
    const DataflowPath first = group.front();
    size_t& failed = failed_[{computation, first.operand, first.leaf}];
    const size_t steps = steps_of(group);
    const bool wanted = is_long(group) && !is_update(group);
    if (wanted && become_whole(computation, dims, group)) {
      ++proven_;
    } else if (wanted && is_costly(group) && steps >= 2 * failed) {
      if (!maps) maps = analysis_.computation(computation, instruction, static_cast<int32_t>(leaf));
      auto shorter =
          maps->ok() ? shorter_maps(group, (**maps)[first.operand][first.leaf]) : std::nullopt;
      const SourceResolver resolver(module_, computation, FollowRegion::UpTo::kParameters);
      if (shorter) drop_contained(resolver, dims, *shorter, deadline);
      const bool only_superset = maps->ok() && (**maps)[first.operand][first.leaf].inexact;
      const bool may_be_superset = is_superset(group) || only_superset;
      const auto exact = shorter ? proven_maps(computation, dims, group, *shorter, may_be_superset,
                                               only_superset, deadline)
                                 : std::optional<std::vector<bool>>();
      if (exact) {
        ++proven_;
        Paths lemmas;
        for (size_t k = 0; k < shorter->size(); ++k) {
          lemmas.push_back(path_of(std::move((*shorter)[k]), first));
          lemmas.back().is_superset = !(*exact)[k];
        }
        group = std::move(lemmas);
        if (!group.empty()) replace_by_whole(group, dims, parameter_dims(computation, first));
      } else if (ThreadCpuClock::now() < deadline) {
        failed = steps;
      }
    }
    if (wanted && group.size() > kMostUnprovenPaths && steps_of(group) > kMostUnprovenSteps) {
      group = {superset(first.operand, first.leaf, parameter_dims(computation, first))};
    }
    std::ranges::move(group, std::back_inserter(paths));
  }
}

}  // namespace tileproof::verify
