#include "impl/indexing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "impl/module_indexing.h"
#include "impl/reindex.h"
#include "impl/simplify.h"
#include "impl/tiled_layout.h"
#include "impl/trace.h"
#include "spec/lang/hlo_text.h"
#include "spec/lang/map_text.h"
#include "spec/lang/shape_text.h"

namespace tileproof::impl {
namespace {

HloModule module_of(const std::string& text) {
  absl::StatusOr<HloModule> module = parse_hlo_module(text);
  EXPECT_TRUE(module.ok()) << module.status() << "\n" << text;
  return module.ok() ? *std::move(module) : HloModule{};
}

// The answer as text: a line for each map, `operand: map`.
std::string text_of(const HloModule& module, int32_t computation,
                    const absl::StatusOr<Indexing>& indexing) {
  if (!indexing.ok()) return absl::StrCat("error: ", indexing.status().message());
  std::string text;
  for (size_t k = 0; k < indexing->size(); ++k) {
    for (size_t leaf = 0; leaf < (*indexing)[k].size(); ++leaf) {
      const LeafMaps& list = (*indexing)[k][leaf];
      const std::string name = leaf == 0 ? absl::StrCat(k) : absl::StrCat(k, "#", leaf);
      for (const IndexedMap& one : list.maps) {
        absl::StrAppend(&text, name, ": ", to_text(one.map), "\n");
        for (size_t i = 0; i < one.runtime.size(); ++i) {
          absl::StrAppend(&text, "  rt", i, ": ",
                          name_of(module, computation, one.runtime[i].place), " ",
                          to_text(one.runtime[i].map), "\n");
        }
      }
      if (list.inexact) absl::StrAppend(&text, name, " inexact: ", list.reason, "\n");
    }
  }
  return text;
}

std::string of_root(const std::string& text, int32_t leaf = 0) {
  const HloModule module = module_of(text);
  IndexingAnalysis analysis(module);
  const int32_t root = module.computations[module.entry].root;
  return text_of(module, module.entry, analysis.instruction(module.entry, root, leaf));
}

// Each line `operand: map`, the maps simplified; sources left out. Sorted, as a union has no order.
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

// The expected text may use any spelling: it is read and simplified too.
std::string simplified_lines(const std::vector<std::pair<int, std::string>>& expected) {
  std::vector<std::string> lines;
  for (const auto& [operand, map] : expected) {
    const IndexingMap simple = simplify(parse_map(map).value()).value();
    lines.push_back(absl::StrCat(operand, ": ", to_text(simple), "\n"));
  }
  std::ranges::sort(lines);
  return absl::StrJoin(lines, "");
}

// Without the declarations of runtime variables, which XLA leaves out where a map has no use for
// them: the lines of maps that use none.
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

constexpr char kMaximum[] =
    "m {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] maximum(a, b)\n}\n";
constexpr char kMaximumOfTwo[] =
    "m {\n a = f32[] parameter(0)\n b = s32[] parameter(1)\n c = f32[] parameter(2)\n"
    " d = s32[] parameter(3)\n e = f32[] maximum(a, c)\n f = s32[] maximum(b, d)\n"
    " ROOT g = (f32[], s32[]) tuple(e, f)\n}\n";

// The examples of seed "Indexing analysis" and further ones of XLA's own tests (facts, data). Where
// the document approximates (dynamic-update-slice, pad value) the definition decides:
//   * dynamic-update-slice, operand 0: the document lists it over the whole output; here outside
//     the window only, a map for each side of each dimension;
//   * dynamic-update-slice, update: the document lists indices outside the update; here they are
//     excluded;
//   * pad value: the document lists it over the whole output; here where no operand element lands;
//   * concatenate, third operand: the document subtracts 16 as here;
//   * dynamic-slice with a constant offset out of range: XLA keeps a runtime variable; here the
//     clamped value.
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
            "two ways, one map",
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

// XLA's own cases, where they are at hand. Named are those whose expectation is not met, and why.
TEST(IndexingTest, CasesOfXla) {
  const std::map<std::string, std::string> differences = {
      {"IndexingAnalysisTest.PhysicalLayoutTestOutputPermutation#o2i0",
       "asks for physical positions: see PhysicalPositions below"},
      {"IndexingAnalysisTest.DynamicUpdateSliceOp",
       "operand 0 over the whole output, and indices outside the update"},
      {"IndexingAnalysisTest.FusionWithRTVarsSimplification_ScalarConstantOutsideOfRangeIsKept",
       "a known offset is clamped here"},
  };
  std::ifstream file(absl::StrCat(TILEPROOF_SHARED, "/data/xla_cases.jsonl"));
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

TEST(IndexingTest, RuntimeVariablesTellTheirElements) {
  EXPECT_EQ(of_root("t = f32[9,8] parameter(0)\nr = s32[4] parameter(1)\n"
                    "g = f32[4,8] gather(t, r), offset_dims={1}, collapsed_slice_dims={0}, "
                    "start_index_map={0}, index_vector_dim=1, slice_sizes={1,8}"),
            "0: (d0, d1){rt0} -> (rt0, d1), domain: d0 in [0, 3], d1 in [0, 7], rt0 in [0, 8]\n"
            "  rt0: r (d0, d1) -> (d0), domain: d0 in [0, 3], d1 in [0, 7]\n"
            "1: (d0, d1){rt0} -> (d0), domain: d0 in [0, 3], d1 in [0, 7], rt0 in [0, 8]\n"
            "  rt0: r (d0, d1) -> (d0), domain: d0 in [0, 3], d1 in [0, 7]\n");
}

// A window that is read and written back at the offsets it was read at stays where it is, also
// where it is the caller who gives one operand for several offsets.
TEST(IndexingTest, OffsetsThatAreOneValueAreOneVariable) {
  const auto moved_back = [](const std::string& i, const std::string& j) {
    const HloModule module = module_of(
        "f {\n t = f32[32] parameter(0)\n i = s32[] parameter(1)\n j = s32[] parameter(2)\n"
        " w = f32[8] dynamic-slice(t, j), dynamic_slice_sizes={8}\n"
        " ROOT u = f32[32] dynamic-update-slice(t, w, i)\n}\n"
        "ENTRY e {\n t = f32[32] parameter(0)\n i = s32[] parameter(1)\n j = s32[] parameter(2)\n"
        " ROOT r = f32[32] fusion(t, " +
        i + ", " + j + "), calls=f\n}\n");
    IndexingAnalysis analysis(module);
    const auto maps = analysis.instruction(1, 3).value()[0][0].maps;
    return to_text(maps.back().map);
  };
  EXPECT_EQ(moved_back("i", "j"),
            "(d0){rt0, rt1} -> (d0 - rt0 + rt1), domain: d0 in [0, 31], rt0 in [0, 24], rt1 in "
            "[0, 24], d0 - rt0 in [0, 7]");
  EXPECT_EQ(moved_back("i", "i"),
            "(d0){rt0} -> (d0), domain: d0 in [0, 31], rt0 in [0, 24], d0 - rt0 in [0, 7]");
}

// An update lands only from a window that lies inside; the variable has a value for each update.
TEST(IndexingTest, AScatterIsExact) {
  const std::string text = of_root(absl::StrCat(
      kMaximum,
      "ENTRY e {\n p = f32[9] parameter(0)\n i = s32[4] parameter(1)\n u = f32[4,2] parameter(2)\n"
      " ROOT s = f32[9] scatter(p, i, u), update_window_dims={1}, inserted_window_dims={}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=m\n}"));
  EXPECT_THAT(text, testing::HasSubstr("2: (d0)[s0]{rt0} -> (s0, d0 - rt0), domain: d0 in [0, 8], "
                                       "s0 in [0, 3], rt0 in [-1, 8], d0 - rt0 in [0, 1], rt0 in "
                                       "[0, 7]\n  rt0: i (d0)[s0] -> (s0), "));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("inexact")));
}

// The map at one point, as text: its results, or KNOWN EMPTY.
std::string at_point(IndexingMap map, int64_t value) {
  map.dimensions[0].bounds = {value, value};
  const IndexingMap there = simplify(map).value();
  if (there.known_empty) return "KNOWN EMPTY";
  std::vector<int64_t> index;
  for (NodeId result : there.results) index.push_back(there.nodes[result].value);
  return absl::StrJoin(index, ",");
}

std::string element_at(const Shape& array, int64_t offset) {
  const auto index = TiledLayout::create(array).value().delinearize(offset).value();
  return index ? absl::StrJoin(*index, ",") : "KNOWN EMPTY";
}

// Of the 24 places of the tiled array 9 are padding: they have no element to come from.
TEST(IndexingTest, ABitcastThroughTilesThatNoTransposeExplains) {
  const HloModule module =
      module_of("p = f32[3,5]{1,0:T(2,2)} parameter(0)\nb = f32[24] bitcast(p)");
  const auto answer = IndexingAnalysis(module).instruction(0, 1);
  ASSERT_TRUE(answer.ok()) << answer.status();
  ASSERT_EQ((*answer)[0][0].maps.size(), 1);
  const Shape array = parse_shape("f32[3,5]{1,0:T(2,2)}").value();
  for (int64_t offset = 0; offset < 24; ++offset) {
    EXPECT_EQ(at_point((*answer)[0][0].maps[0].map, offset), element_at(array, offset)) << offset;
  }
}

// XLA's example: what is at a place in memory comes from which place.
TEST(ReindexTest, PhysicalPositions) {
  const Shape in = parse_shape("f32[10,20,30]").value();
  const Shape out = parse_shape("f32[10,20,30]{1,0,2}").value();
  const IndexingMap identity =
      parse_map("(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 9], d1 in [0, 19], d2 in [0, 29]")
          .value();
  EXPECT_EQ(to_text(between_physical(identity, out, in).value()),
            "(d0, d1, d2) -> (d1, d2, d0), domain: d0 in [0, 29], d1 in [0, 9], d2 in [0, 19]");
  EXPECT_EQ(to_text(between_physical(identity, out, out).value()),
            "(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 29], d1 in [0, 9], d2 in [0, 19]");
}

// The smallest groups of equal size, each on its own, before anything is simplified.
TEST(ReindexTest, ReshapesAreWrittenGroupByGroup) {
  const auto written = [](const Dims& to, const Dims& from) {
    MapBuilder m(to);
    std::vector<NodeId> dimensions;
    for (size_t d = 0; d < to.size(); ++d) {
      dimensions.push_back(m.dimension(static_cast<int64_t>(d)));
    }
    const std::vector<NodeId> index = reshaped(m, dimensions, to, from).value();
    for (NodeId result : index) m.result(result);
    const std::string text = to_text(m.map());
    return text.substr(0, text.find(", domain"));
  };
  EXPECT_EQ(written({32, 3, 4}, {4, 8, 12}),
            "(d0, d1, d2) -> (d0 floordiv 8, d0 mod 8, d1 * 4 + d2)");
  EXPECT_EQ(written({4, 8, 12}, {32, 3, 4}),
            "(d0, d1, d2) -> (d0 * 8 + d1, d2 floordiv 4, d2 mod 4)");
  EXPECT_EQ(written({2, 3, 5}, {2, 3, 5}), "(d0, d1, d2) -> (d0, d1, d2)");
  EXPECT_EQ(written({6, 4}, {4, 6}), "(d0, d1) -> ((d0 * 4 + d1) floordiv 6, (d0 * 4 + d1) mod 6)");
  EXPECT_EQ(written({1, 6, 1}, {6}), "(d0, d1, d2) -> (d1)");
  EXPECT_EQ(written({6}, {1, 2, 1, 3, 1}), "(d0) -> (0, d0 floordiv 3, 0, d0 mod 3, 0)");
  EXPECT_EQ(written({int64_t{1} << 40, int64_t{1} << 40}, {int64_t{1} << 40, int64_t{1} << 40}),
            "(d0, d1) -> (d0, d1)");
}

// The readers refuse such sizes; made by hand, they are not counted with a number that wrapped.
TEST(ReindexTest, AGroupOfTooManyElementsIsRefused) {
  const int64_t size = int64_t{1} << 40;
  MapBuilder m({size, size, 3});
  const std::vector<NodeId> index = {m.dimension(0), m.dimension(1), m.dimension(2)};
  EXPECT_EQ(reshaped(m, index, {size, size, 3}, {3, size, size}).status(),
            absl::OutOfRangeError("expected fewer than 2^63 elements"));
}

TEST(ReindexTest, PlacesOfATiledArray) {
  const Shape tiled = parse_shape("f32[3,5]{1,0:T(2,2)}").value();
  const auto same = [](const absl::StatusOr<IndexingMap>& map, const std::string& expected) {
    EXPECT_EQ(to_text(map.value()), to_text(simplify(parse_map(expected).value()).value()));
  };
  same(
      logical_to_physical(tiled),
      "(d0, d1) -> (d0 floordiv 2, d1 floordiv 2, d0 mod 2, d1 mod 2), domain: d0 in [0, 2], d1 in "
      "[0, 4]");
  same(physical_to_logical(tiled),
       "(d0, d1, d2, d3) -> (d0 * 2 + d2, d1 * 2 + d3), domain: d0 in [0, 1], d1 in [0, 2], d2 in "
       "[0, 1], d3 in [0, 1], d0 * 2 + d2 in [0, 2], d1 * 2 + d3 in [0, 4]");
  same(logical_to_offset(tiled),
       "(d0, d1) -> ((d0 floordiv 2) * 12 + (d1 floordiv 2) * 4 + (d0 mod 2) * 2 + d1 mod 2), "
       "domain: d0 in [0, 2], d1 in [0, 4]");
  EXPECT_EQ(offset_to_logical(parse_shape("f32[0,5]{1,0:T(2,2)}").value()).status().message(),
            "expected an array with an element");
  const IndexingMap back = offset_to_logical(tiled).value();
  for (int64_t offset = 0; offset < 24; ++offset) {
    EXPECT_EQ(at_point(back, offset), element_at(tiled, offset)) << offset;
  }
}

TEST(IndexingTest, OperationsOnWholeArraysSaySo) {
  EXPECT_EQ(of_root("p = f32[4] parameter(0)\nc = f32[2] custom-call(p), custom_call_target=\"t\""),
            "0: (d0)[s0] -> (s0), domain: d0 in [0, 1], s0 in [0, 3]\n"
            "0 inexact: custom-call \"t\": opaque\n");
}

TEST(IndexingTest, WhatDoesNotFitIsRefusedByName) {
  const auto refused = [](const std::string& text, const std::string& message) {
    EXPECT_EQ(of_root(text), absl::StrCat("error: ", message)) << text;
  };
  refused("p = f32[4] parameter(0)\na = f32[5] negate(p)",
          "a: expected operand 0 of dimensions [5], found [4]");
  refused("p = f32[4] parameter(0)\nr = f32[5] reshape(p)",
          "r: expected as many elements as in [4], found [5]");
  refused("p = f32[4] parameter(0)\nt = f32[4] transpose(p), dimensions={1}",
          "t: expected dimensions to be different dimensions below 1, found {1}");
  refused("p = f32[4] parameter(0)\ns = f32[2] slice(p), slice={[3:5]}",
          "s: expected a slice within dimension 0 of size 4, found [3:5:1]");
  refused(
      "x = f32[1,1,4,1,1] parameter(0)\nw = f32[2,1,1,1] parameter(1)\nc = f32[1,1,3,1] "
      "convolution(x, w), window={size=2}, dim_labels=?b0f?_0?io->b?0f",
      "c: expected a role and a window for every dimension");
  refused("p = f32[?] parameter(0)\nn = f32[?] negate(p)",
          "n: expected dimensions of known size, found ?");
}

TEST(IndexingTest, WhatIsNotThereIsAnErrorThatSaysSo) {
  const absl::StatusOr<HloModule> module =
      parse_hlo_module("p = f32[4] parameter(0)\nn = f32[4] negate(p)");
  ASSERT_TRUE(module.ok());
  IndexingAnalysis analysis(*module);
  for (const auto& [computation, instruction, leaf, message] :
       {std::tuple{-1, 0, 0, "expected a computation below 1, found -1"},
        {1, 0, 0, "expected a computation below 1, found 1"},
        {0, -1, 0, "expected an instruction below 2, found -1"},
        {0, 2, 0, "expected an instruction below 2, found 2"},
        {0, 1, -1, "n: expected a leaf below 1, found -1"},
        {0, 1, 1, "n: expected a leaf below 1, found 1"}}) {
    EXPECT_EQ(analysis.instruction(computation, instruction, leaf).status().message(), message);
    EXPECT_EQ(analysis.computation(computation, instruction, leaf).status().message(), message);
  }
}

TEST(IndexingTest, PlacesHaveTheNamesOfTheCallsThatLeadThere) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(
      "f {\n p = f32[4] parameter(0)\n ROOT t = (f32[4], f32[4]) tuple(p, p)\n}\n"
      "ENTRY e {\n p = f32[4] parameter(0)\n"
      " ROOT c = (f32[4], f32[4]) call(p), to_apply=f\n}\n");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(name_of(*module, module->entry, {.calls = {}, .instruction = 0, .leaf = 0}), "p");
  EXPECT_EQ(name_of(*module, module->entry, {.calls = {1}, .instruction = 1, .leaf = 1}), "c/t#1");
}

