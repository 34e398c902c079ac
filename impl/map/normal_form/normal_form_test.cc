// SPDX-License-Identifier: Apache-2.0
// Normal forms: the guarantees of each function to its callers.

#include "impl/map/normal_form/normal_form.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "impl/map/domain/constraint.h"
#include "impl/map/domain/domain.h"
#include "impl/map/extraction/extraction.h"
#include "impl/map/normal_form/floors.h"
#include "impl/map/normal_form/linear.h"

namespace tileproof::impl {
namespace {

// Begins a domain of variables in [0, high].
void begin(NormalFormContext& context, int variables, int64_t high) {
  clear(context);
  for (int i = 0; i < variables; ++i) add_variable(context, {0, high}, true);
}

Linear variable(NormalFormContext& context, int32_t number, int64_t factor = 1) {
  return times(context, variable_form(context, number), factor);
}

// For example "d0 * 3 + d1 * 2 + 5"; products as in "(d0 d1) * 3".
std::string text_of(const NormalFormContext& context, const Linear& form) {
  std::string text;
  for (const Term& term : form) {
    const Atom& atom = context.atoms[term.atom];
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

TEST(NormalFormContext, ClearedItHasNoFactsAndReusesItsMemory) {
  NormalFormContext context;
  begin(context, 0, 1);
  const Term* const first = context.arena.reserve(1);
  begin(context, 2, 9);
  const Linear sum = plus(context, variable(context, 0), variable(context, 1), 3);
  EXPECT_EQ(text_of(context, sum), "d0 * 1 + d1 * 3 + 0");
  EXPECT_GT(context.work, 0);
  context.gave_up = true;
  clear(context);
  EXPECT_EQ(context.work, 0);
  EXPECT_FALSE(context.gave_up);
  EXPECT_TRUE(context.atoms.empty());
  EXPECT_EQ(context.arena.reserve(1), first);
}

// A sum of two terms takes two steps.
TEST(NormalFormContext, TheLargestAllowedWorkIsNoReasonToGiveUp) {
  NormalFormContext context;
  begin(context, 2, 9);
  const Linear a = variable(context, 0), b = variable(context, 1);
  context.work = kMaxWork - 2;
  EXPECT_EQ(plus(context, a, b).count, 2);
  EXPECT_EQ(context.work, kMaxWork);
  EXPECT_FALSE(context.gave_up);
  plus(context, a, b);
  EXPECT_TRUE(context.gave_up);
}

TEST(NormalFormContext, CollectedTermsAreInTheOrderOfTheirAtoms) {
  NormalFormContext context;
  begin(context, 3, 9);
  const auto term = [&context](int32_t variable, int64_t factor) {
    return Term{id_of(context, variable), factor};
  };
  std::vector<Term> terms = {term(2, 5), term(1, 0), term(0, 7)};
  EXPECT_EQ(text_of(context, collected(context, absl::MakeSpan(terms), 4)), "d0 * 7 + d2 * 5 + 4");
}

// Variables by their numbers, then all others by the 31 highest bits of their keys.
TEST(NormalFormContext, AtomsAreOrderedByTheirKeys) {
  NormalFormContext context;
  begin(context, 2, 9);
  const auto add = [&context](uint64_t key) {
    Atom atom;
    atom.kind = AtomKind::kFloor;
    atom.key = key;
    context.atoms.push_back(atom);
    return id_of(context, static_cast<int32_t>(context.atoms.size() - 1));
  };
  const AtomId last = add(~uint64_t{0}), second = add(uint64_t{1} << 33), first = add(0);
  EXPECT_LT(id_of(context, 0), id_of(context, 1));
  EXPECT_LT(id_of(context, 1), first);
  EXPECT_LT(first, second);
  EXPECT_LT(second, last);
}

// In (d0 + d1 + d2) * (d1 d2 * a + d0 d2 * b + d0 d1 * c) the term d0 d1 d2 has the factor
// a + b + c, which fits, though the sum of two of them may not. The same holds in the other order.
TEST(NormalFormContext, ProductsAreCommutative) {
  NormalFormContext context;
  begin(context, 3, 1);
  const Linear x = variable(context, 0), y = variable(context, 1), z = variable(context, 2);
  const Linear sum = plus(context, plus(context, x, y), z);
  const auto both = [&](int64_t a, int64_t b, int64_t c) {
    Linear other = times(context, product(context, y, z), a);
    other = plus(context, other, product(context, x, z), b);
    other = plus(context, other, product(context, x, y), c);
    const Linear one = product(context, sum, other);
    EXPECT_EQ(one, product(context, other, sum));
    return one;
  };
  const int64_t most = INT64_MAX;
  for (const auto& [a, b, c] :
       {std::tuple(most, most, -most), {most, -most, most}, {-most, most, most}}) {
    const Linear found = both(a, b, c);
    EXPECT_FALSE(context.gave_up);
    EXPECT_EQ(found.count, 7);
  }
  both(most, most, 0);
  EXPECT_TRUE(context.gave_up);
}

// (2 * d0 + 3) * (5 * d1 + 7), and a product with cancellation: (d0 + 3) * (d0 - 3).
TEST(NormalFormContext, MultipliesProductsOut) {
  NormalFormContext context;
  begin(context, 2, 9);
  const auto line = [&context](int32_t v, int64_t factor, int64_t k) {
    return plus(context, variable(context, v, factor), constant(k));
  };
  EXPECT_EQ(text_of(context, product(context, line(0, 2, 3), line(1, 5, 7))),
            "d0 * 14 + d1 * 15 + (d0 d1) * 10 + 21");
  EXPECT_EQ(text_of(context, product(context, line(0, 1, 3), line(0, 1, -3))), "(d0 d0) * 1 + -9");
}

// One step for each of the three terms that are multiplied, and two for the powers of the last.
TEST(NormalFormContext, ProductsCountTheirSteps) {
  NormalFormContext context;
  begin(context, 2, 9);
  const Linear a = plus(context, variable(context, 0), constant(3));
  const Linear b = plus(context, variable(context, 1), constant(7));
  const int64_t before = context.work;
  product(context, a, b);
  EXPECT_EQ(context.work - before, 3 + 2);
}

// The second constraint implies the first. The result has both as sources.
TEST(NormalFormContext, SourcesOfAMergedConstraintAreInOrder) {
  NormalFormContext context;
  begin(context, 1, 100);
  const auto residues = [&context](int64_t modulus, Range range, int source) {
    NormalConstraint constraint;
    constraint.mod = mod_atom(context, variable(context, 0), modulus);
    constraint.form = context.atoms[constraint.mod].meaning;
    constraint.range = range;
    constraint.sources = {source};
    return constraint;
  };
  std::vector<NormalConstraint> constraints = {residues(6, {1, 3}, 0), residues(12, {2, 2}, 1)};
  bool changed = false;
  EXPECT_TRUE(join(context, constraints, changed));
  EXPECT_TRUE(changed);
  ASSERT_EQ(constraints.size(), 1);
  EXPECT_EQ(constraints[0].sources, std::vector<int>({0, 1}));
}

TEST(NormalFormContext, ASumThatGivesUpTightensNothing) {
  NormalFormContext context;
  const int64_t far = int64_t{1} << 62;
  begin(context, 2, far);
  const std::vector<Range> before = {{0, far}, {0, far}};
  std::vector<Range> bounds = before;
  tighten(context, plus(context, variable(context, 0, 2), variable(context, 1)), {5, 11}, bounds);
  EXPECT_EQ(bounds, std::vector<Range>({{0, 5}, {0, 11}}));
  bounds = before;
  tighten(context, plus(context, variable(context, 0, far), variable(context, 1)), {5, 11}, bounds);
  EXPECT_TRUE(context.gave_up);
  EXPECT_EQ(bounds, before);
}

TEST(NormalFormContext, AssumptionsInvalidateCosts) {
  NormalFormContext context;
  begin(context, 2, 9);
  const Linear sum = plus(context, variable(context, 0), variable(context, 1));
  const int32_t floor = floor_atom(context, sum, 4);
  EXPECT_GT(atom_cost(context, floor), 0);
  EXPECT_GT(context.atoms[floor].cost, 0);
  assume(context, {{.form = sum, .range = {0, 3}, .sources = {0}}});
  EXPECT_LT(context.atoms[floor].cost, 0);
  EXPECT_EQ(context.atoms[floor].range, (Range{0, 0}));
}

// The memory of terms, and the table of combinations.

TEST(TermArena, ReusesItsMemoryOnceItIsCleared) {
  TermArena arena;
  const Term* const first = arena.reserve(1);
  arena.keep(1);
  arena.clear();
  EXPECT_EQ(arena.reserve(1), first);
}

TEST(TermArena, SkipsChunksThatAreTooSmall) {
  TermArena arena;
  const Term* const small = arena.reserve(1);
  arena.keep(1);
  const Term* const large = arena.reserve(100'000);
  arena.keep(100'000);
  arena.clear();
  EXPECT_NE(small, large);
  EXPECT_EQ(arena.reserve(100'000), large);
}

TEST(FormIndex, ForgetsItsKeysWhenItIsCleared) {
  const Term terms[] = {{AtomId(0, 0), 2}, {AtomId(1, 1), 3}};
  FormIndex index;
  index.insert(FormKey({terms, 2, 5}, 7), 40);
  EXPECT_EQ(index.find(FormKey({terms, 2, 5}, 7)), 40);
  for (const FormKey& other : {FormKey({terms, 1, 5}, 7), FormKey({terms, 2, 4}, 7),
                               FormKey({terms, 2, 5}, 6), FormKey({terms + 1, 1, 5}, 7)}) {
    EXPECT_EQ(index.find(other), -1);
  }
  index.clear();
  EXPECT_EQ(index.find(FormKey({terms, 2, 5}, 7)), -1);
  index.insert(FormKey({terms, 2, 5}, 7), 41);
  EXPECT_EQ(index.find(FormKey({terms, 2, 5}, 7)), 41);
}

TEST(FormIndex, FindsAllOfManyKeys) {
  FormIndex index;
  for (int32_t i = 0; i < 1000; ++i) index.insert(FormKey({nullptr, 0, i % 10}, i / 10), i);
  for (int32_t i = 0; i < 1000; ++i)
    EXPECT_EQ(index.find(FormKey({nullptr, 0, i % 10}, i / 10)), i);
}

// Among two hundred thousand keys, some have the same hash of 32 bits.
TEST(FormIndex, DistinguishesKeysOfOneHash) {
  const auto expect_apart = [](const auto& key_of) {
    std::map<uint32_t, int32_t> seen;
    int pairs = 0;
    for (int32_t i = 0; i < 200'000 && pairs < 3; ++i) {
      const FormKey key = key_of(int64_t{i} * i * 1'000'003);
      const auto [other, is_new] = seen.emplace(key.hash, i);
      if (is_new) continue;
      FormIndex index;
      index.insert(key_of(int64_t{other->second} * other->second * 1'000'003), 1);
      EXPECT_EQ(index.find(key), -1);
      index.insert(key, 2);
      EXPECT_EQ(index.find(key), 2);
      ++pairs;
    }
    EXPECT_EQ(pairs, 3);
  };
  expect_apart([](int64_t i) { return FormKey({nullptr, 0, 7}, i); });
  expect_apart([](int64_t i) { return FormKey({nullptr, 0, i}, 7); });
}

// d0 - floor(d0 / 3) + d1 - floor(d1 / 3) + .. in [-48, 144] as terms, [0, 128] by digits.
Linear sum_of_floors(NormalFormContext& context, int32_t floors) {
  clear(context);
  for (int32_t i = 0; i < floors; ++i) add_variable(context, {0, 9}, true);
  Linear sum;
  for (int32_t i = 0; i < floors; ++i) {
    const Linear x = variable_form(context, i);
    sum = plus(context, sum, plus(context, x, floor_of(context, x, 3), -1));
  }
  return sum;
}

TEST(Ranges, UseDigitsInSumsOfUpToSixteenFloors) {
  NormalFormContext context;
  const Linear some = sum_of_floors(context, 16);
  EXPECT_NE(in_digits(context, some), some);
  const Linear many = sum_of_floors(context, 17);
  EXPECT_EQ(in_digits(context, many), many);
}

NormalFormContext box(const std::vector<Range>& bounds) {
  NormalFormContext context;
  for (const Range& range : bounds) add_variable(context, range, true);
  return context;
}

// Expects a rendering as one mod by `modulus` and a constant, with the form as its meaning.
void expect_mod(NormalFormContext& context, const Linear& form, int64_t modulus) {
  const auto rendering = recognize_mod(context, without_constant(form));
  ASSERT_TRUE(rendering);
  ASSERT_EQ(rendering->count, 1);
  const Atom& atom = context.atoms[rendering->terms[0].atom];
  EXPECT_EQ(atom.kind, AtomKind::kMod);
  EXPECT_EQ(atom.divisor, modulus);
  EXPECT_EQ(meaning_of(context, *rendering), without_constant(form));
}

TEST(WholeMod, RecognizesAModOfAMod) {
  NormalFormContext context = box({{0, 100}});
  const Linear inner = remainder_of(context, variable_form(context, 0), 7);
  const Linear form = remainder_of(context, inner, 3);
  expect_mod(context, form, 3);
  EXPECT_EQ(range_of(context, form), (Range{0, 2}));
}

// (d0 mod 4 + d1 + 3) mod 5 = d0 mod 4 + d1 + 3 - 5 * f lies in [0, 4]. Without its 3 it lies in
// [-3, 1].
TEST(WholeMod, AConstantInsideTheModIsNotVisible) {
  NormalFormContext context = box({{0, 8}, {0, 1}});
  const Linear part = remainder_of(context, variable_form(context, 0), 4);
  const Linear sum = plus(context, plus(context, part, variable_form(context, 1)), constant(3));
  const Linear form = remainder_of(context, sum, 5);
  expect_mod(context, form, 5);
  EXPECT_EQ(range_of(context, form), (Range{0, 4}));
  EXPECT_EQ(range_of(context, without_constant(form)), (Range{-form.constant, 4 - form.constant}));
}

TEST(WholeMod, RecognizesMultiplesAndNegatedMods) {
  NormalFormContext context = box({{0, 100}});
  const Linear inner = remainder_of(context, variable_form(context, 0), 7);
  const Linear mod = remainder_of(context, inner, 3);
  for (const int64_t factor : {5, -1, -4}) {
    const Linear form = times(context, mod, factor);
    expect_mod(context, form, 3);
    EXPECT_EQ(range_of(context, form), scaled({0, 2}, factor));
  }
}

TEST(WholeMod, RejectsOtherForms) {
  NormalFormContext context = box({{0, 100}, {0, 100}});
  const Linear d0 = variable_form(context, 0), d1 = variable_form(context, 1);
  const Linear mod = remainder_of(context, remainder_of(context, d0, 7), 3);
  EXPECT_FALSE(recognize_mod(context, d0));
  EXPECT_FALSE(recognize_mod(context, plus(context, d0, d1)));
  EXPECT_FALSE(recognize_mod(context, floor_of(context, d0, 7)));
  EXPECT_FALSE(recognize_mod(context, plus(context, mod, d1)));
  // Neither x - 3 * floor(x / 4) nor d0 - 7 * floor(d1 / 7) is a mod.
  EXPECT_FALSE(recognize_mod(context, plus(context, d0, floor_of(context, d0, 4), -3)));
  EXPECT_FALSE(recognize_mod(context, plus(context, d0, floor_of(context, d1, 7), -7)));
}

TEST(WholeMod, RecognizesModsWithLargeBounds) {
  NormalFormContext context = box({{INT64_MIN / 4, INT64_MAX / 4}});
  const Linear inner = remainder_of(context, variable_form(context, 0), 7);
  const Linear form = remainder_of(context, inner, 3);
  expect_mod(context, form, 3);
  EXPECT_EQ(range_of(context, form), (Range{0, 2}));
}

TEST(WholeMod, IgnoresLargeFactors) {
  for (const int64_t c : {kSmallFactor - 1, kSmallFactor}) {
    NormalFormContext context = box({{0, INT64_MAX}});
    const Linear form = remainder_of(context, variable_form(context, 0), c);
    EXPECT_EQ(recognize_mod(context, form).has_value(), c < kSmallFactor) << c;
    EXPECT_FALSE(context.gave_up);
  }
}

TEST(WholeMod, SamplesProducts) {
  NormalFormContext context = box({{-3, 9}, {2, 8}});
  const Linear d0 = variable_form(context, 0), d1 = variable_form(context, 1);
  const Linear square = product(context, product(context, d0, d0), d1);
  expect_mod(context, remainder_of(context, remainder_of(context, square, 9), 5), 5);
}

// ((a * d0 + b * d1 + k) mod m + e * d1) mod n. In a few cases these floors add up to other floors,
// whose form no longer shows x.
TEST(WholeMod, RecognizesMostSumsModuloANumber) {
  std::mt19937 random(1);
  const auto any = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  int asked = 0, tight = 0;
  for (int i = 0; i < 2000; ++i) {
    NormalFormContext context = box({{0, any(20, 200)}, {0, 99}});
    const int64_t a = any(1, 9), b = any(0, 9), k = any(0, 9), m = any(2, 12), e = any(0, 3);
    const int64_t n = any(2, 6);
    const Linear d0 = variable_form(context, 0), d1 = variable_form(context, 1);
    const Linear sum = plus(context, plus(context, times(context, d0, a), d1, b), constant(k));
    const Linear inner = remainder_of(context, sum, m);
    const Linear form = remainder_of(context, plus(context, inner, d1, e), n);
    if (form.is_constant()) continue;
    const Range range = range_of(context, form);
    ++asked;
    tight += range.low >= 0 && range.high < n ? 1 : 0;
  }
  EXPECT_GE(tight * 100, asked * 99);
  EXPECT_GT(asked, 1500);
}

}  // namespace
}  // namespace tileproof::impl
