// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/backward_slice.h"

#include <algorithm>
#include <utility>

#include "impl/hlo/offsets/resolve_offsets.h"
#include "impl/hlo/operations/known_predicate.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {
namespace {

constexpr char kTooManyTerms[] = "a computation of too many terms";
constexpr char kTooManyCalls[] = "too many calls with known predicates";
constexpr char kKnownInLoop[] = "while: predicates that are known in its body";
constexpr int64_t kMostCalls = 4000;  // with known predicates, run by one computation

// What a relation costs beside its nodes, in the time of one of them; and how many instructions are
// walked past in that time.
constexpr int64_t kTermsOfRelation = 8;
constexpr int64_t kInstructionsOfTerm = 16;

bool is_inexact(const Dependence& dependence) { return dependence.relation->inexact; }

int64_t terms_of(const AccessRelation& relation) {
  return std::ssize(relation.map.nodes) + kTermsOfRelation;
}

bool is_all(const UnionMap& pairs) { return pairs.universe && pairs.reason == nullptr; }

// The unions of all leaves, by number of the leaf. Most of them are exact universes in a deep network.
class Unions {
 public:
  Unions(ComputationDependences& dependences, const Dims& output, int64_t most_terms)
      : dependences_(dependences),
        view_(dependences.view()),
        output_(output),
        maps_(std::exchange(dependences.scratch(), {})),
        most_terms_(most_terms) {
    maps_.resize(view_.sizes.size());
  }
  // Every union was taken, so the memory serves the next walk.
  void keep_memory() { dependences_.scratch() = std::move(maps_); }

  int64_t terms() const { return terms_; }

  void add(int32_t to, const AccessRelationPtr& relation) {
    impl::add(maps_[to], relation, output_, view_.sizes[to]);
  }

  bool is_empty(int32_t number) const { return maps_[number].empty(); }

  UnionMap take(int32_t number) { return std::exchange(maps_[number], {}); }

  // Composes the union of one array with its dependences, for the operands.
  void pass(const UnionMap& from, const Dims& between,
            absl::Span<const ComputationDependences::Edge> edges) {
    for (const ComputationDependences::Edge& edge : edges) {
      UnionMap& to = maps_[edge.to];
      if (is_all(to)) continue;
      if (is_all(from) && edge.passes_all) {
        add_universe(to, nullptr);
      } else {
        pass(from, between, edge.dependence->relation, edge.to);
      }
    }
  }

 private:
  void pass(const UnionMap& from, const Dims& between, const AccessRelationPtr& second,
            int32_t to) {
    if (from.universe && second->onto) {
      const bool exact = !second->inexact || from.reason != nullptr;
      add_universe(maps_[to],
                   exact ? from.reason : std::make_shared<const std::string>(second->reason));
      return;
    }
    for (const AccessRelationPtr& first : relations_of(from, output_, between)) {
      pass(first, between, second, to);
    }
  }

  void pass(const AccessRelationPtr& first, const Dims& between, const AccessRelationPtr& second,
            int32_t to) {
    if (terms_ > most_terms_) {
      add_universe(maps_[to], std::make_shared<const std::string>(kTooManyTerms));
      return;
    }
    const Dims& sizes = view_.sizes[to];
    if (composes_to_universe(*first, *second, output_)) {
      std::shared_ptr<const std::string> reason;
      if (first->inexact) reason = std::make_shared<const std::string>(first->reason);
      if (!reason && second->inexact) reason = std::make_shared<const std::string>(second->reason);
      add_universe(maps_[to], std::move(reason));
      return;
    }
    const AccessRelationPtr composed = compose(first, second, output_, between, sizes);
    const bool made = composed && composed != first && composed != second;
    terms_ += made ? terms_of(*first) + terms_of(*second) : 1;
    if (composed) impl::add(maps_[to], composed, output_, sizes);
  }

  ComputationDependences& dependences_;
  const ComputationView& view_;
  const Dims& output_;
  std::vector<UnionMap> maps_;
  int64_t most_terms_;
  int64_t terms_ = 0;  // written while composing
};

}  // namespace

ComputationDependences::ComputationDependences(const HloModule& module, int32_t computation,
                                               const Summaries& summaries, Caller caller)
    : view_(view_of(module, computation)),
      summaries_(&summaries),
      caller_(caller),
      calls_left_(caller.within != nullptr ? caller.within->calls_left_
                                           : std::make_shared<int64_t>(kMostCalls)),
      values_{{module, computation},
              [this](int32_t c) { return &inside(c); },
              ValueRegion::Through::kAll} {
  view_.dependences = this;
  dependences_.resize(view_.sizes.size());
  with_values_.resize(view_.sizes.size());
  edges_.resize(view_.sizes.size());
}