// However large, odd or deep: an answer or an error, at once.
TEST(IndexingTest, OddInputIsAnsweredOrRefused) {
  for (const std::string text :
       {"p = f32[0,5] parameter(0)\nr = f32[5,0] reshape(p)",
        "p = f32[1099511627776,4611686018427387904] parameter(0)\nn = f32[] reshape(p)",
        "p = f32[4611686018427387904] parameter(0)\nr = f32[4611686018427387904] reverse(p), "
        "dimensions={0}",
        "p = f32[9223372036854775807] parameter(0)\nc = f32[9223372036854775807] "
        "concatenate(p, p), dimensions={0}",
        "p = f32[4] parameter(0)\nv = f32[] parameter(1)\nq = f32[4] pad(p, v), "
        "padding=9223372036854775807_9223372036854775807_9223372036854775807",
        "t = () tuple()\ng = f32[] get-tuple-element(t), index=0",
        "p = token[] parameter(0)\na = token[] after-all(p)",
        "p = f32[4] parameter(0)\nx = f32[4] frobnicate(p)",
        "p = f32[4] parameter(0)\nx = f32[4] async-start(p)",
        "p = f32[4] parameter(0)\nx = ((f32[4]), f32[4]) negate-start(p)",
        "p = f32[4] parameter(0)\nx = f32[4] convolution(p, p), dim_labels=bf_io->bf"}) {
    const absl::StatusOr<HloModule> parsed = parse_hlo_module(text);
    if (!parsed.ok()) continue;  // sizes that do not fit are refused there
    const HloModule& module = *parsed;
    IndexingAnalysis analysis(module);
    for (int32_t leaf = -1; leaf < 3; ++leaf) {
      const int32_t root = module.computations[0].root;
      const auto answer = analysis.instruction(0, root, leaf);
      EXPECT_TRUE(answer.ok() || !answer.status().message().empty()) << text;
      static_cast<void>(analysis.computation(0, root, leaf));
    }
  }
}

