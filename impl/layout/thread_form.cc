// SPDX-License-Identifier: Apache-2.0
#include "impl/layout/thread_form.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "impl/layout/thread_digits.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {
namespace {

enum : size_t { kRegister, kLane, kWarp, kBlock };

int64_t bits_of_size(int64_t power) { return std::countr_zero(static_cast<uint64_t>(power)); }

// Where the bits of each dimension begin.
std::vector<int64_t> shifts_of(const Dims& dims) {
  std::vector<int64_t> shifts(dims.size());
  int64_t shift = 0;
  for (size_t d = dims.size(); d-- > 0;) {
    shifts[d] = shift;
    shift += bits_of_size(dims[d]);
  }
  return shifts;
}

uint64_t packed(const Dims& dims, const Dims& index) {
  const std::vector<int64_t> shifts = shifts_of(dims);
  uint64_t word = 0;
  for (size_t d = 0; d < dims.size(); ++d) word |= static_cast<uint64_t>(index[d]) << shifts[d];
  return word;
}

Dims unpacked(const Dims& dims, uint64_t word) {
  const std::vector<int64_t> shifts = shifts_of(dims);
  Dims index;
  for (size_t d = 0; d < dims.size(); ++d)
    index.push_back(static_cast<int64_t>(word >> shifts[d]) & (dims[d] - 1));
  return index;
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
  void count(size_t coordinate, const Dims& sizes, const Dims& order) {
    for (const int64_t d : order) count(coordinate, d, sizes[d]);
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
    Dims parts(dims.size(), 1);
    Bases of_block = block;
    for (Dims& basis : of_block) {
      for (size_t d = 0; d < dims.size(); ++d) {
        if (basis[d] >= dims[d]) basis[d] = 0;
        while (basis[d] >= parts[d]) parts[d] *= 2;
      }
    }
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
  builder.count(kRegister, blocked.size_per_thread, blocked.order);
  builder.count(kLane, blocked.threads_per_warp, blocked.order);
  builder.count(kWarp, blocked.warps_per_cta, blocked.order);
  return std::move(builder).fit(dims, blocked.order, blocked.block);
}

// The warps that count along `summed` hold copies; -1: none do.
void add_warps(FormBuilder& builder, const MmaEncoding& mma, int64_t summed) {
  Dims order = last_first(mma.warps_per_cta.size());
  if (mma.version == 3) std::swap(order[0], order[1]);
  for (const int64_t d : order) {
    if (d == summed) {
      builder.copy(kWarp, mma.warps_per_cta[d]);
    } else {
      builder.count(kWarp, d, mma.warps_per_cta[d]);
    }
  }
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

ThreadForm form_of(const DotEncoding& dot, const Dims& dims) {
  const auto& mma = std::get<MmaEncoding>(dot.parent->kind);
  const auto rank = std::ssize(dims);
  int64_t outer = rank - 2, inner = rank - 1;
  Dims order = last_first(dims.size());
  if (dot.operand == 1) {
    std::swap(outer, inner);
    std::swap(order[0], order[1]);
  }
  FormBuilder builder(dims.size());
  add_fragment(builder, outer, inner, dot.operand == 0 ? 16 : 8, 8 * dot.k_width, dot.k_width);
  add_warps(builder, mma, inner);
  return std::move(builder).fit(dims, order, mma.block);
}

ThreadForm form_of(const MfmaEncoding& mfma, const Dims& dims) {
  const int64_t row = mfma.is_transposed ? 1 : 0, column = 1 - row;
  FormBuilder builder(dims.size());
  builder.count(kRegister, row, 4);
  builder.count(kLane, column, mfma.size);
  builder.count(kLane, row, 64 / mfma.size);
  builder.count(kRegister, row, mfma.size * mfma.size / 256);
  builder.count(kWarp, mfma.warps_per_cta, {1, 0});
  return std::move(builder).fit(dims, {1, 0}, mfma.block);
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

// The layouts that are digits.
template <class Encoding>
absl::StatusOr<ThreadForm> linear_digits(const Encoding& encoding, const Dims& dims) {
  std::optional<ThreadForm> form = form_of(digits_of(encoding, dims));
  if (form) return *std::move(form);
  return absl::FailedPreconditionError("the layout is no linear map over bits");
}
absl::StatusOr<ThreadForm> form_of(const ThreadValueEncoding& encoding, const Dims& dims) {
  return linear_digits(encoding, dims);
}
absl::StatusOr<ThreadForm> form_of(const TiledEncoding& encoding, const Dims& dims) {
  return linear_digits(encoding, dims);
}

absl::StatusOr<ThreadForm> form_of(const ThreadEncoding& encoding, const Dims& dims) {
  return std::visit(
      [&](const auto& kind) -> absl::StatusOr<ThreadForm> { return form_of(kind, dims); },
      encoding.kind);
}

// A place as one word: the bits of the registers lowest.
size_t bits_of_place(const ThreadForm& form) {
  size_t bits = 0;
  for (const auto& bases : form.bases) bits += bases.size();
  return bits;
}

Place place_of(const ThreadForm& form, uint64_t word) {
  Place place{};
  for (size_t i = 0; i < 4; ++i) {
    const size_t bits = form.bases[i].size();
    place[i] = static_cast<int64_t>(word & ((uint64_t{1} << bits) - 1));
    word >>= bits;
  }
  return place;
}

// A sum of bases: what it gives, and the bits of the place that it is of.
struct Row {
  uint64_t sum = 0, place = 0;
};

// The bases in echelon form: each leading bit belongs to one row. Rows of sum 0 are the kernel.
struct Echelon {
  std::vector<Row> rows;
  std::vector<uint64_t> kernel;
};

// Subtracts rows while their leading bits are set.
Row reduced(const Echelon& echelon, Row row) {
  for (const Row& other : echelon.rows) {
    if ((row.sum & std::bit_floor(other.sum)) == 0) continue;
    row.sum ^= other.sum;
    row.place ^= other.place;
  }
  return row;
}

Echelon eliminate(const ThreadForm& form) {
  Echelon echelon;
  uint64_t bit = 1;
  for (const auto& bases : form.bases) {
    for (const uint64_t basis : bases) {
      const Row row = reduced(echelon, {basis, bit});
      bit <<= 1;
      if (row.sum == 0) {
        echelon.kernel.push_back(row.place);
        continue;
      }
      const auto less = [](const Row& a, const Row& b) { return a.sum > b.sum; };
      echelon.rows.insert(std::ranges::upper_bound(echelon.rows, row, less), row);
    }
  }
  return echelon;
}

NodeId times(ExprTable& nodes, NodeId x, int64_t factor) {
  return factor == 1 ? x : add_operation(nodes, Op::kMul, x, add_constant(nodes, factor));
}

// Bits [first, first + count) of a coordinate, as a number.
NodeId bits_from(const ThreadForm& form, ExprTable& nodes, size_t coordinate, size_t first,
                 size_t count) {
  NodeId x = add_variable(nodes, Op::kDimension, static_cast<int64_t>(coordinate));
  if (first > 0)
    x = add_operation(nodes, Op::kFloorDiv, x, add_constant(nodes, int64_t{1} << first));
  if (first + count < form.bases[coordinate].size())
    x = add_operation(nodes, Op::kMod, x, add_constant(nodes, int64_t{1} << count));
  return x;
}

// The bits of a place that change one bit of the index.
using Sources = std::vector<std::pair<size_t, size_t>>;  // coordinate, bit

NodeId index_expression(const ThreadForm& form, ExprTable& nodes, size_t shift, size_t width) {
  std::vector<Sources> sources(width);
  for (size_t i = 0; i < 4; ++i) {
    for (size_t k = 0; k < form.bases[i].size(); ++k) {
      for (size_t bit = 0; bit < width; ++bit) {
        if ((form.bases[i][k] >> (shift + bit)) & 1) sources[bit].emplace_back(i, k);
      }
    }
  }
  NodeId sum = -1;
  for (size_t bit = 0; bit < width;) {
    const Sources& of_bit = sources[bit];
    size_t run = 1;
    NodeId term = -1;
    if (of_bit.size() == 1) {
      const auto [coordinate, first] = of_bit[0];
      while (bit + run < width && sources[bit + run] == Sources{{coordinate, first + run}}) ++run;
      term = bits_from(form, nodes, coordinate, first, run);
    } else if (!of_bit.empty()) {  // the parity
      for (const auto& [coordinate, k] : of_bit) {
        const NodeId one = bits_from(form, nodes, coordinate, k, 1);
        term = term < 0 ? one : add_operation(nodes, Op::kAdd, term, one);
      }
      term = add_operation(nodes, Op::kMod, term, add_constant(nodes, 2));
    }
    if (term >= 0) {
      term = times(nodes, term, int64_t{1} << bit);
      sum = sum < 0 ? term : add_operation(nodes, Op::kAdd, sum, term);
    }
    bit += run;
  }
  return sum < 0 ? add_constant(nodes, 0) : sum;
}

}  // namespace

absl::StatusOr<ThreadForm> thread_form(const ThreadLayout& layout) {
  ThreadForm form = TRY(form_of(layout.encoding, layout.dims));
  if (bits_of_place(form) > 62) return absl::OutOfRangeError("expected at most 2^62 places");
  return form;
}

absl::StatusOr<ThreadMap> thread_map(const ThreadLayout& layout) {
  ThreadMap result;
  absl::StatusOr<ThreadForm> form = thread_form(layout);
  if (form.ok()) {
    result.map = map_of(*form);
    result.form = *std::move(form);
  } else if (const auto* values = std::get_if<ThreadValueEncoding>(&layout.encoding.kind)) {
    result.map = map_of(digits_of(*values, layout.dims));
  } else if (const auto* tiled = std::get_if<TiledEncoding>(&layout.encoding.kind)) {
    result.map = map_of(digits_of(*tiled, layout.dims));
  } else {
    return form.status();
  }
  for (size_t i = 0; i < 4; ++i) result.sizes[i] = result.map.dimensions[i].bounds.high + 1;
  return result;
}

Place place_sizes(const ThreadForm& form) {
  Place sizes;
  for (size_t i = 0; i < 4; ++i) sizes[i] = int64_t{1} << form.bases[i].size();
  return sizes;
}

Dims held_at(const ThreadForm& form, const Place& place) {
  uint64_t word = 0;
  for (size_t i = 0; i < 4; ++i) {
    for (size_t k = 0; k < form.bases[i].size(); ++k) {
      if ((place[i] >> k) & 1) word ^= form.bases[i][k];
    }
  }
  return unpacked(form.dims, word);
}

std::vector<Place> copies(const ThreadForm& form) {
  std::vector<Place> places;
  for (const uint64_t word : eliminate(form).kernel) places.push_back(place_of(form, word));
  return places;
}

absl::StatusOr<std::vector<Place>> holders_of(const ThreadForm& form, const Dims& index,
                                              int64_t most) {
  const Echelon echelon = eliminate(form);
  const Row row = reduced(echelon, {packed(form.dims, index), 0});
  std::vector<Place> places;
  if (row.sum != 0) return places;
  const size_t bits = echelon.kernel.size();
  if (int64_t{1} << bits > most) return absl::ResourceExhaustedError("too many places hold it");
  for (uint64_t chosen = 0; chosen < uint64_t{1} << bits; ++chosen) {
    uint64_t word = row.place;
    for (size_t k = 0; k < bits; ++k) {
      if ((chosen >> k) & 1) word ^= echelon.kernel[k];
    }
    places.push_back(place_of(form, word));
  }
  std::ranges::sort(places);
  return places;
}

std::optional<Dims> not_held(const ThreadForm& form) {
  const Echelon echelon = eliminate(form);
  int64_t bits = 0;
  for (const int64_t size : form.dims) bits += bits_of_size(size);
  for (int64_t bit = 0; bit < bits; ++bit) {
    const uint64_t word = uint64_t{1} << bit;
    if (reduced(echelon, {word, 0}).sum != 0) return unpacked(form.dims, word);
  }
  return std::nullopt;
}

IndexingMap map_of(const ThreadForm& form) {
  IndexingMap map;
  const Place sizes = place_sizes(form);
  for (size_t i = 0; i < 4; ++i)
    map.dimensions.push_back({{0, sizes[i] - 1}, std::string(kPlaceNames[i])});
  const std::vector<int64_t> shifts = shifts_of(form.dims);
  for (size_t d = 0; d < form.dims.size(); ++d)
    map.results.push_back(index_expression(form, map.nodes, shifts[d], bits_of_size(form.dims[d])));
  return map;
}

std::string to_linear_text(const ThreadForm& form) {
  std::vector<std::string> fields;
  for (size_t i = 0; i < 4; ++i) {
    std::vector<std::string> rows;
    for (const uint64_t basis : form.bases[i])
      rows.push_back(absl::StrCat("[", absl::StrJoin(unpacked(form.dims, basis), ", "), "]"));
    fields.push_back(
        absl::StrCat(std::string(kPlaceNames[i]), " = [", absl::StrJoin(rows, ", "), "]"));
  }
  return absl::StrCat("#ttg.linear<{", absl::StrJoin(fields, ", "), "}>");
}

}  // namespace tileproof::impl
