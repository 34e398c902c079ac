// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/layout/shared_memory_text.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/ttg_text.h"

namespace tileproof {
namespace {

constexpr int64_t kMostOfShared = int64_t{1} << 30;  // elements
constexpr int64_t kMostApart = int64_t{1} << 32;     // the memories of two blocks

// `term * factor`
std::string scaled(absl::string_view term, int64_t factor) {
  return factor == 1 ? std::string(term) : absl::StrCat(term, " * ", factor);
}

int64_t log2_of(int64_t power) { return std::countr_zero(static_cast<uint64_t>(power)); }

class SharedReader {
 public:
  SharedReader(const TtgType& type, absl::string_view text)
      : array_(*type.array),
        whole_(array_.dims),
        attribute_(type.layout),
        fields_(type.layout, text) {}

  absl::StatusOr<SharedLayout> read() {
    int64_t elements = 1;
    for (const int64_t size : array_.dims) {
      if (size < 1 || size > kMostOfShared || (elements *= size) > kMostOfShared)
        return fields_.error("expected 1 to 2^30 elements");
    }
    if (array_.dims.empty()) return fields_.error("expected an array of at least one dimension");
    SharedLayout layout = TRY(read_kind());
    TRY(fields_.expect_none_left());
    return layout;
  }

 private:
  absl::StatusOr<SharedLayout> read_kind() {
    TRY(take_block());
    if (attribute_.name == "swizzled_shared" || attribute_.name == "shared") return read_swizzled();
    if (attribute_.name == "nvmma_shared") return read_nvmma();
    if (attribute_.name == "padded_shared") return read_padded();
    if (attribute_.name == "shared_linear") return read_linear();
    if (attribute_.name == "amd_rotating_shared") return read_rotating();
    if (attribute_.name == "tensor_memory_encoding") return read_tensor_memory();
    if (attribute_.name == "tensor_memory_scales_encoding") return read_scales();
    return fields_.error(
        "expected one of #ttg.swizzled_shared, nvmma_shared, padded_shared, shared_linear, "
        "amd_rotating_shared, and #ttng.tensor_memory_encoding and tensor_memory_scales_encoding");
  }

  // The parts of the array that blocks hold. From here on it is the part of one.
  absl::Status take_block() {
    blocks_ = TRY(fields_.block_bases(std::nullopt));
    Dims parts(array_.dims.size(), 1);
    if (attribute_.name == "padded_shared" && fields_.has("block")) TRY(take_padded_blocks());
    for (Dims& basis : blocks_) {
      block_rank_ = std::ssize(basis);
      if (basis.size() > parts.size())
        return fields_.error("expected blocks of at most the array's dimensions");
      basis.insert(basis.begin(), parts.size() - basis.size(), 0);
      const auto is_zero = [](int64_t x) { return x == 0; };
      if (std::ranges::count_if(basis, is_zero) + 1 < std::ssize(basis))
        return fields_.error("a block that adds to several dimensions is not supported");
      for (size_t d = 0; d < parts.size(); ++d) {
        if (basis[d] >= array_.dims[d]) basis[d] = 0;
        while (basis[d] >= parts[d]) parts[d] *= 2;
      }
    }
    for (size_t d = 0; d < parts.size(); ++d) {
      if (array_.dims[d] % parts[d] != 0)
        return fields_.error("expected sizes that the blocks divide");
      array_.dims[d] /= parts[d];
    }
    return absl::OkStatus();
  }

  // In elements, not in parts.
  absl::Status take_padded_blocks() {
    blocks_ = TRY(fields_.rows("block"));
    Dims units = whole_;
    for (const Dims& basis : blocks_) {
      if (basis.size() != units.size())
        return fields_.error("expected bases of one number for each dimension");
      for (size_t d = 0; d < units.size(); ++d)
        units[d] = basis[d] > 0 ? std::min(units[d], basis[d]) : units[d];
    }
    for (Dims& basis : blocks_) {
      for (size_t d = 0; d < units.size(); ++d) basis[d] /= units[d];
    }
    return absl::OkStatus();
  }

