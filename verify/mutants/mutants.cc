// SPDX-License-Identifier: Apache-2.0
// Runs the checks of a room, impl/, spec/ or verify/prove, with one mutant on. try_mutants.py
// chooses the mutants, starts this program for each of them and judges what happens.
//
//     mutants list                       NUMBER FILE LINE KIND NAME of each mutant of this build
//     mutants survey < NUMBERS           runs without a mutant; prints NUMBER and the cases that
//                                        execute this mutant, of 0 one case of each check
//     mutants try NUMBER < CASES         prints STEP SPENT CHECK NUMBER before each case, to a file
//                                        in place of the case before; then the result (trial.h)
//     mutants pass FIRST LAST < CASES    exits with 0 if these steps pass without a mutant
//
// Exit status: 1 if a case fails without a mutant, 2 if the command line is wrong.
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "spec/lang/base/try.h"
#include "verify/mutants/mutant.h"
#include "verify/mutants/mutant_table.h"
#include "verify/mutants/trial.h"

namespace tileproof::mutants {
namespace {

struct Options {
  std::vector<std::string> checks, tests;
  int64_t percent = 100, first = 0, last = 0;
  int number = 0;
  Progress from;
  Limits limits;
};

// The checks that the options ask for.
std::vector<Check> wanted_checks(const Options& options) {
  std::vector<Check> checks = checks_of_room(options.tests);
  std::erase_if(checks, [&](const Check& check) {
    return !options.checks.empty() && std::ranges::count(options.checks, check.name) == 0;
  });
  return checks;
}

// Discards what checks print. Returns where the results go.
std::FILE* results_alone() {
  std::FILE* results = fdopen(dup(STDOUT_FILENO), "w");
  const int null = open("/dev/null", O_WRONLY);
  if (results == nullptr || dup2(null, STDOUT_FILENO) < 0) std::abort();
  return results;
}

absl::Status list() {
  for (const mutant::Mutant& one : TRY(mutant::read_mutants(TILEPROOF_MUTANTS))) {
    std::printf("%d\t%s\t%d\t%s\t%s\n", one.number, one.file.c_str(), one.line, one.kind.c_str(),
                one.name.c_str());
  }
  return absl::OkStatus();
}

absl::Status survey_mutants(const Options& options) {
  std::FILE* results = results_alone();
  const std::vector<Check> checks = wanted_checks(options);
  const absl::flat_hash_set<int> wanted{std::istream_iterator<int>(std::cin), {}};
  const MutantCoverage found = survey(checks, options.percent, wanted);
  if (!found.wrong.empty())
    return absl::InternalError(absl::StrCat("without a mutant: ", found.wrong));
  std::fprintf(stderr, "%ld cases pass without a mutant\n", found.cases);
  for (const auto& [number, cases] : found.executing)
    std::fprintf(results, "%d %s\n", number, to_text(checks, cases).c_str());
  std::fclose(results);
  return absl::OkStatus();
}

absl::StatusOr<Course> course_to_run(const std::vector<Check>& checks) {
  const std::string text(std::istreambuf_iterator<char>(std::cin), {});
  return Course(checks, TRY(parse_cases(checks, text)));
}

absl::Status try_one(const Options& options) {
  std::FILE* results = results_alone();
  const std::vector<Check> checks = wanted_checks(options);
  const Course course = TRY(course_to_run(checks));
  bound_memory();
  mutant::active = options.number;
  const std::string result =
      try_mutant(course, options.from, options.limits, [&](const Progress& now, const Case& one) {
        const std::string text =
            absl::StrCat(now.step, " ", now.spent, " ", checks[static_cast<size_t>(one.check)].name,
                         " ", one.number);
        std::rewind(results);
        std::fprintf(results, "%-99s\n", text.c_str());  // all lines are of one length
        std::fflush(results);                            // this case may end the process
      });
  mutant::active = mutant::kNone;
  std::fprintf(results, "%s\n", result.c_str());
  std::fclose(results);
  return absl::OkStatus();
}

absl::Status pass_without_mutant(const Options& options) {
  results_alone();
  const std::vector<Check> checks = wanted_checks(options);
  const Course course = TRY(course_to_run(checks));
  bound_memory();
  if (pass(course, options.first, options.last, options.limits)) return absl::OkStatus();
  return absl::InternalError("a case fails without a mutant");
}

}  // namespace
}  // namespace tileproof::mutants

int main(int argc, char** argv) {
  using namespace tileproof::mutants;
  CLI::App app("Runs checks with one mutant on; try_mutants.py starts this program.");
  app.require_subcommand(1);
  Options options;
  app.add_option("--checks", options.checks, "these checks alone");
  app.add_option("--tests", options.tests, "unit tests whose names contain one of these");
  app.add_option("--case-seconds", options.limits.case_seconds, "for one random case");
  app.add_subcommand("list", "which mutants there are");
  CLI::App* surveys = app.add_subcommand("survey", "which cases execute each mutant");
  surveys->add_option("--percent", options.percent, "share of the random cases");
  CLI::App* tries = app.add_subcommand("try", "runs cases until one kills the mutant");
  tries->add_option("NUMBER", options.number, "of the mutant")->required();
  tries->add_option("--seconds", options.limits.seconds, "for random cases");
  tries->add_option("--step", options.from.step, "goes on from here");
  tries->add_option("--spent", options.from.spent, "seconds of random cases before");
  CLI::App* passes = app.add_subcommand("pass", "runs cases without a mutant");
  passes->add_option("FIRST", options.first)->required();
  passes->add_option("LAST", options.last)->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const absl::Status status = *surveys  ? survey_mutants(options)
                              : *tries  ? try_one(options)
                              : *passes ? pass_without_mutant(options)
                                        : list();
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return 1;
}
