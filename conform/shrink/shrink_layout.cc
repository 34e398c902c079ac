// SPDX-License-Identifier: Apache-2.0
// The steps that shrink a request about a layout: simpler questions about simpler shapes.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "conform/oracle/exact_layout.h"
#include "conform/shrink/shrink_numbers.h"
#include "conform/suites/layout_suites.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::conform {
namespace {

using VisitShape = absl::FunctionRef<void(Shape, std::optional<int64_t> dropped)>;

// The position of dimension d in the order of memory, counted from the minor end.
int64_t position_of(const Shape& shape, int64_t d) {
  const std::vector<int64_t>& order = shape.layout->minor_to_major;
  return std::find(order.begin(), order.end(), d) - order.begin();
}

// The shape, whose first tile has lost its size at this position, counted from the minor end.
Shape without_tile_size(Shape shape, int64_t position) {
  if (shape.layout->tiles.empty()) return shape;
  std::vector<int64_t>& sizes = shape.layout->tiles[0].dims;
  if (position < std::ssize(sizes) && sizes.size() > 1) sizes.erase(sizes.end() - 1 - position);
  return shape;
}

void drop_dimensions(const Shape& shape, VisitShape visit) {
  for (int64_t d = 0; d < shape.rank(); ++d) {
    Shape less = shape;
    less.dimensions.erase(less.dimensions.begin() + d);
    if (less.layout) {
      std::erase(less.layout->minor_to_major, d);
      for (int64_t& other : less.layout->minor_to_major) other -= other > d ? 1 : 0;
      if (less.rank() == 0 && *less.layout == Layout{}) less.layout.reset();
    }
    visit(less, d);
    if (less.layout) visit(without_tile_size(less, position_of(shape, d)), d);
    for (int64_t other = 0; other < less.rank(); ++other) {  // merges it into another dimension
      Shape merged = less;
      const std::optional<int64_t> size =
          checked_mul(merged.dimensions[other].size, shape.dimensions[d].size);
      if (!size || shape.dimensions[d].size < 2) continue;
      merged.dimensions[other].size = *size;
      visit(std::move(merged), d);
    }
  }
}

void shrink_dimensions(const Shape& shape, VisitShape visit) {
  for (int64_t d = 0; d < shape.rank(); ++d) {
    Shape less = shape;
    less.dimensions[d].kind = Dimension::Kind::kFixed;
    if (shape.dimensions[d].kind != Dimension::Kind::kFixed) visit(less, std::nullopt);
    for (int64_t size : shrink_numbers(shape.dimensions[d].size, 0)) {
      less.dimensions[d].size = size;
      visit(less, std::nullopt);
    }
    for (int64_t size = 1; size <= 3 && shape.dimensions[d].size == 0; ++size) {  // not empty
      less.dimensions[d].size = size;
      visit(less, std::nullopt);
    }
  }
}

void shrink_tiles(const Shape& shape, VisitShape visit) {
  const std::vector<Tile>& tiles = shape.layout->tiles;
  for (size_t t = 0; t < tiles.size(); ++t) {
    Shape less = shape;
    less.layout->tiles.erase(less.layout->tiles.begin() + static_cast<int64_t>(t));
    visit(less, std::nullopt);
    // Many mistakes do not show at sizes below 3, so a tile is also dropped with 3 in their place.
    for (Dimension& dimension : less.dimensions) {
      dimension.size = std::max<int64_t>(dimension.size, 3);
    }
    visit(std::move(less), std::nullopt);
    for (size_t i = 0; i < tiles[t].dims.size(); ++i) {
      less = shape;
      std::vector<int64_t>& sizes = less.layout->tiles[t].dims;
      if (sizes.size() > 1) {
        sizes.erase(sizes.begin() + static_cast<int64_t>(i));
        if (sizes.back() != Tile::kCombine) visit(less, std::nullopt);
      }
      for (int64_t size : shrink_numbers(tiles[t].dims[i], 1)) {
        less = shape;
        less.layout->tiles[t].dims[i] = size;
        visit(less, std::nullopt);
      }
      if (i + 1 < tiles[t].dims.size()) {  // only the smaller order is taken (is_smaller)
        less = shape;
        std::swap(less.layout->tiles[t].dims[i], less.layout->tiles[t].dims[i + 1]);
        visit(less, std::nullopt);
      }
    }
  }
}

void drop_properties(const Shape& shape, VisitShape visit) {
  const auto with = [&](auto change) {
    Shape less = shape;
    change(less);
    if (!(less == shape)) visit(std::move(less), std::nullopt);
  };
  with([](Shape& s) { s.element_type = ElementType::kF32; });
  if (!shape.layout) return;
  with([](Shape& s) { s.layout->minor_to_major = default_layout(s.rank()).minor_to_major; });
  with([](Shape& s) { s.layout->element_size_in_bits = 0; });
  with([](Shape& s) { s.layout->memory_space = 0; });
  with([](Shape& s) { s.layout->splits.clear(); });
  with([](Shape& s) { s.layout->dynamic_shape_metadata_prefix_bytes = 0; });
  for (int64_t tail : shrink_numbers(shape.layout->tail_padding_alignment, 1)) {
    with([tail](Shape& s) { s.layout->tail_padding_alignment = tail; });
  }
}

// Adapts an index to a shape in which a dimension may be dropped and others smaller. A valid
// coordinate stays valid, and the first invalid one stays the first invalid one.
Json fitted(const Json& index, const Shape& before, const Shape& after,
            std::optional<int64_t> dropped) {
  const auto* array = index.as<Json::Array>();
  if (array == nullptr || std::ssize(*array) != before.rank()) return index;
  Json::Array result = *array;
  if (dropped) result.erase(result.begin() + *dropped);
  for (int64_t d = 0; d < after.rank(); ++d) {
    int64_t* at = result[d].as<int64_t>();
    const int64_t old_size = before.dimensions[d + (dropped && d >= *dropped ? 1 : 0)].size;
    const int64_t size = after.dimensions[d].size;
    if (at == nullptr || *at < 0) continue;
    if (*at < old_size) *at = std::clamp<int64_t>(*at, 0, std::max<int64_t>(size - 1, 0));
    if (*at == old_size && size < old_size) *at = size;
  }
  return result;
}

Json about(const Json& request, const Shape& before, const Shape& after,
           std::optional<int64_t> dropped) {
  Json shrink = request;
  set(shrink, "shape", to_text(after));
  if (const Json* index = find(request, "index")) {
    set(shrink, "index", fitted(*index, before, after, dropped));
  }
  if (const Json* indices = find(request, "indices")) {
    Json::Array list;
    if (const auto* array = indices->as<Json::Array>()) {
      for (const Json& index : *array) list.push_back(fitted(index, before, after, dropped));
    }
    set(shrink, "indices", std::move(list));
  }
  return shrink;
}

// The request about the array whose dimension d is dimension order[d] of the given one.
Json reordered(const Json& request, Shape shape, const std::vector<int64_t>& order) {
  const auto reorder = [&order](auto& values) {
    auto moved = values;
    for (size_t d = 0; d < order.size(); ++d) moved[d] = values[order[d]];
    values = std::move(moved);
  };
  reorder(shape.dimensions);
  Json result = request;
  set(result, "shape", to_text(shape));
  for (const char* key : {"index", "indices"}) {
    const Json* value = find(request, key);
    Json changed = value == nullptr ? Json() : *value;
    auto* list = changed.as<Json::Array>();
    if (list == nullptr) continue;
    if (key == absl::string_view("index") && list->size() == order.size()) reorder(*list);
    for (Json& index : *list) {
      auto* array = index.as<Json::Array>();
      if (array != nullptr && array->size() == order.size()) reorder(*array);
    }
    set(result, key, std::move(changed));
  }
  return result;
}

// Changes the order of the dimensions: to that of memory, so that the same array has the default
// layout; or of two neighbors, whose layout stays.
void reorder_dimensions(const Json& request, const Shape& shape, std::vector<Json>& result) {
  if (!shape.layout || !shape.layout->splits.empty()) return;
  const std::vector<int64_t>& minor_to_major = shape.layout->minor_to_major;
  Shape in_order = shape;
  in_order.layout->minor_to_major = default_layout(shape.rank()).minor_to_major;
  result.push_back(reordered(request, in_order, {minor_to_major.rbegin(), minor_to_major.rend()}));
  for (int64_t d = 0; d + 1 < shape.rank(); ++d) {
    std::vector<int64_t> order(shape.rank());
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[d], order[d + 1]);
    result.push_back(reordered(request, shape, order));
  }
}

