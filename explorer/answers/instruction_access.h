// SPDX-License-Identifier: Apache-2.0
// The accesses of an HLO instruction as pictures need them: what its maps read of each operand.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "impl/access/coalescing.h"
#include "impl/access/tile.h"
#include "impl/hlo/indexing.h"
#include "picture/access_svg.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/layout/shape.h"

namespace tileproof::explorer {

struct InstructionAccess {
  picture::Access access;
  std::vector<Shape> shapes;  // of the arrays, with layouts
};

// From array `output` of the result to each array of the operands. Errors: those of
// IndexingAnalysis; arrays of unknown size.
absl::StatusOr<InstructionAccess> instruction_access(impl::IndexingAnalysis& analysis,
                                                     const HloModule& module, int32_t computation,
                                                     int32_t instruction, int32_t output);

// The pictures of picture/access_svg.h. A tile without dimensions is the corner of the result.
absl::StatusOr<std::string> reads_picture(const InstructionAccess& at, const impl::Tile& tile);
absl::StatusOr<std::string> heat_picture(const InstructionAccess& at);
absl::StatusOr<std::string> traffic_picture(const InstructionAccess& at, const IndexingMap& threads,
                                            const Warps& warps);

}  // namespace tileproof::explorer
