// Whose turn is it? Time goes to what still finds coverage.
//
// Every target has a weight of 1 to 10, by how many new features it lately found a second compared
// with the best; the turn is that of the target with the least time per weight. So a target that
// finds nothing gets a tenth of the time of the one that finds most, and none is forgotten.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"

namespace tileproof::campaign {

struct Standing {
  int64_t milliseconds = 0;  // that it had, with what runs now
  int64_t before = 0;        // milliseconds of earlier campaigns
  double rate = 0;           // new features a second, lately
  bool open = true;          // it can be run
};

// The target whose turn it is; of equals the one that had least in earlier campaigns, so
// that several short ones come to all. Nothing where none is open.
std::optional<size_t> next_target(absl::Span<const Standing> standings);

// After a run: half of what is known comes from the last one.
void credit(Standing& standing, int64_t new_features, int64_t milliseconds);

}  // namespace tileproof::campaign
