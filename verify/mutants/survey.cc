// SPDX-License-Identifier: Apache-2.0
#include "verify/mutants/survey.h"

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "generate/choose/choose.h"
#include "verify/mutants/mutant.h"
#include "verify/mutants/mutant_table.h"

namespace tileproof::mutants {
namespace {

constexpr size_t kCasesOfACheck = 16;  // per mutant and endless check
constexpr size_t kCasesOfAList = 256;  // per mutant and finite check
constexpr double kSlow = 1.5;          // seconds; slower cases run only without a mutant

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

double processor_time() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

std::string to_text(const std::vector<Check>& checks, const std::vector<Case>& cases) {
  return absl::StrJoin(cases, " ", [&](std::string* out, const Case& one) {
    absl::StrAppend(out, checks[static_cast<size_t>(one.check)].name, ":", one.number, ":",
                    one.seconds);
  });
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

}  // namespace tileproof::mutants
