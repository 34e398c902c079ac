// SPDX-License-Identifier: Apache-2.0
// The labelled pairs of modules: what is proven is true, and what is refuted is false.
#include "verify/prove/hlo/modules/module_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "corpus/paths.h"
#include "impl/hlo/indexing_testing.h"
#include "spec/lang/base/cases_testing.h"

namespace tileproof::verify {
namespace {

using impl::module_of;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string text_in(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Verdict worst_of(const std::vector<ValueEquality>& results) {
  Verdict worst = Verdict::kProven;
  for (const ValueEquality& one : results) {
    if (one.verdict == Verdict::kRefuted) return Verdict::kRefuted;
    if (one.verdict == Verdict::kUndecided) worst = Verdict::kUndecided;
  }
  return worst;
}

std::string verdict_of(const HloModule& left, const HloModule& right, const Laws& laws) {
  VerifySession session;
  const auto results = same_values(left, right, session, {.allowed = laws});
  if (!results.ok()) return std::string(results.status().message());
  const Verdict worst = worst_of(*results);
  return worst == Verdict::kProven    ? "equal"
         : worst == Verdict::kRefuted ? "different"
                                      : "undecided";
}

const Laws kAll(std::begin(kLaws), std::end(kLaws));

TEST(LabelledPairs, NoVerdictIsWrongAndNearlyAllAreDecided) {
  const std::set<std::string> open_ones = {"argmax_rev",       "argmax_value",    "ba_argsort",
                                           "ba_argsort_wrong", "off_bitcast_u32", "sub_self"};
  const std::vector<std::string> lines =
      absl::StrSplit(text_in(project_path("corpus/pairs/labelled.tsv")), '\n', absl::SkipEmpty());
  int64_t asked = 0;
  for (size_t k = 0; k < lines.size(); ++k) {
    if (lines[k][0] == '#' || absl::EndsWith(lines[k], " large")) continue;
    const auto share = static_cast<size_t>(one_in());
    if ((k + k / share) % share != 0) continue;
    const std::vector<std::string> cells = absl::StrSplit(lines[k], '\t');
    ASSERT_EQ(cells.size(), 4) << lines[k];
    const std::string& name = cells[0];
    const HloModule left =
        module_of(text_in(absl::StrCat(labelled_pairs(), "/", name, ".left.hlo")));
    const HloModule right =
        module_of(text_in(absl::StrCat(labelled_pairs(), "/", name, ".right.hlo")));
    const Laws laws = cells[2] == "float-law" ? kAll : Laws{ValueLaw::kReductionOrder};
    const std::string verdict = verdict_of(left, right, laws);
    ++asked;
    if (open_ones.contains(name)) {
      EXPECT_THAT(verdict, ::testing::AnyOf(cells[1], "undecided")) << name;
    } else {
      EXPECT_EQ(verdict, cells[1]) << name << ": " << lines[k];
    }
  }
  EXPECT_GT(asked, 0);
}

std::vector<ValueEquality> compare(const std::string& left, const std::string& right,
                                   const Laws& laws = {ValueLaw::kReductionOrder}) {
  VerifySession session;
  const auto results = same_values(module_of(left), module_of(right), session, {.allowed = laws});
  EXPECT_TRUE(results.ok()) << results.status() << "\n" << left << "\n" << right;
  return results.ok() ? *results : std::vector<ValueEquality>();
}

Verdict verdict(const std::string& left, const std::string& right,
                const Laws& laws = {ValueLaw::kReductionOrder}) {
  return worst_of(compare(left, right, laws));
}

std::string entry(const std::string& lines) { return absl::StrCat("ENTRY e {\n", lines, "\n}\n"); }

TEST(ValuesOfModules, OtherArithmeticOnTheSameElementsIsDifferent) {
  const std::string parameters = "p = f32[2] parameter(0)\nq = f32[2] parameter(1)\n";
  const auto results = compare(entry(parameters + "ROOT r = f32[2] add(p, q)"),
                               entry(parameters + "ROOT r = f32[2] multiply(p, q)"));
  ASSERT_EQ(results.size(), 1);
  EXPECT_EQ(results[0].verdict, Verdict::kRefuted);
  EXPECT_EQ(results[0].at.size(), 1);
  EXPECT_EQ(verdict(entry(parameters + "ROOT r = f32[2] subtract(p, q)"),
                    entry(parameters + "ROOT r = f32[2] subtract(q, p)")),
            Verdict::kRefuted);
  EXPECT_EQ(verdict(entry(parameters + "ROOT r = f32[2] add(p, q)"),
                    entry(parameters + "ROOT r = f32[2] add(q, p)")),
            Verdict::kProven);
}

TEST(ValuesOfModules, TheAnswerNamesTheLawsThatItNeeds) {
  const std::string divided =
      entry("p = f32[2] parameter(0)\nq = f32[2] parameter(1)\nROOT r = f32[2] divide(p, q)");
  const std::string reciprocal = entry(
      "p = f32[2] parameter(0)\nq = f32[2] parameter(1)\nc = f32[] constant(1)\n"
      "o = f32[2] broadcast(c), dimensions={}\ni = f32[2] divide(o, q)\n"
      "ROOT r = f32[2] multiply(p, i)");
  const auto open = compare(divided, reciprocal);
  EXPECT_EQ(open.at(0).verdict, Verdict::kUndecided);
  EXPECT_THAT(open.at(0).laws, ElementsAre(ValueLaw::kReciprocal));
  const auto proven = compare(divided, reciprocal, kAll);
  EXPECT_EQ(proven.at(0).verdict, Verdict::kProven);
  EXPECT_THAT(proven.at(0).laws, ElementsAre(ValueLaw::kReciprocal));
  EXPECT_THAT(compare(divided, divided, kAll).at(0).laws, IsEmpty());
}

TEST(ValuesOfModules, AReductionInAnotherOrderNeedsTheLawOfOrder) {
  const std::string add =
      "a { x = f32[] parameter(0)\ny = f32[] parameter(1)\n"
      "ROOT s = f32[] add(x, y) }\n";
  const std::string before = add + entry(
                                       "p = f32[4] parameter(0)\nz = f32[] constant(0)\n"
                                       "ROOT r = f32[] reduce(p, z), dimensions={0}, to_apply=a");
  const std::string after =
      add + entry(
                "p = f32[4] parameter(0)\nq = f32[4] reverse(p), dimensions={0}\n"
                "z = f32[] constant(0)\nROOT r = f32[] reduce(q, z), dimensions={0}, to_apply=a");
  EXPECT_THAT(compare(before, after).at(0).laws, ElementsAre(ValueLaw::kReductionOrder));
  EXPECT_EQ(verdict(before, after, {}), Verdict::kUndecided);
  EXPECT_EQ(verdict(before, before, {}), Verdict::kProven);
}

TEST(ValuesOfModules, AConstantOfAnotherValueIsDifferent) {
  const auto with = [](const std::string& literal) {
    return entry("p = f32[2] parameter(0)\nc = f32[2] constant(" + literal +
                 ")\nROOT r = f32[2] add(p, c)");
  };
  EXPECT_EQ(verdict(with("{1, 2}"), with("{1, 3}")), Verdict::kRefuted);
  EXPECT_EQ(verdict(with("{1, 2}"), with("{1.0, 2e0}")), Verdict::kProven);
}

TEST(ValuesOfModules, RandomNumbersAreNeverTheSame) {
  const std::string random = entry(
      "a = f32[] constant(0)\nb = f32[] constant(1)\nROOT r = f32[2] rng(a, b), "
      "distribution=rng_uniform");
  const std::string copied = entry(
      "a = f32[] constant(0)\nb = f32[] constant(1)\nx = f32[2] rng(a, b), "
      "distribution=rng_uniform\nROOT r = f32[2] copy(x)");
  EXPECT_EQ(verdict(random, copied), Verdict::kUndecided);
}

TEST(ValuesOfModules, LargeModulesThatOnlyMoveElementsAreComparedByWhatTheyRead) {
  const std::string left = entry(
      "p = f32[4096,4096] parameter(0)\nt = f32[4096,4096] transpose(p), dimensions={1,0}\n"
      "ROOT r = f32[4096,4096] transpose(t), dimensions={1,0}");
  EXPECT_EQ(verdict(left, entry("ROOT p = f32[4096,4096] parameter(0)")), Verdict::kProven);
  const std::string turned = entry(
      "p = f32[4096,4096] parameter(0)\nROOT t = f32[4096,4096] transpose(p), dimensions={1,0}");
  EXPECT_EQ(verdict(left, turned), Verdict::kRefuted);
  const std::string negated =
      entry("p = f32[4096,4096] parameter(0)\nROOT n = f32[4096,4096] negate(p)");
  EXPECT_EQ(verdict(left, negated), Verdict::kRefuted);
}

TEST(ValuesOfModules, AResultThatIsTooLargeLeavesTheOthersDecided) {
  const auto with = [](const std::string& sum) {
    return entry("p = f32[2] parameter(0)\nq = f32[4096,4096] parameter(1)\n" + sum +
                 "m = f32[4096,4096] multiply(q, q)\n"
                 "ROOT r = (f32[4096,4096], f32[2]) tuple(m, s)");
  };
  const auto results = compare(with("s = f32[2] add(p, p)\n"),
                               with("c = f32[2] constant({2, 2})\ns = f32[2] multiply(p, c)\n"));
  ASSERT_EQ(results.size(), 2);
  EXPECT_EQ(results[1].verdict, Verdict::kProven);
}

}  // namespace
}  // namespace tileproof::verify
