// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/definitions.h"

#include <set>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "spec/lang/base/try.h"
#include "verify/prove/hlo/loop_paths.h"

namespace tileproof::verify {
namespace {

using spec::Dims;
using LeafOf = std::pair<int32_t, int64_t>;  // instruction or operand, leaf

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

absl::Status too_slow(const HloComputation& computation) {
  return absl::DeadlineExceededError(
      absl::StrCat(computation.name, ": all paths together take too long"));
}

absl::Status too_deep(const HloComputation& computation) {
  return absl::ResourceExhaustedError(
      absl::StrCat(computation.name, ": calls nest deeper than ", kMaxCalls));
}

// Returns the dimensions of the operand's leaf that is reached.
template <class Source>  // a path or a dependence
Dims operand_dims(const HloComputation& computation, const HloInstruction& instruction,
                  const Source& path) {
  const HloOperand& operand = instruction.operands[path.operand];
  const SharedShape& shape = computation.instructions[operand.instruction].shape;
  return (*leaves_of(shape ? *shape : *operand.shape))[path.leaf].dims;
}

}  // namespace

absl::StatusOr<Paths> Definitions::of(int32_t computation, int32_t instruction, int64_t leaf) {
  const HloComputation& within = module_.computations[computation];
  const HloInstruction& at = within.instructions[instruction];
  auto relation = TRY(spec::access_relation_of(module_, computation, instruction, leaf));
  const Dims dims = TRY(leaves_of(*at.shape))[leaf].dims;
  if (relation.loop) return of_loop(computation, instruction, *relation.loop);
  if (!relation.branches.empty()) return of_branches(computation, instruction, relation);
  if (relation.callee) {
    const Site* site = site_of(computation, instruction, relation.callee->computation);
    Paths paths = TRY(of_root(relation.callee->computation, relation.callee->leaf, site));
    for (DataflowPath& path : paths) {
      for (Step& step : path.steps) step.calls.insert(step.calls.begin(), instruction);
    }
    return paths;
  }
  const auto shared = std::make_shared<const spec::AccessRelation>(std::move(relation));
  std::vector<int32_t> operands;
  for (const HloOperand& operand : at.operands) operands.push_back(operand.instruction);
  const Choice choice = choice_of(computation, at);
  Paths paths;
  for (size_t f = 0; f < shared->dependences.size(); ++f) {
    const spec::Dependence& dependence = shared->dependences[f];
    const Dims operand = operand_dims(within, at, dependence);
    if (!has_elements(dims) || !has_elements(operand)) continue;
    DataflowPath path{
        static_cast<int32_t>(dependence.operand), dependence.leaf, {}, dependence.ranges};
    if (choice.predicate != nullptr && dependence.operand > 0) {
      path.steps.push_back({.choice = choice});
      path.steps.back().choice.value = dependence.operand == 1;
    }
    // More is known of the predicate: perhaps nothing flows here.
    if (choice.is_cut && dependence.operand > 0) {
      path.is_superset = true;
      path.open = at.name;
    }
    if (!is_identity(dependence, dims)) path.steps.push_back({shared, f, {}, operands});
    paths.push_back(std::move(path));
  }
  return paths;
}

// What a select inside of the instruction in question chooses by.
Choice Definitions::choice_of(int32_t computation, const HloInstruction& at) {
  // The operands of the instruction in question are outside; so is its predicate.
  if (depth_ == 0 || at.opcode != HloOpcode::kSelect) return {};
  const int32_t operand = at.operands[0].instruction;
  auto values =
      possible_values(module_, computation, operand, 0, site_ == nullptr ? nullptr : &site_->call);
  Choice choice{.is_cut = values.is_cut};
  if (values.kind == PossibleValues::Kind::kAnything) return choice;
  const SharedShape& shape = module_.computations[computation].instructions[operand].shape;
  choice.is_scalar = shape->rank() == 0;
  choice.predicate = std::make_shared<const PossibleValues>(std::move(values));
  return choice;
}

// The paths of each branch, and that of the predicate.
absl::StatusOr<Paths> Definitions::of_branches(int32_t computation, int32_t instruction,
                                               const spec::AccessRelation& relation) {
  const HloComputation& within = module_.computations[computation];
  const HloInstruction& at = within.instructions[instruction];
  Paths paths = {universe(0, 0, {})};
  for (const spec::Branch& branch : relation.branches) {
    for (DataflowPath path : TRY(of_root(branch.computation, branch.leaf))) {
      path.operand = branch.operand;
      // No position names the elements that a branch reads.
      if (!reads_of(path).empty()) {
        path = superset(branch.operand, path.leaf, operand_dims(within, at, path), at.name);
      }
      paths.push_back(std::move(path));
    }
  }
  return paths;
}

const std::optional<LoopRun>& Definitions::run_of(const op::While& loop) {
  const auto [known, is_new] = runs_.try_emplace(loop);
  if (is_new) known->second = run_loop(loop);
  return known->second;
}

absl::StatusOr<Paths> Definitions::of_loop(int32_t computation, int32_t instruction,
                                           const spec::Loop& loop) {
  const HloComputation& within = module_.computations[computation];
  const HloInstruction& at = within.instructions[instruction];
  const Leaves leaves = TRY(leaves_of(*at.shape));
  if (spec::passes_through(module_, loop.loop.body, loop.leaf)) {
    return Paths{{0, loop.leaf, {}, {}}};
  }
  TRY(of_root(loop.loop.condition, 0).status());  // it must be valid
  if (const std::optional<LoopRun>& run = run_of(loop.loop)) {
    // What predicates say may be more than loop paths can.
    std::vector<const Site*> sites = {site_of(computation, instruction, loop.loop.body)};
    if (sites[0] != nullptr) sites.push_back(nullptr);
    for (const Site* site : sites) {
      const auto of_body = [&](int64_t leaf) { return of_root(loop.loop.body, leaf, site); };
      const auto late = [&] { return is_late(); };
      auto found = loop_paths(loop, *run, leaves, of_body, late);
      if (!found) continue;
      for (DataflowPath& path : *found) {
        if (site == sites[0]) continue;
        path.is_superset = true;
        path.open = at.name;
      }
      return *std::move(found);
    }
    if (is_late()) return too_slow(within);
  }
  Paths paths;
  for (const int64_t leaf : TRY(leaves_reached(loop))) {
    paths.push_back(superset(0, leaf, leaves[leaf].dims, at.name));
  }
  return paths;
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
    Site site{{site_ == nullptr ? nullptr : &site_->call, computation, call}, std::ssize(sites_)};
    if (has_select(module_, callee, has_select_) && knows_operands(module_, site.call)) {
      known->second = std::move(site);
    }
  }
  return known->second ? &*known->second : nullptr;
}

