// SPDX-License-Identifier: Apache-2.0
// Runs the checks of a room, impl/, spec/ or verify/prove, with one mutant on. try_mutants.py
// chooses the mutants, starts this program for each of them and judges what happens.
//
//     mutants list                       NUMBER FILE LINE KIND NAME of each mutant of this build
//     mutants survey < NUMBERS           runs without a mutant; prints NUMBER and the cases that
//                                        execute this mutant, of 0 one case of each check
//     mutants checks                     NAME CASES ENDLESS HOLDS of each check (verify/properties)
//     mutants run NUMBER                 reads CHECK NUMBER SECONDS of a case, runs it with this
//                                        mutant on, for so long at most, prints "passed" or "wrong"
//                                        and the seconds that it took; and so on
//     mutants show CHECK NUMBER          the text that is the input of this case
//
// Exit status: 1 if a case fails without a mutant, 2 if the command line is wrong.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "generate/choose/choose.h"
#include "spec/lang/base/try.h"
#include "verify/mutants/mutant.h"
#include "verify/mutants/mutant_table.h"
#include "verify/mutants/survey.h"

namespace tileproof::mutants {
namespace {

struct Options {
  std::vector<std::string> checks, tests;
  int64_t percent = 100, number = 0;
  std::string check;
};

// The checks that the options ask for.
std::vector<Check> wanted_checks(const Options& options) {
  std::vector<Check> checks = checks_of_room(options.tests);
  std::erase_if(checks, [&](const Check& check) {
    return options.checks.empty() ? check.name == kDiffers
                                  : std::ranges::count(options.checks, check.name) == 0;
  });
  return checks;
}

absl::StatusOr<Check> check_named(const std::vector<Check>& checks, absl::string_view name) {
  const auto found = std::ranges::find(checks, name, &Check::name);
  if (found != checks.end()) return *found;
  return absl::InvalidArgumentError(absl::StrCat("expected a check, found ", name));
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

absl::Status list_checks(const Options& options) {
  for (const Check& check : wanted_checks(options)) {
    std::printf("%s %ld %d %d\n", check.name.c_str(), check.cases(), check.endless, check.holds);
  }
  return absl::OkStatus();
}

// Bounds the memory of this process, and leaves no core.
void bound_memory() {
  constexpr rlim_t kMemory = rlim_t{3} << 30;  // bytes
  const rlimit memory{kMemory, kMemory}, none{0, 0};
  setrlimit(RLIMIT_AS, &memory);
  setrlimit(RLIMIT_CORE, &none);
}

void bound_processor_time(double seconds) {
  const rlimit time{static_cast<rlim_t>(processor_time() + seconds) + 1, RLIM_INFINITY};
  setrlimit(RLIMIT_CPU, &time);
}

// An exception ends the process (noexcept).
bool passes(const Check& check, int64_t number) noexcept {
  verify::CaseCounts tally;
  return verify::check_case(check, number, tally).empty();
}

absl::Status run_cases(const Options& options) {
  std::FILE* results = results_alone();
  const std::vector<Check> checks = wanted_checks(options);
  bound_memory();
  mutant::active = static_cast<int>(options.number);
  std::string name;
  int64_t number = 0;
  for (double seconds = 0; std::cin >> name >> number >> seconds;) {
    const Check check = TRY(check_named(checks, name));
    bound_processor_time(seconds);
    const double before = processor_time();
    const bool right = passes(check, number);
    std::fprintf(results, "%s %f\n", right ? "passed" : "wrong", processor_time() - before);
    std::fflush(results);
  }
  return absl::OkStatus();
}

absl::Status show(const Options& options) {
  const Check check = TRY(check_named(checks_of_room(options.tests), options.check));
  if (check.text == nullptr) return absl::InvalidArgumentError("its input is no text");
  Choose choose(Choose::Random{static_cast<uint64_t>(options.number)});
  std::cout << check.text(choose);
  return absl::OkStatus();
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
  app.add_subcommand("list", "which mutants there are");
  CLI::App* listed = app.add_subcommand("checks", "which checks there are");
  CLI::App* surveys = app.add_subcommand("survey", "which cases execute each mutant");
  surveys->add_option("--percent", options.percent, "share of the random cases");
  CLI::App* runs = app.add_subcommand("run", "runs cases with a mutant on");
  runs->add_option("NUMBER", options.number, "of the mutant; 0: none")->required();
  CLI::App* shows = app.add_subcommand("show", "prints the input of a case");
  shows->add_option("CHECK", options.check)->required();
  shows->add_option("NUMBER", options.number)->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const absl::Status status = *surveys  ? survey_mutants(options)
                              : *runs   ? run_cases(options)
                              : *shows  ? show(options)
                              : *listed ? list_checks(options)
                                        : list();
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return 1;
}
