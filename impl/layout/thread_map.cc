// SPDX-License-Identifier: Apache-2.0
#include "impl/layout/thread_map.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {
namespace {

enum : size_t { kRegister, kLane, kWarp, kBlock };

// The parts of each dimension that blocks hold. Bases beyond the last part add nothing.
Dims take_parts(Bases& block, const Dims& dims) {
  Dims parts(dims.size(), 1);
  for (Dims& basis : block) {
    for (size_t d = 0; d < dims.size(); ++d) {
      if (basis[d] >= dims[d]) basis[d] = 0;
      while (basis[d] >= parts[d]) parts[d] *= 2;
    }
  }
  return parts;
}

// Bases by coordinate, as indices that may leave the tensor.
class FormBuilder {
 public:
  explicit FormBuilder(size_t rank) : reached_(rank, 1) {}

  // The next bits of a coordinate, up to `size`, count along the dimension.
  void count(size_t coordinate, int64_t dimension, int64_t size) {
    for (int64_t i = 1; i < size; i *= 2) {
      Dims basis(reached_.size(), 0);
      basis[dimension] = reached_[dimension];
      reached_[dimension] *= 2;
      bases_[coordinate].push_back(std::move(basis));
    }
  }
  // The same along each dimension. Those that count along `summed` hold copies; -1: none do.
  void count(size_t coordinate, const Dims& sizes, const Dims& order, int64_t summed = -1) {
    for (const int64_t d : order) {
      if (d == summed) {
        copy(coordinate, sizes[d]);
      } else {
        count(coordinate, d, sizes[d]);
      }
    }
  }

  // The next bits add nothing.
  void copy(size_t coordinate, int64_t size) {
    for (int64_t i = 1; i < size; i *= 2) bases_[coordinate].emplace_back(reached_.size(), 0);
  }

  void add(size_t coordinate, Dims basis) {
    for (size_t d = 0; d < basis.size(); ++d) {
      while (basis[d] >= reached_[d]) reached_[d] *= 2;
    }
    bases_[coordinate].push_back(std::move(basis));
  }

  // The layout of a part of these dimensions: bits that leave it add nothing, and more registers
  // reach its end. Then the blocks, each of which holds another part.
  ThreadForm fit(const Dims& dims, const Dims& order, const Bases& block) && {
    Bases of_block = block;
    const Dims parts = take_parts(of_block, dims);
    for (const int64_t d : order)
      count(kRegister, d, std::max<int64_t>(dims[d] / parts[d] / reached_[d], 1));
    for (std::vector<Dims>& bases : bases_) {
      for (Dims& basis : bases) {
        for (size_t d = 0; d < dims.size(); ++d) basis[d] &= dims[d] / parts[d] - 1;
      }
    }
    for (Dims& basis : of_block) {
      for (size_t d = 0; d < dims.size(); ++d) basis[d] *= dims[d] / parts[d];
      bases_[kBlock].push_back(basis);
    }
    ThreadForm form{dims, {}};
    for (size_t i = 0; i < 4; ++i) {
      for (const Dims& basis : bases_[i]) form.bases[i].push_back(packed(dims, basis));
    }
    return form;
  }

  const Dims& reached() const { return reached_; }

