// SPDX-License-Identifier: Apache-2.0
// Shared by all fuzz targets. A finding is one line that can be pasted. If an input is a text,
// mutator and crossover change its value, not its bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "generate/choose/choose.h"
#include "generate/choose/stable_hash.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace tileproof {

// Reports a finding and aborts. The text up to " at " is its cause, by which fuzz/campaign/cause.h
// files findings.
[[noreturn]] inline void fail(absl::string_view finding) {
  std::fprintf(stderr, "FOUND: %s\n", std::string(finding).c_str());
  std::abort();
}

// Reports the result of a comparison: "LAYOUT QUESTION  reference: ..  closed form: ..".
[[noreturn]] inline void fail_compared(absl::string_view difference) {
  const std::vector<absl::string_view> words = absl::StrSplit(difference, ' ', absl::SkipEmpty());
  fail(absl::StrCat("not as defined: ", words.size() > 1 ? words[1] : "", " at ", difference));
}

// The same text gives the same random points, on every machine.
inline uint64_t seed_of(absl::string_view text) { return stable_hash(text); }

// True for one input of `of`, always the same ones. Expensive checks are for such a share: an input
// that nothing is known about is worth a cheap look, and coverage brings relatives of it that get
// the expensive one (docs/fuzzing.md).
inline bool is_in_share(absl::string_view text, uint64_t of) {
  return (seed_of(text) >> 32) % of == 0;
}

// How much is looked at: `usual`, and for one input of kThoroughShare as much as `thorough`.
inline constexpr uint64_t kThoroughShare = 16;
inline int64_t extent(absl::string_view text, int64_t usual, int64_t thorough) {
  return is_in_share(text, kThoroughShare) ? thorough : usual;
}

// A target whose inputs are texts. Each defines kTarget; text_target.cc connects it to libFuzzer.
struct TextTarget {
  void (*check)(absl::string_view text);
  std::string (*mutated)(Choose& choose, absl::string_view text);
  std::string (*crossed)(Choose& choose, absl::string_view left, absl::string_view right);
  // How many of 16 mutations are libFuzzer's own, of bytes: for texts that need not be valid.
  int64_t bytes_of_16;
};
extern const TextTarget kTarget;

inline absl::string_view text_of(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

inline size_t put(absl::string_view text, uint8_t* out, size_t max_size) {
  const size_t size = std::min(text.size(), max_size);
  std::memcpy(out, text.data(), size);
  return size;
}

}  // namespace tileproof
