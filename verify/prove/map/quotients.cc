// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/map/quotients.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "verify/prove/map/map_points.h"

namespace tileproof::verify {
namespace {

using spec::Exact;
using spec::exact;

constexpr size_t kMostQuotients = 64;
constexpr int kMostNested = 16;
constexpr int kMostRemainders = 4;  // that one sum is compared with
constexpr int kMostMerged = 2;      // quotients of one dividend
constexpr Interval kAnyInt64 = {std::numeric_limits<int64_t>::min(),
                                std::numeric_limits<int64_t>::max()};

// One term of a sum. The constant has no atoms.
struct Term {
  Product atoms;
  Wide number = 0;
};

bool is_one(const Sum& sum) { return sum.is_number() && sum.constant == 1; }

// The greatest term that divides all terms of the sums.
Term common_factor(const std::vector<const Sum*>& sums) {
  std::optional<Product> atoms;
  Wide number = 0;
  for (const Sum* sum : sums) {
    number = gcd(number, sum->constant);
    if (sum->constant != 0) atoms = Product();
    for (const auto& [monomial, coefficient] : sum->terms) {
      number = gcd(number, coefficient);
      Product common;
      if (atoms) std::ranges::set_intersection(*atoms, monomial, std::back_inserter(common));
      atoms = atoms ? common : monomial;
    }
  }
  return {atoms.value_or(Product()), number};
}

// The integer nearest to value / by, so that the remainder is at most half of `by`.
Wide rounded(Wide value, Wide by) {
  const Wide size = by < 0 ? -by : by;
  Wide quotient = value / size;  // C++ truncates
  const Wide rest = value - quotient * size;
  if (rest > size / 2) quotient += 1;
  if (rest < -((size - 1) / 2)) quotient -= 1;
  return by < 0 ? -quotient : quotient;
}

void add(Sum& sum, const Product& atoms, Wide number) {
  if (number == 0) return;
  if (atoms.empty()) {
    sum.constant += number;
  } else {
    sum.terms.emplace(atoms, number);
  }
}

// The sum divided by the term: what the term does not divide is left to `sum - multiple * term`.
Sum multiple_of(const Sum& sum, const Term& term) {
  Sum multiple = sum - sum;
  for (const auto& [monomial, coefficient] : sum.terms) {
    if (!std::ranges::includes(monomial, term.atoms)) continue;
    Product others;
    std::ranges::set_difference(monomial, term.atoms, std::back_inserter(others));
    add(multiple, others, rounded(coefficient, term.number));
  }
  if (term.atoms.empty())
    multiple.constant += *floordiv(exact(sum.constant), exact(term.number)).value;
  return multiple;
}

Term first_term(const Sum& sum) {
  if (sum.terms.empty()) return {{}, sum.constant};
  return {sum.terms.begin()->first, sum.terms.begin()->second};
}

bool begins_with_minus(const Sum& sum) { return first_term(sum).number < 0; }

}  // namespace

// An atom that is dividend floordiv divisor, where the divisor is positive.
struct Quotients::Inner {
  int32_t atom;
  Sum dividend, divisor;
  Sum remainder = {};  // dividend - divisor * atom
};

// The variables of the map that is being made, with the quotients so far.
class Quotients::Context : public QuasiAffineContext {
 public:
  explicit Context(const Quotients& quotients)
      : QuasiAffineContext(box_of(quotients.variables_)),
        dimensions_(std::ssize(quotients.variables_.dimensions)),
        ranges_(std::ssize(quotients.variables_.ranges)),
        first_(quotients.first_) {
    for (size_t k = 0; k < quotients.known_.size(); ++k)
      set_range(number_of(k), quotients.known_[k].range);
  }

  int32_t number_of(size_t k) const {
    return static_cast<int32_t>(dimensions_ + first_ + static_cast<int64_t>(k));
  }
  bool is_quotient(int32_t atom) const {
    return atom >= dimensions_ + first_ && atom < dimensions_ + ranges_;
  }
  int64_t dimensions() const { return dimensions_; }
  int64_t ranges() const { return ranges_; }

  std::pair<Sum, Sum> sums_of(const Known& known, const IndexingMap& like) {
    IndexingMap map = known.map;
    map.ranges = like.ranges;  // the variables of the context
    const std::vector<Sum> sums = this->sums(map, {known.dividend, known.divisor});
    return {sums[0], sums[1]};
  }