  // The bits of the numbers of parts of a dimension: how far each moves the offset, if the memories of
  // blocks are `stride` elements apart.
  std::vector<int64_t> block_strides(size_t d, int64_t stride) const {
    std::vector<int64_t> strides;
    for (int64_t part = 1; array_.dims[d] * part < whole_[d]; part *= 2) {
      const auto bit =
          std::ranges::find_if(blocks_, [d, part](const Dims& basis) { return basis[d] == part; });
      strides.push_back(bit == blocks_.end() ? 0 : stride << (bit - blocks_.begin()));
    }
    return strides;
  }

  int64_t elements_of_block() const {
    return std::accumulate(array_.dims.begin(), array_.dims.end(), int64_t{1}, std::multiplies<>());
  }

  // A coordinate in the part of a block, as an expression.
  std::string coordinate(size_t d) const {
    if (array_.dims[d] == whole_[d]) return absl::StrCat("d", d);
    return absl::StrCat("(d", d, " mod ", array_.dims[d], ")");
  }

  // Dimensions that the layout lacks are the numbers of buffers that follow each other.
  absl::StatusOr<Dims> read_order() {
    const size_t rank = std::min(TRY(fields_.numbers("order")).size(), array_.dims.size());
    Dims order = TRY(fields_.order("order", rank, "dimension of the array"));
    const auto buffers = static_cast<int64_t>(array_.dims.size() - rank);
    for (int64_t& d : order) d += buffers;
    for (int64_t d = buffers; d-- > 0;) order.push_back(d);
    return order;
  }

  Dims strides_of(const Dims& order) const {
    Dims strides(order.size());
    int64_t stride = 1;
    for (const int64_t d : order) {
      strides[d] = stride;
      stride *= array_.dims[d];
    }
    return strides;
  }

  // The swizzle of elements, with the parts of blocks. If elements are whole bytes, it is written for
  // addresses of bytes.
  absl::StatusOr<SharedLayout> swizzled(Swizzle swizzle, std::vector<IntTuple> sizes,
                                        std::vector<IntTuple> strides) const {
    for (size_t d = 0; d < sizes.size(); ++d) {
      std::vector<IntTuple> parts = {sizes[d]}, steps = {strides[d]};
      for (const int64_t step : block_strides(d, elements_of_block())) {
        parts.push_back(make_integer(2));
        steps.push_back(make_integer(step));
      }
      if (parts.size() == 1) continue;
      sizes[d] = make_tuple(std::move(parts));
      strides[d] = make_tuple(std::move(steps));
    }
    SwizzledLayout result{
        swizzle, 0, {make_tuple(std::move(sizes)), make_tuple(std::move(strides))}, {}};
    if (array_.element_bits && 256 % *array_.element_bits == 0) {
      result.pointer_bits = array_.element_bits;
      if (swizzle.bits > 0) result.swizzle.base += log2_of(*array_.element_bits / 8);
    }
    if (const absl::Status valid = validate(result); !valid.ok())
      return fields_.error(valid.message());
    return SharedLayout(std::move(result));
  }

  absl::StatusOr<int64_t> power(absl::string_view key) {
    const int64_t number = TRY(fields_.number(key));
    if (TtgFields::is_power(number) && number <= kMostOfShared) return number;
    return fields_.error(absl::StrCat("expected a power of two as ", key));
  }

  absl::StatusOr<SharedLayout> read_swizzled() {
    const int64_t vec = TRY(power("vec")), per_phase = TRY(power("perPhase"));
    const int64_t phases = TRY(power("maxPhase"));
    const Dims order = TRY(read_order());
    const auto plain = [&](Swizzle swizzle) {
      return swizzled(swizzle, integers(array_.dims), integers(strides_of(order)));
    };
    const int64_t columns = array_.dims[order[0]];
    if (TRY(fields_.number("hasLeadingOffset", 0)) != 0)
      return fields_.error("hasLeadingOffset = true is not supported: it is #ttg.nvmma_shared");
    // The phases that differ: as many as there are vectors in a row, and rows of one phase.
    const int64_t rows = order.size() > 1 ? array_.dims[order[1]] : 1;
    const int64_t swizzled_vectors =
        std::min({phases, std::max<int64_t>(columns / vec, 1),
                  static_cast<int64_t>(std::bit_ceil(
                      static_cast<uint64_t>(std::max<int64_t>(rows / per_phase, 1))))});
    if (order.size() == 1 || swizzled_vectors == 1) return plain({0, 0, 0});
    if (!TtgFields::is_power(columns) || !TtgFields::is_power(rows))
      return fields_.error("expected rows and columns that are powers of two to swizzle");
    return plain({log2_of(swizzled_vectors), log2_of(vec), log2_of(columns / vec * per_phase)});
  }

