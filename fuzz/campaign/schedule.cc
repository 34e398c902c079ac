// SPDX-License-Identifier: Apache-2.0
#include "fuzz/campaign/schedule.h"

#include <algorithm>
#include <utility>

namespace tileproof::campaign {

std::optional<size_t> next_target(absl::Span<const Standing> standings) {
  double best_rate = 0;
  for (const Standing& standing : standings) {
    if (standing.open) best_rate = std::max(best_rate, standing.rate);
  }
  std::optional<size_t> turn;
  double least = 0;
  for (size_t i = 0; i < standings.size(); ++i) {
    const Standing& standing = standings[i];
    if (!standing.open) continue;
    const double weight = 1 + (best_rate > 0 ? 9 * standing.rate / best_rate : 0);
    const double had = static_cast<double>(standing.milliseconds) / weight;
    if (turn && std::pair(had, standing.before) >= std::pair(least, standings[*turn].before)) {
      continue;
    }
    turn = i;
    least = had;
  }
  return turn;
}

void credit(Standing& standing, int64_t new_features, int64_t milliseconds) {
  const double seconds = static_cast<double>(std::max<int64_t>(milliseconds, 1)) / 1000;
  standing.rate = (standing.rate + static_cast<double>(new_features) / seconds) / 2;
}

}  // namespace tileproof::campaign
