// SPDX-License-Identifier: Apache-2.0
// Mutation testing of a room, impl/, spec/ or verify/prove: seeds mutants, and requires that the checks kill each.
//
//     mutants                                  every mutant
//     mutants --sample 200 --seed 7            a random sample
//     mutants --of-each-file 2                 two of each file
//     mutants --list FILE                      those that FILE names, one a line
//     mutants --file impl/layout/digits.cc     those of a source file
//     mutants --kind cap                       those of a kind (docs/mutation.md)
//     mutants --checks tests --tests MapText   with these unit tests alone, which is quick
//     mutants --recheck                        those listed as equivalent
//     mutants --reach                          tries none; prints which are reached
//     mutants --check-lists                    tries none; checks the lists. With --of-each-file N
//                                              the --list must have N mutants of each file
//
// `--record FILE` appends results to FILE, one a line, and skips the mutants that have one. If this
// program or the corpus changed, the record starts empty.
// `--equivalent FILE` names mutants that change no behavior; an indented line with the reason
// follows each. They are not tried. `--open FILE` names, in the same format, mutants that are known
// to survive.
//
// Prints a table by file and every survivor. If the time is over (`--time`), and on SIGINT and
// SIGTERM, prints the results so far.
//
// Exit status:
//   1  a mutant survived that is not open, or with `--recheck` an equivalent one was killed
//   2  nothing to try, a list is out of date, or a check fails without a mutant
//   3  some mutants were not tried
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "corpus/paths.h"
#include "spec/lang/base/try.h"
#include "verify/golden/golden.h"
#include "verify/mutants/mutant_lists.h"
#include "verify/mutants/mutant_results.h"
#include "verify/mutants/trial.h"

