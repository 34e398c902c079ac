// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conform/oracle/exact_layout.h"
#include "conform/oracle/fields.h"
#include "conform/oracle/operations.h"
#include "conform/suites/makers.h"
#include "generate/choose/choose.h"
#include "generate/choose/limits.h"
#include "generate/layout/generate_blocked.h"
#include "generate/layout/generate_nested.h"
#include "generate/layout/generate_shape.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/layout/layout_algebra.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/layout/thread_layout.h"
#include "spec/layout/layout_function.h"
#include "spec/layout/nested_layout.h"
#include "spec/layout/thread_layout.h"
#include "spec/layout/tiled_layout.h"
#include "verify/compare/algebra_laws.h"

namespace tileproof::conform {
namespace {

using Index = std::vector<int64_t>;

// Moves the members in one by one, because an initializer list would copy them.
Json request_about(absl::string_view op, absl::string_view shape) {
  Json::Object members;
  members.reserve(3);
  members.push_back({"op", op});
  members.push_back({"shape", shape});
  return members;
}

Json physical(absl::string_view shape) { return request_about("layout.physical", shape); }

Json linearize(absl::string_view shape, absl::string_view key, Json value) {
  Json request = request_about("layout.linearize", shape);
  set(request, key, std::move(value));
  return request;
}

Json delinearize(absl::string_view shape, absl::string_view key, Json value) {
  Json request = request_about("layout.delinearize", shape);
  set(request, key, std::move(value));
  return request;
}

bool has_elements(const Index& dims) {
  return std::find(dims.begin(), dims.end(), 0) == dims.end();
}

// ---- Random requests ----

int64_t shape_magnitude(Choose& choose, const Limits& limits) {
  const int64_t bits = std::clamp<int64_t>(limits.bits.value_or(64), 8, 64);
  const int64_t most = std::max<int64_t>(4, bits - 6);
  return int64_t{1} << std::min(most, choose.pick<int64_t>({8, 14, 30, 58}));
}

// An invalid request about a valid shape. `index` is a valid index of the shape.
Json make_invalid(Choose& choose, const std::string& shape, const Index& dims, Index index,
                  int64_t elements) {
  const int64_t d = index.empty() ? 0 : choose(std::ssize(index));
  switch (choose(6)) {
    case 0:
      return delinearize(shape, "offset", elements);
    case 1:
      return delinearize(shape, "offset", -1 - choose(2));
    case 2:
      index.push_back(0);
      break;
    case 3:
      if (index.empty()) return delinearize(shape, "offsets", Json::Array{Json(elements)});
      index[d] = -1;
      break;
    case 4: {  // a coordinate that is valid only modulo 2^64
      Json::Array list(index.begin(), index.end());
      if (list.empty()) return delinearize(shape, "offset", Json::Number{"18446744073709551616"});
      const BigUint wraps = BigUint(int64_t{1} << 32) * BigUint(int64_t{1} << 32);
      list[d] = Json::Number{to_text(BigUint(index[d]) + wraps)};
      return linearize(shape, "index", std::move(list));
    }
    default:
      if (index.empty()) return delinearize(shape, "offset", elements);
      index[d] = dims[d];
      break;
  }
  return linearize(shape, "index", index);
}

Json make_list(Choose& choose, const std::string& shape, const Index& dims, int64_t elements,
               bool offsets) {
  Json::Array list;
  const int64_t count = choose_within(choose, limits::kListLength);
  for (int64_t i = 0; i < count; ++i) {
    list.push_back(offsets ? Json(random_index(choose, {elements})[0])
                           : Json(random_index(choose, dims)));
  }
  return offsets ? delinearize(shape, "offsets", std::move(list))
                 : linearize(shape, "indices", std::move(list));
}

// Every index, in row-major order.
Json::Array all_indices(const Index& dims) {
  Json::Array all;
  Index index(dims.size(), 0);
  for (bool more = has_elements(dims); more;) {
    all.push_back(index);
    more = next_index(dims, index);
  }
  return all;
}

// All questions about a small shape.
std::vector<Json> whole_shape(const Shape& shape) {
  const std::string text = to_text(shape);
  std::vector<Json> requests = {physical(text)};
  const absl::StatusOr<spec::TiledLayout>& layout = reference_layout(shape, text);
  if (!layout.ok()) return requests;
  Json::Array offsets;
  for (int64_t offset = 0; offset < layout->elements(); ++offset) offsets.push_back(offset);
  requests.push_back(linearize(text, "indices", all_indices(layout->logical())));
  requests.push_back(delinearize(text, "offsets", std::move(offsets)));
  return requests;
}

// The suite `parse`: spellings that HLO text allows, and texts that it does not allow.

constexpr const char* kSpaces[] = {" ", "  ", "\t", "\n", "/* */", " /*index=1*/ "};

// Inserts white space and comments between tokens, not within words and numbers.
std::string respelled(Choose& choose, const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool between = absl::string_view("{}[](),:*").find(text[i]) != absl::string_view::npos;
    if (between && choose.chance(1, 6)) out += kSpaces[choose(std::ssize(kSpaces))];
    out += text[i];
    if (between && choose.chance(1, 6)) out += kSpaces[choose(std::ssize(kSpaces))];
  }
  return out;
}

Json offset_of(std::string layout, std::vector<int64_t> index) {
  return json_object(
      {{"op", "layout.offset"}, {"layout", std::move(layout)}, {"index", std::move(index)}});
}

// Both limits leave room for sums of the sizes times the strides.
int64_t magnitude_of(Choose& choose, const Limits& limits) {
  const int64_t bits = std::min<int64_t>(limits.bits.value_or(64), 64);
  return int64_t{1} << choose.between(2, std::clamp<int64_t>(bits / 4, 2, 12));
}

AnyLayout random_layout(Choose& choose, int64_t magnitude) {
  switch (choose(6)) {
    case 0:
    case 1:
      return random_swizzled_layout(choose, magnitude);
    case 2:
    case 3:
      return random_memref(choose, magnitude);
    case 4:
      return random_blocked_shape(choose, magnitude);
    default:
      return random_any_layout(choose, magnitude);
  }
}

// Sometimes one that is outside.
int64_t random_below(Choose& choose, int64_t size) {
  if (choose.chance(1, 24)) return choose.chance(1, 2) ? size : -1;
  return choose.chance(1, 3) ? size - 1 : choose(size);
}

using Integers = std::vector<int64_t>;

Integers shuffled(Choose& choose, int64_t count) {
  Integers all(count);
  std::iota(all.begin(), all.end(), int64_t{0});
  for (int64_t k = count - 1; k > 0; --k) std::swap(all[k], all[choose.between(0, k)]);
  return all;
}

std::string bracketed(const Integers& numbers) {
  return absl::StrCat("[", absl::StrJoin(numbers, ","), "]");
}

// `{devices=[2,2]0,2,1,3}`, `{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}`, ..
std::string tiled(Choose& choose, const Integers& parts, int64_t devices) {
  int64_t product = 1;
  Integers tiles = parts;
  for (const int64_t along : parts) product *= along;
  const bool has_copies = product != devices;
  if (has_copies) tiles.push_back(devices / product);
  const std::string copies = has_copies ? " last_tile_dim_replicate" : "";
  const std::string first = absl::StrCat("{devices=", bracketed(tiles));
  switch (choose(3)) {
    case 0:
      return absl::StrCat(first, "<=[", devices, "]", copies, "}");
    case 1: {
      const Integers order = shuffled(choose, std::ssize(tiles));
      return absl::StrCat(first, "<=", bracketed(tiles), "T(", absl::StrJoin(order, ","), ")",
                          copies, "}");
    }
    default:
      return absl::StrCat(first, absl::StrJoin(shuffled(choose, devices), ","), copies, "}");
  }
}

}  // namespace