  absl::StatusOr<SharedLayout> read_nvmma() {
    const int64_t width = TRY(fields_.number("swizzlingByteWidth"));
    const int64_t bits = TRY(power("elementBitWidth"));
    const bool is_transposed = TRY(fields_.number("transposed", 0)) != 0;
    if (TRY(fields_.number("fp4Padded", 0)) != 0)
      return fields_.error("fp4Padded = true is not supported");
    const int64_t rank = TRY(fields_.number("rank", blocks_.empty() ? 2 : block_rank_));
    const auto buffers = std::ssize(array_.dims) - rank;
    if (rank < 1 || buffers < 0)
      return fields_.error("expected an array of at least rank dimensions");
    if (bits < 8 || bits > 64 || array_.element_bits.value_or(bits) != bits)
      return fields_.error("expected elementBitWidth to be that of the array's elements, 8 to 64");
    const bool fits_box = std::all_of(array_.dims.begin() + buffers, array_.dims.end(),
                                      [](int64_t size) { return size <= 256; });
    if (width == 0 && fits_box && (!is_transposed || rank == 2)) {
      Dims by_rows(array_.dims.size());
      for (size_t d = 0; d < by_rows.size(); ++d)
        by_rows[d] = static_cast<int64_t>(by_rows.size() - 1 - d);
      if (is_transposed) std::swap(by_rows[0], by_rows[1]);
      return swizzled({0, 0, 0}, integers(array_.dims), integers(strides_of(by_rows)));
    }
    if (width != 32 && width != 64 && width != 128)
      return fields_.error(
          "expected swizzlingByteWidth of 32, 64 or 128, or of 0 for sizes of at most 256");
    if (rank < 2 || (rank > 2 && (is_transposed || !fits_box)))
      return fields_.error("expected rank = 2, or more for sizes of at most 256 not transposed");
    // All dimensions but the columns are rows.
    const auto column = static_cast<size_t>(is_transposed ? buffers : buffers + rank - 1);
    const int64_t tile = width * 8 / bits, columns = array_.dims[column];
    int64_t rows = 1;
    for (size_t d = buffers; d < array_.dims.size(); ++d) rows *= d == column ? 1 : array_.dims[d];
    if (rows % 8 != 0 || columns % tile != 0)
      return fields_.error(absl::StrCat("expected whole tiles of 8 rows and ", tile,
                                        " columns, found ", rows, "x", columns));
    std::vector<IntTuple> sizes(array_.dims.size()), strides(array_.dims.size());
    sizes[column] = make_flat({tile, columns / tile});
    strides[column] = make_flat({1, rows * tile});
    if (columns == tile) {
      sizes[column] = make_integer(tile);
      strides[column] = make_integer(1);
    }
    int64_t stride = tile;
    for (size_t d = array_.dims.size(); d-- > 0;) {
      if (d == column) continue;
      if (std::cmp_less(d, buffers)) stride = std::max(stride, rows * columns);
      sizes[d] = make_integer(array_.dims[d]);
      strides[d] = make_integer(stride);
      stride *= array_.dims[d];
    }
    array_.element_bits = bits;
    const int64_t vector = 128 / bits;  // elements of 16 bytes
    return swizzled({log2_of(width / 16), log2_of(vector), 3}, std::move(sizes),
                    std::move(strides));
  }

  static std::vector<IntTuple> integers(const Dims& numbers) {
    std::vector<IntTuple> tuples;
    for (const int64_t number : numbers) tuples.push_back(make_integer(number));
    return tuples;
  }

  // A memref of the array with this offset in a block, an expression of d0, d1, ..; the memories of
  // blocks are `stride` elements apart.
  absl::StatusOr<SharedLayout> memref_of(std::string offset, int64_t stride) const {
    if (array_.element_type.empty())
      return fields_.error("expected the type of its elements behind it, such as :f16[64,64]");
    if (!blocks_.empty() && stride > kMostApart)
      return fields_.error("expected memories of blocks of at most 2^32 elements");
    std::vector<std::string> names;
    for (size_t d = 0; d < whole_.size(); ++d) {
      names.push_back(absl::StrCat("d", d));
      int64_t part = array_.dims[d];
      for (const int64_t step : block_strides(d, stride)) {
        absl::StrAppend(&offset, " + ((d", d, " floordiv ", part, ") mod 2) * ", step);
        part *= 2;
      }
    }
    return SharedLayout(TRY(parse_memref(
        absl::StrCat("memref<", absl::StrJoin(whole_, "x"), "x", array_.element_type,
                     ", affine_map<(", absl::StrJoin(names, ", "), ") -> (", offset, ")>>"))));
  }

