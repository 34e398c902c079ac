// SPDX-License-Identifier: Apache-2.0
// One disjunct of a union of access relations between two arrays: a path of the definition, or a
// map of the analysis in either direction. All are evaluated alike, with integers or with symbols,
// and all name the elements that they read.
//
// A disjunct gives pairs of an output index and an input index. For a path or an output-to-input
// map, the output index is free; with the range variables it determines the input index. For an
// input-to-output map, the input index is part of the range variables, which determine the output
// index:
//
//     (d0, d1) -> (d0 * 8 + d1)                    d0 in [0, 3], d1 in [0, 7]
//     output to input      (o0, o1), no ranges     index (o0 * 8 + o1)
//     input to output      any (o0), ranges d0, d1 index (d0, d1), where d0 * 8 + d1 == o0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "impl/hlo/indexing.h"
#include "spec/hlo/runtime_value.h"
#include "spec/lang/hlo/follow_source.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/map/indexing_map.h"
#include "verify/prove/hlo/dataflow_path.h"
#include "verify/prove/hlo/map_relation.h"
#include "verify/prove/smt/formula.h"

namespace tileproof::verify {

// Whether a box of integers has no point.
inline bool is_empty(const std::vector<Interval>& box) {
  return std::ranges::any_of(box, [](const Interval& i) { return i.low > i.high; });
}

template <class N>
struct Pair {
  std::vector<N> output;
  std::vector<N> index;
  spec::Truth<N> in_domain;
};

class Disjunct {
 public:
  // The argument must outlive this object.
  explicit Disjunct(const DataflowPath& path);
  explicit Disjunct(const impl::IndexedMap& map);  // output to input
  // Input to output, from an array of these dimensions. They replace the bounds of the map's
  // dimensions.
  Disjunct(const impl::IndexedMap& map, const spec::Dims& input);

  bool is_path() const { return path_ != nullptr; }
  bool is_inverse() const { return inverse_; }  // range variables determine the output index
  // The number of leading range variables that are the input index.
  size_t index_variables() const { return inverse_ ? map_->indexed().map.dimensions.size() : 0; }
  const std::vector<Interval>& ranges() const { return ranges_; }  // bounds of range variables
  const std::vector<Interval>& reads() const { return reads_; }    // bounds of the values it reads

  // Returns the pair for these values; an inverse disjunct ignores `o`. If a number of a map
  // exceeds 64 bits, there is no dependence.
  using SymbolOf = absl::FunctionRef<Symbol(const RuntimeRead<Symbol>&)>;
  Pair<Symbol> pair(const std::vector<Symbol>& o, const std::vector<Symbol>& s,
                    SymbolOf value) const;
  using NumberOf = absl::FunctionRef<int64_t(const RuntimeRead<int64_t>&)>;
  Pair<int64_t> pair(const std::vector<int64_t>& o, const std::vector<int64_t>& s,
                     NumberOf value) const;

  // Returns the input index for output index `o` and these values.
  PathEnd<Symbol> walk(const std::vector<Symbol>& o, const std::vector<Symbol>& s,
                       SymbolOf value) const;
  PathEnd<int64_t> walk(const std::vector<int64_t>& o, const std::vector<int64_t>& s,
                        NumberOf value) const;

 private:
  template <class N, class Value>
  Pair<N> pair_of(const std::vector<N>& o, const std::vector<N>& s, const Value& value) const;

  const DataflowPath* path_ = nullptr;
  std::optional<MapRelation> map_;
  bool inverse_ = false;
  std::vector<Interval> ranges_;
  std::vector<Interval> reads_;
};

// The source of a value. The element is resolved through parameters of entered computations and
// operations that only move elements, as the reference does (spec/hlo/provenance.h), but not beyond
// the operands of the instruction in question.
template <class N>
struct ResolvedSource {
  HloPosition position;
  std::vector<N> index;
  std::optional<N> known;  // the value of a constant or an iota
};

class SourceResolver {
 public:
  SourceResolver(const HloModule& module, int32_t computation,
                 FollowRegion::UpTo up_to = FollowRegion::UpTo::kOperands)
      : region_{module, computation, up_to} {}

  // The path of the element, or the element of a constant, can depend on the index. `pick` then
  // chooses one of these cases, exactly one of which holds. If it chooses none, the value is not
  // resolved further.
  using Pick = absl::FunctionRef<std::optional<size_t>(const std::vector<Conjunction>& cases)>;
  ResolvedSource<Symbol> resolve_source(const RuntimeRead<Symbol>& read,
                                        const QuasiAffineContext& context, Pick pick) const;
  ResolvedSource<int64_t> resolve_source(const RuntimeRead<int64_t>& read) const;

  const HloInstruction& at(const HloPosition& position) const;
  // The integers that the element type of the array has; of u8, 0 to 255. A proof about a computation
  // holds for all of its calls, so nothing is known of its parameters.
  std::optional<spec::IntegerRange> integers_in(const HloPosition& position) const;
  int32_t computation_of(const std::vector<int32_t>& calls) const;

 private:
  template <class N, class Holding, class Number>
  ResolvedSource<N> follow(const RuntimeRead<N>& read, const Holding& holding,
                           const Number& number) const;

  FollowRegion region_;
};

}  // namespace tileproof::verify
