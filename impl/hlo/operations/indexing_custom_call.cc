// SPDX-License-Identifier: Apache-2.0
// Custom calls. Some targets only say something to the compiler: how an array is divided among
// devices, in which memory it is, which layout it has. They return their operand. Others are topk
// under another name, or attention.
#include <string>
#include <unordered_set>

#include "absl/strings/str_cat.h"
#include "impl/hlo/operations/operation_handler.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {
namespace {

// Whether the calls of this name return their operand.
bool returns_operand(const std::string& target) {
  static const auto* const names = new std::unordered_set<std::string>{
      // Division among devices: XLA's sharding custom calls, and those of Shardy.
      "xla.sdy.GlobalToLocalShape",
      "xla.sdy.LocalToGlobalShape",
      "Sharding",
      "SPMDFullToShardShape",
      "SPMDShardToFullShape",
      "ShardBarrierFrom",
      "ShardBarrierTo",
      "xla.sdy.FuncResultSharding",
      // Memory: XLA's host offloading, and buffers.
      "annotate_device_placement",
      "MoveToDevice",
      "MoveToHost",
      "Pin",
      "Unpin",
      // Layouts: XLA's layout assignment.
      "LayoutConstraint",
  };
  return names->contains(target);
}

// The array whose lines a call ranks: its only operand, if the two results have shorter lines.
const Dims* ranked_by(const std::string& target, const OperationContext& context) {
  if (target != "TopK" && target != "__gpu$TopK") return nullptr;
  if (context.operands() != 1) return nullptr;
  const Leaves& from = context.view.shapes[context.operand(0)].leaves;
  const Leaves& to = context.view.shapes[context.position].leaves;
  if (from.size() != 1 || to.size() != 2 || from[0].dims.empty()) return nullptr;
  for (const Leaf& part : to) {
    Dims longer = part.dims;
    if (longer.empty() || longer.back() > from[0].dims.back()) return nullptr;
    longer.back() = from[0].dims.back();
    if (longer != from[0].dims) return nullptr;
  }
  return &context.sizes({0, 0});
}

// softmax(q k^T + bias) v, with dimensions batch, head, row and depth: XLA's calls of cuDNN.
const op::Attention* attention_in(const op::CustomCall& call) {
  const bool attends =
      call.target == "__cudnn$fmhaSoftmax" || call.target == "__cudnn$fmhaScaleBiasSoftmax";
  return attends && call.attention ? &*call.attention : nullptr;
}

// Operand 0, 1 or 2 (q, k, v), or the bias.
absl::Status add_attended(const op::Attention& call, int32_t operand,
                          const OperationContext& context, Dependences& dependences) {
  if (has_no_elements(context.output)) return absl::OkStatus();
  MapBuilder m(context.output);
  const NodeId row = m.dimension(2), column = m.range(call.columns);
  const NodeId depth = operand == 2 ? m.dimension(3) : operand == 3 ? column : m.range(call.depth);
  const NodeId position = operand == 1 || operand == 2 ? column : row;
  const NodeId roles[] = {m.dimension(0), m.dimension(1), position, depth};
  if (operand == 3) {
    for (size_t d = 0; d < 4; ++d) m.result(call.bias[d] == 1 ? m.constant(0) : roles[d]);
  } else {
    NodeId index[4] = {};
    for (size_t role = 0; role < 4; ++role) index[call.places[operand][role]] = roles[role];
    for (const NodeId coordinate : index) m.result(coordinate);
  }
  if (call.is_causal) m.require(m.minus(row, column), {0, context.output[2] - 1});
  return add_dependence(context, dependences, {operand}, m, Form::kToSimplify);
}

absl::StatusOr<Dependences> attended(const op::Attention& call, const OperationContext& context) {
  Dependences dependences;
  Dims rows = call.result;
  rows.pop_back();
  const bool is_sum = context.output == rows;
  if (call.columns == 0 || (context.output != call.result && !is_sum)) return dependences;
  for (int32_t k = 0; k < context.operands(); ++k) {
    if (k != 2 || !is_sum) TRY(add_attended(call, k, context, dependences));
  }
  return dependences;
}

// x[map(o)], where the operand has it.
absl::StatusOr<Dependences> read(const op::Read& read, const OperationContext& context) {
  if (has_no_elements(context.output)) return Dependences();
  MapBuilder m(context.output);
  std::vector<NodeId> nodes;
  for (const Node& node : read.map.nodes) {
    const auto built = [&] {
      switch (node.op) {
        case Op::kDimension:
          return m.dimension(node.value);
        case Op::kAdd:
          return m.plus(nodes[node.left], nodes[node.right]);
        case Op::kMul: {
          const bool is_left = read.map.nodes[node.left].op == Op::kConstant;
          const NodeId other = is_left ? node.right : node.left;
          return m.times(nodes[other], read.map.nodes[is_left ? node.left : node.right].value);
        }
        case Op::kFloorDiv:
          return m.floordiv(nodes[node.left], read.map.nodes[node.right].value);
        case Op::kCeilDiv: {
          const NodeId down =
              m.floordiv(m.times(nodes[node.left], -1), read.map.nodes[node.right].value);
          return m.times(down, -1);
        }
        case Op::kMod:
          return m.mod(nodes[node.left], read.map.nodes[node.right].value);
        default:
          return m.constant(node.value);
      }
    };
    nodes.push_back(built());
  }
  for (size_t d = 0; d < read.operand.size(); ++d) {
    const NodeId e = nodes[read.map.results[d]];
    m.result(e);
    m.require(e, {0, read.operand[d] - 1});
  }
  return only_dependence(context, m, Form::kToSimplify);
}

}  // namespace

absl::StatusOr<Dependences> dependences_of(const op::CustomCall& call,
                                           const OperationContext& context) {
  if (call.target == "tileproof.elementwise") {
    Dependences dependences;
    for (int32_t k = 0; k < context.operands(); ++k) add_identity(context, dependences, {k});
    return dependences;
  }
  if (call.is_like_operand && returns_operand(call.target)) {
    Dependences dependences;
    add_identity(context, dependences, {0, context.leaf});
    return dependences;
  }
  if (const Dims* ranked = ranked_by(call.target, context)) {
    return dependences_of(op::TopK{*ranked}, context);
  }
  if (const op::Attention* attention = attention_in(call)) return attended(*attention, context);
  if (call.read) return read(*call.read, context);
  const std::string name = call.target.empty() ? "" : absl::StrCat(" \"", call.target, "\"");
  return conservatively(context, absl::StrCat("custom-call", name, ": opaque"));
}

}  // namespace tileproof::impl
