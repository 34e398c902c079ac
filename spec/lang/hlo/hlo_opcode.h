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
// Source: XLA, xla/hlo/ir/hlo_opcode.h.
#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tileproof {

// A row for each operation: its entry in the enumeration, its name, how many operands it has if it is
// elementwise (elementwise_operands), and the attributes that it may have besides those of all
// (spec/lang/hlo/hlo_known.h), separated by spaces.
#define TILEPROOF_HLO_OPCODES(ROW)                                                              \
  ROW(kAbs, "abs", 1)                                                                           \
  ROW(kAcos, "acos", 1)                                                                         \
  ROW(kAcosh, "acosh", 1)                                                                       \
  ROW(kAdd, "add", 2)                                                                           \
  ROW(kAddDependency, "add-dependency")                                                         \
  ROW(kAfterAll, "after-all")                                                                   \
  ROW(kAllGather, "all-gather", 0,                                                              \
      "channel_id constrain_layout dimensions mode replica_groups use_global_device_ids")       \
  ROW(kAllGatherDone, "all-gather-done")                                                        \
  ROW(kAllGatherStart, "all-gather-start", 0,                                                   \
      "channel_id constrain_layout dimensions mode replica_groups use_global_device_ids")       \
  ROW(kAllReduce, "all-reduce", 0,                                                              \
      "channel_id constrain_layout mode replica_groups to_apply use_global_device_ids")         \
  ROW(kAllReduceDone, "all-reduce-done")                                                        \
  ROW(kAllReduceStart, "all-reduce-start", 0,                                                   \
      "channel_id constrain_layout mode replica_groups to_apply use_global_device_ids")         \
  ROW(kAllToAll, "all-to-all", 0, "channel_id constrain_layout dimensions mode replica_groups") \
  ROW(kAnd, "and", 2)                                                                           \
  ROW(kAsin, "asin", 1)                                                                         \
  ROW(kAsinh, "asinh", 1)                                                                       \
  ROW(kAsyncDone, "async-done")                                                                 \
  ROW(kAsyncStart, "async-start")                                                               \
  ROW(kAsyncUpdate, "async-update")                                                             \
  ROW(kAtan2, "atan2", 2)                                                                       \
  ROW(kAtanh, "atanh", 1)                                                                       \
  ROW(kBatchNormGrad, "batch-norm-grad", 0, "epsilon feature_index")                            \
  ROW(kBatchNormInference, "batch-norm-inference", 0, "epsilon feature_index")                  \
  ROW(kBatchNormTraining, "batch-norm-training", 0, "epsilon feature_index")                    \
  ROW(kBitcast, "bitcast")                                                                      \
  ROW(kBitcastConvert, "bitcast-convert", 0, "result_accuracy")                                 \
  ROW(kBroadcast, "broadcast", 0, "dimensions")                                                 \
  ROW(kCall, "call", 0,                                                                         \
      "called_computations calls is_composite output_to_operand_aliasing to_apply")             \
  ROW(kCbrt, "cbrt", 1)                                                                         \
  ROW(kCeil, "ceil", 1)                                                                         \
  ROW(kCholesky, "cholesky", 0, "lower")                                                        \
  ROW(kClamp, "clamp")                                                                          \
  ROW(kCollectiveBroadcast, "collective-broadcast", 0,                                          \
      "channel_id has_dynamic_root mode replica_groups")                                        \
  ROW(kCollectivePermute, "collective-permute", 0,                                              \
      "channel_id mode slice_sizes source_target_pairs")                                        \
  ROW(kCollectivePermuteDone, "collective-permute-done")                                        \
  ROW(kCollectivePermuteStart, "collective-permute-start", 0,                                   \
      "channel_id mode slice_sizes source_target_pairs")                                        \
  ROW(kCollectiveReduce, "collective-reduce", 0,                                                \
      "channel_id constrain_layout has_dynamic_root replica_groups to_apply "                   \
      "use_global_device_ids")                                                                  \
  ROW(kCompare, "compare", 2, "direction order type")                                           \
  ROW(kComplex, "complex", 2)                                                                   \
  ROW(kConcatenate, "concatenate", 0, "dimensions")                                             \
  ROW(kConditional, "conditional", 0, "branch_computations false_computation true_computation") \
  ROW(kConstant, "constant")                                                                    \
  ROW(kConvert, "convert", 1)                                                                   \
  ROW(kConvolution, "convolution", 0,                                                           \
      "algorithm batch_group_count block_scaling_config convolution_kind dim_labels "           \
      "feature_group_count operand_precision sparsity sparsity_config window")                  \
  ROW(kCopy, "copy")                                                                            \
  ROW(kCopyDone, "copy-done")                                                                   \
  ROW(kCopyStart, "copy-start", 0, "cross_program_prefetch_index is_cross_program_prefetch")    \
  ROW(kCosh, "cosh", 1)                                                                         \
  ROW(kCosine, "cosine", 1)                                                                     \
  ROW(kCountLeadingZeros, "count-leading-zeros", 1)                                             \
  ROW(kCustomCall, "custom-call", 0,                                                            \
      "api_version batch_group_count called_computations custom_call_has_side_effect "          \
      "custom_call_target dim_labels feature_group_count literal operand_layout_constraints "   \
      "operand_precision output_to_operand_aliasing padding_type schedule to_apply window")     \
  ROW(kDivide, "divide", 2)                                                                     \
  ROW(kDomain, "domain", 0, "domain")                                                           \
  ROW(kDot, "dot", 0,                                                                           \
      "algorithm block_scaling_config lhs_batch_dims lhs_contracting_dims operand_precision "   \
      "rhs_batch_dims rhs_contracting_dims sparsity sparsity_config")                           \
  ROW(kDynamicReshape, "dynamic-reshape")                                                       \
  ROW(kDynamicSlice, "dynamic-slice", 0, "dynamic_slice_sizes")                                 \
  ROW(kDynamicUpdateSlice, "dynamic-update-slice")                                              \
  ROW(kErf, "erf", 1)                                                                           \
  ROW(kExp2, "exp2", 1)                                                                         \
  ROW(kExponential, "exponential", 1)                                                           \
  ROW(kExponentialMinusOne, "exponential-minus-one", 1)                                         \
  ROW(kFft, "fft", 0, "fft_length fft_type")                                                    \
  ROW(kFloor, "floor", 1)                                                                       \
  ROW(kFusion, "fusion", 0, "calls execution_thread kind output_to_operand_aliasing")           \
  ROW(kGather, "gather", 0,                                                                     \
      "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims "                   \
      "operand_batching_dims slice_sizes start_index_map start_indices_batching_dims")          \
  ROW(kGetDimensionSize, "get-dimension-size", 0, "dimensions")                                 \
  ROW(kGetTupleElement, "get-tuple-element", 0, "index")                                        \
  ROW(kImag, "imag", 1)                                                                         \
  ROW(kInfeed, "infeed", 0, "infeed_config")                                                    \
  ROW(kIota, "iota", 0, "iota_dimension")                                                       \
  ROW(kIsFinite, "is-finite", 1)                                                                \
  ROW(kLog, "log", 1)                                                                           \
  ROW(kLogPlusOne, "log-plus-one", 1)                                                           \
  ROW(kLog2, "log2", 1)                                                                         \
  ROW(kLogistic, "logistic", 1)                                                                 \
  ROW(kMap, "map", 0, "dimensions to_apply")                                                    \
  ROW(kMaximum, "maximum", 2)                                                                   \
  ROW(kMinimum, "minimum", 2)                                                                   \
  ROW(kMulhi, "mulhi", 2)                                                                       \
  ROW(kMultiply, "multiply", 2)                                                                 \
  ROW(kNegate, "negate", 1)                                                                     \
  ROW(kNot, "not", 1)                                                                           \
  ROW(kOptBarrier, "opt-barrier")                                                               \
  ROW(kOr, "or", 2)                                                                             \
  ROW(kOutfeed, "outfeed", 0, "outfeed_config outfeed_shape")                                   \
  ROW(kPad, "pad", 0, "padding")                                                                \
  ROW(kParameter, "parameter")                                                                  \
  ROW(kPartitionId, "partition-id")                                                             \
  ROW(kPopcnt, "popcnt", 1)                                                                     \
  ROW(kPower, "power", 2)                                                                       \
  ROW(kRaggedAllToAll, "ragged-all-to-all", 0, "channel_id dimensions mode replica_groups")     \
  ROW(kRaggedDot, "ragged-dot", 0,                                                              \
      "algorithm lhs_batch_dims lhs_contracting_dims lhs_ragged_dims operand_precision "        \
      "rhs_batch_dims rhs_contracting_dims rhs_group_dims")                                     \
  ROW(kReal, "real", 1)                                                                         \
  ROW(kRecv, "recv", 0, "channel_id is_host_transfer")                                          \
  ROW(kRecvDone, "recv-done", 0, "channel_id is_host_transfer")                                 \
  ROW(kReduce, "reduce", 0, "dimensions to_apply")                                              \
  ROW(kReducePrecision, "reduce-precision", 1, "exponent_bits mantissa_bits")                   \
  ROW(kReduceScatter, "reduce-scatter", 0,                                                      \
      "channel_id constrain_layout dimensions mode replica_groups to_apply "                    \
      "use_global_device_ids")                                                                  \
  ROW(kReduceWindow, "reduce-window", 0, "to_apply window")                                     \
  ROW(kRemainder, "remainder", 2)                                                               \
  ROW(kReplicaId, "replica-id")                                                                 \
  ROW(kReshape, "reshape", 0, "inferred_dimension")                                             \
  ROW(kReverse, "reverse", 0, "dimensions")                                                     \
  ROW(kRng, "rng", 0, "distribution")                                                           \
  ROW(kRngBitGenerator, "rng-bit-generator", 0, "algorithm")                                    \
  ROW(kRngGetAndUpdateState, "rng-get-and-update-state", 0, "delta")                            \
  ROW(kRoundNearestAfz, "round-nearest-afz", 1)                                                 \
  ROW(kRoundNearestEven, "round-nearest-even", 1)                                               \
  ROW(kRsqrt, "rsqrt", 1)                                                                       \
  ROW(kScaledDot, "scaled-dot", 0,                                                              \
      "algorithm lhs_batch_dims lhs_contracting_dims operand_precision rhs_batch_dims "         \
      "rhs_contracting_dims")                                                                   \
  ROW(kScan, "scan", 0, "dimensions is_associative is_reverse num_carries to_apply")            \
  ROW(kScatter, "scatter", 0,                                                                   \
      "index_vector_dim indices_are_sorted input_batching_dims inserted_window_dims "           \
      "scatter_dims_to_operand_dims scatter_indices_batching_dims to_apply unique_indices "     \
      "update_window_dims")                                                                     \
  ROW(kSelect, "select")                                                                        \
  ROW(kSelectAndScatter, "select-and-scatter", 0, "scatter select window")                      \
  ROW(kSend, "send", 0, "channel_id is_host_transfer")                                          \
  ROW(kSendDone, "send-done", 0, "channel_id is_host_transfer")                                 \
  ROW(kSetDimensionSize, "set-dimension-size", 0, "dimensions")                                 \
  ROW(kShiftLeft, "shift-left", 2)                                                              \
  ROW(kShiftRightArithmetic, "shift-right-arithmetic", 2)                                       \
  ROW(kShiftRightLogical, "shift-right-logical", 2)                                             \
  ROW(kShuffle, "shuffle", 0, "dimensions mode shifts")                                         \
  ROW(kSign, "sign", 1)                                                                         \
  ROW(kSine, "sine", 1)                                                                         \
  ROW(kSinh, "sinh", 1)                                                                         \
  ROW(kSlice, "slice", 0, "slice")                                                              \
  ROW(kSort, "sort", 0, "dimensions is_stable to_apply")                                        \
  ROW(kSqrt, "sqrt", 1)                                                                         \
  ROW(kStochasticConvert, "stochastic-convert", 2)                                              \
  ROW(kSubtract, "subtract", 2)                                                                 \
  ROW(kTan, "tan", 1)                                                                           \
  ROW(kTanh, "tanh", 1)                                                                         \
  ROW(kTopk, "topk", 0, "is_stable k largest")                                                  \
  ROW(kTranspose, "transpose", 0, "dimensions")                                                 \
  ROW(kTriangularSolve, "triangular-solve", 0, "left_side lower transpose_a unit_diagonal")     \
  ROW(kTuple, "tuple")                                                                          \
  ROW(kWhile, "while", 0, "body condition")                                                     \
  ROW(kXor, "xor", 2)

enum class HloOpcode : uint8_t {
#define TILEPROOF_ENTRY(opcode, ...) opcode,
  TILEPROOF_HLO_OPCODES(TILEPROOF_ENTRY)
#undef TILEPROOF_ENTRY
      kOther,  // an unknown name
};

struct HloOpcodeInfo {
  HloOpcode opcode;
  absl::string_view name;
  int64_t elementwise = 0;            // elementwise_operands
  absl::string_view attributes = "";  // is_known_attribute
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
