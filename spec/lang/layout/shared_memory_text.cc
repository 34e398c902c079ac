// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/layout/shared_memory_text.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/ttg_text.h"

namespace tileproof {
namespace {

constexpr int64_t kMostOfShared = int64_t{1} << 30;  // elements

bool is_power_of_two(int64_t x) { return x >= 1 && (x & (x - 1)) == 0; }

// `term * factor`
std::string scaled(absl::string_view term, int64_t factor) {
  return factor == 1 ? std::string(term) : absl::StrCat(term, " * ", factor);
}

int64_t log2_of(int64_t power) { return std::countr_zero(static_cast<uint64_t>(power)); }

class SharedReader {
 public:
  SharedReader(const TtgType& type, absl::string_view text)
      : array_(*type.array), attribute_(type.layout), fields_(type.layout, text) {}

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
    TRY(expect_one_block());
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

  // An array in the memory of one block.
  absl::Status expect_one_block() {
    for (const char* key : {"CTAsPerCGA", "CTASplitNum"}) {
      if (!fields_.has(key)) continue;
      for (const int64_t blocks : TRY(fields_.numbers(key))) {
        if (blocks != 1)
          return fields_.error(absl::StrCat(key, " of several blocks is not supported"));
      }
    }
    if (fields_.has("CTAOrder")) TRY(fields_.numbers("CTAOrder"));
    for (const char* key : {"CGALayout", "block"}) {
      if (fields_.has(key) && !TRY(fields_.rows(key)).empty())
        return fields_.error(absl::StrCat(key, " of several blocks is not supported"));
    }
    return absl::OkStatus();
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

  // The swizzle of elements. If they are whole bytes, it is written for addresses of bytes.
  absl::StatusOr<SharedLayout> swizzled(Swizzle swizzle, NestedLayout layout) const {
    SwizzledLayout result{swizzle, 0, std::move(layout), {}};
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
    if (is_power_of_two(number) && number <= kMostOfShared) return number;
    return fields_.error(absl::StrCat("expected a power of two as ", key));
  }

  absl::StatusOr<SharedLayout> read_swizzled() {
    const int64_t vec = TRY(power("vec")), per_phase = TRY(power("perPhase"));
    const int64_t phases = TRY(power("maxPhase"));
    const Dims order = TRY(read_order());
    NestedLayout plain{make_flat(array_.dims), make_flat(strides_of(order))};
    const int64_t columns = array_.dims[order[0]];
    if (TRY(fields_.number("hasLeadingOffset", 0)) != 0)
      return fields_.error("hasLeadingOffset = true is not supported: it is #ttg.nvmma_shared");
    // The phases that differ: as many as there are vectors in a row, and rows of one phase.
    const int64_t rows = order.size() > 1 ? array_.dims[order[1]] : 1;
    const int64_t swizzled_vectors =
        std::min({phases, std::max<int64_t>(columns / vec, 1),
                  static_cast<int64_t>(std::bit_ceil(
                      static_cast<uint64_t>(std::max<int64_t>(rows / per_phase, 1))))});
    if (order.size() == 1 || swizzled_vectors == 1) return swizzled({0, 0, 0}, std::move(plain));
    if (!is_power_of_two(columns) || !is_power_of_two(rows))
      return fields_.error("expected rows and columns that are powers of two to swizzle");
    return swizzled({log2_of(swizzled_vectors), log2_of(vec), log2_of(columns / vec * per_phase)},
                    std::move(plain));
  }

  absl::StatusOr<SharedLayout> read_nvmma() {
    const int64_t width = TRY(fields_.number("swizzlingByteWidth"));
    const int64_t bits = TRY(power("elementBitWidth"));
    const bool is_transposed = TRY(fields_.number("transposed", 0)) != 0;
    if (TRY(fields_.number("fp4Padded", 0)) != 0)
      return fields_.error("fp4Padded = true is not supported");
    const int64_t rank = TRY(fields_.number("rank", 2));
    const auto buffers = std::ssize(array_.dims) - rank;
    if (rank < 1 || buffers < 0)
      return fields_.error("expected an array of at least rank dimensions");
    if (bits < 8 || bits > 64 || array_.element_bits.value_or(bits) != bits)
      return fields_.error("expected elementBitWidth to be that of the array's elements, 8 to 64");
    const bool fits_box = std::all_of(array_.dims.begin() + buffers, array_.dims.end(),
                                      [](int64_t size) { return size <= 256; });
    if (width == 0 && fits_box && !is_transposed) {
      Dims by_rows(array_.dims.size());
      for (size_t d = 0; d < by_rows.size(); ++d)
        by_rows[d] = static_cast<int64_t>(by_rows.size() - 1 - d);
      return swizzled({0, 0, 0}, {make_flat(array_.dims), make_flat(strides_of(by_rows))});
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
    SwizzledLayout layout{{log2_of(width / 16), 4, 3},
                          0,
                          {make_tuple(std::move(sizes)), make_tuple(std::move(strides))},
                          bits};
    return SharedLayout(std::move(layout));
  }

  // A memref of the array with this offset, an expression of d0, d1, ..
  absl::StatusOr<SharedLayout> memref_of(absl::string_view offset) const {
    if (array_.element_type.empty())
      return fields_.error("expected the type of its elements behind it, such as :f16[64,64]");
    std::vector<std::string> names;
    for (size_t d = 0; d < array_.dims.size(); ++d) names.push_back(absl::StrCat("d", d));
    return SharedLayout(TRY(parse_memref(absl::StrCat(
        "memref<", absl::StrJoin(array_.dims, "x"), "x", array_.element_type, ", affine_map<(",
        absl::StrJoin(names, ", "), ") -> (", std::string(offset), ")>>"))));
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
      if (!is_power_of_two(array_.dims[d])) return fields_.error("expected sizes of powers of two");
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
          parities[k].push_back(bit == 0 ? absl::StrCat("d", d)
                                         : absl::StrCat("d", d, " floordiv ", int64_t{1} << bit));
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
      terms.push_back(absl::StrCat("d", d, " * ", stride));
    return terms.empty() ? "0" : absl::StrJoin(terms, " + ");
  }

  absl::StatusOr<SharedLayout> read_linear() {
    TRY(fields_.number("alignment", 0));
    return memref_of(TRY(linear_offset(TRY(fields_.rows("offset")))));
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
    return memref_of(TRY(linear_offset(bases)));
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
      terms.push_back(absl::StrCat("d", d, " * ", columns));
    return memref_of(absl::StrJoin(terms, " + "));
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
    for (const char* key : {"twoCTAs", "fp4Padded"}) {
      if (TRY(fields_.number(key, 0)) != 0)
        return fields_.error(absl::StrCat(key, " = true is not supported"));
    }
    const int64_t lane = TRY(lane_stride());
    const int64_t rows = *(array_.dims.end() - 2), columns = array_.dims.back();
    const int64_t width = std::min(block_columns, columns);
    if (block_rows != 64 && block_rows != 128) return fields_.error("expected blockM of 64 or 128");
    if (!is_power_of_two(rows) || !is_power_of_two(columns) || rows < block_rows)
      return fields_.error("expected sizes of powers of two, and at least blockM rows");
    const std::string row = absl::StrCat("d", array_.dims.size() - 2);
    const std::string column = absl::StrCat("d", array_.dims.size() - 1);
    std::vector<std::string> terms = {scaled(absl::StrCat("(", column, " mod ", width, ")"), step)};
    int64_t tile_rows = block_rows, tile_columns = width;
    if (block_rows == 128) {
      terms.push_back(absl::StrCat("(", row, " mod 128) * ", lane));
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
    const int64_t of_rows = width * step, of_columns = of_rows * (rows / tile_rows);
    terms.push_back(absl::StrCat("(", row, " floordiv ", tile_rows, ") * ", of_rows));
    terms.push_back(absl::StrCat("(", column, " floordiv ", tile_columns, ") * ", of_columns));
    return in_tensor_memory(std::move(terms), of_columns * (columns / tile_columns));
  }

  // Scales of a block: 32 rows in the lanes (and again in the lanes from 32, 64 and 96 on), of which
  // 4 columns lie beside each other, then the next rows, then the next columns.
  absl::StatusOr<SharedLayout> read_scales() {
    const int64_t lane = TRY(lane_stride());
    const int64_t rows = *(array_.dims.end() - 2), columns = array_.dims.back();
    if (!is_power_of_two(rows) || !is_power_of_two(columns))
      return fields_.error("expected sizes of powers of two");
    const std::string row = absl::StrCat("d", array_.dims.size() - 2);
    const std::string column = absl::StrCat("d", array_.dims.size() - 1);
    const int64_t groups = 4 * std::max<int64_t>(rows / 32, 2);
    return in_tensor_memory(
        {absl::StrCat("(", row, " mod 32) * ", lane), absl::StrCat("(", row, " floordiv 32) * 4"),
         absl::StrCat(column, " mod 4"), absl::StrCat("(", column, " floordiv 4) * ", groups)},
        groups * std::max<int64_t>(columns / 4, 1));
  }

  absl::StatusOr<SharedLayout> read_padded() {
    if (attribute_.paddings.empty()) return fields_.error("expected paddings: [32:+4]");
    if (fields_.has("shape") && TRY(fields_.numbers("shape")) != array_.dims)
      return fields_.error("expected shape to be that of the array");
    std::string plain;
    if (fields_.has("offset")) {
      plain = TRY(linear_offset(TRY(fields_.rows("offset"))));
    } else {
      const Dims strides = strides_of(TRY(read_order()));
      std::vector<std::string> terms;
      for (size_t d = 0; d < strides.size(); ++d)
        terms.push_back(scaled(absl::StrCat("d", d), strides[d]));
      plain = absl::StrJoin(terms, " + ");
    }
    std::string offset = plain;
    for (const auto& [interval, padding] : attribute_.paddings) {
      if (interval < 1 || interval > kMostOfShared || padding > kMostOfShared)
        return fields_.error("expected intervals of 1 to 2^30, and paddings of at most 2^30");
      absl::StrAppend(&offset, " + ((", plain, ") floordiv ", interval, ") * ", padding);
    }
    return memref_of(offset);
  }

  const MlirArray& array_;
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