// What is too much ends in a superset that says why: here, the reason for operand 0.
std::string reason_of_root(const std::string& text) {
  const HloModule module = module_of(text);
  IndexingAnalysis analysis(module);
  const auto answer = analysis.computation(module.entry, module.computations[module.entry].root);
  if (!answer.ok()) return absl::StrCat("error: ", answer.status().message());
  return (*answer)[0][0].inexact ? (*answer)[0][0].reason : "exact";
}

TEST(IndexingTest, MoreThanTheBudgetsIsASupersetThatSaysWhy) {
  const auto slices = [](int windows) {  // each a window of one more runtime variable
    std::string text = "v0 = f32[32] parameter(0)\n";
    for (int i = 1; i <= windows; ++i) {
      absl::StrAppend(&text, "o", i, " = s32[] parameter(", i, ")\nv", i, " = f32[", 32 - i,
                      "] dynamic-slice(v", i - 1, ", o", i, "), dynamic_slice_sizes={", 32 - i,
                      "}\n");
    }
    return text;
  };
  EXPECT_EQ(reason_of_root(slices(12)), "exact");
  EXPECT_EQ(reason_of_root(slices(13)), "more than 12 runtime variables in one map");

  const auto sum_of_slices = [](int count) {
    std::string text = "p = f32[70] parameter(0)\na0 = f32[4] slice(p), slice={[0:4]}\n";
    for (int i = 1; i < count; ++i) {
      absl::StrAppend(&text, "b", i, " = f32[4] slice(p), slice={[", i, ":", i + 4, "]}\na", i,
                      " = f32[4] add(a", i - 1, ", b", i, ")\n");
    }
    return text;
  };
  EXPECT_EQ(reason_of_root(sum_of_slices(48)), "exact");
  EXPECT_EQ(reason_of_root(sum_of_slices(49)), "more than 48 maps between two arrays");

  std::string shuffled = "v0 = f32[5,7,11] parameter(0)\n";
  for (int i = 1; i <= 40; ++i) {
    absl::StrAppend(&shuffled, "t", i, " = f32[11,5,7] transpose(v", i - 1,
                    "), dimensions={2,0,1}\nv", i, " = f32[5,7,11] reshape(t", i, ")\n");
  }
  EXPECT_EQ(reason_of_root(shuffled), "a map of too many terms");
}

