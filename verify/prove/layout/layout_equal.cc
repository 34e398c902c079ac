// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/layout/layout_equal.h"

#include <algorithm>
#include <chrono>
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
#include "verify/prove/smt/thread_cpu_clock.h"

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

namespace {

using Clock = ThreadCpuClock;
using Index = std::vector<int64_t>;

// Limits of one step.
const EqualOptions kStep = {.milliseconds = 200,
                            .enumerated = 20'000,
                            .sampled_points = 64,
                            .normal_forms = false,
                            .smtlib_directory = ""};

}  // namespace

std::vector<int64_t> least_difference(const spec::LayoutFunction& left,
                                      const spec::LayoutFunction& right, std::vector<int64_t> index,
                                      int64_t milliseconds) {
  const auto deadline = Clock::now() + std::chrono::milliseconds(milliseconds);
  IndexingMap a = offset_map(left), b = offset_map(right);
  // A difference in the part of the array that the bounds of the maps describe.
  const auto difference = [&]() -> std::optional<Index> {
    const absl::StatusOr<MapEquality> equality = equal(a, b, kStep);
    if (!equality.ok() || !equality->difference) return std::nullopt;
    return equality->difference->at.dims;
  };
  const auto bound = [&](size_t d, Interval interval) {
    a.dimensions[d].bounds = b.dimensions[d].bounds = interval;
  };
  // The greatest coordinate is at least `low`. `last` grows from 0, then bisects.
  const auto greatest = [](const Index& x) { return *std::max_element(x.begin(), x.end()); };
  const auto bound_all = [&](int64_t last) {
    for (size_t d = 0; d < index.size(); ++d) bound(d, {0, std::min(last, left.dims[d] - 1)});
  };
  if (index.empty()) return index;
  for (int64_t low = 0, last = 0; low < greatest(index) && Clock::now() < deadline;) {
    bound_all(last);
    if (std::optional<Index> found = difference()) {
      index = *std::move(found);
    } else {
      low = last + 1;
    }
    last = low + std::min(low, (greatest(index) - low) / 2);
  }
  bound_all(greatest(index));
  for (size_t d = 0; d < index.size(); ++d) {
    int64_t low = 0;
    for (int64_t last = 0; low < index[d] && Clock::now() < deadline;) {  // 0 alone is tried first
      bound(d, {low, last});
      if (std::optional<Index> found = difference()) {
        index = *std::move(found);
      } else {
        low = last + 1;
      }
      last = low + (index[d] - low) / 2;
    }
    bound(d, {index[d], index[d]});
  }
  return index;
}

}  // namespace tileproof::verify
