// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/modules/large_values.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "spec/hlo/integer_arithmetic.h"
#include "spec/lang/base/odometer.h"
#include "verify/prove/hlo/modules/at_any_index.h"
#include "verify/prove/hlo/modules/element_walk.h"
#include "verify/prove/values/point.h"

namespace tileproof::verify {

using spec::TermId;
using spec::Terms;

namespace {

// An index is made of numbers, and the parameters have those of a point.
class AtOneIndex {
 public:
  using Number = int64_t;
  using Index = std::vector<int64_t>;

  AtOneIndex(Terms& terms, Point& point, int64_t work)
      : terms_(terms), point_(point), work_(work) {}

  Terms& terms() { return terms_; }
  bool has_failed() const { return has_failed_ || work_ < 0; }
  void fail() { has_failed_ = true; }
  int64_t work() const { return work_; }  // that is left
  static int64_t key(int64_t number) { return number; }
  static void simplify(Index&) {}
  static std::optional<bool> known(bool truth) { return truth; }
  static std::optional<Index> every_index(const Dims&, const std::string&) { return std::nullopt; }

  TermId parameter(int64_t number, int64_t leaf, ElementType type, const Dims& dims,
                   const Index& index) {
    const auto array = terms_.symbol({.text = parameter_name(number, leaf),
                                      .opcode = HloOpcode::kParameter,
                                      .type = type,
                                      .operand = static_cast<int32_t>(number),
                                      .leaf = static_cast<int32_t>(leaf)});
    return terms_.element(array, spec::element_number(dims, index));
  }

  std::optional<TermId> constant(const Literal& literal, const Dims& dims, const Index& index) {
    const int64_t number = spec::element_number(dims, index);
    return literal.integers.empty() ? terms_.constant(literal.type, literal.floats[number])
                                    : terms_.constant(literal.type, literal.integers[number]);
  }

  TermId number_term(int64_t number, ElementType type) {
    if (spec::is_integer(type)) return terms_.constant(type, spec::wrapped(type, number));
    return terms_.constant(type, spec::rounded(type, static_cast<double>(number)));
  }

  static TermId select(ElementType, bool predicate, TermId yes, TermId no) {
    return predicate ? yes : no;
  }

  template <class At>
  static TermId function(ElementType, const Index& index, int64_t level, At at) {
    return at(index, level);
  }

  Number offset(TermId term, ElementType type, Interval bounds) {
    const PointValue value = point_.of(term);
    if (!value.is_known) fail();
    return std::clamp(spec::as_offset(type, value.integer), bounds.low, bounds.high);
  }

  template <class PointOf>
  TermId bag(const HloInstruction&, const spec::Symbol& f, const Dims& ranges, int64_t,
             PointOf point, std::optional<TermId> init) {
    std::vector<TermId> all;
    Index s(ranges.size(), 0);
    const bool is_empty = std::ranges::count(ranges, 0) > 0;
    do {
      if (is_empty) break;
      const BagPoint<Number> added = point(s);
      if (--work_ < 0 || has_failed()) return 0;
      if (added.exists) all.insert(all.end(), added.factors.begin(), added.factors.end());
      if (!added.exists && init) all.push_back(*init);
    } while (next_index(ranges, s));
    if (init) all.push_back(*init);
    return terms_.bag(terms_.symbol(f), std::move(all));
  }

  TermId opaque(spec::SymbolId f, const std::vector<TermId>&, const Index& index) {
    return terms_.opaque(f, index.empty() ? 0 : index[0], {});
  }

