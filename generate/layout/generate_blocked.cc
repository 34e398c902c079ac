// SPDX-License-Identifier: Apache-2.0
#include "generate/layout/generate_blocked.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "generate/choose/limits.h"
#include "generate/layout/generate_nested.h"
#include "generate/layout/generate_shape.h"

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

namespace {

std::string dimensions(size_t rank) {
  std::vector<std::string> names;
  for (size_t d = 0; d < rank; ++d) names.push_back(absl::StrCat("d", d));
  return absl::StrJoin(names, ", ");
}

// The results of a layout map that cuts some dimensions into tiles, in any order.
std::string tiled_results(Choose& choose, size_t rank) {
  std::vector<std::string> outer, inner;
  for (size_t d = 0; d < rank; ++d) {
    const int64_t tile = choose.pick<int64_t>({1, 2, 4, 8, 3, 16});
    const std::string name = absl::StrCat("d", d);
    const size_t at = static_cast<size_t>(choose(std::ssize(outer) + 1));
    if (tile == 1) {
      outer.insert(outer.begin() + static_cast<int64_t>(at), name);
      continue;
    }
    outer.insert(outer.begin() + static_cast<int64_t>(at), absl::StrCat(name, " floordiv ", tile));
    inner.push_back(absl::StrCat(name, " mod ", tile));
  }
  outer.insert(outer.end(), inner.begin(), inner.end());
  return absl::StrJoin(outer, ", ");
}

}  // namespace

Swizzle random_swizzle(Choose& choose) {
  const int64_t most = choose.chance(1, 8) ? 20 : 4;
  const int64_t bits = choose.between(0, most);
  const int64_t shift = choose.between(bits, most + 1);
  return {bits, choose.between(0, most), choose.chance(1, 4) ? -shift : shift};
}

SwizzledLayout random_swizzled_layout(Choose& choose, int64_t magnitude) {
  SwizzledLayout result{random_swizzle(choose), choose.chance(1, 4) ? choose(100) : 0,
                        random_compact_layout(choose, std::min<int64_t>(magnitude, 1 << 12))};
  if (result.start == 0 && choose.chance(1, 3)) {
    result.pointer_bits = choose.pick<int64_t>({16, 8, 32, 4, 1, 64, 128});
    if (!validate(result).ok()) result.pointer_bits.reset();  // torn elements
  }
  return result;
}

MemRef random_memref(Choose& choose, int64_t magnitude) {
  const auto rank = static_cast<size_t>(choose.between(1, 3));
  std::vector<int64_t> dims, strides;
  for (size_t d = 0; d < rank; ++d) {
    dims.push_back(choose.between(1, std::max<int64_t>(1, std::min<int64_t>(magnitude, 1 << 16))));
    magnitude /= dims.back();
    const int64_t stride = choose.between(0, 40);
    strides.push_back(choose.chance(1, 3) ? -stride : stride);
  }
  std::string layout;
  const int64_t kind = choose(4);
  if (kind == 1) {
    layout = absl::StrCat(", strided<[", absl::StrJoin(strides, ", "), "]",
                          choose.chance(1, 3) ? absl::StrCat(", offset: ", choose(50)) : "", ">");
  } else if (kind > 1) {
    layout = absl::StrCat(", affine_map<(", dimensions(rank), ") -> (", tiled_results(choose, rank),
                          ")>");
  }
  const std::string space = choose.chance(1, 8) ? ", #gpu.address_space<workgroup>" : "";
  return *parse_memref(
      absl::StrCat("memref<", absl::StrJoin(dims, "x"), "xf32", layout, space, ">"));
}

}  // namespace tileproof
