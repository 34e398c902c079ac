// SPDX-License-Identifier: Apache-2.0
// Offsets that are the same for all elements that are read: dynamic-slice and similar operations.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "impl/access/not_counted.h"
#include "impl/access/utilization_count.h"
#include "impl/hlo/offsets/runtime_terms.h"
#include "impl/map/normal_form/linear.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {
namespace {

using Sizes = std::vector<int64_t>;

// The terms that offsets add to each result, if they occur in no other way. They must be the same
// in all maps.
using Shift = std::vector<std::map<std::pair<Element, int64_t>, int64_t>>;
std::optional<Shift> shift_of(const IndexedMap& one) {
  for (const Constraint& constraint : one.map.constraints) {
    if (uses(one.map, constraint.expr, Op::kRuntime)) return std::nullopt;
  }
  Shift shift;
  for (NodeId result : one.map.results) {
    const auto terms = runtime_terms(one.map, result);
    if (!terms) return std::nullopt;
    shift.emplace_back();
    for (const auto& [variable, factor] : *terms) {
      const RuntimeSource& source = one.runtime[variable];
      if (!is_uniform(source)) return std::nullopt;
      shift.back()[{element_of(source), source.feasible.high}] += factor;
    }
  }
  return shift;
}

// The cost of counting once: 1, plus the runs of the images.
absl::StatusOr<int64_t> pieces_of(absl::Span<const IndexedMap> maps, const OffsetValues& values,
                                  const Sizes& sizes, int64_t max_points) {
  int64_t pieces = 1;
  for (const IndexedMap& one : maps) {
    const Image image = TRY(image_of(at_offsets(one, values), sizes, max_points));
    for (const Image::Block& block : image.blocks) pieces += block.numbers.runs();
  }
  return pieces;
}

}  // namespace

Element element_of(const RuntimeSource& source) {
  Element element{source.position, {}};
  for (NodeId result : source.map.results) element.index.push_back(source.map.nodes[result].value);
  return element;
}

std::optional<Offsets> offsets_of(absl::Span<const IndexedMap> maps) {
  Offsets offsets;
  for (const IndexedMap& one : maps) {
    const std::vector<bool> used = runtime_used(one.map);
    for (size_t i = 0; i < used.size(); ++i) {
      if (!used[i]) continue;
      if (!is_uniform(one.runtime[i])) return std::nullopt;
      const Interval& feasible = one.runtime[i].feasible;
      const auto [known, is_new] = offsets.try_emplace(element_of(one.runtime[i]), feasible);
      known->second.low = std::min(known->second.low, feasible.low);
      known->second.high = std::max(known->second.high, feasible.high);
    }
  }
  return offsets;
}

int64_t combinations_of(const Offsets& offsets) {
  Wide combinations = 1;
  for (const auto& [offset, range] : offsets)
    combinations = std::min(combinations * (Wide{range.high} - range.low + 1), Wide{INT64_MAX});
  return static_cast<int64_t>(combinations);
}

OffsetValues lowest_of(const Offsets& offsets) {
  OffsetValues values;
  for (const auto& [offset, range] : offsets) values[offset] = range.low;
  return values;
}

bool next_values(const Offsets& offsets, OffsetValues& values) {
  for (auto& [offset, value] : values) {
    const Interval& range = offsets.at(offset);
    if (++value <= range.high) return true;
    value = range.low;
  }
  return false;
}

IndexingMap at_offsets(const IndexedMap& one, const OffsetValues& values) {
  std::vector<int64_t> runtime;
  for (const RuntimeSource& source : one.runtime) {
    const auto value = is_uniform(source) ? values.find(element_of(source)) : values.end();
    runtime.push_back(value == values.end()
                          ? source.feasible.low
                          : std::clamp(value->second, source.feasible.low, source.feasible.high));
  }
  return with_runtime(one.map, runtime);
}

bool all_shift_alike(absl::Span<const IndexedMap> maps) {
  const std::optional<Shift> first = shift_of(maps[0]);
  return first && std::ranges::all_of(
                      maps, [&first](const IndexedMap& one) { return shift_of(one) == first; });
}

absl::StatusOr<Count> count_with_offsets(absl::Span<const IndexedMap> maps, const Sizes& sizes,
                                         OffsetLimits limits) {
  const Offsets offsets = offsets_of(maps).value_or(Offsets());
  const Wide combinations = combinations_of(offsets);
  OffsetValues values = lowest_of(offsets);
  int64_t max_points = kMaxPoints;
  const auto count = [&] {
    std::vector<IndexingMap> fixed;
    for (const IndexedMap& one : maps) fixed.push_back(at_offsets(one, values));
    return count_union(fixed, sizes, max_points);
  };
  if (all_shift_alike(maps)) {
    const int64_t moved = TRY(count());
    return Count{moved, moved};
  }
  if (combinations * std::ssize(maps) > limits.values) {
    return not_counted("offsets have many values");
  }
  max_points = kMaxPoints / static_cast<int64_t>(combinations);
  const int64_t pieces = TRY(pieces_of(maps, values, sizes, max_points));
  if (combinations * pieces > limits.pieces) return not_counted("offsets have many values");
  std::optional<Count> whole;
  do {
    const int64_t found = TRY(count());
    if (!whole) whole = {found, found};
    whole = {std::min(whole->least, found), std::max(whole->most, found)};
  } while (next_values(offsets, values));
  return *whole;
}

}  // namespace tileproof::impl
