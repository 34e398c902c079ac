// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/lemmas/lemma_smtlib.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "corpus/paths.h"
#include "verify/prove/lemmas/lemma_proof.h"

namespace tileproof::lemmas {
namespace {

// Returns an empty directory for this process alone.
std::filesystem::path fresh_directory() {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("tileproof_smtlib_" + std::to_string(getpid()));
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path;
}

TEST(Smtlib, AStatementHasItsMeaningAndItsExpectedStatus) {
  const std::string text = statement_smtlib(*find_lemma("split-undone"));
  EXPECT_NE(text.find("(set-info :status unsat)"), std::string::npos);
  EXPECT_NE(text.find("(assert (< 0 |t|))\n(assert (not (and true (= (+ (* (floordiv |e| |t|) |t|) "
                      "(floormod |e| |t|)) |e|))))\n(check-sat)\n"),
            std::string::npos)
      << text;
}

TEST(Smtlib, AnUnprovenLemmaHasOnlyItsStatement) {
  const std::filesystem::path directory = fresh_directory();
  LemmaReport report;
  report.name = "split-undone";
  EXPECT_TRUE(write_smtlib(directory.string(), {report}).ok());
  EXPECT_TRUE(std::filesystem::exists(directory / "split-undone.smt2"));
  EXPECT_FALSE(std::filesystem::exists(directory / "split-undone.linear.smt2"));
  std::filesystem::remove_all(directory);
}

TEST(Smtlib, ReportsADirectoryThatCannotBeWritten) {
  LemmaReport report;
  report.name = "split-undone";
  EXPECT_FALSE(write_smtlib("/dev/null/questions", {report}).ok());
}

TEST(Smtlib, Cvc5AgreesIfItDecides) {
  if (std::system("command -v cvc5 > /dev/null") != 0) GTEST_SKIP() << "cvc5 is not installed";
  const std::filesystem::path directory = fresh_directory();
  const auto reports = prove_lemmas({.smtlib_directory = directory.string()});
  ASSERT_TRUE(reports.ok()) << reports.status();
  const std::string command = "'" + project_path("verify/prove/lemmas/cvc5_agrees.sh") + "' '" +
                              directory.string() + "' 25";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace tileproof::lemmas
