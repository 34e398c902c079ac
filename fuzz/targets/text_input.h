// What the fuzz targets have in common: a finding is one line that can be pasted. Where an input is
// a text, mutator and crossover work on values, not on bytes.
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

// Up to " at " a finding is its cause: fuzz/campaign/cause.h tells findings apart by it.
[[noreturn]] inline void fail(absl::string_view finding) {
  std::fprintf(stderr, "FOUND: %s\n", std::string(finding).c_str());
  std::abort();
}

// What a comparison says: "LAYOUT QUESTION  reference: ..  closed form: ..".
[[noreturn]] inline void fail_compared(absl::string_view difference) {
  const std::vector<absl::string_view> words = absl::StrSplit(difference, ' ', absl::SkipEmpty());
  fail(absl::StrCat("not as defined, ", words.size() > 1 ? words[1] : "", " at ", difference));
}

// The same points for the same text, on every machine.
inline uint64_t seed_of(absl::string_view text) { return stable_hash(text); }

// A target whose inputs are texts: each defines kTarget, text_target.cc hands it to libFuzzer.
struct TextTarget {
  void (*check)(absl::string_view text);
  std::string (*mutated)(Choose& choose, absl::string_view text);
  std::string (*crossed)(Choose& choose, absl::string_view left, absl::string_view right);
  // So many mutations in 16 are libFuzzer's own, of bytes: for texts that are hardly values.
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
