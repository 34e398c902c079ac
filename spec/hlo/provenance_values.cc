// SPDX-License-Identifier: Apache-2.0
// Values of offsets and indices: each is followed to the element that defines it.
#include <algorithm>
#include <utility>

#include "spec/hlo/provenance_interpreter.h"
#include "spec/hlo/runtime_value.h"

namespace tileproof::spec {
namespace {

using Index = std::vector<int64_t>;

}  // namespace

// The value of an element that a constant or an iota defines.
std::optional<int64_t> Interpreter::known_value(int32_t computation,
                                                const ElementAt<Index>& element) {
  const int32_t position = element.position.instruction;
  const HloInstruction& i = module_.computations[computation].instructions[position];
  if (i.opcode == HloOpcode::kIota) return element_of_iota(i, element.index);
  if (i.opcode != HloOpcode::kConstant) return std::nullopt;
  const auto [known, is_new] = literals_.try_emplace({computation, position});
  if (is_new) known->second = elements_of_constant(i);
  if (!known->second) return std::nullopt;
  return (*known->second)[element_number(leaves_of(*i.shape)->front().dims, element.index)];
}

// The value of an element of a computation that a loop or a conditional runs.
int64_t Interpreter::value_in(const Frame& frame, const ElementAt<Index>& element) {
  // The computation that is entered last, and the calls from there on.
  const Frame* segment = &frame;
  HloPosition position = element.position;
  for (; segment->caller != nullptr && segment->kind == Frame::Kind::kCall;
       segment = segment->caller) {
    position.calls.insert(position.calls.begin(), segment->call);
  }
  if (segment->caller == nullptr) {
    return runtime_value({computation_at(module_, computation_, position.calls),
                          position.instruction, position.leaf, element.index, position.calls});
  }
  const bool iterates = segment->kind == Frame::Kind::kIteration;
  if (iterates) {
    const LoopState& state = segment->run->states[segment->iteration];
    const auto known = integer_at(module_, segment->computation, position, state);
    if (known) return *known;
  }
  const FollowRegion region{module_, segment->computation};
  const auto move = [&](const ElementAt<Index>& at) {
    const int32_t computation = computation_at(module_, region.computation, at.position.calls);
    return moved_from(module_, computation, at.position, at.index);
  };
  auto found = follow_source(region, ElementAt<Index>{position, element.index}, move, work_);
  if (!found || --work_ < 0) return 0;  // the work is used up; the caller checks that
  const int32_t computation = computation_at(module_, region.computation, found->position.calls);
  if (region.at(found->position).opcode == HloOpcode::kParameter) {  // of the segment
    if (segment->iteration > 0) {
      Frame before = *segment;
      --before.iteration;
      const int32_t root = module_.computations[segment->computation].root;
      return value_in(before, {{{}, root, found->position.leaf}, std::move(found->index)});
    }
    const HloInstruction& call = at(*segment->caller, segment->call);
    const int32_t operand = call.operands[segment->operand].instruction;
    return value_in(*segment->caller,
                    {{{}, operand, found->position.leaf}, std::move(found->index)});
  }
  if (const std::optional<int64_t> known = known_value(computation, *found)) return *known;
  // Another call, and another iteration, has other values.
  std::vector<int32_t> calls = found->position.calls;
  for (const Frame* f = segment; f->caller != nullptr; f = f->caller) {
    calls.push_back(f->call);
    if (f->kind == Frame::Kind::kIteration) calls.push_back(static_cast<int32_t>(f->iteration));
  }
  return values_({computation, found->position.instruction, found->position.leaf, found->index,
                  std::move(calls)});
}

int64_t Interpreter::runtime_value(const HloElement& position) {
  // The operands of the instruction asked about are outside the region if it is all of it.
  const FollowRegion region{module_, computation_,
                            scope_ == Scope::kInstruction ? FollowRegion::UpTo::kOperands
                                                          : FollowRegion::UpTo::kParameters};
  const auto move = [&](const ElementAt<Index>& at) {
    const int32_t computation = computation_at(module_, computation_, at.position.calls);
    return moved_from(module_, computation, at.position, at.index);
  };
  const HloPosition first{position.calls, position.instruction,
                          static_cast<int32_t>(position.leaf)};
  const auto found = follow_source(region, ElementAt<Index>{first, position.index}, move, work_);
  if (!found) return 0;  // the work is used up; the caller checks that
  const int32_t computation = computation_at(module_, computation_, found->position.calls);
  const HloElement source{computation, found->position.instruction, found->position.leaf,
                          found->index, found->position.calls};
  const std::optional<int64_t> known =
      region.is_outside(found->position) ? std::nullopt : known_value(computation, *found);
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
    Index index = reach(variable.element, point).index;
    const int64_t element = element_number(variable.dims, index);
    const auto [known, is_new] = cache.try_emplace({k, element});
    if (is_new) {
      const int32_t operand = instruction.operands[variable.operand].instruction;
      known->second = value_in(frame, {{{}, operand, 0}, std::move(index)});
    }
    values.push_back(std::clamp(known->second, variable.low, variable.high));
  }
  return values;
}

}  // namespace tileproof::spec
