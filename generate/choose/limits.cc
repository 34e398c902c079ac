// SPDX-License-Identifier: Apache-2.0
#include "generate/choose/limits.h"

namespace tileproof {

int64_t choose_within(Choose& choose, const Limit& limit, int64_t rare) {
  const bool large = limit.usual < limit.most && choose.chance(1, rare);
  return large ? choose.between(limit.usual + 1, limit.most)
               : choose.between(limit.least, limit.usual);
}

absl::Span<const Limit* const> all_limits() {
#define TILEPROOF_ADDRESS(name, ...) &limits::name,
  static constexpr const Limit* kAll[] = {TILEPROOF_LIMITS(TILEPROOF_ADDRESS)};
#undef TILEPROOF_ADDRESS
  return kAll;
}

}  // namespace tileproof
