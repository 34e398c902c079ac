// SPDX-License-Identifier: Apache-2.0
#include "spec/map/compose.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::spec {
namespace {

// (d0, d1, ..) -> (d0, d1, ..) with d<i> in [low, high].
IndexingMap identity(int rank, int64_t low, int64_t high) {
  std::vector<std::string> names, bounds;
  for (int d = 0; d < rank; ++d) {
    names.push_back(absl::StrCat("d", d));
    bounds.push_back(absl::StrCat("d", d, " in [", low, ", ", high, "]"));
  }
  const std::string list = absl::StrJoin(names, ", ");
  return *parse_map(
      absl::StrCat("(", list, ") -> (", list, "), domain: ", absl::StrJoin(bounds, ", ")));
}

TEST(Compose, EveryDimensionOfTheSecondMapBoundsTheComposition) {
  for (int rank = 1; rank <= 8; ++rank) {
    const IndexingMap both = *compose(identity(rank, 0, 9), identity(rank, 3, 5));
    for (int d = 0; d < rank; ++d) {
      for (int64_t value = 0; value < 10; ++value) {
        Point at{std::vector<int64_t>(rank, 4), {}, {}};
        at.dims[d] = value;
        EXPECT_EQ(evaluate(both, at)->has_value(), value >= 3 && value <= 5)
            << rank << " dimensions, d" << d << " = " << value;
      }
    }
  }
}

TEST(Compose, VariablesOfTheSecondMapComeFirst) {
  const IndexingMap first = *parse_map(
      "(d0)[s0, s1]{rt0} -> (d0 + s0 * 10, s1 + rt0 * 100), "
      "domain: d0 in [0, 9], s0 in [0, 9], s1 in [0, 9], rt0 in [0, 9]");
  const IndexingMap second = *parse_map(
      "(d0, d1)[s0, s1]{rt0} -> (d0 + d1 * 1000 + s0 * 10000000 + s1 * 1000000 + "
      "rt0 * 100000000), domain: d0 in [0, 99], d1 in [0, 999], s0 in [0, 9], s1 in [0, 9], "
      "rt0 in [0, 9]");
  // s0, s1 and rt0 of the second map; then s0, s1 and rt0 of the first
  const auto value = evaluate(*compose(first, second), {{1}, {4, 7, 2, 3}, {6, 5}});
  EXPECT_EQ((**value)[0], 21 + 503 * 1000 + 7 * 1000000 + 4 * 10000000 + 6 * 100000000);
}

TEST(Compose, ConstraintsOfBothMapsHold) {
  const IndexingMap first =
      *parse_map("(d0) -> (d0 * 2), domain: d0 in [0, 20], d0 mod 3 in [0, 0]");
  const IndexingMap second = *parse_map("(d0) -> (d0), domain: d0 in [0, 30], d0 mod 4 in [0, 0]");
  const IndexingMap both = *compose(first, second);
  for (int64_t d0 = 0; d0 <= 20; ++d0) {
    EXPECT_EQ(evaluate(both, {{d0}, {}, {}})->has_value(), d0 % 6 == 0 && d0 <= 15) << d0;
  }
}

}  // namespace
}  // namespace tileproof::spec
