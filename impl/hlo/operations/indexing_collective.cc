// Collectives, as one replica sees them: the replica is no part of the relation, so what comes from
// another one counts as coming from this one, at the same place.
#include <algorithm>

#include "absl/strings/str_join.h"
#include "impl/hlo/operations/operation_handler.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {
namespace {

std::string text_of(const Dims& sizes) { return absl::StrCat("[", absl::StrJoin(sizes, ","), "]"); }

absl::StatusOr<OperandLeaf> operand_at(const Operation& op, int32_t leaf) {
  const std::vector<OperandLeaf> leaves = operand_leaves(op);
  if (leaf < std::ssize(leaves)) return leaves[leaf];
  return wrong(op, "expected an operand for part ", leaf, " of the result");
}

absl::StatusOr<int64_t> one_dimension(const Operation& op, size_t rank) {
  const auto dimensions = TRY(integers_of(op.instruction, "dimensions"));
  TRY(expect_dimensions(op, "dimensions", dimensions, rank));
  if (dimensions.size() != 1) return wrong(op, "expected one dimension");
  return dimensions.front();
}

absl::Status expect_chunks(const Operation& op, int64_t d, const Dims& large, const Dims& small) {
  Dims fits = large;
  if (small.size() == large.size()) fits[d] = small[d];
  const bool multiple = fits == small && (small[d] == 0 || large[d] % small[d] == 0);
  if (multiple && (small[d] == 0) == (large[d] == 0)) return absl::OkStatus();
  return wrong(op, "expected whole chunks along dimension ", d, ", found ", text_of(large), " of ",
               text_of(small));
}

// The index along dimension d counts within a chunk; several of them lie side by side in the
// operand, any may be meant.
absl::StatusOr<Dependences> add_chunk(const Operation& op, OperandLeaf from, const Dims& in,
                                      int64_t d, int64_t chunk) {
  Dependences dependences;
  if (has_no_elements(in) || has_no_elements(op.output)) return dependences;
  MapBuilder m(op.output);
  for (int64_t i = 0; i < std::ssize(in); ++i) {
    const NodeId e = m.dimension(i);
    m.result(i != d ? e : m.plus(m.times(m.range(in[d] / chunk), chunk), m.mod(e, chunk)));
  }
  TRY(add_dependence(op, dependences, from.operand, m, in, Form::kToSimplify, true));
  for (Dependence& dependence : dependences.dependences) dependence.leaf = from.leaf;
  return dependences;
}

// The operands of all replicas, side by side.
absl::StatusOr<Dependences> gathered(const Operation& op, OperandLeaf from) {
  const Dims& in = op.sizes(from.operand, from.leaf);
  const auto d = TRY(one_dimension(op, in.size()));
  TRY(expect_chunks(op, d, op.output, in));
  return add_chunk(op, from, in, d, in[d]);
}

// (operands, results, contexts), the results by `result`.
template <class Result>
absl::StatusOr<Dependences> started(const Operation& op, const Result& result) {
  const std::vector<OperandLeaf> leaves = operand_leaves(op);
  const auto count = static_cast<int32_t>(leaves.size());
  if (op.leaf < count) return passed(op, leaves[op.leaf].operand, leaves[op.leaf].leaf);
  if (op.leaf < 2 * count) return result(leaves[op.leaf - count]);
  return Dependences{};
}

bool of_slices(const Operation& op) {
  return find_attribute(op.instruction.attributes, "slice_sizes") != nullptr;
}

}  // namespace

absl::StatusOr<Dependences> all_gather_dependences(const Operation& op) {
  const auto from = TRY(operand_at(op, op.leaf));
  return gathered(op, from);
}

absl::StatusOr<Dependences> all_gather_start_dependences(const Operation& op) {
  return started(op, [&](OperandLeaf from) { return gathered(op, from); });
}

// Elements at one index of all replicas are reduced, or one of them is taken.
absl::StatusOr<Dependences> all_reduce_dependences(const Operation& op) {
  const auto from = TRY(operand_at(op, op.leaf));
  return passed(op, from.operand, from.leaf);
}

// The operands reduced; some texts have (operands, the operands reduced).
absl::StatusOr<Dependences> all_reduce_start_dependences(const Operation& op) {
  const std::vector<OperandLeaf> leaves = operand_leaves(op);
  if (leaves.empty()) return wrong(op, "expected an operand");
  const OperandLeaf from = leaves[op.leaf % leaves.size()];
  return passed(op, from.operand, from.leaf);
}

// The last of what was started.
absl::StatusOr<Dependences> all_reduce_done_dependences(const Operation& op) {
  TRY(expect_operands(op, 1, 1));
  const auto started = static_cast<int32_t>(op.leaves(0).shapes.size());
  if (started < op.leaf_count()) return wrong(op, "expected a result of the shape of the operand");
  return passed(op, 0, started - op.leaf_count() + op.leaf);
}

absl::StatusOr<Dependences> reduce_scatter_dependences(const Operation& op) {
  const auto from = TRY(operand_at(op, op.leaf));
  const Dims& in = op.sizes(from.operand, from.leaf);
  const auto d = TRY(one_dimension(op, in.size()));
  TRY(expect_chunks(op, d, in, op.output));
  return add_chunk(op, from, in, d, op.output[d]);
}

// A dimension in chunks, one for each replica; or one operand for each.
absl::StatusOr<Dependences> all_to_all_dependences(const Operation& op) {
  if (find_attribute(op.instruction.attributes, "dimensions") == nullptr) {
    Dependences dependences;
    for (const OperandLeaf& from : operand_leaves(op)) {
      const auto one = TRY(passed(op, from.operand, from.leaf));
      dependences.dependences.insert(dependences.dependences.end(), one.dependences.begin(),
                                     one.dependences.end());
    }
    return dependences;
  }
  TRY(expect_operands(op, 1, 1));
  TRY(passed(op, 0, 0));
  const auto d = TRY(one_dimension(op, op.output.size()));
  const auto groups = TRY(replica_groups_of(op.instruction));
  if (groups.size < 1) {
    return conservatively(op, "all-to-all among a number of replicas that is not written");
  }
  const int64_t size = op.output[d];
  if (size % groups.size != 0) {
    return wrong(op, "expected ", groups.size, " chunks along dimension ", d, " of size ", size);
  }
  return add_chunk(op, {0, 0}, op.output, d, size / groups.size);
}

absl::StatusOr<Dependences> permute_dependences(const Operation& op) {
  if (of_slices(op)) return conservatively(op, "collective-permute of slices in place");
  return all_reduce_dependences(op);
}

absl::StatusOr<Dependences> permute_start_dependences(const Operation& op) {
  if (of_slices(op)) return conservatively(op, "collective-permute of slices in place");
  return started(op, [&](OperandLeaf from) { return passed(op, from.operand, from.leaf); });
}

}  // namespace tileproof::impl
