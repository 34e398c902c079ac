// SPDX-License-Identifier: Apache-2.0
// One term that stands for the elements at all indexes (verify/prove/hlo/modules/element_walk.h).
//
//     t = f32[3,2] transpose(p)                 p0[(d1, d0)]
//     r = f32[3] reduce(t), dimensions={1}      all add over 2 (p0[(s0, d0)])
//
// A reduction is a function of what one of its points adds, for all values of the variables s. If the
// order does not count, it is one of what each order of its dimensions makes of the point. An unknown
// offset is a variable; offsets with one form (verify/prove/values/forms.h) are the same.
//
// With functions, the variables of a reduced array have names of their own, so it is looked at once
// however often it is used:
//
//     x = f32[9] reduce(..)   add(x[d0], x[s0])    of T(v0), the term of x: add(T at d0, T at s0)
//
// An index that is divided is the digits that it is divided into, so reshapes of what is added up do
// not matter:
//
//     y = f32[6] reshape(f32[2,3] p)   r = f32[] reduce(y), dimensions={0}     all add over 2,3 (p0[s0, s1])
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/hlo/integer_arithmetic.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/operands_first.h"
#include "spec/lang/hlo/hlo.h"
#include "verify/prove/hlo/modules/device_tables.h"
#include "verify/prove/hlo/modules/element_walk.h"
#include "verify/prove/hlo/modules/index_expressions.h"
#include "verify/prove/values/forms.h"

namespace tileproof::verify {

class AtAnyIndex {
 public:
  using Number = IndexNumber;
  using Index = std::vector<Number>;

  // `writes_taps`: a reduction over the taps of a window is a sum that is written out.
  AtAnyIndex(spec::Terms& terms, bool any_order, bool has_functions, bool writes_taps, int64_t work)
      : terms_(terms),
        any_order_(any_order),
        has_functions_(has_functions),
        writes_taps_(writes_taps),
        expressions_(terms),
        offsets_(terms, {}, work) {}

  spec::Terms& terms() const { return terms_; }
  bool has_failed() const { return expressions_.has_failed() || offsets_.is_exhausted(); }
  void fail() { expressions_.fail(); }
  // Who proves that terms are equal, one by one, without any law. Without it, none are.
  using AreEqual =
      std::function<bool(const std::vector<spec::TermId>&, const std::vector<spec::TermId>&)>;
  void ask(AreEqual prover) { prover_ = std::move(prover); }
  bool are_equal(const std::vector<spec::TermId>& a, const std::vector<spec::TermId>& b) const {
    return prover_ != nullptr && prover_(a, b);
  }
  // After a failure other terms can be asked for, unless the work is done.
  void recover() { expressions_.recover(); }
  int64_t key(const Number& number) const {
    return number.store == nullptr ? number.value * 2 : int64_t{number.node} * 2 + 1;
  }
  void simplify(Index& index) { expressions_.simplify(index); }
  // An element that exists is inside of its array: (s0 + d0 - 1) mod 7 is s0 + d0 - 1 there. The index
  // with a variable for each coordinate that may be outside; and with the coordinates again.
  Index inside(const Index& index, const Dims& dims) { return expressions_.inside(index, dims); }
  Index outside(Index index) { return expressions_.outside(std::move(index)); }
  // The numbers with others in place of these variables.
  Index replaced(const Index& numbers, const Index& variables, const Index& by) {
    return expressions_.replaced(numbers, variables, by);
  }
  static std::optional<bool> known(const IndexTruth& truth) { return truth.known; }
  // The integer that a term is at all indexes, if it is one.
  std::optional<int64_t> number_of(spec::TermId term) const { return terms_.value(term); }

  std::optional<Index> every_index(const Dims& dims, const std::string& name) {
    Index index;
    for (size_t d = 0; d < dims.size(); ++d) {
      index.push_back(expressions_.any_below(absl::StrCat(name, d), dims[d]));
    }
    return index;
  }

  std::optional<int64_t> split_of(const Number& variable) const {
    return variable.store == nullptr ? std::nullopt : expressions_.split_of(variable);
  }

  std::optional<int64_t> digit_of(const Number& variable) const {
    return variable.store == nullptr ? std::nullopt : expressions_.digit_of(variable);
  }

  // Whether the order in which it reduces does not count: of a maximum and of integers it never does.
  bool has_any_order(const spec::Symbol& f) const {
    const bool rounds = f.opcode == HloOpcode::kAdd || f.opcode == HloOpcode::kMultiply;
    return any_order_ || (spec::is_reducer(f.opcode) && (!rounds || spec::is_integer(f.type)));
  }
  bool writes_taps() const { return writes_taps_; }
  // What an operation leaves as it is.
  std::optional<spec::TermId> identity_of(const spec::Symbol& f) const;
  bool adds_nothing(const spec::Symbol& f, spec::TermId init) const;
  // The same integer or predicate. If it is an expression of the variables, in its shortest form.
  spec::TermId shortest(spec::TermId term);

