// SPDX-License-Identifier: Apache-2.0
// The elements at one index (verify/prove/hlo/modules/element_walk.h), where parameters have the
// numbers of a point, so offsets are known.
//
//     r = f32[] reduce(p)      bag add {p0[0], p0[1], ..}
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "spec/hlo/float_arithmetic.h"
#include "spec/hlo/integer_arithmetic.h"
#include "spec/hlo/runtime_value.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/odometer.h"
#include "verify/prove/hlo/modules/at_any_index.h"
#include "verify/prove/hlo/modules/element_walk.h"
#include "verify/prove/values/point.h"

namespace tileproof::verify {

// An index is made of numbers, and the parameters have those of a point.
class AtOneIndex {
 public:
  using Number = int64_t;
  using Index = std::vector<int64_t>;

  AtOneIndex(spec::Terms& terms, Point& point, int64_t work) : terms_(terms), point_(point) {
    allow(work);
  }

  spec::Terms& terms() { return terms_; }
  bool has_failed() const { return has_failed_ || work_ < 0; }
  void fail() { has_failed_ = true; }
  void allow(int64_t work) {  // for what comes next
    has_failed_ = false;
    work_ = std::min(work, INT64_MAX / kPoint) * kPoint;
  }
  int64_t work() const { return work_ < 0 ? -1 : work_ / kPoint; }  // that is left
  static int64_t key(int64_t number) { return number; }
  static void simplify(Index&) {}
  static const Index& inside(const Index& index, const Dims&) { return index; }
  static Index outside(Index index) { return index; }
  static std::optional<bool> known(bool truth) { return truth; }
  static std::optional<Index> every_index(const Dims&, const std::string&) { return std::nullopt; }

  const Point& point() const { return point_; }
  bool is_zero(spec::TermId term) {
    const PointValue value = point_.of(term);
    return value.is_known && !value.is_integer && value.low == 0 && value.high == 0;
  }

  static bool has_any_order(const spec::Symbol&) { return false; }
  static bool writes_taps() { return false; }
  static bool adds_nothing(const spec::Symbol&, spec::TermId) { return false; }
  static spec::TermId shortest(spec::TermId term) { return term; }

  spec::TermId parameter(int64_t number, int64_t leaf, ElementType type, const Dims& dims,
                         const Index& index) {
    const auto array = terms_.symbol({.text = parameter_name(number, leaf),
                                      .opcode = HloOpcode::kParameter,
                                      .type = type,
                                      .operand = static_cast<int32_t>(number),
                                      .leaf = static_cast<int32_t>(leaf)});
    return terms_.element(array, spec::element_number(dims, index));
  }

  std::optional<spec::TermId> constant(const Literal& literal, const Dims& dims,
                                       const Index& index) {
    const int64_t number = spec::element_number(dims, index);
    return literal.integers.empty() ? terms_.constant(literal.type, literal.floats[number])
                                    : terms_.constant(literal.type, literal.integers[number]);
  }

  spec::TermId number_term(int64_t number, ElementType type) {
    if (spec::is_integer(type)) return terms_.constant(type, spec::wrapped(type, number));
    return terms_.constant(type, spec::rounded(type, static_cast<double>(number)));
  }

  static spec::TermId select(ElementType, bool predicate, spec::TermId yes, spec::TermId no) {
    return predicate ? yes : no;
  }

  template <class At>
  static spec::TermId function(ElementType, const Index& index, int64_t level, At at) {
    return at(index, level);
  }

  // The integer that a term is at the point, if it is one.
  std::optional<int64_t> number_of(spec::TermId term) {
    const PointValue value = point_.of(term);
    return value.is_known && value.is_integer ? std::optional(value.integer) : std::nullopt;
  }

  static std::optional<OffsetChoice<Number>> choice(spec::TermId, Interval) { return std::nullopt; }

  Number offset(spec::TermId term, ElementType type, Interval bounds) {
    const PointValue value = point_.of(term);
    if (!value.is_known) fail();
    return std::clamp(spec::as_offset(type, value.integer), bounds.low, bounds.high);
  }

  template <class PointOf>
  spec::TermId bag(const HloInstruction&, const spec::Symbol& f, const Dims& ranges, int64_t,
                   PointOf point, std::optional<spec::TermId> init, bool) {
    std::vector<spec::TermId> all;
    Index s(ranges.size(), 0);
    const bool is_empty = std::ranges::count(ranges, 0) > 0;
    do {
      if (is_empty) break;
      const BagPoint<Number> added = point(s);
      work_ -= added.exists ? kPoint : 1;
      if (has_failed()) return 0;
      if (added.exists) all.insert(all.end(), added.factors.begin(), added.factors.end());
      if (!added.exists && added.in_place) all.push_back(*added.in_place);
    } while (next_index(ranges, s));
    if (init) all.push_back(*init);
    return terms_.bag(terms_.symbol(f), std::move(all));
  }

  template <class Next>
  spec::TermId fold(ElementType, const Dims& ranges, int64_t, std::vector<spec::TermId> state,
                    size_t leaf, Next next) {
    Index s(ranges.size(), 0);
    const bool is_empty = std::ranges::count(ranges, 0) > 0;
    do {
      if (is_empty) break;
      state = next(state, s);
      work_ -= kPoint;
      if (has_failed()) return 0;
    } while (next_index(ranges, s));
    return state[leaf];
  }

  // An element of a line that is sorted: the arrays one after another, then their order.
  template <class AtPlace>
  spec::TermId line(const spec::Symbol& f, int64_t size, int64_t, AtPlace at_place,
                    spec::TermId order, Number place) {
    std::vector<spec::TermId> all(size * f.group);
    for (int64_t s = 0; s < size; ++s) {
      const std::vector<spec::TermId> here = at_place(s);
      work_ -= kPoint;
      if (has_failed()) return 0;
      for (size_t k = 0; k < here.size(); ++k) all.at(k * size + s) = here[k];
    }
    all.push_back(order);
    return terms_.opaque(terms_.symbol(f), place, all);
  }

  spec::TermId opaque(spec::SymbolId f, const std::vector<spec::TermId>&, const Index& index) {
    return terms_.opaque(f, index.empty() ? 0 : index[0], {});
  }

 private:
  static constexpr int64_t kPoint = 16;  // units of work; one that adds nothing is one unit

  spec::Terms& terms_;
  Point& point_;
  int64_t work_ = 0;
  bool has_failed_ = false;
};

}  // namespace tileproof::verify
