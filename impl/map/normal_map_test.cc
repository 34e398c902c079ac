// SPDX-License-Identifier: Apache-2.0
// Maps in normal form: which are recognized, and that the general way says the same.
#include "impl/map/normal_map.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "absl/strings/str_cat.h"
#include "corpus/paths.h"
#include "generate/map/generate_map.h"
#include "gtest/gtest.h"
#include "impl/map/simplify.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::impl {
namespace {

std::string recognized(absl::string_view text) {
  const IndexingMap map = parse_map(text).value();
  IndexingMap out;
  const IndexingMap* answer = simplify_normal(map, out);
  if (answer == nullptr) return "unknown";
  return answer == &map ? "as it is" : to_text(*answer);
}

TEST(NormalMap, IsLeftAsItIs) {
  for (const absl::string_view text : {
           "() -> ()",
           "(d0, d1) -> (d1, d0, 0, 7), domain: d0 in [0, 9], d1 in [-3, 4]",
           "(d0)[s0] -> (d0 + s0 * 4 + 3, d0 - s0), domain: d0 in [0, 9], s0 in [0, 9]",
           "(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 99]",
           "(d0)[s0] -> ((d0 floordiv 8) * 4 + s0 - 192), domain: d0 in [0, 99], s0 in [0, 9]",
           "(d0) -> ((d0 floordiv 8) * 4 + d0), domain: d0 in [0, 99]",
           "(d0)[s0] -> (d0), domain: d0 in [0, 9], s0 in [0, 9], d0 + s0 in [3, 12]",
           "(d0)[s0] -> (s0), domain: d0 in [0, 99], s0 in [0, 2], (d0 + s0) mod 2 in [1, 1]",
           "(d0){rt0} -> (d0), domain: d0 in [0, 99], rt0 in [0, 99], d0 - rt0 in [0, 0]",
       }) {
    EXPECT_EQ(recognized(text), "as it is") << text;
  }
}

TEST(NormalMap, BoundsOrderAndConstantsAreWritten) {
  const std::pair<const char*, const char*> cases[] = {
      {"(d0, d1) -> (d0, d1), domain: d0 in [2, 2], d1 in [0, 9]",
       "(d0, d1) -> (2, d1), domain: d0 in [2, 2], d1 in [0, 9]"},
      {"(d0) -> (d0), domain: d0 in [0, 99], d0 mod 2 in [1, 1]",
       "(d0) -> (d0), domain: d0 in [1, 99], d0 mod 2 in [1, 1]"},
      {"(d0)[s0] -> (d0), domain: d0 in [0, 9], s0 in [0, 9], d0 - s0 in [1, 9]",
       "(d0)[s0] -> (d0), domain: d0 in [1, 9], s0 in [0, 8], d0 - s0 in [1, 9]"},
      {"(d0)[s0] -> (d0), domain: d0 in [0, 9], s0 in [0, 9], d0 + s0 in [3, 12], d0 mod 3 in [0, "
       "1]",
       "(d0)[s0] -> (d0), domain: d0 in [0, 9], s0 in [0, 9], d0 mod 3 in [0, 1], d0 + s0 in [3, "
       "12]"},
  };
  for (const auto& [before, after] : cases) EXPECT_EQ(recognized(before), after);
}

TEST(NormalMap, TheGeneralWayDecidesTheRest) {
  for (const absl::string_view text : {
           "(d0) -> (d0), domain: d0 in [3, 2]",
           "(d0) -> (d0 floordiv 2), domain: d0 in [3, 4]",
           "(d0) -> (d0 + d0), domain: d0 in [0, 9]",
           "(d0)[s0] -> (s0 + d0), domain: d0 in [0, 9], s0 in [0, 9]",
           "(d0) -> (-(d0 mod 5) + 4), domain: d0 in [0, 99]",
           "(d0) -> (d0 - (d0 floordiv 8) * 8), domain: d0 in [0, 99]",
           "(d0)[s0] -> (d0 * 4 + s0 * 4), domain: d0 in [0, 9], s0 in [0, 9]",
           "(d0)[s0] -> (d0 + s0), domain: d0 in [0, 9], s0 in [0, 9], d0 + s0 in [3, 3]",
           "(d0)[s0] -> (d0), domain: d0 in [0, 9], s0 in [0, 9], d0 + s0 in [0, 18]",
           "(d0)[s0] -> (d0), domain: d0 in [0, 9], s0 in [0, 9], d0 + s0 * 2 in [3, 9]",
           "(d0) -> (d0), domain: d0 in [0, 3], d0 mod 4 in [1, 2]",
           "(d0) -> (d0), domain: d0 in [0, 99], d0 mod 2 in [1, 1], d0 mod 3 in [0, 0]",
           "(d0) -> (d0 floordiv -2), domain: d0 in [0, 99]",
       }) {
    EXPECT_EQ(recognized(text), "unknown") << text;
  }
}

// A node that is a part of no expression may be invalid, or show that the map may use ceildiv.
TEST(NormalMap, OtherNodesAreSeen) {
  IndexingMap map = parse_map("(d0) -> (d0), domain: d0 in [0, 9]").value(), out;
  map.nodes.push_back({.op = Op::kFloorDiv, .left = 0, .right = 0});
  EXPECT_EQ(simplify_normal(map, out), nullptr);
  EXPECT_FALSE(simplify(map).ok());
  map.nodes.back() = {.op = Op::kDimension, .value = 3};
  EXPECT_EQ(simplify_normal(map, out), nullptr);
}

// Compares both ways, and counts the maps that are recognized.
class BothWays {
 public:
  void compare(const IndexingMap& map) {
    IndexingMap out;
    const absl::StatusOr<IndexingMap> general = simplify(map, general_);
    if (const IndexingMap* answer = simplify_normal(map, out)) {
      ++recognized_;
      ASSERT_TRUE(general.ok()) << to_text(map);
      ASSERT_EQ(to_text(*answer), to_text(*general)) << to_text(map);
    }
    if (!general.ok()) return;
    if (const IndexingMap* again = simplify_normal(*general, out)) {
      ++recognized_;
      ASSERT_EQ(to_text(*again), to_text(simplify(*general, general_).value())) << to_text(map);
    }
  }
  int64_t recognized() const { return recognized_; }

