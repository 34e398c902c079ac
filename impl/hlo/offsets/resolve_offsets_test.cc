// SPDX-License-Identifier: Apache-2.0
// Indices and offsets whose values are known where they are read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  const auto found =
      analysis.reads(module.entry, module.computations[module.entry].root, 0, Scope::kComputation);
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

// Of a module that was not read from a text.
TEST(ResolveOffsetsTest, ALiteralWithAnOpenCommentIsNotKnown) {
  HloModule module = module_of(absl::StrCat("p = f32[9] parameter(0)\ni = s32[1] constant({3})\n",
                                            "ROOT g = f32[1] gather(p, i), ", kElements));
  const auto is_known = [&module] {
    IndexingAnalysis analysis(module);
    return analysis.reads(0, 2, 0, Scope::kComputation).value()[0][0].maps[0].runtime.empty();
  };
  EXPECT_TRUE(is_known());
  module.computations[0].instructions[1].literal = "{3} /* 4";
  EXPECT_FALSE(is_known());
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
    for (int i = 0; i < count; ++i) absl::StrAppend(&text, i == 0 ? "{" : ", ", "{", 2 * i, "}");
    return absl::StrCat("s32[", count, ",1] constant(", text, "})\n");
  };
  const auto maps = [&](int rows, int columns) {
    const HloModule module = module_of(absl::StrCat(
        "p = f32[99,99] parameter(0)\ni = ", row(rows), "j = ", row(columns), "g = f32[", rows,
        ",99] gather(p, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
        "index_vector_dim=1, slice_sizes={1,99}\nROOT r = f32[",
        rows, ",", columns,
        "] gather(g, j), offset_dims={0}, collapsed_slice_dims={1}, start_index_map={1}, "
        "index_vector_dim=1, slice_sizes={",
        rows, ",1}"));
    IndexingAnalysis analysis(module);
    return analysis.reads(0, module.computations[0].root, 0, Scope::kComputation)
        .value()[0][0]
        .maps;
  };
  EXPECT_EQ(maps(1, 32).size(), 32);
  EXPECT_EQ(maps(1, 33).size(), 1);
  EXPECT_EQ(maps(4, 8).size(), 32);
  const std::vector<IndexedMap> some = maps(4, 9);
  EXPECT_EQ(some.size(), 7 * 4 + 2);  // of the last two columns the rows stay as they are
  EXPECT_EQ(to_text(some.back().map),
            "(d0, d1){rt0} -> (rt0, 16), domain: d0 in [0, 3], d1 in [8, 8], rt0 in [0, 98]");
}

// Rows of two arrays, each at as many known indices: the maps are shared out.
TEST(ResolveOffsetsTest, KnownValuesOfSeveralArraysShareTheMaps) {
  const auto maps = [](int rows) {
    std::string text;
    for (int i = 0; i < rows; ++i) absl::StrAppend(&text, i == 0 ? "{" : ", {", 2 * i, "}");
    const auto gather = [&](absl::string_view array) {
      return absl::StrCat("f32[", rows, "] gather(", array,
                          ", i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, "
                          "index_vector_dim=1, slice_sizes={1}\n");
    };
    const HloModule module = module_of(absl::StrCat(
        "p = f32[99] parameter(0)\nq = f32[99] parameter(1)\ni = s32[", rows, ",1] constant({",
        text, "})\ng = ", gather("p"), "h = ", gather("q"), "ROOT r = f32[", rows, "] add(g, h)"));
    IndexingAnalysis analysis(module);
    const Indexing found =
        analysis.reads(0, module.computations[0].root, 0, Scope::kComputation).value();
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
    const auto found =
        analysis.reads(0, module.computations[0].root, 0, Scope::kComputation).value()[0][0].maps;
    EXPECT_EQ(found.size(), slices + 1);
    return to_text(found.back().map);
  };
  EXPECT_EQ(last(32, 1), "(d0) -> (150), domain: d0 in [0, 0]");
  EXPECT_EQ(last(32, 2), "(d0){rt0} -> (rt0), domain: d0 in [0, 1], rt0 in [0, 198]");
}

TEST(ResolveOffsetsTest, AConstantOf4096ElementsThatDifferIsLookedInto) {
  const auto maps = [](int count, absl::string_view last) {
    std::vector<std::string> rows(count - 1, "{3}");
    rows.emplace_back(last);
    return maps_of(absl::StrCat("p = f32[9] parameter(0)\ni = s32[", count, ",1] constant({",
                                absl::StrJoin(rows, ", "), "})\nROOT g = f32[", count,
                                "] gather(p, i), ", kElements));
  };
  EXPECT_THAT(maps(4096, "{3}"), testing::ElementsAre("(d0) -> (3), domain: d0 in [0, 4095]"));
  EXPECT_THAT(maps(4097, "{3}"), testing::ElementsAre("(d0) -> (3), domain: d0 in [0, 4096]"));
  EXPECT_THAT(maps(4097, "{4}"),
              testing::ElementsAre("(d0){rt0} -> (rt0), domain: d0 in [0, 4096], rt0 in [0, 8]"));
}

}  // namespace
}  // namespace tileproof::impl