  // The offset of an index, where bit k of the offset adds bases[k] to the index by exclusive or: each
  // bit of the offset is the parity of some bits of the index, found by elimination. Dimensions before
  // those of the bases number buffers.
  absl::StatusOr<std::string> linear_offset(const std::vector<std::vector<int64_t>>& bases) const {
    const size_t rank = bases.empty() ? array_.dims.size() : bases[0].size();
    if (rank > array_.dims.size()) return fields_.error("expected a number for each dimension");
    const size_t buffers = array_.dims.size() - rank;
    std::vector<std::pair<size_t, int64_t>> bits;  // of the index: dimension and number
    for (size_t d = buffers; d < array_.dims.size(); ++d) {
      if (!TtgFields::is_power(array_.dims[d]))
        return fields_.error("expected sizes of powers of two");
      for (int64_t bit = 0; bit < log2_of(array_.dims[d]); ++bit) bits.emplace_back(d, bit);
    }
    // Rows of bits of the index, and the bits of the offset that they are the sum of.
    std::vector<std::pair<uint64_t, uint64_t>> rows;
    if (bases.size() > 30) return fields_.error("expected at most 30 bases");
    for (size_t k = 0; k < bases.size(); ++k) {
      if (bases[k].size() != rank)
        return fields_.error("expected bases of one number for each dimension");
      uint64_t row = 0;
      for (size_t i = 0; i < bits.size(); ++i)
        row |= static_cast<uint64_t>(bases[k][bits[i].first - buffers] >> bits[i].second & 1) << i;
      rows.emplace_back(row, uint64_t{1} << k);
    }
    std::vector<std::vector<std::string>> parities(bases.size());
    size_t done = 0;
    for (size_t i = 0; i < bits.size(); ++i) {
      const auto pivot = std::find_if(rows.begin() + static_cast<int64_t>(done), rows.end(),
                                      [i](const auto& row) { return row.first >> i & 1; });
      if (pivot == rows.end()) return fields_.error("expected bases that reach every element");
      std::iter_swap(rows.begin() + static_cast<int64_t>(done), pivot);
      for (size_t r = 0; r < rows.size(); ++r) {
        if (r == done || (rows[r].first >> i & 1) == 0) continue;
        rows[r].first ^= rows[done].first;
        rows[r].second ^= rows[done].second;
      }
      ++done;
    }
    for (size_t i = 0; i < bits.size(); ++i) {
      for (size_t k = 0; k < bases.size(); ++k) {
        const auto& [d, bit] = bits[i];
        if (rows[i].second >> k & 1) {
          const std::string x = coordinate(d);
          parities[k].push_back(bit == 0 ? x : absl::StrCat(x, " floordiv ", int64_t{1} << bit));
        }
      }
    }
    std::vector<std::string> terms;
    for (size_t k = 0; k < parities.size(); ++k) {
      if (parities[k].empty()) continue;
      const std::string parity = absl::StrCat("((", absl::StrJoin(parities[k], " + "), ") mod 2)");
      terms.push_back(scaled(parity, int64_t{1} << k));
    }
    int64_t stride = int64_t{1} << bases.size();
    for (size_t d = buffers; d-- > 0; stride *= array_.dims[d])
      terms.push_back(absl::StrCat(coordinate(d), " * ", stride));
    return terms.empty() ? "0" : absl::StrJoin(terms, " + ");
  }

  absl::StatusOr<SharedLayout> read_linear() {
    TRY(fields_.number("alignment", 0));
    std::vector<Dims> bases = TRY(fields_.rows("offset"));
    if (fields_.has("block")) {  // as further bits of the offset
      for (Dims& basis : TRY(fields_.rows("block"))) bases.push_back(std::move(basis));
    }
    return memref_of(TRY(linear_offset(bases)), elements_of_block());
  }

