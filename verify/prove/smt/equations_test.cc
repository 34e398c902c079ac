// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/smt/equations.h"

#include <gtest/gtest.h>

namespace tileproof::verify {
namespace {

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
