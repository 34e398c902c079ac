// SPDX-License-Identifier: Apache-2.0
#include "conform/oracle/map_ops.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "conform/oracle/fields.h"
#include "conform/oracle/map_judge.h"
#include "conform/protocol/memo.h"
#include "impl/access/coalescing.h"
#include "impl/map/compose.h"
#include "impl/map/evaluate.h"
#include "impl/map/simplify.h"
#include "spec/access/coalescing.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/compose.h"
#include "verify/prove/map/map_equal.h"

namespace tileproof::conform {
namespace {

using Results = absl::StatusOr<std::optional<std::vector<int64_t>>>;

constexpr std::pair<absl::string_view, Op> kValueKeys[] = {
    {"dims", Op::kDimension}, {"ranges", Op::kRange}, {"runtime", Op::kRuntime}};

absl::Status read_values(const Json& json, absl::string_view key, std::vector<int64_t>& values) {
  const Json* given = find(json, key);
  if (given == nullptr) return absl::OkStatus();
  const auto* array = given->as<Json::Array>();
  if (array == nullptr)
    return absl::InvalidArgumentError(absl::StrCat("expected ", key, " to be an array"));
  for (const Json& item : *array) {
    const std::string found = shown(to_text(item), 60);
    if (const int64_t* value = item.as<int64_t>()) {
      values.push_back(*value);
    } else if (is_integer(item)) {
      return absl::OutOfRangeError(
          absl::StrCat("a value in ", key, ", ", found, ", does not fit 64 signed bits"));
    } else {
      return absl::InvalidArgumentError(
          absl::StrCat("expected integers in ", key, ", found ", found));
    }
  }
  return absl::OkStatus();
}

// The text of a computed map, or an error if the map is too large for the parser.
absl::StatusOr<Json> written(const IndexingMap& map) {
  const absl::Status status = validate(map);
  if (!status.ok()) {
    const absl::string_view message = status.message();
    return absl::OutOfRangeError(absl::StrCat("the result: ", message));
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

}  // namespace

const absl::StatusOr<IndexingMap>& map_of_text(absl::string_view text) {
  thread_local Memo<absl::StatusOr<IndexingMap>> maps;
  return maps.get(text, [](absl::string_view t) {
    absl::StatusOr<IndexingMap> map = parse_map(t);
    if (!map.ok() || !map->known_empty) return map;
    return absl::StatusOr<IndexingMap>(
        absl::InvalidArgumentError("column 1: expected '(' to open the map, found 'KNOWN'"));
  });
}

// Valid until the next map is read.
static absl::StatusOr<const IndexingMap*> map_here(const Json& request, absl::string_view key) {
  const absl::StatusOr<IndexingMap>& map = map_of_text(TRY(required_text(request, key)));
  if (map.ok()) return &*map;
  const absl::string_view message = map.status().message();
  return absl::InvalidArgumentError(absl::StrCat(key, ": ", message));
}

absl::StatusOr<IndexingMap> map_under(const Json& request, absl::string_view key) {
  const IndexingMap* map = TRY(map_here(request, key));
  return *map;
}

absl::StatusOr<spec::Point> point_in(const Json& json) {
  spec::Point point;
  for (const auto& [key, kind] : kValueKeys) {
    TRY(read_values(json, key, values_of(point, kind)));
  }
  return point;
}

Json point_json(const spec::Point& point) {
  return json_object({{"dims", point.dims}, {"ranges", point.ranges}, {"runtime", point.runtime}});
}

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

namespace {

constexpr int64_t kBudget = 2'000'000;  // points that the reference enumerates

struct Question {
  IndexingMap threads, access;
  Shape array;
  Warps warps;
};

absl::Status invalid(absl::string_view key, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(key, ": ", why));
}

absl::StatusOr<int64_t> number_under(const Json& request, absl::string_view key, int64_t most) {
  const Json* given = find(request, key);
  if (given == nullptr) return 32;
  const auto* number = given->as<int64_t>();
  if (number != nullptr && *number >= 1 && *number <= most) return *number;
  return invalid(key, absl::StrCat("expected a number in [1, ", most, "]"));
}

absl::StatusOr<Question> read_question(const Json& request) {
  Question question;
  IndexingMap threads = TRY(map_under(request, "threads"));
  IndexingMap access = TRY(map_under(request, "access"));
  const auto* text = find_as<std::string>(request, "shape");
  if (text == nullptr) return invalid("shape", "expected a shape");
  absl::StatusOr<Shape> shape = parse_shape(*text);
  if (!shape.ok()) return invalid("shape", shape.status().message());
  const auto warp = TRY(number_under(request, "warp", 1024));
  const auto width = TRY(number_under(request, "width", 4096));
  return Question{std::move(threads), std::move(access), *std::move(shape), {warp, width}};
}

Json to_json(const TransactionCounts& accesses) {
  return json_object({{"accesses", accesses.accesses},
                      {"transactions", accesses.transactions},
                      {"most", accesses.most},
                      {"elements", accesses.elements}});
}

}  // namespace

absl::StatusOr<Result> map_transactions(const Json& request, Engine engine) {
  const auto [threads, access, array, warps] = TRY(read_question(request));
  if (engine == Engine::kSpec) {
    return Result(to_json(TRY(spec::count_transactions(threads, access, array, warps, kBudget))));
  }
  return Result(to_json(TRY(impl::count_transactions(threads, access, array, warps))));
}

Assessment judge_transactions(const Json& request, const Answer& answer) {
  const absl::StatusOr<Result> right = map_transactions(request, Engine::kSpec);
  if (!right.ok()) return {Assessment::Kind::kOpen, std::string(right.status().message())};
  for (const char* key : {"accesses", "transactions", "most", "elements"}) {
    const Json* given = find(answer.result, key);
    const Json* expected = find(right->value, key);
    if (given != nullptr && *given == *expected) continue;
    return {Assessment::Kind::kWrong,
            absl::StrCat(key, ": expected ", to_text(*expected), ", found ",
                         given ? shown(to_text(*given), 40) : "none")};
  }
  return {};
}

}  // namespace tileproof::conform