// Eight operations after each other, each with a map of its own.
TEST(IndexingTest, ATraceOfTooManyTermsIsASupersetThatSaysWhy) {
  std::string text = "p0 = f32[6,10] parameter(0)\n";
  for (int i = 0; i < 4; ++i) {
    absl::StrAppend(&text, "t", i, " = f32[10,6] transpose(p", i, "), dimensions={1,0}\np", i + 1,
                    " = f32[6,10] reshape(t", i, ")\n");
  }
  const HloModule module = module_of(text);
  const auto reason = [&](int64_t most_terms) {
    const Summaries summaries(1);
    ComputationFlows flows(module, 0, summaries);
    const absl::StatusOr<Flows> found = trace(flows, 8, 0, nullptr, most_terms);
    EXPECT_EQ(found->flows.size(), 1);
    const Relation& relation = *found->flows.front().relation;
    EXPECT_EQ(relation.everything, relation.inexact);
    return relation.reason;
  };
  EXPECT_EQ(reason(kMostTerms), "");
  EXPECT_EQ(reason(50), "a computation of too many terms");
  EXPECT_EQ(reason(0), "a computation of too many terms");
}

TEST(IndexingTest, SourcesAreEqualWherePlaceMapAndBoundsAre) {
  const HloModule module = module_of(
      "p = f32[8] parameter(0)\no = s32[] parameter(1)\n"
      "s = f32[4] dynamic-slice(p, o), dynamic_slice_sizes={4}");
  IndexingAnalysis analysis(module);
  const IndexedMap one = analysis.instruction(0, 2).value()[0][0].maps.front();
  IndexedMap other = one;
  EXPECT_EQ(one, other);
  ASSERT_EQ(other.runtime.size(), 1);
  ++other.runtime[0].feasible.high;
  EXPECT_NE(one, other);
}