const absl::StatusOr<Dependences>& ComputationDependences::of(int32_t instruction, int32_t leaf) {
  auto& dependences = dependences_[view_.first_leaf[instruction] + leaf];
  if (!dependences) dependences = dependences_of(view_, instruction, leaf, *summaries_);
  return *dependences;
}

ComputationDependences& ComputationDependences::inside(int32_t computation) {
  if (computation == view_.position) return *this;
  std::unique_ptr<ComputationDependences>& called = called_[computation];
  if (!called) {
    called = std::make_unique<ComputationDependences>(*view_.module, computation, *summaries_);
  }
  return *called;
}

const absl::StatusOr<Dependences>& ComputationDependences::with_values(int32_t instruction,
                                                                       int32_t leaf) {
  std::optional<Known>& known = with_values_[view_.first_leaf[instruction] + leaf];
  if (!known) known = find_values(instruction, leaf);
  return *known ? **known : of(instruction, leaf);
}

// The computation as this call runs it; null if its operands say nothing of predicates.
ComputationDependences* ComputationDependences::run_by(int32_t call) {
  const auto [known, is_new] = run_by_.try_emplace(call);
  if (is_new) {
    const int32_t callee = run_with_operands(view_.computation().instructions[call]);
    if (callee >= 0 && decides(*this, call, deciding_in((*summaries_)[callee]))) {
      --*calls_left_;
      known->second = std::make_unique<ComputationDependences>(*view_.module, callee, *summaries_,
                                                               Caller{this, call});
    }
  }
  return known->second.get();
}

// The dependences as any call has them, as a superset.
Dependences ComputationDependences::as_any_call(int32_t call, int32_t leaf, const char* reason) {
  Dependences inexact = *of(call, leaf);
  const HloInstruction& at = view_.computation().instructions[call];
  for (Dependence& dependence : inexact.dependences) {
    AccessRelation copy = *dependence.relation;
    copy.inexact = true;
    copy.reason = reason;
    const int32_t operand = at.operands[dependence.operand].instruction;
    dependence.relation = finish(std::move(copy), view_.sizes[view_.first_leaf[call] + leaf],
                                 view_.sizes[view_.first_leaf[operand] + dependence.leaf]);
  }
  return inexact;
}

// What the loop runs, where its state is known.
const Summaries& ComputationDependences::run_in_loop(int32_t loop, ComputationDependences& body) {
  const auto [known, is_new] = run_in_loop_.try_emplace(loop);
  if (!is_new) return known->second;
  Summaries& summaries = known->second;
  summaries.resize(view_.module->computations.size());
  const HloInstruction& at = view_.computation().instructions[loop];
  const int32_t condition = called_computations(at, "condition")[0];
  summaries[condition] = (*summaries_)[condition];
  const int32_t root = body.view_.computation().root;
  for (const absl::StatusOr<Dependences>& any : (*summaries_)[body.view_.position]) {
    Summary& summary = summaries[body.view_.position];
    if (any.ok()) {
      summary.push_back(backward_slice(body, root, static_cast<int32_t>(summary.size())));
      if (summary.back().ok()) summary.back()->reached = any->reached;
    } else {
      summary.push_back(any);
    }
  }
  return summaries;
}

// The dependences of a call with known operands; nothing if they are those of any call.
ComputationDependences::Known ComputationDependences::called_here(int32_t call, int32_t leaf) {
  ComputationDependences* inside = run_by(call);
  if (inside == nullptr) return std::nullopt;
  if (*calls_left_ < 0) return as_any_call(call, leaf, kTooManyCalls);
  if (view_.computation().instructions[call].opcode == HloOpcode::kWhile) {
    auto found = dependences_of(view_, call, leaf, run_in_loop(call, *inside));
    const bool was_exact = std::ranges::none_of(of(call, leaf)->dependences, is_inexact);
    const bool is_exact = !found.ok() || std::ranges::none_of(found->dependences, is_inexact);
    if (was_exact && !is_exact) return as_any_call(call, leaf, kKnownInLoop);
    return found;
  }
  Summaries summaries(view_.module->computations.size());
  Summary& summary = summaries[inside->view_.position];
  summary.resize(leaf + 1, Dependences{});
  summary.back() = backward_slice(*inside, inside->view_.computation().root, leaf);
  return dependences_of(view_, call, leaf, summaries);
}

