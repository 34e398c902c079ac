// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/lines.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "impl/hlo/merge_maps.h"
#include "spec/lang/map/map_text.h"
#include "verify/prove/hlo/disjunct.h"
#include "verify/prove/hlo/indexing_proof_key.h"
#include "verify/prove/smt/linear_query.h"

namespace tileproof::verify {
namespace {

constexpr std::chrono::milliseconds kLineTime{2000};
// Few short paths are as good as a line; so is a short list with a superset, whose proof is costly.
constexpr size_t kMostShortPaths = 2;
constexpr size_t kMostShortSteps = 3;          // of each path
constexpr size_t kMostShortSupersetSteps = 8;  // of the only path
constexpr size_t kMaxUpdateSteps = 16;
constexpr char kThenUniverse[] = "|*";
// Longer paths may become a superset.
constexpr size_t kMaxExactSteps = 320;
// Still longer ones become one if they get no line: they would soon be too many to look at.
constexpr size_t kMostUnprovenPaths = 12;
constexpr size_t kMostUnprovenSteps = 320;  // of all paths

size_t steps_of(const Paths& paths) {
  size_t steps = 0;
  for (const DataflowPath& path : paths) steps += path.steps.size();
  return steps;
}

bool is_superset(const Paths& paths) {
  return std::ranges::any_of(paths, &DataflowPath::is_superset);
}

// Whether some path ends with all elements, as many paths after a sum over them do.
bool end_with_universe(const Paths& paths) {
  return std::ranges::any_of(
      paths, [](const DataflowPath& path) { return absl::EndsWith(path.text, kThenUniverse); });
}

bool is_short(const Paths& paths) {
  if (end_with_universe(paths)) return false;
  const bool is_open = is_superset(paths);
  const size_t most_steps = is_open ? kMostShortSupersetSteps : kMostShortSteps;
  return paths.size() <= (is_open ? 1 : kMostShortPaths) &&
         std::ranges::all_of(
             paths, [&](const DataflowPath& path) { return path.steps.size() <= most_steps; });
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

std::vector<Interval> ranges_of(const IndexingMap& map) {
  std::vector<Interval> ranges;
  for (const Variable& range : map.ranges) ranges.push_back(range.bounds);
  return ranges;
}

bool has_choice(const Paths& paths) {
  return std::ranges::any_of(paths, [](const DataflowPath& path) {
    return std::ranges::any_of(path.steps,
                               [](const Step& step) { return step.choice.predicate != nullptr; });
  });
}

// Adds the path, unless it is there. One that reads everything is alone; an exact one goes before a
// superset.
void add(Paths& paths, DataflowPath path) {
  const bool is_universe = path.text == kUniverse;
  for (const DataflowPath& known : paths) {
    const bool is_more = is_universe && known.is_superset && !path.is_superset;
    if (known.text == kUniverse && !is_more) return;
    if (known.text == path.text && known.is_superset == path.is_superset) return;
  }
  if (is_universe) paths.clear();
  paths.push_back(std::move(path));
}

// Whether what branch k of a select reads is what the other one reads, too: then it flows, whichever
// the predicate chooses.
bool is_of_both(const DataflowPath& further, const Paths& own,
                const std::vector<const Paths*>& before, size_t k) {
  const auto is_it = [&](const DataflowPath& path) {
    return !path.is_superset && path.operand == further.operand && path.leaf == further.leaf &&
           path.text == further.text;
  };
  const auto has_it = [&](int32_t branch) {
    const size_t j = std::ranges::find(own, branch, &DataflowPath::operand) - own.begin();
    return j < own.size() && std::ranges::any_of(*before[j], is_it);
  };
  return own[k].operand > 0 && has_it(1) && has_it(2);
}

}  // namespace

// The paths from an array to one leaf of a parameter.
struct Lines::Line {
  ArrayInside array;
  spec::Dims result, operand;
  Paths paths;

