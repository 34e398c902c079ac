// SPDX-License-Identifier: Apache-2.0
// Mutator and crossover of the fuzz targets whose inputs are the choices of a generator
// (generate/choose/choose.h), one byte or more for each.
#include <algorithm>

#include "fuzz/targets/text_input.h"

// After the last byte every choice is 0, the simplest. So the mutator also appends random choices,
// and replaces parts by new ones.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  tileproof::Choose choose(tileproof::Choose::Random{seed});
  if (choose.chance(1, 2)) return LLVMFuzzerMutate(data, size, max_size);
  const auto room = static_cast<int64_t>(max_size);
  const int64_t from = choose(static_cast<int64_t>(size) + 1);
  const int64_t to = std::min(room, from + choose.between(1, 24));
  for (int64_t at = from; at < to; ++at) data[at] = static_cast<uint8_t>(choose(256));
  return static_cast<size_t>(std::max(to, choose.chance(1, 4) ? to : static_cast<int64_t>(size)));
}

// Joins the first choices of one input with the last choices of the other: the beginning of a value
// with another end.
extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* left, size_t left_size,
                                            const uint8_t* right, size_t right_size, uint8_t* out,
                                            size_t max_size, unsigned seed) {
  tileproof::Choose choose(tileproof::Choose::Random{seed});
  const auto cut = [&](size_t size) {
    return static_cast<size_t>(choose(static_cast<int64_t>(size) + 1));
  };
  const absl::string_view begin = tileproof::text_of(left, cut(left_size));
  const absl::string_view end = tileproof::text_of(right, right_size).substr(cut(right_size));
  return tileproof::put(absl::StrCat(begin, end), out, max_size);
}
