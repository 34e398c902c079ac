// SPDX-License-Identifier: Apache-2.0
#include "spec/hlo/provenance.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "spec/hlo/provenance_interpreter.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/base/try.h"

namespace tileproof::spec {
namespace {

bool has_elements(const Dims& dims) { return std::count(dims.begin(), dims.end(), 0) == 0; }

// Returns whether every result element reads the same elements.
bool is_uniform(const Dependence& dependence) {
  const auto* pick = std::get_if<access::Projection>(&dependence.access);
  if (pick == nullptr) return false;
  for (const access::Projection::Coordinate& c : pick->coordinates) {
    if (c.from == access::Projection::From::kOutput) return false;
  }
  return true;
}

// Returns whether every result element reads every element of the operand.
bool is_everything(const Dependence& dependence, const Dims& dims) {
  const auto* pick = std::get_if<access::Projection>(&dependence.access);
  const Dependence all = universe({}, dims);
  return pick != nullptr && dependence.ranges == dims &&
         pick->coordinates == std::get<access::Projection>(all.access).coordinates;
}

}  // namespace

SetId Interpreter::all_sources_of(Value& operand) {
  if (!operand.all) {
    std::vector<SetId> ids = operand.sets;
    work_ -= std::ssize(ids);
    operand.all = sets_.united(ids, work_);
  }
  return *operand.all;
}

// Adds the sets of the elements that the result element start.o reads by one dependence: the loop
// over the range variables.
absl::Status Interpreter::propagate(const Frame& frame, const Needed& needed,
                                    const Dependence& dependence,
                                    const IterationPoint<int64_t>& start, const Value& operand,
                                    RuntimeCache& cache, std::vector<SetId>& ids) {
  if (!has_elements(dependence.ranges)) return absl::OkStatus();
  const HloInstruction& instruction = at(frame, needed.instruction);
  const bool needs_values = !std::holds_alternative<access::Projection>(dependence.access);
  IterationPoint<int64_t> point = start;
  point.s.assign(dependence.ranges.size(), 0);
  do {
    if (--work_ < 0) return check_work(instruction);
    if (needs_values) point.rt = runtime_values(frame, needed, point, cache);
    const AccessedElement<int64_t> reached = reach(dependence, point);
    if (!reached.in_domain) continue;
    for (size_t d = 0; d < operand.dims.size(); ++d) {
      if (!inside(reached.index[d], operand.dims[d])) {
        return absl::InternalError(absl::StrCat(instruction.name, ": operand ", dependence.operand,
                                                " has no element ", dims_text(reached.index)));
      }
    }
    ids.push_back(operand.sets[element_number(operand.dims, reached.index)]);
  } while (next_index(dependence.ranges, point.s));
  return absl::OkStatus();
}

// The union of the sets that every result element reads.
absl::StatusOr<std::vector<SetId>> Interpreter::uniform_sources(const Frame& frame,
                                                                const Needed& needed,
                                                                const Operands& operands) {
  std::vector<SetId> ids;
  RuntimeCache cache;
  for (const Dependence& dependence : needed.relation.dependences) {
    if (!is_uniform(dependence)) continue;
    Value& operand = *operands.at({static_cast<int32_t>(dependence.operand), dependence.leaf});
    if (is_everything(dependence, operand.dims)) {
      ids.push_back(all_sources_of(operand));
    } else {
      TRY(propagate(frame, needed, dependence, {}, operand, cache, ids));
    }
  }
  const SetId all = sets_.united(ids, work_);
  return std::vector<SetId>{all};
}

absl::StatusOr<ValuePtr> Interpreter::interpret_one(const Frame& frame, const Needed& anywhere,
                                                    const Operands& operands, int64_t depth) {
  const HloInstruction& instruction = at(frame, anywhere.instruction);
  std::optional<Needed> here;  // the caller may know the predicate
  if (frame.site != nullptr && instruction.opcode == HloOpcode::kSelect) {
    here = anywhere;
    here->relation = with_known_predicate(module_, frame.computation, anywhere.instruction,
                                          std::move(here->relation), frame.site);
  }
  const Needed& needed = here ? *here : anywhere;
  if (needed.relation.callee) return enter(frame, needed, operands, depth);
  if (needed.relation.loop) return iterate(frame, needed, operands, depth);
  if (!needed.relation.conservative.empty()) {
    conservative_.insert(absl::StrCat(instruction.name, ": ", needed.relation.conservative));
  }
  auto value = std::make_shared<Value>();
  value->dims = (*leaves_of(*instruction.shape))[needed.leaf].dims;
  const std::optional<int64_t> count = element_count(value->dims);
  if (!count || *count > limits_.elements) {
    return too_large(instruction, absl::StrCat("elements of ", dims_text(value->dims)));
  }
  if (*count == 0) return value;
  for (const Dependence& dependence : needed.relation.dependences) {
    const std::optional<int64_t> points =
        is_uniform(dependence) ? 0 : element_count(dependence.ranges);
    const std::optional<int64_t> all = points ? checked_mul(*points, *count) : std::nullopt;
    if (!all || *all > work_) {
      return too_large(instruction, absl::StrCat("more than ", work_, " steps"));
    }
  }
  const std::vector<SetId> everywhere = TRY(uniform_sources(frame, needed, operands));
  RuntimeCache cache;
  IterationPoint<int64_t> point;
  point.o.assign(value->dims.size(), 0);
  do {
    std::vector<SetId> ids = everywhere;
    --work_;
    for (const Dependence& dependence : needed.relation.dependences) {
      if (is_uniform(dependence)) continue;
      const Value& operand =
          *operands.at({static_cast<int32_t>(dependence.operand), dependence.leaf});
      TRY(propagate(frame, needed, dependence, point, operand, cache, ids));
    }
    value->sets.push_back(sets_.united(ids, work_));
    TRY(check_work(instruction));
  } while (next_index(value->dims, point.o));
  TRY(unite_branches(frame, needed, operands, depth, *value));
  return value;
}

absl::StatusOr<ValuePtr> Interpreter::enter(const Frame& frame, const Needed& needed,
                                            const Operands& operands, int64_t depth) {
  const Callee& callee = *needed.relation.callee;
  const HloOpcode opcode = at(frame, needed.instruction).opcode;
  const bool is_outermost = frame.caller == nullptr && scope_ == Scope::kInstruction;
  const bool is_known =
      (opcode == HloOpcode::kCall || opcode == HloOpcode::kFusion) && !is_outermost;
  const CallSite site{frame.site, frame.computation, needed.instruction};
  const Frame inner{.computation = callee.computation,
                    .caller = &frame,
                    .call = needed.instruction,
                    .site = is_known ? &site : nullptr};
  const HloComputation& computation = module_.computations[callee.computation];
  return interpret(inner, computation.root, callee.leaf, operands, depth + 1);
}

// Adds what the branches of a conditional give.
absl::Status Interpreter::unite_branches(const Frame& frame, const Needed& needed,
                                         const Operands& operands, int64_t depth, Value& value) {
  for (const Branch& branch : needed.relation.branches) {
    Operands parameters;
    for (const auto& [position, one] : operands) {
      if (position.first == branch.operand) parameters[{0, position.second}] = one;
    }
    const Frame inner{.computation = branch.computation,
                      .caller = &frame,
                      .call = needed.instruction,
                      .kind = Frame::Kind::kBranch,
                      .operand = branch.operand};
    const HloComputation& computation = module_.computations[branch.computation];
    const ValuePtr taken =
        TRY(interpret(inner, computation.root, branch.leaf, parameters, depth + 1));
    for (size_t e = 0; e < value.sets.size(); ++e) {
      std::vector<SetId> both = {value.sets[e], taken->sets[e]};
      value.sets[e] = sets_.united(both, work_);
    }
    TRY(check_work(at(frame, needed.instruction)));
  }
  return absl::OkStatus();
}

// Runs the instructions that lead to a leaf of an instruction, in the order of the computation.
// `parameters`: the values of its parameters.
absl::StatusOr<ValuePtr> Interpreter::interpret(const Frame& frame, int32_t instruction,
                                                int64_t leaf, const Operands& parameters,
                                                int64_t depth) {
  const auto needed = TRY(needed_for(frame.computation, instruction, leaf, depth));
  std::map<LeafOf, ValuePtr> done;  // by instruction and leaf
  for (const Needed& one : needed) {
    const HloInstruction& i = at(frame, one.instruction);
    ValuePtr& value = done[{one.instruction, one.leaf}];
    if (i.opcode == HloOpcode::kParameter) {
      const auto number = static_cast<int32_t>(i.parameter_number);
      const auto given = parameters.find({number, one.leaf});
      if (given != parameters.end()) {
        value = given->second;
        continue;
      }
      value = TRY(sources(i, number, one.leaf, (*leaves_of(*i.shape))[one.leaf].dims));
      continue;
    }
    Operands operands;
    const auto used = TRY(operands_needed(i, one.relation, depth));
    for (const LeafOf& operand : used) {
      operands[operand] = done.at({i.operands[operand.first].instruction, operand.second});
    }
    value = TRY(interpret_one(frame, one, operands, depth));
  }
  return done.at({instruction, leaf});
}

absl::StatusOr<Provenance> Interpreter::run(int32_t computation, int32_t instruction,
                                            int64_t leaf) {
  const HloInstruction& root = module_.computations[computation].instructions[instruction];
  computation_ = computation;
  const Frame frame{.computation = computation};
  auto relation = TRY(relation_of(computation, instruction, leaf));
  TRY(count_sources(TRY(inputs_of(module_, computation, instruction, scope_))));

  absl::StatusOr<ValuePtr> value = ValuePtr();
  if (scope_ == Scope::kComputation) {
    value = interpret(frame, instruction, leaf, {}, 0);
  } else {
    Operands operands;
    const auto used = TRY(operands_needed(root, relation, 0));
    for (const auto& [operand, operand_leaf] : used) {
      operands[{operand, operand_leaf}] =
          TRY(sources(root, operand, operand_leaf, source_dims_[operand][operand_leaf]));
    }
    value = interpret_one(frame, {instruction, leaf, std::move(relation)}, operands, 0);
  }
  if (!value.ok()) return value.status();
  return named(**value);
}

std::vector<Source> Interpreter::numbered_sources() const {
  std::vector<Source> sources;
  for (int32_t operand = 0; operand < std::ssize(source_dims_); ++operand) {
    for (int32_t i = 0; i < std::ssize(source_dims_[operand]); ++i) {
      const std::optional<int64_t> count = element_count(source_dims_[operand][i]);
      if (!count || *count > limits_.elements) continue;
      for (int64_t e = 0; e < *count; ++e) sources.push_back({operand, i, e});
    }
  }
  return sources;
}

Provenance Interpreter::named(const Value& value) const {
  const std::vector<Source> all = numbered_sources();
  Provenance result{value.dims, source_dims_, {}, {}, {}};
  std::map<SetId, std::shared_ptr<const std::vector<Source>>> lists;  // equal sets share a list
  for (const SetId id : value.sets) {
    auto& list = lists[id];
    if (list == nullptr) {
      std::vector<Source> sources;
      for (const uint32_t source : sets_.sources(id)) sources.push_back(all[source]);
      list = std::make_shared<const std::vector<Source>>(std::move(sources));
    }
    result.elements.push_back(list);
  }
  for (const auto& [positions, read] : reads_) {
    result.reads.push_back({positions.first, positions.second, read});
  }
  result.conservative.assign(conservative_.begin(), conservative_.end());
  return result;
}

absl::StatusOr<Provenance> provenance(const HloModule& module, int32_t computation,
                                      int32_t instruction, int64_t leaf, Scope scope,
                                      RuntimeValues values, const Limits& limits) {
  if (computation < 0 || computation >= std::ssize(module.computations)) {
    return absl::InvalidArgumentError(absl::StrCat("expected one of ", module.computations.size(),
                                                   " computations, found ", computation));
  }
  const HloComputation& within = module.computations[computation];
  if (instruction < 0 || instruction >= std::ssize(within.instructions)) {
    return absl::InvalidArgumentError(absl::StrCat("expected one of ", within.instructions.size(),
                                                   " instructions, found ", instruction));
  }
  return Interpreter(module, scope, values, limits).run(computation, instruction, leaf);
}

std::vector<int64_t> element_index(const Dims& dims, int64_t element) {
  std::vector<int64_t> index(dims.size());
  for (size_t d = dims.size(); d-- > 0;) {
    index[d] = element % dims[d];
    element /= dims[d];
  }
  return index;
}

int64_t element_number(const Dims& dims, const std::vector<int64_t>& index) {
  int64_t element = 0;
  for (size_t d = 0; d < dims.size(); ++d) element = element * dims[d] + index[d];
  return element;
}

int64_t arbitrary_value(const HloElement& position, uint64_t seed, int64_t near) {
  uint64_t z = seed + 0x9e3779b97f4a7c15;
  const auto mix = [&z](int64_t x) {
    z = (z ^ static_cast<uint64_t>(x)) * 0xbf58476d1ce4e5b9;
    z ^= z >> 29;
    z *= 0x94d049bb133111eb;
    z ^= z >> 32;
  };
  mix(position.computation);
  mix(position.instruction);
  mix(position.leaf);
  for (const int64_t i : position.index) mix(i);
  for (const int32_t call : position.calls) mix(call);
  const uint64_t kind = z % 16;
  mix(0);
  if (kind == 0) return std::numeric_limits<int64_t>::min() + static_cast<int64_t>(z % 3);
  if (kind == 1) return std::numeric_limits<int64_t>::max() - static_cast<int64_t>(z % 3);
  const auto span = static_cast<uint64_t>(std::max<int64_t>(near, 0)) * 2 + 3;
  return static_cast<int64_t>(z % span) - 2;
}

}  // namespace tileproof::spec
