// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/smt/formula.h"

#include <gtest/gtest.h>

#include "verify/prove/smt/equations.h"

namespace tileproof::verify {
namespace {

bool holds(const QuasiAffineContext& context, const std::vector<Conjunction>& cases,
           const std::vector<int64_t>& values) {
  for (const Conjunction& all : cases) {
    bool every = true;
    for (const Sum& sum : all) every = every && *value_at(context, sum, values).value >= 0;
    if (every) return true;
  }
  return false;
}

TEST(Formula, CasesHoldExactlyWhereTheFormulaDoes) {
  QuasiAffineContext context({{-2, 9}, {0, 5}});
  const Symbol x(context.atom(0)), y(context.atom(1));
  const Formula inside = !(x < 0) && x < 6 && mod(x, 3) == y;
  const auto is = cases_of(context, inside, 64), is_not = cases_of(context, !inside, 64);
  ASSERT_TRUE(is && is_not);
  for (int64_t a = -2; a <= 9; ++a) {
    for (int64_t b = 0; b <= 5; ++b) {
      const bool expected = a >= 0 && a < 6 && a % 3 == b;
      EXPECT_EQ(holds(context, *is, {a, b}), expected) << a << " " << b;
      EXPECT_EQ(holds(context, *is_not, {a, b}), !expected) << a << " " << b;
    }
  }
}

TEST(Formula, CasesOmitLiteralsThatFollowFromTheBounds) {
  QuasiAffineContext context({{0, 9}});
  const Symbol x(context.atom(0));
  const auto always_true = cases_of(context, x < 10 && !(x < 0), 8);
  ASSERT_TRUE(always_true);
  ASSERT_EQ(always_true->size(), 1);
  EXPECT_TRUE(always_true->front().empty());
  const auto never_true = cases_of(context, x < 0 || x == Symbol(10), 8);
  ASSERT_TRUE(never_true);
  EXPECT_TRUE(never_true->empty());
}

TEST(Formula, TooManyCasesGiveNoAnswer) {
  QuasiAffineContext context({{0, 9}, {0, 9}, {0, 9}});
  Formula formula(true);
  for (int32_t v = 0; v < 3; ++v) {
    const Symbol x(context.atom(v));
    formula = formula && (x < 3 || !(x < 7));
  }
  EXPECT_EQ(cases_of(context, formula, 8)->size(), 8);
  EXPECT_FALSE(cases_of(context, formula, 7));
}

// Variables 0, 1: given, in [0, 1023]; 2: x in [0, 99]; 3: y in [0, 15].
struct Setting {
  QuasiAffineContext context{{{0, 1023}, {0, 1023}, {0, 99}, {0, 15}}};
  Sum o = context.atom(0), i = context.atom(1), x = context.atom(2), y = context.atom(3);
  Equations equations{context, {2, 3}, {}};

  Sum n(int64_t value) { return context.number(value); }
};

TEST(Equations, AVariableWithoutOthersIsAFloorOfTheRest) {
  Setting s;
  s.equations.solve({s.o - s.n(3) * s.x + s.n(7)});
  ASSERT_TRUE(s.equations.value(2));
  EXPECT_EQ(*s.equations.value(2), s.context.quotient(s.o + s.n(7), 3));
  EXPECT_FALSE(s.equations.value(3));
}

TEST(Equations, TwoDigitsAreFloorAndMod) {
  Setting s;
  s.equations.solve({s.n(16) * s.x + s.y - s.o});
  ASSERT_TRUE(s.equations.value(2));
  ASSERT_TRUE(s.equations.value(3));
  EXPECT_EQ(*s.equations.value(2), s.context.quotient(s.o, 16));
  EXPECT_EQ(*s.equations.value(3), mod(s.o, s.n(16)));
}

TEST(Equations, AKnownFloorAndModGiveTheDividend) {
  Setting s;
  const Sum position = s.n(16) * s.x + s.y;
  s.equations.solve({floordiv(position, s.n(40)) - s.o, mod(position, s.n(40)) - s.i});
  ASSERT_TRUE(s.equations.value(2));
  EXPECT_EQ(*s.equations.value(2), s.context.quotient(s.n(40) * s.o + s.i, 16));
}

TEST(Equations, AnUndeterminedVariableHasNoValue) {
  Setting s;
  s.equations.solve({s.x + s.y - s.o});
  EXPECT_FALSE(s.equations.value(2));
  EXPECT_FALSE(s.equations.value(3));
  EXPECT_TRUE(s.equations.is_open(s.x + s.o));
  EXPECT_FALSE(s.equations.is_open(s.i + s.o));
}

TEST(Equations, EquationsWithForeignVariablesAreSkipped) {
  Setting s;
  Equations equations(s.context, {2}, {3});
  equations.solve({s.n(16) * s.x + s.y - s.o});
  EXPECT_FALSE(equations.value(2));
}

}  // namespace
}  // namespace tileproof::verify
