// SPDX-License-Identifier: Apache-2.0
#include "cli/equiv_bitcast.h"

#include <iostream>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/commands.h"
#include "cli/text.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/layout/layout_function.h"

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

int print(const verify::IsBitcastProof& proof, bool as_json) {
  const bool free = proof.verdict == Verdict::kProven;
  if (as_json) {
    Json json = json_object({{"free", free}});
    if (free) set(json, "by", verify::to_text(proof.basis));
    if (proof.verdict == Verdict::kUndecided) set(json, "free", Json());
    if (proof.verdict == Verdict::kRefuted) set(json, "difference", proof.counterexample);
    std::cout << json_line(json);
  } else if (free) {
    const bool is_enumerated = proof.basis == verify::Basis::kEnumerated;
    std::cout << "free: no element moves ("
              << (is_enumerated ? "all elements compared" : verify::explain(proof.basis)) << ")\n";
  } else if (proof.verdict == Verdict::kRefuted) {
    std::cout << "not free: " << proof.counterexample << "\n";
  } else {
    std::cout << "undecided: " << proof.open << "\n";
  }
  if (free) return kHolds;
  return proof.verdict == Verdict::kRefuted ? kCounterexample : kUndecided;
}

}  // namespace

int prove_equiv_bitcast(const std::string (&texts)[2], const BitcastOptions& options,
                        const verify::EqualOptions& limits, bool as_json) {
  if (int{options.reshape} + int{options.bitcast} + int{options.transpose.has_value()} > 1) {
    return complain("equiv", absl::InvalidArgumentError(
                                 "expected one of --reshape, --transpose and --bitcast"));
  }
  spec::LayoutFunction functions[2];
  for (int side = 0; side < 2; ++side) {
    const char* name = side == 0 ? "LEFT" : "RIGHT";
    const absl::StatusOr<AnyLayout> layout = parse_any_layout(texts[side]);
    if (!layout.ok()) return complain(name, layout.status(), texts[side]);
    absl::StatusOr<spec::LayoutFunction> function = spec::layout_function(*layout);
    if (!function.ok()) return complain(name, function.status());
    functions[side] = *std::move(function);
  }
  const absl::StatusOr<verify::Move> move = move_of(options);
  if (!move.ok()) return complain("equiv", move.status());
  const auto proof = verify::prove_is_bitcast(functions[0], functions[1], *move, limits);
  if (!proof.ok()) return complain("equiv", proof.status());
  return print(*proof, as_json);
}

}  // namespace tileproof::cli
