// SPDX-License-Identifier: Apache-2.0
// What flows through a select: the branches that its predicate may choose.
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/hlo/provenance_testing.h"

namespace tileproof::spec {
namespace {

// The elements of x that flow into a select of x and y by the predicate p, and those of y.
std::string chosen(absl::string_view instructions, int64_t size = 4,
                   Scope scope = Scope::kComputation) {
  const std::string text =
      absl::StrCat("HloModule m\nENTRY e {\n  x = f32[", size, "] parameter(0)\n  y = f32[", size,
                   "] parameter(1)\n  q = pred[", size, "] parameter(2)\n  u = s32[", size,
                   "] parameter(3)\n  i = s32[", size, "] iota(), iota_dimension=0\n", instructions,
                   "\n  ROOT r = f32[", size, "] select(p, x, y)\n}\n");
  return absl::StrCat(dataflow_text(text, {.operand = 0, .scope = scope}), " / ",
                      dataflow_text(text, {.operand = 1, .scope = scope}));
}

std::string two() { return "k = s32[] constant(2)\nkb = s32[4] broadcast(k), dimensions={}\n"; }

constexpr absl::string_view kBoth = "0 | 1 | 2 | 3 / 0 | 1 | 2 | 3";

TEST(Predicates, AComparisonOfAnIotaDecides) {
  const auto with = [](absl::string_view direction) {
    return chosen(absl::StrCat(two(), "p = pred[4] compare(i, kb), direction=", direction));
  };
  EXPECT_EQ(with("LT"), "0 | 1 | - | - / - | - | 2 | 3");
  EXPECT_EQ(with("LE"), "0 | 1 | 2 | - / - | - | - | 3");
  EXPECT_EQ(with("EQ"), "- | - | 2 | - / 0 | 1 | - | 3");
  EXPECT_EQ(with("NE"), "0 | 1 | - | 3 / - | - | 2 | -");
  EXPECT_EQ(with("GE"), "- | - | 2 | 3 / 0 | 1 | - | -");
  EXPECT_EQ(with("GT"), "- | - | - | 3 / 0 | 1 | 2 | -");
  EXPECT_EQ(with("LTT"), kBoth);
}

TEST(Predicates, OperandsOfTheInstructionInQuestionAreOutside) {
  const std::string p = absl::StrCat(two(), "p = pred[4] compare(i, kb), direction=LT");
  // Operand 0 is the predicate then.
  EXPECT_EQ(chosen(p, 4, Scope::kInstruction), kBoth);
}

TEST(Predicates, ParametersMayBeAnything) {
  EXPECT_EQ(chosen("p = pred[4] not(q)"), kBoth);
  EXPECT_EQ(chosen("p = pred[4] compare(i, u), direction=LT"), kBoth);
}

TEST(Predicates, FalseAndAnythingIsFalse) {
  const std::string c = absl::StrCat(two(), "c = pred[4] compare(i, kb), direction=LT\n");
  EXPECT_EQ(chosen(c + "p = pred[4] and(c, q)"), "0 | 1 | - | - / 0 | 1 | 2 | 3");
  EXPECT_EQ(chosen(c + "p = pred[4] or(q, c)"), "0 | 1 | 2 | 3 / - | - | 2 | 3");
  EXPECT_EQ(chosen(c + "p = pred[4] xor(q, c)"), kBoth);
  // The predicate itself flows everywhere.
  const std::string known =
      "q = pred[4] parameter(0)\nx = f32[4] parameter(1)\n"
      "c = pred[4] constant({true, true, false, false})\n"
      "p = pred[4] or(q, c)\nr = f32[4] select(p, x, x)";
  EXPECT_EQ(dataflow_text(known, {.scope = Scope::kComputation}), "0 | 1 | 2 | 3");
  EXPECT_EQ(chosen(c + "p = pred[4] xor(c, c)"), "- | - | - | - / 0 | 1 | 2 | 3");
  EXPECT_EQ(chosen(c + "p = pred[4] select(c, q, c)"), "0 | 1 | - | - / 0 | 1 | 2 | 3");
}

TEST(Predicates, Arithmetic) {
  const auto with = [](absl::string_view of, absl::string_view direction = "EQ") {
    return chosen(absl::StrCat(two(), of, "\np = pred[4] compare(a, kb), direction=", direction));
  };
  EXPECT_EQ(with("a = s32[4] add(i, kb)"), "0 | - | - | - / - | 1 | 2 | 3");
  EXPECT_EQ(with("a = s32[4] subtract(kb, i)"), "0 | - | - | - / - | 1 | 2 | 3");
  EXPECT_EQ(with("a = s32[4] multiply(kb, i)"), "- | 1 | - | - / 0 | - | 2 | 3");
  EXPECT_EQ(with("b = s32[4] multiply(kb, i)\na = s32[4] divide(b, kb)"),
            "- | - | 2 | - / 0 | 1 | - | 3");
  EXPECT_EQ(with("a = s32[4] remainder(i, kb)", "NE"), "0 | 1 | 2 | 3 / - | - | - | -");
  EXPECT_EQ(with("a = s32[4] negate(i)", "LT"), "0 | 1 | 2 | 3 / - | - | - | -");
  EXPECT_EQ(with("a = s32[4] minimum(i, kb)"), "- | - | 2 | 3 / 0 | 1 | - | -");
  EXPECT_EQ(with("a = s32[4] maximum(i, kb)"), "0 | 1 | 2 | - / - | - | - | 3");
  EXPECT_EQ(with("a = s32[4] clamp(k, i, k)"), "0 | 1 | 2 | 3 / - | - | - | -");
  // A factor that is not the same everywhere; a divisor of 0: terms are evaluated.
  EXPECT_EQ(with("a = s32[4] multiply(i, i)"), "- | - | - | - / 0 | 1 | 2 | 3");
  EXPECT_EQ(with("a = s32[4] divide(kb, i)"), "- | 1 | - | - / 0 | - | 2 | 3");
}

TEST(Predicates, NumbersThatLeaveTheirTypeWrap) {
  const auto bytes = [](int64_t added) {
    return absl::StrCat("j = u8[4] convert(i)\nk = u8[] constant(", added,
                        ")\nkb = u8[4] broadcast(k), dimensions={}\na = u8[4] add(j, kb)\n",
                        "p = pred[4] compare(a, kb), direction=EQ");
  };
  EXPECT_EQ(chosen(bytes(252)), "0 | - | - | - / - | 1 | 2 | 3");  // 255 is the largest
  EXPECT_EQ(chosen(bytes(253)), "0 | - | - | - / - | 1 | 2 | 3");
  EXPECT_EQ(
      chosen(absl::StrCat(two(), "d = s32[4] subtract(i, kb)\nj = u8[4] convert(d)\n",
                          "kc = u8[4] convert(kb)\np = pred[4] compare(j, kc), direction=LT")),
      "- | - | 2 | 3 / 0 | 1 | - | -");
}

// 0 to 127, negated twice, still fits s8.
TEST(Predicates, ANegatedNumberHasTheLimitsOfItsRange) {
  const auto with = [](absl::string_view then) {
    return chosen(
        absl::StrCat("j = s8[128] iota(), iota_dimension=0\nm = s8[128] negate(j)\n", then,
                     "\nk = s8[] constant(2)\nkb = s8[128] broadcast(k), dimensions={}\n"
                     "p = pred[128] compare(n, kb), direction=LT"),
        128);
  };
  EXPECT_EQ(with("n = s8[128] negate(m)"), with("n = s8[128] copy(j)"));
  EXPECT_NE(with("n = s8[128] negate(m)"), with("n = s8[128] copy(m)"));
}

// XLA compares numbers of s32 as signed ones, whatever `type` says.
TEST(Predicates, AComparisonIsThatOfItsOperands) {
  const auto with = [](absl::string_view a) {
    return chosen(
        absl::StrCat(two(),
                     "m = s32[] constant(-1)\nminus = s32[4] broadcast(m), dimensions={}\n"
                     "a = s32[4] ",
                     a, "\np = pred[4] compare(a, kb), direction=LT, type=UNSIGNED"));
  };
  EXPECT_EQ(with("copy(i)"), "0 | 1 | - | - / - | - | 2 | 3");
  EXPECT_EQ(with("negate(i)"), "0 | 1 | 2 | 3 / - | - | - | -");
  EXPECT_EQ(with("multiply(i, minus)"), "0 | 1 | 2 | 3 / - | - | - | -");
  // A remainder is not negative, and neither is a quotient.
  EXPECT_EQ(with("remainder(i, kb)"), "0 | 1 | 2 | 3 / - | - | - | -");
  EXPECT_EQ(with("divide(i, kb)"), "0 | 1 | 2 | 3 / - | - | - | -");
}

// The slot behind the three elements of j has any value.
TEST(Predicates, ABitcastMayShowPadding) {
  EXPECT_EQ(
      chosen(absl::StrCat(two(),
                          "j = s32[3]{0:T(4)} iota(), iota_dimension=0\na = s32[4] bitcast(j)\n"
                          "p = pred[4] compare(a, kb), direction=LT")),
      "0 | 1 | - | 3 / - | - | 2 | 3");
}

TEST(Predicates, AnIntegerIsTrueIfItIsNotZero) {
  EXPECT_EQ(chosen("p = pred[4] convert(i)"), "- | 1 | 2 | 3 / 0 | - | - | -");
  EXPECT_EQ(chosen("k = s32[] constant(0)\nkb = s32[4] broadcast(k), dimensions={}\n"
                   "c = pred[4] compare(i, kb), direction=GT\nd = s32[4] convert(c)\n"
                   "p = pred[4] compare(d, kb), direction=EQ"),
            "0 | - | - | - / - | 1 | 2 | 3");
}

TEST(Predicates, ConstantsAreListed) {
  EXPECT_EQ(chosen("p = pred[4] constant({true, false, false, true})"),
            "0 | - | - | 3 / - | 1 | 2 | -");
  EXPECT_EQ(chosen("p = pred[] constant(false)"), "- | - | - | - / 0 | 1 | 2 | 3");
  EXPECT_EQ(chosen("c = pred[1,1] constant({{false}})\np = pred[] bitcast(c)"),
            "- | - | - | - / 0 | 1 | 2 | 3");
  std::string many = "true", yes = "0", no = "-";
  for (int64_t k = 1; k <= 64; ++k) {
    absl::StrAppend(&many, k % 2 == 0 ? ", true" : ", false");
    (k % 2 == 0 ? yes : no) += absl::StrCat(" | ", k);
    (k % 2 == 0 ? no : yes) += " | -";
  }
  const int64_t size = 65;
  const std::string flows =
      chosen(absl::StrCat("p = pred[", size, "] constant({", many, "})"), size);
  EXPECT_EQ(flows, absl::StrCat(yes, " / ", no));
}

TEST(Predicates, PredicatesAreFollowedIntoCallsAndBack) {
  const std::string text = R"(HloModule m
mask {
  n = s32[] parameter(0)
  i = s32[4] iota(), iota_dimension=0
  b = s32[4] broadcast(n), dimensions={}
  ROOT c = pred[4] compare(i, b), direction=LT
}
ENTRY e {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  k = s32[] constant(3)
  p = pred[4] call(k), to_apply=mask
  ROOT r = f32[4] select(p, x, y)
}
)";
  EXPECT_EQ(dataflow_text(text, {.scope = Scope::kComputation}), "0 | 1 | 2 | -");
}

TEST(Predicates, AFusionDecidesItsOwnPredicatesOnly) {
  const std::string text = R"(HloModule m
fused {
  a = f32[4] parameter(0)
  b = f32[4] parameter(1)
  q = pred[4] parameter(2)
  i = s32[4] iota(), iota_dimension=0
  t = s32[4] reverse(i), dimensions={0}
  c = pred[4] compare(i, t), direction=LT
  s = f32[4] select(c, a, b)
  ROOT d = f32[4] select(q, s, b)
}
ENTRY e {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  q = pred[4] constant({true, true, true, false})
  ROOT r = f32[4] fusion(x, y, q), kind=kLoop, calls=fused
}
)";
  EXPECT_EQ(dataflow_text(text), "0 | 1 | - | -");
  // The constant is outside of the fusion.
  EXPECT_EQ(dataflow_text(text, {.operand = 1}), "0 | 1 | 2 | 3");
  EXPECT_EQ(dataflow_text(text, {.scope = Scope::kComputation}), "0 | 1 | - | -");
  EXPECT_EQ(dataflow_text(text, {.operand = 1, .scope = Scope::kComputation}), "- | - | 2 | 3");
}

