// The operations of HLO by name.
//
// HLO text names an operation in lower case with hyphens: `reduce-window`. The enumeration has one
// entry for each name that XLA knows; any other name is kOther and lives on as text. The names are
// in alphabetical order, so that finding one is a binary search.
//
// XLA also writes `<op>-start`, `<op>-update` and `<op>-done` for an async-start, async-update or
// async-done whose computation is that one operation:
//
//     opcode_named("add-start") == kAsyncStart       wrapped_opcode("add-start") == kAdd
//     opcode_named("all-gather-start") == kAllGatherStart, an operation of its own
//
// Source: facts "HLO text in the wild".
#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tileproof {

enum class HloOpcode : uint8_t {
  kAbs,
  kAcos,
  kAcosh,
  kAdd,
  kAddDependency,
  kAfterAll,
  kAllGather,
  kAllGatherDone,
  kAllGatherStart,
  kAllReduce,
  kAllReduceDone,
  kAllReduceStart,
  kAllToAll,
  kAnd,
  kAsin,
  kAsinh,
  kAsyncDone,
  kAsyncStart,
  kAsyncUpdate,
  kAtan2,
  kAtanh,
  kBatchNormGrad,
  kBatchNormInference,
  kBatchNormTraining,
  kBitcast,
  kBitcastConvert,
  kBroadcast,
  kCall,
  kCbrt,
  kCeil,
  kCholesky,
  kClamp,
  kCollectiveBroadcast,
  kCollectivePermute,
  kCollectivePermuteDone,
  kCollectivePermuteStart,
  kCompare,
  kComplex,
  kConcatenate,
  kConditional,
  kConstant,
  kConvert,
  kConvolution,
  kCopy,
  kCopyDone,
  kCopyStart,
  kCosh,
  kCosine,
  kCountLeadingZeros,
  kCustomCall,
  kDivide,
  kDomain,
  kDot,
  kDynamicReshape,
  kDynamicSlice,
  kDynamicUpdateSlice,
  kErf,
  kExponential,
  kExponentialMinusOne,
  kFft,
  kFloor,
  kFusion,
  kGather,
  kGetDimensionSize,
  kGetTupleElement,
  kImag,
  kInfeed,
  kIota,
  kIsFinite,
  kLog,
  kLogPlusOne,
  kLogistic,
  kMap,
  kMaximum,
  kMinimum,
  kMultiply,
  kNegate,
  kNot,
  kOptBarrier,
  kOr,
  kOutfeed,
  kPad,
  kParameter,
  kPartitionId,
  kPopcnt,
  kPower,
  kRaggedAllToAll,
  kRaggedDot,
  kReal,
  kRecv,
  kRecvDone,
  kReduce,
  kReducePrecision,
  kReduceScatter,
  kReduceWindow,
  kRemainder,
  kReplicaId,
  kReshape,
  kReverse,
  kRng,
  kRngBitGenerator,
  kRngGetAndUpdateState,
  kRoundNearestAfz,
  kRoundNearestEven,
  kRsqrt,
  kScaledDot,
  kScan,
  kScatter,
  kSelect,
  kSelectAndScatter,
  kSend,
  kSendDone,
  kSetDimensionSize,
  kShiftLeft,
  kShiftRightArithmetic,
  kShiftRightLogical,
  kSign,
  kSine,
  kSinh,
  kSlice,
  kSort,
  kSqrt,
  kStochasticConvert,
  kSubtract,
  kTan,
  kTanh,
  kTopk,
  kTranspose,
  kTriangularSolve,
  kTuple,
  kWhile,
  kXor,
  kOther,  // a name that is not known
};

struct HloOpcodeInfo {
  HloOpcode opcode;
  absl::string_view name;
  int64_t elementwise = 0;  // elementwise_operands
};

// Every operation but kOther, in the order of the enumeration.
absl::Span<const HloOpcodeInfo> hlo_opcodes();

// The name of an operation; "other" for kOther.
absl::string_view name_of(HloOpcode opcode);

// Of an operation of which each element is made of the elements at its index, one of each operand:
// how many operands it has. 0 for any other, and where that is open (map) or an operand may be a
// scalar (clamp, select). Source: XLA's operation semantics, "Element-wise".
int64_t elementwise_operands(HloOpcode opcode);

// Whether each element of the result is one element of one operand, the same value.
bool only_moves_elements(HloOpcode opcode);

// The operation that `name` says: a known one, an asynchronous wrapper of one, or kOther.
HloOpcode opcode_named(absl::string_view name);

// The operation inside `<op>-start`, `<op>-update` or `<op>-done`; kOther where `name` is none of
// these.
HloOpcode wrapped_opcode(absl::string_view name);

}  // namespace tileproof