 private:
  Terms& terms_;
  Point& point_;
  int64_t work_;
  bool has_failed_ = false;
};

// In each dimension the first or last coordinate, the one beside it, or any, as the seed says.
std::vector<int64_t> some_index(const Dims& dims, uint64_t seed) {
  std::vector<int64_t> index;
  uint64_t z = (seed + 1) * 0x9e3779b97f4a7c15;
  for (const int64_t size : dims) {
    z = (z ^ (z >> 29)) * 0xbf58476d1ce4e5b9;
    const auto any = static_cast<int64_t>((z >> 32) % static_cast<uint64_t>(size));
    const int64_t choices[] = {0, size - 1, std::max<int64_t>(size - 2, 0), any, any};
    index.push_back(choices[(z >> 16) % std::size(choices)]);
  }
  return index;
}

}  // namespace

// The terms of both modules at any index, with the order of reductions or without it.
struct LargeValues::AnyIndex {
  AnyIndex(const HloModule& of_left, const HloModule& of_right, const ValueOptions& options,
           bool any_order, bool has_functions, int64_t work)
      : terms(true),
        domain(terms, any_order, has_functions, work),
        left(of_left, domain, work),
        right(of_right, domain, work),
        comparison(terms, options) {}

  Terms terms;
  AtAnyIndex domain;
  ElementWalk<AtAnyIndex> left, right;
  TermComparison comparison;
};

LargeValues::LargeValues(const HloModule& left, const HloModule& right, const ValueOptions& options)
    : left_(left), right_(right), options_(options) {}
LargeValues::~LargeValues() = default;

std::optional<Laws> LargeValues::equal(int64_t leaf, const Dims& dims, bool asks_solver) {
  for (const bool any_order : {false, true}) {
    if (any_order && !options_.allowed.contains(ValueLaw::kReductionOrder)) continue;
    for (const bool has_functions : {true, false}) {
      auto laws = equal(leaf, dims, asks_solver, any_order, has_functions);
      if (laws) return laws;
    }
  }
  return std::nullopt;
}

std::optional<Laws> LargeValues::equal(int64_t leaf, const Dims& dims, bool asks_solver,
                                       bool any_order, bool has_functions) {
  std::unique_ptr<AnyIndex>& both = any_index_[any_order ? 1 : 0][has_functions ? 1 : 0];
  // Without functions, what is shared is looked at again and again.
  const int64_t work = options_.limits.work / (has_functions ? 1 : 64);
  if (both == nullptr || both->domain.has_failed()) {
    both = std::make_unique<AnyIndex>(left_, right_, options_, any_order, has_functions, work);
  }
  const auto index = both->domain.every_index(dims, "d");
  const auto a = both->left.result(leaf, *index);
  const auto b = a ? both->right.result(leaf, *index) : std::nullopt;
  if (!b) return std::nullopt;
  auto laws = both->comparison.prove({{}, {*a}, {*b}}, asks_solver);
  if (laws && any_order) laws->insert(ValueLaw::kReductionOrder);
  return laws;
}

std::optional<ValueEquality> LargeValues::different(int64_t leaf, const Dims& dims) const {
  if (std::ranges::count(dims, 0) > 0) return std::nullopt;
  constexpr uint64_t kMost = 200, kMostUnknown = 16;
  int64_t work = options_.limits.work;
  bool is_known = false;
  for (uint64_t seed = 0; seed < kMost && work >= 0; ++seed) {
    if (seed >= kMostUnknown && !is_known) break;
    Terms terms(true);
    Point point(terms, seed / 4);
    const std::vector<int64_t> index = some_index(dims, seed);
    std::optional<TermId> found[2];
    for (const bool is_right : {false, true}) {
      const int64_t each = options_.limits.work / 16;
      AtOneIndex domain(terms, point, each);
      ElementWalk walk(is_right ? right_ : left_, domain, each);
      found[is_right] = walk.result(leaf, index);
      work -= 2 * each - domain.work() - walk.work();
      if (!found[is_right]) break;
    }
    if (!found[0] || !found[1]) continue;
    const PointValue a = point.of(*found[0]), b = point.of(*found[1]);
    is_known = is_known || (a.is_known && b.is_known);
    if (!are_apart(a, b)) continue;
    return ValueEquality{.leaf = leaf,
                         .verdict = Verdict::kRefuted,
                         .at = index,
                         .left = text_of(a),
                         .right = text_of(b)};
  }
  return std::nullopt;
}

}  // namespace tileproof::verify
