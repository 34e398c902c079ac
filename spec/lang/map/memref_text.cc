// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/map/memref_text.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/nearest.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/expr_text.h"
#include "spec/lang/map/interval.h"
#include "spec/lang/map/map_text.h"
#include "spec/lang/map/mlir_array.h"

namespace tileproof {
namespace {

constexpr Interval kAnyValue = {INT64_MIN, INT64_MAX};
constexpr int kMaxAliases = 8;  // `#a = #b`

absl::Status not_known(const absl::Status& expected) {
  return absl::FailedPreconditionError(expected.message());
}

// The size of a physical dimension: c of `e mod c`, else the largest value plus 1.
std::optional<int64_t> physical_size(const IndexingMap& map, NodeId result) {
  const Node& node = map.nodes[result];
  if (node.op == Op::kMod) return map.nodes[node.right].value;  // a positive constant
  const std::optional<Interval> values = interval_of(map, result);
  if (!values || values->low < 0) return std::nullopt;
  return checked_add(values->high, 1);
}

class MemRefReader {
 public:
  enum class Unknown { kError, kSymbol };  // what `?` is, as a size, stride or offset

  MemRefReader(Cursor& cursor, NamedMaps named, Definitions definitions,
               Unknown unknown = Unknown::kError)
      : cursor_(cursor), named_(named), definitions_(definitions), unknown_(unknown) {}

  absl::StatusOr<MemRef> read() {
    const size_t start = cursor_.token_position();
    if (!take_word(cursor_, "memref")) return cursor_.expected("'memref'");
    TRY(cursor_.expect("<", "after 'memref'"));
    array_ = TRY(take_mlir_array(cursor_, unknown_ == Unknown::kSymbol));
    for (const int64_t size : dims())
      map_.dimensions.push_back({{0, size == kUnknownSize ? INT64_MAX : size - 1}, ""});
    bool has_layout = false;
    std::optional<size_t> space;
    if (cursor_.take(",")) {
      TRY(expect_layout_or_space());
      const size_t position = cursor_.token_position();
      if (take_word(cursor_, "strided")) {
        TRY(read_strided());
        has_layout = true;
      } else if (cursor_.peek_identifier() == "affine_map") {
        const IndexingMap layout = TRY(parse_map(cursor_));
        TRY(read_layout_map(layout, position));
        has_layout = true;
      } else if (cursor_.peek() == '#') {
        has_layout = TRY(read_attribute(cursor_, position, 0));
      }
      if (!has_layout) space = position;
    }
    if (!has_layout) TRY(set_row_major());
    TRY(read_rest(space));
    std::string text(cursor_.text().substr(start, cursor_.position() - start));
    absl::RemoveExtraAsciiWhitespace(&text);
    return MemRef{std::move(text), array_.dims, array_.element_type, array_.element_bits,
                  std::move(map_)};
  }

 private:
  NodeId new_symbol() {
    map_.ranges.push_back({kAnyValue, ""});
    return add_variable(map_.nodes, Op::kRange, std::ssize(map_.ranges) - 1);
  }

  // Sizes that are not known, but for the first, are symbols, which multiply strides.
  absl::Status set_row_major() {
    NodeId offset = -1;
    int64_t stride = 1;
    std::optional<NodeId> symbols;
    for (size_t d = dims().size(); d-- > 0;) {
      NodeId term = times(dimension(d), stride);
      if (symbols) term = add_operation(map_.nodes, Op::kMul, term, *symbols);
      offset = offset < 0 ? term : add_operation(map_.nodes, Op::kAdd, term, offset);
      if (dims()[d] == kUnknownSize && d > 0) {
        const NodeId size = new_symbol();
        symbols = symbols ? add_operation(map_.nodes, Op::kMul, *symbols, size) : size;
      }
      const std::optional<int64_t> next = checked_mul(stride, std::max<int64_t>(dims()[d], 1));
      if (!next) return cursor_.expected("a size that fits 64 bits, before this");
      stride = *next;
    }
    return set_offset(offset < 0 ? constant(0) : offset);
  }

