// SPDX-License-Identifier: Apache-2.0
// Requests about layouts become as small as a mistake allows: one test for each step that leaves a
// dead end.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "conform/shrink/shrink.h"
#include "conform/suites/suites.h"
#include "gtest/gtest.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::conform {
namespace {

// The smallest request of a mistake that shows at these requests, beginning with the given one.
Json least(Json request, absl::FunctionRef<bool(const Shape&, const Json&)> fails) {
  const auto ask = [fails](const Json& smaller) -> std::optional<bool> {
    const auto* text = find_as<std::string>(smaller, "shape");
    const absl::StatusOr<Shape> shape = parse_shape(text == nullptr ? "" : *text);
    return shape.ok() && fails(*shape, smaller);
  };
  return smallest(*suite_named("layout"), {}, {std::move(request), std::nullopt}, ask);
}

// The same for a mistake that depends on the shape alone.
std::string least_shape(const std::string& shape, absl::FunctionRef<bool(const Shape&)> fails) {
  const Json request = json_object({{"op", "layout.physical"}, {"shape", shape}});
  const Json found = least(request, [fails](const Shape& of, const Json&) { return fails(of); });
  return *find(found, "shape")->as<std::string>();
}

std::vector<int64_t> sizes_of(const Shape& shape) {
  std::vector<int64_t> sizes;
  for (const Dimension& dimension : shape.dimensions) sizes.push_back(dimension.size);
  return sizes;
}

std::vector<int64_t> first_tile(const Shape& shape) {
  return shape.layout && !shape.layout->tiles.empty() ? shape.layout->tiles[0].dims
                                                      : std::vector<int64_t>();
}

TEST(ShrinkLayout, PrefersArraysWithElements) {
  const auto tiled_vector = [](const Shape& s) { return s.rank() == 1 && !first_tile(s).empty(); };
  EXPECT_EQ(least_shape("f32[5]{0:T(2)}", tiled_vector), "f32[1]{0:T(1)}");
  EXPECT_EQ(least_shape("f32[0]{0:T(2)}", tiled_vector), "f32[1]{0:T(1)}");
  // A mistake about empty arrays alone keeps its example.
  const auto empty = [](const Shape& s) { return s.rank() == 1 && s.dimensions[0].size == 0; };
  EXPECT_EQ(least_shape("f32[0]{0:T(2)}", empty), "f32[0]{0}");
}

TEST(ShrinkLayout, PrefersTheDefaultLayout) {
  const auto matrix = [](const Shape& shape) { return shape.rank() == 2; };
  EXPECT_EQ(least_shape("f32[2,3]{0,1}", matrix), "f32[1,1]{1,0}");
}

TEST(ShrinkLayout, OrdersDimensionsAsInMemoryWithTheIndex) {
  const auto column = [](const Shape& s, const Json& request) {
    const auto* index = find_as<Json::Array>(request, "index");
    if (s.rank() != 2 || !s.layout || index == nullptr || index->size() != 2) return false;
    const int64_t minor = s.layout->minor_to_major[0];
    return s.dimensions[1 - minor].size == 1 && s.dimensions[minor].size == 2 &&
           (*index)[minor] == Json(1);
  };
  const Json request =
      read_json(R"({"op":"layout.linearize","shape":"f32[2,1]{0,1}","index":[1,0]})")->value;
  EXPECT_EQ(to_text(least(request, column)),
            R"({"op":"layout.linearize","shape":"f32[1,2]{1,0}","index":[0,1]})");
}

TEST(ShrinkLayout, SwapsNeighbors) {
  const auto one_and_two = [](const Shape& shape) {
    std::vector<int64_t> sizes = sizes_of(shape);
    std::sort(sizes.begin(), sizes.end());
    return sizes == std::vector<int64_t>{1, 2};
  };
  EXPECT_EQ(least_shape("f32[2,1]{1,0}", one_and_two), "f32[1,2]{1,0}");
  const auto tile = [](const Shape& shape) {
    std::vector<int64_t> sizes = first_tile(shape);
    std::sort(sizes.begin(), sizes.end());
    return shape.rank() == 2 && sizes == std::vector<int64_t>{1, 2};
  };
  EXPECT_EQ(least_shape("f32[1,1]{1,0:T(2,1)}", tile), "f32[1,1]{1,0:T(1,2)}");
}

TEST(ShrinkLayout, DropsADimensionWithItsSizeInTheTile) {
  const auto rows = [](const Shape& shape) {
    const std::vector<int64_t> tile = first_tile(shape);
    return !tile.empty() && tile.size() == static_cast<size_t>(shape.rank()) && tile[0] == 2 &&
           shape.dimensions[0].size == 3;
  };
  EXPECT_EQ(least_shape("f32[3,1]{1,0:T(2,1)}", rows), "f32[3]{0:T(2)}");
}

TEST(ShrinkLayout, DropsATileThatOnlySmallSizesNeed) {
  const auto fails = [](const Shape& shape) {
    return shape.rank() == 1 && (!first_tile(shape).empty() || shape.dimensions[0].size == 3);
  };
  EXPECT_EQ(least_shape("f32[1]{0:T(2)}", fails), "f32[3]{0}");
}

}  // namespace
}  // namespace tileproof::conform
