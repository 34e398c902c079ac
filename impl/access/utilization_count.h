// SPDX-License-Identifier: Apache-2.0
// The smallest and the largest number of elements that maps reach, and the offsets that move these.
// Private to impl/access.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
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

// The offsets that maps use, and the values that each may have; values of them.
using Offsets = std::map<Element, Interval>;
using OffsetValues = std::map<Element, int64_t>;

// Nothing if an index is not the same for all elements.
std::optional<Offsets> offsets_of(absl::Span<const IndexedMap> maps);

// How many combinations of values there are; at most 2^63 - 1.
int64_t combinations_of(const Offsets& offsets);

// Steps to the next values, the first offset fastest, from the lowest ones on. Returns false after
// the last ones.
OffsetValues lowest_of(const Offsets& offsets);
bool next_values(const Offsets& offsets, OffsetValues& values);

// The map with these values of the offsets, clamped, and the lowest ones of the others.
IndexingMap at_offsets(const IndexedMap& one, const OffsetValues& values);

// Whether offsets occur in no other way than as terms of the results, the same ones in all maps.
bool all_shift_alike(absl::Span<const IndexedMap> maps);

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
