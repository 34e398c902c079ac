// SPDX-License-Identifier: Apache-2.0
// The steps that shrink a request about HLO: simpler questions about smaller modules.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conform/protocol/text_numbers.h"
#include "conform/shrink/hlo_dimension.h"
#include "conform/suites/hlo_suites.h"
#include "spec/lang/hlo/hlo_shapes.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof::conform {
namespace {

// Drops the instructions that the root does not need, and renumbers the parameters.
void drop_unused(HloComputation& computation) {
  const auto count = static_cast<int32_t>(computation.instructions.size());
  std::vector<char> needed(count, 0);
  needed[computation.root] = 1;
  for (int32_t i = computation.root; i >= 0; --i) {
    if (!needed[i]) continue;
    for (const HloOperand& operand : computation.instructions[i].operands) {
      needed[operand.instruction] = 1;
    }
  }
  std::vector<int32_t> positions(count, -1);
  std::vector<HloInstruction> kept;
  for (int32_t i = 0; i < count; ++i) {
    if (!needed[i]) continue;
    positions[i] = static_cast<int32_t>(kept.size());
    kept.push_back(std::move(computation.instructions[i]));
    for (HloOperand& operand : kept.back().operands)
      operand.instruction = positions[operand.instruction];
  }
  computation.instructions = std::move(kept);
  computation.root = positions[computation.root];
  computation.signature.reset();
  std::vector<HloInstruction*> parameters;
  for (HloInstruction& at : computation.instructions) {
    if (at.opcode == HloOpcode::kParameter) parameters.push_back(&at);
  }
  std::ranges::sort(parameters, {}, &HloInstruction::parameter_number);
  for (size_t i = 0; i < parameters.size(); ++i) {
    parameters[i]->parameter_number = static_cast<int64_t>(i);
  }
}

// Drops the instructions of a called computation that its root does not need; its parameters stay.
void drop_unused_in_callee(HloComputation& computation) {
  std::vector<int64_t> numbers;
  for (const HloInstruction& at : computation.instructions) numbers.push_back(at.parameter_number);
  std::vector<char> needed(numbers.size(), 0);
  needed[computation.root] = 1;
  for (auto i = static_cast<int32_t>(numbers.size()) - 1; i >= 0; --i) {
    if (numbers[i] >= 0) needed[i] = 1;
    if (!needed[i]) continue;
    for (const HloOperand& operand : computation.instructions[i].operands) {
      needed[operand.instruction] = 1;
    }
  }
  std::vector<int32_t> positions(numbers.size(), -1);
  std::vector<HloInstruction> kept;
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (!needed[i]) continue;
    positions[i] = static_cast<int32_t>(kept.size());
    kept.push_back(std::move(computation.instructions[i]));
    for (HloOperand& operand : kept.back().operands) {
      operand.instruction = positions[operand.instruction];
    }
  }
  computation.instructions = std::move(kept);
  computation.root = positions[computation.root];
}

// Drops the computations that are never called.
void drop_uncalled(HloModule& module) {
  std::vector<char> called(module.computations.size(), 0);
  called[module.entry] = 1;
  for (int32_t c = static_cast<int32_t>(module.computations.size()) - 1; c >= 0; --c) {
    if (!called[c]) continue;  // callees come before their callers
    for (const HloInstruction& at : module.computations[c].instructions) {
      for (const HloCall& call : at.calls) {
        if (call.computation >= 0) called[call.computation] = 1;
      }
    }
  }
  std::vector<HloComputation> kept;
  for (size_t c = 0; c < called.size(); ++c) {
    if (called[c]) kept.push_back(std::move(module.computations[c]));
  }
  module.computations = std::move(kept);
}

Json with_module(const Json& request, HloModule module) {
  drop_unused(module.computations[module.entry]);
  for (int32_t c = 0; c < std::ssize(module.computations); ++c) {
    if (c != module.entry) drop_unused_in_callee(module.computations[c]);
  }
  module.attributes.clear();
  module.sections.clear();
  drop_uncalled(module);
  Json shrink = request;
  set(shrink, "hlo", to_text(module));
  return shrink;
}

void become_parameter(HloComputation& computation, int32_t position) {
  HloInstruction& at = computation.instructions[position];
  at.opcode = HloOpcode::kParameter;
  at.opcode_text = "parameter";
  at.parameter_number = INT32_MAX + int64_t{position};  // drop_unused() renumbers it
  at.operands.clear();
  at.attributes.clear();
  at.calls.clear();
  at.literal.clear();
}

bool same_array(const HloInstruction& a, const HloInstruction& b) {
  return a.shape && b.shape && a.shape->kind == Shape::Kind::kArray &&
         compatible(*a.shape, *b.shape);
}

// Puts an operand of the same shape in the place of an instruction, in any computation.
void bypass(const Json& request, const HloModule& module, int32_t in, int32_t at,
            std::vector<Json>& shrink) {
  const HloComputation& computation = module.computations[in];
  std::set<int32_t> seen;
  for (const HloOperand& operand : computation.instructions[at].operands) {
    const int32_t instead = operand.instruction;
    if (!same_array(computation.instructions[at], computation.instructions[instead])) continue;
    if (!seen.insert(instead).second) continue;
    HloModule other = module;
    HloComputation& changed = other.computations[in];
    for (HloInstruction& user : changed.instructions) {
      for (HloOperand& used : user.operands) {
        if (used.instruction == at) used.instruction = instead;
      }
    }
    if (changed.root == at) changed.root = instead;
    shrink.push_back(with_module(request, std::move(other)));
  }
}

