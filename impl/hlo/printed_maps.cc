// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/printed_maps.h"

#include "impl/hlo/backward_slice.h"
#include "impl/hlo/merge_maps.h"

namespace tileproof::impl {

const absl::StatusOr<LeavesRead>& PrintedMaps::reads(int32_t leaf) {
  const auto known = reads_.find(leaf);
  if (known != reads_.end()) return known->second;
  absl::StatusOr<LeavesRead> found = leaves_read(analysis_, computation_, instruction_, leaf);
  if (found.ok()) {
    for (LeafRead& read : *found) merge_maps(read.list.maps);
  }
  return reads_.emplace(leaf, std::move(found)).first->second;
}

const absl::StatusOr<std::vector<LeavesReached>>& PrintedMaps::reached() {
  if (reached_) return *reached_;
  reached_ = leaves_reached(analysis_, computation_, instruction_);
  if (!reached_->ok()) return *reached_;
  for (LeavesReached& from : **reached_) {
    for (LeafReached& one : from) merge_maps(one.list.maps);
  }
  return *reached_;
}

std::vector<OperandLeaf> PrintedMaps::inputs() {
  const ComputationView& view = analysis_.within(computation_).view();
  const std::vector<HloOperand>& operands = view.computation().instructions[instruction_].operands;
  std::vector<OperandLeaf> inputs;
  for (int32_t k = 0; k < std::ssize(operands); ++k) {
    const auto leaves = std::ssize(view.shapes[operands[k].instruction].leaves);
    for (int32_t leaf = 0; leaf < leaves; ++leaf) inputs.push_back({k, leaf});
  }
  return inputs;
}

void PrintedMaps::sort_by_result() {
  auto from = reached()->begin();
  of_result_.emplace();
  for (const auto& [operand, leaf] : inputs()) {
    for (const LeafReached& one : *from++)
      (*of_result_)[one.leaf].push_back({operand, leaf, &one.list});
  }
}

absl::StatusOr<std::vector<MapsBetween>> PrintedMaps::of_result(int32_t leaf) {
  if (direction_ == Direction::kInputToOutput) {
    if (!reached().ok()) return reached().status();
    if (!of_result_) sort_by_result();
    return (*of_result_)[leaf];
  }
  const absl::StatusOr<LeavesRead>& found = reads(leaf);
  if (!found.ok()) return found.status();
  std::vector<MapsBetween> all;
  for (const LeafRead& read : *found) all.push_back({read.operand, read.leaf, &read.list});
  return all;
}

}  // namespace tileproof::impl
