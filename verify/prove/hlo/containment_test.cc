// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/containment.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "impl/hlo/indexing_testing.h"
#include "spec/hlo/definition_movement.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::verify {
namespace {

struct Asked {
  SubsetProof proof;
  int64_t queries = 0;
};

// Runtime variable k is the element at range variable k of an array.
std::vector<impl::IndexedMap> maps_of(std::initializer_list<absl::string_view> texts) {
  std::vector<impl::IndexedMap> maps;
  for (const absl::string_view text : texts) {
    maps.emplace_back();
    IndexingMap& map = maps.back().map;
    map = *parse_map(text);
    for (int64_t k = 0; k < std::ssize(map.runtime); ++k) {
      IndexingMap element = map;
      element.constraints.clear();
      element.results = {add_variable(element.nodes, Op::kRange, k)};
      maps.back().runtime.push_back({{{}, 0, 0}, std::move(element), map.runtime[k].bounds});
    }
  }
  return maps;
}

const HloModule& the_module() {
  static const HloModule& module = *new HloModule(
      impl::module_of("ENTRY e { i = s32[16] parameter(1)  ROOT p = f32[16] parameter(0) }"));
  return module;
}

// Whether the first of the maps from 16 elements is in the union of the others.
Asked ask(std::initializer_list<absl::string_view> texts, bool asks,
          Counterexamples counterexamples = Counterexamples::kSkipped) {
  const std::vector<impl::IndexedMap> maps = maps_of(texts);
  const SourceResolver resolver(the_module(), the_module().entry);
  SolverSession session{ThreadCpuClock::now() + std::chrono::seconds(20), "", 0};
  session.asks = asks;
  const std::vector<Disjunct> whole(maps.begin() + 1, maps.end());
  SubsetProof proof =
      prove_is_subset(resolver, {16}, Disjunct(maps[0]), whole, session, counterexamples);
  return {std::move(proof), session.asked};
}

// Every place has a window with one element inside: the middle. No other place of a window fits all.
TEST(ContainmentTest, AWindowIsProvenByItsMiddle) {
  const Asked found =
      ask({"(d0) -> (0), domain: d0 in [0, 15]",
           "(d0)[s0] -> (0), domain: d0 in [0, 15], s0 in [0, 2], d0 + s0 in [1, 16]"},
          false);
  EXPECT_EQ(found.proof.verdict, Verdict::kProven);
}

// Each of six windows has a variable of its own: one after the other is chosen, not all of them at
// once, of which only the last choice of each fits.
TEST(ContainmentTest, WindowsAreChosenOneByOne) {
  const Asked found = ask(
      {"(d0) -> (0), domain: d0 in [0, 15]",
       "(d0)[s0, s1, s2, s3, s4, s5] -> (0), domain: d0 in [0, 15], s0 in [0, 2], s1 in [0, 2], "
       "s2 in [0, 2], s3 in [0, 2], s4 in [0, 2], s5 in [0, 2], d0 + s0 in [2, 17], "
       "d0 + s1 * 2 in [4, 19], d0 + s2 * 3 in [6, 21], d0 + s3 * 4 in [8, 23], "
       "d0 + s4 * 5 in [10, 25], d0 + s5 * 6 in [12, 27]"},
      false);
  EXPECT_EQ(found.proof.verdict, Verdict::kProven);
}

// A window chooses what is read, and no element is known to be that small.
TEST(ContainmentTest, AValueThatIsReadMayBeTooLarge) {
  EXPECT_EQ(ask({"(d0) -> (0), domain: d0 in [0, 15]",
                 "(d0)[s0]{rt0} -> (0), domain: d0 in [0, 15], s0 in [0, 2], rt0 in [0, 100], "
                 "d0 + rt0 in [0, 50]"},
                true)
                .proof.verdict,
            Verdict::kUndecided);
}

TEST(ContainmentTest, TwoHalvesNeedTheSolver) {
  const auto texts = {"(d0) -> (0), domain: d0 in [0, 15]", "(d0) -> (0), domain: d0 in [0, 7]",
                      "(d0) -> (0), domain: d0 in [8, 15]"};
  std::vector<absl::string_view> all(texts.begin(), texts.end());
  const Asked without = ask({all[0], all[1], all[2]}, false);
  EXPECT_EQ(without.proof.verdict, Verdict::kUndecided);
  EXPECT_EQ(without.queries, 0);
  EXPECT_EQ(ask({all[0], all[1], all[2]}, true).proof.verdict, Verdict::kProven);
}

TEST(ContainmentTest, ASampleRefutesWithoutTheSolver) {
  const absl::string_view ten = "(d0)[s0] -> (s0), domain: d0 in [0, 15], s0 in [0, 9]";
  const absl::string_view nine = "(d0)[s0] -> (s0), domain: d0 in [0, 15], s0 in [0, 8]";
  const Asked found = ask({ten, nine}, false, Counterexamples::kSampled);
  ASSERT_EQ(found.proof.verdict, Verdict::kRefuted);
  EXPECT_EQ(found.proof.counterexample->index, std::vector<int64_t>{9});
  EXPECT_EQ(ask({ten, nine}, false).proof.verdict, Verdict::kUndecided);
  EXPECT_EQ(ask({nine, ten}, false, Counterexamples::kSampled).proof.verdict, Verdict::kProven);
}

// After many attempts one of them is tried alone: not without the solver either.
TEST(ContainmentTest, ManyAttemptsAskNothing) {
  const absl::string_view most =
      "(d0)[s0, s1] -> (0), domain: d0 in [0, 15], s0 in [0, 2], s1 in [0, 2], d0 + s0 + s1 in [5, "
      "16]";
  const Asked found = ask({"(d0) -> (0), domain: d0 in [0, 15]", most, most, most}, false);
  EXPECT_EQ(found.proof.verdict, Verdict::kUndecided);
  EXPECT_EQ(found.queries, 0);
}

// A range variable that is a coordinate and a number has one value, of 2^40 here.
TEST(ContainmentTest, AShiftedVariableHasOneValue) {
  const absl::string_view by5 =
      "(d0)[s0] -> (s0 + 5), domain: d0 in [0, 15], s0 in [0, 1099511627776]";
  const absl::string_view by7 =
      "(d0)[s0] -> (s0 + 7), domain: d0 in [0, 15], s0 in [0, 1099511627774]";
  EXPECT_EQ(ask({by5, by7}, false, Counterexamples::kSampled).proof.verdict, Verdict::kRefuted);
  EXPECT_EQ(ask({by7, by5}, false, Counterexamples::kSampled).proof.verdict, Verdict::kProven);
}

// A condition may bound what intervals do not. So what reads the first coordinate sees no remainder.
TEST(ContainmentTest, TheFirstCoordinateOfAReshapeIsNoRemainder) {
  QuasiAffineContext context({{-3, 18}});
  const Symbol o(context.atom(0));
  const auto reached = spec::reach(op::Reshape{.operand = {16}, .result = {16, 1}},
                                   spec::IterationPoint<Symbol>{{o, Symbol(0)}, {}, {}});
  EXPECT_EQ(reached.index[0].sum, o.sum);
}

// ---- Enumeration of what matters ----

// Of pairs between f32[16] and an array of these sizes, too many to enumerate, without the solver.
Verdict contained(absl::string_view part, std::initializer_list<absl::string_view> whole,
                  const spec::Dims& operand) {
  const std::vector<impl::IndexedMap> parts = maps_of({part}), others = maps_of(whole);
  const SourceResolver resolver(the_module(), the_module().entry);
  SolverSession session{ThreadCpuClock::now() + std::chrono::seconds(20), "", 0};
  session.asks = false;
  const spec::Dims result = {16};
  return prove_contained({resolver, result, operand}, {parts.begin(), parts.end()},
                         {others.begin(), others.end()}, session)
      .verdict;
}

TEST(ContainmentTest, CoordinatesThatDoNotMatterAreLookedAtOnce) {
  constexpr absl::string_view kAll =
      "(d0)[s0, s1] -> (s0, s1), domain: d0 in [0, 15], s0 in [0, 99999], s1 in [0, 31]";
  constexpr absl::string_view kFirst =
      "(d0)[s0, s1] -> (s0, (s1 floordiv 4) * 4 + s1), domain: d0 in [0, 15], s0 in [0, 99999], "
      "s1 in [0, 15]";
  const auto second = [](absl::string_view domain) {
    return absl::StrCat("(d0)[s0, s1] -> (s0, (s1 floordiv 4) * 4 + s1 + 4), domain: ", domain);
  };
  const auto with = [&](absl::string_view domain) {
    return contained(kAll, {kFirst, second(domain)}, {100000, 32});
  };
  EXPECT_EQ(with("d0 in [0, 15], s0 in [0, 99999], s1 in [0, 15]"), Verdict::kProven);
  EXPECT_EQ(with("d0 in [0, 15], s0 in [0, 99999], s1 in [0, 14]"), Verdict::kRefuted);
  // The others do not run over all of a coordinate, or a condition has it.
  EXPECT_NE(with("d0 in [0, 14], s0 in [0, 99999], s1 in [0, 15]"), Verdict::kProven);
  EXPECT_NE(with("d0 in [0, 15], s0 in [0, 99998], s1 in [0, 15]"), Verdict::kProven);
  EXPECT_NE(with("d0 in [0, 15], s0 in [0, 99999], s1 in [0, 15], s0 + s1 in [0, 100013]"),
            Verdict::kProven);
  EXPECT_NE(with("d0 in [0, 15], s0 in [0, 99999], s1 in [0, 15], s0 mod 2 in [0, 0]"),
            Verdict::kProven);
}

// The diagonal is no square, and no other coordinate of the result.
TEST(ContainmentTest, CoordinatesThatAreTheSameMatter) {
  constexpr absl::string_view kSquare =
      "(d0)[s0, s1, s2] -> (s0, s1, s2), domain: d0 in [0, 15], s0 in [0, 99999], "
      "s1 in [0, 99999], s2 in [0, 15]";
  constexpr absl::string_view kDiagonal =
      "(d0)[s0, s2] -> (s0, s0, s2), domain: d0 in [0, 15], s0 in [0, 99999], s2 in [0, 15]";
  constexpr absl::string_view kKept =
      "(d0)[s0, s1] -> (s0, s1, d0), domain: d0 in [0, 15], s0 in [0, 99999], s1 in [0, 99999]";
  const spec::Dims operand = {100000, 100000, 16};
  EXPECT_EQ(contained(kDiagonal, {kSquare}, operand), Verdict::kProven);
  EXPECT_EQ(contained(kKept, {kSquare}, operand), Verdict::kProven);
  EXPECT_NE(contained(kSquare, {kDiagonal}, operand), Verdict::kProven);
  EXPECT_NE(contained(kSquare, {kKept}, operand), Verdict::kProven);
  EXPECT_EQ(contained(kKept, {kKept}, operand), Verdict::kProven);
}

// ---- All pairs ----

bool have_all(const std::vector<Disjunct>& disjuncts, const spec::Dims& from,
              const spec::Dims& to) {
  const SourceResolver resolver(the_module(), the_module().entry);
  return have_all_pairs({resolver, from, to}, disjuncts);
}

// The maps from a result of 7 elements to an operand of 10 by 8.
bool cover(std::initializer_list<absl::string_view> texts, const spec::Dims& to = {10, 8}) {
  const std::vector<impl::IndexedMap> maps = maps_of(texts);
  return have_all({maps.begin(), maps.end()}, {7}, to);
}

TEST(ContainmentTest, AllPairs) {
  EXPECT_TRUE(
      cover({"(d0)[s0, s1] -> (s0, s1), domain: d0 in [0, 6], s0 in [0, 9], s1 in [0, 7]"}));
  EXPECT_TRUE(
      cover({"(d0)[s0, s1, s2] -> (s0, s1), domain: d0 in [0, 6], s0 in [0, 9], s1 in [0, 7], "
             "s2 in [0, 2], d0 + s2 in [1, 7]"}));
  EXPECT_TRUE(cover({"(d0) -> (), domain: d0 in [0, 6]"}, {}));
  EXPECT_TRUE(cover({"(d0)[s0] -> (s0), domain: d0 in [0, 6], s0 in [0, 99999999]"}, {100000000}));
  EXPECT_FALSE(cover({}));
  EXPECT_FALSE(
      cover({"(d0)[s0, s1] -> (s0, s1), domain: d0 in [0, 6], s0 in [0, 9], s1 in [1, 7]"}));
  EXPECT_FALSE(
      cover({"(d0)[s0, s1] -> (s0, s1), domain: d0 in [0, 5], s0 in [0, 9], s1 in [0, 7]"}));
  EXPECT_FALSE(cover({"(d0)[s0] -> (s0, s0), domain: d0 in [0, 6], s0 in [0, 6]"}, {7, 7}));
  EXPECT_FALSE(cover({"(d0){rt0} -> (rt0), domain: d0 in [0, 6], rt0 in [0, 6]"}, {7}));
  EXPECT_FALSE(cover({"(d0)[s0]{rt0} -> (s0), domain: d0 in [0, 6], s0 in [0, 9], "
                      "rt0 in [0, 7], rt0 in [0, 6]"},
                     {10}));
  EXPECT_FALSE(cover({"(d0)[s0] -> (s0), domain: d0 in [0, 6], s0 in [0, 9]"}, {0}));
}

TEST(ContainmentTest, AllPairsFromInputToOutput) {
  const auto cover_outputs = [](absl::string_view text) {
    const std::vector<impl::IndexedMap> maps = maps_of({text});
    return have_all({Disjunct(maps[0], {7})}, {10}, {7});
  };
  EXPECT_TRUE(cover_outputs("(d0)[s0] -> (s0), domain: d0 in [0, 6], s0 in [0, 9]"));
  EXPECT_FALSE(cover_outputs("(d0)[s0] -> (s0), domain: d0 in [0, 5], s0 in [0, 9]"));
  EXPECT_FALSE(cover_outputs("(d0)[s0] -> (s0), domain: d0 in [0, 6], s0 in [0, 8]"));
  EXPECT_FALSE(cover_outputs("(d0)[s0] -> (d0), domain: d0 in [0, 6], s0 in [0, 9]"));
}

// ---- Against enumeration ----

int64_t below(std::mt19937_64& random, int64_t end) {
  return static_cast<int64_t>(random() % static_cast<uint64_t>(end));
}

// A sum of a few of the variables.
std::string random_sum(std::mt19937_64& random, const std::vector<std::string>& variables) {
  std::string text = absl::StrCat(below(random, 4) - 2);
  const int64_t terms = below(random, 3) + (text == "0" ? 1 : 0);
  for (int64_t t = 0; t < terms; ++t) {
    const std::string& variable = variables[below(random, std::ssize(variables))];
    absl::StrAppend(&text, " + ", variable, below(random, 4) == 0 ? " floordiv 2" : "");
  }
  return text;
}

constexpr int64_t kSize = 3;      // of the result
constexpr int64_t kElements = 3;  // that are read
constexpr int64_t kValues = 3;    // that each may have

impl::IndexedMap random_map(std::mt19937_64& random, int64_t rank) {
  const std::vector<std::string> variables = {"d0", "s0", "s1", "s2", "rt0"};
  std::vector<std::string> results;
  for (int64_t d = 0; d < rank; ++d) {
    results.push_back(below(random, 3) > 0 ? absl::StrCat("s", d) : random_sum(random, variables));
  }
  std::string text = absl::StrCat("(d0)[s0, s1, s2]{rt0} -> (", absl::StrJoin(results, ", "),
                                  "), domain: d0 in [0, 2], s0 in [0, ", below(random, 2) + 1,
                                  "], s1 in [0, 1], s2 in [0, 2], rt0 in [0, 2]");
  for (int64_t c = below(random, 3); c > 0; --c) {
    const int64_t low = below(random, 3) - 1;
    const bool is_of_start = below(random, 2) == 0;
    absl::StrAppend(&text, ", ", is_of_start ? "d0" : random_sum(random, variables), " in [", low,
                    ", ", low + 1 + below(random, 3), "]");
  }
  impl::IndexedMap map{*parse_map(text), {}};
  const auto element = absl::StrCat("(d0)[s0, s1, s2] -> (", variables[below(random, 4)],
                                    "), domain: d0 in [0, 2], s0 in [0, 2], s1 in [0, 2], "
                                    "s2 in [0, 2]");
  map.runtime.push_back({{{}, 0, 0}, *parse_map(element), {0, kValues - 1}});
  return map;
}

bool has_pair(const Disjunct& disjunct, int64_t o, const std::vector<int64_t>& index,
              const std::vector<int64_t>& values) {
  std::vector<int64_t> s;
  for (const Interval& range : disjunct.ranges()) s.push_back(range.low);
  do {
    const Pair<int64_t> pair = disjunct.pair(
        {o}, s, [&](const RuntimeRead<int64_t>& read) { return values[read.index.at(0)]; });
    if (pair.in_domain && pair.index == index) return true;
  } while (next_point(disjunct.ranges(), s));
  return false;
}

// Whether the disjuncts have all pairs, whatever the values are.
bool have_all_enumerated(const std::vector<Disjunct>& disjuncts, const spec::Dims& operand) {
  std::vector<Interval> indices, tables(kElements, {0, kValues - 1});
  for (const int64_t size : operand) indices.push_back({0, size - 1});
  std::vector<int64_t> values(kElements, 0);
  do {
    for (int64_t o = 0; o < kSize; ++o) {
      std::vector<int64_t> index(operand.size(), 0);
      do {
        const auto has = [&](const Disjunct& one) { return has_pair(one, o, index, values); };
        if (std::ranges::none_of(disjuncts, has)) return false;
      } while (next_point(indices, index));
    }
  } while (next_point(tables, values));
  return true;
}

TEST(ContainmentTest, EnumerationAgrees) {
  std::mt19937_64 random(25);
  int found = 0, missed = 0;
  for (int n = 0; n < 3000; ++n) {
    const spec::Dims operand = n % 2 == 0 ? spec::Dims{2} : spec::Dims{2, 2};
    std::vector<impl::IndexedMap> maps;
    for (int64_t k = below(random, 3); k >= 0; --k) {
      maps.push_back(random_map(random, std::ssize(operand)));
    }
    const std::vector<Disjunct> disjuncts(maps.begin(), maps.end());
    const bool all = have_all_enumerated(disjuncts, operand);
    const bool is_found = have_all(disjuncts, {kSize}, operand);
    EXPECT_TRUE(all || !is_found) << n << ": " << to_text(maps[0].map);
    if (all) ++(is_found ? found : missed);
  }
  EXPECT_GT(found, 300);
  EXPECT_LT(missed, found);
}

}  // namespace
}  // namespace tileproof::verify