  // A constant, or a new symbol for `?`.
  absl::StatusOr<NodeId> read_number(absl::string_view what) {
    if (cursor_.peek() != '?') return constant(TRY(cursor_.take_integer(what)));
    if (unknown_ == Unknown::kError) {
      return not_known(cursor_.expected(absl::StrCat(what, " that is known")));
    }
    cursor_.take("?");
    return new_symbol();
  }

  absl::Status set_offset(NodeId offset) {
    map_.results = {offset};
    const bool is_known = map_.ranges.empty() && std::ranges::count(dims(), kUnknownSize) == 0;
    if (is_empty() || !is_known || interval_of(map_, offset)) return absl::OkStatus();
    return cursor_.expected("offsets that fit 64 bits, before the end of the memref");
  }

  // `strided<[256, 1], offset: 4>`, after the word.
  absl::Status read_strided() {
    TRY(cursor_.expect("<", "after 'strided'"));
    TRY(cursor_.expect("[", "to open the strides"));
    const std::vector<NodeId> strides = TRY(take_list<NodeId>(
        cursor_, "]", "or ',' after a stride", [&](Cursor&) { return read_number("a stride"); }));
    if (strides.size() != dims().size()) {
      return cursor_.expected(absl::StrCat(dims().size(), " strides before this"));
    }
    std::optional<NodeId> start;
    if (cursor_.take(",")) {
      if (!take_word(cursor_, "offset")) return cursor_.expected("'offset'");
      TRY(cursor_.expect(":", "after 'offset'"));
      start = TRY(read_number("an offset"));
    }
    TRY(cursor_.expect(">", "to close the strides"));
    NodeId offset = -1;
    for (size_t d = 0; d < dims().size(); ++d) {
      const NodeId term = product(dimension(d), strides[d]);
      offset = offset < 0 ? term : add_operation(map_.nodes, Op::kAdd, offset, term);
    }
    if (offset < 0) return set_offset(start ? *start : constant(0));
    if (start && !is_constant(*start, 0)) {
      offset = add_operation(map_.nodes, Op::kAdd, offset, *start);
    }
    return set_offset(offset);
  }

  // Appends the expression to the map, with operations on constants folded. Nothing if it is not
  // affine with positive divisors.
  std::optional<NodeId> copy_affine(const ExprTable& from, NodeId root) {
    std::vector<std::optional<NodeId>> copied(static_cast<size_t>(root) + 1);
    const auto number = [&](NodeId id) -> std::optional<int64_t> {
      const Node& node = map_.nodes[*copied[id]];
      return node.op == Op::kConstant ? std::optional(node.value) : std::nullopt;
    };
    for (NodeId id = 0; id <= root; ++id) {
      const Node& node = from[id];
      if (node.op == Op::kConstant) copied[id] = constant(node.value);
      if (is_variable(node.op)) copied[id] = add_variable(map_.nodes, node.op, node.value);
      if (is_leaf(node.op) || !copied[node.left] || !copied[node.right]) continue;
      const std::optional<int64_t> a = number(node.left), b = number(node.right);
      const bool affine = node.op == Op::kAdd || (node.op == Op::kMul && (a || b)) ||
                          (node.op != Op::kMul && b && *b > 0);
      if (!affine) continue;
      if (node.op == Op::kCeilDiv) {  // -(-x floordiv c)
        copied[id] = times(add_operation(map_.nodes, Op::kFloorDiv, times(*copied[node.left], -1),
                                         *copied[node.right]),
                           -1);
        continue;
      }
      copied[id] = add_operation(map_.nodes, node.op, *copied[node.left], *copied[node.right]);
      if (!a || !b) continue;
      const std::optional<int64_t> folded = value_of(node.op, *a, *b);
      if (!folded) return std::nullopt;
      copied[id] = constant(*folded);
    }
    return copied[root];
  }