  // Finds quotients and what constraints say. Before it, sums are compared by bounds alone.
  void learn(const Quotients& quotients) {
    for (size_t k = 0; k < quotients.known_.size(); ++k) {
      if (!quotients.known_[k].is_positive) continue;
      auto [x, d] = sums_of(quotients.known_[k], quotients.variables_);
      inner_.push_back({number_of(k), std::move(x), std::move(d)});
    }
    for (const Constraint& fact : quotients.facts_) {
      const Sum value = sums(quotients.made_, {fact.expr})[0];
      not_negative_.push_back(value - number(fact.interval.low));
      not_negative_.push_back(number(fact.interval.high) - value);
    }
    for (size_t i = 0; i < atoms().size(); ++i) {
      if (const Atom& floor = atoms()[i]; floor.divisor != 0)
        inner_.push_back({static_cast<int32_t>(i), floor.dividend, number(floor.divisor)});
    }
    for (Inner& one : inner_) {
      one.remainder = one.dividend - one.divisor * atom(one.atom);
      not_negative_.push_back(one.remainder);
      not_negative_.push_back(one.divisor - one.remainder - number(1));
    }
  }
  const std::vector<Inner>& inner() const { return inner_; }
  const Inner* inner_at(int32_t atom) const {
    const auto found = std::ranges::find(inner_, atom, &Inner::atom);
    return found == inner_.end() ? nullptr : &*found;
  }
  // The term is an atom alone, with this coefficient, and a quotient.
  const Inner* inner_of(const lemmas::Terms<int32_t, Wide>::value_type& term, Wide sign) const {
    return term.second == sign && term.first.size() == 1 ? inner_at(term.first[0]) : nullptr;
  }

  // Whether the sum is never negative: by the bounds of its atoms, or as it is not when something
  // that is never negative is taken away.
  bool is_not_negative(const Sum& sum, int depth = 0) {
    const Exact least = least_of(sum);
    if (least.value && *least.value >= 0) return true;
    if (sum.too_large || depth == kMostRemainders) return false;
    return std::ranges::any_of(not_negative_, [&](const Sum& other) {
      const Sum rest = sum - other;
      const bool is_simpler = rest.terms.size() < sum.terms.size();
      return !rest.too_large && is_not_negative(rest, is_simpler ? depth + 1 : kMostRemainders);
    });
  }
  bool is_positive(const Sum& sum) { return is_not_negative(sum - number(1)); }

  // x floordiv d, if it is 0 or -1. That of y + z floordiv e is that of (y*e + z) floordiv (d*e).
  std::optional<Wide> small_quotient(const Sum& x, const Sum& d, int depth = 0) {
    if (is_not_negative(x) && is_positive(d - x)) return 0;
    if (is_positive(-x) && is_not_negative(x + d)) return -1;
    for (const auto& term : x.terms) {
      const Inner* inner = depth < kMostMerged ? inner_of(term, 1) : nullptr;
      if (inner == nullptr) continue;
      const Sum y = x - atom(inner->atom);
      const auto found =
          small_quotient(y * inner->divisor + inner->dividend, d * inner->divisor, depth + 1);
      if (found) return found;
    }
    return std::nullopt;
  }

  // The bounds of x floordiv d.
  Range range_of_quotient(const Sum& x, const Sum& d, bool is_positive) const {
    const Range of_x = range_of(x);
    if (!of_x.low.value || !of_x.high.value) return {};
    const Wide low = *of_x.low.value, high = *of_x.high.value;
    const Exact below = -of_x.low;
    if (!below.value) return {};
    if (!is_positive) {
      const Exact size = exact(std::max(high, *below.value));
      return {-size, size};
    }
    const Range of_d = range_of(d);
    const Exact least = exact(std::max<Wide>(1, of_d.low.value.value_or(1)));
    const auto end = [&](Wide value, bool is_far) {
      const Wide toward = value < 0 ? -1 : 0;
      if (is_far) return floordiv(exact(value), least);
      return of_d.high.value && *of_d.high.value > 0 ? floordiv(exact(value), of_d.high)
                                                     : exact(toward);
    };
    return {end(low, low < 0), end(high, high >= 0)};
  }

