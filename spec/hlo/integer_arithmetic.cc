// SPDX-License-Identifier: Apache-2.0
#include "spec/hlo/integer_arithmetic.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace tileproof::spec {
namespace {

int width(ElementType type) { return type == ElementType::kPred ? 1 : info(type).bits; }

bool is_less(ElementType type, int64_t a, int64_t b) {
  return is_unsigned(type) ? static_cast<uint64_t>(a) < static_cast<uint64_t>(b) : a < b;
}

uint64_t bits_of(ElementType type, int64_t x) {
  const int w = width(type);
  return w == 64 ? static_cast<uint64_t>(x) : static_cast<uint64_t>(x) & ((uint64_t{1} << w) - 1);
}

std::optional<int64_t> compared(ElementType type, absl::string_view direction, int64_t a,
                                int64_t b) {
  if (direction == "LT") return is_less(type, a, b);
  if (direction == "LE") return !is_less(type, b, a);
  if (direction == "GT") return is_less(type, b, a);
  if (direction == "GE") return !is_less(type, a, b);
  if (direction == "EQ") return a == b;
  if (direction == "NE") return a != b;
  return std::nullopt;
}

// Before it is wrapped.
int64_t divided(ElementType type, int64_t a, int64_t b) {
  if (b == 0) return -1;
  if (is_unsigned(type)) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) / static_cast<uint64_t>(b));
  }
  return b == -1 ? static_cast<int64_t>(-static_cast<uint64_t>(a)) : a / b;
}

int64_t remainder(ElementType type, int64_t a, int64_t b) {
  if (b == 0) return a;
  if (is_unsigned(type)) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) % static_cast<uint64_t>(b));
  }
  return b == -1 ? 0 : a % b;
}

// By the number of positions that the bits of b are.
int64_t shifted(HloOpcode opcode, ElementType type, int64_t a, int64_t b) {
  const uint64_t by = bits_of(type, b);
  const bool all = by >= static_cast<uint64_t>(width(type));
  if (opcode == HloOpcode::kShiftLeft)
    return all ? 0 : static_cast<int64_t>(bits_of(type, a) << by);
  if (opcode == HloOpcode::kShiftRightLogical) {
    return all ? 0 : static_cast<int64_t>(bits_of(type, a) >> by);
  }
  // The sign of an unsigned number is its highest bit, too.
  const int w = width(type);
  const auto sign_extended = static_cast<int64_t>(bits_of(type, a) << (64 - w)) >> (64 - w);
  return sign_extended >> (all ? w - 1 : static_cast<int>(by));
}

std::optional<int64_t> unary(HloOpcode opcode, ElementType type, ElementType from, int64_t a) {
  switch (opcode) {
    case HloOpcode::kConvert:
      return type == ElementType::kPred ? a != 0 : a;
    case HloOpcode::kBitcast:
    case HloOpcode::kBitcastConvert:
      return width(type) == width(from) &&
                     (type == ElementType::kPred) == (from == ElementType::kPred)
                 ? std::optional(a)
                 : std::nullopt;
    case HloOpcode::kCopy:
      return a;
    case HloOpcode::kNot:
      return type == ElementType::kPred ? 1 - a : ~a;
    default:
      break;
  }
  if (type == ElementType::kPred) return std::nullopt;
  switch (opcode) {
    case HloOpcode::kNegate:
      return static_cast<int64_t>(-static_cast<uint64_t>(a));
    case HloOpcode::kAbs:
      return is_less(type, a, 0) ? static_cast<int64_t>(-static_cast<uint64_t>(a)) : a;
    case HloOpcode::kSign:
      return a == 0 ? 0 : is_less(type, a, 0) ? -1 : 1;
    case HloOpcode::kPopcnt:
      return std::popcount(bits_of(type, a));
    case HloOpcode::kCountLeadingZeros:
      return std::countl_zero(bits_of(type, a)) - (64 - width(type));
    default:
      return std::nullopt;
  }
}

