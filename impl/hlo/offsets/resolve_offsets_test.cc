// SPDX-License-Identifier: Apache-2.0
// Indices and offsets whose values are known where they are read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "impl/hlo/backward_slice.h"
#include "impl/hlo/indexing.h"
#include "impl/hlo/indexing_testing.h"
#include "impl/hlo/operations/operation_handler.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::impl {
namespace {

// The maps of the root, the last instruction of an entry, to the first parameter.
std::vector<std::string> maps_of(const std::string& text) {
  const HloModule module = module_of(text);
  IndexingAnalysis analysis(module);
  const auto found = analysis.computation(module.entry, module.computations[module.entry].root);
  EXPECT_TRUE(found.ok()) << found.status();
  std::vector<std::string> maps;
  if (found.ok()) {
    for (const IndexedMap& one : (*found)[0][0].maps) maps.push_back(to_text(one.map));
  }
  return maps;
}

constexpr char kElements[] =
    "offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
    "slice_sizes={1}\n";

// A literal as it may stand in a text.
TEST(ResolveOffsetsTest, CommentsInLiteralsAreSpaces) {
  const auto at = [](const std::string& literal) {
    return maps_of(absl::StrCat("p = f32[99] parameter(0)\ni = s32[2] constant(", literal,
                                ")\ng = f32[2] gather(p, i), ", kElements,
                                "ROOT r = f32[1] slice(g), slice={[1:2]}"));
  };
  const auto is_known = testing::ElementsAre("(d0) -> (72), domain: d0 in [0, 0]");
  const auto is_open =
      testing::ElementsAre("(d0){rt0} -> (rt0), domain: d0 in [0, 0], rt0 in [0, 98]");
  EXPECT_THAT(at("{71, 72}"), is_known);
  EXPECT_THAT(at("{ /*i0=0*/ 71, /*i0=1*/ 72 }"), is_known);
  EXPECT_THAT(at("{71/**/72 /* 73, \"*/}"), is_known);
  EXPECT_THAT(at("{71, /*/ 72, */ 73}"),
              testing::ElementsAre("(d0) -> (73), domain: d0 in [0, 0]"));
  EXPECT_THAT(at("{...}"), is_open);
}

// The parser refuses constants that do not fit their type.
TEST(ResolveOffsetsTest, AConstantHasTheValueOfItsType) {
  const auto at = [](const std::string& constant) {
    return maps_of(absl::StrCat("p = f32[9] parameter(0)\ni = ", constant,
                                "\nROOT r = f32[2] dynamic-slice(p, i), dynamic_slice_sizes={2}"));
  };
  const auto is = [](const std::string& map) { return testing::ElementsAre(map); };
  const std::string lowest = "(d0) -> (d0), domain: d0 in [0, 1]";
  const std::string highest = "(d0) -> (d0 + 7), domain: d0 in [0, 1]";
  EXPECT_THAT(at("u8[] constant(255)"), is(highest));
  EXPECT_THAT(at("s8[] constant(-128)"), is(lowest));
  EXPECT_THAT(at("u64[] constant(18446744073709551615)"), is(highest));
}

// What is written at k covers what is read at i, which is k.
TEST(ResolveOffsetsTest, OffsetsAreComparedWhereTheirValuesComeFrom) {
  const auto at = [](const std::string& i) {
    return maps_of(absl::StrCat(
        "f { a = s32[] parameter(0)\n ROOT b = s32[1] reshape(a) }\n"
        "ENTRY e { p = f32[8] parameter(0)\n u = f32[2] parameter(1)\n n = s32[] parameter(2)\n"
        "  m = s32[3] parameter(3)\n k = s32[] multiply(n, n)\n j = s32[1] reshape(k)\n",
        i, "\n  d = f32[8] dynamic-update-slice(p, u, k)\n",
        "  ROOT r = f32[2] dynamic-slice(d, i), dynamic_slice_sizes={2} }"));
  };
  for (const char* same : {"i = s32[] copy(k)", "i = s32[] reshape(j)", "i = s32[] bitcast(j)",
                           "i = s32[] opt-barrier(k)",
                           "t = (s32[], f32[8]) tuple(k, p)\n"
                           "i = s32[] get-tuple-element(t), index=0",
                           "v = s32[4] concatenate(m, j), dimensions={0}\n"
                           "w = s32[1] slice(v), slice={[3:4]}\n i = s32[] reshape(w)",
                           "v = s32[5] broadcast(k), dimensions={}\n"
                           "w = s32[1] slice(v), slice={[3:4]}\n i = s32[] reshape(w)",
                           "c = s32[1] call(k), to_apply=f\n i = s32[] reshape(c)",
                           "c = s32[1] fusion(k), kind=kLoop, calls=f\n i = s32[] bitcast(c)"}) {
    EXPECT_THAT(at(same), testing::IsEmpty()) << same;
  }
  for (const char* other : {"i = s32[] add(k, n)", "i = s32[] multiply(n, n)", "i = s32[] copy(n)",
                            "c = u32[] bitcast-convert(k)\n i = s32[] bitcast-convert(c)",
                            "v = s32[4] concatenate(m, j), dimensions={0}\n"
                            "w = s32[1] slice(v), slice={[2:3]}\n i = s32[] reshape(w)"}) {
    EXPECT_THAT(at(other), testing::SizeIs(2)) << other;
  }
}

// XLA's values: the bits of -1 as an unsigned number are above all starts.
TEST(ResolveOffsetsTest, ABitcastToAnotherElementTypeIsNoMove) {
  const auto at = [](const std::string& cast) {
    return maps_of(
        absl::StrCat("p = f32[9] parameter(0)\nc = s32[] constant(-1)\ni = ", cast,
                     "(c)\nROOT r = f32[2] dynamic-slice(p, i), dynamic_slice_sizes={2}"));
  };
  const std::string open = "(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 1], rt0 in [0, 7]";
  EXPECT_THAT(at("s32[] bitcast"), testing::ElementsAre("(d0) -> (d0), domain: d0 in [0, 1]"));
  EXPECT_THAT(at("u32[] bitcast"), testing::ElementsAre(open));
  EXPECT_THAT(at("u32[] bitcast-convert"), testing::ElementsAre(open));
  EXPECT_THAT(at("s64[] convert"), testing::ElementsAre(open));
}

// An iota counts modulo the size of its type, and s8 has values below 0, which are clamped.
TEST(ResolveOffsetsTest, AnIotaCountsModuloTheSizeOfItsType) {
  const auto of = [](const std::string& type, int size) {
    return maps_of(absl::StrCat("p = f32[300] parameter(0)\ni = ", type, "[", size,
                                ",1] iota(), iota_dimension=0\nROOT g = f32[", size,
                                "] gather(p, i), ", kElements));
  };
  EXPECT_THAT(of("u8", 256), testing::ElementsAre("(d0) -> (d0), domain: d0 in [0, 255]"));
  EXPECT_THAT(of("u8", 300), testing::ElementsAre("(d0) -> (d0 mod 256), domain: d0 in [0, 299]"));
  EXPECT_THAT(of("s8", 128), testing::ElementsAre("(d0) -> (d0), domain: d0 in [0, 127]"));
  EXPECT_THAT(of("s8", 300).size(), 2);
  EXPECT_THAT(of("u16", 300), testing::ElementsAre("(d0) -> (d0), domain: d0 in [0, 299]"));
}

// Of a module that was not read from a text.
TEST(ResolveOffsetsTest, ALiteralWithAnOpenCommentIsNotKnown) {
  HloModule module = module_of(absl::StrCat("p = f32[9] parameter(0)\ni = s32[1] constant({3})\n",
                                            "ROOT g = f32[1] gather(p, i), ", kElements));
  const auto is_known = [&module] {
    IndexingAnalysis analysis(module);
    return analysis.computation(0, 2).value()[0][0].maps[0].runtime.empty();
  };
  EXPECT_TRUE(is_known());
  module.computations[0].instructions[1].literal = "{3} /* 4";
  EXPECT_FALSE(is_known());
}

// Under a window lie more places than the constant has elements: those around it are padding.
TEST(ResolveOffsetsTest, AnIndexIsWithinItsArray) {
  EXPECT_THAT(
      maps_of(absl::StrCat(kMaximum,
                           "ENTRY e {\n p = f32[9] parameter(0)\n i = s32[2] constant({3, 7})\n"
                           " g = f32[2] gather(p, i), ",
                           kElements,
                           " z = f32[] constant(0)\n ROOT r = f32[4] reduce-window(g, z), "
                           "window={size=3 pad=2_2}, to_apply=m\n}\n")),
      testing::ElementsAre("(d0) -> (3), domain: d0 in [0, 2]",
                           "(d0) -> (7), domain: d0 in [1, 3]"));
}

TEST(ResolveOffsetsTest, ElementsThatAreNotReadDoNotMatter) {
  const auto at = [](const std::string& slice) {
    return maps_of(
        absl::StrCat("p = f32[9] parameter(0)\nk = s32[5] constant({1, 2, 2, 2, 3})\n"
                     "i = s32[3] slice(k), slice={",
                     slice, "}\nROOT g = f32[3] gather(p, i), ", kElements));
  };
  EXPECT_THAT(at("[1:4]"), testing::ElementsAre("(d0) -> (2), domain: d0 in [0, 2]"));
  EXPECT_THAT(at("[0:3]"), testing::ElementsAre("(d0) -> (1), domain: d0 in [0, 0]",
                                                "(d0) -> (2), domain: d0 in [1, 2]"));
  EXPECT_THAT(at("[2:5]"), testing::ElementsAre("(d0) -> (2), domain: d0 in [0, 1]",
                                                "(d0) -> (3), domain: d0 in [2, 2]"));
}

// Of 2^32 indices every 2^30th is read, of four, and of these those that lie under windows of
// numbers beyond 2^40: where that is among all of them is no form of 64 bits.
TEST(ResolveOffsetsTest, WhatIsReadAtAnIndexBeyond64BitsIsNotKnown) {
  const auto maps = [](const std::string& indices) {
    return maps_of(absl::StrCat(
        kMaximum, "ENTRY e {\n p = f32[9] parameter(0)\n", indices,
        " g = f32[4294967296] gather(p, i), ", kElements,
        " s = f32[4] slice(g), slice={[0:4294967296:1073741824]}\n z = f32[] constant(0)\n"
        " ROOT r = f32[3] reduce-window(s, z), window={size=3 stride=1099511627776 "
        "rhs_dilate=1099511627775 pad=2199023255550_2199023255551}, to_apply=m\n}\n"));
  };
  const auto is_open = testing::ElementsAre(
      "(d0)[s0]{rt0} -> (rt0), domain: d0 in [0, 2], s0 in [0, 2], rt0 in [0, 8], "
      "d0 * 1099511627776 + s0 * 1099511627775 in [2199023255550, 2199023255553]");
  EXPECT_THAT(maps(" i = s32[4294967296] iota(), iota_dimension=0\n"), is_open);
  EXPECT_THAT(maps(" k = s32[4] constant({1, 2, 4, 8})\n"
                   " b = s32[4,1073741824] broadcast(k), dimensions={0}\n"
                   " i = s32[4294967296] reshape(b)\n"),
              is_open);
}

// The copy does not fit.
TEST(ResolveOffsetsTest, WhatIsMovedByARefusedOperationIsNotKnown) {
  const HloModule module =
      module_of(absl::StrCat("p = f32[9] parameter(0)\nk = s32[3] iota(), iota_dimension=0\n"
                             "i = s32[2] copy(k)\nROOT g = f32[2] gather(p, i), ",
                             kElements));
  const Summaries summaries(module.computations.size());
  ComputationDependences dependences(module, module.entry, summaries);
  const absl::StatusOr<Dependences>& found =
      dependences.with_values(module.computations[module.entry].root, 0);
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_EQ(found->dependences.size(), 2);
  EXPECT_EQ(found->dependences[0].relation->runtime.size(), 1);
}

// An index that is a constant of several values is a map for each, as long as all maps together are
// at most 32; an offset that would make them more stays one.
TEST(ResolveOffsetsTest, KnownValuesAreAsManyMapsAsThereMayBe) {
  const auto row = [](int count) {  // so many different indices
    std::string text;
    for (int i = 0; i < count; ++i) absl::StrAppend(&text, i == 0 ? "{" : ", ", "{", i * i, "}");
    return absl::StrCat("s32[", count, ",1] constant(", text, "})\n");
  };
  const auto maps = [&](int rows, int columns) {
    const HloModule module = module_of(absl::StrCat(
        "p = f32[1999,1999] parameter(0)\ni = ", row(rows), "j = ", row(columns), "g = f32[", rows,
        ",1999] gather(p, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
        "index_vector_dim=1, slice_sizes={1,1999}\nROOT r = f32[",
        rows, ",", columns,
        "] gather(g, j), offset_dims={0}, collapsed_slice_dims={1}, start_index_map={1}, "
        "index_vector_dim=1, slice_sizes={",
        rows, ",1}"));
    IndexingAnalysis analysis(module);
    return analysis.computation(0, module.computations[0].root).value()[0][0].maps;
  };
  EXPECT_EQ(maps(1, 32).size(), 32);
  EXPECT_EQ(maps(1, 33).size(), 1);
  EXPECT_EQ(maps(4, 8).size(), 32);
  const std::vector<IndexedMap> some = maps(4, 9);
  EXPECT_EQ(some.size(), 7 * 4 + 2);  // of the last two columns the rows stay as they are
  EXPECT_EQ(to_text(some.back().map),
            "(d0, d1){rt0} -> (rt0, 64), domain: d0 in [0, 3], d1 in [8, 8], rt0 in [0, 1998]");
}

// Rows of two arrays, each at as many known indices: the maps are shared out.
TEST(ResolveOffsetsTest, KnownValuesOfSeveralArraysShareTheMaps) {
  const auto maps = [](int rows) {
    std::string text;
    for (int i = 0; i < rows; ++i) absl::StrAppend(&text, i == 0 ? "{" : ", {", i * i, "}");
    const auto gather = [&](absl::string_view array) {
      return absl::StrCat("f32[", rows, "] gather(", array,
                          ", i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, "
                          "index_vector_dim=1, slice_sizes={1}\n");
    };
    const HloModule module = module_of(absl::StrCat(
        "p = f32[999] parameter(0)\nq = f32[999] parameter(1)\ni = s32[", rows, ",1] constant({",
        text, "})\ng = ", gather("p"), "h = ", gather("q"), "ROOT r = f32[", rows, "] add(g, h)"));
    IndexingAnalysis analysis(module);
    const Indexing found = analysis.computation(0, module.computations[0].root).value();
    return absl::StrCat(found[0][0].maps.size(), " and ", found[1][0].maps.size());
  };
  EXPECT_EQ(maps(16), "16 and 16");
  EXPECT_EQ(maps(17), "1 and 1");
}

// Where there are more maps than that anyway, an index still gets its value if it is the only one:
// one of two, of which the other is not read.
TEST(ResolveOffsetsTest, OneKnownValueIsWrittenInWhereMapsAreMany) {
  const auto last = [](int slices, int rows) {
    std::string text = absl::StrCat(
        "p = f32[199] parameter(0)\ni = s32[2,1] constant({{150}, {160}})\n"
        "g = f32[2] gather(p, i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, "
        "index_vector_dim=1, slice_sizes={1}\na0 = f32[",
        rows, "] slice(g), slice={[0:", rows, "]}\n");
    for (int i = 1; i <= slices; ++i) {
      absl::StrAppend(&text, "s", i, " = f32[", rows, "] slice(p), slice={[", 3 * i, ":",
                      3 * i + rows, "]}\na", i, " = f32[", rows, "] add(a", i - 1, ", s", i, ")\n");
    }
    const HloModule module = module_of(text);
    IndexingAnalysis analysis(module);
    const auto found = analysis.computation(0, module.computations[0].root).value()[0][0].maps;
    EXPECT_EQ(found.size(), slices + 1);
    return to_text(found.back().map);
  };
  EXPECT_EQ(last(32, 1), "(d0) -> (150), domain: d0 in [0, 0]");
  EXPECT_EQ(last(32, 2), "(d0){rt0} -> (rt0), domain: d0 in [0, 1], rt0 in [0, 198]");
}

// A constant is as few maps as say what it is, however large it is: numbers that are alike, or that
// grow by the same number.
TEST(ResolveOffsetsTest, AConstantIsFewMaps) {
  const auto maps = [](int count, const auto& element) {
    std::vector<std::string> elements;
    for (int i = 0; i < count; ++i) elements.push_back(absl::StrCat("{", element(i), "}"));
    return maps_of(absl::StrCat("p = f32[9] parameter(0)\ni = s32[", count, ",1] constant({",
                                absl::StrJoin(elements, ", "), "})\nROOT g = f32[", count,
                                "] gather(p, i), ", kElements));
  };
  EXPECT_THAT(maps(4097, [](int) { return 3; }),
              testing::ElementsAre("(d0) -> (3), domain: d0 in [0, 4096]"));
  EXPECT_THAT(maps(8, [](int i) { return 2 * i - 6; }),
              testing::ElementsAre("(d0) -> (0), domain: d0 in [0, 3]",
                                   "(d0) -> (d0 * 2 - 6), domain: d0 in [4, 7]"));
  EXPECT_THAT(maps(3, [](int i) { return i + 2; }), testing::SizeIs(3));
  EXPECT_THAT(maps(100, [](int i) { return i < 50 ? 8 : 3; }),
              testing::ElementsAre("(d0) -> (8), domain: d0 in [0, 49]",
                                   "(d0) -> (3), domain: d0 in [50, 99]"));
}

// Rows that are alike, or of which each has one element more or less, are one part of a constant.
TEST(ResolveOffsetsTest, AMaskIsFewMaps) {
  const auto taken = [](int rows, const auto& is_true) {
    std::vector<std::string> mask;
    for (int i = 0; i < rows; ++i) {
      std::vector<int> row;
      for (int j = 0; j < 6; ++j) row.push_back(is_true(i, j) ? 1 : 0);
      mask.push_back(absl::StrCat("{", absl::StrJoin(row, ", "), "}"));
    }
    const std::string sizes = absl::StrCat("[", rows, ",6] ");
    return maps_of(absl::StrCat(
        "x = f32", sizes, "parameter(0)\ny = f32", sizes, "parameter(1)\np = pred", sizes,
        "constant({", absl::StrJoin(mask, ", "), "})\nROOT s = f32", sizes, "select(p, x, y)"));
  };
  EXPECT_THAT(taken(8, [](int i, int j) { return j <= i + 1; }),
              testing::ElementsAre("(d0, d1) -> (d0, d1), domain: d0 in [0, 4], d1 in [0, 5], "
                                   "-d1 + d0 in [-1, 4]",
                                   "(d0, d1) -> (d0, d1), domain: d0 in [5, 7], d1 in [0, 5]"));
  EXPECT_THAT(taken(5, [](int i, int) { return i != 1; }),
              testing::ElementsAre("(d0, d1) -> (0, d1), domain: d0 in [0, 0], d1 in [0, 5]",
                                   "(d0, d1) -> (d0, d1), domain: d0 in [2, 4], d1 in [0, 5]"));
  EXPECT_THAT(taken(3, [](int i, int j) { return j <= i; }), testing::SizeIs(3));
}

// The scatter does not clamp the indices that the gather clamps. Where its update lands, both have
// the index of the result.
TEST(ResolveOffsetsTest, AnElementThatIsReadWithTwoClampsIsOneVariable) {
  EXPECT_THAT(maps_of("add { a = f32[] parameter(0) b = f32[] parameter(1)\n"
                      "  ROOT c = f32[] add(a, b) }\n"
                      "ENTRY e { x = f32[96] parameter(0)\n i = s32[50,1] parameter(1)\n"
                      "z = f32[96] parameter(2)\n"
                      "g = f32[50] gather(x, i), offset_dims={}, collapsed_slice_dims={0}, "
                      "start_index_map={0}, index_vector_dim=1, slice_sizes={1}\n"
                      "ROOT s = f32[96] scatter(z, i, g), update_window_dims={}, "
                      "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
                      "index_vector_dim=1, to_apply=add }"),
              testing::ElementsAre("(d0)[s0]{rt0} -> (d0), domain: d0 in [0, 95], s0 in [0, 49], "
                                   "rt0 in [-1, 96], d0 - rt0 in [0, 0]"));
}

}  // namespace
}  // namespace tileproof::impl
