// SPDX-License-Identifier: Apache-2.0
// Operations that run along whole dimensions: dot, reduce, sort, topk.
#include <algorithm>

#include "spec/lang/base/try.h"
#include "spec/lang/hlo/operations/checked_op_parts.h"

namespace tileproof::check {
namespace {

absl::Status expect_equal_sizes(const Instruction& in, absl::string_view what, const Dims& lhs,
                                const Dims& rhs) {
  if (lhs == rhs) return absl::OkStatus();
  return expected(in, what, " dimensions of equal sizes, found ", dims_text(lhs), " and ",
                  dims_text(rhs));
}

}  // namespace

absl::StatusOr<op::Any> dot(const Instruction& in) {
  TRY(expect_operands(in, 2, 2));
  op::Dot d;
  d.lhs = TRY(array_dims(in, 0));
  d.rhs = TRY(array_dims(in, 1));
  d.numbers = TRY(dot_numbers_of(in.instruction));
  const DotDimensionNumbers& n = d.numbers;
  const int64_t lhs_rank = std::ssize(d.lhs), rhs_rank = std::ssize(d.rhs);
  TRY(expect_dimensions(in, "batch and contracting dimensions of operand 0",
                        joined(n.lhs_batch, n.lhs_contracting), lhs_rank));
  TRY(expect_dimensions(in, "batch and contracting dimensions of operand 1",
                        joined(n.rhs_batch, n.rhs_contracting), rhs_rank));
  TRY(expect_equal_sizes(in, "batch", selected(d.lhs, n.lhs_batch), selected(d.rhs, n.rhs_batch)));
  TRY(expect_equal_sizes(in, "contracting", selected(d.lhs, n.lhs_contracting),
                         selected(d.rhs, n.rhs_contracting)));
  d.lhs_free = others(lhs_rank, n.lhs_batch, n.lhs_contracting);
  d.rhs_free = others(rhs_rank, n.rhs_batch, n.rhs_contracting);
  d.result = dot_dimensions(d.lhs, d.rhs, n);
  TRY(expect_result(in, d.result));
  return d;
}

absl::StatusOr<op::Any> reduce(const Instruction& in) {
  op::Reduce r;
  r.inputs = TRY(inputs_and_inits(in));
  r.operand = TRY(array_dims(in, 0));
  r.dimensions = TRY(dimensions_unless_scalar(in, r.operand));
  TRY(expect_dimensions(in, "dimensions", r.dimensions, std::ssize(r.operand)));
  std::ranges::sort(r.dimensions);
  r.kept = others(std::ssize(r.operand), r.dimensions);
  r.result = selected(r.operand, r.kept);
  TRY(expect_parts(in, r.result));
  return r;
}

absl::StatusOr<op::Any> sort(const Instruction& in) {
  if (in.operands.size() != in.result.size()) {
    return expected(in, "a part of the result for each operand, found ",
                    count_text(std::ssize(in.result), "part"), " and ",
                    count_text(in.operand_count(), "operand"));
  }
  op::Sort s;
  s.operands = static_cast<int32_t>(in.operand_count());
  TRY(expect_predicate_on_scalars(in, "to_apply", 2 * in.operand_count()));
  s.dims = TRY(array_dims(in, 0));
  for (int64_t k = 1; k < in.operand_count(); ++k) TRY(expect_operand(in, k, s.dims));
  if (!s.dims.empty()) s.dimension = TRY(one_dimension(in, std::ssize(s.dims)));
  TRY(expect_parts(in, s.dims));
  return s;
}

absl::StatusOr<op::Any> topk(const Instruction& in) {
  op::TopK t;
  t.operand = TRY(only_operand(in));
  if (t.operand.empty())
    return expected(in, "an operand with at least 1 dimension, found a scalar");
  if (in.result.size() != 2) {
    return expected(in, "2 parts of the result, found ", in.result.size());
  }
  const int64_t k = TRY(integer_of(in.instruction, "k"));
  if (k > t.operand.back()) return expected(in, "k of at most ", t.operand.back(), ", found ", k);
  Dims fits = t.operand;
  fits.back() = k;
  TRY(expect_parts(in, fits));
  return t;
}

// What each step computes is not followed.
absl::StatusOr<op::Any> scan(const Instruction& in) {
  TRY(expect_operands(in, 1, INT64_MAX));
  TRY(one_dimension(in, std::ssize(TRY(array_dims(in, 0)))));
  return opaque(in);
}

}  // namespace tileproof::check
