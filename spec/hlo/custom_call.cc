// SPDX-License-Identifier: Apache-2.0
// Definitions: targets of custom calls.
//
//     a = f32[4] custom-call(f32[4] x), custom_call_target="Sharding"       o = (3) reads x(3)
//     c = f32[4] custom-call(f32[4] x), custom_call_target="f"              o = (3) reads all of x
//     r = f32[5] custom-call(f32[5] x), custom_call_target="tileproof.read",
//         backend_config="affine_map<(d0) -> ((d0 + 2) mod 5)>"          o = (4) reads x(1)
//     e = f32[4] custom-call(f32[4] x), custom_call_target="tileproof.elementwise",
//         backend_config="chlo.erf_inv"                                  o = (3) reads x(3)
//     t = (f32[4,2], s32[4,2]) custom-call(f32[4,9] x), custom_call_target="TopK"
//                                                               o = (3,1) reads x(3,s0), s0 < 9
//
// A target annotates if its result is its operand: it says something to the compiler about the
// array (where it is, how it is divided) and changes no element. The definition holds only where
// the text agrees: one operand, with the arrays of the result in their order, each of the same
// sizes and element type. A shard of an array has other sizes, unless a device holds all of it.
//
// A target that ranks is the operation topk: one array, and two of the same dimensions but for the
// last, which is not longer.
//
// A target that attends computes, for each batch b and head h, the rows t of softmax(q k^T + bias) v:
//
//     o = (b,h,t,d) reads q(b,h,t,s1), k(b,h,s0,s1), v(b,h,s0,d), bias(b,h,t,s0)
//     o = (b,h,t)   reads the same without v: the sum of the row's exponentials
//
// with s0 <= t if the mask is causal. A further part of the result is scratch memory: nothing flows.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/hlo/definition_reduce.h"
#include "spec/hlo/definition_structure.h"

namespace tileproof::spec {
namespace {

struct Target {
  absl::string_view name;
  absl::string_view source;  // a file of XLA that says so
};

constexpr Target kAnnotations[] = {
    {"Sharding", "xla/service/sharding_remover.cc"},
    {"SPMDFullToShardShape", "xla/service/sharding_remover.cc"},
    {"SPMDShardToFullShape", "xla/service/sharding_remover.cc"},
    {"xla.sdy.FuncResultSharding", "xla/service/spmd/shardy/constants.h"},
    {"xla.sdy.GlobalToLocalShape", "xla/service/spmd/shardy/constants.h"},
    {"xla.sdy.LocalToGlobalShape", "xla/service/spmd/shardy/constants.h"},
    {"ShardBarrierFrom", "xla/service/spmd/shard_barrier_partitioner.h"},
    {"ShardBarrierTo", "xla/service/spmd/shard_barrier_partitioner.h"},
    {"annotate_device_placement", "xla/service/host_memory_offload_annotations.h"},
    {"MoveToHost", "xla/service/host_memory_offload_annotations.h"},
    {"MoveToDevice", "xla/service/host_memory_offload_annotations.h"},
    {"LayoutConstraint", "xla/service/layout_assignment.cc"},
    {"Pin", "xla/service/gpu: no kernel, the result is the operand's memory"},
    {"Unpin", "xla/service/gpu: no kernel, the result is the operand's memory"},
};

constexpr Target kRankings[] = {
    {"TopK", "xla/service/topk_rewriter.cc"},
    {"__gpu$TopK", "xla/service/gpu/transforms/topk_specializer.cc"},
};

constexpr Target kAttentions[] = {
    {"__cudnn$fmhaSoftmax", "xla/service/gpu/cublas_cudnn.h"},
    {"__cudnn$fmhaScaleBiasSoftmax", "xla/service/gpu/cublas_cudnn.h"},
};

bool is_one_of(absl::Span<const Target> targets, absl::string_view name) {
  return std::ranges::any_of(targets, [&](const Target& target) { return target.name == name; });
}

// Whether the text agrees with topk.
bool has_topk_shapes(const CheckedOp& op) {
  if (op.operands.size() != 1 || op.operands[0].size() != 1 || op.result.size() != 2) return false;
  const Dims& operand = op.operands[0][0].dims;
  return !operand.empty() && std::ranges::all_of(op.result, [&](const Leaf& part) {
    return part.dims.size() == operand.size() && part.dims.back() <= operand.back() &&
           std::equal(operand.begin(), operand.end() - 1, part.dims.begin());
  });
}

// One operand. Range variable 0 is the column, and 1 the depth of q and k.
Dependence attended(const op::Attention& call, int32_t operand) {
  using enum op::Attention::Role;
  const std::array<int64_t, 4>& place = call.places[operand];
  access::Projection p;
  p.coordinates.resize(4);
  p.coordinates[place[kBatch]] = access::output(0);
  p.coordinates[place[kHead]] = access::output(1);
  p.coordinates[place[kPosition]] = operand == 0 ? access::output(2) : access::range(0);
  p.coordinates[place[kDepth]] = operand == 2 ? access::output(3) : access::range(1);
  Dims ranges = {call.columns};
  if (operand != 2) ranges.push_back(call.depth);
  if (!call.is_causal) return {operand, 0, ranges, std::move(p)};
  return {operand, 0, ranges, access::Causal{std::move(p), 2, 0}};
}

// A bias of size 1 serves all batches, heads, rows or columns.
Dependence biased(const op::Attention& call) {
  access::Projection p;
  for (int64_t d = 0; d < 4; ++d) {
    p.coordinates.push_back(call.bias[d] == 1 ? access::constant(0)
                            : d == 3          ? access::range(0)
                                              : access::output(d));
  }
  if (!call.is_causal) return {3, 0, {call.columns}, std::move(p)};
  return {3, 0, {call.columns}, access::Causal{std::move(p), 2, 0}};
}

AccessRelation accesses_of(const op::Attention& call, const Leaf& part) {
  const bool is_row = part.dims == Dims(call.result.begin(), call.result.end() - 1);
  AccessRelation relation;
  if (part.dims != call.result && !is_row) return relation;
  for (const int32_t operand : {0, 1, 2}) {
    if (operand < 2 || !is_row) relation.dependences.push_back(attended(call, operand));
  }
  if (!call.bias.empty()) relation.dependences.push_back(biased(call));
  return relation;
}

}  // namespace

AccessRelation accesses(const op::CustomCall& call, int64_t part, const CheckedOp& op) {
  if (call.target == "tileproof.elementwise") {
    AccessRelation relation;
    for (int32_t k = 0; k < std::ssize(op.operands); ++k)
      relation.dependences.push_back(same({k, 0}, std::ssize(op.result[part].dims)));
    return relation;
  }
  if (is_one_of(kAnnotations, call.target) && call.is_like_operand) {
    const OperandLeaf from{0, static_cast<int32_t>(part)};
    return {.dependences = {same(from, std::ssize(op.result[part].dims))}};
  }
  if (is_one_of(kRankings, call.target) && has_topk_shapes(op)) {
    return accesses(op::TopK{op.operands[0][0].dims});
  }
  if (is_one_of(kAttentions, call.target) && call.attention) {
    return accesses_of(*call.attention, op.result[part]);
  }
  if (call.read) return {.dependences = {{.access = access::Read{*call.read}}}};
  AccessRelation relation = everything(op);
  const std::string name = call.target.empty() ? "" : absl::StrCat(" \"", call.target, "\"");
  relation.conservative = absl::StrCat("custom-call", name, ": opaque");
  return relation;
}

}  // namespace tileproof::spec