  // As swizzled_shared, with the phase changed by the number of the rows of all phases.
  absl::StatusOr<SharedLayout> read_rotating() {
    const int64_t vec = TRY(power("vec")), per_phase = TRY(power("perPhase"));
    const int64_t phases = TRY(power("maxPhase"));
    const Dims order = TRY(read_order());
    const size_t rank = std::min(TRY(fields_.numbers("order")).size(), order.size());
    const auto buffers = static_cast<int64_t>(order.size() - rank);
    std::vector<std::vector<int64_t>> bases;
    for (size_t i = 0; i < rank; ++i) {
      for (int64_t bit = 1; bit < array_.dims[order[i]]; bit *= 2) {
        bases.emplace_back(rank, 0);
        bases.back()[order[i] - buffers] = bit;
        const int64_t phase = (bit / per_phase % phases) ^ (bit / per_phase / phases % phases);
        if (i == 1) bases.back()[order[0] - buffers] = vec * phase % array_.dims[order[0]];
      }
    }
    return memref_of(TRY(linear_offset(bases)), elements_of_block());
  }

  // Lanes of tensor memory are 2^16 words of 32 bits apart, as in its addresses.
  absl::StatusOr<int64_t> lane_stride() const {
    const int64_t bits = array_.element_bits.value_or(0);
    if (bits != 8 && bits != 16 && bits != 32)
      return fields_.error("expected elements of 8, 16 or 32 bits");
    if (array_.dims.size() < 2)
      return fields_.error("expected an array of at least two dimensions");
    return 65536 * (32 / bits);
  }

  // `terms` of the last two dimensions, of `columns` in all, and the buffers before them.
  absl::StatusOr<SharedLayout> in_tensor_memory(std::vector<std::string> terms,
                                                int64_t columns) const {
    for (size_t d = array_.dims.size() - 2; d-- > 0; columns *= array_.dims[d])
      terms.push_back(absl::StrCat(coordinate(d), " * ", columns));
    return memref_of(absl::StrJoin(terms, " + "), 128 * TRY(lane_stride()));
  }

  absl::StatusOr<SharedLayout> read_tensor_memory() {
    const int64_t block_rows = TRY(power("blockM")), block_columns = TRY(power("blockN"));
    int64_t step = 1;  // between the elements of a row
    if (fields_.has("unpacked")) {
      const bool is_unpacked = TRY(fields_.number("unpacked")) != 0;
      step = is_unpacked ? std::max<int64_t>(32 / array_.element_bits.value_or(32), 1) : 1;
    } else {
      step = fields_.has("colStride") ? TRY(power("colStride")) : 1;
    }
    for (const char* key : {"CTASplitM", "CTASplitN"}) {
      if (TRY(fields_.number(key, 1)) != 1)
        return fields_.error(absl::StrCat(key, " of several blocks is not supported"));
    }
    if (TRY(fields_.number("fp4Padded", 0)) != 0)
      return fields_.error("fp4Padded = true is not supported");
    const bool is_of_two = TRY(fields_.number("twoCTAs", 0)) != 0;
    if (is_of_two && (blocks_.empty() || *(blocks_[0].end() - 2) != 1))
      return fields_.error("expected CGALayout = [[1, 0], ..] for twoCTAs = true");
    const int64_t lane = TRY(lane_stride());
    const int64_t rows = *(array_.dims.end() - 2), columns = array_.dims.back();
    const int64_t width = std::min(block_columns, columns);
    if (block_rows != 64 && block_rows != 128) return fields_.error("expected blockM of 64 or 128");
    if (!TtgFields::is_power(rows) || !TtgFields::is_power(columns) || rows < block_rows)
      return fields_.error("expected sizes of powers of two, and at least blockM rows");
    const std::string row = coordinate(array_.dims.size() - 2);
    const std::string column = coordinate(array_.dims.size() - 1);
    // Two blocks that multiply 64 rows each hold half of the columns in their upper lanes.
    const int64_t beside = is_of_two && block_rows == 64 ? std::max<int64_t>(width / 2, 1) : width;
    std::vector<std::string> terms = {
        scaled(absl::StrCat("(", column, " mod ", beside, ")"), step)};
    int64_t tile_rows = block_rows, tile_columns = width;
    if (block_rows == 128 || is_of_two) {
      terms.push_back(absl::StrCat("(", row, " mod ", block_rows, ") * ", lane));
      if (beside < width)
        terms.push_back(
            absl::StrCat("((", column, " mod ", width, ") floordiv ", beside, ") * ", 64 * lane));
    } else {
      // Rows of 64 lie in the first 16 of each 32 lanes; the second 16 hold the next rows, or columns.
      terms.push_back(absl::StrCat("(", row, " mod 16) * ", lane));
      terms.push_back(absl::StrCat("((", row, " mod 64) floordiv 16) * ", 32 * lane));
      if (rows > 64 || columns > width) {
        int64_t& doubled = rows > 64 ? tile_rows : tile_columns;
        terms.push_back(absl::StrCat("((", rows > 64 ? row : column, " mod ", 2 * doubled,
                                     ") floordiv ", doubled, ") * ", 16 * lane));
        doubled *= 2;
      }
    }
    const int64_t of_rows = beside * step, of_columns = of_rows * (rows / tile_rows);
    terms.push_back(absl::StrCat("(", row, " floordiv ", tile_rows, ") * ", of_rows));
    terms.push_back(absl::StrCat("(", column, " floordiv ", tile_columns, ") * ", of_columns));
    return in_tensor_memory(std::move(terms), of_columns * (columns / tile_columns));
  }

