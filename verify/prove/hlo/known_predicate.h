// SPDX-License-Identifier: Apache-2.0
// What the predicate of a select may be at an index of unknowns, for proofs of what flows through it.
// The definition evaluates it at each element (spec/hlo/provenance.h). Here, it is an expression of
// the index, and where it is not followed, what flows is a superset.
//
// A value is followed to iotas and constants: through operations that copy elements
// (spec/hlo/runtime_value.h), calls and fusions that the computation makes, loops whose body hands
// it on, and the integer arithmetic below. A parameter is what the operand is at the call that runs
// the computation, if the call is known (CallSite); in the body of a loop, what the body hands on.
// All other parameters and operations may have any value.
//
//     i = s32[4] iota(), iota_dimension=0
//     c = s32[4] broadcast(s32[] constant(2)), dimensions={}
//     p = pred[4] compare(i, c), direction=LT          p(o) may be true if o < 2, false if o >= 2
//
//     add, subtract, negate     if no element of the result leaves the range of its type
//     multiply                  the same, and one factor is the same number everywhere
//     divide, remainder         of numbers from 0 on by one positive number
//     minimum, maximum, clamp   of known values
//     convert                   of integers and predicates, if all values are those of the type
//     compare                   of integers and predicates; UNSIGNED: of numbers from 0 on
//     and, or, xor, not         of predicates; `and` of false and anything is false
//     add, multiply, minimum,   of predicates, as `or` and `and`
//     maximum
//     select                    what a predicate chooses may be the value
//
// PossibleValues is a tree with one node for each operation on the way, so shared values count once
// for each use. An array that may be anything is one node. A tree stops at
// * an array whose tree has more than kMostPossible nodes;
// * an array with more than kMostPossible different arrays on the way, whatever is known of them;
//   operands at a call site count on their own;
// * a constant of more than kMostListed elements that differ;
// * an operation that the definition evaluates, and is not listed above: shifts, slices at offsets, sums
//   beyond the range of their type, ..
// These count as if they may be anything, and `is_cut` says so: what flows through a select that such
// a predicate decides is a superset (verify/prove/hlo/definitions.cc).
// What may be anything with a call site is what it is without one.
//
// Source: XLA operation semantics, the section of each operation.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "spec/base/integers.h"
#include "spec/hlo/access_relation.h"
#include "spec/hlo/runtime_value.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/hlo/hlo_attributes.h"

namespace tileproof::verify {

inline constexpr int64_t kMostPossible = 200;
inline constexpr int64_t kMostListed = 64;

struct PossibleValues {
  enum class Kind : uint8_t {
    kAnything,
    kIota,      // the coordinate of a dimension
    kListed,    // the elements of a constant, row-major; one if all are equal
    kCopied,    // operand k is read by copies[k]
    kInteger,   // an operation whose result is integers
    kCompared,  // a comparison
    kLogical,   // an operation of predicates
  };
  enum class Comparison : uint8_t { kLess, kLessOrEqual, kEqual, kNotEqual };

