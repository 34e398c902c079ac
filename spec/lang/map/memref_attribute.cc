// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/map/memref_attribute.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"

namespace tileproof {
namespace {

constexpr size_t kMaxTiles = 64;

// The sizes inside of one first tile, when the tiles so far have split it: those of (8,128)(2,1)
// are 4, 128, 2, 1.
absl::Status split(std::vector<int64_t>& inside, const std::vector<int64_t>& tile, Cursor& cursor) {
  if (tile.size() > inside.size()) {
    return cursor.expected("before this, a further tile within the first tile");
  }
  const size_t first = inside.size() - tile.size();
  for (size_t i = 0; i < tile.size(); ++i) {
    if (inside[first + i] % tile[i] != 0) {
      return cursor.expected(
          absl::StrCat("before this, a size that divides ", inside[first + i], " in the tile"));
    }
    inside[first + i] /= tile[i];
  }
  inside.insert(inside.end(), tile.begin(), tile.end());
  return absl::OkStatus();
}

absl::StatusOr<std::vector<int64_t>> parse_tile(Cursor& cursor) {
  std::vector<int64_t> tile;
  do {
    const size_t position = cursor.token_position();
    tile.push_back(TRY(cursor.take_integer("a tile size")));
    if (tile.back() < 1) return cursor.error_at(position, "expected a tile size of at least 1");
  } while (cursor.take(","));
  TRY(cursor.expect(")", "to close the tile"));
  return tile;
}

}  // namespace

absl::StatusOr<TiledAttribute> parse_tiled_attribute(Cursor& cursor, size_t rank) {
  TiledAttribute layout;
  TRY(cursor.expect("<", "after 'tiled'"));
  while (cursor.take("(")) {
    layout.tiles.push_back(TRY(parse_tile(cursor)));
    if (layout.tiles.size() > kMaxTiles) return cursor.expected("at most 64 tiles");
    if (layout.tiles.size() > 1) {
      TRY(split(layout.inside, layout.tiles.back(), cursor));
      continue;
    }
    layout.inside = layout.tiles[0];
    if (layout.inside.size() > rank) {
      return cursor.expected(absl::StrCat("before this, a tile of at most ", rank, " dimensions"));
    }
  }
  TRY(cursor.expect(",", "after the tiles"));
  TRY(cursor.expect("[", "to open the tile strides"));
  layout.strides = TRY(take_list<int64_t>(cursor, "]", "or ',' after a tile stride", [](Cursor& c) {
    return c.take_integer("a tile stride");
  }));
  if (layout.strides.size() != rank) {
    return cursor.expected(absl::StrCat("before this, ", rank, " tile strides"));
  }
  TRY(cursor.expect(">", "to close the layout"));
  std::optional<int64_t> tile_elements = 1;
  for (const int64_t size : layout.inside) {
    tile_elements = tile_elements ? checked_mul(*tile_elements, size) : std::nullopt;
  }
  for (int64_t& stride : layout.strides) {
    const std::optional<int64_t> scaled =
        tile_elements ? checked_mul(stride, *tile_elements) : std::nullopt;
    if (!scaled) return cursor.expected("before this, strides that fit 64 bits in elements");
    stride = *scaled;
  }
  return layout;
}

NodeId add_offset(const TiledAttribute& layout, ExprTable& nodes) {
  const auto by = [&](Op op, NodeId value, int64_t number) {
    return add_operation(nodes, op, value, add_constant(nodes, number));
  };
  std::vector<NodeId> digits;
  for (size_t d = 0; d < layout.strides.size(); ++d) {
    digits.push_back(add_variable(nodes, Op::kDimension, static_cast<int64_t>(d)));
  }
  for (const std::vector<int64_t>& tile : layout.tiles) {
    const size_t first = digits.size() - tile.size();
    for (size_t i = 0; i < tile.size(); ++i) {
      const NodeId whole = digits[first + i];
      digits[first + i] = by(Op::kFloorDiv, whole, tile[i]);
      digits.push_back(by(Op::kMod, whole, tile[i]));
    }
  }
  std::vector<int64_t> strides = layout.strides;
  strides.resize(digits.size());
  int64_t stride = 1;
  for (size_t i = layout.inside.size(); i-- > 0; stride *= layout.inside[i]) {
    strides[layout.strides.size() + i] = stride;
  }
  NodeId offset = -1;
  for (size_t i = 0; i < digits.size(); ++i) {
    const NodeId term = strides[i] == 1 ? digits[i] : by(Op::kMul, digits[i], strides[i]);
    offset = offset < 0 ? term : add_operation(nodes, Op::kAdd, offset, term);
  }
  return offset < 0 ? add_constant(nodes, 0) : offset;
}

bool is_memory_space(absl::string_view name) {
  static constexpr absl::string_view kOthers[] = {"hal.descriptor_type",      "spirv.storage_class",
                                                  "ttg.shared_memory",        "ttng.tensor_memory",
                                                  "triton_gpu.shared_memory", "xegpu.memory_scope"};
  return absl::EndsWith(name, "_space") || std::ranges::find(kOthers, name) != std::end(kOthers);
}

}  // namespace tileproof
