// SPDX-License-Identifier: Apache-2.0
#include "verify/mutants/trial.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "generate/choose/choose.h"
#include "verify/mutants/mutant.h"
#include "verify/mutants/mutant_table.h"

namespace tileproof::mutants {
namespace {

constexpr size_t kCasesOfACheck = 16;        // per mutant and endless check
constexpr size_t kCasesOfAList = 256;        // per mutant and finite check
constexpr double kSlow = 1.5;                // seconds; slower cases run only without a mutant
constexpr rlim_t kMemory = rlim_t{3} << 30;  // bytes

double processor_time() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Cases that execute one mutant: the first half are the earliest cases, the second half a random
// sample of the rest.
struct Kept {
  std::vector<Case> cases;
  int64_t seen = 0;

  void add(const Case& one, size_t most, Choose& choose) {
    ++seen;
    if (cases.size() < most) {
      cases.push_back(one);
    } else if (const int64_t place = choose(seen); place < std::ssize(cases)) {
      // Keep the first half.
      const size_t half = most / 2;
      cases[half + static_cast<size_t>(place) % half] = one;
    }
  }
};

void set_processor_limit(double seconds) {
  const auto limit = static_cast<rlim_t>(processor_time() + seconds) + 1;
  const rlimit both{limit, RLIM_INFINITY};
  setrlimit(RLIMIT_CPU, &both);
}

const Check& check_of(const std::vector<Check>& checks, const Case& one) {
  return checks[static_cast<size_t>(one.check)];
}

// An exception ends the process (noexcept).
bool passes(const std::vector<Check>& checks, const Case& one) noexcept {
  verify::CaseCounts tally;
  return verify::check_case(check_of(checks, one), one.number, tally).empty();
}

// Returns whether a new case passes without the mutant; if not, it proves nothing.
bool passes_without_mutant(const std::vector<Check>& checks, const Case& one) {
  const int mutant = std::exchange(mutant::active, mutant::kNone);
  const bool right = passes(checks, one);
  mutant::active = mutant;
  return right;
}

// What the survey found of one check.
struct Surveyed {
  std::map<int, Kept> kept;  // by mutant
  int64_t cases = 0, slow = 0, passed_over = 0;
  std::string wrong;
};

Surveyed survey_check(const Check& check, int number, int64_t cases,
                      const absl::flat_hash_set<int>& wanted, Choose& choose) {
  Surveyed result;
  verify::CaseCounts tally;
  const size_t most = check.endless ? kCasesOfACheck : kCasesOfAList;
  for (int64_t i = 0; i < cases; ++i) {
    const double before = processor_time();
    std::string wrong;
    const mutant::Reached reached =
        mutant::record([&] { wrong = verify::check_case(check, i, tally); });
    if (!wrong.empty() && !check.holds) {
      ++result.passed_over;
      continue;
    }
    if (!wrong.empty()) {
      result.wrong = absl::StrCat(check.name, " ", i, ": ", wrong);
      return result;
    }
    ++result.cases;
    const Case one{number, i, processor_time() - before};
    if (one.seconds > kSlow) {
      ++result.slow;
      continue;
    }
    for (int mutant : reached)
      if (wanted.contains(mutant)) result.kept[mutant].add(one, most, choose);
  }
  return result;
}

}  // namespace

std::string to_text(const std::vector<Check>& checks, const std::vector<Case>& cases) {
  std::string text;
  for (const Case& one : cases) {
    absl::StrAppend(&text, text.empty() ? "" : " ", check_of(checks, one).name, ":", one.number,
                    ":", one.seconds);
  }
  return text;
}

absl::StatusOr<std::vector<Case>> parse_cases(const std::vector<Check>& checks,
                                              absl::string_view text) {
  std::vector<Case> cases;
  for (absl::string_view word : absl::StrSplit(text, absl::ByAnyChar(" \n"), absl::SkipEmpty())) {
    const std::vector<absl::string_view> parts = absl::StrSplit(word, ':');
    const auto check = std::ranges::find(checks, parts[0], &Check::name);
    Case one{static_cast<int>(check - checks.begin())};
    if (parts.size() != 3 || check == checks.end() || !absl::SimpleAtoi(parts[1], &one.number) ||
        !absl::SimpleAtod(parts[2], &one.seconds)) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected a case CHECK:NUMBER:SECONDS, found ", word));
    }
    cases.push_back(one);
  }
  return cases;
}

