// SPDX-License-Identifier: Apache-2.0
// tileproof compose: one map after another. tileproof inverse: a map turned around.
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/text.h"
#include "cli/verbs/any_map.h"
#include "cli/verbs/layout_index.h"
#include "cli/verbs/narrow_map.h"
#include "impl/map/compose.h"
#include "impl/map/simplify.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/indexing_map.h"
#include "spec/lang/map/map_text.h"
#include "spec/lang/map/variable_divisors.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::cli {
namespace {

// What compose and inverse note on standard error about maps that do not fit each other.
//
//     compose '(d0) -> (d0), domain: d0 in [0, 29]' '(d0) -> (d0), domain: d0 in [0, 23]'
//       6 of 30 values of d0 are outside the domain of SECOND
//     inverse '(d0) -> (d0 floordiv 2), domain: d0 in [0, 9]'
//       MAP is not one-to-one: d0 = 0 and d0 = 1 both give (0)
//
// Up to 65,536 points are evaluated. Above that, a note may lack the number, or say "may".

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

// The points of FIRST that the composition leaves out. Empty if there are none, or if a variable
// divides.
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

// Whether several elements have the same results. Empty if not.
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

using Parse = absl::StatusOr<AnyMap> (*)(absl::string_view);

absl::StatusOr<AnyMap> parse_side(const char* name, const std::string& argument, Parse parse) {
  const absl::StatusOr<std::string> text = read_argument(argument);
  return prefixed(name, text.ok() ? parse(*text) : text.status());
}

// A map, and a note about it, or "", on standard error.
Answer answer_of(const IndexingMap& map, const std::string& note) {
  if (!note.empty()) std::cerr << "tileproof: note: " << note << "\n";
  const std::string text = to_text(map);
  return {{json_object({{"map", text}})}, text + "\n"};
}

}  // namespace

absl::StatusOr<Answer> compose_command(const Command& given) {
  const std::optional<impl::TileSizes> keep = TRY(kept_tiles(given.text_if("--keep")));
  const auto first = TRY(parse_side("FIRST", given.text("FIRST"), parse_any_divided_map)).map;
  const auto second = TRY(parse_side("SECOND", given.text("SECOND"), parse_any_divided_map)).map;
  IndexingMap map = has_variable_divisors(first) || has_variable_divisors(second)
                        ? TRY(impl::compose_with_variable_divisors(first, second))
                        : TRY(impl::compose(first, second));
  if (!given.flag("--unsimplified")) map = TRY(simplified(map, keep));
  return answer_of(map, left_out_note(first, second, map));
}

absl::StatusOr<Answer> inverse_command(const Command& given) {
  const AnyMap map = TRY(parse_side("MAP", given.text("MAP"), parse_any_map));
  const IndexingMap inverse = TRY(map.layout ? inverse_of(*map.layout) : impl::invert(map.map));
  const bool is_tiled =  // and so one-to-one
      map.layout && std::holds_alternative<spec::TiledLayout>(map.layout->meaning);
  return answer_of(inverse, is_tiled ? "" : one_to_one_note(map.map, inverse));
}

}  // namespace tileproof::cli