Json make_layout_request(Choose& choose, const Limits& limits) {
  const int64_t question = choose(12);
  const Shape shape = random_shape(choose, shape_magnitude(choose, limits));
  const std::string text = to_text(shape);
  const absl::StatusOr<spec::TiledLayout>& layout = reference_layout(shape, text);
  Index dims;
  for (const Dimension& d : shape.dimensions) dims.push_back(d.size);
  // 0 if the array has no elements, or if its layout does not fit 64 bits.
  const int64_t elements = layout.ok() ? layout->elements() : 0;
  const bool some = has_elements(dims);
  if (question <= 2 || (!some && elements == 0)) return physical(text);
  if (question <= 5 && some) return linearize(text, "index", random_index(choose, dims));
  if (question <= 7 && elements > 0) {
    return delinearize(text, "offset", random_index(choose, {elements})[0]);
  }
  if (question == 8 && some) return make_list(choose, text, dims, elements, false);
  if (question == 9 && elements > 0) return make_list(choose, text, dims, elements, true);
  return make_invalid(choose, text, dims, some ? random_index(choose, dims) : dims, elements);
}

Family layout_family() {
  std::vector<ShapeFamily> families = small_families();
  const size_t count = families.size();
  return family_of(count, [families = std::move(families)](size_t i, Choose& choose) {
    return whole_shape(bounded_shape(choose, families[i]));
  });
}

