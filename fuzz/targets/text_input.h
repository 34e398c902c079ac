// SPDX-License-Identifier: Apache-2.0
// Shared by all fuzz targets. A finding is one line that can be pasted. If an input is a text,
// the mutator changes its value, not its bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "generate/choose/choose.h"
#include "generate/choose/stable_hash.h"
#include "verify/compare/case_counts.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

// Recording where memory was allocated is a fifth of the time of a target, and freed memory that is
// kept apart leaves the caches. A replay with
// ASAN_OPTIONS=malloc_context_size=30:quarantine_size_mb=256 does both.
extern "C" [[gnu::used]] inline const char* __asan_default_options() {
  return "malloc_context_size=0:quarantine_size_mb=16";
}

namespace tileproof {

// The result of a comparison, "LAYOUT QUESTION  reference: ..  closed form: ..", as a finding.
inline std::string compared(const absl::Status& difference) {
  if (difference.ok()) return "";
  const std::vector<absl::string_view> words =
      absl::StrSplit(difference.message(), ' ', absl::SkipEmpty());
  return absl::StrCat("not as defined: ", words.size() > 1 ? words[1] : "", " at ",
                      difference.message());
}

// The same text gives the same random points, on every machine.
inline uint64_t seed_of(absl::string_view text) { return stable_hash(text); }

// One input of `of`, always the same ones; other shares have others. Expensive checks are for such a
// share: an input that nothing is known about is worth a cheap look, and coverage brings relatives
// of it that get the expensive one (docs/fuzzing.md).
class Share {
 public:
  Share(const char* name, uint64_t of) : name_(name), of_(of) { all().push_back(this); }
  Share(const Share&) = delete;

  bool has(absl::string_view text) {
    const bool is_one = (stable_hash(name_, seed_of(text)) >> 32) % of_ == 0;
    if (is_one) ++inputs_;
    return is_one;
  }

  const char* name() const { return name_; }
  int64_t inputs() const { return inputs_; }  // for how many has() was true so far
  static std::vector<Share*>& all() {         // of this program; shares_test.cc looks at them
    static std::vector<Share*> shares;
    return shares;
  }

 private:
  const char* name_;
  uint64_t of_;
  int64_t inputs_ = 0;
};

// A target, whose inputs are texts, or bytes that choose what a generator makes. text_target.cc
// connects it to libFuzzer.
struct TextTarget {
  absl::string_view name;  // in fuzz/campaign/target.cc
  // Returns "", or a finding of one line. Its text up to " at " is its cause, by which
  // fuzz/campaign/parts.h files it. Counts what it checked.
  std::string (*check)(absl::string_view text, verify::CaseCounts& tally);
  std::string (*mutated)(Choose& choose, absl::string_view text);
  // How many of 16 mutations are libFuzzer's own, of bytes, and how many of 16 crossovers join two
  // texts: for texts that need not be valid.
  int64_t bytes_of_16;
};
absl::Span<const TextTarget> targets();  // of the source that is linked

inline absl::string_view text_of(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

inline absl::Span<const uint8_t> bytes_of(absl::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

inline size_t put(absl::string_view text, uint8_t* out, size_t max_size) {
  const size_t size = std::min(text.size(), max_size);
  std::memcpy(out, text.data(), size);
  return size;
}

}  // namespace tileproof
