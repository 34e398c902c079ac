// SPDX-License-Identifier: Apache-2.0
// The paths of random loops are what the interpreter finds when it runs every iteration, and the
// maps
// of a scan are proven by them.
#include "verify/prove/hlo/loop_paths.h"

#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <set>
#include <string>

#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "generate/choose/choose.h"
#include "generate/hlo/generate_loop.h"
#include "spec/hlo/provenance.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/hlo/hlo_text.h"
#include "verify/prove/hlo/indexing_proof.h"

namespace tileproof::verify {
namespace {

using Elements = std::set<spec::Source>;

// The elements that the paths read for one element of the result. Nothing if a path is a superset
// or
// reads a value.
std::optional<Elements> elements_of(const Paths& definition, const std::vector<int64_t>& o,
                                    const std::vector<std::vector<spec::Dims>>& sources) {
  Elements found;
  for (const DataflowPath& path : definition) {
    if (path.is_superset || !reads_of(path).empty()) return std::nullopt;
    std::vector<int64_t> s(path.ranges.size(), 0);
    do {
      const auto end =
          walk<int64_t>(path, o, s, [](const RuntimeRead<int64_t>&) -> int64_t { return 0; });
      if (!end.in_domain) continue;
      const auto leaf = static_cast<int32_t>(path.leaf);
      found.insert(
          {path.operand, leaf, spec::element_number(sources[path.operand][leaf], end.index)});
    } while (next_index(path.ranges, s));
  }
  return found;
}

TEST(LoopPathsTest, RandomLoopsHaveThePathsOfTheirIterations) {
  int64_t elements = 0, supersets = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Choose choose(Choose::Random{seed + 700'000});
    const GeneratedLoop loop = generate_loop(choose);
    const absl::StatusOr<HloModule> module = parse_hlo_module(loop.text);
    ASSERT_TRUE(module.ok()) << module.status();
    const int32_t root = module->computations[module->entry].root;
    impl::IndexingAnalysis analysis(*module);
    const auto leaves = leaves_of(*module->computations[module->entry].instructions[root].shape);
    for (int64_t leaf = 0; leaf < std::ssize(*leaves); ++leaf) {
      const auto definition = Definitions(*module, analysis).of(module->entry, root, leaf);
      ASSERT_TRUE(definition.ok()) << definition.status() << loop.text;
      const auto reference =
          spec::provenance(*module, module->entry, root, leaf, Scope::kInstruction,
                           [](const spec::HloElement&) -> int64_t { return 0; });
      ASSERT_TRUE(reference.ok()) << reference.status();
      for (int64_t e = 0; e < std::ssize(reference->elements); ++e) {
        const auto o = spec::element_index(reference->dims, e);
        const auto found = elements_of(*definition, o, reference->sources);
        if (!found) {
          ++supersets;
          continue;
        }
        const auto& expected = *reference->elements[e];
        ASSERT_EQ(*found, Elements(expected.begin(), expected.end()))
            << "seed " << seed << ", leaf " << leaf << ", element " << e << "\n"
            << loop.text;
        ++elements;
      }
    }
  }
  std::cout << elements << " elements agree, " << supersets << " of supersets\n";
  EXPECT_GT(elements, supersets);
}

// Where the analysis is exact, the paths are known: nothing is left open.
TEST(LoopPathsTest, TheMapsOfRandomLoopsAreProven) {
  std::map<std::string, int64_t> verdicts;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    Choose choose(Choose::Random{seed + 800'000});
    const GeneratedLoop loop = generate_loop(choose);
    const absl::StatusOr<HloModule> module = parse_hlo_module(loop.text);
    ASSERT_TRUE(module.ok()) << module.status();
    for (const auto direction :
         {impl::Direction::kOutputToInput, impl::Direction::kInputToOutput}) {
      VerifySession session;
      for (const InstructionVerdict& verdict : verify_module(*module, session, direction)) {
        ++verdicts[std::string(to_text(verdict.kind))];
        EXPECT_NE(verdict.kind, InstructionVerdict::Kind::kRefuted)
            << to_text(*module, verdict) << "\n"
            << loop.text;
        EXPECT_NE(verdict.kind, InstructionVerdict::Kind::kUndecided)
            << to_text(*module, verdict) << "\n"
            << loop.text;
      }
    }
  }
  for (const auto& [kind, count] : verdicts) std::cout << count << " " << kind << "\n";
}

constexpr char kScan[] = R"(
  condition { p = (s32[], f32[100,3], f32[100,3], f32[3]) parameter(0)
    i = s32[] get-tuple-element(p), index=0
    n = s32[] constant(100)
    ROOT c = pred[] compare(i, n), direction=LT }
  body { p = (s32[], f32[100,3], f32[100,3], f32[3]) parameter(0)
    i = s32[] get-tuple-element(p), index=0
    xs = f32[100,3] get-tuple-element(p), index=1
    ys = f32[100,3] get-tuple-element(p), index=2
    h = f32[3] get-tuple-element(p), index=3
    one = s32[] constant(1)
    zero = s32[] constant(0)
    x = f32[1,3] dynamic-slice(xs, i, zero), dynamic_slice_sizes={1,3}
    row = f32[3] reshape(x)
    next = f32[3] add(h, row)
    y = f32[1,3] reshape(h)
    u = f32[100,3] dynamic-update-slice(ys, y, i, zero)
    j = s32[] add(i, one)
    ROOT t = (s32[], f32[100,3], f32[100,3], f32[3]) tuple(j, xs, u, next) }
  ENTRY main { zero = s32[] constant(0)
    xs = f32[100,3] parameter(0)
    ys = f32[100,3] parameter(1)
    h = f32[3] parameter(2)
    t = (s32[], f32[100,3], f32[100,3], f32[3]) tuple(zero, xs, ys, h)
    ROOT w = (s32[], f32[100,3], f32[100,3], f32[3]) while(t), condition=condition, body=body })";

void expect_proven(absl::string_view text) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(text);
  ASSERT_TRUE(module.ok()) << module.status();
  const int32_t root = module->computations[module->entry].root;
  for (const auto direction : {impl::Direction::kOutputToInput, impl::Direction::kInputToOutput}) {
    VerifySession session;
    impl::IndexingAnalysis analysis(*module);
    ModuleVerifier verifier(analysis, session, direction);
    const InstructionVerdict verdict = verifier.of(module->entry, root);
    EXPECT_EQ(verdict.kind, InstructionVerdict::Kind::kProven) << to_text(*module, verdict);
  }
}

TEST(LoopPathsTest, TheMapsOfALongScanAreProvenInBothDirections) {
  expect_proven(kScan);
  const absl::StatusOr<HloModule> module = parse_hlo_module(kScan);
  ASSERT_TRUE(module.ok()) << module.status();
  const int32_t root = module->computations[module->entry].root;
  // All rows are written, so nothing of the first ys is left; row k has the sum of rows before k.
  impl::IndexingAnalysis analysis(*module);
  const auto maps = analysis.reads(module->entry, root, 2);
  ASSERT_TRUE(maps.ok());
  EXPECT_TRUE((*maps)[0][2].maps.empty());
  EXPECT_FALSE((*maps)[0][1].maps.empty());
  EXPECT_FALSE((*maps)[0][1].inexact);
}

// What is written comes a long way: from the carried row and from the row of this iteration.
TEST(LoopPathsTest, AnUpdateFarFromItsSourcesIsStillWritten) {
  expect_proven(absl::StrReplaceAll(
      kScan, {{"y = f32[1,3] reshape(h)",
               "a = f32[3,1] reshape(next)\n b = f32[3] reshape(a)\n"
               " c = f32[3] reverse(b), dimensions={0}\n d = f32[3] reverse(c), dimensions={0}\n"
               " y = f32[1,3] reshape(d)"}}));
}

// The offset of the only iteration does not grow, and the update leaves nothing of the old rows.
TEST(LoopPathsTest, ALoopOfOneIterationThatWritesItsOnlySlabIsProven) {
  expect_proven(R"(
  condition { p = (s32[], f32[4,8], f32[1,4,8]) parameter(0)
    i = s32[] get-tuple-element(p), index=0
    n = s32[] constant(1)
    ROOT c = pred[] compare(i, n), direction=LT }
  body { p = (s32[], f32[4,8], f32[1,4,8]) parameter(0)
    i = s32[] get-tuple-element(p), index=0
    h = f32[4,8] get-tuple-element(p), index=1
    ys = f32[1,4,8] get-tuple-element(p), index=2
    one = s32[] constant(1)
    zero = s32[] constant(0)
    y = f32[1,4,8] reshape(h)
    u = f32[1,4,8] dynamic-update-slice(ys, y, i, zero, zero)
    next = f32[4,8] negate(h)
    j = s32[] add(i, one)
    ROOT t = (s32[], f32[4,8], f32[1,4,8]) tuple(j, next, u) }
  ENTRY main { zero = s32[] constant(0)
    h = f32[4,8] parameter(0)
    ys = f32[1,4,8] parameter(1)
    t = (s32[], f32[4,8], f32[1,4,8]) tuple(zero, h, ys)
    ROOT w = (s32[], f32[4,8], f32[1,4,8]) while(t), condition=condition, body=body })");
}

// A scan takes a mask along. The call that it is in knows the mask.
TEST(LoopPathsTest, AMaskThatALoopHandsOnIsKnownInItsBody) {
  expect_proven(R"(
body {
  s = (s32[], f32[3,4], f32[3,4], pred[4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  xs = f32[3,4] get-tuple-element(s), index=1
  ys = f32[3,4] get-tuple-element(s), index=2
  m = pred[4] get-tuple-element(s), index=3
  zero = s32[] constant(0)
  one = s32[] constant(1)
  k = s32[] add(i, one)
  row = f32[1,4] dynamic-slice(xs, i, zero), dynamic_slice_sizes={1,4}
  x = f32[4] reshape(row)
  f = f32[] constant(0)
  fb = f32[4] broadcast(f), dimensions={}
  y = f32[4] select(m, x, fb)
  u = f32[1,4] reshape(y)
  z = f32[3,4] dynamic-update-slice(ys, u, i, zero)
  c = pred[4] copy(m)
  ROOT r = (s32[], f32[3,4], f32[3,4], pred[4]) tuple(k, xs, z, c)
}
cond {
  s = (s32[], f32[3,4], f32[3,4], pred[4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)
  ROOT c = pred[] compare(i, n), direction=LT
}
inner {
  xs = f32[3,4] parameter(0)
  ys = f32[3,4] parameter(1)
  v = f32[4] parameter(2)
  i = s32[] constant(0)
  j = s32[4] iota(), iota_dimension=0
  two = s32[4] constant({2, 2, 2, 2})
  p = pred[4] compare(j, two), direction=LT
  t = (s32[], f32[3,4], f32[3,4], pred[4]) tuple(i, xs, ys, p)
  w = (s32[], f32[3,4], f32[3,4], pred[4]) while(t), condition=cond, body=body
  zs = f32[3,4] get-tuple-element(w), index=2
  q = pred[4] get-tuple-element(w), index=3
  n = f32[4] negate(v)
  o = f32[4] select(q, v, n)
  ROOT r = (f32[3,4], f32[4]) tuple(zs, o)
}

ENTRY e {
 xs = f32[3,4] parameter(0)
 ys = f32[3,4] parameter(1)
 v = f32[4] parameter(2)
 ROOT c = (f32[3,4], f32[4]) call(xs, ys, v), to_apply=inner
}
)");
}

// A body that does anything else, a few times: its maps are composed.
TEST(LoopPathsTest, AFewIterationsThatMoveElementsAreProven) {
  const auto loop = [](absl::string_view trips, absl::string_view y,
                       absl::string_view others = "") {
    return absl::StrReplaceAll(R"(
OTHERS
body {
  s = (s32[], f32[40], f32[40]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[40] get-tuple-element(s), index=1
  z = f32[40] get-tuple-element(s), index=2
  one = s32[] constant(1)
  zero = s32[] constant(0)
  k = s32[] add(i, one)
  STEP
  ROOT r = (s32[], f32[40], f32[40]) tuple(k, y, x)
}
cond {
  s = (s32[], f32[40], f32[40]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(TRIPS)
  ROOT c = pred[] compare(i, n), direction=LT
}
ENTRY e {
  x = f32[40] parameter(0)
  z = f32[40] parameter(1)
  i = s32[] constant(0)
  t = (s32[], f32[40], f32[40]) tuple(i, x, z)
  ROOT w = (s32[], f32[40], f32[40]) while(t), condition=cond, body=body
})",
                               {{"OTHERS", others}, {"TRIPS", trips}, {"STEP", y}});
  };
  expect_proven(loop("1", "y = f32[40] reverse(z), dimensions={0}"));
  expect_proven(loop("3", "y = f32[40] reverse(z), dimensions={0}"));
  expect_proven(
      loop("8",
           "a = f32[1] slice(z), slice={[39:40]}\n b = f32[39] slice(z), slice={[0:39]}\n "
           "y = f32[40] concatenate(a, b), dimensions={0}"));
  // What is read moves with the iterations, and a row is written.
  expect_proven(
      loop("5",
           "a = f32[3] dynamic-slice(z, i), dynamic_slice_sizes={3}\n b = f32[3] reverse(a), "
           "dimensions={0}\n y = f32[40] dynamic-update-slice(x, b, i)"));
  expect_proven(
      loop("4",
           "q = pred[] compare(i, one), direction=LT\n y = f32[40] conditional(q, x, z), "
           "true_computation=f, false_computation=f",
           "f { p = f32[40] parameter(0)  ROOT r = f32[40] reverse(p), dimensions={0} }"));
}

// Between carried arrays, the maps are those of any mask; but not if the loop is unrolled.
TEST(LoopPathsTest, AMaskBetweenCarriedArraysMakesASuperset) {
  constexpr char kLoop[] = R"(
body {
  s = (s32[], f32[4], f32[4], pred[4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[4] get-tuple-element(s), index=1
  y = f32[4] get-tuple-element(s), index=2
  m = pred[4] get-tuple-element(s), index=3
  one = s32[] constant(1)
  k = s32[] add(i, one)
  z = f32[4] select(m, x, y)
  ROOT r = (s32[], f32[4], f32[4], pred[4]) tuple(k, z, y, m)
}
cond {
  s = (s32[], f32[4], f32[4], pred[4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(TRIPS)
  ROOT c = pred[] compare(i, n), direction=LT
}
inner {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  i = s32[] constant(0)
  j = s32[4] iota(), iota_dimension=0
  two = s32[4] constant({2, 2, 2, 2})
  p = pred[4] compare(j, two), direction=LT
  t = (s32[], f32[4], f32[4], pred[4]) tuple(i, x, y, p)
  ROOT w = (s32[], f32[4], f32[4], pred[4]) while(t), condition=cond, body=body
}
ENTRY e {
 x = f32[4] parameter(0)
 y = f32[4] parameter(1)
 ROOT c = (s32[], f32[4], f32[4], pred[4]) call(x, y), to_apply=inner
}
)";
  for (const char* trips : {"9", "2"}) {
    const auto module = parse_hlo_module(absl::StrReplaceAll(kLoop, {{"TRIPS", trips}}));
    ASSERT_TRUE(module.ok()) << module.status();
    const int32_t root = module->computations[module->entry].root;
    for (const auto direction :
         {impl::Direction::kOutputToInput, impl::Direction::kInputToOutput}) {
      VerifySession session;
      impl::IndexingAnalysis analysis(*module);
      ModuleVerifier verifier(analysis, session, direction);
      const InstructionVerdict verdict = verifier.of(module->entry, root);
      EXPECT_EQ(to_text(verdict.kind), trips[0] == '9' ? "conservative" : "proven")
          << verdict.detail;
    }
  }
}

}  // namespace
}  // namespace tileproof::verify
