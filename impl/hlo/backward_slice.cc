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

int64_t terms_of(const Relation& relation) {
  return std::ssize(relation.map.nodes) + kTermsOfRelation;
}

// The unions on the way, by number of the leaf.
class Unions {
 public:
  Unions(const ComputationView& view, const Dims& output, int64_t most_terms)
      : view_(view), output_(output), bags_(view.sizes.size()), most_terms_(most_terms) {}

  Bag& at(int32_t instruction, int32_t leaf) { return bags_[number(instruction, leaf)]; }

  int64_t terms() const { return terms_; }

  // Passes the union of one leaf on along a flow.
  void pass(const Bag& from, const Dims& between, const Flow& flow, int32_t operand) {
    const int32_t to = number(operand, flow.leaf);
    if (bags_[to].everything && bags_[to].reason == nullptr) return;
    const Relation& second = *flow.relation;
    if (from.everything && second.onto) {
      // What most of a deep network comes to.
      const bool exact = !second.inexact || from.reason != nullptr;
      add_everything(bags_[to],
                     exact ? from.reason : std::make_shared<const std::string>(second.reason));
      return;
    }
    for (const RelationPtr& first : relations_of(from, output_, between)) {
      pass(first, between, flow.relation, to);
    }
  }

 private:
  void pass(const RelationPtr& first, const Dims& between, const RelationPtr& second, int32_t to) {
    if (terms_ > most_terms_) {
      add_everything(bags_[to], std::make_shared<const std::string>(kTooManyTerms));
      return;
    }
    const Dims& sizes = view_.sizes[to];
    if (composes_to_everything(*first, *second, output_)) {
      std::shared_ptr<const std::string> reason;
      if (first->inexact) reason = std::make_shared<const std::string>(first->reason);
      if (!reason && second->inexact) reason = std::make_shared<const std::string>(second->reason);
      add_everything(bags_[to], std::move(reason));
      return;
    }
    const RelationPtr composed = compose(first, second, output_, between, sizes);
    const bool made = composed && composed != first && composed != second;
    terms_ += made ? terms_of(*first) + terms_of(*second) : 1;
    if (composed) add(bags_[to], composed, output_, sizes);
  }

  int32_t number(int32_t instruction, int32_t leaf) const {
    return view_.first_leaf[instruction] + leaf;
  }

  const ComputationView& view_;
  const Dims& output_;
  std::vector<Bag> bags_;
  int64_t most_terms_;
  int64_t terms_ = 0;  // written while composing
};

}  // namespace

ComputationFlows::ComputationFlows(const HloModule& module, int32_t computation,
                                   const Summaries& summaries)
    : view_(view_of(module, computation)), summaries_(&summaries) {
  flows_.resize(view_.sizes.size());
  with_values_.resize(view_.sizes.size());
}

const absl::StatusOr<Flows>& ComputationFlows::of(int32_t instruction, int32_t leaf) {
  auto& flows = flows_[view_.first_leaf[instruction] + leaf];
  if (!flows) flows = flows_of(view_, instruction, leaf, *summaries_);
  return *flows;
}

const absl::StatusOr<Flows>& ComputationFlows::with_values(int32_t instruction, int32_t leaf) {
  const absl::StatusOr<Flows>& plain = of(instruction, leaf);
  if (!plain.ok()) return plain;
  const auto is_fixed = [](const Flow& flow) { return flow.relation->runtime.empty(); };
  if (std::ranges::all_of(plain->flows, is_fixed)) return plain;
  const int32_t number = view_.first_leaf[instruction] + leaf;
  if (with_values_[number]) return *with_values_[number];
  Flows filled;
  const HloInstruction& at = view_.computation().instructions[instruction];
  const auto here = [this](const std::vector<int32_t>& calls) {
    return calls.empty() ? this : nullptr;
  };
  for (const Flow& flow : plain->flows) {
    const int32_t operand = at.operands[flow.operand].instruction;
    const Dims& sizes = view_.sizes[view_.first_leaf[operand] + flow.leaf];
    for (RelationPtr& relation :
         with_known_values(here, flow.relation, view_.sizes[number], sizes, 1)) {
      filled.flows.push_back({flow.operand, flow.leaf, std::move(relation)});
    }
  }
  with_values_[number] = std::move(filled);
  return *with_values_[number];
}

absl::StatusOr<Flows> trace(ComputationFlows& flows, int32_t instruction, int32_t leaf,
                            int64_t* work, int64_t most_terms) {
  const ComputationView& view = flows.view();
  const std::vector<HloInstruction>& instructions = view.computation().instructions;
  if (const auto& own = flows.of(instruction, leaf); !own.ok()) return own.status();
  const Dims& output = view.sizes[view.first_leaf[instruction] + leaf];
  Flows result;
  if (has_no_elements(output)) return result;
  Unions unions(view, output, most_terms);
  add(unions.at(instruction, leaf), identity_relation(output), output, output);
  for (int32_t i = instruction; i >= 0; --i) {
    const auto leaves = static_cast<int32_t>(view.leaves[i].shapes.size());
    for (int32_t l = 0; l < leaves; ++l) {
      const Bag from = std::exchange(unions.at(i, l), {});
      if (from.empty()) continue;
      if (instructions[i].opcode == HloOpcode::kParameter) {
        const auto number = static_cast<int32_t>(instructions[i].parameter_number);
        const Dims& sizes = view.sizes[view.first_leaf[i] + l];
        for (RelationPtr& relation : relations_of(from, output, sizes)) {
          result.flows.push_back({number, l, std::move(relation)});
        }
        continue;
      }
      const absl::StatusOr<Flows>& step = flows.with_values(i, l);
      if (!step.ok()) return step.status();
      for (const Flow& flow : step->flows) {
        const int32_t operand = instructions[i].operands[flow.operand].instruction;
        unions.pass(from, view.sizes[view.first_leaf[i] + l], flow, operand);
      }
    }
  }
  if (work != nullptr) *work += unions.terms() + instruction / kInstructionsOfTerm;
  std::ranges::stable_sort(
      result.flows, {}, [](const Flow& flow) { return std::make_pair(flow.operand, flow.leaf); });
  return result;
}

}  // namespace tileproof::impl
