// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/backward_slice.h"

#include <algorithm>
#include <utility>

namespace tileproof::impl {
namespace {

constexpr char kTooManyTerms[] = "a computation of too many terms";

// What a relation costs beside its nodes, in the time of one of them; and how many instructions are
// walked past in that time.
constexpr int64_t kTermsOfRelation = 8;
constexpr int64_t kInstructionsOfTerm = 16;

int64_t terms_of(const AccessRelation& relation) {
  return std::ssize(relation.map.nodes) + kTermsOfRelation;
}

// The unions of all leaves, by number of the leaf.
class Unions {
 public:
  Unions(const ComputationView& view, const Dims& output, int64_t most_terms)
      : view_(view), output_(output), union_maps_(view.sizes.size()), most_terms_(most_terms) {}

  UnionMap& at(int32_t instruction, int32_t leaf) { return union_maps_[number(instruction, leaf)]; }

  int64_t terms() const { return terms_; }

  // Composes the union of one leaf with a dependence, for the operand.
  void pass(const UnionMap& from, const Dims& between, const Dependence& dependence,
            int32_t operand) {
    const int32_t to = number(operand, dependence.leaf);
    if (union_maps_[to].universe && union_maps_[to].reason == nullptr) return;
    const AccessRelation& second = *dependence.relation;
    if (from.universe && second.onto) {
      // The usual case in a deep network.
      const bool exact = !second.inexact || from.reason != nullptr;
      add_universe(union_maps_[to],
                   exact ? from.reason : std::make_shared<const std::string>(second.reason));
      return;
    }
    for (const AccessRelationPtr& first : relations_of(from, output_, between)) {
      pass(first, between, dependence.relation, to);
    }
  }

 private:
  void pass(const AccessRelationPtr& first, const Dims& between, const AccessRelationPtr& second,
            int32_t to) {
    if (terms_ > most_terms_) {
      add_universe(union_maps_[to], std::make_shared<const std::string>(kTooManyTerms));
      return;
    }
    const Dims& sizes = view_.sizes[to];
    if (composes_to_universe(*first, *second, output_)) {
      std::shared_ptr<const std::string> reason;
      if (first->inexact) reason = std::make_shared<const std::string>(first->reason);
      if (!reason && second->inexact) reason = std::make_shared<const std::string>(second->reason);
      add_universe(union_maps_[to], std::move(reason));
      return;
    }
    const AccessRelationPtr composed = compose(first, second, output_, between, sizes);
    const bool made = composed && composed != first && composed != second;
    terms_ += made ? terms_of(*first) + terms_of(*second) : 1;
    if (composed) add(union_maps_[to], composed, output_, sizes);
  }

  int32_t number(int32_t instruction, int32_t leaf) const {
    return view_.first_leaf[instruction] + leaf;
  }

  const ComputationView& view_;
  const Dims& output_;
  std::vector<UnionMap> union_maps_;
  int64_t most_terms_;
  int64_t terms_ = 0;  // written while composing
};

}  // namespace

ComputationDependences::ComputationDependences(const HloModule& module, int32_t computation,
                                               const Summaries& summaries)
    : view_(view_of(module, computation)), summaries_(&summaries) {
  dependences_.resize(view_.sizes.size());
  with_values_.resize(view_.sizes.size());
}

const absl::StatusOr<Dependences>& ComputationDependences::of(int32_t instruction, int32_t leaf) {
  auto& dependences = dependences_[view_.first_leaf[instruction] + leaf];
  if (!dependences) dependences = dependences_of(view_, instruction, leaf, *summaries_);
  return *dependences;
}

const absl::StatusOr<Dependences>& ComputationDependences::with_values(int32_t instruction,
                                                                       int32_t leaf) {
  const absl::StatusOr<Dependences>& plain = of(instruction, leaf);
  if (!plain.ok()) return plain;
  const auto is_fixed = [](const Dependence& dependence) {
    return dependence.relation->runtime.empty();
  };
  if (std::ranges::all_of(plain->dependences, is_fixed)) return plain;
  const int32_t number = view_.first_leaf[instruction] + leaf;
  if (with_values_[number]) return *with_values_[number];
  Dependences filled;
  const HloInstruction& at = view_.computation().instructions[instruction];
  const OffsetRegion here{{*view_.module, view_.position},
                          [this](int32_t c) { return c == view_.position ? this : nullptr; }};
  for (const Dependence& dependence : plain->dependences) {
    const int32_t operand = at.operands[dependence.operand].instruction;
    const Dims& sizes = view_.sizes[view_.first_leaf[operand] + dependence.leaf];
    for (AccessRelationPtr& relation :
         with_resolved_offsets(here, dependence.relation, view_.sizes[number], sizes, 1)) {
      filled.dependences.push_back({dependence.operand, dependence.leaf, std::move(relation)});
    }
  }
  with_values_[number] = std::move(filled);
  return *with_values_[number];
}

absl::StatusOr<Dependences> backward_slice(ComputationDependences& dependences, int32_t instruction,
                                           int32_t leaf, int64_t* work, int64_t most_terms) {
  const ComputationView& view = dependences.view();
  const std::vector<HloInstruction>& instructions = view.computation().instructions;
  if (const auto& own = dependences.of(instruction, leaf); !own.ok()) return own.status();
  const Dims& output = view.sizes[view.first_leaf[instruction] + leaf];
  Dependences result;
  if (has_no_elements(output)) return result;
  Unions unions(view, output, most_terms);
  add(unions.at(instruction, leaf), identity_relation(output), output, output);
  for (int32_t i = instruction; i >= 0; --i) {
    const auto leaves = static_cast<int32_t>(view.shapes[i].leaves.size());
    for (int32_t l = 0; l < leaves; ++l) {
      const UnionMap from = std::exchange(unions.at(i, l), {});
      if (from.empty()) continue;
      if (instructions[i].opcode == HloOpcode::kParameter) {
        const auto number = static_cast<int32_t>(instructions[i].parameter_number);
        const Dims& sizes = view.sizes[view.first_leaf[i] + l];
        for (AccessRelationPtr& relation : relations_of(from, output, sizes)) {
          result.dependences.push_back({number, l, std::move(relation)});
        }
        continue;
      }
      const absl::StatusOr<Dependences>& step = dependences.with_values(i, l);
      if (!step.ok()) return step.status();
      for (const Dependence& dependence : step->dependences) {
        const int32_t operand = instructions[i].operands[dependence.operand].instruction;
        unions.pass(from, view.sizes[view.first_leaf[i] + l], dependence, operand);
      }
    }
  }
  if (work != nullptr) *work += unions.terms() + instruction / kInstructionsOfTerm;
  std::ranges::stable_sort(result.dependences, {}, [](const Dependence& dependence) {
    return std::make_pair(dependence.operand, dependence.leaf);
  });
  return result;
}

}  // namespace tileproof::impl
