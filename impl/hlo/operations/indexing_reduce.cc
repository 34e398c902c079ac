// Operations that combine whole lines: dot, reduce, sort.
#include <algorithm>

#include "absl/strings/str_join.h"
#include "impl/hlo/operations/operation_handler.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {
namespace {

std::string text_of(const Dims& sizes) { return absl::StrCat("[", absl::StrJoin(sizes, ","), "]"); }

bool holds(const std::vector<int64_t>& list, int64_t d) { return std::ranges::count(list, d) > 0; }

absl::Status expect_output(const Operation& op, const Dims& sizes) {
  if (op.output == sizes) return absl::OkStatus();
  return wrong(op, "expected a result of dimensions ", text_of(sizes), ", found ",
               text_of(op.output));
}

// One side of a dot: batch dimensions, contracting dimensions, and free ones.
struct Side {
  int32_t operand;
  const std::vector<int64_t>& batch;
  const std::vector<int64_t>& contracting;
  Dims sizes;
};

absl::Status expect_side(const Operation& op, const Side& side) {
  std::vector<int64_t> named = side.batch;
  named.insert(named.end(), side.contracting.begin(), side.contracting.end());
  return expect_dimensions(op, absl::StrCat("dimensions of operand ", side.operand), named,
                           side.sizes.size());
}

Dims free_sizes(const Side& side) {
  Dims sizes;
  for (int64_t d = 0; d < std::ssize(side.sizes); ++d) {
    if (!holds(side.batch, d) && !holds(side.contracting, d)) sizes.push_back(side.sizes[d]);
  }
  return sizes;
}

// The side's free dimensions are those of the result from `first_free` on.
absl::Status add_side(const Operation& op, Dependences& dependences, const Side& side,
                      int64_t first_free) {
  MapBuilder m(op.output);
  std::vector<NodeId> index(side.sizes.size(), -1);
  for (size_t i = 0; i < side.batch.size(); ++i) {
    index[side.batch[i]] = m.dimension(static_cast<int64_t>(i));
  }
  for (int64_t d : side.contracting) index[d] = m.range(side.sizes[d]);
  for (NodeId& expr : index) {
    if (expr < 0) expr = m.dimension(first_free++);
    m.result(expr);
  }
  return add_dependence(op, dependences, side.operand, m, side.sizes);
}

}  // namespace

// out[batch, i, j] = sum over k of a[batch, i, k] * b[batch, k, j]
absl::StatusOr<Dependences> dot_dependences(const Operation& op) {
  TRY(expect_operands(op, 2, 2));
  const auto numbers = TRY(dot_numbers_of(op.instruction));
  const auto left = TRY(operand_sizes(op, 0)), right = TRY(operand_sizes(op, 1));
  const Side a{0, numbers.lhs_batch, numbers.lhs_contracting, left};
  const Side b{1, numbers.rhs_batch, numbers.rhs_contracting, right};
  TRY(expect_side(op, a));
  TRY(expect_side(op, b));
  const auto same_sizes = [&](const std::vector<int64_t>& x, const std::vector<int64_t>& y) {
    return std::ranges::equal(x, y, [&](int64_t i, int64_t j) { return a.sizes[i] == b.sizes[j]; });
  };
  if (!same_sizes(a.batch, b.batch) || !same_sizes(a.contracting, b.contracting)) {
    return wrong(op, "expected batch and contracting dimensions of equal sizes, found ",
                 text_of(left), " and ", text_of(right));
  }
  Dims sizes;
  for (int64_t d : a.batch) sizes.push_back(a.sizes[d]);
  const auto batches = std::ssize(sizes);
  const Dims free_a = free_sizes(a), free_b = free_sizes(b);
  sizes.insert(sizes.end(), free_a.begin(), free_a.end());
  sizes.insert(sizes.end(), free_b.begin(), free_b.end());
  TRY(expect_output(op, sizes));
  Dependences dependences;
  // With nothing to sum over, nothing flows.
  TRY(add_side(op, dependences, a, batches));
  TRY(add_side(op, dependences, b, batches + std::ssize(free_a)));
  return dependences;
}

// Inputs, then as many initial values; the computation is given all of them.
absl::StatusOr<Dependences> reduce_dependences(const Operation& op) {
  const int32_t inputs = op.operands() / 2;
  if (op.operands() % 2 != 0 || op.leaf_count() != inputs) {
    return wrong(op, "expected an array and an initial value for each of ", op.leaf_count(),
                 " results, found ", op.operands(), " operands");
  }
  const auto first = TRY(operand_sizes(op, 0));
  const auto reduced = TRY(first.empty() ? integers_of(op.instruction, "dimensions", {})
                                         : integers_of(op.instruction, "dimensions"));
  TRY(expect_dimensions(op, "dimensions", reduced, first.size()));
  Dims sizes;
  for (int64_t d = 0; d < std::ssize(first); ++d) {
    if (!holds(reduced, d)) sizes.push_back(first[d]);
  }
  TRY(expect_output(op, sizes));
  Dependences dependences;
  for (int32_t k = 0; k < inputs; ++k) {
    const auto in = TRY(operand_sizes(op, k));
    if (in != first) {
      return wrong(op, "expected operand ", k, " of dimensions ", text_of(first), ", found ",
                   text_of(in));
    }
    MapBuilder m(op.output);
    int64_t next = 0;
    for (int64_t d = 0; d < std::ssize(in); ++d) {
      m.result(holds(reduced, d) ? m.range(in[d]) : m.dimension(next++));
    }
    TRY(add_dependence(op, dependences, k, m, in));
    TRY(add_scalar(op, dependences, inputs + k));
  }
  return dependences;
}

// The order of a line depends on the whole line of every operand.
absl::StatusOr<Dependences> sort_dependences(const Operation& op) {
  const bool topk = op.opcode() == HloOpcode::kTopk;
  if (topk && (op.operands() != 1 || op.leaf_count() != 2)) {
    return wrong(op, "expected one operand and two results");
  }
  if (op.operands() == 0) return wrong(op, "expected an operand");
  const auto first = TRY(operand_sizes(op, 0));
  const auto rank = std::ssize(first);
  const auto along = TRY(topk ? absl::StatusOr<std::vector<int64_t>>(std::vector<int64_t>{rank - 1})
                         : rank == 0 ? std::vector<int64_t>()
                                     : integers_of(op.instruction, "dimensions"));
  TRY(expect_dimensions(op, "dimensions", along, first.size()));
  if (rank > 0 && along.size() != 1) return wrong(op, "expected one dimension");
  Dims fits = first;
  if (topk && op.output.size() == fits.size() && op.output.back() <= fits.back()) {
    fits.back() = op.output.back();
  }
  TRY(expect_output(op, fits));
  if (!topk && op.leaf_count() != op.operands()) {
    return wrong(op, "expected as many results as operands, found ", op.leaf_count());
  }
  Dependences dependences;
  for (int32_t k = 0; k < (topk ? 1 : op.operands()); ++k) {
    const auto in = TRY(operand_sizes(op, k));
    if (in != first) {
      return wrong(op, "expected operand ", k, " of dimensions ", text_of(first), ", found ",
                   text_of(in));
    }
    MapBuilder m(op.output);
    for (int64_t i = 0; i < rank; ++i) {
      m.result(i == along.front() ? m.range(in[i]) : m.dimension(i));
    }
    TRY(add_dependence(op, dependences, k, m, in));
  }
  return dependences;
}

}  // namespace tileproof::impl
