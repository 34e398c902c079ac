// SPDX-License-Identifier: Apache-2.0
// What flows from operands to results: small examples of every operation, in corpus/hlo/flows.txt, and
// here those that are alike but for a word.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "corpus/golden.h"
#include "corpus/paths.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/hlo/provenance_testing.h"

namespace tileproof::spec {
namespace {

using ::testing::StartsWith;

// A select of x and y by the predicate p.
std::string selecting(absl::string_view instructions, int64_t size) {
  return absl::StrCat("HloModule m\nENTRY e {\n  x = f32[", size, "] parameter(0)\n  y = f32[",
                      size, "] parameter(1)\n  q = pred[", size, "] parameter(2)\n  u = s32[", size,
                      "] parameter(3)\n  i = s32[", size, "] iota(), iota_dimension=0\n",
                      instructions, "\n  ROOT r = f32[", size, "] select(p, x, y)\n}\n");
}

// The elements of x that flow into a select of x and y by the predicate p, and those of y.
std::string chosen(absl::string_view instructions, int64_t size = 4) {
  const std::string text = selecting(instructions, size);
  const Scope scope = Scope::kComputation;
  return absl::StrCat(dataflow_text(text, {.operand = 0, .scope = scope}), " / ",
                      dataflow_text(text, {.operand = 1, .scope = scope}));
}

int64_t number_in(absl::string_view text) {
  int64_t number = 0;
  EXPECT_TRUE(absl::SimpleAtoi(text, &number)) << text;
  return number;
}

// `flows from 0,1.2 to 1 computation with 3,4`, `chosen of 8 instruction`
struct Question {
  std::vector<std::pair<int64_t, int64_t>> from = {{0, 0}};  // operands and leaves
  Asked asked;
  int64_t size = 4;
};

Question read_question(absl::string_view head) {
  const std::vector<absl::string_view> words = absl::StrSplit(head, ' ');
  Question question;
  if (words[0] == "chosen") {
    question.from = {{0, 0}, {1, 0}};
    question.asked.scope = Scope::kComputation;
  }
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "computation") question.asked.scope = Scope::kComputation;
    if (words[i] == "instruction") question.asked.scope = Scope::kInstruction;
    if (i + 1 == words.size()) break;
    const std::vector<absl::string_view> list = absl::StrSplit(words[i + 1], ',');
    if (words[i] == "of") question.size = number_in(list[0]);
    if (words[i] == "to") question.asked.leaf = number_in(list[0]);
    if (words[i] == "from") question.from.clear();
    for (const absl::string_view one : list) {
      const std::pair<absl::string_view, absl::string_view> parts =
          absl::StrSplit(one, absl::MaxSplits('.', 1));
      if (words[i] == "with") question.asked.values.push_back(number_in(one));
      if (words[i] == "from") {
        question.from.emplace_back(number_in(parts.first),
                                   parts.second.empty() ? 0 : number_in(parts.second));
      }
    }
  }
  return question;
}

std::string answer_to(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits(':', 1));
  const absl::string_view instructions = absl::StripAsciiWhitespace(parts.second);
  Question question = read_question(parts.first);
  const std::string module = absl::StartsWith(text, "chosen")
                                 ? selecting(instructions, question.size)
                                 : std::string(instructions);
  std::string lines;
  for (const auto& [operand, leaf] : question.from) {
    question.asked.operand = operand;
    question.asked.operand_leaf = leaf;
    const std::string line = dataflow_text(module, question.asked);
    if (absl::StrContains(line, ": expected")) return line + "\n";
    absl::StrAppend(&lines, line.empty() ? "no elements" : line, "\n");
  }
  return lines;
}

TEST(Flows, AreThoseOfTheExamples) {
  const auto entries = read_golden(project_path("corpus/hlo/flows.txt"));
  ASSERT_TRUE(entries.ok()) << entries.status();
  for (const GoldenAnswer& entry : *entries) {
    if (is_comment(entry)) continue;
    EXPECT_EQ(answer_to(entry.question), entry.answer) << entry.question;
  }
}

