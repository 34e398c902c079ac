// SPDX-License-Identifier: Apache-2.0
#include "spec/layout/blocked_layout.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"
#include "spec/layout/tiled_layout.h"

namespace tileproof::spec {
namespace {

// Returns the product of the blocks of dimension d.
absl::StatusOr<int64_t> block_of(const BlockedFormat& format, int64_t d) {
  int64_t product = 1;
  for (const BlockedFormat::Block& block : format.blocks) {
    if (block.dimension != d) continue;
    const std::optional<int64_t> next = checked_mul(product, block.size);
    if (!next) {
      return absl::OutOfRangeError(
          absl::StrCat("the blocks of dimension ", d, " do not fit 64 signed bits"));
    }
    product = *next;
  }
  return product;
}

// Splits dimension `at`, the logical dimension d, into (outer, block, block, ..). `left` is the
// product of the blocks that have not been split off.
absl::Status split_into_blocks(LayoutBuilder& builder, const BlockedFormat& format, int64_t d,
                               int64_t at, int64_t left) {
  for (const BlockedFormat::Block& block : format.blocks) {
    if (block.dimension != d) continue;
    TRY(builder.take(Split{at++, left}));
    left /= block.size;
  }
  return absl::OkStatus();
}

// Returns the transpose from the order after all splits, (outer, block, block, ..) for each
// dimension, to the order of the format.
Transpose as_written(const BlockedFormat& format) {
  std::vector<int64_t> next(format.rank());  // position of the next part of each dimension
  int64_t position = 0;
  for (int64_t d = 0; d < format.rank(); ++d) {
    next[d] = position++;
    for (const BlockedFormat::Block& block : format.blocks)
      position += block.dimension == d ? 1 : 0;
  }
  Transpose step;
  for (int64_t d : format.outer) step.from.push_back(next[d]++);
  for (const BlockedFormat::Block& block : format.blocks)
    step.from.push_back(next[block.dimension]++);
  return step;
}

}  // namespace

absl::StatusOr<TiledLayout> blocked_layout(const BlockedShape& shape) {
  absl::Status status = validate(shape);
  if (!status.ok()) return status;
  const BlockedFormat& format = shape.format;
  LayoutBuilder builder(shape.dims);
  for (int64_t d = format.rank() - 1; d >= 0; --d) {  // a split moves only later dimensions
    const int64_t block = TRY(block_of(format, d));
    status = builder.take(Pad{d, block});
    if (status.ok()) status = split_into_blocks(builder, format, d, d, block);
    if (!status.ok()) return status;
  }
  status = builder.take(as_written(format));
  builder.mark_physical();
  if (status.ok()) status = builder.combine_all();
  if (!status.ok()) return status;
  return std::move(builder).finish(8 * byte_width(shape.element_type));
}

}  // namespace tileproof::spec
