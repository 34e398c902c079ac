// SPDX-License-Identifier: Apache-2.0
#include "spec/hlo/access_relation.h"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/hlo/runtime_size.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"

namespace tileproof::spec {
namespace {

// ---- Numbers that access functions can add without wrapping ----

constexpr int64_t kLargest = int64_t{1} << 56;

bool is_moderate(std::optional<int64_t> x) { return x && -kLargest <= *x && *x <= kLargest; }

absl::Status beyond(absl::string_view what) {
  return absl::OutOfRangeError(absl::StrCat("expected ", what));
}

absl::Status expect_moderate(const WindowDimension& window, int64_t size) {
  for (const int64_t x : {window.size, window.stride, window.pad_low, window.pad_high,
                          window.lhs_dilate, window.rhs_dilate, size}) {
    if (!is_moderate(x)) return beyond(absl::StrCat("window: numbers to 2^56, found ", x));
  }
  if (is_moderate(checked_mul(std::max<int64_t>(size - 1, 0), window.lhs_dilate)) &&
      is_moderate(checked_mul(window.size - 1, window.rhs_dilate))) {
    return absl::OkStatus();
  }
  return beyond("window: dilated sizes to 2^56");
}

absl::Status expect_moderate(const std::vector<WindowDimension>& window, const Dims& dims) {
  for (size_t d = 0; d < window.size(); ++d) TRY(expect_moderate(window[d], dims[d]));
  return absl::OkStatus();
}

absl::Status expect_moderate(const op::ReduceWindow& r) {
  return expect_moderate(r.window, r.operand);
}

absl::Status expect_moderate(const op::SelectAndScatter& s) {
  return expect_moderate(s.window, s.operand);
}

absl::Status expect_moderate(const op::Convolution& c) {
  for (size_t k = 0; k < c.window.size(); ++k) {
    TRY(expect_moderate(c.window[k], c.input[c.numbers.input_spatial[k]]));
  }
  return absl::OkStatus();
}

absl::Status expect_moderate(const op::Pad& p) {
  for (size_t d = 0; d < p.limits.size(); ++d) {
    const PadLimits& limits = p.limits[d];
    const int64_t size = p.operand[d];
    const auto holes = checked_mul(std::max<int64_t>(size - 1, 0), limits.interior);
    for (const auto x : {std::optional(limits.low), std::optional(limits.high),
                         std::optional(limits.interior), std::optional(size), holes}) {
      if (!is_moderate(x)) return beyond("padding: numbers to 2^56");
    }
  }
  return absl::OkStatus();
}

absl::Status expect_moderate(const op::Scatter& s) {
  if (std::ranges::all_of(s.table.array, is_moderate)) return absl::OkStatus();
  return beyond("sizes to 2^56");
}

// Operations whose access functions add sizes and coordinates alone. Any other one needs an
// expect_moderate above, or its numbers could wrap.
template <class Operation, class... Operations>
constexpr bool kIsOneOf = (std::is_same_v<Operation, Operations> || ...);
template <class Operation>
constexpr bool kHasSizesAlone =
    kIsOneOf<Operation, op::Elementwise, op::Broadcast, op::Transpose, op::Reverse, op::Reshape,
             op::DynamicReshape, op::SetDimensionSize, op::Bitcast, op::BitcastConvert, op::Slice,
             op::Concatenate, op::Dot, op::Reduce, op::Sort, op::TopK, op::DynamicSlice,
             op::DynamicUpdateSlice, op::Gather, op::AllGather, op::ReduceScatter, op::AllReduce,
             op::CollectivePermute, op::ArrayAllToAll, op::TupleAllToAll, op::Forward, op::Call,
             op::While, op::Conditional, op::Start, op::Source, op::Token, op::GetDimensionSize,
             op::Rng, op::CustomCall, op::Opaque>;

}  // namespace

// ---- Relations ----

// Some definitions are the same for all parts of the result; some also need the shapes.
absl::StatusOr<AccessRelation> access_relation_of(const CheckedOp& op, int64_t part) {
  return std::visit(
      [&](const auto& operation) -> absl::StatusOr<AccessRelation> {
        if constexpr (!kHasSizesAlone<std::decay_t<decltype(operation)>>) {
          TRY(expect_moderate(operation));
        }
        if constexpr (requires { accesses(operation); }) {
          return accesses(operation);
        } else if constexpr (requires { accesses(operation, part); }) {
          return accesses(operation, part);
        } else {
          return accesses(operation, part, op);
        }
      },
      op.operation);
}

absl::StatusOr<AccessRelation> access_relation_of(const HloInstruction& instruction,
                                                  const CheckedOp& op, int64_t part) {
  const auto named = [&](absl::StatusCode code, absl::string_view message) {
    return absl::Status(code, absl::StrCat(instruction.name, ": ", message));
  };
  if (part < 0 || part >= std::ssize(op.result)) {
    return named(absl::StatusCode::kInvalidArgument,
                 absl::StrCat("expected a leaf below ", op.result.size(), ", found ", part));
  }
  absl::StatusOr<AccessRelation> relation = access_relation_of(op, part);
  if (!relation.ok()) return named(relation.status().code(), relation.status().message());
  const std::string reason = runtime_size_reason(instruction, op, *relation);
  return reason.empty() ? *std::move(relation) : accesses(op::Opaque{.reason = reason}, part, op);
}

absl::StatusOr<AccessRelation> access_relation_of(const HloModule& module, int32_t computation,
                                                  int32_t instruction, int64_t part) {
  const HloComputation& within = module.computations[computation];
  const HloInstruction& at = within.instructions[instruction];
  const CheckedOp op = TRY(checked_op(module, within, at));
  return access_relation_of(at, op, part);
}

std::optional<OperandLeaf> handed_on(const HloModule& module, const HloComputation& within,
                                     const HloInstruction& instruction, int64_t leaf) {
  if (instruction.opcode == HloOpcode::kCopy && instruction.shape &&
      instruction.shape->kind == Shape::Kind::kArray) {
    return OperandLeaf{0, 0};
  }
  const auto op = checked_op(module, within, instruction);
  if (!op.ok()) return std::nullopt;
  const auto* forward = std::get_if<op::Forward>(&op->operation);
  return forward == nullptr ? std::nullopt : forward->from[leaf];
}

bool passes_through(const HloModule& module, int32_t computation, int64_t leaf) {
  const HloComputation& within = module.computations[computation];
  int32_t at = within.root;
  int64_t part = leaf;
  while (within.instructions[at].opcode != HloOpcode::kParameter) {
    const HloInstruction& instruction = within.instructions[at];
    const auto from = handed_on(module, within, instruction, part);
    if (!from) return false;
    at = instruction.operands[from->operand].instruction;
    part = from->leaf;
  }
  return part == leaf;
}

}  // namespace tileproof::spec