MutantCoverage survey(const std::vector<Check>& checks, int64_t percent,
                      const absl::flat_hash_set<int>& wanted) {
  MutantCoverage result;
  Choose choose(Choose::Random{1});
  for (int c = 0; c < std::ssize(checks); ++c) {
    const Check& check = checks[static_cast<size_t>(c)];
    const double start = processor_time();
    const int64_t all = check.cases();
    const int64_t cases = check.endless ? std::max<int64_t>(1, all * percent / 100) : all;
    Surveyed found = survey_check(check, c, cases, wanted, choose);
    result.cases += found.cases;
    if (!found.wrong.empty()) {
      result.wrong = found.wrong;
      return result;
    }
    std::fprintf(stderr, "%s: %ld cases, %.1f seconds, %ld too slow to try mutants with",
                 check.name.c_str(), cases, processor_time() - start, found.slow);
    if (found.passed_over > 0)
      std::fprintf(stderr, ", %ld wrong without a mutant", found.passed_over);
    std::fprintf(stderr, "\n");
    for (auto& [mutant, kept] : found.kept) {
      std::vector<Case>& of_mutant = result.executing[mutant];
      of_mutant.insert(of_mutant.end(), kept.cases.begin(), kept.cases.end());
    }
    result.executing[mutant::kNone].push_back({c, 0});  // the control
  }
  for (auto& [number, cases] : result.executing)
    std::ranges::stable_sort(cases, {}, &Case::seconds);
  return result;
}

Course::Course(const std::vector<Check>& checks, std::vector<Case> known)
    : checks_(checks), known_(std::move(known)) {
  for (const Case& one : known_) {
    if (check_of(checks, one).endless && std::ranges::count(endless_, one.check) == 0)
      endless_.push_back(one.check);
  }
}

Case Course::at(int64_t step) const {
  if (step < listed()) return known_[static_cast<size_t>(step)];
  const int64_t further = step - listed(), round = std::ssize(endless_);
  const int check = endless_[static_cast<size_t>(further % round)];
  return {check, checks_[static_cast<size_t>(check)].cases() + further / round};
}

double Course::listed_limit() const {
  double expected = 0;
  for (const Case& one : known_) expected += one.seconds;
  return 3 + 5 * expected;
}

void bound_memory() {
  const rlimit memory{kMemory, kMemory}, none{0, 0};
  setrlimit(RLIMIT_AS, &memory);
  setrlimit(RLIMIT_CORE, &none);
}

std::string try_mutant(const Course& course, Progress now, const Limits& limits,
                       absl::FunctionRef<void(const Progress&, const Case&)> before) {
  const std::vector<Check>& checks = course.checks();
  const auto named = [&](absl::string_view result, const Case& one) {
    return absl::StrCat(result, check_of(checks, one).name, " ", one.number);
  };
  if (now.step < course.listed()) set_processor_limit(course.listed_limit());
  for (; now.step < course.listed(); ++now.step) {
    const Case one = course.at(now.step);
    before(now, one);
    if (!passes(checks, one)) return named("killed ", one);
  }
  std::string result = "survived";
  for (; course.is_endless() && now.spent < limits.seconds; ++now.step) {
    const Case one = course.at(now.step);
    before(now, one);
    const double start = processor_time();
    set_processor_limit(limits.case_seconds);
    if (!passes(checks, one)) {
      if (passes_without_mutant(checks, one)) return named("killed ", one);
      if (check_of(checks, one).holds) result = named("wrong without a mutant: ", one);
    }
    now.spent += processor_time() - start;
  }
  return result;
}

bool pass(const Course& course, int64_t first, int64_t last, const Limits& limits) {
  set_processor_limit((last < course.listed() ? course.listed_limit() : limits.case_seconds) / 2);
  for (int64_t step = first; step <= last; ++step)
    if (!passes(course.checks(), course.at(step))) return false;
  return true;
}

}  // namespace tileproof::mutants
