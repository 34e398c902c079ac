// SPDX-License-Identifier: Apache-2.0
// Answers the protocol with oneDNN's blocked formats:
// tileproof conform --suite layout -- onednn_peer
//
//     f32[32,32]{1,0:T(16,16)(4,1)}   has the blocks 4a 16b 4a
//
// The layout becomes a memory descriptor with inner blocks. Each tile must not be longer than the
// rank, and must divide the tile before it. Then oneDNN reorders the numbers 1, 2, 3, .. from
// row-major order into this format. The result shows the offset of each element, and the padding,
// which oneDNN fills with 0.
#include <algorithm>
#include <dnnl.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "conform/peers/peer_program.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::peers {
namespace {

using Index = std::vector<int64_t>;

constexpr int64_t kMost = 1 << 20;  // elements

struct Block {
  int64_t size;
  int64_t dimension;  // logical
  int64_t unit;       // the steps in the dimension of one step in the block
};

// oneDNN expects the blocks of a dimension from the largest unit to the smallest.
bool in_order(const std::vector<Block>& blocks) {
  for (size_t i = 0; i < blocks.size(); ++i) {
    for (size_t j = i + 1; j < blocks.size(); ++j) {
      if (blocks[i].dimension == blocks[j].dimension && blocks[i].unit < blocks[j].unit) {
        return false;
      }
    }
  }
  return true;
}

// The blocks of the tiles, major to minor.
absl::StatusOr<std::vector<Block>> blocks_of(const Shape& shape, const Layout& layout) {
  std::vector<Block> blocks;
  for (size_t t = 0; t < layout.tiles.size(); ++t) {
    const Index& tile = layout.tiles[t].dims;
    const int64_t reach = t == 0 ? shape.rank() : std::ssize(blocks);
    if (std::ssize(tile) > reach) return unsupported("a tile longer than the tile before");
    std::vector<Block> inside;
    for (int64_t i = 0; i < std::ssize(tile); ++i) {
      if (tile[i] == Tile::kCombine) return unsupported("a tile that combines dimensions");
      const int64_t back = std::ssize(tile) - 1 - i;  // from the most minor
      if (t == 0) {
        inside.push_back({tile[i], layout.minor_to_major[back], 1});
        continue;
      }
      Block& whole = blocks[std::ssize(blocks) - 1 - back];
      if (whole.size % tile[i] != 0)
        return unsupported("a tile that does not divide the one before");
      inside.push_back({tile[i], whole.dimension, whole.unit});
      whole.size /= tile[i];
      whole.unit *= tile[i];
    }
    blocks.insert(blocks.end(), inside.begin(), inside.end());
  }
  std::erase_if(blocks, [](const Block& block) { return block.size == 1; });
  if (!in_order(blocks)) return unsupported("blocks of a dimension not in decreasing order");
  if (blocks.size() > DNNL_MAX_NDIMS) return unsupported("more than 12 blocks");
  return blocks;
}

absl::StatusOr<dnnl_memory_desc_t> descriptor(const Shape& shape) {
  const bool array = shape.kind == Shape::Kind::kArray && has_elements(shape.element_type);
  if (!array) return absl::InvalidArgumentError("expected an array");
  const Layout layout = layout_of(shape);
  if (shape.rank() == 0 || shape.rank() > DNNL_MAX_NDIMS)
    return unsupported("a rank outside of 1 to 12");
  if (layout.tail_padding_alignment != 1) return unsupported("a tail");
  const std::vector<Block> blocks = TRY(blocks_of(shape, layout));
  dnnl_memory_desc_t result = {};
  result.ndims = static_cast<int>(shape.rank());
  result.data_type = dnnl_s32;
  result.format_kind = dnnl_blocked;
  dnnl_blocking_desc_t& format = result.format_desc.blocking;
  Index block(static_cast<size_t>(shape.rank()), 1);
  int64_t stride = 1;
  for (const Block& b : blocks) {
    format.inner_blks[format.inner_nblks] = b.size;
    format.inner_idxs[format.inner_nblks++] = b.dimension;
    block[b.dimension] *= b.size;
    stride *= b.size;
    if (stride > kMost) return unsupported("a large array");
  }
  for (int64_t d : layout.minor_to_major) {
    const int64_t size = shape.dimensions[d].size;
    if (shape.dimensions[d].kind == Dimension::Kind::kUnbounded) {
      return absl::InvalidArgumentError("a dimension without a size");
    }
    if (size == 0 || size > kMost) return unsupported("no elements, or too many");
    result.dims[d] = size;
    result.padded_dims[d] = (size + block[d] - 1) / block[d] * block[d];
    format.strides[d] = stride;
    stride *= result.padded_dims[d] / block[d];
    if (stride > kMost) return unsupported("a large array");
  }
  return result;
}

// The row-major number of the element at each offset, from 1; 0 is padding.
absl::StatusOr<std::vector<int32_t>> memory_of(const dnnl_memory_desc_t& blocked) {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  static dnnl::stream stream(engine);
  try {
    const dnnl::memory::dims dims(blocked.dims, blocked.dims + blocked.ndims);
    dnnl::memory::dims strides(dims.size(), 1);
    for (size_t d = dims.size() - 1; d-- > 0;) strides[d] = strides[d + 1] * dims[d + 1];
    const dnnl::memory::desc plain(dims, dnnl::memory::data_type::s32, strides), to(blocked);
    std::vector<int32_t> counted(plain.get_size() / sizeof(int32_t));
    std::vector<int32_t> placed(to.get_size() / sizeof(int32_t), -1);
    std::iota(counted.begin(), counted.end(), 1);
    dnnl::memory from_memory(plain, engine, counted.data()), to_memory(to, engine, placed.data());
    dnnl::reorder(from_memory, to_memory).execute(stream, from_memory, to_memory);
    stream.wait();
    return placed;
  } catch (const dnnl::error& error) {
    return unsupported(absl::StrCat("oneDNN: ", error.what()));
  }
}

struct Layouted {
  Index dims;
  std::vector<int32_t> memory;
};

absl::StatusOr<Json> offset_of(const Layouted& layout, const Json& json) {
  const auto* index = json.as<Json::Array>();
  const absl::Status outside = absl::InvalidArgumentError("not an index of the array");
  if (index == nullptr || index->size() != layout.dims.size()) return outside;
  int64_t number = 0;
  for (size_t d = 0; d < index->size(); ++d) {
    const int64_t* at = (*index)[d].as<int64_t>();
    if (at == nullptr || *at < 0 || *at >= layout.dims[d]) return outside;
    number = number * layout.dims[d] + *at;
  }
  const auto position = std::find(layout.memory.begin(), layout.memory.end(), number + 1);
  return Json(int64_t{position - layout.memory.begin()});
}

absl::StatusOr<Json> index_at(const Layouted& layout, const Json& json) {
  const int64_t* position = json.as<int64_t>();
  if (position == nullptr || *position < 0 || *position >= std::ssize(layout.memory)) {
    return absl::InvalidArgumentError("not an offset in the array");
  }
  int64_t number = layout.memory[*position] - 1;
  if (number < 0) return Json();
  Index index(layout.dims.size());
  for (size_t d = index.size(); d-- > 0; number /= layout.dims[d]) {
    index[d] = number % layout.dims[d];
  }
  return Json(index);
}

absl::StatusOr<Json> answer(const conform::Request& request) {
  const auto* text = find_as<std::string>(request.fields, "shape");
  if (text == nullptr) return absl::InvalidArgumentError("expected a shape");
  const Shape shape = TRY(parse_shape(*text));
  const dnnl_memory_desc_t blocked = TRY(descriptor(shape));
  const bool linear = request.op == "layout.linearize";
  if (!linear && request.op != "layout.delinearize") return unsupported(request.op);
  std::vector<int32_t> memory = TRY(memory_of(blocked));
  const Layouted layout{Index(blocked.dims, blocked.dims + blocked.ndims), std::move(memory)};
  const auto ask = linear ? offset_of : index_at;
  const Json* one = find(request.fields, linear ? "index" : "offset");
  const Json* many = find(request.fields, linear ? "indices" : "offsets");
  if (one != nullptr) return ask(layout, *one);
  if (many == nullptr || many->as<Json::Array>() == nullptr) {
    return absl::InvalidArgumentError("expected an index or an offset");
  }
  Json::Array results;
  for (const Json& item : *many->as<Json::Array>()) {
    results.push_back(TRY(ask(layout, item)));
  }
  return Json(std::move(results));
}

}  // namespace
}  // namespace tileproof::peers

int main() {
  return tileproof::peers::run_peer("oneDNN", 0, {"layout.linearize", "layout.delinearize"},
                                    tileproof::peers::answer);
}
