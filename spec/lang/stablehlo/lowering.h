// SPDX-License-Identifier: Apache-2.0
// Operations of MLIR's dialects arith, math, tensor and linalg as operations of StableHLO. Private to
// spec/lang/stablehlo.
//
//     %0 = arith.addf %a, %b : tensor<4xf32>          stablehlo.add
//     %0 = tensor.extract_slice %a[1] [3] [2] : ..    stablehlo.slice
//     %0 = linalg.generic {..} ins(%a) outs(%b) ..    mhlo.fusion, of reads by its maps, of its body on
//                                                     arrays, and of a reduction
//
// A read is an operation of its own, `tileproof.read`, whose attribute `map` says which element of the
// operand each element of the result is: the custom call of that name (spec/lang/hlo/checked_op.h).
// An operation without a name hands on its operands as its results.
// Source: MLIR's documentation of these dialects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/map/indexing_map.h"
#include "spec/lang/stablehlo/op_text.h"
#include "spec/lang/stablehlo/stablehlo.h"

namespace tileproof::stablehlo {

using MapOp = tileproof::Op;  // of an affine map; Op is one of StableHLO

// What is known of values before an operation.
struct Known {
  std::map<std::string, int64_t> integers;   // constants
  std::map<std::string, std::string> fills;  // arrays that have one value, which is this scalar

  std::optional<int64_t> integer(const std::string& name) const {
    const auto found = integers.find(name);
    return found == integers.end() ? std::nullopt : std::optional(found->second);
  }
};

struct Around {
  Known& known;
  absl::FunctionRef<const Type*(const Operand&)> type_of;  // null if it is not defined
};

// Whether the dialect is one of these.
bool is_lowered(absl::string_view name);

// The same as operations of StableHLO, which may have to be lowered again. Errors name no place.
absl::StatusOr<std::vector<Op>> lowered(const Op& op, Around around);

// ---- What the dialects share: lowering.cc ----

// An error: HLO cannot express this, or the reader does not know it.
absl::Status not_read(const Op& op, absl::string_view why = "");

// An operation in place of another one: at its position in the text.
Op op_at(const Op& other, std::string name, std::vector<Operand> operands,
         Attributes attributes = {}, std::vector<Type> types = {},
         std::vector<Results> results = {});

// The first results of these names.
std::vector<Operand> operands_of(const std::vector<std::string>& names);

// The type of an operand that is an array. Errors: it is none, or not defined.
absl::StatusOr<Type> array_type(const Around& around, const Operand& operand);
absl::Status not_defined(const Operand& operand);

// Operations that stand for one.
class Steps {
 public:
  Steps(const Op& op, Around around) : op_(op), around_(around) {}

  // Adds an operation, and returns the name of its result.
  std::string add(absl::string_view name, const std::vector<std::string>& operands,
                  Attributes attributes, Type type, std::vector<std::string> words = {});
  std::string constant(absl::string_view value, const Type& type);
  std::string reshape(const std::string& value, const Type& type);

  // The last operation, whose result is that of the operation that these stand for.
  std::vector<Op> result(const std::string& value);
  std::vector<Op> results(const std::vector<std::string>& values);

  const Type& type_of(const std::string& value) const { return types_.at(value); }
  void set_type(const std::string& value, Type type) { types_[value] = std::move(type); }
  std::vector<Op>& ops() { return ops_; }
  const Around& around() const { return around_; }
  Known& known() const { return around_.known; }

  // The name of an operand whose type is known.
  absl::StatusOr<std::string> operand(size_t k);
  // The one of a name.
  absl::StatusOr<std::string> named(const std::string& name);

 private:
  const Op& op_;
  Around around_;
  std::vector<Op> ops_;
  std::map<std::string, Type> types_;
};

// `[1, 0]`, as an attribute has it.
std::string list_text(const std::vector<int64_t>& numbers);

// A number, or a value that is not known.
struct Mixed {
  std::optional<int64_t> number;
  std::string name;
};

// The list of a bracket, the one of that number: `[1, %i]`; in the generic form the attribute
// `static_offsets`, where the next of `dynamic` stands for the smallest integer.
absl::StatusOr<std::vector<Mixed>> mixed(const Op& op, size_t bracket, absl::string_view attribute,
                                         std::vector<std::string>& dynamic, const Known& known);

// As above, of numbers alone.
absl::StatusOr<std::vector<int64_t>> numbers(const Op& op, const std::vector<Mixed>& list);

// `[offsets] [sizes] [strides]` of a slice or view, behind `before` other operands.
struct Cut {
  std::vector<Mixed> offsets;
  std::vector<int64_t> sizes, strides;

