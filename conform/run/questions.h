// SPDX-License-Identifier: Apache-2.0
// The cases of a suite as texts, ready to be sent and judged.
//
// The options, the suite and the hello alone determine the cases and their order.
//
//     Questions questions(options, suite, hello, {});
//     while (std::optional<Question> question = questions.next()) ..
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "conform/protocol/json.h"
#include "conform/protocol/protocol.h"
#include "conform/run/conform.h"
#include "conform/run/session.h"
#include "conform/suites/suites.h"

namespace tileproof::conform {

struct Question {
  uint64_t id = 0;  // of the case
  std::string op;
  std::string title = {};   // if the run keeps titles
  Ticket ticket = {};       // without `key`
  NotAsked not_asked = {};  // the requests dropped so far
};

inline constexpr int64_t kMaxSearched = 100'000;  // cases of a suite that are searched for ids

// The question for a request, with its expected answer if there is only one.
Question question_about(const Json& request, const Hello& hello);

class Questions {
 public:
  // The cases of options.shard; or, if options.cases is not empty, the cases with the ids `wanted`.
  // The first `skipped` cases of the suite are left out; `options.count` counts them. `options` must
  // outlive this.
  Questions(const ConformOptions& options, const Suite& suite, const Hello& hello,
            std::set<std::string> wanted, int64_t skipped = 0);

  std::optional<Question> next();

  // The requests dropped so far. A case that is asked for by its id is never undecidable.
  const NotAsked& not_asked() const { return not_asked_; }

 private:
  std::optional<Case> next_case();

  const ConformOptions& options_;
  const Hello hello_;
  std::set<std::string> wanted_;
  const int64_t skipped_, most_;
  int64_t position_ = 0;
  Cases cases_;
  std::vector<Json> fixed_;  // this and the next two: of an exhaustive run
  size_t next_fixed_ = 0;
  Family family_;
  NotAsked not_asked_;
};

// Sweeps: a plug-in is also asked about many whole layouts, in long lists, because it converts many
// indices in one call.
//
//     f32[3,5]{1,0:T(2,2)}   its sizes, a list of 15 indices, a list of 24 offsets
//
// A seed and a number determine each layout. A sweep has no verdicts of its own: what is wrong is
// asked again as a case of the suite.

inline constexpr int64_t kMaxSwept = 16384;   // up to this many elements, all of them are asked
inline constexpr size_t kSweptAtOnce = 1024;  // indices or offsets in one list

// The requests about the layout with this number: its sizes, and lists of indices and offsets. None
// if it is beyond the limits or 64 bits.
std::vector<Json> swept_requests(uint64_t seed, int64_t number, const Limits& limits);

struct SweepTotals {
  int64_t layouts = 0;
  std::map<std::string, int64_t> questions;    // by operation
  std::map<std::string, int64_t> unsupported;  // requests, by operation and reason
};

// Counts the questions of a request; its list has many.
void count_questions(const Json& request, SweepTotals& totals);

// "1000 layouts, 1234567 indices, 2345678 offsets"
std::string to_text(const SweepTotals& totals);

}  // namespace tileproof::conform
