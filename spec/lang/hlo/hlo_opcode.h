// SPDX-License-Identifier: Apache-2.0
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
  kCollectiveReduce,
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
  kExp2,
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
  kLog2,
  kLogistic,
  kMap,
  kMaximum,
  kMinimum,
  kMulhi,
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
  kShuffle,
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
  kOther,  // an unknown name
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

// The number of operands of an operation whose result element is made of the elements at the same
// index of each operand. 0 for other operations, for map (any number of operands), and for clamp
// and select (an operand may be a scalar). Source: XLA's operation semantics, "Element-wise".
int64_t elementwise_operands(HloOpcode opcode);

// The operation of this name: a known one, an asynchronous wrapper of one, or kOther.
HloOpcode opcode_named(absl::string_view name);

// The operation inside `<op>-start`, `<op>-update` or `<op>-done`; kOther for other names.
HloOpcode wrapped_opcode(absl::string_view name);

}  // namespace tileproof