void shrink_shapes(const Json& request, const Shape& shape, std::vector<Json>& result) {
  const auto visit = [&](const Shape& after, std::optional<int64_t> dropped) {
    result.push_back(about(request, shape, after, dropped));
  };
  drop_dimensions(shape, visit);
  if (shape.layout) shrink_tiles(shape, visit);
  drop_properties(shape, visit);
  reorder_dimensions(request, shape, result);
  shrink_dimensions(shape, visit);
}

// Makes the offset, or each number of the index, smaller.
void smaller_places(const Json& request, absl::string_view key, std::vector<Json>& result) {
  const Json* value = find(request, key);
  if (value == nullptr) return;
  const auto with = [&](Json shrink) {
    Json changed = request;
    set(changed, key, std::move(shrink));
    result.push_back(std::move(changed));
  };
  if (const int64_t* offset = value->as<int64_t>()) {
    for (int64_t n : shrink_numbers(*offset, 0)) with(n);
  }
  const auto* array = value->as<Json::Array>();
  for (size_t d = 0; array != nullptr && d < array->size(); ++d) {
    const int64_t* at = (*array)[d].as<int64_t>();
    for (int64_t n : shrink_numbers(at == nullptr ? 0 : *at, 0)) {
      Json::Array changed = *array;
      changed[d] = n;
      with(std::move(changed));
    }
  }
}