namespace tileproof::mutants {
namespace {

using mutant::Mutant;

struct Options {
  std::string record, equivalent, open, list;
  std::vector<std::string> names, files, kinds, checks, tests;
  int64_t sample = 0, of_each_file = 0, seed = 1, percent = 100;
  double seconds = 60, time = 0;
  int jobs = 1;
  bool recheck = false, reach = false, check_lists = false;
};

// Set when the time is over, and on SIGINT and SIGTERM.
volatile std::sig_atomic_t stopping = 0;

// Repeats every second, because the first signal can arrive just before a wait.
void stop(int) {
  stopping = 1;
  alarm(1);
}

void stop_on_signals(double time) {
  struct sigaction action = {};
  action.sa_handler = stop;  // without SA_RESTART: interrupts wait()
  for (int signal : {SIGALRM, SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
  if (time > 0) alarm(static_cast<unsigned>(std::clamp(time, 1.0, 1e9)));
}

// Lets the report finish.
void ignore_signals() {
  alarm(0);
  for (int signal : {SIGALRM, SIGINT, SIGTERM}) std::signal(signal, SIG_IGN);
}

struct Row {
  std::map<std::string, int64_t> counts;  // by the first word of the result
  int64_t total() const {
    int64_t sum = 0;
    for (const auto& [result, count] : counts) sum += count;
    return sum;
  }
};

std::string to_text(const Trial& trial) {
  switch (trial.outcome) {
    case Outcome::kKilled:
      return absl::StrCat("killed ", trial.by);
    case Outcome::kCrashed:
      return absl::StrCat("crashed ", trial.by);
    case Outcome::kHung:
      return "hung";
    case Outcome::kSurvived:
      return absl::StrCat("survived ", trial.by);
    case Outcome::kWrong:
      return trial.by;
    case Outcome::kStopped:
      return absl::StrCat("stopped ", trial.by);
    case Outcome::kUnreached:
      break;
  }
  return "unreached";
}

struct Lists {
  std::vector<std::string> listed, equivalent, open;
};

// Reports all problems of all lists, then fails.
absl::StatusOr<Lists> read_lists(const Options& options, const std::vector<Mutant>& all) {
  Lists lists;
  std::vector<std::string> problems;
  const auto read = [&](const std::string& path, Reasons reasons) {
    if (path.empty()) return std::vector<std::string>();
    MutantList list = read_list(path, all, reasons);
    problems.insert(problems.end(), list.problems.begin(), list.problems.end());
    return std::move(list.names);
  };
  lists.listed = read(options.list, Reasons::kNone);
  lists.equivalent = read(options.equivalent, Reasons::kEach);
  lists.open = read(options.open, Reasons::kEach);
  const std::set<std::string> equivalent(lists.equivalent.begin(), lists.equivalent.end());
  for (const std::string& name : lists.open) {
    if (equivalent.count(name) > 0)
      problems.push_back(absl::StrCat(options.open, ": also listed as equivalent: ", name));
  }
  if (options.check_lists && !options.list.empty()) {
    const std::set<std::string> open(lists.open.begin(), lists.open.end());
    std::vector<Mutant> killable;
    for (const Mutant& mutant : all) {
      if (equivalent.count(mutant.name) + open.count(mutant.name) == 0) killable.push_back(mutant);
    }
    for (const std::string& thin : thin_files(killable, lists.listed, options.of_each_file))
      problems.push_back(absl::StrCat(options.list, ": ", thin));
  }
  for (const std::string& problem : problems) std::fprintf(stderr, "%s\n", problem.c_str());
  if (problems.empty()) return lists;
  return absl::FailedPreconditionError(absl::StrCat(
      "expected lists of mutants of this build, found ", problems.size(), " problems"));
}

void print_table(const std::vector<Mutant>& mutants, const Results& results) {
  std::map<std::string, Row> rows;
  rows["total"];
  for (const Mutant& mutant : mutants) {
    const auto found = results.find(mutant.name);
    if (found == results.end()) continue;
    const std::vector<std::string> words = absl::StrSplit(found->second, ' ');
    for (const std::string& row : {mutant.file, std::string("total")}) ++rows[row].counts[words[0]];
  }
  std::printf("%-30s %7s %7s %7s %7s %7s %10s %9s %7s %8s\n", "", "mutants", "killed", "crashed",
              "hung", "equal", "survived", "unreached", "unclear", "share");
  for (auto& [name, row] : rows) {
    const int64_t caught = row.counts["killed"] + row.counts["crashed"] + row.counts["hung"];
    const int64_t counted = row.total() - row.counts["equivalent"];
    const std::string share =
        counted == 0 ? "-"
                     : absl::StrFormat("%.1f%%", 100.0 * static_cast<double>(caught) / counted);
    std::printf("%-30s %7ld %7ld %7ld %7ld %7ld %10ld %9ld %7ld %8s\n", name.c_str(), row.total(),
                row.counts["killed"], row.counts["crashed"], row.counts["hung"],
                row.counts["equivalent"], row.counts["survived"], row.counts["unreached"],
                row.counts["wrong"] + row.counts["stopped"], share.c_str());
  }
}

constexpr absl::string_view kRoom = TILEPROOF_MUTANTS_ROOM;

// The checks of provers are their unit tests.
std::vector<Check> checks_of(const Options& options, char** argv) {
  std::vector<std::vector<Check>> all;
  if constexpr (kRoom != "verify") {
    all = {{layout_check()}, map_checks(), hlo_checks(), access_checks()};
    std::vector<Check>& golden = all.emplace_back();
    for (absl::string_view file : verify::kGoldenFiles) golden.push_back(golden_check(file));
    golden.push_back(changed_check());
  }
  if constexpr (kRoom == "spec") all.push_back(xla_checks());
  all.push_back({unit_tests(options.tests, 1, argv)});
  std::vector<Check> checks;
  for (std::vector<Check>& more : all) {
    for (Check& check : more) {
      const bool wanted = options.checks.empty() ||
                          std::find(options.checks.begin(), options.checks.end(), check.name) !=
                              options.checks.end();
      if (wanted) checks.push_back(std::move(check));
    }
  }
  return checks;
}

// Without a mutant a trial must pass; otherwise no trial is valid.
absl::Status check_control(const std::vector<Check>& checks, const MutantCoverage& found) {
  Trial control;
  try_mutants(
      checks, found, {Mutant{}}, 1, {.seconds = 0.1}, [] { return stopping != 0; },
      [&](const Mutant&, const Trial& trial) { control = trial; });
  if (control.outcome == Outcome::kSurvived || stopping) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat("expected the trial without a mutant to pass, found: ", to_text(control)));
}

// Prints for each file how many of its mutants the cases reach, then each unreached mutant. Returns
// whether all are reached.
bool print_reach(const std::vector<Mutant>& mutants, const MutantCoverage& found) {
  std::map<std::string, std::pair<int64_t, int64_t>> rows;  // reached, all
  std::set<std::string> unreached;
  for (const Mutant& mutant : mutants) {
    const bool reached = found.executing.contains(mutant.number);
    for (const std::string& row : {mutant.file, std::string("total")}) {
      rows[row].first += reached;
      ++rows[row].second;
    }
    if (!reached) unreached.insert(mutant.name);
  }
  for (const auto& [name, row] : rows) {
    std::printf("%-30s %6ld of %6ld %6.1f%%\n", name.c_str(), row.first, row.second,
                100.0 * static_cast<double>(row.first) / static_cast<double>(row.second));
  }
  for (const std::string& name : unreached) std::printf("unreached: %s\n", name.c_str());
  return unreached.empty();
}

// Tries the mutants and records each result.
absl::Status try_and_record(const Options& options, const std::vector<Check>& checks,
                            const MutantCoverage& found, const std::vector<Mutant>& mutants,
                            Record& record) {
  TRY(check_control(checks, found));
  int64_t tried = 0;
  try_mutants(
      checks, found, mutants, options.jobs, {.seconds = options.seconds},
      [] { return stopping != 0; },
      [&](const Mutant& mutant, const Trial& trial) {
        record.add(mutant.name, to_text(trial), trial.outcome != Outcome::kStopped);
        if (++tried % 100 == 0) std::fprintf(stderr, "%ld tried\n", tried);
      });
  return absl::OkStatus();
}

bool is_killed(const std::string& result) {
  return result == "hung" || result.starts_with("killed ") || result.starts_with("crashed ");
}

// Prints the survivors, and the killed mutants that are listed as open or equivalent. Returns the
// exit status.
int print_survivors(const Options& options, const std::vector<Mutant>& selected,
                    const Results& results, const std::vector<std::string>& open) {
  const std::set<std::string> known(open.begin(), open.end());
  bool failed = false;
  int64_t untried = 0;
  for (const Mutant& mutant : selected) {
    const auto found = results.find(mutant.name);
    const bool is_open = known.count(mutant.name) > 0;
    if (found == results.end()) {
      ++untried;
    } else if (is_killed(found->second)) {
      failed |= options.recheck;
      const char* taken_for = options.recheck ? "equivalent" : is_open ? "open" : nullptr;
      if (taken_for == nullptr) continue;
      std::printf("%s, but %s: %s\n", taken_for, found->second.c_str(), mutant.name.c_str());
    } else if (found->second != "equivalent" && !options.recheck) {
      std::printf("%s%s: %s\n", is_open ? "open: " : "", found->second.c_str(),
                  mutant.name.c_str());
      failed |= !is_open;
    }
  }
  if (untried > 0) std::printf("%ld mutants not tried in time\n", untried);
  return failed ? 1 : untried > 0 ? 3 : 0;
}

absl::StatusOr<std::vector<Mutant>> selected_mutants(const Options& options,
                                                     const std::vector<Mutant>& all,
                                                     const Lists& lists) {
  Selection selection{.names = options.names,
                      .files = options.files,
                      .kinds = options.kinds,
                      .of_each_file = options.of_each_file,
                      .sample = options.sample,
                      .seed = options.seed};
  if (!options.list.empty()) selection.listed = lists.listed;
  if (options.recheck) selection.listed = lists.equivalent;
  return select(all, selection);
}

// Runs all cases without a mutant.
absl::StatusOr<MutantCoverage> clean_survey(const Options& options,
                                            const std::vector<Check>& checks) {
  MutantCoverage found = survey(checks, options.percent, [] { return stopping != 0; });
  if (!found.wrong.empty()) return absl::InternalError("without a mutant: " + found.wrong);
  std::fprintf(stderr, "%ld cases pass without a mutant\n", found.cases);
  return found;
}

// Tries the selected mutants that have no result yet.
absl::Status try_unknown(const Options& options, const std::vector<Mutant>& selected,
                         Record& record, char** argv) {
  std::vector<Mutant> unknown;
  for (const Mutant& mutant : selected) {
    if (record.results.count(mutant.name) == 0) unknown.push_back(mutant);
  }
  if (unknown.empty()) return absl::OkStatus();
  std::fprintf(stderr, "%zu mutants to try\n", unknown.size());
  stop_on_signals(options.time);
  const std::vector<Check> checks = checks_of(options, argv);
  const MutantCoverage found = TRY(clean_survey(options, checks));
  shuffle(unknown, options.seed);  // so that a time limit does not always skip the same files
  const absl::Status tried = try_and_record(options, checks, found, unknown, record);
  ignore_signals();
  return tried;
}

// Returns the exit status.
absl::StatusOr<int> run(const Options& options, char** argv) {
  const std::vector<Mutant> all = TRY(mutant::read_mutants(TILEPROOF_MUTANTS));
  const Lists lists = TRY(read_lists(options, all));
  if (options.check_lists) {
    std::printf("%zu names, %zu mutants\n",
                lists.listed.size() + lists.equivalent.size() + lists.open.size(), all.size());
    return 0;
  }
  const std::vector<Mutant> selected = TRY(selected_mutants(options, all, lists));
  if (options.reach) {
    const MutantCoverage found = TRY(clean_survey(options, checks_of(options, argv)));
    return print_reach(selected, found) ? 0 : 1;
  }
  Record record = TRY(Record::open(options.record, hash_of_checks(project_path("corpus"))));
  if (!options.recheck) {
    for (const std::string& name : lists.equivalent) record.results[name] = "equivalent";
  }
  TRY(try_unknown(options, selected, record, argv));
  print_table(selected, record.results);
  return print_survivors(options, selected, record.results, lists.open);
}

}  // namespace
}  // namespace tileproof::mutants

int main(int argc, char** argv) {
  using namespace tileproof::mutants;
  CLI::App app("Mutation testing: the checks must kill every mutant.");
  Options options;
  const CLI::Validator number = CLI::NonNegativeNumber;
  app.add_option("--sample", options.sample, "try a random sample of this size")->check(number);
  app.add_option("--of-each-file", options.of_each_file,
                 "try a random sample of this size from each file")
      ->check(number);
  app.add_option("--seed", options.seed, "seed of the random choices and of the order");
  app.add_option("--list", options.list, "file of mutants to try, one name a line");
  app.add_option("--file", options.files, "try the mutants of these source files");
  app.add_option("--kind", options.kinds, "try the mutants of these kinds: operator, bound, ..");
  app.add_option("--name", options.names, "try this mutant");
  app.add_option("--record", options.record, "file of results; skips the mutants that have one");
  app.add_option("--equivalent", options.equivalent, "file of mutants that change no behavior");
  app.add_option("--open", options.open, "file of mutants known to survive");
  app.add_option("--checks", options.checks, "run only these checks: layout, simplify, .., tests");
  app.add_option("--tests", options.tests,
                 "of the unit tests, run only those whose names contain one of these");
  app.add_option("--seconds", options.seconds, "processor time for each surviving mutant")
      ->check(number);
  app.add_option("--time", options.time,
                 "limit for the whole run (30, 20m, 5h); 0: until all are tried")
      ->transform(
          CLI::AsNumberWithUnit(std::map<std::string, double>{{"s", 1}, {"m", 60}, {"h", 3600}}))
      ->check(number);
  app.add_option("--percent", options.percent, "share of the random cases to run")
      ->check(CLI::Range(1, 100));
  app.add_option("--jobs", options.jobs, "processes")->check(CLI::PositiveNumber);
  app.add_flag("--recheck", options.recheck, "try the equivalent mutants; fail if one is killed");
  app.add_flag("--reach", options.reach, "only print which mutants the cases reach");
  app.add_flag("--check-lists", options.check_lists, "only check that the lists are up to date");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const absl::StatusOr<int> status = run(options, argv);
  if (status.ok()) return *status;
  std::fprintf(stderr, "mutants: %s\n", std::string(status.status().message()).c_str());
  return 2;
}
