// Mutation testing of impl/: faults are seeded in it, and each must be noticed.
//
//     mutants                           every fault
//     mutants --sample 200 --seed 7     some of them
//     mutants --list FILE               those named in the file, one a line
//     mutants --file impl/digits.cc     those of a file
//     mutants --reach                   tries none: which are reached at all?
//
// With `--record FILE` results are appended, one a line, and those on record are not tried again.
// `--equivalent FILE` names faults that change nothing, each followed by an indented line that says
// why; they are not tried. Prints a table by file and every survivor. Exits 1 if a fault survived,
// 2 if there was nothing to try, a list is out of date, or a check fails without any fault.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "fuzz/choose.h"
#include "verify/mutants/trial.h"

namespace tileproof::mutants {
namespace {

using fault::Fault;

struct Options {
  std::string record, equivalent, list;
  std::vector<std::string> names, files, checks;
  int64_t sample = 0, seed = 1, percent = 100;
  double seconds = 60;
  int jobs = 1;
  bool reach = false;
};

struct Row {
  std::map<std::string, int64_t> counts;  // by result
  int64_t total() const {
    int64_t sum = 0;
    for (const auto& [result, count] : counts) sum += count;
    return sum;
  }
};

using Results = std::map<std::string, std::string>;  // by name of the fault: "caught layout 12"

std::string to_text(const Trial& trial) {
  switch (trial.outcome) {
    case Outcome::kCaught:
      return absl::StrCat("caught ", trial.by);
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

// Lines that are neither empty, comments nor indented.
std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] != '#' && line[0] != ' ') lines.push_back(line);
  }
  return lines;
}

// Lines of "RESULT<tab>NAME".
Results read_record(const std::string& path) {
  Results results;
  for (const std::string& line : lines_of(path)) {
    const std::vector<std::string> parts = absl::StrSplit(line, absl::MaxSplits('\t', 1));
    if (parts.size() == 2) results[parts[1]] = parts[0];
  }
  return results;
}

// Those of the names that are faults still: an edit of a line gives its faults other names. An
// error where more than a quarter are gone.
absl::StatusOr<std::vector<std::string>> known_names(const std::string& path,
                                                     const std::vector<Fault>& all) {
  std::set<std::string> known;
  for (const Fault& fault : all) known.insert(fault.name);
  std::vector<std::string> names = lines_of(path);
  const size_t before = names.size();
  std::erase_if(names, [&](const std::string& name) {
    if (known.count(name) > 0) return false;
    std::fprintf(stderr, "%s: no fault any more: %s\n", path.c_str(), name.c_str());
    return true;
  });
  if (names.size() * 4 >= before * 3) return names;
  return absl::NotFoundError(absl::StrCat(path, ": expected names of faults, found ",
                                          before - names.size(), " that are none any more"));
}

// The faults that were asked for.
absl::StatusOr<std::vector<Fault>> select(const std::vector<Fault>& all, const Options& options) {
  std::set<std::string> wanted(options.names.begin(), options.names.end());
  if (!options.list.empty()) {
    const absl::StatusOr<std::vector<std::string>> names = known_names(options.list, all);
    if (!names.ok()) return names.status();
    wanted.insert(names->begin(), names->end());
  }
  std::vector<Fault> selected;
  for (const Fault& fault : all) {
    if (!options.files.empty() &&
        std::find(options.files.begin(), options.files.end(), fault.file) == options.files.end()) {
      continue;
    }
    if (!wanted.empty() && wanted.count(fault.name) == 0) continue;
    selected.push_back(fault);
  }
  if (options.sample > 0) {
    Choose choose(Choose::Random{static_cast<uint64_t>(options.seed)});
    while (std::ssize(selected) > options.sample)
      selected.erase(selected.begin() + choose(std::ssize(selected)));
  }
  if (selected.empty()) return absl::NotFoundError("expected faults to try, found none");
  return selected;
}

void print_table(const std::vector<Fault>& faults, const Results& results) {
  std::map<std::string, Row> rows;
  for (const Fault& fault : faults) {
    const auto found = results.find(fault.name);
    if (found == results.end()) continue;
    const std::vector<std::string> words = absl::StrSplit(found->second, ' ');
    for (const std::string& row : {fault.file, std::string("in all")}) ++rows[row].counts[words[0]];
  }
  std::printf("%-30s %7s %7s %7s %7s %7s %10s %9s %7s %8s\n", "", "faults", "caught", "crashed",
              "hung", "equal", "survived", "unreached", "unclear", "share");
  for (auto& [name, row] : rows) {
    const int64_t caught = row.counts["caught"] + row.counts["crashed"] + row.counts["hung"];
    const int64_t counted = row.total() - row.counts["equivalent"];
    std::printf("%-30s %7ld %7ld %7ld %7ld %7ld %10ld %9ld %7ld %7.1f%%\n", name.c_str(),
                row.total(), row.counts["caught"], row.counts["crashed"], row.counts["hung"],
                row.counts["equivalent"], row.counts["survived"], row.counts["unreached"],
                row.counts["wrong"] + row.counts["stopped"],
                counted == 0 ? 100.0 : 100.0 * static_cast<double>(caught) / counted);
  }
}

