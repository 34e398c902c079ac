// SPDX-License-Identifier: Apache-2.0
// Evaluation, ranges of results, and the functions on variables, compared with the reference on
// random maps and the corpus.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "corpus/paths.h"
#include "generate/map/generate_map.h"
#include "spec/lang/map/map_text.h"
#include "verify/compare/map_functions_compare.h"

namespace tileproof::verify {
namespace {

void expect_as_the_reference(const IndexingMap& map, Choose& choose) {
  EXPECT_EQ(evaluation_difference(map, choose), "");
  EXPECT_EQ(range_difference(map), "");
  EXPECT_EQ(variables_difference(map, choose), "");
}

TEST(MapFunctionsCompare, AgreeOnRandomMaps) {
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    Choose choose(Choose::Random{seed});
    expect_as_the_reference(generate_map(choose, {.points = 256}), choose);
    expect_as_the_reference(generate_map(choose, {.points = 256, .extremes = true}), choose);
    expect_as_the_reference(generate_related(choose), choose);
    expect_as_the_reference(generate_chain(choose, {.points = 256}).map, choose);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(MapFunctionsCompare, AgreeOnMapsThatBrokeRules) {
  std::ifstream file(project_path("corpus/maps/regressions.txt"));
  int64_t maps = 0;
  for (std::string line; std::getline(file, line);) {
    const absl::StatusOr<IndexingMap> map = parse_map(line);
    if (!map.ok()) continue;
    Choose choose(Choose::Random{0});
    expect_as_the_reference(*map, choose);
    ++maps;
  }
  EXPECT_GT(maps, 50);
}

}  // namespace
}  // namespace tileproof::verify