std::string layout_family_text() {
  return absl::StrCat(
      "every layout, index and offset of: ",
      absl::StrJoin(small_families(), "; ", [](std::string* out, const ShapeFamily& family) {
        out->append(to_text(family));
      }));
}

Json make_parse_request(Choose& choose, const Limits&) {
  if (choose.chance(1, 2)) return physical(random_shape_text(choose));
  const int64_t magnitude = int64_t{1} << choose.pick<int64_t>({6, 14, 30});
  return physical(respelled(choose, to_text(random_shape(choose, magnitude))));
}

Json make_format_request(Choose& choose, const Limits& limits) {
  const AnyLayout layout = random_layout(choose, magnitude_of(choose, limits));
  const auto function = spec::layout_function(layout);
  const bool has_elements =
      function.ok() && std::count(function->dims.begin(), function->dims.end(), 0) == 0;
  if (!has_elements) return offset_of(to_text(layout), {});
  std::vector<int64_t> index;
  for (const int64_t size : function->dims) {
    index.push_back(choose.chance(1, 3) ? size - 1 : choose(size));
  }
  if (!index.empty() && choose.chance(1, 32)) {  // outside
    const auto d = static_cast<size_t>(choose(std::ssize(index)));
    index[d] = choose.chance(1, 2) ? function->dims[d] : -1;
  }
  return offset_of(to_text(layout), std::move(index));
}

Json make_threads_request(Choose& choose, const Limits&) {
  const std::string text = random_thread_layout(choose);
  const bool asks_owner = choose.chance(1, 2);
  Json request =
      json_object({{"op", asks_owner ? "layout.owner" : "layout.element"}, {"layout", text}});
  const absl::StatusOr<ThreadLayout> layout = parse_thread_layout(text);
  if (asks_owner) {
    Dims index;
    for (const int64_t size : layout.ok() ? layout->dims : Dims{1})
      index.push_back(random_below(choose, size));
    set(request, "index", std::move(index));
    return request;
  }
  Place sizes = {1, 1, 1, 1};
  if (layout.ok()) sizes = spec::place_sizes(*layout).value_or(sizes);
  for (size_t i = 0; i < sizes.size(); ++i)
    set(request, kPlaceNames[i], random_below(choose, sizes[i]));
  return request;
}

Json make_part_request(Choose& choose) {
  Integers dims, parts, index;
  int64_t devices = choose.pick<int64_t>({1, 2, 3});
  for (int64_t d = choose.between(1, 3); d > 0; --d) {
    dims.push_back(choose.between(1, 9));
    parts.push_back(choose.pick<int64_t>({1, 2, 3, 4}));
    devices *= parts.back();
  }
  const bool is_replicated = choose.chance(1, 20);
  for (size_t d = 0; d < dims.size(); ++d) {
    const int64_t part = is_replicated ? dims[d] : (dims[d] + parts[d] - 1) / parts[d];
    index.push_back(choose.between(0, part - (choose.chance(1, 20) ? 0 : 1)));
  }
  Json request = json_object({{"op", "shard.index"},
                              {"shape", absl::StrCat("f32", bracketed(dims))},
                              {"device", choose.between(0, devices - 1)},
                              {"index", index}});
  set(request, "sharding", is_replicated ? "{replicated}" : tiled(choose, parts, devices));
  if (is_replicated) set(request, "devices", devices);
  return request;
}