// Finds the needed leaves from the root back, then joins paths from the parameters on.
absl::StatusOr<Paths> Definitions::of_root(int32_t computation, int64_t leaf, const Site* site) {
  const Site* outside = std::exchange(site_, site);
  auto found = of_root_here(computation, leaf);
  site_ = outside;
  return found;
}

absl::StatusOr<Paths> Definitions::of_root_here(int32_t computation, int64_t leaf) {
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
      absl::StatusOr<Paths> definition = of(computation, at->first, at->second);
      --depth_;
      if (absl::IsDeadlineExceeded(definition.status())) return definition;
      own = inside.own.emplace(*at, std::move(definition)).first;
    }
    if (!own->second.ok()) continue;
    const auto& operands = within.instructions[at->first].operands;
    for (const DataflowPath& path : *own->second) {
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
absl::StatusOr<Paths> Definitions::to_parameters(int32_t computation, const LeafOf& position,
                                                 const Paths& own, Inside& inside) {
  const HloComputation& within = module_.computations[computation];
  const HloInstruction& instruction = within.instructions[position.first];
  if (instruction.opcode == HloOpcode::kParameter) {
    return Paths{{static_cast<int32_t>(instruction.parameter_number), position.second, {}, {}}};
  }
  std::vector<const Paths*> before;
  for (const DataflowPath& path : own) {
    const auto& one = inside.known.at({instruction.operands[path.operand].instruction, path.leaf});
    if (!one.ok()) return one.status();
    before.push_back(&*one);
  }
  Paths paths = lines_.of({computation, position.first, position.second}, own, before,
                          site_ == nullptr ? 0 : site_->number, deadline_);
  if (is_late()) return too_slow(within);  // with more time, fewer of them may be a superset
  return paths;
}

// The leaves of the state from which some number of iterations gets to this one; with those that the
// condition reads, if it decides how many.
absl::StatusOr<std::set<int64_t>> Definitions::leaves_reached(const spec::Loop& loop) {
  std::set<int64_t> reached = {loop.leaf};
  std::vector<int64_t> open = {loop.leaf};
  const auto add = [&](const Paths& paths) {
    for (const DataflowPath& path : paths) {
      if (reached.insert(path.leaf).second) open.push_back(path.leaf);
    }
  };
  if (!run_of(loop.loop)) add(TRY(of_root(loop.loop.condition, 0)));
  while (!open.empty()) {
    const int64_t leaf = open.back();
    open.pop_back();
    add(TRY(of_root(loop.loop.body, leaf)));
  }
  return reached;
}

}  // namespace tileproof::verify
