// The forms that maps are simplified with: what each step promises to the next.
#include "impl/map/normal_form/normal_form.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "impl/map/domain/constraint.h"
#include "impl/map/domain/domain.h"
#include "impl/map/extraction/cost.h"

namespace tileproof::impl {
namespace {

// Forms of some variables in [0, high].
void begin(Forms& forms, int variables, int64_t high) {
  clear(forms);
  for (int i = 0; i < variables; ++i) add_variable(forms, {0, high}, true);
}

Linear variable(Forms& forms, int32_t number, int64_t factor = 1) {
  return times(forms, variable_form(forms, number), factor);
}

// As in "d0 * 3 + d1 * 2 + 5"; products as in "(d0 d1) * 3".
std::string text_of(const Forms& forms, const Linear& form) {
  std::string text;
  for (const Term& term : form) {
    const Atom& atom = forms.atoms[term.atom];
    std::string name = absl::StrCat("d", int32_t{term.atom});
    if (atom.kind == AtomKind::kProduct) {
      name = "(";
      for (const Term& power : atom.inside) {
        for (int64_t i = 0; i < power.factor; ++i) {
          absl::StrAppend(&name, name == "(" ? "" : " ", "d", int32_t{power.atom});
        }
      }
      name += ")";
    }
    absl::StrAppend(&text, text.empty() ? "" : " + ", name, " * ", term.factor);
  }
  return absl::StrCat(text, text.empty() ? "" : " + ", form.constant);
}

TEST(Forms, ClearedTheyKnowNothingAndUseTheirMemoryAgain) {
  Forms forms;
  begin(forms, 0, 1);
  const Term* const first = forms.arena.reserve(1);
  begin(forms, 2, 9);
  const Linear sum = plus(forms, variable(forms, 0), variable(forms, 1), 3);
  EXPECT_EQ(text_of(forms, sum), "d0 * 1 + d1 * 3 + 0");
  EXPECT_GT(forms.work, 0);
  forms.refused = true;
  clear(forms);
  EXPECT_EQ(forms.work, 0);
  EXPECT_FALSE(forms.refused);
  EXPECT_TRUE(forms.atoms.empty());
  EXPECT_EQ(forms.arena.reserve(1), first);
}

// A sum of two terms is two steps.
TEST(Forms, AsManyStepsAsThereMayBeAreNotRefused) {
  Forms forms;
  begin(forms, 2, 9);
  const Linear a = variable(forms, 0), b = variable(forms, 1);
  forms.work = kMaxWork - 2;
  EXPECT_EQ(plus(forms, a, b).count, 2);
  EXPECT_EQ(forms.work, kMaxWork);
  EXPECT_FALSE(forms.refused);
  plus(forms, a, b);
  EXPECT_TRUE(forms.refused);
}

TEST(Forms, TermsThatAreCollectedAreInTheOrderOfTheirAtoms) {
  Forms forms;
  begin(forms, 3, 9);
  const auto term = [&forms](int32_t variable, int64_t factor) {
    return Term{id_of(forms, variable), factor};
  };
  std::vector<Term> terms = {term(2, 5), term(1, 0), term(0, 7)};
  EXPECT_EQ(text_of(forms, collected(forms, absl::MakeSpan(terms), 4)), "d0 * 7 + d2 * 5 + 4");
}

// Variables by their numbers, all others behind them, by the 31 highest bits of their keys.
TEST(Forms, AtomsAreInTheOrderOfTheirKeys) {
  Forms forms;
  begin(forms, 2, 9);
  const auto add = [&forms](uint64_t key) {
    Atom atom;
    atom.kind = AtomKind::kFloor;
    atom.key = key;
    forms.atoms.push_back(atom);
    return id_of(forms, static_cast<int32_t>(forms.atoms.size() - 1));
  };
  const AtomId last = add(~uint64_t{0}), second = add(uint64_t{1} << 33), first = add(0);
  EXPECT_LT(id_of(forms, 0), id_of(forms, 1));
  EXPECT_LT(id_of(forms, 1), first);
  EXPECT_LT(first, second);
  EXPECT_LT(second, last);
}

// Of (d0 + d1 + d2) * (d1 d2 * a + d0 d2 * b + d0 d1 * c) the term d0 d1 d2 has a + b + c, which
// fits, though two of them may not. So also in the other order.
TEST(Forms, AProductIsThatInTheOtherOrder) {
  Forms forms;
  begin(forms, 3, 1);
  const Linear x = variable(forms, 0), y = variable(forms, 1), z = variable(forms, 2);
  const Linear sum = plus(forms, plus(forms, x, y), z);
  const auto both = [&](int64_t a, int64_t b, int64_t c) {
    Linear other = times(forms, product(forms, y, z), a);
    other = plus(forms, other, product(forms, x, z), b);
    other = plus(forms, other, product(forms, x, y), c);
    const Linear one = product(forms, sum, other);
    EXPECT_EQ(one, product(forms, other, sum));
    return one;
  };
  const int64_t most = INT64_MAX;
  for (const auto& [a, b, c] :
       {std::tuple(most, most, -most), {most, -most, most}, {-most, most, most}}) {
    const Linear found = both(a, b, c);
    EXPECT_FALSE(forms.refused);
    EXPECT_EQ(found.count, 7);
  }
  both(most, most, 0);
  EXPECT_TRUE(forms.refused);
}

// (2 * d0 + 3) * (5 * d1 + 7), and what cancels: (d0 + 3) * (d0 - 3).
TEST(Forms, AProductIsMultipliedOut) {
  Forms forms;
  begin(forms, 2, 9);
  const auto line = [&forms](int32_t v, int64_t factor, int64_t k) {
    return plus(forms, variable(forms, v, factor), constant(k));
  };
  EXPECT_EQ(text_of(forms, product(forms, line(0, 2, 3), line(1, 5, 7))),
            "d0 * 14 + d1 * 15 + (d0 d1) * 10 + 21");
  EXPECT_EQ(text_of(forms, product(forms, line(0, 1, 3), line(0, 1, -3))), "(d0 d0) * 1 + -9");
}

// A step for each of the three terms that are multiplied, and two for the powers of the last.
TEST(Forms, AProductTakesSteps) {
  Forms forms;
  begin(forms, 2, 9);
  const Linear a = plus(forms, variable(forms, 0), constant(3));
  const Linear b = plus(forms, variable(forms, 1), constant(7));
  const int64_t before = forms.work;
  product(forms, a, b);
  EXPECT_EQ(forms.work - before, 3 + 2);
}

// The second says what the first says, and more; it comes from both.
TEST(Forms, OriginsOfAJoinedConditionAreInOrder) {
  Forms forms;
  begin(forms, 1, 100);
  const auto residues = [&forms](int64_t modulus, Range range, int origin) {
    Condition condition;
    condition.mod = mod_atom(forms, variable(forms, 0), modulus);
    condition.form = forms.atoms[condition.mod].meaning;
    condition.range = range;
    condition.origins = {origin};
    return condition;
  };
  std::vector<Condition> conditions = {residues(6, {1, 3}, 0), residues(12, {2, 2}, 1)};
  bool changed = false;
  EXPECT_TRUE(join(forms, conditions, changed));
  EXPECT_TRUE(changed);
  ASSERT_EQ(conditions.size(), 1);
  EXPECT_EQ(conditions[0].origins, std::vector<int>({0, 1}));
}

TEST(Forms, ASumThatIsRefusedTightensNothing) {
  Forms forms;
  const int64_t far = int64_t{1} << 62;
  begin(forms, 2, far);
  const std::vector<Range> before = {{0, far}, {0, far}};
  std::vector<Range> bounds = before;
  tighten(forms, plus(forms, variable(forms, 0, 2), variable(forms, 1)), {5, 11}, bounds);
  EXPECT_EQ(bounds, std::vector<Range>({{0, 5}, {0, 11}}));
  bounds = before;
  tighten(forms, plus(forms, variable(forms, 0, far), variable(forms, 1)), {5, 11}, bounds);
  EXPECT_TRUE(forms.refused);
  EXPECT_EQ(bounds, before);
}

TEST(Forms, WhatIsLearnedMakesPricesAnew) {
  Forms forms;
  begin(forms, 2, 9);
  const Linear sum = plus(forms, variable(forms, 0), variable(forms, 1));
  const int32_t floor = floor_atom(forms, sum, 4);
  EXPECT_GT(atom_price(forms, floor), 0);
  EXPECT_GT(forms.atoms[floor].price, 0);
  learn(forms, {{.form = sum, .range = {0, 3}, .origins = {0}}});
  EXPECT_LT(forms.atoms[floor].price, 0);
  EXPECT_EQ(forms.atoms[floor].range, (Range{0, 0}));
}

}  // namespace
}  // namespace tileproof::impl
