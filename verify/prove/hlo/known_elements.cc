// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/known_elements.h"

#include <algorithm>

namespace tileproof::verify {

std::optional<std::vector<int64_t>> elements_of_constant(const HloInstruction& constant) {
  const auto numbers = spec::numbers_of_constant(constant);
  if (!numbers) return std::nullopt;
  std::vector<int64_t> elements;
  for (const absl::int128 number : *numbers) {
    elements.push_back(static_cast<int64_t>(std::min<absl::int128>(number, INT64_MAX)));
  }
  return elements;
}

}  // namespace tileproof::verify
