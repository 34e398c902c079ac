// Images of maps: what has a closed form, and random maps against all their points.
#include "impl/image.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "fuzz/gen_map.h"
#include "impl/value_set.h"
#include "spec/lang/map_text.h"
#include "spec/map.h"
#include "verify/image_compare.h"

namespace tileproof::verify {
namespace {

std::string counted(const std::vector<std::string>& maps, const std::vector<int64_t>& sizes) {
  std::vector<impl::Image> images;
  for (const std::string& map : maps) {
    const auto image = impl::image_of(*parse_map(map), sizes);
    if (!image.ok()) return std::string(image.status().message());
    images.push_back(*image);
  }
  const auto count = impl::union_size(images, sizes);
  return count.ok() ? absl::StrCat(*count) : std::string(count.status().message());
}

TEST(ImageTest, IndependentResultsMultiply) {
  EXPECT_EQ(counted({"(d0, d1) -> (d0, d1 * 2), domain: d0 in [0, 9], d1 in [0, 4]"}, {10, 10}),
            "50");
}

TEST(ImageTest, DigitsOfOneVariableAreIndependent) {
  EXPECT_EQ(counted({"(d0) -> (d0 mod 65536, d0 floordiv 65536), domain: d0 in [0, 4294967295]"},
                    {65536, 65536}),
            "4294967296");
}

TEST(ImageTest, AVariableIsCutByItsOwnDivisorsOnly) {
  EXPECT_EQ(counted({"(d0, d1) -> (d0 mod 4 + d1 mod 3, d0 floordiv 4), domain: d0 in [0, "
                     "16777215], d1 in [0, 16777214]"},
                    {6, 4194304}),
            "25165824");
}

TEST(ImageTest, DivisorsThatDoNotDivideEachOtherCutNothing) {
  EXPECT_EQ(counted({"(d0) -> (d0 floordiv 4, d0 mod 6), domain: d0 in [0, 11]"}, {3, 6}), "12");
}

TEST(ImageTest, AVariableThatBeginsInsideOfADigitIsNotCut) {
  EXPECT_EQ(counted({"(d0) -> (d0 floordiv 2, d0 mod 2), domain: d0 in [1, 4]"}, {3, 2}), "4");
}

TEST(ImageTest, AConditionThatHoldsNowhereLeavesNothing) {
  EXPECT_EQ(counted({"(d0) -> (d0), domain: d0 in [0, 9], d0 * d0 in [2, 3]"}, {10}), "0");
}

TEST(ImageTest, IterationsThatDoNotMatterAreNoPoints) {
  EXPECT_EQ(counted({"(d0)[s0] -> (d0), domain: d0 in [0, 9], s0 in [0, 9999999]"}, {10}), "10");
}

TEST(ImageTest, RemaindersAloneCutAVariableToo) {
  EXPECT_EQ(counted({"(d0) -> (d0 mod 3, d0 mod 63), domain: d0 in [0, 16777214]"}, {3, 63}), "63");
}

TEST(ImageTest, AVariableIsCutIntoManyDigits) {
  EXPECT_EQ(counted({"(d0) -> (d0 mod 4, (d0 floordiv 4) mod 1048576, d0 floordiv 4194304), "
                     "domain: d0 in [0, 4294967295]"},
                    {4, 1048576, 1024}),
            "4294967296");
}

TEST(ImageTest, QuotientsOfSumsCutNoVariable) {
  EXPECT_EQ(counted({"(d0, d1, d2) -> (d0 mod 4 + (d1 + d2) floordiv 3, d0 floordiv 4), domain: "
                     "d0 in [0, 16777215], d1 in [0, 4], d2 in [0, 4]"},
                    {6, 4194304}),
            "25165824");
}

TEST(ImageTest, AVariableThatIsNotCutStaysBesideDigits) {
  EXPECT_EQ(counted({"(d0, d1) -> (d0 floordiv 1048576 + d1, d0 mod 1048576), domain: d0 in [0, "
                     "1073741823], d1 in [0, 4]"},
                    {1028, 1048577}),
            "1077936128");
}

TEST(ImageTest, ResultsWithoutACommonVariableAreBlocksOfTheirOwn) {
  const auto image = impl::image_of(
      *parse_map("(d0, d1) -> (d0 * d0, d1 * d1), domain: d0 in [0, 9], d1 in [0, 9]"), {82, 82});
  ASSERT_TRUE(image.ok()) << image.status();
  EXPECT_EQ(image->blocks.size(), 2u);
}

TEST(ImageTest, MoreThan63BitsOfElementsAreNotCounted) {
  const int64_t side = 4194304;
  EXPECT_EQ(counted({"(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 4194303], d1 in [0, "
                     "4194303], d2 in [0, 4194303]"},
                    {side, side, side}),
            "a union of many maps");
}

TEST(ImageTest, ASumThatLeaves64BitsIsNotCounted) {
  EXPECT_EQ(counted({"(d0, d1) -> ((d0 * d0 + d1 * d1) mod 3), domain: d0 in [3000000000, "
                     "3000000003], d1 in [3000000000, 3000000003]"},
                    {3}),
            "a value leaves 64 bits");
}

// Of variables that no result depends on, one point is enough.
TEST(ImageTest, AConditionOnOtherVariablesHoldsSomewhere) {
  EXPECT_EQ(counted({"(d0, d1, d2) -> (d0), domain: d0 in [0, 9], d1 in [0, 3], d2 in [0, 1], "
                     "(d1 * 4611686018427387904 + d2) floordiv 4611686018427387905 in [1, 1]"},
                    {10}),
            "10");
}

TEST(ImageTest, AProductThatLeaves64BitsIsNotCounted) {
  EXPECT_EQ(counted({"(d0, d1) -> ((d0 * d1) mod 3), domain: d0 in [4294967296, 4294967299], "
                     "d1 in [4294967296, 4294967299]"},
                    {3}),
            "a value leaves 64 bits");
}

// A block of as many numbers as there may be, beside one that has a third result in it.
// 2^63 - 1 places, and one more row of them.
TEST(ImageTest, ABlockOfAsManyPlacesAs63BitsHoldIsCounted) {
  const std::vector<std::string> maps = {
      "(d0) -> (d0, d0), domain: d0 in [0, 1]",
      "(d0, d1) -> (d0, d1), domain: d0 in [0, 1], d1 in [0, 1]"};
  EXPECT_EQ(counted(maps, {7, 1317624576693539401}), "4");
  EXPECT_EQ(counted(maps, {8, 1317624576693539401}), "a block of more than 2^63 - 1 elements");
}

TEST(ImageTest, AsManyElementsAs63BitsHoldAreCounted) {
  EXPECT_EQ(counted({"(d0, d1) -> (d0, d1), domain: d0 in [0, 6], d1 in [0, 1317624576693539400]"},
                    {7, 1317624576693539401}),
            "9223372036854775807");
}

TEST(ImageTest, ABlockOfAsManyNumbersAsPointsIsCounted) {
  const int64_t side = 1024;
  ASSERT_EQ(side * side, impl::kMaxPoints);
  const auto all = [](int64_t count) { return *impl::NumberSet::interval({0, count - 1}); };
  const impl::Image pairs{{{{0, 1}, all(side * side)}, {{2}, all(1)}}, false};
  const impl::Image triples{{{{0, 1, 2}, all(5)}}, false};
  EXPECT_EQ(impl::union_size({pairs, triples}, {side, side, 1}).value_or(-1), side * side);
  const impl::Image last{{{{0, 1, 2}, *impl::NumberSet::of({side * side - 1})}}, false};
  EXPECT_EQ(impl::union_size({pairs, last}, {side, side, 1}).value_or(-1), side * side);
  // What is in another block may be larger.
  const impl::Image two{{{{0}, all(2)}, {{1, 2}, all(2 * side * side)}}, false};
  const impl::Image three{{{{0}, all(3)}, {{1, 2}, all(5)}}, false};
  EXPECT_EQ(impl::union_size({two, three}, {3, 2 * side, side}).value_or(-1), 4 * side * side + 5);
}

// ---- Values in closed form ----

std::optional<impl::NumberSet> values(absl::string_view map) {
  return impl::values_of(*parse_map(map));
}

TEST(ValueSetTest, ExpressionsOfManyTermsAreNotWrittenOut) {
  const auto terms = [](int count) {
    return values(absl::StrCat("(d0) -> (",
                               absl::StrJoin(std::vector<std::string>(count, "d0"), " + "),
                               "), domain: d0 in [0, 9]"));
  };
  EXPECT_EQ(terms(1000)->hull().high, 9000);
  EXPECT_FALSE(terms(1001).has_value());
}

TEST(ValueSetTest, SumsOfFillersFirstStayOneRun) {
  const auto found = values(
      "(d0, d1, d2) -> (d0 * 64 + d1 + d2 * 8), domain: d0 in [0, 1048575], d1 in [0, 7], d2 in "
      "[0, 7]");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->size(), 67108864);
  EXPECT_EQ(found->runs(), 1);
}

TEST(ValueSetTest, QuotientsOfDifferentVariablesAreIndependent) {
  const auto found =
      values("(d0, d1) -> (d0 mod 4 + d1 floordiv 2 * 4), domain: d0 in [0, 9], d1 in [0, 9]");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->size(), 20);
}