std::vector<Check> checks_of(const Options& options, char** argv) {
  std::vector<Check> checks;
  const std::vector<Check> recorded = {recorded_check("families.txt"), recorded_check("faults.txt"),
                                       recorded_check("hlo.txt"),      recorded_check("maps.txt"),
                                       recorded_check("refused.txt"),  recorded_check("steps.txt"),
                                       recorded_check("traces.txt"),   changed_check()};
  for (std::vector<Check> more : {std::vector{layout_check()}, map_checks(), hlo_checks(),
                                  use_checks(), recorded, std::vector{unit_tests(1, argv)}}) {
    for (Check& check : more) {
      const bool wanted = options.checks.empty() ||
                          std::find(options.checks.begin(), options.checks.end(), check.name) !=
                              options.checks.end();
      if (wanted) checks.push_back(std::move(check));
    }
  }
  return checks;
}

// A trial without a fault must end well, or no other trial says anything.
absl::Status check_control(const std::vector<Check>& checks, const Survey& found) {
  Trial control;
  try_faults(checks, found, {Fault{}}, 1, {.seconds = 0.1},
             [&](const Fault&, const Trial& trial) { control = trial; });
  if (control.outcome == Outcome::kSurvived) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("a trial without a fault: ", to_text(control)));
}

// By file, how many of the seeded places the cases come by; and every one that they do not.
Results print_reach(const std::vector<Fault>& faults, const Survey& found) {
  std::map<std::string, std::pair<int64_t, int64_t>> rows;  // reached, all
  Results unreached;
  for (const Fault& fault : faults) {
    const bool reached = found.reaching.contains(fault.number);
    for (const std::string& row : {fault.file, std::string("in all")}) {
      rows[row].first += reached;
      ++rows[row].second;
    }
    if (!reached) unreached[fault.name] = "unreached";
  }
  for (const auto& [name, row] : rows) {
    std::printf("%-30s %6ld of %6ld %6.1f%%\n", name.c_str(), row.first, row.second,
                100.0 * static_cast<double>(row.first) / static_cast<double>(row.second));
  }
  return unreached;
}

absl::StatusOr<Results> run(const Options& options, const std::vector<Check>& checks) {
  const absl::StatusOr<std::vector<Fault>> all = fault::read_faults(TILEPROOF_FAULTS);
  if (!all.ok()) return all.status();
  const absl::StatusOr<std::vector<Fault>> selected = select(*all, options);
  if (!selected.ok()) return selected.status();
  Results results = read_record(options.record);
  const absl::StatusOr<std::vector<std::string>> equivalent = known_names(options.equivalent, *all);
  if (!equivalent.ok()) return equivalent.status();
  for (const std::string& name : *equivalent) results[name] = "equivalent";
  std::vector<Fault> open;
  for (const Fault& fault : *selected) {
    if (results.count(fault.name) == 0) open.push_back(fault);
  }
  if (!open.empty()) {
    const Survey found = survey(checks, options.percent);
    if (!found.wrong.empty()) return absl::InternalError("without a fault: " + found.wrong);
    std::fprintf(stderr, "%ld cases are right without a fault, %zu faults to try\n", found.cases,
                 open.size());
    if (options.reach) return print_reach(*selected, found);
    const absl::Status control = check_control(checks, found);
    if (!control.ok()) return control;
    std::ofstream record(options.record, std::ios::app);
    int64_t tried = 0;
    try_faults(checks, found, open, options.jobs, {.seconds = options.seconds},
               [&](const Fault& fault, const Trial& trial) {
                 results[fault.name] = to_text(trial);
                 if (!options.record.empty() && trial.outcome != Outcome::kStopped)
                   record << to_text(trial) << "\t" << fault.name << "\n" << std::flush;
                 if (++tried % 100 == 0) std::fprintf(stderr, "%ld tried\n", tried);
               });
  }
  print_table(*selected, results);
  Results survivors;
  for (const Fault& fault : *selected) {
    const std::string& result = results[fault.name];
    const bool noticed = result == "hung" || result == "equivalent" ||
                         result.starts_with("caught ") || result.starts_with("crashed ");
    if (!noticed) survivors[fault.name] = result;
  }
  return survivors;
}

}  // namespace
}  // namespace tileproof::mutants

int main(int argc, char** argv) {
  using namespace tileproof::mutants;
  CLI::App app("Faults seeded in impl/, each of which must be noticed.");
  Options options;
  app.add_option("--sample", options.sample, "as many faults, at random");
  app.add_option("--seed", options.seed, "of the sample");
  app.add_option("--list", options.list, "names of faults");
  app.add_option("--file", options.files, "faults of these files");
  app.add_option("--name", options.names, "one fault");
  app.add_option("--record", options.record, "results; those in it are not tried again");
  app.add_option("--equivalent", options.equivalent, "faults that change nothing");
  app.add_option("--checks", options.checks, "only these: layout, simplify, .., tests");
  app.add_option("--seconds", options.seconds,
                 "of processor time for a fault that stays unnoticed");
  app.add_option("--percent", options.percent, "of the cases");
  app.add_option("--jobs", options.jobs, "processes");
  app.add_flag("--reach", options.reach, "only tell which faults the cases come by");
  CLI11_PARSE(app, argc, argv);
  const absl::StatusOr<Results> survivors = run(options, checks_of(options, argv));
  if (!survivors.ok()) {
    std::fprintf(stderr, "mutants: %s\n", std::string(survivors.status().message()).c_str());
    return 2;
  }
  for (const auto& [name, result] : *survivors)
    std::printf("%s: %s\n", result.c_str(), name.c_str());
  return survivors->empty() ? 0 : 1;
}
