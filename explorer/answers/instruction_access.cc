// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "absl/strings/str_cat.h"
#include "explorer/answers/panels.h"
#include "impl/hlo/analysis_scope.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof::explorer {

absl::StatusOr<InstructionAccess> instruction_access(impl::IndexingAnalysis& analysis,
                                                     const HloModule& module, int32_t computation,
                                                     int32_t instruction, int32_t output) {
  const impl::Indexing indexing = TRY(analysis.reads(computation, instruction, output));
  const HloComputation& in = module.computations[computation];
  const HloInstruction& at = in.instructions[instruction];
  const auto sizes = TRY(impl::sizes_read(module, computation, instruction, Scope::kInstruction));
  InstructionAccess found;
  found.access.title = to_text(in, instruction);
  found.access.result = TRY(impl::sizes_of_result(module, computation, instruction, output));
  for (size_t k = 0; k < indexing.size(); ++k) {
    const HloInstruction& operand = in.instructions[at.operands[k].instruction];
    const Leaves leaves = shape_leaves_of(*operand.shape).leaves;
    for (size_t leaf = 0; leaf < indexing[k].size(); ++leaf) {
      const impl::LeafMaps& list = indexing[k][leaf];
      const std::string part = leaves.size() > 1 ? absl::StrCat("#", leaf) : "";
      picture::ReadArray array{
          absl::StrCat("operand ", k, ", ", operand.name, part), sizes[k][leaf], {}};
      for (const impl::IndexedMap& one : list.maps) array.maps.push_back(one.map);
      if (list.inexact) array.note = "superset: nothing is missing, some elements may be too many";
      if (leaves[leaf].array == nullptr) continue;  // a token
      found.access.arrays.push_back(std::move(array));
      found.shapes.push_back(*leaves[leaf].array);
    }
  }
  return found;
}

absl::StatusOr<std::string> reads_picture(const InstructionAccess& at, const impl::Tile& tile) {
  if (tile.empty()) return picture::reads_svg(at.access, picture::corner_tile(at.access.result));
  TRY(impl::expect_tile(tile, at.access.result));
  std::vector<picture::TileSpan> drawn;
  for (const impl::TileDimension& dimension : tile) {
    drawn.push_back({dimension.offset, dimension.size, dimension.stride});
  }
  return picture::reads_svg(at.access, drawn);
}

absl::StatusOr<std::string> heat_picture(const InstructionAccess& at) {
  return picture::heat_svg(at.access);
}

absl::StatusOr<std::string> traffic_picture(const InstructionAccess& at, const IndexingMap& threads,
                                            const Warps& warps) {
  return picture::traffic_svg(at.access, at.shapes, threads, warps);
}

}  // namespace tileproof::explorer
