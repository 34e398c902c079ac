// SPDX-License-Identifier: Apache-2.0
// Images of maps: cases with a closed form, and random maps compared with all their points.
#include "impl/access/image.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "impl/access/image_digits.h"
#include "spec/lang/map/map_text.h"

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

TEST(ImageTest, AVariableThatBeginsInsideADigitIsNotCut) {
  EXPECT_EQ(counted({"(d0) -> (d0 floordiv 2, d0 mod 2), domain: d0 in [1, 4]"}, {3, 2}), "4");
}

TEST(ImageTest, AConstraintThatHoldsNowhereLeavesNothing) {
  EXPECT_EQ(counted({"(d0) -> (d0), domain: d0 in [0, 9], d0 * d0 in [2, 3]"}, {10}), "0");
}

TEST(ImageTest, IterationsThatDoNotMatterAreNotEnumerated) {
  EXPECT_EQ(counted({"(d0)[s0] -> (d0), domain: d0 in [0, 9], s0 in [0, 9999999]"}, {10}), "10");
}

TEST(ImageTest, RemaindersAloneCutAVariable) {
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

TEST(ImageTest, AVariableThatIsNotCutStaysWhole) {
  EXPECT_EQ(counted({"(d0, d1) -> (d0 floordiv 1048576 + d1, d0 mod 1048576), domain: d0 in [0, "
                     "1073741823], d1 in [0, 4]"},
                    {1028, 1048577}),
            "1077936128");
}

TEST(ImageTest, ResultsWithoutACommonVariableAreSeparateBlocks) {
  const auto image = impl::image_of(
      *parse_map("(d0, d1) -> (d0 * d0, d1 * d1), domain: d0 in [0, 9], d1 in [0, 9]"), {82, 82});
  ASSERT_TRUE(image.ok()) << image.status();
  EXPECT_EQ(image->blocks.size(), 2u);
}

TEST(ImageTest, DoesNotCountMoreThan63BitsOfElements) {
  const int64_t side = 4194304;
  EXPECT_EQ(counted({"(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 4194303], d1 in [0, "
                     "4194303], d2 in [0, 4194303]"},
                    {side, side, side}),
            "a union of many maps");
}

TEST(ImageTest, DoesNotCountASumThatLeaves64Bits) {
  EXPECT_EQ(counted({"(d0, d1) -> ((d0 * d0 + d1 * d1) mod 3), domain: d0 in [3000000000, "
                     "3000000003], d1 in [3000000000, 3000000003]"},
                    {3}),
            "a value leaves 64 bits");
}

// For variables that no result depends on, one point is enough.
TEST(ImageTest, AConstraintOnOtherVariablesHoldsSomewhere) {
  EXPECT_EQ(counted({"(d0, d1, d2) -> (d0), domain: d0 in [0, 9], d1 in [0, 3], d2 in [0, 1], "
                     "(d1 * 4611686018427387904 + d2) floordiv 4611686018427387905 in [1, 1]"},
                    {10}),
            "10");
}

TEST(ImageTest, DoesNotCountAProductThatLeaves64Bits) {
  EXPECT_EQ(counted({"(d0, d1) -> ((d0 * d1) mod 3), domain: d0 in [4294967296, 4294967299], "
                     "d1 in [4294967296, 4294967299]"},
                    {3}),
            "a value leaves 64 bits");
}

// A block with the largest allowed number of positions, 2^63 - 1, beside a block with a third
// result; then one more row of positions.
TEST(ImageTest, CountsABlockOfUpTo63BitsOfPositions) {
  const std::vector<std::string> maps = {
      "(d0) -> (d0, d0), domain: d0 in [0, 1]",
      "(d0, d1) -> (d0, d1), domain: d0 in [0, 1], d1 in [0, 1]"};
  EXPECT_EQ(counted(maps, {7, 1317624576693539401}), "4");
  EXPECT_EQ(counted(maps, {8, 1317624576693539401}), "a block of more than 2^63 - 1 elements");
}

TEST(ImageTest, CountsUpTo63BitsOfElements) {
  EXPECT_EQ(counted({"(d0, d1) -> (d0, d1), domain: d0 in [0, 6], d1 in [0, 1317624576693539400]"},
                    {7, 1317624576693539401}),
            "9223372036854775807");
}

TEST(ImageTest, CountsABlockUpToTheLimitOnPoints) {
  const int64_t side = 1024;
  ASSERT_EQ(side * side, impl::kMaxPoints);
  const auto all = [](int64_t count) { return *impl::NumberSet::interval({0, count - 1}); };
  const impl::Image pairs{{{{0, 1}, all(side * side)}, {{2}, all(1)}}, false};
  const impl::Image triples{{{{0, 1, 2}, all(5)}}, false};
  EXPECT_EQ(impl::union_size({pairs, triples}, {side, side, 1}).value_or(-1), side * side);
  const impl::Image last{{{{0, 1, 2}, *impl::NumberSet::of({side * side - 1})}}, false};
  EXPECT_EQ(impl::union_size({pairs, last}, {side, side, 1}).value_or(-1), side * side);
  // The numbers of another block may be larger.
  const impl::Image two{{{{0}, all(2)}, {{1, 2}, all(2 * side * side)}}, false};
  const impl::Image three{{{{0}, all(3)}, {{1, 2}, all(5)}}, false};
  EXPECT_EQ(impl::union_size({two, three}, {3, 2 * side, side}).value_or(-1), 4 * side * side + 5);
}

TEST(ImageTest, ReshapesOfAnySizeAreOneNumber) {
  EXPECT_EQ(counted({"(d0) -> (d0 floordiv 1000003, d0 mod 1000003), domain: d0 in [0, 9999999]"},
                    {10, 1000003}),
            "10000000");
}

// Squares of the last of three digits are enumerated. If the second digit had more values than fit
// its position, these would be too many.
TEST(ImageTest, EachDigitIsAsWideAsItsPosition) {
  EXPECT_EQ(counted({"(d0) -> (d0 mod 32, (d0 floordiv 32) mod 1024, (d0 floordiv 32768) * "
                     "(d0 floordiv 32768)), domain: d0 in [0, 134217727]"},
                    {32, 1024, 16769026}),
            "134217728");
}

// d0 has 65537 runs. The constraint uses one of its digits, and the result does not.
TEST(ImageTest, CutsAResultWithoutAClosedForm) {
  EXPECT_EQ(counted({"(d0) -> (d0 floordiv 8), domain: d0 in [0, 2097151], (d0 + 16) mod 32 in [3, "
                     "29]"},
                    {262144}),
            "262144");
}

// As one sum, the first result has a factor of 2^63, so it stays as written, with a divisor that is
// a product. It is simplified once the other divisor has cut the variable.
TEST(ImageTest, ADivisorThatIsWrittenAsAProductCutsNothing) {
  EXPECT_EQ(counted({"(d0) -> (((d0 mod (2 * 4)) * 1152921504606846976 + d0 mod 8) floordiv "
                     "1152921504606846977, d0 floordiv 8), domain: d0 in [0, 1073741823]"},
                    {8, 134217728}),
            "1073741824");
}

TEST(ImageTest, ConstraintsOnASumKeepItsValues) {
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

// The first map has a block for each result, in the order of its variables. The second connects
// them. The first two of these blocks alone would have a million runs.
TEST(ImageTest, CombinesBlocksWithSmallStridesFirst) {
  EXPECT_EQ(counted({"(d0, d1, d2) -> (d0, d2, d1), domain: d0 in [0, 999999], d1 in [0, 999], "
                     "d2 in [0, 999]",
                     "(d0) -> (d0, d0, d0), domain: d0 in [0, 1]"},
                    {1000000, 1000, 1000}),
            "1000000000000");
}

// One step for each set of numbers of a block: two for two blocks of one set each, and two more if
// another set has other columns.
TEST(ImageTest, AUnionMayTakeUpToTheLimitOfSteps) {
  const auto columns = [](int64_t low, int64_t high) {
    const auto map = parse_map(
        absl::StrCat("(d0, d1) -> (d0, d1), domain: d0 in [", low, ", 4], d1 in [0, ", high, "]"));
    return *impl::image_of(*map, {10, 10});
  };
  const auto steps = [](const std::vector<impl::Image>& images) {
    int64_t most = 0;
    while (!impl::union_size(images, {10, 10}, most).ok()) ++most;
    return most;
  };
  EXPECT_EQ(steps({columns(0, 4)}), 2);
  EXPECT_EQ(impl::union_size({columns(0, 4)}, {10, 10}, 1).status(),
            absl::ResourceExhaustedError("a union of many maps"));
  EXPECT_EQ(steps({columns(0, 4), columns(0, 9)}), 3);
  EXPECT_EQ(steps({columns(0, 4), columns(2, 9)}), 5);
}

// A variable is cut, and one of its digits is connected to a variable with many values.
TEST(ImageTest, DoesNotCountIfADigitCannotBeCounted) {
  const std::string tied = "variables that are tied together have many values";
  const std::string domain = ", domain: d0 in [0, 63], d1 in [0, ";
  for (const char* results : {"d0 floordiv 4, d0 mod 4 + (d1 * d1) mod 7",
                              "(d0 floordiv 4) * 3 + d0 mod 4 + (d1 * d1) mod 7"}) {
    const std::string map = absl::StrCat("(d0, d1) -> (", results, ")", domain);
    EXPECT_EQ(counted({absl::StrCat(map, "9999999]")}, {64, 16}), tied) << results;
    EXPECT_NE(counted({absl::StrCat(map, "9]")}, {64, 16}), tied) << results;
  }
}

// Squares form no runs: about as many runs as allowed, and more; in one set, and in a union.
TEST(ImageTest, DoesNotCountElementsInTooManyRuns) {
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

// "0 mod 8, 0 floordiv 8": the digits of the results, then how many values they take.
std::string in_digits(const std::string& text, const std::vector<int64_t>& sizes) {
  const impl::MapInDigits map = impl::in_digits_of_results(*parse_map(text), sizes);
  std::string digits;
  std::vector<int64_t> digit_sizes;
  for (const impl::ResultDigit& digit : map.digits) {
    absl::StrAppend(&digits, digits.empty() ? "" : ", ", digit.result);
    if (digit.modulus != 0) absl::StrAppend(&digits, " mod ", digit.modulus);
    if (digit.divisor != 1) absl::StrAppend(&digits, " floordiv ", digit.divisor);
    digit_sizes.push_back(digit.size);
  }
  const auto image = impl::image_of(map.map, digit_sizes);
  if (!image.ok()) return absl::StrCat(digits, ": ", image.status().message());
  return absl::StrCat(digits, ": ", *impl::union_size({&*image, 1}, digit_sizes));
}

TEST(ImageTest, CountsTheDigitsOfStridesThatAreFarApart) {
  const std::string rows = "(d0, d1) -> (d0 * 102400 + d1 * 3), domain: d0 in [0, 9999], d1 in ";
  EXPECT_EQ(counted({rows + "[0, 99]"}, {1023897898}), "the elements lie in too many pieces");
  EXPECT_EQ(in_digits(rows + "[0, 99]", {1023897898}), "0 floordiv 102400, 0 mod 102400: 1000000");
  EXPECT_EQ(in_digits("(d0, d1, d2) -> (d2 * 1000000 + d0 * 1000 - d1 * 7 + 63), domain: "
                      "d0 in [0, 99], d1 in [0, 9], d2 in [0, 999]",
                      {999099064}),
            "0 floordiv 1000000, 0 mod 1000000 floordiv 1000, 0 mod 1000: 1000000");
}

TEST(ImageTest, RowsThatOverlapHaveNoDigits) {
  const std::string domain = ", domain: d0 in [0, 9], d1 in [0, 10]";
  EXPECT_EQ(in_digits("(d0, d1) -> (d0 * 10 + d1)" + domain, {101}), "0: 101");
  EXPECT_EQ(in_digits("(d0, d1) -> (d0 * 11 + d1)" + domain, {110}),
            "0 floordiv 11, 0 mod 11: 110");
}

// The second map connects results that are separate in the first, or connects other pairs. Then the
// elements of the first are written with the numbers of the second.
TEST(ImageTest, CountsImagesInLargerBlocksIfTheyFit) {
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

// Numbers with small strides come first, because they close the gaps of the others.
TEST(ImageTest, ABoxIsOneRunInTheBlockOfAnother) {
  EXPECT_EQ(counted({"(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 1048575], d1 in [0, 7], "
                     "d2 in [0, 7]",
                     "(d0) -> (d0, d0, d0), domain: d0 in [0, 1]"},
                    {1048576, 8, 8}),
            "67108864");
}

// The number of indices along one result does not matter.
TEST(ImageTest, IndependentResultsNeedNoRunsInLargerBlocks) {
  EXPECT_EQ(counted({"(d0, d1) -> (d0, d1), domain: d0 in [0, 2097151], d1 in [0, 1]",
                     "(d0) -> (d0, d0), domain: d0 in [0, 1]"},
                    {2097152, 2}),
            "4194304");
}

// Boxes whose parts overlap in more ways than the limit.
TEST(ImageTest, DoesNotCountBoxesWithManyOverlaps) {
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

TEST(ImageTest, RejectsAMapWithRuntimeVariables) {
  const IndexingMap map =
      *parse_map("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 3], rt0 in [0, 3]");
  EXPECT_EQ(impl::image_of(map, {7}).status(),
            absl::InvalidArgumentError("expected a map without runtime variables"));
}

TEST(ImageTest, EnumeratesFewPointsWithoutAClosedForm) {
  EXPECT_EQ(counted({"(d0) -> (d0 mod 7, d0 mod 5), domain: d0 in [0, 99]"}, {7, 5}), "35");
  EXPECT_EQ(counted({"(d0) -> (d0 mod 7, d0 mod 5), domain: d0 in [0, 9999999]"}, {7, 5}),
            "variables that are tied together have many values");
}

// As an integer, the constant is outside the interval; modulo 2^64 it might be inside.
TEST(ImageTest, AConstraintOfConstantsBeyond64BitsIsNotIgnored) {
  EXPECT_EQ(
      counted({"(d0) -> (d0), domain: d0 in [0, 8], (((-(4611686018427387904 + 4)) floordiv 10) "
               "floordiv 7) * -9223372036854775807 in [-16, 94]"},
              {9}),
      "a value leaves 64 bits");
}

// A power this high has no normal form, so a variable with one value stays in it.
TEST(ImageTest, AVariableOfOneValueIsAPoint) {
  const std::string power = absl::StrJoin(std::vector<std::string>(17, "d1"), " * ");
  EXPECT_EQ(
      counted({absl::StrCat("(d0, d1) -> (d0 * ", power, "), domain: d0 in [3, 3], d1 in [0, 1]")},
              {4}),
      "2");
}

// A point of an expression of 32 nodes counts as two.
TEST(ImageTest, LongExpressionsHaveALowerLimitOnPoints) {
  const auto image_of_power = [](int power) {
    const std::string product = absl::StrJoin(std::vector<std::string>(power, "d0"), " * ");
    const std::string map = absl::StrCat("(d0) -> (", product, "), domain: d0 in [0, 1]");
    return impl::image_of(*parse_map(map), {2}, 2).status();
  };
  EXPECT_TRUE(image_of_power(31).ok()) << image_of_power(31);
  EXPECT_EQ(std::string(image_of_power(32).message()),
            "variables that are tied together have many values");
}

TEST(ImageTest, QuotientsAloneCutAVariable) {
  EXPECT_EQ(counted({"(d0) -> (d0 floordiv 32, d0 floordiv 2), domain: d0 in [0, 4194303]"},
                    {131072, 2097152}),
            "2097152");
}

// A pair becomes a row-major number if that has at most 63 bits. Its digits need no number.
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

TEST(ImageTest, DoesNotCountAUnionOfTooManyMaps) {
  std::vector<std::string> rows;
  for (int i = 0; i < 65; ++i) {
    rows.push_back(absl::StrCat("(d0) -> (", i, ", d0), domain: d0 in [0, 99]"));
    EXPECT_EQ(counted(rows, {65, 100}),
              i < 64 ? absl::StrCat(100 * (i + 1)) : "a union of many maps");
  }
}

}  // namespace
}  // namespace tileproof::verify
