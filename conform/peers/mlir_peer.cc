// SPDX-License-Identifier: Apache-2.0
// Answers the protocol with MLIR's affine maps: tileproof conform -- mlir_peer [BITS]
//
//     map.evaluate    AffineMap::constantFold of the results and constraints
//     map.simplify    simplifyAffineMap of the results and constraints; bounds stay unchanged,
//                     because MLIR's maps have no domain
//     map.compose     AffineMap::compose, then simplifyAffineMap
//     map.equal       true if simplifyAffineMap makes the maps equal, otherwise undecided
//     layout.*        mlir::linearize and mlir::delinearize, for arrays without tiles (MLIR 14 does
//                     not have affine.linearize_index and affine.delinearize_index yet)
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "conform/peers/mlir_affine.h"
#include "conform/peers/peer_program.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::peers {
namespace {

using Values = std::vector<int64_t>;

absl::StatusOr<IndexingMap> map_in(const Json& request, absl::string_view key) {
  const Json* given = find(request, key);
  const auto* text = given == nullptr ? nullptr : given->as<std::string>();
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
    numbers.push_back(result.cast<mlir::IntegerAttr>().getInt());
  }
  return numbers;
}

absl::StatusOr<Json> evaluate(const Json& request) {
  const IndexingMap map = TRY(map_in(request, "map"));
  Values values;
  bool inside = true;
  for (const auto& [key, kind] :
       {std::pair("dims", Op::kDimension), {"ranges", Op::kRange}, {"runtime", Op::kRuntime}}) {
    const Json* given = find(request, key);
    const auto* array = given == nullptr ? nullptr : given->as<Json::Array>();
    const std::vector<Variable>& variables = variables_of(map, kind);
    if ((array == nullptr ? 0 : array->size()) != variables.size()) {
      return absl::InvalidArgumentError(absl::StrCat("wrong number of ", key));
    }
    for (size_t i = 0; i < variables.size(); ++i) {
      const int64_t* value = (*array)[i].as<int64_t>();
      if (value == nullptr) return absl::InvalidArgumentError("a value beyond 64 bits");
      values.push_back(*value);
      inside &= variables[i].bounds.low <= *value && *value <= variables[i].bounds.high;
    }
  }
  if (!inside) return Json();
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
    for (Op kind : {Op::kDimension, Op::kRange, Op::kRuntime}) {
      all.push_back({-1, std::ssize(variables_of(map, kind))});
      for (const Variable& v : variables_of(map, kind)) all.push_back(v.bounds);
    }
    for (const Constraint& constraint : map.constraints) all.push_back(constraint.interval);
    return all;
  };
  for (Op kind : {Op::kDimension, Op::kRange, Op::kRuntime}) {
    if (variables_of(left, kind).size() != variables_of(right, kind).size()) {
      return absl::InvalidArgumentError("the numbers of variables differ");
    }
  }
  if (left.results.size() != right.results.size()) {
    return absl::InvalidArgumentError("the numbers of results differ");
  }
  const bool same = bounds(left) == bounds(right) &&
                    mlir::simplifyAffineMap(whole(left)) == mlir::simplifyAffineMap(whole(right));
  return conform::json_object({{"equal", same ? Json(true) : Json()}});
}

absl::StatusOr<Json> layout(const Json& request, bool linear) {
  const Json* given = find(request, "shape");
  const auto* text = given == nullptr ? nullptr : given->as<std::string>();
  const Shape shape = TRY(parse_shape(text == nullptr ? "" : *text));
  if (shape.kind != Shape::Kind::kArray || !has_elements(shape.element_type)) {
    return absl::InvalidArgumentError("expected an array");
  }
  const Layout format = layout_of(shape);
  if (!format.tiles.empty() || format.tail_padding_alignment != 1) return unsupported("tiles");
  Values strides;  // major to minor
  int64_t elements = 1;
  for (int64_t d : format.minor_to_major) {
    if (shape.dimensions[d].kind == Dimension::Kind::kUnbounded) return unsupported("no size");
    strides.insert(strides.begin(), elements);
    elements *= shape.dimensions[d].size;  // fits, because parse_shape checks the product
  }
  const Json* one = find(request, linear ? "index" : "offset");
  if (one == nullptr) return unsupported("lists of indices or offsets");
  const int64_t rank = shape.rank();
  if (linear) {
    const auto* index = one->as<Json::Array>();
    Values at;
    for (int64_t i = rank; index != nullptr && i-- > 0 && std::ssize(*index) == rank;) {
      const int64_t d = format.minor_to_major[i];
      const int64_t* x = (*index)[d].as<int64_t>();
      if (x != nullptr && *x >= 0 && *x < shape.dimensions[d].size) at.push_back(*x);
    }
    const bool inside = index != nullptr && std::ssize(*index) == rank && std::ssize(at) == rank;
    if (!inside) return absl::InvalidArgumentError("outside the array");
    return Json(mlir::linearize(at, strides));
  }
  const int64_t* offset = one->as<int64_t>();
  if (offset == nullptr || *offset < 0 || *offset >= elements) {
    return absl::InvalidArgumentError("outside the elements");
  }
  const auto at = mlir::delinearize(strides, *offset);
  Values index(static_cast<size_t>(rank));
  for (int64_t i = 0; i < rank; ++i) {
    index[format.minor_to_major[rank - 1 - i]] = at[static_cast<size_t>(i)];
  }
  return Json(index);
}

absl::StatusOr<Json> answer(const conform::Request& request) {
  if (request.op == "map.simplify") return simplify(request.fields);
  if (request.op == "map.evaluate") return evaluate(request.fields);
  if (request.op == "map.compose") return compose(request.fields);
  if (request.op == "map.equal") return equal(request.fields);
  if (request.op == "layout.linearize") return layout(request.fields, true);
  if (request.op == "layout.delinearize") return layout(request.fields, false);
  return unsupported(request.op);
}

}  // namespace
}  // namespace tileproof::peers

int main(int argc, char** argv) {
  return tileproof::peers::run_peer("MLIR 14", argc > 1 ? std::atoi(argv[1]) : 0,
                                    {"map.simplify", "map.evaluate", "map.compose", "map.equal",
                                     "layout.linearize", "layout.delinearize"},
                                    tileproof::peers::answer);
}