  // `of`: more of its name.
  spec::TermId parameter(int64_t number, int64_t leaf, ElementType type, const Dims&,
                         const Index& index, const char* of = "") {
    const auto array = terms_.symbol({.text = parameter_name(number, leaf) + of,
                                      .opcode = HloOpcode::kParameter,
                                      .type = type,
                                      .operand = static_cast<int32_t>(number)});
    return opaque(array, {}, index);
  }

  // `at` gives the element of an array at an index. It is asked for variables v0, v1, .. of each size in
  // place of those of this index, and leaves out those that its term does not hold. An offset that holds
  // variables keeps its name, and so do they.
  template <class At>
  spec::TermId function(ElementType type, Index index, int64_t level, At at) {
    if (!has_functions_) return at(index, level);
    index = outside(std::move(index));
    Index variables;
    Digits digits;
    for (const Number& one : in_order(index)) {
      const spec::TermId term = expressions_.term_of(one);
      const bool is_any = expressions_.is_any_below(term);
      if (!is_any && !held_by(term).empty()) return at(index, level);
      if (!is_any) continue;
      digits.push_back(Digit::whole(variables.size(), expressions_.bounds_of(one).high + 1));
      variables.push_back(one);
    }
    while (true) {
      const Slots alone = each_alone(digits);
      const std::vector<size_t> order = orders_of(sizes_of(digits, alone), false)[0];
      const Named named = named_digits(digits, alone, order, "v", variables.size());
      const spec::TermId term = at(expressions_.replaced(index, variables, named.wholes), 0);
      if (has_failed()) return 0;
      if (!holds_arrays(term)) return at(index, level);  // nothing is reduced
      Digits next;
      Index used;
      for (size_t k = 0; k < digits.size(); ++k) {
        if (!std::ranges::binary_search(held_by(term), expressions_.term_of(named.own[k])))
          continue;
        add_parts(digits[k], named.own[k], {term}, next);
      }
      if (next != digits) {
        digits = std::move(next);
        continue;
      }
      for (const Digit& digit : digits) used.push_back(digit.in(variables[digit.of]));
      simplify(used);
      return keys_of(named.own) == keys_of(used) ? term : applied(type, term, named.own, used);
    }
  }

  std::optional<spec::TermId> constant(const Literal& literal, const Dims& dims,
                                       const Index& index) {
    if (!literal.is_uniform) {
      const auto [known, is_new] = tables_.try_emplace(&literal);
      if (is_new) known->second = DigitTable::of(literal.integers);
      const std::optional<DigitTable>& table = known->second;
      if (!table) return std::nullopt;
      Number number = 0;
      for (size_t d = 0; d < index.size(); ++d) number = number * dims[d] + index[d];
      Index value = {table->at(number)};
      simplify(value);
      return number_term(value[0], literal.type);
    }
    return literal.integers.empty() ? terms_.constant(literal.type, literal.floats[0])
                                    : terms_.constant(literal.type, literal.integers[0]);
  }

  // One that is inside of bounds only where it exists has a name of its own: elsewhere, another number may
  // have the same expression.
  spec::TermId number_term(const Number& number, ElementType type) {
    const Number plain = outside({number})[0];
    spec::TermId value = expressions_.term_of(plain);
    if (key(plain) != key(number)) {
      const spec::SymbolId inside =
          terms_.symbol({.text = absl::StrCat("number ", number.node), .type = ElementType::kS64});
      value = terms_.opaque(inside, 0, {value});
    }
    const spec::TermId term =
        expressions_.apply(HloOpcode::kConvert, type, ElementType::kS64, {value});
    if (fits(number, type)) numbers_.try_emplace(term, number);
    return term;
  }

  spec::TermId select(ElementType type, const IndexTruth& predicate, spec::TermId yes,
                      spec::TermId no) {
    if (predicate.known) return *predicate.known ? yes : no;
    const spec::SymbolId f =
        terms_.symbol({.text = absl::StrCat("select ", info(type).name, " of pred of ",
                                            info(type).name, " of ", info(type).name),
                       .opcode = HloOpcode::kSelect,
                       .type = type,
                       .from = ElementType::kPred});
    return terms_.apply(f, {{predicate.term, yes, no}});
  }

