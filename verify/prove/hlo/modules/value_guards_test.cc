// SPDX-License-Identifier: Apache-2.0
// Pairs of modules that are equal but for one case. Without a guard of the prover they would be equal:
// each row names the guard. mutants_of_verify finds guards without a row.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "impl/hlo/indexing_testing.h"
#include "verify/prove/hlo/modules/large_values_testing.h"
#include "verify/prove/hlo/modules/module_values.h"

namespace tileproof::verify {
namespace {

using impl::module_of;

struct Row {
  const char* name;
  const char* before;  // parameters, which both sides have; computations come first, up to "--"
  const char* left;
  const char* right;
};

HloModule module_of_row(const Row& row, const std::string& lines) {
  const std::string before = row.before;
  const size_t entry = before.find("--");
  const std::string computations = entry == std::string::npos ? "" : before.substr(0, entry);
  const std::string parameters = entry == std::string::npos ? before : before.substr(entry + 2);
  return module_of(absl::StrCat(computations, "ENTRY e {\n", parameters, "\n", lines, "\n}\n"));
}
bool is_proven_at_any_index(const Row& row, const Laws& laws) {
  return are_proven_at_any_index(module_of_row(row, row.left), module_of_row(row, row.right), laws);
}

Verdict verdict_of(const Row& row, const std::string& left, const std::string& right,
                   const Laws& laws) {
  const HloModule a = module_of_row(row, left), b = module_of_row(row, right);
  const auto results = same_values(a, b, {.allowed = laws});
  EXPECT_TRUE(results.ok()) << row.name << ": " << results.status();
  if (results.ok() && results->at(0).verdict == Verdict::kRefuted) {
    EXPECT_FALSE(are_proven_at_any_index(a, b, laws)) << row.name;
  }
  return results.ok() ? results->at(0).verdict : Verdict::kProven;
}

// Refuted with the laws of every level, in both directions.
void expect_different(const Row& row) {
  for (const Laws& laws :
       {Laws{}, Laws{ValueLaw::kReductionOrder}, Laws(std::begin(kLaws), std::end(kLaws))}) {
    EXPECT_EQ(verdict_of(row, row.left, row.right, laws), Verdict::kRefuted) << row.name;
    EXPECT_EQ(verdict_of(row, row.right, row.left, laws), Verdict::kRefuted) << row.name;
  }
}

TEST(ValueGuards, IntegersOfFewBits) {
  const Row equal[] = {
      {"the average of two bytes",
       "p = u8[] parameter(0)\nq = u8[] parameter(1)\no = u8[] constant(1)",
       "a = u16[] convert(p)\nb = u16[] convert(q)\nt = u16[] constant(1)\ns = u16[] add(a, b)\n"
       "h = u16[] shift-right-logical(s, t)\nROOT r = u8[] convert(h)",
       "x = u8[] xor(p, q)\nh = u8[] shift-right-logical(x, o)\nb = u8[] and(p, q)\n"
       "ROOT r = u8[] add(b, h)"},
      {"half of a number, rounded to zero, by an exact product", "p = s16[] parameter(0)",
       "f = f32[] convert(p)\nh = f32[] constant(0.5)\nm = f32[] multiply(f, h)\n"
       "ROOT r = s16[] convert(m)",
       "t = s16[] constant(2)\nROOT r = s16[] divide(p, t)"},
      {"a division by a multiplication", "p = u16[] parameter(0)",
       "c = u16[] constant(3)\nROOT r = u16[] divide(p, c)",
       "w = u32[] convert(p)\nk = u32[] constant(43691)\nm = u32[] multiply(w, k)\n"
       "s = u32[] constant(17)\nh = u32[] shift-right-logical(m, s)\nROOT r = u16[] convert(h)"},
      {"a division by a multiplication of more bits", "p = u32[] parameter(0)",
       "c = u32[] constant(10)\nROOT r = u32[] remainder(p, c)",
       "w = u64[] convert(p)\nk = u64[] constant(3435973837)\nm = u64[] multiply(w, k)\n"
       "s = u64[] constant(35)\nh = u64[] shift-right-logical(m, s)\nn = u32[] convert(h)\n"
       "c = u32[] constant(10)\nd = u32[] multiply(n, c)\nROOT r = u32[] subtract(p, d)"},
      {"a power", "p = u32[] parameter(0)", "c = u32[] constant(3)\nROOT r = u32[] power(p, c)",
       "s = u32[] multiply(p, p)\nROOT r = u32[] multiply(s, p)"},
      {"a power that is none", "p = s32[] parameter(0)\nc = s32[] constant(0)",
       "ROOT r = s32[] power(p, c)", "ROOT o = s32[] constant(1)"},
      {"the bytes of a number, turned round", "p = u16[] parameter(0)",
       "b = u8[2] bitcast-convert(p)\nt = u8[2] reverse(b), dimensions={0}\n"
       "ROOT r = u16[] bitcast-convert(t)",
       "c = u16[] constant(8)\nx = u16[] shift-left(p, c)\ny = u16[] shift-right-logical(p, c)\n"
       "ROOT r = u16[] or(x, y)"},
      {"NaN is not less, equal or greater", "p = f32[] parameter(0)\nq = f32[] parameter(1)",
       "a = pred[] compare(p, p), direction=NE\nb = pred[] compare(q, q), direction=NE\n"
       "ROOT r = pred[] or(a, b)",
       "l = pred[] compare(p, q), direction=LT\ng = pred[] compare(p, q), direction=GE\n"
       "o = pred[] or(l, g)\nROOT r = pred[] not(o)"},
  };
  for (const Row& row : equal) {
    EXPECT_EQ(verdict_of(row, row.left, row.right, {}), Verdict::kProven) << row.name;
    EXPECT_EQ(verdict_of(row, row.right, row.left, {}), Verdict::kProven) << row.name;
  }
  const Row different[] = {
      {"a division by a multiplication that is one too small", "p = u32[] parameter(0)",
       "c = u32[] constant(10)\nROOT r = u32[] divide(p, c)",
       "w = u64[] convert(p)\nk = u64[] constant(3435973836)\nm = u64[] multiply(w, k)\n"
       "s = u64[] constant(35)\nh = u64[] shift-right-logical(m, s)\nROOT r = u32[] convert(h)"},
      {"a division by a multiplication of which the error shows at the end",
       "p = u16[] parameter(0)", "c = u16[] constant(7)\nROOT r = u16[] divide(p, c)",
       "w = u32[] convert(p)\nk = u32[] constant(9363)\nm = u32[] multiply(w, k)\n"
       "s = u32[] constant(16)\nh = u32[] shift-right-logical(m, s)\nROOT r = u16[] convert(h)"},
      {"a multiplication that wraps before the division", "p = u32[] parameter(0)",
       "c = u32[] constant(10)\nROOT r = u32[] divide(p, c)",
       "k = u32[] constant(429496730)\nm = u32[] multiply(p, k)\ns = u32[] constant(31)\n"
       "ROOT r = u32[] shift-right-logical(m, s)"},
      {"a quotient of numbers that the narrow type does not have", "p = u64[] parameter(0)",
       "c = u64[] constant(3)\nd = u64[] divide(p, c)\nROOT r = u32[] convert(d)",
       "n = u32[] convert(p)\nc = u32[] constant(3)\nROOT r = u32[] divide(n, c)"},
      {"a third power is no second one", "p = u32[] parameter(0)",
       "c = u32[] constant(3)\nROOT r = u32[] power(p, c)", "ROOT r = u32[] multiply(p, p)"},
      {"one point of 65536", "p = u16[] parameter(0)",
       "c = u16[] constant(3)\nROOT r = u16[] divide(p, c)",
       "w = u32[] convert(p)\nk = u32[] constant(43692)\nm = u32[] multiply(w, k)\n"
       "s = u32[] constant(17)\nh = u32[] shift-right-logical(m, s)\nROOT r = u16[] convert(h)"},
      {"the second parameter counts, too", "p = s8[] parameter(0)\nq = s8[] parameter(1)",
       "c = s8[] constant(93)\ne = pred[] compare(q, c), direction=EQ\nz = s8[] constant(0)\n"
       "t = s8[] constant(3)\nd = s8[] divide(p, t)\nROOT r = s8[] select(e, z, d)",
       "t = s8[] constant(3)\nROOT r = s8[] divide(p, t)"},
  };
  for (const Row& row : different) expect_different(row);
}

TEST(ValueGuards, OverflowOnTheWay) {
  // exp(x) / exp(y) is 0 or NaN where exp(y - x) is not: a law, and no difference.
  const Row row = {
      "an overflow on the way", "x = f32[] parameter(0)\ny = f32[] parameter(1)",
      "a = f32[] exponential(x)\nb = f32[] exponential(y)\nROOT r = f32[] divide(a, b)",
      "d = f32[] subtract(x, y)\nROOT r = f32[] exponential(d)"};
  EXPECT_EQ(verdict_of(row, row.left, row.right, {}), Verdict::kUndecided);
  EXPECT_EQ(verdict_of(row, row.left, row.right, Laws(std::begin(kLaws), std::end(kLaws))),
            Verdict::kProven);
}

TEST(ValueGuards, NumbersInEachCase) {
  const Laws all(std::begin(kLaws), std::end(kLaws));
  const char* x = "x = f32[] parameter(0)\nzero = f32[] constant(0)";
  const Row equal[] = {
      {"x (clip(x + 3, 0, 6)) / 6",
       "x = f32[] parameter(0)\nthree = f32[] constant(3)\nsix = f32[] constant(6)\n"
       "zero = f32[] constant(0)",
       "s = f32[] add(x, three)\nc = f32[] clamp(zero, s, six)\nm = f32[] multiply(x, c)\n"
       "ROOT r = f32[] divide(m, six)",
       "low = f32[] constant(-3)\ns = f32[] add(x, three)\nm = f32[] multiply(x, s)\n"
       "d = f32[] divide(m, six)\np = pred[] compare(x, low), direction=LT\n"
       "q = pred[] compare(x, three), direction=GT\ny = f32[] select(q, x, d)\n"
       "ROOT r = f32[] select(p, zero, y)"},
      {"Huber's loss",
       "x = f32[] parameter(0)\none = f32[] constant(1)\nhalf = f32[] constant(0.5)",
       "a = f32[] abs(x)\np = pred[] compare(a, one), direction=LE\nm = f32[] multiply(x, half)\n"
       "q = f32[] multiply(x, m)\nl = f32[] subtract(a, half)\nROOT r = f32[] select(p, q, l)",
       "a = f32[] abs(x)\nc = f32[] minimum(a, one)\nm = f32[] multiply(half, c)\n"
       "s = f32[] subtract(a, m)\nROOT r = f32[] multiply(c, s)"},
      {"both halves of a number", x,
       "m = f32[] maximum(x, zero)\nn = f32[] negate(x)\nk = f32[] maximum(n, zero)\n"
       "ROOT r = f32[] subtract(m, k)",
       "ROOT r = f32[] copy(x)"},
      {"the square of a magnitude", x, "a = f32[] abs(x)\nROOT r = f32[] multiply(a, a)",
       "ROOT r = f32[] multiply(x, x)"},
  };
  for (const Row& row : equal) {
    EXPECT_EQ(verdict_of(row, row.left, row.right, all), Verdict::kProven) << row.name;
    EXPECT_EQ(verdict_of(row, row.right, row.left, all), Verdict::kProven) << row.name;
  }
  const Row different[] = {
      {"in one case of two", x, "ROOT r = f32[] maximum(x, zero)", "ROOT r = f32[] copy(x)"},
      {"the third power of a magnitude", x,
       "a = f32[] abs(x)\ns = f32[] multiply(a, a)\nROOT r = f32[] multiply(a, s)",
       "s = f32[] multiply(x, x)\nROOT r = f32[] multiply(x, s)"},
      {"less, and at most", x,
       "one = f32[] constant(1)\np = pred[] compare(x, zero), direction=LT\n"
       "ROOT r = f32[] select(p, zero, one)",
       "one = f32[] constant(1)\np = pred[] compare(x, zero), direction=LE\n"
       "ROOT r = f32[] select(p, zero, one)"},
      {"a minimum is no maximum where x is less", x,
       "m = f32[] minimum(x, zero)\nROOT r = f32[] add(m, x)",
       "m = f32[] maximum(x, zero)\nROOT r = f32[] add(m, x)"},
      {"a number that is added to all but one of a maximum", x,
       "y = f32[] constant(2)\ns = f32[] add(x, y)\nROOT r = f32[] maximum(s, zero)",
       "y = f32[] constant(2)\nm = f32[] maximum(x, zero)\nROOT r = f32[] add(m, y)"},
  };
  for (const Row& row : different) expect_different(row);
  // A NaN makes a difference, which is what the law is about.
  const Row clamped = {"a clamp between a number and itself", x,
                       "ROOT r = f32[] clamp(zero, x, zero)", "ROOT r = f32[] copy(zero)"};
  EXPECT_NE(verdict_of(clamped, clamped.left, clamped.right, {}), Verdict::kProven);
}

// The index that a fold chooses is one of those that it sees, or the first: so a row at this index is what a sum
// over all rows has there.
TEST(ValueGuards, NumbersThatAFoldChooses) {
  const auto row_of = [](const char* name, const char* step, const char* first) {
    const std::string before = absl::StrCat(
        "pick {\na = f32[] parameter(0)\ni = s32[] parameter(1)\nb = f32[] parameter(2)\n"
        "j = s32[] parameter(3)\np = pred[] compare(a, b), direction=GE\nv = f32[] select(p, a, "
        "b)\n",
        step, "\nROOT t = (f32[], s32[]) tuple(v, k)\n}\n",
        "sum {\nx = f32[] parameter(0)\ny = f32[] parameter(1)\nROOT s = f32[] add(x, y)\n}\n--\n"
        "x = f32[5] parameter(0)\ntable = f32[5] parameter(1)\nn = s32[5] iota(), "
        "iota_dimension=0\n"
        "least = f32[] constant(0)\nfirst = s32[] constant(",
        first,
        ")\nf = (f32[], s32[]) reduce(x, n, least, first), dimensions={0}, to_apply=pick\n"
        "i = s32[] get-tuple-element(f), index=1");
    return std::pair(std::string(name), before);
  };
  const char* read =
      "d = f32[1] dynamic-slice(table, i), dynamic_slice_sizes={1}\n"
      "ROOT r = f32[] reshape(d)";
  const char* summed =
      "w = s32[5] broadcast(i), dimensions={}\nc = pred[5] compare(n, w), direction=EQ\n"
      "k = f32[5] convert(c)\nm = f32[5] multiply(k, table)\nz = f32[] constant(0)\n"
      "ROOT r = f32[] reduce(m, z), dimensions={0}, to_apply=sum";
  const Laws all(std::begin(kLaws), std::end(kLaws));
  const char* chosen = "k = s32[] select(p, i, j)";
  const auto [name, before] = row_of("an index", chosen, "0");
  const Row equal = {name.c_str(), before.c_str(), read, summed};
  EXPECT_TRUE(is_proven_at_any_index(equal, all));
  for (const auto& [wrong, text] :
       {row_of("the first is none of them", chosen, "7"),
        row_of("each step counts",
               "o = s32[] constant(1)\ni1 = s32[] add(i, o)\nk = s32[] select(p, i, i1)", "0"),
        row_of("the last of them is one more",
               "o = s32[] constant(1)\nj1 = s32[] add(j, o)\nk = s32[] select(p, i, j1)", "0")}) {
    const Row different = {wrong.c_str(), text.c_str(), read, summed};
    EXPECT_FALSE(is_proven_at_any_index(different, all)) << wrong;
    EXPECT_NE(verdict_of(different, read, summed, all), Verdict::kProven) << wrong;
  }
}

TEST(ValueGuards, IntegersOfOtherWidths) {
  const Row rows[] = {
      {"numbers are compared in a narrow type only if both fit",
       "p = u32[] parameter(0)\nq = u64[] parameter(1)",
       "w = u64[] convert(p)\nROOT r = pred[] compare(w, q), direction=EQ",
       "n = u32[] convert(q)\nROOT r = pred[] compare(p, n), direction=EQ"},
      {"numbers are compared in a narrow type only if both fit, the other way round",
       "q = u64[] parameter(0)\np = u32[] parameter(1)",
       "w = u64[] convert(p)\nROOT r = pred[] compare(q, w), direction=EQ",
       "n = u32[] convert(q)\nROOT r = pred[] compare(n, p), direction=EQ"},
      {"numbers are compared in a narrow type only if both fit below, too",
       "p = s32[] parameter(0)\nq = s64[] parameter(1)\nc = s64[] constant(100)\n"
       "m = s64[] minimum(q, c)",
       "w = s64[] convert(p)\nROOT r = pred[] compare(m, w), direction=EQ",
       "n = s32[] convert(m)\nROOT r = pred[] compare(n, p), direction=EQ"},
      {"a bound that is never reached with a sign may be without",
       "p = s32[] parameter(0)\nq = s32[] parameter(1)\nl = s32[] constant(-3)\n"
       "h = s32[] constant(2)\nb = s32[] clamp(l, q, h)",
       "u = u32[] bitcast-convert(p)\nf = u32[] constant(5)\nm = u32[] minimum(u, f)\n"
       "w = s32[] bitcast-convert(m)\nk = s32[] constant(4)\nn = s32[] minimum(w, k)\n"
       "ROOT r = pred[] compare(n, b), direction=EQ",
       "ROOT r = pred[] compare(p, b), direction=EQ"},
      {"numbers that lost bits are not compared in the wide type",
       "p = s16[] parameter(0)\nq = s16[] parameter(1)",
       "a = s8[] convert(p)\nb = s8[] convert(q)\nROOT r = pred[] compare(a, b), direction=LT",
       "ROOT r = pred[] compare(p, q), direction=LT"},
      {"a sign that is extended first is not extended by what follows", "p = s8[] parameter(0)",
       "w = s16[] convert(p)\nb = u16[] bitcast-convert(w)\nROOT r = u32[] convert(b)",
       "w = s32[] convert(p)\nROOT r = u32[] bitcast-convert(w)"},
      {"a number without a sign is extended by zeros", "p = u8[] parameter(0)",
       "w = s8[] bitcast-convert(p)\nROOT r = s32[] convert(w)", "ROOT r = s32[] convert(p)"},
      {"a sum that wraps is not that of wider numbers",
       "p = s8[] parameter(0)\nq = s8[] parameter(1)",
       "s = s8[] add(p, q)\nROOT r = s32[] convert(s)",
       "a = s32[] convert(p)\nb = s32[] convert(q)\nROOT r = s32[] add(a, b)"},
      {"a product that wraps is not that of wider numbers",
       "p = u8[] parameter(0)\nq = u8[] parameter(1)",
       "s = u8[] multiply(p, q)\nROOT r = u16[] convert(s)",
       "a = u16[] convert(p)\nb = u16[] convert(q)\nROOT r = u16[] multiply(a, b)"},
      {"a quotient of cut numbers is another", "p = s32[] parameter(0)",
       "c = s32[] constant(3)\nd = s32[] divide(p, c)\nROOT r = s8[] convert(d)",
       "n = s8[] convert(p)\nc = s8[] constant(3)\nROOT r = s8[] divide(n, c)"},
      {"the smaller of cut numbers is another", "p = s32[] parameter(0)\nq = s32[] parameter(1)",
       "d = s32[] minimum(p, q)\nROOT r = s8[] convert(d)",
       "a = s8[] convert(p)\nb = s8[] convert(q)\nROOT r = s8[] minimum(a, b)"},
      {"a comparison with a sign is another than one without",
       "p = s32[] parameter(0)\nq = s32[] parameter(1)",
       "ROOT r = pred[] compare(p, q), direction=LT",
       "a = u32[] bitcast-convert(p)\nb = u32[] bitcast-convert(q)\n"
       "ROOT r = pred[] compare(a, b), direction=LT"},
      {"a shift of a negative number keeps its sign in one way only", "p = s32[] parameter(0)",
       "c = s32[] constant(3)\nROOT r = s32[] shift-right-arithmetic(p, c)",
       "c = s32[] constant(3)\nROOT r = s32[] shift-right-logical(p, c)"},
      {"a division by a power of two rounds to zero, a shift down", "p = s32[] parameter(0)",
       "c = s32[] constant(2)\nROOT r = s32[] shift-right-arithmetic(p, c)",
       "c = s32[] constant(4)\nROOT r = s32[] divide(p, c)"},
      {"a remainder of a negative number is negative", "p = s32[] parameter(0)",
       "c = s32[] constant(8)\nROOT r = s32[] remainder(p, c)",
       "c = s32[] constant(7)\nROOT r = s32[] and(p, c)"},
  };
  for (const Row& row : rows) expect_different(row);
}

TEST(ValueGuards, RealNumbers) {
  const Row rows[] = {
      {"a product of sums has the products of all terms",
       "a = f32[] parameter(0)\nb = f32[] parameter(1)\nc = f32[] parameter(2)\nt = f32[] "
       "constant(2)",
       "x = f32[] add(a, t)\ny = f32[] add(b, c)\nROOT r = f32[] multiply(x, y)",
       "x = f32[] multiply(a, b)\ny = f32[] multiply(a, c)\nz = f32[] multiply(t, b)\n"
       "s = f32[] add(x, y)\nROOT r = f32[] add(s, z)"},
      {"a product of sums has the products of all terms: of the last constant",
       "a = f32[] parameter(0)\nb = f32[] parameter(1)\nt = f32[] constant(2)",
       "x = f32[] add(a, t)\ny = f32[] add(b, t)\nROOT r = f32[] multiply(x, y)",
       "x = f32[] multiply(a, b)\ny = f32[] multiply(a, t)\nz = f32[] multiply(t, b)\n"
       "s = f32[] add(x, y)\nROOT r = f32[] add(s, z)"},
      {"the exponent of a quotient is negative", "a = f32[] parameter(0)\nb = f32[] parameter(1)",
       "x = f32[] multiply(a, b)\nROOT r = f32[] multiply(x, b)",
       "x = f32[] divide(a, b)\nROOT r = f32[] multiply(x, b)"},
      {"a sum is no product", "a = f32[] parameter(0)\nb = f32[] parameter(1)",
       "ROOT r = f32[] add(a, b)", "ROOT r = f32[] multiply(a, b)"},
      {"twice a number is not its square", "a = f32[] parameter(0)", "ROOT r = f32[] add(a, a)",
       "ROOT r = f32[] multiply(a, a)"},
      {"an even function has no sign, an odd one has", "a = f32[] parameter(0)",
       "n = f32[] negate(a)\nROOT r = f32[] sine(n)", "ROOT r = f32[] sine(a)"},
      {"a logistic is no odd function", "a = f32[] parameter(0)",
       "n = f32[] negate(a)\nROOT r = f32[] logistic(n)",
       "l = f32[] logistic(a)\nROOT r = f32[] negate(l)"},
      {"a root of a square has no sign", "a = f32[] parameter(0)",
       "s = f32[] multiply(a, a)\nROOT r = f32[] sqrt(s)", "ROOT r = f32[] copy(a)"},
      {"another predicate chooses the other operand",
       "p = pred[] parameter(0)\nq = pred[] parameter(1)\na = f32[] parameter(2)\n"
       "b = f32[] parameter(3)\nc = f32[] parameter(4)\nd = f32[] parameter(5)",
       "x = f32[] select(p, a, b)\ny = f32[] select(q, c, d)\nROOT r = f32[] divide(x, y)",
       "x = f32[] divide(a, c)\ny = f32[] divide(b, d)\nROOT r = f32[] select(q, x, y)"},
      {"minus what is chosen",
       "p = pred[] parameter(0)\na = f32[] parameter(1)\n"
       "b = f32[] parameter(2)\nc = f32[] parameter(3)",
       "x = f32[] select(p, a, b)\nROOT r = f32[] subtract(c, x)",
       "x = f32[] add(c, a)\ny = f32[] add(c, b)\nROOT r = f32[] select(p, x, y)"},
  };
  for (const Row& row : rows) expect_different(row);
}

TEST(ValueGuards, EndsOfNumbers) {
  const std::string ends =
      "three = s32[] constant(3)\nseven = s32[] constant(7)\n"
      "p = pred[] compare(x, three), direction=GT\nq = pred[] compare(x, seven), direction=GT\n";
  const std::string numbers =
      "x = s32[] parameter(0)\na = f32[] parameter(1)\n"
      "b = f32[] parameter(2)\nc = f32[] parameter(3)\n" +
      ends;
  const Row rows[] = {
      {"a number is between",
       "x = s32[] parameter(0)\nthree = s32[] constant(3)\n"
       "four = s32[] constant(4)",
       "p = pred[] compare(x, three), direction=GT\nq = pred[] compare(x, four), direction=LE\n"
       "ROOT r = pred[] and(p, q)",
       "ROOT r = pred[] constant(false)"},
      {"an end of signed numbers is none of unsigned ones", "x = s32[] parameter(0)",
       "m = s32[] constant(-5)\np = pred[] compare(x, m), direction=GT\nu = u32[] convert(x)\n"
       "n = u32[] constant(3)\nq = pred[] compare(u, n), direction=GT\nROOT r = pred[] and(p, q)",
       "u = u32[] convert(x)\nn = u32[] constant(3)\nROOT r = pred[] compare(u, n), direction=GT"},
      {"the lower end is the strictest above", numbers.c_str(), "ROOT r = pred[] and(p, q)",
       "ROOT r = pred[] copy(p)"},
      {"equal where a predicate holds", numbers.c_str(),
       "s = f32[] select(q, a, b)\nROOT r = f32[] select(p, s, c)",
       "s = f32[] select(p, c, b)\nROOT r = f32[] select(q, a, s)"},
      {"equal where a predicate does not hold", numbers.c_str(),
       "s = f32[] select(p, b, c)\nROOT r = f32[] select(q, a, s)",
       "s = f32[] select(q, b, b)\nROOT r = f32[] select(p, s, c)"},
  };
  for (const Row& row : rows) expect_different(row);
}

TEST(ValueGuards, ANumberThatDependsOnTheIndexIsNotTheOnlyIndex) {
  const auto of_indexes = [](const char* i) {
    return absl::StrCat(
        "add { a = s32[] parameter(0)\nb = s32[] parameter(1)\nROOT c = s32[] add(a, b) }\n"
        "or { a = s32[] parameter(0)\nb = s32[] parameter(1)\nROOT c = s32[] or(a, b) }\n--"
        "x = s32[8] parameter(0)\n",
        i,
        "l = s32[] constant(0)\nh = s32[] constant(7)\nlow = s32[8] broadcast(l), dimensions={}\n"
        "high = s32[8] broadcast(h), dimensions={}\nc = s32[8] clamp(low, i, high)\n"
        "s = s32[8] iota(), iota_dimension=0\np = pred[8] compare(s, c), direction=EQ\n"
        "m = s32[8] select(p, x, low)");
  };
  const char* const by_add = "ROOT r = s32[] reduce(m, l), dimensions={0}, to_apply=add";
  const char* const by_or = "ROOT r = s32[] reduce(m, l), dimensions={0}, to_apply=or";
  const std::string one =
      of_indexes("j = s32[] parameter(1)\ni = s32[8] broadcast(j), dimensions={}\n");
  const std::string many = of_indexes("i = s32[8] parameter(1)\n");
  EXPECT_TRUE(is_proven_at_any_index({"one index", one.c_str(), by_add, by_or}, {}));
  expect_different({"as many as there are", many.c_str(), by_add, by_or});
}

// A chosen offset is inside of its bounds where the predicate says so: no other one is moved into them. i is -1
// or more, and x[i] is y[i + 1] only if i is 0 or more.
TEST(ValueGuards, AnOffsetIsInsideIfItsPredicateSaysSo) {
  const std::string numbers =
      "y = f32[10] parameter(0)\nj = s32[] parameter(1)\nb = pred[] parameter(2)\n"
      "x = f32[8] slice(y), slice={[1:9]}\nl = s32[] constant(-1)\nh = s32[] constant(7)\n"
      "i = s32[] clamp(l, j, h)\nz = s32[] constant(0)\no = s32[] constant(1)\n"
      "k = s32[] add(i, o)\nt = s32[] constant(3)\nf = s32[] constant(4)\n"
      "g = pred[] compare(i, z), direction=GE\ns = pred[] compare(i, t), direction=LE\n";
  const char* const where_it_holds[] = {
      "v = s32[] select(q, i, t)\nROOT r = f32[1] dynamic-slice(x, v), dynamic_slice_sizes={1}",
      "w = s32[] select(q, k, f)\nROOT r = f32[1] dynamic-slice(y, w), dynamic_slice_sizes={1}"};
  const char* const elsewhere[] = {
      "v = s32[] select(q, t, i)\nROOT r = f32[1] dynamic-slice(x, v), dynamic_slice_sizes={1}",
      "w = s32[] select(q, f, k)\nROOT r = f32[1] dynamic-slice(y, w), dynamic_slice_sizes={1}"};
  const std::string said = numbers + "q = pred[] copy(g)", both = numbers + "q = pred[] and(g, s)",
                    either = numbers + "q = pred[] or(g, b)",
                    not_said = numbers + "q = pred[] not(g)",
                    not_both = numbers + "a = pred[] and(g, s)\nq = pred[] not(a)",
                    neither = numbers + "n = pred[] not(g)\na = pred[] or(n, b)\nq = pred[] not(a)";
  const auto row = [](const char* name, const std::string& before, const auto& sides) {
    return Row{name, before.c_str(), sides[0], sides[1]};
  };
  for (const Row& equal :
       {row("it says so", said, where_it_holds), row("both say so", both, where_it_holds),
        row("its opposite says so not", not_said, elsewhere),
        row("neither says the opposite", neither, where_it_holds)}) {
    EXPECT_TRUE(is_proven_at_any_index(equal, {})) << equal.name;
  }
  expect_different(row("it says so of the other number", said, elsewhere));
  expect_different(row("it says the opposite", not_said, where_it_holds));
  expect_different(row("one of two may say so", either, where_it_holds));
  expect_different(row("not both say so", not_both, where_it_holds));
}

// S to the power -1 is S to the power -2, times S, and so on without an end.
TEST(ValueGuards, ASumInADenominatorIsNotTakenApart) {
  const Row row = {"a sum in a denominator",
                   "add { a = f32[] parameter(0)\nb = f32[] parameter(1)\n"
                   "ROOT c = f32[] add(a, b) }\n--a = f32[40] parameter(0)\n"
                   "b = f32[40,50] parameter(1)\nz = f32[] constant(0)",
                   "s = f32[40] reduce(b, z), dimensions={1}, to_apply=add\n"
                   "d = f32[40] divide(a, s)\n"
                   "ROOT r = f32[] reduce(d, z), dimensions={0}, to_apply=add",
                   "e = f32[40,50] add(b, b)\n"
                   "s = f32[40] reduce(e, z), dimensions={1}, to_apply=add\nf = f32[40] add(a, a)\n"
                   "d = f32[40] divide(f, s)\n"
                   "ROOT r = f32[] reduce(d, z), dimensions={0}, to_apply=add"};
  EXPECT_TRUE(is_proven_at_any_index(row, Laws(std::begin(kLaws), std::end(kLaws))));
}

// Texts may add an integer to another number. Without a meaning it has no values, and no difference.
TEST(ValueGuards, OfOperandsOfSeveralTypesNothingIsKnown) {
  const Row rows[] = {
      {"a sum", "n = s32[] parameter(0)\np = f32[] parameter(1)", "ROOT r = s32[] add(n, p)",
       "ROOT r = s32[] negate(n)"},
      {"a comparison", "n = s32[] parameter(0)\np = f32[] parameter(1)",
       "ROOT r = pred[] compare(n, p), direction=LT", "ROOT r = pred[] constant(true)"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(verdict_of(row, row.left, row.right, {}), Verdict::kUndecided) << row.name;
  }
}

// v: what y is after 8 rounds of a loop whose state is i, y and x, each of which makes y2 of y; t: what it is if
// each makes another y2.
std::string loops(const std::string& y, const std::string& x, const std::string& round,
                  const std::string& other) {
  const std::string state = absl::StrCat("(s32[], ", y, ", ", x, ")");
  const auto body = [&](const char* name, const std::string& lines) {
    return absl::StrCat(name, " { p = ", state,
                        " parameter(0)\ni = s32[] get-tuple-element(p), index=0\ny = ", y,
                        " get-tuple-element(p), index=1\nx = ", x,
                        " get-tuple-element(p), index=2\no = s32[] constant(1)\n"
                        "z = s32[] constant(0)\nf = f32[] constant(0)\nj = s32[] add(i, o)\n",
                        lines, "\nROOT r = ", state, " tuple(j, y2, x) }\n");
  };
  const auto loop = [&](const char* name, const char* by) {
    return absl::StrCat("w", name, " = ", state, " while(s), condition=c, body=", by, "\n", name,
                        " = ", y, " get-tuple-element(w", name, "), index=1\n");
  };
  return absl::StrCat(
      "add { a = f32[] parameter(0)\nb = f32[] parameter(1)\nROOT c = f32[] add(a, b) }\n"
      "set { a = f32[] parameter(0)\nROOT b = f32[] parameter(1) }\n",
      body("one", round), body("other", other), "c { p = ", state,
      " parameter(0)\ni = s32[] get-tuple-element(p), index=0\nn = s32[] constant(8)\n"
      "ROOT l = pred[] compare(i, n), direction=LT }\n--y = ",
      y, " parameter(0)\nx = ", x,
      " parameter(1)\nf = f32[] constant(0)\nz = s32[] constant(0)\ns = ", state,
      " tuple(z, y, x)\n", loop("v", "one"), loop("t", "other"));
}

TEST(ValueGuards, WhatIsKnownOfALoopInAnyRound) {
  const std::string row_of_x =
      "u = f32[1,2] dynamic-slice(x, i, z), dynamic_slice_sizes={1,2}\n"
      "v = f32[8,2] dynamic-update-slice(y, u, i, z)\n";
  const std::string moved = loops("f32[8,2]", "f32[8,2]", row_of_x + "y2 = f32[8,2] copy(v)",
                                  row_of_x + "y2 = f32[8,2] reverse(v), dimensions={1}");
  EXPECT_TRUE(is_proven_at_any_index({"rows of another array", moved.c_str(),
                                      "ROOT r = f32[8,2] copy(v)", "ROOT r = f32[8,2] copy(x)"},
                                     {}));
  expect_different({"the rows before are moved, too", moved.c_str(), "ROOT r = f32[8,2] copy(t)",
                    "ROOT r = f32[8,2] reverse(x), dimensions={1}"});

  const std::string half = loops("f32[16]", "f32[16,4]",
                                 "u = f32[1,4] dynamic-slice(x, i, z), dynamic_slice_sizes={1,4}\n"
                                 "v = f32[1] reduce(u, f), dimensions={1}, to_apply=add\n"
                                 "y2 = f32[16] dynamic-update-slice(y, v, i)",
                                 "y2 = f32[16] copy(y)");
  expect_different({"rows that no round makes", half.c_str(),
                    "ROOT r = f32[] reduce(v, f), dimensions={0}, to_apply=add",
                    "ROOT r = f32[] reduce(x, f), dimensions={0,1}, to_apply=add"});

  const auto scatter = [](const std::string& places, int count) {
    return absl::StrCat(
        "h = s32[] constant(8)\nk = s32[] add(i, h)\ni1 = s32[1,1] reshape(i)\n"
        "k1 = s32[1,1] reshape(k)\nq = s32[",
        count, ",1] ", places,
        "\nu = f32[1] dynamic-slice(x, i), dynamic_slice_sizes={1}\n"
        "a = f32[] reshape(u)\nb = f32[",
        count,
        "] broadcast(a), dimensions={}\n"
        "y2 = f32[16] scatter(y, q, b), update_window_dims={}, "
        "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
        "index_vector_dim=1, unique_indices=true, to_apply=set");
  };
  const std::string scattered = loops("f32[16]", "f32[8]", scatter("copy(i1)", 1),
                                      scatter("concatenate(i1, k1), dimensions={0}", 2));
  const char* const rest = "ROOT r = f32[8] slice(y), slice={[8:16]}";
  EXPECT_TRUE(is_proven_at_any_index({"one window in a round", scattered.c_str(),
                                      "ROOT r = f32[8] slice(v), slice={[8:16]}", rest},
                                     {}));
  expect_different({"two windows in a round", scattered.c_str(),
                    "ROOT r = f32[8] slice(t), slice={[8:16]}", rest});

  const auto window = [](const char* size) {
    return absl::StrCat("u = f32[1] dynamic-slice(x, i), dynamic_slice_sizes={1}\n",
                        "a = f32[] reshape(u)\nb = f32[1,", size, "] broadcast(a), dimensions={}\n",
                        "y2 = f32[8,9] dynamic-update-slice(y, b, i, i)");
  };
  const std::string diagonal = loops("f32[8,9]", "f32[8]", window("1"), window("2"));
  const auto where = [](const char* direction) {
    return absl::StrCat("b = f32[8,9] broadcast(x), dimensions={0}\n",
                        "c = s32[8,9] iota(), iota_dimension=0\n",
                        "d = s32[8,9] iota(), iota_dimension=1\n",
                        "e = pred[8,9] compare(c, d), direction=", direction,
                        "\nROOT r = f32[8,9] select(e, b, y)");
  };
  EXPECT_TRUE(is_proven_at_any_index(
      {"a diagonal", diagonal.c_str(), "ROOT r = f32[8,9] copy(v)", where("EQ").c_str()}, {}));
  expect_different(
      {"more than a diagonal", diagonal.c_str(), "ROOT r = f32[8,9] copy(v)", where("GE").c_str()});
  expect_different({"windows that overlap along one dimension", diagonal.c_str(),
                    "ROOT r = f32[8,9] copy(t)", where("EQ").c_str()});

  const std::string difference =
      loops("f32[8]", "f32[8]", "y2 = f32[8] subtract(y, x)", "y2 = f32[8] subtract(x, y)");
  expect_different({"a difference is no sum", difference.c_str(), "ROOT r = f32[8] copy(v)",
                    "ROOT r = f32[8] copy(t)"});

  const std::string sum = loops("f32[]", "f32[8]",
                                "u = f32[1] dynamic-slice(x, i), dynamic_slice_sizes={1}\n"
                                "a = f32[] reshape(u)\ny2 = f32[] add(y, a)",
                                "y2 = f32[] copy(y)");
  const Row in_order = {"a loop adds in an order", sum.c_str(), "ROOT r = f32[] copy(v)",
                        "ROOT r = f32[] reduce(x, y), dimensions={0}, to_apply=add"};
  EXPECT_FALSE(is_proven_at_any_index(in_order, {}));
  EXPECT_TRUE(is_proven_at_any_index(in_order, {ValueLaw::kReductionOrder}));
}

// `most` finds the greatest number and its index, `least` the least number and its index, `pair` the greatest
// pair. With the inits of the test, the others do not give for parts what they give for the whole.
const char kFolds[] =
    "most { a = f32[] parameter(0)\ni = s32[] parameter(1)\nb = f32[] parameter(2)\n"
    "j = s32[] parameter(3)\ng = pred[] compare(a, b), direction=GT\n"
    "n = pred[] compare(a, a), direction=NE\no = pred[] or(g, n)\n"
    "e = pred[] compare(a, b), direction=EQ\nl = pred[] compare(i, j), direction=LT\n"
    "f = pred[] and(e, l)\nk = pred[] or(o, f)\nx = f32[] select(o, a, b)\n"
    "y = s32[] select(k, i, j)\nROOT t = (f32[], s32[]) tuple(x, y) }\n"
    "least { a = f32[] parameter(0)\ni = s32[] parameter(1)\nb = f32[] parameter(2)\n"
    "j = s32[] parameter(3)\ng = pred[] compare(a, b), direction=LT\nx = f32[] select(g, a, b)\n"
    "y = s32[] select(g, i, j)\nROOT t = (f32[], s32[]) tuple(x, y) }\n"
    "pair { a = s32[] parameter(0)\ni = s32[] parameter(1)\nb = s32[] parameter(2)\n"
    "j = s32[] parameter(3)\ng = pred[] compare(a, b), direction=GT\n"
    "e = pred[] compare(a, b), direction=EQ\nl = pred[] compare(i, j), direction=GT\n"
    "f = pred[] and(e, l)\nk = pred[] or(g, f)\nx = s32[] select(k, a, b)\n"
    "y = s32[] select(k, i, j)\nROOT t = (s32[], s32[]) tuple(x, y) }\n"
    "xnor { a = s32[] parameter(0)\nb = s32[] parameter(1)\nx = s32[] xor(a, b)\n"
    "ROOT n = s32[] not(x) }\n"
    // Where a number mod 4 is 0, all is: else the first number, but 1 and 2 are 3, and 1 and others 0.
    "four { p = s32[] parameter(0)\nq = s32[] parameter(1)\nt = s32[] constant(3)\n"
    "two = s32[] constant(2)\no = s32[] constant(1)\nz = s32[] constant(0)\na = s32[] and(p, t)\n"
    "b = s32[] and(q, t)\nc = pred[] compare(a, z), direction=EQ\n"
    "d = pred[] compare(b, z), direction=EQ\ne = pred[] or(c, d)\n"
    "f = pred[] compare(a, o), direction=EQ\ng = pred[] compare(b, two), direction=EQ\n"
    "h = s32[] select(g, t, z)\nk = s32[] select(f, h, a)\nROOT r = s32[] select(e, z, k) }\n"
    "digits { a = s32[] parameter(0)\nb = s32[] parameter(1)\nd = s32[] add(a, a)\n"
    "ROOT n = s32[] add(d, b) }\n--"
    "p = f32[15] parameter(0)\nq = s32[15] parameter(1)\nm = f32[] constant(-inf)\n"
    "z = s32[] constant(0)\nu = s32[] constant(1)\ntwo = s32[] constant(2)\n"
    "o = f32[] constant(inf)\nw2 = s32[15] broadcast(two), dimensions={}\nh = s32[15] or(q, w2)\n"
    "hh = s32[3,5] reshape(h)\ni = s32[15] iota(), iota_dimension=0\n"
    "pp = f32[3,5] reshape(p)\nqq = s32[3,5] reshape(q)\nii = s32[3,5] reshape(i)\n";

std::string fold(const std::string& type, const std::string& operands, const char* by) {
  return absl::StrCat("w = (", type, "[], s32[]) reduce(", operands,
                      "), dimensions={0}, to_apply=", by,
                      "\nROOT r = s32[] get-tuple-element(w), index=1");
}
// Of each part of a row, and then of the parts, which are x and y.
std::string fold_of_folds(const std::string& type, const std::string& parts, const char* by_part,
                          const std::string& operands, const char* by) {
  return absl::StrCat(
      "v = (", type, "[3], s32[3]) reduce(", parts, "), dimensions={1}, to_apply=", by_part,
      "\nx = ", type,
      "[3] get-tuple-element(v), index=0\ny = s32[3] get-tuple-element(v), index=1\n"
      "t = s32[3] reverse(y), dimensions={0}\n",
      fold(type, operands, by));
}

TEST(ValueGuards, AFoldOfFoldsIsOneIfItsComputationIsAssociative) {
  const std::string most = fold("f32", "p, i, m, z", "most");
  const std::string same = fold_of_folds("f32", "pp, ii, m, z", "most", "x, y, m, z", "most");
  const Row equal{"the greatest of the greatest", kFolds, most.c_str(), same.c_str()};
  EXPECT_EQ(verdict_of(equal, equal.left, equal.right, {}), Verdict::kProven);
  EXPECT_TRUE(is_proven_at_any_index(equal, {}));

  const std::string pair = fold("s32", "q, i, z, z", "pair");
  const auto one = [](const std::string& operands, const char* by) {
    return absl::StrCat("ROOT r = s32[] reduce(", operands, "), dimensions={0}, to_apply=", by);
  };
  const auto nested = [&](const std::string& of, const std::string& init, const char* by) {
    return absl::StrCat("x = s32[3] reduce(", of, ", ", init, "), dimensions={1}, to_apply=", by,
                        "\n", one("x, " + init, by));
  };
  const std::pair<const char*, std::pair<std::string, std::string>> different[] = {
      {"by another computation",
       {most, fold_of_folds("f32", "pp, ii, m, z", "least", "x, y, m, z", "most")}},
      {"with another init",
       {most, fold_of_folds("f32", "pp, ii, o, z", "most", "x, y, m, z", "most")}},
      {"of what stands elsewhere",
       {most, fold_of_folds("f32", "pp, ii, m, z", "most", "x, t, m, z", "most")}},
      {"of the other leaf",
       {pair, fold_of_folds("s32", "qq, ii, z, z", "pair", "y, x, z, z", "pair")}},
      {"of one leaf twice",
       {pair, fold_of_folds("s32", "qq, ii, z, z", "pair", "x, x, z, z", "pair")}},
      {"with an init that counts", {one("q, z", "xnor"), nested("qq", "z", "xnor")}},
      {"with an init that counts if it is there twice",
       {one("h, u", "four"), nested("hh", "u", "four")}},
      {"by what is not associative", {one("q, z", "digits"), nested("qq", "z", "digits")}},
  };
  for (const auto& [name, sides] : different) {
    const Row row{name, kFolds, sides.first.c_str(), sides.second.c_str()};
    EXPECT_EQ(verdict_of(row, row.left, row.right, {}), Verdict::kRefuted) << name;
  }
}

TEST(ValueGuards, TheUpperHalfOfANumber) {
  const std::string half = "h = u16[] bitcast-convert(p)\nw = u32[] convert(h)\n";
  const auto moved_by = [&](int by) {
    return absl::StrCat(half, "c = u32[] constant(", by, ")\ns = u32[] shift-left(w, c)\n");
  };
  const std::string plain = "ROOT r = f32[] bitcast-convert(s)";
  const std::string more =
      "o = u32[] constant(4194304)\nt = u32[] add(s, o)\nROOT r = f32[] bitcast-convert(t)";
  const std::string converted = "ROOT r = f32[] convert(p)";
  const char* bf16 = "p = bf16[] parameter(0)";
  const Row same{"", bf16, "", ""};
  EXPECT_EQ(verdict_of(same, moved_by(16) + plain, converted, {}), Verdict::kProven);
  expect_different({"fewer bits", bf16, (moved_by(15) + plain).c_str(), converted.c_str()});
  expect_different({"and more", bf16, (moved_by(16) + more).c_str(), converted.c_str()});
  const Row other{"f16 has other bits", "p = f16[] parameter(0)", "", ""};
  EXPECT_NE(verdict_of(other, moved_by(16) + plain, converted, {}), Verdict::kProven);
}

// A custom call with an effect gets the same from the world outside in both modules, if nothing else asks it.
TEST(ValueGuards, TheWorldOutside) {
  const std::string numbers = "p = s32[] parameter(0)";
  const std::string call =
      "s32[] custom-call(p), custom_call_target=\"f\", custom_call_has_side_effect=true";
  const std::string random = "v = s32[] rng(p, p), distribution=rng_uniform\n";
  const std::string twice = absl::StrCat("u = ", call, "\nROOT r = s32[] add(u, u)");
  const auto verdict = [&](const std::string& before, const std::string& left,
                           const std::string& right) {
    const Row row{left.c_str(), before.c_str(), nullptr, nullptr};
    return verdict_of(row, left, right, Laws(std::begin(kLaws), std::end(kLaws)));
  };
  EXPECT_EQ(
      verdict(numbers, twice,
              absl::StrCat("u = ", call, "\nn = s32[] negate(u)\nROOT r = s32[] subtract(u, n)")),
      Verdict::kProven);
  EXPECT_NE(
      verdict(numbers, absl::StrCat("u = ", call, "\nv = ", call, "\nROOT r = s32[] add(u, v)"),
              twice),
      Verdict::kProven);
  EXPECT_NE(verdict(numbers, absl::StrCat("u = ", call, "\n", random, "ROOT r = s32[] add(u, v)"),
                    absl::StrCat("u = ", call, "\n", random, "ROOT r = s32[] add(v, u)")),
            Verdict::kProven);
  EXPECT_NE(
      verdict(numbers, random + "ROOT r = s32[] add(v, p)", random + "ROOT r = s32[] add(p, v)"),
      Verdict::kProven);
  const std::string one = absl::StrCat("one { p = s32[] parameter(0)\nROOT u = ", call, " }\n--");
  EXPECT_NE(verdict(one + numbers,
                    "u = s32[] call(p), to_apply=one\nv = s32[] call(p), to_apply=one\n"
                    "ROOT r = s32[] add(u, v)",
                    "u = s32[] call(p), to_apply=one\nROOT r = s32[] add(u, u)"),
            Verdict::kProven);
  const std::string sum =
      "sum { a = s32[] parameter(0)\nb = s32[] parameter(1)\nROOT c = s32[] add(a, b) }\n--";
  const std::string on_both = absl::StrCat("u = ", call, "\nROOT r = s32[] all-reduce(u), ");
  EXPECT_NE(verdict(absl::StrCat("HloModule m, num_partitions=2\n", sum, numbers),
                    on_both + "replica_groups={{0,1}}, channel_id=1, use_global_device_ids=true, "
                              "to_apply=sum",
                    twice),
            Verdict::kProven);
  EXPECT_NE(verdict(absl::StrCat("HloModule m, replica_count=2\n", sum, numbers),
                    on_both + "replica_groups={{0,1}}, to_apply=sum", twice),
            Verdict::kProven);
  const std::string left_out = "c = s32[2] constant({...})\n";
  EXPECT_NE(verdict("p = s32[2] parameter(0)", left_out + "ROOT r = s32[2] add(c, p)",
                    left_out + "ROOT r = s32[2] add(p, c)"),
            Verdict::kProven);
  EXPECT_NE(
      verdict(absl::StrCat("more { ROOT c = s32[2] constant({...}) }\n--", numbers),
              absl::StrCat("ROOT u = ", call, ", called_computations={more}"),
              absl::StrCat("u = ", call, ", called_computations={more}\nn = s32[] negate(u)\n",
                           "ROOT r = s32[] negate(n)")),
      Verdict::kProven);
}

TEST(ValueGuards, SortsByWhatTheyCompare) {
  const char* const kComputations =
      "own { a = s32[] parameter(0)\nb = s32[] parameter(1)\n"
      "ROOT c = pred[] compare(a, b), direction=GT }\n"
      "other { a = s32[] parameter(0)\nb = s32[] parameter(1)\nk = s32[] parameter(2)\n"
      "l = s32[] parameter(3)\nROOT c = pred[] compare(k, l), direction=LT }\n"
      "both { a = s32[] parameter(0)\nb = s32[] parameter(1)\nk = s32[] parameter(2)\n"
      "l = s32[] parameter(3)\nROOT c = pred[] compare(l, k), direction=LT }\n"
      "--p = s32[3] parameter(0)\nq = s32[3] parameter(1)";
  const Row rows[] = {
      {"keys of another array do not sort by the array's own numbers", kComputations,
       "s = (s32[3], s32[3]) sort(p, q), dimensions={0}, to_apply=other\n"
       "ROOT r = s32[3] get-tuple-element(s), index=0",
       "ROOT r = s32[3] sort(p), dimensions={0}, to_apply=own"},
      {"keys of another array the other way round", kComputations,
       "s = (s32[3], s32[3]) sort(p, q), dimensions={0}, to_apply=both\n"
       "ROOT r = s32[3] get-tuple-element(s), index=0",
       "ROOT r = s32[3] sort(p), dimensions={0}, to_apply=own"},
  };
  for (const Row& row : rows) expect_different(row);
}

// A line is sorted by a key if an order compares the same function of both elements. Else its order at a point
// is found element by element: each pair is equal, and numbers that tie stay where they are.
TEST(ValueGuards, AnOrderOfTwoFunctionsHasNoKey) {
  const char* const kComputations =
      "least { a = s32[] parameter(0)\nb = s32[] parameter(1)\nt = s32[] constant(3)\n"
      "c = s32[] minimum(a, t)\nd = s32[] minimum(b, t)\n"
      "ROOT o = pred[] compare(c, d), direction=LT }\n"
      "nine { a = s32[] parameter(0)\nb = s32[] parameter(1)\nt = s32[] constant(3)\n"
      "n = s32[] constant(9)\nc = s32[] minimum(a, n)\nd = s32[] minimum(b, t)\n"
      "ROOT o = pred[] compare(c, d), direction=LT }\n"
      "never { a = s32[] parameter(0)\nb = s32[] parameter(1)\nt = s32[] constant(3)\n"
      "c = s32[] maximum(a, t)\nd = s32[] minimum(b, t)\n"
      "ROOT o = pred[] compare(c, d), direction=LT }\n"
      "cross { a = s32[] parameter(0)\nb = s32[] parameter(1)\nk = s32[] parameter(2)\n"
      "l = s32[] parameter(3)\nROOT o = pred[] compare(a, l), direction=LT }\n"
      "keys { a = s32[] parameter(0)\nb = s32[] parameter(1)\nk = s32[] parameter(2)\n"
      "l = s32[] parameter(3)\nROOT o = pred[] compare(k, l), direction=LT }\n"
      "--p = s32[4] parameter(0)\nt = s32[] constant(3)\nw = s32[4] broadcast(t), dimensions={}\n"
      "q = s32[4] minimum(p, w)";
  const auto sort = [](const char* by) {
    return absl::StrCat("ROOT r = s32[4] sort(p), dimensions={0}, is_stable=true, to_apply=", by);
  };
  const auto sort_of_two = [](const char* by) {
    return absl::StrCat(
        "s = (s32[4], s32[4]) sort(p, q), dimensions={0}, is_stable=true, to_apply=", by,
        "\nROOT r = s32[4] get-tuple-element(s), index=0");
  };
  const std::pair<const char*, std::pair<std::string, std::string>> equal[] = {
      {"another number in the key", {sort("nine"), sort("least")}},
      {"another operation in the key", {sort("never"), "ROOT r = s32[4] copy(p)"}},
      {"the key of another array", {sort_of_two("cross"), sort_of_two("keys")}},
  };
  for (const auto& [name, sides] : equal) {
    const Row row{name, kComputations, sides.first.c_str(), sides.second.c_str()};
    EXPECT_NE(verdict_of(row, row.left, row.right, {}), Verdict::kRefuted) << name;
    EXPECT_NE(verdict_of(row, row.right, row.left, {}), Verdict::kRefuted) << name;
  }
}

}  // namespace
}  // namespace tileproof::verify
