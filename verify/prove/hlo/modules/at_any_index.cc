// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/modules/at_any_index.h"

#include <numeric>

namespace tileproof::verify {

std::string parameter_name(int64_t number, int64_t leaf) {
  return leaf == 0 ? absl::StrCat("p", number) : absl::StrCat("p", number, ".", leaf);
}

std::vector<std::vector<size_t>> orders_of(const Dims& sizes, bool any_order) {
  std::vector<size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  if (!any_order) return {order};
  std::ranges::stable_sort(order, {}, [&](size_t k) { return sizes[k]; });
  constexpr size_t kMost = 24;
  const std::vector<size_t> first = order;
  std::vector<std::vector<size_t>> orders;
  do {
    orders.push_back(order);
    if (orders.size() > kMost) return {first};
    // The next order of positions of one size: those of different sizes stay apart.
    bool is_next = false;
    for (size_t begin = 0; begin < order.size() && !is_next;) {
      size_t end = begin;
      while (end < order.size() && sizes[order[end]] == sizes[order[begin]]) ++end;
      is_next = std::next_permutation(order.begin() + static_cast<int64_t>(begin),
                                      order.begin() + static_cast<int64_t>(end));
      begin = end;
    }
    if (!is_next) return orders;
  } while (true);
}

}  // namespace tileproof::verify
