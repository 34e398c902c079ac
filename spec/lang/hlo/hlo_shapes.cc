// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/hlo/hlo_shapes.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/hlo/operations/opcode_rules.h"

namespace tileproof {
absl::StatusOr<Shape> inferred_shape(const HloModule& module, const HloComputation& computation,
                                     const HloInstruction& instruction) {
  infer::Operation op{module, instruction, {}};
  for (const HloOperand& operand : instruction.operands) {
    const HloInstruction& from = computation.instructions[operand.instruction];
    const SharedShape& shape = from.shape ? from.shape : operand.shape;
    if (!shape) return infer::wrong(op, absl::StrCat("expected a shape of ", from.name));
    op.operands.push_back(&*shape);
  }
  infer::Rule* const rule = rules_of(instruction.opcode).infer;
  return rule == nullptr ? infer::cannot_infer(op) : rule(op);
}

namespace {

// Inferred shapes can grow far beyond the text: a tuple of two tuples of two tuples, .. All shapes
// of a module, in its order, may have this many parts; larger shapes are not inferred. Written
// shapes count, too, so that the printed module is read as the same module.
constexpr int64_t kMaxParts = int64_t{1} << 20;

// Counts the parts. Returns more than `most` for a shape that cannot be written and read.
int64_t parts_of(const Shape& shape, int64_t most, int depth = 0) {
  if (depth >= kMaxNesting / 2 || shape.rank() > kMaxRank) return most + 1;
  int64_t count = 1;
  for (const Shape& part : shape.parts) {
    if (count > most) break;
    count += parts_of(part, most - count, depth + 1);
  }
  return count;
}

// The shapes that are written before the names of operands, by the instruction that they name.
std::vector<SharedShape> written_at_uses(const HloComputation& computation) {
  std::vector<SharedShape> written(computation.instructions.size());
  for (const HloInstruction& instruction : computation.instructions) {
    for (const HloOperand& operand : instruction.operands) {
      if (operand.shape) written[operand.instruction] = operand.shape;
    }
  }
  return written;
}

bool lacks_shapes(const HloComputation& computation) {
  return std::ranges::any_of(computation.instructions,
                             [](const HloInstruction& i) { return !i.shape; });
}

}  // namespace

int64_t infer_shapes(HloModule& module) {
  if (std::ranges::none_of(module.computations, lacks_shapes)) return 0;
  int64_t without_shape = 0, left = kMaxParts;
  for (HloComputation& computation : module.computations) {
    const std::vector<SharedShape> written = written_at_uses(computation);
    for (size_t i = 0; i < computation.instructions.size(); ++i) {
      HloInstruction& instruction = computation.instructions[i];
      if (!instruction.shape) {
        absl::StatusOr<Shape> found = inferred_shape(module, computation, instruction);
        if (found.ok() && parts_of(*found, left) <= left &&
            (!written[i] || compatible(*found, *written[i]))) {
          instruction.shape = SharedShape(*std::move(found));
        }
      }
      if (instruction.shape) {
        left = std::max<int64_t>(left - parts_of(*instruction.shape, left), 0);
      } else {
        ++without_shape;
      }
    }
  }
  return without_shape;
}

}  // namespace tileproof
