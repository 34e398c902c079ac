// SPDX-License-Identifier: Apache-2.0
#include "verify/mutants/mutant_results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace tileproof::mutants {
namespace {

using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

std::string fresh(const std::string& name) {
  const std::string path = testing::TempDir() + "/record_test_" + name;
  std::filesystem::remove_all(path);
  return path;
}

Results reopened(const std::string& path, absl::string_view checks) {
  const absl::StatusOr<Record> record = Record::open(path, checks);
  EXPECT_TRUE(record.ok()) << record.status();
  return record.ok() ? record->results : Results();
}

TEST(Record, KeepsResultsOfTheSameChecks) {
  const std::string path = fresh("same");
  for (const char* name : {"a", "b"}) {
    absl::StatusOr<Record> record = Record::open(path, "1");
    ASSERT_TRUE(record.ok()) << record.status();
    record->add(name, "killed layout 12", true);
    record->add("stopped", "stopped Killed", false);
    EXPECT_THAT(record->results, testing::Contains(Pair("stopped", "stopped Killed")));
  }
  EXPECT_THAT(reopened(path, "1"),
              UnorderedElementsAre(Pair("a", "killed layout 12"), Pair("b", "killed layout 12")));
}

TEST(Record, StartsEmptyIfTheChecksChanged) {
  const std::string path = fresh("other");
  Record::open(path, "1")->add("a", "killed", true);
  EXPECT_THAT(reopened(path, "2"), IsEmpty());
  EXPECT_THAT(reopened(path, "1"), IsEmpty());
}

TEST(Record, StartsEmptyIfTheFileIsMalformed) {
  const std::string path = fresh("form");
  std::ofstream(path) << "killed\ta\n";
  EXPECT_THAT(reopened(path, "1"), IsEmpty());
}

TEST(Record, ReportsAFileThatCannotBeWritten) {
  EXPECT_EQ(Record::open("/nowhere/record.txt", "1").status().message(),
            "/nowhere/record.txt: expected a writable file");
}

TEST(HashOfChecks, DependsOnTheCorpusExceptTheLists) {
  const std::string corpus = fresh("corpus");
  std::filesystem::create_directories(corpus + "/mutants");
  std::ofstream(corpus + "/maps.txt") << "one";
  const std::string before = hash_of_checks(corpus);
  EXPECT_EQ(before.size(), 16u);
  EXPECT_EQ(hash_of_checks(corpus), before);
  std::ofstream(corpus + "/mutants/open.txt") << "name";
  EXPECT_EQ(hash_of_checks(corpus), before);
  std::ofstream(corpus + "/maps.txt") << "two";
  EXPECT_NE(hash_of_checks(corpus), before);
  std::ofstream(corpus + "/maps.txt") << "one";
  EXPECT_EQ(hash_of_checks(corpus), before);
  std::filesystem::rename(corpus + "/maps.txt", corpus + "/map.txt");
  EXPECT_NE(hash_of_checks(corpus), before);
}

}  // namespace
}  // namespace tileproof::mutants
