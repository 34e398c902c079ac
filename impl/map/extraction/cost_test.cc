#include "impl/map/extraction/cost.h"

#include <gtest/gtest.h>

#include <vector>

#include "impl/map/extraction/extraction.h"
#include "impl/map/normal_form/floors.h"

namespace tileproof::impl {
namespace {

// Forms over the dimensions d0, d1, .., each in [0, high].
struct Box {
  explicit Box(int dimensions, int64_t high = 1000) {
    clear(forms);
    for (int i = 0; i < dimensions; ++i) add_variable(forms, {0, high}, true);
  }
  Linear d(int32_t number, int64_t factor = 1) {
    return times(forms, variable_form(forms, number), factor);
  }
  int32_t atom(const Linear& form) {
    EXPECT_EQ(form.count, 1);
    return form.terms[0].atom;
  }

  Forms forms;
};

TEST(Price, AMinusSignCostsAsMuchAsSixteenBits) {
  EXPECT_EQ(constant_price(-4), constant_price(3 << 16));
}

TEST(Price, AProductCostsItsFactorsAndTheOperationsBetweenThem) {
  Box box(2);
  const Linear square = product(box.forms, box.d(0), box.d(0));
  EXPECT_EQ(atom_price(box.forms, box.atom(product(box.forms, square, box.d(1)))), 5 * kNodePrice);
}

// floor(x * x / 3) stays in [0, 3] and takes twice the words of x.
TEST(Price, NoWordsCostMoreThanTheLargestPrice) {
  Box box(1, 3);
  Linear x = box.d(0);
  for (int i = 0; i < 40; ++i) {
    const Linear square = product(box.forms, x, x);
    EXPECT_LE(atom_price(box.forms, box.atom(square)), kMaxPrice);
    x = floor_of(box.forms, square, 3);
  }
  EXPECT_FALSE(box.forms.refused);
  EXPECT_EQ(spell(box.forms, x).price, kMaxPrice);
}

TEST(Price, WordsAreNotBetterThanThemselves) {
  Box box(2);
  const Spelling words = spell(box.forms, plus(box.forms, box.d(0), box.d(1), 3));
  EXPECT_FALSE(is_better(box.forms, words, words));
}

TEST(Price, OfEquallyCheapWordsOneIsBetterAndAllMayWin) {
  Box box(2);
  const Spelling a = spell(box.forms, box.d(0)), b = spell(box.forms, box.d(1));
  EXPECT_NE(is_better(box.forms, a, b), is_better(box.forms, b, a));
  EXPECT_TRUE(may_win(a.price, b));
  EXPECT_FALSE(may_win(a.price + 1, b));
}

// Sums with these summands, each once, twice, negated or not at all.
std::vector<Linear> sums_of(Forms& forms, const std::vector<Linear>& summands) {
  std::vector<Linear> sums = {constant(0)};
  for (const Linear& summand : summands) {
    const std::vector<Linear> before = sums;
    for (const int64_t factor : {-1, 1, 2}) {
      for (const Linear& sum : before) sums.push_back(plus(forms, sum, summand, factor));
    }
  }
  return sums;
}

// Every operand that is equal modulo b has the factors and the constant of s up to multiples of b.
TEST(Price, LeastOfAnOperandIsNeverAboveThatOfOneThatIsEqualModuloB) {
  Box box(3);
  Forms& forms = box.forms;
  const std::vector<Linear> sums =
      sums_of(forms, {box.d(0), plus(forms, box.d(1), constant(3)), floor_of(forms, box.d(0), 4)});
  for (const int64_t b : {2, 4, 5}) {
    for (const Linear& s : sums) {
      const int64_t least = least_operand_price(forms, s, b);
      for (const Linear& other : sums) {
        EXPECT_LE(least, spell(forms, plus(forms, s, other, b)).price) << b;
      }
    }
  }
}

TEST(Price, LeastOfAnOperandKnowsThatQuotientsMayBePartOfAMod) {
  Box box(1);
  const Linear mod = remainder_of(box.forms, box.d(0), 4);  // d0 - 4 * floor(d0 / 4)
  EXPECT_LE(least_operand_price(box.forms, mod, 64), spell(box.forms, mod).price);
}

TEST(Price, LeastOfAnOperandKnowsThatSumsOfProductsMayBeAProductOfSums) {
  Box box(6, 9);
  Forms& forms = box.forms;
  const Linear a = plus(forms, plus(forms, box.d(0), box.d(1)), box.d(2));
  const Linear b = plus(forms, plus(forms, box.d(3), box.d(4)), box.d(5));
  const Linear both = product(forms, a, b);
  EXPECT_LE(least_operand_price(forms, both, 64), spell(forms, both).price);
}

TEST(Price, LeastOfAnOperandIsThatOfASumOfVariables) {
  Box box(2);
  const Linear sum = plus(box.forms, box.d(0), box.d(1));
  EXPECT_EQ(least_operand_price(box.forms, sum, 8), spell(box.forms, sum).price);
}

// rest + k * word, where the rest has variables only, so that all prices are known.
TEST(Price, LeastWithAWordIsThePriceOfBothBesideVariables) {
  Box box(3);
  Forms& forms = box.forms;
  for (const Linear& rest : sums_of(forms, {box.d(0), box.d(1), constant(5)})) {
    for (const int64_t k : {-3, -1, 1, 2, 100}) {
      const Linear words = plus(forms, rest, box.d(2), k);
      EXPECT_EQ(least_price_with(forms, rest, k, kNodePrice), spell(forms, words).price)
          << rest.count << " " << rest.constant << " " << k;
    }
  }
}

}  // namespace
}  // namespace tileproof::impl