 private:
  Dims reached_;
  std::array<std::vector<Dims>, 4> bases_;
};

Dims last_first(size_t rank) {
  Dims order(rank);
  for (size_t i = 0; i < rank; ++i) order[i] = static_cast<int64_t>(rank - 1 - i);
  return order;
}

ThreadForm form_of(const BlockedEncoding& blocked, const Dims& dims) {
  FormBuilder builder(dims.size());
  Bases block = blocked.block;
  const Dims parts = take_parts(block, dims);
  for (const int64_t d : blocked.order)
    builder.count(kRegister, d, std::min(blocked.size_per_thread[d], dims[d] / parts[d]));
  builder.count(kLane, blocked.threads_per_warp, blocked.order);
  builder.count(kWarp, blocked.warps_per_cta, blocked.order);
  return std::move(builder).fit(dims, blocked.order, blocked.block);
}

void add_warps(FormBuilder& builder, const MmaEncoding& mma, int64_t summed) {
  Dims order = last_first(mma.warps_per_cta.size());
  if (mma.version == 3) std::swap(order[0], order[1]);
  builder.count(kWarp, mma.warps_per_cta, order, summed);
}

void add_fragment(FormBuilder& builder, int64_t outer, int64_t inner, int64_t rows, int64_t columns,
                  int64_t width) {
  builder.count(kRegister, inner, width);
  builder.count(kLane, inner, 4);
  builder.count(kLane, outer, 8);
  builder.count(kRegister, outer, rows / 8);
  builder.count(kRegister, inner, columns / (4 * width));
}

ThreadForm form_of(const MmaEncoding& mma, const Dims& dims) {
  const auto rank = std::ssize(dims);
  FormBuilder builder(dims.size());
  add_fragment(builder, rank - 2, rank - 1, mma.instruction[rank - 2], mma.instruction[rank - 1],
               2);
  add_warps(builder, mma, -1);
  return std::move(builder).fit(dims, last_first(dims.size()), mma.block);
}

// Operands of a matrix product whose threads are blocked: registers count all that is summed.
ThreadForm operand_of(const BlockedEncoding& blocked, int64_t summed, const Dims& dims) {
  FormBuilder builder(dims.size());
  for (const int64_t d : blocked.order)
    builder.count(kRegister, d, d == summed ? dims[d] : blocked.size_per_thread[d]);
  builder.count(kLane, blocked.threads_per_warp, blocked.order, summed);
  builder.count(kWarp, blocked.warps_per_cta, blocked.order, summed);
  Bases block = blocked.block;
  for (Dims& basis : block) basis[summed] = 0;
  return std::move(builder).fit(dims, blocked.order, block);
}

// Tiles beside each other. Of amd_mfma, registers reach the end of the first dimension in the order
// before they count along others.
void add_tiles(FormBuilder& builder, const AmdEncoding& amd, int64_t first, const Dims& dims) {
  const Dims tile = builder.reached();
  const auto add = [&](size_t coordinate, Dims basis) {
    for (size_t d = 0; d < basis.size(); ++d) basis[d] *= tile[d];
    builder.add(coordinate, std::move(basis));
  };
  const bool is_mfma = amd.depth == 0;
  for (const Dims& basis : amd.registers) {
    if (!is_mfma || basis[first] != 0) add(kRegister, basis);
  }
  for (const Dims& basis : amd.warps) add(kWarp, basis);
  if (!is_mfma) return;
  builder.count(kRegister, first, dims[first] / builder.reached()[first]);
  for (const Dims& basis : amd.registers) {
    if (basis[first] == 0) add(kRegister, basis);
  }
}

ThreadForm operand_of(AmdEncoding amd, int64_t kept, int64_t summed, int64_t width,
                      const Dims& order, const Dims& dims) {
  const bool is_mfma = amd.depth == 0;
  const int64_t size = amd.tile[kept], groups = amd.lanes / size;
  const int64_t parts = is_mfma ? groups : amd.parts;
  FormBuilder builder(dims.size());
  builder.count(kRegister, summed, width);
  builder.count(kLane, kept, size);
  builder.count(kLane, summed, parts);
  builder.copy(kLane, groups / parts);
  builder.count(kRegister, summed, is_mfma ? (size == 64 ? 16 : 1) : amd.depth / (2 * width));
  std::erase_if(amd.registers, [summed](const Dims& basis) { return basis[summed] != 0; });
  for (Dims& basis : amd.warps) basis[summed] = 0;
  add_tiles(builder, amd, summed, dims);
  for (Dims& basis : amd.block) basis[summed] = is_mfma ? basis[summed] : 0;
  return std::move(builder).fit(dims, order, amd.block);
}

ThreadForm form_of(const DotEncoding& dot, const Dims& dims) {
  const auto rank = std::ssize(dims);
  const int64_t summed = dot.operand == 0 ? rank - 1 : rank - 2;
  if (const auto* blocked = std::get_if<BlockedEncoding>(&dot.parent->kind))
    return operand_of(*blocked, summed, dims);
  int64_t outer = rank - 2, inner = rank - 1;
  Dims order = last_first(dims.size());
  if (dot.operand == 1) {
    std::swap(outer, inner);
    std::swap(order[0], order[1]);
  }
  if (const auto* amd = std::get_if<AmdEncoding>(&dot.parent->kind))
    return operand_of(*amd, outer, inner, dot.k_width, order, dims);
  const auto& mma = std::get<MmaEncoding>(dot.parent->kind);
  FormBuilder builder(dims.size());
  add_fragment(builder, outer, inner, dot.operand == 0 ? 16 : 8, 8 * dot.k_width, dot.k_width);
  add_warps(builder, mma, inner);
  Bases block = mma.block;
  for (Dims& basis : block) basis[inner] = 0;
  return std::move(builder).fit(dims, order, block);
}

ThreadForm form_of(const AmdEncoding& amd, const Dims& dims) {
  const int64_t rank = std::ssize(dims);
  const int64_t row = amd.is_transposed ? rank - 1 : rank - 2, column = 2 * rank - 3 - row;
  FormBuilder builder(dims.size());
  builder.count(kRegister, row, amd.rows);
  builder.count(kLane, column, amd.tile[column]);
  builder.count(kLane, row, amd.lanes / amd.tile[column]);
  builder.count(kRegister, row, amd.tile[row] / builder.reached()[row]);
  add_tiles(builder, amd, rank - 1, dims);
  return std::move(builder).fit(dims, last_first(dims.size()), amd.block);
}

absl::StatusOr<ThreadForm> form_of(const LinearEncoding& linear, const Dims& dims) {
  FormBuilder builder(dims.size());
  Dims order;
  for (size_t i = 0; i < 4; ++i) {
    for (const Dims& basis : linear.bases[i]) {
      builder.add(i, basis);
      for (size_t d = 0; i == kRegister && d < basis.size(); ++d) {
        if (basis[d] == 0) continue;
        order.push_back(static_cast<int64_t>(d));
        break;
      }
    }
  }
  for (const int64_t d : last_first(dims.size())) order.push_back(d);
  for (size_t d = 0; d < dims.size(); ++d) {
    if (builder.reached()[d] > dims[d])
      return absl::InvalidArgumentError(
          absl::StrCat("#ttg.linear: expected bases inside of dimension ", d, " of size ", dims[d],
                       ", found one of at least ", builder.reached()[d] / 2));
  }
  return std::move(builder).fit(dims, order, {});
}

absl::StatusOr<ThreadForm> form_of(const ThreadEncoding& encoding, const Dims& dims);

absl::StatusOr<ThreadForm> form_of(const SliceEncoding& slice, const Dims& dims) {
  Dims with_one = dims;
  with_one.insert(with_one.begin() + slice.dimension, 1);
  ThreadForm form = TRY(form_of(*slice.parent, with_one));
  std::erase(form.bases[kRegister], 0U);
  form.dims = dims;  // a dimension of size 1 has no bits
  return form;
}

absl::StatusOr<ThreadForm> form_of(const ThreadEncoding& encoding, const Dims& dims) {
  return std::visit(
      [&](const auto& kind) -> absl::StatusOr<ThreadForm> {
        if constexpr (requires { digits_of(kind, dims); }) {
          return absl::InvalidArgumentError("expected a parent that is a layout of Triton");
        } else {
          return form_of(kind, dims);
        }
      },
      encoding.kind);
}

// The digits of the layouts that have them.
std::optional<PlaceDigits> place_digits(const ThreadLayout& layout) {
  if (const auto* values = std::get_if<ThreadValueEncoding>(&layout.encoding.kind))
    return digits_of(*values, layout.dims);
  if (const auto* tiled = std::get_if<TiledEncoding>(&layout.encoding.kind))
    return digits_of(*tiled, layout.dims);
  return std::nullopt;
}

}  // namespace

