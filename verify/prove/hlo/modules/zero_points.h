// SPDX-License-Identifier: Apache-2.0
// Which products of a dot are zero, where most numbers of a parameter are 0 (PointNumbers::thin).
//
//     sum over s of x[r, s] * w[s, c]     element (s, c) of w has number c + 768 * s
//
// Its numbers are asked without an element of x, or a term.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "spec/hlo/terms.h"
#include "spec/lang/base/dims.h"
#include "verify/prove/values/point.h"

namespace tileproof::verify {

class ZeroPoints {
 public:
  // `factor`: the term of the parameter's element at a point s in [0, ranges). Nothing if the elements are
  // not those of one parameter with many zeros, whose numbers are first + s * strides.
  using Factor = absl::FunctionRef<spec::TermId(const std::vector<int64_t>& s)>;
  static std::optional<ZeroPoints> of(const Point& point, const spec::Terms& terms,
                                      const Dims& ranges, Factor factor) {
    if (std::ranges::count(ranges, 0) > 0) return std::nullopt;
    std::optional<ZeroPoints> zeros;
    // The first point, the last one along each range, and the last one of all.
    for (size_t k = 0; k < ranges.size() + 2; ++k) {
      std::vector<int64_t> s(ranges.size(), 0);
      for (size_t d = 0; d < ranges.size(); ++d) {
        if (d + 1 == k || k > ranges.size()) s[d] = ranges[d] - 1;
      }
      const spec::TermId element = factor(s);
      const spec::Term& term = terms.at(element);
      if (term.kind != spec::Term::Kind::kElement) return std::nullopt;
      if (!zeros) {
        const auto array = point.thin_array(element);
        if (!array) return std::nullopt;
        zeros = ZeroPoints{*array, term.symbol, term.number, Dims(ranges.size(), 0)};
      }
      const size_t only = k > 0 ? k - 1 : ranges.size();
      if (only < ranges.size() && s[only] > 0) {
        zeros->strides_[only] = (term.number - zeros->first_) / s[only];
      }
      if (term.symbol != zeros->symbol_ || term.number != zeros->number_at(s)) return std::nullopt;
    }
    return zeros;
  }

  bool contains(const std::vector<int64_t>& s) const { return array_.is_zero(number_at(s)); }

 private:
  ZeroPoints(const ThinArray& array, spec::SymbolId symbol, int64_t first, Dims strides)
      : array_(array), symbol_(symbol), first_(first), strides_(std::move(strides)) {}
  int64_t number_at(const std::vector<int64_t>& s) const {
    int64_t number = first_;
    for (size_t d = 0; d < s.size(); ++d) number += s[d] * strides_[d];
    return number;
  }

  ThinArray array_;
  spec::SymbolId symbol_;
  int64_t first_;
  Dims strides_;
};

}  // namespace tileproof::verify
