// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/layout/layout_equal.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/base/try.h"
#include "verify/prove/map/equality_log.h"
#include "verify/prove/map/equality_prover.h"
#include "verify/prove/map/map_equal.h"
#include "verify/prove/map/written.h"

namespace tileproof::verify {
LayoutProof prove_equal(const spec::LayoutFunction& left, const spec::LayoutFunction& right,
                        ProofSession& session) {
  const LayoutProof proven{Verdict::kProven, "", ""};
  if (std::ranges::count(left.dims, 0) > 0) return proven;  // the array has no index
  const IndexingMap a = offset_map(left), b = offset_map(right);
  if (prove_at_once(a, b, session)) return proven;
  EqualOptions options;
  options.milliseconds = session.milliseconds_per_question;
  options.smtlib_directory = session.smtlib_directory;
  const absl::StatusOr<MapEquality> equality = equal(a, b, options);
  if (equality.ok()) {
    session.asked += equality->questions;
    if (equality->verdict == Verdict::kProven) return proven;
    if (equality->difference) {
      const std::vector<int64_t>& at = equality->difference->at.dims;
      return {Verdict::kRefuted,
              absl::StrCat("at index [", absl::StrJoin(at, ","), "]: offsets ",
                           *spec::offset_at(left, at), " and ", *spec::offset_at(right, at)),
              "", at};
    }
  }
  return LayoutProof{Verdict::kUndecided, "", "the offsets of a symbolic index"};
}

absl::StatusOr<LayoutProof> prove_equal(const AnyLayout& left, const AnyLayout& right,
                                        ProofSession& session) {
  spec::LayoutFunction a = TRY(spec::layout_function(left));
  spec::LayoutFunction b = TRY(spec::layout_function(right));
  TRY(spec::share_shape(a, b));
  return prove_equal(a, b, session);
}

IndexingMap offset_map(const spec::LayoutFunction& function) {
  IndexingMap map;
  const Written offset = offset_of(function, index_of(map, function.dims));
  map.results = {node_in(map, offset)};
  return map;
}

std::optional<std::string> equality_log(const spec::LayoutFunction& left,
                                        const spec::LayoutFunction& right) {
  return equality_log(offset_map(left), offset_map(right));
}

}  // namespace tileproof::verify
