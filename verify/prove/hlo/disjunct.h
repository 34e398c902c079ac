// One part of a union of relations between two arrays: a way of the definition, or a map of the
// analysis, output to input or input to output. All are walked alike, with known numbers or with
// symbols, and all say which elements they read.
//
// A part gives pairs. Of a way, and of a map output to input, the output index is any, and tells
// the input index with the values of range variables. Of a map input to output the input index
// counts among the range variables, which tell the output index:
//
//     (d0, d1) -> (d0 * 8 + d1)                    d0 in [0, 3], d1 in [0, 7]
//     output to input      (o0, o1), no ranges     index (o0 * 8 + o1)
//     input to output      any (o0), ranges d0, d1 index (d0, d1), where d0 * 8 + d1 == o0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "impl/hlo/indexing.h"
#include "spec/lang/hlo/hlo.h"
#include "verify/prove/hlo/dataflow_path.h"
#include "verify/prove/smt/formula.h"

namespace tileproof::verify {

template <class N>
struct Pair {
  std::vector<N> output;
  std::vector<N> index;
  spec::Truth<N> in_domain;
};

class Disjunct {
 public:
  // What it is made of must outlive it.
  explicit Disjunct(const DataflowPath& path);
  explicit Disjunct(const impl::IndexedMap& map);  // output to input
  // Input to output, from an array of these dimensions; what the map says of others does not count.
  Disjunct(const impl::IndexedMap& map, const spec::Dims& input);

  bool is_map() const { return map_ != nullptr; }
  bool is_inverse() const { return inverse_; }  // the output index is told by range variables
  // The first range variables that are the input index.
  size_t index_variables() const { return inverse_ ? map_->map.dimensions.size() : 0; }
  const std::vector<Interval>& ranges() const { return ranges_; }  // of range variables
  const std::vector<Interval>& reads() const { return reads_; }    // of the values it asks for

  // The pair for these values; `o` does not matter if it is inverse. Where a number of a map leaves
  // 64 bits, nothing flows.
  using SymbolOf = absl::FunctionRef<Symbol(const Read<Symbol>&)>;
  Pair<Symbol> pair(const std::vector<Symbol>& o, const std::vector<Symbol>& s,
                    SymbolOf value) const;
  using NumberOf = absl::FunctionRef<int64_t(const Read<int64_t>&)>;
  Pair<int64_t> pair(const std::vector<int64_t>& o, const std::vector<int64_t>& s,
                     NumberOf value) const;

  // What flows into o for these values.
  Walked<Symbol> walk(const std::vector<Symbol>& o, const std::vector<Symbol>& s,
                      SymbolOf value) const;
  Walked<int64_t> walk(const std::vector<int64_t>& o, const std::vector<int64_t>& s,
                       NumberOf value) const;

 private:
  // The map's results at a point.
  Walked<Symbol> at(const std::vector<Symbol>& dims, const std::vector<Symbol>& s,
                    SymbolOf value) const;
  Walked<int64_t> at(const std::vector<int64_t>& dims, const std::vector<int64_t>& s,
                     NumberOf value) const;
  template <class N, class Value>
  Pair<N> pair_of(const std::vector<N>& o, const std::vector<N>& s, const Value& value) const;

  const DataflowPath* path_ = nullptr;
  const impl::IndexedMap* map_ = nullptr;
  bool inverse_ = false;
  std::vector<Interval> ranges_;
  std::vector<bool> used_;  // runtime variables of the map
  std::vector<Interval> reads_;
};

// Where a value comes from: the element is followed through parameters of entered computations and
// through operations that only move elements, as the reference does (spec/hlo/provenance.h), but not
// beyond the operands of the instruction asked about.
template <class N>
struct ResolvedSource {
  HloPosition position;
  std::vector<N> index;
  std::optional<N> known;  // the value itself: of a constant, of an iota
};

class SourceResolver {
 public:
  SourceResolver(const HloModule& module, int32_t computation)
      : module_(module), computation_(computation) {}

  // Where it depends on the index which way an element came, or which one of a constant it is,
  // `pick` chooses one of these cases, of which one holds; or none, and it is not followed further.
  using Pick = absl::FunctionRef<std::optional<size_t>(const std::vector<Conjunction>& cases)>;
  ResolvedSource<Symbol> resolve_source(const Read<Symbol>& read, const Quotients& atoms,
                                        Pick pick) const;
  ResolvedSource<int64_t> resolve_source(const Read<int64_t>& read) const;

  const HloInstruction& at(const HloPosition& position) const;
  int32_t computation_of(const std::vector<int32_t>& calls) const;

 private:
  template <class N, class Holding, class Number>
  ResolvedSource<N> follow(const Read<N>& read, const Holding& holding, const Number& number) const;

  const HloModule& module_;
  int32_t computation_;
};

}  // namespace tileproof::verify
