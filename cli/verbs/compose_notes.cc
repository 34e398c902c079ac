// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/compose_notes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "impl/map/simplify.h"
#include "spec/lang/map/map_text.h"
#include "spec/lang/map/variable_divisors.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::cli {
namespace {

using Numbers = std::vector<int64_t>;

constexpr int64_t kMostPoints = 65'536;  // that are evaluated

struct Count {
  int64_t outside, points;
};

bool has_dimensions_only(const IndexingMap& map) {
  return map.ranges.empty() && map.runtime.empty();
}

bool is_within(const Numbers& results, const std::vector<Variable>& dimensions) {
  for (size_t d = 0; d < results.size(); ++d) {
    const Interval& bounds = dimensions[d].bounds;
    if (results[d] < bounds.low || results[d] > bounds.high) return false;
  }
  return true;
}

// Evaluates FIRST at each of its points. Nothing if there are too many.
std::optional<Count> count_by_points(const IndexingMap& first, const IndexingMap& second) {
  Count count{0, 0};
  const auto visit = [&](const spec::Point&, const Numbers& results) {
    ++count.points;
    bool inside = is_within(results, second.dimensions);
    if (inside && has_dimensions_only(second)) {
      inside = spec::in_domain(second, {results, {}, {}}).value_or(true);
    }
    count.outside += inside ? 0 : 1;
    return true;
  };
  if (!spec::for_each_point(first, kMostPoints, visit).ok()) return std::nullopt;
  return count;
}

// The domain of a map, simplified: a map without results.
std::optional<IndexingMap> domain_of(IndexingMap map) {
  map.results.clear();
  absl::StatusOr<IndexingMap> simple = impl::simplify(map);
  if (!simple.ok()) return std::nullopt;
  return *std::move(simple);
}

// Whether all results are in the bounds that SECOND has for them, as far as intervals show.
bool is_surely_inside(const IndexingMap& first, const IndexingMap& second) {
  if (!second.constraints.empty()) return false;
  const absl::StatusOr<IndexingMap> simple = impl::simplify(first);
  if (!simple.ok()) return false;
  if (simple->known_empty) return true;
  for (size_t i = 0; i < simple->results.size(); ++i) {
    const absl::StatusOr<Interval> values = impl::range_of(*simple, simple->results[i]);
    const Interval& bounds = second.dimensions[i].bounds;
    if (!values.ok() || values->low < bounds.low || values->high > bounds.high) return false;
  }
  return true;
}

// Compares two domains that are boxes. Nothing if one is none.
std::optional<Count> count_by_boxes(const IndexingMap& before, const IndexingMap& after) {
  if (!before.constraints.empty() || !after.constraints.empty()) return std::nullopt;
  const std::optional<int64_t> points = spec::box_size(before), left = spec::box_size(after);
  if (!points || !left) return std::nullopt;
  return Count{*points - *left, *points};
}

std::string text_of(const Count& count, const IndexingMap& first, bool at_least) {
  if (count.outside == 0) return "";
  const bool one_variable = first.dimensions.size() == 1 && has_dimensions_only(first);
  return absl::StrCat(at_least ? "at least " : "", count.outside, " of ", count.points, " ",
                      one_variable ? absl::StrCat("values of ", name_of(first, Op::kDimension, 0))
                                   : std::string("points of FIRST"),
                      count.outside == 1 ? " is" : " are", " outside the domain of SECOND");
}

// "d0 = 0, d1 = 1"
std::string index_text(const IndexingMap& map, const Numbers& dims) {
  std::vector<std::string> parts;
  for (size_t d = 0; d < dims.size(); ++d) {
    parts.push_back(
        absl::StrCat(name_of(map, Op::kDimension, static_cast<int64_t>(d)), " = ", dims[d]));
  }
  return absl::StrJoin(parts, ", ");
}

}  // namespace

std::string left_out_note(const IndexingMap& first, const IndexingMap& second,
                          const IndexingMap& composed) {
  if (has_variable_divisors(first) || has_variable_divisors(second)) return "";
  const bool is_exact = has_dimensions_only(second) || second.constraints.empty();
  if (const auto count = count_by_points(first, second)) return text_of(*count, first, !is_exact);
  if (is_surely_inside(first, second)) return "";
  if (has_dimensions_only(second)) {
    const std::optional<IndexingMap> before = domain_of(first), after = domain_of(composed);
    if (before && after) {
      if (const auto count = count_by_boxes(*before, *after)) return text_of(*count, first, false);
      if (to_text(*before) == to_text(*after)) return "";
    }
  }
  return "points of FIRST may be outside the domain of SECOND";
}

std::string one_to_one_note(const IndexingMap& map, const IndexingMap& inverse) {
  if (inverse.ranges.empty()) return "";
  std::map<std::pair<Numbers, Numbers>, Numbers> index_of;  // of results, and runtime values
  std::string note;
  const auto visit = [&](const spec::Point& point, const Numbers& results) {
    const auto [known, is_new] = index_of.try_emplace({results, point.runtime}, point.dims);
    if (!is_new && known->second != point.dims) {
      note = absl::StrCat("MAP is not one-to-one: ", index_text(map, known->second), " and ",
                          index_text(map, point.dims), " both give (", absl::StrJoin(results, ", "),
                          ")");
    }
    return note.empty();
  };
  if (spec::for_each_point(map, kMostPoints, visit).ok()) return note;
  if (!inverse.constraints.empty()) return "MAP may be not one-to-one";
  return "MAP is not one-to-one: the range variables of the inverse count the elements that have "
         "the same results";
}

}  // namespace tileproof::cli
