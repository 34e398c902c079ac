// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/known_predicate.h"

#include <cstdint>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "spec/hlo/number_testing.h"
#include "spec/hlo/provenance_testing.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof::verify {
namespace {

using spec::Dims, spec::is_true, spec::Number, spec::number_of, spec::where_twice;

template <class N>
std::string element_of(const std::vector<Possible<N>>& possible) {
  std::string element;
  for (const Possible<N>& one : possible) {
    if (!is_true(one.when)) continue;
    absl::StrAppend(&element, element.empty() ? "" : "|");
    absl::StrAppend(&element, one.value ? absl::StrCat(number_of(*one.value)) : "?");
  }
  return element.empty() ? "-" : element;
}

// The range and the elements of the last instruction: "0..3: 0 1 2 3". An element that may have
// several values has them all, "0|2"; one of any value is "?".
std::string values_of(absl::string_view text) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(text);
  if (!module.ok()) return std::string(module.status().message());
  const int32_t root = module->computations[module->entry].root;
  const HloInstruction& last = module->computations[module->entry].instructions[root];
  const PossibleValues values = possible_values(*module, module->entry, root, 0);
  if (values.kind == PossibleValues::Kind::kAnything) return values.is_cut ? "cut" : "anything";
  std::string found = absl::StrCat(values.low, "..", values.high, ":");
  const Dims dims = leaves_of(*last.shape)->front().dims;
  std::vector<int64_t> index(dims.size(), 0);
  do {
    const std::string element = element_of(integers_at(values, index));
    const std::vector<Number> numbers(index.begin(), index.end());
    EXPECT_EQ(element, element_of(integers_at(values, numbers)));
    absl::StrAppend(&found, " ", element);
  } while (next_index(dims, index));
  return found;
}

// The operations on the way.
int64_t nodes_of(absl::string_view text) {
  const HloModule module = *parse_hlo_module(text);
  return possible_values(module, module.entry, module.computations[module.entry].root, 0).nodes;
}

// Of an operation of two constants of s32 or of predicates.
std::string of_two(absl::string_view operation, absl::string_view a, absl::string_view b,
                   absl::string_view result = "s32", absl::string_view operands = "s32") {
  const bool is_called = operation.find('(') != absl::string_view::npos;
  return values_of(absl::StrCat("a = ", operands, "[2] constant({", a, "})\nb = ", operands,
                                "[2] constant({", b, "})\nr = ", result, "[2] ", operation,
                                is_called ? "" : "(a, b)"));
}

TEST(PossibleIntegers, OfArithmetic) {
  EXPECT_EQ(of_two("add", "-3, 5", "10, 7"), "4..15: 7 12");
  EXPECT_EQ(of_two("subtract", "-3, 5", "10, 7"), "-13..-2: -13 -2");
  EXPECT_EQ(of_two("multiply", "-3, 5", "4, 4"), "-12..20: -12 20");
  EXPECT_EQ(of_two("multiply", "-3, -3", "4, 5"), "-15..-12: -12 -15");
  EXPECT_EQ(of_two("multiply", "0, 0", "4, 5"), "0..0: 0 0");
  EXPECT_EQ(of_two("multiply", "-3, 5", "4, 5"), "cut");
  EXPECT_EQ(of_two("divide", "0, 17", "4, 4"), "0..4: 0 4");
  EXPECT_EQ(of_two("divide", "9, 17", "1, 1"), "9..17: 9 17");
  EXPECT_EQ(of_two("divide", "8, 17", "4, 4"), "2..4: 2 4");
  EXPECT_EQ(of_two("divide", "-1, 17", "4, 4"), "cut");
  EXPECT_EQ(of_two("divide", "0, 17", "4, 5"), "cut");
  EXPECT_EQ(of_two("divide", "0, 17", "0, 0"), "cut");
  EXPECT_EQ(of_two("divide", "0, 17", "-2, -2"), "cut");
  EXPECT_EQ(of_two("remainder", "9, 17", "4, 4"), "0..3: 1 1");
  EXPECT_EQ(of_two("remainder", "0, 2", "4, 4"), "0..2: 0 2");
  EXPECT_EQ(of_two("remainder", "-1, 17", "4, 4"), "cut");
  EXPECT_EQ(of_two("remainder", "9, 17", "4, 5"), "cut");
  EXPECT_EQ(of_two("remainder", "9, 17", "0, 0"), "cut");
  EXPECT_EQ(of_two("minimum", "-3, 5", "-4, 7"), "-4..7: -4 5");
  EXPECT_EQ(of_two("maximum", "-3, 5", "-4, 7"), "-4..7: -3 7");
  EXPECT_EQ(of_two("minimum", "3, 5", "4, 5"), "3..5: 3 5");
  EXPECT_EQ(of_two("power", "-3, 5", "4, 5"), "cut");
}

