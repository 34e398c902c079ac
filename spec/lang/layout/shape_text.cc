// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/layout/shape_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/base/append_number.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/element_type.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/xla_differences.h"

namespace tileproof {
namespace {

constexpr size_t kUsualRank = 4;   // dimensions to reserve; there may be more
constexpr size_t kUsualText = 64;  // characters to reserve

// Returns an error for a text that XLA accepts. It ends with the name of the entry in the table.
absl::Status differs(const Cursor& cursor, size_t position, absl::string_view message,
                     absl::string_view name) {
  return cursor.error_at(position, absl::StrCat(message, " [", difference(name).name, "]"));
}

// Parses "(" int ")" with an integer in [low, high].
absl::StatusOr<int64_t> parse_value(Cursor& cursor, char property, int64_t low, int64_t high,
                                    absl::string_view difference_name) {
  if (!cursor.take("(")) {
    return differs(cursor, cursor.token_position(),
                   absl::StrCat("expected '(' after ", std::string(1, property)), "empty-property");
  }
  const size_t start = cursor.token_position();
  int64_t value = TRY(cursor.take_integer("an integer"));
  if (value < low || value > high) {
    return differs(
        cursor, start,
        absl::StrCat("expected ", std::string(1, property), " to be at least ", low,
                     high == INT64_MAX ? std::string() : absl::StrCat(" and at most ", high),
                     ", found ", value),
        difference_name);
  }
  TRY(cursor.expect(")", ""));
  return value;
}

absl::StatusOr<Tile> parse_tile(Cursor& cursor) {
  const size_t start = cursor.token_position();
  if (!cursor.take("(")) {
    return differs(cursor, start, "expected '(' to open a tile", "empty-property");
  }
  if (cursor.peek() == ')') {
    return differs(cursor, start, "expected a tile with at least one size", "validated-later");
  }
  Tile tile;
  tile.dims.reserve(kUsualRank);
  do {
    const size_t place = cursor.token_position();
    if (std::ssize(tile.dims) == kMaxRank) {
      return differs(cursor, place, absl::StrCat("expected at most ", kMaxRank, " sizes in a tile"),
                     "limits");
    }
    if (cursor.take("*")) {
      tile.dims.push_back(Tile::kCombine);
      continue;
    }
    int64_t size = TRY(cursor.take_integer("a tile size or '*'"));
    if (size < 1) {
      return differs(cursor, place,
                     absl::StrCat("expected a tile size of at least 1, found ", size),
                     size == 0 ? "validated-later" : "tile-size-below-one");
    }
    tile.dims.push_back(size);
  } while (cursor.take(","));
  if (tile.dims.back() == Tile::kCombine) {
    return differs(cursor, start,
                   "expected a tile whose last size is a number, as '*' combines with the next",
                   "tile-ends-in-combine");
  }
  TRY(cursor.expect(")", "to close the tile"));
  return tile;
}

absl::StatusOr<SplitConfig> parse_split(Cursor& cursor) {
  if (!cursor.take("(")) {
    return differs(cursor, cursor.token_position(), "expected '(' after SC", "empty-property");
  }
  int64_t dimension = TRY(cursor.take_integer("the number of a physical dimension"));
  SplitConfig split{dimension, {}};
  TRY(cursor.expect(":", "after the dimension of a split"));
  split.points = TRY(take_list<int64_t>(cursor, ")", "to close the split",
                                        [](Cursor& c) { return c.take_integer("a split point"); }));
  return split;
}

// Parses and drops the levels of D(..). They are in HLO text from the time of sparse arrays.
absl::Status skip_dim_level_types(Cursor& cursor) {
  TRY(cursor.expect("(", "after D"));
  if (cursor.take(")")) return absl::OkStatus();
  do {
    const size_t place = cursor.token_position();
    const absl::string_view level = cursor.take_identifier();
    if (level != "D" && level != "C" && level != "S" && level != "H") {
      return cursor.error_at(place, "expected a level type: D, C, S or H");
    }
    cursor.take("+");
    cursor.take("~");
  } while (cursor.take(","));
  return cursor.expect(")", "to close D");
}

// Takes the property `name` if it is next. The name must be the whole identifier: `SC` is not `S`.
bool take_property(Cursor& cursor, absl::string_view name) {
  if (cursor.peek_identifier() != name) return false;
  cursor.take_identifier();
  return true;
}

absl::Status parse_properties(Cursor& cursor, Layout& layout) {
  if (take_property(cursor, "D")) {
    TRY(skip_dim_level_types(cursor));
  }
  if (take_property(cursor, "T")) {
    do {
      if (std::ssize(layout.tiles) == kMaxTiles) {
        return differs(cursor, cursor.token_position(),
                       absl::StrCat("expected at most ", kMaxTiles, " tiles"), "limits");
      }
      layout.tiles.push_back(TRY(parse_tile(cursor)));
    } while (cursor.peek() == '(');
  }
  const auto value = [&cursor](absl::string_view name, int64_t low, int64_t high,
                               absl::string_view difference_name, int64_t& field) -> absl::Status {
    if (!take_property(cursor, name)) return absl::OkStatus();
    absl::StatusOr<int64_t> parsed = parse_value(cursor, name[0], low, high, difference_name);
    if (parsed.ok()) field = *parsed;
    return parsed.status();
  };
  TRY(value("L", 1, INT64_MAX, "tail-alignment-below-one", layout.tail_padding_alignment));
  if (cursor.peek() == '#' || cursor.peek() == '*') {
    return differs(cursor, cursor.token_position(),
                   "expected no index or pointer type: the array is not sparse", "sparse-fields");
  }
  TRY(value("E", 0, INT64_MAX, "validated-later", layout.element_size_in_bits));
  TRY(value("S", 0, 127, "memory-space-narrowed", layout.memory_space));
  if (take_property(cursor, "SC")) {
    do {
      layout.splits.push_back(TRY(parse_split(cursor)));
    } while (cursor.peek() == '(');
  }
  if (cursor.peek_identifier() == "P") {
    return cursor.error_at(cursor.token_position(),
                           "expected no physical shape P(..): the array is not sparse");
  }
  return value("M", 0, INT64_MAX, "metadata-below-zero",
               layout.dynamic_shape_metadata_prefix_bytes);
}

absl::Status parse_minor_to_major(Cursor& cursor, int64_t rank, Layout& layout) {
  std::vector<bool> seen(rank, false);
  const size_t start = cursor.token_position();
  if (cursor.at_integer()) {
    layout.minor_to_major.reserve(static_cast<size_t>(rank));
    do {
      const size_t place = cursor.token_position();
      int64_t d = TRY(cursor.take_integer("a dimension number"));
      if (std::ssize(layout.minor_to_major) == rank) {
        return cursor.error_at(
            place,
            absl::StrCat("expected ", rank, " dimension numbers for rank ", rank, ", found more"));
      }
      if (d < 0 || d >= rank) {
        return differs(cursor, place,
                       absl::StrCat("expected a dimension number below ", rank, ", found ", d),
                       "validated-later");
      }
      if (seen[d]) {
        return differs(cursor, place,
                       absl::StrCat("expected each dimension number once, found ", d, " again"),
                       "validated-later");
      }
      seen[d] = true;
      layout.minor_to_major.push_back(d);
    } while (cursor.take(","));
  }
  if (std::ssize(layout.minor_to_major) != rank) {
    return cursor.error_at(start, absl::StrCat("expected ", rank, " dimension numbers for rank ",
                                               rank, ", found ", layout.minor_to_major.size()));
  }
  return absl::OkStatus();
}

// Returns whether XLA's parser would go on at this error: it ignores a malformed property if '}' or
// another property follows. Digits may run into the letter of the next property.
bool xla_goes_on(Cursor& cursor) {
  const size_t start = cursor.token_position();
  const absl::string_view left = cursor.rest();
  const size_t digits = std::min(left.find_first_not_of("0123456789"), left.size());
  cursor.set_position(start + digits);
  const char next = cursor.peek();
  const absl::string_view name = cursor.peek_identifier();
  const bool property = name == "L" || name == "E" || name == "S" || name == "SC" || name == "M";
  cursor.set_position(start);
  return next == '}' || next == '#' || next == '*' || property;
}

absl::Status close_properties(Cursor& cursor) {
  constexpr absl::string_view kNames[] = {"D", "T", "L", "E", "S", "SC", "M"};
  const absl::string_view name = cursor.peek_identifier();
  if (std::find(std::begin(kNames), std::end(kNames), name) == std::end(kNames)) {
    return cursor.expect("}", "or a property: T(..), L(..), E(..), S(..), M(..)");
  }
  return cursor.expected(absl::StrCat("'}', as ", name,
                                      "(..) is once and further left: the order of properties is "
                                      "T, L, E, S, SC, M"));
}

absl::StatusOr<Layout> parse_layout(Cursor& cursor, int64_t rank) {
  Layout layout;
  absl::Status status = parse_minor_to_major(cursor, rank, layout);
  if (!status.ok()) return status;
  if (cursor.take(":")) {
    status = parse_properties(cursor, layout);
    if (!status.ok() && !absl::StrContains(status.message(), '[') && xla_goes_on(cursor)) {
      return absl::InvalidArgumentError(
          absl::StrCat(status.message(), " [", difference("malformed-property").name, "]"));
    }
    if (!status.ok()) return status;
    status = close_properties(cursor);
  } else {
    status = cursor.expect("}", "to close the layout");
  }
  if (!status.ok()) return status;
  return layout;
}

absl::StatusOr<Dimension> parse_dimension(Cursor& cursor) {
  if (cursor.take("?")) return Dimension{Dimension::Kind::kUnbounded, 0};
  const Dimension::Kind kind =
      cursor.take("<=") ? Dimension::Kind::kBounded : Dimension::Kind::kFixed;
  const int64_t size = TRY(take_size(cursor, 0, "a dimension size"));
  return Dimension{kind, size};
}

// Returns whether the number of elements, and of bytes at the type's own width, fits int64.
// Unbounded dimensions do not count.
bool fits_int64(const Shape& array) {
  int64_t bytes = byte_width(array.element_type);
  for (const Dimension& d : array.dimensions) {
    if (d.kind != Dimension::Kind::kUnbounded && d.size == 0) return true;
  }
  for (const Dimension& d : array.dimensions) {
    if (d.kind == Dimension::Kind::kUnbounded) continue;
    const std::optional<int64_t> product = checked_mul(bytes, d.size);
    if (!product) return false;
    bytes = *product;
  }
  return true;
}

absl::StatusOr<Shape> parse_array(Cursor& cursor) {
  const size_t start = cursor.token_position();
  Shape shape;
  shape.element_type = TRY(take_element_type(cursor));
  TRY(cursor.expect("[", "after the element type"));
  if (cursor.peek() != ']') {
    shape.dimensions.reserve(kUsualRank);
    do {
      if (shape.rank() == kMaxRank) {
        return differs(cursor, cursor.token_position(),
                       absl::StrCat("expected at most ", kMaxRank, " dimensions"), "limits");
      }
      shape.dimensions.push_back(TRY(parse_dimension(cursor)));
    } while (cursor.take(","));
  }
  TRY(cursor.expect("]", "to close the dimensions"));
  if (!fits_int64(shape)) {
    return differs(cursor, start, "expected an array whose elements and bytes fit 64 signed bits",
                   "too-large");
  }
  const size_t behind = cursor.position();
  if (!cursor.take("{")) return shape;
  if (!cursor.at_integer() && cursor.peek() != ':') {
    const size_t place = cursor.token_position();
    if (cursor.take_identifier() == "T" && cursor.peek() == '(') {
      return cursor.error_at(
          place,
          "expected the order of dimensions before the tiles, as in {1,0:T(8,128)}, found 'T'");
    }
    cursor.set_position(behind);  // not a layout: the body of a computation, say
    return shape;
  }
  Layout layout = TRY(parse_layout(cursor, shape.rank()));
  // Drop the layout `{:}` of a scalar: it says nothing, and its printed form would be empty.
  if (layout != Layout{}) shape.layout = std::move(layout);
  return shape;
}

absl::StatusOr<Shape> parse_nested(Cursor& cursor, int depth) {
  if (depth > kMaxNesting) {
    return differs(cursor, cursor.token_position(),
                   absl::StrCat("expected nesting of at most ", kMaxNesting), "limits");
  }
  Shape shape;
  if (cursor.take("(")) {
    shape.kind = Shape::Kind::kTuple;
    if (cursor.take(")")) return shape;
    do {
      shape.parts.push_back(TRY(parse_nested(cursor, depth + 1)));
    } while (cursor.take(","));
    TRY(cursor.expect(")", "to close the tuple"));
    return shape;
  }
  if (cursor.peek_identifier() == "b") {
    cursor.take_identifier();
    shape.kind = Shape::Kind::kBuffer;
    TRY(cursor.expect("(", "after b"));
    shape.parts.push_back(TRY(parse_array(cursor)));
    TRY(cursor.expect(")", "to close the buffer"));
    return shape;
  }
  return parse_array(cursor);
}

// ---- Printing. Written for speed: every case of the judge begins with it. ----

// Appends the items with commas between them.
template <class Items, class AppendItem>
void append_list(std::string& out, const Items& items, const AppendItem& append_item) {
  bool first = true;
  for (const auto& item : items) {
    if (!std::exchange(first, false)) out += ',';
    append_item(out, item);
  }
}

// Appends a property such as "L(16)".
void append_property(std::string& out, absl::string_view name, int64_t value) {
  out.append(name.data(), name.size());
  out += '(';
  append_number(out, value);
  out += ')';
}

void append_tile_size(std::string& out, int64_t size) {
  if (size == Tile::kCombine) {
    out += '*';
  } else {
    append_number(out, size);
  }
}

void append_properties(std::string& out, const Layout& layout) {
  if (!layout.tiles.empty()) out += 'T';
  for (const Tile& tile : layout.tiles) {
    out += '(';
    append_list(out, tile.dims, append_tile_size);
    out += ')';
  }
  if (layout.tail_padding_alignment != 1) append_property(out, "L", layout.tail_padding_alignment);
  if (layout.element_size_in_bits != 0) append_property(out, "E", layout.element_size_in_bits);
  if (layout.memory_space != 0) append_property(out, "S", layout.memory_space);
  if (!layout.splits.empty()) out += "SC";
  for (const SplitConfig& split : layout.splits) {
    out += '(';
    append_number(out, split.dimension);
    out += ':';
    append_list(out, split.points, append_number);
    out += ')';
  }
  const int64_t prefix = layout.dynamic_shape_metadata_prefix_bytes;
  if (prefix != 0) append_property(out, "M", prefix);
}

void append_layout(std::string& out, const Layout& layout) {
  out += '{';
  append_list(out, layout.minor_to_major, append_number);
  const size_t colon = out.size();
  out += ':';
  append_properties(out, layout);
  if (out.size() == colon + 1) out.pop_back();
  out += '}';
}

void append_dimension(std::string& out, const Dimension& dimension) {
  switch (dimension.kind) {
    case Dimension::Kind::kUnbounded:
      out += '?';
      return;
    case Dimension::Kind::kBounded:
      out += "<=";
      break;
    case Dimension::Kind::kFixed:
      break;
  }
  append_number(out, dimension.size);
}

}  // namespace

absl::StatusOr<Shape> parse_shape(Cursor& cursor) { return parse_nested(cursor, 0); }

absl::StatusOr<Shape> parse_shape(absl::string_view text) {
  Cursor cursor(text);
  if (text.size() > kMaxTextBytes)
    return cursor.error_at(0, "expected a text of at most 16 MiB [limits]");
  Shape shape = TRY(parse_shape(cursor));
  TRY(cursor.expect_end());
  return shape;
}

std::string to_text(const Shape& shape) {
  std::string out;
  switch (shape.kind) {
    case Shape::Kind::kTuple:
      for (size_t i = 0; i < shape.parts.size(); ++i) {
        if (i > 0) out += ", ";
        if (i > 0 && i % 5 == 0) absl::StrAppend(&out, "/*index=", i, "*/");
        out += to_text(shape.parts[i]);
      }
      return absl::StrCat("(", out, ")");
    case Shape::Kind::kBuffer:
      return absl::StrCat("b(", to_text(shape.parts.front()), ")");
    case Shape::Kind::kArray:
      break;
  }
  out.reserve(kUsualText);
  const absl::string_view type = info(shape.element_type).name;
  out.append(type.data(), type.size());
  out += '[';
  append_list(out, shape.dimensions, append_dimension);
  out += ']';
  if (shape.layout) append_layout(out, *shape.layout);
  return out;
}

absl::Status validate(const Shape& shape) { return parse_shape(to_text(shape)).status(); }

}  // namespace tileproof
