// SPDX-License-Identifier: Apache-2.0
#include "impl/map/extraction/cost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "corpus/answers_testing.h"
#include "generate/choose/choose.h"
#include "generate/map/generate_map.h"
#include "gtest/gtest.h"
#include "impl/map/cse.h"
#include "impl/map/extraction/extraction.h"
#include "impl/map/extraction/extraction_candidates.h"
#include "impl/map/extraction/local_rules.h"
#include "impl/map/normal_form/floors.h"
#include "impl/map/normal_form/normal_form.h"
#include "spec/lang/map/map_text.h"
#include "verify/compare/map_compare.h"

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

// The moduli for C * floor(I / c) plus variables with these factors.
Numbers moduli(const std::vector<int64_t>& factors, int64_t C, int64_t c) {
  std::vector<Term> terms;
  for (const int64_t factor : factors) {
    const auto number = static_cast<int32_t>(terms.size());
    terms.push_back({AtomId(static_cast<uint32_t>(number), number), factor});
  }
  return moduli_for({terms.data(), static_cast<int32_t>(terms.size()), 0}, C, c);
}

TEST(ModuliFor, AreTheDivisorItsQuotientsByOtherFactorsAndTheFactor) {
  EXPECT_EQ(moduli({2, -3}, -12, 4), Numbers({4, 6, 12}));
  EXPECT_EQ(moduli({5, 12}, 12, 8), Numbers({12})) << "5 and 8 are no divisors of 12, 1 is none";
  EXPECT_EQ(moduli({1}, -1, 2), Numbers());
  EXPECT_EQ(moduli({INT64_MIN}, 2, 2), Numbers({2}));
}

TEST(ModuliFor, HaveNoDuplicates) {
  EXPECT_EQ(moduli({3, 3, -3, 1, 4}, 12, 4), Numbers({4, 12, 3}));
}

TEST(ModuliFor, AreAtMostTwelve) {
  std::vector<int64_t> factors;
  for (int64_t i = 1; i <= 20; ++i) factors.push_back(int64_t{1} << i);
  const Numbers some = moduli(factors, int64_t{1} << 40, 3);
  ASSERT_EQ(some.size(), 12u);
  for (size_t i = 0; i < some.size(); ++i) EXPECT_EQ(some[i], int64_t{1} << (39 - i));
}

TEST(DivisorsOfMod, AreInversesIfTheFloorHasTheSameDivisor) {
  for (int64_t b = 2; b < 40; ++b) {
    for (int64_t p = -b; p <= b; ++p) {
      Numbers divisors = divisors_of_mod(p, b, b);
      std::ranges::sort(divisors);
      Numbers expected;
      for (int64_t e = 2; e < b; ++e) {
        if ((e * p - 1) % b == 0 || (e * p + 1) % b == 0) expected.push_back(e);
      }
      EXPECT_EQ(divisors, expected) << p << " modulo " << b;
    }
  }
}

TEST(DivisorsOfMod, AreTheQuotientOfALargerDivisorByTheModulus) {
  EXPECT_EQ(divisors_of_mod(1, 8, 32), Numbers({4}));
  EXPECT_EQ(divisors_of_mod(1, 8, 64), Numbers()) << "8 is not below the modulus";
  EXPECT_EQ(divisors_of_mod(1, 8, 33), Numbers());
  EXPECT_EQ(divisors_of_mod(1, 8, 4), Numbers());
}

}  // namespace
}  // namespace tileproof::impl

namespace tileproof {
namespace {

struct Rewritten {
  IndexingMap map;
  int candidates = 0;
};

// The map with the candidates of its results in their place.
Rewritten rewritten(const IndexingMap& map) {
  IndexingMap once;
  impl::CommonSubexpressions distinct;
  EXPECT_TRUE(distinct.read(map, once).ok()) << to_text(map);
  std::vector<impl::Range> bounds;
  for (const auto* variables : {&map.dimensions, &map.ranges, &map.runtime}) {
    for (const Variable& variable : *variables) {
      bounds.push_back({variable.bounds.low, variable.bounds.high});
    }
  }
  impl::LocalRules rules;
  rules.begin(once, bounds);
  if (!map.constraints.empty()) rules.assume_constraints();
  Rewritten out{map};
  for (size_t i = 0; i < map.results.size(); ++i) {
    const auto candidate = rules.candidate(once.results[i]);
    if (!candidate) continue;
    ++out.candidates;
    const impl::VariableCounts counts{std::ssize(map.dimensions), std::ssize(map.ranges)};
    out.map.results[i] = rules.write(*candidate, counts, out.map.nodes);
    EXPECT_EQ(candidate->cost >> 16, tree_size(out.map.nodes, out.map.results[i]));
  }
  return out;
}

TEST(LocalRules, Answers) {
  const auto after_rules = [](absl::string_view text) {
    const std::string after = to_text(rewritten(parse_map(text).value()).map);
    const size_t begin = after.find("-> (") + 4;
    return after.substr(begin, after.find("), domain") - begin);
  };
  expect_answers("answers/local_rules.txt", {{"rules", after_rules}});
}

TEST(LocalRules, NumbersThatLeave64BitsHaveNoCandidate) {
  const auto map = parse_map(
      "(d0) -> ((d0 * 4611686018427387904 + d0 * 4611686018427387905) floordiv 3, d0 * d0), "
      "domain: d0 in [0, 9]");
  ASSERT_TRUE(map.ok());
  EXPECT_EQ(rewritten(*map).candidates, 0);
}

// At every point, the candidates have the values of the results.
TEST(LocalRules, RandomMapsKeepTheirValues) {
  verify::CaseCounts tally;
  int64_t candidates = 0;
  for (uint64_t seed = 0; seed < 3'000; ++seed) {
    Choose choose(Choose::Random{seed});
    const IndexingMap map = seed % 3 == 0   ? generate_map(choose, {.points = 256})
                            : seed % 3 == 1 ? generate_related(choose)
                                            : generate_chain(choose, {.points = 512}).map;
    const Rewritten other = rewritten(map);
    EXPECT_EQ(verify::enumeration_difference(map, other.map, 1 << 16, tally), "")
        << to_text(map) << "  ->  " << to_text(other.map);
    candidates += other.candidates;
  }
  EXPECT_GT(tally["points"], 100'000);
  EXPECT_GT(candidates, 3'000);
}

}  // namespace
}  // namespace tileproof
