// SPDX-License-Identifier: Apache-2.0
#include "conform/peers/mlir_layout.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conform/peers/mlir_affine.h"
#include "conform/peers/peer_program.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Transforms/Passes.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::peers {
namespace {

using conform::Json;
using Values = std::vector<int64_t>;

absl::Status outside() { return absl::InvalidArgumentError("outside the array"); }

// An array with fixed sizes; sizes and order are major to minor.
struct Array {
  Shape shape;
  Layout layout;
  Values order, sizes;
};

absl::StatusOr<Array> array_in(const Json& request) {
  const auto* text = find_as<std::string>(request, "shape");
  Array array{TRY(parse_shape(text == nullptr ? "" : *text)), {}, {}, {}};
  if (array.shape.kind != Shape::Kind::kArray || !has_elements(array.shape.element_type)) {
    return absl::InvalidArgumentError("expected an array");
  }
  array.layout = layout_of(array.shape);
  if (array.layout.tail_padding_alignment != 1) return unsupported("L");
  array.order.assign(array.layout.minor_to_major.rbegin(), array.layout.minor_to_major.rend());
  for (int64_t d : array.order) {
    if (array.shape.dimensions[d].kind == Dimension::Kind::kUnbounded)
      return unsupported("no size");
    array.sizes.push_back(array.shape.dimensions[d].size);
  }
  return array;
}

mlir::MLIRContext& context() {
  mlir::MLIRContext& it = mlir_context();
  it.loadDialect<mlir::affine::AffineDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect>();
  return it;
}

// Runs the lowering of the index operations on a function, folds it, and returns the constants that
// it returns.
absl::StatusOr<Values> lowered(const std::string& function) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(function, &context());
  if (!module) return absl::InvalidArgumentError("MLIR does not read the function");
  mlir::PassManager passes(&context());
  passes.addPass(mlir::affine::createAffineExpandIndexOpsPass());
  passes.addPass(mlir::createCanonicalizerPass());
  if (mlir::failed(passes.run(*module))) return absl::InternalError("the lowering failed");
  Values values;
  bool folded = true;
  module->walk([&](mlir::func::ReturnOp op) {
    for (mlir::Value value : op.getOperands()) {
      auto constant = value.getDefiningOp<mlir::arith::ConstantIndexOp>();
      folded = folded && constant;
      if (constant) values.push_back(constant.value());
    }
  });
  if (!folded) return unsupported("MLIR does not fold it");
  return values;
}

std::string basis(const Array& array) { return absl::StrJoin(array.sizes, ", "); }

// The index, major to minor.
absl::StatusOr<Values> index_in(const Json& request, const Array& array) {
  const Json* given = find(request, "index");
  if (given == nullptr) return unsupported("lists of indices");
  const auto* index = given->as<Json::Array>();
  if (index == nullptr || index->size() != array.order.size()) return outside();
  Values values;
  for (size_t i = 0; i < array.order.size(); ++i) {
    const int64_t* x = (*index)[static_cast<size_t>(array.order[i])].as<int64_t>();
    if (x == nullptr || *x < 0 || *x >= array.sizes[i]) return outside();
    values.push_back(*x);
  }
  return values;
}

absl::StatusOr<Json> linearize(const Json& request, const Array& array) {
  const Values index = TRY(index_in(request, array));
  if (index.empty()) return Json(0);
  std::string text = "func.func @f() -> index {\n";
  std::vector<std::string> names;
  for (size_t i = 0; i < index.size(); ++i) {
    names.push_back(absl::StrCat("%i", i));
    absl::StrAppend(&text, names.back(), " = arith.constant ", index[i], " : index\n");
  }
  absl::StrAppend(&text, "%r = affine.linearize_index disjoint [", absl::StrJoin(names, ", "),
                  "] by (", basis(array), ") : index\nreturn %r : index\n}\n");
  const Values result = TRY(lowered(text));
  return Json(result.at(0));
}

