// SPDX-License-Identifier: Apache-2.0
#include "generate/layout/generate_blocked.h"

#include <algorithm>
#include <cstdint>
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

namespace {

using Sizes = std::vector<int64_t>;

std::string list_text(const Sizes& sizes) {
  return absl::StrCat("[", absl::StrJoin(sizes, ", "), "]");
}

// A shape and a layout of as many dimensions.
struct ThreadText {
  Sizes dims;
  std::string layout;
};

Sizes random_powers(Choose& choose, size_t rank, int64_t most_bits) {
  Sizes sizes(rank);
  for (int64_t& size : sizes) size = int64_t{1} << choose(most_bits + 1);
  return sizes;
}

Sizes random_order(Choose& choose, size_t rank) {
  Sizes order(rank);
  for (size_t i = 0; i < rank; ++i) order[i] = static_cast<int64_t>(rank - 1 - i);
  for (size_t i = 0; i + 1 < rank; ++i)
    std::swap(order[i], order[i + static_cast<size_t>(choose(static_cast<int64_t>(rank - i)))]);
  return order;
}

// Several blocks, sometimes: those that hold different parts, and copies.
std::string random_blocks(Choose& choose, size_t rank) {
  if (!choose.chance(1, 4)) return "";
  const Sizes split = random_powers(choose, rank, 1);
  Sizes blocks = split;
  for (int64_t& size : blocks) size <<= choose(2);
  return absl::StrCat(", CTAsPerCGA = ", list_text(blocks), ", CTASplitNum = ", list_text(split),
                      ", CTAOrder = ", list_text(random_order(choose, rank)));
}

ThreadText random_blocked(Choose& choose, size_t rank) {
  return {random_powers(choose, rank, rank == 1 ? 7 : 4),
          absl::StrCat("#ttg.blocked<{sizePerThread = ", list_text(random_powers(choose, rank, 2)),
                       ", threadsPerWarp = ", list_text(random_powers(choose, rank, 2)),
                       ", warpsPerCTA = ", list_text(random_powers(choose, rank, 1)), ", order = ",
                       list_text(random_order(choose, rank)), random_blocks(choose, rank), "}>")};
}

ThreadText random_linear(Choose& choose, size_t rank) {
  const Sizes dims = random_powers(choose, rank, 3);
  std::vector<std::string> fields;
  for (const char* name : {"register", "lane", "warp", "block"}) {
    std::vector<std::string> bases;
    for (int64_t bits = choose(4); bits > 0; --bits) {
      Sizes basis(rank, 0);
      const auto d = static_cast<size_t>(choose(static_cast<int64_t>(rank)));
      basis[d] = choose.chance(3, 4) ? dims[d] >> choose.between(1, 3) : choose(dims[d]);
      if (choose.chance(1, 4)) basis[rank - 1 - d] = choose(dims[rank - 1 - d]);
      bases.push_back(list_text(basis));
    }
    fields.push_back(absl::StrCat(name, " = [", absl::StrJoin(bases, ", "), "]"));
  }
  return {dims, absl::StrCat("#ttg.linear<{", absl::StrJoin(fields, ", "), "}>")};
}

// An operand of a matrix product whose result has this layout.
std::string operand_of(Choose& choose, absl::string_view parent, int64_t operands = 2) {
  return absl::StrCat("#ttg.dot_op<{opIdx = ", choose(operands), ", parent = ", parent,
                      ", kWidth = ", int64_t{1} << choose.between(0, 4), "}>");
}

// Tiles that lie beside each other, each twice as far as the one before it, or a copy.
std::string random_wmma(Choose& choose) {
  Sizes reached(2, 1);
  std::vector<std::string> fields;
  for (const char* name : {"register", "warp"}) {
    std::vector<std::string> bases;
    for (int64_t bits = choose(3); bits > 0; --bits) {
      Sizes basis(2, 0);
      const auto d = static_cast<size_t>(choose(2));
      if (choose.chance(4, 5)) basis[d] = reached[d];
      reached[d] *= 2;
      bases.push_back(list_text(basis));
    }
    fields.push_back(absl::StrCat(name, " = [", absl::StrJoin(bases, ", "), "]"));
  }
  return absl::StrCat("#ttg.amd_wmma<{version = ", choose.between(1, 3),
                      ", isTranspose = ", choose.chance(1, 2) ? "true" : "false", ", ctaLayout = {",
                      absl::StrJoin(fields, ", "), "}", random_blocks(choose, 2),
                      ", instrShape = ", list_text({16, 16, choose.pick<int64_t>({16, 4, 64})}),
                      "}>");
}

std::string random_mfma(Choose& choose) {
  const auto& [m, n] =
      choose.pick<std::pair<int64_t, int64_t>>({{32, 32}, {16, 16}, {4, 64}, {64, 4}});
  return absl::StrCat(
      "#ttg.amd_mfma<{version = 3, warpsPerCTA = ", list_text(random_powers(choose, 2, 1)),
      ", instrShape = ", list_text({m, n, 16}),
      ", isTransposed = ", m == 64 || choose.chance(1, 2) ? "true" : "false",
      random_blocks(choose, 2), ", tilesPerWarp = ", list_text(random_powers(choose, 2, 1)),
      ", elementBitWidth = ", choose.chance(1, 4) ? 64 : 32, "}>");
}

ThreadText random_fragment(Choose& choose, size_t) {
  const Sizes dims = {int64_t{1} << choose.between(2, 6), int64_t{1} << choose.between(2, 6)};
  if (choose.chance(1, 3)) {
    const std::string amd = choose.chance(1, 2) ? random_wmma(choose) : random_mfma(choose);
    return {dims, choose.chance(1, 2) ? amd : operand_of(choose, amd)};
  }
  const std::string warps = list_text(random_powers(choose, 2, 1));
  const bool is_hopper = choose.chance(1, 3);
  const std::string mma = absl::StrCat(
      "#ttg.nvidia_mma<{versionMajor = ", is_hopper ? 3 : 2,
      ", versionMinor = 0, warpsPerCTA = ", warps, random_blocks(choose, 2), ", instrShape = ",
      is_hopper ? list_text({16, int64_t{8} << choose(3), 16}) : list_text({16, 8}), "}>");
  if (choose.chance(1, 2)) return {dims, mma};
  return {dims, operand_of(choose, mma, is_hopper ? 1 : 2)};
}

// CuTe's threads and values, of sizes of any kind, often of several warps; mostly each element once.
std::string random_thread_values(Choose& choose) {
  Sizes extents, strides;
  int64_t stride = 1;
  for (int64_t i = choose.between(2, 4); i > 0; --i) {
    extents.push_back(stride > 256 ? 2 : choose.pick<int64_t>({2, 4, 16, 1, 8, 3, 16}));
    strides.push_back(choose.chance(1, 6) ? 0 : choose.chance(1, 8) ? 1 : stride);
    stride *= extents.back();
  }
  for (size_t i = 0; i + 1 < extents.size(); ++i) {
    const size_t j = i + static_cast<size_t>(choose(static_cast<int64_t>(extents.size() - i)));
    std::swap(extents[i], extents[j]);
    std::swap(strides[i], strides[j]);
  }
  const int64_t first = choose.between(1, std::ssize(extents) - 1);
  const auto nested = [first](const Sizes& numbers) {
    const auto middle = numbers.begin() + first;
    return absl::StrCat("((", absl::StrJoin(numbers.begin(), middle, ","), "),(",
                        absl::StrJoin(middle, numbers.end(), ","), "))");
  };
  const int64_t rows = choose.pick<int64_t>({4, 2, 8, 3, 1});
  return absl::StrCat("tv:", nested(extents), ":", nested(strides), ":f16[", rows, ",",
                      (stride + rows - 1) / rows, "]");
}

// Mosaic's tiles, which make dimensions of (.., warps, 1, below, 1, rows, columns, vector) parts.
std::string random_tiled_layout(Choose& choose) {
  const int64_t warps = choose.pick<int64_t>({4, 2, 1});
  const int64_t rows = choose.pick<int64_t>({8, 4, 16, 1});
  const int64_t vector = choose.pick<int64_t>({2, 1, 4, 3}),
                below = choose.pick<int64_t>({1, 2, 3});
  const int64_t height = warps * below * rows, width = 32 / rows * vector;
  const std::string dims =
      absl::StrCat(choose.chance(1, 3) ? "2," : "", height * choose.between(1, 2), ",",
                   width * choose.between(1, 3));
  return absl::StrCat("TiledLayout(tiling=Tiling(tiles=((", height, ", ", width, "), (",
                      below * rows, ", ", width, "), (", rows, ", ", width, "), (", vector,
                      ",))), warp_dims=(-7, Replicated(times=", 4 / warps,
                      ")), lane_dims=", choose.chance(1, 2) ? "(-3, -2)" : "(-2, -3)",
                      ", vector_dim=-1):f32[", dims, "]");
}

}  // namespace

std::string random_thread_layout(Choose& choose) {
  if (choose.chance(1, 4))
    return choose.chance(1, 2) ? random_tiled_layout(choose) : random_thread_values(choose);
  const auto rank = static_cast<size_t>(choose.pick<int64_t>({2, 1, 3}));
  const int64_t kind = choose(3);
  ThreadText text = kind == 0 || (kind == 2 && rank != 2) ? random_blocked(choose, rank)
                    : kind == 1                           ? random_linear(choose, rank)
                                                          : random_fragment(choose, rank);
  if (kind == 0 && rank > 1 && choose.chance(1, 4)) text.layout = operand_of(choose, text.layout);
  if (text.dims.size() > 1 && choose.chance(1, 4)) {
    const int64_t d = choose(std::ssize(text.dims));
    text.dims.erase(text.dims.begin() + d);
    text.layout = absl::StrCat("#ttg.slice<{dim = ", d, ", parent = ", text.layout, "}>");
  }
  return absl::StrCat("tensor<", absl::StrJoin(text.dims, "x"), "xf16, ", text.layout, ">");
}

}  // namespace tileproof
