// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/layout/thread_notations.h"

#include <algorithm>
#include <bit>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/element_type.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/interval.h"
#include "spec/lang/map/map_text.h"

namespace tileproof {
namespace {

constexpr int64_t kMostThreadElements = int64_t{1} << 30;

// `:f32[16,8]`
absl::Status read_array(Cursor& cursor, ThreadLayout& layout) {
  TRY(cursor.expect(":", "and an array, such as :f32[16,8]"));
  const size_t position = cursor.token_position();
  const Shape array = TRY(parse_shape(cursor));
  if (array.kind != Shape::Kind::kArray || array.layout)
    return cursor.error_at(position, "expected an array without a layout of its own");
  layout.dims.clear();
  for (const Dimension& dimension : array.dimensions) {
    if (dimension.kind != Dimension::Kind::kFixed)
      return cursor.error_at(position, "expected dimensions of fixed size");
    layout.dims.push_back(dimension.size);
  }
  layout.element_type = mlir_element_type(array.element_type);
  return absl::OkStatus();
}

// The end of the text. The array has 1 to 2^30 elements.
absl::StatusOr<ThreadLayout> finished(Cursor& cursor, ThreadLayout layout) {
  TRY(cursor.expect_end());
  int64_t elements = 1;
  for (const int64_t size : layout.dims) {
    if (size < 1 || size > kMostThreadElements || (elements *= size) > kMostThreadElements)
      return cursor.error_at(0, "expected an array of 1 to 2^30 elements");
  }
  layout.text = std::string(cursor.text());
  absl::RemoveExtraAsciiWhitespace(&layout.text);
  return layout;
}

// ---- TiledLayout ----

// `name=`, which may be missing.
absl::Status take_keyword(Cursor& cursor, absl::string_view name) {
  const size_t position = cursor.token_position();
  const absl::string_view word = cursor.take_identifier();
  if (word == name) return cursor.expect("=", absl::StrCat("after ", std::string(name)));
  cursor.set_position(position);
  return absl::OkStatus();
}

// `(64, 8)`, `(2,)`; in MLIR `[64, 8]`
absl::StatusOr<Dims> take_tuple(Cursor& cursor) {
  const char* const close = cursor.take("[") ? "]" : ")";
  if (*close == ')') TRY(cursor.expect("(", "to open a tuple"));
  Dims numbers;
  while (!cursor.take(close)) {
    numbers.push_back(TRY(cursor.take_integer("a number, or the end of the tuple")));
    if (cursor.take(":")) cursor.take_identifier();  // 64 : i32
    if (cursor.peek() != *close) TRY(cursor.expect(",", "or the end of the tuple after a number"));
  }
  return numbers;
}

constexpr absl::string_view kMosaicAttribute = "#mosaic_gpu.TiledLayout<";

// `Tiling(tiles=((64, 8), (2,)))`, or `Tiling((64, 8)(2,))`.
absl::StatusOr<std::vector<Dims>> take_tiling(Cursor& cursor) {
  const bool is_attribute = cursor.peek() == '[';
  if (is_attribute) {
    cursor.take("[");
  } else {
    if (cursor.take_identifier() != "Tiling") return cursor.expected("Tiling(..) before this");
    TRY(cursor.expect("(", "after Tiling"));
    TRY(take_keyword(cursor, "tiles"));
  }
  const size_t position = cursor.token_position();
  const bool is_tuple = cursor.take("(") && cursor.peek() == '(';
  if (!is_tuple) cursor.set_position(position);
  std::vector<Dims> tiles;
  while (cursor.peek() == '(' || cursor.peek() == '[') {
    const size_t place = cursor.token_position();
    tiles.push_back(TRY(take_tuple(cursor)));
    for (const int64_t size : tiles.back()) {
      if (size < 1 || size > kMostThreadElements)
        return cursor.error_at(place, "expected a tile of sizes of at least 1");
    }
    cursor.take(",");
  }
  if (tiles.empty()) return cursor.expected("a tile");
  if (is_tuple) TRY(cursor.expect(")", "to close the tiles"));
  TRY(cursor.expect(is_attribute ? "]" : ")", "to close the tiling"));
  return tiles;
}

// `(-4, Replicated(times=2))`; in MLIR `[-4, #mosaic_gpu.Replicated<times = 2>]`
absl::StatusOr<std::vector<ThreadDimension>> take_dimensions(Cursor& cursor) {
  const char* const close = cursor.take("[") ? "]" : ")";
  if (*close == ')') TRY(cursor.expect("(", "to open the dimensions"));
  std::vector<ThreadDimension> dimensions;
  while (!cursor.take(close)) {
    ThreadDimension& dimension = dimensions.emplace_back();
    cursor.take("#mosaic_gpu.");
    if (cursor.peek_identifier() == "Replicated") {
      cursor.take_identifier();
      const char* const end = cursor.take("<") ? ">" : ")";
      if (*end == ')') TRY(cursor.expect("(", "after Replicated"));
      TRY(take_keyword(cursor, "times"));
      dimension.copies = TRY(take_size(cursor, 1, "how often"));
      TRY(cursor.expect(end, "to close Replicated"));
    } else {
      dimension.number = TRY(cursor.take_integer("a negative dimension or Replicated(..)"));
      if (cursor.take(":")) cursor.take_identifier();
    }
    if (cursor.peek() != *close) TRY(cursor.expect(",", "or the end of the dimensions"));
  }
  return dimensions;
}

// The sizes that the tiles make of the first one, behind its quotients.
absl::StatusOr<Dims> tiled_suffix(const std::vector<Dims>& tiles) {
  Dims sizes = tiles[0];
  const size_t rank = sizes.size();
  for (const Dims& tile : tiles) {
    if (tile.size() > sizes.size())
      return absl::InvalidArgumentError("expected no tile of more dimensions than what it divides");
    const size_t first = sizes.size() - tile.size();
    for (size_t i = 0; i < tile.size(); ++i) {
      if (sizes[first + i] % tile[i] != 0)
        return absl::InvalidArgumentError("expected tiles that divide the tile before them");
      sizes[first + i] /= tile[i];
    }
    sizes.insert(sizes.end(), tile.begin(), tile.end());
  }
  sizes.erase(sizes.begin(), sizes.begin() + static_cast<int64_t>(rank));
  return sizes;
}

absl::Status expect_valid(const TiledEncoding& tiled) {
  const Dims sizes = TRY(tiled_suffix(tiled.tiles));
  std::set<int64_t> used = {tiled.vector};
  const auto product_of = [&](const std::vector<ThreadDimension>& dimensions) {
    int64_t product = 1;
    for (const ThreadDimension& d : dimensions) {
      const bool is_inside = d.copies > 0 || (d.number < 0 && d.number >= -std::ssize(sizes));
      const int64_t size = !is_inside ? 0 : d.copies > 0 ? d.copies : *(sizes.end() + d.number);
      if (d.copies == 0 && !used.insert(d.number).second) product = 0;
      product = std::min(product * size, kMostThreadElements);
    }
    return product;
  };
  if (tiled.vector >= 0 || tiled.vector < -std::ssize(sizes))
    return absl::InvalidArgumentError("expected vector_dim to be a negative dimension of a tile");
  if (product_of(tiled.warps) != 4 || product_of(tiled.lanes) != 32)
    return absl::InvalidArgumentError(
        "expected different negative dimensions of a tile, warp_dims of 4 warps in all and "
        "lane_dims of 32 lanes");
  return absl::OkStatus();
}

// ---- Fragment ----

constexpr int64_t kMostFragmentPoints = int64_t{1} << 20;

// The results of a map without constraints at a point.
std::optional<std::vector<int64_t>> results_at(const IndexingMap& map, const Dims& index,
                                               int64_t copy) {
  std::vector<int64_t> values;
  for (const Node& node : map.nodes) {
    std::optional<int64_t> value = node.value;
    if (node.op == Op::kDimension) value = index[node.value];
    if (node.op == Op::kRange) value = copy;
    if (!is_leaf(node.op)) value = value_of(node.op, values[node.left], values[node.right]);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  std::vector<int64_t> results;
  for (const NodeId result : map.results) results.push_back(values[result]);
  return results;
}

// Which index, row-major, each place of a fragment holds: at thread * registers + register. Errors: a
// place of two indices or none, sizes that are no powers of two.
struct FragmentTable {
  int64_t threads = 1, registers = 1;
  std::vector<int64_t> held;
};

absl::StatusOr<FragmentTable> table_of(const IndexingMap& map, const Dims& dims) {
  const auto refuse = [](absl::string_view why) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a fragment in which each register of each thread holds one element, "
                     "and powers of two; ",
                     std::string(why), " (tileproof check --one-to-one takes it as a map)"));
  };
  const int64_t copies = map.ranges[0].bounds.high + 1;
  int64_t points = copies;
  for (const int64_t size : dims) {
    if (!std::has_single_bit(static_cast<uint64_t>(size)))
      return refuse(absl::StrCat("found the size ", size));
    points = std::min(points * size, kMostFragmentPoints + 1);
  }
  if (!std::has_single_bit(static_cast<uint64_t>(copies)) || points > kMostFragmentPoints)
    return refuse(absl::StrCat("found ", points, " places"));
  std::vector<std::vector<int64_t>> places;
  std::vector<int64_t> sizes(map.results.size(), 1);
  Dims index(dims.size(), 0);
  for (int64_t i = 0; i < points / copies; ++i) {
    for (int64_t copy = 0; copy < copies; ++copy) {
      const auto place = results_at(map, index, copy);
      if (!place || *std::ranges::min_element(*place) < 0) return refuse("found a negative number");
      for (size_t r = 0; r < sizes.size(); ++r) sizes[r] = std::max(sizes[r], (*place)[r] + 1);
      places.push_back(*place);
    }
    for (size_t d = dims.size(); d-- > 0 && ++index[d] == dims[d];) index[d] = 0;
  }
  FragmentTable table;
  table.threads = sizes[0];
  for (size_t r = 1; r < sizes.size(); ++r)
    table.registers = std::min(table.registers * sizes[r], kMostFragmentPoints + 1);
  if (!std::has_single_bit(static_cast<uint64_t>(table.threads)) || points % table.threads != 0 ||
      table.registers != points / table.threads)
    return refuse(absl::StrCat("found ", points, " elements in ", table.registers, " registers of ",
                               table.threads, " threads"));
  table.held.assign(static_cast<size_t>(points), -1);
  for (int64_t i = 0; i < points; ++i) {
    int64_t at = 0;
    for (size_t r = 0; r < sizes.size(); ++r) at = at * sizes[r] + places[i][r];
    if (table.held[at] >= 0)
      return refuse(absl::StrCat("found two in register ", at % table.registers, " of thread ",
                                 at / table.registers));
    table.held[at] = i / copies;
  }
  return table;
}

