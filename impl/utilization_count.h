// How many elements maps reach, at the least and at the most. Private to impl/utilization*.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "impl/image.h"
#include "impl/indexing.h"
#include "spec/lang/indexing_map.h"

namespace tileproof::impl {

struct Count {
  int64_t least = 0;
  int64_t most = 0;
};

// Of maps without runtime variables. They share the points that are looked at.
absl::StatusOr<int64_t> count_union(absl::Span<const IndexingMap> maps,
                                    const std::vector<int64_t>& sizes,
                                    int64_t max_points = kMaxPoints);

// Of a map that indices move: a value for each window.
absl::StatusOr<Count> count_with_indices(const IndexedMap& one, const std::vector<int64_t>& sizes);

}  // namespace tileproof::impl
