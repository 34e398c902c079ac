// SPDX-License-Identifier: Apache-2.0
// Normal forms: the guarantees of each function to its callers.
#include "impl/map/normal_form/normal_form.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "impl/map/domain/constraint.h"
#include "impl/map/domain/domain.h"
#include "impl/map/extraction/extraction.h"

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

}  // namespace
}  // namespace tileproof::impl
