// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/containment.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

#include "absl/strings/string_view.h"
#include "impl/hlo/indexing_testing.h"
#include "spec/hlo/definition_movement.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::verify {
namespace {

struct Asked {
  SubsetProof proof;
  int64_t queries = 0;
};

// Whether the first of the maps from 16 elements is in the union of the others. Runtime variable k is
// the element at range variable k of an array.
Asked ask(std::initializer_list<absl::string_view> texts, bool asks,
          Counterexamples counterexamples = Counterexamples::kSkipped) {
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
  const HloModule module =
      impl::module_of("ENTRY e { i = s32[16] parameter(1)  ROOT p = f32[16] parameter(0) }");
  const SourceResolver resolver(module, module.entry);
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

}  // namespace
}  // namespace tileproof::verify
