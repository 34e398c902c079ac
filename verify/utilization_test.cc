// Utilization against the reference: written examples, random programs, and every module of the
// corpus, where all that is small enough to interpret is compared.
#include "impl/utilization.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <tuple>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "fuzz/choose.h"
#include "fuzz/gen_hlo.h"
#include "impl/region.h"
#include "impl/runtime_terms.h"
#include "impl/utilization_count.h"
#include "spec/lang/hlo_text.h"
#include "spec/lang/map_text.h"
#include "spec/provenance_inverse.h"
#include "spec/utilization.h"
#include "verify/utilization_compare.h"

namespace tileproof::verify {
namespace {

std::string text_of(const impl::ElementsRead& read) {
  if (!read.uncounted.empty()) return absl::StrCat("not counted: ", read.uncounted);
  return read.least == read.most
             ? absl::StrCat(read.least, " of ", read.elements)
             : absl::StrCat(read.least, " to ", read.most, " of ", read.elements);
}

// Of the root of the entry, operand 0, or another.
std::string read_by(absl::string_view hlo, size_t operand = 0) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(hlo);
  if (!module.ok()) return std::string(module.status().message());
  const int32_t root = module->computations[module->entry].root;
  impl::IndexingAnalysis analysis(*module);
  const auto found = impl::utilization(analysis, *module, module->entry, root);
  if (!found.ok()) return std::string(found.status().message());
  const UtilizationComparison compared =
      compare_utilization(*module, module->entry, root, spec::Scope::kInstruction, 1);
  EXPECT_EQ(compared.difference, "") << hlo;
  return text_of((*found)[operand][0]);
}

TEST(UtilizationTest, StridesAndWindowsAreCounted) {
  EXPECT_EQ(read_by("s = f32[5,8] slice(f32[10,8] p), slice={[0:10:2], [0:8]}"), "40 of 80");
  EXPECT_EQ(read_by("r = f32[2,4,4] reshape(f32[4,8] p)"), "32 of 32");
  EXPECT_EQ(read_by("b = f32[3,4] broadcast(f32[3] p), dimensions={0}"), "3 of 3");
  EXPECT_EQ(read_by("p = f32[5] pad(f32[6] x, f32[] v), padding=-1_-5_1"), "2 of 6");
  EXPECT_EQ(read_by("p = f32[5] pad(f32[6] x, f32[] v), padding=-1_-5_1", 1), "1 of 1");
}

// Each batch has rows of its own, and indices of its own for them.
TEST(UtilizationTest, BatchedGathersAreCountedBatchByBatch) {
  const std::string rest =
      "offset_dims={2}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, "
      "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,";
  EXPECT_EQ(read_by("g = f32[2,2,2] gather(f32[2,2,2] t, s32[2,2,1] i), " + rest + "2}"),
            "4 to 8 of 8");
  EXPECT_EQ(read_by("g = f32[4,3,8] gather(f32[4,9,8] t, s32[4,3,1] i), " + rest + "8}"),
            "32 to 96 of 288");
  EXPECT_EQ(read_by("g = f32[4,9,3] gather(f32[4,9,8] t, s32[4,9,1] i), " + rest + "3}"),
            "12 to 108 of 288");
  // One index for each batch.
  EXPECT_EQ(read_by("g = f32[2,2] gather(f32[2,3,2] t, s32[2,1] i), offset_dims={1}, "
                    "collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, "
                    "start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={1,1,2}"),
            "4 of 12");
}

TEST(UtilizationTest, ArraysTooLargeToEnumerateAreCounted) {
  EXPECT_EQ(read_by("s = f32[500000000,7] slice(f32[1000000000,8] p), "
                    "slice={[0:1000000000:2], [1:8]}"),
            "3500000000 of 8000000000");
  EXPECT_EQ(read_by("r = f32[65536,65536] reshape(f32[4294967296] p)"), "4294967296 of 4294967296");
}

TEST(UtilizationTest, AUnionCountsEachElementOnce) {
  const std::string hlo = R"(
f {
  p = f32[100,10] parameter(0)
  a = f32[60,10] slice(p), slice={[0:60], [0:10]}
  b = f32[60,10] slice(p), slice={[20:80], [0:10]}
  ROOT c = f32[60,10] add(a, b)
}
ENTRY e {
  p = f32[100,10] parameter(0)
  ROOT x = f32[60,10] fusion(p), kind=kLoop, calls=f
}
)";
  EXPECT_EQ(read_by(hlo), "800 of 1000");
}