TEST(PossibleIntegers, OfOneOrThreeOperands) {
  const std::string a = "a = s32[4] constant({-3, 0, 5, 9})\n";
  EXPECT_EQ(values_of(a + "r = s32[4] negate(a)"), "-9..3: 3 0 -5 -9");
  EXPECT_EQ(values_of(a + "r = s64[4] convert(a)"), "-3..9: -3 0 5 9");
  EXPECT_EQ(values_of(a + "r = u32[4] convert(a)"), "cut");
  EXPECT_EQ(values_of(a + "r = s32[4] custom-call(a), custom_call_target=\"k\""), "anything");
  EXPECT_EQ(values_of(a + "r = f32[4] convert(a)"), "anything");
  const std::string bounds = a + "l = s32[] constant(1)\nh = s32[] constant(6)\n";
  EXPECT_EQ(values_of(bounds + "r = s32[4] clamp(l, a, h)"), "-3..9: 1 1 5 6");
  EXPECT_EQ(values_of(bounds + "r = s32[4] clamp(h, a, l)"), "-3..9: 1 1 1 1");
  const std::string wide = a + "l = s32[] constant(-8)\nh = s32[] constant(16)\n";
  EXPECT_EQ(values_of(wide + "r = s32[4] clamp(l, a, h)"), "-8..16: -3 0 5 9");
  const std::string chosen = a +
                             "p = pred[4] constant({true, false, true, false})\n"
                             "b = s32[4] constant({20, 21, 22, 23})\n";
  EXPECT_EQ(values_of(chosen + "r = s32[4] select(p, a, b)"), "-3..23: -3 21 5 23");
  EXPECT_EQ(values_of(chosen + "r = s32[4] convert(p)"), "0..1: 1 0 1 0");
}

// What operands of unknown values leave open.
TEST(PossibleIntegers, OfOperandsThatMayBeAnything) {
  const std::string some =
      "u = s32[4] parameter(0)\nv = pred[4] parameter(1)\n"
      "p = pred[4] constant({true, false, true, false})\n"
      "a = s32[4] constant({1, 2, 3, 4})\nb = s32[4] constant({2, 2, 2, 2})\n";
  EXPECT_EQ(values_of(some + "r = s32[4] select(p, u, a)"), "1..4: ? 2 ? 4");
  EXPECT_EQ(values_of(some + "r = s32[4] select(p, a, u)"), "1..4: 1 ? 3 ?");
  EXPECT_EQ(values_of(some + "r = s32[4] select(v, a, b)"), "1..4: 1|2 2|2 3|2 4|2");
  EXPECT_EQ(values_of(some + "r = s32[4] select(v, u, u)"), "anything");
  const std::string open = some + "s = s32[4] select(p, u, a)\nt = s32[4] select(v, a, b)\n";
  EXPECT_EQ(values_of(open + "r = s32[4] add(s, b)"), "3..6: ? 4 ? 6");
  EXPECT_EQ(values_of(open + "r = s32[4] subtract(b, s)"), "-2..1: ? 0 ? -2");
  EXPECT_EQ(values_of(open + "r = s32[4] minimum(s, b)"), "1..4: ? 2 ? 2");
  EXPECT_EQ(values_of(open + "r = s32[4] maximum(b, s)"), "1..4: ? 2 ? 4");
  EXPECT_EQ(values_of(open + "r = s32[4] negate(s)"), "-4..-1: ? -2 ? -4");
  EXPECT_EQ(values_of(open + "r = s32[4] add(t, b)"), "3..6: 3|4 4|4 5|4 6|4");
  EXPECT_EQ(values_of(open + "r = s32[4] maximum(t, b)"), "1..4: 2|2 2|2 3|2 4|2");
  EXPECT_EQ(values_of(open + "r = pred[4] compare(s, b), direction=LT"), "0..1: 1|0 0 1|0 0");
  EXPECT_EQ(values_of(open + "r = pred[4] compare(b, s), direction=LT"), "0..1: 1|0 0 1|0 1");
  EXPECT_EQ(values_of(open + "w = s32[] parameter(2)\nk = s32[] constant(3)\n"
                             "r = s32[4] clamp(w, a, k)"),
            "anything");
  EXPECT_EQ(values_of(open + "r = pred[4] compare(t, a), direction=EQ"), "0..1: 1|0 1 1|0 1|0");
  EXPECT_EQ(values_of(open + "r = s32[4] add(u, b)"), "anything");
  EXPECT_EQ(values_of(open + "r = s32[4] add(b, u)"), "anything");
  EXPECT_EQ(values_of(open + "r = pred[4] compare(u, b), direction=LT"), "anything");
}

