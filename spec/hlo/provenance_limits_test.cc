// SPDX-License-Identifier: Apache-2.0
// What the interpreter does at its limits, and what it refuses.
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/hlo/provenance.h"
#include "spec/hlo/provenance_inverse.h"
#include "spec/hlo/provenance_testing.h"

namespace tileproof::spec {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Limits, RefusesLargeModulesAtOnce) {
  const auto large = of_root(module_of("r = f32[1000000,1000000] negate(f32[1000000,1000000] a)"),
                             Scope::kComputation);
  EXPECT_EQ(large.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(large.status().message()), HasSubstr("too large to enumerate"));
  const auto work = of_root(module_of("r = f32[500,500] dot(f32[500,500] a, f32[500,500] b), "
                                      "lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
                            Scope::kInstruction, zero);
  EXPECT_THAT(std::string(work.status().message()), HasSubstr("r: too large to enumerate"));
}

TEST(Limits, IgnoresTheSizeOfUnneededArrays) {
  EXPECT_EQ(dataflow_text("a = f32[1000000,1000000] parameter(0)\nb = f32[2] parameter(1)\n"
                          "t = (f32[1000000,1000000], f32[2]) tuple(a, b)\n"
                          "g = f32[2] get-tuple-element(t), index=1",
                          {.operand = 1, .scope = Scope::kComputation}),
            "0 | 1");
}

TEST(Limits, CallsThatNestDeeplyOrDoubleEndWithAnError) {
  // Each computation calls the one before it twice: 2^60 calls in all.
  std::string text = "f0 {\n p = f32[] parameter(0)\n ROOT r = f32[] negate(p)\n}\n";
  for (int i = 1; i <= 60; ++i) {
    absl::StrAppend(&text, "f", i, " {\n p = f32[] parameter(0)\n a = f32[] call(p), to_apply=f",
                    i - 1, "\n ROOT r = f32[] call(a), to_apply=f", i - 1, "\n}\n");
  }
  const auto doubled = of_root(module_of(text), Scope::kComputation, zero, {.work = 1'000'000});
  EXPECT_EQ(doubled.status().code(), absl::StatusCode::kResourceExhausted) << doubled.status();
  std::string deep = "f0 {\n p = f32[] parameter(0)\n ROOT r = f32[] negate(p)\n}\n";
  for (int i = 1; i <= 5000; ++i) {
    absl::StrAppend(&deep, "f", i,
                    " {\n p = f32[] parameter(0)\n ROOT r = f32[] call(p), to_apply=f", i - 1,
                    "\n}\n");
  }
  const auto nested = of_root(module_of(deep), Scope::kComputation);
  EXPECT_THAT(std::string(nested.status().message()), HasSubstr("calls nest deeper than 200"));
}

// Calls and loops count alike, in both scopes.
TEST(Limits, CallsNestUpToTheLimit) {
  const HloModule module = module_of(R"(HloModule m
f {
  p = (f32[1], f32[1]) parameter(0)
  a = f32[1] get-tuple-element(p), index=0
  b = f32[1] get-tuple-element(p), index=1
  ROOT r = (f32[1], f32[1]) tuple(b, a)
}
g {
  p = (f32[1], f32[1]) parameter(0)
  ROOT r = (f32[1], f32[1]) call(p), to_apply=f
}
c {
  p = (f32[1], f32[1]) parameter(0)
  ROOT r = pred[] constant(false)
}
d {
  p = (f32[1], f32[1]) parameter(0)
  ROOT r = pred[] call(p), to_apply=c
}
h {
  p = (f32[1], f32[1]) parameter(0)
  ROOT r = (f32[1], f32[1]) while(p), condition=c, body=f
}
ENTRY e {
  p = (f32[1], f32[1]) parameter(0)
  one = (f32[1], f32[1]) call(p), to_apply=f
  loop = (f32[1], f32[1]) while(p), condition=c, body=f
  two = (f32[1], f32[1]) call(p), to_apply=g
  k = pred[] parameter(1)
  branch = (f32[1], f32[1]) conditional(k, p, p), branch_computations={f, f}
  branches = (f32[1], f32[1]) conditional(k, p, p), branch_computations={f, g}
  calling = (f32[1], f32[1]) while(p), condition=c, body=g
  asking = (f32[1], f32[1]) while(p), condition=d, body=f
  ROOT looped = (f32[1], f32[1]) call(p), to_apply=h
}
)");
  for (const Scope scope : {Scope::kInstruction, Scope::kComputation}) {
    for (const auto& [name, depth] : {std::pair("one", 1),
                                      {"loop", 1},
                                      {"branch", 1},
                                      {"two", 2},
                                      {"branches", 2},
                                      {"looped", 2},
                                      {"calling", 2},
                                      {"asking", 2}}) {
      const int32_t at = find_instruction(module.computations[module.entry], name);
      const auto with = [&, at = at](int64_t limit) {
        return provenance(module, module.entry, at, 0, scope, zero, {.depth = limit}).status();
      };
      EXPECT_EQ(with(depth), absl::OkStatus()) << name;
      EXPECT_THAT(std::string(with(depth - 1).message()),
                  HasSubstr(absl::StrCat("calls nest deeper than ", depth - 1)))
          << name;
    }
  }
}

// What a computation needs is found once; what it runs may nest deeper elsewhere.
TEST(Limits, KnownComputationsNestUpToTheLimit) {
  const auto with = [&](absl::string_view inner, int64_t limit) {
    const std::string text = absl::StrCat(R"(HloModule m
f0 {
  p = (s32[], f32[1]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[1] get-tuple-element(p), index=1
  one = s32[] constant(1)
  n = s32[] add(i, one)
  y = f32[1] negate(x)
  ROOT t = (s32[], f32[1]) tuple(n, y)
}
c {
  p = (s32[], f32[1]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  one = s32[] constant(1)
  ROOT r = pred[] compare(i, one), direction=LT
}
f1 {
  p = (s32[], f32[1]) parameter(0)
  ROOT r = (s32[], f32[1]) call(p), to_apply=f0
}
f2 {
  p = (s32[], f32[1]) parameter(0)
  ROOT r = (s32[], f32[1]) call(p), to_apply=f1
}
g {
  p = (s32[], f32[1]) parameter(0)
  k = pred[] constant(true)
  zero = s32[] constant(0)
  x = f32[1] get-tuple-element(p), index=1
  q = (s32[], f32[1]) tuple(zero, x)
  ROOT r = (s32[], f32[1]) )",
                                          inner, R"(
}
ENTRY e {
  p = (s32[], f32[1]) parameter(0)
  a = (s32[], f32[1]) call(p), to_apply=g
  ROOT b = (s32[], f32[1]) call(a), to_apply=f2
}
)");
    const HloModule module = module_of(text);
    const int32_t root = module.computations[module.entry].root;
    return std::string(
        provenance(module, module.entry, root, 1, Scope::kComputation, zero, {.depth = limit})
            .status()
            .message());
  };
  for (const char* inner : {"call(q), to_apply=f2", "while(q), condition=c, body=f2",
                            "conditional(k, q, q), branch_computations={f2, f0}",
                            "conditional(k, q, q), branch_computations={f0, f2}"}) {
    EXPECT_EQ(with(inner, 4), "") << inner;
    EXPECT_THAT(with(inner, 3), HasSubstr("calls nest deeper than 3")) << inner;
  }
}

// The least work that suffices. Not the number counts, but that large modules are refused soon.
TEST(Limits, WorkIsCountedForInstructionsPointsAndSources) {
  const auto least = [](absl::string_view text, Scope scope = Scope::kComputation) {
    const HloModule module = module_of(text);
    int64_t work = 0;
    while (!of_root(module, scope, zero, {.work = work}).ok()) ++work;
    return work;
  };
  const std::string a = "a = f32[10] parameter(0)\ni = s32[] parameter(1)\n";
  EXPECT_EQ(least(a + "r = f32[10] negate(a)"), 33);
  EXPECT_EQ(least(a + "r = f32[10] negate(a)", Scope::kInstruction), 30);
  EXPECT_EQ(least(a + "r = f32[20] concatenate(a, a), dimensions={0}"), 74);
  EXPECT_EQ(least(a + "s = f32[10] reverse(a), dimensions={0}\nr = f32[10] add(a, s)"), 76);
  EXPECT_EQ(least(a + "r = f32[10] custom-call(a), custom_call_target=\"k\""), 43);
  EXPECT_EQ(least(a + "s = f32[10] custom-call(a), custom_call_target=\"k\"\n"
                      "r = f32[10] custom-call(a, s), custom_call_target=\"k\""),
            66);
  EXPECT_EQ(least(a + "r = f32[3] dynamic-slice(a, i), dynamic_slice_sizes={3}"), 31);
  EXPECT_EQ(least(a + "c = s32[] copy(i)\n"
                      "r = f32[3] dynamic-slice(a, c), dynamic_slice_sizes={3}"),
            35);
  EXPECT_EQ(least("f {\n q = f32[9] parameter(0)\n ROOT n = f32[9] negate(q)\n}\nENTRY e {\n"
                  " p = pred[] parameter(0)\n a = f32[9] parameter(1)\n"
                  " ROOT r = f32[9] conditional(p, a, a), branch_computations={f, f}\n}"),
            110);
  EXPECT_EQ(least(moving_loop("zero")), 250);
  EXPECT_EQ(least(moving_loop("j")), 81);
  EXPECT_EQ(least(a + "s = f32[5,2] reshape(a)\nz = f32[] constant(0)\n"
                      "r = f32[5] reduce(s, z), dimensions={1}, to_apply=add"),
            64);
}

TEST(Limits, TheArrayThatIsTooLargeIsNamed) {
  const HloModule module = module_of("p = f32[10] parameter(0)\nr = f32[10] negate(p)");
  EXPECT_EQ(of_root(module, Scope::kComputation, zero, {.work = 12}).status().message(),
            "p: too large to enumerate: more than 12 steps");
}

TEST(Limits, AcceptsAHundredThousandElements) {
  const auto result = of_root(module_of("a = f32[100,1000] parameter(0)\n"
                                        "t = f32[1000,100] transpose(a), dimensions={1,0}\n"
                                        "r = f32[100000] reshape(t)"),
                              Scope::kComputation);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(*result->elements[1], ElementsAre(Source{0, 0, 1000}));
}

TEST(Limits, NamesWhatIsTooLarge) {
  EXPECT_EQ(dataflow_text("r = f32[2000,1000] broadcast(f32[] a), dimensions={}"),
            "r: too large to enumerate: elements of [2000,1000]");
  // Each operand fits. Together they have more than 2^32 elements.
  std::string text = "t = (";
  for (int i = 0; i < 4097; ++i) absl::StrAppend(&text, i == 0 ? "" : ", ", "f32[1048576]");
  absl::StrAppend(&text, ") parameter(0)\nr = f32[1048576] get-tuple-element(t), index=0");
  EXPECT_EQ(dataflow_text(text), "too large to enumerate: 4296015872 elements of operands");
}

TEST(Errors, RefusesMissingPositionsAndUnknownShapes) {
  const HloModule module = module_of("r = f32[2] negate(f32[2] a)");
  EXPECT_FALSE(provenance(module, 1, 0, 0, Scope::kInstruction, zero).ok());
  EXPECT_FALSE(provenance(module, 0, 2, 0, Scope::kInstruction, zero).ok());
  EXPECT_FALSE(provenance(module, -1, 0, 0, Scope::kInstruction, zero).ok());
  EXPECT_FALSE(provenance(module, 0, -1, 0, Scope::kInstruction, zero).ok());
  EXPECT_FALSE(provenance(module, 0, 1, 1, Scope::kInstruction, zero).ok());
  EXPECT_FALSE(provenance(module, 0, 1, -1, Scope::kInstruction, zero).ok());
  EXPECT_EQ(dataflow_text("r = reshape(f32[2] a)"), "r: expected a shape");
  EXPECT_THAT(dataflow_text("r = f32[?] negate(f32[?] a)"), HasSubstr("known size, found ?"));
}

// The parser refuses parameters that are not numbered from 0.
TEST(Errors, RefusesAHandMadeParameter) {
  HloModule module = module_of("p = f32[4] parameter(0)\nROOT q = f32[4] negate(p)");
  module.computations[0].instructions[0].parameter_number = 1;
  EXPECT_EQ(of_root(module, Scope::kComputation).status(),
            absl::InvalidArgumentError("p: expected an operand 1"));
}

// The parser refuses such a shape.
TEST(Errors, RefusesAHandMadeShapeWithTooManyElements) {
  HloModule module = module_of("p = f32[4] parameter(0)\nROOT q = f32[4] negate(p)");
  const int64_t half = int64_t{1} << 32;
  for (HloInstruction& instruction : module.computations[0].instructions) {
    instruction.shape = SharedShape(make_array(ElementType::kF32, {half, half, 2}));
  }
  for (const Scope scope : {Scope::kInstruction, Scope::kComputation}) {
    EXPECT_EQ(of_root(module, scope).status().code(), absl::StatusCode::kResourceExhausted);
    EXPECT_EQ(inverse_provenance(module, 0, 1, 0, scope, zero).status().code(),
              absl::StatusCode::kResourceExhausted);
  }
  HloModule iota = module_of("p = f32[4] parameter(0)\nROOT q = s32[4] iota(), iota_dimension=0");
  for (HloInstruction& instruction : iota.computations[0].instructions) {
    instruction.shape = SharedShape(make_array(ElementType::kS32, {half, half, 2}));
  }
  EXPECT_EQ(of_root(iota, Scope::kComputation).status().code(),
            absl::StatusCode::kResourceExhausted);
  HloModule unused = module_of("p = f32[4] parameter(0)\nROOT q = s32[4] iota(), iota_dimension=0");
  unused.computations[0].instructions[0].shape =
      SharedShape(make_array(ElementType::kF32, {half, half, 2}));
  EXPECT_EQ(of_root(unused, Scope::kComputation).status(), absl::OkStatus());
  EXPECT_EQ(inverse_provenance(unused, 0, 1, 0, Scope::kComputation, zero).status().code(),
            absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace tileproof::spec
