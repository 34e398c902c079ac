// How many elements maps reach, at the least and at the most. Private to impl/access/utilization*.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "impl/access/image.h"
#include "impl/access/utilization.h"
#include "impl/hlo/indexing.h"
#include "impl/hlo/resolve_source.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

struct Count {
  int64_t least = 0;
  int64_t most = 0;
};

// Of maps without runtime variables. They share the points that are looked at.
absl::StatusOr<int64_t> count_union(absl::Span<const IndexingMap> maps,
                                    const std::vector<int64_t>& sizes,
                                    int64_t max_points = kMaxPoints);

// The element that a uniform source is (impl/hlo/runtime_terms.h). Variables that are it may be clamped
// differently.
Element element_of(const RuntimeSource& source);

// Where counting for each combination of the values of offsets is given up.
struct OffsetLimits {
  int64_t values = kMaxOffsetValues;  // combinations, times maps
  int64_t pieces = int64_t{1} << 22;  // a combination counts as one, and the runs of its images
};

// Of maps that offsets move, all of whose sources are uniform. There is at least one.
absl::StatusOr<Count> count_with_offsets(absl::Span<const IndexedMap> maps,
                                         const std::vector<int64_t>& sizes,
                                         OffsetLimits limits = {});

// Of a map that indices move: a value for each window.
absl::StatusOr<Count> count_with_indices(const IndexedMap& one, const std::vector<int64_t>& sizes);

}  // namespace tileproof::impl