// The select of `inner` is its instruction 3, as the fusion is of the entry.
TEST(Predicates, AFusionKnowsThePredicatesOfItsOwnCalls) {
  const std::string text = R"(HloModule m
where {
  q = pred[4] parameter(0)
  a = f32[4] parameter(1)
  b = f32[4] parameter(2)
  ROOT s = f32[4] select(q, a, b)
}
inner {
  a = f32[4] parameter(0)
  b = f32[4] parameter(1)
  q = pred[4] constant({true, true, true, false})
  s = f32[4] select(q, a, b)
  p = pred[4] constant({false, true, true, true})
  ROOT c = f32[4] call(p, s, b), to_apply=where
}
ENTRY e {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  z = f32[4] parameter(2)
  ROOT r = f32[4] fusion(x, y), kind=kLoop, calls=inner
}
)";
  for (const Scope scope : {Scope::kInstruction, Scope::kComputation}) {
    EXPECT_EQ(dataflow_text(text, {.operand = 0, .scope = scope}), "- | 1 | 2 | -");
    EXPECT_EQ(dataflow_text(text, {.operand = 1, .scope = scope}), "0 | - | - | 3");
  }
}

// An asynchronous call knows no more than that its operands may be anything.
TEST(Predicates, AnAsynchronousCallKnowsNoPredicates) {
  const std::string text = R"(HloModule m
choose {
  q = pred[4] parameter(0)
  a = f32[4] parameter(1)
  b = f32[4] parameter(2)
  ROOT s = f32[4] select(q, a, b)
}
ENTRY e {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  q = pred[4] constant({true, true, true, false})
  s = ((pred[4], f32[4], f32[4]), f32[4], u32[]) async-start(q, x, y), calls=choose
  ROOT d = f32[4] async-done(s)
}
)";
  EXPECT_EQ(dataflow_text(text, {.scope = Scope::kComputation}), "0 | 1 | 2 | 3");
}