// To a power that is not negative: what another one gives is not stated.
std::optional<int64_t> power(ElementType type, int64_t a, int64_t exponent) {
  if (is_less(type, exponent, 0)) return std::nullopt;
  uint64_t result = 1, square = static_cast<uint64_t>(a);
  for (auto left = static_cast<uint64_t>(exponent); left != 0; left >>= 1) {
    if (left % 2 == 1) result *= square;
    square *= square;
  }
  return static_cast<int64_t>(result);
}

std::optional<int64_t> binary(HloOpcode opcode, ElementType type, int64_t a, int64_t b) {
  const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  switch (opcode) {
    case HloOpcode::kAnd:
      return a & b;
    case HloOpcode::kOr:
      return a | b;
    case HloOpcode::kXor:
      return a ^ b;
    case HloOpcode::kMinimum:
      return is_less(type, a, b) ? a : b;
    case HloOpcode::kMaximum:
      return is_less(type, a, b) ? b : a;
    default:
      break;
  }
  if (type == ElementType::kPred) {  // a sum is `or`, a product `and`
    return opcode == HloOpcode::kAdd        ? std::optional(a | b)
           : opcode == HloOpcode::kMultiply ? std::optional(a & b)
                                            : std::nullopt;
  }
  switch (opcode) {
    case HloOpcode::kAdd:
      return static_cast<int64_t>(x + y);
    case HloOpcode::kSubtract:
      return static_cast<int64_t>(x - y);
    case HloOpcode::kMultiply:
      return static_cast<int64_t>(x * y);
    case HloOpcode::kDivide:
      return divided(type, a, b);
    case HloOpcode::kRemainder:
      return remainder(type, a, b);
    case HloOpcode::kPower:
      return power(type, a, b);
    case HloOpcode::kShiftLeft:
    case HloOpcode::kShiftRightLogical:
    case HloOpcode::kShiftRightArithmetic:
      return shifted(opcode, type, a, b);
    default:
      return std::nullopt;
  }
}

}  // namespace

bool is_integer(ElementType type) { return type <= ElementType::kU64; }

bool is_unsigned(ElementType type) {
  return type == ElementType::kPred || (type >= ElementType::kU1 && type <= ElementType::kU64);
}

int64_t wrapped(ElementType type, int64_t x) {
  const int w = width(type);
  const uint64_t bits = bits_of(type, x);
  if (w == 64 || is_unsigned(type)) return static_cast<int64_t>(bits);
  return static_cast<int64_t>(bits << (64 - w)) >> (64 - w);
}

int64_t as_offset(ElementType type, int64_t value) {
  return is_unsigned(type) && value < 0 ? std::numeric_limits<int64_t>::max() : value;
}

std::optional<int64_t> evaluated(HloOpcode opcode, ElementType type, ElementType from,
                                 absl::string_view direction,
                                 absl::Span<const std::optional<int64_t>> operands) {
  if (!is_integer(type) || !is_integer(from) || operands.empty()) return std::nullopt;
  if (type == ElementType::kPred && operands.size() == 2 &&
      (opcode == HloOpcode::kAnd || opcode == HloOpcode::kOr)) {
    const int64_t decides = opcode == HloOpcode::kOr ? 1 : 0;
    if (operands[0] == decides || operands[1] == decides) return decides;
  }
  if (opcode == HloOpcode::kSelect && operands.size() == 3) {
    return operands[0] ? operands[*operands[0] != 0 ? 1 : 2] : std::nullopt;
  }
  for (const std::optional<int64_t>& operand : operands) {
    if (!operand) return std::nullopt;
  }
  std::optional<int64_t> result;
  if (operands.size() == 1) result = unary(opcode, type, from, *operands[0]);
  if (operands.size() == 2 && opcode == HloOpcode::kCompare) {
    result = compared(from, direction, *operands[0], *operands[1]);
  } else if (operands.size() == 2) {
    result = binary(opcode, type, *operands[0], *operands[1]);
  }
  if (operands.size() == 3 && opcode == HloOpcode::kClamp) {
    const int64_t raised = is_less(type, *operands[0], *operands[1]) ? *operands[1] : *operands[0];
    result = is_less(type, raised, *operands[2]) ? raised : *operands[2];
  }
  return result ? std::optional(wrapped(type, *result)) : std::nullopt;
}

}  // namespace tileproof::spec
