// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/path_cuts.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
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
constexpr std::chrono::milliseconds kExactTime{100};   // for whether inexact maps are exact
constexpr int64_t kMaxPoints = 4096;                   // enumerated
constexpr size_t kMaxUpdateSteps = 16;
constexpr size_t kMaxCompared = 8;  // maps that are compared with each other

size_t steps_of(std::span<const DataflowPath> paths) {
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

bool is_superset(std::span<const DataflowPath> paths) {
  return std::ranges::any_of(paths, &DataflowPath::is_superset);
}

bool is_long(std::span<const DataflowPath> paths) {
  if (is_superset(paths)) {
    return paths.size() > kMaxSupersetPaths || steps_of(paths) > kMaxSupersetSteps;
  }
  return paths.size() > kMaxUncutPaths || std::ranges::any_of(paths, [](const DataflowPath& path) {
           return path.steps.size() > kMaxUncutSteps;
         });
}

// Returns whether a lemma is worth its proof. Paths that soon have whole coordinates need none.
bool is_costly(std::span<const DataflowPath> paths) {
  return is_superset(paths) || paths.size() > kMaxUncutPaths ||
         std::ranges::any_of(
             paths, [](const DataflowPath& path) { return path.steps.size() > kMaxLemmaSteps; });
}

// Returns whether some path writes into an array first. Loops look for such steps
// (verify/prove/hlo/loop_paths.h), so they stay unless the paths are very long.
bool is_update(std::span<const DataflowPath> paths) {
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

// The paths from here on that reach the same leaf.
std::span<DataflowPath> of_one_target(std::span<DataflowPath> paths) {
  const auto end = std::ranges::find_if(paths, [&](const DataflowPath& path) {
    return path.operand != paths.front().operand || path.leaf != paths.front().leaf;
  });
  return paths.first(end - paths.begin());
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

// Whether the paths together read every element of the operand, or every one of which some
// coordinates are those of the result.
std::optional<WholePaths> whole_paths(const Paths& paths, const spec::Dims& result,
                                      const spec::Dims& operand) {
  const std::vector<Disjunct> all = disjuncts_of_paths(paths, true);
  for (const bool also_supersets : {false, true}) {
    if (also_supersets && !is_superset(paths)) break;
    auto along = all_pairs_along(disjuncts_of_paths(paths, also_supersets), result, operand);
    if (along && keep(all, *along, result)) return WholePaths{*std::move(along), also_supersets};
  }
  return std::nullopt;
}

// One path takes their place.
void replace(Paths& paths, const WholePaths& whole, const spec::Dims& operand) {
  const DataflowPath first = paths.front();
  DataflowPath path = is_any_index(whole.along) ? universe(first.operand, first.leaf, operand)
                                                : path_along(whole.along, operand, first.leaf);
  path.operand = first.operand;
  path.is_superset = whole.is_superset;
  paths = {std::move(path)};
}

bool replace_by_whole(Paths& paths, const spec::Dims& result, const spec::Dims& operand) {
  const auto whole = whole_paths(paths, result, operand);
  if (whole) replace(paths, *whole, operand);
  return whole.has_value();
}

// Paths of one computation between arrays of the same dimensions with the same text read the same.
// Empty if their texts are not known.
std::string text_of(int32_t computation, const Paths& paths, const spec::Dims& result,
                    const spec::Dims& operand) {
  std::string text =
      absl::StrCat(computation, " ", absl::StrJoin(result, ","), " ", absl::StrJoin(operand, ","));
  for (const DataflowPath& path : paths) {
    if (path.text.empty()) return "";
    absl::StrAppend(&text, path.is_superset ? "\nsuperset " : "\n", path.text);
  }
  return text;
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
  const spec::Dims operand = parameter_dims(computation, first);
  const std::string text = text_of(computation, paths, dims, operand);
  const auto [found, is_new] = whole_.try_emplace(text);
  if (is_new || text.empty()) {
    found->second = whole_paths(paths, dims, operand);
  } else {
    ++reused_;
  }
  if (found->second) {
    replace(paths, *found->second, operand);
    return true;
  }
  known = std::move(now);
  return false;
}

// The maps that may replace the paths, if they are shorter, and a proof succeeds.
std::optional<PathCuts::Lemmas> PathCuts::lemmas_for(int32_t computation, const spec::Dims& dims,
                                                     const Paths& paths, const impl::LeafMaps& list,
                                                     ThreadCpuClock::time_point deadline) {
  std::optional<std::vector<impl::IndexedMap>> maps = shorter_maps(paths, list);
  if (!maps) return std::nullopt;
  const spec::Dims operand = parameter_dims(computation, paths.front());
  const std::string text = text_of(computation, paths, dims, operand);
  for (const KnownLemmas& known : lemmas_[text]) {
    if (known.inexact != list.inexact || known.maps != *maps) continue;
    ++reused_;
    return known.lemmas;
  }
  KnownLemmas found{*maps, list.inexact, std::nullopt};
  const SourceResolver resolver(module_, computation, FollowRegion::UpTo::kParameters);
  drop_contained(resolver, dims, *maps, deadline);
  const auto exact = proven_maps(computation, dims, paths, *maps,
                                 is_superset(paths) || list.inexact, list.inexact, deadline);
  if (exact) found.lemmas = Lemmas{*std::move(maps), *exact};
  const std::optional<Lemmas> lemmas = found.lemmas;
  if (!text.empty() && ThreadCpuClock::now() < deadline) lemmas_[text].push_back(std::move(found));
  return lemmas;
}

void PathCuts::cut_group(int32_t computation, const spec::Dims& dims, const MapsTo& maps_to,
                         Paths& group, ThreadCpuClock::time_point deadline) {
  const DataflowPath first = group.front();
  size_t& failed = failed_[{computation, first.operand, first.leaf}];
  const size_t steps = steps_of(group);
  if (become_whole(computation, dims, group)) {
    ++proven_;
  } else if (is_costly(group) && steps >= 2 * failed) {
    const impl::LeafMaps* list = maps_to(first);
    auto lemmas =
        list == nullptr ? std::nullopt : lemmas_for(computation, dims, group, *list, deadline);
    if (lemmas) {
      ++proven_;
      group.clear();
      for (size_t k = 0; k < lemmas->maps.size(); ++k) {
        group.push_back(path_of(std::move(lemmas->maps[k]), first));
        group.back().is_superset = !lemmas->exact[k];
      }
      if (!group.empty()) replace_by_whole(group, dims, parameter_dims(computation, first));
    } else if (ThreadCpuClock::now() < deadline) {
      failed = steps;
    }
  }
  if (group.size() > kMostUnprovenPaths && steps_of(group) > kMostUnprovenSteps) {
    group = {superset(first.operand, first.leaf, parameter_dims(computation, first))};
  }
}

void PathCuts::cut(int32_t computation, int32_t instruction, int64_t leaf, Paths& paths,
                   ThreadCpuClock::time_point deadline) {
  const HloInstruction& at = module_.computations[computation].instructions[instruction];
  const spec::Dims dims = leaf_dims(at, leaf);
  std::optional<absl::StatusOr<impl::LeavesRead>> maps;
  const impl::LeafMaps none;
  const auto maps_to = [&](const DataflowPath& path) -> const impl::LeafMaps* {
    if (!maps) {
      maps = analysis_.reads(computation, instruction, static_cast<int32_t>(leaf),
                             impl::Scope::kComputation);
    }
    if (!maps->ok()) return nullptr;
    const auto found = std::ranges::find_if(**maps, [&](const impl::LeafRead& read) {
      return read.operand == path.operand && read.leaf == path.leaf;
    });
    return found == (*maps)->end() ? &none : &found->list;
  };
  Paths all;  // if some were cut: the paths before `rest`
  bool is_any_cut = false;
  for (std::span<DataflowPath> rest = paths; !rest.empty();) {
    const std::span<DataflowPath> these = of_one_target(rest);
    const bool wanted = is_long(these) && !is_update(these);
    if (wanted && !is_any_cut) {
      is_any_cut = true;
      std::move(paths.data(), these.data(), std::back_inserter(all));
    }
    if (is_any_cut) {
      Paths group(std::move_iterator(these.begin()), std::move_iterator(these.end()));
      if (wanted) cut_group(computation, dims, maps_to, group, deadline);
      std::ranges::move(group, std::back_inserter(all));
    }
    rest = rest.subspan(these.size());
  }
  if (is_any_cut) paths = std::move(all);
}

}  // namespace tileproof::verify
