// SPDX-License-Identifier: Apache-2.0
#include "generate/layout/generate_blocked.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "generate/choose/limits.h"
#include "generate/layout/generate_nested.h"
#include "generate/layout/generate_shape.h"
#include "generate/layout/generate_swizzled.h"

namespace tileproof {

BlockedShape random_blocked_shape(Choose& choose, int64_t magnitude) {
  const int64_t rank = choose_within(choose, limits::kBlockedRank);
  std::vector<int64_t> outer, dims;
  for (int64_t d = 0; d < rank; ++d) {
    outer.insert(outer.begin() + choose(d + 1), d);
    const int64_t most = choose.chance(1, 3) ? std::min<int64_t>(magnitude, 3) : magnitude;
    dims.push_back(choose.between(1, std::max<int64_t>(1, most)));
    magnitude /= dims.back();
  }
  std::vector<BlockedFormat::Block> blocks;
  for (int64_t i = choose_within(choose, limits::kBlocks); i > 0; --i)
    blocks.push_back({choose(rank), choose.pick<int64_t>({2, 4, 8, 16, 3, 1, 5})});
  return {plain_format(std::move(outer), std::move(blocks)), ElementType::kF32, std::move(dims)};
}

AnyLayout random_any_layout(Choose& choose, int64_t magnitude) {
  switch (choose(7)) {
    case 0:
      return random_shape(choose, magnitude);
    case 1:
      return random_blocked_shape(choose, magnitude);
    case 2:
      return random_tagged_shape(choose, magnitude);
    case 3:
      return random_compact_layout(choose, magnitude);
    case 4:
      return random_swizzled_layout(choose, magnitude);
    case 5:
      return random_memref(choose, magnitude);
    default:
      return random_nested_layout(choose, magnitude);
  }
}

AnyLayout layout_of_choices(absl::Span<const uint8_t> bytes) {
  Choose choose(Choose::Bytes{bytes});
  const int64_t magnitude = int64_t{1} << choose.pick<int64_t>({6, 8, 3, 30, 60});
  return random_any_layout(choose, magnitude);
}

}  // namespace tileproof