 private:
  Workspace general_{4'000'000};
  int64_t recognized_ = 0;
};

TEST(NormalMap, TheGeneralWaySaysTheSameOfRandomMaps) {
  const std::function<IndexingMap(Choose&)> kinds[] = {
      [](Choose& choose) { return generate_map(choose); },
      [](Choose& choose) { return generate_map(choose, {.constraints = 0, .depth = 2}); },
      [](Choose& choose) { return generate_map(choose, {.constraints = 2, .depth = 1}); },
      [](Choose& choose) { return generate_chain(choose).map; },
      [](Choose& choose) { return generate_rule_shaped(choose); },
      [](Choose& choose) {
        IndexingMap map = generate_map(choose, {.depth = 2});
        widen(choose, map);
        return map;
      },
      [](Choose& choose) { return generate_map(choose, {.depth = 2, .extremes = true}); },
  };
  const char* wanted = std::getenv("TILEPROOF_MAPS");
  const uint64_t count = wanted == nullptr ? 3000 : std::stoull(wanted);
  BothWays both;
  for (const auto& kind : kinds) {
    const int64_t before = both.recognized();
    for (uint64_t seed = 0; seed < count; ++seed) {
      Choose choose(Choose::Random{seed});
      both.compare(kind(choose));
      if (HasFatalFailure()) return;
    }
    EXPECT_GT(both.recognized(), before);
  }
  RecordProperty("recognized", absl::StrCat(both.recognized()));
}

TEST(NormalMap, TheGeneralWaySaysTheSameOfTheCorpus) {
  BothWays both;
  for (const char* folder : {"corpus/maps", "corpus/golden"}) {
    for (const auto& file : std::filesystem::directory_iterator(project_path(folder))) {
      std::ifstream lines(file.path());
      for (std::string line; std::getline(lines, line);) {
        const size_t begin =
            std::min(line.find('('), line.size());  // after the command of a record
        const absl::StatusOr<IndexingMap> map = parse_map(line.substr(begin));
        if (map.ok()) both.compare(*map);
        if (HasFatalFailure()) return;
      }
    }
  }
  EXPECT_GT(both.recognized(), 100);
}

}  // namespace
}  // namespace tileproof::impl
