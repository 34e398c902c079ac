// SPDX-License-Identifier: Apache-2.0
// When a refusal says nothing about the input.
//
// An answer is kOutOfRange if a number leaves 64 bits, and kResourceExhausted if there is too much
// to enumerate or to search. Both are limits of whoever answers. If one side of a comparison reaches
// a limit, whatever the other side answers is no difference, also that the input is invalid.
#pragma once

#include "absl/status/status.h"

namespace tileproof {

inline bool reached_limit(const absl::Status& status) {
  return absl::IsOutOfRange(status) || absl::IsResourceExhausted(status);
}

}  // namespace tileproof
