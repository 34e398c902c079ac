// SPDX-License-Identifier: Apache-2.0
#include "generate/map/generate_map.h"

#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "spec/lang/base/cases_testing.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/map_evaluation.h"

namespace tileproof {
namespace {

Choose seeded(uint64_t seed) { return Choose(Choose::Random{seed}); }

constexpr MapLimits kExtreme = {.depth = 6, .extremes = true};
constexpr ChainLimits kLarge = {.steps = 6, .points = int64_t{1} << 40};

// Returns a map; the seed selects its kind.
IndexingMap any_map(uint64_t seed) {
  Choose choose = seeded(seed);
  switch (seed % 5) {
    case 0:
      return generate_map(choose);
    case 4:
      return generate_related(choose);
    case 1:
      return generate_map(choose, kExtreme);
    case 2:
      return generate_chain(choose).map;
    default:
      return generate_chain(choose, kLarge).map;
  }
}

TEST(GenerateMap, EveryMapParsesAsItself) {
  int64_t bytes = 0;
  std::set<std::string> texts;
  const auto all = cases<uint64_t>(200'000);
  for (uint64_t seed = 0; seed < all; ++seed) {
    const IndexingMap map = any_map(seed);
    const std::string text = to_text(map);
    const absl::StatusOr<IndexingMap> read = parse_map(text);
    ASSERT_TRUE(read.ok()) << text << ": " << read.status();
    ASSERT_EQ(*read, map) << text;
    ASSERT_EQ(to_text(*read), text);
    bytes += std::ssize(text);
    if (seed < 4000) texts.insert(text);
  }
  std::cout << all << " maps, " << bytes << " bytes, 0 differences\n";
  EXPECT_GT(texts.size(), 3000u);
}

TEST(GenerateMap, EveryMapIsValid) {
  for (uint64_t seed = 0; seed < cases<uint64_t>(10'000); ++seed) {
    const IndexingMap map = any_map(seed);
    ASSERT_TRUE(validate(map).ok()) << to_text(map) << ": " << validate(map);
  }
}

// Returns the text with a few mistakes.
std::string mutated(Choose& choose, std::string text) {
  static constexpr absl::string_view kPieces[] = {"(",
                                                  ")",
                                                  "[",
                                                  "]",
                                                  "{",
                                                  "}",
                                                  ",",
                                                  "-",
                                                  "+",
                                                  "*",
                                                  " ",
                                                  "\n",
                                                  "->",
                                                  " in ",
                                                  " mod ",
                                                  "domain:",
                                                  " floordiv ",
                                                  " ceildiv ",
                                                  "d0",
                                                  "s0",
                                                  "rt0",
                                                  "0",
                                                  "9223372036854775807",
                                                  "-1",
                                                  "x",
                                                  "/*",
                                                  "//",
                                                  "\"",
                                                  "hlo: x\n() -> ()\n",
                                                  "affine_map<",
                                                  "#xla.indexing_map<\"",
                                                  "\">",
                                                  "\xff",
                                                  "1.5"};
  for (int64_t left = 1 + choose(3); left > 0; --left) {
    const auto at = static_cast<size_t>(choose(std::ssize(text) + 1));
    const auto length = static_cast<size_t>(choose(4));
    switch (choose(4)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, std::string(kPieces[choose(std::ssize(kPieces))]));
        break;
      case 2:
        text.insert(at, text.substr(static_cast<size_t>(choose(std::ssize(text) + 1)), 40));
        break;
      default:
        text.resize(at);
    }
  }
  return text;
}

TEST(GenerateMap, DamagedTextParsesOrFailsWithAPosition) {
  int read = 0, refused = 0;
  for (uint64_t seed = 0; seed < cases<uint64_t>(100'000); ++seed) {
    Choose choose = seeded(seed);
    const std::string text = mutated(choose, to_text(any_map(seed % 1000)));
    const absl::StatusOr<IndexingMap> map = parse_map(text);
    if (map.ok()) {
      ASSERT_EQ(*parse_map(to_text(*map)), *map) << text;
      ++read;
    } else {
      const bool placed = absl::StartsWith(map.status().message(), "column ") ||
                          absl::StartsWith(map.status().message(), "line ");
      ASSERT_TRUE(placed) << text << ": " << map.status();
      ++refused;
    }
  }
  std::cout << read << " parsed, " << refused << " rejected\n";
  EXPECT_GT(read, cases(3'000));
  EXPECT_GT(refused, cases(50'000));
}

// Returns the number of points of the domain. Checks that every value there fits int64.
int64_t points_of(const IndexingMap& map) {
  int64_t points = 0;
  const absl::Status status = spec::for_each_point(
      map, 4096, [&](const spec::Point&, const std::vector<int64_t>&) { return ++points > 0; });
  EXPECT_TRUE(status.ok()) << to_text(map) << ": " << status;
  return points;
}

TEST(GenerateMap, BoxesAreSmallAndEveryKindOfMapOccurs) {
  int64_t points = 0, empty = 0, without_variables = 0, negative_divisors = 0, restricted = 0;
  const auto maps = cases<uint64_t>(8'000);
  for (uint64_t seed = 0; seed < maps; ++seed) {
    Choose choose = seeded(seed);
    const IndexingMap map = generate_map(choose);
    const int64_t count = points_of(map);
    points += count;
    empty += count == 0;
    restricted += count > 0 && count < spec::box_size(map);
    without_variables += map.dimensions.empty() && map.ranges.empty() && map.runtime.empty();
    negative_divisors += absl::StrContains(to_text(map), "floordiv -");
  }
  std::cout << maps << " maps, " << points << " points, " << empty << " empty, " << restricted
            << " restricted, " << without_variables << " without variables, " << negative_divisors
            << " with negative divisors\n";
  for (int64_t count : {empty, restricted, without_variables, negative_divisors}) {
    EXPECT_GT(count, cases(80));
    EXPECT_LT(count, cases(4'000));
  }
}

TEST(GenerateChain, MapsElementsToElementsOfTheOperand) {
  int64_t points = 0, constrained = 0, long_ones = 0;
  const auto chains = cases<uint64_t>(3'000);
  for (uint64_t seed = 0; seed < chains; ++seed) {
    Choose choose = seeded(seed);
    const Chain chain = generate_chain(choose, {.points = 512});
    ASSERT_EQ(chain.map.results.size(), chain.shape.size());
    const absl::Status status = spec::for_each_point(
        chain.map, 512, [&](const spec::Point& point, const std::vector<int64_t>& index) {
          ++points;
          for (size_t i = 0; i < index.size(); ++i) {
            const bool inside = 0 <= index[i] && index[i] < chain.shape[i];
            EXPECT_TRUE(inside) << to_text(chain.map) << " at " << to_text(chain.map, point);
            if (!inside) return false;
          }
          return true;
        });
    ASSERT_TRUE(status.ok()) << to_text(chain.map) << ": " << status;
    constrained += !chain.map.constraints.empty();
    long_ones += to_text(chain.map).size() > 300;
  }
  std::cout << chains << " chains, " << points << " points, " << constrained << " constrained, "
            << long_ones << " longer than 300 bytes\n";
  EXPECT_GT(points, cases(100'000));
  EXPECT_GT(constrained, cases(300));
  EXPECT_GT(long_ones, cases(300));
}

TEST(GenerateChain, ReplaysARecordedList) {
  Choose choose(Choose::Replay{{0, 1, 0, 1, 0}});
  EXPECT_EQ(to_text(generate_chain(choose).map), "(d0) -> (d0), domain: d0 in [0, 1]");
  Choose nothing(Choose::Replay{{}});
  EXPECT_EQ(to_text(generate_chain(nothing).map), "() -> ()");
  Choose nothing_again(Choose::Replay{{}});
  EXPECT_EQ(to_text(generate_map(nothing_again)), "() -> ()");
}

}  // namespace
}  // namespace tileproof
