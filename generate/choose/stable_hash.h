// SPDX-License-Identifier: Apache-2.0
// A hash that is the same on every machine and in every version: FNV-1a, 64 bits. For names of
// files and cases, and for seeds.
#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"

namespace tileproof {

// Returns the hash of the text. To hash several texts as one, pass the hash of the earlier ones.
inline uint64_t stable_hash(absl::string_view text, uint64_t hash = 0xcbf29ce484222325) {
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace tileproof
