// SPDX-License-Identifier: Apache-2.0
// Definitions: targets of custom calls.
//
//     a = f32[4] custom-call(f32[4] x), custom_call_target="Sharding"       o = (3) reads x(3)
//     c = f32[4] custom-call(f32[4] x), custom_call_target="f"              o = (3) reads all of x
//
// A target annotates if its result is its operand: it says something to the compiler about the
// array (where it is, how it is divided) and changes no element. The definition holds only where
// the text agrees: one operand, with the arrays of the result in their order, each of the same
// sizes and element type. A shard of an array has other sizes, unless a device holds all of it.
#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "spec/hlo/definition_structure.h"

namespace tileproof::spec {
namespace {

struct Annotation {
  absl::string_view target;
  absl::string_view source;  // a file of XLA that says so
};

constexpr Annotation kAnnotations[] = {
    {"Sharding", "xla/service/sharding_remover.cc"},
    {"SPMDFullToShardShape", "xla/service/sharding_remover.cc"},
    {"SPMDShardToFullShape", "xla/service/sharding_remover.cc"},
    {"xla.sdy.FuncResultSharding", "xla/service/spmd/shardy/constants.h"},
    {"ShardBarrierFrom", "xla/service/spmd/shard_barrier_partitioner.h"},
    {"ShardBarrierTo", "xla/service/spmd/shard_barrier_partitioner.h"},
    {"annotate_device_placement", "xla/service/host_memory_offload_annotations.h"},
    {"MoveToHost", "xla/service/host_memory_offload_annotations.h"},
    {"MoveToDevice", "xla/service/host_memory_offload_annotations.h"},
    {"LayoutConstraint", "xla/service/layout_assignment.cc"},
    {"Pin", "xla/service/gpu: no kernel, the result is the operand's memory"},
    {"Unpin", "xla/service/gpu: no kernel, the result is the operand's memory"},
};

bool is_annotation(absl::string_view target) {
  return std::ranges::any_of(kAnnotations, [&](const Annotation& a) { return a.target == target; });
}

}  // namespace

AccessRelation accesses(const op::CustomCall& call, int64_t part, const CheckedOp& op) {
  if (is_annotation(call.target) && call.is_like_operand) {
    const OperandLeaf from{0, static_cast<int32_t>(part)};
    return {.dependences = {same(from, std::ssize(op.result[part].dims))}};
  }
  AccessRelation relation = everything(op);
  const std::string name = call.target.empty() ? "" : absl::StrCat(" \"", call.target, "\"");
  relation.conservative = absl::StrCat("custom-call", name, ": opaque");
  return relation;
}

}  // namespace tileproof::spec