  std::string text() const {
    std::string text = absl::StrCat(array.computation, " ", absl::StrJoin(result, ","), " ",
                                    absl::StrJoin(operand, ","));
    for (const DataflowPath& path : paths) {
      absl::StrAppend(&text, path.is_superset ? "\nsuperset " : "\n", path.text);
    }
    return text;
  }
  std::vector<Disjunct> disjuncts(bool also_supersets) const {
    std::vector<Disjunct> disjuncts;
    for (const DataflowPath& path : paths) {
      if (also_supersets || !path.is_superset) disjuncts.emplace_back(path);
    }
    return disjuncts;
  }
};

int64_t Lines::number_of(std::string text) {
  return numbers_.try_emplace(std::move(text), std::ssize(numbers_)).first->second;
}

// Arrays of one computation with the same name have the same paths to their operands.
std::string Lines::name_of(const ArrayInside& array, const Paths& own, int64_t site) {
  const HloComputation& within = module_.computations[array.computation];
  const HloInstruction& at = within.instructions[array.instruction];
  const bool says_all =
      !has_callee(at.opcode) && std::ranges::all_of(own, [](const DataflowPath& path) {
        return std::ranges::all_of(path.steps, [](const Step& step) {
          return step.choice.predicate == nullptr && step.relation->runtime.empty();
        });
      });
  return says_all ? absl::StrCat(number_of(instruction_text(module_, within, at)), "#", array.leaf)
                  : absl::StrCat("at ", site, " ", array.computation, " ", array.instruction, "#",
                                 array.leaf);
}

Paths Lines::of(const ArrayInside& array, const Paths& own, const std::vector<const Paths*>& before,
                int64_t site, ThreadCpuClock::time_point deadline) {
  const HloComputation& within = module_.computations[array.computation];
  const bool selects = within.instructions[array.instruction].opcode == HloOpcode::kSelect;
  std::map<std::pair<int32_t, int64_t>, Paths> groups;
  std::string name;
  for (size_t k = 0; k < own.size(); ++k) {
    if (name.empty() && !own[k].steps.empty()) name = name_of(array, own, site);
    for (const DataflowPath& further : *before[k]) {
      if (selects && is_of_both(further, own, before, k)) {
        add(groups[{further.operand, further.leaf}], further);
        continue;
      }
      DataflowPath path = own[k];
      append(path, further);
      if (path.open.empty()) path.open = further.open;
      path.text =
          own[k].steps.empty() ? further.text : absl::StrCat(name, "/", k, "|", further.text);
      add(groups[{path.operand, path.leaf}], std::move(path));
    }
  }
  std::vector<int32_t>& parameters = parameters_[array.computation];
  if (parameters.empty()) parameters = parameters_of(within);
  const spec::Dims result = leaf_dims(within.instructions[array.instruction], array.leaf);
  Paths all;
  for (auto& [position, paths] : groups) {
    const auto& [parameter, leaf] = position;
    const spec::Dims operand = leaf_dims(within.instructions[parameters[parameter]], leaf);
    if (!has_elements(result) || !has_elements(operand)) continue;
    if ((site == 0 || !has_choice(paths)) && !is_short(paths) && !is_update(paths)) {
      Line line{array, result, operand, std::move(paths)};
      prove(line, deadline);
      paths = std::move(line.paths);
    }
    for (auto& path : paths) all.push_back(std::move(path));
  }
  return all;
}

void Lines::prove(Line& line, ThreadCpuClock::time_point deadline) {
  const std::string text = line.text();
  const auto known = known_.find(text);
  const int32_t operand = line.paths[0].operand;
  const int64_t leaf = line.paths[0].leaf;
  const std::string open = absl::StrCat(
      module_.computations[line.array.computation].name, "/",
      module_.computations[line.array.computation].instructions[line.array.instruction].name);
  if (known != known_.end()) {
    ++reused_;
    if (known->second) line.paths = *known->second;
  } else if (size_t& failed = failed_[{line.array.computation, operand, leaf}];
             steps_of(line.paths) >= 2 * failed) {
    bool is_tried = false;
    std::optional<Paths> paths = proven(line, deadline, is_tried);
    const bool is_known = paths || now() < deadline;
    if (is_known) known_.emplace(text, paths);
    if (is_known && is_tried && !paths) failed = steps_of(line.paths);
    if (paths) {
      ++proven_;
      line.paths = *std::move(paths);
      known_.emplace(line.text(), line.paths);
    }
  }
  for (DataflowPath& path : line.paths) {
    path.operand = operand;
    path.leaf = leaf;
    if (path.is_superset && path.open.empty()) path.open = open;
  }
  if (line.paths.size() > kMostUnprovenPaths && steps_of(line.paths) > kMostUnprovenSteps) {
    line.paths = {superset(operand, leaf, line.operand, open)};
  }
}

// What the analysis says of the array and the leaf of the parameter.
const impl::LeafMaps* Lines::claim(const Line& line) {
  static const impl::LeafMaps& none = *new impl::LeafMaps;
  const ArrayInside& array = line.array;
  const std::vector<int64_t> position = {array.computation, array.instruction, array.leaf};
  if (!claims_ || claims_->first != position) {
    const ThreadCpuClock::time_point begin = ThreadCpuClock::now();
    claims_ = {position, impl::leaves_read(analysis_, array.computation, array.instruction,
                                           static_cast<int32_t>(array.leaf), Scope::kComputation)};
    claiming_ += ThreadCpuClock::now() - begin;
  }
  if (!claims_->second.ok()) return nullptr;
  const auto found = std::ranges::find_if(*claims_->second, [&](const impl::LeafRead& read) {
    return read.operand == line.paths[0].operand && read.leaf == line.paths[0].leaf;
  });
  return found == claims_->second->end() ? &none : &found->list;
}

// The maps that may replace the paths; nothing without a proof that they may.
std::optional<Paths> Lines::proven(const Line& line, ThreadCpuClock::time_point deadline,
                                   bool& is_tried) {
  const bool is_open = is_superset(line.paths);
  const std::vector<Disjunct> exact_paths = line.disjuncts(false);
  const SourceResolver resolver(module_, line.array.computation, FollowRegion::UpTo::kParameters);
  const Between between{resolver, line.result, line.operand};
  if (is_open || end_with_universe(line.paths)) {
    if (have_all_pairs(between, exact_paths)) return Paths{universe(0, 0, line.operand)};
  }
  const impl::LeafMaps* list = claim(line);
  if (list == nullptr) return std::nullopt;
  if (list->inexact && !is_open && steps_of(line.paths) <= kMaxExactSteps) return std::nullopt;
  is_tried = true;
  std::vector<impl::IndexedMap> maps = list->maps;
  impl::merge_maps(maps);
  std::erase_if(maps, [](const impl::IndexedMap& map) {
    return map.map.known_empty || is_empty(ranges_of(map.map));
  });
  const std::vector<Disjunct> of_maps(maps.begin(), maps.end());
  const auto time = std::min<ThreadCpuClock::duration>(deadline - now(), kLineTime);
  SolverSession session{ThreadCpuClock::now() + time, "", 0};
  const auto are_inside = [&](const std::vector<Disjunct>& parts,
                              const std::vector<Disjunct>& whole, Counterexamples searched) {
    return prove_contained(between, parts, whole, session, {.counterexamples = searched}).verdict ==
           Verdict::kProven;
  };
  if (!are_inside(line.disjuncts(true), of_maps, Counterexamples::kSkipped)) return std::nullopt;
  // That all pairs of an inexact map flow is seldom true.
  const auto searched = list->inexact ? Counterexamples::kSampled : Counterexamples::kSkipped;
  Paths paths;
  const bool all_exact = !exact_paths.empty() && are_inside(of_maps, exact_paths, searched);
  if (!all_exact && !is_open && !list->inexact) return std::nullopt;
  for (size_t k = 0; k < maps.size(); ++k) {
    const bool is_exact = all_exact || (maps.size() > 1 && !exact_paths.empty() &&
                                        are_inside({of_maps[k]}, exact_paths, searched));
    add(paths, path_of(line, between, maps[k], !is_exact));
  }
  return paths;
}

DataflowPath Lines::path_of(const Line& line, const Between& between, const impl::IndexedMap& map,
                            bool is_superset) {
  std::string open;
  for (const DataflowPath& path : line.paths) {
    if (is_superset && open.empty()) open = path.open;
  }
  const auto [operand, leaf] = std::pair(line.paths[0].operand, line.paths[0].leaf);
  if (have_all_pairs(between, {Disjunct(map)})) {
    return is_superset ? superset(operand, leaf, line.operand, open)
                       : universe(operand, leaf, line.operand);
  }
  DataflowPath path{operand, leaf, {}, {}, is_superset};
  path.open = open;
  for (const Interval& bounds : ranges_of(map.map)) {
    path.ranges.push_back(bounds.high - bounds.low + 1);
  }
  std::string text = to_text(map.map);
  for (const impl::RuntimeSource& source : map.runtime) {
    absl::StrAppend(&text, "\n", absl::StrJoin(source.position.calls, "/"), ":",
                    source.position.instruction, "#", source.position.leaf, " ",
                    source.feasible.low, " ", source.feasible.high, " ", to_text(source.map));
  }
  path.text = absl::StrCat("m", number_of(std::move(text)));
  path.steps.push_back({.lemma = std::make_shared<const Lemma>(map)});
  return path;
}

}  // namespace tileproof::verify
