// SPDX-License-Identifier: Apache-2.0
// Simple maps: which are recognized, and that the general way says the same.
#include "impl/map/simple_maps.h"

#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "corpus/paths.h"
#include "generate/map/generate_map.h"
#include "gtest/gtest.h"
#include "impl/map/simplify.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::impl {
namespace {

std::string simple_text(absl::string_view text) {
  const IndexingMap map = parse_map(text).value();
  IndexingMap out;
  switch (simplify_simple(map, out)) {
    case Simple::kNo:
      return "not simple";
    case Simple::kUnchanged:
      return "unchanged";
    case Simple::kChanged:
      break;
  }
  return to_text(out);
}

TEST(SimpleMaps, NormalFormsAreLeftAsTheyAre) {
  for (const absl::string_view text : {
           "() -> ()",
           "(d0, d1) -> (d1, d0, 0, 7), domain: d0 in [0, 9], d1 in [-3, 4]",
           "(d0)[s0] -> (d0 + s0 * 4 + 3), domain: d0 in [0, 9], s0 in [0, 9]",
           "(d0)[s0] -> (d0 - s0), domain: d0 in [0, 9], s0 in [0, 9]",
           "(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 99]",
           "(d0)[s0] -> ((d0 floordiv 8) * 4 + s0 - 192), domain: d0 in [0, 99], s0 in [0, 9]",
           "(d0)[s0] -> ((d0 floordiv 8) * 64 + s0), domain: d0 in [0, 99], s0 in [0, 99]",
           "(d0) -> ((d0 floordiv 8) * 4 + d0), domain: d0 in [0, 99]",
           "(d0)[s0] -> (d0), domain: d0 in [0, 9], s0 in [0, 9], d0 + s0 in [3, 12]",
           "(d0)[s0] -> (s0), domain: d0 in [0, 99], s0 in [0, 2], (d0 + s0) mod 2 in [1, 1]",
           "(d0){rt0} -> (d0), domain: d0 in [0, 99], rt0 in [0, 99], d0 - rt0 in [0, 0]",
           // The order of constraints is that of their first terms, not that of their lengths.
           "(d0, d1, d2, d3) -> (d0), domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, 9], "
           "d3 in [0, 9], d0 + d1 + d2 in [0, 20], d1 + d3 in [0, 12]",
       }) {
    // The parser writes sums as trees of addition, in the order of the text.
    EXPECT_EQ(simple_text(text), "unchanged") << text;
  }
}

TEST(SimpleMaps, ValuesBoundsAndOrderAreWritten) {
  const std::pair<const char*, const char*> cases[] = {
      {"(d0, d1) -> (d0, d1 - 1), domain: d0 in [0, 0], d1 in [0, 9]",
       "(d0, d1) -> (0, d1 - 1), domain: d0 in [0, 0], d1 in [0, 9]"},
      {"(d0)[s0] -> (d0), domain: d0 in [0, 9], s0 in [0, 9], d0 + s0 in [0, 18]",
       "(d0)[s0] -> (d0), domain: d0 in [0, 9], s0 in [0, 9]"},
      {"(d0) -> (d0), domain: d0 in [0, 99], d0 floordiv 8 in [5, 11]",
       "(d0) -> (d0), domain: d0 in [40, 95]"},
      {"(d0)[s0] -> (s0 + d0), domain: d0 in [0, 9], s0 in [0, 9]",
       "(d0)[s0] -> (d0 + s0), domain: d0 in [0, 9], s0 in [0, 9]"},
      {"(d0) -> (d0 mod 16, d0 floordiv 16), domain: d0 in [0, 9]",
       "(d0) -> (d0, 0), domain: d0 in [0, 9]"},
      {"(d0)[s0, s1] -> (d0 * 6 + s0 * 3 + s1), domain: d0 in [0, 1999], s0 in [0, 1], s1 in [0, "
       "2], "
       "d0 * 6 + s0 * 3 + s1 in [0, 598]",
       "(d0)[s0, s1] -> (d0 * 6 + s0 * 3 + s1), domain: d0 in [0, 99], s0 in [0, 1], s1 in [0, 2], "
       "d0 * 6 + s0 * 3 + s1 in [0, 598]"},
      {"(d0)[s0, s1] -> (d0), domain: d0 in [0, 1999], s0 in [0, 1], s1 in [0, 2], "
       "d0 * 6 + s0 * 3 + s1 in [0, 599]",
       "(d0)[s0, s1] -> (d0), domain: d0 in [0, 99], s0 in [0, 1], s1 in [0, 2]"},
      {"(d0) -> (d0), domain: d0 in [0, 99], d0 mod 2 in [1, 1]",
       "(d0) -> (d0), domain: d0 in [1, 99], d0 mod 2 in [1, 1]"},
      {"(d0)[s0, s1] -> (s1, s0, d0), domain: d0 in [0, 9], s0 in [0, 69], s1 in [-2, 7], "
       "d0 + s1 in [-2, 20], d0 mod 8 in [0, 0], s0 mod 3 in [1, 1], s1 mod 4 in [0, 1]",
       "(d0)[s0, s1] -> (s1, s0, d0), domain: d0 in [0, 8], s0 in [1, 67], s1 in [0, 5], "
       "d0 mod 8 in [0, 0], s0 mod 3 in [1, 1], s1 mod 4 in [0, 1]"},
      {"(d0)[s0] -> (d0), domain: d0 in [0, 9], s0 in [0, 9], d0 - s0 in [1, 9]",
       "(d0)[s0] -> (d0), domain: d0 in [1, 9], s0 in [0, 8], d0 - s0 in [1, 9]"},
  };
  for (const auto& [before, after] : cases) {
    EXPECT_EQ(simple_text(before), after);
    EXPECT_EQ(to_text(simplify(parse_map(before).value()).value()), after);
  }
}

TEST(SimpleMaps, TheGeneralWayDecidesTheRest) {
  for (const absl::string_view text : {
           "(d0) -> (d0), domain: d0 in [3, 2]",
           "(d0) -> (d0 floordiv 2), domain: d0 in [3, 4]",
           "(d0) -> (d0 + d0), domain: d0 in [0, 9]",
           "(d0) -> ((d0 floordiv 8) * 8 + d0 mod 8), domain: d0 in [0, 99]",
           "(d0) -> (d0 - (d0 floordiv 8) * 8), domain: d0 in [0, 99]",
           "(d0)[s0] -> (d0 * 4 + s0 * 4), domain: d0 in [0, 9], s0 in [0, 9]",
           "(d0)[s0] -> (d0 + s0), domain: d0 in [0, 9], s0 in [0, 9], d0 + s0 in [3, 3]",
           "(d0)[s0] -> (d0), domain: d0 in [0, 9], s0 in [0, 9], d0 * 2 + s0 * 2 in [3, 9]",
           "(d0, d1)[s0] -> (d0), domain: d0 in [0, 99], d1 in [0, 9], s0 in [0, 2], "
           "d0 * 6 + d1 * 12 + s0 in [0, 101]",  // s0 is dropped
           "(d0) -> (d0), domain: d0 in [0, 3], d0 mod 4 in [1, 2]",
           "(d0) -> (d0), domain: d0 in [0, 99], d0 mod 2 in [1, 1], d0 mod 3 in [0, 0]",
           "(d0) -> (d0 floordiv -2), domain: d0 in [0, 99]",
       }) {
    EXPECT_EQ(simple_text(text), "not simple") << text;
  }
}

// A node that is a part of no expression may be invalid, so the map must be read as a whole.
TEST(SimpleMaps, OtherNodesAreSeen) {
  IndexingMap map = parse_map("(d0) -> (d0), domain: d0 in [0, 9]").value(), out;
  map.nodes.push_back({.op = Op::kFloorDiv, .left = 0, .right = 0});
  EXPECT_EQ(simplify_simple(map, out), Simple::kNo);
  EXPECT_FALSE(simplify(map).ok());
  map.nodes = {{.op = Op::kDimension, .value = 3}};
  EXPECT_EQ(simplify_simple(map, out), Simple::kNo);
}

// Compares both ways.
class BothWays {
 public:
  BothWays() { general_.try_simple(false); }

