// SPDX-License-Identifier: Apache-2.0
#include "verify/xla/question.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/hlo/provenance.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof::xla {
namespace {

struct IndexType {
  ElementType type;
  int64_t low, high;
};

IndexType any_index_type(Choose& choose) {
  using Limits32 = std::numeric_limits<int32_t>;
  return choose.pick<IndexType>({{ElementType::kS32, Limits32::min(), Limits32::max()},
                                 {ElementType::kS64, INT64_MIN, INT64_MAX},
                                 {ElementType::kU32, 0, std::numeric_limits<uint32_t>::max()},
                                 {ElementType::kU8, 0, 255}});
}

int64_t count_of(const Shape& shape) {
  int64_t count = 1;
  for (const Dimension& d : shape.dimensions) count *= d.size;
  return count;
}

// Returns one value for each element of the array of offsets at this position.
std::vector<int64_t> values_of(const GeneratedHlo& generated, const IndexType& type,
                               int32_t computation, int32_t instruction, const Shape& shape) {
  std::vector<int64_t> values;
  const spec::Dims dims = dims_of(shape);
  for (int64_t e = 0; e < count_of(shape); ++e) {
    const spec::HloElement position{computation, instruction, 0, spec::element_index(dims, e)};
    values.push_back(std::clamp(spec::arbitrary_value(position, generated.seed, generated.near),
                                type.low, type.high));
  }
  return values;
}

Shape offset_shape(const Shape& shape, const IndexType& type) {
  Shape result = shape;
  result.element_type = type.type;
  result.layout.reset();
  return result;
}

HloInstruction parameter(int64_t number, SharedShape shape) {
  HloInstruction i;
  i.name = absl::StrCat("p", number);
  i.opcode = HloOpcode::kParameter;
  i.opcode_text = "parameter";
  i.parameter_number = number;
  i.shape = std::move(shape);
  return i;
}

// `{ {1, 2}, {3, 4} }`
std::string literal(const spec::Dims& dims, size_t d, const std::vector<int64_t>& values,
                    size_t& next) {
  if (d == dims.size()) return absl::StrCat(values[next++]);
  std::vector<std::string> parts;
  for (int64_t k = 0; k < dims[d]; ++k) parts.push_back(literal(dims, d + 1, values, next));
  return absl::StrCat("{", absl::StrJoin(parts, ", "), "}");
}

HloInstruction constant(std::string name, const Shape& shape, const std::vector<int64_t>& values) {
  HloInstruction i;
  i.name = std::move(name);
  i.opcode = HloOpcode::kConstant;
  i.opcode_text = "constant";
  i.shape = SharedShape(shape);
  const spec::Dims dims = dims_of(shape);
  size_t next = 0;
  i.literal = literal(dims, 0, values, next);
  return i;
}

// Puts constants in front of each instruction that has offsets.
HloComputation with_constant_offsets(const HloModule& module, int32_t computation,
                                     const GeneratedHlo& generated, const IndexType& type) {
  const HloComputation& old = module.computations[computation];
  HloComputation made = old;
  made.instructions.clear();
  std::vector<int32_t> moved;  // new positions by old ones
  for (int32_t k = 0; k < std::ssize(old.instructions); ++k) {
    HloInstruction i = old.instructions[k];
    for (HloOperand& operand : i.operands) operand.instruction = moved[operand.instruction];
    for (const int64_t operand : offset_operands(module, computation, k)) {
      const Shape& shape =
          *old.instructions[old.instructions[k].operands[operand].instruction].shape;
      const auto position = static_cast<int32_t>(made.instructions.size());
      made.instructions.push_back(
          constant(absl::StrCat("offset", position), offset_shape(shape, type),
                   values_of(generated, type, computation, position, shape)));
      i.operands[operand] = {position, made.instructions.back().shape};
    }
    moved.push_back(static_cast<int32_t>(made.instructions.size()));
    made.instructions.push_back(std::move(i));
  }
  made.root = moved[old.root];
  made.signature.reset();
  return made;
}

// Normalizes a module built by hand: prints and parses it.
absl::StatusOr<HloModule> read_again(const HloModule& module) {
  return parse_hlo_module(to_text(module));
}

}  // namespace

spec::Dims dims_of(const Shape& array) {
  spec::Dims dims;
  for (const Dimension& d : array.dimensions) dims.push_back(d.size);
  return dims;
}

absl::StatusOr<std::vector<SourceArray>> source_arrays(const HloModule& module) {
  std::vector<SourceArray> arrays;
  const HloComputation& entry = module.computations[module.entry];
  int64_t first = 0;
  for (const int32_t position : parameters_of(entry)) {
    const HloInstruction& parameter = entry.instructions[position];
    const auto leaves = TRY(leaves_of(*parameter.shape));
    for (const Leaf& leaf : leaves) {
      const int64_t count = count_of(*leaf.array);
      arrays.push_back({parameter.parameter_number, leaf.array, leaf.dims, first, count});
      first += count;
    }
  }
  return arrays;
}

std::vector<int64_t> offset_operands(const HloModule& module, int32_t computation,
                                     int32_t instruction) {
  const auto relation = spec::access_relation_of(module, computation, instruction, 0);
  if (!relation.ok()) return {};
  std::set<int64_t> operands;
  for (const spec::RuntimeVariable& variable : relation->runtime) operands.insert(variable.operand);
  return {operands.begin(), operands.end()};
}

absl::StatusOr<Question> single_operation(const GeneratedHlo& generated, Choose& choose) {
  const HloModule module = TRY(parse_hlo_module(generated.text));
  const HloComputation& entry = module.computations[module.entry];
  const HloInstruction& root = entry.instructions[entry.root];
  const std::vector<int64_t> offsets = offset_operands(module, module.entry, entry.root);
  const IndexType type = any_index_type(choose);

  HloComputation alone;
  alone.name = "main";
  alone.is_entry = true;
  Question question;
  HloInstruction operation = root;
  for (int64_t k = 0; k < std::ssize(root.operands); ++k) {
    const int32_t from = root.operands[k].instruction;
    SharedShape shape = entry.instructions[from].shape;
    if (std::count(offsets.begin(), offsets.end(), k) > 0) {
      question.offsets[k] =
          values_of(generated, type, module.entry, static_cast<int32_t>(k), *shape);
      shape = SharedShape(offset_shape(*shape, type));
    }
    operation.operands[k] = {static_cast<int32_t>(k), shape};
    alone.instructions.push_back(parameter(k, shape));
  }
  operation.name = "r";
  alone.root = static_cast<int32_t>(alone.instructions.size());
  alone.instructions.push_back(std::move(operation));

  HloModule made = module;
  made.has_header = true;
  made.name = "asked";
  made.computations[made.entry] = std::move(alone);
  question.module = TRY(read_again(made));
  return question;
}

absl::StatusOr<Question> whole_computation(const GeneratedHlo& generated, Choose& choose) {
  HloModule module = TRY(parse_hlo_module(generated.text));
  const IndexType type = any_index_type(choose);
  HloModule made = module;
  made.name = "asked";
  for (int32_t c = 0; c < std::ssize(made.computations); ++c) {
    made.computations[c] = with_constant_offsets(module, c, generated, type);
  }
  auto read = TRY(read_again(made));
  return Question{std::move(read), {}, false, true};
}

}  // namespace tileproof::xla
