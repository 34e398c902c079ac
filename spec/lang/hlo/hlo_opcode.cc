// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/hlo/hlo_opcode.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "absl/strings/strip.h"

namespace tileproof {
namespace {

constexpr HloOpcodeInfo kOpcodes[] = {
    {HloOpcode::kAbs, "abs", 1},
    {HloOpcode::kAcos, "acos", 1},
    {HloOpcode::kAcosh, "acosh", 1},
    {HloOpcode::kAdd, "add", 2},
    {HloOpcode::kAddDependency, "add-dependency"},
    {HloOpcode::kAfterAll, "after-all"},
    {HloOpcode::kAllGather, "all-gather"},
    {HloOpcode::kAllGatherDone, "all-gather-done"},
    {HloOpcode::kAllGatherStart, "all-gather-start"},
    {HloOpcode::kAllReduce, "all-reduce"},
    {HloOpcode::kAllReduceDone, "all-reduce-done"},
    {HloOpcode::kAllReduceStart, "all-reduce-start"},
    {HloOpcode::kAllToAll, "all-to-all"},
    {HloOpcode::kAnd, "and", 2},
    {HloOpcode::kAsin, "asin", 1},
    {HloOpcode::kAsinh, "asinh", 1},
    {HloOpcode::kAsyncDone, "async-done"},
    {HloOpcode::kAsyncStart, "async-start"},
    {HloOpcode::kAsyncUpdate, "async-update"},
    {HloOpcode::kAtan2, "atan2", 2},
    {HloOpcode::kAtanh, "atanh", 1},
    {HloOpcode::kBatchNormGrad, "batch-norm-grad"},
    {HloOpcode::kBatchNormInference, "batch-norm-inference"},
    {HloOpcode::kBatchNormTraining, "batch-norm-training"},
    {HloOpcode::kBitcast, "bitcast"},
    {HloOpcode::kBitcastConvert, "bitcast-convert"},
    {HloOpcode::kBroadcast, "broadcast"},
    {HloOpcode::kCall, "call"},
    {HloOpcode::kCbrt, "cbrt", 1},
    {HloOpcode::kCeil, "ceil", 1},
    {HloOpcode::kCholesky, "cholesky"},
    {HloOpcode::kClamp, "clamp"},
    {HloOpcode::kCollectiveBroadcast, "collective-broadcast"},
    {HloOpcode::kCollectivePermute, "collective-permute"},
    {HloOpcode::kCollectivePermuteDone, "collective-permute-done"},
    {HloOpcode::kCollectivePermuteStart, "collective-permute-start"},
    {HloOpcode::kCollectiveReduce, "collective-reduce"},
    {HloOpcode::kCompare, "compare", 2},
    {HloOpcode::kComplex, "complex", 2},
    {HloOpcode::kConcatenate, "concatenate"},
    {HloOpcode::kConditional, "conditional"},
    {HloOpcode::kConstant, "constant"},
    {HloOpcode::kConvert, "convert", 1},
    {HloOpcode::kConvolution, "convolution"},
    {HloOpcode::kCopy, "copy"},
    {HloOpcode::kCopyDone, "copy-done"},
    {HloOpcode::kCopyStart, "copy-start"},
    {HloOpcode::kCosh, "cosh", 1},
    {HloOpcode::kCosine, "cosine", 1},
    {HloOpcode::kCountLeadingZeros, "count-leading-zeros", 1},
    {HloOpcode::kCustomCall, "custom-call"},
    {HloOpcode::kDivide, "divide", 2},
    {HloOpcode::kDomain, "domain"},
    {HloOpcode::kDot, "dot"},
    {HloOpcode::kDynamicReshape, "dynamic-reshape"},
    {HloOpcode::kDynamicSlice, "dynamic-slice"},
    {HloOpcode::kDynamicUpdateSlice, "dynamic-update-slice"},
    {HloOpcode::kErf, "erf", 1},
    {HloOpcode::kExp2, "exp2", 1},
    {HloOpcode::kExponential, "exponential", 1},
    {HloOpcode::kExponentialMinusOne, "exponential-minus-one", 1},
    {HloOpcode::kFft, "fft"},
    {HloOpcode::kFloor, "floor", 1},
    {HloOpcode::kFusion, "fusion"},
    {HloOpcode::kGather, "gather"},
    {HloOpcode::kGetDimensionSize, "get-dimension-size"},
    {HloOpcode::kGetTupleElement, "get-tuple-element"},
    {HloOpcode::kImag, "imag", 1},
    {HloOpcode::kInfeed, "infeed"},
    {HloOpcode::kIota, "iota"},
    {HloOpcode::kIsFinite, "is-finite", 1},
    {HloOpcode::kLog, "log", 1},
    {HloOpcode::kLogPlusOne, "log-plus-one", 1},
    {HloOpcode::kLog2, "log2", 1},
    {HloOpcode::kLogistic, "logistic", 1},
    {HloOpcode::kMap, "map"},
    {HloOpcode::kMaximum, "maximum", 2},
    {HloOpcode::kMinimum, "minimum", 2},
    {HloOpcode::kMulhi, "mulhi", 2},
    {HloOpcode::kMultiply, "multiply", 2},
    {HloOpcode::kNegate, "negate", 1},
    {HloOpcode::kNot, "not", 1},
    {HloOpcode::kOptBarrier, "opt-barrier"},
    {HloOpcode::kOr, "or", 2},
    {HloOpcode::kOutfeed, "outfeed"},
    {HloOpcode::kPad, "pad"},
    {HloOpcode::kParameter, "parameter"},
    {HloOpcode::kPartitionId, "partition-id"},
    {HloOpcode::kPopcnt, "popcnt", 1},
    {HloOpcode::kPower, "power", 2},
    {HloOpcode::kRaggedAllToAll, "ragged-all-to-all"},
    {HloOpcode::kRaggedDot, "ragged-dot"},
    {HloOpcode::kReal, "real", 1},
    {HloOpcode::kRecv, "recv"},
    {HloOpcode::kRecvDone, "recv-done"},
    {HloOpcode::kReduce, "reduce"},
    {HloOpcode::kReducePrecision, "reduce-precision", 1},
    {HloOpcode::kReduceScatter, "reduce-scatter"},
    {HloOpcode::kReduceWindow, "reduce-window"},
    {HloOpcode::kRemainder, "remainder", 2},
    {HloOpcode::kReplicaId, "replica-id"},
    {HloOpcode::kReshape, "reshape"},
    {HloOpcode::kReverse, "reverse"},
    {HloOpcode::kRng, "rng"},
    {HloOpcode::kRngBitGenerator, "rng-bit-generator"},
    {HloOpcode::kRngGetAndUpdateState, "rng-get-and-update-state"},
    {HloOpcode::kRoundNearestAfz, "round-nearest-afz", 1},
    {HloOpcode::kRoundNearestEven, "round-nearest-even", 1},
    {HloOpcode::kRsqrt, "rsqrt", 1},
    {HloOpcode::kScaledDot, "scaled-dot"},
    {HloOpcode::kScan, "scan"},
    {HloOpcode::kScatter, "scatter"},
    {HloOpcode::kSelect, "select"},
    {HloOpcode::kSelectAndScatter, "select-and-scatter"},
    {HloOpcode::kSend, "send"},
    {HloOpcode::kSendDone, "send-done"},
    {HloOpcode::kSetDimensionSize, "set-dimension-size"},
    {HloOpcode::kShiftLeft, "shift-left", 2},
    {HloOpcode::kShiftRightArithmetic, "shift-right-arithmetic", 2},
    {HloOpcode::kShiftRightLogical, "shift-right-logical", 2},
    {HloOpcode::kShuffle, "shuffle"},
    {HloOpcode::kSign, "sign", 1},
    {HloOpcode::kSine, "sine", 1},
    {HloOpcode::kSinh, "sinh", 1},
    {HloOpcode::kSlice, "slice"},
    {HloOpcode::kSort, "sort"},
    {HloOpcode::kSqrt, "sqrt", 1},
    {HloOpcode::kStochasticConvert, "stochastic-convert", 2},
    {HloOpcode::kSubtract, "subtract", 2},
    {HloOpcode::kTan, "tan", 1},
    {HloOpcode::kTanh, "tanh", 1},
    {HloOpcode::kTopk, "topk"},
    {HloOpcode::kTranspose, "transpose"},
    {HloOpcode::kTriangularSolve, "triangular-solve"},
    {HloOpcode::kTuple, "tuple"},
    {HloOpcode::kWhile, "while"},
    {HloOpcode::kXor, "xor", 2},
};

consteval bool in_order() {
  for (size_t i = 0; i < std::size(kOpcodes); ++i) {
    if (static_cast<size_t>(kOpcodes[i].opcode) != i) return false;
    if (i > 0 && !(kOpcodes[i - 1].name < kOpcodes[i].name)) return false;
  }
  return static_cast<size_t>(HloOpcode::kOther) == std::size(kOpcodes);
}
static_assert(in_order(), "the table follows the enumeration, and its names the alphabet");

HloOpcode known_opcode(absl::string_view name) {
  const auto* const entry = std::lower_bound(
      std::begin(kOpcodes), std::end(kOpcodes), name,
      [](const HloOpcodeInfo& left, absl::string_view right) { return left.name < right; });
  if (entry == std::end(kOpcodes) || entry->name != name) return HloOpcode::kOther;
  return entry->opcode;
}

}  // namespace

absl::Span<const HloOpcodeInfo> hlo_opcodes() { return kOpcodes; }

absl::string_view name_of(HloOpcode opcode) {
  return opcode == HloOpcode::kOther ? "other" : kOpcodes[static_cast<size_t>(opcode)].name;
}

int64_t elementwise_operands(HloOpcode opcode) {
  return opcode == HloOpcode::kOther ? 0 : kOpcodes[static_cast<size_t>(opcode)].elementwise;
}

HloOpcode wrapped_opcode(absl::string_view name) {
  for (absl::string_view suffix : {"-start", "-update", "-done"}) {
    if (absl::ConsumeSuffix(&name, suffix)) return known_opcode(name);
  }
  return HloOpcode::kOther;
}

HloOpcode opcode_named(absl::string_view name) {
  const HloOpcode known = known_opcode(name);
  if (known != HloOpcode::kOther || wrapped_opcode(name) == HloOpcode::kOther) return known;
  if (absl::ConsumeSuffix(&name, "-start")) return HloOpcode::kAsyncStart;
  if (absl::ConsumeSuffix(&name, "-update")) return HloOpcode::kAsyncUpdate;
  return HloOpcode::kAsyncDone;
}

}  // namespace tileproof
