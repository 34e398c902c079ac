// SPDX-License-Identifier: Apache-2.0
// Groups of numbers that are tied together, such as variables that share a constraint.
//
//     Groups groups(4);
//     groups.tie(0, 2);
//     groups.of(0) == groups.of(2)        groups.of(1) == 1
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace tileproof::impl {

class Groups {
 public:
  explicit Groups(size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), int64_t{0});
  }

  // The number of one member, which identifies the group.
  int64_t of(int64_t member) {
    while (parent_[member] != member) member = parent_[member] = parent_[parent_[member]];
    return member;
  }

  void tie(int64_t a, int64_t b) { parent_[of(a)] = of(b); }

 private:
  std::vector<int64_t> parent_;
};

}  // namespace tileproof::impl
