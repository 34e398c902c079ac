// SPDX-License-Identifier: Apache-2.0
// Input to output. corpus/xla/document.txt has the examples of XLA's document.
#include "impl/hlo/inverse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "impl/hlo/indexing.h"
#include "impl/hlo/indexing_result.h"
#include "impl/hlo/indexing_testing.h"
#include "impl/hlo/merge_maps.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::impl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Without empty lists and unused variables, the answer is the same.
void expect_reached(const std::vector<LeafMaps>& outputs, const LeavesReached& reached) {
  size_t next = 0;
  for (size_t leaf = 0; leaf < outputs.size(); ++leaf) {
    if (outputs[leaf].maps.empty()) continue;
    ASSERT_LT(next, reached.size());
    const auto& [number, list] = reached[next++];
    EXPECT_EQ(number, leaf);
    EXPECT_EQ(list.reason, outputs[leaf].reason);
    std::vector<IndexedMap> used;
    for (const IndexedMap& one : outputs[leaf].maps) used.push_back(without_unused_runtime(one));
    EXPECT_EQ(list.maps, used);
  }
  EXPECT_EQ(next, reached.size());
}

// The maps to the leaves of the root, as `leaf: map` (leaf 0 has no number). The elements of the
// runtime variables follow each map.
std::vector<std::string> outputs(const std::string& text, int32_t input = 0) {
  const HloModule module = module_of(text);
  IndexingAnalysis analysis(module);
  const int32_t root = module.computations[module.entry].root;
  const auto found = analysis.reached(module.entry, root, input);
  if (!found.ok()) return {std::string(found.status().message())};
  const auto reached = leaves_reached(analysis, module.entry, root);
  EXPECT_TRUE(reached.ok());
  expect_reached(*found, (*reached)[input]);
  std::vector<std::string> lines;
  for (size_t leaf = 0; leaf < found->size(); ++leaf) {
    const std::string head = leaf == 0 ? "" : absl::StrCat(leaf, ": ");
    for (const IndexedMap& one : (*found)[leaf].maps) {
      lines.push_back(absl::StrCat(head, to_text(one.map)));
      for (const RuntimeSource& source : one.runtime) {
        absl::StrAppend(&lines.back(), "; ", name_of(module, module.entry, source.position));
        const std::string element = to_text(source.map);
        if (!source.map.results.empty()) {
          absl::StrAppend(&lines.back(), element.substr(element.find("(", element.find("->"))));
        }
      }
    }
    if ((*found)[leaf].inexact) lines.push_back(absl::StrCat("inexact: ", (*found)[leaf].reason));
  }
  return lines;
}

TEST(Inverse, Pad) {
  const std::string pad = "p = f32[12,16] pad(f32[4,4] x, f32[] v), padding=1_4_1x4_8_0";
  EXPECT_THAT(outputs(pad, 0), ElementsAre("(d0, d1) -> (d0 * 2 + 1, d1 + 4), domain: d0 in [0, 3],"
                                           " d1 in [0, 3]"));
  EXPECT_EQ(outputs(pad, 1).size(), 5);
}

TEST(Inverse, WindowsAreCongruences) {
  EXPECT_THAT(outputs(absl::StrCat(kMaximum,
                                   "ENTRY e {\n p = f32[30] parameter(0)\n i = f32[] constant(0)\n"
                                   " ROOT w = f32[14] reduce-window(p, i), window={size=3 "
                                   "stride=2}, to_apply=m\n}")),
              ElementsAre("(d0)[s0] -> ((d0 - s0) floordiv 2), domain: d0 in [0, 28], s0 in [0, "
                          "2], (d0 + s0) mod 2 in [0, 0], d0 - s0 in [0, 26]"));
}