  Kind kind = Kind::kAnything;
  bool is_predicate = false;
  int64_t low = 0;  // all elements are in [low, high], unless they may be anything
  int64_t high = 0;
  int64_t dimension = 0;               // kIota
  spec::Dims dims = {};                // kListed
  std::vector<int64_t> elements = {};  // kListed
  std::vector<spec::Dependence> copies = {};
  bool may_lack = false;                       // kCopied: some elements may be copies of none
  HloOpcode opcode = HloOpcode::kConstant;     // kInteger, kLogical
  Comparison comparison = Comparison::kEqual;  // kCompared
  std::vector<PossibleValues> operands = {};
  int64_t nodes = 1;    // of the tree
  bool is_cut = false;  // more is known than the tree says
};

// The elements of a constant of integers in row-major order, if all are written and fit the type. A
// number beyond int64 is the largest int64: no array has an element there.
std::optional<std::vector<int64_t>> elements_of_constant(const HloInstruction& constant);

// The element of an iota at this index: its coordinate, wrapped to the type's range. Nothing if the
// type is no integer or the iota is not valid.
//
//     i = u8[300] iota(), iota_dimension=0       element (260) is 4: a u8 holds 0, .., 255
template <class N>
std::optional<N> element_of_iota(const HloInstruction& iota, const std::vector<N>& index) {
  const auto dimension = integer_of(iota, "iota_dimension");
  if (!dimension.ok() || *dimension >= std::ssize(index)) return std::nullopt;
  if (!iota.shape || iota.shape->rank() != std::ssize(index)) return std::nullopt;
  const std::optional<spec::IntegerRange> type = spec::integer_range_of(iota.shape->element_type);
  if (!type || iota.shape->element_type == ElementType::kPred) return std::nullopt;
  using spec::mod;
  const N& coordinate = index[*dimension];
  if (iota.shape->dimensions[*dimension].size - 1 <= type->high) return coordinate;
  const int64_t values = type->high - type->low + 1;  // fewer than the size, which fits int64
  return mod(coordinate + N(-type->low), values) + N(type->low);
}

// A call, fusion or loop that runs a computation, and the call that runs the one that it is in. Where
// none is known, parameters may have any value. The state of a loop is known where all iterations
// have that of the first: a leaf that the body hands on, in copies of one element type.
//
//     f { q = pred[4] parameter(0)  ..  ROOT s = f32[4] select(q, x, y) }
//     p = pred[4] compare(iota, two), direction=LT
//     r = f32[4] call(p, a, b), to_apply=f             here q(o) may be true if o < 2
struct CallSite {
  const CallSite* outside = nullptr;
  int32_t computation = 0;  // that the call is in
  int32_t call = 0;
  // What operands are, as far as it was asked: by number and leaf.
  mutable std::map<std::pair<int64_t, int64_t>, PossibleValues> known = {};
};

// The elements of a leaf of an instruction, in a computation that `site` runs.
PossibleValues possible_values(const HloModule& module, int32_t computation, int32_t instruction,
                               int64_t leaf, const CallSite* site = nullptr);

// Whether a computation, or one that it runs, has a select. `known`: of other computations; grows.
bool has_select(const HloModule& module, int32_t computation, std::map<int32_t, bool>& known);

// Whether the call, fusion or loop knows more of an operand than that it may be anything.
bool knows_operands(const HloModule& module, const CallSite& site);

// One value that an element may have; without a value: it may be anything.
template <class N>
struct Possible {
  spec::Truth<N> when;
  std::optional<N> value;
};

// What a predicate may be.
template <class N>
struct MayBe {
  spec::Truth<N> yes;
  spec::Truth<N> no;
};

// A condition that is known to be false needs no further look.
inline bool is_never(bool when) { return !when; }
template <class Condition>
bool is_never(const Condition&) {
  return false;
}

// The integers that an element may be; a predicate is 1 or 0.
template <class N>
std::vector<Possible<N>> integers_at(const PossibleValues& values, const std::vector<N>& index);
template <class N>
MayBe<N> may_be(const PossibleValues& values, const std::vector<N>& index);

// ---- How they are computed ----

// The listed elements, each where the index is its own.
template <class N>
std::vector<Possible<N>> listed_at(const PossibleValues& values, const std::vector<N>& index) {
  if (values.elements.size() == 1) return {{true, N(values.elements[0])}};
  std::vector<Possible<N>> found;
  std::vector<int64_t> at(values.dims.size(), 0);
  for (const int64_t element : values.elements) {
    spec::Truth<N> here = true;
    for (size_t d = 0; d < at.size(); ++d) here = here && index[d] == N(at[d]);
    if (!is_never(here)) found.push_back({here, N(element)});
    for (size_t d = at.size(); d-- > 0;) {
      if (++at[d] < values.dims[d]) break;
      at[d] = 0;
    }
  }
  return found;
}

template <class N>
std::vector<Possible<N>> copied_integers_at(const PossibleValues& values,
                                            const std::vector<N>& index) {
  std::vector<Possible<N>> found;
  spec::Truth<N> any = false;
  for (size_t k = 0; k < values.copies.size(); ++k) {
    const auto from = spec::reach(values.copies[k], spec::IterationPoint<N>{index, {}, {}});
    any = any || from.in_domain;
    if (is_never(from.in_domain)) continue;
    for (Possible<N>& one : integers_at(values.operands[k], from.index)) {
      one.when = one.when && from.in_domain;
      found.push_back(std::move(one));
    }
  }
  if (values.may_lack) found.push_back({!any, std::nullopt});
  return found;
}

template <class N>
std::optional<N> combined(HloOpcode opcode, const PossibleValues& values, const N& a, const N& b) {
  using spec::floordiv, spec::mod;
  const PossibleValues &x = values.operands[0], &y = values.operands[1];
  switch (opcode) {
    case HloOpcode::kAdd:
      return a + b;
    case HloOpcode::kSubtract:
      return spec::minus(a, b);
    case HloOpcode::kMultiply:
      return x.low == x.high ? b * x.low : a * y.low;
    case HloOpcode::kDivide:
      return floordiv(a, y.low);
    case HloOpcode::kRemainder:
      return mod(a, y.low);
    default:
      return std::nullopt;
  }
}

// The smaller or larger of two values: each of them, where it is that.
template <class N>
std::vector<Possible<N>> chosen_of(bool smaller, const std::vector<Possible<N>>& a,
                                   const std::vector<Possible<N>>& b) {
  std::vector<Possible<N>> found;
  for (const Possible<N>& x : a) {
    for (const Possible<N>& y : b) {
      const spec::Truth<N> both = x.when && y.when;
      if (is_never(both)) continue;
      if (!x.value || !y.value) {
        found.push_back({both, std::nullopt});
        continue;
      }
      const spec::Truth<N> less = spec::minus(*x.value, *y.value) < int64_t{0};
      found.push_back({both && (smaller ? less : !less), x.value});
      found.push_back({both && (smaller ? !less : less), y.value});
    }
  }
  return found;
}

template <class N>
std::vector<Possible<N>> computed_at(const PossibleValues& values, const std::vector<N>& index) {
  std::vector<Possible<N>> found;
  const auto operand = [&](size_t k) { return integers_at(values.operands[k], index); };
  switch (values.opcode) {
    case HloOpcode::kSelect: {
      const MayBe<N> predicate = may_be(values.operands[0], index);
      for (const size_t k : {1, 2}) {
        for (Possible<N>& one : operand(k)) {
          one.when = one.when && (k == 1 ? predicate.yes : predicate.no);
          found.push_back(std::move(one));
        }
      }
      return found;
    }
    case HloOpcode::kMinimum:
    case HloOpcode::kMaximum:
      return chosen_of(values.opcode == HloOpcode::kMinimum, operand(0), operand(1));
    case HloOpcode::kClamp:
      return chosen_of(true, chosen_of(false, operand(0), operand(1)), operand(2));
    case HloOpcode::kConvert:
      return operand(0);
    case HloOpcode::kNegate:
      found = operand(0);
      for (Possible<N>& one : found) {
        if (one.value) one.value = *one.value * int64_t{-1};
      }
      return found;
    default:
      break;
  }
  for (const Possible<N>& a : operand(0)) {
    for (const Possible<N>& b : operand(1)) {
      const spec::Truth<N> both = a.when && b.when;
      if (is_never(both)) continue;
      std::optional<N> value;
      if (a.value && b.value) value = combined(values.opcode, values, *a.value, *b.value);
      found.push_back({both, std::move(value)});
    }
  }
  return found;
}

// The same of an array that is no operation of predicates.
template <class N>
std::vector<Possible<N>> numbers_at(const PossibleValues& values, const std::vector<N>& index) {
  switch (values.kind) {
    case PossibleValues::Kind::kIota:
      return {{true, index[values.dimension]}};
    case PossibleValues::Kind::kListed:
      return listed_at(values, index);
    case PossibleValues::Kind::kCopied:
      return copied_integers_at(values, index);
    case PossibleValues::Kind::kInteger:
      return computed_at(values, index);
    default:
      return {{true, std::nullopt}};
  }
}

template <class N>
std::vector<Possible<N>> integers_at(const PossibleValues& values, const std::vector<N>& index) {
  if (!values.is_predicate) return numbers_at(values, index);
  const MayBe<N> predicate = may_be(values, index);
  return {{predicate.yes, N(1)}, {predicate.no, N(0)}};
}

template <class N>
spec::Truth<N> holds(PossibleValues::Comparison comparison, const N& a, const N& b) {
  using Comparison = PossibleValues::Comparison;
  switch (comparison) {
    case Comparison::kLess:
      return spec::minus(a, b) < int64_t{0};
    case Comparison::kLessOrEqual:
      return spec::minus(a, b) < int64_t{1};
    case Comparison::kEqual:
      return a == b;
    default:
      return !(a == b);
  }
}

template <class N>
MayBe<N> compared_at(const PossibleValues& values, const std::vector<N>& index) {
  MayBe<N> result{false, false};
  for (const Possible<N>& a : integers_at(values.operands[0], index)) {
    for (const Possible<N>& b : integers_at(values.operands[1], index)) {
      const spec::Truth<N> both = a.when && b.when;
      if (is_never(both)) continue;
      const bool known = a.value && b.value;
      const spec::Truth<N> yes =
          known ? holds(values.comparison, *a.value, *b.value) : spec::Truth<N>(true);
      const spec::Truth<N> no = known ? !yes : spec::Truth<N>(true);
      result.yes = result.yes || (both && yes);
      result.no = result.no || (both && no);
    }
  }
  return result;
}

template <class N>
MayBe<N> logical_at(const PossibleValues& values, const std::vector<N>& index) {
  const MayBe<N> a = may_be(values.operands[0], index);
  if (values.opcode == HloOpcode::kNot) return {a.no, a.yes};
  if (values.opcode == HloOpcode::kConvert) return a;
  const MayBe<N> b = may_be(values.operands[1], index);
  switch (values.opcode) {
    case HloOpcode::kAnd:
      return {a.yes && b.yes, a.no || b.no};
    case HloOpcode::kOr:
      return {a.yes || b.yes, a.no && b.no};
    case HloOpcode::kXor:
      return {(a.yes && b.no) || (a.no && b.yes), (a.yes && b.yes) || (a.no && b.no)};
    default: {  // select
      const MayBe<N> c = may_be(values.operands[2], index);
      return {(a.yes && b.yes) || (a.no && c.yes), (a.yes && b.no) || (a.no && c.no)};
    }
  }
}

// What a predicate may be at an index.
template <class N>
MayBe<N> may_be(const PossibleValues& values, const std::vector<N>& index) {
  if (values.kind == PossibleValues::Kind::kCompared) return compared_at(values, index);
  if (values.kind == PossibleValues::Kind::kLogical) return logical_at(values, index);
  MayBe<N> result{false, false};
  for (const Possible<N>& one : numbers_at(values, index)) {
    const spec::Truth<N> no = one.value ? *one.value == N(0) : spec::Truth<N>(true);
    const spec::Truth<N> yes = one.value ? !no : spec::Truth<N>(true);
    result.yes = result.yes || (one.when && yes);
    result.no = result.no || (one.when && no);
  }
  return result;
}

}  // namespace tileproof::verify