  // Scales of a block: 32 rows in the lanes (and again in the lanes from 32, 64 and 96 on), of which
  // 4 columns lie beside each other, then the next rows, then the next columns.
  absl::StatusOr<SharedLayout> read_scales() {
    const int64_t lane = TRY(lane_stride());
    const int64_t rows = *(array_.dims.end() - 2), columns = array_.dims.back();
    if (!TtgFields::is_power(rows) || !TtgFields::is_power(columns))
      return fields_.error("expected sizes of powers of two");
    const std::string row = coordinate(array_.dims.size() - 2);
    const std::string column = coordinate(array_.dims.size() - 1);
    const int64_t groups = 4 * std::max<int64_t>(rows / 32, 2);
    return in_tensor_memory(
        {absl::StrCat("(", row, " mod 32) * ", lane), absl::StrCat("(", row, " floordiv 32) * 4"),
         absl::StrCat(column, " mod 4"), absl::StrCat("(", column, " floordiv 4) * ", groups)},
        groups * std::max<int64_t>(columns / 4, 1));
  }

  absl::StatusOr<SharedLayout> read_padded() {
    if (attribute_.paddings.empty()) return fields_.error("expected paddings: [32:+4]");
    if (fields_.has("shape") && TRY(fields_.numbers("shape")) != whole_)
      return fields_.error("expected shape to be that of the array");
    std::string plain;
    if (fields_.has("offset")) {
      plain = TRY(linear_offset(TRY(fields_.rows("offset"))));
    } else {
      const Dims strides = strides_of(TRY(read_order()));
      std::vector<std::string> terms;
      for (size_t d = 0; d < strides.size(); ++d)
        terms.push_back(scaled(coordinate(d), strides[d]));
      plain = absl::StrJoin(terms, " + ");
    }
    std::string offset = plain;
    int64_t slots = elements_of_block();
    for (const auto& [interval, padding] : attribute_.paddings) {
      if (interval < 1 || interval > kMostOfShared || padding > kMostOfShared)
        return fields_.error("expected intervals of 1 to 2^30, and paddings of at most 2^30");
      absl::StrAppend(&offset, " + ((", plain, ") floordiv ", interval, ") * ", padding);
      slots = std::min(slots + elements_of_block() / interval * padding, 2 * kMostApart);
    }
    return memref_of(std::move(offset), slots);
  }

  MlirArray array_;  // of one block
  Dims whole_;
  std::vector<Dims> blocks_;
  int64_t block_rank_ = 2;  // dimensions that their bases were written for
  const TtgAttribute& attribute_;
  TtgFields fields_;
};

}  // namespace

absl::StatusOr<SharedLayout> parse_shared_layout(absl::string_view text) {
  const TtgType type = TRY(parse_ttg_type(text));
  if (!type.array) {
    return Cursor(text).error_at(
        type.layout.position,
        "expected an array around the layout: !ttg.memdesc<64x64xf16, #ttg.swizzled_shared<..>>");
  }
  return SharedReader(type, text).read();
}

}  // namespace tileproof