// The bases of the bits of a fragment's places. Errors: an exclusive or of places that does not hold
// that of their indices.
absl::StatusOr<LinearEncoding> linear_of(const FragmentTable& table, const Dims& dims) {
  std::vector<int64_t> bits;  // what each bit of a place adds to the row-major index
  for (size_t bit = 1; bit < table.held.size(); bit *= 2) bits.push_back(table.held[bit]);
  for (size_t at = 0; at < table.held.size(); ++at) {
    int64_t sum = 0;
    for (size_t b = 0; b < bits.size(); ++b) sum ^= (at >> b & 1) != 0 ? bits[b] : 0;
    if (table.held[at] != sum)
      return absl::InvalidArgumentError("expected a fragment that is linear over bits");
  }
  LinearEncoding linear;
  const auto registers = static_cast<size_t>(table.registers);
  for (size_t b = 0; b < bits.size(); ++b) {
    const size_t coordinate = size_t{1} << b < registers        ? 0
                              : size_t{1} << b < 32 * registers ? 1
                                                                : 2;
    Dims basis(dims.size());
    int64_t rest = bits[b];
    for (size_t d = dims.size(); d-- > 0; rest /= dims[d]) basis[d] = rest % dims[d];
    linear.bases[coordinate].push_back(std::move(basis));
  }
  return linear;
}

}  // namespace