TEST(IndexingTest, AnInstructionWithoutAShapeIsCountedAsRefused) {
  const HloModule module =
      module_of("p = f32[4] parameter(0)\nq = frobnicate(p)\nROOT r = f32[4] negate(p)");
  std::string reason;
  const ModuleIndexing counted =
      index_module(module, [&](int32_t, int32_t instruction, const FlowClass& found) {
        if (instruction == 1) reason = found.reason;
      });
  EXPECT_EQ(reason, "q: expected a shape of the result");
  EXPECT_EQ(counted.instructions.refused, 1);
}

// n calls of calls, each twice: 2^40 ways, one map.
TEST(IndexingTest, SharedPartsAreDoneOnce) {
  std::string text =
      "c0 {\n p = f32[4] parameter(0)\n ROOT r = f32[4] reverse(p), dimensions={0}\n}\n";
  for (int i = 1; i <= 40; ++i) {
    absl::StrAppend(&text, "c", i, " {\n p = f32[4] parameter(0)\n a = f32[4] call(p), to_apply=c",
                    i - 1, "\n b = f32[4] call(a), to_apply=c", i - 1,
                    "\n ROOT s = f32[4] add(a, b)\n}\n");
  }
  absl::StrAppend(&text,
                  "ENTRY e {\n p = f32[4] parameter(0)\n ROOT c = f32[4] call(p), "
                  "to_apply=c40\n}\n");
  EXPECT_EQ(maps_of_root(text),
            "0: (d0) -> (-d0 + 3), domain: d0 in [0, 3]\n0: (d0) -> (d0), domain: d0 in [0, 3]\n");
}

}  // namespace
}  // namespace tileproof::impl