TEST(PossibleIntegers, OfPredicates) {
  const auto of = [](absl::string_view operation) {
    return values_of(absl::StrCat(
        "v = pred[6] parameter(0)\nt = pred[6] constant({true, true, true, true, true, true})\n"
        "k = pred[6] constant({true, true, false, false, true, false})\n"
        "l = pred[6] constant({true, false, true, false, true, false})\n"
        "m = pred[6] constant({false, false, false, false, true, true})\n"
        "a = pred[6] select(m, v, k)\nb = pred[6] select(m, l, v)\n",  // k k k k ? ?; ? ? ? ? l l
        "r = pred[6] ", operation));
  };
  EXPECT_EQ(of("copy(a)"), "0..1: 1 1 0 0 1|0 1|0");
  EXPECT_EQ(of("copy(b)"), "0..1: 1|0 1|0 1|0 1|0 1 0");
  EXPECT_EQ(of("not(a)"), "0..1: 0 0 1 1 1|0 1|0");
  EXPECT_EQ(of("convert(a)"), "0..1: 1 1 0 0 1|0 1|0");
  for (const absl::string_view conjunction : {"and(a, b)", "multiply(a, b)", "minimum(a, b)"}) {
    EXPECT_EQ(of(conjunction), "0..1: 1|0 1|0 0 0 1|0 0") << conjunction;
  }
  for (const absl::string_view disjunction : {"or(a, b)", "add(a, b)", "maximum(a, b)"}) {
    EXPECT_EQ(of(disjunction), "0..1: 1 1 1|0 1|0 1 1|0") << disjunction;
  }
  EXPECT_EQ(of("and(k, l)"), "0..1: 1 0 0 0 1 0");
  EXPECT_EQ(of("or(k, l)"), "0..1: 1 1 1 0 1 0");
  EXPECT_EQ(of("xor(k, l)"), "0..1: 0 1 1 0 0 0");
  EXPECT_EQ(of("xor(k, a)"), "0..1: 0 0 0 0 1|0 1|0");
  EXPECT_EQ(of("xor(a, k)"), "0..1: 0 0 0 0 1|0 1|0");
  EXPECT_EQ(of("select(k, l, m)"), "0..1: 1 0 0 0 1 1");
  EXPECT_EQ(of("select(k, l, a)"), "0..1: 1 0 0 0 1 1|0");
  EXPECT_EQ(of("select(k, b, l)"), "0..1: 1|0 1|0 1 0 1 0");
  EXPECT_EQ(of("select(v, k, l)"), "0..1: 1 1|0 1|0 0 1 0");
  EXPECT_EQ(of("and(v, v)"), "anything");
  EXPECT_EQ(of("custom-call(k), custom_call_target=\"k\""), "anything");
  EXPECT_EQ(of("and(v, k)"), "0..1: 1|0 1|0 0 0 1|0 0");
}