  // Offsets with one form are one variable.
  Number offset(spec::TermId term, ElementType type, Interval bounds) {
    if (bounds.low == bounds.high) return bounds.low;
    if (type == ElementType::kU64 || bounds.low > bounds.high) {
      fail();
      return 0;
    }
    if (const auto value = terms_.value(term)) {
      return std::clamp(spec::as_offset(type, *value), bounds.low, bounds.high);
    }
    if (const auto known = numbers_.find(term); known != numbers_.end()) {
      const auto range = expressions_.range(known->second);
      if (range && range->low >= bounds.low && range->high <= bounds.high) return known->second;
    }
    constexpr ElementType kWide = ElementType::kS64;
    const spec::TermId wide =
        type == kWide ? term : expressions_.apply(HloOpcode::kConvert, kWide, type, {term});
    const spec::TermId clamped = expressions_.apply(
        HloOpcode::kClamp, kWide, kWide,
        {{terms_.constant(kWide, bounds.low), wide, terms_.constant(kWide, bounds.high)}});
    const FormId form = offsets_.of(clamped);
    return expressions_.variable(absl::StrCat("offset ", form), bounds, clamped);
  }

  std::optional<OffsetChoice<Number>> choice(spec::TermId term, Interval bounds);

  // The point is a term of variables that have all values of the ranges. `is_nested`: as of over().
  template <class Point>
  spec::TermId bag(const HloInstruction& i, const spec::Symbol& f, const Dims& ranges,
                   int64_t level, Point point, std::optional<spec::TermId> init, bool is_nested) {
    if (std::ranges::count(ranges, 0) > 0) {
      return terms_.bag(terms_.symbol(f), init ? std::vector{*init} : std::vector<spec::TermId>());
    }
    if (std::ranges::all_of(ranges, [](int64_t size) { return size == 1; })) {
      return bag_of_one(f, point(Index(ranges.size(), 0)), init);
    }
    const bool any_order = has_any_order(f);
    if (any_order) {
      if (const auto only = only_points(f, ranges, level, point)) {
        return bag(i, f, only->ranges, level, only->at, init, is_nested);
      }
      if (const auto parts = parts_of_bag(i, f, ranges, level, point, is_nested)) {
        std::vector<spec::TermId> all = *parts;
        if (init) all.push_back(*init);
        return terms_.bag(terms_.symbol(spec::bag_of(f.opcode, f.type)), all);
      }
    }
    const auto added = over(
        {ranges, ranges}, level, any_order,
        [&](const Index& s) { return std::vector{added_term(f, point(s))}; }, is_nested);
    if (!added) return 0;
    std::string name = f.text;
    if (any_order) {
      name = absl::StrCat("in any order ", name_of(f.opcode), " ", info(f.type).name);
      for (const char* attribute : {"operand_precision", "algorithm"}) {
        const std::string* value = find_attribute(i.attributes, attribute);
        if (value != nullptr) absl::StrAppend(&name, " ", *value);
      }
    }
    std::vector<spec::TermId> sums = added->terms;
    if (any_order) sums = sorted(std::move(sums));
    const spec::TermId all = all_of(f.opcode, f.type, name, *added, std::move(sums));
    if (any_order) {
      const Dims sizes = without_ones(added->sizes);
      sums_.try_emplace(all, sizes);
      Dims undivided = without_ones(ranges);
      std::ranges::sort(undivided);
      sizes_of_sums_.insert({sizes, std::move(undivided)});
    }
    return init ? terms_.bag(terms_.symbol(f), {*init, all}) : all;
  }

  // Cuts sums in any order from now on so that their parts are as long as those that these terms add up: a
  // sum over 256 is two over 128 if another program adds two of them. False if nothing is left to try.
  bool cut_sums(const std::vector<spec::TermId>& of);

  // Points of steps that leave a state as it is where the point does not exist.
  struct OnlyPoints {
    Dims ranges;
    std::function<BagPoint<Number>(const Index&)> at;
  };
  // Steps of which at most one for each index does anything, as fewer steps.
  template <class Point>
  std::optional<OnlyPoints> only_steps(const Dims& ranges, int64_t level, Point point) {
    return only_points(ranges, level, point, [](const BagPoint<Number>& step) {
      return step.exists.known ? std::nullopt : std::optional(Says{step.exists.term});
    });
  }

