// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/map/mlir_text.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/expr_text.h"
#include "spec/lang/map/map_text.h"

namespace tileproof {
namespace {

constexpr Interval kUnbounded = {INT64_MIN, INT64_MAX};
constexpr size_t kMaxRank = 64;

// ---- Texts ----

// Whether `//` at this position begins a comment like `// CHECK-SAME: ..`. Then `length` is that of
// the prefix.
bool is_test_comment(absl::string_view text, size_t position, size_t& length) {
  size_t end = position;
  while (end < text.size() && text[end] == '/') ++end;
  while (end < text.size() && (text[end] == ' ' || text[end] == '\t')) ++end;
  const size_t word = end;
  while (end < text.size() && (absl::ascii_isupper(text[end]) || absl::ascii_isdigit(text[end]) ||
                               text[end] == '-' || text[end] == '_')) {
    ++end;
  }
  if (end == word || !absl::ascii_isupper(text[word]) || end == text.size() || text[end] != ':') {
    return false;
  }
  length = end + 1 - position;
  return true;
}

// The text with spaces in place of comments, and of the prefixes of comments of tests. Positions
// stay. Strings stay as they are.
std::string without_comments(absl::string_view text) {
  std::string plain(text);
  bool in_string = false;
  for (size_t i = 0; i < plain.size(); ++i) {
    const bool comment = text.substr(i, 2) == "//";
    size_t length = 0;
    if (comment && is_test_comment(text, i, length)) {  // also inside of a string: a test splits it
      std::fill_n(plain.begin() + static_cast<int64_t>(i), length, ' ');
      i += length - 1;
    } else if (in_string && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      in_string = !in_string;
    } else if (!in_string && comment) {
      length = std::min(text.find('\n', i), text.size()) - i;
      std::fill_n(plain.begin() + static_cast<int64_t>(i), length, ' ');
      i += length - 1;
    }
  }
  return plain;
}

bool continues_word(char c) {
  return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '$' || c == '-';
}

// ---- Memrefs ----

// Named maps, for layouts of memrefs.
const IndexingMap* named(const std::vector<MlirItem>& items, absl::string_view name) {
  for (const MlirItem& item : items) {
    if (item.name == name && item.kind != MlirKind::kMemRef) return &item.map;
  }
  return nullptr;
}

// The interval of the values of each node, if all variables take all values of their bounds
// independently. Nothing for a node if a number does not fit int64.
std::optional<Interval> interval_of(const IndexingMap& map, NodeId root) {
  std::vector<std::optional<Interval>> known(map.nodes.size());
  for (NodeId id = 0; id <= root; ++id) {
    const Node& node = map.nodes[id];
    if (node.op == Op::kConstant) known[id] = Interval{node.value, node.value};
    if (is_variable(node.op)) known[id] = variables_of(map, node.op)[node.value].bounds;
    if (is_leaf(node.op) || !known[node.left] || !known[node.right]) continue;
    const Interval a = *known[node.left], b = *known[node.right];
    std::optional<int64_t> corners[4];
    if (node.op == Op::kAdd) {
      corners[0] = corners[1] = checked_add(a.low, b.low);
      corners[2] = corners[3] = checked_add(a.high, b.high);
    } else if (node.op == Op::kMul) {
      corners[0] = checked_mul(a.low, b.low);
      corners[1] = checked_mul(a.low, b.high);
      corners[2] = checked_mul(a.high, b.low);
      corners[3] = checked_mul(a.high, b.high);
    } else if (b.low != b.high || b.low <= 0) {
      continue;  // MLIR's divisors of layouts are positive constants
    } else if (node.op == Op::kMod) {
      const bool whole = 0 <= a.low && a.high < b.low;
      known[id] = whole ? a : Interval{0, b.low - 1};
      continue;
    } else {
      const int64_t c = b.low;
      const auto quotient = [&](int64_t x) {
        const int64_t floor = x / c - (x % c < 0 ? 1 : 0);
        return node.op == Op::kFloorDiv || x % c == 0 ? floor : floor + 1;
      };
      corners[0] = corners[1] = quotient(a.low);
      corners[2] = corners[3] = quotient(a.high);
    }
    if (std::ranges::any_of(corners, [](const auto& corner) { return !corner; })) continue;
    const auto [low, high] = std::minmax({*corners[0], *corners[1], *corners[2], *corners[3]});
    known[id] = Interval{low, high};
  }
  return known[root];
}

class MemRefReader {
 public:
  MemRefReader(Cursor& cursor, const std::vector<MlirItem>& items)
      : cursor_(cursor), items_(items) {}

  absl::StatusOr<IndexingMap> read();

