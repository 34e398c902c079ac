// SPDX-License-Identifier: Apache-2.0
// Images of maps: limits, and random maps compared with all their points. corpus/golden/counts.txt has
// examples.

#include "impl/access/image.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "corpus/answers_testing.h"
#include "generate/choose/choose.h"
#include "impl/access/image_bits.h"
#include "impl/map/compose.h"
#include "impl/map/linear_bits.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/map_evaluation.h"

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

// "0 mod 8, 0 floordiv 8": the digits of the results, then how many values they take.
std::string in_digits(absl::string_view text) {
  const auto [sizes, of] = parts_of<2>(text, "\n");
  const impl::MapInDigits map = impl::in_digits_of_results(*parse_map(of), numbers_of(sizes));
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

TEST(ImageTest, Answers) {
  const auto count = [](absl::string_view text) {
    const auto [sizes, maps] = parts_of<2>(text, "\n");
    return counted(absl::StrSplit(maps, '\n'), numbers_of(sizes));
  };
  expect_answers("answers/images.txt", {{"count", count}, {"digits", in_digits}});
}

TEST(ImageTest, ResultsWithoutACommonVariableAreSeparateBlocks) {
  const auto image = impl::image_of(
      *parse_map("(d0, d1) -> (d0 * d0, d1 * d1), domain: d0 in [0, 9], d1 in [0, 9]"), {82, 82});
  ASSERT_TRUE(image.ok()) << image.status();
  EXPECT_EQ(image->blocks.size(), 2u);
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

TEST(ImageTest, DoesNotUniteElementsInTooManyRuns) {
  const int64_t size = int64_t{1} << 40;
  const std::vector<IndexingMap> maps = {
      *parse_map("(d0) -> (d0 * d0), domain: d0 in [0, 199999]"),
      *parse_map("(d0) -> (d0 * d0 + 549755813888), domain: d0 in [0, 199999]")};
  EXPECT_EQ(impl::union_along(maps, 0, size).status(),
            absl::ResourceExhaustedError("the elements lie in too many pieces"));
  EXPECT_EQ(impl::union_along({maps[0]}, 0, size)->size(), 200000);
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

TEST(ImageTest, DoesNotCountAUnionOfTooManyMaps) {
  std::vector<std::string> rows;
  for (int i = 0; i < 65; ++i) {
    rows.push_back(absl::StrCat("(d0) -> (", i, ", d0), domain: d0 in [0, 99]"));
    EXPECT_EQ(counted(rows, {65, 100}),
              i < 64 ? absl::StrCat(100 * (i + 1)) : "a union of many maps");
  }
  EXPECT_EQ(counted(std::vector<std::string>(65, rows[0]), {65, 100}), "100");  // of one map
}

}  // namespace
}  // namespace tileproof::verify

// Images and inverses of random maps that are linear over bits, against all of their points.

namespace tileproof::impl {
namespace {

using Results = std::vector<int64_t>;

constexpr int64_t kSize = 4'096;  // of each result, at most

// A swizzle of rows, in one result or two.
std::string random_map(Choose& choose) {
  const auto power = [&choose](int most) { return int64_t{1} << choose(most + 1); };
  const std::string i = absl::StrCat("(i floordiv ", power(2), ") mod ", power(3));
  const std::string bits = absl::StrCat("(", i, ") * ", power(3));
  const std::string j = choose.pick<std::string>(
      {absl::StrCat("(j xor ", bits, ")"), absl::StrCat("(j xor ", choose(16), ")"), "(15 - j)",
       absl::StrCat("((j * ", power(2), ") xor ", bits, ")"),
       absl::StrCat("(j mod ", power(3), " + (j floordiv ", power(3), ") * ", power(4), ")")});
  const std::string results = choose.pick<std::string>(
      {absl::StrCat("i * ", int64_t{64} << choose(2), " + ", j), absl::StrCat("i, ", j),
       absl::StrCat(j, " floordiv ", power(3), ", ", j, " mod ", power(3), ", i"),
       absl::StrCat(j, ", i xor j")});
  return absl::StrCat("(i, j) -> (", results, "), domain: i in [0, ", choose(12), "], j in [0, ",
                      choose.chance(1, 2) ? 15 : choose(16), "]");
}

TEST(ImageBitsTest, ImagesAndInversesAgreeWithAllPoints) {
  int64_t images = 0, inverses = 0, meeting = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    Choose choose(Choose::Random{seed});
    const std::string text = random_map(choose);
    const absl::StatusOr<IndexingMap> map = parse_map(text);
    ASSERT_TRUE(map.ok()) << text << map.status();
    std::map<Results, Results> points;  // by results
    int64_t count = 0;
    ASSERT_TRUE(
        spec::for_each_point(*map, 1000, [&](const spec::Point& at, const Results& results) {
          points[results] = at.dims;
          ++count;
          return true;
        }).ok());
    const Results sizes(map->results.size(), kSize);
    if (const std::optional<Image> image = image_of_bits(*map, sizes)) {
      ++images;
      EXPECT_EQ(union_size({&*image, 1}, sizes).value_or(-1), std::ssize(points)) << text;
      for (const auto& [results, at] : points) {
        for (const Image::Block& block : image->blocks) {
          int64_t number = 0;
          for (const int32_t r : block.results) number = number * kSize + results[r];
          EXPECT_TRUE(block.numbers.contains(number)) << text;
        }
      }
    }
    const std::optional<IndexingMap> inverse = invert_bits(*map);
    meeting += std::ssize(points) < count ? 1 : 0;
    if (!inverse) continue;
    ++inverses;
    ASSERT_EQ(std::ssize(points), count) << text;
    const auto box = spec::box_size(*inverse);
    ASSERT_TRUE(box && *box <= 1 << 20) << text;
    int64_t found = 0;
    ASSERT_TRUE(
        spec::for_each_point(*inverse, 1 << 20, [&](const spec::Point& at, const Results& results) {
          ++found;
          const auto point = points.find(at.dims);
          EXPECT_TRUE(point != points.end() && point->second == results) << text << "\n"
                                                                         << to_text(*inverse);
          return true;
        }).ok());
    EXPECT_EQ(found, count) << text << "\n" << to_text(*inverse);
  }
  EXPECT_GT(images, 2000) << inverses << " inverses, " << meeting << " not one-to-one";
  EXPECT_GT(inverses, 1000) << meeting << " not one-to-one";
}

TEST(ImageBitsTest, LargeSwizzlesAreCounted) {
  const auto count = [](const char* text, int64_t size) {
    const auto image = image_of(*parse_map(text), {size});
    return image.ok() ? union_size({&*image, 1}, {size}).value_or(-1) : -1;
  };
  EXPECT_EQ(count("(i, j) -> (i * 4096 + (j xor (i mod 8) * 8)), domain: i in [0, 4095], "
                  "j in [0, 4095]",
                  1 << 24),
            1 << 24);
  EXPECT_EQ(count("(x) -> (x xor (x floordiv 8)), domain: x in [0, 99999999]", 1 << 27),
            100'000'000);
  EXPECT_EQ(
      count("(i, j) -> (i * 64 + (j xor (i mod 8) * 8)), domain: i in [0, 9998], j in [0, 59]",
            640'000),
      9'999 * 60);
}

TEST(ImageBitsTest, AnInverseIsWrittenInDigits) {
  const auto inverse = invert(*parse_map(
      "(i, j) -> (i * 4096 + (j xor (i mod 8) * 8)), domain: i in [0, 4095], j in [0, 4095]"));
  ASSERT_TRUE(inverse.ok());
  EXPECT_EQ(
      to_text(*inverse),
      "(d0) -> (d0 floordiv 4096, d0 mod 8 + ((d0 floordiv 8 + d0 floordiv 4096) mod 2) * 8 + "
      "((d0 floordiv 16 + d0 floordiv 8192) mod 2) * 16 + ((d0 floordiv 32 + d0 floordiv 16384) "
      "mod 2) * 32 + ((d0 floordiv 64) mod 64) * 64), domain: d0 in [0, 16777215]");
}

}  // namespace
}  // namespace tileproof::impl
