// Operations that run along whole dimensions: dot, reduce, sort, topk.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/hlo/access_relation_parts.h"
#include "spec/lang/base/try.h"

namespace tileproof::spec {
namespace {

// Dimensions that are in neither list, in order.
std::vector<int64_t> others(int64_t rank, const std::vector<int64_t>& a,
                            const std::vector<int64_t>& b) {
  std::vector<int64_t> result;
  for (int64_t d = 0; d < rank; ++d) {
    if (std::count(a.begin(), a.end(), d) + std::count(b.begin(), b.end(), d) == 0) {
      result.push_back(d);
    }
  }
  return result;
}

// One side of a dot: its batch dimensions are the first of the result, its free ones follow from
// `first_free` on, its contracted ones are range variables.
access::Projection side_of_dot(int64_t rank, const std::vector<int64_t>& batch,
                               const std::vector<int64_t>& contracting, int64_t first_free) {
  access::Projection pick{std::vector<access::Projection::Coordinate>(static_cast<size_t>(rank))};
  for (int64_t k = 0; k < std::ssize(batch); ++k) pick.coordinates[batch[k]] = access::output(k);
  for (int64_t k = 0; k < std::ssize(contracting); ++k) {
    pick.coordinates[contracting[k]] = access::range(k);
  }
  for (int64_t d : others(rank, batch, contracting)) {
    pick.coordinates[d] = access::output(first_free++);
  }
  return pick;
}

absl::Status expect_one_side(const Operation& op, absl::string_view side,
                             const std::vector<int64_t>& batch,
                             const std::vector<int64_t>& contracting, int64_t rank) {
  std::vector<int64_t> all = batch;
  all.insert(all.end(), contracting.begin(), contracting.end());
  return expect_dimensions(op, absl::StrCat(side, " batch and contracting dimensions"), all, rank);
}

}  // namespace

// out[batch, i.., j..] = sum over s of lhs[batch, i.., s..] * rhs[batch, j.., s..]
absl::StatusOr<AccessRelation> dot(const Operation& op, int64_t) {
  TRY(expect_operands(op, 2, 2));
  const Dims lhs = TRY(array_dims(op, 0));
  const Dims rhs = TRY(array_dims(op, 1));
  const auto n = TRY(dot_numbers_of(op.instruction));
  const int64_t lhs_rank = std::ssize(lhs), rhs_rank = std::ssize(rhs);
  absl::Status status = expect_one_side(op, "lhs", n.lhs_batch, n.lhs_contracting, lhs_rank);
  status.Update(expect_one_side(op, "rhs", n.rhs_batch, n.rhs_contracting, rhs_rank));
  if (!status.ok()) return status;
  Dims out, contracted;
  for (size_t k = 0; k < n.lhs_batch.size(); ++k) {
    out.push_back(lhs[n.lhs_batch[k]]);
    if (rhs[n.rhs_batch[k]] != out.back()) return expected(op, "batch dimensions of one size");
  }
  for (size_t k = 0; k < n.lhs_contracting.size(); ++k) {
    contracted.push_back(lhs[n.lhs_contracting[k]]);
    if (rhs[n.rhs_contracting[k]] != contracted.back()) {
      return expected(op, "contracting dimensions of one size");
    }
  }
  const int64_t batches = std::ssize(out);
  for (int64_t d : others(lhs_rank, n.lhs_batch, n.lhs_contracting)) out.push_back(lhs[d]);
  const int64_t lhs_end = std::ssize(out);
  for (int64_t d : others(rhs_rank, n.rhs_batch, n.rhs_contracting)) out.push_back(rhs[d]);
  const Dims result = TRY(result_dims(op));
  if (result != out) {
    return expected(
        op, absl::StrCat("a result of dimensions ", dims_text(out), ", found ", dims_text(result)));
  }
  return AccessRelation{
      .dependences = {
          dependence_of(0, side_of_dot(lhs_rank, n.lhs_batch, n.lhs_contracting, batches),
                        contracted),
          dependence_of(1, side_of_dot(rhs_rank, n.rhs_batch, n.rhs_contracting, lhs_end),
                        contracted)}};
}

// Every result is computed from the reduced dimensions of all inputs, starting with all inits.
absl::StatusOr<AccessRelation> reduce(const Operation& op, int64_t leaf) {
  const int64_t inputs = op.operand_count() / 2;
  if (inputs < 1 || op.operand_count() % 2 != 0) return expected(op, "an init for each operand");
  if (std::ssize(op.result) != inputs) return expected(op, "a result for each operand");
  const Dims in = TRY(array_dims(op, 0));
  const int64_t rank = std::ssize(in);
  const auto dimensions = TRY(in.empty() ? integers_of(op.instruction, "dimensions", {})
                                         : integers_of(op.instruction, "dimensions"));
  TRY(expect_dimensions(op, "dimensions", dimensions, rank));
  access::Projection pick{std::vector<access::Projection::Coordinate>(in.size())};
  Dims reduced, kept;
  for (int64_t d = 0; d < rank; ++d) {
    const bool gone = std::count(dimensions.begin(), dimensions.end(), d) > 0;
    pick.coordinates[d] =
        gone ? access::range(std::ssize(reduced)) : access::output(std::ssize(kept));
    (gone ? reduced : kept).push_back(in[d]);
  }
  if (op.result[leaf].dims != kept) {
    return expected(op, absl::StrCat("results of dimensions ", dims_text(kept), ", found ",
                                     dims_text(op.result[leaf].dims)));
  }
  AccessRelation relation;
  for (int64_t k = 0; k < inputs; ++k) {
    absl::Status status = expect_dims(op, k, in);
    status.Update(expect_dims(op, inputs + k, {}));
    if (!status.ok()) return status;
    relation.dependences.push_back(dependence_of(k, pick, reduced));
    relation.dependences.push_back(scalar(inputs + k));
  }
  return relation;
}

// The place of an element depends on its whole line, in all operands.
absl::StatusOr<AccessRelation> sort(const Operation& op, int64_t leaf) {
  if (op.operands.empty() || op.operands.size() != op.result.size()) {
    return expected(op, "a result for each operand");
  }
  const Dims& out = op.result[leaf].dims;
  const int64_t rank = std::ssize(out);
  access::Projection pick = same_index(rank);
  Dims ranges;
  if (rank > 0) {
    const int64_t dimension = TRY(one_dimension(op, rank));
    pick.coordinates[dimension] = access::range(0);
    ranges.push_back(out[dimension]);
  }
  AccessRelation relation;
  for (int64_t k = 0; k < op.operand_count(); ++k) {
    TRY(expect_dims(op, k, out));
    relation.dependences.push_back(dependence_of(k, pick, ranges));
  }
  return relation;
}

// The k largest of each last line, and where they were.
absl::StatusOr<AccessRelation> topk(const Operation& op, int64_t leaf) {
  TRY(expect_operands(op, 1, 1));
  const Dims in = TRY(array_dims(op, 0));
  const Dims& out = op.result[leaf].dims;
  const int64_t last = std::ssize(in) - 1;
  if (last < 0 || op.result.size() != 2) return expected(op, "an array, and two results");
  Dims fits = in;
  if (out.size() == in.size()) fits.back() = std::min(out.back(), in.back());
  if (fits != out) {
    return expected(op, absl::StrCat("results of the dimensions of ", dims_text(in),
                                     " with a shorter last one, found ", dims_text(out)));
  }
  access::Projection pick = same_index(last);
  pick.coordinates.push_back(access::range(0));
  return AccessRelation{.dependences = {dependence_of(0, std::move(pick), {in.back()})}};
}

}  // namespace tileproof::spec
