// SPDX-License-Identifier: Apache-2.0
// The suites: the requests that a run sends.
//
// A suite asks its fixed requests first: the examples of the documentation and the corner cases.
// Then a generator makes any number of random requests. Some suites also have a bounded family, of
// which `--exhaustive` asks every request. Suite, seed and limits determine request number i, so it
// is the same on every machine.
//
// The id of a case is a hash of its request (conform/protocol/protocol.h), so it never changes. To
// add a suite, add a line to the table in suites.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "conform/protocol/json.h"
#include "conform/protocol/protocol.h"
#include "conform/suites/family.h"
#include "generate/choose/choose.h"

namespace tileproof::conform {

struct Case {
  Json request;                    // without id
  std::optional<uint64_t> random;  // the seed of its random choices; none for a fixed request
};

// Whether a run asks a suite that its options do not name.
enum class ByDefault {
  kAsked,
  kAskedIfNamed,  // if the program's hello names one of its operations: they extend version 1
  kNotAsked,
};

struct Suite {
  absl::string_view name;
  ByDefault by_default;
  // Makes a random request. Most are within the limits; the caller drops the others.
  Json (*make)(Choose& choose, const Limits& limits);
  Family (*family)();            // the bounded family, or null
  std::string (*family_text)();  // describes the family for the report, or null

  // The requests of corpus/requests/<name>.jsonl, which every run asks first.
  std::vector<Json> fixed() const;
};

absl::Span<const Suite> suites();
const Suite* suite_named(absl::string_view name);

// Whether a fixed request of the suite asks for the operation.
bool asks(const Suite& suite, absl::string_view operation);

// The suites that a run asks a program with these limits, if its options name none.
std::vector<const Suite*> default_suites(const Limits& limits);

// Requests that were not asked, by the reason.
struct NotAsked {
  int64_t beyond = 0;       // beyond the program's limits
  int64_t unnamed = 0;      // about operations that the program's hello does not name
  int64_t undecidable = 0;  // the judge cannot judge the answer
};

// The cases of a suite for one seed, in order.
class Cases {
 public:
  Cases(const Suite& suite, uint64_t seed, Limits limits);

  // The next case within the limits; no value if 200 random requests in a row are beyond them.
  std::optional<Case> next();

  // The requests dropped so far. None is dropped as undecidable here.
  const NotAsked& not_asked() const { return not_asked_; }

 private:
  const Suite& suite_;
  uint64_t seed_;
  Limits limits_;
  std::vector<Json> fixed_;
  uint64_t position_ = 0;
  NotAsked not_asked_;
};

// The random choices that made a case; empty for a fixed one.
std::vector<int64_t> choices_of(const Suite& suite, const Limits& limits, const Case& made);

// Returns whether a program with these limits names the operation of the request.
bool is_named(const Json& request, const Limits& limits);

// Returns whether the request and its right answer are within the limits of a program, and its
// operation is named.
bool within(const Json& request, const Limits& limits);

}  // namespace tileproof::conform
