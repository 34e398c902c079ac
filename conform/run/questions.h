// SPDX-License-Identifier: Apache-2.0
// The cases of a suite as texts, ready to be sent and judged.
//
// The options, the suite and the hello alone determine the cases and their order.
//
//     Questions questions(options, suite, hello, {});
//     while (std::optional<Question> question = questions.next()) ..
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

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

}  // namespace tileproof::conform
