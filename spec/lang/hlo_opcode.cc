#include "spec/lang/hlo_opcode.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "absl/strings/strip.h"

namespace tileproof {
namespace {

constexpr HloOpcodeInfo kOpcodes[] = {
    {HloOpcode::kAbs, "abs"},
    {HloOpcode::kAcos, "acos"},
    {HloOpcode::kAcosh, "acosh"},
    {HloOpcode::kAdd, "add"},
    {HloOpcode::kAddDependency, "add-dependency"},
    {HloOpcode::kAfterAll, "after-all"},
    {HloOpcode::kAllGather, "all-gather"},
    {HloOpcode::kAllGatherDone, "all-gather-done"},
    {HloOpcode::kAllGatherStart, "all-gather-start"},
    {HloOpcode::kAllReduce, "all-reduce"},
    {HloOpcode::kAllReduceDone, "all-reduce-done"},
    {HloOpcode::kAllReduceStart, "all-reduce-start"},
    {HloOpcode::kAllToAll, "all-to-all"},
    {HloOpcode::kAnd, "and"},
    {HloOpcode::kAsin, "asin"},
    {HloOpcode::kAsinh, "asinh"},
    {HloOpcode::kAsyncDone, "async-done"},
    {HloOpcode::kAsyncStart, "async-start"},
    {HloOpcode::kAsyncUpdate, "async-update"},
    {HloOpcode::kAtan2, "atan2"},
    {HloOpcode::kAtanh, "atanh"},
    {HloOpcode::kBatchNormGrad, "batch-norm-grad"},
    {HloOpcode::kBatchNormInference, "batch-norm-inference"},
    {HloOpcode::kBatchNormTraining, "batch-norm-training"},
    {HloOpcode::kBitcast, "bitcast"},
    {HloOpcode::kBitcastConvert, "bitcast-convert"},
    {HloOpcode::kBroadcast, "broadcast"},
    {HloOpcode::kCall, "call"},
    {HloOpcode::kCbrt, "cbrt"},
    {HloOpcode::kCeil, "ceil"},
    {HloOpcode::kCholesky, "cholesky"},
    {HloOpcode::kClamp, "clamp"},
    {HloOpcode::kCollectiveBroadcast, "collective-broadcast"},
    {HloOpcode::kCollectivePermute, "collective-permute"},
    {HloOpcode::kCollectivePermuteDone, "collective-permute-done"},
    {HloOpcode::kCollectivePermuteStart, "collective-permute-start"},
    {HloOpcode::kCompare, "compare"},
    {HloOpcode::kComplex, "complex"},
    {HloOpcode::kConcatenate, "concatenate"},
    {HloOpcode::kConditional, "conditional"},
    {HloOpcode::kConstant, "constant"},
    {HloOpcode::kConvert, "convert"},
    {HloOpcode::kConvolution, "convolution"},
    {HloOpcode::kCopy, "copy"},
    {HloOpcode::kCopyDone, "copy-done"},
    {HloOpcode::kCopyStart, "copy-start"},
    {HloOpcode::kCosh, "cosh"},
    {HloOpcode::kCosine, "cosine"},
    {HloOpcode::kCountLeadingZeros, "count-leading-zeros"},
    {HloOpcode::kCustomCall, "custom-call"},
    {HloOpcode::kDivide, "divide"},
    {HloOpcode::kDomain, "domain"},
    {HloOpcode::kDot, "dot"},
    {HloOpcode::kDynamicReshape, "dynamic-reshape"},
    {HloOpcode::kDynamicSlice, "dynamic-slice"},
    {HloOpcode::kDynamicUpdateSlice, "dynamic-update-slice"},
    {HloOpcode::kErf, "erf"},
    {HloOpcode::kExponential, "exponential"},
    {HloOpcode::kExponentialMinusOne, "exponential-minus-one"},
    {HloOpcode::kFft, "fft"},
    {HloOpcode::kFloor, "floor"},
    {HloOpcode::kFusion, "fusion"},
    {HloOpcode::kGather, "gather"},
    {HloOpcode::kGetDimensionSize, "get-dimension-size"},
    {HloOpcode::kGetTupleElement, "get-tuple-element"},
    {HloOpcode::kImag, "imag"},
    {HloOpcode::kInfeed, "infeed"},
    {HloOpcode::kIota, "iota"},
    {HloOpcode::kIsFinite, "is-finite"},
    {HloOpcode::kLog, "log"},
    {HloOpcode::kLogPlusOne, "log-plus-one"},
    {HloOpcode::kLogistic, "logistic"},
    {HloOpcode::kMap, "map"},
    {HloOpcode::kMaximum, "maximum"},
    {HloOpcode::kMinimum, "minimum"},
    {HloOpcode::kMultiply, "multiply"},
    {HloOpcode::kNegate, "negate"},
    {HloOpcode::kNot, "not"},
    {HloOpcode::kOptBarrier, "opt-barrier"},
    {HloOpcode::kOr, "or"},
    {HloOpcode::kOutfeed, "outfeed"},
    {HloOpcode::kPad, "pad"},
    {HloOpcode::kParameter, "parameter"},
    {HloOpcode::kPartitionId, "partition-id"},
    {HloOpcode::kPopcnt, "popcnt"},
    {HloOpcode::kPower, "power"},
    {HloOpcode::kRaggedAllToAll, "ragged-all-to-all"},
    {HloOpcode::kRaggedDot, "ragged-dot"},
    {HloOpcode::kReal, "real"},
    {HloOpcode::kRecv, "recv"},
    {HloOpcode::kRecvDone, "recv-done"},
    {HloOpcode::kReduce, "reduce"},
    {HloOpcode::kReducePrecision, "reduce-precision"},
    {HloOpcode::kReduceScatter, "reduce-scatter"},
    {HloOpcode::kReduceWindow, "reduce-window"},
    {HloOpcode::kRemainder, "remainder"},
    {HloOpcode::kReplicaId, "replica-id"},
    {HloOpcode::kReshape, "reshape"},
    {HloOpcode::kReverse, "reverse"},
    {HloOpcode::kRng, "rng"},
    {HloOpcode::kRngBitGenerator, "rng-bit-generator"},
    {HloOpcode::kRngGetAndUpdateState, "rng-get-and-update-state"},
    {HloOpcode::kRoundNearestAfz, "round-nearest-afz"},
    {HloOpcode::kRoundNearestEven, "round-nearest-even"},
    {HloOpcode::kRsqrt, "rsqrt"},
    {HloOpcode::kScaledDot, "scaled-dot"},
    {HloOpcode::kScan, "scan"},
    {HloOpcode::kScatter, "scatter"},
    {HloOpcode::kSelect, "select"},
    {HloOpcode::kSelectAndScatter, "select-and-scatter"},
    {HloOpcode::kSend, "send"},
    {HloOpcode::kSendDone, "send-done"},
    {HloOpcode::kSetDimensionSize, "set-dimension-size"},
    {HloOpcode::kShiftLeft, "shift-left"},
    {HloOpcode::kShiftRightArithmetic, "shift-right-arithmetic"},
    {HloOpcode::kShiftRightLogical, "shift-right-logical"},
    {HloOpcode::kSign, "sign"},
    {HloOpcode::kSine, "sine"},
    {HloOpcode::kSinh, "sinh"},
    {HloOpcode::kSlice, "slice"},
    {HloOpcode::kSort, "sort"},
    {HloOpcode::kSqrt, "sqrt"},
    {HloOpcode::kStochasticConvert, "stochastic-convert"},
    {HloOpcode::kSubtract, "subtract"},
    {HloOpcode::kTan, "tan"},
    {HloOpcode::kTanh, "tanh"},
    {HloOpcode::kTopk, "topk"},
    {HloOpcode::kTranspose, "transpose"},
    {HloOpcode::kTriangularSolve, "triangular-solve"},
    {HloOpcode::kTuple, "tuple"},
    {HloOpcode::kWhile, "while"},
    {HloOpcode::kXor, "xor"},
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
