// SPDX-License-Identifier: Apache-2.0
// Elements that are read at unknown offsets and indices, or at constants of a caller.
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "impl/access/utilization_count.h"
#include "impl/access/utilization_testing.h"
#include "impl/hlo/indexing.h"
#include "impl/hlo/offsets/runtime_terms.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::verify {
namespace {

TEST(UtilizationTest, CountsThatDependOnOffsetsAreARange) {
  EXPECT_EQ(read_by("d = f32[3] dynamic-slice(f32[9] p, s32[] o), dynamic_slice_sizes={3}"),
            "3 of 9");
  EXPECT_EQ(read_by("d = f32[9] dynamic-update-slice(f32[9] p, f32[3] u, s32[] o)"), "6 of 9");
  const std::string cache =
      "d = f32[8,8192,16] dynamic-update-slice(f32[8,8192,16] c, f32[8,1,16] u, s32[] z, s32[] "
      "p, "
      "s32[] y)";
  EXPECT_EQ(read_by(cache), "1048448 of 1048576");
  EXPECT_EQ(read_by(cache, 1), "128 of 128");
  EXPECT_EQ(read_by("g = f32[2,8] gather(f32[9,8] t, s32[2] r), offset_dims={1}, "
                    "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
                    "slice_sizes={1,8}"),
            "8 to 16 of 72");
  EXPECT_EQ(read_by("g = f32[40,8] gather(f32[9,8] t, s32[40] r), offset_dims={1}, "
                    "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
                    "slice_sizes={1,8}"),
            "8 to 72 of 72");
}

// An offset has a value that its element type holds.
TEST(UtilizationTest, AnElementTypeBoundsItsValues) {
  const auto gather = [](const std::string& type) {
    return read_by(absl::StrCat("r = f32[300] gather(f32[300] p, ", type,
                                "[300,1] i), offset_dims={}, collapsed_slice_dims={0}, "
                                "start_index_map={0}, index_vector_dim=1, slice_sizes={1}"));
  };
  EXPECT_EQ(gather("u8"), "1 to 256 of 300");
  EXPECT_EQ(gather("s8"), "1 to 128 of 300");
  EXPECT_EQ(gather("u4"), "1 to 16 of 300");
  EXPECT_EQ(gather("u16"), "1 to 300 of 300");
  EXPECT_EQ(gather("s32"), "1 to 300 of 300");
  const std::string slice = "r = f32[2] dynamic-slice(f32[9] p, ";
  EXPECT_EQ(read_by(slice + "u2[] i), dynamic_slice_sizes={2}"), "2 of 9");
  // An index below 0 skips its update, and an unsigned one is never below 0.
  const auto scatter = [](const std::string& type) {
    return read_by(absl::StrCat("s { a = f32[] parameter(0) b = f32[] parameter(1)\n"
                                "ROOT c = f32[] add(a, b) }\nENTRY e {\n p = f32[9] parameter(0)\n"
                                " i = ",
                                type,
                                "[1,1] parameter(1)\n u = f32[1] parameter(2)\n"
                                " ROOT r = f32[9] scatter(p, i, u), update_window_dims={}, "
                                "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
                                "index_vector_dim=1, to_apply=s\n}"),
                   2);
  };
  EXPECT_EQ(scatter("u2"), "1 of 1");
  EXPECT_EQ(scatter("u4"), "0 to 1 of 1");
  EXPECT_EQ(scatter("s2"), "0 to 1 of 1");
}

TEST(UtilizationTest, ReadsEquallyManyElementsAtEachOfAMillionOffsets) {
  EXPECT_EQ(read_by("d = f32[3] dynamic-slice(f32[1000000] p, s32[] o), dynamic_slice_sizes={3}"),
            "3 of 1000000");
}

TEST(UtilizationTest, UpdatesOfAScatterAreReadOrSkipped) {
  EXPECT_EQ(read_by("m {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] "
                    "add(a, b)\n}\nENTRY e {\n p = f32[9] parameter(0)\n i = s32[2] parameter(1)\n"
                    " u = f32[2,2] parameter(2)\n ROOT s = f32[9] scatter(p, i, u), "
                    "update_window_dims={1}, inserted_window_dims={}, "
                    "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=m\n}\n",
                    2),
            "0 to 4 of 4");
}

std::string windows_of_a_square(int64_t count) {
  return absl::StrCat("g = f32[", count, ",2,2] gather(f32[5,5] t, s32[", count,
                      ",2] r), offset_dims={1,2}, collapsed_slice_dims={}, "
                      "start_index_map={0,1}, index_vector_dim=1, slice_sizes={2,2}");
}

TEST(UtilizationTest, WindowsLieSideBySideOrCoverAll) {
  const auto windows = [](int64_t count) {
    return absl::StrCat("g = f32[", count, ",2] gather(f32[9] t, s32[", count,
                        "] r), offset_dims={1}, collapsed_slice_dims={}, start_index_map={0}, "
                        "index_vector_dim=1, slice_sizes={2}");
  };
  EXPECT_EQ(read_by(windows(2)), "2 to 4 of 9");
  EXPECT_EQ(read_by(windows(4)), "2 to 8 of 9");
  EXPECT_EQ(read_by(windows(5)), "2 to 9 of 9");
  EXPECT_EQ(read_by(windows_of_a_square(4)), "4 to 16 of 25");
  EXPECT_EQ(read_by(windows_of_a_square(9)), "4 to 25 of 25");
}

TEST(UtilizationTest, NamesTheReasonForNoCount) {
  EXPECT_EQ(read_by("c = f32[4] custom-call(f32[4] p), custom_call_target=\"x\""),
            "not counted: superset: custom-call \"x\": opaque");
  EXPECT_EQ(read_by(windows_of_a_square(6)), "not counted: windows at indices may overlap");
}

// Only sums of multiples of runtime variables have terms.
TEST(UtilizationTest, TermsOfOffsetsAreThoseOfTheSum) {
  const auto terms = [](const std::string& expr) {
    const IndexingMap map = *parse_map("(d0){rt0, rt1} -> (" + expr +
                                       "), domain: d0 in [0, 3], rt0 in [0, 9], rt1 in [0, 9]");
    const auto found = impl::runtime_terms(map, map.results[0]);
    if (!found) return std::string("nothing");
    std::string text;
    for (const auto& [variable, factor] : *found) {
      absl::StrAppend(&text, text.empty() ? "" : " + ", "rt", variable, " * ", factor);
    }
    return text;
  };
  EXPECT_EQ(terms("d0 * 4 + rt0 * 2 + 1"), "rt0 * 2");
  EXPECT_EQ(terms("d0 floordiv 4"), "");
  EXPECT_EQ(terms("3 * rt1 + rt0 + (rt0 + rt1) * 2"), "rt0 * 3 + rt1 * 5");
  EXPECT_EQ(terms("rt0 * 2 + rt1 + rt0 * -2"), "rt1 * 1");
  for (const char* expr :
       {"(d0 + rt0) floordiv 2", "rt0 floordiv 2 + rt1", "rt1 + rt0 floordiv 2", "(rt0 mod 2) * 3",
        "3 * (rt0 mod 2)", "rt0 * d0", "rt0 * rt1",
        "rt0 * 9223372036854775807 + rt0 * 9223372036854775807", "rt0 * 9223372036854775807 * 2"}) {
    EXPECT_EQ(terms(expr), "nothing") << expr;
  }
}

// Inside a fusion, an offset is resolved to the element of the operand that it is.
TEST(UtilizationTest, AnOffsetUsedTwiceIsOneOffset) {
  EXPECT_EQ(read_by("f {\n t = f32[9] parameter(0)\n o = s32[1] parameter(1)\n"
                    " i = s32[] reshape(o)\n c = s32[1] copy(o)\n j = s32[] reshape(c)\n"
                    " a = f32[3] dynamic-slice(t, i), dynamic_slice_sizes={3}\n"
                    " b = f32[3] dynamic-slice(t, j), dynamic_slice_sizes={3}\n"
                    " ROOT r = f32[3] add(a, b)\n}\n"
                    "ENTRY e {\n t = f32[9] parameter(0)\n o = s32[1] parameter(1)\n"
                    " ROOT r = f32[3] fusion(t, o), kind=kLoop, calls=f\n}\n"),
            "3 of 9");
}

// A constraint connects rows and columns: not every row that is read is read completely.
TEST(UtilizationTest, DoesNotCountWindowsOfDifferentShapes) {
  EXPECT_EQ(read_by("f {\n t = f32[3,4] parameter(0)\n i = s32[3] parameter(1)\n"
                    " g = f32[3,4] gather(t, i), offset_dims={1}, collapsed_slice_dims={0}, "
                    "start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}\n"
                    " l = f32[12] reshape(g)\n c = f32[10] slice(l), slice={[0:10]}\n"
                    " z = f32[] constant(0)\n p = f32[12] pad(c, z), padding=0_2\n"
                    " ROOT r = f32[3,4] reshape(p)\n}\n"
                    "ENTRY e {\n t = f32[3,4] parameter(0)\n i = s32[3] parameter(1)\n"
                    " ROOT r = f32[3,4] fusion(t, i), kind=kLoop, calls=f\n}\n"),
            "not counted: several indices may move what is read to one place");
}

// Rows by some indices, then columns by the same indices. The row and the column of an element are
// two positions of one list.
TEST(UtilizationTest, DoesNotCountAListThatMovesTwoResults) {
  EXPECT_EQ(read_by("f {\n t = f32[3,3] parameter(0)\n i = s32[2] parameter(1)\n"
                    " g = f32[2,3] gather(t, i), offset_dims={1}, collapsed_slice_dims={0}, "
                    "start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}\n"
                    " ROOT r = f32[2,2] gather(g, i), offset_dims={0}, collapsed_slice_dims={1}, "
                    "start_index_map={1}, index_vector_dim=1, slice_sizes={2,1}\n}\n"
                    "ENTRY e {\n t = f32[3,3] parameter(0)\n i = s32[2] parameter(1)\n"
                    " ROOT r = f32[2,2] fusion(t, i), kind=kLoop, calls=f\n}\n"),
            "not counted: several indices may move what is read to one place");
}

// A run of partial rows that may begin anywhere: another set for each offset.
TEST(UtilizationTest, CountsRunsOfPartialRowsForEachOffset) {
  const auto run = [](int64_t rows, int64_t columns, int64_t length) {
    const std::string whole = absl::StrCat("f32[", rows, ",", columns + 1, "]");
    const std::string result = absl::StrCat("f32[", length, "]");
    return read_by(absl::StrCat(
        "f {\n p = ", whole, " parameter(0)\n i = s32[] parameter(1)\n s = f32[", rows, ",",
        columns, "] slice(p), slice={[0:", rows, "], [0:", columns, "]}\n l = f32[", rows * columns,
        "] reshape(s)\n ROOT d = ", result, " dynamic-slice(l, i), dynamic_slice_sizes={", length,
        "}\n}\nENTRY e {\n p = ", whole, " parameter(0)\n i = s32[] parameter(1)\n ROOT r = ",
        result, " fusion(p, i), kind=kLoop, calls=f\n}\n"));
  };
  EXPECT_EQ(run(20, 20, 75), "75 of 420");
  EXPECT_EQ(run(1000, 1000, 2000), "not counted: offsets have many values");
}

// Offsets of two values each: 2^12 combinations.
TEST(UtilizationTest, CountsEveryCombinationOfOffsets) {
  std::string inputs = " t = f32[2,2,2,2,2,2] parameter(0)\n", a, b, operands = "t";
  for (int i = 0; i < 12; ++i) {
    absl::StrAppend(&inputs, " i", i, " = s32[] parameter(", i + 1, ")\n");
    absl::StrAppend(i < 6 ? &a : &b, ", i", i);
    absl::StrAppend(&operands, ", i", i);
  }
  EXPECT_EQ(
      read_by(absl::StrCat(
          "f {\n", inputs, " a = f32[1,1,1,1,1,1] dynamic-slice(t", a,
          "), dynamic_slice_sizes={1,1,1,1,1,1}\n b = f32[1,1,1,1,1,1] dynamic-slice(t", b,
          "), dynamic_slice_sizes={1,1,1,1,1,1}\n ROOT r = f32[1,1,1,1,1,1] add(a, b)\n}\n"
          "ENTRY e {\n",
          inputs, " ROOT r = f32[1,1,1,1,1,1] fusion(", operands, "), kind=kLoop, calls=f\n}\n")),
      "1 to 2 of 64");
}

// An array of `size` numbers, read by instructions of one fusion that has two offsets or an index
// vector.
std::string read_inside(int64_t size, const std::string& body, const std::string& result) {
  const std::string inputs =
      absl::StrCat(" t = f32[", size,
                   "] parameter(0)\n i = s32[] parameter(1)\n j = s32[] parameter(2)\n"
                   " v = s32[2] parameter(3)\n");
  return read_by(absl::StrCat("f {\n", inputs, body, "}\nENTRY e {\n", inputs, " ROOT r = ", result,
                              " fusion(t, i, j, v), kind=kLoop, calls=f\n}\n"));
}

TEST(UtilizationTest, WindowsAtTwoOffsetsMayOverlap) {
  const auto two = [](int64_t size) {
    return read_inside(size,
                       " a = f32[3] dynamic-slice(t, i), dynamic_slice_sizes={3}\n"
                       " b = f32[3] dynamic-slice(t, j), dynamic_slice_sizes={3}\n"
                       " ROOT r = f32[3] add(a, b)\n",
                       "f32[3]");
  };
  EXPECT_EQ(two(9), "3 to 6 of 9");
  EXPECT_EQ(two(4), "3 to 4 of 4");
  EXPECT_EQ(two(302), "not counted: offsets have many values");
  EXPECT_EQ(two(int64_t{1} << 40), "not counted: offsets have many values");
  EXPECT_EQ(read_inside(int64_t{1} << 60,
                        " x = s32[1] slice(v), slice={[0:1]}\n k = s32[] reshape(x)\n"
                        " a = f32[1] dynamic-slice(t, i), dynamic_slice_sizes={1}\n"
                        " b = f32[1] dynamic-slice(t, j), dynamic_slice_sizes={1}\n"
                        " c = f32[1] dynamic-slice(t, k), dynamic_slice_sizes={1}\n"
                        " d = f32[1] add(a, b)\n ROOT r = f32[1] add(c, d)\n",
                        "f32[1]"),
            "not counted: offsets have many values");
}

TEST(UtilizationTest, TwoElementsOfAnArrayAreTwoOffsets) {
  const auto two = [](const std::string& second) {
    return read_inside(9,
                       " x = s32[1] slice(v), slice={[0:1]}\n k = s32[] reshape(x)\n"
                       " w = s32[2] reverse(v), dimensions={0}\n y = s32[1] slice(" +
                           second +
                           "), slice={[1:2]}\n l = s32[] reshape(y)\n"
                           " a = f32[3] dynamic-slice(t, k), dynamic_slice_sizes={3}\n"
                           " b = f32[3] dynamic-slice(t, l), dynamic_slice_sizes={3}\n"
                           " ROOT r = f32[3] add(a, b)\n",
                       "f32[3]");
  };
  EXPECT_EQ(two("v"), "3 to 6 of 9");
  EXPECT_EQ(two("w"), "3 of 9");  // the same offset
}

// A window at one of two numbers, and a window at the other one of the reversed pair.
TEST(UtilizationTest, OneElementAtTwoPositionsIsOneOffset) {
  const auto window = [](const std::string& indices, const std::string& starts) {
    return absl::StrCat("f32[3] gather(c, ", indices,
                        "), offset_dims={0}, collapsed_slice_dims={1}, start_index_map={", starts,
                        "}, index_vector_dim=0, slice_sizes={3,1}\n");
  };
  EXPECT_EQ(read_inside(9,
                        absl::StrCat(" c = f32[9,1] reshape(t)\n"
                                     " w = s32[2] reverse(v), dimensions={0}\n a = ",
                                     window("v", "0,1"), " b = ", window("w", "1,0"),
                                     " ROOT r = f32[3] add(a, b)\n"),
                        "f32[3]"),
            "3 of 9");
}

// All but the first of less than 2^61 indices, as one number or with a position in each of nine
// dimensions. One position more in each dimension would give more than 2^63.
TEST(UtilizationTest, CountsAListOfManyDimensions) {
  const std::string list = "s8[281474976710656,3,3,3,3,3,3,3,3]";
  const std::string inputs =
      absl::StrCat(" t = s8[5] parameter(0)\n i = ", list, " parameter(1)\n");
  EXPECT_EQ(
      read_by(absl::StrCat(
          "f {\n", inputs,
          " r = s8[1846757322198614016] reshape(i)\n s = s8[1846757322198614015] slice(r), "
          "slice={[1:1846757322198614016]}\n ROOT g = s8[1846757322198614015] gather(t, s), "
          "offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, "
          "index_vector_dim=1, slice_sizes={1}\n}\nENTRY e {\n",
          inputs, " ROOT g = s8[1846757322198614015] fusion(t, i), kind=kLoop, calls=f\n}\n")),
      "1 to 5 of 5");
}

// Unprinted constants that the surrounding fusion passes to a fusion, and that are moved there.
TEST(UtilizationTest, DoesNotCountIndicesThatAreConstantsOfACaller) {
  for (const char* given : {"constant({...})", "reverse(k), dimensions={0}"}) {
    EXPECT_EQ(read_by(absl::StrCat(
                  "m {\n t = f32[5] parameter(0)\n i = s32[2] parameter(1)\n"
                  " r = s32[2] reverse(i), dimensions={0}\n ROOT g = f32[2] gather(t, r), "
                  "offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, "
                  "index_vector_dim=1, slice_sizes={1}\n}\n"
                  "f {\n t = f32[5] parameter(0)\n k = s32[2] constant({...})\n c = s32[2] ",
                  given,
                  "\n ROOT x = f32[2] fusion(t, c), kind=kLoop, calls=m\n}\n"
                  "ENTRY e {\n t = f32[5] parameter(0)\n"
                  " ROOT x = f32[2] fusion(t), kind=kLoop, calls=f\n}\n")),
              "not counted: some indices are constants");
  }
}

// Two windows of two elements, each beginning at 1 or 2: four combinations of values with two maps
// each. The images of a combination have two runs.
TEST(UtilizationTest, CountsUpToTheLimitsOnValuesAndRuns) {
  const auto window = [](int32_t position) {
    return impl::IndexedMap{
        *parse_map("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 1], rt0 in [1, 2]"),
        {{{{}, position, 0}, {}, {1, 2}}}};
  };
  const auto counted = [&](impl::OffsetLimits limits) {
    const auto count = impl::count_with_offsets({window(0), window(1)}, {5}, limits);
    return count.ok() ? absl::StrCat(count->least, " to ", count->most)
                      : std::string(count.status().message());
  };
  EXPECT_EQ(counted({}), "2 to 3");
  EXPECT_EQ(counted({.values = 4 * 2, .pieces = 4 * (1 + 2)}), "2 to 3");
  EXPECT_EQ(counted({.values = 4 * 2 - 1}), "offsets have many values");
  EXPECT_EQ(counted({.pieces = 4 * (1 + 2) - 1}), "offsets have many values");
}

// Variables that are tied together.
impl::IndexedMap tied(int64_t rows, int64_t columns, int32_t position) {
  return impl::IndexedMap{
      *parse_map(absl::StrCat("(d0)[s0]{rt0} -> ((d0 * 3 + s0) floordiv 7 + rt0, (d0 + s0 * 5) "
                              "floordiv 11), domain: d0 in [0, ",
                              rows - 1, "], s0 in [0, ", columns - 1, "], rt0 in [1, 2]")),
      {{{{}, position, 0}, {}, {1, 2}}}};
}

// 2^20 points, and then one row more.
TEST(UtilizationTest, CountsTiedVariablesUpToTheLimitOnPoints) {
  const std::vector<int64_t> sizes = {1000, 1000};
  EXPECT_TRUE(impl::count_with_offsets({tied(1024, 1024, 0)}, sizes).ok());
  EXPECT_FALSE(impl::count_with_offsets({tied(1025, 1024, 0)}, sizes).ok());
}

// Two offsets have four combinations of values, which share the 2^20 points; and a point of a map
// with 32 nodes or more counts twice.
TEST(UtilizationTest, CombinationsOfOffsetsShareTheLimitOnPoints) {
  const std::vector<int64_t> sizes = {1000, 1000};
  EXPECT_TRUE(impl::count_with_offsets({tied(512, 256, 0), tied(2, 2, 1)}, sizes).ok());
  EXPECT_FALSE(impl::count_with_offsets({tied(512, 257, 0), tied(2, 2, 1)}, sizes).ok());
}

// Offsets and indices of another array, which may be very many, constants, or combined.
TEST(UtilizationTest, OffsetsOfOtherArraysDoNotMatter) {
  const auto two_windows_and = [](const std::string& other) {
    const std::string inputs =
        " t = f32[9] parameter(0)\n u = f32[1000000] parameter(1)\n i = s32[] parameter(2)\n"
        " j = s32[] parameter(3)\n v = s32[3] parameter(4)\n";
    return read_by(
        absl::StrCat("f {\n", inputs,
                     " a = f32[3] dynamic-slice(t, i), dynamic_slice_sizes={3}\n"
                     " b = f32[3] dynamic-slice(t, j), dynamic_slice_sizes={3}\n",
                     other, " d = f32[3] add(a, b)\n ROOT r = f32[3] add(c, d)\n}\nENTRY e {\n",
                     inputs, " ROOT r = f32[3] fusion(t, u, i, j, v), kind=kLoop, calls=f\n}"));
  };
  const std::string gathered =
      " g = f32[6] gather(u, w), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, "
      "index_vector_dim=1, slice_sizes={1}\n c = f32[3] slice(g), slice={[1:4]}\n";
  EXPECT_EQ(two_windows_and(" c = f32[3] broadcast(i), dimensions={}\n"), "3 to 6 of 9");
  EXPECT_EQ(two_windows_and(" s = s32[1] slice(v), slice={[1:2]}\n k = s32[] reshape(s)\n"
                            " c = f32[3] dynamic-slice(u, k), dynamic_slice_sizes={3}\n"),
            "3 to 6 of 9");
  EXPECT_EQ(two_windows_and(" w = s32[6] constant({...})\n" + gathered), "3 to 6 of 9");
  EXPECT_EQ(two_windows_and(" w = s32[6] concatenate(v, v), dimensions={0}\n" + gathered),
            "3 to 6 of 9");
}

// Counts for equal values decide only if they attain the minimum and the maximum.
TEST(UtilizationTest, CountsSeveralIndicesIfTheirBoundsAreAttained) {
  // No element if both are below 0, all if both are 0.
  EXPECT_EQ(
      read_by(
          "m {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b)\n}\n"
          "f {\n p = f32[9] parameter(0)\n i = s32[2] parameter(1)\n u = f32[2] parameter(2)\n"
          " o = s32[] parameter(3)\n z = f32[4] parameter(4)\n"
          " s = f32[9] scatter(p, i, u), update_window_dims={}, inserted_window_dims={0}, "
          "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=m\n"
          " d = f32[4] dynamic-update-slice(z, u, o)\n h = f32[2] slice(d), slice={[2:4]}\n"
          " ROOT r = (f32[9], f32[2]) tuple(s, h)\n}\n"
          "ENTRY e {\n p = f32[9] parameter(0)\n i = s32[2] parameter(1)\n"
          " u = f32[2] parameter(2)\n o = s32[] parameter(3)\n z = f32[4] parameter(4)\n"
          " ROOT r = (f32[9], f32[2]) fusion(p, i, u, o, z), kind=kLoop, calls=f\n}\n",
          2),
      "0 to 2 of 2");
  // With equal indices everywhere, i and j read two elements, or both read the same one.
  EXPECT_EQ(read_by("f {\n t = f32[2] parameter(0)\n i = s32[2] parameter(1)\n"
                    " j = s32[2] parameter(2)\n q = f32[2] reverse(t), dimensions={0}\n"
                    " a = f32[2] gather(t, i), offset_dims={}, collapsed_slice_dims={0}, "
                    "start_index_map={0}, index_vector_dim=1, slice_sizes={1}\n"
                    " b = f32[2] gather(q, j), offset_dims={}, collapsed_slice_dims={0}, "
                    "start_index_map={0}, index_vector_dim=1, slice_sizes={1}\n"
                    " ROOT r = f32[2] add(a, b)\n}\n"
                    "ENTRY e {\n t = f32[2] parameter(0)\n i = s32[2] parameter(1)\n"
                    " j = s32[2] parameter(2)\n"
                    " ROOT r = f32[2] fusion(t, i, j), kind=kLoop, calls=f\n}\n"),
            "not counted: several maps depend on the values of indices");
}

// The constant comes from a caller, or occurs beside others: it is the first reason to be named.
TEST(UtilizationTest, DoesNotCountIndicesThatArePartlyConstant) {
  for (const char* given : {"k = s32[2] constant({...})", "k = s32[2] iota(), iota_dimension=0"}) {
    const auto gathered = [&](const std::string& inside, const std::string& outside) {
      return read_by(absl::StrCat(
          "m {\n t = f32[5] parameter(0)\n i = s32[2] parameter(1)\n j = s32[2] parameter(2)\n ",
          inside,
          "\n c = s32[4] concatenate(i, j), dimensions={0}\n b = s32[4] copy(c)\n"
          " ROOT g = f32[4] gather(t, b), offset_dims={}, collapsed_slice_dims={0}, "
          "start_index_map={0}, index_vector_dim=1, slice_sizes={1}\n}\n"
          "f {\n t = f32[5] parameter(0)\n v = s32[2] parameter(1)\n ",
          outside, "\n ROOT x = f32[4] fusion(t, v, ", outside.empty() ? "v" : "k",
          "), kind=kLoop, calls=m\n}\n"
          "ENTRY e {\n t = f32[5] parameter(0)\n v = s32[2] parameter(1)\n"
          " ROOT x = f32[4] fusion(t, v), kind=kLoop, calls=f\n}\n"));
    };
    EXPECT_EQ(gathered("", given), "not counted: some indices are constants");
    EXPECT_EQ(gathered("", ""), "not counted: indices are combined from several arrays");
  }
}

TEST(UtilizationTest, AWholeReadIncludesAReadAtAnOffset) {
  EXPECT_EQ(read_inside(9,
                        " z = f32[] constant(0)\n"
                        " a = f32[3] dynamic-slice(t, i), dynamic_slice_sizes={3}\n"
                        " b = f32[9] pad(a, z), padding=0_6\n ROOT r = f32[9] add(t, b)\n",
                        "f32[9]"),
            "9 of 9");
}

// Sources distinguish the indices of one array: two of them may be the same.
TEST(UtilizationTest, ResolvesTheSourceOfMovedIndices) {
  const auto gathered = [](const std::string& indices, int64_t count) {
    return read_inside(5,
                       absl::StrCat(indices, " ROOT r = f32[", count,
                                    "] gather(t, c), offset_dims={}, collapsed_slice_dims={0}, "
                                    "start_index_map={0}, index_vector_dim=1, slice_sizes={1}\n"),
                       absl::StrCat("f32[", count, "]"));
  };
  EXPECT_EQ(gathered(" c = s32[2] copy(v)\n", 2), "1 to 2 of 5");
  EXPECT_EQ(gathered(" c = s32[2] reverse(v), dimensions={0}\n", 2), "1 to 2 of 5");
  EXPECT_EQ(gathered(" c = s32[4] broadcast(i), dimensions={}\n", 4), "1 of 5");
  EXPECT_EQ(gathered(" b = s32[3,2] broadcast(v), dimensions={1}\n c = s32[6] reshape(b)\n", 6),
            "1 to 2 of 5");
  EXPECT_EQ(gathered(" n = s32[2] negate(v)\n b = s32[2,2] broadcast(n), dimensions={0}\n"
                     " c = s32[4] reshape(b)\n",
                     4),
            "1 to 2 of 5");
  // One element of a concatenation.
  EXPECT_EQ(gathered(" w = s32[4] concatenate(v, v), dimensions={0}\n"
                     " s = s32[1] slice(w), slice={[2:3]}\n x = s32[] reshape(s)\n"
                     " c = s32[4] broadcast(x), dimensions={}\n",
                     4),
            "1 of 5");
  // Two arrays at the same indices.
  EXPECT_EQ(read_inside(5,
                        " c = s32[2] copy(v)\n"
                        " a = f32[2] gather(t, v), offset_dims={}, collapsed_slice_dims={0}, "
                        "start_index_map={0}, index_vector_dim=1, slice_sizes={1}\n"
                        " b = f32[2] gather(t, c), offset_dims={}, collapsed_slice_dims={0}, "
                        "start_index_map={0}, index_vector_dim=1, slice_sizes={1}\n"
                        " ROOT r = (f32[2], f32[2]) tuple(a, b)\n",
                        "(f32[2], f32[2])"),
            "1 to 2 of 5");
  const std::string mixed = "not counted: indices are combined from several arrays";
  EXPECT_EQ(gathered(" c = s32[4] concatenate(v, v), dimensions={0}\n", 4), mixed);
  // Rows at combined or constant indices, columns at others, and the other way around.
  const std::string constants = "not counted: some indices are constants";
  for (const auto& [rows, columns, why] : {std::tuple("c", "w", mixed),
                                           {"w", "c", mixed},
                                           {"k", "w", constants},
                                           {"w", "k", constants}}) {
    const std::string inputs =
        " t = f32[5,5] parameter(0)\n v = s32[2] parameter(1)\n w = s32[4] parameter(2)\n";
    EXPECT_EQ(
        read_by(absl::StrCat("f {\n", inputs,
                             " c = s32[4] concatenate(v, v), dimensions={0}\n k = s32[4] "
                             "constant({...})\n g = f32[4,5] "
                             "gather(t, ",
                             rows,
                             "), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
                             "index_vector_dim=1, slice_sizes={1,5}\n ROOT r = f32[4,4] gather(g, ",
                             columns,
                             "), offset_dims={0}, collapsed_slice_dims={1}, start_index_map={1}, "
                             "index_vector_dim=1, slice_sizes={4,1}\n}\nENTRY e {\n",
                             inputs, " ROOT r = f32[4,4] fusion(t, v, w), kind=kLoop, calls=f\n}")),
        why);
  }
}

// The row and the column of an element are one number, clamped in two ways, or come from two lists.
TEST(UtilizationTest, DoesNotCountIndexVectorsThatAreNoList) {
  const std::string no_list = "several indices may move what is read to one place";
  const std::string inputs = " t = f32[9,5] parameter(0)\n v = s32[4] parameter(1)\n";
  EXPECT_EQ(
      read_by(absl::StrCat("f {\n", inputs,
                           " c = s32[4,2] broadcast(v), dimensions={0}\n ROOT r = f32[4] gather(t, "
                           "c), offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={0,1}, "
                           "index_vector_dim=1, slice_sizes={1,1}\n}\nENTRY e {\n",
                           inputs, " ROOT r = f32[4] fusion(t, v), kind=kLoop, calls=f\n}")),
      "not counted: " + no_list);
  const auto element = [](int column) {
    return *parse_map(absl::StrCat("(d0) -> (d0, ", column, "), domain: d0 in [0, 3]"));
  };
  const impl::IndexedMap two{
      *parse_map("(d0){rt0, rt1} -> (rt0, rt1), domain: d0 in [0, 3], rt0 in [0, 8], rt1 in "
                 "[0, 4]"),
      {{{{}, 0, 0}, element(0), {0, 8}}, {{{}, 1, 0}, element(1), {0, 4}}}};
  EXPECT_EQ(impl::count_with_indices(two, {9, 5}).status(), absl::ResourceExhaustedError(no_list));
}

}  // namespace
}  // namespace tileproof::verify