namespace {

Json offset_of(const NestedLayout& layout, Json coord) {
  return json_object(
      {{"op", "tla.offset"}, {"layout", to_text(layout)}, {"coord", std::move(coord)}});
}

Json make(absl::string_view tag, int64_t bits, int64_t rows, int64_t cols) {
  return json_object(
      {{"op", "tla.make"}, {"tag", tag}, {"element_bits", bits}, {"rows", rows}, {"cols", cols}});
}

Json tile_of(const NestedLayout& layout, std::vector<int64_t> tile) {
  return json_object({{"op", "tla.tile"}, {"layout", to_text(layout)}, {"tile", std::move(tile)}});
}

// True if rows (or columns) of 4-bit elements end inside of a byte. CATLASS pads them; its
// description does not.
bool is_disputed(Tag tag, int64_t bits, int64_t rows, int64_t cols) {
  if (tag == Tag::kRowMajor) return bits == 4 && cols % 2 != 0;
  return tag == Tag::kColumnMajor && bits == 4 && rows % 2 != 0;
}

// Puts 1:0 in place of each empty tuple. Wide layouts nearly always have one.
void fill_empty_tuples(IntTuple& shape, IntTuple& stride) {
  if (shape.is_tuple && shape.elements.empty()) {
    shape = make_integer(1);
    stride = make_integer(0);
  }
  for (size_t i = 0; i < shape.elements.size(); ++i)
    fill_empty_tuples(shape.elements[i], stride.elements[i]);
}

// A random layout that every implementation can express: no empty tuple, and no extent of 0.
NestedLayout plain_layout(Choose& choose, int64_t magnitude) {
  NestedLayout layout = {make_flat({4, 3}), make_flat({1, 4})};
  for (int attempt = 0; attempt < 4; ++attempt) {
    NestedLayout any = choose.chance(1, 4)
                           ? *spec::make_layout(random_tagged_shape(choose, magnitude))
                           : random_nested_layout(choose, magnitude);
    fill_empty_tuples(any.shape, any.stride);
    layout = std::move(any);
    if (leaves(layout.shape).size() > 1) break;
  }
  std::vector<int64_t> extents = leaves(layout.shape);
  for (int64_t& extent : extents) extent = std::max<int64_t>(extent, 1);
  layout.shape = with_leaves(layout.shape, extents);
  return layout;
}

int64_t random_magnitude(Choose& choose, const Limits& limits) {
  const int64_t bits = std::min<int64_t>(limits.bits.value_or(64), 64);
  const int64_t most = std::max<int64_t>(bits / 2, 1);
  return int64_t{1} << choose.between(std::min<int64_t>(most, 6), most);
}

// What an implementation of tags decides on.
enum MakeColumn { kTag, kBits, kRows, kCols };

// A number of rows or columns: of whole fractals, one beside, or any.
int64_t extent(Choose& choose, int64_t decision, int64_t bits, int64_t magnitude) {
  const int64_t c0 = 256 / bits;
  const int64_t extents[] = {1, 16, c0, 2, 17, c0 + 1, 15, c0 - 1, 32, 3 * c0, 0};
  if (decision < std::ssize(extents)) return extents[decision];
  return choose.between(1, magnitude);
}

Json random_make(Choose& choose, const Decisions& decide, int64_t magnitude) {
  const Tag tag = catlass_tags()[decide(kTag, std::ssize(catlass_tags()))].tag;
  const int64_t bits = decide.pick<int64_t>(kBits, {16, 8, 32, 4, 64, 2, 1, 128, 256});
  int64_t rows = extent(choose, decide(kRows, Decisions::kMost), bits, magnitude);
  int64_t cols = extent(choose, decide(kCols, Decisions::kMost), bits, magnitude);
  if (tag == Tag::kVectorLayout) rows = 1;
  if (is_disputed(tag, bits, rows, cols)) std::tie(rows, cols) = std::pair(2 * rows, 2 * cols);
  return make(info(tag).name, bits, rows, cols);
}

Json random_tile(Choose& choose, int64_t magnitude) {
  const TaggedShape tagged = random_tagged_shape(choose, magnitude);
  NestedLayout layout = *spec::make_layout(tagged);
  std::vector<int64_t> tile;
  for (int64_t k = 0; k < rank(layout.shape); ++k)
    tile.push_back(choose_within(choose, limits::kAskedTile));
  if (choose.chance(1, 24)) tile.push_back(1);
  return tile_of(layout, tile);
}

// Makes one number of the coordinate negative, or changes its nesting.
Coordinate broken_coordinate(Choose& choose, Coordinate coordinate) {
  if (coordinate.is_tuple && !coordinate.elements.empty() && choose.chance(1, 2)) {
    Coordinate& part = coordinate.elements[choose(rank(coordinate))];
    part = broken_coordinate(choose, std::move(part));
    return coordinate;
  }
  if (!coordinate.is_tuple) return make_integer(-1 - choose(4));
  coordinate.elements.push_back(make_integer(0));
  return coordinate;
}

std::vector<Json> whole_layout(const NestedLayout& layout) {
  std::vector<Json> requests;
  const int64_t size = *spec::size(layout.shape);
  for (int64_t c = 0; c < size + 2; ++c) {
    requests.push_back(offset_of(layout, c));
    const Coordinate full = *spec::spread(layout.shape, make_integer(c));
    if (c < size && full.is_tuple) requests.push_back(offset_of(layout, arrays(full)));
  }
  return requests;
}

NestedFamily nested_family() {
  return {.max_leaves = 3, .max_depth = 2, .extents = {1, 2, 3}, .strides = {1, 5}};
}

constexpr int64_t kFamilySizes[] = {0, 1, 16, 17, 64};

std::vector<Json> whole_tag(const TagInfo& tag) {
  std::vector<Json> requests;
  for (int64_t bits = 1; bits <= 256; bits *= 2) {
    for (int64_t rows : kFamilySizes) {
      for (int64_t cols : kFamilySizes) {
        if (is_disputed(tag.tag, bits, rows, cols)) continue;
        requests.push_back(make(tag.name, bits, rows, cols));
        const absl::StatusOr<NestedLayout> layout = spec::make_layout(tag.tag, bits, rows, cols);
        requests.push_back(tile_of(*layout, std::vector<int64_t>(tag.rank, 20)));
      }
    }
  }
  return requests;
}

// The operation, on `by` if there is one.
Json algebra_request(absl::string_view op, absl::string_view layout, absl::string_view by = "") {
  Json request = json_object({{"op", op}, {"layout", layout}});
  if (!by.empty()) set(request, "by", by);
  return request;
}

std::string some_divide(Choose& choose) {
  return choose.pick<std::string>({"tla.logical_divide", "tla.zipped_divide", "tla.tiled_divide"});
}

// Layouts that have no inverse or complement get different answers from different systems, which are
// right by their own definitions. The suite does not ask about them.
bool is_settled(const Json& request) {
  const bool inverse =
      *find(request, "op") != Json("tla.composition") && find(request, "by") == nullptr;
  return !inverse || tla_algebra(request, Engine::kSpec).ok();
}

Json random_algebra_request(Choose& choose) {
  const verify::AlgebraCase made = verify::random_algebra_case(choose);
  const std::string layout = to_text(made.a);
  switch (choose(9)) {
    case 0:
      return algebra_request("tla.coalesce", layout);
    case 1:
      return algebra_request("tla.right_inverse", layout);
    case 2:
      return algebra_request("tla.left_inverse", layout);
    case 3:
      return json_object({{"op", "tla.complement"}, {"layout", layout}, {"size", made.m}});
    case 4:
    case 5:
      return algebra_request("tla.composition", layout, to_text(made.b));
    case 6:
      return algebra_request("tla.logical_product", layout, to_text(made.b));
    case 7:
      return algebra_request(some_divide(choose), layout, to_text(made.tiler));
    default:
      return algebra_request(some_divide(choose), layout, to_text(made.b));
  }
}

}  // namespace

