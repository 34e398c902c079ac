// SPDX-License-Identifier: Apache-2.0
// Judges the zoo: runs the campaign of `conform` on each known-wrong implementation until
// it is caught, and the whole campaign on the right ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conform/protocol/json.h"
#include "conform/run/conform.h"
#include "conform/suites/suites.h"
#include "conform/zoo/zoo.h"

namespace tileproof::zoo {

struct Caught {
  bool caught = false;
  int64_t requests = 0;  // asked until it was caught; all requests if it was not
  double seconds = 0;    // until it was caught, from the start of the program
  conform::Verdict verdict = conform::Verdict::kPass;
  conform::Failing smallest;  // the smallest counterexample found
};

inline constexpr conform::Milliseconds kTime{10'000};  // the time to catch an entry
inline constexpr int kShrunk = 3;                      // failures that are shrunk
inline constexpr int64_t kAfter = 300;  // requests after that, for a smaller counterexample

// The suites that a run asks without being told to, and that have requests of an operation.
std::vector<const conform::Suite*> suites_that_ask(absl::string_view operation);

// All suites that a run asks without being told to.
std::vector<const conform::Suite*> suites_of_zoo();

// Runs `PROGRAM zoo --respond ENTRY`, where `program` is the path of tileproof. An error if the
// program cannot be started. `known` may be shared by several calls, also side by side.
absl::StatusOr<Caught> judge_entry(const std::string& program, const Entry& entry,
                                   uint64_t seed = 1, conform::RightAnswers* known = nullptr);

// Judges `PROGRAM respond --engine ENGINE`.
absl::StatusOr<conform::Report> judge_right(const std::string& program, const std::string& engine,
                                            uint64_t seed = 1,
                                            conform::RightAnswers* known = nullptr);

}  // namespace tileproof::zoo
