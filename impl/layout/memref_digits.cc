// SPDX-License-Identifier: Apache-2.0
// The digits of a memref: its map as a sum of terms ((d floordiv a) mod m) * stride.
//
//     memref<16x8xf32, affine_map<(d0, d1) -> (d0 floordiv 8, d1, d0 mod 8)>>
//         d0 floordiv 8 * 64,  d1 * 8,  d0 mod 8
//
// The terms of one dimension cut it at a and a * m. If each cut divides the next one, the parts
// between cuts are digits, and the stride of a digit is the sum over the terms that cover it.
#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "impl/layout/digit_layout.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {
namespace {

// ((d floordiv divisor) mod modulus) * factor; modulus 0: the whole quotient.
struct DigitTerm {
  int64_t dimension, divisor, modulus, factor;
};

// A sum of terms and a number.
struct DigitSum {
  std::vector<DigitTerm> terms;
  int64_t constant = 0;
};

std::optional<DigitSum> plus(const DigitSum& a, const DigitSum& b) {
  DigitSum sum = a;
  sum.terms.insert(sum.terms.end(), b.terms.begin(), b.terms.end());
  const std::optional<int64_t> constant = checked_add(a.constant, b.constant);
  if (!constant) return std::nullopt;
  sum.constant = *constant;
  return sum;
}

std::optional<DigitSum> times(DigitSum sum, int64_t c) {
  std::vector<int64_t*> numbers = {&sum.constant};
  for (DigitTerm& term : sum.terms) numbers.push_back(&term.factor);
  for (int64_t* number : numbers) {
    const std::optional<int64_t> product = checked_mul(*number, c);
    if (!product) return std::nullopt;
    *number = *product;
  }
  return sum;
}

// The quotient and the remainder of a division. Terms and parts of terms whose factor is a multiple of
// c make the quotient. What is left is the remainder, if it cannot reach c.
struct Division {
  DigitSum quotient, remainder;
};

std::optional<Division> divided(const DigitSum& sum, int64_t c, const IndexingMap& map) {
  if (c < 1 || sum.constant < 0) return std::nullopt;
  Division result{{{}, sum.constant / c}, {{}, sum.constant % c}};
  std::optional<int64_t> most = sum.constant % c;
  for (DigitTerm term : sum.terms) {
    if (term.factor % c == 0) {
      term.factor /= c;
      result.quotient.terms.push_back(term);
      continue;
    }
    if (term.factor < 0) return std::nullopt;
    int64_t last = map.dimensions[term.dimension].bounds.high / term.divisor;  // of the digit
    if (term.modulus != 0) last = std::min(last, term.modulus - 1);
    const int64_t inner = c / term.factor;
    if (c % term.factor == 0 && last >= inner && term.modulus % inner == 0) {
      const std::optional<int64_t> divisor = checked_mul(term.divisor, inner);
      if (!divisor) return std::nullopt;
      result.quotient.terms.push_back({term.dimension, *divisor, term.modulus / inner, 1});
      term.modulus = inner;
      last = inner - 1;
    }
    const std::optional<int64_t> part = checked_mul(term.factor, last);
    most = part ? checked_add(*most, *part) : std::nullopt;
    if (!most || *most >= c) return std::nullopt;
    result.remainder.terms.push_back(term);
  }
  return result;
}

std::optional<DigitSum> sum_of(const IndexingMap& map) {
  std::vector<std::optional<DigitSum>> sums;
  for (const Node& node : map.nodes) {
    std::optional<DigitSum>& sum = sums.emplace_back();
    if (node.op == Op::kConstant) sum = DigitSum{{}, node.value};
    if (is_variable(node.op)) sum = DigitSum{{{node.value, 1, 0, 1}}, 0};
    if (is_leaf(node.op) || !sums[node.left] || !sums[node.right]) continue;
    const DigitSum& a = *sums[node.left];
    const DigitSum& b = *sums[node.right];
    if (node.op == Op::kAdd) sum = plus(a, b);
    if (node.op == Op::kMul) sum = b.terms.empty() ? times(a, b.constant) : times(b, a.constant);
    if (node.op != Op::kFloorDiv && node.op != Op::kMod) continue;
    if (const auto both = divided(a, b.constant, map))
      sum = node.op == Op::kMod ? both->remainder : both->quotient;
  }
  return sums[map.results[0]];
}

// Appends the digits of dimension d, outermost first. Returns false if a cut splits a digit.
bool append_digits(const std::vector<DigitTerm>& terms, int64_t d, int64_t size,
                   std::vector<LayoutDigit>& digits) {
  std::set<int64_t> cuts = {1};
  for (const DigitTerm& term : terms) {
    if (term.dimension != d) continue;
    cuts.insert(term.divisor);
    const std::optional<int64_t> end = checked_mul(term.divisor, term.modulus);
    if (term.modulus != 0 && end) cuts.insert(*end);
  }
  std::vector<int64_t> ends(cuts.begin(), std::upper_bound(cuts.begin(), cuts.end(), size - 1));
  if (ends.empty()) ends = {1};
  for (size_t i = ends.size(); i-- > 0;) {
    const int64_t divisor = ends[i];
    const bool last = i + 1 == ends.size();
    if (!last && ends[i + 1] % divisor != 0) return false;
    const int64_t count =
        last ? (size - 1) / divisor + 1 : ends[i + 1] / divisor;  // ceil(size / divisor)
    LayoutDigit digit{d, divisor, count, 0};
    for (const DigitTerm& term : terms) {
      if (term.dimension != d || term.divisor > divisor) continue;
      const std::optional<int64_t> end = checked_mul(term.divisor, term.modulus);
      if (term.modulus != 0 && end && *end <= divisor) continue;
      if (divisor % term.divisor != 0) return false;
      const std::optional<int64_t> stride = checked_mul(term.factor, divisor / term.divisor);
      const std::optional<int64_t> sum = stride ? checked_add(digit.stride, *stride) : std::nullopt;
      if (!sum) return false;
      digit.stride = *sum;
    }
    digits.push_back(digit);
  }
  return true;
}

}  // namespace

absl::StatusOr<DigitsFrom> digits_from(const MemRef& memref) {
  DigitLayout layout{memref.dims, {}};
  if (std::ranges::find(memref.dims, 0) != memref.dims.end()) return DigitsFrom{0, layout, {}};
  const std::optional<DigitSum> sum = sum_of(memref.map);
  if (!sum) return absl::FailedPreconditionError("the offset is not a sum of digits");
  for (int64_t d = 0; d < std::ssize(memref.dims); ++d) {
    if (!append_digits(sum->terms, d, memref.dims[d], layout.digits)) {
      return absl::FailedPreconditionError(
          absl::StrCat("the terms of dimension ", d, " cut through each other"));
    }
  }
  std::stable_sort(layout.digits.begin(), layout.digits.end(),
                   [](const LayoutDigit& a, const LayoutDigit& b) { return a.stride > b.stride; });
  return DigitsFrom{sum->constant, std::move(layout), {}};
}

}  // namespace tileproof::impl
