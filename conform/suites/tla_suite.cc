// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conform/oracle/fields.h"
#include "conform/oracle/operations.h"
#include "conform/suites/makers.h"
#include "generate/choose/decisions.h"
#include "generate/choose/limits.h"
#include "generate/layout/generate_nested.h"
#include "spec/lang/layout/layout_algebra.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/layout/nested_layout.h"
#include "spec/layout/nested_tags.h"
#include "verify/compare/algebra_laws.h"

namespace tileproof::conform {
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