 private:
  absl::Status read_dims();
  absl::Status read_element();
  absl::StatusOr<int64_t> read_number(absl::string_view what);
  absl::Status read_strided();
  absl::Status read_layout_map(const IndexingMap& layout, size_t position);
  absl::Status read_rest();
  absl::Status set_offset(NodeId offset);

  NodeId constant(int64_t value) { return add_constant(map_.nodes, value); }
  NodeId dimension(size_t d) {
    return add_variable(map_.nodes, Op::kDimension, static_cast<int64_t>(d));
  }
  NodeId times(NodeId a, int64_t b) {
    return b == 1 ? a : add_operation(map_.nodes, Op::kMul, a, constant(b));
  }

  Cursor& cursor_;
  const std::vector<MlirItem>& items_;
  std::vector<int64_t> dims_;
  IndexingMap map_;
};

// `8x128x`: digits and 'x' without spaces between, up to the element type.
absl::Status MemRefReader::read_dims() {
  cursor_.skip_space();
  while (true) {
    const absl::string_view rest = cursor_.rest();
    if (absl::StartsWith(rest, "?")) {
      return cursor_.expected("a size that is known, as the offset depends on it");
    }
    if (absl::StartsWith(rest, "*")) return cursor_.expected("a memref whose rank is known");
    size_t digits = 0;
    while (digits < rest.size() && absl::ascii_isdigit(rest[digits])) ++digits;
    if (digits == 0) break;
    if (digits == rest.size() || rest[digits] != 'x') return cursor_.expected("a size and 'x'");
    Cursor number(rest.substr(0, digits));
    const absl::StatusOr<int64_t> size = number.take_integer("a size");
    if (!size.ok()) return cursor_.expected("a size within 64 signed bits");
    dims_.push_back(*size);
    if (dims_.size() > kMaxRank) return cursor_.expected("at most 64 dimensions");
    cursor_.set_position(cursor_.position() + digits + 1);
  }
  for (const int64_t size : dims_) map_.dimensions.push_back({{0, size - 1}, ""});
  return absl::OkStatus();
}

// An element type: a word, `vector<4xf32>`, `complex<f32>`, `!dialect.type`. It does not matter.
absl::Status MemRefReader::read_element() {
  cursor_.take("!");
  if (cursor_.take_identifier().empty()) return cursor_.expected("an element type");
  int depth = 0;
  while (cursor_.peek() == '<' || depth > 0) {
    const char next = cursor_.peek();
    if (next == '\0') return cursor_.expected("'>' to close the element type");
    if (next == '<') ++depth;
    if (next == '>') --depth;
    cursor_.set_position(cursor_.position() + 1);
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> MemRefReader::read_number(absl::string_view what) {
  if (cursor_.peek() == '?') return cursor_.expected(absl::StrCat(what, " that is known"));
  return cursor_.take_integer(what);
}

absl::Status MemRefReader::set_offset(NodeId offset) {
  map_.results = {offset};
  const bool empty = std::ranges::find(dims_, 0) != dims_.end();
  if (empty || interval_of(map_, offset)) return absl::OkStatus();
  return cursor_.expected("offsets that fit 64 bits, before the end of the memref");
}

// `strided<[256, 1], offset: 4>`, after the word.
absl::Status MemRefReader::read_strided() {
  TRY(cursor_.expect("<", "after 'strided'"));
  TRY(cursor_.expect("[", "to open the strides"));
  std::vector<int64_t> strides;
  if (!cursor_.take("]")) {
    do {
      strides.push_back(TRY(read_number("a stride")));
    } while (cursor_.take(","));
    TRY(cursor_.expect("]", "or ',' after a stride"));
  }
  if (strides.size() != dims_.size()) {
    return cursor_.expected(absl::StrCat(dims_.size(), " strides before this"));
  }
  int64_t start = 0;
  if (cursor_.take(",")) {
    if (!take_word(cursor_, "offset")) return cursor_.expected("'offset'");
    TRY(cursor_.expect(":", "after 'offset'"));
    start = TRY(read_number("an offset"));
  }
  TRY(cursor_.expect(">", "to close the strides"));
  NodeId offset = -1;
  for (size_t d = 0; d < dims_.size(); ++d) {
    const NodeId term = times(dimension(d), strides[d]);
    offset = offset < 0 ? term : add_operation(map_.nodes, Op::kAdd, offset, term);
  }
  if (offset < 0)
    offset = constant(start);
  else if (start != 0)
    offset = add_operation(map_.nodes, Op::kAdd, offset, constant(start));
  return set_offset(offset);
}

// The size of a physical dimension: c of `e mod c`, else the largest value plus 1.
std::optional<int64_t> physical_size(const IndexingMap& map, NodeId result) {
  const Node& node = map.nodes[result];
  if (node.op == Op::kMod && map.nodes[node.right].op == Op::kConstant &&
      map.nodes[node.right].value > 0) {
    return map.nodes[node.right].value;
  }
  const std::optional<Interval> values = interval_of(map, result);
  if (!values || values->low < 0) return std::nullopt;
  return checked_add(values->high, 1);
}

absl::Status MemRefReader::read_layout_map(const IndexingMap& layout, size_t position) {
  if (layout.dimensions.size() != dims_.size() || !layout.ranges.empty() ||
      !layout.runtime.empty()) {
    return cursor_.error_at(
        position, absl::StrCat("expected a layout map of ", dims_.size(),
                               " dimensions without symbols, found ", layout.dimensions.size(),
                               " dimensions and ", layout.ranges.size(), " symbols"));
  }
  if (layout.results.empty()) {
    return cursor_.error_at(position, "expected a layout map with results");
  }
  map_.nodes = layout.nodes;
  if (std::ranges::find(dims_, 0) != dims_.end()) return set_offset(constant(0));
  NodeId offset = layout.results[0];
  for (size_t i = 1; i < layout.results.size(); ++i) {
    const std::optional<int64_t> size = physical_size(map_, layout.results[i]);
    if (!size) {
      return cursor_.error_at(
          position, absl::StrCat("expected results of at least 0 that fit 64 bits, found another "
                                 "result ",
                                 i));
    }
    offset = add_operation(map_.nodes, Op::kAdd, times(offset, *size), layout.results[i]);
  }
  return set_offset(offset);
}

// What follows the layout: a memory space, up to the closing '>'.
absl::Status MemRefReader::read_rest() {
  int depth = 0;
  while (depth > 0 || cursor_.peek() != '>') {
    const char next = cursor_.peek();
    if (next == '\0') return cursor_.expected("'>' to close the memref");
    if (next == '"') {
      const size_t close = cursor_.rest().substr(1).find('"');
      if (close == absl::string_view::npos) return cursor_.expected("'\"' to close the string");
      cursor_.set_position(cursor_.position() + close + 1);
    }
    if (next == '<') ++depth;
    if (next == '>') --depth;
    cursor_.set_position(cursor_.position() + 1);
  }
  return cursor_.expect(">", "to close the memref");
}

absl::StatusOr<IndexingMap> MemRefReader::read() {
  TRY(cursor_.expect("<", "after 'memref'"));
  TRY(read_dims());
  TRY(read_element());
  bool has_layout = false;
  if (cursor_.take(",")) {
    const size_t position = cursor_.token_position();
    if (take_word(cursor_, "strided")) {
      TRY(read_strided());
      has_layout = true;
    } else if (cursor_.peek_identifier() == "affine_map") {
      const IndexingMap layout = TRY(parse_map(cursor_));
      TRY(read_layout_map(layout, position));
      has_layout = true;
    } else if (cursor_.take("#")) {
      const absl::string_view name = cursor_.take_identifier();
      const IndexingMap* layout = named(items_, name);
      if (layout != nullptr) {
        TRY(read_layout_map(*layout, position));
        has_layout = true;
      } else if (absl::StartsWith(name, "map") || name.empty()) {
        return cursor_.error_at(position, absl::StrCat("expected a map that is defined before, "
                                                       "found '#",
                                                       name.substr(0, 64), "'"));
      }
    }
  }
  if (!has_layout) {  // row-major
    NodeId offset = -1;
    int64_t stride = 1;
    for (size_t d = dims_.size(); d-- > 0;) {
      const NodeId term = times(dimension(d), stride);
      offset = offset < 0 ? term : add_operation(map_.nodes, Op::kAdd, term, offset);
      const std::optional<int64_t> next = checked_mul(stride, std::max<int64_t>(dims_[d], 1));
      if (!next) return cursor_.expected("a size that fits 64 bits, before this");
      stride = *next;
    }
    TRY(set_offset(offset < 0 ? constant(0) : offset));
  }
  TRY(read_rest());
  return std::move(map_);
}

// ---- Files ----

// The name in `#name =` or `#[[NAME:..]] =` that ends at `end`; "" if there is none.
std::string name_before(absl::string_view text, size_t end) {
  const auto skip_space = [&] {
    while (end > 0 && absl::ascii_isspace(text[end - 1])) --end;
  };
  skip_space();
  if (end == 0 || text[end - 1] != '=') return "";
  --end;
  skip_space();
  const absl::string_view line = text.substr(0, end);
  if (absl::EndsWith(line, "]]")) {
    const size_t open = line.rfind("#[[");
    if (open == absl::string_view::npos) return "";
    absl::string_view name = line.substr(open + 3, line.size() - open - 5);
    name = name.substr(0, name.find(':'));
    if (absl::StartsWith(name, "$")) name.remove_prefix(1);
    return std::string(name);
  }
  size_t start = end;
  while (start > 0 && continues_word(text[start - 1])) --start;
  if (start == 0 || text[start - 1] != '#' || start == end) return "";
  return std::string(text.substr(start, end - start));
}

// What begins at the position of the text, at the beginning of a word.
std::optional<MlirKind> kind_at(absl::string_view text, size_t position) {
  const absl::string_view rest = text.substr(position);
  if (absl::StartsWith(rest, "affine_map<")) return MlirKind::kAffineMap;
  if (absl::StartsWith(rest, "memref<")) return MlirKind::kMemRef;
  if (absl::StartsWith(rest, "#xla.indexing_map<") ||
      absl::StartsWith(rest, "#xla_gpu.indexing_map<")) {
    return MlirKind::kIndexingMap;
  }
  return std::nullopt;
}

// The end of the string that begins at the position.
size_t end_of_string(absl::string_view text, size_t position) {
  for (size_t i = position + 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      return i + 1;
  }
  return text.size();
}

}  // namespace

absl::StatusOr<std::vector<MlirItem>> find_mlir(absl::string_view text) {
  if (text.size() > kMaxTextBytes) {
    return Cursor(text).error_at(0, "expected a text of at most 16 MiB");
  }
  const std::string plain = without_comments(text);
  std::vector<MlirItem> items;
  Cursor cursor(plain);
  int64_t line = 1;
  for (size_t i = 0; i < plain.size();) {
    if (plain[i] == '"') {
      const size_t end = end_of_string(plain, i);
      line += std::count(plain.begin() + static_cast<int64_t>(i),
                         plain.begin() + static_cast<int64_t>(end), '\n');
      i = end;
      continue;
    }
    const bool begins_word = i == 0 || !continues_word(plain[i - 1]);
    const std::optional<MlirKind> kind =
        begins_word ? kind_at(plain, i) : std::optional<MlirKind>();
    if (!kind) {
      line += plain[i] == '\n' ? 1 : 0;
      ++i;
      continue;
    }
    MlirItem item{*kind, name_before(plain, i), "", line, {}};
    cursor.set_position(i);
    if (*kind == MlirKind::kMemRef) {
      cursor.take("memref");
      item.map = TRY(MemRefReader(cursor, items).read());
    } else {
      item.map = TRY(parse_map(cursor));
    }
    if (!item.name.empty() && named(items, item.name) != nullptr) {
      return cursor.error_at(
          i, absl::StrCat("expected each name once, found '#", item.name.substr(0, 64), "' again"));
    }
    item.text = plain.substr(i, cursor.position() - i);
    line += std::count(item.text.begin(), item.text.end(), '\n');
    i = cursor.position();
    items.push_back(std::move(item));
  }
  return items;
}

absl::StatusOr<IndexingMap> parse_memref(absl::string_view text) {
  Cursor cursor(text);
  if (text.size() > kMaxTextBytes) return cursor.error_at(0, "expected a text of at most 16 MiB");
  if (!take_word(cursor, "memref")) return cursor.expected("'memref'");
  IndexingMap map = TRY(MemRefReader(cursor, {}).read());
  TRY(cursor.expect_end());
  return map;
}

bool looks_like_memref(absl::string_view text) {
  Cursor cursor(text);
  return take_word(cursor, "memref");
}

bool is_unbounded(const IndexingMap& map) {
  for (const Op kind : {Op::kDimension, Op::kRange, Op::kRuntime}) {
    for (const Variable& variable : variables_of(map, kind)) {
      if (!(variable.bounds == kUnbounded)) return false;
    }
  }
  return map.constraints.empty() && !map.known_empty;
}

absl::StatusOr<std::string> to_mlir(const IndexingMap& map, MlirKind kind) {
  if (kind == MlirKind::kIndexingMap)
    return absl::StrCat("#xla.indexing_map<\"", to_text(map), "\">");
  if (!map.runtime.empty() || !map.constraints.empty() || map.known_empty) {
    return absl::FailedPreconditionError(
        "expected a map without constraints and runtime variables, which an affine_map cannot say");
  }
  std::string text = to_text(map);
  return absl::StrCat("affine_map<", text.substr(0, text.find(", domain: ")), ">");
}

}  // namespace tileproof
