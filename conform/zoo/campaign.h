// Judging the zoo: each known-wrong implementation by the default campaign of `conform`, until it
// is caught; and the right ones by all of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "conform/protocol/json.h"
#include "conform/run/conform.h"
#include "conform/zoo/zoo.h"

namespace tileproof::zoo {

struct Caught {
  bool caught = false;
  int64_t requests = 0;  // asked until then; all of them where it was not
  double seconds = 0;    // until then, with the start of the program; shrinking is not counted
  conform::Verdict verdict = conform::Verdict::kPass;
  conform::Failure::Smallest
      smallest;  // the counterexample; as it was found where it is no smaller
};

inline constexpr conform::Milliseconds kTime{10'000};  // in which an entry is to be caught
inline constexpr int64_t kAfter = 300;  // requests after that, for a shorter counterexample

// `program` is the path of tileproof, which is started as `tileproof zoo --respond ENTRY`. An
// error: it cannot be.
absl::StatusOr<Caught> judge_entry(const std::string& program, const Entry& entry,
                                   uint64_t seed = 1);

// The report about `tileproof respond --engine ENGINE`.
absl::StatusOr<conform::Report> judge_right(const std::string& program, const std::string& engine,
                                            uint64_t seed = 1);

}  // namespace tileproof::zoo