  absl::Status read_layout_map(const IndexingMap& layout, size_t position) {
    if (layout.dimensions.size() != dims().size() || !layout.ranges.empty() ||
        !layout.runtime.empty()) {
      return cursor_.error_at(
          position, absl::StrCat("expected a layout map of ", dims().size(),
                                 " dimensions without symbols, found ", layout.dimensions.size(),
                                 " dimensions and ", layout.ranges.size(), " symbols"));
    }
    if (layout.results.empty()) {
      return cursor_.error_at(position, "expected a layout map with results");
    }
    if (is_empty()) return set_offset(constant(0));
    std::vector<NodeId> results;
    for (const NodeId result : layout.results) {
      const std::optional<NodeId> copied = copy_affine(layout.nodes, result);
      if (!copied) {
        return cursor_.error_at(
            position,
            "expected sums of dimensions times constants, and floordiv, ceildiv "
            "and mod by positive constants");
      }
      results.push_back(*copied);
    }
    NodeId offset = results[0];
    for (size_t i = 1; i < results.size(); ++i) {
      const std::optional<int64_t> size = physical_size(map_, results[i]);
      if (!size) {
        return cursor_.error_at(
            position, absl::StrCat("expected results of at least 0 that fit 64 bits, found another "
                                   "result ",
                                   i));
      }
      offset = add_operation(map_.nodes, Op::kAdd, times(offset, *size), results[i]);
    }
    return set_offset(offset);
  }

  // Whether a number, a string or `#name` begins here.
  bool at_attribute() {
    const char next = cursor_.peek();
    return absl::ascii_isdigit(next) || next == '-' || next == '"' || next == '#';
  }

  // A layout is `strided<..>`, `affine_map<..>`, `#name` or `#tpu.tiled<..>`. A memory space is a
  // number, a string, `#name` or `#gpu.address_space<..>`, say.
  absl::Status expect_layout_or_space() {
    if (at_attribute()) return absl::OkStatus();
    const absl::string_view word = cursor_.peek_identifier();
    const std::vector<absl::string_view> words = {"strided", "affine_map"};
    if (std::ranges::find(words, word) != words.end()) return absl::OkStatus();
    return cursor_.error_at(
        cursor_.token_position(),
        absl::StrCat("expected strided<..>, affine_map<..> or a memory space, found '",
                     word.empty() ? cursor_.rest().substr(0, 1) : word.substr(0, 64), "'",
                     did_you_mean(word, words)));
  }

  absl::Status not_a_layout(size_t position) const {
    Cursor name(cursor_.text());
    name.set_position(position + 1);
    return cursor_.error_at(
        position,
        absl::StrCat("expected a layout that Tileproof knows (strided<..>, affine_map<..>, "
                     "the name of a map, #tpu.tiled<..>), or a memory space, found '#",
                     name.take_identifier().substr(0, 64), "'"));
  }

  absl::Status set_tiled(const TiledAttribute& layout) {
    if (is_empty()) return set_offset(constant(0));
    return set_offset(add_offset(layout, map_.nodes));
  }

  // Reads what `#`, at the position, begins: the name of a map, a layout of a dialect, or a memory
  // space. Returns whether it is a layout. A name stands for the text of its definition, to which
  // `cursor` moves.
  absl::StatusOr<bool> read_attribute(Cursor& cursor, size_t position, int aliases) {
    TRY(cursor.expect("#", "to begin an attribute"));
    const absl::string_view name = cursor.take_identifier();
    if (name == "tpu.tiled") {
      TRY(set_tiled(TRY(parse_tiled_attribute(cursor, dims().size()))));
      return true;
    }
    if (is_memory_space(name)) return false;
    if (absl::StrContains(name, '.')) return not_a_layout(position);
    if (const IndexingMap* layout = named_(name)) {
      TRY(read_layout_map(*layout, position));
      return true;
    }
    const std::optional<size_t> definition = definitions_(name);
    Cursor alias(cursor_.text());
    if (definition) alias.set_position(*definition);
    const bool is_map = definition && alias.peek_identifier() == "affine_map";
    if (!definition || is_map || aliases == kMaxAliases) {
      return cursor_.error_at(
          position,
          absl::StrCat("expected a map that is defined before, found '#", name.substr(0, 64), "'"));
    }
    const char first = alias.peek();
    if (first == '#') return read_attribute(alias, position, aliases + 1);
    if (absl::ascii_isdigit(first) || first == '"' || first == '-') return false;
    return not_a_layout(position);
  }

