// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "conform/oracle/fields.h"
#include "conform/oracle/operations.h"
#include "conform/protocol/memo.h"
#include "impl/access/coalescing.h"
#include "impl/map/compose.h"
#include "impl/map/evaluate.h"
#include "impl/map/simplify.h"
#include "spec/access/coalescing.h"
#include "spec/base/exact_int.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/map_evaluation.h"
#include "verify/prove/map/map_equal.h"
#include "verify/prove/map/map_points.h"

namespace tileproof::conform {
namespace {

using Number = spec::Exact;
using spec::exact;
using spec::Wide;
using PointResults = std::optional<std::vector<int64_t>>;

struct Attempt {
  int64_t milliseconds;
  int64_t enumerated;
  bool normal_forms;
};

// The first attempt has small limits, decides nearly all questions, and rests only on the reference
// and the solver. The second may use normal forms, for which verify/trace has accepted a log of
// proven steps. The third enumerates more points and gives the solver more time.
constexpr Attempt kAttempts[] = {
    {200, 300'000, false}, {1'000, 300'000, true}, {20'000, 30'000'000, false}};

absl::StatusOr<verify::MapEquality> equality_of(const IndexingMap& left, const IndexingMap& right) {
  absl::StatusOr<verify::MapEquality> equality;
  for (const Attempt& attempt : kAttempts) {
    verify::EqualOptions options;
    options.milliseconds = attempt.milliseconds;
    options.enumerated = attempt.enumerated;
    options.normal_forms = attempt.normal_forms;
    options.sampled_first = &attempt != &kAttempts[0];
    equality = verify::equal(left, right, options);
    if (!equality.ok() || equality->verdict != verify::Verdict::kUndecided) break;
  }
  return equality;
}

Assessment meaning_of(const IndexingMap& left, const IndexingMap& right) {
  const absl::StatusOr<verify::MapEquality> equality = equality_of(left, right);
  if (!equality.ok()) return open(equality.status().message());
  switch (equality->verdict) {
    case verify::Verdict::kProven:
      return {};
    case verify::Verdict::kRefuted:
      return wrong("at ", to_text(left, *equality->difference));
    case verify::Verdict::kUndecided:
      break;
  }
  return open("neither proven nor refuted in time");
}

std::string counts_of(const IndexingMap& map) {
  return absl::StrCat(map.dimensions.size(), ", ", map.ranges.size(), ", ", map.runtime.size());
}

bool same_counts(const IndexingMap& a, const IndexingMap& b) {
  return std::all_of(std::begin(kVariableKinds), std::end(kVariableKinds), [&](Op kind) {
    return variables_of(a, kind).size() == variables_of(b, kind).size();
  });
}

bool same_names(const IndexingMap& a, const IndexingMap& b) {
  return std::all_of(std::begin(kVariableKinds), std::end(kVariableKinds), [&](Op kind) {
    return std::ranges::equal(variables_of(a, kind), variables_of(b, kind), {}, &Variable::name,
                              &Variable::name);
  });
}

// The map of an answer. An error if its numbers of variables and results differ from `expected`.
absl::StatusOr<IndexingMap> answered(const Json& result, const IndexingMap& expected) {
  const auto* text = result.as<std::string>();
  if (text == nullptr) return invalid("expected a map, a string");
  absl::StatusOr<IndexingMap> map = parse_answer(*text, expected);
  if (!map.ok()) return invalid("not a map: ", map.status().message());
  if (!same_counts(*map, expected)) {
    return invalid("expected ", counts_of(expected),
                   " dimension, range and runtime variables, found ", counts_of(*map));
  }
  if (!map->known_empty && map->results.size() != expected.results.size()) {
    return invalid("expected ", expected.results.size(), " results, found ", map->results.size());
  }
  return map;
}

// Checks the counterexample of an answer {"equal": false, ..}.
Assessment judge_point(const IndexingMap& left, const IndexingMap& right, const Json& result) {
  const Json* at = find(result, "at");
  const absl::StatusOr<spec::Point> point =
      at == nullptr ? invalid("expected the key \"at\"") : point_in(*at);
  if (!point.ok()) return wrong(point.status().message());
  const absl::StatusOr<PointResults> of_left = spec::evaluate(left, *point);
  const absl::StatusOr<PointResults> of_right = spec::evaluate(right, *point);
  if (absl::IsInvalidArgument(of_left.status())) return wrong(of_left.status().message());
  switch (verify::compare_at(left, right, *point)) {
    case verify::AtPoint::kSame:
      return wrong("the maps agree at ", spec::to_text(left, *point));
    case verify::AtPoint::kUnknown:
      return open("a value at the claimed point needs more than 127 bits");
    case verify::AtPoint::kDiffer:
      break;
  }
  const auto claims = [&result](absl::string_view key,
                                const absl::StatusOr<PointResults>& results) {
    const Json* claimed = find(result, key);
    if (claimed == nullptr) return false;
    return !results.ok() || *claimed == (*results ? Json(**results) : Json());
  };
  const bool both = claims("left", of_left) && claims("right", of_right);
  return both ? Assessment{} : wrong("the maps differ there, but not with the claimed results");
}

// ---- Intermediate values ----

bool fits(const Number& x) { return spec::to_int64(x).has_value(); }

// The value of each node that a result or a constraint uses.
std::vector<std::pair<NodeId, Number>> values_at(const IndexingMap& map, const spec::Point& point) {
  const std::vector<NodeId> nodes = spec::nodes_under(map.nodes, roots_of(map));
  const std::vector<Number> values =
      spec::evaluate_expressions<Number>(map.nodes, nodes, spec::ExactAtPoint{point});
  std::vector<std::pair<NodeId, Number>> result;
  for (size_t i = 0; i < nodes.size(); ++i) result.emplace_back(nodes[i], values[i]);
  return result;
}

struct Range {
  Number low, high;
};

Number smaller(const Number& a, const Number& b) {
  if (!a.value || !b.value) return {};
  return *a.value < *b.value ? a : b;
}
Number greater(const Number& a, const Number& b) {
  if (!a.value || !b.value) return {};
  return *a.value < *b.value ? b : a;
}

Range around(std::initializer_list<Number> values) {
  Range range{*values.begin(), *values.begin()};
  for (const Number& value : values) {
    range = {smaller(range.low, value), greater(range.high, value)};
  }
  return range;
}

// The range of `a op b`. Divisors are constants.
Range range_of(Op op, const Range& a, const Range& b) {
  const auto at = [&](const Number& x, const Number& y) { return spec::apply<Number>(op, x, y); };
  if (op == Op::kMod) return around({exact(0), b.low + exact(1), b.low + exact(-1)});
  if (op == Op::kAdd) return {a.low + b.low, a.high + b.high};
  return around({at(a.low, b.low), at(a.low, b.high), at(a.high, b.low), at(a.high, b.high)});
}

// OK if both maps have the same number of results and of variables of each kind.
absl::Status check_comparable(const IndexingMap& left, const IndexingMap& right) {
  if (!same_counts(left, right)) {
    return invalid("expected maps with as many variables of each kind, found ", counts_of(left),
                   " and ", counts_of(right));
  }
  if (left.results.size() != right.results.size()) {
    return invalid("expected maps with as many results, found ", left.results.size(), " and ",
                   right.results.size());
  }
  return absl::OkStatus();
}

// True if an intermediate value at the point does not fit 64 bits. Intermediate values include
// x - x mod c for x mod c, and -x for x ceildiv c.
bool leaves_64_bits(const IndexingMap& map, const spec::Point& point) {
  const std::vector<std::pair<NodeId, Number>> values = values_at(map, point);
  std::vector<Number> of(map.nodes.size());
  for (const auto& [id, value] : values) of[id] = value;
  return std::any_of(values.begin(), values.end(), [&](const auto& entry) {
    const Node& node = map.nodes[entry.first];
    if (!fits(entry.second)) return true;
    if (node.op == Op::kMod) return !fits(of[node.left] - entry.second);
    return node.op == Op::kCeilDiv && !fits(-of[node.left]);
  });
}

// True if an intermediate value needs more than 127 bits. Then the reference has no answer.
bool leaves_127_bits(const IndexingMap& map, const spec::Point& point) {
  const std::vector<std::pair<NodeId, Number>> values = values_at(map, point);
  return std::any_of(values.begin(), values.end(),
                     [](const auto& entry) { return !entry.second.value.has_value(); });
}

using Results = absl::StatusOr<std::optional<std::vector<int64_t>>>;

// The text of a computed map, or an error if the map is too large for the parser.
absl::StatusOr<Json> written(const IndexingMap& map) {
  const absl::Status status = validate(map);
  if (!status.ok()) {
    return absl::OutOfRangeError(absl::StrCat("the result: ", status.message()));
  }
  return Json(to_text(map));
}

Json results_json(const std::optional<std::vector<int64_t>>& results) {
  return results ? Json(*results) : Json();
}

absl::StatusOr<Json> answer_of(const verify::MapEquality& equality) {
  if (equality.verdict == verify::Verdict::kProven) return json_object({{"equal", true}});
  if (equality.verdict == verify::Verdict::kUndecided) return json_object({{"equal", Json()}});
  const verify::MapDifference& difference = *equality.difference;
  for (const Results* results : {&difference.left, &difference.right}) {
    if (!results->ok()) return results->status();
  }
  return json_object({{"equal", false},
                      {"at", point_json(difference.at)},
                      {"left", results_json(*difference.left)},
                      {"right", results_json(*difference.right)}});
}

// True if the request gives each variable an integer, of any size.
bool any_integers(const Json& request, const IndexingMap& map) {
  for (const auto& [key, kind] : kValueKeys) {
    const auto* array = find_as<Json::Array>(request, key);
    if ((array == nullptr ? 0 : array->size()) != variables_of(map, kind).size()) return false;
    for (size_t i = 0; array != nullptr && i < array->size(); ++i) {
      if (!is_integer((*array)[i])) return false;
    }
  }
  return true;
}

constexpr int64_t kBudget = 2'000'000;  // points that the reference enumerates

struct WarpsQuestion {
  IndexingMap threads, access;
  Shape array;
  Warps warps;
};

absl::StatusOr<int64_t> number_under(const Json& request, absl::string_view key, int64_t most) {
  const Json* given = find(request, key);
  if (given == nullptr) return 32;
  const auto* number = given->as<int64_t>();
  if (number != nullptr && *number >= 1 && *number <= most) return *number;
  return invalid(key, ": expected a number in [1, ", most, "]");
}

absl::StatusOr<WarpsQuestion> read_warps_question(const Json& request) {
  IndexingMap threads = TRY(map_under(request, "threads"));
  IndexingMap access = TRY(map_under(request, "access"));
  const auto* text = find_as<std::string>(request, "shape");
  if (text == nullptr) return invalid("shape: expected a shape");
  absl::StatusOr<Shape> shape = parse_shape(*text);
  if (!shape.ok()) return invalid("shape: ", shape.status().message());
  const auto warp = TRY(number_under(request, "warp", 1024));
  const auto width = TRY(number_under(request, "width", 4096));
  return WarpsQuestion{std::move(threads), std::move(access), *std::move(shape), {warp, width}};
}

Json to_json(const TransactionCounts& accesses) {
  return json_object({{"accesses", accesses.accesses},
                      {"transactions", accesses.transactions},
                      {"most", accesses.most},
                      {"elements", accesses.elements}});
}

}  // namespace

Assessment judge_simplify(const Json& request, const Answer& answer) {
  const absl::StatusOr<IndexingMap> map = map_under(request, "map");
  const absl::StatusOr<IndexingMap> simple = answered(answer.result, *map);
  if (!simple.ok()) return wrong(simple.status().message());
  if (!simple->known_empty && !same_names(*map, *simple)) {
    return wrong("the names of the variables differ");
  }
  return meaning_of(*map, *simple);
}

Assessment judge_compose(const Json& request, const Answer& answer) {
  const absl::StatusOr<IndexingMap> composed =
      spec::compose(*map_under(request, "first"), *map_under(request, "second"));
  const absl::StatusOr<IndexingMap> claimed = answered(answer.result, *composed);
  if (!claimed.ok()) return wrong(claimed.status().message());
  return meaning_of(*composed, *claimed);
}

Assessment judge_equal(const Json& request, const Answer& answer) {
  const absl::StatusOr<IndexingMap> left = map_under(request, "left");
  const absl::StatusOr<IndexingMap> right = map_under(request, "right");
  const Json* equal = find(answer.result, "equal");
  if (equal == nullptr) return wrong("expected the key \"equal\"");
  if (equal->is_null()) return {Assessment::Kind::kUnspecified, "undecided: \"equal\" is null"};
  const bool* said = equal->as<bool>();
  if (said == nullptr) return wrong("expected \"equal\" to be true, false or null");
  return *said ? meaning_of(*left, *right) : judge_point(*left, *right, answer.result);
}

bool may_leave(const IndexingMap& map, int64_t bits) {
  if (spec::box_size(map) == 0) return false;
  const Wide most = (Wide{1} << (bits - 1)) - 1;
  std::vector<Range> ranges(map.nodes.size());
  for (NodeId id : spec::nodes_under(map.nodes, roots_of(map))) {
    const Node& node = map.nodes[id];
    Range& range = ranges[id];
    if (node.op == Op::kConstant) {
      range = {exact(node.value), exact(node.value)};
    } else if (is_leaf(node.op)) {
      const Interval bounds = variables_of(map, node.op)[node.value].bounds;
      range = {exact(bounds.low), exact(bounds.high)};
    } else {
      range = range_of(node.op, ranges[node.left], ranges[node.right]);
    }
    if (!range.low.value || !range.high.value) return true;
    if (*range.low.value < -most || *range.high.value > most) return true;
  }
  return false;
}

bool request_may_leave(const Json& request, int64_t bits) {
  for (const char* key : {"map", "first", "second", "left", "right"}) {
    if (find(request, key) == nullptr) continue;
    const absl::StatusOr<IndexingMap> map = map_under(request, key);
    if (map.ok() && may_leave(*map, bits)) return true;
  }
  if (find(request, "first") == nullptr) return false;
  const absl::StatusOr<IndexingMap> first = map_under(request, "first");
  const absl::StatusOr<IndexingMap> second = map_under(request, "second");
  if (!first.ok() || !second.ok()) return false;
  const absl::StatusOr<IndexingMap> composed = spec::compose(*first, *second);
  return composed.ok() && may_leave(*composed, bits);
}

Exact exact_maps(const Json& request) { return {request_may_leave(request, 64), std::nullopt}; }

absl::StatusOr<Result> map_evaluate(const Json& request, Engine engine) {
  const IndexingMap* map = TRY(map_here(request, "map"));
  const spec::Point point = TRY(point_in(request));
  const Results results = engine == Engine::kSpec
                              ? spec::evaluate(*map, point)
                              : impl::evaluate(*map, {point.dims, point.ranges, point.runtime});
  if (!results.ok()) return results.status();
  return results_json(*results);
}

absl::StatusOr<Result> map_simplify(const Json& request, Engine engine) {
  const IndexingMap map = TRY(map_under(request, "map"));
  if (engine == Engine::kSpec) return absl::UnimplementedError("the reference does not simplify");
  const IndexingMap simple = TRY(impl::simplify(map));
  return written(simple);
}

absl::StatusOr<Result> map_compose(const Json& request, Engine engine) {
  const IndexingMap first = TRY(map_under(request, "first"));
  const IndexingMap second = TRY(map_under(request, "second"));
  absl::StatusOr<IndexingMap> composed =
      engine == Engine::kSpec ? spec::compose(first, second) : impl::compose(first, second);
  if (!composed.ok()) return composed.status();
  if (engine == Engine::kImpl) composed = impl::simplify(*composed);
  if (!composed.ok()) return composed.status();
  return written(*composed);
}

absl::StatusOr<Result> map_equal(const Json& request, Engine engine) {
  const IndexingMap left = TRY(map_under(request, "left"));
  const IndexingMap right = TRY(map_under(request, "right"));
  TRY(check_comparable(left, right));
  if (engine == Engine::kSpec) return absl::UnimplementedError("the reference has no proofs");
  verify::EqualOptions options;
  options.milliseconds = 1500;  // an answer has 2 seconds
  const verify::MapEquality equality = TRY(verify::equal(left, right, options));
  return answer_of(equality);
}

Exact exact_evaluate(const Json& request) {
  const absl::StatusOr<IndexingMap> map = map_under(request, "map");
  if (!map.ok()) return {};
  const absl::StatusOr<spec::Point> point = point_in(request);
  if (!any_integers(request, *map)) return {};
  if (!point.ok()) return {true, Json()};  // a coordinate beyond 64 bits is outside of the domain
  return {leaves_64_bits(*map, *point), std::nullopt, leaves_127_bits(*map, *point)};
}

absl::StatusOr<Result> map_transactions(const Json& request, Engine engine) {
  const auto [threads, access, array, warps] = TRY(read_warps_question(request));
  if (engine == Engine::kSpec) {
    return Result(to_json(TRY(spec::count_transactions(threads, access, array, warps, kBudget))));
  }
  return Result(to_json(TRY(impl::count_transactions(threads, access, array, warps))));
}

Assessment judge_transactions(const Json& request, const Answer& answer) {
  const absl::StatusOr<Result> right = map_transactions(request, Engine::kSpec);
  if (!right.ok()) return open(right.status().message());
  for (const char* key : {"accesses", "transactions", "most", "elements"}) {
    const Json* given = find(answer.result, key);
    const Json* expected = find(right->value, key);
    if (given != nullptr && *given == *expected) continue;
    return wrong(key, ": expected ", to_text(*expected), ", found ",
                 given ? shown(to_text(*given), 40) : "none");
  }
  return {};
}

}  // namespace tileproof::conform