TEST(PossibleIntegers, OfComparisons) {
  const auto with = [](absl::string_view direction, absl::string_view a = "1, 2",
                       absl::string_view b = "2, 2") {
    return of_two(absl::StrCat("compare(a, b), direction=", direction), a, b, "pred");
  };
  EXPECT_EQ(with("LT"), "0..1: 1 0");
  EXPECT_EQ(with("LE", "2, 3"), "0..1: 1 0");
  EXPECT_EQ(with("GT", "3, 2"), "0..1: 1 0");
  EXPECT_EQ(with("GE", "2, 1"), "0..1: 1 0");
  EXPECT_EQ(with("EQ", "2, 1"), "0..1: 1 0");
  EXPECT_EQ(with("NE", "3, 2"), "0..1: 1 0");
  EXPECT_EQ(with("LT, type=SIGNED", "-1, 2"), "0..1: 1 0");
  EXPECT_EQ(with("LT, type=UNSIGNED", "0, 2"), "0..1: 1 0");
  EXPECT_EQ(with("LT, type=UNSIGNED", "-1, 2"), "cut");
  EXPECT_EQ(with("LT, type=UNSIGNED", "0, 2", "-1, 2"), "cut");
}

TEST(PossibleIntegers, EachOperationOnTheWayIsANode) {
  const std::string i = "i = s32[4] iota(), iota_dimension=0\n";
  EXPECT_EQ(nodes_of(i), 1);
  EXPECT_EQ(nodes_of(i + "r = s32[4] add(i, i)"), 3);
  EXPECT_EQ(nodes_of(i + "r = pred[4] convert(i)"), 2);
  EXPECT_EQ(nodes_of(i + "r = s32[4] reverse(i), dimensions={0}"), 2);
  EXPECT_EQ(nodes_of(i + "k = s32[] constant(2)\nr = s32[4] clamp(k, i, k)"), 4);
  std::string text = "v0 = s32[4] iota(), iota_dimension=0\n";
  for (int k = 1; k <= 6; ++k)  // v6 has 127
    absl::StrAppend(&text, "v", k, " = s32[4] add(v", k - 1, ", v", k - 1, ")\n");
  absl::StrAppend(&text, "a = s32[4] reverse(v2), dimensions={0}\nb = s32[4] add(v5, a)\n",
                  "r = s32[4] add(v6, b)\n");
  EXPECT_EQ(nodes_of(text), kMostPossible);
  EXPECT_NE(values_of(text), "anything");
  EXPECT_EQ(values_of(text + "s = s32[4] copy(r)"), "cut");
}

// A leaf that the body of a loop hands on, in copies of one element type. Of each type: the operand,
// the loop, the parameter of the body, and its root.
TEST(PossibleIntegers, OfLoopsOfOneElementType) {
  const auto with = [](absl::string_view operand, absl::string_view loop,
                       absl::string_view parameter, absl::string_view root) {
    return values_of(absl::StrCat(
        "HloModule m\nb {\n s = (", parameter, "[1], f32[]) parameter(0)\n x = ", parameter,
        "[1] get-tuple-element(s), index=0\n y = f32[] get-tuple-element(s), index=1\n c = ", root,
        "[1] copy(x)\n ROOT t = (", root, "[1], f32[]) tuple(c, y)\n}\nk {\n s = (", parameter,
        "[1], f32[]) parameter(0)\n ROOT p = pred[] constant(false)\n}\nENTRY e {\n i = ", operand,
        "[1] constant({3})\n y = f32[] parameter(0)\n t = (", operand,
        "[1], f32[]) tuple(i, y)\n w = (", loop,
        "[1], f32[]) while(t), condition=k, body=b\n ROOT r = ", loop,
        "[1] get-tuple-element(w), index=0\n}\n"));
  };
  EXPECT_EQ(with("s32", "s32", "s32", "s32"), "3..3: 3");
  EXPECT_EQ(with("s16", "s32", "s32", "s32"), "anything");
  EXPECT_EQ(with("s32", "s16", "s32", "s32"), "anything");
  EXPECT_EQ(with("s32", "s32", "s16", "s32"), "anything");
  EXPECT_EQ(with("s32", "s32", "s32", "s16"), "anything");
  EXPECT_EQ(with("s32", "s32", "s16", "s16"), "anything");
}

