// SPDX-License-Identifier: Apache-2.0
// Conditions on the indices of one array: maps without results, whose domains are the conditions.
//
//     d0 in [0, 1]  and  d0 in [1, 3]        d0 in [1, 1]
//     d0 in [0, 1]  or   d1 in [2, 2]        two alternatives
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "impl/hlo/access_relation.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

using Alternatives = std::vector<IndexingMap>;

class Conditions {
 public:
  // Of the indices of an array of these sizes, which must outlive the use.
  explicit Conditions(const Dims& sizes) : sizes_(sizes) {}

  // Too many alternatives, or numbers that are too large: from then on no answer says anything.
  bool gave_up() const { return gave_up_; }
  void give_up() { gave_up_ = true; }
  // Gives up if there are more alternatives than a fixed number.
  void limit(size_t alternatives);

  // Adds the condition `expression in interval`. Returns false if it never holds.
  bool require(IndexingMap& map, NodeId expression, Interval interval);

  // Both conditions; nothing if they contradict each other. The nodes of `b` move by `shift`.
  struct Both {
    IndexingMap map;
    NodeId shift = 0;
  };
  std::optional<Both> both(const IndexingMap& a, const IndexingMap& b);

  Alternatives both(const Alternatives& a, const Alternatives& b);
  Alternatives either(Alternatives a, Alternatives b);
  void unite(Alternatives& into, Alternatives more);  // into = either(into, more)

 private:
  bool is_always(const IndexingMap& map) const;  // the condition always holds

  const Dims& sizes_;
  bool gave_up_ = false;
};

}  // namespace tileproof::impl
