// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/hlo/operations/opcode_rules.h"

#include <array>
#include <cstddef>

namespace tileproof {
namespace {

using enum HloOpcode;

// An operation without a row is elementwise, and its result has the type of its operands: `add`,
// `tanh`. elementwise_operands says how many operands it has (spec/lang/hlo/hlo_opcode.h).
constexpr OpcodeRules kRows[] = {
    {kAbs, check::known_elementwise, infer::part},
    {kAddDependency, check::add_dependency, infer::first_operand},
    {kAfterAll, check::token, infer::token},
    {kAllGather, check::all_gather},
    {kAllGatherDone, check::done},
    {kAllGatherStart, check::all_gather_start},
    {kAllReduce, check::all_reduce, infer::like_operands},
    {kAllReduceDone, check::all_reduce_done},
    {kAllReduceStart, check::all_reduce_start},
    {kAllToAll, check::all_to_all},
    {kAsyncDone, check::async_done},
    {kAsyncStart, check::async_start},
    {kAsyncUpdate, check::same_leaves},
    {kBatchNormGrad, check::opaque},
    {kBatchNormInference, check::opaque},
    {kBatchNormTraining, check::opaque},
    {kBitcast, check::bitcast},
    {kBitcastConvert, check::bitcast_convert},
    {kBroadcast, check::broadcast},
    {kCall, check::call, infer::called},
    {kCholesky, check::opaque, infer::like_first},
    {kClamp, check::clamp, infer::like_second},
    {kCollectiveBroadcast, check::all_reduce},
    {kCollectivePermute, check::collective_permute, infer::like_operands},
    {kCollectivePermuteDone, check::done},
    {kCollectivePermuteStart, check::collective_permute_start},
    {kCollectiveReduce, check::all_reduce, infer::like_operands},
    {kCompare, check::known_elementwise, infer::predicate},
    {kComplex, check::known_elementwise, infer::complex},
    {kConcatenate, check::concatenate, infer::concatenate},
    {kConditional, check::conditional, infer::branch},
    {kConstant, check::source},
    {kConvert, check::known_elementwise},
    {kConvolution, check::convolution, infer::convolution},
    {kCopy, check::copy, infer::copy},
    {kCopyDone, check::copy_done},
    {kCopyStart, check::copy_start},
    {kCustomCall, check::custom_call},
    {kDomain, check::same_leaves, infer::first_operand},
    {kDot, check::dot, infer::dot},
    {kDynamicReshape, check::dynamic_reshape},
    {kDynamicSlice, check::dynamic_slice, infer::dynamic_slice},
    {kDynamicUpdateSlice, check::dynamic_update_slice, infer::like_first},
    {kFft, check::opaque},
    {kFusion, check::call, infer::called},
    {kGather, check::gather, infer::gather},
    {kGetDimensionSize, check::get_dimension_size, infer::dimension_size},
    {kGetTupleElement, check::get_tuple_element, infer::element},
    {kImag, check::known_elementwise, infer::part},
    {kInfeed, check::infeed},
    {kIota, check::iota},
    {kIsFinite, check::known_elementwise, infer::predicate},
    {kMap, check::map, infer::map},
    {kOptBarrier, check::same_leaves, infer::first_operand},
    {kOutfeed, check::outfeed},
    {kPad, check::pad, infer::pad},
    {kParameter, check::source},
    {kPartitionId, check::replica_number, infer::replica_number},
    {kRaggedAllToAll, check::opaque},
    {kRaggedDot, check::opaque},
    {kReal, check::known_elementwise, infer::part},
    {kRecv, check::opaque},
    {kRecvDone, check::opaque},
    {kReduce, check::reduce, infer::reduce},
    {kReduceScatter, check::reduce_scatter},
    {kReduceWindow, check::reduce_window, infer::reduce_window},
    {kReplicaId, check::replica_number, infer::replica_number},
    {kReshape, check::reshape},
    {kReverse, check::reverse, infer::like_first},
    {kRng, check::rng},
    {kRngBitGenerator, check::opaque},
    {kRngGetAndUpdateState, check::rng_state},
    {kScaledDot, check::opaque},
    {kScan, check::scan},
    {kScatter, check::scatter, infer::scatter},
    {kSelect, check::select, infer::like_second},
    {kSelectAndScatter, check::select_and_scatter, infer::like_first},
    {kSend, check::opaque},
    {kSendDone, check::send_done},
    {kSetDimensionSize, check::set_dimension_size},
    {kShuffle, check::opaque, infer::like_first},
    {kSlice, check::slice, infer::slice},
    {kSort, check::sort, infer::like_operands},
    {kStochasticConvert, check::known_elementwise},
    {kTopk, check::topk, infer::topk},
    {kTranspose, check::transpose, infer::transpose},
    {kTriangularSolve, check::opaque, infer::like_second},
    {kTuple, check::tuple, infer::tuple_of_operands},
    {kWhile, check::loop, infer::first_operand},
    {kOther, check::opaque},
};

constexpr size_t kOpcodeCount = static_cast<size_t>(kOther) + 1;

// By opcode.
constexpr std::array<OpcodeRules, kOpcodeCount> kRules = [] {
  std::array<OpcodeRules, kOpcodeCount> rules{};
  for (size_t k = 0; k < kOpcodeCount; ++k) {
    rules[k] = {static_cast<HloOpcode>(k), check::known_elementwise, infer::known_elementwise};
  }
  for (const OpcodeRules& row : kRows) rules[static_cast<size_t>(row.opcode)] = row;
  return rules;
}();

}  // namespace

const OpcodeRules& rules_of(HloOpcode opcode) { return kRules[static_cast<size_t>(opcode)]; }

}  // namespace tileproof