// More is known than a tree that is cut says. What may be anything for another reason stays so.
TEST(PossibleIntegers, WhatDependsOnACutTreeIsCut) {
  std::string list;
  for (int64_t k = 0; k <= kMostListed; ++k) absl::StrAppend(&list, k == 0 ? "" : ", ", k);
  const std::string size = absl::StrCat(kMostListed + 1);
  const auto after = [&](const std::string& lines) {
    return values_of(absl::StrCat("c = s32[", size, "] constant({", list, "})\np = s32[", size,
                                  "] parameter(0)\ni = s32[", size, "] iota(), iota_dimension=0\n",
                                  lines));
  };
  const std::string integers = absl::StrCat("r = s32[", size, "] ");
  const std::string predicate = absl::StrCat("pred[", size, "] ");
  EXPECT_EQ(after(integers + "reverse(c), dimensions={0}"), "cut");
  EXPECT_EQ(after(integers + "add(c, i)"), "cut");
  EXPECT_EQ(after(integers + "add(c, p)"), "anything");
  EXPECT_EQ(after(integers + "add(i, p)"), "anything");
  EXPECT_EQ(after(absl::StrCat("r = ", predicate, "compare(c, i), direction=LT")), "cut");
  EXPECT_EQ(after(absl::StrCat("r = ", predicate, "compare(c, p), direction=LT")), "anything");
  EXPECT_EQ(after(absl::StrCat("a = ", predicate, "compare(c, i), direction=LT\nb = ", predicate,
                               "compare(i, p), direction=LT\nr = ", predicate, "and(a, b)")),
            "cut");
}

// It is not followed, though it gives numbers of numbers.
TEST(PossibleIntegers, AnOperationThatIsNotListedIsCut) {
  EXPECT_EQ(of_two("shift-left", "1, 2", "1, 1"), "cut");
  EXPECT_EQ(of_two("and", "1, 2", "1, 1"), "cut");
  EXPECT_EQ(of_two("custom-call(a), custom_call_target=\"k\"", "1, 2", "1, 1"), "anything");
  EXPECT_EQ(of_two("bitcast-convert(a)", "1, 2", "1, 1", "u32"), "cut");
  const std::string some = "a = s32[2] constant({1, 2})\np = s32[2] parameter(0)\n";
  EXPECT_EQ(values_of(some + "r = s32[2] xor(a, p)"), "anything");
  const std::string at = "z = s32[] constant(0)\nq = s32[] parameter(1)\n";
  const auto slice = [&](absl::string_view array, absl::string_view offset) {
    return values_of(absl::StrCat(some, at, "r = s32[1] dynamic-slice(", array, ", ", offset,
                                  "), dynamic_slice_sizes={1}"));
  };
  EXPECT_EQ(slice("a", "z"), "cut");
  EXPECT_EQ(slice("p", "z"), "anything");
  EXPECT_EQ(slice("a", "q"), "anything");
  const auto padded = [&](absl::string_view array, absl::string_view value) {
    return values_of(
        absl::StrCat(some, at, "r = s32[4] pad(", array, ", ", value, "), padding=1_1"));
  };
  EXPECT_EQ(padded("a", "q"), "cut");
  EXPECT_EQ(padded("p", "z"), "cut");
  EXPECT_EQ(padded("p", "q"), "anything");
}

