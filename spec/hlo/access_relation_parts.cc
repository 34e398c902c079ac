#include "spec/hlo/access_relation_parts.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"

namespace tileproof::spec {

absl::Status expected(const Operation& op, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(op.instruction.name, ": expected ", what));
}

absl::Status beyond(const Operation& op, absl::string_view what) {
  return absl::OutOfRangeError(absl::StrCat(op.instruction.name, ": expected ", what));
}

std::string dims_text(const Dims& dims) { return absl::StrCat("[", absl::StrJoin(dims, ","), "]"); }

absl::Status expect_operands(const Operation& op, int64_t low, int64_t high) {
  const int64_t count = op.operand_count();
  if (low <= count && count <= high) return absl::OkStatus();
  const std::string number = low == high ? absl::StrCat(low) : absl::StrCat(low, " to ", high);
  return expected(op, absl::StrCat(number, low == high && low == 1 ? " operand" : " operands",
                                   ", found ", count));
}

absl::StatusOr<Dims> array_dims(const Operation& op, int64_t operand) {
  if (operand >= op.operand_count()) {
    return expected(op, absl::StrCat("operand ", operand, ", found ", op.operand_count(),
                                     op.operand_count() == 1 ? " operand" : " operands"));
  }
  if (op.operand_shapes[operand]->kind == Shape::Kind::kTuple) {
    return expected(op, absl::StrCat("operand ", operand, " to be an array, found a tuple"));
  }
  return op.operands[operand][0].dims;
}

absl::StatusOr<Dims> result_dims(const Operation& op) {
  if (op.instruction.shape->kind == Shape::Kind::kTuple) {
    return expected(op, "the result to be an array, found a tuple");
  }
  return op.result[0].dims;
}

absl::Status expect_dims(const Operation& op, int64_t operand, const Dims& dims) {
  const Dims found = TRY(array_dims(op, operand));
  if (found == dims) return absl::OkStatus();
  return expected(op, absl::StrCat("operand ", operand, " to have dimensions ", dims_text(dims),
                                   ", found ", dims_text(found)));
}

absl::Status expect_dimensions(const Operation& op, absl::string_view attribute,
                               const std::vector<int64_t>& dimensions, int64_t rank) {
  std::vector<bool> seen(static_cast<size_t>(rank), false);
  for (int64_t d : dimensions) {
    if (d < 0 || d >= rank) {
      return expected(op, absl::StrCat(attribute, " below the rank ", rank, ", found ", d));
    }
    if (seen[d]) return expected(op, absl::StrCat("each of ", attribute, " once, found ", d));
    seen[d] = true;
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> one_dimension(const Operation& op, int64_t rank) {
  const auto dimensions = TRY(integers_of(op.instruction, "dimensions"));
  if (dimensions.size() != 1) return expected(op, "one number in dimensions");
  TRY(expect_dimensions(op, "dimensions", dimensions, rank));
  return dimensions.front();
}

std::optional<int64_t> element_count(const Dims& dims) {
  int64_t count = 1;
  if (std::count(dims.begin(), dims.end(), 0) > 0) return 0;
  for (int64_t size : dims) {
    const std::optional<int64_t> next = checked_mul(count, size);
    if (!next) return std::nullopt;
    count = *next;
  }
  return count;
}

access::Projection same_index(int64_t rank) {
  access::Projection pick;
  for (int64_t d = 0; d < rank; ++d) pick.coordinates.push_back(access::output(d));
  return pick;
}

Dependence same(int64_t operand, int64_t leaf, int64_t rank) {
  return {operand, leaf, {}, same_index(rank)};
}

Dependence scalar(int64_t operand) { return {operand, 0, {}, access::Projection{}}; }

Dependence universe(int64_t operand, int64_t leaf, const Dims& dims) {
  access::Projection pick;
  for (int64_t d = 0; d < std::ssize(dims); ++d) pick.coordinates.push_back(access::range(d));
  return {operand, leaf, dims, std::move(pick)};
}

absl::StatusOr<AccessRelation> passed_on(const Operation& op, int64_t leaf, int64_t operand,
                                         int64_t operand_leaf) {
  if (operand >= op.operand_count() || operand_leaf >= std::ssize(op.operands[operand])) {
    return expected(op, absl::StrCat("operand ", operand, " to have an array for part ", leaf,
                                     " of the result"));
  }
  const Dims& from = op.operands[operand][operand_leaf].dims;
  const Dims& to = op.result[leaf].dims;
  if (from != to) {
    return expected(op, absl::StrCat("part ", leaf, " of the result to have dimensions ",
                                     dims_text(from), ", found ", dims_text(to)));
  }
  return AccessRelation{.dependences = {same(operand, operand_leaf, std::ssize(to))}};
}

std::vector<OperandLeaf> operand_leaves(const Operation& op) {
  std::vector<OperandLeaf> leaves;
  for (int64_t k = 0; k < op.operand_count(); ++k) {
    for (int64_t leaf = 0; leaf < std::ssize(op.operands[k]); ++leaf) leaves.push_back({k, leaf});
  }
  return leaves;
}

AccessRelation conservative(const Operation& op, std::string reason) {
  AccessRelation relation;
  for (const OperandLeaf& from : operand_leaves(op)) {
    relation.dependences.push_back(
        universe(from.operand, from.leaf, op.operands[from.operand][from.leaf].dims));
  }
  relation.conservative = std::move(reason);
  return relation;
}

absl::StatusOr<int64_t> windowed_size(const Operation& op, const WindowDimension& window,
                                      int64_t size) {
  for (int64_t x : {window.size, window.stride, window.pad_low, window.pad_high, window.lhs_dilate,
                    window.rhs_dilate, size}) {
    if (!moderate(x)) return beyond(op, absl::StrCat("window: numbers to 2^56, found ", x));
  }
  const std::optional<int64_t> dilated =
      size == 0 ? size : checked_mul(size - 1, window.lhs_dilate);
  const std::optional<int64_t> reach = checked_mul(window.size - 1, window.rhs_dilate);
  if (!dilated || !moderate(*dilated) || !reach || !moderate(*reach)) {
    return beyond(op, "window: dilated sizes to 2^56");
  }
  const int64_t padded = *dilated + (size > 0 ? 1 : 0) + window.pad_low + window.pad_high;
  return padded < *reach + 1 ? 0 : (padded - *reach - 1) / window.stride + 1;
}

}  // namespace tileproof::spec
