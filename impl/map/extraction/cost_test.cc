// SPDX-License-Identifier: Apache-2.0
#include "impl/map/extraction/cost.h"

#include <gtest/gtest.h>

#include <vector>

#include "impl/map/extraction/extraction.h"
#include "impl/map/normal_form/floors.h"

namespace tileproof::impl {
namespace {

// Normal forms over the dimensions d0, d1, .., each in [0, high].
struct Box {
  explicit Box(int dimensions, int64_t high = 1000) {
    clear(context);
    for (int i = 0; i < dimensions; ++i) add_variable(context, {0, high}, true);
  }
  Linear d(int32_t number, int64_t factor = 1) {
    return times(context, variable_form(context, number), factor);
  }
  int32_t atom(const Linear& form) {
    EXPECT_EQ(form.count, 1);
    return form.terms[0].atom;
  }

  NormalFormContext context;
};

TEST(Cost, AMinusSignCostsAsMuchAsSixteenBits) {
  EXPECT_EQ(constant_cost(-4), constant_cost(3 << 16));
}

TEST(Cost, AProductCostsItsFactorsAndTheOperationsBetweenThem) {
  Box box(2);
  const Linear square = product(box.context, box.d(0), box.d(0));
  EXPECT_EQ(atom_cost(box.context, box.atom(product(box.context, square, box.d(1)))),
            5 * kNodeCost);
}

// floor(x * x / 3) stays in [0, 3] and doubles the size of x.
TEST(Cost, NoRenderingCostsMoreThanTheMaximum) {
  Box box(1, 3);
  Linear x = box.d(0);
  for (int i = 0; i < 40; ++i) {
    const Linear square = product(box.context, x, x);
    EXPECT_LE(atom_cost(box.context, box.atom(square)), kMaxCost);
    x = floor_of(box.context, square, 3);
  }
  EXPECT_FALSE(box.context.gave_up);
  EXPECT_EQ(extract(box.context, x).cost, kMaxCost);
}

TEST(Cost, ARenderingIsNotBetterThanItself) {
  Box box(2);
  const Extraction rendering = extract(box.context, plus(box.context, box.d(0), box.d(1), 3));
  EXPECT_FALSE(is_better(box.context, rendering, rendering));
}

TEST(Cost, OneOfEquallyCheapRenderingsIsBetterAndAllMayWin) {
  Box box(2);
  const Extraction a = extract(box.context, box.d(0)), b = extract(box.context, box.d(1));
  EXPECT_NE(is_better(box.context, a, b), is_better(box.context, b, a));
  EXPECT_TRUE(may_win(a.cost, b));
  EXPECT_FALSE(may_win(a.cost + 1, b));
}

// All sums of these summands, each once, twice, negated or absent.
std::vector<Linear> sums_of(NormalFormContext& context, const std::vector<Linear>& summands) {
  std::vector<Linear> sums = {constant(0)};
  for (const Linear& summand : summands) {
    const std::vector<Linear> before = sums;
    for (const int64_t factor : {-1, 1, 2}) {
      for (const Linear& sum : before) sums.push_back(plus(context, sum, summand, factor));
    }
  }
  return sums;
}

// Every operand that is equal to s modulo b has its factors and constant up to multiples of b.
TEST(Cost, LowerBoundOfAnOperandHoldsForAllEqualModuloB) {
  Box box(3);
  NormalFormContext& context = box.context;
  const std::vector<Linear> sums = sums_of(
      context, {box.d(0), plus(context, box.d(1), constant(3)), floor_of(context, box.d(0), 4)});
  for (const int64_t b : {2, 4, 5}) {
    for (const Linear& s : sums) {
      const int64_t least = least_operand_cost(context, s, b);
      for (const Linear& other : sums) {
        EXPECT_LE(least, extract(context, plus(context, s, other, b)).cost) << b;
      }
    }
  }
}

TEST(Cost, LowerBoundOfAnOperandAllowsQuotientsInsideAMod) {
  Box box(1);
  const Linear mod = remainder_of(box.context, box.d(0), 4);  // d0 - 4 * floor(d0 / 4)
  EXPECT_LE(least_operand_cost(box.context, mod, 64), extract(box.context, mod).cost);
}

TEST(Cost, LowerBoundOfAnOperandAllowsProductsOfSums) {
  Box box(6, 9);
  NormalFormContext& context = box.context;
  const Linear a = plus(context, plus(context, box.d(0), box.d(1)), box.d(2));
  const Linear b = plus(context, plus(context, box.d(3), box.d(4)), box.d(5));
  const Linear both = product(context, a, b);
  EXPECT_LE(least_operand_cost(context, both, 64), extract(context, both).cost);
}

TEST(Cost, LowerBoundOfAnOperandIsExactForASumOfVariables) {
  Box box(2);
  const Linear sum = plus(box.context, box.d(0), box.d(1));
  EXPECT_EQ(least_operand_cost(box.context, sum, 8), extract(box.context, sum).cost);
}

// In rest + k * term, the rest has variables only, so that all costs are known.
TEST(Cost, LowerBoundWithATermIsExactBesideVariables) {
  Box box(3);
  NormalFormContext& context = box.context;
  for (const Linear& rest : sums_of(context, {box.d(0), box.d(1), constant(5)})) {
    for (const int64_t k : {-3, -1, 1, 2, 100}) {
      const Linear rendering = plus(context, rest, box.d(2), k);
      EXPECT_EQ(least_cost_with(context, rest, k, kNodeCost), extract(context, rendering).cost)
          << rest.count << " " << rest.constant << " " << k;
    }
  }
}

}  // namespace
}  // namespace tileproof::impl