// One batch, one head, two rows of depth 1, three columns. The second part is the sums of the rows.
TEST(Structure, AttentionReadsItsRows) {
  const auto flows = [](absl::string_view target, absl::string_view mask, int64_t operand,
                        int64_t leaf) {
    return dataflow_text(
        absl::StrCat(
            "r = (f32[1,1,2,1], f32[1,1,2], u8[0]) custom-call(f32[1,1,2,1] q, "
            "f32[1,1,3,1] k, f32[1,1,3,1] v, f32[1,1,2,3] b), custom_call_target=\"",
            target,
            "\", backend_config={\"cudnn_fmha_backend_config\":{\"fmha_scale\":1,"
            "\"dropout_rate\":0,\"bmm1_dot_dimension_numbers\":{"
            "\"lhs_contracting_dimensions\":[\"3\"],\"rhs_contracting_dimensions\":[\"3\"],"
            "\"lhs_batch_dimensions\":[\"0\",\"1\"],\"rhs_batch_dimensions\":[\"0\",\"1\"]},"
            "\"bmm2_dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"3\"],"
            "\"rhs_contracting_dimensions\":[\"2\"],\"lhs_batch_dimensions\":[\"0\",\"1\"],"
            "\"rhs_batch_dimensions\":[\"0\",\"1\"]},\"mask_type\":\"",
            mask, "\",\"sliding_window_length\":0}}"),
        {.operand = operand, .leaf = leaf});
  };
  constexpr absl::string_view kTarget = "__cudnn$fmhaScaleBiasSoftmax";
  for (const int64_t leaf : {0, 1}) {
    EXPECT_EQ(flows(kTarget, "NO_MASK", 0, leaf), "0 | 1");
    EXPECT_EQ(flows(kTarget, "NO_MASK", 1, leaf), "0 1 2 | 0 1 2");
    EXPECT_EQ(flows(kTarget, "NO_MASK", 3, leaf), "0 1 2 | 3 4 5");
    EXPECT_EQ(flows(kTarget, "CAUSAL", 1, leaf), "0 | 0 1");
    EXPECT_EQ(flows(kTarget, "CAUSAL", 3, leaf), "0 | 3 4");
  }
  EXPECT_EQ(flows(kTarget, "NO_MASK", 2, 0), "0 1 2 | 0 1 2");
  EXPECT_EQ(flows(kTarget, "CAUSAL", 2, 0), "0 | 0 1");
  EXPECT_EQ(flows(kTarget, "NO_MASK", 2, 1), "- | -");
  EXPECT_EQ(flows("k", "NO_MASK", 0, 0), "0 1 | 0 1");  // another kernel
}

TEST(Structure, AnnotationsReturnTheirOperand) {
  for (const char* target :
       {"Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape", "xla.sdy.FuncResultSharding",
        "xla.sdy.GlobalToLocalShape", "xla.sdy.LocalToGlobalShape", "ShardBarrierFrom",
        "ShardBarrierTo", "annotate_device_placement", "MoveToHost", "MoveToDevice",
        "LayoutConstraint"}) {
    const std::string attribute = absl::StrCat(", custom_call_target=\"", target, "\"");
    EXPECT_EQ(dataflow_text(absl::StrCat("r = f32[3] custom-call(f32[3] a)", attribute)),
              "0 | 1 | 2")
        << target;
    // Other sizes, element types or operands: nothing is known.
    for (const char* call : {"s32[2] custom-call(f32[2] a)", "f32[2] custom-call(f32[2,1] a)",
                             "f32[2] custom-call(f32[2] a, f32[] b)"}) {
      EXPECT_EQ(dataflow_text(absl::StrCat("r = ", call, attribute)), "0 1 | 0 1") << target;
    }
  }
  EXPECT_EQ(dataflow_text("r = b(f32[2]) custom-call(f32[2] a), custom_call_target=\"Pin\""),
            "0 | 1");
  EXPECT_EQ(dataflow_text("r = f32[2] custom-call(b(f32[2]) a), custom_call_target=\"Unpin\""),
            "0 | 1");
  EXPECT_EQ(dataflow_text("r = (f32[2], s32[3]) custom-call((f32[2], s32[3]) a), "
                          "custom_call_target=\"ShardBarrierTo\"",
                          {.leaf = 0}),
            "0 | 1");
}

TEST(Structure, TopKByAnotherName) {
  for (const char* target : {"TopK", "__gpu$TopK"}) {
    const std::string attribute = absl::StrCat(", custom_call_target=\"", target, "\"");
    const std::string text =
        absl::StrCat("r = (f32[2,1], s32[2,1]) custom-call(f32[2,3] a)", attribute);
    EXPECT_EQ(dataflow_text(text, {.leaf = 0}), "0 1 2 | 3 4 5") << target;
    EXPECT_EQ(dataflow_text(text, {.leaf = 1}), "0 1 2 | 3 4 5") << target;
    // Other sizes or operands: nothing is known.
    for (const char* call :
         {"(f32[2,1], s32[1,1]) custom-call(f32[2,1] a)",
          "(f32[2,2], s32[2,2]) custom-call(f32[2,1] a)",
          "(f32[2], s32[2]) custom-call(f32[2] a, f32[] b)",
          "(f32[2], s32[]) custom-call(f32[2] a)", "(f32[2,1]) custom-call(f32[2,1] a)",
          "(f32[2,1], s32[2,1]) custom-call((f32[2,1], f32[2,1]) a)",
          "(f32[2,1], s32[2,1]) custom-call(f32[2,1] a, f32[2,1] b)"}) {
      EXPECT_THAT(dataflow_text(absl::StrCat("r = ", call, attribute), {.leaf = 0}),
                  StartsWith("0 1 | 0 1"))
          << call;
    }
    EXPECT_EQ(dataflow_text(absl::StrCat("r = (f32[], s32[]) custom-call(f32[] a)", attribute)),
              "0");
    EXPECT_EQ(
        dataflow_text(absl::StrCat("r = (f32[2,2], s32[2,2]) custom-call(f32[2,2] a)", attribute)),
        "0 1 | 0 1 | 2 3 | 2 3");
    EXPECT_EQ(dataflow_text("r = (f32[2,1], s32[2,1]) custom-call(f32[2,3] a), "
                            "custom_call_target=\"k\""),
              "0 1 2 3 4 5 | 0 1 2 3 4 5");
  }
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
