// SPDX-License-Identifier: Apache-2.0
// The maps of one instruction as `tileproof map` prints them, merged (impl/hlo/merge_maps.h). Each is
// derived once, when something asks for it first: `map --verify` proves the object that it prints.
//
//     PrintedMaps maps(analysis, computation, instruction, Direction::kOutputToInput);
//     maps.of_result(0)       each operand and leaf that leaf 0 of the result reads, with the maps
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "impl/hlo/indexing.h"
#include "impl/hlo/indexing_result.h"

namespace tileproof::impl {

// The maps between one leaf of the result and one leaf of an operand.
struct MapsBetween {
  int32_t operand = 0, leaf = 0;
  const LeafMaps* list = nullptr;
};

class PrintedMaps {
 public:
  // The analysis must outlive this object.
  PrintedMaps(IndexingAnalysis& analysis, int32_t computation, int32_t instruction,
              Direction direction)
      : analysis_(analysis),
        computation_(computation),
        instruction_(instruction),
        direction_(direction) {}

  int32_t computation() const { return computation_; }
  int32_t instruction() const { return instruction_; }
  Direction direction() const { return direction_; }

  // Output to input: what a leaf of the result reads. Errors: IndexingAnalysis::reads.
  const absl::StatusOr<LeavesRead>& reads(int32_t leaf);
  // Input to output: what each leaf of all operands reaches, and these leaves: an operand without a shape
  // of its own has the one that is written where it is used. Errors: IndexingAnalysis::reached.
  const absl::StatusOr<std::vector<LeavesReached>>& reached();
  std::vector<OperandLeaf> inputs();

  // The maps of either direction from or to a leaf of the result, by operand and leaf; no empty
  // lists.
  absl::StatusOr<std::vector<MapsBetween>> of_result(int32_t leaf);

 private:
  void sort_by_result();

  IndexingAnalysis& analysis_;
  int32_t computation_, instruction_;
  Direction direction_;
  std::map<int32_t, absl::StatusOr<LeavesRead>> reads_;  // by leaf
  std::optional<absl::StatusOr<std::vector<LeavesReached>>> reached_;
  std::optional<std::map<int32_t, std::vector<MapsBetween>>> of_result_;  // of reached_, by leaf
};

}  // namespace tileproof::impl