  // What follows the layout: a memory space, up to the closing '>'. `space` is where the memory space
  // begins, if it has begun without a layout before it.
  absl::Status read_rest(std::optional<size_t> space) {
    if (!space && !cursor_.take(",")) return cursor_.expect(">", "to close the memref");
    if (!space && !at_attribute()) return cursor_.expected("a memory space");
    int depth = 0;
    while (depth > 0 || cursor_.peek() != '>') {
      const char next = cursor_.peek();
      if (next == '\0') return cursor_.expected("'>' to close the memref");
      if (next == ',' && depth == 0) {  // what came before it is a layout
        const bool is_named = space && cursor_.text()[*space] == '#';
        return is_named ? not_a_layout(*space) : cursor_.expected("'>' to close the memref");
      }
      if (next == '"') {
        const size_t close = cursor_.rest().substr(1).find('"');
        if (close == absl::string_view::npos) return cursor_.expected("'\"' to close the string");
        cursor_.set_position(cursor_.position() + close + 1);
      }
      if (absl::StrContains("<[({", next)) ++depth;
      if (absl::StrContains(">])}", next)) --depth;
      cursor_.set_position(cursor_.position() + 1);
    }
    return cursor_.expect(">", "to close the memref");
  }

  const Dims& dims() const { return array_.dims; }
  bool is_empty() const { return std::ranges::find(dims(), 0) != dims().end(); }
  NodeId constant(int64_t value) { return add_constant(map_.nodes, value); }
  NodeId dimension(size_t d) {
    return add_variable(map_.nodes, Op::kDimension, static_cast<int64_t>(d));
  }
  bool is_constant(NodeId a, int64_t value) const {
    return map_.nodes[a].op == Op::kConstant && map_.nodes[a].value == value;
  }
  NodeId product(NodeId a, NodeId b) {
    return is_constant(b, 1) ? a : add_operation(map_.nodes, Op::kMul, a, b);
  }
  NodeId times(NodeId a, int64_t b) {
    return b == 1 ? a : add_operation(map_.nodes, Op::kMul, a, constant(b));
  }