TEST(ValueSetTest, EveryConditionThatWasAppliedCounts) {
  const auto found = values("(d0) -> (d0), domain: d0 in [0, 99], d0 mod 4 in [0, 1]");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->size(), 50);
}

// Of the numbers under a remainder too many runs would be left; the remainder could be kept alone.
TEST(ValueSetTest, AConditionThatIsNotAppliedLeavesNothingTold) {
  EXPECT_TRUE(values("(d0) -> (d0 mod 5), domain: d0 in [0, 999], d0 mod 5 in [1, 3]").has_value());
  EXPECT_FALSE(
      values("(d0) -> (d0 mod 5), domain: d0 in [0, 9999999], d0 mod 5 in [1, 3]").has_value());
}

// A condition is about the sum that has its terms, which need not be the first that is looked at.
TEST(ValueSetTest, AConditionIsAppliedToItsOwnSum) {
  const auto size = [](const std::string& map) {
    const auto found = values(map);
    return found ? found->size() : -1;
  };
  const std::string domain = ", domain: d0 in [0, 9], d1 in [0, 9], ";
  EXPECT_EQ(
      size("(d0, d1) -> (d0 floordiv 4 + d1 * 10)" + domain + "d0 floordiv 4 + d1 * 10 in [2, 30]"),
      8);
  EXPECT_EQ(size("(d0, d1) -> (d0 * 10 + d1 floordiv 2)" + domain + "d0 * 3 in [0, 9]"), 20);
  EXPECT_EQ(size("(d0, d1) -> (d0 + d1 * 100)" + domain + "d0 + d1 * 100 in [0, 500], " +
                 "d0 * 3 in [0, 9]"),
            21);
  EXPECT_EQ(size("(d0, d1) -> (d0 + d1 * 100)" + domain + "d0 floordiv 4 + d1 in [2, 3]"), -1);
  EXPECT_EQ(size("(d0, d1, d2) -> (d0 + d1 * 10 + d2 * 100)" + domain + "d2 in [0, 9], " +
                 "d0 + d1 * 10 in [2, 30], d1 + d2 * 10 in [2, 30]"),
            -1);
  EXPECT_EQ(size("(d0) -> (d0 floordiv 16), domain: d0 in [0, 99], "
                 "d0 floordiv 16 in [0, 4611686018427387904]"),
            -1);
}

