// SPDX-License-Identifier: Apache-2.0
// `equiv` on modules whose equality is known: it proves equal ones and refutes different ones.
#include "verify/prove/hlo/modules/module_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "corpus/paths.h"
#include "impl/hlo/indexing_testing.h"
#include "spec/lang/base/cases_testing.h"
#include "verify/prove/hlo/modules/large_values_testing.h"

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
  const auto results = same_values(left, right, {.allowed = laws});
  if (!results.ok()) return std::string(results.status().message());
  const Verdict worst = worst_of(*results);
  return worst == Verdict::kProven    ? "equal"
         : worst == Verdict::kRefuted ? "different"
                                      : "undecided";
}

const Laws kAll(std::begin(kLaws), std::end(kLaws));

// Each line of labelled.tsv in cells, or a share of them. cli/equiv_devices_test.py has those that
// need a sharding.
std::vector<std::vector<std::string>> labelled_lines() {
  const std::vector<std::string> lines =
      absl::StrSplit(text_in(project_path("corpus/pairs/labelled.tsv")), '\n', absl::SkipEmpty());
  const auto share = static_cast<size_t>(one_in());
  std::vector<std::vector<std::string>> asked;
  for (size_t k = 0; k < lines.size(); ++k) {
    if (lines[k][0] == '#' || absl::EndsWith(lines[k], "\tsharded")) continue;
    if ((k + k / share) % share == 0) asked.push_back(absl::StrSplit(lines[k], '\t'));
  }
  return asked;
}

// The equal pairs that one term for all elements does not show.
const std::set<std::string>& only_by_elements() {
  static const std::set<std::string> all = absl::StrSplit(
      text_in(project_path("corpus/pairs/only_by_elements.txt")), '\n', absl::SkipEmpty());
  return all;
}

class LabelledPairs : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(LabelledPairs, HaveTheVerdictOfTheirLine) {
  const std::vector<std::string>& cells = GetParam();
  ASSERT_EQ(cells.size(), 4) << cells[0];
  const std::string files = absl::StrCat(labelled_pairs(), "/", cells[0]);
  const HloModule left = module_of(text_in(files + ".left.hlo"));
  const HloModule right = module_of(text_in(files + ".right.hlo"));
  const Laws laws = cells[2] == "float-law" ? kAll : Laws{ValueLaw::kReductionOrder};
  EXPECT_EQ(verdict_of(left, right, laws), cells[1]) << cells[3];
  const bool is_expected = cells[1] == "equal" && !only_by_elements().contains(cells[0]);
  EXPECT_EQ(are_proven_at_any_index(left, right, laws), is_expected) << cells[3];
}

INSTANTIATE_TEST_SUITE_P(All, LabelledPairs, testing::ValuesIn(labelled_lines()),
                         [](const auto& line) { return line.param[0]; });

