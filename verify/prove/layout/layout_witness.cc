// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/layout/layout_witness.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "absl/strings/str_cat.h"
#include "generate/choose/choose.h"
#include "generate/layout/generate_shape.h"
#include "spec/base/exact_int.h"
#include "spec/lang/base/dims.h"
#include "verify/prove/layout/layout_equal.h"
#include "verify/prove/map/equality_prover.h"
#include "verify/prove/map/written.h"
#include "verify/trace/trace_text.h"

namespace tileproof::verify {
namespace {

using Index = std::vector<int64_t>;
using spec::Wide;

// The number of indices scanned along one dimension.
constexpr int64_t kMaxScanned = int64_t{1} << 16;

std::string show(Wide number) { return trace::to_text(number); }
std::string show(const Index& index) { return dims_text(index); }

// Returns the index with coordinate x in dimension d and 0 elsewhere.
Index along(const spec::LayoutFunction& function, size_t d, int64_t x) {
  Index index(function.dims.size(), 0);
  index[d] = x;
  return index;
}

Wide offset_along(const spec::LayoutFunction& function, size_t d, int64_t x) {
  return *spec::offset_at(function, along(function, d, x));
}

// ---- The sum over the dimensions ----

// Tries small coordinates of two dimensions at a time, then points all over the array.
std::optional<std::string> not_a_sum_somewhere(const spec::LayoutFunction& function) {
  constexpr int64_t kMaxAlong = 8;
  constexpr int kPoints = 1000;
  const int64_t rank = std::ssize(function.dims);
  for (int64_t d = 0; d < rank; ++d) {
    for (int64_t e = d + 1; e < std::min(rank, d + 8); ++e) {
      for (int64_t x = 1; x < std::min(function.dims[d], kMaxAlong); ++x) {
        for (int64_t y = 1; y < std::min(function.dims[e], kMaxAlong); ++y) {
          Index index = along(function, d, x);
          index[e] = y;
          if (auto found = why_no_sum_at(function, index)) return found;
        }
      }
    }
  }
  Choose choose(Choose::Random{0});
  for (int i = 0; i < kPoints; ++i) {
    if (auto found = why_no_sum_at(function, random_index(choose, function.dims))) return found;
  }
  return std::nullopt;
}

std::optional<std::string> not_a_sum(const spec::LayoutFunction& function, ProofSession& session) {
  if (auto found = not_a_sum_somewhere(function)) return found;
  IndexingMap sum;
  const std::vector<Written> index = index_of(sum, function.dims);
  Written total = 0;
  for (size_t d = 0; d < index.size(); ++d) {
    std::vector<Written> one(index.size(), Written(0));
    one[d] = index[d];
    total = total + offset_of(function, one);
  }
  sum.results = {node_in(sum, total)};
  const EqualityVerdict same = prove_same(offset_map(function), sum, session);
  if (same.verdict != Verdict::kRefuted) return std::nullopt;
  return why_no_sum_at(function, same.found);
}

// ---- The digits of one dimension ----

// Appends the digits of dimension d, or returns why it has none.
std::optional<std::string> look_along(const spec::LayoutFunction& function, size_t d,
                                      std::vector<impl::LayoutDigit>& digits) {
  int64_t unit = 1;
  int64_t count = function.dims[d];
  while (count > 1) {
    const int64_t scanned = std::min(count, kMaxScanned);
    std::vector<Wide> h;  // the offsets of 0, unit, 2 * unit, ..
    for (int64_t y = 0; y < scanned; ++y) h.push_back(offset_along(function, d, y * unit));
    int64_t n = 1;
    while (n < scanned && h[n] == n * h[1]) ++n;
    if (n == scanned) n = count;  // linear up to the end of the scan
    for (int64_t y = n; y < scanned; ++y) {
      const int64_t inside = y % n;
      if (h[y] == h[inside] + h[y - inside]) continue;
      return absl::StrCat("along dimension ", d, " the offset is linear below index ", n * unit,
                          unit > 1 ? absl::StrCat(" in steps of ", unit) : "",
                          " and not at it, so the digit has ", n, " values; then index ", y * unit,
                          " has offset ", show(h[y - inside]), " + ", show(h[inside]),
                          ", but its offset is ", show(h[y]));
    }
    digits.push_back({static_cast<int64_t>(d), unit, n, static_cast<int64_t>(h[1])});
    count = count / n + (count % n != 0 ? 1 : 0);
    if (count > 1) unit *= n;
  }
  return std::nullopt;
}

// ---- Tiled layouts ----

// Returns an index where this digit has this value and everything else is 0.
Index index_with(const spec::LayoutFunction& function, const impl::LayoutDigit& digit,
                 int64_t value) {
  return along(function, static_cast<size_t>(digit.dimension), digit.divisor * value);
}

std::optional<std::string> same_offset(const spec::LayoutFunction& function, const Index& a,
                                       const Index& b) {
  if (a == b || !is_inside(function.dims, a) || !is_inside(function.dims, b)) return std::nullopt;
  const int64_t offset = *spec::offset_at(function, a);
  if (offset != *spec::offset_at(function, b)) return std::nullopt;
  return absl::StrCat("the elements at ", show(a), " and ", show(b), " have the same offset, ",
                      offset);
}

}  // namespace

absl::StatusOr<impl::DigitLayout> digits_by_looking(const spec::LayoutFunction& function,
                                                    ProofSession& session) {
  impl::DigitLayout result{function.dims, {}};
  if (std::ranges::find(function.dims, 0) != function.dims.end()) return result;
  for (size_t d = 0; d < function.dims.size(); ++d) {
    if (auto found = look_along(function, d, result.digits))
      return absl::FailedPreconditionError(*found);
  }
  if (auto found = not_a_sum(function, session)) return absl::FailedPreconditionError(*found);
  return impl::simplest(result);
}

std::optional<std::string> why_no_sum_at(const spec::LayoutFunction& function, const Index& index) {
  Wide sum = 0;
  for (size_t d = 0; d < index.size(); ++d) sum += offset_along(function, d, index[d]);
  const int64_t offset = *spec::offset_at(function, index);
  if (offset == sum) return std::nullopt;
  return absl::StrCat("the offset is not a sum over the dimensions: at ", show(index), " it is ",
                      offset, ", but the coordinates one at a time give ", show(sum));
}

std::optional<std::string> why_not_tiled(const spec::LayoutFunction& function,
                                         const impl::DigitLayout& digits) {
  for (const impl::LayoutDigit& digit : digits.digits) {
    if (digit.size < 2 || digit.stride >= 0) continue;
    const Index index = index_with(function, digit, 1);
    if (is_inside(function.dims, index) && *spec::offset_at(function, index) < 0)
      return absl::StrCat("the offset at ", show(index), " is ", *spec::offset_at(function, index));
  }
  for (const impl::LayoutDigit& a : digits.digits) {
    if (a.size >= 2 && a.stride == 0) {
      if (auto found =
              same_offset(function, Index(function.dims.size(), 0), index_with(function, a, 1)))
        return found;
    }
    for (const impl::LayoutDigit& b : digits.digits) {
      if (a.stride <= 0 || b.stride <= 0) continue;
      const int64_t g = std::gcd(a.stride, b.stride);
      if (b.stride / g >= a.size || a.stride / g >= b.size) continue;
      if (auto found = same_offset(function, index_with(function, a, b.stride / g),
                                   index_with(function, b, a.stride / g)))
        return found;
    }
  }
  return std::nullopt;
}

}  // namespace tileproof::verify