TEST(Inverse, DynamicSliceAndUpdateKeepTheirOffsets) {
  const std::string rest = "(s32[20] p, s32[] o), dynamic_slice_sizes={5}";
  EXPECT_THAT(outputs("d = s32[5] dynamic-slice" + rest),
              ElementsAre("(d0){rt0} -> (d0 - rt0), domain: d0 in [0, 19], rt0 in [0, 15], d0 - "
                          "rt0 in [0, 4]; o"));
  const std::string update = "u = s32[20] dynamic-update-slice(s32[20] p, s32[5] v, s32[] o)";
  EXPECT_THAT(outputs(update, 0),
              ElementsAre("(d0){rt0} -> (d0), domain: d0 in [0, 14], rt0 in [0, 15], d0 - rt0 in "
                          "[-15, -1]; o",
                          "(d0){rt0} -> (d0), domain: d0 in [5, 19], rt0 in [0, 15], d0 - rt0 in "
                          "[5, 19]; o"));
  EXPECT_THAT(outputs(update, 1),
              ElementsAre("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 4], rt0 in [0, 15]; o"));
  EXPECT_THAT(outputs(update, 2),
              ElementsAre("()[s0]{rt0} -> (s0), domain: s0 in [0, 19], rt0 in [0, 15]; o"));
}

// If one scalar is both offsets, both directions declare both variables.
TEST(Inverse, OneScalarMayBeSeveralOffsets) {
  EXPECT_THAT(outputs("d = s32[4,4] dynamic-slice(s32[9,9] p, s32[] o, s32[] o), "
                      "dynamic_slice_sizes={4,4}"),
              ElementsAre(HasSubstr("(d0, d1){rt0, rt1} -> (d0 - rt0, d1 - rt0), domain: ")));
}

TEST(Inverse, TheRowOfAGatherIsARangeVariable) {
  const std::string gather =
      "g = f32[4,8] gather(f32[9,8] table, s32[4] rows), offset_dims={1}, "
      "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,8}";
  EXPECT_THAT(outputs(gather, 0),
              ElementsAre("(d0, d1)[s0]{rt0} -> (s0, d1), domain: d0 in [0, 8], d1 in [0, 7], s0 "
                          "in [0, 3], rt0 in [0, 8], d0 - rt0 in [0, 0]; rows(s0), domain: d0 in "
                          "[0, 8], d1 in [0, 7], s0 in [0, 3]"));
  // The map declares rt0 but does not use it, so its element does not matter.
  EXPECT_THAT(outputs(gather, 1),
              ElementsAre(HasSubstr("(d0)[s0]{rt0} -> (d0, s0), domain: d0 in [0, 3], s0 in [0, 7],"
                                    " rt0 in [0, 8]")));
}

TEST(Inverse, ComputationsFromTheirParameters) {
  const HloModule module = module_of(
      "ENTRY e {\n a = f32[4,8] parameter(0)\n b = f32[32] parameter(1)\n r = f32[32] reshape(a)\n"
      " s = f32[32] add(r, b)\n ROOT t = (f32[4,8], f32[32]) tuple(a, s)\n}");
  IndexingAnalysis analysis(module);
  const auto from_a = analysis.reached(0, 4, 0, Scope::kComputation);
  ASSERT_TRUE(from_a.ok()) << from_a.status();
  ASSERT_EQ(from_a->size(), 2);
  EXPECT_EQ(to_text((*from_a)[0].maps[0].map),
            "(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 7]");
  EXPECT_EQ(to_text((*from_a)[1].maps[0].map),
            "(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]");
  const auto from_b = analysis.reached(0, 4, 1, Scope::kComputation);
  ASSERT_TRUE(from_b.ok()) << from_b.status();
  EXPECT_TRUE((*from_b)[0].maps.empty());
  EXPECT_EQ(to_text((*from_b)[1].maps[0].map), "(d0) -> (d0), domain: d0 in [0, 31]");
}

TEST(Inverse, TuplesHaveNoEmptyLists) {
  const HloModule module =
      module_of("t = (f32[3], (f32[4], f32[3])) tuple(f32[3] a, (f32[4], f32[3]) b)");
  IndexingAnalysis analysis(module);
  const auto reached =
      leaves_reached(analysis, module.entry, module.computations[module.entry].root);
  ASSERT_TRUE(reached.ok()) << reached.status();
  ASSERT_EQ(reached->size(), 3);
  for (int32_t input = 0; input < 3; ++input) {
    ASSERT_EQ((*reached)[input].size(), 1);
    EXPECT_EQ((*reached)[input][0].leaf, input);
  }
}