TEST(PossibleIntegers, OfConstants) {
  const auto list = [](int64_t count, bool differ) {
    std::string text;
    for (int64_t k = 0; k < count; ++k)
      absl::StrAppend(&text, k == 0 ? "" : ", ", differ && k == count - 1 ? 8 : 7);
    return values_of(absl::StrCat("r = s32[", count, "] constant({", text, "})")).substr(0, 8);
  };
  EXPECT_EQ(list(kMostListed, true), "7..8: 7 ");
  EXPECT_EQ(list(kMostListed + 1, true), "cut");
  EXPECT_EQ(list(kMostListed + 1, false), "7..7: 7 ");
  EXPECT_EQ(values_of("r = s32[4] constant({...})"), "anything");
  EXPECT_EQ(values_of("r = s32[0] constant({})"), "anything");
  EXPECT_EQ(values_of("r = s32[4] iota()"), "anything");
}

// A comparison that its operands decide leaves one branch: where(y == 0, 1, y) of jnp.remainder.
TEST(PossibleIntegers, OfTheOnlyBranchOfASelect) {
  const auto remainder = [](const std::string& predicate) {
    return values_of(absl::StrCat(
        "i = s32[4] iota(), iota_dimension=0\ny = s32[] constant(2)\nu = pred[1] parameter(0)\n"
        "none = s32[] constant(0)\none = s32[] constant(1)\n",
        predicate,
        "d = s32[] select(q, one, y)\nb = s32[4] broadcast(d), dimensions={}\n"
        "r = s32[4] remainder(i, b)"));
  };
  const auto compared = [&](absl::string_view direction) {
    return remainder(absl::StrCat("q = pred[] compare(y, none), direction=", direction, "\n"));
  };
  EXPECT_EQ(compared("EQ"), "0..1: 0 1 0 1");
  EXPECT_EQ(compared("LT"), "0..1: 0 1 0 1");
  EXPECT_EQ(compared("LE"), "0..1: 0 1 0 1");
  EXPECT_EQ(compared("NE"), "0..0: 0 0 0 0");
  EXPECT_EQ(compared("GT"), "0..0: 0 0 0 0");
  EXPECT_EQ(compared("GE"), "0..0: 0 0 0 0");
  // One that may be anything leaves both.
  EXPECT_EQ(remainder("p = pred[] compare(y, none), direction=EQ\np1 = pred[1] reshape(p)\n"
                      "c = pred[2] concatenate(p1, u), dimensions={0}\n"
                      "q1 = pred[1] slice(c), slice={[1:2]}\nq = pred[] reshape(q1)\n"),
            "cut");
}

// Numbers of both ends of their types, and beyond.
TEST(PossibleIntegers, OfTheWholeTypeOnly) {
  EXPECT_EQ(of_two("add", "126, -128", "1, 0", "s8", "s8"), "-128..127: 127 -128");
  EXPECT_EQ(of_two("add", "127, 0", "1, 0", "s8", "s8"), "cut");
  EXPECT_EQ(of_two("subtract", "-128, 0", "1, 0", "s8", "s8"), "cut");
  EXPECT_EQ(of_two("subtract", "0, 1", "0, 1", "u8", "u8"), "cut");
  EXPECT_EQ(of_two("negate(a)", "-128, 0", "0, 0", "s8", "s8"), "cut");
  EXPECT_EQ(of_two("add", "9223372036854775806, 0", "0, 0", "s64", "s64"),
            "0..9223372036854775806: 9223372036854775806 0");
  EXPECT_EQ(of_two("subtract", "-9223372036854775808, 0", "1, 0", "s64", "s64"), "cut");
  // The largest s64 stands for every larger u64.
  EXPECT_EQ(of_two("add", "9223372036854775806, 0", "1, 0", "s64", "s64"), "cut");
  EXPECT_EQ(of_two("multiply", "9223372036854775806, 0", "2, 2", "s64", "s64"), "cut");
}