TEST(UtilizationTest, WhatDependsOnOffsetsIsARange) {
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

TEST(UtilizationTest, AsMuchIsReadAtEachOfAMillionOffsets) {
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

TEST(UtilizationTest, WhatIsNotCountedSaysWhy) {
  EXPECT_EQ(read_by("c = f32[4] custom-call(f32[4] p), custom_call_target=\"x\""),
            "not counted: a superset of what flows: custom-call \"x\": opaque");
  EXPECT_EQ(read_by(windows_of_a_square(6)), "not counted: windows at indices may overlap");
}

// Sums of factors of runtime variables are told as they are, others not.
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

// Inside of a fusion, an offset is followed back to the element of the operand that it is.
TEST(UtilizationTest, AnOffsetThatIsMovedTwiceIsOneOffset) {
  EXPECT_EQ(read_by("f {\n t = f32[9] parameter(0)\n o = s32[1] parameter(1)\n"
                    " i = s32[] reshape(o)\n c = s32[1] copy(o)\n j = s32[] reshape(c)\n"
                    " a = f32[3] dynamic-slice(t, i), dynamic_slice_sizes={3}\n"
                    " b = f32[3] dynamic-slice(t, j), dynamic_slice_sizes={3}\n"
                    " ROOT r = f32[3] add(a, b)\n}\n"
                    "ENTRY e {\n t = f32[9] parameter(0)\n o = s32[1] parameter(1)\n"
                    " ROOT r = f32[3] fusion(t, o), kind=kLoop, calls=f\n}\n"),
            "3 of 9");
}

// A condition that ties rows to columns: not every row that is read is read whole.
TEST(UtilizationTest, WindowsThatAreCutDifferentlyAreNotCounted) {
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

// Rows by some indices, then columns by the same ones: the row and the column of an element are two
// places of one list.
TEST(UtilizationTest, OneListThatMovesTwoWaysIsNotCounted) {
  EXPECT_EQ(read_by("f {\n t = f32[3,3] parameter(0)\n i = s32[2] parameter(1)\n"
                    " g = f32[2,3] gather(t, i), offset_dims={1}, collapsed_slice_dims={0}, "
                    "start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}\n"
                    " ROOT r = f32[2,2] gather(g, i), offset_dims={0}, collapsed_slice_dims={1}, "
                    "start_index_map={1}, index_vector_dim=1, slice_sizes={2,1}\n}\n"
                    "ENTRY e {\n t = f32[3,3] parameter(0)\n i = s32[2] parameter(1)\n"
                    " ROOT r = f32[2,2] fusion(t, i), kind=kLoop, calls=f\n}\n"),
            "not counted: several indices may move what is read to one place");
}

// Of rows that are not whole, a run that may begin anywhere: another set for each offset.
TEST(UtilizationTest, RunsOfCutRowsAreCountedForEachOffset) {
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

// Offsets of two values each: 2^12 combinations of them.
TEST(UtilizationTest, EveryCombinationOfOffsetsIsCounted) {
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

// An array of so many numbers, read by instructions of one fusion, which has two offsets or an
// index vector.
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
  EXPECT_EQ(two("w"), "3 of 9");  // the same one
}

// Constants that are not told, given to a fusion by the one around it, and moved there.
TEST(UtilizationTest, IndicesThatAreConstantsOfACallerAreNotCounted) {
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

TEST(UtilizationTest, WhatIsReadAtAnOffsetAndAltogetherIsReadAltogether) {
  EXPECT_EQ(read_inside(9,
                        " z = f32[] constant(0)\n"
                        " a = f32[3] dynamic-slice(t, i), dynamic_slice_sizes={3}\n"
                        " b = f32[9] pad(a, z), padding=0_6\n ROOT r = f32[9] add(t, b)\n",
                        "f32[9]"),
            "9 of 9");
}

// Indices that one array has are told apart by where they come from: they may be one and the same.
TEST(UtilizationTest, IndicesThatAreMovedAreThoseThatTheyWere) {
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
  const std::string mixed = "not counted: indices are put together of several arrays";
  EXPECT_EQ(gathered(" c = s32[4] concatenate(v, v), dimensions={0}\n", 4), mixed);
  // Rows by indices that are put together or constants, columns by others, and the other way
  // around.
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

// The row and the column of an element are one number, clamped in two ways, or are of two
// lists.
TEST(UtilizationTest, IndexVectorsThatAreNoListAreNotCounted) {
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

// Each of two maps may have half of the points, and some more.
TEST(UtilizationTest, TheMapsOfAUnionShareItsPoints) {
  const auto both = [](int64_t points) {
    const IndexingMap map = *parse_map(
        absl::StrCat("(d0) -> (d0 mod 7, d0 mod 5), domain: d0 in [0, ", points - 1, "]"));
    const auto count = impl::count_union({map, map}, {7, 5}, 1000);
    return count.ok() ? absl::StrCat(*count) : std::string(count.status().message());
  };
  EXPECT_EQ(both(516), "35");
  EXPECT_EQ(both(517), "variables that are tied together have many values");
  const IndexingMap alone = *parse_map("(d0) -> (d0 mod 7, d0 mod 5), domain: d0 in [0, 1015]");
  EXPECT_EQ(impl::count_union({alone}, {7, 5}, 1000).value_or(-1), 35);
}

TEST(UtilizationTest, AnEmptyTupleReadsNothing) {
  const HloModule module = *parse_hlo_module("p = f32[4] parameter(0)\nROOT t = () tuple()");
  impl::IndexingAnalysis analysis(module);
  const auto found = impl::utilization(analysis, module, 0, 1);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_TRUE(found->empty());
  const auto of_all = impl::utilization(analysis, module, 0, 1, impl::Region::kComputation);
  ASSERT_TRUE(of_all.ok()) << of_all.status();
  ASSERT_EQ(of_all->size(), 1u);
  EXPECT_EQ(text_of((*of_all)[0][0]), "0 of 4");
}

TEST(UtilizationTest, WhatIsNotThereIsAnErrorThatSaysSo) {
  const HloModule module =
      *parse_hlo_module("p = f32[4] parameter(0)\nq = f32[4] negate(p)\nROOT r = frobnicate(p)");
  const auto missing = absl::InvalidArgumentError("r: expected a shape of the result");
  impl::IndexingAnalysis analysis(module);
  EXPECT_EQ(impl::utilization(analysis, module, 0, 2).status(), missing);
  EXPECT_EQ(impl::sizes_of_result(module, 0, 2, 0).status(), missing);
  for (const int32_t leaf : {1, -1}) {
    EXPECT_EQ(impl::sizes_of_result(module, 0, 1, leaf).status(),
              absl::InvalidArgumentError(absl::StrCat("q: expected a leaf below 1, found ", leaf)));
  }
  const HloModule unknown = *parse_hlo_module("r = f32[?] negate(f32[?] p)");
  EXPECT_EQ(impl::sizes_read(unknown, 0, 1, impl::Region::kInstruction).status(),
            absl::InvalidArgumentError("expected dimensions of known size, found ?"));
  const auto zero = [](const spec::Place&) -> int64_t { return 0; };
  EXPECT_EQ(spec::utilization_at(module, 0, 2, spec::Scope::kInstruction, zero).status(), missing);
  EXPECT_EQ(spec::inverse_provenance(module, 0, 1, 1, spec::Scope::kInstruction, zero).status(),
            absl::InvalidArgumentError("q: expected an input below 1, found 1"));
}

TEST(UtilizationTest, IndicesBeyond64BitsMadeByHandAreNotCounted) {
  const impl::IndexedMap rows{
      *parse_map("(d0){rt0} -> (rt0), domain: d0 in [0, 9], rt0 in [0, 7]"),
      {{{{}, 0, 0},
        *parse_map("(d0) -> (d0 * 4611686018427387904), domain: d0 in [0, 9]"),
        {0, 7}}}};
  EXPECT_EQ(impl::count_with_indices(rows, {8}).status(),
            absl::ResourceExhaustedError("the indices are not counted"));
}

// "least to most", or why not, of a map whose runtime variables are these elements of one array;
// the highest values of the variables.
std::string windows_counted(const std::string& text, const std::vector<std::string>& elements,
                            const std::vector<int64_t>& highest,
                            const std::vector<int64_t>& sizes) {
  impl::IndexedMap one{*parse_map(text), {}};
  const std::string list = text.substr(0, text.find('{')) + " -> (";
  std::string domain = "), domain: d0 in [0, 99], d1 in [0, 99], d2 in [0, 99]";
  for (absl::string_view range : {"s0", "s1"}) {
    if (absl::StrContains(list, range)) absl::StrAppend(&domain, ", ", range, " in [0, 99]");
  }
  for (size_t i = 0; i < elements.size(); ++i) {
    one.runtime.push_back(
        {{{}, 0, 0}, *parse_map(absl::StrCat(list, elements[i], domain)), {0, highest[i]}});
  }
  const auto count = impl::count_with_indices(one, sizes);
  return count.ok() ? absl::StrCat(count->least, " to ", count->most)
                    : std::string(count.status().message());
}

TEST(UtilizationTest, NoIndexOfTheListIsBelow0) {
  const std::string rows =
      "(d0, d1, d2){rt0} -> (rt0), domain: d0 in [0, 3], d1 in [0, 0], d2 in [0, 0], "
      "rt0 in [0, 7]";
  EXPECT_EQ(windows_counted(rows, {"d0"}, {7}, {8}), "1 to 4");
  EXPECT_EQ(windows_counted(rows, {"d0 - 1"}, {7}, {8}), "the indices are not counted");
}

// 15 boxes of 2 x 3 would cover all, but of each two corners are missing.
TEST(UtilizationTest, WindowsThatAreNoBoxesMayLeaveGaps) {
  const auto boxes = [](const std::string& condition) {
    return windows_counted(
        "(d0, d1, d2){rt0, rt1} -> (rt0 + d1, rt1 + d2), domain: d0 in [0, 14], d1 in [0, 1], d2 "
        "in [0, 2], rt0 in [0, 7], rt1 in [0, 6]" +
            condition,
        {"d0, 0", "d0, 1"}, {7, 6}, {9, 9});
  };
  EXPECT_EQ(boxes(""), "6 to 81");
  EXPECT_EQ(boxes(", d1 * 2 + d2 in [1, 3]"), "windows at indices may overlap");
}

TEST(UtilizationTest, ElementsOfAListAreToldApartByAllOfTheirIndex) {
  EXPECT_EQ(windows_counted("(d0, d1, d2){rt0} -> (rt0), domain: d0 in [0, 6], d1 in [0, 0], d2 in "
                            "[0, 0], rt0 in [0, 99]",
                            {"d0 floordiv 3, d0 mod 3"}, {99}, {100}),
            "1 to 7");
}

TEST(UtilizationTest, WhatIsNoWindowIsNotCounted) {
  EXPECT_EQ(windows_counted("(d0, d1, d2){rt0} -> (rt0 floordiv 2), domain: d0 in [0, 6], d1 in "
                            "[0, 0], d2 in [0, 0], rt0 in [0, 99]",
                            {"d0"}, {99}, {50}),
            "it depends on the values of indices");
}

TEST(UtilizationTest, IndicesThatAreMultipliedOrMoveTwoWaysAreNotCounted) {
  const auto counted = [](const std::string& results, const std::vector<std::string>& elements,
                          const std::string& length = "3") {
    return windows_counted("(d0, d1, d2){rt0, rt1} -> (" + results + "), domain: d0 in [0, " +
                               length +
                               "], d1 in [0, 3], d2 in [0, 1], rt0 in [0, 8], rt1 in [0, 8]",
                           elements, {8, 8}, {20, 20});
  };
  constexpr char kTwice[] = "several indices may move what is read to one place";
  constexpr char kTied[] = "it depends on the values of indices";
  EXPECT_EQ(counted("rt0 * 2 + d2, 0", {"d0, 0", "d0, 1"}), kTied);
  EXPECT_EQ(counted("rt0 + rt1, 0", {"d0, 0", "d0, 1"}), kTied);
  EXPECT_EQ(counted("rt0, rt0 + d2", {"d0, 0", "d0, 1"}), kTied);
  EXPECT_EQ(counted("rt0, rt1 + d2", {"d0, 0", "d0, 1"}), "2 to 8");
  EXPECT_EQ(counted("rt0, rt1 + d2", {"d0, 0", "d0"}), kTwice);
  EXPECT_EQ(counted("rt0, rt1 + d2", {"0, 0", "d0, 1"}), kTwice);
  EXPECT_EQ(counted("rt0, rt1 + d2", {"0, 0", "d0, 1"}, "0"), "2 to 2");
  EXPECT_EQ(counted("rt0, rt1 + d2", {"d0, 0", "d1, 1"}, "0"), kTwice);
  EXPECT_EQ(counted("rt0, rt1 + d2", {"d0, 0", "d0, 1"}, "-1"), "0 to 0");
}

TEST(UtilizationTest, WindowsLieWhereTheirIndicesMayBe) {
  const impl::IndexedMap rows{
      *parse_map("(d0, d1){rt0} -> (rt0 + d1), domain: d0 in [0, 2], d1 in [0, 1], rt0 in [2, 4]"),
      {{{{}, 0, 0}, *parse_map("(d0, d1) -> (d0), domain: d0 in [0, 2], d1 in [0, 1]"), {2, 4}}}};
  const auto count = impl::count_with_indices(rows, {9});
  ASSERT_TRUE(count.ok()) << count.status();
  EXPECT_EQ(count->least, 2);
  EXPECT_EQ(count->most, 4);
}

TEST(UtilizationTest, AWindowAndItsListMayBeOfDifferentRanges) {
  EXPECT_EQ(windows_counted("(d0, d1, d2)[s0, s1]{rt0} -> (rt0 + d2), domain: d0 in [0, 0], d1 in "
                            "[0, 0], d2 in [0, 1], s0 in [0, 0], s1 in [0, 3], rt0 in [0, 8]",
                            {"s1"}, {8}, {20}),
            "2 to 8");
}

// A slice for each value of a variable that the indices of a window have too, and nothing else.
TEST(UtilizationTest, SlicesAreCountedOneByOne) {
  const auto slices = [](const std::string& results, const std::string& element,
                         const std::string& more = "", const std::string& unused = "d0") {
    return windows_counted("(d0, d1, d2)[s0]{rt0, rt1} -> (" + results +
                               "), domain: d0 in [0, 3], d1 in [0, 2], d2 in [0, 1], s0 in [0, 3], "
                               "rt0 in [0, 8], rt1 in [0, 8]" +
                               more,
                           {element, unused}, {8, 8}, {20, 20});
  };
  constexpr char kTwice[] = "several indices may move what is read to one place";
  constexpr char kTied[] = "it depends on the values of indices";
  EXPECT_EQ(slices("d0, rt0 + d2", "d0, d1"), "8 to 24");
  EXPECT_EQ(slices("s0, rt0 + d2", "s0, d1"), "8 to 24");
  EXPECT_EQ(slices("d0, rt0 + d0", "d0, d1"), kTied);
  EXPECT_EQ(slices("s0, rt0 + d2", "s0, d1", ", s0 + d2 in [0, 3]"), kTied);
  EXPECT_EQ(slices("d0, rt0 + d2", "d0, d1", "", "d0 * 2, d0"), "8 to 24");
  EXPECT_EQ(slices("d0, rt0 + d2", "d0 * 2, d1"), kTwice);
  EXPECT_EQ(windows_counted("(d0, d1, d2){rt0} -> (d0, rt0 + d2), domain: d0 in [1, 2], d1 in [0, "
                            "2], d2 in [0, 1], rt0 in [0, 8]",
                            {"d0, d1"}, {8}, {20, 20}),
            "4 to 12");
  EXPECT_EQ(windows_counted("(d0, d1, d2)[s0]{rt0} -> (d0, s0, rt0 + d2), domain: d0 in [0, 0], d1 "
                            "in [0, 2], d2 in [0, 1], s0 in [0, 3], rt0 in [0, 8]",
                            {"d0, s0, d1"}, {8}, {20, 20, 20}),
            "8 to 24");
  EXPECT_EQ(windows_counted("(d0, d1, d2){rt0} -> (d0, d0, rt0 + d2), domain: d0 in [0, 3], d1 in "
                            "[0, 2], d2 in [0, 1], rt0 in [0, 8]",
                            {"d0, d1"}, {8}, {20, 20, 20}),
            kTwice);
}

TEST(UtilizationTest, SlicesMayHave63BitsOfElements) {
  const int64_t wide = 188232082384791343;
  EXPECT_EQ(windows_counted(
                absl::StrCat("(d0, d1, d2){rt0} -> (d0, rt0 + d2), domain: d0 in [0, 6], d1 in [0, "
                             "6], d2 in [0, ",
                             wide - 1, "], rt0 in [0, ", 6 * wide, "]"),
                {"d0, d1"}, {6 * wide}, {7, 7 * wide}),
            "1317624576693539401 to 9223372036854775807");
}

TEST(UtilizationTest, WindowsMayHave63BitsOfElements) {
  const auto seven = [](int64_t wide, int64_t highest) {
    return windows_counted(
        absl::StrCat("(d0, d1, d2){rt0} -> (rt0 + d1), domain: d0 in [0, 6], d1 in [0, ", wide - 1,
                     "], d2 in [0, 0], rt0 in [0, ", highest, "]"),
        {"d0"}, {highest}, {INT64_MAX});
  };
  EXPECT_EQ(seven(1317624576693539401, 6 * 1317624576693539401),
            "1317624576693539401 to 9223372036854775807");
}

// Of element (1, d1) there is one for all d0: the rows of d0 = 1 have both indices alike.
TEST(UtilizationTest, SlicesWhoseIndicesAreNotAllTheirOwnAreNotCounted) {
  const auto read = [](absl::string_view second) {
    const impl::IndexedMap rows{
        *parse_map("(d0, d1){rt0, rt1} -> (d0, rt0, rt1), domain: d0 in [0, 2], d1 in [0, 3], "
                   "rt0 in [0, 7], rt1 in [0, 7]"),
        {{{{}, 0, 0},
          *parse_map("(d0, d1) -> (d0, d1, 0), domain: d0 in [0, 2], d1 in [0, 3]"),
          {0, 7}},
         {{{}, 0, 0}, *parse_map(second), {0, 7}}}};
    const auto count = impl::count_with_indices(rows, {3, 8, 8});
    return count.ok() ? absl::StrCat(count->least, " to ", count->most)
                      : std::string(count.status().message());
  };
  EXPECT_EQ(read("(d0, d1) -> (d0, d1, 1), domain: d0 in [0, 2], d1 in [0, 3]"), "3 to 12");
  for (const char* other : {"(d0, d1) -> (1, d1, 0), domain: d0 in [0, 2], d1 in [0, 3]",
                            "(d0, d1) -> (d0, d0 + d1, 0), domain: d0 in [0, 2], d1 in [0, 3]"}) {
    EXPECT_EQ(read(other), "several indices may move what is read to one place") << other;
  }
}

TEST(UtilizationTest, WhatIsNotInTheModuleIsAnError) {
  const HloModule module = *parse_hlo_module("p = f32[4] parameter(0)\nROOT q = f32[4] negate(p)");
  impl::IndexingAnalysis analysis(module);
  for (const auto& [computation, instruction] : {std::pair(0, 2), {0, -1}, {1, 0}, {-1, 0}}) {
    EXPECT_FALSE(impl::utilization(analysis, module, computation, instruction).ok())
        << computation << " " << instruction;
  }
}

// The reader refuses such a shape; made by hand, its elements are not counted with a number that
// wrapped.
TEST(UtilizationTest, AShapeOfTooManyElementsMadeByHandIsRefused) {
  HloModule module = *parse_hlo_module("p = f32[4] parameter(0)\nROOT q = f32[4] negate(p)");
  const int64_t half = int64_t{1} << 32;
  const auto huge = absl::OutOfRangeError("p: expected at most 2^63 - 1 elements");
  for (HloInstruction& instruction : module.computations[0].instructions) {
    instruction.shape = SharedShape(make_array(ElementType::kF32, {half, half, 2}));
  }
  EXPECT_EQ(impl::sizes_read(module, 0, 1, impl::Region::kInstruction).status(), huge);
  EXPECT_EQ(impl::sizes_read(module, 0, 1, impl::Region::kComputation).status(), huge);
  impl::IndexingAnalysis analysis(module);
  EXPECT_EQ(impl::utilization(analysis, module, 0, 1).status(), huge);
}

TEST(UtilizationTest, RandomProgramsAsTheReferenceCounts) {
  UtilizationComparison all;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Choose choose(Choose::Random{seed});
    const GeneratedHlo hlo =
        seed % 2 == 0 ? generate_operation(choose) : generate_computation(choose);
    const absl::StatusOr<HloModule> module = parse_hlo_module(hlo.text);
    ASSERT_TRUE(module.ok()) << hlo.text;
    for (const spec::Scope scope : {spec::Scope::kInstruction, spec::Scope::kComputation}) {
      const UtilizationComparison found = compare_utilization(
          *module, module->entry, module->computations[module->entry].root, scope, hlo.seed, 100);
      ASSERT_EQ(found.difference, "") << "seed " << seed << "\n" << hlo.text;
      all.equal += found.equal;
      all.uncounted += found.uncounted;
    }
  }
  EXPECT_GT(all.equal, 10 * all.uncounted);
}

TEST(UtilizationTest, RegressionsAsTheReferenceCounts) {
  std::ifstream file(TILEPROOF_CORPUS "/hlo/regressions.hlo");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const absl::StatusOr<std::vector<HloModule>> modules = parse_hlo_modules(text);
  ASSERT_TRUE(modules.ok()) << modules.status();
  int64_t equal = 0;
  for (const HloModule& module : *modules) {
    for (const spec::Scope scope : {spec::Scope::kInstruction, spec::Scope::kComputation}) {
      const UtilizationComparison found = compare_utilization(
          module, module.entry, module.computations[module.entry].root, scope, 1, 100);
      EXPECT_EQ(found.difference, "") << to_text(module);
      equal += found.equal;
    }
  }
  EXPECT_GT(equal, 0);
}

// Every instruction, and every operand that has elements.
TEST(UtilizationTest, TheModulesOfTheCorpus) {
  int64_t modules = 0, counted = 0, ranges = 0;
  std::map<std::string, int64_t> uncounted;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(TILEPROOF_HLO_CORPUS)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    const absl::StatusOr<HloModule> module = parse_hlo_module(text.str());
    ASSERT_TRUE(module.ok()) << entry.path() << ": " << module.status();
    ++modules;
    impl::IndexingAnalysis analysis(*module);
    for (int32_t c = 0; c < std::ssize(module->computations); ++c) {
      const auto& instructions = module->computations[c].instructions;
      for (int32_t i = 0; i < std::ssize(instructions); ++i) {
        const std::string where = absl::StrCat(entry.path().filename().string(), ": ",
                                               to_text(module->computations[c], i));
        const auto found = impl::utilization(analysis, *module, c, i);
        ASSERT_TRUE(found.ok()) << where << "\n  " << found.status();
        for (const auto& operand : *found) {
          for (const impl::ElementsRead& read : operand) {
            if (read.uncounted.empty()) {
              ++counted;
              ranges += read.least < read.most;
              ASSERT_LE(0, read.least) << where;
              ASSERT_LE(read.least, read.most) << where;
              ASSERT_LE(read.most, read.elements) << where;
            } else {
              ++uncounted[read.uncounted];
            }
          }
        }
      }
    }
  }
  int64_t not_counted = 0;
  for (const auto& [why, times] : uncounted) {
    not_counted += times;
    std::cout << times << " " << why << "\n";
  }
  std::cout << modules << " modules, " << counted + not_counted << " arrays read: " << counted
            << " counted (" << ranges << " depend on offsets), " << not_counted << " not counted\n";
  EXPECT_GT(modules, 0);
  EXPECT_GT(counted, 10 * not_counted);
}

}  // namespace
}  // namespace tileproof::verify
