// SPDX-License-Identifier: Apache-2.0
// Finite sets of integers, as runs of a progression. They hold the values of an expression.
//
//     { offset + stride * x : x in one of the runs }
//
//     { d0 * 4 + s0 : d0 in [0, 9], s0 in [0, 1] }       stride 1, runs [0, 1] [4, 5] .. [36, 37]
//     { d0 * 4 : d0 in [0, 9] }                          stride 4, run [0, 9]
//
// The sets of sums, multiples, quotients and remainders are computed from those of the operands,
// which must be independent: { a + b : a in A, b in B }. The work is proportional to the number of
// runs, not of elements. A result with more than kMaxRuns runs, or with a number beyond 2^61, is
// nullopt.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

class NumberSet {
 public:
  static constexpr int64_t kMaxRuns = int64_t{1} << 18;

  NumberSet() = default;  // empty

  // All integers of the interval; empty if low > high.
  static std::optional<NumberSet> interval(Interval interval);

  // These numbers, in any order, possibly repeated.
  static std::optional<NumberSet> of(std::vector<int64_t> numbers);

  bool empty() const { return runs_.empty(); }
  int64_t size() const;
  Interval hull() const;  // from the smallest to the largest element; the set must not be empty
  int64_t stride() const { return stride_; }
  int64_t runs() const { return std::ssize(runs_); }
  const std::vector<Interval>& run_list() const { return runs_; }  // of x, rising
  bool contains(int64_t number) const;

  // The stride, if the set is a progression of at least one number; 1 for one number.
  std::optional<int64_t> progression() const;

  // In rising order.
  std::vector<int64_t> numbers() const;

  std::optional<NumberSet> plus(int64_t number) const;
  std::optional<NumberSet> times(int64_t factor) const;      // != 0
  std::optional<NumberSet> floordiv(int64_t divisor) const;  // > 0
  std::optional<NumberSet> mod(int64_t divisor) const;       // > 0

  // The elements in the interval; the elements whose remainder is in the interval.
  NumberSet within(Interval interval) const;
  std::optional<NumberSet> with_remainder(int64_t divisor, Interval interval) const;  // > 0

  friend std::optional<NumberSet> sum(const NumberSet& a, const NumberSet& b);
  friend std::optional<NumberSet> united(absl::Span<const NumberSet> sets);
  friend bool operator==(const NumberSet&, const NumberSet&) = default;

 private:
  friend std::optional<std::vector<NumberSet>> aligned(absl::Span<const NumberSet> sets);

  // The same set with a stride that divides its own.
  std::optional<NumberSet> restrided(int64_t stride) const;
  // { a + step * i : a in the set, i in [0, count) } for step > 0. Neither this set nor the
  // progression is empty.
  std::optional<NumberSet> plus_progression(int64_t step, int64_t count) const;
  std::optional<NumberSet> normal() const;

  // The elements are offset_ + stride_ * x with 0 <= offset_ < stride_ and x in the runs, which
  // rise and do not touch. The stride is 1 for less than two elements; else it need not be maximal.
  int64_t stride_ = 1;
  int64_t offset_ = 0;
  std::vector<Interval> runs_;
};

// For each nonzero mask with at least one element: the number of elements that are in exactly the
// sets of the mask's bits. At most 64 sets.
struct Membership {
  uint64_t sets;
  int64_t numbers;
};
std::optional<std::vector<Membership>> memberships(absl::Span<const NumberSet> sets);

}  // namespace tileproof::impl
