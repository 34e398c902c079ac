// The cases of a suite, ready to be asked and judged: texts, made in a thread of their own
// (conform/run/prefetch.h) while the program is being asked.
//
// Which cases they are and their order follows from the options alone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "conform/run/conform.h"
#include "conform/run/prefetch.h"
#include "conform/run/session.h"
#include "conform/suites/suites.h"

namespace tileproof::conform {

struct Question {
  uint64_t id = 0;  // of the case
  std::string op;
  Ticket ticket = {};  // without the caller's number
  int64_t beyond = 0;  // requests beyond the limits that were made up to here
};

// The question, with all that is known before it is asked.
Question question_about(const Json& request, const Hello& hello);

class Questions {
 public:
  // Of options.cases those `wanted`, where there are such; else of options.shard.
  Questions(const ConformOptions& options, const Suite& suite, const Hello& hello,
            std::set<std::string> wanted);

  std::optional<Question> next();

  // Requests that were made for those given so far, and are beyond the limits.
  int64_t beyond() const { return beyond_; }

 private:
  std::shared_ptr<int64_t> made_beyond_;  // of the maker, until it is done
  Prefetch<Question> prefetch_;
  int64_t beyond_ = 0;
};

}  // namespace tileproof::conform
