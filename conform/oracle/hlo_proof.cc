// SPDX-License-Identifier: Apache-2.0
#include "conform/oracle/hlo_proof.h"

#include <utility>

#include "conform/oracle/hlo_claim.h"
#include "conform/oracle/hlo_outside.h"
#include "spec/lang/base/try.h"
#include "verify/prove/hlo/indexing_proof.h"

namespace tileproof::conform {
namespace {

constexpr int64_t kMilliseconds = 5'000;  // of the solver, for one array of the operands

using Arrays = std::vector<spec::Dims>;

absl::StatusOr<Arrays> arrays_of(const SharedShape& shape) {
  if (!shape) return absl::UnimplementedError("an operand has no shape");
  const Leaves leaves = TRY(leaves_of(*shape));
  Arrays arrays;
  for (const Leaf& leaf : leaves) arrays.emplace_back(leaf.dims.begin(), leaf.dims.end());
  return arrays;
}

// The arrays at both ends of the question, without elements.
absl::StatusOr<spec::Provenance> ends_of(const HloQuestion& question) {
  const HloComputation& computation = question.module.computations[question.computation];
  const HloInstruction& at = computation.instructions[question.instruction];
  const Arrays results = TRY(arrays_of(at.shape));
  spec::Provenance ends;
  for (const HloOperand& operand : at.operands) {
    ends.sources.push_back(TRY(arrays_of(computation.instructions[operand.instruction].shape)));
  }
  if (question.array >= std::ssize(results)) return absl::UnimplementedError("no such array");
  ends.dims = results[question.array];
  if (!question.is_inverse()) return ends;
  const bool one = results.size() == 1 && ends.sources.size() == 1 && ends.sources[0].size() == 1;
  if (!one) return absl::UnimplementedError("several arrays that are too large to enumerate");
  std::swap(ends.dims, ends.sources[0][0]);
  return ends;
}

}  // namespace

Assessment judge_by_proof(const HloQuestion& question, const Answer& answer) {
  if (question.scope != spec::Scope::kInstruction) return open("too large to enumerate");
  const absl::StatusOr<spec::Provenance> ends = ends_of(question);
  if (!ends.ok()) return open(ends.status().message());
  const absl::StatusOr<HloClaim> claim = read_hlo_claim(question, *ends, answer);
  if (absl::IsUnimplemented(claim.status())) return open(claim.status().message());
  if (!claim.ok()) return {Assessment::Kind::kWrong, std::string(claim.status().message())};
  if (const auto outside = point_outside(claim->indexing, ends->dims)) {
    return {Assessment::Kind::kWrong, *outside};
  }
  if (claim->unknown) return {Assessment::Kind::kUnspecified, "a list is \"unknown\""};
  verify::VerifySession session;
  session.options.milliseconds = kMilliseconds;
  const verify::InstructionVerdict verdict = verify::verify_maps(
      question.module, question.computation, question.instruction,
      question.is_inverse() ? 0 : question.array, claim->indexing, session, question.direction);
  switch (verdict.kind) {
    case verify::InstructionVerdict::Kind::kProven:
    case verify::InstructionVerdict::Kind::kNoDataflow:
      return {};
    case verify::InstructionVerdict::Kind::kConservative:
      return {Assessment::Kind::kSuperset, ""};
    case verify::InstructionVerdict::Kind::kRefuted:
      return {Assessment::Kind::kWrong, verdict.detail};
    default:
      return open(verdict.detail);
  }
}

}  // namespace tileproof::conform