TEST(Predicates, AnInvalidPredicateIsAnError) {
  EXPECT_THAT(chosen("p = pred[4] reverse(q), dimensions={7}"), ::testing::StartsWith("p: "));
}

// jnp.where is a function of its own in the text of JAX programs.
std::string where_twice(absl::string_view second) {
  return absl::StrCat(R"(HloModule m
where {
  q = pred[4] parameter(0)
  a = f32[4] parameter(1)
  b = f32[4] parameter(2)
  ROOT s = f32[4] select(q, a, b)
}
both {
  q = pred[4] parameter(0)
  a = f32[4] parameter(1)
  b = f32[4] parameter(2)
  n = pred[4] not(q)
  ROOT s = f32[4] call(n, a, b), to_apply=where
}
ENTRY e {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  u = pred[4] parameter(2)
  i = s32[4] iota(), iota_dimension=0
  k = s32[4] constant({2, 2, 2, 2})
  p = pred[4] compare(i, k), direction=LT
  f = f32[4] call(p, x, y), to_apply=where
  ROOT r = f32[4] call()",
                      second, R"(, f, y), to_apply=both
}
)");
}

TEST(Predicates, ACallKnowsPredicatesThatItPasses) {
  const auto flows = [](absl::string_view second, int64_t operand) {
    return dataflow_text(where_twice(second), {.operand = operand, .scope = Scope::kComputation});
  };
  EXPECT_EQ(flows("u", 0), "0 | 1 | - | -");
  EXPECT_EQ(flows("u", 1), "0 | 1 | 2 | 3");
  // not(p) in the inner call: f flows to 2 and 3, where y is its only element.
  EXPECT_EQ(flows("p", 0), "- | - | - | -");
  EXPECT_EQ(flows("p", 1), "0 | 1 | 2 | 3");
}

