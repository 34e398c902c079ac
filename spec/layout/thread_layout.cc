// SPDX-License-Identifier: Apache-2.0
#include "spec/layout/thread_layout.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/lang/base/try.h"
#include "spec/layout/nested_layout.h"

namespace tileproof::spec {
namespace {

// What one walk of all threads holds.
struct ThreadTile {
  Dims sizes;                   // of the tile
  Place counts = {1, 1, 1, 1};  // registers, lanes, warps, blocks of it
  Dims order;                   // in which it repeats, fastest first
  std::function<Dims(const Place&)> held;
  Bases block;  // of the parts that blocks hold
};

int64_t product_of(const Dims& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}

// The coordinates of the box with this number.
Dims in_box(int64_t number, const Dims& box, const Dims& order) {
  Dims coordinates(box.size(), 0);
  for (const int64_t d : order) {
    coordinates[d] = number % box[d];
    number /= box[d];
  }
  return coordinates;
}

// Dimensions from the last to the first, or with the last two exchanged.
Dims matrix_order(int64_t rank, bool by_rows) {
  Dims order(rank);
  for (int64_t i = 0; i < rank; ++i) order[i] = rank - 1 - i;
  if (!by_rows) std::swap(order[0], order[1]);
  return order;
}

Dims xor_of(const Bases& bases, int64_t number, Dims sum) {
  for (size_t bit = 0; bit < bases.size(); ++bit) {
    if ((number >> bit) % 2 == 0) continue;
    for (size_t d = 0; d < sum.size(); ++d) sum[d] ^= bases[bit][d];
  }
  return sum;
}

// The least power of two above all indices that the bases reach.
Dims reach_of(const Bases& bases, int64_t rank) {
  Dims sizes(rank, 1);
  for (const Dims& basis : bases) {
    for (int64_t d = 0; d < rank; ++d) {
      while (basis[d] >= sizes[d]) sizes[d] *= 2;
    }
  }
  return sizes;
}

ThreadTile tile_of(const BlockedEncoding& blocked) {
  const auto& [size_per_thread, threads_per_warp, warps_per_cta, order, block] = blocked;
  ThreadTile tile;
  for (size_t d = 0; d < order.size(); ++d)
    tile.sizes.push_back(size_per_thread[d] * threads_per_warp[d] * warps_per_cta[d]);
  tile.counts = {product_of(size_per_thread), product_of(threads_per_warp),
                 product_of(warps_per_cta), 1};
  tile.order = order;
  tile.block = block;
  tile.held = [blocked](const Place& place) {
    const Dims element = in_box(place[0], blocked.size_per_thread, blocked.order);
    const Dims thread = in_box(place[1], blocked.threads_per_warp, blocked.order);
    const Dims warp = in_box(place[2], blocked.warps_per_cta, blocked.order);
    Dims index;
    for (size_t d = 0; d < element.size(); ++d) {
      const int64_t threads = warp[d] * blocked.threads_per_warp[d] + thread[d];
      index.push_back(threads * blocked.size_per_thread[d] + element[d]);
    }
    return index;
  };
  return tile;
}

// A fragment of `rows` by `columns`, of which each lane holds `width` columns beside each other.
struct Fragment {
  int64_t row_dimension, column_dimension;
  int64_t rows, columns, width;
};

ThreadTile tile_of(const Fragment& fragment, const MmaEncoding& mma, const Dims& warps,
                   const Dims& order) {
  ThreadTile tile;
  tile.sizes = warps;
  tile.sizes[fragment.row_dimension] *= fragment.rows;
  tile.sizes[fragment.column_dimension] *= fragment.columns;
  tile.counts = {fragment.rows * fragment.columns / 32, 32, product_of(mma.warps_per_cta), 1};
  tile.order = order;
  tile.block = mma.block;
  tile.held = [fragment, mma, warps](const Place& place) {
    const auto& [row_dimension, column_dimension, rows, columns, width] = fragment;
    const auto& [r, lane, warp, block] = place;
    const int64_t row = lane / 4 + r / width % (rows / 8) * 8;
    const int64_t column = lane % 4 * width + r % width + r / (width * (rows / 8)) * 4 * width;
    const bool by_rows = mma.version == 2;
    Dims index = in_box(warp, mma.warps_per_cta, matrix_order(std::ssize(warps), by_rows));
    for (size_t d = 0; d < index.size(); ++d) index[d] %= warps[d];
    index[row_dimension] = index[row_dimension] * rows + row;
    index[column_dimension] = index[column_dimension] * columns + column;
    return index;
  };
  return tile;
}

ThreadTile tile_of(const MmaEncoding& mma) {
  const int64_t rank = std::ssize(mma.warps_per_cta);
  const Fragment fragment{rank - 2, rank - 1, mma.instruction[rank - 2], mma.instruction[rank - 1],
                          2};
  return tile_of(fragment, mma, mma.warps_per_cta, matrix_order(rank, true));
}

// A thread holds the whole of the dimension that is summed. So the next thread along it wraps around.
ThreadTile tile_of(BlockedEncoding blocked, int64_t summed, const Dims& dims) {
  blocked.size_per_thread[summed] = dims[summed];
  for (Dims& basis : blocked.block) basis[summed] = 0;
  return tile_of(blocked);
}

// The tile of one instruction.
struct InstructionTile {
  Dims sizes;
  int64_t registers = 1;
  std::function<Dims(int64_t r, int64_t lane)> held;
};

InstructionTile result_tile(const AmdEncoding& amd, int64_t rank) {
  const int64_t row = amd.is_transposed ? rank - 1 : rank - 2, column = 2 * rank - 3 - row;
  InstructionTile one{amd.tile, product_of(amd.tile) / amd.lanes, nullptr};
  const int64_t columns = amd.tile[column], groups = amd.lanes / columns, rows = amd.rows;
  one.held = [=](int64_t r, int64_t lane) {
    Dims index(rank, 0);
    index[row] = (r / rows * groups + lane / columns) * rows + r % rows;
    index[column] = lane % columns;
    return index;
  };
  return one;
}

// Of an operand: `width` steps of k for each group of lanes, and again for all of k of an instruction.
InstructionTile operand_tile(const AmdEncoding& amd, int64_t kept, int64_t summed, int64_t width,
                             int64_t rank) {
  const int64_t size = amd.tile[kept];
  const int64_t parts = amd.depth == 0 ? amd.lanes / size : amd.parts;
  int64_t steps = std::max<int64_t>(amd.depth / (2 * width), 1);
  if (amd.depth == 0 && size == 64) steps = 16;
  InstructionTile one{Dims(rank, 1), width * steps, nullptr};
  one.sizes[kept] = size;
  one.sizes[summed] = width * parts * steps;
  one.held = [=](int64_t r, int64_t lane) {
    Dims index(rank, 0);
    index[kept] = lane % size;
    index[summed] = (r / width * parts + lane / size % parts) * width + r % width;
    return index;
  };
  return one;
}

// The tiles of an instruction beside each other. Of amd_mfma, registers reach the end of the
// dimension that counts fastest before they go on along others.
ThreadTile tile_of(InstructionTile one, AmdEncoding amd, Dims order, const Dims& dims) {
  const int64_t first = order[0];
  Bases all = amd.registers;
  all.insert(all.end(), amd.warps.begin(), amd.warps.end());
  const Dims reached = reach_of(all, std::ssize(dims));
  auto next =
      std::stable_partition(amd.registers.begin(), amd.registers.end(),
                            [&](const Dims& basis) { return amd.depth != 0 || basis[first] != 0; });
  for (int64_t tile = reached[first]; amd.depth == 0 && tile * one.sizes[first] < dims[first];
       tile *= 2) {
    next = amd.registers.insert(next, Dims(dims.size(), 0));
    (*next)[first] = tile;
    all.push_back(*next++);
  }
  ThreadTile tile;
  tile.sizes = reach_of(all, std::ssize(dims));
  for (size_t d = 0; d < dims.size(); ++d) tile.sizes[d] *= one.sizes[d];
  tile.counts = {one.registers << amd.registers.size(), amd.lanes, int64_t{1} << amd.warps.size(),
                 1};
  tile.order = std::move(order);
  tile.block = amd.block;
  tile.held = [one = std::move(one), amd = std::move(amd)](const Place& place) {
    Dims index = one.held(place[0] % one.registers, place[1]);
    Dims of_tile = xor_of(amd.warps, place[2], Dims(index.size(), 0));
    of_tile = xor_of(amd.registers, place[0] / one.registers, std::move(of_tile));
    for (size_t d = 0; d < index.size(); ++d) index[d] += of_tile[d] * one.sizes[d];
    return index;
  };
  return tile;
}

ThreadTile tile_of(const AmdEncoding& amd, const Dims& dims) {
  return tile_of(result_tile(amd, std::ssize(dims)), amd, matrix_order(std::ssize(dims), true),
                 dims);
}

// Warps that differ along k hold the same.
ThreadTile tile_of(AmdEncoding amd, int64_t kept, int64_t summed, int64_t width, const Dims& dims) {
  const int64_t rank = std::ssize(dims);
  InstructionTile one = operand_tile(amd, kept, summed, width, rank);
  std::erase_if(amd.registers, [summed](const Dims& basis) { return basis[summed] != 0; });
  for (Dims& basis : amd.warps) basis[summed] = 0;
  for (Dims& basis : amd.block) basis[summed] = amd.depth == 0 ? basis[summed] : 0;
  return tile_of(std::move(one), std::move(amd), matrix_order(rank, summed == rank - 1), dims);
}

ThreadTile tile_of(const DotEncoding& dot, const Dims& dims) {
  const bool is_a = dot.operand == 0;
  const int64_t rank = std::ssize(dims);
  const int64_t kept = is_a ? rank - 2 : rank - 1, summed = is_a ? rank - 1 : rank - 2;
  if (const auto* blocked = std::get_if<BlockedEncoding>(&dot.parent->kind))
    return tile_of(*blocked, summed, dims);
  if (const auto* amd = std::get_if<AmdEncoding>(&dot.parent->kind))
    return tile_of(*amd, kept, summed, dot.k_width, dims);
  MmaEncoding mma = std::get<MmaEncoding>(dot.parent->kind);
  for (Dims& basis : mma.block) basis[summed] = 0;
  Dims warps = mma.warps_per_cta;
  warps[summed] = 1;
  return tile_of({kept, summed, is_a ? 16 : 8, 8 * dot.k_width, dot.k_width}, mma, warps,
                 matrix_order(rank, is_a));
}

// Dimensions in the order in which the bases of registers name them, then the others, last first.
Dims order_of_registers(const LinearEncoding& linear, int64_t rank) {
  Dims order;
  const auto add = [&order](int64_t d) {
    if (std::ranges::find(order, d) == order.end()) order.push_back(d);
  };
  for (const Dims& basis : linear.bases[0]) {
    const auto first = std::ranges::find_if(basis, [](int64_t x) { return x != 0; });
    if (first != basis.end()) add(first - basis.begin());
  }
  for (int64_t d = rank; d-- > 0;) add(d);
  return order;
}

ThreadTile tile_of(const LinearEncoding& linear) {
  const int64_t dimensions = rank(ThreadEncoding{linear});
  ThreadTile tile;
  Bases all;
  for (size_t i = 0; i < 4; ++i) {
    tile.counts[i] = int64_t{1} << linear.bases[i].size();
    all.insert(all.end(), linear.bases[i].begin(), linear.bases[i].end());
  }
  tile.sizes = reach_of(all, dimensions);
  tile.order = order_of_registers(linear, dimensions);
  tile.held = [linear, dimensions](const Place& place) {
    Dims index(dimensions, 0);
    for (size_t i = 0; i < 4; ++i) index = xor_of(linear.bases[i], place[i], std::move(index));
    return index;
  };
  return tile;
}

// The part of the tensor that a block holds.
Dims part_of(const Bases& block, const Dims& dims) {
  const Dims parts = reach_of(block, std::ssize(dims));
  Dims part;
  for (size_t d = 0; d < dims.size(); ++d) part.push_back(std::max<int64_t>(dims[d] / parts[d], 1));
  return part;
}

// A thread holds no more than there is.
BlockedEncoding cut_to(BlockedEncoding blocked, const Dims& part) {
  for (size_t d = 0; d < part.size(); ++d)
    blocked.size_per_thread[d] = std::min(blocked.size_per_thread[d], part[d]);
  return blocked;
}

// A layout, ready to be asked.
struct Walk {
  Place counts;
  std::function<Dims(const Place&)> held;
};

absl::StatusOr<Walk> walk_of(const ThreadEncoding& encoding, const Dims& dims);

Walk walk_of(ThreadTile tile, const Dims& dims) {
  const Dims held_by_block = part_of(tile.block, dims);
  Dims repeats;
  for (size_t d = 0; d < dims.size(); ++d)
    repeats.push_back(std::max<int64_t>(held_by_block[d] / tile.sizes[d], 1));
  Place counts = tile.counts;
  counts[0] *= product_of(repeats);
  counts[3] <<= tile.block.size();
  return {counts, [tile = std::move(tile), dims, held_by_block, repeats](const Place& place) {
            Place within = place;
            within[0] %= tile.counts[0];
            Dims index = tile.held(within);
            const Dims repeat = in_box(place[0] / tile.counts[0], repeats, tile.order);
            const Dims part = xor_of(tile.block, place[3], Dims(dims.size(), 0));
            for (size_t d = 0; d < dims.size(); ++d) {
              index[d] = (index[d] + repeat[d] * tile.sizes[d]) % held_by_block[d];
              index[d] = (index[d] + part[d] * held_by_block[d]) % dims[d];
            }
            return index;
          }};
}

int64_t number_in_warp(int64_t threads) { return threads % 32 == 0 ? 32 : threads; }

absl::StatusOr<Walk> walk_of(const ThreadValueEncoding& encoding, const Dims& dims) {
  const NestedLayout& layout = encoding.layout;
  const int64_t threads = TRY(size(mode(layout, 0).shape));
  const int64_t lanes = number_in_warp(threads);
  const Place counts = {TRY(size(mode(layout, 1).shape)), lanes, threads / lanes, 1};
  return Walk{
      counts, [layout, dims, lanes](const Place& place) {
        int64_t number = *offset(layout, make_flat({place[2] * lanes + place[1], place[0]}));
        Dims index;
        for (const int64_t size : dims) {
          index.push_back(number % size);
          number /= size;
        }
        return index;
      }};
}

// The sizes of the array after all tiles.
Dims tiled_sizes(const std::vector<Dims>& tiles, Dims sizes) {
  for (const Dims& tile : tiles) {
    const size_t first = sizes.size() - tile.size();
    for (size_t i = 0; i < tile.size(); ++i) sizes[first + i] /= tile[i];
    sizes.insert(sizes.end(), tile.begin(), tile.end());
  }
  return sizes;
}

// The index of the element whose tiled index this is.
Dims untiled(const std::vector<Dims>& tiles, Dims index) {
  for (auto tile = tiles.rbegin(); tile != tiles.rend(); ++tile) {
    const size_t count = tile->size(), first = index.size() - 2 * count;
    for (size_t i = 0; i < count; ++i)
      index[first + i] = index[first + i] * (*tile)[i] + index[first + count + i];
    index.resize(first + count);
  }
  return index;
}

absl::StatusOr<Walk> walk_of(const TiledEncoding& tiled, const Dims& dims) {
  const Dims sizes = tiled_sizes(tiled.tiles, dims);
  Dims of_registers = sizes;  // 1 where warps or lanes are
  for (const auto* dimensions : {&tiled.warps, &tiled.lanes}) {
    for (const ThreadDimension& d : *dimensions) {
      if (d.copies == 0) *(of_registers.end() + d.number) = 1;
    }
  }
  return Walk{{product_of(of_registers), 32, 4, 1}, [=](const Place& place) {
                const int64_t vector = *(sizes.end() + tiled.vector);
                Dims vectors = of_registers;
                *(vectors.end() + tiled.vector) = 1;
                Dims index =
                    in_box(place[0] / vector, vectors, matrix_order(std::ssize(vectors), true));
                *(index.end() + tiled.vector) = place[0] % vector;
                const auto spread = [&](int64_t number, const std::vector<ThreadDimension>& over) {
                  for (auto d = over.rbegin(); d != over.rend(); ++d) {
                    const int64_t size = d->copies > 0 ? d->copies : *(sizes.end() + d->number);
                    if (d->copies == 0) *(index.end() + d->number) = number % size;
                    number /= size;
                  }
                };
                spread(place[1], tiled.lanes);
                spread(place[2], tiled.warps);
                return untiled(tiled.tiles, index);
              }};
}

absl::StatusOr<Walk> walk_of(const SliceEncoding& slice, const Dims& dims) {
  Dims with_one = dims;
  with_one.insert(with_one.begin() + slice.dimension, 1);
  const Walk parent = TRY(walk_of(*slice.parent, with_one));
  Dims kept;  // powers of two
  for (int64_t r = 1; r < parent.counts[0]; r *= 2) {
    if (parent.held({r, 0, 0, 0}) != parent.held({0, 0, 0, 0})) kept.push_back(r);
  }
  Walk walk{parent.counts, nullptr};
  walk.counts[0] = int64_t{1} << kept.size();
  walk.held = [=, held = parent.held](const Place& place) {
    Place of_parent = place;
    of_parent[0] = 0;
    for (size_t bit = 0; bit < kept.size(); ++bit) {
      if ((place[0] >> bit) % 2 != 0) of_parent[0] += kept[bit];
    }
    Dims index = held(of_parent);
    index.erase(index.begin() + slice.dimension);
    return index;
  };
  return walk;
}

absl::StatusOr<Walk> walk_of(const ThreadEncoding& encoding, const Dims& dims) {
  if (const auto* slice = std::get_if<SliceEncoding>(&encoding.kind)) return walk_of(*slice, dims);
  if (const auto* values = std::get_if<ThreadValueEncoding>(&encoding.kind))
    return walk_of(*values, dims);
  if (const auto* tiled = std::get_if<TiledEncoding>(&encoding.kind)) return walk_of(*tiled, dims);
  if (const auto* linear = std::get_if<LinearEncoding>(&encoding.kind)) {
    const ThreadTile tile = tile_of(*linear);
    for (size_t d = 0; d < dims.size(); ++d) {
      if (tile.sizes[d] > dims[d]) {
        return absl::InvalidArgumentError(
            absl::StrCat("#ttg.linear: expected bases inside of dimension ", d, " of size ",
                         dims[d], ", found one of at least ", tile.sizes[d] / 2));
      }
    }
    return walk_of(tile, dims);
  }
  if (const auto* blocked = std::get_if<BlockedEncoding>(&encoding.kind))
    return walk_of(tile_of(cut_to(*blocked, part_of(blocked->block, dims))), dims);
  if (const auto* mma = std::get_if<MmaEncoding>(&encoding.kind))
    return walk_of(tile_of(*mma), dims);
  if (const auto* amd = std::get_if<AmdEncoding>(&encoding.kind))
    return walk_of(tile_of(*amd, dims), dims);
  return walk_of(tile_of(std::get<DotEncoding>(encoding.kind), dims), dims);
}

}  // namespace

absl::StatusOr<Place> place_sizes(const ThreadLayout& layout) {
  return TRY(walk_of(layout.encoding, layout.dims)).counts;
}

absl::StatusOr<Dims> held_at(const ThreadLayout& layout, const Place& place) {
  const Walk walk = TRY(walk_of(layout.encoding, layout.dims));
  for (size_t i = 0; i < place.size(); ++i) {
    if (place[i] >= 0 && place[i] < walk.counts[i]) continue;
    return absl::InvalidArgumentError(absl::StrCat(std::string(kPlaceNames[i]), " ", place[i],
                                                   " is outside of [0, ", walk.counts[i], ")"));
  }
  return walk.held(place);
}

absl::StatusOr<std::vector<Place>> holders_of(const ThreadLayout& layout, const Dims& index,
                                              int64_t budget) {
  const Walk walk = TRY(walk_of(layout.encoding, layout.dims));
  TRY(expect_index(layout.dims, index));
  for (const int64_t count : walk.counts) {
    budget /= count;
    if (budget < 1) return absl::ResourceExhaustedError("too many places to look at each");
  }
  std::vector<Place> holders;
  const auto& [registers, lanes, warps, blocks] = walk.counts;
  for (int64_t r = 0; r < registers; ++r) {
    for (int64_t lane = 0; lane < lanes; ++lane) {
      for (int64_t warp = 0; warp < warps; ++warp) {
        for (int64_t block = 0; block < blocks; ++block) {
          const Place place = {r, lane, warp, block};
          if (walk.held(place) == index) holders.push_back(place);
        }
      }
    }
  }
  return holders;
}

}  // namespace tileproof::spec
