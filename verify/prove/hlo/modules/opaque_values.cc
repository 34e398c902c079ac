// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/modules/opaque_values.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "impl/hlo/indexing.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/hlo/hlo_attributes.h"
#include "spec/lang/layout/shape_text.h"
#include "verify/prove/hlo/modules/value_numbers.h"

namespace tileproof::verify {
namespace {

// The number of leaves; 1 if that is not known.
int32_t leaf_count(const Shape& shape) {
  const auto leaves = leaves_of(shape);
  return leaves.ok() ? static_cast<int32_t>(leaves->size()) : 1;
}
int32_t leaves_at(const HloInstruction& at) { return at.shape ? leaf_count(*at.shape) : 1; }

// The first leaf of the operand, a tuple, that a get-tuple-element takes.
int32_t first_leaf_taken(const HloInstruction& get, const HloInstruction& operand) {
  const auto index = integer_of(get, "index");
  int32_t first = 0;
  if (!index.ok() || !operand.shape) return first;
  for (int64_t k = 0; k < std::min<int64_t>(*index, std::ssize(operand.shape->parts)); ++k) {
    first += leaf_count(operand.shape->parts[k]);
  }
  return first;
}

// The reasons why the maps of one instruction are a superset; none if they are not.
std::vector<std::string> reasons_of(impl::IndexingAnalysis& analysis, const HloModule& module,
                                    int32_t computation, int32_t instruction) {
  std::vector<std::string> reasons;
  const SharedShape& shape = module.computations[computation].instructions[instruction].shape;
  const auto leaves = shape ? leaves_of(*shape) : absl::StatusOr<Leaves>(absl::UnknownError(""));
  for (int32_t leaf = 0; leaves.ok() && leaf < std::ssize(*leaves); ++leaf) {
    const auto maps = analysis.reads(computation, instruction, leaf);
    if (!maps.ok()) return {};
    for (const std::vector<impl::LeafMaps>& operand : *maps) {
      for (const impl::LeafMaps& list : operand) {
        if (list.inexact) reasons.push_back(list.reason);
      }
    }
  }
  return reasons;
}

// The opaque instructions of the entry by the numbers of their leaves.
using OpaqueByNumbers = std::map<std::vector<int64_t>, int32_t>;

OpaqueByNumbers opaque_of(const HloModule& module, ValueTexts& texts) {
  impl::IndexingAnalysis analysis(module);
  const DeviceValues devices(module);
  ValueNumbers numbers(module, module.entry, texts, Undetermined::kNumbered);
  OpaqueByNumbers found;
  const auto& instructions = module.computations[module.entry].instructions;
  for (int32_t i = 0; i < std::ssize(instructions); ++i) {
    const bool is_opaque = devices.in(instructions[i]) != nullptr ||
                           !reasons_of(analysis, module, module.entry, i).empty();
    if (!is_opaque) continue;
    const int32_t leaves = leaves_at(instructions[i]);
    std::vector<int64_t> of_leaves;
    for (int32_t leaf = 0; leaf < leaves; ++leaf) {
      if (const auto number = numbers.of({{}, i, leaf})) of_leaves.push_back(*number);
    }
    if (std::ssize(of_leaves) == leaves) found.try_emplace(std::move(of_leaves), i);
  }
  return found;
}

void make_parameter(HloModule& module, int32_t instruction, int64_t number) {
  HloComputation& entry = module.computations[module.entry];
  HloInstruction& opaque = entry.instructions[instruction];
  HloInstruction parameter;
  parameter.opcode = HloOpcode::kParameter;
  parameter.shape = opaque.shape;
  parameter.parameter_number = number;
  opaque = std::move(parameter);
}

bool is_same(const HloInstruction& a, const HloInstruction& b) {
  const auto operand = &HloOperand::instruction;
  if (a.opcode_text != b.opcode_text || a.parameter_number != b.parameter_number ||
      a.literal != b.literal || absl::StrContains(a.literal, "...") || a.calls != b.calls ||
      !std::ranges::equal(a.operands, b.operands, {}, operand, operand) || a.shape != b.shape) {
    return false;
  }
  const auto attributes_of = [](const HloInstruction& one) {
    std::vector<HloAttribute> all;
    for (int32_t i = 0; i < std::ssize(one.attributes); ++i) {
      // The calls say which computation an attribute names.
      const bool names_callee = std::ranges::count(one.calls, i, &HloCall::attribute) > 0;
      all.push_back(one.attributes[i]);
      if (names_callee) all.back().value.clear();
    }
    std::erase_if(all, [](const HloAttribute& kept) { return kept.name == "metadata"; });
    return all;
  };
  return attributes_of(a) == attributes_of(b);
}

}  // namespace

DeviceValues::DeviceValues(const HloModule& module) {
  for (const HloComputation& computation : module.computations) {
    const HloInstruction* found = nullptr;  // callees are earlier
    for (const HloInstruction& one : computation.instructions) found = found ? found : in(one);
    by_computation_.push_back(found);
  }
  const HloComputation& entry = module.computations[module.entry];
  std::vector<std::vector<const HloInstruction*>> behind;  // by instruction and leaf
  for (const HloInstruction& one : entry.instructions) {
    std::vector<const HloInstruction*> all;  // of all leaves of all operands
    for (const HloOperand& operand : one.operands) {
      const auto& more = behind[operand.instruction];
      all.insert(all.end(), more.begin(), more.end());
    }
    size_t first = 0;
    if (one.opcode == HloOpcode::kGetTupleElement && one.operands.size() == 1) {
      first = first_leaf_taken(one, entry.instructions[one.operands[0].instruction]);
    } else if (one.opcode != HloOpcode::kTuple) {
      all.push_back(in(one));
      const auto found = std::ranges::find_if(all, [](const auto* at) { return at != nullptr; });
      all.assign(leaves_at(one), found == all.end() ? nullptr : *found);
    }
    all.erase(all.begin(), all.begin() + std::min(first, all.size()));
    behind.push_back(std::move(all));
  }
  by_leaf_ = std::move(behind[entry.root]);
}

const HloInstruction* DeviceValues::in(const HloInstruction& instruction) const {
  if (depends_on_device(instruction)) return &instruction;
  for (const HloCall& call : instruction.calls) {
    const bool is_known = call.computation >= 0;
    if (is_known && by_computation_[call.computation]) return by_computation_[call.computation];
  }
  return nullptr;
}

std::optional<Cut> cut_opaque(const HloModule& left, const HloModule& right) {
  ValueTexts texts;
  const OpaqueByNumbers of_left = opaque_of(left, texts);
  if (of_left.empty()) return std::nullopt;  // speed only
  const OpaqueByNumbers of_right = opaque_of(right, texts);
  Cut cut{left, right};
  const auto first = std::ssize(parameters_of(left.computations[left.entry]));
  auto number = first;
  for (const auto& [numbers, instruction] : of_left) {
    const auto other = of_right.find(numbers);
    if (other == of_right.end()) continue;
    make_parameter(cut.left, instruction, number);
    make_parameter(cut.right, other->second, number++);
  }
  if (number == first) return std::nullopt;  // speed only
  return cut;
}

bool same_program(const HloModule& left, const HloModule& right) {
  if (devices_text(left) != devices_text(right)) return false;
  if (left.entry != right.entry || left.computations.size() != right.computations.size()) {
    return false;
  }
  for (size_t c = 0; c < left.computations.size(); ++c) {
    const HloComputation &a = left.computations[c], &b = right.computations[c];
    if (a.root != b.root || !std::ranges::equal(a.instructions, b.instructions, is_same)) {
      return false;
    }
  }
  return true;
}

std::string opaque_instruction(const HloModule& module, absl::string_view reason) {
  impl::IndexingAnalysis analysis(module);
  for (int32_t c = 0; c < std::ssize(module.computations); ++c) {
    const auto& instructions = module.computations[c].instructions;
    for (int32_t i = 0; i < std::ssize(instructions); ++i) {
      const auto reasons = reasons_of(analysis, module, c, i);
      if (std::ranges::find(reasons, reason) != reasons.end()) return instructions[i].name;
    }
  }
  return "";
}

}  // namespace tileproof::verify
