// SPDX-License-Identifier: Apache-2.0
// The smallest and the largest number of elements that maps reach. Private to
// impl/access/utilization*.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "impl/access/image.h"
#include "impl/access/utilization.h"
#include "impl/hlo/indexing.h"
#include "impl/hlo/offsets/resolve_source.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

struct Count {
  int64_t least = 0;
  int64_t most = 0;
};

// For maps without runtime variables. They share the limit on enumerated points.
absl::StatusOr<int64_t> count_union(absl::Span<const IndexingMap> maps,
                                    const std::vector<int64_t>& sizes,
                                    int64_t max_points = kMaxPoints);

// The element that a uniform source reads (impl/hlo/offsets/runtime_terms.h). Variables that read it may be
// clamped differently.
Element element_of(const RuntimeSource& source);

// Limits on counting for each combination of offset values.
struct OffsetLimits {
  int64_t values = kMaxOffsetValues;  // combinations, times maps
  int64_t pieces = int64_t{1} << 22;  // 1 for a combination, plus the runs of its images
};

// For maps that offsets move. All sources are uniform, and there is at least one.
absl::StatusOr<Count> count_with_offsets(absl::Span<const IndexedMap> maps,
                                         const std::vector<int64_t>& sizes,
                                         OffsetLimits limits = {});

// For a map that indices move: each window has its own value.
absl::StatusOr<Count> count_with_indices(const IndexedMap& one, const std::vector<int64_t>& sizes);

}  // namespace tileproof::impl