constexpr int64_t kMaxAlone = 64;

// Shortens a list of questions: to one of its halves, to each question alone, or to all but the
// last. A long list is only halved, because each attempt may crash and restart the program.
void fewer_questions(const Json& request, absl::string_view many, absl::string_view one,
                     std::vector<Json>& result) {
  const Json* value = find(request, many);
  const auto* array = value == nullptr ? nullptr : value->as<Json::Array>();
  if (array == nullptr) return;
  const auto part = [&](int64_t from, int64_t to) {
    Json less = request;
    set(less, many, Json::Array(array->begin() + from, array->begin() + to));
    result.push_back(std::move(less));
  };
  const int64_t size = std::ssize(*array);
  const auto halves = [&] {
    part(0, size / 2);
    part(size / 2, size);
  };
  if (size > kMaxAlone) halves();
  for (int64_t i = 0; i < size && size <= kMaxAlone; ++i) {
    Json alone = request;
    remove(alone, many);
    set(alone, one, (*array)[i]);
    result.push_back(std::move(alone));
  }
  if (size > 1 && size <= kMaxAlone) halves();
  if (size > 1) part(0, size - 1);
}

}  // namespace

std::vector<Json> shrink_layout_requests(const Json& request) {
  std::vector<Json> result;
  fewer_questions(request, "indices", "index", result);
  fewer_questions(request, "offsets", "offset", result);
  const Json* given = find(request, "shape");
  const auto* text = given == nullptr ? nullptr : given->as<std::string>();
  if (text == nullptr) return result;
  const absl::StatusOr<Shape> shape = parse_shape_of_any_size(*text);
  if (shape.ok() && shape->kind == Shape::Kind::kArray) shrink_shapes(request, *shape, result);
  if (!shape.ok()) {  // drops a character of an invalid text
    for (size_t i = 0; i < std::min<size_t>(text->size(), 200); ++i) {
      std::string shorter = *text;
      shorter.erase(i, 1);
      Json changed = request;
      set(changed, "shape", shorter);
      result.push_back(std::move(changed));
    }
  }
  smaller_places(request, "index", result);
  smaller_places(request, "offset", result);
  return result;
}

}  // namespace tileproof::conform
