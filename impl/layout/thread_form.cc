// SPDX-License-Identifier: Apache-2.0
#include "impl/layout/thread_form.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tileproof::impl {
namespace {

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

Dims unpacked(const Dims& dims, uint64_t word) {
  const std::vector<int64_t> shifts = shifts_of(dims);
  Dims index;
  for (size_t d = 0; d < dims.size(); ++d)
    index.push_back(static_cast<int64_t>(word >> shifts[d]) & (dims[d] - 1));
  return index;
}

// The place of a word in which the bits of the registers are lowest.
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

// Of the first coordinates.
Echelon eliminate(const ThreadForm& form, size_t coordinates = 4) {
  Echelon echelon;
  uint64_t bit = 1;
  for (size_t i = 0; i < coordinates; ++i) {
    for (const uint64_t basis : form.bases[i]) {
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

uint64_t packed(const Dims& dims, const Dims& index) {
  const std::vector<int64_t> shifts = shifts_of(dims);
  uint64_t word = 0;
  for (size_t d = 0; d < dims.size(); ++d) word |= static_cast<uint64_t>(index[d]) << shifts[d];
  return word;
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

std::optional<ThreadMoves> moves_between(const ThreadForm& from, const ThreadForm& to) {
  const Place sizes = place_sizes(from);
  const Dims places(sizes.begin(), sizes.end());
  for (int kept = 3; kept >= 0; --kept) {
    const auto first_kept = static_cast<size_t>(4 - kept);
    const Echelon echelon = eliminate(from, first_kept);
    ThreadMoves moves{{places, {}}, kept};
    bool is_found = true;
    for (size_t i = 0; i < 4; ++i) {
      for (size_t k = 0; k < to.bases[i].size(); ++k) {
        const bool is_kept = i >= first_kept;
        is_found = is_found && (!is_kept || k < from.bases[i].size());
        const uint64_t same = is_kept && is_found ? from.bases[i][k] : 0;
        const Row row = reduced(echelon, {to.bases[i][k] ^ same, 0});
        is_found = is_found && row.sum == 0;
        Place source = place_of(from, row.place);
        if (is_kept) source[i] = int64_t{1} << k;
        moves.sources.bases[i].push_back(packed(places, Dims(source.begin(), source.end())));
      }
    }
    if (is_found) return moves;
  }
  return std::nullopt;
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