absl::StatusOr<Json> delinearize(const Json& request, const Array& array) {
  const Json* given = find(request, "offset");
  if (given == nullptr) return unsupported("lists of offsets");
  const int64_t* offset = given->as<int64_t>();
  int64_t elements = 1;
  for (int64_t size : array.sizes) elements *= size;  // parse_shape checks the product
  if (offset == nullptr || *offset < 0 || *offset >= elements) {
    return absl::InvalidArgumentError("outside the elements");
  }
  if (array.order.empty()) return Json(Json::Array());
  std::vector<std::string> types(array.order.size(), "index"), names;
  for (size_t i = 0; i < types.size(); ++i) names.push_back(absl::StrCat("%r#", i));
  const std::string all = absl::StrJoin(types, ", ");
  const Values found = TRY(lowered(absl::StrCat(
      "func.func @f() -> (", all, ") {\n%o = arith.constant ", *offset,
      " : index\n%r:", types.size(), " = affine.delinearize_index %o into (", basis(array),
      ") : ", all, "\nreturn ", absl::StrJoin(names, ", "), " : ", all, "\n}\n")));
  Values index(found.size());
  for (size_t i = 0; i < found.size(); ++i) index[array.order[i]] = found[i];
  return Json(index);
}

// The memref of an array with at most one tile: its layout map puts the tiles' indices before those
// inside of a tile.
absl::StatusOr<mlir::MemRefType> memref_of(const Array& array) {
  if (array.layout.tiles.size() > 1) return unsupported("several tiles");
  const Values tile = array.layout.tiles.empty() ? Values() : array.layout.tiles[0].dims;
  if (tile.size() > array.order.size()) return unsupported("a tile longer than the array");
  const size_t rank = array.order.size(), before = rank - tile.size();
  std::vector<mlir::AffineExpr> outer, inner;
  for (size_t i = 0; i < rank; ++i) {
    const mlir::AffineExpr d =
        mlir::getAffineDimExpr(static_cast<unsigned>(array.order[i]), &context());
    if (i < before) {
      outer.push_back(d);
      continue;
    }
    const int64_t size = tile[i - before];
    if (size == Tile::kCombine) return unsupported("combined dimensions");
    outer.push_back(d.floorDiv(size));
    inner.push_back(d % size);
  }
  outer.insert(outer.end(), inner.begin(), inner.end());
  Values sizes;
  for (const Dimension& d : array.shape.dimensions) {
    if (d.size == 0) return unsupported("an empty array");
    sizes.push_back(d.size);
  }
  const auto map = mlir::AffineMap::get(static_cast<unsigned>(rank), 0, outer, &context());
  return mlir::MemRefType::get(sizes, mlir::Float32Type::get(&context()), map);
}

absl::StatusOr<Json> physical(const Array& array) {
  const mlir::MemRefType normal = mlir::affine::normalizeMemRefType(TRY(memref_of(array)));
  if (!normal.getLayout().isIdentity()) return unsupported("MLIR does not normalize it");
  Values dims(normal.getShape().begin(), normal.getShape().end());
  const int64_t elements = normal.getNumElements();
  const int64_t declared = array.layout.element_size_in_bits;
  const int64_t bits = declared != 0 ? declared : 8 * byte_width(array.shape.element_type);
  if (elements > INT64_MAX / bits - 8) return unsupported("a size beyond 64 bits");
  return conform::json_object(
      {{"dims", dims}, {"elements", elements}, {"bytes", (elements * bits + 7) / 8}});
}

}  // namespace

absl::StatusOr<Json> mlir_layout(const Json& request, absl::string_view op) {
  const Array array = TRY(array_in(request));
  if (op == "layout.physical") return physical(array);
  if (!array.layout.tiles.empty()) return unsupported("tiles");
  return op == "layout.linearize" ? linearize(request, array) : delinearize(request, array);
}

}  // namespace tileproof::peers
