// What the fuzz targets of HLO have in common: an input is the text of a module; a finding is one
// line that can be pasted into a shell; the mutator changes modules, not bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "fuzz/choose.h"
#include "fuzz/gen_hlo.h"
#include "fuzz/mutate_hlo.h"
#include "spec/lang/hlo_text.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace tileproof {

[[noreturn]] inline void fail(absl::string_view finding, absl::string_view hlo) {
  std::fprintf(stderr, "FOUND: %s: tileproof map $'%s'\n", std::string(finding).c_str(),
               absl::CEscape(hlo).c_str());
  std::abort();
}

// The same values for the same text, on every machine.
inline uint64_t seed_of(absl::string_view text) {
  uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 1099511628211u;
  return hash;
}

inline std::string generated(Choose& choose) {
  return choose.chance(1, 3) ? generate_computation(choose, {.elements = 60, .operations = 4}).text
                             : generate_operation(choose, {.elements = 60}).text;
}

// A changed module; a new one where the text is none.
inline std::string mutated_hlo(Choose& choose, absl::string_view text) {
  absl::StatusOr<HloModule> module = parse_hlo_module(text);
  if (!module.ok() || choose.chance(1, 24)) return generated(choose);
  std::string changed = mutate_hlo(choose, *module);
  for (int64_t more = choose(3); more > 0; --more) {
    module = parse_hlo_module(changed);
    if (!module.ok()) break;
    changed = mutate_hlo(choose, *std::move(module));
  }
  return changed;
}

// Texts that are hardly modules come from libFuzzer's own mutations, now and then.
inline size_t mutate_hlo_text(uint8_t* data, size_t size, size_t max_size, unsigned seed,
                              int64_t bytes_of_16) {
  Choose choose(Choose::Random{seed});
  if (choose.chance(bytes_of_16, 16)) return LLVMFuzzerMutate(data, size, max_size);
  const std::string text = mutated_hlo(choose, std::string(data, data + size)).substr(0, max_size);
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

}  // namespace tileproof
