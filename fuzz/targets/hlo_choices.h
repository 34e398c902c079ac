// What the fuzz targets have in common whose inputs are the choices of a generator of HLO: the
// bytes choose a small module that is valid, and the values of its offsets (fuzz/gen_hlo.h). A
// finding shows the module.
#pragma once

#include <algorithm>

#include "fuzz/targets/hlo_check.h"

namespace tileproof {

// Analysis and reference agree on the root, in both scopes.
inline void check_choices(absl::Span<const uint8_t> bytes, bool computation) {
  const GeneratedHlo hlo = hlo_of_choices(bytes, computation);
  const absl::StatusOr<HloModule> module = parse_hlo_module(hlo.text);
  if (!module.ok()) {
    fail(absl::StrCat("generated and not read: ", module.status().message()), hlo.text);
  }
  check_counts(*module, hlo.text);
  check_root(*module, hlo.text, {hlo.seed, hlo.near});
}

// Choices that have run out are the simplest ones; so inputs grow by random choices, too, and parts
// of them are chosen anew.
inline size_t mutate_choices(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  Choose choose(Choose::Random{seed});
  if (choose.chance(1, 2)) return LLVMFuzzerMutate(data, size, max_size);
  const auto room = static_cast<int64_t>(max_size);
  const int64_t from = choose(static_cast<int64_t>(size) + 1);
  const int64_t to = std::min(room, from + choose.between(1, 24));
  for (int64_t at = from; at < to; ++at) data[at] = static_cast<uint8_t>(choose(256));
  return static_cast<size_t>(std::max(to, choose.chance(1, 4) ? to : static_cast<int64_t>(size)));
}

// The first choices of the one, then those of the other: the beginning of a module with another
// end.
inline std::string crossed_choices(Choose& choose, const std::string& left,
                                   const std::string& right) {
  const auto cut = [&](const std::string& text) {
    return static_cast<size_t>(choose(std::ssize(text) + 1));
  };
  return left.substr(0, cut(left)) + right.substr(cut(right));
}

}  // namespace tileproof
