// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/digit_sum.h"

namespace tileproof::impl {

std::optional<DigitSum> DigitSum::of(absl::Span<const int64_t> table) {
  const int64_t all = std::ssize(table);
  if (all == 0) return std::nullopt;
  DigitSum sum;
  sum.constant_ = table[0];
  for (int64_t weight = 1; weight < all;) {
    const int64_t step = table[weight] - table[0];
    int64_t size = 2;
    while (size * weight < all && table[size * weight] == table[0] + size * step) ++size;
    if (all / weight % size != 0) return std::nullopt;
    sum.digits_.push_back({weight, size, step});
    weight *= size;
  }
  for (int64_t x = 0; x < all; ++x) {
    if (sum.value(x) != table[x]) return std::nullopt;
  }
  return sum;
}

int64_t DigitSum::value(int64_t x) const {
  int64_t value = constant_;
  for (const Digit& d : digits_) value += d.step * (x / d.weight % d.size);
  return value;
}

NodeId DigitSum::at(MapBuilder& m, NodeId x) const {
  NodeId sum = m.constant(constant_);
  for (const Digit& d : digits_) {
    const bool is_major = &d == &digits_.back();
    const NodeId above = m.floordiv(x, d.weight);
    sum = m.plus(sum, m.times(is_major ? above : m.mod(above, d.size), d.step));
  }
  return sum;
}

}  // namespace tileproof::impl