Json make_tla_request(Choose& choose, const Limits& limits) {
  Decisions decide(choose);
  const int64_t kind = decide.kind({8, 3, 1});
  const int64_t magnitude = random_magnitude(choose, limits);
  if (kind == 1) return random_make(choose, decide, magnitude);
  if (kind == 2) return random_tile(choose, magnitude);
  const NestedLayout layout = plain_layout(choose, magnitude);
  Coordinate coordinate = random_coordinate(choose, layout.shape);
  if (choose.chance(1, 9)) coordinate = broken_coordinate(choose, std::move(coordinate));
  return offset_of(layout, arrays(coordinate));
}

Family tla_family() {
  return family_of(1 + catlass_tags().size(), [](size_t part, Choose& choose) -> std::vector<Json> {
    if (part > 0) return whole_tag(catlass_tags()[part - 1]);
    const NestedLayout layout = bounded_nested_layout(choose, nested_family());
    if (absl::StrContains(to_text(layout), "()")) return {};
    return whole_layout(layout);
  });
}

std::string tla_family_text() {
  return absl::StrCat("every layout, index and offset of: ", to_text(nested_family()),
                      ", no empty tuple; every tag, width and size of {0,1,16,17,64}");
}

Json make_algebra_request(Choose& choose, const Limits&) {
  for (int left = 20; left > 0; --left) {
    Json request = random_algebra_request(choose);
    if (is_settled(request)) return request;
  }
  return algebra_request("tla.coalesce", "4:1");
}

}  // namespace tileproof::conform
