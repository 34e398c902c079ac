// The suites: which requests a program is asked.
//
// A suite is a list of fixed requests (the documents' examples and the corners first) and a
// generator over Choose for as many more as wanted; some also have a bounded family that can be
// gone through whole. Everything follows from the seed: the request number i of a suite is the same
// on every machine.
//
//     {"op":"layout.linearize","shape":"f32[3,5]{1,0:T(2,2)}","index":[2,3]}
//     is the case 15e8dd9403184cca.
//
// The id of a case is a hash of its request, so it names the same case for ever. To add a suite: a
// line in the table. Source: INTERFACE, sections 3 and 4.
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

// A request without id, and from where its random choices began; nothing where it is a fixed one.
struct Case {
  Json request;
  std::optional<uint64_t> random;
};

struct Suite {
  absl::string_view name;
  bool by_default;
  std::vector<Json> (*fixed)();
  // A request within reach of the limits, mostly; what is beyond them is not sent.
  Json (*make)(Choose& choose, const Limits& limits);
  Family (*family)();  // the bounded one; null where a suite has none
  // What the family is, for the report.
  std::string (*family_text)();
  // Requests that are a step simpler, for shrinking.
  std::vector<Json> (*shrink)(const Json& request);
};

absl::Span<const Suite> suites();
const Suite* suite_named(absl::string_view name);

// Cases of one suite and seed, in order.
class Cases {
 public:
  Cases(const Suite& suite, uint64_t seed, Limits limits);

  // The next case within the limits; nothing when none can be found any more.
  std::optional<Case> next();

  // Requests that were made and are beyond the limits.
  int64_t beyond() const { return beyond_; }

 private:
  const Suite& suite_;
  uint64_t seed_;
  Limits limits_;
  std::vector<Json> fixed_;
  uint64_t position_ = 0;
  int64_t beyond_ = 0;
};

// The choices that made a case.
std::vector<int64_t> choices_of(const Suite& suite, const Limits& limits, const Case& made);

// 16 hexadecimal digits: stable_hash of the request's text with sorted keys, without `id` and
// `parsed`.
uint64_t case_hash(const Json& request);
std::string case_id(uint64_t hash);

// Whether a request, and the right answer to it, is within what a program can be asked.
bool within(const Json& request, const Limits& limits);

}  // namespace tileproof::conform