TEST(PossibleIntegers, OfCopies) {
  EXPECT_EQ(values_of("r = s32[2,3] iota(), iota_dimension=1"), "0..2: 0 1 2 0 1 2");
  EXPECT_EQ(values_of("r = s32[2,3] iota(), iota_dimension=2"), "anything");
  EXPECT_EQ(values_of("r = pred[2] iota(), iota_dimension=0"), "anything");
  EXPECT_EQ(values_of("r = s32[1] iota(), iota_dimension=0"), "0..0: 0");
  EXPECT_EQ(values_of("r = s32[2,2] constant({{4, 7}, {5, 6}})"), "4..7: 4 7 5 6");
  const std::string parts =
      "a = s32[2] constant({4, 7})\nb = s32[1] constant({-1})\n"
      "u = s32[1] parameter(0)\n";
  EXPECT_EQ(values_of(parts + "r = s32[3] concatenate(a, b), dimensions={0}"), "-1..7: 4 7 -1");
  EXPECT_EQ(values_of(parts + "r = s32[3] concatenate(a, u), dimensions={0}"), "4..7: 4 7 ?");
  EXPECT_EQ(values_of(parts + "r = s32[3] concatenate(u, a), dimensions={0}"), "4..7: ? 4 7");
  EXPECT_EQ(values_of(parts + "e = s32[0] constant({})\n"
                              "r = s32[2] concatenate(e, a), dimensions={0}"),
            "4..7: 4 7");
  EXPECT_EQ(values_of(parts + "e = s32[0] iota(), iota_dimension=0\n"
                              "r = s32[2] concatenate(e, a), dimensions={0}"),
            "4..7: 4 7");
  EXPECT_EQ(values_of("t = (s32[1], f32[]) parameter(0)\n"
                      "w = (s32[1], f32[]) while(t), condition=k\n"
                      "r = s32[1] get-tuple-element(w), index=0"),
            "anything");  // nothing is known of its body
  const std::string two =
      "k = pred[2] constant({true, false})\nl = pred[1] constant({true})\n"
      "m = pred[1] constant({false})\n";
  EXPECT_EQ(values_of(two + "r = pred[3] concatenate(k, l), dimensions={0}"), "0..1: 1 0 1");
  EXPECT_EQ(values_of(two + "r = pred[3] concatenate(l, k), dimensions={0}"), "0..1: 1 1 0");
  EXPECT_EQ(values_of(two + "r = pred[3] concatenate(k, m), dimensions={0}"), "0..1: 1 0 0");
  const std::string a = "a = s32[2,3] constant({{1, 2, 3}, {4, 5, 6}})\n";
  EXPECT_EQ(values_of(a + "r = s32[3,2] transpose(a), dimensions={1,0}"), "1..6: 1 4 2 5 3 6");
  EXPECT_EQ(values_of(a + "r = s32[3,2] reshape(a)"), "1..6: 1 2 3 4 5 6");
  EXPECT_EQ(values_of(a + "r = s32[2,3] reverse(a), dimensions={1}"), "1..6: 3 2 1 6 5 4");
  EXPECT_EQ(values_of(a + "r = s32[2,2] slice(a), slice={[0:2], [1:3]}"), "1..6: 2 3 5 6");
  EXPECT_EQ(values_of(a + "r = s32[2,3] opt-barrier(a)"), "1..6: 1 2 3 4 5 6");
  EXPECT_EQ(values_of(a + "r = s32[2,3] copy(a)"), "1..6: 1 2 3 4 5 6");
  EXPECT_EQ(values_of("a = s32[2] constant({1, 2})\n"
                      "r = s32[2,2] broadcast(a), dimensions={0}"),
            "1..2: 1 1 2 2");
  EXPECT_EQ(values_of("a = s32[<=2] constant({1, 2})\nr = s32[<=2] reverse(a), dimensions={0}"),
            "anything");
  EXPECT_EQ(values_of(parts + "t = (s32[2], s32[1]) tuple(a, b)\n"
                              "r = s32[1] get-tuple-element(t), index=1"),
            "-1..-1: -1");
  EXPECT_EQ(values_of("q = pred[3]{0:T(4)} constant({true, false, true})\n"
                      "r = pred[4] bitcast(q)"),
            "0..1: 1 0 1 1|0");
  EXPECT_EQ(values_of("q = s32[3]{0:T(4)} constant({4, 5, 6})\nr = s32[4] bitcast(q)"),
            "4..6: 4 5 6 ?");
}