// The sum under the quotient has too many runs to be known, though the condition is on the
// quotient.
TEST(ValueSetTest, AQuotientOfWhatIsNotKnownIsNotKnown) {
  const auto is_known = [](int64_t last) {
    return values(absl::StrCat("(d0, d1) -> ((d0 * 1000000 + d1 * 7) floordiv 5), domain: d0 in "
                               "[0, 4095], d1 in [0, ",
                               last, "], (d0 * 1000000 + d1 * 7) floordiv 5 in [10, 1000]"))
        .has_value();
  };
  EXPECT_TRUE(is_known(15));
  EXPECT_FALSE(is_known(127));
}

TEST(ValueSetTest, AConditionOnAMultipleOfTheSumIsApplied) {
  const auto found = values(
      "(d0, d1) -> (d0 * 3 + d1 * 6), domain: d0 in [0, 1], d1 in [0, 9], d0 + d1 * 2 in [2, 5]");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->size(), 4);
}

TEST(ValueSetTest, ConditionsBeyond64BitsAreNotApplied) {
  const std::string head = "(d0) -> (d0), domain: d0 in [0, 99], ";
  EXPECT_TRUE(values(head + "d0 floordiv 4 in [0, 9]").has_value());
  EXPECT_TRUE(values(head + "d0 floordiv 1 in [0, 9]").has_value());
  EXPECT_FALSE(values(head + "d0 floordiv 16 in [0, 4611686018427387904]").has_value());
  EXPECT_FALSE(values(head + "d0 floordiv 16 in [-4611686018427387904, 0]").has_value());
  const auto zero = [](int64_t factor) {
    return values(absl::StrCat("(d0) -> (d0 * ", factor / 2, "), domain: d0 in [0, 0], d0 * ",
                               factor, " in [0, 9]"));
  };
  EXPECT_TRUE(zero(int64_t{1} << 61).has_value());
  EXPECT_FALSE(zero((int64_t{1} << 61) + 2).has_value());
}

