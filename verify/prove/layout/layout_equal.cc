// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/layout/layout_equal.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "generate/choose/choose.h"
#include "generate/layout/generate_shape.h"
#include "spec/lang/base/try.h"
#include "verify/prove/map/equality_log.h"
#include "verify/prove/map/map_equal.h"
#include "verify/prove/map/written.h"
#include "verify/prove/smt/quasi_affine.h"

namespace tileproof::verify {
namespace {

constexpr int64_t kPointsBeforeEquality = 64;
constexpr int64_t kMaxEnumerated = 20'000;

// A quasi-affine expression as a number type for the layout definitions.
struct Quantity {
  Quantity(int64_t value) { sum.constant = value; }  // NOLINT: implicit from integers
  explicit Quantity(Sum s) : sum(std::move(s)) {}
  Sum sum;
};
Quantity operator+(const Quantity& a, const Quantity& b) { return Quantity(a.sum + b.sum); }
Quantity operator*(const Quantity& a, int64_t b) { return Quantity(a.sum * Quantity(b).sum); }
Quantity floordiv(const Quantity& x, int64_t c) {
  return Quantity(floordiv(x.sum, Quantity(c).sum));
}
Quantity mod(const Quantity& x, int64_t c) { return Quantity(mod(x.sum, Quantity(c).sum)); }

bool same_by_rearranging(const spec::LayoutFunction& left, const spec::LayoutFunction& right) {
  std::vector<Interval> bounds;
  for (int64_t size : left.dims) bounds.push_back({0, size - 1});
  QuasiAffineContext context(bounds);
  std::vector<Quantity> index;
  for (size_t d = 0; d < bounds.size(); ++d)
    index.emplace_back(context.atom(static_cast<int32_t>(d)));
  return offset_of(left, index).sum == offset_of(right, index).sum;
}

std::optional<LayoutProof> difference(const spec::LayoutFunction& left,
                                      const spec::LayoutFunction& right,
                                      const std::vector<int64_t>& index) {
  const int64_t of_left = *spec::offset_at(left, index);
  const int64_t of_right = *spec::offset_at(right, index);
  if (of_left == of_right) return std::nullopt;
  return LayoutProof{Verdict::kRefuted,
                     absl::StrCat("at index [", absl::StrJoin(index, ","), "]: offsets ", of_left,
                                  " and ", of_right),
                     "", index};
}

// Compares every index, if there are few.
std::optional<LayoutProof> enumerated(const spec::LayoutFunction& left,
                                      const spec::LayoutFunction& right) {
  int64_t count = 1;
  for (int64_t size : left.dims) {
    if (size > kMaxEnumerated / count) return std::nullopt;
    count *= size;
  }
  std::vector<int64_t> index(left.dims.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i;
    for (size_t d = 0; d < index.size(); ++d) {
      index[d] = rest % left.dims[d];
      rest /= left.dims[d];
    }
    if (auto found = difference(left, right, index)) return found;
  }
  return LayoutProof{Verdict::kProven, "", ""};
}

// Swizzles and layout maps have floors and remainders of sums, of which maps know more.
std::optional<LayoutProof> by_maps(const spec::LayoutFunction& left,
                                   const spec::LayoutFunction& right, const ProofSession& session) {
  EqualOptions options;
  options.milliseconds = session.milliseconds_per_question;
  options.smtlib_directory = session.smtlib_directory;
  const absl::StatusOr<MapEquality> equality = equal(offset_map(left), offset_map(right), options);
  if (!equality.ok() || equality->verdict == Verdict::kUndecided) return std::nullopt;
  if (equality->verdict == Verdict::kProven) return LayoutProof{Verdict::kProven, "", ""};
  return difference(left, right, equality->difference->at.dims);
}

}  // namespace

LayoutProof prove_equal(const spec::LayoutFunction& left, const spec::LayoutFunction& right,
                        ProofSession& session) {
  for (int64_t size : left.dims) {
    if (size == 0) return LayoutProof{Verdict::kProven, "", ""};  // the array has no index
  }
  Choose choose(Choose::Random{0});
  for (int64_t i = 0; i < kPointsBeforeEquality; ++i) {
    if (auto found = difference(left, right, random_index(choose, left.dims))) return *found;
  }
  if (session.smtlib_directory.empty() && same_by_rearranging(left, right)) {
    ++session.identities;
    return LayoutProof{Verdict::kProven, "", ""};
  }
  SmtContext context(session);
  std::vector<SmtTerm> index;
  for (int64_t size : left.dims) index.push_back(context.variable(size));
  const Verdict verdict = context.prove(offset_of(left, index) == offset_of(right, index));
  if (verdict == Verdict::kRefuted && context.counterexample()) {
    if (auto found = difference(left, right, *context.counterexample())) return *found;
  }
  if (verdict == Verdict::kProven) return LayoutProof{verdict, "", ""};
  if (session.smtlib_directory.empty()) {
    if (auto proof = enumerated(left, right)) return *proof;
  }
  if (const auto proof = by_maps(left, right, session)) return *proof;
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
