// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/lemmas/lemma_refutation.h"

#include "absl/status/status.h"
#include "absl/strings/strip.h"
#include "verify/prove/lemmas/lemma_smtlib.h"
#include "verify/prove/smt/ask_solver.h"

namespace tileproof::lemmas {

absl::StatusOr<std::vector<int64_t>> refute(const StatedLemma& lemma,
                                            unsigned timeout_milliseconds) {
  const std::string text = statement_smtlib(lemma);
  const verify::Answer answer =
      verify::ask_solver(std::string(absl::StripSuffix(text, "(check-sat)\n")),
                         {.milliseconds = timeout_milliseconds}, lemma.variables);
  if (answer.verdict == verify::Verdict::kUndecided)
    return absl::DeadlineExceededError("Z3 did not answer in time");
  if (answer.verdict == verify::Verdict::kProven) return absl::NotFoundError("Z3 finds no point");
  std::vector<int64_t> point;
  for (const std::optional<int64_t>& value : answer.values) {
    if (!value) return absl::InternalError("the solver's point does not fit 64 bits");
    point.push_back(*value);
  }
  const impl::Claim<Integer> claim = lemma.at(defined(point));
  if (are_true(claim.hypotheses) != true || conclusion_is_true(claim) != false)
    return absl::InternalError("the solver's point is not confirmed by evaluation");
  return point;
}

}  // namespace tileproof::lemmas