// The inverse of a dense reshape is the reverse reshape, whatever the quotients are.
TEST(Inverse, DenseReshapesAndBitcastsAreOneToOne) {
  const std::pair<const char*, const char*> both[] = {
      {"r = f32[9,16,5] reshape(f32[2,3,4,5,6] x)", "b = f32[2,3,4,5,6] reshape(f32[9,16,5] x)"},
      {"r = f32[3,5,8] reshape(f32[6,4,5] x)", "b = f32[6,4,5] reshape(f32[3,5,8] x)"},
      {"r = f32[3,8] reshape(f32[2,3,4] x)", "b = f32[2,3,4] reshape(f32[3,8] x)"},
      {"r = f32[5,8,3]{0,2,1} bitcast(f32[6,4,5]{1,0,2} x)",
       "b = f32[6,4,5]{1,0,2} bitcast(f32[5,8,3]{0,2,1} x)"}};
  for (const auto& [there, back] : both) {
    const HloModule module = module_of(back);
    const auto maps =
        IndexingAnalysis(module).reads(module.entry, module.computations[module.entry].root);
    ASSERT_TRUE(maps.ok()) << maps.status();
    EXPECT_THAT(outputs(there), ElementsAre(to_text((*maps)[0][0].maps[0].map)));
  }
}

TEST(Inverse, ASupersetStaysASuperset) {
  EXPECT_THAT(
      outputs("f = c64[8] fft(c64[8] p), fft_type=FFT, fft_length={8}"),
      ElementsAre("(d0)[s0] -> (s0), domain: d0 in [0, 7], s0 in [0, 7]", HasSubstr("inexact: ")));
}

TEST(Inverse, ASupersetStaysASupersetIfTheInverseIsKnown) {
  AccessRelation forward;
  forward.map = parse_map("(d0) -> (d0 * d0), domain: d0 in [0, 3]").value();
  forward.rank = 1;
  forward.backwards = std::make_shared<IndexingMap>(
      parse_map("(d0) -> (d0 floordiv 3), domain: d0 in [0, 9]").value());
  EXPECT_FALSE(inverse(forward, {4}, {10})->inexact);
  forward.inexact = true;
  EXPECT_TRUE(inverse(forward, {4}, {10})->inexact);
}

TEST(Inverse, TheInverseOfAScalarIsTheUniverse) {
  AccessRelation forward;
  forward.map = parse_map("(d0) -> (), domain: d0 in [0, 7]").value();
  const AccessRelationPtr back = unsolved_inverse(forward, {8}, {});
  ASSERT_NE(back, nullptr);
  EXPECT_TRUE(back->universe);
  EXPECT_EQ(to_text(back->map), "()[s0] -> (s0), domain: s0 in [0, 7]");
}

TEST(Inverse, TheInverseOfTheInverseIsTheRelation) {
  MapBuilder m({8, 3});
  m.result(m.plus(m.times(m.dimension(0), 3), m.dimension(1)));
  AccessRelation forward;
  forward.map = m.take();
  forward.rank = 1;
  const AccessRelationPtr back = inverse(forward, {8, 3}, {24});
  ASSERT_NE(back, nullptr);
  EXPECT_EQ(to_text(back->map), "(d0) -> (d0 floordiv 3, d0 mod 3), domain: d0 in [0, 23]");
  const AccessRelationPtr again = inverse(*back, {24}, {8, 3});
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(to_text(again->map), to_text(forward.map));
}

