// SPDX-License-Identifier: Apache-2.0
#include "cli/equiv_bitcast.h"

#include <algorithm>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "cli/commands.h"
#include "cli/equiv_modules.h"
#include "cli/verbs/any_map.h"
#include "spec/lang/base/try.h"
#include "spec/map/map_evaluation.h"
#include "verify/prove/layout/layout_equal.h"

namespace tileproof::cli {
namespace {

using verify::Verdict;

absl::StatusOr<verify::Move> move_of(const Command& given) {
  using Kind = verify::Move::Kind;
  if (given.flag("--reshape")) return verify::Move{Kind::kReshape, {}};
  if (given.flag("--bitcast")) return verify::Move{Kind::kBitcast, {}};
  verify::Move move{Kind::kTranspose, {}};
  if (given.text("--transpose").empty()) return move;
  for (absl::string_view part : absl::StrSplit(given.text("--transpose"), ',')) {
    move.dimensions.emplace_back();
    if (!absl::SimpleAtoi(part, &move.dimensions.back())) {
      return invalid("--transpose: expected dimensions such as 1,0, found '",
                     given.text("--transpose"), "'");
    }
  }
  return move;
}

// `[2,256]` in place of RIGHT: is there a view of these sizes? Its strides are those that the first
// elements of each dimension ask for, as a layout of CuTe.
absl::StatusOr<std::string> view_of(const spec::LayoutFunction& left, absl::string_view text) {
  const absl::string_view list = absl::StripSuffix(absl::StripPrefix(text, "["), "]");
  const std::vector<int64_t> sizes = TRY(parse_integers(list));
  absl::int128 elements = 1, expected = 1;
  for (const int64_t size : left.dims) expected *= size;
  for (const int64_t size : sizes) {
    if (size < 1) return invalid("RIGHT: expected sizes of at least 1");
    elements = std::min(elements * size, absl::int128{INT64_MAX});
  }
  if (sizes.empty() || elements != expected) {
    return invalid("RIGHT: expected sizes of ", static_cast<int64_t>(expected), " elements");
  }
  const IndexingMap map = verify::offset_map(left);
  const auto offset_at = [&](int64_t number) -> absl::StatusOr<int64_t> {
    std::vector<int64_t> index(left.dims.size());
    for (size_t d = index.size(); d-- > 0; number /= left.dims[d]) index[d] = number % left.dims[d];
    const auto results = TRY(spec::evaluate(map, {index, {}, {}}));
    return results ? (*results)[0] : 0;
  };
  const int64_t first = TRY(offset_at(0));
  std::vector<int64_t> strides(sizes.size());
  int64_t step = 1;
  for (size_t d = sizes.size(); d-- > 0; step *= sizes[d]) {
    if (sizes[d] > 1) strides[d] = TRY(offset_at(step)) - first;
  }
  return absl::StrCat(first == 0 ? "" : absl::StrCat("Sw<0,0,0> o ", first, " o "), "(",
                      absl::StrJoin(sizes, ","), "):(", absl::StrJoin(strides, ","), ")");
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

absl::StatusOr<Answer> prove_equiv_bitcast(const std::string (&texts)[2], const Command& given,
                                           const verify::EqualOptions& limits) {
  if (int{given.flag("--reshape")} + int{given.flag("--bitcast")} + int{given.has("--transpose")} >
      1) {
    return invalid("expected one of --reshape, --transpose and --bitcast");
  }
  const verify::Move move = TRY(move_of(given));
  if (given.flag("--reshape") && absl::StartsWith(texts[1], "[")) {
    const spec::LayoutFunction left = TRY(about("LEFT", layout_function_of(texts[0]), texts[0]));
    const std::string view = TRY(view_of(left, texts[1]));
    Answer answer =
        answer_of(TRY(verify::prove_is_bitcast(left, TRY(layout_function_of(view)), move, limits)));
    const bool is_free = answer.status == kHolds;
    answer.text =
        absl::StrCat(is_free ? "view: " : "no view has strides; the first elements ask for ", view,
                     "\n", answer.text);
    set(answer.json[0], "view", is_free ? Json(view) : Json());
    return answer;
  }
  const auto [left, right] = TRY(both_sides(texts, layout_function_of));
  return answer_of(TRY(verify::prove_is_bitcast(left, right, move, limits)));
}

}  // namespace tileproof::cli
