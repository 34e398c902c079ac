// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/hlo/operand_walk.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/container/node_hash_map.h"
#include "absl/strings/str_cat.h"

namespace tileproof {

// Marks the leaves that a result depends on, each once.
class OperandWalk::Marks {
 public:
  Marks(const OperandWalk& walk, FollowRegion::UpTo up_to, int32_t computation)
      : walk_(walk), up_to_(up_to), start_(computation) {}

  void reach(int32_t computation, int32_t instruction, int32_t leaf) {
    if (reached_.emplace(computation, instruction, leaf).second) {
      open_.push_back({computation, instruction, leaf});
    }
  }

  absl::Status run() {
    auto first = walk_.errors_.end();
    while (!open_.empty()) {
      const Node node = open_.back();
      open_.pop_back();
      const auto error = walk_.errors_.find({node.computation, node.instruction});
      if (error == walk_.errors_.end()) {
        visit(node);
      } else if (first == walk_.errors_.end() || error->first < first->first) {
        first = error;
      }
    }
    return first == walk_.errors_.end() ? absl::OkStatus() : first->second;
  }

 private:
  struct Node {
    int32_t computation = 0;
    int32_t instruction = 0;
    int32_t leaf = 0;
  };
  // What runs a computation. Its parameter k is operand `first` + k.
  struct Site {
    Node node;
    int32_t first = 0;
    bool is_loop = false;  // then its parameter is also the state after each iteration
  };
  using Parameter = std::pair<int32_t, int32_t>;  // its number, and a leaf
  struct Entered {
    std::vector<Site> sites;
    std::vector<Parameter> parameters;
  };

  const HloInstruction& at(const Node& node) const {
    return walk_.module_.computations[node.computation].instructions[node.instruction];
  }
  const std::vector<ShapeLeaves>& shapes_in(int32_t computation) {
    const auto [known, is_new] = shapes_.try_emplace(computation);
    if (is_new) known->second = shapes_of(walk_.module_.computations[computation]);
    return known->second;
  }
  const op::Any& operation_of(const Node& node) {
    const auto [known, is_new] = operations_.try_emplace({node.computation, node.instruction});
    if (is_new) {
      known->second =
          *checked_operation(walk_.module_, walk_.module_.computations[node.computation],
                             node.instruction, shapes_in(node.computation));
    }
    return known->second;
  }

  void reach_operand(const Node& node, OperandLeaf from) {
    if (up_to_ == FollowRegion::UpTo::kOperands && node.computation == start_) return;
    reach(node.computation, at(node).operands[from.operand].instruction, from.leaf);
  }

  void reach_all_operands(const Node& node) {
    if (!reads_all_.emplace(node.computation, node.instruction).second) return;
    const std::vector<ShapeLeaves>& shapes = shapes_in(node.computation);
    for (int32_t k = 0; k < std::ssize(at(node).operands); ++k) {
      const auto leaves = std::ssize(shapes[at(node).operands[k].instruction].leaves);
      for (int32_t leaf = 0; leaf < std::max<int64_t>(leaves, 1); ++leaf) {
        reach_operand(node, {k, leaf});
      }
    }
  }

  void reach_argument(const Site& site, const Parameter& parameter) {
    if (site.is_loop) reach(site.node.computation, site.node.instruction, parameter.second);
    reach_operand(site.node, {site.first + parameter.first, parameter.second});
  }

  void enter(const Site& site, int32_t computation, int32_t leaf) {
    const Node& from = site.node;
    if (sites_.emplace(computation, from.computation, from.instruction, site.first).second) {
      Entered& entered = entered_[computation];
      entered.sites.push_back(site);
      for (const Parameter& parameter : entered.parameters) reach_argument(site, parameter);
    }
    reach(computation, walk_.module_.computations[computation].root, leaf);
  }

  void visit(const Node& node) {
    if (at(node).opcode == HloOpcode::kParameter) {
      Entered& entered = entered_[node.computation];
      entered.parameters.emplace_back(at(node).parameter_number, node.leaf);
      for (const Site& site : entered.sites) reach_argument(site, entered.parameters.back());
      return;
    }
    visit(node, operation_of(node), node.leaf);
  }

  // `leaf`: of the operation, which the instruction may start.
  void visit(const Node& node, const op::Any& operation, int32_t leaf) {
    if (const auto* forward = std::get_if<op::Forward>(&operation)) {
      if (leaf >= std::ssize(forward->from)) {
        reach_all_operands(node);  // of a result without arrays
      } else if (forward->from[leaf]) {
        reach_operand(node, *forward->from[leaf]);
      }
    } else if (const auto* call = std::get_if<op::Call>(&operation)) {
      enter({node}, call->computation, leaf);
    } else if (const auto* loop = std::get_if<op::While>(&operation)) {
      reach_operand(node, {0, leaf});
      enter({node, 0, true}, loop->condition, 0);
      enter({node, 0, true}, loop->body, leaf);
    } else if (const auto* conditional = std::get_if<op::Conditional>(&operation)) {
      reach_operand(node, {0, 0});
      for (int32_t k = 0; k < std::ssize(conditional->branches); ++k) {
        enter({node, k + 1}, conditional->branches[k], leaf);
      }
    } else if (const auto* start = std::get_if<op::Start>(&operation)) {
      const auto operands = static_cast<int32_t>(start->operands.size());
      if (leaf < operands) {
        reach_operand(node, start->operands[leaf]);
      } else if (start->operation && leaf - operands < std::ssize(start->operation->result)) {
        visit(node, start->operation->operation, leaf - operands);
      }
    } else {
      reach_all_operands(node);
    }
  }

