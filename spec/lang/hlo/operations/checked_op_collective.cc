// SPDX-License-Identifier: Apache-2.0
// Collectives, as one replica sees them.

#include "spec/lang/base/try.h"
#include "spec/lang/hlo/operations/checked_op_parts.h"

namespace tileproof::check {
namespace {

// The parts of the result: one for each leaf of the operands, in turn.
absl::StatusOr<std::vector<op::CollectivePart>> parts_of(const Instruction& in) {
  const std::vector<OperandLeaf> leaves = operand_leaves(in);
  if (in.result.size() > leaves.size()) {
    return expected(in, "an operand for part ", leaves.size(), " of the result, found none");
  }
  TRY(expect_part_count(in, std::ssize(leaves)));
  std::vector<op::CollectivePart> parts;
  for (size_t k = 0; k < in.result.size(); ++k) {
    parts.push_back({leaves[k], dims_of(in, leaves[k]), in.result[k].dims});
  }
  return parts;
}

// The same, and each part has the dimensions of its leaf.
absl::StatusOr<std::vector<op::CollectivePart>> equal_parts(const Instruction& in) {
  std::vector<op::CollectivePart> parts = TRY(parts_of(in));
  for (int64_t k = 0; k < std::ssize(parts); ++k) TRY(expect_part(in, k, parts[k].operand));
  return parts;
}

// OK if `large` is a positive number of chunks `small` along the dimension. (Both may be empty
// there.)
absl::Status expect_chunks(const Instruction& in, int64_t dimension, const Dims& large,
                           const Dims& small) {
  Dims fits = large;
  if (small.size() == large.size()) fits[dimension] = small[dimension];
  if (fits == small) {
    const int64_t chunk = small[dimension], whole = large[dimension];
    if (chunk == 0 || whole == 0 ? chunk == whole : whole % chunk == 0) return absl::OkStatus();
  }
  return expected(in, "whole chunks ", dims_text(small), " along dimension ", dimension, ", found ",
                  dims_text(large));
}

bool is_of_slices(const Instruction& in) { return in.has("slice_sizes"); }

op::Opaque slices_in_place() {
  return {op::Opaque::Kind::kSlicesInPlace, "collective-permute of slices in place"};
}

// (operands, results, contexts). `check` checks the results.
absl::StatusOr<op::Any> started(const Instruction& in, HloOpcode opcode, Check& check) {
  op::Start start{operand_leaves(in), nullptr};
  const auto count = std::ssize(start.operands), parts = std::ssize(in.result);
  TRY(expect_operands(in, 1, INT64_MAX));
  if (parts < 2 * count) {
    return expected(in, "at least ", 2 * count, " parts (operands, results, ..), found ", parts);
  }
  for (int64_t k = 0; k < count; ++k) TRY(forwarded(in, k, start.operands[k]));
  Instruction inner = in;
  inner.opcode = opcode;
  inner.result = in.result.subspan(count, count);
  start.operation = checked_op_of(inner, TRY(check(inner)));
  return start;
}

}  // namespace

absl::StatusOr<op::Any> all_gather(const Instruction& in) {
  op::AllGather a;
  a.parts = TRY(parts_of(in));
  for (const op::CollectivePart& part : a.parts) {
    a.dimension = TRY(one_dimension(in, std::ssize(part.operand)));
    TRY(expect_chunks(in, a.dimension, part.result, part.operand));
  }
  return a;
}

absl::StatusOr<op::Any> all_gather_start(const Instruction& in) {
  return started(in, HloOpcode::kAllGather, all_gather);
}

absl::StatusOr<op::Any> all_reduce(const Instruction& in) {
  const std::string* dynamic_root = find_attribute(in.instruction.attributes, "has_dynamic_root");
  if (dynamic_root != nullptr && *dynamic_root == "true") {
    return op::Opaque{op::Opaque::Kind::kReplicasUnknown,
                      absl::StrCat(in.opcode_text, " with a root that an operand chooses")};
  }
  op::AllReduce a;
  a.parts = TRY(equal_parts(in));
  return a;
}

// The result is that of the all-reduce, or, in some texts, (operands, that).
absl::StatusOr<op::Any> all_reduce_start(const Instruction& in) {
  const std::vector<OperandLeaf> leaves = operand_leaves(in);
  if (leaves.empty()) return expected(in, "an operand, found none");
  const auto count = std::ssize(leaves), parts = std::ssize(in.result);
  if (parts != count && parts != 2 * count) {
    return expected(in, count_text(count, "part"), " of the result, found ", parts);
  }
  op::AllReduce a;
  for (int64_t k = 0; k < std::ssize(in.result); ++k) {
    const OperandLeaf from = TRY(forwarded(in, k, leaves[k % std::ssize(leaves)]));
    a.parts.push_back({from, dims_of(in, from), in.result[k].dims});
  }
  return a;
}

// The last parts of what was started.
absl::StatusOr<op::Any> all_reduce_done(const Instruction& in) {
  TRY(expect_operands(in, 1, 1));
  const int64_t before = std::ssize(in.operands[0]) - std::ssize(in.result);
  if (before < 0) {
    return expected(in, "at most ", count_text(std::ssize(in.operands[0]), "part"),
                    " of the result, found ", in.result.size());
  }
  return forwarded_from(in, before);
}

absl::StatusOr<op::Any> reduce_scatter(const Instruction& in) {
  op::ReduceScatter r;
  r.parts = TRY(parts_of(in));
  for (const op::CollectivePart& part : r.parts) {
    r.dimension = TRY(one_dimension(in, std::ssize(part.operand)));
    TRY(expect_chunks(in, r.dimension, part.operand, part.result));
  }
  return r;
}

namespace {

absl::StatusOr<op::Any> tuple_all_to_all(const Instruction& in) {
  op::TupleAllToAll a;
  TRY(parts_of(in));
  a.operands = operand_leaves(in);
  for (const OperandLeaf leaf : a.operands) TRY(expect_parts(in, dims_of(in, leaf)));
  if (!in.result.empty()) a.dims = in.result[0].dims;
  return a;
}

}  // namespace

absl::StatusOr<op::Any> all_to_all(const Instruction& in) {
  if (!in.has("dimensions")) return tuple_all_to_all(in);
  TRY(expect_operands(in, 1, 1));
  for (int64_t k = 0; k < std::ssize(in.result); ++k) TRY(forwarded(in, k, {0, 0}));
  if (in.operands[0].empty()) return expected(in, "an array in operand 0, found none");
  op::ArrayAllToAll a;
  a.dims = in.operands[0][0].dims;
  a.dimension = TRY(one_dimension(in, std::ssize(a.dims)));
  a.chunks = TRY(replica_groups_of(in.instruction)).size;
  if (a.chunks < 1) {
    return op::Opaque{op::Opaque::Kind::kReplicasUnknown,
                      "all-to-all among a number of replicas that is not written"};
  }
  if (a.dims[a.dimension] % a.chunks != 0) {
    return expected(in, a.chunks, " equal chunks along dimension ", a.dimension, ", found size ",
                    a.dims[a.dimension]);
  }
  return a;
}

absl::StatusOr<op::Any> collective_permute(const Instruction& in) {
  if (is_of_slices(in)) return slices_in_place();
  op::CollectivePermute p;
  p.parts = TRY(equal_parts(in));
  return p;
}

absl::StatusOr<op::Any> collective_permute_start(const Instruction& in) {
  if (is_of_slices(in)) return slices_in_place();
  return started(in, HloOpcode::kCollectivePermute, collective_permute);
}

// The second part of (operands, results, ..).
absl::StatusOr<op::Any> done(const Instruction& in) {
  TRY(expect_operands(in, 1, 1));
  const Shape& start = *in.operand_shapes[0];
  if (start.parts.size() < 2) {
    return expected(in, "an operand that is a tuple (operands, results, ..)");
  }
  const int32_t before = leaf_count(start.parts[0]), results = leaf_count(start.parts[1]);
  TRY(expect_part_count(in, results));
  return forwarded_from(in, before);
}

}  // namespace tileproof::check