absl::StatusOr<ThreadMap> thread_map(const ThreadLayout& layout) {
  ThreadMap result;
  result.digits = place_digits(layout);
  if (result.digits) {
    result.form = form_of(*result.digits);
    if (!result.form) result.map = map_of(*result.digits);
    if (result.form) result.digits.reset();
  } else {
    result.form = TRY(form_of(layout.encoding, layout.dims));
  }
  if (result.form) {
    size_t bits = 0;
    for (const auto& bases : result.form->bases) bits += bases.size();
    if (bits > 62) return absl::OutOfRangeError("expected at most 2^62 places");
    result.map = map_of(*result.form);
  }
  for (size_t i = 0; i < 4; ++i) result.sizes[i] = result.map.dimensions[i].bounds.high + 1;
  return result;
}

Dims held_at(const ThreadMap& threads, const Place& place) {
  return threads.form ? held_at(*threads.form, place) : held_at(*threads.digits, place);
}

absl::StatusOr<std::vector<Place>> holders_of(const ThreadMap& threads, const Dims& index,
                                              int64_t most) {
  if (threads.form) return holders_of(*threads.form, index, most);
  const auto& [registers, lanes, warps, blocks] = threads.sizes;
  if (registers > most / (lanes * warps))
    return absl::ResourceExhaustedError("too many places to look at");
  std::vector<Place> places;
  for (int64_t i = 0; i < registers * lanes * warps; ++i) {
    const Place place = {i / warps / lanes, i / warps % lanes, i % warps, 0};
    if (held_at(*threads.digits, place) == index) places.push_back(place);
  }
  return places;
}

}  // namespace tileproof::impl