TEST(ImageTest, ReshapesOfAnySizeAreOneNumber) {
  EXPECT_EQ(counted({"(d0) -> (d0 floordiv 1000003, d0 mod 1000003), domain: d0 in [0, 9999999]"},
                    {10, 1000003}),
            "10000000");
}

TEST(ImageTest, ConditionsOnASumKeepItsValues) {
  EXPECT_EQ(counted({"(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 99999], d1 in [0, 2], "
                     "d0 * 4 + d1 in [5, 300000]"},
                    {400000}),
            "224997");
}

TEST(ImageTest, SumsOfUpTo64VariablesHaveAClosedForm) {
  const auto sum_of = [](int variables) {
    std::vector<std::string> names, bounds;
    for (int i = 0; i < variables; ++i) {
      names.push_back(absl::StrCat("d", i));
      bounds.push_back(absl::StrCat("d", i, " in [0, 1]"));
    }
    return absl::StrCat("(", absl::StrJoin(names, ", "), ") -> (", absl::StrJoin(names, " + "),
                        "), domain: ", absl::StrJoin(bounds, ", "));
  };
  EXPECT_EQ(counted({sum_of(64)}, {65}), "65");
  EXPECT_EQ(counted({sum_of(65)}, {66}), "variables that are tied together have many values");
}

TEST(ImageTest, UnionsCountCommonElementsOnce) {
  const std::string rows = "(d0, d1) -> (d0, d1), domain: d0 in [2, 4], d1 in [0, 99]";
  const std::string columns = "(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [50, 59]";
  EXPECT_EQ(counted({rows, columns, rows}, {10, 100}), "370");
  EXPECT_EQ(counted(std::vector<std::string>(65, rows), {10, 100}), "300");
  EXPECT_EQ(counted({rows, "(d0) -> (d0, d0 * 10), domain: d0 in [0, 9]"}, {10, 100}), "307");
}

// A variable is cut, and then one of its digits is tied to another that has many values.
TEST(ImageTest, WhatIsNotCountedAfterACutIsNotCounted) {
  const std::string tied = "variables that are tied together have many values";
  const std::string domain = ", domain: d0 in [0, 63], d1 in [0, ";
  for (const char* results : {"d0 floordiv 4, d0 mod 4 + (d1 * d1) mod 7",
                              "(d0 floordiv 4) * 3 + d0 mod 4 + (d1 * d1) mod 7"}) {
    const std::string map = absl::StrCat("(d0, d1) -> (", results, ")", domain);
    EXPECT_EQ(counted({absl::StrCat(map, "9999999]")}, {64, 16}), tied) << results;
    EXPECT_NE(counted({absl::StrCat(map, "9]")}, {64, 16}), tied) << results;
  }
}

// Squares are no runs: about as many pieces as there may be, and more; in one set, and in a union.
TEST(ImageTest, ElementsInTooManyPiecesAreNotCounted) {
  const auto squares = [](int64_t count, int64_t from) {
    return absl::StrCat("(d0) -> (d0 * d0 + ", from, "), domain: d0 in [0, ", count - 1, "]");
  };
  const std::string pieces = "the elements lie in too many pieces";
  const int64_t size = int64_t{1} << 40;
  EXPECT_EQ(counted({squares(262144, 0)}, {size}), "262144");
  EXPECT_EQ(counted({squares(262147, 0)}, {size}), pieces);
  EXPECT_EQ(counted({squares(131000, 0), squares(131000, size / 2)}, {size}), "262000");
  EXPECT_EQ(counted({squares(200000, 0), squares(200000, size / 2)}, {size}), pieces);
  const std::vector<IndexingMap> maps = {*parse_map(squares(200000, 0)),
                                         *parse_map(squares(200000, size / 2))};
  EXPECT_EQ(impl::union_along(maps, 0, size).status(), absl::ResourceExhaustedError(pieces));
  EXPECT_EQ(impl::union_along({maps[0]}, 0, size)->size(), 200000);
}

