#include "conform/oracle/exact_layout.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::conform {
namespace {

using Numbers = std::vector<BigUint>;

BigUint product(const Numbers& numbers) {
  BigUint result(1);
  for (const BigUint& n : numbers) result = result * n;
  return result;
}

BigUint ceil_div(const BigUint& a, const BigUint& b) {
  auto [quotient, rest] = divide(a, b);
  return rest == BigUint(0) ? quotient : quotient + BigUint(1);
}

// The largest number that counting these dimensions can meet: empty ones taken as one.
BigUint largest_product(const Numbers& dims) {
  Numbers positive;
  for (const BigUint& d : dims) positive.push_back(std::max(d, BigUint(1)));
  return product(positive);
}

ExactTile apply_tile(const Tile& tile, Numbers& dims, BigUint& largest) {
  ExactTile result;
  result.prepended = std::max<int64_t>(0, std::ssize(tile.dims) - std::ssize(dims));
  dims.insert(dims.begin(), result.prepended, BigUint(1));
  result.untiled = std::ssize(dims) - std::ssize(tile.dims);

  Numbers after(dims.begin(), dims.begin() + result.untiled);
  ExactTile::Part part;
  for (size_t i = 0; i < tile.dims.size(); ++i) {
    part.combined.push_back(dims[result.untiled + i]);
    if (tile.dims[i] == Tile::kCombine) continue;
    part.size = product(part.combined);
    part.tile = BigUint(tile.dims[i]);
    after.push_back(ceil_div(part.size, part.tile));
    largest = std::max(largest, part.size + part.tile);
    result.parts.push_back(std::exchange(part, {}));
  }
  for (const ExactTile::Part& p : result.parts) after.push_back(p.tile);
  dims = std::move(after);
  largest = std::max(largest, largest_product(dims));
  return result;
}

absl::Status check_array(const Shape& shape) {
  if (shape.kind != Shape::Kind::kArray || !has_elements(shape.element_type)) {
    return absl::InvalidArgumentError("expected an array with elements");
  }
  for (const Dimension& d : shape.dimensions) {
    if (d.kind == Dimension::Kind::kUnbounded) {
      return absl::InvalidArgumentError("expected dimensions with a bound");
    }
  }
  return absl::OkStatus();
}

Numbers forward(const ExactTile& tile, Numbers index) {
  index.insert(index.begin(), tile.prepended, BigUint(0));
  Numbers after(index.begin(), index.begin() + tile.untiled);
  Numbers insides;
  auto next = index.begin() + tile.untiled;
  for (const ExactTile::Part& part : tile.parts) {
    BigUint x;
    for (const BigUint& size : part.combined) x = x * size + *next++;
    auto [number, inside] = divide(x, part.tile);
    after.push_back(std::move(number));
    insides.push_back(std::move(inside));
  }
  after.insert(after.end(), insides.begin(), insides.end());
  return after;
}

// Nothing where the place is padding of this tile.
std::optional<Numbers> backward(const ExactTile& tile, const Numbers& index) {
  const int64_t parts = std::ssize(tile.parts);
  Numbers before(index.begin(), index.begin() + tile.untiled);
  for (int64_t i = 0; i < parts; ++i) {
    const ExactTile::Part& part = tile.parts[i];
    BigUint x = index[tile.untiled + i] * part.tile + index[tile.untiled + parts + i];
    if (!(x < part.size)) return std::nullopt;
    Numbers combined;  // minor to major
    for (size_t d = part.combined.size(); d-- > 0;) {
      auto [major, minor] = divide(x, part.combined[d]);
      combined.push_back(std::move(minor));
      x = std::move(major);
    }
    before.insert(before.end(), combined.rbegin(), combined.rend());
  }
  before.erase(before.begin(), before.begin() + tile.prepended);
  return before;
}

}  // namespace

absl::StatusOr<ExactLayout> exact_layout(const Shape& shape) {
  TRY(check_array(shape));
  ExactLayout result;
  result.layout = layout_of(shape);
  for (const Dimension& d : shape.dimensions) result.logical.push_back(d.size);
  Numbers& dims = result.physical;
  for (auto d = result.layout.minor_to_major.rbegin(); d != result.layout.minor_to_major.rend();
       ++d) {
    dims.push_back(BigUint(result.logical[*d]));
  }
  BigUint largest = largest_product(dims);
  for (const Tile& tile : result.layout.tiles) {
    result.tiles.push_back(apply_tile(tile, dims, largest));
  }
  const BigUint tail(result.layout.tail_padding_alignment);
  result.elements = ceil_div(product(dims), tail) * tail;
  const int64_t given = result.layout.element_size_in_bits;
  const int64_t own = 8 * byte_width(shape.element_type);
  const BigUint bits(given != 0 ? given : own);
  result.bytes = ceil_div(result.elements * bits, BigUint(8));
  // The bytes at the type's own width count too, whatever E says: HLO's validation wants them.
  largest = (largest + tail) * std::max(bits, BigUint(own)) + BigUint(7);
  result.may_overflow = !to_int64(largest).has_value();
  return result;
}

absl::StatusOr<Shape> parse_shape_of_any_size(absl::string_view text) {
  absl::StatusOr<Shape> shape = parse_shape(text);
  if (shape.ok() || !absl::StrContains(shape.status().message(), "[too-large]")) return shape;
  // The same text with dimensions of 1, which then get their sizes back. A tuple is no array
  // anyway.
  Cursor cursor(text);
  const absl::string_view type = cursor.take_identifier();
  if (!cursor.take("[")) return shape;
  std::vector<int64_t> sizes;
  do {
    if (cursor.peek() == '?') return shape;
    cursor.take("<=");
    absl::StatusOr<int64_t> size = cursor.take_integer("a size");
    if (!size.ok()) return shape;
    sizes.push_back(*size);
  } while (cursor.take(","));
  const std::string ones = absl::StrJoin(std::vector<int64_t>(sizes.size(), 1), ",");
  if (!cursor.take("]")) return shape;
  Shape small =
      TRY(parse_shape(absl::StrCat(std::string(type), "[", ones, "]", std::string(cursor.rest()))));
  for (size_t d = 0; d < sizes.size(); ++d) small.dimensions[d].size = sizes[d];
  return small;
}

BigUint linearize(const ExactLayout& layout, const std::vector<int64_t>& index) {
  Numbers at;
  for (auto d = layout.layout.minor_to_major.rbegin(); d != layout.layout.minor_to_major.rend();
       ++d) {
    at.push_back(BigUint(index[*d]));
  }
  for (const ExactTile& tile : layout.tiles) at = forward(tile, std::move(at));
  BigUint offset;
  for (size_t d = 0; d < at.size(); ++d) offset = offset * layout.physical[d] + at[d];
  return offset;
}

std::optional<std::vector<int64_t>> delinearize(const ExactLayout& layout, int64_t offset) {
  BigUint left(offset);
  if (!(left < product(layout.physical))) return std::nullopt;  // the tail
  Numbers at(layout.physical.size());
  for (size_t d = at.size(); d-- > 0;) std::tie(left, at[d]) = divide(left, layout.physical[d]);
  for (size_t i = layout.tiles.size(); i-- > 0;) {
    std::optional<Numbers> before = backward(layout.tiles[i], at);
    if (!before) return std::nullopt;
    at = *std::move(before);
  }
  const int64_t rank = std::ssize(layout.logical);
  std::vector<int64_t> index(rank);
  for (int64_t i = 0; i < rank; ++i) {
    index[layout.layout.minor_to_major[i]] = *to_int64(at[rank - 1 - i]);
  }
  return index;
}

}  // namespace tileproof::conform
