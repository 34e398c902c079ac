// SPDX-License-Identifier: Apache-2.0
// Checks a property (verify/properties) on as many random inputs as wanted:
//
//     random_cases PROPERTY COUNT [--seed SEED] [--from FIRST]
//     random_cases texts-map --show NUMBER [--seed SEED]       the text of a case
//
// A seed and a number always give the same case. Each chunk of cases runs in its own process: if that
// dies or takes too long, the case is a finding that ends the run. Prints a line for each chunk that
// is done, with how often each kind of result occurred, so --from can go on behind the last one:
//
//     simplify seed 1, cases 0 to 99999: 12345678 points, 3 empty maps, 0 findings
//
// Prints the first findings to standard error. Exits with 1 if there is one, and with 2 if nothing was
// checked or the command line is wrong.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "fuzz/raw/raw_properties.h"
#include "spec/lang/base/try.h"
#include "verify/properties/property.h"

namespace tileproof::verify {
namespace {

constexpr int64_t kShown = 10;

struct Options {
  std::string property;
  uint64_t seed = 0;
  int64_t count = 0, from = 0, chunk = 100'000, show = -1;
};

int64_t number_of(const Options& options, int64_t i) {
  return static_cast<int64_t>((options.seed * 1'000'000'007) >> 1) + i;
}

// What a process found in its part of the cases, and which case it is at.
struct Found {
  int64_t at = 0, findings = 0;
  char tally[1 << 14] = "";  // "12 points, 3 refused"
};

void check_cases(const Property& property, const Options& options, int64_t first, int64_t cases,
                 Found& all) {
  CaseCounts tally;
  for (all.at = first; all.at < first + cases; ++all.at) {
    const std::string found = check_case(property, number_of(options, all.at), tally);
    if (found.empty()) continue;
    if (!property.holds) {
      ++tally["that prove nothing"];
    } else if (++all.findings <= kShown) {
      std::fprintf(stderr, "case %ld: %s\n", all.at, found.c_str());
    }
  }
  const std::string text = to_text(tally);
  all.tally[text.copy(all.tally, sizeof(all.tally) - 1)] = '\0';
}

std::string text_of(const Property& property, const Options& options, int64_t i) {
  Choose choose(Choose::Random{static_cast<uint64_t>(number_of(options, i))});
  return property.text ? property.text(choose) : "";
}

// Checks the cases in a process of their own. Error: it died.
absl::Status check_guarded(const Property& property, const Options& options, int64_t first,
                           int64_t cases, Found& found) {
  const pid_t pid = fork();
  if (pid == 0) {
    const rlimit limit{3600, 3600};  // CPU seconds, many times what a chunk takes
    setrlimit(RLIMIT_CPU, &limit);
    check_cases(property, options, first, cases, found);
    _exit(0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return absl::OkStatus();
  const std::string text = text_of(property, options, found.at);
  return absl::InternalError(absl::StrCat(
      "case ", found.at, ": ", WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "ended",
      text.empty() ? "" : absl::StrCat(": $'", absl::CEscape(text), "'")));
}

// Runs all chunks. Returns whether nothing was found.
absl::StatusOr<bool> run(const Property& property, const Options& options) {
  void* shared =
      mmap(nullptr, sizeof(Found), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return absl::ResourceExhaustedError("cannot map shared memory");
  if (options.from >= options.count) return absl::NotFoundError("nothing was checked");
  int64_t findings = 0;
  for (int64_t first = options.from; first < options.count; first += options.chunk) {
    Found& found = *new (shared) Found;
    const int64_t cases = std::min(options.chunk, options.count - first);
    TRY(check_guarded(property, options, first, cases, found));
    findings += found.findings;
    std::printf("%s seed %lu, cases %ld to %ld: %s, %ld findings\n", property.name.c_str(),
                options.seed, first, first + cases - 1, found.tally, found.findings);
    std::fflush(stdout);
  }
  return findings == 0;
}

// Errors: there is no endless property of this name.
absl::StatusOr<Property> property_named(const std::string& name) {
  std::vector<std::string> names;
  for (const Property& one : joined({all_properties, proof_properties, raw_properties})) {
    if (!one.endless) continue;
    if (one.name == name) return one;
    names.push_back(one.name);
  }
  return absl::NotFoundError(
      absl::StrCat("expected a property (", absl::StrJoin(names, ", "), "), found ", name));
}

}  // namespace
}  // namespace tileproof::verify

int main(int argc, char** argv) {
  using namespace tileproof::verify;
  CLI::App app("Checks a property on random inputs.");
  Options options;
  app.add_option("PROPERTY", options.property, "its name, such as simplify")->required();
  app.add_option("COUNT", options.count, "the number behind the last case");
  app.add_option("--seed", options.seed, "seed of the cases");
  app.add_option("--from", options.from, "the first case")->check(CLI::NonNegativeNumber);
  app.add_option("--chunk", options.chunk, "cases of a chunk")->check(CLI::PositiveNumber);
  app.add_option("--show", options.show, "print the text of case N");
  CLI11_PARSE(app, argc, argv);
  const auto property = property_named(options.property);
  if (property.ok() && options.show >= 0) {
    std::fputs(text_of(*property, options, options.show).c_str(), stdout);
    return 0;
  }
  const absl::StatusOr<bool> right = property.ok() ? run(*property, options) : property.status();
  if (right.ok()) return *right ? 0 : 1;
  std::fprintf(stderr, "random_cases: %s\n", std::string(right.status().message()).c_str());
  return absl::IsInternal(right.status()) ? 1 : 2;
}
