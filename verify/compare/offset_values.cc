// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/offset_values.h"

#include <utility>

#include "spec/hlo/runtime_value.h"
#include "spec/lang/hlo/follow_source.h"

namespace tileproof::verify {
namespace {

// The operand element that the element at this index of the leaf is a copy of. Nothing if it is no
// copy.
std::optional<OperandElement<std::vector<int64_t>>> moved_from(const HloModule& module,
                                                               int32_t computation,
                                                               const HloPosition& position,
                                                               const std::vector<int64_t>& index) {
  const auto relation = spec::relation_of_move(module, computation, position);
  if (!relation) return std::nullopt;
  for (const spec::Dependence& dependence : relation->dependences) {
    spec::AccessedElement<int64_t> reached =
        spec::reach(dependence, spec::IterationPoint<int64_t>{index, {}, {}});
    if (!reached.in_domain) continue;
    return OperandElement<std::vector<int64_t>>{dependence.operand, dependence.leaf,
                                                std::move(reached.index)};
  }
  return std::nullopt;
}

}  // namespace

int64_t value_of(const spec::HloElement& position, const RuntimeChoice& choice) {
  return choice.all ? *choice.all : spec::arbitrary_value(position, choice.seed, choice.near);
}

OffsetValues::OffsetValues(const HloModule& module, int32_t computation, Scope scope,
                           const spec::Provenance& provenance, RuntimeChoice choice)
    : module_(module), computation_(computation), scope_(scope), choice_(choice) {
  for (const spec::RuntimeRead& read : provenance.reads) known_[read.source] = read.value;
}

int64_t OffsetValues::of(const HloPosition& position, std::vector<int64_t> index) {
  const auto [entry, is_new] = followed_.try_emplace(
      {computation_, position.instruction, position.leaf, std::move(index), position.calls}, 0);
  if (is_new) entry->second = followed(position, entry->first.index);
  return entry->second;
}

int64_t OffsetValues::followed(const HloPosition& position, std::vector<int64_t> index) const {
  using At = ElementAt<std::vector<int64_t>>;
  const FollowRegion region{module_, computation_,
                            scope_ == Scope::kInstruction ? FollowRegion::UpTo::kOperands
                                                          : FollowRegion::UpTo::kParameters};
  const auto computation_of = [&](const HloPosition& at) {
    return computation_at(module_, computation_, at.calls);
  };
  const auto move = [&](const At& at) {
    return moved_from(module_, computation_of(at.position), at.position, at.index);
  };
  int64_t steps = spec::Limits().work;  // of the reference, which found a value within them
  const auto found = follow_source(region, At{position, std::move(index)}, move, steps);
  if (!found) return 0;
  const spec::HloElement at{computation_of(found->position), found->position.instruction,
                            found->position.leaf, found->index, found->position.calls};
  const auto known = known_.find(at);
  return known != known_.end() ? known->second : value_of(at, choice_);
}

}  // namespace tileproof::verify
