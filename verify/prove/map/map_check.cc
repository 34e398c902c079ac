// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/map/map_check.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "impl/access/image.h"
#include "impl/map/compose.h"
#include "impl/map/simplify.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/expr_text.h"
#include "spec/lang/map/interval.h"
#include "spec/lang/map/variable_divisors.h"
#include "verify/prove/map/divided_equal.h"
#include "verify/prove/map/map_points.h"
#include "verify/trace/trace_text.h"

namespace tileproof::verify {
namespace {

using Numbers = std::vector<int64_t>;
using spec::MapFact;
using spec::Wide;

constexpr int kMostQuestions = 200;          // that make one counterexample smaller
constexpr int64_t kClippedPoints = 1 << 16;  // near the low corner

absl::StatusOr<MapEquality> decide(const IndexingMap& left, const IndexingMap& right,
                                   const CheckOptions& options) {
  EqualOptions asked;
  asked.milliseconds = options.milliseconds;
  return equal_with_variable_divisors(left, right, asked);
}

int64_t affordable_points(const IndexingMap& map, const CheckOptions& options) {
  return options.points / (std::ssize(map.nodes) / 32 + 1);
}

// What the reference found, or nothing if there are too many points for it.
absl::StatusOr<std::optional<CheckedFact>> by_points(absl::StatusOr<MapFact> fact) {
  if (absl::IsResourceExhausted(fact.status())) return std::nullopt;
  if (!fact.ok()) return fact.status();
  const Verdict verdict = fact->holds() ? Verdict::kProven : Verdict::kRefuted;
  return CheckedFact{verdict, "points", *std::move(fact), true, ""};
}

CheckedFact proven(absl::string_view by) {
  return {Verdict::kProven, std::string(by), std::nullopt, false, ""};
}

CheckedFact refuted(absl::string_view by, MapFact fact) {
  fact.against = 1;
  return {Verdict::kRefuted, std::string(by), std::move(fact), false, ""};
}

CheckedFact undecided(absl::string_view why) {
  return {Verdict::kUndecided, "", std::nullopt, false, std::string(why)};
}

std::string open_text(const MapEquality& equality) {
  return equality.open.empty() ? "the prover found neither a proof nor a point" : equality.open;
}

// Moves the difference to the least value of the first variable, then of the second, and so on.
spec::Point smallest_difference(IndexingMap left, IndexingMap right, spec::Point at,
                                const CheckOptions& options) {
  CheckOptions quick = options;
  quick.milliseconds = std::min<int64_t>(options.milliseconds, 500);
  int questions = 0;
  for (const Op kind : kVariableKinds) {
    for (size_t i = 0; i < variables_of(left, kind).size(); ++i) {
      Interval& of_left = variables_of(left, kind)[i].bounds;
      Interval& of_right = variables_of(right, kind)[i].bounds;
      int64_t low = std::min(of_left.low, of_right.low);
      const Interval lefts = of_left, rights = of_right;
      while (low < values_of(at, kind)[i]) {
        const int64_t middle = std::midpoint(low, values_of(at, kind)[i]);  // below the value
        of_left.high = std::min(lefts.high, middle);
        of_right.high = std::min(rights.high, middle);
        const auto equality = decide(left, right, quick);
        if (++questions > kMostQuestions || !equality.ok()) return at;
        if (equality->verdict == Verdict::kUndecided) return at;
        if (equality->verdict == Verdict::kRefuted) {
          at = equality->difference->at;
        } else {
          low = middle + 1;
        }
      }
      const int64_t value = values_of(at, kind)[i];
      of_left = {std::max(lefts.low, value), std::min(lefts.high, value)};
      of_right = {std::max(rights.low, value), std::min(rights.high, value)};
    }
  }
  return at;
}

// ---- Maps ----

// Makes the variables of these kinds the last dimensions.
IndexingMap all_dimensions(IndexingMap map, bool runtime) {
  for (const Op kind : {Op::kRange, Op::kRuntime}) {
    if (kind == Op::kRuntime && !runtime) continue;
    std::vector<Variable>& variables = variables_of(map, kind);
    const int64_t moved = std::ssize(map.dimensions);
    for (Node& node : map.nodes) {
      if (node.op == kind) node = {.op = Op::kDimension, .value = node.value + moved};
    }
    map.dimensions.insert(map.dimensions.end(), variables.begin(), variables.end());
    variables.clear();
  }
  for (Variable& variable : map.dimensions) variable.name.clear();
  return map;
}

// The point of `map` that is one of all_dimensions(map).
spec::Point point_in(const IndexingMap& map, const Numbers& dims, const Numbers& runtime) {
  const auto ranges = dims.begin() + std::ssize(map.dimensions);
  return {Numbers(dims.begin(), ranges), Numbers(ranges, dims.end()), runtime};
}

IndexingMap identity_on(const IndexingMap& map) {
  IndexingMap identity = map;
  identity.results.clear();
  for (int64_t d = 0; d < std::ssize(map.dimensions); ++d)
    identity.results.push_back(add_variable(identity.nodes, Op::kDimension, d));
  return identity;
}

// The domain of the map; and the part of it in which each of these expressions is in its interval.
struct Domains {
  IndexingMap all, part;
};
Domains domains_of(const IndexingMap& map, const std::vector<NodeId>& roots,
                   const std::vector<Interval>& box) {
  Domains domains{map, map};
  domains.all.results.clear();
  domains.part.results.clear();
  for (size_t i = 0; i < roots.size(); ++i) domains.part.constraints.push_back({roots[i], box[i]});
  return domains;
}

// A point of the domain at which an expression leaves its interval; or the proof that there is none.
absl::StatusOr<CheckedFact> check_within(const IndexingMap& map, const std::vector<NodeId>& roots,
                                         const std::vector<Interval>& box,
                                         const CheckOptions& options) {
  bool stays = true;
  for (size_t i = 0; i < roots.size() && stays; ++i) {
    const std::optional<Interval> values = interval_of(map, roots[i]);
    stays = values && values->low >= box[i].low && values->high <= box[i].high;
  }
  if (stays) return proven("bounds");
  const auto [all, part] = domains_of(map, roots, box);
  const MapEquality equality = TRY(decide(part, all, options));
  if (equality.verdict == Verdict::kUndecided) return undecided(open_text(equality));
  if (equality.verdict == Verdict::kProven) return proven(to_text(equality.basis));
  MapFact fact;
  fact.at = {smallest_difference(part, all, equality.difference->at, options)};
  return refuted(to_text(equality.basis), std::move(fact));
}

// The map on a box of few points at the low ends of its variables.
IndexingMap clipped(IndexingMap map) {
  std::vector<Variable*> variables;
  for (const Op kind : kVariableKinds) {
    for (Variable& variable : variables_of(map, kind)) variables.push_back(&variable);
  }
  const auto size = [](const Variable* v) { return Wide{v->bounds.high} - v->bounds.low + 1; };
  for (;;) {
    Wide points = 1;
    for (const Variable* variable : variables)
      points = std::min(points * size(variable), Wide{1} << 64);
    if (points <= kClippedPoints) return map;
    Variable* longest = *std::ranges::max_element(variables, {}, size);
    longest->bounds.high = longest->bounds.low + static_cast<int64_t>((size(longest) - 1) / 2);
  }
}

// Two points x and y of a map without range variables: their dimensions, and map(x) = map(y). The
// results are x in one map and y in the other.
struct Twins {
  IndexingMap first, second;
};
Twins twins_of(const IndexingMap& map) {
  IndexingMap both = map;
  const int64_t dims = std::ssize(map.dimensions);
  const auto offset = static_cast<NodeId>(map.nodes.size());
  for (Node node : map.nodes) {
    if (node.op == Op::kDimension) node.value += dims;
    if (!is_leaf(node.op)) {
      node.left += offset;
      node.right += offset;
    }
    both.nodes.push_back(node);
  }
  both.dimensions.insert(both.dimensions.end(), map.dimensions.begin(), map.dimensions.end());
  for (const Constraint& constraint : map.constraints)
    both.constraints.push_back({constraint.expr + offset, constraint.interval});
  for (const NodeId result : map.results) {
    const NodeId minus_one = add_constant(both.nodes, -1);
    const NodeId negated = add_operation(both.nodes, Op::kMul, result + offset, minus_one);
    both.constraints.push_back({add_operation(both.nodes, Op::kAdd, result, negated), {0, 0}});
  }
  both.results.clear();
  Twins twins{both, both};
  for (int64_t d = 0; d < dims; ++d) {
    twins.first.results.push_back(add_variable(twins.first.nodes, Op::kDimension, d));
    twins.second.results.push_back(add_variable(twins.second.nodes, Op::kDimension, dims + d));
  }
  return twins;
}

// The inverse, if it is a function: it has no range variables.
std::optional<IndexingMap> inverse_function(const IndexingMap& map) {
  if (has_variable_divisors(map) || !map.runtime.empty()) return std::nullopt;
  absl::StatusOr<IndexingMap> inverse = impl::invert(map);
  if (!inverse.ok() || !inverse->ranges.empty() || inverse->known_empty) return std::nullopt;
  return *std::move(inverse);
}

CheckedFact never_given(const IndexingMap& map, const Numbers& element, absl::string_view by,
                        const CheckOptions& options) {
  if (never_gives(map, element, options) != Verdict::kProven) {
    return undecided(
        absl::StrCat("no proof that (", absl::StrJoin(element, ", "), ") is never reached"));
  }
  MapFact fact;
  fact.results = element;
  return refuted(by, std::move(fact));
}

std::optional<int64_t> least_missing(const impl::NumberSet& numbers, int64_t size) {
  int64_t next = 0;
  if (const std::optional<int64_t> step = numbers.progression()) {
    const Interval hull = numbers.hull();
    if (hull.low > 0) return 0;
    if (*step > 1 && hull.high > 0) return 1;
    next = hull.high + 1;
  } else {
    for (const int64_t number : numbers.numbers()) {
      if (number != next) break;
      ++next;
    }
  }
  return next < size ? std::optional(next) : std::nullopt;
}

// The smallest element of the box that is not in the image: all 0, but for one block.
std::optional<Numbers> least_missing(const impl::Image& image, const Numbers& sizes) {
  if (image.empty) return Numbers(sizes.size(), 0);
  std::optional<Numbers> least;
  for (const impl::Image::Block& block : image.blocks) {
    int64_t size = 1;
    for (const int32_t result : block.results) size *= sizes[result];
    std::optional<int64_t> number = least_missing(block.numbers, size);
    if (!number) continue;
    Numbers element(sizes.size(), 0);
    for (size_t i = block.results.size(); i-- > 0;) {
      const int32_t result = block.results[i];
      element[result] = *number % sizes[result];
      *number /= sizes[result];
    }
    if (!least || element < *least) least = element;
  }
  return least;
}

// By the image in closed form. `map` has dimensions only, and results in the box.
absl::StatusOr<CheckedFact> onto_by_image(const IndexingMap& map, const Numbers& sizes,
                                          const CheckOptions& options) {
  if (has_variable_divisors(map)) return undecided("variables divide, and there are many points");
  const IndexingMap simple = TRY(impl::simplify(map));
  if (simple.known_empty) return never_given(map, Numbers(sizes.size(), 0), "image", options);
  const absl::StatusOr<impl::Image> image = impl::image_of(simple, sizes);
  const absl::StatusOr<int64_t> count =
      image.ok() ? impl::union_size({&*image, 1}, sizes) : image.status();
  if (!count.ok()) return undecided(count.status().message());
  Wide elements = 1;
  for (const int64_t size : sizes) elements *= size;
  if (*count == elements) return proven("image");
  const std::optional<Numbers> missing = least_missing(*image, sizes);
  if (!missing) return undecided("the image has fewer elements, but none is missing");
  CheckedFact checked = never_given(map, *missing, "image", options);
  if (checked.verdict == Verdict::kRefuted && elements <= INT64_MAX) {
    checked.fact->of = static_cast<int64_t>(elements);
    checked.fact->against = checked.fact->of - *count;
    checked.is_counted = true;
  }
  return checked;
}

std::string counted_text(const CheckedFact& checked, absl::string_view what) {
  if (!checked.is_counted) return "";
  return absl::StrCat("; ", checked.fact->against, " of ", checked.fact->of, what);
}

}  // namespace

absl::StatusOr<CheckedFact> check_inside(const IndexingMap& map, const std::vector<Interval>& box,
                                         const CheckOptions& options) {
  const auto points = TRY(by_points(spec::inside(map, box, affordable_points(map, options))));
  if (points) return *points;
  CheckedFact checked = TRY(check_within(map, map.results, box, options));
  if (checked.verdict == Verdict::kRefuted) {
    const auto results = TRY(spec::evaluate(map, checked.fact->at[0]));
    if (results) checked.fact->results = *results;
  }
  return checked;
}

absl::StatusOr<CheckedFact> check_width(const IndexingMap& map, const spec::IntegerWidth& width,
                                        const CheckOptions& options) {
  const Interval integers = TRY(spec::integers_of(width));
  const auto points =
      TRY(by_points(spec::within_width(map, width, affordable_points(map, options))));
  if (points) return *points;
  const spec::Parts parts = spec::parts_of(map);
  const std::vector<Interval> box(parts.parts.size(), integers);
  CheckedFact checked = TRY(check_within(parts.map, parts.parts, box, options));
  if (checked.verdict != Verdict::kRefuted) return checked;
  for (const NodeId part : parts.parts) {
    const auto value = spec::evaluate_expression<spec::Exact>(
        parts.map.nodes, part, spec::ExactAtPoint{checked.fact->at[0]});
    if (value.value && *value.value >= integers.low && *value.value <= integers.high) continue;
    checked.fact->part = part;
    checked.fact->value = value;
    return checked;
  }
  return undecided("the reference does not confirm the point of the prover");
}

absl::StatusOr<CheckedFact> check_one_to_one(const IndexingMap& map, const CheckOptions& options) {
  const int64_t budget = affordable_points(map, options);
  const auto points = TRY(by_points(spec::one_to_one(map, budget)));
  if (points) return *points;
  const auto near = TRY(by_points(spec::one_to_one(clipped(map), kClippedPoints)));
  if (near && near->verdict == Verdict::kRefuted) return refuted("points", *near->fact);
  const IndexingMap flat = all_dimensions(map, false);
  if (const std::optional<IndexingMap> inverse = inverse_function(flat)) {
    const IndexingMap there_and_back = TRY(impl::compose(flat, *inverse));
    const MapEquality equality = TRY(decide(there_and_back, identity_on(flat), options));
    if (equality.verdict == Verdict::kProven) return proven("inverse");
  }
  const auto [first, second] = twins_of(flat);
  const MapEquality equality = TRY(decide(first, second, options));
  if (equality.verdict == Verdict::kUndecided) return undecided(open_text(equality));
  if (equality.verdict == Verdict::kProven) return proven(to_text(equality.basis));
  const spec::Point at = smallest_difference(first, second, equality.difference->at, options);
  const auto half = at.dims.begin() + std::ssize(flat.dimensions);
  MapFact fact;
  fact.at = {point_in(map, Numbers(at.dims.begin(), half), at.runtime),
             point_in(map, Numbers(half, at.dims.end()), at.runtime)};
  const auto results = TRY(spec::evaluate(map, fact.at[0]));
  if (results) fact.results = *results;
  return refuted(to_text(equality.basis), std::move(fact));
}

absl::StatusOr<CheckedFact> check_onto(const IndexingMap& map, const Numbers& sizes,
                                       const CheckOptions& options) {
  const int64_t budget = affordable_points(map, options);
  const auto points = TRY(by_points(spec::onto(map, sizes, budget)));
  if (points) return *points;
  IndexingMap flat = all_dimensions(map, true);
  std::vector<Interval> box;
  IndexingMap elements;
  for (const int64_t size : sizes) {
    box.push_back({0, size - 1});
    elements.dimensions.push_back({box.back(), ""});
  }
  elements = identity_on(elements);
  for (size_t i = 0; i < flat.results.size(); ++i)
    flat.constraints.push_back({flat.results[i], box[i]});
  if (const std::optional<IndexingMap> inverse = inverse_function(flat)) {
    const IndexingMap back_and_there = TRY(impl::compose(*inverse, flat));
    const MapEquality equality = TRY(decide(back_and_there, elements, options));
    if (equality.verdict == Verdict::kProven) return proven("inverse");
    if (equality.verdict == Verdict::kRefuted) {
      const spec::Point at =
          smallest_difference(back_and_there, elements, equality.difference->at, options);
      return never_given(flat, at.dims, "inverse", options);
    }
  }
  return onto_by_image(flat, sizes, options);
}

Verdict never_gives(const IndexingMap& map, const Numbers& element, const CheckOptions& options) {
  std::vector<Interval> box;
  for (const int64_t i : element) box.push_back({i, i});
  const IndexingMap given = domains_of(map, map.results, box).part;
  IndexingMap nothing = given;
  nothing.constraints = {{add_constant(nothing.nodes, 0), {1, 1}}};
  const auto equality = decide(given, nothing, options);
  return equality.ok() ? equality->verdict : Verdict::kUndecided;
}

// ---- Text ----

std::string text_of_outside(const IndexingMap& map, const std::vector<Interval>& box,
                            const CheckedFact& checked) {
  const MapFact& fact = *checked.fact;
  size_t d = 0;
  while (d + 1 < box.size() && fact.results[d] >= box[d].low && fact.results[d] <= box[d].high) ++d;
  const std::string where = box[d].low == 0
                                ? absl::StrCat("dimension ", d, " of size ", box[d].high + 1)
                                : absl::StrCat(box[d].low, "..", box[d].high, " of dimension ", d);
  return absl::StrCat(to_text(map, fact.at[0]), " gives (", absl::StrJoin(fact.results, ", "),
                      "), outside ", where,
                      counted_text(checked, fact.against == 1 ? " points does" : " points do"));
}

std::string text_of_meeting(const IndexingMap& map, const CheckedFact& checked) {
  const MapFact& fact = *checked.fact;
  return absl::StrCat(to_text(map, fact.at[0]), " and ", to_text(map, fact.at[1]), " both give (",
                      absl::StrJoin(fact.results, ", "), ")",
                      counted_text(checked, fact.against == 1 ? " points meets an earlier one"
                                                              : " points meet an earlier one"));
}

std::string text_of_missing(const CheckedFact& checked) {
  return absl::StrCat("(", absl::StrJoin(checked.fact->results, ", "), ") is never reached",
                      counted_text(checked, checked.fact->against == 1 ? " is" : " are"));
}

std::string text_of_leaving(const IndexingMap& map, const CheckedFact& checked) {
  std::string text;
  append_expression(text, spec::parts_of(map).map, checked.fact->part);
  const std::optional<Wide>& value = checked.fact->value.value;
  const std::string number = value ? trace::to_text(*value) : "more than 127 bits hold";
  return absl::StrCat(
      text, " at ", to_text(map, checked.fact->at[0]), " is ", number,
      counted_text(checked,
                   checked.fact->against == 1 ? " points does" : " points leave the width"));
}

}  // namespace tileproof::verify