bool looks_like_fragment(absl::string_view text) {
  return looks_like_tilelang(text) && Cursor(text).peek_identifier() == "Fragment";
}

absl::StatusOr<ThreadLayout> parse_fragment(absl::string_view text) {
  const IndexingMap map = TRY(parse_map(text));
  ThreadLayout layout;
  for (const Variable& dimension : map.dimensions) layout.dims.push_back(dimension.bounds.high + 1);
  const Cursor cursor(text);
  const absl::StatusOr<FragmentTable> table = table_of(map, layout.dims);
  if (!table.ok()) return cursor.error_at(0, table.status().message());
  absl::StatusOr<LinearEncoding> linear = linear_of(*table, layout.dims);
  if (!linear.ok()) return cursor.error_at(0, linear.status().message());
  layout.encoding.kind = *std::move(linear);
  layout.text = std::string(text);
  absl::RemoveExtraAsciiWhitespace(&layout.text);
  return layout;
}

bool looks_like_thread_values(absl::string_view text) {
  Cursor cursor(text);
  return cursor.take_identifier() == "tv" && cursor.peek() == ':';
}

bool looks_like_tiled_layout(absl::string_view text) {
  Cursor cursor(text);
  if (cursor.take(kMosaicAttribute)) return true;
  return cursor.take_identifier() == "TiledLayout" && cursor.peek() == '(';
}

