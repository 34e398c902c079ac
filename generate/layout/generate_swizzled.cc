// SPDX-License-Identifier: Apache-2.0
#include "generate/layout/generate_swizzled.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "generate/layout/generate_nested.h"

namespace tileproof {
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
    strides.push_back(choose.between(0, 40));
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
