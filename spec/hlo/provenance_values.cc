// Values of offsets and indices: each is followed to where it comes from.
#include <algorithm>

#include "spec/hlo/access_relation_parts.h"
#include "spec/hlo/provenance_interpreter.h"
#include "spec/hlo/runtime_value.h"

namespace tileproof::spec {

// The place whose value the element at `place` has, if that is certain and inside the region.
std::optional<Place> Interpreter::follow_once(const Frame*& frame, const Place& place) {
  const HloInstruction& instruction = at(*frame, place.instruction);
  if (instruction.opcode == HloOpcode::kParameter && frame->caller != nullptr) {
    const HloInstruction& call = at(*frame->caller, frame->call);
    frame = frame->caller;
    return Place{frame->computation, call.operands[instruction.parameter_number].instruction,
                 place.leaf, place.index};
  }
  if (!only_moves_elements(instruction.opcode)) return std::nullopt;
  const auto relation = relation_of(module_, place.computation, place.instruction, place.leaf);
  if (!relation.ok()) return std::nullopt;
  for (const Flow& flow : relation->flows) {
    if (!flow.ranges.empty()) continue;  // of several elements: which one is not said
    Reached<int64_t> reached = reach(flow, At<int64_t>{place.index, {}, {}});
    if (!reached.flows) continue;
    return Place{place.computation, instruction.operands[flow.operand].instruction, flow.leaf,
                 std::move(reached.index)};
  }
  return std::nullopt;
}

std::optional<int64_t> Interpreter::known_value(const Place& place) {
  const HloInstruction& i = module_.computations[place.computation].instructions[place.instruction];
  if (i.opcode == HloOpcode::kIota) {
    const auto dimension = integer_of(i, "iota_dimension");
    if (dimension.ok() && *dimension < std::ssize(place.index)) return place.index[*dimension];
  }
  if (i.opcode != HloOpcode::kConstant || !i.shape) return std::nullopt;
  const auto [known, is_new] = literals_.try_emplace({place.computation, place.instruction});
  if (is_new) known->second = integers_of_literal(i.literal);
  const auto leaves = leaves_of(*i.shape);
  if (!known->second || !leaves.ok() || leaves->size() != 1) return std::nullopt;
  if (element_count(leaves->front().dims) != std::ssize(*known->second)) return std::nullopt;
  return (*known->second)[element_number(leaves->front().dims, place.index)];
}

int64_t Interpreter::runtime_value(const Frame& frame, const Place& place) {
  // The operands of the instruction asked about are outside the region if it is all of it.
  const auto outside = [&](const Frame* f) {
    return scope_ == Scope::kInstruction && f->caller == nullptr;
  };
  const Frame* where = &frame;
  Place origin = place;
  while (!outside(where)) {
    std::optional<Place> next = follow_once(where, origin);
    if (!next) break;
    origin = *std::move(next);
    --work_;
  }
  const std::optional<int64_t> known = outside(where) ? std::nullopt : known_value(origin);
  const int64_t value = known ? *known : values_(origin);
  reads_.emplace(std::make_pair(place, origin), value);
  return value;
}

// The clamped values of all runtime variables at one point.
std::vector<int64_t> Interpreter::runtime_values(const Frame& frame, const Needed& needed,
                                                 const At<int64_t>& point, RuntimeCache& cache) {
  const HloInstruction& instruction = at(frame, needed.instruction);
  std::vector<int64_t> values;
  for (size_t k = 0; k < needed.relation.runtime.size(); ++k) {
    const RuntimeVariable& variable = needed.relation.runtime[k];
    const int32_t operand = instruction.operands[variable.operand].instruction;
    Place place{frame.computation, operand, 0, reach(variable.element, point).index};
    const int64_t element = element_number(variable.dims, place.index);
    const auto [known, is_new] = cache.try_emplace({k, element}, 0);
    if (is_new) known->second = runtime_value(frame, place);
    values.push_back(std::clamp(known->second, variable.low, variable.high));
  }
  return values;
}

}  // namespace tileproof::spec
