// SPDX-License-Identifier: Apache-2.0
// Answers the protocol with MLIR's affine maps: tileproof conform -- mlir_peer [BITS]
//
//     map.evaluate    AffineMap::constantFold of the results and constraints
//     map.simplify    simplifyAffineMap of the results and constraints; bounds stay unchanged,
//                     because MLIR's maps have no domain
//     map.compose     AffineMap::compose, then simplifyAffineMap
//     map.equal       true if simplifyAffineMap makes the maps equal, otherwise the Presburger
//                     library decides (mlir_presburger.h)
//     layout.*        lowered index operations and normalized memrefs (mlir_layout.h)
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conform/peers/mlir_affine.h"
#include "conform/peers/mlir_layout.h"
#include "conform/peers/mlir_presburger.h"
#include "conform/peers/peer_program.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::peers {
namespace {

using Values = std::vector<int64_t>;

absl::StatusOr<IndexingMap> map_in(const Json& request, absl::string_view key) {
  const auto* text = find_as<std::string>(request, key);
  IndexingMap map = TRY(parse_map(text == nullptr ? "" : *text));
  if (map.known_empty) return absl::InvalidArgumentError("expected a map, found KNOWN EMPTY");
  if (!is_affine(map)) return unsupported("a product of variables, or a divisor below 1");
  return map;
}

// The results of a map, then the expressions of its constraints.
mlir::AffineMap whole(const IndexingMap& map) {
  std::vector<NodeId> roots = map.results;
  for (const Constraint& constraint : map.constraints) roots.push_back(constraint.expr);
  return to_mlir(map, roots);
}

// The map with these results and constraints, and with the variables and intervals of `like`.
IndexingMap map_of(mlir::AffineMap affine, const Symbols& symbols, const IndexingMap& like) {
  IndexingMap map = like;
  map.nodes.clear();
  for (size_t i = 0; i < affine.getNumResults(); ++i) {
    const NodeId root = from_mlir(affine.getResult(static_cast<unsigned>(i)), symbols, map.nodes);
    const bool result = i < map.results.size();
    (result ? map.results[i] : map.constraints[i - map.results.size()].expr) = root;
  }
  return map;
}

absl::StatusOr<Json> simplify(const Json& request) {
  const IndexingMap map = TRY(map_in(request, "map"));
  return Json(to_text(map_of(mlir::simplifyAffineMap(whole(map)), symbols_of(map), map)));
}

std::optional<Values> fold(mlir::AffineMap map, const Values& values) {
  if (map.getNumResults() == 0) return Values();
  llvm::SmallVector<mlir::Attribute> operands, results;
  for (int64_t value : values) {
    operands.push_back(mlir::IntegerAttr::get(mlir::IndexType::get(&mlir_context()), value));
  }
  if (mlir::failed(map.constantFold(operands, results))) return std::nullopt;
  Values numbers;
  for (mlir::Attribute result : results) {
    numbers.push_back(llvm::cast<mlir::IntegerAttr>(result).getInt());
  }
  return numbers;
}

// The results at a point, or null outside of the domain.
absl::StatusOr<Json> value_at(const IndexingMap& map, const spec::Point& point) {
  Values values;
  for (const auto& [kind, given] : {std::pair(Op::kDimension, point.dims),
                                    {Op::kRange, point.ranges},
                                    {Op::kRuntime, point.runtime}}) {
    const std::vector<Variable>& variables = variables_of(map, kind);
    if (given.size() != variables.size()) {
      return absl::InvalidArgumentError("wrong number of values");
    }
    for (size_t i = 0; i < variables.size(); ++i) {
      values.push_back(given[i]);
      const Interval& bounds = variables[i].bounds;
      if (given[i] < bounds.low || given[i] > bounds.high) return Json();
    }
  }
  std::optional<Values> numbers = fold(whole(map), values);
  if (!numbers) return unsupported("MLIR does not fold it");
  for (size_t i = 0; i < map.constraints.size(); ++i) {
    const int64_t value = (*numbers)[map.results.size() + i];
    const Interval& interval = map.constraints[i].interval;
    if (value < interval.low || value > interval.high) return Json();
  }
  numbers->resize(map.results.size());
  return Json(*numbers);
}

absl::StatusOr<Json> evaluate(const Json& request) {
  const IndexingMap map = TRY(map_in(request, "map"));
  spec::Point point;
  for (const auto& [key, kind] :
       {std::pair("dims", Op::kDimension), {"ranges", Op::kRange}, {"runtime", Op::kRuntime}}) {
    const auto* array = find_as<Json::Array>(request, key);
    for (size_t i = 0; array != nullptr && i < array->size(); ++i) {
      const int64_t* value = (*array)[i].as<int64_t>();
      if (value == nullptr) return absl::InvalidArgumentError("a value beyond 64 bits");
      spec::values_of(point, kind).push_back(*value);
    }
    if (spec::values_of(point, kind).size() != variables_of(map, kind).size()) {
      return absl::InvalidArgumentError(absl::StrCat("wrong number of ", key));
    }
  }
  return value_at(map, point);
}

absl::StatusOr<Json> different_at(const IndexingMap& left, const IndexingMap& right,
                                  const spec::Point& at) {
  const Json of_left = TRY(value_at(left, at)), of_right = TRY(value_at(right, at));
  return conform::json_object(
      {{"equal", false},
       {"at",
        conform::json_object({{"dims", at.dims}, {"ranges", at.ranges}, {"runtime", at.runtime}})},
       {"left", of_left},
       {"right", of_right}});
}

// second(first(x)): MLIR puts the symbols of `second` before those of `first`.
absl::StatusOr<Json> compose(const Json& request) {
  const IndexingMap first = TRY(map_in(request, "first"));
  const IndexingMap second = TRY(map_in(request, "second"));
  if (first.results.size() != second.dimensions.size()) {
    return absl::InvalidArgumentError("expected as many results as dimensions");
  }
  IndexingMap like = second;
  like.dimensions = first.dimensions;
  for (Op kind : {Op::kRange, Op::kRuntime}) {
    for (const Variable& v : variables_of(first, kind)) variables_of(like, kind).push_back(v);
    for (Variable& v : variables_of(like, kind)) v.name.clear();
  }
  Symbols symbols = symbols_of(second);
  for (const auto& [kind, number] : symbols_of(first)) {
    symbols.push_back({kind, number + std::ssize(variables_of(second, kind))});
  }
  const mlir::AffineMap inner = to_mlir(first, first.results);
  const mlir::AffineMap composed = mlir::simplifyAffineMap(whole(second).compose(inner));
  IndexingMap map = map_of(composed, symbols, like);
  const Symbols own(symbols.begin() + std::ssize(symbols_of(second)), symbols.end());
  for (size_t i = 0; i < first.results.size(); ++i) {
    const NodeId at = from_mlir(inner.getResult(static_cast<unsigned>(i)), own, map.nodes);
    map.constraints.push_back({at, second.dimensions[i].bounds});
  }
  const mlir::AffineMap constrained = whole(first);
  for (size_t i = 0; i < first.constraints.size(); ++i) {
    const auto position = static_cast<unsigned>(first.results.size() + i);
    const NodeId at = from_mlir(constrained.getResult(position), own, map.nodes);
    map.constraints.push_back({at, first.constraints[i].interval});
  }
  return Json(to_text(map));
}

absl::StatusOr<Json> equal(const Json& request) {
  const IndexingMap left = TRY(map_in(request, "left")), right = TRY(map_in(request, "right"));
  const auto bounds = [](const IndexingMap& map) {
    std::vector<Interval> all;
    for (Op kind : kVariableKinds) {
      all.push_back({-1, std::ssize(variables_of(map, kind))});
      for (const Variable& v : variables_of(map, kind)) all.push_back(v.bounds);
    }
    for (const Constraint& constraint : map.constraints) all.push_back(constraint.interval);
    return all;
  };
  for (Op kind : kVariableKinds) {
    if (variables_of(left, kind).size() != variables_of(right, kind).size()) {
      return absl::InvalidArgumentError("the numbers of variables differ");
    }
  }
  if (left.results.size() != right.results.size()) {
    return absl::InvalidArgumentError("the numbers of results differ");
  }
  const bool same = bounds(left) == bounds(right) &&
                    mlir::simplifyAffineMap(whole(left)) == mlir::simplifyAffineMap(whole(right));
  if (same) return conform::json_object({{"equal", true}});
  const PresburgerEquality decided = presburger_equal(left, right);
  if (!decided.decided) return conform::json_object({{"equal", Json()}});
  if (!decided.different_at) return conform::json_object({{"equal", true}});
  return different_at(left, right, *decided.different_at);
}

absl::StatusOr<Json> answer(const conform::Request& request) {
  if (request.op == "map.simplify") return simplify(request.fields);
  if (request.op == "map.evaluate") return evaluate(request.fields);
  if (request.op == "map.compose") return compose(request.fields);
  if (request.op == "map.equal") return equal(request.fields);
  if (absl::StartsWith(request.op, "layout.")) return mlir_layout(request.fields, request.op);
  return unsupported(request.op);
}

}  // namespace
}  // namespace tileproof::peers

int main(int argc, char** argv) {
  return tileproof::peers::run_peer("MLIR 22", argc > 1 ? std::atoi(argv[1]) : 0,
                                    {"map.simplify", "map.evaluate", "map.compose", "map.equal",
                                     "layout.physical", "layout.linearize", "layout.delinearize"},
                                    tileproof::peers::answer);
}
