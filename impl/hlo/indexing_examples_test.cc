// SPDX-License-Identifier: Apache-2.0
// The examples of XLA's document on indexing analysis, and XLA's own test cases.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "corpus/paths.h"
#include "impl/hlo/indexing.h"
#include "impl/hlo/indexing_testing.h"
#include "impl/map/simplify.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::impl {
namespace {

// A line `operand: map` for each simplified map, without sources. Sorted, as a union has no order.
std::string maps_of(const absl::StatusOr<Indexing>& indexing) {
  if (!indexing.ok()) return absl::StrCat("error: ", indexing.status().message());
  std::vector<std::string> lines;
  for (size_t k = 0; k < indexing->size(); ++k) {
    for (const LeafMaps& list : (*indexing)[k]) {
      for (const IndexedMap& one : list.maps) {
        lines.push_back(absl::StrCat(k, ": ", to_text(simplify(one.map).value()), "\n"));
      }
    }
  }
  std::ranges::sort(lines);
  return absl::StrJoin(lines, "");
}

std::string maps_of_root(const std::string& text, int32_t leaf = 0) {
  const HloModule module = module_of(text);
  IndexingAnalysis analysis(module);
  const int32_t root = module.computations[module.entry].root;
  return maps_of(analysis.instruction(module.entry, root, leaf));
}

// The same for expected maps. These may be written in any form, since they are simplified, too.
std::string simplified_lines(const std::vector<std::pair<int, std::string>>& expected) {
  std::vector<std::string> lines;
  for (const auto& [operand, map] : expected) {
    const IndexingMap simple = simplify(parse_map(map).value()).value();
    lines.push_back(absl::StrCat(operand, ": ", to_text(simple), "\n"));
  }
  std::ranges::sort(lines);
  return absl::StrJoin(lines, "");
}

// Removes the declarations of runtime variables from maps that do not use them, as XLA does.
std::string without_runtime(const std::string& text) {
  std::string result;
  for (const absl::string_view part : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    const std::string line(part);
    const size_t colon = line.find(": ");
    IndexingMap map = parse_map(line.substr(colon + 2)).value();
    bool used = false;
    for (const Node& node : map.nodes) used = used || node.op == Op::kRuntime;
    if (!used) map.runtime.clear();
    absl::StrAppend(&result, line.substr(0, colon), ": ", to_text(map), "\n");
  }
  return result;
}

struct Example {
  std::string name;
  std::string hlo;
  std::vector<std::pair<int, std::string>> expected;
  int32_t leaf = 0;
};

void PrintTo(const Example& example, std::ostream* out) { *out << example.name; }

std::string name_of_example(const testing::TestParamInfo<Example>& example) {
  std::string name;
  for (char c : example.param.name) {
    if (('a' <= c && c <= 'z') || ('0' <= c && c <= '9')) name += c;
  }
  return name;
}

class DocumentTest : public testing::TestWithParam<Example> {};

TEST_P(DocumentTest, Reproduces) {
  EXPECT_EQ(maps_of_root(GetParam().hlo, GetParam().leaf), simplified_lines(GetParam().expected))
      << GetParam().hlo;
}

constexpr char kMaximumOfTwo[] =
    "m {\n a = f32[] parameter(0)\n b = s32[] parameter(1)\n c = f32[] parameter(2)\n"
    " d = s32[] parameter(3)\n e = f32[] maximum(a, c)\n f = s32[] maximum(b, d)\n"
    " ROOT g = (f32[], s32[]) tuple(e, f)\n}\n";

// The examples of seed "Indexing analysis", and further ones of XLA's own tests (facts, data). The
// document approximates some operations. Here their definition decides:
//
//     operation                       document                     here
//     dynamic-update-slice, operand   the whole output             outside of the window: a map for
//                                                                  each side of each dimension
//     dynamic-update-slice, update    also indices outside of it   only indices inside of it
//     pad, value                      the whole output             places without operand elements
//     dynamic-slice, offset is a      a runtime variable           the clamped value
//       constant out of range
INSTANTIATE_TEST_SUITE_P(
    Seed, DocumentTest,
    testing::Values(
        Example{"elementwise",
                "p0 = f32[10, 20] parameter(0)\np1 = f32[10, 20] parameter(1)\n"
                "add = f32[10, 20] add(p0, p1)",
                {{0, "(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 19]"},
                 {1, "(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 19]"}}},
        Example{"broadcast",
                "p0 = f32[20] parameter(0)\n"
                "bc0 = f32[10, 20, 30] broadcast(p0), dimensions={1}",
                {{0, "(d0, d1, d2) -> (d1), domain: d0 in [0, 9], d1 in [0, 19], d2 in [0, 29]"}}},
        Example{"iota", "i = s32[5] iota(), iota_dimension=0", {}},
        Example{"dynamic slice",
                "src = s32[2,2,258] parameter(0)\nof1 = s32[] parameter(1)\n"
                "of2 = s32[] parameter(2)\nof3 = s32[] parameter(3)\n"
                "ds = s32[1,2,32] dynamic-slice(src, of1, of2, of3), "
                "dynamic_slice_sizes={1, 2, 32}",
                {{0,
                  "(d0, d1, d2){rt0, rt1, rt2} -> (d0 + rt0, d1 + rt1, d2 + rt2), domain: d0 in "
                  "[0, 0], d1 in [0, 1], d2 in [0, 31], rt0 in [0, 1], rt1 in [0, 0], rt2 in "
                  "[0, 226]"},
                 {1,
                  "(d0, d1, d2){rt0, rt1, rt2} -> (), domain: d0 in [0, 0], d1 in [0, 1], d2 in "
                  "[0, 31], rt0 in [0, 1], rt1 in [0, 0], rt2 in [0, 226]"},
                 {2,
                  "(d0, d1, d2){rt0, rt1, rt2} -> (), domain: d0 in [0, 0], d1 in [0, 1], d2 in "
                  "[0, 31], rt0 in [0, 1], rt1 in [0, 0], rt2 in [0, 226]"},
                 {3,
                  "(d0, d1, d2){rt0, rt1, rt2} -> (), domain: d0 in [0, 0], d1 in [0, 1], d2 in "
                  "[0, 31], rt0 in [0, 1], rt1 in [0, 0], rt2 in [0, 226]"}}},
        Example{"dynamic update slice of one dimension",
                "src = s32[20] parameter(0)\nupd = s32[5] parameter(1)\n"
                "of1 = s32[] parameter(2)\n"
                "dus = s32[20] dynamic-update-slice(src, upd, of1)",
                {{0,
                  "(d0){rt0} -> (d0), domain: d0 in [0, 19], rt0 in [0, 15], d0 - rt0 in "
                  "[-15, -1]"},
                 {0,
                  "(d0){rt0} -> (d0), domain: d0 in [0, 19], rt0 in [0, 15], d0 - rt0 in "
                  "[5, 19]"},
                 {1,
                  "(d0){rt0} -> (d0 - rt0), domain: d0 in [0, 19], rt0 in [0, 15], d0 - rt0 in "
                  "[0, 4]"},
                 {2, "(d0){rt0} -> (), domain: d0 in [0, 19], rt0 in [0, 15]"}}},
        Example{"gather",
                "operand = f32[33,76,70] parameter(0)\nindices = s32[1806,2] parameter(1)\n"
                "gather = f32[1806,7,8,4] gather(operand, indices), offset_dims={1,2,3}, "
                "collapsed_slice_dims={}, start_index_map={0,1}, index_vector_dim=1, "
                "slice_sizes={7,8,4}",
                {{0,
                  "(d0, d1, d2, d3){rt0, rt1} -> (d1 + rt0, d2 + rt1, d3), domain: d0 in [0, "
                  "1805], d1 in [0, 6], d2 in [0, 7], d3 in [0, 3], rt0 in [0, 26], rt1 in [0, "
                  "68]"},
                 {1,
                  "(d0, d1, d2, d3)[s0]{rt0, rt1} -> (d0, s0), domain: d0 in [0, 1805], d1 in "
                  "[0, 6], d2 in [0, 7], d3 in [0, 3], s0 in [0, 1], rt0 in [0, 26], rt1 in "
                  "[0, 68]"}}},
        Example{"transpose",
                "p0 = f32[3, 12288, 6, 128] parameter(0)\n"
                "transpose = f32[3, 6, 128, 12288] transpose(p0), dimensions={0, 2, 3, 1}",
                {{0,
                  "(d0, d1, d2, d3) -> (d0, d3, d1, d2), domain: d0 in [0, 2], d1 in [0, 5], d2 "
                  "in [0, 127], d3 in [0, 12287]"}}},
        Example{"reverse",
                "p0 = f32[1, 17, 9, 9] parameter(0)\n"
                "reverse = f32[1, 17, 9, 9] reverse(p0), dimensions={1, 2}",
                {{0,
                  "(d0, d1, d2, d3) -> (d0, -d1 + 16, -d2 + 8, d3), domain: d0 in [0, 0], d1 in "
                  "[0, 16], d2 in [0, 8], d3 in [0, 8]"}}},
        Example{"variadic reduce, second result",
                absl::StrCat(kMaximumOfTwo,
                             "ENTRY e {\n p0 = f32[256,10] parameter(0)\n p0_init = f32[] "
                             "constant(-inf)\n p1 = s32[256,10] parameter(1)\n p1_init = s32[] "
                             "constant(0)\n ROOT reduce = (f32[10], s32[10]) reduce(p0, p1, "
                             "p0_init, p1_init), dimensions={0}, to_apply=m\n}"),
                {{0, "(d0)[s0] -> (s0, d0), domain: d0 in [0, 9], s0 in [0, 255]"},
                 {1, "(d0)[s0] -> (s0, d0), domain: d0 in [0, 9], s0 in [0, 255]"},
                 {2, "(d0) -> (), domain: d0 in [0, 9]"},
                 {3, "(d0) -> (), domain: d0 in [0, 9]"}},
                1},
        Example{"slice",
                "p0 = f32[10, 20, 50] parameter(0)\n"
                "slice = f32[5, 3, 25] slice(f32[10, 20, 50] p0), "
                "slice={[5:10:1], [3:20:7], [0:50:2]}",
                {{0,
                  "(d0, d1, d2) -> (d0 + 5, d1 * 7 + 3, d2 * 2), domain: d0 in [0, 4], d1 in "
                  "[0, 2], d2 in [0, 24]"}}},
        Example{"collapsing reshape",
                "p0 = f32[4,8] parameter(0)\nreshape = f32[32] reshape(p0)",
                {{0, "(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31]"}}},
        Example{"expanding reshape",
                "p0 = f32[32] parameter(0)\nreshape = f32[4, 8] reshape(p0)",
                {{0, "(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]"}}},
        Example{"generic reshape",
                "p0 = f32[4,8] parameter(0)\nreshape = f32[2, 4, 4] reshape(p0)",
                {{0,
                  "(d0, d1, d2) -> (d0 * 2 + d1 floordiv 2, d2 + (d1 mod 2) * 4), domain: d0 in "
                  "[0, 1], d1 in [0, 3], d2 in [0, 3]"}}},
        Example{"reshape of parts",
                "p0 = f32[4, 8, 12] parameter(0)\nreshape = f32[32, 3, 4] reshape(p0)",
                {{0,
                  "(d0, d1, d2) -> (d0 floordiv 8, d0 mod 8, d1 * 4 + d2), domain: d0 in [0, "
                  "31], d1 in [0, 2], d2 in [0, 3]"}}},
        Example{"concatenate",
                "p0 = f32[2, 5, 7] parameter(0)\np1 = f32[2, 11, 7] parameter(1)\n"
                "p2 = f32[2, 17, 7] parameter(2)\n"
                "ROOT concat = f32[2, 33, 7] concatenate(p0, p1, p2), dimensions={1}",
                {{0,
                  "(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 1], d1 in [0, 4], d2 in [0, "
                  "6]"},
                 {1,
                  "(d0, d1, d2) -> (d0, d1 - 5, d2), domain: d0 in [0, 1], d1 in [5, 15], d2 in "
                  "[0, 6]"},
                 {2,
                  "(d0, d1, d2) -> (d0, d1 - 16, d2), domain: d0 in [0, 1], d1 in [16, 32], d2 "
                  "in [0, 6]"}}},
        Example{"dot",
                "p0 = f32[4, 128, 256] parameter(0)\np1 = f32[4, 256, 64] parameter(1)\n"
                "dot = f32[4, 128, 64] dot(p0, p1), lhs_batch_dims={0}, rhs_batch_dims={0}, "
                "lhs_contracting_dims={2}, rhs_contracting_dims={1}",
                {{0,
                  "(d0, d1, d2)[s0] -> (d0, d1, s0), domain: d0 in [0, 3], d1 in [0, 127], d2 "
                  "in [0, 63], s0 in [0, 255]"},
                 {1,
                  "(d0, d1, d2)[s0] -> (d0, s0, d2), domain: d0 in [0, 3], d1 in [0, 127], d2 "
                  "in [0, 63], s0 in [0, 255]"}}},
        Example{"pad",
                "p0 = f32[4, 4] parameter(0)\np1 = f32[] parameter(1)\n"
                "pad = f32[12, 16] pad(p0, p1), padding=1_4_1x4_8_0",
                {{0,
                  "(d0, d1) -> ((d0 - 1) floordiv 2, d1 - 4), domain: d0 in [1, 7], d1 in [4, "
                  "7], (d0 - 1) mod 2 in [0, 0]"},
                 {1, "(d0, d1) -> (), domain: d0 in [0, 0], d1 in [0, 15]"},
                 {1,
                  "(d0, d1) -> (), domain: d0 in [1, 7], d1 in [0, 15], (d0 - 1) mod 2 in [1, "
                  "1]"},
                 {1, "(d0, d1) -> (), domain: d0 in [8, 11], d1 in [0, 15]"},
                 {1, "(d0, d1) -> (), domain: d0 in [0, 11], d1 in [0, 3]"},
                 {1, "(d0, d1) -> (), domain: d0 in [0, 11], d1 in [8, 15]"}}},
        Example{"reduce-window",
                absl::StrCat(kMaximum,
                             "ENTRY e {\n c_inf = f32[] constant(-inf)\n p0 = f32[1024, 514] "
                             "parameter(0)\n ROOT reduce-window = f32[1024, 3] reduce-window(p0, "
                             "c_inf), window={size=1x512 pad=0_0x0_0}, to_apply=m\n}"),
                {{0,
                  "(d0, d1)[s0] -> (d0, d1 + s0), domain: d0 in [0, 1023], d1 in [0, 2], s0 in "
                  "[0, 511]"},
                 {1, "(d0, d1) -> (), domain: d0 in [0, 1023], d1 in [0, 2]"}}}),
    name_of_example);

INSTANTIATE_TEST_SUITE_P(
    Fusions, DocumentTest,
    testing::Values(
        Example{
            "one operand, two maps",
            "f {\n p0 = f32[1000, 1000] parameter(0)\n t = f32[1000, 1000]{0, 1} transpose(p0), "
            "dimensions={1, 0}\n ROOT a0 = f32[1000, 1000] add(p0, t)\n}\nENTRY e {\n p0 = "
            "f32[1000,1000] parameter(0)\n ROOT x = f32[1000,1000] fusion(p0), kind=kLoop, "
            "calls=f\n}",
            {{0, "(d0, d1) -> (d0, d1), domain: d0 in [0, 999], d1 in [0, 999]"},
             {0, "(d0, d1) -> (d1, d0), domain: d0 in [0, 999], d1 in [0, 999]"}}},
        Example{
            "two paths, one map",
            "f {\n p0 = f32[20, 10, 50] parameter(0)\n l1 = f32[10, 20, 50] transpose(p0), "
            "dimensions={1, 0, 2}\n le = f32[10, 20, 50] exponential(l1)\n l2 = f32[10, 50, 20] "
            "transpose(le), dimensions={0, 2, 1}\n r1 = f32[50, 10, 20] transpose(p0), "
            "dimensions={2, 1, 0}\n re = f32[50, 10, 20] exponential(r1)\n r2 = f32[10, 50, 20] "
            "transpose(re), dimensions={1, 0, 2}\n ROOT a = f32[10, 50, 20] add(l2, r2)\n}\n"
            "ENTRY e {\n p0 = f32[20, 10, 50] parameter(0)\n ROOT x = f32[10, 50, 20] "
            "fusion(p0), kind=kLoop, calls=f\n}",
            {{0,
              "(d0, d1, d2) -> (d2, d0, d1), domain: d0 in [0, 9], d1 in [0, 49], d2 in [0, "
              "19]"}}},
        Example{"softmax",
                absl::StrCat(
                    kMaximum,
                    "f {\n p0 = f32[2,65,125] parameter(0)\n i = f32[] constant(-inf)\n z = f32[] "
                    "constant(0)\n m0 = f32[2,65] reduce(p0, i), dimensions={2}, to_apply=m\n m1 = "
                    "f32[2,65,125] broadcast(m0), dimensions={0,1}\n s = f32[2,65,125] "
                    "subtract(p0, m1)\n x = f32[2,65,125] exponential(s)\n a = f32[2,65] reduce(x, "
                    "z), dimensions={2}, to_apply=m\n b = f32[2,65,125] broadcast(a), "
                    "dimensions={0,1}\n ROOT d = f32[2,65,125] divide(x, b)\n}\nENTRY e {\n p0 = "
                    "f32[2,65,125] parameter(0)\n ROOT x = f32[2,65,125] fusion(p0), kind=kLoop, "
                    "calls=f\n}"),
                {{0,
                  "(d0, d1, d2)[s0] -> (d0, d1, s0), domain: d0 in [0, 1], d1 in [0, 64], d2 in "
                  "[0, 124], s0 in [0, 124]"},
                 {0,
                  "(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 1], d1 in [0, 64], d2 in [0, "
                  "124]"}}},
        Example{
            "reshapes that cancel",
            "f {\n p0 = f32[10, 10, 10] parameter(0)\n reshape1 = f32[50, 20] reshape(p0)\n "
            "ROOT reshape2 = f32[10, 10, 10] reshape(reshape1)\n}\nENTRY e {\n p0 = f32[10, 10, "
            "10] parameter(0)\n ROOT x = f32[10, 10, 10] fusion(p0), kind=kLoop, calls=f\n}",
            {{0,
              "(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, "
              "9]"}}},
        Example{"constant offset out of range",
                "f {\n p0 = s32[100] parameter(0)\n offset = s64[] constant(99)\n ROOT d = s32[10] "
                "dynamic-slice(p0, offset), dynamic_slice_sizes={10}\n}\nENTRY e {\n p0 = s32[100] "
                "parameter(0)\n ROOT x = s32[10] fusion(p0), kind=kInput, calls=f\n}",
                {{0, "(d0) -> (d0 + 90), domain: d0 in [0, 9]"}}},
        Example{
            "indices of an iota, clamped",
            "f {\n p0 = f32[5] parameter(0)\n i = s32[8] iota(), iota_dimension=0\n ROOT g = "
            "f32[8] gather(p0, i), offset_dims={}, collapsed_slice_dims={0}, "
            "start_index_map={0}, index_vector_dim=1, slice_sizes={1}\n}\nENTRY e {\n p0 = "
            "f32[5] parameter(0)\n ROOT x = f32[8] fusion(p0), kind=kLoop, calls=f\n}",
            {{0, "(d0) -> (d0), domain: d0 in [0, 4]"}, {0, "(d0) -> (4), domain: d0 in [5, 7]"}}},
        Example{
            "all gather",
            "f {\n p0 = f32[16384] parameter(0)\n p1 = f32[128, 256] parameter(1)\n b = "
            "f32[128, 128] bitcast(p0)\n g = f32[256, 128] all-gather(b), "
            "replica_groups={{0,1}}, dimensions={0}\n t = f32[128, 256] transpose(g), "
            "dimensions={1, 0}\n ROOT a = f32[128, 256] add(t, p1)\n}\nENTRY e {\n p0 = "
            "f32[16384] parameter(0)\n p1 = f32[128, 256] parameter(1)\n ROOT x = f32[128, 256] "
            "fusion(p0, p1), kind=kLoop, calls=f\n}",
            {{0,
              "(d0, d1) -> ((d1 mod 128) * 128 + d0), domain: d0 in [0, 127], d1 in [0, "
              "255]"},
             {1, "(d0, d1) -> (d0, d1), domain: d0 in [0, 127], d1 in [0, 255]"}}},
        Example{"reverse and reshape",
                "f {\n p0 = f32[10, 11] parameter(0)\n r0 = f32[10, 11] reverse(p0), "
                "dimensions={0, 1}\n s0 = f32[110] reshape(r0)\n r1 = f32[110] reverse(s0), "
                "dimensions={0}\n ROOT s1 = f32[10, 11] reshape(r1)\n}\nENTRY e {\n p0 = f32[10, "
                "11] parameter(0)\n ROOT x = f32[10, 11] fusion(p0), kind=kLoop, calls=f\n}",
                {{0, "(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 10]"}}}),
    name_of_example);

// XLA's own cases, if they are available. `differences` has the cases with other answers, and why.
TEST(IndexingTest, CasesOfXla) {
  const std::map<std::string, std::string> differences = {
      {"IndexingAnalysisTest.PhysicalLayoutTestOutputPermutation#o2i0",
       "asks for physical positions: see PhysicalPositions in impl/hlo/reshape_indices_test.cc"},
      {"IndexingAnalysisTest.DynamicUpdateSliceOp",
       "operand 0 over the whole output, and indices outside the update"},
      {"IndexingAnalysisTest.FusionWithRTVarsSimplification_ScalarConstantOutsideOfRangeIsKept",
       "a known offset is clamped here"},
  };
  std::ifstream file(project_path("../shared/data/xla_cases.jsonl"));
  if (!file) GTEST_SKIP() << "no ../shared beside the checkout";
  int64_t compared = 0, different = 0;
  for (std::string line; std::getline(file, line);) {
    const auto entry = nlohmann::json::parse(line);
    if (entry["op"] != "instruction_indexing" || entry["direction"] != "output_to_input") continue;
    const std::string name = entry["id"];
    if (differences.contains(name)) {
      ++different;
      continue;
    }
    ++compared;
    std::vector<std::pair<int, std::string>> expected;
    for (size_t k = 0; k < entry["expected"].size(); ++k) {
      for (const std::string map : entry["expected"][k]) {
        if (map != "KNOWN EMPTY") expected.emplace_back(static_cast<int>(k), map);
      }
    }
    EXPECT_EQ(without_runtime(maps_of_root(entry["hlo"], entry["output_id"])),
              without_runtime(simplified_lines(expected)))
        << name;
  }
  EXPECT_EQ(different, std::ssize(differences));
  EXPECT_GT(compared, 15);
}

}  // namespace
}  // namespace tileproof::impl