 private:
  // A lower bound: of the sum, or of its terms when atoms are written as their least value and more.
  Exact least_of(const Sum& sum) {
    const Exact plain = range_of(sum).low;
    if (plain.value && *plain.value >= 0) return plain;
    const auto range_at = [&](int32_t id) { return atoms()[static_cast<size_t>(id)].range; };
    Sum above = number(sum.constant);
    for (const auto& [monomial, coefficient] : sum.terms) {
      Sum product = number(coefficient);
      for (const int32_t id : monomial) {
        const Range range = range_at(id);
        if (!range.low.value) return plain;
        const bool is_constant = range.high.value && *range.high.value == *range.low.value;
        const Sum least = number(*range.low.value);
        product = product * (is_constant ? least : least + atom(id));
      }
      above = above + product;
    }
    if (above.too_large) return plain;
    Exact least = exact(above.constant);
    for (const auto& [monomial, coefficient] : above.terms) {
      if (coefficient >= 0) continue;
      Exact most = exact(coefficient);
      for (const int32_t id : monomial) most = most * (range_at(id).high - range_at(id).low);
      least = least + most;
    }
    return least;
  }

  int64_t dimensions_, ranges_, first_;
  std::vector<Inner> inner_;
  std::vector<Sum> not_negative_;
};

Quotients::Quotients(const IndexingMap& like) : first_(std::ssize(like.ranges)) {
  variables_.dimensions = like.dimensions;
  variables_.ranges = like.ranges;
  variables_.runtime = like.runtime;
}

bool Quotients::has_wide() const {
  return std::ranges::any_of(known_, [](const Known& one) {
    return !spec::to_int64(one.range.low) || !spec::to_int64(one.range.high);
  });
}

bool Quotients::are_same(const IndexingMap& left, const IndexingMap& right) const {
  if (left.constraints.size() != right.constraints.size()) return false;
  std::vector<NodeId> of_left = left.results, of_right = right.results;
  for (size_t i = 0; i < left.constraints.size(); ++i) {
    if (!(left.constraints[i].interval == right.constraints[i].interval)) return false;
    of_left.push_back(left.constraints[i].expr);
    of_right.push_back(right.constraints[i].expr);
  }
  Context context(*this);
  return context.sums(left, of_left) == context.sums(right, of_right);
}

std::optional<IndexingMap> Quotients::replaced(const IndexingMap& map) {
  made_ = variables_;
  made_.nodes.clear();
  std::vector<bool> divides;  // by node: whether a division is in its tree
  for (const Node& node : map.nodes) {
    divides.push_back(is_division(node.op) ||
                      (!is_leaf(node.op) && (divides[node.left] || divides[node.right])));
  }
  // First what has no divisions: what such constraints say holds for all else.
  std::vector<NodeId> copied(map.nodes.size(), -1);
  facts_.clear();
  for (const bool with_divisions : {false, true}) {
    for (size_t id = 0; id < map.nodes.size(); ++id) {
      if (divides[id] != with_divisions) continue;
      Node node = map.nodes[id];
      if (!is_leaf(node.op)) {
        node.left = copied[node.left];
        node.right = copied[node.right];
      }
      const std::optional<NodeId> copy =
          is_division(node.op) ? divided(node) : std::optional(appended(node));
      if (!copy) return std::nullopt;
      copied[id] = *copy;
    }
    for (const Constraint& one : map.constraints) {
      if (!divides[one.expr] && !with_divisions) facts_.push_back({copied[one.expr], one.interval});
    }
  }
  for (const NodeId result : map.results) made_.results.push_back(copied[result]);
  for (const Constraint& constraint : map.constraints)
    made_.constraints.push_back({copied[constraint.expr], constraint.interval});
  return std::move(made_);
}

NodeId Quotients::appended(const Node& node) {
  made_.nodes.push_back(node);
  return static_cast<NodeId>(made_.nodes.size()) - 1;
}

std::optional<NodeId> Quotients::divided(const Node& node) {
  if (node.op == Op::kCeilDiv) {  // -((-e) floordiv s)
    const std::optional<NodeId> quotient = quotient_of(minus(node.left), node.right);
    return quotient ? std::optional(minus(*quotient)) : std::nullopt;
  }
  const std::optional<NodeId> quotient = quotient_of(node.left, node.right);
  if (!quotient || node.op == Op::kFloorDiv) return quotient;
  return plus(node.left, minus(times(*quotient, node.right)));
}

std::optional<NodeId> Quotients::quotient_of(NodeId dividend, NodeId divisor, int depth) {
  Context context(*this);
  const std::vector<Sum> both = context.sums(made_, {dividend, divisor});
  Sum x = both[0], by = both[1];
  if (x.too_large || by.too_large || depth > kMostNested) return variable_of(dividend, divisor);
  if (by.is_number() && by.constant == 0) return std::nullopt;
  const Term common = common_factor({&x, &by});
  x = multiple_of(x, common);
  by = multiple_of(by, common);
  context.learn(*this);
  if (context.is_positive(-by)) {
    x = -x;
    by = -by;
  }
  if (is_one(by)) return node_of(context, x);
  const bool is_positive = context.is_positive(by);
  if (const auto small = is_positive ? context.small_quotient(x, by) : std::nullopt)
    return add_constant(made_.nodes, static_cast<int64_t>(*small));
  const Sum multiple = multiple_of(x, first_term(by));
  const Sum rest = x - multiple * by;
  const std::optional<NodeId> whole = node_of(context, multiple);
  if (!whole) return std::nullopt;
  const std::optional<NodeId> quotient = quotient_of_rest(context, rest, by, depth);
  return quotient ? std::optional(plus(*whole, *quotient)) : std::nullopt;
}

// The quotient of sums of a context. Later ones have further variables, so sums go on as nodes.
std::optional<NodeId> Quotients::quotient_of(const Context& context, const Sum& x, const Sum& by,
                                             int depth) {
  const std::optional<NodeId> dividend = node_of(context, x), divisor = node_of(context, by);
  return dividend && divisor ? quotient_of(*dividend, *divisor, depth) : std::nullopt;
}

std::optional<NodeId> Quotients::quotient_of_rest(Context& context, const Sum& rest, const Sum& by,
                                                  int depth) {
  if (context.is_positive(by)) {
    if (const std::optional<Wide> small = context.small_quotient(rest, by))
      return add_constant(made_.nodes, static_cast<int64_t>(*small));
    if (const auto found = without_small_part(context, rest, by, depth)) return found;
    if (const auto found = nested_quotient(context, rest, by, depth)) return found;
    if (begins_with_minus(rest)) return below(context, rest, by, depth);
  }
  const std::optional<NodeId> dividend = node_of(context, rest), divisor = node_of(context, by);
  if (!dividend || !divisor) return std::nullopt;
  if (by.is_number()) return add_operation(made_.nodes, Op::kFloorDiv, *dividend, *divisor);
  return variable_of(*dividend, *divisor);
}

// Where g divides the divisor and all of x but a part whose quotient by g is 0 or -1: a few terms, or
// a remainder and they.
std::optional<NodeId> Quotients::without_small_part(Context& context, const Sum& x, const Sum& by,
                                                    int depth) {
  std::vector<Term> factors = {{{}, common_factor({&by}).number}};
  for (const auto& [monomial, coefficient] : x.terms) {
    Sum term = x - x;
    add(term, monomial, coefficient);
    factors.push_back(common_factor({&term, &by}));
  }
  for (const Term& g : factors) {
    const Sum c = multiple_of(by, g);
    if (is_one(c) || (g.atoms.empty() && g.number == 1)) continue;
    Sum factor = x - x;
    add(factor, g.atoms, g.number);
    if (!context.is_positive(factor)) continue;
    const auto found = [&](const Sum& part) -> std::optional<NodeId> {
      const Sum whole = multiple_of(x - part, g);
      const std::optional<Wide> small = context.small_quotient(x - whole * factor, factor);
      if (!small) return std::nullopt;
      return quotient_of(context, whole + context.number(*small), c, depth + 1);
    };
    if (const auto quotient = found(x - x)) return quotient;
    for (const Inner& one : context.inner()) {
      for (const Sum& part : {one.remainder, -one.remainder}) {
        if ((x - part).terms.size() >= x.terms.size()) continue;
        if (const auto quotient = found(part)) return quotient;
      }
    }
  }
  return std::nullopt;
}

// Where the rest has a quotient, or a floor by a constant, as a term.
std::optional<NodeId> Quotients::nested_quotient(Context& context, const Sum& rest, const Sum& by,
                                                 int depth) {
  for (const Wide sign : {1, -1}) {
    for (const auto& term : rest.terms) {
      const Inner* inner = context.inner_of(term, sign);
      if (inner == nullptr || (by.is_number() && !context.is_quotient(inner->atom))) continue;
      const Sum others = rest - context.number(sign) * context.atom(inner->atom);
      const bool is_alone = std::ranges::none_of(others.terms, [&](const auto& other) {
        return std::ranges::binary_search(other.first, inner->atom);
      });
      if (!is_alone) continue;
      if (sign < 0) return below(context, rest, by, depth);
      return quotient_of(context, inner->dividend + inner->divisor * others, inner->divisor * by,
                         depth + 1);
    }
  }
  return std::nullopt;
}

// -1 - (-rest - 1) floordiv by
std::optional<NodeId> Quotients::below(Context& context, const Sum& rest, const Sum& by,
                                       int depth) {
  const auto found = quotient_of(context, -rest - context.number(1), by, depth + 1);
  return found ? std::optional(minus(plus(*found, add_constant(made_.nodes, 1)))) : std::nullopt;
}

// The variable of dividend floordiv divisor: one that exists, if both are equal sums.
std::optional<NodeId> Quotients::variable_of(NodeId dividend, NodeId divisor) {
  Context context(*this);
  const std::vector<Sum> sums = context.sums(made_, {dividend, divisor});
  for (size_t k = 0; k < known_.size(); ++k) {
    const auto [x, by] = context.sums_of(known_[k], variables_);
    if (x == sums[0] && by == sums[1])
      return add_variable(made_.nodes, Op::kRange, first_ + static_cast<int64_t>(k));
  }
  if (known_.size() == kMostQuotients) return std::nullopt;
  const bool is_positive = context.is_positive(sums[1]);
  const Range range = context.range_of_quotient(sums[0], sums[1], is_positive);
  known_.push_back({made_, dividend, divisor, range, is_positive});
  const std::optional<int64_t> low = spec::to_int64(range.low), high = spec::to_int64(range.high);
  const Interval bounds = low && high ? Interval{*low, *high} : kAnyInt64;
  made_.ranges.push_back({bounds, ""});
  variables_.ranges.push_back({bounds, ""});
  return add_variable(made_.nodes, Op::kRange, std::ssize(made_.ranges) - 1);
}

// The sum as a node. Nothing if a number of it does not fit.
std::optional<NodeId> Quotients::node_of(const Context& context, const Sum& sum) {
  const auto fits = [](Wide value) { return value == static_cast<int64_t>(value); };
  if (sum.too_large || !fits(sum.constant)) return std::nullopt;
  NodeId node = add_constant(made_.nodes, static_cast<int64_t>(sum.constant));
  for (const auto& [monomial, coefficient] : sum.terms) {
    if (!fits(coefficient)) return std::nullopt;
    NodeId product = add_constant(made_.nodes, static_cast<int64_t>(coefficient));
    for (const int32_t number : monomial) {
      const std::optional<NodeId> atom = node_of_atom(context, number);
      if (!atom) return std::nullopt;
      product = times(product, *atom);
    }
    node = plus(node, product);
  }
  return node;
}

std::optional<NodeId> Quotients::node_of_atom(const Context& context, int64_t number) {
  const auto& atom = context.atoms()[static_cast<size_t>(number)];
  if (atom.divisor != 0) {
    const std::optional<NodeId> dividend = node_of(context, atom.dividend);
    if (!dividend || atom.divisor > kAnyInt64.high) return std::nullopt;
    const NodeId divisor = add_constant(made_.nodes, static_cast<int64_t>(atom.divisor));
    return add_operation(made_.nodes, Op::kFloorDiv, *dividend, divisor);
  }
  // The context may have fewer range variables than there are now.
  if (number < context.dimensions()) return add_variable(made_.nodes, Op::kDimension, number);
  number -= context.dimensions();
  if (number < context.ranges()) return add_variable(made_.nodes, Op::kRange, number);
  return add_variable(made_.nodes, Op::kRuntime, number - context.ranges());
}

}  // namespace tileproof::verify