// The second map ties results together that the first has apart, or in other pairs: then the
// elements of the first are written with the numbers of the second.
TEST(ImageTest, ImagesInBlocksOfAnotherAreCountedWhereTheyFit) {
  const std::string pieces = "the elements lie in too many pieces";
  const auto pairs = [](int64_t side) {
    const std::string in = absl::StrCat(" in [0, ", side - 1, "]");
    const std::string domain = absl::StrCat(", domain: d0", in, ", d1", in);
    return counted({"(d0, d1) -> (d0, d0, d1)" + domain, "(d0, d1) -> (d0, d1, d1)" + domain},
                   {side, side, side});
  };
  EXPECT_EQ(pairs(10), "190");
  EXPECT_EQ(pairs(4194304), pieces);
  const auto sums = [](int64_t side) {
    const std::string in = absl::StrCat(" in [0, ", side - 1, "]");
    return counted({absl::StrCat("(d0, d1) -> (d0, d0 + d1, 0), domain: d0", in, ", d1", in),
                    absl::StrCat("(d0) -> (d0, d0, d0), domain: d0", in)},
                   {side, 2 * side, side});
  };
  EXPECT_EQ(sums(500), "250499");
  EXPECT_EQ(sums(2000), pieces);
  const auto squares = [](int64_t count) {
    const std::string in = absl::StrCat(" in [0, ", count - 1, "]");
    return counted({absl::StrCat("(d0, d1, d2) -> (d0, d1 * d1, d2 * d2), domain: d0", in, ", d1",
                                 in, ", d2", in),
                    "(d0) -> (d0, d0 + 2, d0 + 2), domain: d0 in [0, 1]"},
                   {count, count * count, count * count});
  };
  EXPECT_EQ(squares(20), "8002");
  EXPECT_EQ(squares(1200), pieces);
}

// The numbers of small strides come first, as they fill the gaps of the others.
TEST(ImageTest, ABoxIsOneRunInTheBlockOfAnother) {
  EXPECT_EQ(counted({"(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 1048575], d1 in [0, 7], "
                     "d2 in [0, 7]",
                     "(d0) -> (d0, d0, d0), domain: d0 in [0, 1]"},
                    {1048576, 8, 8}),
            "67108864");
}

// However many indices there are along one result.
TEST(ImageTest, ResultsOfTheirOwnAreNotWrittenOutInBlocksOfAnother) {
  EXPECT_EQ(counted({"(d0, d1) -> (d0, d1), domain: d0 in [0, 2097151], d1 in [0, 1]",
                     "(d0) -> (d0, d0), domain: d0 in [0, 1]"},
                    {2097152, 2}),
            "4194304");
}

// Boxes whose parts overlap in more ways than are looked at.
TEST(ImageTest, BoxesThatOverlapInManyWaysAreNotCounted) {
  const auto boxes = [](int dimensions) {
    std::vector<std::string> maps;
    for (int i = 0; i < 64; ++i) {
      std::vector<std::string> names, bounds;
      for (int d = 0; d < dimensions; ++d) {
        const int low = (i * (2 * d + 3) * 7 + d * 11) % 61;
        names.push_back(absl::StrCat("d", d));
        bounds.push_back(absl::StrCat("d", d, " in [", low, ", ", low + 60, "]"));
      }
      const std::string list = absl::StrJoin(names, ", ");
      maps.push_back(
          absl::StrCat("(", list, ") -> (", list, "), domain: ", absl::StrJoin(bounds, ", ")));
    }
    return counted(maps, std::vector<int64_t>(dimensions, 121));
  };
  EXPECT_EQ(boxes(1), "121");
  EXPECT_EQ(boxes(10), "a union of many maps");
}

TEST(ImageTest, AMapThatIsKnownToBeEmptyReachesNothing) {
  IndexingMap none = *parse_map("(d0) -> (d0), domain: d0 in [0, 9]");
  const IndexingMap some = none;
  none.known_empty = true;
  none.results.clear();
  EXPECT_TRUE(impl::image_of(none, {10})->empty);
  EXPECT_EQ(*impl::union_along({none, some}, 0, 10), *impl::NumberSet::interval({0, 9}));
  EXPECT_TRUE(impl::union_along({none}, 0, 10)->empty());
}

