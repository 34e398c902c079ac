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
  Walk(ComputationDependences& dependences, const Summaries& summaries)
      : dependences_(dependences), view_(dependences.view()), summaries_(summaries) {
    for (const int32_t parameter : parameters_of(view_.computation())) {
      const auto leaves = static_cast<int32_t>(view_.shapes[parameter].leaves.size());
      for (int32_t leaf = 0; leaf < leaves; ++leaf) {
        const auto number = view_.computation().instructions[parameter].parameter_number;
        parameters_.push_back({static_cast<int32_t>(number), leaf});
      }
    }
    arrays_.resize(view_.sizes.size());
  }

  std::vector<ReachedLeaves> run() {
    const HloComputation& computation = view_.computation();
    for (int32_t leaf = 0; leaf < leaf_count(computation.root); ++leaf) {
      arrays_[number_of(computation.root, leaf)].needed = true;
    }
    for (int32_t i = computation.root; i >= 0; --i) {
      for (int32_t leaf = 0; leaf < leaf_count(i); ++leaf) find_sources(i, leaf);
    }
    for (int32_t i = 0; i <= computation.root; ++i) {
      for (int32_t leaf = 0; leaf < leaf_count(i); ++leaf) visit(i, leaf);
    }
    std::vector<ReachedLeaves> result;
    for (int32_t leaf = 0; leaf < leaf_count(computation.root); ++leaf) {
      result.push_back(reached(arrays_[number_of(computation.root, leaf)]));
    }
    return result;
  }

 private:
  struct Array {
    bool needed = false;
    std::vector<int32_t> sources = {};              // numbers of the arrays that it depends on
    std::optional<int32_t> same_as = std::nullopt;  // the one that is handed on
    Bits bits = {};
    std::optional<OperandLeaf> handed_on = std::nullopt;
  };

  int32_t leaf_count(int32_t instruction) const {
    return static_cast<int32_t>(view_.shapes[instruction].leaves.size());
  }
  int32_t number_of(int32_t instruction, int32_t leaf) const {
    return view_.first_leaf[instruction] + leaf;
  }

  ReachedLeaves reached(const Array& root) const {
    ReachedLeaves one;
    one.handed_on = root.handed_on;
    for (size_t p = 0; p < parameters_.size(); ++p) {
      if (root.bits[p / 64] >> (p % 64) & 1) one.leaves.push_back(parameters_[p]);
    }
    return one;
  }

  // Marks what an array needs.
  void find_sources(int32_t i, int32_t leaf) {
    const HloInstruction& at = view_.computation().instructions[i];
    Array& array = arrays_[number_of(i, leaf)];
    if (!array.needed || at.opcode == HloOpcode::kParameter) return;
    const absl::StatusOr<Dependences>& own = dependences_.of(i, leaf);
    if (!own.ok()) return;
    const auto add = [&](const OperandLeaf& from) {
      const int32_t operand = at.operands[from.operand].instruction;
      if (from.leaf >= leaf_count(operand)) return;
      const int32_t number = number_of(operand, from.leaf);
      arrays_[number].needed = true;
      array.sources.push_back(number);
    };
    const auto shape_of = [&](int32_t operand) { return view_.shapes[operand].shape; };
    const bool is_empty = has_no_elements(view_.sizes[number_of(i, leaf)]);
    if (const auto from = is_empty ? std::nullopt : forwarded_leaf(at, leaf, shape_of)) {
      add(*from);
      if (!array.sources.empty()) array.same_as = array.sources.front();
      return;
    }
    if (const auto inside = sources_inside(at, leaf)) {
      for (const OperandLeaf& from : *inside) add(from);
      return;
    }
    for (const Dependence& one : own->dependences) add({one.operand, one.leaf});
  }

  // What an operation that runs computations needs; nothing for others.
  std::optional<std::vector<OperandLeaf>> sources_inside(const HloInstruction& at,
                                                         int32_t leaf) const {
    switch (at.opcode) {
      case HloOpcode::kCall:
      case HloOpcode::kFusion:
        if (const ReachedLeaves* inside = summary_of(callee_of(at), leaf)) return inside->leaves;
        return std::nullopt;
      case HloOpcode::kWhile:
        return sources_of_loop(at, leaf);
      default:
        return std::nullopt;
    }
  }

  std::optional<std::vector<OperandLeaf>> sources_of_loop(const HloInstruction& at,
                                                          int32_t leaf) const {
    const std::vector<int32_t> body = called_computations(at, "body");
    const std::vector<int32_t> condition = called_computations(at, "condition");
    if (body.size() != 1 || condition.size() != 1 || body[0] < 0) return std::nullopt;
    if (leaf >= std::ssize(summaries_[body[0]])) return std::nullopt;
    std::vector<OperandLeaf> met = {{0, leaf}};
    const ReachedLeaves* own = summary_of(body[0], leaf);
    if (own != nullptr && own->handed_on == met[0]) return met;
    std::vector<char> is_met(summaries_[body[0]].size());
    is_met[leaf] = true;
    const auto add = [&](const std::vector<OperandLeaf>& more) {
      for (const OperandLeaf& one : more) {
        if (one.leaf < std::ssize(is_met) && !std::exchange(is_met[one.leaf], true)) {
          met.push_back(one);
        }
      }
    };
    if (const ReachedLeaves* test = summary_of(condition[0], 0)) add(test->leaves);
    for (size_t next = 0; next < met.size(); ++next) {
      if (const ReachedLeaves* step = summary_of(body[0], met[next].leaf)) add(step->leaves);
    }
    return met;
  }

  const ReachedLeaves* summary_of(int32_t computation, int32_t leaf) const {
    if (computation < 0) return nullptr;
    const Summary& summary = summaries_[computation];
    if (leaf >= std::ssize(summary) || !summary[leaf].ok()) return nullptr;
    return summary[leaf]->reached.get();
  }

  // Unites what the sources of an array reach.
  void visit(int32_t i, int32_t leaf) {
    const HloInstruction& at = view_.computation().instructions[i];
    Array& array = arrays_[number_of(i, leaf)];
    if (!array.needed) return;
    array.bits.resize((parameters_.size() + 63) / 64);
    if (at.opcode == HloOpcode::kParameter) {
      const OperandLeaf own{static_cast<int32_t>(at.parameter_number), leaf};
      const auto p = static_cast<size_t>(std::ranges::find(parameters_, own) - parameters_.begin());
      if (p == parameters_.size()) return;
      array.bits[p / 64] |= uint64_t{1} << (p % 64);
      array.handed_on = own;
      return;
    }
    for (const int32_t source : array.sources) unite(array.bits, arrays_[source].bits);
    if (array.same_as) array.handed_on = arrays_[*array.same_as].handed_on;
  }

  ComputationDependences& dependences_;
  const ComputationView& view_;
  const Summaries& summaries_;
  std::vector<OperandLeaf> parameters_;
  std::vector<Array> arrays_;  // by number of the leaf
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

std::vector<ReachedLeaves> reached_leaves(ComputationDependences& dependences,
                                          const Summaries& summaries) {
  return Walk(dependences, summaries).run();
}

}  // namespace tileproof::impl
