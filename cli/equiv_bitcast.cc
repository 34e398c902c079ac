// SPDX-License-Identifier: Apache-2.0
#include "cli/equiv_bitcast.h"

#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/equiv_modules.h"
#include "cli/verbs/any_map.h"
#include "spec/lang/base/try.h"

namespace tileproof::cli {
namespace {

using verify::Verdict;

absl::StatusOr<verify::Move> move_of(const BitcastOptions& options) {
  using Kind = verify::Move::Kind;
  if (options.reshape) return verify::Move{Kind::kReshape, {}};
  if (options.bitcast) return verify::Move{Kind::kBitcast, {}};
  verify::Move move{Kind::kTranspose, {}};
  if (options.transpose->empty()) return move;
  for (absl::string_view part : absl::StrSplit(*options.transpose, ',')) {
    move.dimensions.emplace_back();
    if (!absl::SimpleAtoi(part, &move.dimensions.back())) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--transpose: expected dimensions such as 1,0, found '", *options.transpose, "'"));
    }
  }
  return move;
}

Answer answer_of(const verify::IsBitcastProof& proof) {
  Json json = json_object({{"free", equal_json(proof.verdict)}});
  std::string text = absl::StrCat("undecided: ", proof.open);
  if (proof.verdict == Verdict::kProven) {
    set(json, "by", verify::to_text(proof.basis));
    const bool is_enumerated = proof.basis == verify::Basis::kEnumerated;
    text =
        absl::StrCat("free: no element moves (",
                     is_enumerated ? "all elements compared" : verify::explain(proof.basis), ")");
  } else if (proof.verdict == Verdict::kRefuted) {
    set(json, "difference", proof.counterexample);
    text = absl::StrCat("not free: ", proof.counterexample);
  }
  return {{std::move(json)}, text + "\n", exit_status(proof.verdict)};
}

}  // namespace

absl::StatusOr<Answer> prove_equiv_bitcast(const std::string (&texts)[2],
                                           const BitcastOptions& options,
                                           const verify::EqualOptions& limits) {
  if (int{options.reshape} + int{options.bitcast} + int{options.transpose.has_value()} > 1) {
    return absl::InvalidArgumentError("expected one of --reshape, --transpose and --bitcast");
  }
  const auto [left, right] = TRY(both_sides(texts, layout_function_of));
  const verify::Move move = TRY(move_of(options));
  return answer_of(TRY(verify::prove_is_bitcast(left, right, move, limits)));
}

}  // namespace tileproof::cli
