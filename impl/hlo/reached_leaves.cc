// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/reached_leaves.h"

#include <algorithm>
#include <utility>

#include "impl/hlo/leaf_shapes.h"
#include "spec/lang/hlo/hlo_attributes.h"

namespace tileproof::impl {
namespace {

// Sets of leaves of parameters, as bits.
using Bits = std::vector<uint64_t>;

void unite(Bits& into, const Bits& from) {
  for (size_t w = 0; w < from.size(); ++w) into[w] |= from[w];
}

class Walk {
 public:
  Walk(const ComputationView& view, const Summaries& summaries)
      : view_(view), summaries_(summaries) {
    for (const int32_t parameter : parameters_of(view.computation())) {
      const auto leaves = static_cast<int32_t>(view.shapes[parameter].leaves.size());
      for (int32_t leaf = 0; leaf < leaves; ++leaf) {
        const auto number = view.computation().instructions[parameter].parameter_number;
        parameters_.push_back({static_cast<int32_t>(number), leaf});
      }
    }
    bits_.assign(view.sizes.size(), Bits((parameters_.size() + 63) / 64));
    handed_on_.resize(view.sizes.size());
  }

  std::vector<ReachedLeaves> run() {
    const HloComputation& computation = view_.computation();
    for (int32_t i = 0; i <= computation.root; ++i) {
      for (int32_t leaf = 0; leaf < leaf_count(i); ++leaf) visit(i, leaf);
    }
    std::vector<ReachedLeaves> result;
    for (int32_t leaf = 0; leaf < leaf_count(computation.root); ++leaf) {
      const int32_t number = number_of(computation.root, leaf);
      ReachedLeaves& one = result.emplace_back();
      one.handed_on = handed_on_[number];
      for (size_t p = 0; p < parameters_.size(); ++p) {
        if (bits_[number][p / 64] >> (p % 64) & 1) one.leaves.push_back(parameters_[p]);
      }
    }
    return result;
  }

 private:
  int32_t leaf_count(int32_t instruction) const {
    return static_cast<int32_t>(view_.shapes[instruction].leaves.size());
  }
  int32_t number_of(int32_t instruction, int32_t leaf) const {
    return view_.first_leaf[instruction] + leaf;
  }

  void visit(int32_t i, int32_t leaf) {
    const HloInstruction& at = view_.computation().instructions[i];
    const int32_t number = number_of(i, leaf);
    if (at.opcode == HloOpcode::kParameter) {
      const OperandLeaf own{static_cast<int32_t>(at.parameter_number), leaf};
      const auto p = static_cast<size_t>(std::ranges::find(parameters_, own) - parameters_.begin());
      if (p == parameters_.size()) return;
      bits_[number][p / 64] |= uint64_t{1} << (p % 64);
      handed_on_[number] = own;
      return;
    }
    if (const auto from = forwarded_leaf(
            at, leaf, [&](int32_t operand) { return view_.shapes[operand].shape; })) {
      const int32_t before = number_of(at.operands[from->operand].instruction, from->leaf);
      bits_[number] = bits_[before];
      handed_on_[number] = handed_on_[before];
      return;
    }
    for (const OperandLeaf& from : sources_of(at, leaf)) {
      const int32_t operand = at.operands[from.operand].instruction;
      if (from.leaf < leaf_count(operand)) {
        unite(bits_[number], bits_[number_of(operand, from.leaf)]);
      }
    }
  }

  // The leaves of operands that may flow into a leaf.
  std::vector<OperandLeaf> sources_of(const HloInstruction& at, int32_t leaf) const {
    const bool calls = at.opcode == HloOpcode::kCall || at.opcode == HloOpcode::kFusion;
    if (calls && callee_of(at) >= 0) {
      if (const ReachedLeaves* inside = summary_of(callee_of(at), leaf)) return inside->leaves;
    }
    if (at.opcode == HloOpcode::kWhile) {
      const std::vector<int32_t> body = called_computations(at, "body");
      const ReachedLeaves* inside = body.size() == 1 ? summary_of(body[0], leaf) : nullptr;
      const OperandLeaf own{0, leaf};
      if (inside != nullptr && inside->handed_on == own) return {own};
    }
    std::vector<OperandLeaf> all;
    for (int32_t k = 0; k < std::ssize(at.operands); ++k) {
      const int32_t count = leaf_count(at.operands[k].instruction);
      for (int32_t l = 0; l < count; ++l) all.push_back({k, l});
    }
    return all;
  }

  const ReachedLeaves* summary_of(int32_t computation, int32_t leaf) const {
    if (computation < 0) return nullptr;
    const Summary& summary = summaries_[computation];
    if (leaf >= std::ssize(summary) || !summary[leaf].ok()) return nullptr;
    return summary[leaf]->reached.get();
  }

  const ComputationView& view_;
  const Summaries& summaries_;
  std::vector<OperandLeaf> parameters_;
  std::vector<Bits> bits_;                             // by number of the leaf
  std::vector<std::optional<OperandLeaf>> handed_on_;  // likewise
};

}  // namespace

std::optional<OperandLeaf> forwarded_leaf(const HloInstruction& at, int32_t leaf,
                                          absl::FunctionRef<const Shape*(int32_t)> shape_of) {
  const auto leaves_in = [&](const Shape* shape) {
    return shape == nullptr ? 0 : leaf_count(*shape);
  };
  const auto in_operand = [&](int32_t k, int32_t l) -> std::optional<OperandLeaf> {
    if (k >= std::ssize(at.operands)) return std::nullopt;
    if (l >= leaves_in(shape_of(at.operands[k].instruction))) return std::nullopt;
    return OperandLeaf{k, l};
  };
  switch (at.opcode) {
    case HloOpcode::kCopy:
    case HloOpcode::kOptBarrier:
      return in_operand(0, leaf);
    case HloOpcode::kTuple:
      for (int32_t k = 0; k < std::ssize(at.operands); ++k) {
        const int32_t count = leaves_in(shape_of(at.operands[k].instruction));
        if (leaf < count) return OperandLeaf{k, leaf};
        leaf -= count;
      }
      return std::nullopt;
    case HloOpcode::kGetTupleElement: {
      const auto index = integer_of(at, "index");
      if (!index.ok() || at.operands.size() != 1) return std::nullopt;
      const Shape* shape = shape_of(at.operands[0].instruction);
      if (shape == nullptr || *index < 0 || *index >= std::ssize(shape->parts)) return std::nullopt;
      for (int64_t part = 0; part < *index; ++part) leaf += leaf_count(shape->parts[part]);
      return in_operand(0, leaf);
    }
    default:
      return std::nullopt;
  }
}

std::vector<ReachedLeaves> reached_leaves(const ComputationView& view, const Summaries& summaries) {
  return Walk(view, summaries).run();
}

}  // namespace tileproof::impl
