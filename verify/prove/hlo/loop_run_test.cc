// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/loop_run.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof::verify {
namespace {

// A loop over two integers c0 and c1 of a type. `body` gives n0, and n1 unless that is c1.
struct Loop {
  std::string c0 = "0";
  std::string body = "n0 = TYPE add(c0, one)";
  std::string test = "compare(c0, limit), direction=LT";
  std::string limit = "3";
  std::string type = "s32[]";
};

HloModule module_of(const Loop& loop) {
  const std::string parts =
      "s = (TYPE, TYPE) parameter(0)\n c0 = TYPE get-tuple-element(s), index=0\n c1 = TYPE "
      "get-tuple-element(s), index=1\n one = TYPE constant(1)\n five = TYPE constant(5)\n limit = "
      "TYPE constant(" +
      loop.limit + ")\n ";
  const bool has_next = loop.body.find("n1 =") != std::string::npos;
  std::string text = absl::StrCat(
      "HloModule m\nbody {\n ", parts, loop.body, "\n ROOT r = (TYPE, TYPE) tuple(n0, ",
      has_next ? "n1" : "c1", ")\n}\ncond {\n ", parts, "ROOT p = pred[] ", loop.test,
      "\n}\nENTRY e {\n c0 = TYPE constant(", loop.c0,
      ")\n c1 = TYPE constant(7)\n t = (TYPE, TYPE) tuple(c0, c1)\n ROOT w = (TYPE, TYPE) "
      "while(t), condition=cond, body=body\n}\n");
  for (size_t at; (at = text.find("TYPE")) != std::string::npos;) text.replace(at, 4, loop.type);
  const absl::StatusOr<HloModule> module = parse_hlo_module(text);
  EXPECT_TRUE(module.ok()) << module.status() << "\n" << text;
  return module.ok() ? *module : HloModule();
}

std::optional<LoopRun> run_of(const HloModule& module) {
  const HloComputation& entry = module.computations[module.entry];
  const auto checked = checked_op(module, entry, entry.instructions[entry.root]);
  EXPECT_TRUE(checked.ok()) << checked.status();
  return checked.ok() ? run_loop(std::get<op::While>(checked->operation)) : std::nullopt;
}

// The values of c0: "0 1 2 3".
std::string values_of(const Loop& loop) {
  const auto run = run_of(module_of(loop));
  if (!run) return "unknown";
  std::string text;
  for (const LoopState& state : run->states) {
    const auto value = state.find(0);
    absl::StrAppend(&text, text.empty() ? "" : " ",
                    value == state.end() ? "?" : absl::StrCat(value->second));
  }
  return text;
}

TEST(LoopRun, TheExampleOfTheHeader) { EXPECT_EQ(values_of({}), "0 1 2 3"); }

TEST(LoopRun, OperationsOnTheCounter) {
  EXPECT_EQ(values_of({.body = "n0 = s32[] subtract(five, c0)"}), "0 5");
  EXPECT_EQ(values_of({.c0 = "1", .body = "n0 = s32[] add(c0, c0)", .limit = "9"}), "1 2 4 8 16");
  EXPECT_EQ(values_of({.c0 = "9",
                       .body = "t2 = s32[] add(one, one)\n n0 = s32[] divide(c0, t2)",
                       .test = "compare(c0, one), direction=GE"}),
            "9 4 2 1 0");
  EXPECT_EQ(values_of({.body = "a = s32[] add(c0, five)\n n0 = s32[] maximum(a, c1)"}), "0 7");
  EXPECT_EQ(values_of({.body = "a = s32[] add(c0, five)\n n0 = s32[] minimum(a, limit)"}), "0 3");
  EXPECT_EQ(values_of({.body = "n0 = s32[] negate(c0)", .limit = "0"}), "0");
  EXPECT_EQ(values_of({.c0 = "-4", .body = "n0 = s32[] negate(c0)"}), "-4 4");
  EXPECT_EQ(values_of({.body = "a = s32[] copy(c0)\n n0 = s32[] add(a, one)"}), "0 1 2 3");
}

TEST(LoopRun, RemaindersAndOtherTypes) {
  EXPECT_EQ(values_of({.c0 = "7",
                       .body = "n0 = s32[] remainder(c0, five)",
                       .test = "compare(c0, five), direction=GE"}),
            "7 2");
  EXPECT_EQ(
      values_of({.body = "w = s64[] convert(c0)\n o = s64[] constant(2)\n m = s64[] add(w, o)\n"
                         " n0 = s32[] convert(m)"}),
      "0 2 4");
  // A bitcast to another type of the same width keeps the bits.
  EXPECT_EQ(values_of({.body = "a = s32[] add(c0, one)\n n0 = s32[] bitcast(a)"}), "0 1 2 3");
  EXPECT_EQ(values_of({.body = "a = s32[] add(c0, one)\n u = u32[] bitcast(a)\n n0 = s32[] "
                               "convert(u)"}),
            "0 1 2 3");
}

// clamp(low, x, high) is min(max(low, x), high), even if low exceeds high.
TEST(LoopRun, AClampIsAtMostItsUpperBound) {
  EXPECT_EQ(values_of({.body = "n0 = s32[] clamp(one, five, limit)"}), "0 3");
  EXPECT_EQ(values_of({.body = "n0 = s32[] clamp(five, one, limit)"}), "0 3");
}

TEST(LoopRun, ASelectTakesWhatItsPredicateSays) {
  const auto with = [](const std::string& direction) {
    return values_of({.body = "p = pred[] compare(c0, one), direction=" + direction +
                              "\n n0 = s32[] select(p, one, five)"});
  };
  EXPECT_EQ(with("LT"), "0 1 5");
  EXPECT_EQ(with("GE"), "0 5");
  EXPECT_EQ(values_of({.body = "p = pred[] compare(c0, one), direction=LT\n q = pred[] not(p)\n n0 "
                               "= s32[] select(q, one, five)"}),
            "0 5");
}

TEST(LoopRun, ANumberBeyondItsTypeWraps) {
  Loop loop{
      .c0 = "125", .test = "compare(c0, limit), direction=NE", .limit = "127", .type = "s8[]"};
  EXPECT_EQ(values_of(loop), "125 126 127");
  loop.limit = "-127";  // behind 127 and -128
  EXPECT_EQ(values_of(loop), "125 126 127 -128 -127");
  loop.body = "n0 = TYPE add(c0, five)";
  loop.test = "compare(c0, limit), direction=GT";
  loop.limit = "0";
  EXPECT_EQ(values_of(loop), "125 -126");
  loop.body = Loop().body;
  loop.test = "compare(c0, limit), direction=NE";
  loop.type = "s16[]";
  loop.limit = "130";
  EXPECT_EQ(values_of(loop), "125 126 127 128 129 130");
}

// The value of the last instruction.
std::string value_of(absl::string_view text) {
  const auto module = parse_hlo_module(text);
  if (!module.ok()) return std::string(module.status().message());
  const int32_t root = module->computations[module->entry].root;
  const auto value = integer_at(*module, module->entry, {{}, root, 0}, {});
  return value ? absl::StrCat(*value) : "unknown";
}

TEST(LoopRun, TwoNumbers) {
  const auto of = [](absl::string_view operation, int64_t a, int64_t b,
                     absl::string_view attributes = "", absl::string_view result = "s32") {
    return value_of(absl::StrCat("a = s32[] constant(", a, ")\nb = s32[] constant(", b,
                                 ")\nr = ", result, "[] ", operation, "(a, b)", attributes));
  };
  EXPECT_EQ(of("add", 7, -3), "4");
  EXPECT_EQ(of("subtract", 7, -3), "10");
  EXPECT_EQ(of("multiply", 7, -3), "-21");
  EXPECT_EQ(of("minimum", 7, -3), "-3");
  EXPECT_EQ(of("maximum", 7, -3), "7");
  EXPECT_EQ(of("divide", 7, 2), "3");
  EXPECT_EQ(of("divide", 0, 2), "0");
  EXPECT_EQ(of("divide", 7, 1), "7");
  EXPECT_EQ(of("remainder", 7, 4), "3");
  EXPECT_EQ(of("remainder", 0, 4), "0");
  EXPECT_EQ(of("remainder", 7, 1), "0");
  EXPECT_EQ(of("divide", -1, 2), "0");
  EXPECT_EQ(of("divide", 7, 0), "-1");
  EXPECT_EQ(of("remainder", -1, 2), "-1");
  EXPECT_EQ(of("remainder", 7, 0), "7");
  EXPECT_EQ(of("and", 12, 10), "8");
  EXPECT_EQ(of("or", 12, 10), "14");
  EXPECT_EQ(of("xor", 12, 10), "6");
  EXPECT_EQ(of("add", 2147483647, 0), "2147483647");
  EXPECT_EQ(of("add", 2147483647, 1), "-2147483648");
  EXPECT_EQ(of("subtract", -2147483647, 1), "-2147483648");
  EXPECT_EQ(of("subtract", -2147483647, 2), "2147483647");
  const auto compared = [&](absl::string_view direction) {
    const std::string attributes = absl::StrCat(", direction=", direction);
    return absl::StrCat(of("compare", 1, 2, attributes, "pred"), " ",
                        of("compare", 2, 2, attributes, "pred"), " ",
                        of("compare", 3, 2, attributes, "pred"));
  };
  EXPECT_EQ(compared("LT"), "1 0 0");
  EXPECT_EQ(compared("LE"), "1 1 0");
  EXPECT_EQ(compared("GT"), "0 0 1");
  EXPECT_EQ(compared("GE"), "0 1 1");
  EXPECT_EQ(compared("EQ"), "0 1 0");
  EXPECT_EQ(compared("NE"), "1 0 1");
  EXPECT_EQ(compared("LT, type=SIGNED"), "1 0 0");
  EXPECT_EQ(compared("LTT"), "unknown unknown unknown");
}

TEST(LoopRun, OtherOperations) {
  const auto of = [](absl::string_view last) {
    return value_of(
        absl::StrCat("a = s32[] constant(7)\nb = s32[] constant(-3)\nt = pred[] constant(true)\n"
                     "f = pred[] constant(false)\nu = s32[] parameter(0)\nv = pred[] parameter(1)\n"
                     "l = s32[2] constant({4, 5})\nw = s32[1,1] constant({{9}})\n",
                     last));
  };
  EXPECT_EQ(of("r = s32[] negate(b)"), "3");
  EXPECT_EQ(of("r = s32[] negate(u)"), "unknown");
  EXPECT_EQ(of("r = pred[] not(t)"), "0");
  EXPECT_EQ(of("r = pred[] not(f)"), "1");
  EXPECT_EQ(of("r = pred[] not(v)"), "unknown");
  EXPECT_EQ(of("r = s32[] not(a)"), "-8");
  EXPECT_EQ(of("r = s32[] select(t, a, b)"), "7");
  EXPECT_EQ(of("r = s32[] select(f, a, b)"), "-3");
  EXPECT_EQ(of("r = s32[] select(t, a, u)"), "7");
  EXPECT_EQ(of("r = s32[] select(v, a, b)"), "unknown");
  EXPECT_EQ(of("r = s32[] clamp(b, a, a)"), "7");
  EXPECT_EQ(of("r = s32[] clamp(a, b, a)"), "7");
  EXPECT_EQ(of("r = s32[] clamp(a, a, b)"), "-3");
  EXPECT_EQ(of("r = s32[] clamp(u, a, b)"), "unknown");
  EXPECT_EQ(of("r = s32[] clamp(a, u, b)"), "unknown");
  EXPECT_EQ(of("r = s32[] clamp(a, b, u)"), "unknown");
  EXPECT_EQ(of("r = s32[] add(a, u)"), "unknown");
  EXPECT_EQ(of("r = s32[] add(u, a)"), "unknown");
  EXPECT_EQ(of("r = s32[1] iota(), iota_dimension=0"), "0");
  EXPECT_EQ(of("r = f32[1] iota(), iota_dimension=0"), "unknown");
  EXPECT_EQ(of("r = s32[1] slice(l), slice={[1:2]}"), "unknown");  // l has more elements
  EXPECT_EQ(of("k = s32[1] constant({6})\nr = s32[1] slice(k), slice={[0:1]}"), "6");
  EXPECT_EQ(of("r = s32[1] reshape(w)"), "9");
  EXPECT_EQ(of("r = s32[1,1] transpose(w), dimensions={1,0}"), "9");
  EXPECT_EQ(of("r = s32[1,1] broadcast(a), dimensions={}"), "7");
  EXPECT_EQ(of("r = s32[2] broadcast(a), dimensions={}"), "unknown");
  EXPECT_EQ(of("r = s64[] convert(b)"), "-3");
  EXPECT_EQ(of("r = u32[] convert(b)"), "4294967293");
  EXPECT_EQ(of("r = pred[] convert(a)"), "1");
  EXPECT_EQ(of("c = f32[] convert(a)\nr = s32[] convert(c)"), "unknown");
  EXPECT_EQ(of("r = s32[] bitcast(a)"), "7");
  EXPECT_EQ(of("r = u32[] bitcast(a)"), "7");
  EXPECT_EQ(of("p = (s32[], s32[2], s32[]) tuple(a, l, b)\n"
               "r = s32[] get-tuple-element(p), index=2"),
            "-3");
  EXPECT_EQ(of("p = (s32[], s32[]) tuple(a, b)\nq = (s32[], s32[]) copy(p)\n"
               "r = s32[] get-tuple-element(q), index=1"),
            "-3");
  EXPECT_EQ(of("x = frobnicate()\nr = s32[] bitcast(s32[] x)"), "unknown");
  EXPECT_EQ(of("x = s32[?] custom-call(a), custom_call_target=\"k\"\nr = s32[] negate(x)"),
            "unknown");
  EXPECT_EQ(of("r = s32[] opt-barrier(a)"), "7");
  EXPECT_EQ(of("r = s32[] power(a, a)"), "823543");
  EXPECT_EQ(of("r = s32[] power(a, b)"), "unknown");                // b is negative
  EXPECT_EQ(of("e = () tuple()\nr = s32[] negate(e)"), "unknown");  // it has no element
  EXPECT_EQ(of("r = s32[] negate()"), "unknown");
  EXPECT_EQ(of("r = pred[] compare(a, b)"), "unknown");
  EXPECT_EQ(value_of("HloModule m\nf {\n p = s32[] parameter(0)\n one = s32[] constant(1)\n"
                     " ROOT a = s32[] add(p, one)\n}\nENTRY e {\n k = s32[] constant(4)\n"
                     " ROOT r = s32[] call(k), to_apply=f\n}"),
            "5");
  EXPECT_EQ(value_of("r = u64[] constant(18446744073709551615)"), "unknown");
  EXPECT_EQ(value_of("r = s64[] constant(9223372036854775806)"), "9223372036854775806");
  EXPECT_EQ(value_of("r = s64[] constant(-9223372036854775808)"), "-9223372036854775808");
}

// A sum of a value with itself evaluates it twice, and no value is remembered.
TEST(LoopRun, AValueOfManyStepsIsUnknown) {
  // v0 takes one step, and each further one twice as many and one: v9 takes 1023.
  std::string text = "v0 = s32[] constant(1)\n";
  for (int k = 1; k <= 9; ++k)
    absl::StrAppend(&text, "v", k, " = s32[] add(v", k - 1, ", v", k - 1, ")\n");
  // 1023 + 511 + 255 + 127 + 63 + 15 and a sum for each two, and the last: 2000.
  absl::StrAppend(&text, "a = s32[] add(v9, v8)\nb = s32[] add(a, v7)\nc = s32[] add(b, v6)\n",
                  "d = s32[] add(c, v5)\ne = s32[] add(d, v0)\n");
  EXPECT_EQ(value_of(text + "r = s32[] copy(e)"), "993");
  std::string more = text;
  std::string last = "e";
  for (int k = 0; k < 14; ++k) {
    absl::StrAppend(&more, "f", k, " = s32[] copy(", last, ")\n");
    last = absl::StrCat("f", k);
  }
  EXPECT_EQ(value_of(more + "r = s32[] copy(" + last + ")"), "993");
  EXPECT_EQ(value_of(more + "s = s32[] copy(" + last + ")\nr = s32[] copy(s)"), "unknown");
}

TEST(LoopRun, AValueBehindAtMost200OthersIsKnown) {
  const auto behind = [](int64_t count) {
    std::string text = "v0 = s32[] constant(5)\n";
    for (int64_t k = 1; k <= count; ++k)
      absl::StrAppend(&text, "v", k, " = s32[] copy(v", k - 1, ")\n");
    return value_of(text);
  };
  EXPECT_EQ(behind(200), "5");
  EXPECT_EQ(behind(201), "unknown");
}

TEST(LoopRun, AtMost65536IterationsAreRun) {
  EXPECT_EQ(run_of(module_of({.limit = "65536"}))->trips(), 65536);
  EXPECT_FALSE(run_of(module_of({.limit = "65537"})));
}

}  // namespace
}  // namespace tileproof::verify
