// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/reshape_indices.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_join.h"
#include "impl/hlo/indexing.h"
#include "impl/hlo/indexing_testing.h"
#include "impl/layout/tiled_layout.h"
#include "impl/map/map_builder.h"
#include "impl/map/simplify.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::impl {
namespace {

// The text of the map at one point: its results, or KNOWN EMPTY.
std::string at_point(IndexingMap map, int64_t value) {
  map.dimensions[0].bounds = {value, value};
  const IndexingMap there = simplify(map).value();
  if (there.known_empty) return "KNOWN EMPTY";
  std::vector<int64_t> index;
  for (NodeId result : there.results) index.push_back(there.nodes[result].value);
  return absl::StrJoin(index, ",");
}

std::string element_at(const Shape& array, int64_t offset) {
  const auto index = TiledLayout::create(array).value().delinearize(offset).value();
  return index ? absl::StrJoin(*index, ",") : "KNOWN EMPTY";
}

// 9 of the 24 places of the tiled array are padding and hold no element.
TEST(IndexingTest, ATiledBitcastThatIsNoTranspose) {
  const HloModule module =
      module_of("p = f32[3,5]{1,0:T(2,2)} parameter(0)\nb = f32[24] bitcast(p)");
  const auto answer = IndexingAnalysis(module).reads(0, 1);
  ASSERT_TRUE(answer.ok()) << answer.status();
  ASSERT_EQ((*answer)[0][0].maps.size(), 1);
  const Shape array = parse_shape("f32[3,5]{1,0:T(2,2)}").value();
  for (int64_t offset = 0; offset < 24; ++offset) {
    EXPECT_EQ(at_point((*answer)[0][0].maps[0].map, offset), element_at(array, offset)) << offset;
  }
}

// XLA's example: the element at a place in memory comes from another place.
TEST(ReindexTest, PhysicalPositions) {
  const Shape in = parse_shape("f32[10,20,30]").value();
  const Shape out = parse_shape("f32[10,20,30]{1,0,2}").value();
  const IndexingMap identity =
      parse_map("(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 9], d1 in [0, 19], d2 in [0, 29]")
          .value();
  EXPECT_EQ(to_text(between_physical(identity, out, in).value()),
            "(d0, d1, d2) -> (d1, d2, d0), domain: d0 in [0, 29], d1 in [0, 9], d2 in [0, 19]");
  EXPECT_EQ(to_text(between_physical(identity, out, out).value()),
            "(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 29], d1 in [0, 9], d2 in [0, 19]");
}

// Before simplification, each of the smallest groups of equal size has its own expressions.
TEST(ReindexTest, ReshapesAreWrittenGroupByGroup) {
  const auto written = [](const Dims& to, const Dims& from) {
    MapBuilder m(to);
    std::vector<NodeId> dimensions;
    for (size_t d = 0; d < to.size(); ++d) {
      dimensions.push_back(m.dimension(static_cast<int64_t>(d)));
    }
    const std::vector<NodeId> index = reshaped(m, dimensions, to, from).value();
    for (NodeId result : index) m.result(result);
    const std::string text = to_text(m.map());
    return text.substr(0, text.find(", domain"));
  };
  EXPECT_EQ(written({32, 3, 4}, {4, 8, 12}),
            "(d0, d1, d2) -> (d0 floordiv 8, d0 mod 8, d1 * 4 + d2)");
  EXPECT_EQ(written({4, 8, 12}, {32, 3, 4}),
            "(d0, d1, d2) -> (d0 * 8 + d1, d2 floordiv 4, d2 mod 4)");
  EXPECT_EQ(written({2, 3, 5}, {2, 3, 5}), "(d0, d1, d2) -> (d0, d1, d2)");
  EXPECT_EQ(written({6, 4}, {4, 6}), "(d0, d1) -> ((d0 * 4 + d1) floordiv 6, (d0 * 4 + d1) mod 6)");
  EXPECT_EQ(written({1, 6, 1}, {6}), "(d0, d1, d2) -> (d1)");
  EXPECT_EQ(written({2, 1, 3}, {6}), "(d0, d1, d2) -> (d0 * 3 + d2)");
  EXPECT_EQ(written({6}, {1, 2, 1, 3, 1}), "(d0) -> (0, d0 floordiv 3, 0, d0 mod 3, 0)");
  EXPECT_EQ(written({int64_t{1} << 40, int64_t{1} << 40}, {int64_t{1} << 40, int64_t{1} << 40}),
            "(d0, d1) -> (d0, d1)");
}

// Parsers refuse such sizes. Here, too, the number of elements does not wrap.
TEST(ReindexTest, AGroupOfTooManyElementsIsRefused) {
  const int64_t size = int64_t{1} << 40;
  MapBuilder m({size, size, 3});
  const std::vector<NodeId> index = {m.dimension(0), m.dimension(1), m.dimension(2)};
  EXPECT_EQ(reshaped(m, index, {size, size, 3}, {3, size, size}).status(),
            absl::OutOfRangeError("expected fewer than 2^63 elements"));
}

TEST(ReindexTest, PlacesOfATiledArray) {
  const Shape tiled = parse_shape("f32[3,5]{1,0:T(2,2)}").value();
  const auto same = [](const absl::StatusOr<IndexingMap>& map, const std::string& expected) {
    EXPECT_EQ(to_text(map.value()), to_text(simplify(parse_map(expected).value()).value()));
  };
  same(
      logical_to_physical(tiled),
      "(d0, d1) -> (d0 floordiv 2, d1 floordiv 2, d0 mod 2, d1 mod 2), domain: d0 in [0, 2], d1 in "
      "[0, 4]");
  same(physical_to_logical(tiled),
       "(d0, d1, d2, d3) -> (d0 * 2 + d2, d1 * 2 + d3), domain: d0 in [0, 1], d1 in [0, 2], d2 in "
       "[0, 1], d3 in [0, 1], d0 * 2 + d2 in [0, 2], d1 * 2 + d3 in [0, 4]");
  same(logical_to_offset(tiled),
       "(d0, d1) -> ((d0 floordiv 2) * 12 + (d1 floordiv 2) * 4 + (d0 mod 2) * 2 + d1 mod 2), "
       "domain: d0 in [0, 2], d1 in [0, 4]");
  EXPECT_EQ(offset_to_logical(parse_shape("f32[0,5]{1,0:T(2,2)}").value()).status().message(),
            "expected an array with an element");
  const IndexingMap back = offset_to_logical(tiled).value();
  for (int64_t offset = 0; offset < 24; ++offset) {
    EXPECT_EQ(at_point(back, offset), element_at(tiled, offset)) << offset;
  }
}

}  // namespace
}  // namespace tileproof::impl