std::vector<ValueEquality> compare(const std::string& left, const std::string& right,
                                   const Laws& laws = {ValueLaw::kReductionOrder}) {
  const auto results = same_values(module_of(left), module_of(right), {.allowed = laws});
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

TEST(ValuesOfModules, TheOrderOfInstructionsInALoopWithoutAKnownEndDoesNotCount) {
  const auto loop = [](const std::string& inside) {
    return absl::StrCat(
        "b { t = (s32[], f32[2]) parameter(0)\n", inside,
        "ROOT r = (s32[], f32[2]) tuple(j, y) }\n"
        "c { t = (s32[], f32[2]) parameter(0)\ni = s32[] get-tuple-element(t), index=0\n"
        "n = s32[] constant(9)\nROOT l = pred[] compare(i, n), direction=LT }\n",
        entry("k = s32[] parameter(0)\np = f32[2] parameter(1)\nt = (s32[], f32[2]) tuple(k, p)\n"
              "w = (s32[], f32[2]) while(t), condition=c, body=b\n"
              "ROOT r = f32[2] get-tuple-element(w), index=1"));
  };
  const std::string i = "i = s32[] get-tuple-element(t), index=0\n", o = "o = s32[] constant(2)\n";
  const std::string j = "j = s32[] add(i, o)\n", x = "x = f32[2] get-tuple-element(t), index=1\n";
  const std::string y = "y = f32[2] negate(x)\n", dead = "d = f32[2] sine(x)\n";
  EXPECT_EQ(verdict(loop(i + o + j + x + y), loop(x + y + dead + o + i + j)), Verdict::kProven);
  EXPECT_NE(verdict(loop(i + o + j + x + y), loop(x + "y = f32[2] abs(x)\n" + o + i + j)),
            Verdict::kProven);
  EXPECT_NE(verdict(loop(i + o + j + x + y), loop(i + "o = s32[] constant(3)\n" + j + x + y)),
            Verdict::kProven);
}

// What counts and what does not is said in one way by StableHLO, in another by XLA's CPU backend.
TEST(ValuesOfModules, WhatAComputationMakesOfPaddingIsNotDecided) {
  const auto window = [](const std::string& padded, const std::string& pad) {
    return absl::StrCat(
        "f { a = f32[] parameter(0)\nb = f32[] parameter(1)\ns = f32[] add(a, b)\n"
        "o = f32[] constant(1)\nROOT t = f32[] add(s, o) }\n",
        entry(absl::StrCat("p = f32[4] parameter(0)\nz = f32[] constant(10)\n", padded,
                           "ROOT r = f32[4] reduce-window(", padded.empty() ? "p" : "q",
                           ", z), window={size=3", pad, "}, to_apply=f")));
  };
  const std::string before = window("", " pad=1_1");
  const std::string by_hand = window("q = f32[6] pad(p, z), padding=1_1\n", "");
  EXPECT_EQ(verdict(before, before), Verdict::kProven);
  EXPECT_EQ(verdict(before, by_hand), Verdict::kUndecided);
  const std::string left_out = entry(
      "p = f32[4] parameter(0)\nz = f32[] constant(10)\no = f32[] constant(1)\n"
      "l = f32[4] pad(p, z), padding=1_-1\nr = f32[4] pad(p, z), padding=-1_1\n"
      "c = f32[4] broadcast(z), dimensions={}\nb = f32[4] broadcast(o), dimensions={}\n"
      "e = f32[4] add(c, l)\nf = f32[4] add(e, b)\ng = f32[4] add(f, p)\nh = f32[4] add(g, b)\n"
      "i = f32[4] add(h, r)\nROOT t = f32[4] add(i, b)");
  EXPECT_EQ(verdict(before, left_out), Verdict::kUndecided);
  // The same padding of the same array is the same, whether it counts or not.
  EXPECT_EQ(verdict(before, window("", " pad=2_0")), Verdict::kRefuted);
  const std::string transposed = absl::StrReplaceAll(
      before, {{"f32[4] parameter(0)\nz", "f32[4] parameter(0)\nq = f32[4,1] reshape(p)\nz"},
               {"ROOT r = f32[4] reduce-window(p, z), window={size=3 pad=1_1}",
                "w = f32[4,1] reduce-window(q, z), window={size=3x1 pad=1_1x0_0}"},
               {"to_apply=f", "to_apply=f\nROOT r = f32[4] reshape(w)"}});
  EXPECT_EQ(verdict(before, transposed), Verdict::kProven);
}

TEST(ValuesOfModules, ASizeThatIsKnownIsANumber) {
  const auto size = [](const std::string& type) {
    return entry("p = " + type +
                 " parameter(0)\nn = s32[] get-dimension-size(p), dimensions={0}\n"
                 "b = s32[2] broadcast(n), dimensions={}\ni = s32[2] iota(), iota_dimension=0\n"
                 "ROOT r = s32[2] add(b, i)");
  };
  const auto constant = [](const std::string& type, const std::string& numbers) {
    return entry("p = " + type + " parameter(0)\nROOT r = s32[2] constant({" + numbers + "})");
  };
  EXPECT_EQ(verdict(size("f32[5,3]"), constant("f32[5,3]", "5, 6")), Verdict::kProven);
  EXPECT_EQ(verdict(size("f32[5,3]"), constant("f32[5,3]", "3, 4")), Verdict::kRefuted);
  EXPECT_NE(verdict(size("f32[<=5,3]"), constant("f32[<=5,3]", "5, 6")), Verdict::kProven);
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

// What a dot rounds before it multiplies is part of its products, and of those of its parts.
TEST(ValuesOfModules, ADotOfAnotherPrecisionIsAnother) {
  const auto dot = [](const std::string& options) {
    return module_of(
        "ENTRY e { a = f32[2,4] parameter(0)\nb = f32[4,2] parameter(1)\nROOT r = f32[2,2] dot(a, "
        "b), "
        "lhs_contracting_dims={1}, rhs_contracting_dims={0}" +
        options + " }");
  };
  const auto parts = [](const std::string& options) {
    const std::string numbers = ", lhs_contracting_dims={1}, rhs_contracting_dims={0}" + options;
    return module_of(
        "ENTRY e { a = f32[2,4] parameter(0)\nb = f32[4,2] parameter(1)\n"
        "c = f32[2,2] slice(a), slice={[0:2], [0:2]}\nd = f32[2,2] slice(a), slice={[0:2], [2:4]}\n"
        "f = f32[2,2] slice(b), slice={[0:2], [0:2]}\ng = f32[2,2] slice(b), slice={[2:4], [0:2]}\n"
        "x = f32[2,2] dot(c, f)" +
        numbers + "\ny = f32[2,2] dot(d, g)" + numbers + "\nROOT r = f32[2,2] add(x, y) }");
  };
  const std::string highest = ", operand_precision={highest,highest}";
  const Laws order = {ValueLaw::kReductionOrder};
  EXPECT_EQ(verdict_of(dot(""), parts(""), order), "equal");
  EXPECT_EQ(verdict_of(dot(highest), parts(highest), order), "equal");
  EXPECT_EQ(verdict_of(dot(highest), dot(highest), order), "equal");
  for (const std::string& other : {highest, std::string(", algorithm=dot_bf16_bf16_f32")}) {
    EXPECT_EQ(verdict_of(dot(""), dot(other), order), "undecided");
    EXPECT_EQ(verdict_of(dot(""), parts(other), order), "undecided");
  }
}

TEST(ValuesOfModules, ADifferenceLeadsToTheOperationsThatDiffer) {
  const auto module = [](const std::string& operation) {
    return absl::StrCat(
        "f { x = f32[2,3] parameter(0)\ny = f32[2,3] parameter(1)\nROOT s = f32[2,3] ", operation,
        "(x, y) }\n",
        entry("p = f32[2,3] parameter(0)\nq = f32[2,3] parameter(1)\n"
              "c = f32[2,3] fusion(p, q), kind=kLoop, calls=f\nn = f32[2,3] negate(c)\n"
              "ROOT t = f32[3,2] transpose(n), dimensions={1,0}"));
  };
  const auto results = compare(module("add"), module("multiply"));
  ASSERT_EQ(results.at(0).verdict, Verdict::kRefuted);
  const std::vector<int64_t>& at = results[0].at;
  const std::vector<int64_t> turned = {at.at(1), at.at(0)};
  for (const auto* path : {&results[0].path.left, &results[0].path.right}) {
    const bool is_left = path == &results[0].path.left;
    ASSERT_EQ(path->size(), 4);
    EXPECT_EQ((*path)[0].instruction, "t");
    EXPECT_EQ((*path)[0].index, at);
    EXPECT_EQ((*path)[0].value, is_left ? results[0].left : results[0].right);
    EXPECT_EQ((*path)[1].instruction, "n");
    EXPECT_EQ((*path)[1].index, turned);
    EXPECT_EQ((*path)[2].instruction, "c");
    EXPECT_EQ((*path)[3].instruction, "s");
    EXPECT_EQ((*path)[3].index, turned);
    EXPECT_EQ((*path)[3].opcode, is_left ? "add" : "multiply");
  }
  const auto moved =
      compare(entry("p = f32[3] parameter(0)\nROOT r = f32[3] copy(p)"),
              entry("p = f32[3] parameter(0)\nROOT r = f32[3] reverse(p), dimensions={0}"));
  ASSERT_EQ(moved.at(0).path.right.size(), 1);  // ends at what moves them in another way
  EXPECT_EQ(moved[0].path.right[0].opcode, "reverse");
  ASSERT_EQ(moved[0].path.right_reads.size(), 1);
  EXPECT_EQ(moved[0].path.right_reads[0].instruction, "p");
  EXPECT_NE(moved[0].path.right_reads[0].index, moved[0].path.left.back().index);
}

std::string end_of_path(const std::string& left, const std::string& right) {
  const auto results = compare(left, right);
  const auto& path = results.at(0).path.right;
  return path.empty() ? "no path" : path.back().instruction;
}

TEST(ValuesOfModules, ADifferenceInASumLeadsToTheSummand) {
  const auto module = [](const std::string& first, const std::string& second) {
    return entry("p = f32[4] parameter(0)\nq = f32[4] parameter(1)\na = f32[4] " + first +
                 "\nb = f32[4] add(p, a)\nc = f32[4] " + second + "\nROOT r = f32[4] add(b, c)");
  };
  const std::string right = module("negate(q)", "cosine(b)");
  EXPECT_EQ(end_of_path(right, module("sine(q)", "cosine(b)")), "a");
  EXPECT_EQ(end_of_path(right, module("negate(q)", "sine(b)")), "c");
}

TEST(ValuesOfModules, AnElementThatIsMovedFromAnotherPlaceLeadsToWhatSaysSo) {
  const auto module = [](const std::string& bounds, const std::string& offset) {
    return entry("p = f32[8] parameter(0)\ni = s32[] constant(" + offset +
                 ")\ns = f32[6] slice(p), slice={[" + bounds +
                 "]}\nd = f32[2] dynamic-slice(s, i), dynamic_slice_sizes={2}\n"
                 "c = f32[2] copy(d)\nROOT r = f32[2] negate(c)");
  };
  const std::string right = module("0:6", "1");
  EXPECT_EQ(end_of_path(right, module("0:6", "4")), "i");
  EXPECT_EQ(end_of_path(right, module("2:8", "1")), "s");
}

TEST(ValuesOfModules, AConstantOfAnotherValueIsDifferent) {
  const auto with = [](const std::string& literal) {
    return entry("p = f32[2] parameter(0)\nc = f32[2] constant(" + literal +
                 ")\nROOT r = f32[2] add(p, c)");
  };
  EXPECT_EQ(verdict(with("{1, 2}"), with("{1, 3}")), Verdict::kRefuted);
  EXPECT_EQ(verdict(with("{1, 2}"), with("{1.0, 2e0}")), Verdict::kProven);
}

TEST(ValuesOfModules, AResultOfAnotherElementTypeIsDifferent) {
  const auto results =
      compare(entry("p = f32[2] parameter(0)\nROOT r = f32[2] negate(p)"),
              entry("p = f32[2] parameter(0)\nn = f32[2] negate(p)\nROOT r = bf16[2] convert(n)"));
  EXPECT_EQ(results.at(0).verdict, Verdict::kRefuted);
  EXPECT_EQ(results.at(0).detail, "element types f32 and bf16");
}

TEST(ValuesOfModules, HowAnOperationIsCarriedOutDoesNotCount) {
  const auto verdict = [](const std::string& operation, const std::string& attribute) {
    return verdict_of(module_of(operation), module_of(absl::StrCat(operation, ", ", attribute)),
                      {});
  };
  const std::string fft = "f = c64[4] fft(c64[4] x), fft_type=FFT, fft_length={4}";
  for (const char* note : {R"(backend_config={"a":1})", R"(original_value={{"x"}})"}) {
    EXPECT_EQ(verdict(fft, note), "equal") << note;
    EXPECT_EQ(verdict("t = f32[4] tanh(f32[4] x)", note), "equal") << note;
  }
  EXPECT_EQ(verdict(R"(c = f32[4] custom-call(f32[4] x), custom_call_target="f")",
                    R"(backend_config={"a":1})"),
            "undecided");
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

// ---- Results of any size ----

constexpr char kReducers[] =
    "add { x = f32[] parameter(0)\ny = f32[] parameter(1)\nROOT s = f32[] add(x, y) }\n"
    "max { x = f32[] parameter(0)\ny = f32[] parameter(1)\nROOT s = f32[] maximum(x, y) }\n"
    "lt { x = f32[] parameter(0)\ny = f32[] parameter(1)\n"
    "ROOT s = pred[] compare(x, y), direction=LT }\n";

// A pair of entries with these parameters; the last line of each is its result.
struct LargePair {
  std::vector<std::string> left, right;
  std::vector<std::string> parameters = {"f32[2048,1024]", "f32[1024,3072]", "s32[]"};
};

std::string module_text(const std::vector<std::string>& parameters,
                        const std::vector<std::string>& lines) {
  std::string text = absl::StrCat(kReducers, "ENTRY e {\n");
  for (size_t k = 0; k < parameters.size(); ++k) {
    absl::StrAppend(&text, std::string(1, "xyi"[k]), " = ", parameters[k], " parameter(", k, ")\n");
  }
  for (size_t k = 0; k < lines.size(); ++k) {
    absl::StrAppend(&text, k + 1 == lines.size() ? "ROOT " : "", lines[k], "\n");
  }
  return text + "}\n";
}

Verdict verdict(const LargePair& pair) {
  const auto results = same_values(module_of(module_text(pair.parameters, pair.left)),
                                   module_of(module_text(pair.parameters, pair.right)),
                                   {.allowed = {ValueLaw::kReductionOrder}, .milliseconds = 2000});
  EXPECT_TRUE(results.ok()) << results.status() << absl::StrJoin(pair.right, "\n");
  return results.ok() ? worst_of(*results) : Verdict::kUndecided;
}

const std::string kDot = "dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}";

TEST(LargeValues, AreEqualWhereOneTermStandsForAllElements) {
  const std::vector<LargePair> pairs = {
      {{"r = f32[2048,3072] " + kDot},
       {"a = f32[1024,2048] transpose(x), dimensions={1,0}",
        "b = f32[3072,1024] transpose(y), dimensions={1,0}",
        "d = f32[3072,2048] dot(b, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
        "r = f32[2048,3072] transpose(d), dimensions={1,0}"}},
      {{"z = f32[] constant(0)", "r = f32[] reduce(x, z), dimensions={0,1}, to_apply=add"},
       {"t = f32[1024,2048] transpose(x), dimensions={1,0}", "z = f32[] constant(0)",
        "r = f32[] reduce(t, z), dimensions={0,1}, to_apply=add"}},
      {{"e = f32[2048,1024] exponential(x)", "r = f32[1024,2048] transpose(e), dimensions={1,0}"},
       {"t = f32[2097152] reshape(x)", "u = f32[1,2048,1024] reshape(t)",
        "v = f32[1,1024,2048] transpose(u), dimensions={0,2,1}", "w = f32[1024,2048] reshape(v)",
        "r = f32[1024,2048] exponential(w)"}},
      {{"c = f32[4096,1024] concatenate(x, x), dimensions={0}",
        "s = f32[2048,1024] slice(c), slice={[2048:4096], [0:1024]}",
        "r = f32[2048,1024] negate(s)"},
       {"r = f32[2048,1024] negate(x)"}},
      {{"z = s32[] constant(0)", "u = f32[1,1024] slice(x), slice={[7:8], [0:1024]}",
        "r = f32[2048,1024] dynamic-update-slice(x, u, i, z)"},
       {"z = s32[] constant(0)", "l = s32[] constant(2047)", "c = s32[] clamp(z, i, l)",
        "b = s32[2048,1024] broadcast(c), dimensions={}",
        "k = s32[2048,1024] iota(), iota_dimension=0",
        "e = pred[2048,1024] compare(b, k), direction=EQ",
        "u = f32[1,1024] slice(x), slice={[7:8], [0:1024]}", "v = f32[1024] reshape(u)",
        "w = f32[2048,1024] broadcast(v), dimensions={1}", "r = f32[2048,1024] select(e, w, x)"}},
      {{"t = f32[1024,2048] transpose(x), dimensions={1,0}",
        "s = f32[1024,2048] sort(t), dimensions={1}, to_apply=lt", "r = f32[1024,2048] add(s, t)"},
       {"t = f32[1024,2048] transpose(x), dimensions={1,0}", "u = f32[2097152] reshape(t)",
        "v = f32[1024,2048] reshape(u)", "s = f32[1024,2048] sort(v), dimensions={1}, to_apply=lt",
        "r = f32[1024,2048] add(t, s)"}},
      {{"m = f32[] constant(-inf)",
        "r = f32[2048,1024] reduce-window(x, m), window={size=1x3 pad=0_0x1_1}, to_apply=max"},
       {"m = f32[] constant(-inf)", "t = f32[1024,2048] transpose(x), dimensions={1,0}",
        "w = f32[1024,2048] reduce-window(t, m), window={size=3x1 pad=1_1x0_0}, to_apply=max",
        "r = f32[2048,1024] transpose(w), dimensions={1,0}"}}};
  for (const LargePair& pair : pairs) {
    EXPECT_EQ(verdict(pair), Verdict::kProven) << absl::StrJoin(pair.left, "\n");
  }
}

// Layers of attention over 512 rows of 1024 numbers. `turns`: weights are transposed before they are
// used, sums are the other way round.
std::string attention(int64_t layers, bool turns) {
  std::string text = absl::StrCat(kReducers, "ENTRY e {\nx = f32[512,1024] parameter(0)\n",
                                  "z = f32[] constant(0)\nm = f32[] constant(-inf)\n",
                                  "h0 = f32[512,1024] copy(x)\n");
  for (int64_t k = 0; k < layers; ++k) {
    for (int64_t w = 0; w < 3; ++w) {
      const std::string name = std::string(1, "qkv"[w]) + absl::StrCat(k);
      const std::string weight = absl::StrCat("w", name);
      absl::StrAppend(&text, weight, " = f32[1024,1024] parameter(", 1 + 3 * k + w, ")\n");
      if (turns) {
        absl::StrAppend(&text, "t", name, " = f32[1024,1024] transpose(", weight,
                        "), dimensions={1,0}\n");
      }
      absl::StrAppend(&text, name, " = f32[512,1024] dot(h", k, ", ", turns ? "t" + name : weight,
                      "), lhs_contracting_dims={1}, rhs_contracting_dims={", turns ? 1 : 0, "}\n");
    }
    const std::string sum = turns ? absl::StrCat("y", k, ", h", k) : absl::StrCat("h", k, ", y", k);
    absl::StrAppend(
        &text, "s", k, " = f32[512,512] dot(q", k, ", k", k,
        "), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n", "u", k, " = f32[512] reduce(s",
        k, ", m), dimensions={1}, to_apply=max\n", "b", k, " = f32[512,512] broadcast(u", k,
        "), dimensions={0}\n", "c", k, " = f32[512,512] subtract(s", k, ", b", k, ")\n", "e", k,
        " = f32[512,512] exponential(c", k, ")\n", "y", k, " = f32[512,1024] dot(e", k, ", v", k,
        "), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n", k + 1 == layers ? "ROOT " : "",
        "h", k + 1, " = f32[512,1024] add(", sum, ")\n");
  }
  return text + "}\n";
}

TEST(LargeValues, LayersOfAttentionAreEqual) {
  const auto verdict_of_layers = [](int64_t layers, int64_t work) {
    ValueOptions options;
    options.limits.work = work;
    const auto results = same_values(module_of(attention(layers, false)),
                                     module_of(attention(layers, true)), options);
    EXPECT_TRUE(results.ok()) << results.status();
    return results.ok() ? worst_of(*results) : Verdict::kUndecided;
  };
  EXPECT_EQ(verdict_of_layers(1, 64'000), Verdict::kProven);
  EXPECT_EQ(verdict_of_layers(24, 24 * 64'000), Verdict::kProven);  // each layer needs the same
}

TEST(LargeValues, AConditionalIsASelectOfWhatItsBranchesGive) {
  const std::string branches =
      "f { a = f32[2048,1024] parameter(0)\nROOT b = f32[2048,1024] sine(a) }\n"
      "g { a = (s32[], f32[2048,1024]) parameter(0)\n"
      "b = f32[2048,1024] get-tuple-element(a), index=1\nROOT c = f32[2048,1024] cosine(b) }\n";
  const std::string parameters =
      "p = f32[2048,1024] parameter(0)\nq = f32[2048,1024] parameter(1)\ni = s32[] parameter(2)\n"
      "z = s32[] constant(0)\nk = pred[] compare(i, z), direction=EQ\n";
  const std::string conditional = absl::StrCat(
      branches, entry(parameters +
                      "t = (s32[], f32[2048,1024]) tuple(i, q)\n"
                      "ROOT r = f32[2048,1024] conditional(i, p, t), branch_computations={f, g}"));
  const auto select = [&](const std::string& from, const std::string& yes, const std::string& no) {
    return entry(absl::StrCat(parameters, "b = pred[2048,1024] broadcast(k), dimensions={}\n",
                              "s = f32[2048,1024] sine(p)\nc = f32[2048,1024] cosine(", from,
                              ")\nROOT r = f32[2048,1024] select(b, ", yes, ", ", no, ")"));
  };
  EXPECT_EQ(verdict(conditional, select("q", "s", "c")), Verdict::kProven);
  EXPECT_EQ(verdict(conditional, select("q", "c", "s")), Verdict::kRefuted);
  EXPECT_EQ(verdict(conditional, select("p", "s", "c")), Verdict::kRefuted);
}

TEST(LargeValues, AReducedArrayIsAFunctionOfItsIndexAlone) {
  const std::vector<std::string> parameters = {"f32[1536,1536]", "f32[1536]", "s32[]"};
  const std::vector<std::string> square = {
      "s = f32[1536,1536] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
      "z = f32[] constant(0)"};
  const auto verdict_of = [&](const std::vector<std::string>& left,
                              const std::vector<std::string>& right) {
    LargePair pair{square, square, parameters};
    pair.left.insert(pair.left.end(), left.begin(), left.end());
    pair.right.insert(pair.right.end(), right.begin(), right.end());
    const auto results =
        same_values(module_of(module_text(parameters, pair.left)),
                    module_of(module_text(parameters, pair.right)), {.limits = {.work = 100'000}});
    EXPECT_TRUE(results.ok()) << results.status();
    return results.ok() ? worst_of(*results) : Verdict::kUndecided;
  };
  EXPECT_NE(verdict_of({"r = f32[1536,1536] add(s, s)"},
                       {"t = f32[1536,1536] transpose(s), dimensions={1,0}",
                        "r = f32[1536,1536] add(s, t)"}),
            Verdict::kProven);
  // At an offset.
  const std::string sums = "c = f32[1536] reduce(s, z), dimensions={1}, to_apply=add";
  const std::vector<std::string> sums_of_slice = {
      "q = s32[] constant(0)",
      "d = f32[9,1536] dynamic-slice(s, i, q), dynamic_slice_sizes={9,1536}",
      "r = f32[9] reduce(d, z), dimensions={1}, to_apply=add"};
  EXPECT_EQ(
      verdict_of(sums_of_slice, {sums, "r = f32[9] dynamic-slice(c, i), dynamic_slice_sizes={9}"}),
      Verdict::kProven);
  EXPECT_NE(verdict_of(sums_of_slice, {sums, "o = s32[] constant(1)", "j = s32[] add(i, o)",
                                       "r = f32[9] dynamic-slice(c, j), dynamic_slice_sizes={9}"}),
            Verdict::kProven);
  // At an offset of each element.
  const std::string rows =
      "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
      "slice_sizes={1,1536}";
  const std::string index = "j = s32[1536] convert(y)";
  const std::vector<std::string> sums_of_rows = {
      index, "k = s32[1536,1] reshape(j)", absl::StrCat("d = f32[1536,1536] gather(s, k), ", rows),
      "r = f32[1536] reduce(d, z), dimensions={1}, to_apply=add"};
  const std::string one =
      "offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
      "slice_sizes={1}";
  EXPECT_EQ(verdict_of(sums_of_rows, {sums, index, "k = s32[1536,1] reshape(j)",
                                      absl::StrCat("r = f32[1536] gather(c, k), ", one)}),
            Verdict::kProven);
  EXPECT_NE(verdict_of(sums_of_rows, {sums, index, "v = s32[1536] reverse(j), dimensions={0}",
                                      "k = s32[1536,1] reshape(v)",
                                      absl::StrCat("r = f32[1536] gather(c, k), ", one)}),
            Verdict::kProven);
  // The index along a new dimension does not count.
  const std::vector<std::string> sums_of_copies = {
      "b = f32[1536,1536,1536] broadcast(s), dimensions={0,2}",
      "r = f32[1536,1536] reduce(b, z), dimensions={2}, to_apply=add"};
  EXPECT_EQ(verdict_of(sums_of_copies, {sums, "r = f32[1536,1536] broadcast(c), dimensions={0}"}),
            Verdict::kProven);
  EXPECT_NE(verdict_of(sums_of_copies, {sums, "r = f32[1536,1536] broadcast(c), dimensions={1}"}),
            Verdict::kProven);
}

TEST(ValuesOfModules, ALoopOverManyElementsIsUndecidedAfterTheGivenSteps) {
  const auto loop = [](const std::string& next) {
    return absl::StrCat(
        "b { t = (s32[], s32[], f32[1024,1024]) parameter(0)\ni = s32[] get-tuple-element(t), "
        "index=0\n"
        "n = s32[] get-tuple-element(t), index=1\nx = f32[1024,1024] get-tuple-element(t), "
        "index=2\n"
        "y = f32[1024,1024] negate(x)\no = s32[] constant(1)\n",
        next,
        "\nROOT r = (s32[], s32[], f32[1024,1024]) tuple(j, n, y) }\n"
        "c { t = (s32[], s32[], f32[1024,1024]) parameter(0)\ni = s32[] get-tuple-element(t), "
        "index=0\n"
        "n = s32[] get-tuple-element(t), index=1\nROOT l = pred[] compare(i, n), direction=LT }\n",
        entry("k = s32[] parameter(0)\np = f32[1024,1024] parameter(1)\nz = s32[] constant(0)\n"
              "least = s32[] constant(1000000)\nm = s32[] maximum(k, least)\n"
              "t = (s32[], s32[], f32[1024,1024]) tuple(z, m, p)\n"
              "w = (s32[], s32[], f32[1024,1024]) while(t), condition=c, body=b\n"
              "ROOT r = f32[1024,1024] get-tuple-element(w), index=2"));
  };
  const auto results = same_values(module_of(loop("j = s32[] add(i, o)")),
                                   module_of(loop("u = s32[] add(i, o)\nj = s32[] add(u, o)")),
                                   {.limits = limits_in(100)});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ(worst_of(*results), Verdict::kUndecided);
  EXPECT_THAT((*results)[0].detail, ::testing::HasSubstr("too large to enumerate: more than"));
  EXPECT_LT(limits_in(100).work, 400'000);
  EXPECT_EQ(limits_in(5'000).work, limits_in(60'000).work);
}

TEST(LargeValues, AreNotEqualWhereAGuardSaysNo) {
  const std::string sum = "r = f32[] reduce(p, z), dimensions={0,1}, to_apply=add";
  const std::vector<std::string> square = {"f32[1536,1536]", "f32[1536]", "s32[]"};
  const std::string kSort = "sort(x), dimensions={";
  const std::vector<LargePair> pairs = {
      // Another order along the contraction, and the sum over the other dimension.
      {{"r = f32[2048,3072] " + kDot},
       {"b = f32[1024,3072] reverse(y), dimensions={0}",
        "r = f32[2048,3072] dot(x, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"}},
      {{"z = f32[] constant(0)", "r = f32[1536] reduce(x, z), dimensions={0}, to_apply=add"},
       {"z = f32[] constant(0)", "r = f32[1536] reduce(x, z), dimensions={1}, to_apply=add"},
       square},
      // x[s0,s1] y[s0] against x[s0,s1] y[s1]
      {{"b = f32[1536,1536] broadcast(y), dimensions={0}", "p = f32[1536,1536] multiply(x, b)",
        "z = f32[] constant(0)", sum},
       {"b = f32[1536,1536] broadcast(y), dimensions={1}", "p = f32[1536,1536] multiply(x, b)",
        "z = f32[] constant(0)", sum},
       square},
      // Another init, another reducer, other padding.
      {{"z = f32[] constant(0)", "r = f32[1536] reduce(x, z), dimensions={0}, to_apply=add"},
       {"z = f32[] constant(1000000)", "r = f32[1536] reduce(x, z), dimensions={0}, to_apply=add"},
       square},
      {{"z = f32[] constant(0)", "r = f32[1536] reduce(x, z), dimensions={0}, to_apply=add"},
       {"z = f32[] constant(0)", "r = f32[1536] reduce(x, z), dimensions={0}, to_apply=max"},
       square},
      {{"m = f32[] constant(-inf)",
        "r = f32[1536,1536] reduce-window(x, m), window={size=1x3 pad=0_0x1_1}, to_apply=max"},
       {"m = f32[] constant(-inf)",
        "r = f32[1536,1536] reduce-window(x, m), window={size=1x3 pad=0_0x2_0}, to_apply=max"},
       square},
      // Operations that are not looked into: along another dimension, of another order.
      {{"r = f32[1536,1536] " + kSort + "0}, to_apply=lt"},
       {"r = f32[1536,1536] " + kSort + "1}, to_apply=lt"},
       square},
      // An update at the clamped offset against one at the offset itself.
      {{"z = s32[] constant(0)", "u = f32[1,1536] slice(x), slice={[7:8], [0:1536]}",
        "r = f32[1536,1536] dynamic-update-slice(x, u, i, z)"},
       {"z = s32[] constant(0)", "b = s32[1536,1536] broadcast(i), dimensions={}",
        "k = s32[1536,1536] iota(), iota_dimension=0",
        "e = pred[1536,1536] compare(b, k), direction=EQ",
        "u = f32[1,1536] slice(x), slice={[7:8], [0:1536]}", "v = f32[1536] reshape(u)",
        "w = f32[1536,1536] broadcast(v), dimensions={1}", "r = f32[1536,1536] select(e, w, x)"},
       square},
      // A part of an update that is not the first.
      {{"z = s32[] constant(0)", "u = f32[2,1536] slice(x), slice={[7:9], [0:1536]}",
        "r = f32[1536,1536] dynamic-update-slice(x, u, i, z)"},
       {"z = s32[] constant(0)", "u = f32[2,1536] slice(x), slice={[8:10], [0:1536]}",
        "r = f32[1536,1536] dynamic-update-slice(x, u, i, z)"},
       square},
      // Constants whose elements are not the same.
      {{"c = f32[2] constant({0, 0})", "r = f32[2] divide(y, c)"},
       {"c = f32[2] constant({0, -0})", "r = f32[2] divide(y, c)"},
       {"f32[2]", "f32[2]", "s32[]"}},
      {{"c = f32[2] constant({1, 2})", "r = f32[2] add(y, c)"},
       {"c = f32[2] constant({2, 1})", "r = f32[2] add(y, c)"},
       {"f32[2]", "f32[2]", "s32[]"}},
      // Two random arrays.
      {{"a = f32[] constant(0)", "b = f32[] constant(1)",
        "r = f32[1536,1536] rng(a, b), distribution=rng_uniform"},
       {"a = f32[] constant(0)", "b = f32[] constant(1)",
        "g = f32[1536,1536] rng(a, b), distribution=rng_uniform", "r = f32[1536,1536] copy(g)"},
       square}};
  for (const LargePair& pair : pairs) {
    EXPECT_NE(verdict(pair), Verdict::kProven) << absl::StrJoin(pair.right, "\n");
  }
}

// The sum of the rows of f32[2048,4096], and what is made of the sums of these columns, in this order.
std::string sums_of_columns(const std::vector<std::pair<int64_t, int64_t>>& parts,
                            const std::string& opcode = "add") {
  const std::string reducer = opcode == "add" ? "add" : "max";
  std::string text = absl::StrCat("x = f32[2048,4096] parameter(0)\nz = f32[] constant(",
                                  opcode == "add" ? "0" : "-inf", ")\n");
  for (size_t k = 0; k < parts.size(); ++k) {
    const auto [low, high] = parts[k];
    absl::StrAppend(&text, "s", k, " = f32[2048,", high - low, "] slice(x), slice={[0:2048],[", low,
                    ":", high, "]}\nr", k, " = f32[2048] ");
    if (high - low == 1) absl::StrAppend(&text, "reshape(s", k, ")\n");
    if (high - low > 1) {
      absl::StrAppend(&text, "reduce(s", k, ", z), dimensions={1}, to_apply=", reducer, "\n");
    }
    absl::StrAppend(
        &text, "a", k, " = f32[2048] ",
        k == 0 ? std::string("copy(r0)") : absl::StrCat(opcode, "(a", k - 1, ", r", k, ")"), "\n");
  }
  return absl::StrCat(kReducers, "ENTRY e {\n", text, "ROOT a = f32[2048] copy(a", parts.size() - 1,
                      ")\n}\n");
}

TEST(LargeValues, ASumIsThatOfItsParts) {
  const std::string whole = sums_of_columns({{0, 4096}});
  const std::string halves = sums_of_columns({{0, 2048}, {2048, 4096}});
  const std::string equal[] = {
      halves,
      sums_of_columns({{3072, 4096}, {0, 1024}, {2048, 3072}, {1024, 2048}}),
      sums_of_columns({{0, 1000}, {1000, 4096}}),
      sums_of_columns({{1000, 4096}, {0, 1000}}),
      sums_of_columns({{0, 1000}, {1000, 1100}, {1100, 4096}}),
      sums_of_columns({{0, 1}, {1, 4096}}),
      sums_of_columns({{0, 4095}, {4095, 4096}}),
  };
  for (const std::string& parts : equal) {
    EXPECT_EQ(compare(whole, parts).at(0).verdict, Verdict::kProven) << parts;
    EXPECT_EQ(compare(parts, whole).at(0).verdict, Verdict::kProven) << parts;
  }
  EXPECT_EQ(compare(halves, equal[1]).at(0).verdict, Verdict::kProven);
  EXPECT_EQ(compare(sums_of_columns({{0, 4096}}, "maximum"),
                    sums_of_columns({{0, 1000}, {1000, 4096}}, "maximum"))
                .at(0)
                .verdict,
            Verdict::kProven);
  const std::string different[] = {
      sums_of_columns({{0, 2048}, {2047, 4095}}),
      sums_of_columns({{0, 1000}, {1000, 4095}}),
  };
  for (const std::string& parts : different) {
    EXPECT_EQ(compare(whole, parts).at(0).verdict, Verdict::kRefuted) << parts;
  }
}

// What a window adds of padding is nothing, and of zeros that are written is 0 times a weight, which may be
// infinite.
TEST(LargeValues, WrittenZerosAreNoPadding) {
  const std::string parameters =
      "x = f32[1,4096,512] parameter(0)\nw = f32[3,512,8] parameter(1)\nz = f32[] constant(0)\n";
  const std::string window = ", window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f";
  const std::string padded =
      entry(absl::StrCat(parameters, "ROOT r = f32[1,4096,8] convolution(x, w)", window));
  const std::string written =
      entry(absl::StrCat(parameters, "p = f32[1,4098,512] pad(x, z), padding=0_0x1_1x0_0\n",
                         "ROOT r = f32[1,4096,8] convolution(p, w), window={size=3}, "
                         "dim_labels=b0f_0io->b0f"));
  const ValueEquality open = compare(padded, written).at(0);
  EXPECT_EQ(open.verdict, Verdict::kUndecided);
  EXPECT_THAT(open.laws, ElementsAre(ValueLaw::kReductionOrder, ValueLaw::kZero));
}

// Nothing is enumerated for that.
TEST(LargeValues, NameTheLawsThatWouldDo) {
  const std::string parameters =
      "p = f32[4096,4096] parameter(0)\nq = f32[4096,4096] parameter(1)\n";
  const std::string by_quotient = entry(parameters + "ROOT r = f32[4096,4096] divide(p, q)");
  const std::string by_product =
      entry(parameters +
            "o = f32[] constant(1)\nb = f32[4096,4096] broadcast(o), dimensions={}\n"
            "i = f32[4096,4096] divide(b, q)\nROOT m = f32[4096,4096] multiply(p, i)");
  const ValueEquality open = compare(by_quotient, by_product).at(0);
  EXPECT_EQ(open.verdict, Verdict::kUndecided);
  EXPECT_THAT(open.laws, ElementsAre(ValueLaw::kReciprocal));
  ASSERT_FALSE(open.path.left.empty());
  EXPECT_EQ(open.path.left.back().instruction, "r");
  EXPECT_EQ(open.path.right.back().instruction, "m");
}

TEST(LargeValues, AScalarThatIsReshapedInAComputationIsTheSame) {
  const auto largest = [](const std::string& inside, const std::string& chosen) {
    return "a { a = f32[] parameter(0)\ni = s32[] parameter(1)\nb = f32[] parameter(2)\n"
           "j = s32[] parameter(3)\ng = pred[] compare(a, b), direction=GE\n" +
           inside + "v = f32[] select(g, a, b)\nk = s32[] select(g, " + chosen +
           ")\nROOT t = (f32[], s32[]) tuple(v, k) }\n" +
           entry(
               "p = f32[2097152] parameter(0)\ni = s32[2097152] iota(), iota_dimension=0\n"
               "m = f32[] constant(-inf)\nz = s32[] constant(0)\n"
               "r = (f32[], s32[]) reduce(p, i, m, z), dimensions={0}, to_apply=a\n"
               "ROOT k = s32[] get-tuple-element(r), index=1");
  };
  const std::string moved = "o = s32[1] reshape(i)\nw = s32[] reshape(o)\n";
  EXPECT_EQ(verdict(largest("", "i, j"), largest(moved, "w, j")), Verdict::kProven);
  EXPECT_NE(verdict(largest("", "i, j"), largest(moved, "j, w")), Verdict::kProven);
}

TEST(LargeValues, AnUpdateWithoutIndicesIsAFunctionOfWhatHasElements) {
  const auto scatter = [](const std::string& inside, const std::string& p) {
    return "a { a = s32[] parameter(0)\nb = s32[] parameter(1)\nROOT s = s32[] add(a, b) }\n" +
           entry(
               "p = s32[2097152] parameter(0)\nn = s32[0] constant({})\no = s32[] constant(1)\n"
               "u = s32[2097152] broadcast(o), dimensions={}\n" +
               inside + "ROOT r = s32[2097152] scatter(" + p +
               ", n, u), update_window_dims={0}, "
               "inserted_window_dims={}, scatter_dims_to_operand_dims={}, index_vector_dim=0, "
               "to_apply=a");
  };
  const std::string moved = "f = s32[2,1048576] reshape(p)\ng = s32[2097152] reshape(f)\n";
  EXPECT_EQ(verdict(scatter("", "p"), scatter(moved, "g")), Verdict::kProven);
  EXPECT_NE(verdict(scatter("", "p"), scatter("", "u")), Verdict::kProven);
}

TEST(LargeValues, AnArrayIsNotOneOfTwoThatItIsAPartOf) {
  // The largest of x where i < 5, else y: neither the largest of x nor of y. At each index it is one.
  std::vector<std::string> left = {"z = f32[] constant(0)",
                                   "k = s32[2097152] iota(), iota_dimension=0",
                                   "f = s32[] constant(5)",
                                   "c = s32[2097152] broadcast(f), dimensions={}",
                                   "e = pred[2097152] compare(k, c), direction=LT",
                                   "m = f32[2097152] select(e, x, y)",
                                   "a = f32[] reduce(m, z), dimensions={0}, to_apply=max",
                                   "b = f32[] reduce(x, z), dimensions={0}, to_apply=max",
                                   "d = f32[] reduce(y, z), dimensions={0}, to_apply=max",
                                   "p = s32[] bitcast-convert(a)",
                                   "q = s32[] bitcast-convert(b)",
                                   "t = s32[] bitcast-convert(d)",
                                   "u = pred[] compare(p, q), direction=EQ",
                                   "v = pred[] compare(p, t), direction=EQ"};
  std::vector<std::string> right = {"r = pred[] constant(true)"};
  left.emplace_back("r = pred[] or(u, v)");
  EXPECT_NE(verdict({left, right, {"f32[2097152]", "f32[2097152]", "s32[]"}}), Verdict::kProven);
}

// ---- Cut points ----

// An image through this many convolutions with padding, each of which adds what it gives to what it
// takes. `moves`: through one dimension and back, and other orders and names.
std::string residual_blocks(int count, bool moves) {
  std::string text = "x0 = f32[8,64,64,16] parameter(0)\nw = f32[3,3,16,16] parameter(1)\n";
  for (int k = 0; k < count; ++k) {
    const std::string conv = "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f\n";
    const std::string flat = absl::StrCat("m", k, " = f32[524288] reshape(c", k, ")\nh", k,
                                          " = f32[8,64,64,16] reshape(m", k, ")\n");
    absl::StrAppend(&text, "c", k, " = f32[8,64,64,16] convolution(x", k, ", w), ", conv,
                    moves ? flat : "", "t", k, " = f32[8,64,64,16] tanh(", moves ? "h" : "c", k,
                    ")\nx", k + 1, " = f32[8,64,64,16] add(", moves ? "t" : "x", k, ", ",
                    moves ? "x" : "t", k, ")\n");
  }
  return entry(absl::StrCat(text, "ROOT r = f32[8,64,64,16] negate(x", count, ")"));
}

TEST(CutPoints, TheWorkIsThatOfTheInstructionsHoweverDeep) {
  const HloModule left = module_of(residual_blocks(60, false));
  const ValueOptions options{.limits = {.work = int64_t{1} << 20}};
  const auto same = same_values(left, module_of(residual_blocks(60, true)), options);
  ASSERT_TRUE(same.ok()) << same.status();
  EXPECT_EQ(worst_of(*same), Verdict::kProven);
  const auto shorter = same_values(left, module_of(residual_blocks(59, true)), options);
  ASSERT_TRUE(shorter.ok()) << shorter.status();
  EXPECT_NE(worst_of(*shorter), Verdict::kProven);
}

TEST(ValuesOfModules, AConstantThatIsNotWrittenOutIsNamed) {
  const std::string left_out = entry(
      "p = f32[2097152] parameter(0)\nc = f32[2097152] constant({...})\nROOT r = f32[2097152] "
      "add(p, c)");
  const std::string moved = entry(
      "p = f32[2097152] parameter(0)\nk = f32[2097152] constant({...})\nROOT r = f32[2097152] "
      "add(k, p)");
  const auto results = compare(left_out, moved);
  ASSERT_EQ(results.size(), 1);
  EXPECT_EQ(results[0].verdict, Verdict::kUndecided);
  EXPECT_THAT(results[0].detail,
              ::testing::StartsWith("LEFT: c is not written out; RIGHT: k is not written out; "));
}

TEST(ValuesOfModules, OfOperandsOfSeveralTypesNothingIsKnown) {
  const auto of = [](const std::string& root) {
    return entry("p = f32[2] parameter(0)\nq = pred[2] parameter(1)\nROOT r = f32[2] " + root);
  };
  EXPECT_EQ(verdict(of("divide(q, p)"), of("copy(p)")), Verdict::kUndecided);
  EXPECT_EQ(verdict(of("add(q, p)"), of("add(p, q)")), Verdict::kUndecided);
  EXPECT_EQ(verdict(of("add(q, p)"), of("add(q, p)")), Verdict::kProven);
}

TEST(ValuesOfModules, TheDeadlineHolds) {
  const HloModule left = module_of(residual_blocks(60, false));
  const HloModule right = module_of(residual_blocks(59, true));
  const auto start = ThreadCpuClock::now(), deadline = start + std::chrono::milliseconds(300);
  const auto results = same_values(left, right, {.deadline = deadline});
  EXPECT_LT(ThreadCpuClock::now() - start, std::chrono::seconds(3 * one_in()));
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ(worst_of(*results), Verdict::kUndecided);
  const auto late = same_values(left, right, {.deadline = start});
  ASSERT_TRUE(late.ok()) << late.status();
  EXPECT_EQ(late->at(0).detail, "no time is left");
}

TEST(CutPoints, EqualUpToALawNamesTheLawForWhatStandsAbove) {
  const std::string head = "p = f32[2048,2048] parameter(0)\nq = f32[2048,2048] parameter(1)\n";
  const std::string tail =
      "t = f32[2048,2048] tanh(d)\nROOT r = (f32[2048,2048], f32[2048,2048]) tuple(t, q)";
  const std::string left = entry(head + "d = f32[2048,2048] divide(p, q)\n" + tail);
  const std::string right =
      entry(head +
            "c = f32[] constant(1)\no = f32[2048,2048] broadcast(c), dimensions={}\n"
            "i = f32[2048,2048] divide(o, q)\nd = f32[2048,2048] multiply(p, i)\n" +
            tail);
  const auto results = compare(left, right, kAll);
  ASSERT_EQ(results.size(), 2);
  EXPECT_EQ(worst_of(results), Verdict::kProven);
  EXPECT_THAT(results[0].laws, ElementsAre(ValueLaw::kReciprocal));
  EXPECT_THAT(results[1].laws, IsEmpty());
}

// A loop over (i, x, y, w) until the sum of x is large: x = dot(x, w), y = tanh(y).
std::string growing(const std::string& state, const std::string& body, const std::string& sum,
                    const std::string& start, const std::string& results) {
  return absl::StrCat(
      "a { a = f32[] parameter(0)\nb = f32[] parameter(1)\nROOT s = f32[] add(a, b) }\n",
      "body { t = ", state, " parameter(0)\n", body, "}\n", "condition { t = ", state,
      " parameter(0)\n", sum,
      "z = f32[] constant(0)\ns = f32[] reduce(x, z), dimensions={0,1}, to_apply=a\n"
      "m = f32[] constant(100)\nROOT l = pred[] compare(s, m), direction=LT }\n",
      entry("p = f32[1500,1500] parameter(0)\nq = f32[1500,1500] parameter(1)\n"
            "k = s32[] parameter(2)\n" +
            start + "l = " + state + " while(t), condition=condition, body=body\n" + results));
}

TEST(CutPoints, LoopsWithoutAKnownEndAreEqualIfTheirStatesAre) {
  const std::string f = "f32[1500,1500]", dot = " dot(x, w), lhs_contracting_dims={1}, ";
  const auto get = [&](const std::string& name, int index) {
    return absl::StrCat(name, " = ", f, " get-tuple-element(t), index=", index, "\n");
  };
  const std::string end = "ROOT r = (" + f + ", " + f + ") tuple(u, v)";
  const std::string left =
      growing("(" + f + ", " + f + ", " + f + ")",
              get("x", 0) + get("y", 1) + get("w", 2) + "n = " + f + dot +
                  "rhs_contracting_dims={0}\no = " + f + " tanh(y)\nROOT u = (" + f + ", " + f +
                  ", " + f + ") tuple(n, o, w)\n",
              get("x", 0), "t = (" + f + ", " + f + ", " + f + ") tuple(p, p, q)\n",
              "u = " + f + " get-tuple-element(l), index=0\nv = " + f +
                  " get-tuple-element(l), index=1\n" + end);
  // The state has another order and a dead value, and a kept value moves there and back.
  const auto right = [&](const std::string& x, const std::string& start) {
    const std::string state = "(s32[], " + f + ", " + f + ", " + f + ")";
    return growing(state,
                   "i = s32[] get-tuple-element(t), index=0\nj = s32[] add(i, i)\n" + get("w", 1) +
                       get("y", 2) + get("x", 3) + "n = " + f + dot +
                       "rhs_contracting_dims={0}\no = " + f + " tanh(" + x +
                       ")\ng = f32[2250000] reshape(w)\nh = " + f +
                       " reshape(g)\nROOT u = " + state + " tuple(j, h, o, n)\n",
                   get("x", 3), "t = " + state + " tuple(k, q, " + start + ")\n",
                   "u = " + f + " get-tuple-element(l), index=3\nv = " + f +
                       " get-tuple-element(l), index=2\n" + end);
  };
  EXPECT_EQ(verdict(left, right("y", "p, p")), Verdict::kProven);
  EXPECT_NE(verdict(left, right("x", "p, p")), Verdict::kProven);
  EXPECT_NE(verdict(left, right("y", "q, p")), Verdict::kProven);
  EXPECT_NE(verdict(left, right("y", "p, q")), Verdict::kProven);
}

}  // namespace
}  // namespace tileproof::verify