  const OperandWalk& walk_;
  const FollowRegion::UpTo up_to_;
  const int32_t start_;
  std::vector<Node> open_;
  absl::flat_hash_set<std::tuple<int32_t, int32_t, int32_t>> reached_;
  absl::flat_hash_set<std::pair<int32_t, int32_t>> reads_all_;
  absl::flat_hash_set<std::tuple<int32_t, int32_t, int32_t, int32_t>> sites_;
  absl::node_hash_map<int32_t, Entered> entered_;  // by computation
  absl::node_hash_map<int32_t, std::vector<ShapeLeaves>> shapes_;
  absl::node_hash_map<std::pair<int32_t, int32_t>, op::Any> operations_;
};

absl::Status OperandWalk::bitcast_error(const HloInstruction& at, const op::Any& found) const {
  const op::Any* operation = &found;
  const auto* start = std::get_if<op::Start>(operation);
  if (start != nullptr && start->operation) operation = &start->operation->operation;
  const auto* bitcast = std::get_if<op::Bitcast>(operation);
  const absl::Status fits = bitcast == nullptr ? absl::OkStatus() : fits_(*bitcast);
  if (fits.ok()) return fits;
  return absl::Status(fits.code(), absl::StrCat(at.name, ": ", fits.message()));
}

bool OperandWalk::note(int32_t computation, int32_t instruction, absl::Status error) {
  if (error.ok()) return true;
  errors_.try_emplace({computation, instruction}, std::move(error));
  return false;
}

// Whether all instructions of a computation and of those that it enters are valid. Callees have
// lower numbers than their callers.
bool OperandWalk::is_valid(int32_t computation) {
  const std::vector<HloComputation>& computations = module_.computations;
  is_valid_.resize(computations.size());
  std::vector<char> open(computation + 1);
  open[computation] = !is_valid_[computation];
  for (int32_t c = computation; c >= 0; --c) {
    if (!open[c]) continue;
    for (const HloInstruction& at : computations[c].instructions) {
      for (const int32_t callee : entered_computations(at)) open[callee] = !is_valid_[callee];
    }
  }
  for (int32_t c = 0; c <= computation; ++c) {
    if (open[c]) is_valid_[c] = check(c);
  }
  return *is_valid_[computation];
}

bool OperandWalk::check(int32_t computation) {
  const HloComputation& within = module_.computations[computation];
  const std::vector<ShapeLeaves> shapes = shapes_of(within);
  bool valid = true;
  for (int32_t i = 0; i < std::ssize(within.instructions); ++i) {
    const HloInstruction& at = within.instructions[i];
    const auto operation = checked_operation(module_, within, i, shapes);
    valid =
        note(computation, i, operation.ok() ? bitcast_error(at, *operation) : operation.status()) &&
        valid;
    for (const int32_t callee : entered_computations(at)) valid = valid && *is_valid_[callee];
  }
  return valid;
}

absl::Status OperandWalk::expect_valid(FollowRegion::UpTo up_to, int32_t computation,
                                       int32_t instruction, std::optional<int32_t> leaf) {
  const auto [all, is_new] = of_all_leaves_.try_emplace({up_to, computation, instruction});
  if (is_new && !is_valid(up_to, computation, instruction)) {
    all->second = walk(up_to, computation, instruction, std::nullopt);
  }
  return all->second.ok() || !leaf ? all->second : walk(up_to, computation, instruction, leaf);
}

// Whether all instructions up to there are valid, of which some may not be on the way.
bool OperandWalk::is_valid(FollowRegion::UpTo up_to, int32_t computation, int32_t instruction) {
  if (up_to == FollowRegion::UpTo::kParameters) return is_valid(computation);
  const HloComputation& within = module_.computations[computation];
  const HloInstruction& at = within.instructions[instruction];
  const auto op = checked_op(module_, within, at);
  bool valid =
      note(computation, instruction, op.ok() ? bitcast_error(at, op->operation) : op.status());
  for (const int32_t callee : entered_computations(at)) valid = is_valid(callee) && valid;
  return valid;
}

absl::Status OperandWalk::walk(FollowRegion::UpTo up_to, int32_t computation, int32_t instruction,
                               std::optional<int32_t> leaf) const {
  const HloComputation& within = module_.computations[computation];
  const HloInstruction& at = within.instructions[instruction];
  Marks marks(*this, up_to, computation);
  if (up_to == FollowRegion::UpTo::kParameters) {
    for (const int32_t parameter : parameters_of(within)) marks.reach(computation, parameter, 0);
  }
  const auto leaves = at.shape ? std::ssize(shape_leaves_of(*at.shape).leaves) : 0;
  for (int32_t l = 0; l < std::max<int64_t>(leaves, 1); ++l) {
    if (!leaf || *leaf == l) marks.reach(computation, instruction, l);
  }
  return marks.run();
}

}  // namespace tileproof
