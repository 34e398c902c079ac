// SPDX-License-Identifier: Apache-2.0
// The pairs of an indexing map: which index it takes the values of its variables to.
//
// A map is evaluated with integers or with symbols. It reads its runtime variables, each as the
// element that its source names. Variables that nothing uses are not read.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "impl/hlo/indexing.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/map/indexing_map.h"
#include "spec/layout/layout_steps.h"
#include "verify/prove/smt/formula.h"

namespace tileproof::verify {

// The value of one element, clamped to [low, high].
template <class N>
struct RuntimeRead {
  HloPosition position;
  std::vector<N> index;
  int64_t low = 0;
  int64_t high = 0;
};

// Where the evaluation of a map or a path ends.
template <class N>
struct PathEnd {
  std::vector<N> index;
  spec::Truth<N> in_domain;
};

class MapRelation {
 public:
  explicit MapRelation(const impl::IndexedMap& map);  // must outlive this object

  const impl::IndexedMap& indexed() const { return *map_; }
  // The sources of the runtime variables that are read, in the order of the reads.
  std::vector<const impl::RuntimeSource*> sources() const;
  std::vector<Interval> reads() const;  // bounds of their values

  // Returns the map's results at a point. If a number exceeds 64 bits, the point is not in the
  // domain.
  using SymbolOf = absl::FunctionRef<Symbol(const RuntimeRead<Symbol>&)>;
  PathEnd<Symbol> at(const std::vector<Symbol>& dims, const std::vector<Symbol>& s,
                     SymbolOf value) const;
  using NumberOf = absl::FunctionRef<int64_t(const RuntimeRead<int64_t>&)>;
  PathEnd<int64_t> at(const std::vector<int64_t>& dims, const std::vector<int64_t>& s,
                      NumberOf value) const;

 private:
  const impl::IndexedMap* map_;
  std::vector<bool> used_;  // by runtime variable
};

}  // namespace tileproof::verify
