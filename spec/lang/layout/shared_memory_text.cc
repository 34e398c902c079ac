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
    return fields_.error("expected one of #ttg.swizzled_shared, nvmma_shared and padded_shared");
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

  absl::StatusOr<Dims> read_order() {
    return fields_.order("order", array_.dims.size(), "dimension of the array");
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
    // The phases that differ: as many as there are vectors in a row.
    const int64_t swizzled_vectors = std::min(phases, std::max<int64_t>(columns / vec, 1));
    if (order.size() == 1 || swizzled_vectors == 1) return swizzled({0, 0, 0}, std::move(plain));
    if (!is_power_of_two(columns) || !is_power_of_two(array_.dims[order[1]]))
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
    TRY(fields_.number("rank", 2));
    if (array_.dims.size() != 2)
      return fields_.error("expected an array of two dimensions: others are not supported");
    if (width != 32 && width != 64 && width != 128)
      return fields_.error(
          "expected swizzlingByteWidth of 32, 64 or 128: others are not supported");
    if (bits < 8 || bits > 64 || array_.element_bits.value_or(bits) != bits)
      return fields_.error("expected elementBitWidth to be that of the array's elements, 8 to 64");
    const int64_t tile = width * 8 / bits;  // columns
    const int64_t rows = array_.dims[is_transposed ? 1 : 0];
    const int64_t columns = array_.dims[is_transposed ? 0 : 1];
    if (rows % 8 != 0 || columns % tile != 0)
      return fields_.error(absl::StrCat("expected whole tiles of 8 rows and ", tile,
                                        " columns, found ", rows, "x", columns));
    IntTuple sizes = make_flat({tile, columns / tile}), strides = make_flat({1, rows * tile});
    if (columns == tile) {
      sizes = make_integer(tile);
      strides = make_integer(1);
    }
    NestedLayout tiles{make_tuple({make_integer(rows), sizes}),
                       make_tuple({make_integer(tile), strides})};
    if (is_transposed) {
      std::ranges::reverse(tiles.shape.elements);
      std::ranges::reverse(tiles.stride.elements);
    }
    SwizzledLayout layout{{log2_of(width / 16), 4, 3}, 0, std::move(tiles), bits};
    return SharedLayout(std::move(layout));
  }

  absl::StatusOr<SharedLayout> read_padded() {
    if (attribute_.paddings.empty()) return fields_.error("expected paddings: [32:+4]");
    const Dims strides = strides_of(TRY(read_order()));
    if (fields_.has("shape") && TRY(fields_.numbers("shape")) != array_.dims)
      return fields_.error("expected shape to be that of the array");
    std::vector<std::string> names, terms;
    for (size_t d = 0; d < strides.size(); ++d) {
      names.push_back(absl::StrCat("d", d));
      terms.push_back(absl::StrCat("d", d, " * ", strides[d]));
    }
    const std::string plain = absl::StrJoin(terms, " + ");
    std::string offset = plain;
    for (const auto& [interval, padding] : attribute_.paddings) {
      if (interval > kMostOfShared || padding > kMostOfShared)
        return fields_.error("expected intervals and paddings of at most 2^30");
      absl::StrAppend(&offset, " + ((", plain, ") floordiv ", interval, ") * ", padding);
    }
    return SharedLayout(TRY(parse_memref(
        absl::StrCat("memref<", absl::StrJoin(array_.dims, "x"), "x", array_.element_type,
                     ", affine_map<(", absl::StrJoin(names, ", "), ") -> (", offset, ")>>"))));
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
