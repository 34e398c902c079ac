// SPDX-License-Identifier: Apache-2.0
// The functions that libFuzzer calls.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "fuzz/targets/text_input.h"
#include "fuzz/targets/text_mutations.h"

using namespace tileproof;

constexpr int kTries = 4;

// The target whose program this is.
static const TextTarget& this_target() {
  static const absl::Span<const TextTarget> all = targets();
  return *std::ranges::find(all, TILEPROOF_TARGET, &TextTarget::name);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  verify::CaseCounts tally;
  const std::string finding = this_target().check(text_of(data, size), tally);
  if (finding.empty()) return 0;
  std::fprintf(stderr, "FOUND: %s\n", finding.c_str());
  std::abort();
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  Choose choose(Choose::Random{seed});
  if (choose.chance(this_target().bytes_of_16, 16)) return LLVMFuzzerMutate(data, size, max_size);
  std::string text = this_target().mutated(choose, text_of(data, size));
  // A text that is cut off cannot be read.
  for (int i = 0; i < kTries && text.size() > max_size; ++i) {
    text = this_target().mutated(choose, text_of(data, size));
  }
  if (text.size() > max_size && size <= max_size) return size;
  return put(text, data, max_size);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* left, size_t left_size,
                                            const uint8_t* right, size_t right_size, uint8_t* out,
                                            size_t max_size, unsigned seed) {
  Choose choose(Choose::Random{seed});
  if (!choose.chance(this_target().bytes_of_16, 16)) return 0;  // libFuzzer then mutates
  return put(spliced(choose, text_of(left, left_size), text_of(right, right_size)), out, max_size);
}