absl::StatusOr<ThreadLayout> parse_thread_values(absl::string_view text) {
  Cursor cursor(text);
  cursor.take_identifier();
  TRY(cursor.expect(":", "after tv"));
  const size_t position = cursor.token_position();
  NestedLayout nested = TRY(parse_nested_layout(cursor));
  if (!nested.shape.is_tuple || rank(nested.shape) != 2)
    return cursor.error_at(position, "expected a layout of two modes, (threads, values)");
  const std::vector<int64_t> extents = leaves(nested.shape), strides = leaves(nested.stride);
  int64_t places = 1, last = 0;
  for (size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] < 1 || extents[i] > kMostThreadElements || strides[i] < 0 ||
        strides[i] > kMostThreadElements || (places *= extents[i]) > kMostThreadElements) {
      return cursor.error_at(position, "expected 1 to 2^30 places, and strides of 0 to 2^30");
    }
    last += (extents[i] - 1) * strides[i];
  }
  ThreadLayout layout;
  layout.encoding.kind = ThreadValueEncoding{std::move(nested)};
  TRY(read_array(cursor, layout));
  layout = TRY(finished(cursor, std::move(layout)));
  int64_t elements = 1;
  for (const int64_t size : layout.dims) elements *= size;
  if (last < elements) return layout;
  return cursor.error_at(position, absl::StrCat("expected numbers of the ", elements,
                                                " elements of the array, found ", last));
}

absl::StatusOr<ThreadLayout> parse_tiled_layout(absl::string_view text) {
  Cursor cursor(text);
  const bool is_attribute = cursor.take(kMosaicAttribute);
  TiledEncoding tiled;
  if (!is_attribute) {
    cursor.take_identifier();
    TRY(cursor.expect("(", "after TiledLayout"));
    TRY(take_keyword(cursor, "tiling"));
  }
  tiled.tiles = TRY(take_tiling(cursor));
  TRY(cursor.expect(",", "after the tiling"));
  TRY(take_keyword(cursor, "warp_dims"));
  tiled.warps = TRY(take_dimensions(cursor));
  TRY(cursor.expect(",", "after warp_dims"));
  TRY(take_keyword(cursor, "lane_dims"));
  tiled.lanes = TRY(take_dimensions(cursor));
  TRY(cursor.expect(",", "after lane_dims"));
  TRY(take_keyword(cursor, "vector_dim"));
  tiled.vector = TRY(cursor.take_integer("a negative dimension"));
  if (is_attribute && cursor.take(":")) cursor.take_identifier();
  TRY(cursor.expect(is_attribute ? ">" : ")", "to close TiledLayout"));
  if (const absl::Status valid = expect_valid(tiled); !valid.ok())
    return cursor.error_at(0, valid.message());
  ThreadLayout layout;
  layout.dims = tiled.tiles[0];
  if (cursor.skip_space()) TRY(read_array(cursor, layout));
  const size_t rank = tiled.tiles[0].size();
  bool is_divided = layout.dims.size() >= rank;
  for (size_t i = 0; is_divided && i < rank; ++i)
    is_divided = *(layout.dims.rbegin() + i) % *(tiled.tiles[0].rbegin() + i) == 0;
  if (!is_divided) return cursor.error_at(0, "expected an array that the first tile divides");
  layout.encoding.kind = std::move(tiled);
  return finished(cursor, std::move(layout));
}

}  // namespace tileproof
