// SPDX-License-Identifier: Apache-2.0
#include "generate/hlo/mutate_hlo.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "generate/layout/generate_shape.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof {
namespace {

void change_shape(Choose& choose, HloInstruction& instruction) {
  if (!instruction.shape) return;
  Shape shape = *instruction.shape;
  Shape* part = &shape;
  while (part->kind != Shape::Kind::kArray && !part->parts.empty()) {
    part = &part->parts[choose(std::ssize(part->parts))];
  }
  if (part->kind == Shape::Kind::kArray) mutate_shape(choose, *part);
  instruction.shape = SharedShape(std::move(shape));
}

std::string other_number(Choose& choose, absl::string_view digits) {
  int64_t value = 0;
  if (!absl::SimpleAtoi(digits, &value) || value == INT64_MAX) return "0";
  switch (choose(6)) {
    case 0:
      return absl::StrCat(value + 1);
    case 1:
      return absl::StrCat(std::max<int64_t>(value - 1, 0));
    case 2:
      return absl::StrCat(choose(8));
    case 3:
      return absl::StrCat("-", choose.between(1, 4));
    case 4:
      return absl::StrCat(int64_t{1} << choose(63));
    default:
      return choose.chance(1, 4) ? "9223372036854775808" : "9223372036854775807";
  }
}

// Replaces one number in the text by another one.
void change_number(Choose& choose, std::string& text) {
  const auto is_digit = [](char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); };
  std::vector<std::pair<size_t, size_t>> numbers;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && is_digit(text[end])) ++end;
    if (end > at) numbers.emplace_back(at, end - at);
    at = std::max(end, at + 1);
  }
  if (numbers.empty()) return;
  const auto [at, size] = choose.pick(numbers);
  text.replace(at, size, other_number(choose, absl::string_view(text).substr(at, size)));
}

void change_attribute(Choose& choose, const HloComputation& computation,
                      HloInstruction& instruction) {
  std::vector<HloAttribute>& attributes = instruction.attributes;
  const HloInstruction& other = choose.pick(computation.instructions);
  const int64_t kind = choose(8);
  if (attributes.empty() || kind == 0) {
    if (other.attributes.empty()) return;
    const HloAttribute more = choose.pick(other.attributes);
    if (find_attribute(attributes, more.name) == nullptr) attributes.push_back(more);
    return;
  }
  const int64_t at = choose(std::ssize(attributes));
  if (kind == 1) {
    attributes.erase(attributes.begin() + at);
  } else if (kind == 2) {
    attributes[at].value = attributes[choose(std::ssize(attributes))].value;
  } else {
    change_number(choose, attributes[at].value);
  }
}

void change_operand(Choose& choose, HloComputation& computation, int32_t place) {
  std::vector<HloOperand>& operands = computation.instructions[place].operands;
  if (place == 0 || computation.instructions[place].opcode == HloOpcode::kParameter) return;
  const HloOperand any{static_cast<int32_t>(choose(place)), {}};
  if (operands.empty() || choose.chance(1, 4)) {
    operands.insert(operands.begin() + choose(std::ssize(operands) + 1), any);
  } else if (choose.chance(1, 4)) {
    operands.erase(operands.begin() + choose(std::ssize(operands)));
  } else {
    operands[choose(std::ssize(operands))] = any;
  }
}

void change_opcode(Choose& choose, HloInstruction& instruction) {
  const auto last = static_cast<int64_t>(HloOpcode::kOther);
  const absl::string_view name = name_of(static_cast<HloOpcode>(choose(last)));
  const bool had_text =
      instruction.opcode == HloOpcode::kParameter || instruction.opcode == HloOpcode::kConstant;
  if (had_text || name == "parameter" || name == "constant") return;
  instruction.opcode_text = std::string(name);
}

// Drops the signature and the shapes of operands: they would contradict a changed shape.
void forget_repeated_shapes(HloModule& module) {
  for (HloComputation& computation : module.computations) {
    computation.signature.reset();
    for (HloInstruction& instruction : computation.instructions) {
      for (HloOperand& operand : instruction.operands) operand.shape = SharedShape();
    }
  }
}

void change(Choose& choose, HloModule& module) {
  HloComputation& computation = choose.chance(1, 3)
                                    ? module.computations[choose(std::ssize(module.computations))]
                                    : module.computations[module.entry];
  const auto place = static_cast<int32_t>(choose(std::ssize(computation.instructions)));
  HloInstruction& instruction = computation.instructions[place];
  switch (choose(12)) {
    case 0:
      return change_opcode(choose, instruction);
    case 1:
    case 2:
      return change_operand(choose, computation, place);
    case 3:
      computation.root = place;
      return;
    case 4:
      return change_number(choose, instruction.literal);
    case 5:
    case 6:
    case 7:
      return change_shape(choose, instruction);
    default:
      return change_attribute(choose, computation, instruction);
  }
}

}  // namespace

std::string mutate_hlo(Choose& choose, HloModule module) {
  if (!choose.chance(1, 16)) forget_repeated_shapes(module);
  const std::string before = to_text(module);
  std::string after = before;
  // Some instructions do not have the part that was chosen, so try again.
  for (int tries = 0; tries < 6 && after == before; ++tries) {
    change(choose, module);
    after = to_text(module);
  }
  return after;
}

std::string mutate_hlo(Choose& choose, std::string text) {
  for (int64_t changes = choose.between(1, 3); changes > 0; --changes) {
    const absl::StatusOr<HloModule> module = parse_hlo_module(text);
    if (!module.ok()) break;
    std::string changed = mutate_hlo(choose, *module);
    if (parse_hlo_module(changed).ok()) text = std::move(changed);
  }
  return text;
}

}  // namespace tileproof