  // A function of what each step makes of the state, and of the first state. Of the state, it needs what
  // this leaf depends on.
  template <class Next>
  spec::TermId fold(ElementType type, const Dims& ranges, int64_t level,
                    const std::vector<spec::TermId>& inits, size_t leaf, Next next) {
    if (std::ranges::count(ranges, 0) > 0) return inits[leaf];
    if (std::ranges::all_of(ranges, [](int64_t size) { return size == 1; })) {
      const std::vector<spec::TermId> all = next(inits, Index(ranges.size(), 0));
      return all.size() > leaf ? all[leaf] : 0;  // a step that failed has fewer
    }
    std::vector<size_t> needed;
    const auto steps = over(numbered_points(ranges), level, false, [&](const Index& s) {
      needed.assign(inits.size(), 0);
      std::iota(needed.begin(), needed.end(), 0);
      std::vector<spec::TermId> state = states(needed, level, inits);
      needed = needed_for(leaf, state, next(state, s));
      state = states(needed, level, inits);
      const std::vector<spec::TermId> all = next(state, s);
      std::vector<spec::TermId> results;
      for (const size_t one : needed) results.push_back(all.size() > one ? all[one] : 0);
      return results;
    });
    if (!steps) return 0;
    std::vector<spec::TermId> all = steps->terms;
    for (const size_t one : needed) all.push_back(inits[one]);
    all.push_back(states(needed, level, inits)[leaf]);
    return all_of(HloOpcode::kOther, type, "one after another", *steps, std::move(all));
  }

  // An element of a line that is sorted.
  template <class AtPlace>
  spec::TermId line(const spec::Symbol& f, int64_t size, int64_t level, AtPlace at_place,
                    spec::TermId order, const Number& place) {
    const Number s = expressions_.any_below(absl::StrCat("s", level, ".0"), size);
    std::vector<spec::TermId> all = at_place(s);
    if (has_failed()) return 0;
    all.push_back(order);
    all.push_back(expressions_.term_of(place));
    Over one{{size}, {}, {}};
    if (s.store != nullptr) one.bound.push_back(expressions_.term_of(s));
    return all_of(HloOpcode::kOther, f.type, f.text, one, std::move(all));
  }

  spec::TermId opaque(spec::SymbolId f, std::vector<spec::TermId> operands, const Index& index) {
    for (const Number& number : outside(index)) operands.push_back(expressions_.term_of(number));
    return terms_.opaque(f, 0, operands);
  }

 private:
  using Held = std::vector<spec::TermId>;  // terms of variables, sorted

  std::vector<int64_t> keys_of(const Index& index) const {
    std::vector<int64_t> keys;
    for (const Number& one : index) keys.push_back(key(one));
    return keys;
  }

  // The variables of an index, from the first coordinate to the last.
  Index in_order(const Index& index) {
    Index all;
    for (const Number& coordinate : index) {
      for (const Number& one : expressions_.variables_in({coordinate})) {
        const auto is_one = [&](const Number& other) { return key(other) == key(one); };
        if (std::ranges::none_of(all, is_one)) all.push_back(one);
      }
    }
    return all;
  }

