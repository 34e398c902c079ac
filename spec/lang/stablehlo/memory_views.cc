// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/interval.h"
#include "spec/lang/map/map_text.h"
#include "spec/lang/map/memref_text.h"
#include "spec/lang/stablehlo/lowering.h"

namespace tileproof::stablehlo {
namespace {

// `%k + 1, symbol(%n)`, between brackets.
absl::StatusOr<Applied> expressions(absl::string_view inside) {
  Applied applied;
  std::string text;
  while (!inside.empty()) {
    const size_t at = std::min(inside.find('%'), inside.size());
    absl::StrAppend(&text, inside.substr(0, at));
    inside.remove_prefix(at);
    if (inside.empty()) break;
    const size_t end = static_cast<size_t>(
        std::find_if_not(
            inside.begin() + 1, inside.end(),
            [](char c) { return absl::ascii_isalnum(c) || c == '_' || c == '$' || c == '#'; }) -
        inside.begin());
    absl::StrAppend(&text, "d", applied.values.size());
    applied.values.emplace_back(inside.substr(1, end - 1));
    inside.remove_prefix(end);
  }
  for (size_t at = text.find("symbol("); at != std::string::npos; at = text.find("symbol("))
    text.erase(at, 6);
  applied.map = TRY(parse_map(map_text(applied.values.size(), {text})));
  return applied;
}

// The view of a view, whose index is these expressions of d0, d1, ..: of its own index, the values of the
// view, then these.
absl::StatusOr<View> view_of(const View& from, Ints dims, std::vector<std::string> index,
                             const std::vector<std::string>& values = {}) {
  for (size_t v = 0; v < from.values.size(); ++v)
    index.push_back(dimension(std::ssize(dims) + static_cast<int64_t>(v)));
  const auto results = applied_map(from.map, index);
  if (!results) return invalid("expected a view that is an affine map");
  View view{from.root, std::move(dims), {}, from.values};
  view.values.insert(view.values.end(), values.begin(), values.end());
  view.map = TRY(parse_map(map_text(view.dims.size() + view.values.size(), *results)));
  return view;
}

absl::StatusOr<View> subview(const Op& op, const View& from, const Known& known) {
  const Cut cut = TRY(cut_of(op, 1, known));
  const Ints &sizes = cut.sizes, &strides = cut.strides;
  const size_t rank = from.dims.size();
  if (cut.offsets.size() != rank || sizes.size() != rank || strides.size() != rank)
    return invalid(absl::StrCat("expected ", rank, " offsets, sizes and strides"));
  const Ints& to = op.types[0].dims;
  std::vector<std::string> index, values;
  size_t next = 0;  // sizes of 1 may be left out
  for (size_t d = 0; d < rank; ++d) {
    const bool is_kept = next < to.size() && to[next] == sizes[d];
    const auto& [number, name] = cut.offsets[d];
    const auto at = static_cast<int64_t>(to.size() + from.values.size() + values.size());
    if (!number) values.push_back(name);
    const std::string offset = number ? absl::StrCat(*number) : dimension(at);
    const std::string step = is_kept ? linear(absl::StrCat("d", next), strides[d], 0) : "0";
    index.push_back(combined(step, MapOp::kAdd, offset));
    if (is_kept) ++next;
    if (!is_kept && sizes[d] != 1) return invalid("expected a result of the sizes of the view");
  }
  if (next != to.size()) return invalid("expected a result of the sizes of the view");
  return view_of(from, to, std::move(index), values);
}

// Row-major: the index of one shape from that of another.
absl::StatusOr<View> reshaped_view(const View& from, const Ints& to) {
  std::string at = "0";
  for (size_t d = 0; d < to.size(); ++d)
    at = combined(linear(at, to[d], 0), MapOp::kAdd, absl::StrCat("d", d));
  std::vector<std::string> index(from.dims.size());
  int64_t inner = 1;
  for (size_t d = index.size(); d-- > 0;) {
    index[d] = combined(at, MapOp::kFloorDiv, absl::StrCat(inner));
    const std::string size = absl::StrCat(std::max<int64_t>(from.dims[d], 1));
    if (d > 0) index[d] = combined(index[d], MapOp::kMod, size);
    const auto product = checked_mul(inner, std::max<int64_t>(from.dims[d], 1));
    if (!product) return invalid("expected fewer elements");
    inner = *product;
  }
  return view_of(from, to, index);
}

// `memref.transpose %a (i, j) -> (j, i)`
absl::StatusOr<View> transposed_view(const Op& op, const View& from) {
  const std::string* text = find_attribute(op.attributes, "permutation");
  if (text == nullptr) return not_read(op, "its permutation");
  const IndexingMap map = TRY(parse_map(
      absl::StartsWith(*text, "affine_map") ? *text : absl::StrCat("affine_map<", *text, ">")));
  std::vector<std::string> index(from.dims.size());
  Ints dims;
  for (size_t i = 0; i < map.results.size(); ++i) {
    const Node& node = map.nodes[map.results[i]];
    const bool is_new = node.op == MapOp::kDimension && node.value < std::ssize(index) &&
                        index[static_cast<size_t>(node.value)].empty();
    if (!is_new) return invalid("expected a permutation");
    index[static_cast<size_t>(node.value)] = absl::StrCat("d", i);
    dims.push_back(from.dims[static_cast<size_t>(node.value)]);
  }
  if (dims.size() != index.size()) return invalid("expected a permutation");
  return view_of(from, dims, index);
}

// The offsets that a type says, of the same root: strides and offset count from its beginning.
absl::StatusOr<View> by_type(const Op& op, const View& from, const Ints& whole) {
  const MemRef memref = TRY(parse_memref(op.types[0].memref));
  View flat{from.root, whole, TRY(identity_map(whole.size())), {}};
  if (whole.size() != 1) flat = TRY(reshaped_view(flat, {0}));
  const auto offset = applied_map(memref.map, dimensions(op.types[0].dims.size()));
  if (!offset) return not_read(op);
  return view_of(flat, op.types[0].dims, *offset);
}

// The offset that a type says, if what it does not know, `?`, is this number.
std::optional<int64_t> said_offset(IndexingMap map, const Ints& index, int64_t unknown) {
  for (Node& node : map.nodes) {
    if (node.op == MapOp::kRange) node = {.op = MapOp::kConstant, .value = unknown};
  }
  return value_at(map, map.results[0], index);
}

// The type of a view says where its elements lie: at the first index, and one further along each
// dimension. From an offset that it does not know on, the steps that it knows.
absl::Status expect_layout(const Op& op, const View& view, const Ints& whole) {
  const IndexingMap said = TRY(parse_memref_with_symbols(op.types[0].memref));
  const Ints first(view.dims.size(), 0);
  const auto base = said_offset(said, first, 0);
  const bool knows_offset = base == said_offset(said, first, 1);
  if (knows_offset && !view.values.empty())
    return invalid("expected 'offset: ?' in the result, as the offset is a value");
  std::optional<int64_t> begin;
  for (size_t d = 0; d <= view.dims.size(); ++d) {
    Ints index = first;
    if (d > 0) index[d - 1] = std::min<int64_t>(1, view.dims[d - 1] - 1);
    if (std::ranges::count(view.dims, 0) > 0) break;
    auto expected = said_offset(said, index, 0);
    const auto other = said_offset(said, index, 1);
    const bool knows_step =
        expected && other && checked_sub(*other, *expected) == (knows_offset ? 0 : 1);
    index.resize(view.dims.size() + view.values.size(), 0);
    std::optional<int64_t> offset = 0;
    for (size_t r = 0; offset && r < whole.size(); ++r) {
      const auto at = value_at(view.map, view.map.results[r], index);
      const auto scaled = checked_mul(*offset, whole[r]);
      offset = at && scaled ? checked_add(*scaled, *at) : std::nullopt;
    }
    if (d == 0) begin = offset;
    if (!knows_step) continue;
    if (!knows_offset && expected && begin) expected = checked_add(*expected, *begin);
    if (expected == offset) continue;
    index.resize(view.dims.size());
    return invalid(absl::StrCat("expected a result that says where the view lies: element [",
                                absl::StrJoin(index, ","), "] is at offset ", offset.value_or(0),
                                ", and by the type of the result at ", expected.value_or(0)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status expect_each(const Applied& applied, absl::string_view what) {
  if (applied.values.size() == applied.map.dimensions.size() + applied.map.ranges.size())
    return absl::OkStatus();
  return invalid(absl::StrCat("expected a value for each dimension and symbol of a ", what));
}

absl::StatusOr<Applied> on_operands(const Op& op, size_t first, const std::string& map) {
  Applied applied;
  applied.map = TRY(parse_map(map));
  for (size_t k = first; k < op.operands.size(); ++k) applied.values.push_back(op.operands[k].name);
  return applied;
}

absl::StatusOr<Applied> applied_of(const std::string& text) {
  if (!absl::StartsWith(text, "affine_map")) return expressions(text);
  const size_t end = text.rfind('>');
  if (end == std::string::npos) return invalid("expected a map");
  Applied applied;
  applied.map = TRY(parse_map(text.substr(0, end + 1)));
  for (absl::string_view part : absl::StrSplit(absl::string_view(text).substr(end + 1),
                                               absl::ByAnyChar("()[], "), absl::SkipEmpty())) {
    if (!absl::ConsumePrefix(&part, "%")) return invalid("expected values of a map");
    applied.values.emplace_back(part);
  }
  TRY(expect_each(applied, "map"));
  return applied;
}

absl::StatusOr<Applied> index_of(const Op& op, size_t first) {
  if (const std::string* text = find_attribute(op.attributes, "[]");
      text != nullptr && text->size() > 1)
    return expressions(absl::string_view(*text).substr(1, text->size() - 2));
  const std::string* text = find_attribute(op.attributes, "map");
  const size_t rank = std::max(op.operands.size(), first) - first;
  const Applied index =
      TRY(on_operands(op, first, text == nullptr ? map_text(rank, dimensions(rank)) : *text));
  TRY(expect_each(index, "map"));
  if (index.map.runtime.empty()) return index;
  return invalid("expected a value for each dimension and symbol of a map");
}

std::optional<int64_t> value_at(const IndexingMap& map, NodeId root, const Ints& index) {
  std::vector<std::optional<int64_t>> values;
  for (const Node& node : map.nodes) {
    if (node.op == MapOp::kConstant) {
      values.emplace_back(node.value);
    } else if (is_leaf(node.op)) {
      values.emplace_back(index[static_cast<size_t>(node.value)]);
    } else {
      const auto a = values[node.left], b = values[node.right];
      values.push_back(a && b ? value_of(node.op, *a, *b) : std::nullopt);
    }
  }
  return values[root];
}

absl::StatusOr<IndexingMap> identity_map(size_t rank) {
  return parse_map(map_text(rank, dimensions(rank)));
}

bool is_identity(const IndexingMap& map) {
  if (map.results.size() != map.dimensions.size()) return false;
  for (size_t r = 0; r < map.results.size(); ++r) {
    const Node& node = map.nodes[map.results[r]];
    if (node.op != MapOp::kDimension || node.value != static_cast<int64_t>(r)) return false;
  }
  return true;
}

absl::StatusOr<View> viewed(const Op& op, const View& from, const Ints& whole, const Known& known) {
  const absl::string_view kind = absl::string_view(op.name).substr(7);
  View view = TRY(kind == "subview"     ? subview(op, from, known)
                  : kind == "transpose" ? transposed_view(op, from)
                  : kind == "cast"      ? view_of(from, from.dims, dimensions(from.dims.size()))
                  : kind == "reinterpret_cast" ? by_type(op, from, whole)
                                               : reshaped_view(from, op.types[0].dims));
  if (view.dims != op.types[0].dims) return invalid("expected a result of the sizes of the view");
  if (kind != "reinterpret_cast") TRY(expect_layout(op, view, whole));
  return view;
}

}  // namespace tileproof::stablehlo