  bool is_constant() const;
  bool has_steps() const;
};
absl::StatusOr<Cut> cut_of(const Op& op, size_t before, const Known& known);

// The numbers of operands in each group, `operandSegmentSizes`.
absl::StatusOr<std::vector<int64_t>> segments_of(const Op& op);

inline constexpr size_t kLongestIndex = 4096;  // the text of an expression

// `a + b`, `(a + 1) * b`; without what changes nothing.
std::string combined(const std::string& a, MapOp op, const std::string& b);

// `name * factor + offset`
std::string linear(const std::string& name, int64_t factor, int64_t offset);

// The results of an affine map at these expressions; nothing if they grow too long.
std::optional<std::vector<std::string>> applied_map(const IndexingMap& map,
                                                    const std::vector<std::string>& values);

// `d0`, `d1`, ..
std::string dimension(int64_t d);
std::vector<std::string> dimensions(size_t rank);

// `affine_map<(d0, d1) -> (..)>`
std::string map_text(size_t rank, const std::vector<std::string>& results);

// ---- The dialects ----

absl::StatusOr<std::vector<Op>> lowered_arith(const Op& op, Around around);   // lower_arith.cc
absl::StatusOr<std::vector<Op>> lowered_tensor(const Op& op, Around around);  // lower_tensor.cc
bool is_lowered_vector(absl::string_view name);  // of the dialect vector, without memory
absl::StatusOr<std::vector<Op>> lowered_linalg(const Op& op, Around around);  // lower_linalg.cc

// The operation of StableHLO that one of arith or math without its dialect, "addf", is under another
// name; empty if there is none.
absl::string_view stablehlo_of(absl::string_view name);  // lower_arith.cc

// A body on arrays: what tensor.generate and linalg.generic compute of an index.
absl::StatusOr<std::vector<Op>> lowered_generate(const Op& op, Around around);  // lower_linalg.cc

// ---- linalg's operations in one form: linalg_named.cc ----
//
// Maps, iterators and a body:
//
//     linalg.matmul ins(%a, %b) outs(%c)
//         maps  (d0, d1, d2) -> (d0, d2)   (d2, d1)   (d0, d1), of which d2 is reduced
//         body  ^bb0(%x, %y, %z): z + x * y
//
// Source: MLIR's linalg dialect, and its named operations in LinalgNamedStructuredOps.yaml.

struct Generic {
  std::vector<std::string> operands;  // inputs, then outs
  std::vector<Type> types;            // of them
  size_t inputs = 0;
  std::vector<IndexingMap> maps;   // one for each operand, without bounds
  std::vector<bool> is_reduction;  // by dimension
  Region body;                     // its arguments are the elements of inputs and outs
};

// The types of all operands are known. Errors: an operation that is not known, maps that do not fit.
absl::StatusOr<Generic> generic_of(const Op& op, Around around);

// ---- Memory and loops: lower_memory.cc ----
//
// A function whose memrefs are arrays that each store replaces, and whose loops carry those that they
// store into:
//
//     affine.for %k = 2 to 5 {                         while, from 2 below 5, of k and u
//       %t = affine.load %w[%k] : memref<5xf32>        dynamic_slice of w at k
//       affine.store %t, %u[%k + 1] : memref<5xf32>    dynamic_update_slice of u at k + 1
//     }
//
// The results of the function are its own, then the memrefs of its arguments that it stores into. A
// memref whose layout is not row-major is the array of all offsets that it has. Views, such as
// memref.subview, are maps to the index of the memref that they are of.
//
// In addition, each access in a loop is a read over all iterations, of which nothing is made: its map
// says what the access touches.

// Whether the function needs it.
bool has_memory(const Region& body);

// An operation that cannot be expressed stays, with the attribute kReason. Errors name no place.
absl::StatusOr<Region> lowered_memory(const Region& body);
inline constexpr absl::string_view kReason = "why it is not read";

// ---- Affine maps on values, and memrefs that are views of others: memory_views.cc ----
//
//     memref.subview %m[2, 3] [4, 8] [1, 1]      a view of %m by (d0, d1) -> (d0 + 2, d1 + 3)
//     memref.subview %m[%i, 3] [4, 8] [1, 1]      (d0, d1, d2) -> (d0 + d2, d1 + 3), with %i for d2
//     affine.load %m[%k + 1, %n]                 (d0 + 1, d1) of %k and %n
//
// Source: MLIR's documentation of the dialects memref and affine.

// A map and the names of its values.
struct Applied {
  IndexingMap map;
  std::vector<std::string> values;
};

// OK if there is a value for each variable.
absl::Status expect_each(const Applied& applied, absl::string_view what);

// A map on the operands of an operation from `first` on.
absl::StatusOr<Applied> on_operands(const Op& op, size_t first, const std::string& map);

// `affine_map<..>(%a)[%n]`, `5`, `%n`
absl::StatusOr<Applied> applied_of(const std::string& text);

// The index of a load or store: in brackets, or the attribute `map` and operands from `first` on.
absl::StatusOr<Applied> index_of(const Op& op, size_t first);

// The value of an expression at an index; nothing if it does not fit 64 bits.
std::optional<int64_t> value_at(const IndexingMap& map, NodeId root, const Ints& index);

// (d0, d1, ..) -> (d0, d1, ..)
absl::StatusOr<IndexingMap> identity_map(size_t rank);
bool is_identity(const IndexingMap& map);

// A memref: the index of its root at each of its own indices. The dimensions of the map are those of the
// index, then offsets that are values.
struct View {
  std::string root;
  Ints dims;
  IndexingMap map;
  std::vector<std::string> values;
};

// What memref.subview, transpose, cast, reinterpret_cast, expand_shape or collapse_shape makes of a view
// of an array of these sizes. Errors: the text is no affine map, or the type names another place.
absl::StatusOr<View> viewed(const Op& op, const View& from, const Ints& whole, const Known& known);

}  // namespace tileproof::stablehlo