  static Held sorted(Held all) {
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  // The variables that a term holds.
  const Held& held_by(spec::TermId term) {
    operands_first(
        term, [&](spec::TermId at) { return terms_.operands(at); },
        [&](spec::TermId at) { return held_.contains(at); },
        [&](spec::TermId at) {
          Held all;
          if (expressions_.is_any_below(at)) all.push_back(at);
          for (const spec::TermId operand : terms_.operands(at)) {
            const Held& one = held_.at(operand);
            all.insert(all.end(), one.begin(), one.end());
          }
          held_.emplace(at, sorted(std::move(all)));
        },
        [] { return true; });
    return held_.at(term);
  }

  // Part of a number x in [0, all): (x floordiv weight) mod size.
  struct Digit {
    size_t of = 0;  // number of x
    int64_t all = 1, size = 1, weight = 1;

    static Digit whole(size_t of, int64_t size) { return {of, size, size, 1}; }
    Number in(Number x) const {
      if (weight > 1) x = floordiv(x, weight);
      return weight * size < all ? mod(x, size) : x;
    }
    bool operator==(const Digit&) const = default;
  };
  using Digits = std::vector<Digit>;

  // What a term divides a variable by, without a rest: the least number, or 1.
  int64_t divisor_of(const Number& variable, int64_t size, spec::TermId term) {
    if (variable.store == nullptr) return 1;
    const spec::TermId divided = expressions_.term_of(variable);
    for (const auto& [one, by] : divisions_in(term)) {
      if (one == divided && by > 1 && by < size && size % by == 0) return by;
    }
    return 1;
  }

  // The digit whose variable this is, or two, if one of the terms looks at its parts: an index that
  // runs over 6 elements of f32[2,3] is two indexes.
  void add_parts(const Digit& digit, const Number& variable, const std::vector<spec::TermId>& terms,
                 Digits& all) {
    int64_t by = 1;
    for (const spec::TermId term : terms) by = std::max(by, divisor_of(variable, digit.size, term));
    if (by > 1) all.push_back({digit.of, digit.all, digit.size / by, digit.weight * by});
    all.push_back({digit.of, digit.all, by > 1 ? by : digit.size, digit.weight});
  }

  // The digits that one variable counts, the major ones first.
  using Slots = std::vector<std::vector<size_t>>;
  static Slots each_alone(const Digits& digits) {
    Slots slots;
    for (size_t k = 0; k < digits.size(); ++k) slots.push_back({k});
    return slots;
  }
  static Dims sizes_of(const Digits& digits, const Slots& slots) {
    Dims sizes;
    for (const std::vector<size_t>& slot : slots) {
      sizes.push_back(1);
      for (const size_t k : slot) sizes.back() *= digits[k].size;
    }
    return sizes;
  }

  // A variable for each slot, named by their order among those of one size, and the numbers that
  // have these digits, so many.
  struct Named {
    Index own, wholes;
  };
  Named named_digits(const Digits& digits, const Slots& slots, const std::vector<size_t>& order,
                     const std::string& prefix, size_t count) {
    Named named{Index(slots.size(), 0), Index(count, 0)};
    const Dims sizes = sizes_of(digits, slots);
    std::map<int64_t, int64_t> of_size;
    for (const size_t q : order) {
      named.own[q] = expressions_.any_below(absl::StrCat(prefix, of_size[sizes[q]]++), sizes[q]);
      int64_t weight = sizes[q];
      for (const size_t k : slots[q]) {
        weight /= digits[k].size;
        const Digit part{0, sizes[q], digits[k].size, weight};
        named.wholes[digits[k].of] =
            named.wholes[digits[k].of] + part.in(named.own[q]) * digits[k].weight;
      }
    }
    return named;
  }

  // The terms of the points, those of each order of the variables after each other, and the variables and
  // terms of the first order.
  struct Points {
    std::vector<spec::TermId> terms, first;
    Index own;
  };
  // Joins slots as long as no term looks at the parts of what they count together.
  template <class PointsOf>
  Slots joined_slots(const Digits& digits, PointsOf points) {
    Slots slots = each_alone(digits);
    const auto joined = [&]() -> std::optional<Slots> {
      for (size_t a = 0; a < slots.size(); ++a) {
        for (size_t b = 0; b < slots.size(); ++b) {
          if (a == b) continue;
          Slots next = slots;
          next[a].insert(next[a].end(), slots[b].begin(), slots[b].end());
          next.erase(next.begin() + static_cast<int64_t>(b));
          const Points all = points(next, false);
          if (has_failed()) {  // it says nothing of the others
            recover();
            continue;
          }
          const size_t at = a - (b < a ? 1 : 0);
          const int64_t size = sizes_of(digits, next)[at];
          if (divisor_of(all.own[at], size, all.first[0]) == 1) return next;
        }
      }
      return std::nullopt;
    };
    while (auto next = joined()) slots = *std::move(next);
    return slots;
  }

  // What points at all indexes of these sizes are, and the variables that are the indexes.
  struct Over {
    Dims sizes;
    std::vector<spec::TermId> terms;  // for each order of the digits
    Held bound;
  };
  // The points of a fold have one number, in row-major order, so that [10,100] is what [1000] is. If there
  // are too many, and in a bag, each coordinate is a number.
  struct Numbered {
    Dims ranges, counts;
    Index index(AtAnyIndex& domain, const Index& numbers) const {
      if (counts == ranges) return numbers;
      Index s(ranges.size(), 0);
      Number rest = numbers[0];
      int64_t count = counts[0];
      for (size_t k = 0; k < ranges.size(); ++k) {
        count /= ranges[k];
        s[k] = ranges[k] == 1 ? Number(0) : floordiv(rest, count);
        if (count > 1) rest = mod(rest, count);
      }
      domain.simplify(s);
      return s;
    }
  };
  static Numbered numbered_points(const Dims& ranges) {
    constexpr int64_t kMost = int64_t{1} << 31;
    const std::optional<int64_t> all = element_count(ranges);
    return {ranges, all && *all > 0 && *all <= kMost ? Dims{*all} : ranges};
  }

  // `is_nested`: those of several reductions, of which two may together be one, as the devices that cut a
  // dimension and the part that each has.
  template <class TermsAt>
  std::optional<Over> over(const Numbered& numbered, int64_t level, bool any_order,
                           TermsAt terms_at, bool is_nested = false) {
    Digits digits;
    for (const int64_t size : numbered.counts) digits.push_back(Digit::whole(digits.size(), size));
    const auto points = [&](const Slots& slots, bool all_orders) {
      Points all;
      for (const std::vector<size_t>& order : orders_of(sizes_of(digits, slots), all_orders)) {
        const std::string prefix = absl::StrCat("s", level, ".");
        const Named named = named_digits(digits, slots, order, prefix, numbered.counts.size());
        const std::vector<spec::TermId> terms = terms_at(numbered.index(*this, named.wholes));
        if (has_failed()) break;
        if (all.terms.empty()) {
          all.own = named.own;
          all.first = terms;
        }
        all.terms.insert(all.terms.end(), terms.begin(), terms.end());
      }
      return all;
    };
    while (true) {
      const Slots alone = each_alone(digits);
      Points all = points(alone, any_order);
      if (has_failed()) return std::nullopt;
      Digits next;
      for (size_t k = 0; k < digits.size(); ++k) add_parts(digits[k], all.own[k], all.first, next);
      if (next == digits) {
        const Slots slots = is_nested ? joined_slots(digits, points) : alone;
        if (slots != alone) all = points(slots, any_order);
        if (has_failed()) return std::nullopt;
        Over result{sizes_of(digits, slots), std::move(all.terms), {}};
        for (const Number& own : all.own) {
          if (own.store != nullptr) result.bound.push_back(expressions_.term_of(own));
        }
        result.bound = sorted(std::move(result.bound));
        if (any_order) std::ranges::sort(result.sizes);
        return result;
      }
      digits = std::move(next);
    }
  }

  // The parts of a bag that is cut (cut_sums).
  template <class Point>
  std::optional<std::vector<spec::TermId>> parts_of_bag(const HloInstruction& i,
                                                        const spec::Symbol& f, const Dims& ranges,
                                                        int64_t level, Point point,
                                                        bool is_nested) {
    for (size_t k = 0; k < ranges.size(); ++k) {
      const auto cut = cuts_.find(ranges[k]);
      if (cut == cuts_.end()) continue;
      std::vector<spec::TermId> all;
      int64_t low = 0;
      for (const int64_t size : cut->second) {
        Dims part = ranges;
        part[k] = size;
        const std::function<BagPoint<Number>(const Index&)> shifted = [&](Index s) {
          s[k] = s[k] + low;
          return point(s);
        };
        all.push_back(bag(i, f, part, level, shifted, std::nullopt, is_nested));
        low += size;
      }
      return all;
    }
    return std::nullopt;
  }

  // A reduction where comparisons leave one number of the index no choice, and elsewhere nothing is added, is
  // one over the others:
  //
  //     all add over 16 (c - 2000 s in [0, 1999] ? x[s] : 0)       x[c floordiv 2000], if c < 32000
  template <class Point>
  std::optional<OnlyPoints> only_points(const spec::Symbol& f, const Dims& ranges, int64_t level,
                                        Point point) {
    return only_points(ranges, level, point,
                       [this, f](const BagPoint<Number>& added) { return choice_of(f, added); });
  }
  // `choice`: what is said of a point where it adds something, if that is known.
  template <class Point, class Choice>
  std::optional<OnlyPoints> only_points(const Dims& ranges, int64_t level, Point point,
                                        Choice choice) {
    Digits digits;
    for (const int64_t size : ranges) digits.push_back(Digit::whole(digits.size(), size));
    const Slots alone = each_alone(digits);
    const Named named = named_digits(digits, alone, orders_of(ranges, true)[0],
                                     absl::StrCat("s", level, "."), ranges.size());
    if (!choice(point(named.wholes))) return std::nullopt;
    for (size_t k = 0; k < ranges.size(); ++k) {
      const Number any = expressions_.any_below(absl::StrCat("only ", level, "."), ranges[k]);
      const auto only = [this, any, k, point, choice](Index s) -> std::optional<Number> {
        s[k] = any;
        const auto predicate = choice(point(s));
        return predicate ? only_number(any, *predicate) : std::nullopt;
      };
      if (!only(named.wholes)) continue;
      OnlyPoints result{ranges, {}};
      result.ranges.erase(result.ranges.begin() + static_cast<int64_t>(k));
      result.at = [this, point, only, k, size = ranges[k]](Index s) {
        s.insert(s.begin() + static_cast<int64_t>(k), 0);
        const auto number = only(s);
        if (!number) fail();
        if (has_failed()) return BagPoint<Number>{false};
        s[k] = *number;
        const IndexTruth is_one = !(*number < 0) && *number < size;
        if (is_one.known == false) return BagPoint<Number>{false};
        BagPoint<Number> added = point(s);
        added.exists = is_one && added.exists;
        return added;
      };
      return result;
    }
    return std::nullopt;
  }
  // That a predicate holds, or that it does not.
  struct Says {
    spec::TermId predicate;
    bool holds = true;
  };
  // What is said of a point where it adds something, if that is known.
  std::optional<Says> choice_of(const spec::Symbol& f, const BagPoint<Number>& point) {
    const spec::TermId value = added_term(f, point);
    if (has_failed() || terms_.symbol_of(value).opcode != HloOpcode::kSelect) return std::nullopt;
    const std::vector<spec::TermId> of(terms_.operands(value).begin(),
                                       terms_.operands(value).end());
    for (const size_t none : {2, 1}) {
      const bool is_none = absl::StartsWith(terms_.symbol_of(of[none]).text, kNoPoint);
      if (is_none || adds_nothing(f, of[none])) return Says{of[0], none == 2};
    }
    return std::nullopt;
  }
  // The number that a variable must be, as an expression without it.
  std::optional<Number> only_number(const Number& s, const Says& says);
  // The comparisons that all hold then.
  void add_comparisons(const Says& says, std::vector<IndexExpressions::Comparison>& all);
  // The intersection of what they say of a number.
  Interval said_of(const Number& number, const std::vector<IndexExpressions::Comparison>& all);

  static Dims without_ones(Dims sizes) {
    std::erase(sizes, 1);
    return sizes;
  }
  // What an operation that reduces is applied to, also through more of its kind: the sizes of sums in any
  // order, and none for a single point.
  using AddedUp = std::vector<Dims>;
  AddedUp added_up(spec::TermId term) const;
  static std::set<std::vector<int64_t>> parts_of_sum(const Dims& sum, size_t k,
                                                     const AddedUp& added);

  // A function of terms that hold the bound variables.
  spec::TermId all_of(HloOpcode opcode, ElementType type, const std::string& name,
                      const Over& points, std::vector<spec::TermId> terms) {
    const Dims sizes = without_ones(points.sizes);
    terms.insert(terms.end(), points.bound.begin(), points.bound.end());
    const auto all =
        terms_.symbol({.text = absl::StrCat("all ", name, " over ", absl::StrJoin(sizes, ",")),
                       .opcode = opcode,
                       .type = type,
                       .of_arrays = true});
    return terms_.opaque(all, std::ssize(points.bound), terms);
  }

  // What stands for the leaves of a state, named by the order of those that are needed.
  std::vector<spec::TermId> states(const std::vector<size_t>& needed, int64_t level,
                                   const std::vector<spec::TermId>& inits) {
    std::vector<spec::TermId> all = inits;
    for (size_t k = 0; k < needed.size(); ++k) {
      const ElementType type = terms_.symbol_of(inits[needed[k]]).type;
      const auto one = terms_.symbol(
          {.text = absl::StrCat("so far ", level, ".", k, " ", info(type).name), .type = type});
      all[needed[k]] = terms_.element(one, 0);
    }
    return all;
  }

  // The leaves on which the next states of a leaf depend, the leaf first. A step that failed has fewer.
  std::vector<size_t> needed_for(size_t leaf, const std::vector<spec::TermId>& state,
                                 const std::vector<spec::TermId>& next) const {
    std::vector<size_t> needed = {leaf};
    absl::flat_hash_set<spec::TermId> seen;
    for (size_t k = 0; k < needed.size() && next.size() == state.size(); ++k) {
      operands_first(
          next[needed[k]], [&](spec::TermId at) { return terms_.operands(at); },
          [&](spec::TermId at) { return seen.contains(at); },
          [&](spec::TermId at) {
            seen.insert(at);
            const auto one = static_cast<size_t>(std::ranges::find(state, at) - state.begin());
            if (one < state.size() && std::ranges::count(needed, one) == 0) needed.push_back(one);
          },
          [] { return true; });
    }
    return needed;
  }

  // Whether it holds a function of whole arrays.
  bool holds_arrays(spec::TermId term) {
    operands_first(
        term, [&](spec::TermId at) { return terms_.operands(at); },
        [&](spec::TermId at) { return holds_arrays_.contains(at); },
        [&](spec::TermId at) {
          const bool holds = terms_.symbol_of(at).of_arrays ||
                             std::ranges::any_of(terms_.operands(at), [&](spec::TermId one) {
                               return holds_arrays_.at(one);
                             });
          holds_arrays_.emplace(at, holds);
        },
        [] { return true; });
    return holds_arrays_.at(term);
  }

  // Which terms a term divides by which numbers, in order. A function at indexes divides its own.
  using Divisions = std::vector<std::pair<spec::TermId, int64_t>>;
  const Divisions& divisions_in(spec::TermId term) {
    const auto operands = [&](spec::TermId at) {
      const auto all = terms_.operands(at);
      return is_at(at) ? all.subspan(1) : all;
    };
    operands_first(
        term, operands, [&](spec::TermId at) { return divisions_.contains(at); },
        [&](spec::TermId at) {
          Divisions all;
          for (const spec::TermId operand : operands(at)) {
            const Divisions& one = divisions_.at(operand);
            all.insert(all.end(), one.begin(), one.end());
          }
          const HloOpcode f = terms_.symbol_of(at).opcode;
          if (f == HloOpcode::kDivide || f == HloOpcode::kRemainder) {
            // Numbers that are never negative are raised by 0 (IndexExpressions).
            const spec::TermId raised = terms_.operands(at)[0];
            if (const auto by = terms_.value(terms_.operands(at)[1])) {
              for (const spec::TermId one : terms_.operands(raised)) all.emplace_back(one, *by);
            }
          }
          std::ranges::sort(all);
          all.erase(std::unique(all.begin(), all.end()), all.end());
          divisions_.emplace(at, std::move(all));
        },
        [] { return true; });
    return divisions_.at(term);
  }

  bool is_at(spec::TermId term) const {
    const spec::Symbol& f = terms_.symbol_of(term);
    return f.of_arrays && f.opcode == HloOpcode::kCall;
  }

  // A function of indexes, then each of them and what is in its place.
  spec::TermId applied(ElementType type, spec::TermId function, const Index& own,
                       const Index& used) {
    const auto f = terms_.symbol(
        {.text = std::string(kAt), .opcode = HloOpcode::kCall, .type = type, .of_arrays = true});
    std::map<spec::TermId, spec::TermId> put;  // in one order, whatever that of the indexes
    for (size_t k = 0; k < own.size(); ++k) {
      put.emplace(expressions_.term_of(own[k]), expressions_.term_of(used[k]));
      expressions_.split_as(own[k], used[k]);
    }
    std::vector<spec::TermId> all = {function};
    Held bound, held;
    for (const auto& [variable, in_place] : put) {
      bound.push_back(variable);
      all.insert(all.end(), {variable, in_place});
      const Held of_used = held_by(in_place);
      held.insert(held.end(), of_used.begin(), of_used.end());
    }
    const spec::TermId result = terms_.opaque(f, 0, all);
    std::ranges::set_difference(held_by(function), bound, std::back_inserter(held));
    held_.try_emplace(result, sorted(std::move(held)));
    return result;
  }

  // The bag of one point, and of what it starts from.
  spec::TermId bag_of_one(const spec::Symbol& f, const BagPoint<Number>& added,
                          std::optional<spec::TermId> init) {
    std::vector<spec::TermId> all, without;
    if (init) all.push_back(*init);
    without = all;
    if (added.in_place) without.push_back(*added.in_place);
    if (has_failed()) return 0;
    all.insert(all.end(), added.factors.begin(), added.factors.end());
    const auto bag = [&](const std::vector<spec::TermId>& of) {
      return of.size() == 1 && init ? of[0] : terms_.bag(terms_.symbol(f), of);
    };
    if (added.exists.known == false) return bag(without);
    return select(f.type, added.exists, bag(all), bag(without));
  }

  // What one point adds. What is nothing has a term, too, if no number changes no other.
  spec::TermId added_term(const spec::Symbol& f, const BagPoint<Number>& added) {
    const auto nothing = [&] {
      const auto identity = f.group == 1 ? identity_of(f) : std::nullopt;
      if (identity && spec::is_integer(f.type)) return *identity;
      const auto none = terms_.symbol({.text = absl::StrCat(kNoPoint, info(f.type).name),
                                       .opcode = HloOpcode::kOther,
                                       .type = f.type});
      return terms_.opaque(none, 0, {});
    };
    const spec::TermId in_place = added.in_place ? *added.in_place : nothing();
    if (added.exists.known == false) return in_place;
    const bool is_one = added.factors.size() == 1;
    const spec::TermId one =
        is_one ? added.factors[0] : terms_.bag(terms_.symbol(f), added.factors);
    return select(f.type, added.exists, one, in_place);
  }

  // Whether it is a number of this type of integers, at all indexes.
  bool fits(const Number& number, ElementType type);
  // The number that an integer is, if it is one.
  std::optional<Number> number_as(spec::TermId term);
  std::optional<Number> computed(const spec::Symbol& f, const std::vector<Number>& of);

  spec::Terms& terms_;
  AreEqual prover_;
  const bool any_order_;
  const bool has_functions_, writes_taps_;
  IndexExpressions expressions_;
  Forms offsets_;
  absl::flat_hash_map<spec::TermId, Number> numbers_;  // that terms are
  std::map<const Literal*, std::optional<DigitTable>> tables_;
  absl::flat_hash_map<spec::TermId, Held> held_;
  absl::flat_hash_map<spec::TermId, bool> holds_arrays_;
  absl::flat_hash_map<spec::TermId, Dims> sums_;  // in any order, and their sizes
  std::set<Dims> sizes_of_sums_;
  std::map<int64_t, std::vector<int64_t>>
      cuts_;  // of sums over so many points: the sizes of their parts
  std::set<std::pair<int64_t, std::vector<int64_t>>> cuts_tried_;
  absl::flat_hash_map<spec::TermId, Divisions> divisions_;
};

}  // namespace tileproof::verify