TEST(ImageTest, AMapWithRuntimeVariablesHasNone) {
  const IndexingMap map =
      *parse_map("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 3], rt0 in [0, 3]");
  EXPECT_EQ(impl::image_of(map, {7}).status(),
            absl::InvalidArgumentError("expected a map without runtime variables"));
}

TEST(ImageTest, WhatHasNoClosedFormIsEnumeratedOrNotCounted) {
  EXPECT_EQ(counted({"(d0) -> (d0 mod 7, d0 mod 5), domain: d0 in [0, 99]"}, {7, 5}), "35");
  EXPECT_EQ(counted({"(d0) -> (d0 mod 7, d0 mod 5), domain: d0 in [0, 9999999]"}, {7, 5}),
            "variables that are tied together have many values");
}

// Which is not within the interval, as an integer; in 64 bits it might be anything.
TEST(ImageTest, AConditionOfConstantsBeyond64BitsIsNotPassedOver) {
  EXPECT_EQ(
      counted({"(d0) -> (d0), domain: d0 in [0, 8], (((-(4611686018427387904 + 4)) floordiv 10) "
               "floordiv 7) * -9223372036854775807 in [-16, 94]"},
              {9}),
      "a value leaves 64 bits");
}

// A power this high has no normal form, so a variable of one value stays in it.
TEST(ImageTest, AVariableOfOneValueIsAPoint) {
  const std::string power = absl::StrJoin(std::vector<std::string>(17, "d1"), " * ");
  EXPECT_EQ(
      counted({absl::StrCat("(d0, d1) -> (d0 * ", power, "), domain: d0 in [3, 3], d1 in [0, 1]")},
              {4}),
      "2");
}

// A point of an expression of 32 nodes counts as two.
TEST(ImageTest, PointsOfLongExpressionsAreFewer) {
  const auto image_of_power = [](int power) {
    const std::string product = absl::StrJoin(std::vector<std::string>(power, "d0"), " * ");
    const std::string map = absl::StrCat("(d0) -> (", product, "), domain: d0 in [0, 1]");
    return impl::image_of(*parse_map(map), {2}, 2).status();
  };
  EXPECT_TRUE(image_of_power(31).ok()) << image_of_power(31);
  EXPECT_EQ(std::string(image_of_power(32).message()),
            "variables that are tied together have many values");
}

TEST(ImageTest, QuotientsAloneCutAVariableToo) {
  EXPECT_EQ(counted({"(d0) -> (d0 floordiv 32, d0 floordiv 2), domain: d0 in [0, 4194303]"},
                    {131072, 2097152}),
            "2097152");
}

// The row-major number of a pair is made where it has 63 bits; its digits need none.
TEST(ImageTest, ResultsOfOneVariableAreOneNumberIfItFits) {
  const std::string map = "(d0, d1) -> (d0, d0 + d1), domain: d0 in [0, 1999], d1 in [0, 1999]";
  EXPECT_EQ(counted({map}, {2147483648, 2147483648}), "4000000");
  const std::string too_many = "a block of more than 2^63 - 1 elements";
  EXPECT_EQ(counted({map}, {4294967296, 4294967296}), too_many);
  EXPECT_EQ(
      counted({"(d0) -> (d0 * 2147483648, d0), domain: d0 in [0, 1]"}, {2147483648, 4294967296}),
      too_many);
  EXPECT_EQ(
      counted({"(d0) -> (d0 * 2147483647, d0), domain: d0 in [0, 1]"}, {2147483648, 1073741824}),
      "2");
}

TEST(ImageTest, AUnionOfTooManyMapsIsNotCounted) {
  std::vector<std::string> rows;
  for (int i = 0; i < 65; ++i) {
    rows.push_back(absl::StrCat("(d0) -> (", i, ", d0), domain: d0 in [0, 99]"));
    EXPECT_EQ(counted(rows, {65, 100}),
              i < 64 ? absl::StrCat(100 * (i + 1)) : "a union of many maps");
  }
}