ComputationDependences::Known ComputationDependences::find_values(int32_t instruction,
                                                                  int32_t leaf) {
  const absl::StatusOr<Dependences>& plain = of(instruction, leaf);
  if (!plain.ok()) return std::nullopt;
  const HloInstruction& at = view_.computation().instructions[instruction];
  if (run_with_operands(at) >= 0) {
    Known here = called_here(instruction, leaf);
    if (!here || !here->ok()) return with_offsets(instruction, leaf, *plain);
    Known filled = with_offsets(instruction, leaf, **here);
    return filled ? filled : here;
  }
  if (at.opcode == HloOpcode::kSelect) return with_known_predicate(*this, instruction, *plain);
  return with_offsets(instruction, leaf, *plain);
}

// Fills in offsets that are known.
ComputationDependences::Known ComputationDependences::with_offsets(int32_t instruction,
                                                                   int32_t leaf,
                                                                   const Dependences& plain) {
  const auto is_fixed = [](const Dependence& dependence) {
    return dependence.relation->runtime.empty();
  };
  if (std::ranges::all_of(plain.dependences, is_fixed)) return std::nullopt;
  Dependences filled;
  const HloInstruction& at = view_.computation().instructions[instruction];
  const Dims& output = view_.sizes[view_.first_leaf[instruction] + leaf];
  const ValueRegion here{{*view_.module, view_.position},
                         [this](int32_t c) { return c == view_.position ? this : nullptr; }};
  for (const Dependence& dependence : plain.dependences) {
    const int32_t operand = at.operands[dependence.operand].instruction;
    const Dims& sizes = view_.sizes[view_.first_leaf[operand] + dependence.leaf];
    for (AccessRelationPtr& relation :
         with_resolved_offsets(here, dependence.relation, output, sizes, 1)) {
      filled.dependences.push_back({dependence.operand, dependence.leaf, std::move(relation)});
    }
  }
  return filled;
}

absl::StatusOr<absl::Span<const ComputationDependences::Edge>> ComputationDependences::edges(
    int32_t instruction, int32_t leaf) {
  std::optional<std::vector<Edge>>& edges = edges_[view_.first_leaf[instruction] + leaf];
  if (!edges) {
    const absl::StatusOr<Dependences>& step = with_values(instruction, leaf);
    if (!step.ok()) return step.status();
    edges.emplace();
    edges->reserve(step->dependences.size());
    const HloInstruction& at = view_.computation().instructions[instruction];
    for (const Dependence& dependence : step->dependences) {
      const int32_t operand = at.operands[dependence.operand].instruction;
      const AccessRelation& relation = *dependence.relation;
      edges->push_back({view_.first_leaf[operand] + dependence.leaf,
                        relation.onto && !relation.inexact, &dependence});
    }
  }
  return absl::MakeConstSpan(*edges);
}

absl::StatusOr<Dependences> backward_slice(ComputationDependences& dependences, int32_t instruction,
                                           int32_t leaf, int64_t* work, int64_t most_terms) {
  const ComputationView& view = dependences.view();
  const std::vector<HloInstruction>& instructions = view.computation().instructions;
  if (const auto& own = dependences.of(instruction, leaf); !own.ok()) return own.status();
  const Dims& output = view.sizes[view.first_leaf[instruction] + leaf];
  Dependences result;
  if (has_no_elements(output)) return result;
  Unions unions(dependences, output, most_terms);
  unions.add(view.first_leaf[instruction] + leaf, identity_relation(output));
  for (int32_t i = instruction; i >= 0; --i) {
    const auto leaves = static_cast<int32_t>(view.shapes[i].leaves.size());
    for (int32_t l = 0; l < leaves; ++l) {
      const int32_t array = view.first_leaf[i] + l;
      if (unions.is_empty(array)) continue;
      const UnionMap from = unions.take(array);
      const Dims& sizes = view.sizes[array];
      if (instructions[i].opcode == HloOpcode::kParameter) {
        const auto number = static_cast<int32_t>(instructions[i].parameter_number);
        for (AccessRelationPtr& relation : relations_of(from, output, sizes)) {
          result.dependences.push_back({number, l, std::move(relation)});
        }
        continue;
      }
      unions.pass(from, sizes, TRY(dependences.edges(i, l)));
    }
  }
  if (work != nullptr) *work += unions.terms() + instruction / kInstructionsOfTerm;
  unions.keep_memory();
  std::ranges::stable_sort(result.dependences, {}, [](const Dependence& dependence) {
    return std::make_pair(dependence.operand, dependence.leaf);
  });
  return result;
}

}  // namespace tileproof::impl
