// SPDX-License-Identifier: Apache-2.0
// The examples of XLA's "Indexing analysis": spec/map/map_evaluation.h enumerates each map, and
// the elements must be those of the interpreter.
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/hlo/provenance.h"
#include "spec/hlo/provenance_testing.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::spec {
namespace {

using ::testing::IsEmpty;

// For each element, the row-major numbers of the elements that a list of maps gives.
std::vector<std::set<int64_t>> enumerated(const std::vector<std::string>& maps, const Dims& out,
                                          const Dims& in) {
  std::vector<std::set<int64_t>> dependences(
      std::accumulate(out.begin(), out.end(), size_t{1},
                      [](size_t n, int64_t d) { return n * static_cast<size_t>(d); }));
  for (const std::string& text : maps) {
    const IndexingMap map = *parse_map(text);
    const absl::Status status =
        for_each_point(map, 1 << 26, [&](const Point& point, const std::vector<int64_t>& index) {
          for (size_t d = 0; d < in.size(); ++d) {
            EXPECT_TRUE(0 <= index[d] && index[d] < in[d]) << text;
          }
          dependences[element_number(out, point.dims)].insert(element_number(in, index));
          return true;
        });
    EXPECT_TRUE(status.ok()) << status;
  }
  return dependences;
}

struct Example {
  const char* name;
  std::string hlo;
  std::vector<std::vector<std::string>> maps;  // by parameter
  int64_t leaf = 0;
};

// The document's examples without offsets. Shapes that are too large to enumerate are smaller here.
std::vector<Example> examples() {
  const std::string f12 = "domain: d0 in [0, 9], d1 in [0, 19]";
  const std::string f3 = "domain: d0 in [0, 9], d1 in [0, 19], d2 in [0, 29]";
  return {
      {"elementwise",
       "r = f32[10,20] add(f32[10,20] p0, f32[10,20] p1)",
       {{"(d0, d1) -> (d0, d1), " + f12}, {"(d0, d1) -> (d0, d1), " + f12}}},
      {"broadcast",
       "r = f32[10,20,30] broadcast(f32[20] p0), dimensions={1}",
       {{"(d0, d1, d2) -> (d1), " + f3}}},
      {"transpose",
       "r = f32[3,6,12,28] transpose(f32[3,28,6,12] p0), dimensions={0,2,3,1}",
       {{"(d0, d1, d2, d3) -> (d0, d3, d1, d2), domain: d0 in [0, 2], d1 in [0, 5], d2 in [0, 11], "
         "d3 in [0, 27]"}}},
      {"reverse",
       "r = f32[1,17,9,9] reverse(f32[1,17,9,9] p0), dimensions={1,2}",
       {{"(d0, d1, d2, d3) -> (d0, -d1 + 16, -d2 + 8, d3), domain: d0 in [0, 0], d1 in [0, 16], "
         "d2 in [0, 8], d3 in [0, 8]"}}},
      {"variadic reduce",
       "r = (f32[10], s32[10]) reduce(f32[256,10] p0, s32[256,10] p1, f32[] i0, s32[] i1), "
       "dimensions={0}, to_apply=max",
       {{"(d0)[s0] -> (s0, d0), domain: d0 in [0, 9], s0 in [0, 255]"},
        {"(d0)[s0] -> (s0, d0), domain: d0 in [0, 9], s0 in [0, 255]"},
        {"(d0) -> (), domain: d0 in [0, 9]"},
        {"(d0) -> (), domain: d0 in [0, 9]"}},
       1},
      {"slice",
       "r = f32[5,3,25] slice(f32[10,20,50] p0), slice={[5:10:1], [3:20:7], [0:50:2]}",
       {{"(d0, d1, d2) -> (d0 + 5, d1 * 7 + 3, d2 * 2), domain: d0 in [0, 4], d1 in [0, 2], "
         "d2 in [0, 24]"}}},
      {"collapse",
       "r = f32[32] reshape(f32[4,8] p0)",
       {{"(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31]"}}},
      {"expand",
       "r = f32[4,8] reshape(f32[32] p0)",
       {{"(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]"}}},
      {"reshape 1",
       "r = f32[2,4,4] reshape(f32[4,8] p0)",
       {{"(d0, d1, d2) -> (d0 * 2 + d1 floordiv 2, d2 + (d1 mod 2) * 4), domain: d0 in [0, 1], "
         "d1 in [0, 3], d2 in [0, 3]"}}},
      {"reshape 2",
       "r = f32[32,3,4] reshape(f32[4,8,12] p0)",
       {{"(d0, d1, d2) -> (d0 floordiv 8, d0 mod 8, d1 * 4 + d2), domain: d0 in [0, 31], "
         "d1 in [0, 2], d2 in [0, 3]"}}},
      {"concatenate",
       "r = f32[2,33,7] concatenate(f32[2,5,7] p0, f32[2,11,7] p1, f32[2,17,7] p2), dimensions={1}",
       {{"(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 1], d1 in [0, 4], d2 in [0, 6]"},
        {"(d0, d1, d2) -> (d0, d1 - 5, d2), domain: d0 in [0, 1], d1 in [5, 15], d2 in [0, 6]"},
        {"(d0, d1, d2) -> (d0, d1 - 16, d2), domain: d0 in [0, 1], d1 in [16, 32], d2 in [0, 6]"}}},
      {"dot",
       "r = f32[4,12,6] dot(f32[4,12,25] p0, f32[4,25,6] p1), lhs_batch_dims={0}, "
       "rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}",
       {{"(d0, d1, d2)[s0] -> (d0, d1, s0), domain: d0 in [0, 3], d1 in [0, 11], d2 in [0, 5], "
         "s0 in [0, 24]"},
        {"(d0, d1, d2)[s0] -> (d0, s0, d2), domain: d0 in [0, 3], d1 in [0, 11], d2 in [0, 5], "
         "s0 in [0, 24]"}}},
      // The document's map of the padding value covers the whole result. The value flows only to
      // the edges and the holes.
      {"pad",
       "r = f32[12,16] pad(f32[4,4] p0, f32[] p1), padding=1_4_1x4_8_0",
       {{"(d0, d1) -> ((d0 - 1) floordiv 2, d1 - 4), domain: d0 in [1, 7], d1 in [4, 7], "
         "(d0 - 1) mod 2 in [0, 0]"},
        {"(d0, d1) -> (), domain: d0 in [0, 11], d1 in [0, 3]",
         "(d0, d1) -> (), domain: d0 in [0, 11], d1 in [8, 15]",
         "(d0, d1) -> (), domain: d0 in [8, 11], d1 in [4, 7]",
         "(d0, d1) -> (), domain: d0 in [0, 7], d1 in [4, 7], d0 mod 2 in [0, 0]"}}},
      {"reduce-window",
       "r = f32[102,3] reduce-window(f32[102,54] p0, f32[] p1), window={size=1x52 pad=0_0x0_0}, "
       "to_apply=max",
       {{"(d0, d1)[s0] -> (d0, d1 + s0), domain: d0 in [0, 101], d1 in [0, 2], s0 in [0, 51]"},
        {"(d0, d1) -> (), domain: d0 in [0, 101], d1 in [0, 2]"}}},
      {"p0 + transpose(p0)",
       "p0 = f32[100,100] parameter(0)\nt = f32[100,100]{0,1} transpose(p0), dimensions={1,0}\n"
       "r = f32[100,100] add(p0, t)",
       {{"(d0, d1) -> (d0, d1), domain: d0 in [0, 99], d1 in [0, 99]",
         "(d0, d1) -> (d1, d0), domain: d0 in [0, 99], d1 in [0, 99]"}}},
      {"one input twice, one map",
       "p0 = f32[20,10,50] parameter(0)\nl1 = f32[10,20,50] transpose(p0), dimensions={1,0,2}\n"
       "le = f32[10,20,50] exponential(l1)\nl2 = f32[10,50,20] transpose(le), dimensions={0,2,1}\n"
       "r1 = f32[50,10,20] transpose(p0), dimensions={2,1,0}\n"
       "re = f32[50,10,20] exponential(r1)\nr2 = f32[10,50,20] transpose(re), dimensions={1,0,2}\n"
       "r = f32[10,50,20] add(l2, r2)",
       {{"(d0, d1, d2) -> (d2, d0, d1), domain: d0 in [0, 9], d1 in [0, 49], d2 in [0, 19]"}}},
      {"softmax",
       "p0 = f32[2,6,25] parameter(0)\nm0 = f32[] constant(-inf)\n"
       "m = f32[2,6] reduce(p0, m0), dimensions={2}, to_apply=max\n"
       "mb = f32[2,6,25] broadcast(m), dimensions={0,1}\ns = f32[2,6,25] subtract(p0, mb)\n"
       "e = f32[2,6,25] exponential(s)\nz = f32[] constant(0)\n"
       "t = f32[2,6] reduce(e, z), dimensions={2}, to_apply=sum\n"
       "tb = f32[2,6,25] broadcast(t), dimensions={0,1}\nr = f32[2,6,25] divide(e, tb)",
       {{"(d0, d1, d2)[s0] -> (d0, d1, s0), domain: d0 in [0, 1], d1 in [0, 5], d2 in [0, 24], "
         "s0 in [0, 24]",
         "(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 1], d1 in [0, 5], d2 in [0, 24]"}}},
      {"reshapes that cancel",
       "p0 = f32[10,10,10] parameter(0)\nq = f32[50,20] reshape(p0)\nr = f32[10,10,10] reshape(q)",
       {{"(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, 9]"}}},
  };
}

TEST(Document, MapsWithoutOffsetsAreTheDependences) {
  for (const Example& example : examples()) {
    SCOPED_TRACE(example.name);
    const HloModule module = module_of(example.hlo);
    const HloComputation& entry = module.computations[0];
    const auto result = provenance(module, 0, entry.root, example.leaf, Scope::kComputation, zero);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_THAT(result->conservative, IsEmpty());
    ASSERT_EQ(example.maps.size(), result->sources.size());
    for (size_t k = 0; k < example.maps.size(); ++k) {
      std::vector<std::set<int64_t>> dependences(result->elements.size());
      for (size_t e = 0; e < dependences.size(); ++e) {
        for (const Source& s : *result->elements[e]) {
          if (s.operand == static_cast<int32_t>(k)) dependences[e].insert(s.element);
        }
      }
      EXPECT_EQ(dependences, enumerated(example.maps[k], result->dims, result->sources[k][0])) << k;
    }
  }
}

}  // namespace
}  // namespace tileproof::spec
