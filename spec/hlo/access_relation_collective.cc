// Collectives, as one replica sees them. What comes from another replica counts as coming from this
// one, at the same place of the operand: all replicas run one program on arrays of one shape.
#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/hlo/access_relation_parts.h"
#include "spec/lang/base/try.h"

namespace tileproof::spec {
namespace {

// The operand leaf that result leaf `leaf` is made of: the operands in turn.
absl::StatusOr<OperandLeaf> operand_of(const Operation& op, int64_t leaf) {
  const std::vector<OperandLeaf> leaves = operand_leaves(op);
  if (leaf < std::ssize(leaves)) return leaves[leaf];
  return expected(op, absl::StrCat("an operand for part ", leaf, " of the result"));
}

// OK if the two differ in one dimension at most, along which `large` is one chunk of the size of
// `small` or several: as many as there are replicas, so never none.
absl::Status expect_chunks(const Operation& op, int64_t dimension, const Dims& large,
                           const Dims& small) {
  Dims fits = large;
  if (small.size() == large.size()) fits[dimension] = small[dimension];
  if (fits == small) {
    const int64_t chunk = small[dimension], all = large[dimension];
    if (chunk == 0 || all == 0 ? chunk == all : all % chunk == 0) return absl::OkStatus();
  }
  return expected(op, absl::StrCat("whole chunks along dimension ", dimension, ", found ",
                                   dims_text(large), " of ", dims_text(small)));
}

absl::StatusOr<AccessRelation> gathered(const Operation& op, int64_t leaf, OperandLeaf from) {
  const Dims& in = op.operands[from.operand][from.leaf].dims;
  const int64_t dimension = TRY(one_dimension(op, std::ssize(in)));
  TRY(expect_chunks(op, dimension, op.result[leaf].dims, in));
  return AccessRelation{
      .dependences = {
          {from.operand, from.leaf, {}, access::Chunk{dimension, in[dimension], false}}}};
}

}  // namespace

// The operands of all replicas, side by side.
absl::StatusOr<AccessRelation> all_gather(const Operation& op, int64_t leaf) {
  const OperandLeaf from = TRY(operand_of(op, leaf));
  return gathered(op, leaf, from);
}

// Elements at the same index of all replicas are reduced (all-reduce), or one replica's is taken
// (collective-broadcast).
absl::StatusOr<AccessRelation> all_reduce(const Operation& op, int64_t leaf) {
  const OperandLeaf from = TRY(operand_of(op, leaf));
  return passed_on(op, leaf, from.operand, from.leaf);
}

// The operands reduced; or, as some texts have it, (operands, the operands reduced).
absl::StatusOr<AccessRelation> all_reduce_start(const Operation& op, int64_t leaf) {
  const std::vector<OperandLeaf> leaves = operand_leaves(op);
  if (leaves.empty()) return expected(op, "an operand");
  const OperandLeaf from = leaves[leaf % std::ssize(leaves)];
  return passed_on(op, leaf, from.operand, from.leaf);
}

// The last of what was started.
absl::StatusOr<AccessRelation> all_reduce_done(const Operation& op, int64_t leaf) {
  TRY(expect_operands(op, 1, 1));
  const int64_t before = std::ssize(op.operands[0]) - std::ssize(op.result);
  if (before < 0) return expected(op, "a result of the shape of the operand");
  return passed_on(op, leaf, 0, before + leaf);
}

// Elements are reduced as above, and each replica is left with one chunk.
absl::StatusOr<AccessRelation> reduce_scatter(const Operation& op, int64_t leaf) {
  const OperandLeaf from = TRY(operand_of(op, leaf));
  const Dims& in = op.operands[from.operand][from.leaf].dims;
  const Dims& out = op.result[leaf].dims;
  const int64_t dimension = TRY(one_dimension(op, std::ssize(in)));
  TRY(expect_chunks(op, dimension, in, out));
  const int64_t chunk = out[dimension];
  const int64_t chunks = chunk == 0 ? 0 : in[dimension] / chunk;
  return AccessRelation{
      .dependences = {{from.operand, from.leaf, {chunks}, access::Chunk{dimension, chunk, true}}}};
}

// With a dimension: it is cut into a chunk for each replica of a group; a replica is sent one chunk
// by each and joins them. Without: a replica is sent one operand by each.
absl::StatusOr<AccessRelation> all_to_all(const Operation& op, int64_t leaf) {
  if (find_attribute(op.instruction.attributes, "dimensions") == nullptr) {
    AccessRelation relation;
    for (const OperandLeaf& from : operand_leaves(op)) {
      const auto dependence = TRY(passed_on(op, leaf, from.operand, from.leaf));
      relation.dependences.push_back(dependence.dependences.front());
    }
    return relation;
  }
  TRY(expect_operands(op, 1, 1));
  TRY(passed_on(op, leaf, 0, 0));
  const Dims& dims = op.result[leaf].dims;
  const int64_t dimension = TRY(one_dimension(op, std::ssize(dims)));
  const ReplicaGroups groups = TRY(replica_groups_of(op.instruction));
  if (groups.size < 1) {
    return conservative(op, "all-to-all among a number of replicas that is not written");
  }
  if (dims[dimension] % groups.size != 0) {
    return expected(op, absl::StrCat(groups.size, " chunks along dimension ", dimension,
                                     " of size ", dims[dimension]));
  }
  const int64_t chunk = dims[dimension] / groups.size;
  return AccessRelation{
      .dependences = {dependence_of(0, access::Chunk{dimension, chunk, true}, {groups.size})}};
}

absl::StatusOr<AccessRelation> collective_permute(const Operation& op, int64_t leaf) {
  if (find_attribute(op.instruction.attributes, "slice_sizes") != nullptr) {
    return conservative(op, "collective-permute of slices in place");
  }
  return all_reduce(op, leaf);
}

namespace {

// (operands, results, contexts): the first part passes on the operands, `result` tells the second.
template <class Result>
absl::StatusOr<AccessRelation> started(const Operation& op, int64_t leaf, const Result& result) {
  const std::vector<OperandLeaf> leaves = operand_leaves(op);
  const int64_t count = std::ssize(leaves);
  if (leaf < count) return passed_on(op, leaf, leaves[leaf].operand, leaves[leaf].leaf);
  if (leaf < 2 * count) return result(leaves[leaf - count]);
  return AccessRelation{};
}

}  // namespace

absl::StatusOr<AccessRelation> all_gather_start(const Operation& op, int64_t leaf) {
  return started(op, leaf, [&](OperandLeaf from) { return gathered(op, leaf, from); });
}

absl::StatusOr<AccessRelation> collective_permute_start(const Operation& op, int64_t leaf) {
  if (find_attribute(op.instruction.attributes, "slice_sizes") != nullptr) {
    return conservative(op, "collective-permute of slices in place");
  }
  return started(op, leaf,
                 [&](OperandLeaf from) { return passed_on(op, leaf, from.operand, from.leaf); });
}

// The done of all-gather and collective-permute: the second part of (operands, results, ..).
absl::StatusOr<AccessRelation> start_done(const Operation& op, int64_t leaf) {
  TRY(expect_operands(op, 1, 1));
  const Shape& start = *op.operand_shapes[0];
  if (start.kind != Shape::Kind::kTuple || start.parts.size() < 2) {
    return expected(op, "an operand that is (operands, results, ..)");
  }
  const std::vector<Leaf> before = TRY(leaves_of(start.parts[0]));
  const std::vector<Leaf> results = TRY(leaves_of(start.parts[1]));
  if (results.size() != op.result.size()) {
    return expected(op, "a result of the shape of part 1 of the operand");
  }
  return passed_on(op, leaf, 0, std::ssize(before) + leaf);
}

}  // namespace tileproof::spec
