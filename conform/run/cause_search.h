// SPDX-License-Identifier: Apache-2.0
// Finds the causes of failures: shrinks at least one failure of each cause.
//
//  1. The search shrinks the simplest failure first: numbers of ordinary size before extremes, short
//     requests before long ones. The smallest request shows a cause (conform/report/cause.h).
//  2. It then shrinks the next failure without the features of a known cause, and so on. Shrinking
//     ends early if it arrives at a known cause and the request is no smaller.
//  3. Failures with the features of a known cause are asked without these features. If some smaller
//     request without them still fails, it has another cause, and the search shrinks it. Otherwise
//     the failure is taken for the known cause.
//
// A smaller request fails alike if the verdict is the same and, for a crash, the exception
// (exception_of). A valid request is never shrunk to an invalid one.
//
// Requests and time are limited. The report says which failures were not shrunk.
#pragma once

#include <chrono>
#include <climits>
#include <cstdint>
#include <ctime>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "conform/report/report.h"
#include "conform/suites/suites.h"

namespace tileproof::conform {

// How much work the search may do for one suite. A busy machine must not hide a cause, so the time
// that counts is the processor time of this process. `wall` is for programs that answer slowly.
struct ShrinkBudget {
  int64_t requests = 60'000;
  std::chrono::milliseconds time{15'000};
  std::chrono::milliseconds wall{60'000};
  int shrunk = INT_MAX;  // failures that are shrunk to the end
  int doubtful = 40;     // failures with the features of a known cause that are looked at
};

// The verdict on a request, and its lines in a report.
struct Probe {
  Verdict verdict = Verdict::kPass;
  Failing shown;
};

class CauseSearch {
 public:
  CauseSearch(const Suite& suite, const Limits& limits, ShrinkBudget budget, Report& report)
      : suite_(suite), limits_(limits), budget_(budget), report_(report) {}

  // A failure, by its key in Report::failures, and the seed of its random choices.
  struct Candidate {
    size_t key = 0;
    std::optional<uint64_t> random;
  };

  // Asks one request. No value ends the search, for example if the program cannot be restarted.
  using Ask = absl::FunctionRef<std::optional<Probe>(const Json& request)>;

  // Sets Failure::smallest, cause and not_shrunk of the candidates. May be called again with later
  // failures; it remembers the causes.
  void run(const std::vector<Candidate>& candidates, Ask ask);

  // Whether the request has all features of a cause that was found. A cause without features, which
  // any request of the operation may have, does not count.
  bool is_explained(const Json& request) const;

  size_t causes() const { return known_.size(); }

 private:
  struct Known {
    std::string line;  // cause_line()
    std::string op;
    Verdict verdict;
    std::set<std::string> features;
    std::string exception;  // of a crash
    std::string place;      // where that was raised, if it is known
    std::string smallest;   // the text of its smallest request
    int beyond = 0;         // failures beyond 64 bits that this cause explains
  };

  // The moment when a budget of time is over.
  struct Deadline {
    std::clock_t processor;
    std::chrono::steady_clock::time_point wall;

    bool over() const;
  };
  static Deadline in(std::chrono::milliseconds time, std::chrono::milliseconds wall);

  bool over() const;
  std::vector<Candidate> simplest_first(const std::vector<Candidate>& candidates) const;
  Known* wrong_cause_below(const std::string& op, const Json& request, Ask ask);
  const Known* known_for(const Candidate& candidate) const;
  static bool is_at_place(const Known& known, const Failure& failure);
  bool may_fail_alike(const Failure& failure, const Json& request) const;
  bool fails_alike(const Failure& failure, const Probe& probe) const;
  // Whether this is a known cause, and no smaller example of it.
  bool is_known(const std::string& line, const Json& request) const;
  Json without_known_features(const Candidate& candidate, Ask ask);
  void shrink(const Candidate& candidate, const Json& from, Ask ask);

  const Suite& suite_;
  const Limits& limits_;
  ShrinkBudget budget_;
  Report& report_;
  std::vector<Known> known_;
  Deadline deadline_ = {};
};

}  // namespace tileproof::conform
