// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "picture/access_svg.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::picture {

std::optional<int64_t> number_of(const Dims& index, const Dims& dims) {
  if (index.size() != dims.size()) return std::nullopt;
  int64_t number = 0;
  for (size_t d = 0; d < index.size(); ++d) {
    if (index[d] < 0 || index[d] >= dims[d]) return std::nullopt;
    number = number * dims[d] + index[d];
  }
  return number;
}

Reader::Reader(const ReadArray& array) : maps_(array.maps), dims_(array.dims) {
  for (IndexingMap& map : maps_) {
    for (Variable& variable : map.runtime) variable.bounds.high = variable.bounds.low;
  }
}

absl::StatusOr<std::set<int64_t>> Reader::reads(const Dims& result) {
  std::set<int64_t> found;
  for (IndexingMap& map : maps_) {
    if (map.dimensions.size() != result.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected a map of ", result.size(), " dimensions, found ", to_text(map)));
    }
    // A point outside of the bounds reads nothing.
    std::vector<Variable> bounds = map.dimensions;
    bool inside = true;
    for (size_t d = 0; d < result.size(); ++d) {
      inside = inside && bounds[d].bounds.low <= result[d] && result[d] <= bounds[d].bounds.high;
      map.dimensions[d].bounds = {result[d], result[d]};
    }
    absl::Status status;
    std::optional<Dims> outside;
    if (inside) {
      points_left_ -= spec::box_size(map).value_or(kMostPoints);
      if (points_left_ < 0) {
        status =
            absl::ResourceExhaustedError(absl::StrCat("more than ", kMostPoints, " reads to draw"));
      } else {
        status = spec::for_each_point(
            map, kMostPoints, [&](const spec::Point&, const std::vector<int64_t>& index) {
              const std::optional<int64_t> number = number_of(index, dims_);
              number ? static_cast<void>(found.insert(*number))
                     : static_cast<void>(outside = index);
              return number.has_value();
            });
      }
    }
    map.dimensions = std::move(bounds);
    if (!status.ok()) return status;
    if (outside) {
      return absl::OutOfRangeError(absl::StrCat("[", absl::StrJoin(*outside, ","),
                                                "] is outside of the array [",
                                                absl::StrJoin(dims_, ","), "]"));
    }
  }
  return found;
}

std::string Reader::assumed() const {
  std::vector<std::string> parts;
  if (maps_.empty()) return "";
  const IndexingMap& map = maps_.front();
  for (size_t i = 0; i < map.runtime.size(); ++i) {
    parts.push_back(absl::StrCat(name_of(map, Op::kRuntime, static_cast<int64_t>(i)), " = ",
                                 map.runtime[i].bounds.low));
  }
  return absl::StrJoin(parts, ", ");
}

absl::StatusOr<std::vector<int64_t>> times_read(const ReadArray& array, const Dims& result) {
  const std::optional<int64_t> elements = element_count(array.dims);
  if (!elements || *elements > kMostPoints) {
    return absl::ResourceExhaustedError(
        absl::StrCat("more than ", kMostPoints, " elements to draw"));
  }
  std::vector<int64_t> times(static_cast<size_t>(*elements), 0);
  if (element_count(result) == 0) return times;
  Reader reader(array);
  Dims index(result.size(), 0);
  do {
    const std::set<int64_t> read = TRY(reader.reads(index));
    for (const int64_t number : read) ++times[static_cast<size_t>(number)];
  } while (next_index(result, index));
  return times;
}

}  // namespace tileproof::picture
