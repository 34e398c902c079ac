// SPDX-License-Identifier: Apache-2.0
#include "verify/xla/near_miss.h"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof::xla {
namespace {

int64_t nearby(Choose& choose, int64_t number) {
  const int64_t changed = choose.chance(3, 4) ? number + 2 * choose(2) - 1 : choose(8);
  return std::max<int64_t>(changed, 0);
}

void change_array(Choose& choose, Shape& array) {
  const int64_t rank = array.rank();
  if (!has_elements(array.element_type)) return;
  if (rank > 0 && choose.chance(2, 3)) {
    Dimension& dimension = array.dimensions[choose(rank)];
    dimension.size = nearby(choose, dimension.size);
    return;
  }
  array.layout.reset();
  if (rank > 0 && choose.chance(1, 2)) {
    array.dimensions.erase(array.dimensions.begin() + choose(rank));
  } else {
    array.dimensions.insert(array.dimensions.begin() + choose(rank + 1),
                            Dimension{Dimension::Kind::kFixed, choose.between(1, 2)});
  }
}

void change_shape(Choose& choose, Shape& shape) {
  if (shape.kind == Shape::Kind::kArray) return change_array(choose, shape);
  if (shape.parts.empty()) return;
  const int64_t at = choose(std::ssize(shape.parts));
  if (choose.chance(3, 4)) return change_shape(choose, shape.parts[at]);
  if (choose.chance(1, 2)) {
    shape.parts.erase(shape.parts.begin() + at);
  } else {
    const Shape copy = shape.parts[at];
    shape.parts.insert(shape.parts.begin() + at, copy);
  }
}

// Replaces one of the numbers in the text.
void change_number(Choose& choose, std::string& text) {
  std::vector<std::pair<size_t, size_t>> numbers;
  for (size_t at = 0; at < text.size(); ++at) {
    size_t end = at;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
    if (end > at) numbers.emplace_back(at, end - at);
    at = std::max(at, end);
  }
  if (numbers.empty()) return;
  const auto [at, size] = choose.pick(numbers);
  int64_t number = 0;
  if (!absl::SimpleAtoi(text.substr(at, size), &number)) return;
  text.replace(at, size,
               absl::StrCat(choose.chance(1, 8) ? -choose.between(1, 3) : nearby(choose, number)));
}

// `{0,2}` with one number more, or without one.
void change_length(Choose& choose, std::string& text) {
  const size_t open = text.find('{'), close = text.find('}');
  if (open == std::string::npos || close == std::string::npos) return;
  const size_t comma = text.find(',', open);
  if (comma != std::string::npos && comma < close && choose.chance(1, 2)) {
    text.erase(open + 1, comma - open);
  } else {
    text.insert(close, absl::StrCat(close == open + 1 ? "" : ",", choose(4)));
  }
}

void change_attributes(Choose& choose, HloInstruction& instruction) {
  std::vector<HloAttribute>& attributes = instruction.attributes;
  if (attributes.empty()) return;
  const int64_t at = choose(std::ssize(attributes));
  const auto calls = [at](const HloCall& call) { return call.attribute == at; };
  if (std::ranges::any_of(instruction.calls, calls)) return;
  if (instruction.calls.empty() && choose.chance(1, 8)) {
    attributes.erase(attributes.begin() + at);
  } else if (choose.chance(1, 5)) {
    change_length(choose, attributes[at].value);
  } else {
    change_number(choose, attributes[at].value);
  }
}

// Two operands change places only if their element types are equal.
void change_operands(Choose& choose, const HloComputation& computation,
                     HloInstruction& instruction) {
  std::vector<HloOperand>& operands = instruction.operands;
  if (operands.empty()) return;
  const int64_t a = choose(std::ssize(operands)), b = choose(std::ssize(operands));
  const auto type = [&](int64_t k) {
    const SharedShape& shape = computation.instructions[operands[k].instruction].shape;
    return std::pair(shape->kind, shape->element_type);
  };
  if (a != b && type(a) == type(b) && choose.chance(1, 2)) {
    std::swap(operands[a], operands[b]);
  } else if (choose.chance(1, 2)) {
    operands.erase(operands.begin() + a);
  } else {
    const HloOperand copy = operands[a];
    operands.insert(operands.begin() + a, copy);
  }
}

void change(Choose& choose, HloComputation& computation) {
  HloInstruction& instruction =
      computation.instructions[choose(std::ssize(computation.instructions))];
  if (instruction.opcode == HloOpcode::kConstant) return;
  const bool is_parameter = instruction.opcode == HloOpcode::kParameter;
  const int64_t what = choose(is_parameter ? 1 : 5);
  if (what < 2) {
    Shape shape = *instruction.shape;
    change_shape(choose, shape);
    instruction.shape = SharedShape(std::move(shape));
  } else if (what < 4) {
    change_attributes(choose, instruction);
  } else {
    change_operands(choose, computation, instruction);
  }
}

}  // namespace

std::string near_miss(Choose& choose, HloModule module) {
  for (HloComputation& computation : module.computations) {
    computation.signature.reset();
    for (HloInstruction& instruction : computation.instructions) {
      for (HloOperand& operand : instruction.operands) operand.shape = SharedShape();
    }
  }
  const std::string before = to_text(module);
  std::string after = before;
  for (int tries = 0; tries < 20 && after == before; ++tries) {
    HloModule changed = module;
    change(choose, changed.computations[changed.entry]);
    after = to_text(changed);
  }
  return after;
}

}  // namespace tileproof::xla
