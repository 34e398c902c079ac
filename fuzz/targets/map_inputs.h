// What the fuzz targets of maps have in common: an input is a text, one map a line; a finding is
// one line that can be pasted; the mutator changes maps, not bytes.
#pragma once

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
#include "fuzz/choose.h"
#include "fuzz/gen_map.h"
#include "fuzz/mutate_map.h"
#include "fuzz/scramble.h"
#include "spec/lang/map_text.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace tileproof {

[[noreturn]] inline void fail(const std::string& finding) {
  std::fprintf(stderr, "FOUND: %s\n", finding.c_str());
  std::abort();
}

// The same points for the same text, on every machine.
inline uint64_t seed_of(absl::string_view text) {
  uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 1099511628211u;
  return hash;
}

// The maps of an input of exactly `count` lines; none if one is no map.
inline std::vector<IndexingMap> maps_of(absl::string_view text, size_t count) {
  const std::vector<std::string> lines = absl::StrSplit(text, '\n', absl::SkipEmpty());
  std::vector<IndexingMap> maps;
  if (lines.size() != count) return maps;
  for (const std::string& line : lines) {
    absl::StatusOr<IndexingMap> map = parse_map(line);
    if (!map.ok()) return {};
    maps.push_back(*std::move(map));
  }
  return maps;
}

inline std::string quoted(const IndexingMap& map) { return absl::StrCat("'", to_text(map), "'"); }

// A map as compilers make them, or any; sometimes too large to be enumerated, sometimes extreme.
inline IndexingMap random_map(Choose& choose) {
  switch (choose(6)) {
    case 0:
    case 1:
      return generate_map(choose, {.points = 1024});
    case 2:
      return generate_map(choose, {.depth = 6, .extremes = true});
    case 3:
      return generate_chain(choose, {.points = int64_t{1} << 40}).map;
    default:
      return generate_chain(choose, {.points = 1024}).map;
  }
}

inline void change(Choose& choose, IndexingMap& map) {
  for (int64_t left = choose.between(1, 4); left > 0; --left) mutate_map(choose, map);
}

// Texts that are hardly maps come from libFuzzer's own mutations, now and then.
template <class Mutated>
size_t mutate_text(uint8_t* data, size_t size, size_t max_size, unsigned seed, int64_t bytes_of_16,
                   const Mutated& mutated) {
  Choose choose(Choose::Random{seed});
  if (choose.chance(bytes_of_16, 16)) return LLVMFuzzerMutate(data, size, max_size);
  const std::string text = mutated(choose, std::string(data, data + size)).substr(0, max_size);
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

}  // namespace tileproof
