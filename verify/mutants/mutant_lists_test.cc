// SPDX-License-Identifier: Apache-2.0
#include "verify/mutants/mutant_lists.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace tileproof::mutants {
namespace {

using mutant::Mutant;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<Mutant> ten_mutants() {
  std::vector<Mutant> mutants;
  for (int i = 0; i < 10; ++i) {
    const std::string file = i < 7 ? "impl/a.cc" : "impl/b.cc";
    const std::string kind = i % 5 == 0 ? "bound" : "constant";
    mutants.push_back({i + 1, i + 1, file, kind, absl::StrCat(file, ": `line ", i, "` 0 is 1")});
  }
  return mutants;
}

MutantList read(const std::string& text, Reasons reasons) {
  const std::string path = testing::TempDir() + "/fault_lists_test.txt";
  std::ofstream(path) << text;
  return read_list(path, ten_mutants(), reasons);
}

std::vector<int> numbers(const absl::StatusOr<std::vector<Mutant>>& mutants) {
  std::vector<int> numbers;
  if (!mutants.ok()) return numbers;
  for (const Mutant& mutant : *mutants) numbers.push_back(mutant.number);
  return numbers;
}

TEST(MutantList, ReadsNamesAndTheirReasons) {
  const MutantList list = read(
      "# why\n\nimpl/b.cc: `line 8` 0 is 1\n  because\nimpl/a.cc: `line 1` 0 is 1\n  two\n  "
      "lines\n",
      Reasons::kEach);
  EXPECT_THAT(list.names, ElementsAre("impl/b.cc: `line 8` 0 is 1", "impl/a.cc: `line 1` 0 is 1"));
  EXPECT_THAT(list.problems, ElementsAre());
  EXPECT_THAT(read("# none yet\n", Reasons::kEach).problems, ElementsAre());
}

TEST(MutantList, ReportsNamesThatAreNotMutantsOfThisBuild) {
  std::string text;
  for (const Mutant& mutant : ten_mutants()) absl::StrAppend(&text, mutant.name, "\n");
  EXPECT_THAT(read(text, Reasons::kNone).problems, ElementsAre());
  EXPECT_THAT(
      read(text + "impl/a.cc: `line 10` 0 is 1\n", Reasons::kNone).problems,
      ElementsAre(HasSubstr(".txt:11: not a mutant of this build: impl/a.cc: `line 10` 0 is 1")));
}

TEST(MutantList, ReportsDuplicateNames) {
  const std::string name = ten_mutants()[0].name;
  EXPECT_THAT(read(name + "\n" + name + "\n", Reasons::kNone).problems,
              ElementsAre(HasSubstr(":2: duplicate: ")));
}

TEST(MutantList, ReportsMissingReasonsAndReasonsWithoutAName) {
  const std::string name = ten_mutants()[0].name, other = ten_mutants()[1].name;
  EXPECT_THAT(read("  why\n" + name + "\n  why\n", Reasons::kEach).problems,
              ElementsAre(HasSubstr(":1: expected a name, found:   why")));
  EXPECT_THAT(read(name + "\n\n" + other + "\n  why\n", Reasons::kEach).problems,
              ElementsAre(HasSubstr(":1: expected a line with the reason after: " + name)));
  EXPECT_THAT(read(name + "\n  why\n" + other + "\n", Reasons::kEach).problems,
              ElementsAre(HasSubstr(":3: expected a line with the reason after: " + other)));
  EXPECT_THAT(read(name + "\n" + other + "\n  why\n", Reasons::kSome).problems, ElementsAre());
  EXPECT_THAT(read(name + "\n  why\n", Reasons::kNone).problems,
              ElementsAre(HasSubstr(":2: expected a name, found:   why")));
}

TEST(MutantList, ConsecutiveNamesShareTheReasonAfterThem) {
  const std::string row = ten_mutants()[0].name + "\n" + ten_mutants()[1].name + "\n";
  const MutantList list = read(row + "  why\n", Reasons::kEach);
  EXPECT_THAT(list.problems, ElementsAre());
  EXPECT_EQ(list.names.size(), 2u);
  EXPECT_THAT(read(row, Reasons::kEach).problems,
              ElementsAre(HasSubstr(":2: expected a line with the reason after: ")));
  EXPECT_THAT(read(row + "# another\n  why\n", Reasons::kEach).problems,
              ElementsAre(HasSubstr(":2: expected a line with the reason after: ")));
}

TEST(MutantList, ReportsAMissingFile) {
  EXPECT_THAT(read_list("/nowhere/list.txt", ten_mutants(), Reasons::kNone).problems,
              ElementsAre("/nowhere/list.txt: expected a list of mutants, cannot read the file"));
}

TEST(ThinFiles, NamesFilesWithTooFewMutantsOnTheList) {
  const std::vector<Mutant> all = ten_mutants();  // seven of a.cc, three of b.cc
  EXPECT_THAT(thin_files(all, {all[0].name, all[6].name, all[7].name, all[8].name}, 2),
              ElementsAre());
  EXPECT_THAT(thin_files(all, {all[0].name, all[6].name, all[7].name}, 2),
              ElementsAre("expected 2 mutants of impl/b.cc, found 1"));
  EXPECT_THAT(thin_files(all, {all[7].name, all[8].name, all[9].name}, 5),
              ElementsAre("expected 5 mutants of impl/a.cc, found 0"));
}

TEST(Select, SelectsAllByDefault) {
  EXPECT_THAT(numbers(select(ten_mutants(), {})), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
}

TEST(Select, UnitesListAndNamesWithinTheFiles) {
  const std::vector<Mutant> all = ten_mutants();
  Selection selection{.listed = {{all[1].name, all[8].name}}, .names = {all[3].name}};
  EXPECT_THAT(numbers(select(all, selection)), ElementsAre(2, 4, 9));
  selection.files = {"impl/a.cc"};
  EXPECT_THAT(numbers(select(all, selection)), ElementsAre(2, 4));
  EXPECT_THAT(numbers(select(all, {.files = {"impl/b.cc"}})), ElementsAre(8, 9, 10));
}

TEST(Select, RejectsAnEmptyList) {
  EXPECT_EQ(select(ten_mutants(), {.listed = std::vector<std::string>()}).status().message(),
            "expected mutants to try, found none");
}

TEST(Select, RejectsUnknownMutantsAndFiles) {
  EXPECT_EQ(select(ten_mutants(), {.names = {ten_mutants()[0].name, "x"}}).status().message(),
            "expected a mutant, found: x");
  EXPECT_EQ(select(ten_mutants(), {.files = {"impl/a.cc", "impl/c.cc"}}).status().message(),
            "expected a file with mutants, found impl/c.cc");
}

TEST(Select, KeepsTheMutantsOfAKind) {
  const std::vector<Mutant> all = ten_mutants();
  EXPECT_THAT(numbers(select(all, {.kinds = {"bound"}})), ElementsAre(1, 6));
  EXPECT_THAT(numbers(select(all, {.files = {"impl/b.cc"}, .kinds = {"constant", "bound"}})),
              ElementsAre(8, 9, 10));
  EXPECT_EQ(select(all, {.files = {"impl/b.cc"}, .kinds = {"bound"}}).status().message(),
            "expected mutants to try, found none");
  EXPECT_EQ(select(all, {.kinds = {"cap"}}).status().message(),
            "expected a kind of mutants (bound, constant), found cap");
}

TEST(Select, TakesTheSameNumberOfEachFile) {
  std::vector<bool> met(11, false);
  for (int64_t seed = 0; seed < 100; ++seed) {
    const std::vector<int> some = numbers(select(ten_mutants(), {.of_each_file = 2, .seed = seed}));
    ASSERT_EQ(some.size(), 4u) << "seed " << seed;
    EXPECT_TRUE(some[0] < some[1] && some[1] <= 7 && 7 < some[2] && some[2] < some[3])
        << "seed " << seed << ": " << testing::PrintToString(some);
    for (int number : some) met[static_cast<size_t>(number)] = true;
  }
  EXPECT_EQ(std::count(met.begin(), met.end(), true), 10);
  EXPECT_THAT(numbers(select(ten_mutants(), {.files = {"impl/b.cc"}, .of_each_file = 9})),
              ElementsAre(8, 9, 10));
}

TEST(Select, TakesASample) {
  EXPECT_EQ(numbers(select(ten_mutants(), {.sample = 4, .seed = 3})).size(), 4u);
  EXPECT_NE(numbers(select(ten_mutants(), {.sample = 4, .seed = 3})),
            numbers(select(ten_mutants(), {.sample = 4, .seed = 4})));
}

TEST(Shuffle, KeepsTheMutantsAndChangesTheirOrder) {
  std::vector<Mutant> mutants = ten_mutants();
  shuffle(mutants, 5);
  EXPECT_NE(numbers(mutants), numbers(ten_mutants()));
  EXPECT_THAT(numbers(mutants), testing::UnorderedElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
}

}  // namespace
}  // namespace tileproof::mutants
