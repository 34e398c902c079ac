// One part of a union of relations between two arrays: a way of the definition, or a map of the
// analysis. Both are walked alike, with known numbers or with symbols, and both say which elements
// they read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "impl/indexing.h"
#include "spec/lang/hlo.h"
#include "verify/formula.h"
#include "verify/ways.h"

namespace tileproof::verify {

class Branch {
 public:
  // What it is made of must outlive it.
  explicit Branch(const Way& way);
  explicit Branch(const impl::IndexedMap& map);

  bool is_map() const { return map_ != nullptr; }
  const std::vector<Interval>& ranges() const { return ranges_; }  // of range variables
  const std::vector<Interval>& reads() const { return reads_; }    // of the values it asks for

  using SymbolOf = absl::FunctionRef<Symbol(const Read<Symbol>&)>;
  Walked<Symbol> walk(const std::vector<Symbol>& o, const std::vector<Symbol>& s,
                      SymbolOf value) const;

  // Where a number of a map leaves 64 bits, nothing flows.
  using NumberOf = absl::FunctionRef<int64_t(const Read<int64_t>&)>;
  Walked<int64_t> walk(const std::vector<int64_t>& o, const std::vector<int64_t>& s,
                       NumberOf value) const;

 private:
  const Way* way_ = nullptr;
  const impl::IndexedMap* map_ = nullptr;
  std::vector<Interval> ranges_;
  std::vector<bool> used_;  // runtime variables of the map
  std::vector<Interval> reads_;
};

// Where a value comes from: the element is followed through parameters of entered computations and
// through operations that only move elements, as the reference does (spec/provenance.h), but not
// beyond the operands of the instruction asked about.
template <class N>
struct Origin {
  ArrayPlace place;
  std::vector<N> index;
  std::optional<N> known;  // the value itself: of a constant, of an iota
};

class Region {
 public:
  Region(const HloModule& module, int32_t computation)
      : module_(module), computation_(computation) {}

  // `certain` says whether a condition holds, as far as can be seen.
  Origin<Symbol> origin_of(const Read<Symbol>& read, const Quotients& atoms) const;
  Origin<int64_t> origin_of(const Read<int64_t>& read) const;

  const HloInstruction& at(const ArrayPlace& place) const;
  int32_t computation_of(const std::vector<int32_t>& calls) const;

 private:
  template <class N, class Certain, class Number>
  Origin<N> follow(const Read<N>& read, const Certain& certain, const Number& number) const;

  const HloModule& module_;
  int32_t computation_;
};

}  // namespace tileproof::verify
