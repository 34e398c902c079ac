// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/dataflow_path.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>
#include <variant>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/base/try.h"
#include "spec/map/map_evaluation.h"
#include "verify/prove/hlo/coverage.h"
#include "verify/prove/hlo/disjunct.h"
#include "verify/prove/hlo/indexing_subset.h"
#include "verify/prove/hlo/loop_paths.h"
#include "verify/prove/hlo/path_cuts.h"
#include "verify/prove/hlo/path_set.h"
#include "verify/prove/hlo/unrolled_paths.h"
#include "verify/prove/smt/linear_query.h"

namespace tileproof::verify {
namespace {

using spec::Dims;

constexpr std::chrono::milliseconds kTotalTime{500};  // for a proof that a path is total
using LeafOf = std::pair<int32_t, int64_t>;           // instruction or operand, leaf

// Returns whether the step maps every index to itself.
bool is_identity(const spec::Dependence& dependence, const Dims& dims) {
  const auto* pick = std::get_if<spec::access::Projection>(&dependence.access);
  if (pick == nullptr || !dependence.ranges.empty() || pick->coordinates.size() != dims.size()) {
    return false;
  }
  for (size_t d = 0; d < dims.size(); ++d) {
    const spec::access::Projection::Coordinate& c = pick->coordinates[d];
    if (c.from != spec::access::Projection::From::kOutput || c.number != static_cast<int64_t>(d)) {
      return false;
    }
  }
  return true;
}

// The coordinates that the first step takes, if it takes whole coordinates and has no conditions.
const spec::access::Projection* first_projection(const DataflowPath& path) {
  if (path.steps.empty()) return nullptr;
  const Step& step = path.steps.front();
  if (step.relation == nullptr || step.choice.predicate || !step.conditions.empty()) return nullptr;
  return std::get_if<spec::access::Projection>(&step.relation->dependences[step.dependence].access);
}

bool is_of_output(const spec::access::Projection::Coordinate& c) {
  return c.from == spec::access::Projection::From::kOutput;
}

bool has_dimension(const IndexingMap& map) {
  return std::ranges::any_of(spec::nodes_under(map.nodes, roots_of(map)),
                             [&](NodeId id) { return map.nodes[id].op == Op::kDimension; });
}

// Returns whether the lemma ignores the index that it starts from, which has these dimensions.
bool forgets(const Lemma& lemma, const Dims& dims) {
  const IndexingMap& map = lemma.map.map;
  if (map.known_empty || map.dimensions.size() != dims.size() || has_dimension(map)) return false;
  for (size_t d = 0; d < dims.size(); ++d) {
    const Interval& bounds = map.dimensions[d].bounds;
    if (bounds.low > 0 || bounds.high < dims[d] - 1) return false;
  }
  return std::ranges::none_of(lemma.relation.sources(), [](const impl::RuntimeSource* source) {
    return has_dimension(source->map);
  });
}

// A path to the first element of an array with these dimensions.
DataflowPath to_first_element(const Dims& dims) {
  spec::access::Projection pick;
  pick.coordinates.resize(dims.size(), spec::access::constant(0));
  auto relation = std::make_shared<spec::AccessRelation>();
  relation->dependences.push_back({0, 0, {}, std::move(pick)});
  return {0, 0, {{std::move(relation), 0, {}, {}}}, {}};
}

// The path from any other index, if its first step ignores the index that it starts from, which has
// these dimensions.
std::optional<DataflowPath> from_anywhere(const DataflowPath& path, const Dims& dims) {
  if (const auto* pick = first_projection(path)) {
    if (std::ranges::any_of(pick->coordinates, is_of_output)) return std::nullopt;
    return path;
  }
  if (path.steps.empty()) return std::nullopt;
  const Step& step = path.steps.front();
  if (step.lemma == nullptr || !step.conditions.empty() || !step.values.empty() ||
      !forgets(*step.lemma, dims)) {
    return std::nullopt;
  }
  DataflowPath from_there = to_first_element(dims);
  append(from_there, path);
  return from_there;
}

// The path after another one that keeps coordinates (kept_by): its first step, where it takes only
// those, takes them at once. Nothing if it takes others.
std::optional<DataflowPath> without_before(const DataflowPath& path, const Along& kept) {
  const auto* pick = first_projection(path);
  if (pick == nullptr) return std::nullopt;
  spec::access::Projection moved = *pick;
  for (spec::access::Projection::Coordinate& c : moved.coordinates) {
    if (!is_of_output(c)) continue;
    c.number = kept[c.number];
    if (c.number < 0) return std::nullopt;
  }
  DataflowPath result = path;
  Step& step = result.steps.front();
  const spec::Dependence& before = step.relation->dependences[step.dependence];
  auto relation = std::make_shared<spec::AccessRelation>();
  relation->dependences.push_back({before.operand, before.leaf, before.ranges, std::move(moved)});
  step.relation = std::move(relation);
  step.dependence = 0;
  return result;
}

// Returns whether it is plain that the path maps every index to some index, whatever the values.
bool is_unconditional(const DataflowPath& path) {
  return std::ranges::all_of(path.steps,
                             [](const Step& step) {
                               if (!step.conditions.empty() || step.choice.predicate || step.lemma)
                                 return false;
                               return step.relation == nullptr ||
                                      std::holds_alternative<spec::access::Projection>(
                                          step.relation->dependences[step.dependence].access);
                             }) &&
         std::ranges::all_of(path.ranges, [](int64_t size) { return size > 0; });
}

// Whether the path maps every index to some index, by a proof.
bool is_proven_total(const SourceResolver& resolver, const DataflowPath& path, const Dims& dims,
                     ThreadCpuClock::time_point deadline) {
  if (std::ranges::count(path.ranges, 0) > 0) return false;
  DataflowPath somewhere = path;
  append(somewhere, universe(0, 0, {}));
  if (all_pairs_along({Disjunct(somewhere)}, dims, {})) return true;
  const DataflowPath nowhere = universe(0, 0, {});  // the only element of a scalar, for all indices
  SolverSession session{std::min(deadline, ThreadCpuClock::now() + kTotalTime), "", 0};
  const std::vector<Disjunct> whole = {Disjunct(somewhere)};
  return prove_is_subset(resolver, dims, Disjunct(nowhere), whole, session,
                         Counterexamples::kSkipped)
             .verdict == Verdict::kProven;
}

// `between`: the dimensions of the array that the first path ends at.
// `is_total`: whether the first path maps every index to some index. Then a path that forgets the
// index is the same after it, and so is one that takes only coordinates that the first path keeps.
DataflowPath joined(const DataflowPath& first, const DataflowPath& second, const Dims& between,
                    absl::FunctionRef<bool()> is_total, absl::FunctionRef<const Along&()> kept) {
  if (first.steps.empty()) {
    DataflowPath path = second;
    path.is_superset |= first.is_superset;
    return path;
  }
  if (auto path = from_anywhere(second, between); path && is_total()) {
    path->is_superset |= first.is_superset;
    return *std::move(path);
  }
  if (first_projection(second) != nullptr) {
    auto path = without_before(second, kept());
    if (path && is_total()) {
      path->is_superset |= first.is_superset;
      return *std::move(path);
    }
  }
  DataflowPath path = first;
  append(path, second);
  return path;
}

absl::Status too_long(const HloComputation& computation) {
  return absl::ResourceExhaustedError(
      absl::StrCat(computation.name, ": all paths together have more than ", kMostSteps, " steps"));
}

absl::Status too_slow(const HloComputation& computation) {
  return absl::DeadlineExceededError(
      absl::StrCat(computation.name, ": all paths together take too long"));
}

absl::Status too_deep(const HloComputation& computation) {
  return absl::ResourceExhaustedError(
      absl::StrCat(computation.name, ": calls nest deeper than ", kMaxCalls));
}

// Returns the dimensions of the operand's leaf that the path reaches.
Dims operand_dims(const HloComputation& computation, const HloInstruction& instruction,
                  const DataflowPath& path) {
  const HloOperand& operand = instruction.operands[path.operand];
  const SharedShape& shape = computation.instructions[operand.instruction].shape;
  return (*leaves_of(shape ? *shape : *operand.shape))[path.leaf].dims;
}

void add_reasons(Definition& definition, const std::vector<std::string>& reasons) {
  for (const std::string& reason : reasons) {
    if (std::ranges::find(definition.conservative, reason) == definition.conservative.end()) {
      definition.conservative.push_back(reason);
    }
  }
}

}  // namespace

Dims leaf_dims(const HloInstruction& instruction, int64_t leaf) {
  return (*leaves_of(*instruction.shape))[leaf].dims;
}

void append(DataflowPath& path, const DataflowPath& further, size_t iteration) {
  const size_t before = path.ranges.size();
  const auto moved = [&](size_t range) { return range == kIteration ? iteration : range + before; };
  path.is_superset |= further.is_superset;
  path.is_everything = false;
  path.text.clear();
  path.operand = further.operand;
  path.leaf = further.leaf;
  path.ranges.insert(path.ranges.end(), further.ranges.begin(), further.ranges.end());
  for (Step step : further.steps) {
    for (LoopValue& value : step.values) value.range = moved(value.range);
    for (StepCondition& condition : step.conditions) {
      for (auto& [range, factor] : condition.terms) range = moved(range);
    }
    path.steps.push_back(std::move(step));
  }
}

bool uses_runtime(const spec::Dependence& dependence) {
  const spec::Access& access = dependence.access;
  return std::holds_alternative<op::DynamicSlice>(access) ||
         std::holds_alternative<op::DynamicUpdateSlice>(access) ||
         std::holds_alternative<op::Gather>(access) || std::holds_alternative<op::Scatter>(access);
}

std::vector<Interval> reads_of(const DataflowPath& path) {
  std::vector<Interval> reads;
  for (const Step& step : path.steps) {
    if (!step.values.empty()) continue;
    if (step.lemma != nullptr) {
      const std::vector<Interval> more = step.lemma->relation.reads();
      reads.insert(reads.end(), more.begin(), more.end());
    }
    if (step.relation == nullptr) continue;
    if (!uses_runtime(step.relation->dependences[step.dependence])) continue;
    for (const spec::RuntimeVariable& variable : step.relation->runtime) {
      reads.push_back({variable.low, variable.high});
    }
  }
  return reads;
}

absl::StatusOr<Definition> Definitions::of(int32_t computation, int32_t instruction, int64_t leaf) {
  const HloComputation& within = module_.computations[computation];
  const HloInstruction& at = within.instructions[instruction];
  auto relation = TRY(spec::access_relation_of(module_, computation, instruction, leaf));
  const auto leaves = TRY(leaves_of(*at.shape));
  const Dims& dims = leaves[leaf].dims;
  if (relation.loop) return of_loop(computation, instruction, *relation.loop);
  if (!relation.branches.empty()) {
    return of_branches(computation, instruction, relation, leaf);
  }
  Definition definition;
  PathSet paths;
  if (relation.callee) {
    const Site* site = site_of(computation, instruction, relation.callee->computation);
    const auto inside = TRY(of_root(relation.callee->computation, relation.callee->leaf, site));
    definition.conservative = inside.conservative;
    for (DataflowPath path : inside.paths) {
      for (Step& step : path.steps) step.calls.insert(step.calls.begin(), instruction);
      const Dims operand = operand_dims(within, at, path);
      paths.add(std::move(path), dims, operand);
    }
  } else {
    if (!relation.conservative.empty()) definition.conservative.push_back(relation.conservative);
    const auto shared = std::make_shared<const spec::AccessRelation>(std::move(relation));
    std::vector<int32_t> operands;
    for (const HloOperand& operand : at.operands) operands.push_back(operand.instruction);
    const Choice choice = choice_of(computation, at, definition);
    for (size_t f = 0; f < shared->dependences.size(); ++f) {
      const spec::Dependence& dependence = shared->dependences[f];
      DataflowPath path{
          static_cast<int32_t>(dependence.operand), dependence.leaf, {}, dependence.ranges};
      if (choice.predicate != nullptr && dependence.operand > 0) {
        path.steps.push_back({.choice = choice});
        path.steps.back().choice.value = dependence.operand == 1;
      }
      if (!is_identity(dependence, dims)) path.steps.push_back({shared, f, {}, operands});
      const Dims operand = operand_dims(within, at, path);
      paths.add(std::move(path), dims, operand);
    }
  }
  definition.paths = paths.take();
  return definition;
}

// What a select inside of the instruction in question chooses by.
Choice Definitions::choice_of(int32_t computation, const HloInstruction& at,
                              Definition& definition) {
  // The operands of the instruction in question are outside; so is its predicate.
  if (depth_ == 0 || at.opcode != HloOpcode::kSelect) return {};
  const int32_t operand = at.operands[0].instruction;
  auto values =
      possible_values(module_, computation, operand, 0, site_ == nullptr ? nullptr : &site_->call);
  if (values.is_cut) definition.conservative.push_back(kCutPredicate);
  if (values.kind == PossibleValues::Kind::kAnything) return {};
  const SharedShape& shape = module_.computations[computation].instructions[operand].shape;
  return Choice{.predicate = std::make_shared<const PossibleValues>(std::move(values)),
                .is_scalar = shape->rank() == 0};
}

// The paths of each branch, and that of the predicate.
absl::StatusOr<Definition> Definitions::of_branches(int32_t computation, int32_t instruction,
                                                    const spec::AccessRelation& relation,
                                                    int64_t leaf) {
  const HloComputation& within = module_.computations[computation];
  const HloInstruction& at = within.instructions[instruction];
  const Dims dims = TRY(leaves_of(*at.shape))[leaf].dims;
  Definition definition;
  PathSet paths;
  paths.add(universe(0, 0, {}), dims, {});
  for (const spec::Branch& branch : relation.branches) {
    const auto inside = TRY(of_root(branch.computation, branch.leaf));
    add_reasons(definition, inside.conservative);
    for (DataflowPath path : inside.paths) {
      path.operand = branch.operand;
      const Dims operand = operand_dims(within, at, path);
      // No position names the elements that a branch reads.
      if (!reads_of(path).empty()) path = superset(branch.operand, path.leaf, operand);
      paths.add(std::move(path), dims, operand);
    }
  }
  definition.paths = paths.take();
  return definition;
}

const std::optional<LoopRun>& Definitions::run_of(const op::While& loop) {
  const auto [known, is_new] = runs_.try_emplace(loop);
  if (is_new) known->second = run_loop(loop);
  return known->second;
}

absl::StatusOr<Definition> Definitions::of_loop(int32_t computation, int32_t instruction,
                                                const spec::Loop& loop) {
  const HloComputation& within = module_.computations[computation];
  const HloInstruction& at = within.instructions[instruction];
  const Leaves leaves = TRY(leaves_of(*at.shape));
  Definition definition;
  PathSet paths;
  if (spec::passes_through(module_, loop.loop.body, loop.leaf)) {
    paths.add({0, loop.leaf, {}, {}}, leaves[loop.leaf].dims, leaves[loop.leaf].dims);
    definition.paths = paths.take();
    return definition;
  }
  TRY(sources_of_root(loop.loop.condition, 0).status());  // it must be valid
  if (const std::optional<LoopRun>& run = run_of(loop.loop)) {
    // What predicates say may be more than loop paths can.
    std::vector<const Site*> sites = {site_of(computation, instruction, loop.loop.body)};
    if (sites[0] != nullptr) sites.push_back(nullptr);
    for (const Site* site : sites) {
      const auto of_body = [&](int64_t leaf) { return of_root(loop.loop.body, leaf, site); };
      auto found = loop_paths(loop, *run, leaves, of_body, deadline_);
      if (!found) found = unrolled_paths(loop, *run, leaves, of_body, deadline_);
      if (!found) continue;
      for (const auto& [operand, leaf] : TRY(sources_of_loop(loop))) {
        const auto inside = of_body(leaf);
        if (inside.ok()) add_reasons(definition, inside->conservative);
      }
      for (DataflowPath path : *found) {
        path.is_superset = path.is_superset || site != sites[0];
        paths.add(path, leaves[loop.leaf].dims, leaves[path.leaf].dims);
      }
      definition.paths = paths.take();
      return definition;
    }
    if (is_late()) return too_slow(within);
  } else {
    definition.conservative.push_back(spec::kUnknownLoop);
  }
  for (const auto& [operand, leaf] : TRY(sources_of_loop(loop))) {
    paths.add(superset(0, leaf, leaves[leaf].dims), leaves[loop.leaf].dims, leaves[leaf].dims);
  }
  definition.paths = paths.take();
  return definition;
}

// The site that a call, fusion or loop inside of the instruction in question is; none if it says
// nothing of predicates.
const Definitions::Site* Definitions::site_of(int32_t computation, int32_t call, int32_t callee) {
  const HloOpcode opcode = module_.computations[computation].instructions[call].opcode;
  const bool runs_it =
      opcode == HloOpcode::kCall || opcode == HloOpcode::kFusion || opcode == HloOpcode::kWhile;
  if (depth_ == 0 || !runs_it) return nullptr;
  const int64_t outside = site_ == nullptr ? 0 : site_->number;
  const auto [known, is_new] = sites_.try_emplace({outside, computation, call});
  if (is_new) {
    const auto& parameters = predicate_parameters(module_, callee, predicate_parameters_);
    Site site{{site_ == nullptr ? nullptr : &site_->call, computation, call}, std::ssize(sites_)};
    if (is_any_known(module_, site.call, parameters)) known->second = std::move(site);
  }
  return known->second ? &*known->second : nullptr;
}

// Finds the needed leaves from the root back, then joins paths from the parameters on.
absl::StatusOr<Definition> Definitions::of_root(int32_t computation, int64_t leaf,
                                                const Site* site) {
  const Site* outside = std::exchange(site_, site);
  auto found = of_root_here(computation, leaf);
  site_ = outside;
  return found;
}

absl::StatusOr<Definition> Definitions::of_root_here(int32_t computation, int64_t leaf) {
  const HloComputation& within = module_.computations[computation];
  if (depth_ >= kMaxCalls) return too_deep(within);
  Inside& inside = inside_[{computation, site_ == nullptr ? 0 : site_->number}];
  std::set<LeafOf, std::greater<>> wanted = {{within.root, leaf}};
  for (auto at = wanted.begin(); at != wanted.end(); ++at) {
    if (inside.known.contains(*at)) continue;
    auto own = inside.own.find(*at);
    if (own == inside.own.end()) {
      if (is_late()) return too_slow(within);
      ++depth_;
      absl::StatusOr<Definition> definition = of(computation, at->first, at->second);
      --depth_;
      if (absl::IsDeadlineExceeded(definition.status())) return definition;
      own = inside.own.emplace(*at, std::move(definition)).first;
    }
    if (!own->second.ok()) continue;
    const auto& operands = within.instructions[at->first].operands;
    for (const DataflowPath& path : own->second->paths) {
      wanted.insert({operands[path.operand].instruction, path.leaf});
    }
  }
  for (auto at = wanted.rbegin(); at != wanted.rend(); ++at) {
    const auto own = inside.own.find(*at);
    if (own == inside.own.end()) continue;
    auto paths =
        own->second.ok() ? to_parameters(computation, *at, *own->second, inside) : own->second;
    if (absl::IsDeadlineExceeded(paths.status())) return paths;
    inside.known.emplace(*at, std::move(paths));
    inside.own.erase(own);
  }
  return inside.known.at({within.root, leaf});
}

// Returns the paths of one leaf inside a computation; the leaves that it needs are known.
absl::StatusOr<Definition> Definitions::to_parameters(int32_t computation, const LeafOf& position,
                                                      const Definition& definition,
                                                      Inside& inside) {
  const HloComputation& within = module_.computations[computation];
  const HloInstruction& instruction = within.instructions[position.first];
  Definition result{{}, definition.conservative};
  if (instruction.opcode == HloOpcode::kParameter) {
    result.paths = {{static_cast<int32_t>(instruction.parameter_number), position.second, {}, {}}};
    return result;
  }
  if (inside.parameters.empty()) inside.parameters = parameters_of(within);
  const std::vector<int32_t>& parameters = inside.parameters;
  const Dims dims = leaf_dims(instruction, position.second);
  PathSet paths;
  const SourceResolver resolver(module_, computation, FollowRegion::UpTo::kParameters);
  for (const DataflowPath& path : definition.paths) {
    const Dims between = operand_dims(within, instruction, path);
    std::optional<bool> known_total;
    const auto is_total = [&] {
      if (!known_total) {
        known_total = path.is_superset || is_unconditional(path) ||
                      is_proven_total(resolver, path, dims, deadline_);
      }
      return *known_total;
    };
    std::optional<Along> known_kept;
    const auto kept = [&]() -> const Along& {
      if (!known_kept) {
        known_kept = kept_by(Disjunct(path), dims, between);
      }
      return *known_kept;
    };
    const auto& before =
        inside.known.at({instruction.operands[path.operand].instruction, path.leaf});
    if (!before.ok()) return before.status();
    add_reasons(result, before->conservative);
    for (const DataflowPath& further : before->paths) {
      if (paths.has_everything(further.operand, further.leaf)) continue;
      if (is_late()) return too_slow(within);
      paths.add(joined(path, further, between, is_total, kept), dims,
                leaf_dims(within.instructions[parameters[further.operand]], further.leaf));
    }
  }
  inside.work += paths.work();
  if (inside.work > kMostSteps) return too_long(within);
  result.paths = paths.take();
  if (cuts_ != nullptr && site_ == nullptr) {  // lemmas hold for any call
    cuts_->cut(computation, position.first, position.second, result.paths, deadline_);
    if (is_late()) return too_slow(within);  // with more time, fewer of them may be a superset
  }
  for (DataflowPath& path : result.paths) path.text.clear();  // of no use any more
  return result;
}

absl::StatusOr<std::set<LeafOf>> Definitions::sources(int32_t computation, int32_t instruction,
                                                      int64_t leaf) {
  const auto relation = TRY(spec::access_relation_of(module_, computation, instruction, leaf));
  if (relation.callee) {
    return sources_of_root(relation.callee->computation, relation.callee->leaf);
  }
  if (relation.loop) return sources_of_loop(*relation.loop);
  std::set<LeafOf> result;
  for (const spec::Dependence& dependence : relation.dependences) {
    result.emplace(static_cast<int32_t>(dependence.operand), dependence.leaf);
  }
  for (const spec::Branch& branch : relation.branches) {
    for (const auto& [parameter, of_it] : TRY(sources_of_root(branch.computation, branch.leaf))) {
      result.emplace(branch.operand, of_it);
    }
  }
  return result;
}

// The leaves of the state from which some number of iterations gets to this one; with those that
// the
// condition reads, if it decides how many.
absl::StatusOr<std::set<LeafOf>> Definitions::sources_of_loop(const spec::Loop& loop) {
  std::set<LeafOf> result = {{0, loop.leaf}};
  if (spec::passes_through(module_, loop.loop.body, loop.leaf)) return result;
  if (!run_of(loop.loop)) {
    const auto tested = TRY(sources_of_root(loop.loop.condition, 0));
    result.insert(tested.begin(), tested.end());
  }
  std::vector<LeafOf> open(result.begin(), result.end());
  while (!open.empty()) {
    const int64_t leaf = open.back().second;
    open.pop_back();
    for (const LeafOf& before : TRY(sources_of_root(loop.loop.body, leaf))) {
      if (result.insert(before).second) open.push_back(before);
    }
  }
  return result;
}

absl::StatusOr<std::set<LeafOf>> Definitions::sources_of_root(int32_t computation, int64_t leaf) {
  const auto known = sources_.find({computation, leaf});
  if (known != sources_.end()) return known->second;
  const HloComputation& within = module_.computations[computation];
  if (depth_ >= kMaxCalls) return too_deep(within);
  ++depth_;
  std::set<LeafOf> result;
  std::set<LeafOf, std::greater<>> wanted = {{within.root, leaf}};
  absl::Status status;
  for (auto at = wanted.begin(); status.ok() && at != wanted.end(); ++at) {
    const HloInstruction& instruction = within.instructions[at->first];
    if (instruction.opcode == HloOpcode::kParameter) {
      result.emplace(static_cast<int32_t>(instruction.parameter_number), at->second);
    }
    const auto of_one = sources(computation, at->first, at->second);
    status = of_one.status();
    if (!status.ok()) break;
    for (const auto& [operand, operand_leaf] : *of_one) {
      wanted.emplace(instruction.operands[operand].instruction, operand_leaf);
    }
  }
  --depth_;
  absl::StatusOr<std::set<LeafOf>> answer = std::move(result);
  if (!status.ok()) answer = status;
  sources_.emplace(std::pair{computation, leaf}, answer);
  return answer;
}

}  // namespace tileproof::verify