TEST(ImageTest, RandomMapsAsAllPointsSay) {
  int64_t counted_maps = 0, elements = 0, uncounted = 0;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    Choose choose(Choose::Random{seed});
    const ImageComparison found = compare_images(choose);
    ASSERT_EQ(found.difference, "") << "seed " << seed;
    counted_maps += !found.skipped && !found.uncounted;
    uncounted += found.uncounted;
    elements += found.elements;
  }
  EXPECT_GT(counted_maps, 700);
  EXPECT_GT(elements, 10 * counted_maps);
  EXPECT_GT(counted_maps, 5 * uncounted);
}

// The values of the only result, by definition; nothing where these are many or leave 64 bits.
std::optional<std::set<int64_t>> values_by_definition(const IndexingMap& map) {
  std::set<int64_t> values;
  const absl::Status status =
      spec::for_each_point(map, 2000, [&](const spec::Point&, const std::vector<int64_t>& result) {
        values.insert(result[0]);
        return true;
      });
  return status.ok() ? std::optional(values) : std::nullopt;
}

// Of maps as they are written, not simplified, and with numbers at the limits of 64 bits: the
// values of a result, if they are told, are those of the definition.
TEST(ImageTest, ValuesOfOneResultAsAllPointsSay) {
  const MapLimits plain{.ranges = 0, .runtime = 0, .results = 1, .depth = 3, .points = 500};
  MapLimits extreme = plain;
  extreme.extremes = true;
  int64_t compared = 0;
  for (uint64_t seed = 0; seed < 12'000; ++seed) {
    Choose choose(Choose::Random{seed});
    const IndexingMap map = generate_map(choose, seed % 2 == 0 ? plain : extreme);
    const bool has_points = std::ranges::all_of(map.dimensions, [](const Variable& variable) {
      return variable.bounds.low <= variable.bounds.high;
    });
    if (map.results.size() != 1 || map.known_empty || !has_points) continue;
    const std::optional<impl::NumberSet> found = impl::values_of(map);
    const auto expected = values_by_definition(map);
    if (!found || !expected) continue;
    ++compared;
    ASSERT_EQ(found->size(), std::ssize(*expected)) << to_text(map);
    const std::vector<int64_t> numbers = found->numbers();
    EXPECT_EQ(std::set<int64_t>(numbers.begin(), numbers.end()), *expected) << to_text(map);
  }
  EXPECT_GT(compared, 1000);
}

TEST(ImageTest, ValuesUnderConditionsAreThoseOfTheDefinition) {
  const std::string bounds = ", domain: d0 in [0, 9], d1 in [-4, 7], ";
  for (const char* map :
       {"d0 * 3 + d1 * 40", "d0 * -6 + 5", "d1 floordiv 3", "d1 mod 5", "d0 * 4 - d1 * 100",
        "d0 * 4 + d1 mod 4", "d0 * 4611686018427387904", "(d0 + d1) * 2 - d1 * 2",
        "d0 * 2 - d0 * 2 + d1", "2 * d1", "(d0 * 3 + d1) mod 7", "(d0 * 3 + d1) floordiv 7"}) {
    for (const char* condition :
         {"d0 in [2, 3]", "d0 * 2 in [3, 9]", "d0 * 3 + d1 * 40 in [-50, 90]",
          "d0 * -6 in [-30, -5]", "d1 floordiv 3 in [0, 1]", "d1 mod 5 in [1, 2]",
          "d1 floordiv 3 in [-9223372036854775808, 9223372036854775807]",
          "(d1 mod 5) * 2 in [3, 6]", "d0 * 4611686018427387904 in [0, 5]",
          "d0 + 5 in [-9223372036854775808, 7]", "d0 - 5 in [0, 9223372036854775807]",
          "d0 + d1 in [2, 5]", "d0 * 8 - d1 * 200 in [-100, 100]", "(d0 * 3 + d1) mod 7 in [0, 4]",
          "-(d1 mod 5) in [-2, 0]", "0 * d0 in [0, 0]"}) {
      const std::string text = absl::StrCat("(d0, d1) -> (", map, ")", bounds, condition);
      const IndexingMap parsed = *parse_map(text);
      const auto found = impl::values_of(parsed);
      const auto expected = values_by_definition(parsed);
      if (!found || !expected) continue;
      const std::vector<int64_t> numbers = found->numbers();
      EXPECT_EQ(std::set<int64_t>(numbers.begin(), numbers.end()), *expected) << text;
    }
  }
}

}  // namespace
}  // namespace tileproof::verify