  Cursor& cursor_;
  NamedMaps named_;
  Definitions definitions_;
  Unknown unknown_;
  MlirArray array_;
  IndexingMap map_;
};

absl::StatusOr<MemRef> parse_whole(absl::string_view text, MemRefReader::Unknown unknown) {
  const auto no_map = [](absl::string_view) { return nullptr; };
  const auto no_definition = [](absl::string_view) { return std::nullopt; };
  return read_all<MemRef>(text, [&](Cursor& cursor) {
    return MemRefReader(cursor, no_map, no_definition, unknown).read();
  });
}

constexpr size_t kMaxTiles = 64;

// The sizes inside of one first tile, when the tiles so far have split it: those of (8,128)(2,1)
// are 4, 128, 2, 1.
absl::Status split(std::vector<int64_t>& inside, const std::vector<int64_t>& tile, Cursor& cursor) {
  if (tile.size() > inside.size()) {
    return cursor.expected("before this, a further tile within the first tile");
  }
  const size_t first = inside.size() - tile.size();
  for (size_t i = 0; i < tile.size(); ++i) {
    if (inside[first + i] % tile[i] != 0) {
      return cursor.expected(
          absl::StrCat("before this, a size that divides ", inside[first + i], " in the tile"));
    }
    inside[first + i] /= tile[i];
  }
  inside.insert(inside.end(), tile.begin(), tile.end());
  return absl::OkStatus();
}

absl::StatusOr<std::vector<int64_t>> parse_tile(Cursor& cursor) {
  std::vector<int64_t> tile;
  do {
    const size_t position = cursor.token_position();
    tile.push_back(TRY(cursor.take_integer("a tile size")));
    if (tile.back() < 1) return cursor.error_at(position, "expected a tile size of at least 1");
  } while (cursor.take(","));
  TRY(cursor.expect(")", "to close the tile"));
  return tile;
}

}  // namespace

absl::StatusOr<MemRef> parse_memref(Cursor& cursor, NamedMaps named, Definitions definitions) {
  return MemRefReader(cursor, named, definitions).read();
}

absl::StatusOr<MemRef> parse_memref(absl::string_view text) {
  return parse_whole(text, MemRefReader::Unknown::kError);
}

absl::StatusOr<IndexingMap> parse_memref_with_symbols(absl::string_view text) {
  return TRY(parse_whole(text, MemRefReader::Unknown::kSymbol)).map;
}

bool looks_like_memref(absl::string_view text) {
  Cursor cursor(text);
  return take_word(cursor, "memref");
}

absl::StatusOr<TiledAttribute> parse_tiled_attribute(Cursor& cursor, size_t rank) {
  TiledAttribute layout;
  TRY(cursor.expect("<", "after 'tiled'"));
  while (cursor.take("(")) {
    layout.tiles.push_back(TRY(parse_tile(cursor)));
    if (layout.tiles.size() > kMaxTiles) return cursor.expected("at most 64 tiles");
    if (layout.tiles.size() > 1) {
      TRY(split(layout.inside, layout.tiles.back(), cursor));
      continue;
    }
    layout.inside = layout.tiles[0];
    if (layout.inside.size() > rank) {
      return cursor.expected(absl::StrCat("before this, a tile of at most ", rank, " dimensions"));
    }
  }
  TRY(cursor.expect(",", "after the tiles"));
  TRY(cursor.expect("[", "to open the tile strides"));
  layout.strides = TRY(take_list<int64_t>(cursor, "]", "or ',' after a tile stride", [](Cursor& c) {
    return c.take_integer("a tile stride");
  }));
  if (layout.strides.size() != rank) {
    return cursor.expected(absl::StrCat("before this, ", rank, " tile strides"));
  }
  TRY(cursor.expect(">", "to close the layout"));
  std::optional<int64_t> tile_elements = 1;
  for (const int64_t size : layout.inside) {
    tile_elements = tile_elements ? checked_mul(*tile_elements, size) : std::nullopt;
  }
  for (int64_t& stride : layout.strides) {
    const std::optional<int64_t> scaled =
        tile_elements ? checked_mul(stride, *tile_elements) : std::nullopt;
    if (!scaled) return cursor.expected("before this, strides that fit 64 bits in elements");
    stride = *scaled;
  }
  return layout;
}

NodeId add_offset(const TiledAttribute& layout, ExprTable& nodes) {
  const auto by = [&](Op op, NodeId value, int64_t number) {
    return add_operation(nodes, op, value, add_constant(nodes, number));
  };
  std::vector<NodeId> digits;
  for (size_t d = 0; d < layout.strides.size(); ++d) {
    digits.push_back(add_variable(nodes, Op::kDimension, static_cast<int64_t>(d)));
  }
  for (const std::vector<int64_t>& tile : layout.tiles) {
    const size_t first = digits.size() - tile.size();
    for (size_t i = 0; i < tile.size(); ++i) {
      const NodeId whole = digits[first + i];
      digits[first + i] = by(Op::kFloorDiv, whole, tile[i]);
      digits.push_back(by(Op::kMod, whole, tile[i]));
    }
  }
  std::vector<int64_t> strides = layout.strides;
  strides.resize(digits.size());
  int64_t stride = 1;
  for (size_t i = layout.inside.size(); i-- > 0; stride *= layout.inside[i]) {
    strides[layout.strides.size() + i] = stride;
  }
  NodeId offset = -1;
  for (size_t i = 0; i < digits.size(); ++i) {
    const NodeId term = strides[i] == 1 ? digits[i] : by(Op::kMul, digits[i], strides[i]);
    offset = offset < 0 ? term : add_operation(nodes, Op::kAdd, offset, term);
  }
  return offset < 0 ? add_constant(nodes, 0) : offset;
}

bool is_memory_space(absl::string_view name) {
  static constexpr absl::string_view kOthers[] = {"hal.descriptor_type",      "spirv.storage_class",
                                                  "ttg.shared_memory",        "ttng.tensor_memory",
                                                  "triton_gpu.shared_memory", "xegpu.memory_scope"};
  return absl::EndsWith(name, "_space") || std::ranges::find(kOthers, name) != std::end(kOthers);
}

}  // namespace tileproof