// Also in what it runs. A single instruction may name computations that are not in the text.
TEST(KnownPredicate, SelectsAreFoundInCallees) {
  const HloModule module = *parse_hlo_module(R"(HloModule m
where {
  q = pred[] parameter(0)
  a = pred[] parameter(1)
  ROOT s = pred[] select(q, a, q)
}
body {
  s = (pred[], pred[]) parameter(0)
  q = pred[] get-tuple-element(s), index=0
  a = pred[] get-tuple-element(s), index=1
  z = pred[] fusion(q, a), kind=kLoop, calls=where
  ROOT t = (pred[], pred[]) tuple(q, z)
}
never {
  s = (pred[], pred[]) parameter(0)
  ROOT f = pred[] constant(false)
}
ENTRY e {
  s = (pred[], pred[]) parameter(0)
  ROOT w = (pred[], pred[]) while(s), condition=never, body=body
}
)");
  std::map<int32_t, bool> known;
  EXPECT_TRUE(has_select(module, module.entry, known));
  EXPECT_TRUE(has_select(module, 1, known));
  EXPECT_FALSE(has_select(module, 2, known));
  const HloModule alone =
      *parse_hlo_module("s = (pred[4], f32[4]) parameter(0)\nc = f32[4] call(s), to_apply=nowhere");
  std::map<int32_t, bool> of_alone;
  EXPECT_FALSE(has_select(alone, 0, of_alone));
}

// The state of a loop is known where the body hands it on.
TEST(KnownPredicate, ACallMayKnowItsOperands) {
  const HloModule module = *parse_hlo_module(R"(HloModule m
where {
  q = pred[2] parameter(0)
  a = pred[2] parameter(1)
  ROOT s = pred[2] select(q, a, q)
}
ENTRY e {
  p = pred[2] parameter(0)
  k = pred[2] constant({true, false})
  f = f32[2] constant({1, 2})
  c0 = pred[2] call(p, p), to_apply=where
  c1 = pred[2] call(p, k), to_apply=where
  c2 = pred[2] call(f, p), to_apply=where
  ROOT c3 = pred[2] call(p), to_apply=where
}
)");
  const auto knows = [&](int32_t call) {
    return knows_operands(module, {.computation = module.entry, .call = call});
  };
  EXPECT_FALSE(knows(3));
  EXPECT_TRUE(knows(4));
  EXPECT_FALSE(knows(5));
  EXPECT_FALSE(knows(6));
}

// The element types of what they are asked for.
TEST(KnownElements, OfIotasAndConstants) {
  const HloModule module = *parse_hlo_module(
      "a = s32[2,3] iota(), iota_dimension=1\nb = s32[3] iota()\nc = s32[3] iota(), "
      "iota_dimension=1\nd = pred[3] iota(), iota_dimension=0\ne = f32[3] iota(), "
      "iota_dimension=0");
  const std::vector<HloInstruction>& i = module.computations[0].instructions;
  const auto of = [&](size_t k, std::vector<int64_t> index) {
    return element_of_iota(i[k], index);
  };
  EXPECT_EQ(of(0, {1, 2}), 2);
  EXPECT_EQ(of(0, {2}), std::nullopt);
  EXPECT_EQ(of(0, {1, 2, 0}), std::nullopt);
  for (const size_t k : {1, 2, 3, 4}) EXPECT_EQ(of(k, {1}), std::nullopt) << k;
  HloInstruction bare = i[0];
  bare.shape = SharedShape();
  EXPECT_EQ(element_of_iota(bare, std::vector<int64_t>{1, 2}), std::nullopt);
  const auto elements = [](absl::string_view text) {
    return elements_of_constant(parse_hlo_module(text)->computations[0].instructions[0]);
  };
  EXPECT_EQ(elements("c = s32[2] constant({300, 255})"), (std::vector<int64_t>{300, 255}));
  EXPECT_EQ(elements("c = u64[2] constant({18446744073709551615, 3})"),
            (std::vector<int64_t>{INT64_MAX, 3}));
}

}  // namespace
}  // namespace tileproof::verify
