// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/definitions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "generate/choose/choose.h"
#include "generate/hlo/generate_hlo.h"
#include "spec/hlo/provenance.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof::verify {
namespace {

using ::testing::ElementsAre;

HloModule module_of(absl::string_view text) {
  absl::StatusOr<HloModule> module = parse_hlo_module(text);
  EXPECT_TRUE(module.ok()) << module.status() << "\n" << text;
  return module.ok() ? *std::move(module) : HloModule{};
}

Paths definition_of(const HloModule& module) {
  const int32_t root = module.computations[module.entry].root;
  impl::IndexingAnalysis analysis(module);
  const auto definition = Definitions(module, analysis).of(module.entry, root, 0);
  EXPECT_TRUE(definition.ok()) << definition.status();
  return definition.ok() ? *definition : Paths{};
}

int64_t no_value(const RuntimeRead<int64_t>&) { return 0; }

TEST(DefinitionsTest, FollowsAFusion) {
  const HloModule module = module_of(R"(
    sum { a = f32[] parameter(0)
          b = f32[] parameter(1)
          ROOT c = f32[] add(a, b) }
    fused { p = f32[8] parameter(0)
            z = f32[] parameter(1)
            b = f32[4,8] broadcast(p), dimensions={1}
            ROOT r = f32[4] reduce(b, z), dimensions={1}, to_apply=sum }
    ENTRY main { x = f32[8] parameter(0)
                 z = f32[] constant(0)
                 ROOT f = f32[4] fusion(x, z), kind=kLoop, calls=fused })");
  const Paths definition = definition_of(module);
  ASSERT_EQ(definition.size(), 2);
  EXPECT_EQ(definition[0].operand, 0);
  EXPECT_THAT(definition[0].ranges, ElementsAre(8));
  const auto walked = walk<int64_t>(definition[0], {3}, {5}, no_value);
  EXPECT_TRUE(walked.in_domain);
  EXPECT_THAT(walked.index, ElementsAre(5));
}

// Three paths, which reach the same elements, and one that reads all: the line of the root.
TEST(DefinitionsTest, ALineOfEqualPathsHasOneMap) {
  const Paths paths = definition_of(module_of(R"(
    sum { a = f32[] parameter(0)
          b = f32[] parameter(1)
          ROOT c = f32[] add(a, b) }
    fused { p = f32[4,6] parameter(0)
            z = f32[] constant(0)
            a = f32[24] reshape(p)
            b = f32[4,6] reshape(a)
            c = f32[6,4] transpose(p), dimensions={1,0}
            d = f32[4,6] transpose(c), dimensions={1,0}
            e = f32[4,6] add(b, d)
            f = f32[4,6] multiply(e, p)
            s = f32[] reduce(p, z), dimensions={0,1}, to_apply=sum
            g = f32[4,6] broadcast(s), dimensions={}
            ROOT h = (f32[4,6], f32[4,6]) tuple(f, g) }
    ENTRY main { x = f32[4,6] parameter(0)
                 ROOT f = (f32[4,6], f32[4,6]) fusion(x), kind=kLoop, calls=fused })"));
  ASSERT_EQ(paths.size(), 1);
  const auto walked = walk<int64_t>(paths[0], {3, 5}, {}, no_value);
  EXPECT_TRUE(walked.in_domain);
  EXPECT_THAT(walked.index, ElementsAre(3, 5));
}

TEST(DefinitionsTest, AsksForTheValuesItReads) {
  const HloModule module = module_of(
      "r = f32[2,3] dynamic-slice(f32[10,20] a, s32[] i, s32[] j), dynamic_slice_sizes={2,3}");
  const Paths definition = definition_of(module);
  ASSERT_EQ(definition.size(), 3);
  ASSERT_EQ(definition[0].operand, 0);
  std::vector<RuntimeRead<int64_t>> reads;
  const auto walked = walk<int64_t>(definition[0], {1, 2}, {}, [&](const auto& read) {
    reads.push_back(read);
    return int64_t{4};
  });
  EXPECT_THAT(walked.index, ElementsAre(5, 6));
  ASSERT_EQ(reads.size(), 2);
  EXPECT_EQ(reads[1].low, 0);
  EXPECT_EQ(reads[1].high, 17);
  EXPECT_EQ(module.computations[0].instructions[reads[1].position.instruction].name, "j");
}

// Puts whole computations into a fusion. The paths must reach what the interpreter finds.
TEST(DefinitionsTest, ReachWhatTheReferenceFindsInRandomFusions) {
  int64_t compared = 0;
  for (uint64_t seed = 1; seed <= 600; ++seed) {
    Choose choose(Choose::Random{seed});
    const GeneratedHlo hlo = generate_computation(choose, {.elements = 60});
    const HloModule module = module_of(hlo.text);
    impl::IndexingAnalysis analysis(module);
    for (int32_t i = 0; i < std::ssize(module.computations[module.entry].instructions); ++i) {
      const HloInstruction& at = module.computations[module.entry].instructions[i];
      if (at.opcode != HloOpcode::kFusion && at.opcode != HloOpcode::kCall) continue;
      const auto definition = Definitions(module, analysis).of(module.entry, i, 0);
      const auto value = [](const spec::HloElement&) { return int64_t{0}; };
      const auto reference =
          spec::provenance(module, module.entry, i, 0, Scope::kInstruction, value);
      ASSERT_EQ(definition.ok(), reference.ok()) << hlo.text;
      if (!definition.ok()) continue;
      // The prover resolves values of constants.
      const bool is_more = std::ranges::any_of(*definition, [](const DataflowPath& path) {
        return path.is_superset || !reads_of(path).empty();
      });
      if (is_more) continue;
      for (int64_t e = 0; e < std::ssize(reference->elements); ++e) {
        std::set<spec::Source> found;
        for (const DataflowPath& path : *definition) {
          std::vector<int64_t> s(path.ranges.size(), 0);
          do {
            const auto walked =
                walk<int64_t>(path, spec::element_index(reference->dims, e), s, no_value);
            if (!walked.in_domain) continue;
            found.insert(
                {path.operand, static_cast<int32_t>(path.leaf),
                 spec::element_number(reference->sources[path.operand][path.leaf], walked.index)});
          } while (next_index(path.ranges, s));
        }
        ASSERT_THAT(found, ::testing::ElementsAreArray(*reference->elements[e]))
            << at.name << " element " << e << "\n"
            << hlo.text;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 1000);
}

TEST(DefinitionsTest, AfterTheDeadlineTheNextCallGoesOn) {
  const HloModule module = module_of(
      "f { p = f32[8] parameter(0)\n a = f32[8] reverse(p), dimensions={0}\n"
      " ROOT b = f32[8] negate(a) }\n"
      "ENTRY main { x = f32[8] parameter(0)\n ROOT c = f32[8] call(x), to_apply=f }");
  impl::IndexingAnalysis analysis(module);
  Definitions definitions(module, analysis);
  const int32_t root = module.computations[module.entry].root;
  definitions.set_deadline(ThreadCpuClock::now());
  EXPECT_EQ(definitions.of(module.entry, root, 0).status().code(),
            absl::StatusCode::kDeadlineExceeded);
  definitions.set_deadline(ThreadCpuClock::time_point::max());
  const auto definition = definitions.of(module.entry, root, 0);
  ASSERT_TRUE(definition.ok()) << definition.status();
  EXPECT_EQ(definition->size(), 1);
}

}  // namespace
}  // namespace tileproof::verify