// The module with the shapes of results that follow from operands and attributes.
HloModule with_inferred_shapes(HloModule module) {
  for (HloComputation& computation : module.computations) {
    for (HloInstruction& at : computation.instructions) {
      absl::StatusOr<Shape> shape = inferred_shape(module, computation, at);
      if (shape.ok()) at.shape = SharedShape(*std::move(shape));
    }
  }
  return module;
}

// Drops each operand of operations with any number of them.
void drop_operands(const Json& request, const HloModule& module, std::vector<Json>& shrink) {
  const HloComputation& entry = module.computations[module.entry];
  for (size_t i = 0; i < entry.instructions.size(); ++i) {
    const HloInstruction& at = entry.instructions[i];
    const bool any_number = at.opcode == HloOpcode::kConcatenate ||
                            at.opcode == HloOpcode::kTuple || at.opcode == HloOpcode::kCustomCall;
    for (size_t k = 0; any_number && at.operands.size() > 1 && k < at.operands.size(); ++k) {
      HloModule other = module;
      auto& operands = other.computations[other.entry].instructions[i].operands;
      operands.erase(operands.begin() + static_cast<int64_t>(k));
      shrink.push_back(with_module(request, with_inferred_shapes(std::move(other))));
    }
  }
}

// Makes each number smaller at all its positions, so that sizes that must be equal stay equal. A
// second request has the shapes that follow: a pad of f32[3] by 0_0_2 gives f32[7].
void smaller_numbers(const Json& request, const std::string& text, std::vector<Json>& shrink) {
  const std::vector<TextNumber> positions = numbers_in(text);
  std::set<int64_t> seen;
  for (const TextNumber& position : positions) {
    int64_t n;
    if (!read_number(text, position, n) || n == 0 || !seen.insert(n).second) continue;
    for (int64_t candidate : {int64_t{0}, int64_t{1}, int64_t{2}, n / 2, n - 1}) {
      if (candidate >= n) continue;
      std::vector<std::pair<TextNumber, int64_t>> all;
      for (const TextNumber& other : positions) {
        int64_t value;
        if (read_number(text, other, value) && value == n) all.emplace_back(other, candidate);
      }
      const std::string changed = with_numbers(text, std::move(all));
      absl::StatusOr<HloModule> module = parse_hlo_module(changed);
      if (!module.ok()) continue;
      shrink.push_back(request);
      set(shrink.back(), "hlo", changed);
      const std::string inferred = to_text(with_inferred_shapes(*std::move(module)));
      if (inferred == changed) continue;
      shrink.push_back(request);
      set(shrink.back(), "hlo", inferred);
    }
  }
}

}  // namespace

std::vector<Json> shrink_hlo_requests(const Json& request) {
  std::vector<Json> shrink;
  for (const char* key : {"instruction", "output", "input", "scope"}) {
    if (find(request, key) == nullptr) continue;
    shrink.push_back(request);
    remove(shrink.back(), key);
  }
  const Json* given = find(request, "hlo");
  const auto* text = given == nullptr ? nullptr : given->as<std::string>();
  const absl::StatusOr<HloModule> module =
      text == nullptr ? absl::InvalidArgumentError("no text") : parse_hlo_module(*text);
  if (!module.ok()) return shrink;
  const HloComputation& entry = module->computations[module->entry];
  shrink.push_back(with_module(request, *module));
  for (int32_t i = 0; i < std::ssize(entry.instructions); ++i) {
    if (i != entry.root) {
      HloModule other = *module;
      other.computations[other.entry].root = i;
      shrink.push_back(with_module(request, std::move(other)));
    }
    if (i != entry.root && entry.instructions[i].opcode != HloOpcode::kParameter) {
      HloModule other = *module;
      become_parameter(other.computations[other.entry], i);
      shrink.push_back(with_module(request, std::move(other)));
    }
    for (size_t a = 0; a < entry.instructions[i].attributes.size(); ++a) {
      HloModule other = *module;
      auto& attributes = other.computations[other.entry].instructions[i].attributes;
      attributes.erase(attributes.begin() + static_cast<int64_t>(a));
      shrink.push_back(with_module(request, std::move(other)));
    }
  }
  for (int32_t c = 0; c < std::ssize(module->computations); ++c) {
    for (int32_t i = 0; i < std::ssize(module->computations[c].instructions); ++i) {
      bypass(request, *module, c, i, shrink);
    }
  }
  drop_operands(request, *module, shrink);
  const SharedShape& root = entry.instructions[entry.root].shape;
  const int64_t rank = root && root->kind == Shape::Kind::kArray ? root->rank() : 0;
  for (int64_t d = 0; d < rank; ++d) {
    std::optional<HloModule> other = without_dimension(*module, d);
    if (other) shrink.push_back(with_module(request, *std::move(other)));
  }
  smaller_numbers(request, *text, shrink);
  return shrink;
}

}  // namespace tileproof::conform
