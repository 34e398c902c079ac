// SPDX-License-Identifier: Apache-2.0
// Images and inverses of random maps that are linear over bits, against all of their points.
#include "impl/access/image_bits.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "generate/choose/choose.h"
#include "impl/map/invert.h"
#include "impl/map/linear_bits.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/map_evaluation.h"

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