// The numbers of a solution would not fit 64 bits.
TEST(Inverse, UnsolvedEquationsStayConstraints) {
  AccessRelation forward;
  forward.map = parse_map(
                    "(d0, d1) -> (d0 * 9223372036854775807 + d1 * 9223372036854775805), "
                    "domain: d0 in [0, 3], d1 in [0, 3]")
                    .value();
  forward.rank = 1;
  const AccessRelationPtr back = inverse(forward, {4, 4}, {INT64_MAX});
  ASSERT_NE(back, nullptr);
  // The bounds are still found: d0 = 9223372036854775807 is outside of the array.
  EXPECT_EQ(to_text(back->map),
            "(d0)[s0] -> (0, s0), domain: d0 in [0, 9223372036854775805], s0 in [0, 1], "
            "d0 - s0 * 9223372036854775805 in [0, 0]");
}

// The solution of the second equation would be a sum of 2^16 squares.
TEST(Inverse, EquationsWithLargeSolutionsAreNotSolved) {
  MapBuilder m({8});
  NodeId sum = add_operation(m.map().nodes, Op::kMul, m.dimension(0), m.dimension(0));
  for (int i = 0; i < 16; ++i) sum = m.plus(m.times(sum, 2), sum);
  m.result(m.dimension(0));
  m.result(sum);
  AccessRelation forward;
  forward.map = m.take();
  forward.rank = 2;
  const AccessRelationPtr back = inverse(forward, {8}, {8, INT64_MAX});
  ASSERT_NE(back, nullptr);
  EXPECT_EQ(to_text(back->map),
            "(d0, d1)[s0] -> (s0), domain: d0 in [0, 7], d1 in [0, 2109289329], s0 in [0, 7], "
            "d0 - s0 in [0, 0], d1 - (s0 * s0) * 43046721 in [0, 0]");
}

// Solving an equation adds a constraint. 21 constraints are too many.
TEST(Inverse, ASolutionWithTooManyConstraintsIsNotTaken) {
  for (const size_t rank : {kMaxConstraints, kMaxConstraints + 1}) {
    MapBuilder m(Dims(rank, 4));
    for (size_t i = 0; i < rank; ++i) {
      m.result(m.times(m.dimension(static_cast<int64_t>(i)), 2));
    }
    AccessRelation forward;
    forward.map = m.take();
    forward.rank = static_cast<int32_t>(rank);
    const AccessRelationPtr back = inverse(forward, Dims(rank, 4), Dims(rank, 7));
    ASSERT_NE(back, nullptr);
    EXPECT_EQ(back->map.ranges.size(), rank > kMaxConstraints ? rank : 0);
  }
}

// The solution has the sum in a result and in a constraint. The limit of 20,000 nodes counts both.
TEST(Inverse, TheSizeLimitCountsAllExpressions) {
  const auto is_solved = [](int more) {
    MapBuilder m({8, 2});
    const NodeId offset = m.runtime({0, 3});
    NodeId sum = add_operation(m.map().nodes, Op::kMul, offset, offset);
    for (int i = 0; i < 10; ++i) sum = m.plus(m.times(sum, 2), sum);  // 6141 nodes
    for (int i = 0; i < more; ++i) sum = m.plus(sum, offset);
    m.result(m.plus(m.dimension(0), sum));
    m.result(m.dimension(1));
    AccessRelation forward;
    forward.map = m.take();
    forward.rank = 2;
    forward.runtime = {{.position = {}, .feasible = {0, 3}}};
    return inverse(forward, {8, 2}, {INT64_MAX, 2})->map.ranges.empty();
  };
  EXPECT_TRUE(is_solved(1924));
  EXPECT_FALSE(is_solved(1925));
}

// Only the solved equation shows that the index is outside of the array. `written` and `backwards`
// do not matter then.
TEST(Inverse, ARelationWithoutPairsHasNoInverse) {
  AccessRelation forward;
  forward.map = parse_map("(d0) -> (d0 + 10), domain: d0 in [0, 9]").value();
  forward.rank = 1;
  forward.written = std::make_shared<IndexingMap>(forward.map);
  EXPECT_EQ(inverse(forward, {10}, {5}), nullptr);
  forward.backwards = forward.written;
  EXPECT_EQ(inverse(forward, {10}, {5}), nullptr);
}

}  // namespace
}  // namespace tileproof::impl
