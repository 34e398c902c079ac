// Values of offsets and indices: each is followed to where it comes from.
#include <algorithm>

#include "spec/hlo/access_relation_parts.h"
#include "spec/hlo/provenance_interpreter.h"
#include "spec/hlo/runtime_value.h"

namespace tileproof::spec {

// The place whose value the element at `position` has, if that is certain and inside the region.
std::optional<HloElement> Interpreter::follow_once(const Frame*& frame,
                                                   const HloElement& position) {
  const HloInstruction& instruction = at(*frame, position.instruction);
  if (instruction.opcode == HloOpcode::kParameter && frame->caller != nullptr) {
    const HloInstruction& call = at(*frame->caller, frame->call);
    frame = frame->caller;
    return HloElement{frame->computation, call.operands[instruction.parameter_number].instruction,
                      position.leaf, position.index};
  }
  if (!only_moves_elements(instruction.opcode)) return std::nullopt;
  const auto relation =
      access_relation_of(module_, position.computation, position.instruction, position.leaf);
  if (!relation.ok()) return std::nullopt;
  for (const Dependence& dependence : relation->dependences) {
    if (!dependence.ranges.empty()) continue;  // of several elements: which one is not said
    AccessedElement<int64_t> reached =
        reach(dependence, IterationPoint<int64_t>{position.index, {}, {}});
    if (!reached.in_domain) continue;
    return HloElement{position.computation, instruction.operands[dependence.operand].instruction,
                      dependence.leaf, std::move(reached.index)};
  }
  return std::nullopt;
}

std::optional<int64_t> Interpreter::known_value(const HloElement& position) {
  const HloInstruction& i =
      module_.computations[position.computation].instructions[position.instruction];
  if (i.opcode == HloOpcode::kIota) {
    const auto dimension = integer_of(i, "iota_dimension");
    if (dimension.ok() && *dimension < std::ssize(position.index))
      return position.index[*dimension];
  }
  if (i.opcode != HloOpcode::kConstant || !i.shape) return std::nullopt;
  const auto [known, is_new] = literals_.try_emplace({position.computation, position.instruction});
  if (is_new) known->second = integers_of_literal(i.literal);
  const auto leaves = leaves_of(*i.shape);
  if (!known->second || !leaves.ok() || leaves->size() != 1) return std::nullopt;
  if (element_count(leaves->front().dims) != std::ssize(*known->second)) return std::nullopt;
  return (*known->second)[element_number(leaves->front().dims, position.index)];
}

int64_t Interpreter::runtime_value(const Frame& frame, const HloElement& position) {
  // The operands of the instruction asked about are outside the region if it is all of it.
  const auto outside = [&](const Frame* f) {
    return scope_ == Scope::kInstruction && f->caller == nullptr;
  };
  const Frame* where = &frame;
  HloElement source = position;
  while (!outside(where)) {
    std::optional<HloElement> next = follow_once(where, source);
    if (!next) break;
    source = *std::move(next);
    --work_;
  }
  const std::optional<int64_t> known = outside(where) ? std::nullopt : known_value(source);
  const int64_t value = known ? *known : values_(source);
  reads_.emplace(std::make_pair(position, source), value);
  return value;
}

// The clamped values of all runtime variables at one point.
std::vector<int64_t> Interpreter::runtime_values(const Frame& frame, const Needed& needed,
                                                 const IterationPoint<int64_t>& point,
                                                 RuntimeCache& cache) {
  const HloInstruction& instruction = at(frame, needed.instruction);
  std::vector<int64_t> values;
  for (size_t k = 0; k < needed.relation.runtime.size(); ++k) {
    const RuntimeVariable& variable = needed.relation.runtime[k];
    const int32_t operand = instruction.operands[variable.operand].instruction;
    HloElement position{frame.computation, operand, 0, reach(variable.element, point).index};
    const int64_t element = element_number(variable.dims, position.index);
    const auto [known, is_new] = cache.try_emplace({k, element}, 0);
    if (is_new) known->second = runtime_value(frame, position);
    values.push_back(std::clamp(known->second, variable.low, variable.high));
  }
  return values;
}

}  // namespace tileproof::spec