  void compare(const IndexingMap& map) {
    const absl::StatusOr<IndexingMap> slow = simplify(map, general_), fast = simplify(map, usual_);
    ASSERT_EQ(slow.ok(), fast.ok()) << to_text(map);
    ++maps_;
    if (!slow.ok()) return;
    const bool is_simple = simplify_simple(map, out_) != Simple::kNo;
    simple_ += is_simple;
    // Then a search may have ended early, and without plain sums it may find less.
    constexpr int64_t kMaxSearch = 1'500;
    if (!is_simple && general_.work() > kMaxSearch) return;
    ASSERT_EQ(to_text(*fast), to_text(*slow)) << to_text(map);
    // The result, and as it is with looser bounds.
    simple_ += simplify_simple(*slow, out_) != Simple::kNo;
    ASSERT_EQ(to_text(simplify(*slow, usual_).value()), to_text(*slow)) << to_text(map);
  }
  int64_t maps() const { return maps_; }
  int64_t simple() const { return simple_; }

 private:
  Workspace general_, usual_;
  IndexingMap out_;
  int64_t maps_ = 0, simple_ = 0;
};

// TILEPROOF_MAPS: how many random maps of each kind.
int64_t count_of_maps() {
  int64_t count = 4000;
  const char* wanted = std::getenv("TILEPROOF_MAPS");
  if (wanted != nullptr && !absl::SimpleAtoi(wanted, &count)) return 0;
  return count;
}

TEST(SimpleMaps, TheGeneralWaySaysTheSameOfRandomMaps) {
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
  BothWays both;
  for (const auto& kind : kinds) {
    const int64_t before = both.simple();
    for (int64_t seed = 0; seed < count_of_maps(); ++seed) {
      Choose choose(Choose::Random{static_cast<uint64_t>(seed)});
      both.compare(kind(choose));
      if (HasFatalFailure()) return;
    }
    EXPECT_GT(both.simple(), before);
  }
  RecordProperty("maps", absl::StrCat(both.maps()));
  RecordProperty("simple", absl::StrCat(both.simple()));
}

TEST(SimpleMaps, TheGeneralWaySaysTheSameOfTheCorpus) {
  BothWays both;
  for (const char* file : {"campaign", "chains", "composed", "documents", "regressions"}) {
    std::ifstream lines(project_path(absl::StrCat("corpus/maps/", file, ".txt")));
    for (std::string line; std::getline(lines, line);) {
      const absl::StatusOr<IndexingMap> map = parse_map(line);
      if (map.ok()) both.compare(*map);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(both.maps(), 100);
  EXPECT_GT(both.simple(), 10);
}

}  // namespace
}  // namespace tileproof::impl