// A scan takes a mask along: a leaf of the state that the body hands on.
std::string masked_loop(absl::string_view mask_after, absl::string_view root) {
  return absl::StrCat(R"(HloModule m
body {
  s = (s32[], f32[4], f32[4], pred[4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[4] get-tuple-element(s), index=1
  y = f32[4] get-tuple-element(s), index=2
  m = pred[4] get-tuple-element(s), index=3
  one = s32[] constant(1)
  k = s32[] add(i, one)
  n = pred[4] not(m)
  c = pred[4] copy(m)
  z = f32[4] select(m, y, x)
  ROOT r = (s32[], f32[4], f32[4], pred[4]) tuple(k, x, z, )",
                      mask_after, R"()
}
cond {
  s = (s32[], f32[4], f32[4], pred[4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(2)
  ROOT c = pred[] compare(i, n), direction=LT
}
ENTRY e {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  i = s32[] constant(0)
  j = s32[4] iota(), iota_dimension=0
  t = s32[4] constant({2, 2, 2, 2})
  p = pred[4] compare(j, t), direction=LT
  first = (s32[], f32[4], f32[4], pred[4]) tuple(i, x, y, p)
  w = (s32[], f32[4], f32[4], pred[4]) while(first), condition=cond, body=body
  z = f32[4] get-tuple-element(w), index=2
  q = pred[4] get-tuple-element(w), index=3
  o = f32[4] select(q, x, y)
  ROOT r = f32[4] copy()",
                      root, ")\n}\n");
}

TEST(Predicates, ALoopKnowsPredicatesThatItHandsOn) {
  const auto flows = [](absl::string_view mask_after, absl::string_view root, int64_t operand) {
    return dataflow_text(masked_loop(mask_after, root),
                         {.operand = operand, .scope = Scope::kComputation});
  };
  for (const char* same : {"m", "c"}) {
    EXPECT_EQ(flows(same, "z", 0), "- | - | 2 | 3") << same;  // of the loop
    EXPECT_EQ(flows(same, "z", 1), "0 | 1 | - | -") << same;
    EXPECT_EQ(flows(same, "o", 0), "0 | 1 | - | -") << same;  // behind it
    EXPECT_EQ(flows(same, "o", 1), "- | - | 2 | 3") << same;
  }
  EXPECT_EQ(flows("n", "z", 0), "0 | 1 | 2 | 3");
  EXPECT_EQ(flows("n", "z", 1), "0 | 1 | 2 | 3");
  EXPECT_EQ(flows("n", "o", 0), "0 | 1 | 2 | 3");
}

// The operands of the loop are inside of the fusion that is asked about.
TEST(Predicates, ALoopOfAFusionKnowsPredicates) {
  std::string text = masked_loop("m", "z");
  text.replace(text.find("ENTRY e {"), 9, "inner {");
  absl::StrAppend(&text, "ENTRY e {\n  x = f32[4] parameter(0)\n  y = f32[4] parameter(1)\n",
                  "  ROOT r = f32[4] fusion(x, y), kind=kLoop, calls=inner\n}\n");
  for (const Scope scope : {Scope::kInstruction, Scope::kComputation}) {
    EXPECT_EQ(dataflow_text(text, {.operand = 0, .scope = scope}), "- | - | 2 | 3");
    EXPECT_EQ(dataflow_text(text, {.operand = 1, .scope = scope}), "0 | 1 | - | -");
  }
}

// The operand of the loop, the loop and the parameter of its body have one type, or nothing is known.
TEST(Predicates, ALoopKnowsPredicatesOfOneElementType) {
  const auto with = [](absl::string_view operand, absl::string_view loop,
                       absl::string_view inside) {
    const std::string text = absl::StrCat(
        "HloModule m\nb {\n s = (", inside, "[1], f32[1]) parameter(0)\n x = ", inside,
        "[1] get-tuple-element(s), index=0\n y = f32[1] get-tuple-element(s), index=1\n ROOT t = (",
        inside, "[1], f32[1]) tuple(x, y)\n}\nk {\n s = (", inside,
        "[1], f32[1]) parameter(0)\n ROOT p = pred[] constant(false)\n}\nENTRY e {\n i = ", operand,
        "[1] constant({3})\n x = f32[1] parameter(0)\n y = f32[1] parameter(1)\n t = (", operand,
        "[1], f32[1]) tuple(i, x)\n w = (", loop,
        "[1], f32[1]) while(t), condition=k, body=b\n j = ", loop,
        "[1] get-tuple-element(w), index=0\n p = pred[1] compare(j, j), direction=EQ\n"
        " ROOT r = f32[1] select(p, x, y)\n}\n");
    return dataflow_text(text, {.operand = 1, .scope = Scope::kComputation});
  };
  EXPECT_EQ(with("s32", "s32", "s32"), "-");
  EXPECT_EQ(with("s16", "s32", "s32"), "0");
  EXPECT_EQ(with("s32", "s16", "s32"), "0");
  EXPECT_EQ(with("s32", "s32", "s16"), "0");
}

// One relation holds for all iterations: a counter decides no select, in the loop and behind it.
TEST(Predicates, WhatALoopChangesDecidesNothing) {
  const auto flows = [](absl::string_view root, int64_t operand) {
    const std::string text = absl::StrCat(R"(HloModule m
body {
  s = (s32[], f32[1], f32[1]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[1] get-tuple-element(s), index=1
  y = f32[1] get-tuple-element(s), index=2
  one = s32[] constant(1)
  k = s32[] add(i, one)
  p = pred[] compare(i, one), direction=LT
  z = f32[1] select(p, x, y)
  ROOT r = (s32[], f32[1], f32[1]) tuple(k, z, y)
}
cond {
  s = (s32[], f32[1], f32[1]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  ROOT c = pred[] compare(i, one), direction=LT
}
ENTRY e {
  x = f32[1] parameter(0)
  y = f32[1] parameter(1)
  i = s32[] constant(0)
  first = (s32[], f32[1], f32[1]) tuple(i, x, y)
  w = (s32[], f32[1], f32[1]) while(first), condition=cond, body=body
  n = s32[] get-tuple-element(w), index=0
  p = pred[] compare(n, i), direction=EQ
  inside = f32[1] get-tuple-element(w), index=1
  behind = f32[1] select(p, x, y)
  ROOT r = f32[1] copy()",
                                          root, ")\n}\n");
    return dataflow_text(text, {.operand = operand, .scope = Scope::kComputation});
  };
  for (const char* root : {"inside", "behind"}) {
    for (const int64_t operand : {0, 1}) EXPECT_EQ(flows(root, operand), "0") << root;
  }
}

TEST(Predicates, WhatABranchIsGivenDecidesNothing) {
  const std::string text = R"(HloModule m
choose {
  t = (pred[1], f32[1], f32[1]) parameter(0)
  q = pred[1] get-tuple-element(t), index=0
  a = f32[1] get-tuple-element(t), index=1
  b = f32[1] get-tuple-element(t), index=2
  k = pred[1] constant({true})
  known = f32[1] select(k, a, b)
  given = f32[1] select(q, a, b)
  ROOT r = f32[1] copy(NAME)
}
ENTRY e {
  x = f32[1] parameter(0)
  y = f32[1] parameter(1)
  which = pred[] parameter(2)
  q = pred[1] constant({true})
  t = (pred[1], f32[1], f32[1]) tuple(q, x, y)
  ROOT r = f32[1] conditional(which, t, t), branch_computations={choose, choose}
}
)";
  const auto flows = [&](const std::string& name) {
    std::string with = text;
    with.replace(with.find("NAME"), 4, name);
    return dataflow_text(with, {.operand = 1, .scope = Scope::kComputation});
  };
  EXPECT_EQ(flows("known"), "-");
  EXPECT_EQ(flows("given"), "0");
}

// A value is followed through copies. Custom calls, and copies that go on meanwhile, are none.
TEST(Predicates, OnlyCopiesHandPredicatesOn) {
  const std::string known = "c = pred[4] constant({true, true, false, false})\n";
  EXPECT_EQ(chosen(known + "p = pred[4] opt-barrier(c)"), "0 | 1 | - | - / - | - | 2 | 3");
  EXPECT_EQ(chosen(known + "p = pred[4] custom-call(c), custom_call_target=\"Sharding\""), kBoth);
  EXPECT_EQ(chosen(known + "s = (pred[4], pred[4], u32[]) copy-start(c)\n"
                           "p = pred[4] copy-done(s)"),
            kBoth);
  // Padding is no copy, but evaluated: the analysis says that its answer is a superset.
  EXPECT_EQ(chosen("c = pred[2] constant({true, true})\nf = pred[] constant(false)\n"
                   "p = pred[4] pad(c, f), padding=0_2"),
            "0 | 1 | - | - / - | - | 2 | 3");
}

TEST(Predicates, ArraysBeyondTheLimitsAreEvaluated) {
  std::string text = "p0 = pred[4] convert(i)\n";
  std::string last = "p0";
  for (int k = 1; k < 8; ++k) {  // the tree doubles with each
    const std::string next = absl::StrCat("p", k);
    absl::StrAppend(&text, next, " = pred[4] and(", last, ", ", last, ")\n");
    last = next;
  }
  EXPECT_EQ(chosen(text + "p = pred[4] copy(p5)"), "- | 1 | 2 | 3 / 0 | - | - | -");
  EXPECT_EQ(chosen(text + "p = pred[4] copy(p7)"), "- | 1 | 2 | 3 / 0 | - | - | -");
  EXPECT_EQ(chosen(text + "p = pred[4] and(p0, p7)"), "- | 1 | 2 | 3 / 0 | - | - | -");
}

// Indices from a parameter, each clamped twice: the text of take_along_axis does this.
TEST(Predicates, WhatMayBeAnythingCountsOnce) {
  std::string text = "c = pred[4] convert(i)\n";
  std::string last = "u";
  for (int k = 0; k < 60; ++k) {
    const std::string next = absl::StrCat("u", k);
    absl::StrAppend(&text, next, " = s32[4] add(", last, ", ", last, ")\n");
    last = next;
  }
  absl::StrAppend(&text, "b = pred[4] compare(", last, ", i), direction=LT\n");
  EXPECT_EQ(chosen(text + "p = pred[4] and(b, c)"), "- | 1 | 2 | 3 / 0 | 1 | 2 | 3");
}

TEST(Predicates, DifferentArraysBeyondTheLimitAreEvaluated) {
  const auto with = [](int64_t count, absl::string_view order = "b, c") {
    std::string text = "c = pred[4] convert(i)\n";
    std::string last = "u";
    for (int64_t k = 0; k < count; ++k) {
      const std::string next = absl::StrCat("u", k);
      absl::StrAppend(&text, next, " = s32[4] negate(", last, ")\n");
      last = next;
    }
    absl::StrAppend(&text, "b = pred[4] compare(", last, ", i), direction=LT\n");
    return chosen(absl::StrCat(text, "p = pred[4] and(", order, ")"));
  };
  // Besides: u, i, b, c, p.
  EXPECT_EQ(with(195), "- | 1 | 2 | 3 / 0 | 1 | 2 | 3");
  EXPECT_EQ(with(196), "- | 1 | 2 | 3 / 0 | 1 | 2 | 3");
  EXPECT_EQ(with(195, "c, b"), "- | 1 | 2 | 3 / 0 | 1 | 2 | 3");
  EXPECT_EQ(with(196, "c, b"), "- | 1 | 2 | 3 / 0 | 1 | 2 | 3");
}

}  // namespace
}  // namespace tileproof::spec
