// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/coverage.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "verify/prove/hlo/integer_box.h"
#include "verify/prove/smt/certain.h"
#include "verify/prove/smt/formula.h"

namespace tileproof::verify {
namespace {

constexpr int64_t kMostIndices = 1 << 16;  // of a coordinate
constexpr int64_t kMostPoints = 1 << 16;   // of the variables of a coordinate

// The indices that a coordinate has.
struct Covered {
  bool all = false;
  std::vector<bool> met = {};  // by index; empty if all
};

// One disjunct as a product of sets.
class ProductOfSets {
 public:
  ProductOfSets(const Disjunct& disjunct, const spec::Dims& result)
      : disjunct_(disjunct),
        bounds_(bounds_of(disjunct, result)),
        context_(bounds_),
        given_(result.size() + disjunct.index_variables()),
        first_read_(bounds_.size() - disjunct.reads().size()),
        pair_(evaluated(result.size())),
        parent_(bounds_.size()) {
    std::iota(parent_.begin(), parent_.end(), size_t{0});
  }

  // Whether coordinate d of the operand is coordinate v of the result.
  bool keeps(size_t d, size_t v) const {
    return d < pair_.index.size() && v < pair_.output.size() &&
           pair_.index[d].sum == pair_.output[v].sum;
  }

  bool is_inside(const spec::Dims& result, const spec::Dims& operand) const {
    const auto fits = [&](const std::vector<Symbol>& index, const spec::Dims& dims) {
      if (index.size() != dims.size()) return false;
      for (size_t d = 0; d < dims.size(); ++d) {
        const Symbol last(dims[d] - 1);
        if (!is_certain(context_, index[d].sum)) return false;
        if (!is_certain(context_, last.sum - index[d].sum)) return false;
      }
      return true;
    };
    return fits(pair_.output, result) && fits(pair_.index, operand);
  }

  // By coordinate of the array that the disjunct ends at; those that are kept are all. Nothing if
  // the disjunct is no such product, or has too many points.
  std::optional<std::vector<Covered>> covered(const Along& along, const spec::Dims& result,
                                              const spec::Dims& operand) {
    const bool inverse = disjunct_.is_inverse();
    targets_ = inverse ? pair_.output : pair_.index;
    sizes_ = inverse ? result : operand;
    if (targets_.size() != sizes_.size()) return std::nullopt;
    for (size_t d = 0; d < disjunct_.index_variables(); ++d) {
      const Interval& index = disjunct_.ranges()[d];
      if (d >= operand.size() || index.low > 0 || index.high < operand[d] - 1) return std::nullopt;
    }
    for (size_t d = 0; d < targets_.size(); ++d) {
      const auto own = static_cast<int64_t>(d);
      kept_.push_back(inverse ? std::ranges::count(along, own) > 0 : along[d] >= 0);
      groups_.emplace_back();
      if (targets_[d].sum.too_large) return std::nullopt;
      if (!kept_[d]) add_variables(targets_[d].sum, groups_.back());
    }
    conditions_ = conditions_of(context_, pair_.in_domain);
    for (const Formula& condition : conditions_) {
      groups_.emplace_back();
      add_variables(condition, groups_.back());
    }
    for (const std::set<size_t>& group : groups_) {
      if (group.empty()) continue;
      if (*group.begin() < given_ || *group.rbegin() >= first_read_) return std::nullopt;
      for (const size_t v : group) parent_[root(v)] = root(*group.begin());
    }
    std::vector<Covered> all;
    std::set<size_t> met;  // roots
    for (size_t d = 0; d < targets_.size(); ++d) {
      if (kept_[d]) {
        all.push_back({.all = true});
        continue;
      }
      if (!groups_[d].empty() && !met.insert(root(*groups_[d].begin())).second) return std::nullopt;
      auto one = indices_of(d);
      if (!one) return std::nullopt;
      all.push_back(*std::move(one));
    }
    for (size_t c = 0; c < conditions_.size(); ++c) {
      const std::set<size_t>& group = groups_[targets_.size() + c];
      if (group.empty() && !holds(conditions_[c], std::vector<int64_t>(bounds_.size(), 0))) {
        return std::nullopt;
      }
      if (group.empty() || !met.insert(root(*group.begin())).second) continue;
      bool is_possible = false;
      const auto visit = [&](const std::vector<int64_t>&) { return !(is_possible = true); };
      if (!for_each_point(root(*group.begin()), visit) || !is_possible) return std::nullopt;
    }
    return all;
  }

 private:
  static std::vector<Interval> bounds_of(const Disjunct& disjunct, const spec::Dims& result) {
    std::vector<Interval> bounds;
    for (const int64_t size : result) bounds.push_back({0, size - 1});
    bounds.insert(bounds.end(), disjunct.ranges().begin(), disjunct.ranges().end());
    bounds.insert(bounds.end(), disjunct.reads().begin(), disjunct.reads().end());
    return bounds;
  }

  Pair<Symbol> evaluated(size_t rank) {
    std::vector<Symbol> o, s;
    for (size_t v = 0; v < first_read_; ++v) (v < rank ? o : s).push_back(atom(v));
    size_t next = first_read_;
    const auto value = [&](const RuntimeRead<Symbol>&) { return atom(next++); };
    return disjunct_.pair(o, s, value);
  }

  Symbol atom(size_t v) { return Symbol(context_.atom(static_cast<int32_t>(v))); }

  size_t root(size_t v) {
    while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
    return v;
  }

  void add_variables(const Sum& sum, std::set<size_t>& variables) const {
    for (const auto& [product, coefficient] : sum.terms) {
      for (const int32_t number : product) {
        const QuasiAffineContext::Atom& atom = context_.atoms()[number];
        if (atom.divisor != 0) {
          add_variables(atom.dividend, variables);
        } else {
          variables.insert(static_cast<size_t>(number));
        }
      }
    }
  }

  void add_variables(const Formula& formula, std::set<size_t>& variables) const {
    if (formula.kind() == Formula::Kind::kLiteral) add_variables(formula.literal(), variables);
    for (const Formula& part : formula.parts()) add_variables(part, variables);
  }

  // False if it is not known.
  bool holds(const Formula& formula, const std::vector<int64_t>& at) const {
    const auto holds_at = [&](const Formula& part) { return holds(part, at); };
    switch (formula.kind()) {
      case Formula::Kind::kTrue:
        return true;
      case Formula::Kind::kFalse:
        return false;
      case Formula::Kind::kLiteral: {
        if (formula.literal().too_large) return false;
        const spec::Exact sum = value_at(context_, formula.literal(), at);
        return sum.value && *sum.value >= 0;
      }
      case Formula::Kind::kAll:
        return std::ranges::all_of(formula.parts(), holds_at);
      default:
        return std::ranges::any_of(formula.parts(), holds_at);
    }
  }

  // Visits the points of the variables of this root where all conditions on them hold, until `visit`
  // returns false. Returns false if they are too many.
  template <class Visit>
  bool for_each_point(size_t of, const Visit& visit) {
    std::vector<Interval> box;
    std::vector<size_t> variables;
    int64_t points = 1;
    for (size_t v = given_; v < first_read_; ++v) {
      if (root(v) != of) continue;
      const int64_t size = bounds_[v].high - bounds_[v].low + 1;
      if (size > kMostPoints || (points *= size) > kMostPoints) return false;
      box.push_back(bounds_[v]);
      variables.push_back(v);
    }
    std::vector<const Formula*> conditions;
    for (size_t c = 0; c < conditions_.size(); ++c) {
      const std::set<size_t>& group = groups_[targets_.size() + c];
      if (!group.empty() && root(*group.begin()) == of) conditions.push_back(&conditions_[c]);
    }
    std::vector<int64_t> at(bounds_.size(), 0), point;
    for (const Interval& interval : box) point.push_back(interval.low);
    do {
      for (size_t k = 0; k < variables.size(); ++k) at[variables[k]] = point[k];
      const auto holds_here = [&](const Formula* condition) { return holds(*condition, at); };
      if (std::ranges::all_of(conditions, holds_here) && !visit(at)) return true;
    } while (next_point(box, point));
    return true;
  }

  bool has_conditions(size_t of) {
    for (size_t c = targets_.size(); c < groups_.size(); ++c) {
      if (!groups_[c].empty() && root(*groups_[c].begin()) == of) return true;
    }
    return false;
  }

  std::optional<Covered> indices_of(size_t d) {
    const Sum& sum = targets_[d].sum;
    const int64_t size = sizes_[d];
    if (sum.is_number()) {
      if (size > kMostIndices) return std::nullopt;
      Covered one{.met = std::vector<bool>(size)};
      if (sum.constant >= 0 && sum.constant < size) {
        one.met[static_cast<size_t>(sum.constant)] = true;
      }
      one.all = size == 1 && one.met[0];
      return one;
    }
    const size_t of = root(*groups_[d].begin());
    const auto& [product, coefficient] = *sum.terms.begin();
    const bool is_variable = sum.terms.size() == 1 && sum.constant == 0 && coefficient == 1 &&
                             product.size() == 1 && context_.atoms()[product[0]].divisor == 0;
    if (is_variable && !has_conditions(of)) {
      const Interval& bounds = bounds_[product[0]];
      if (bounds.low <= 0 && bounds.high >= size - 1) return Covered{.all = true};
    }
    if (size > kMostIndices) return std::nullopt;
    Covered one{.met = std::vector<bool>(size)};
    const auto visit = [&](const std::vector<int64_t>& at) {
      const spec::Exact index = value_at(context_, sum, at);
      if (index.value && *index.value >= 0 && *index.value < size) {
        one.met[static_cast<size_t>(*index.value)] = true;
      }
      return true;
    };
    if (!for_each_point(of, visit)) return std::nullopt;
    one.all = std::ranges::count(one.met, false) == 0;
    return one;
  }

  const Disjunct& disjunct_;
  std::vector<Interval> bounds_;  // of variables: the index of the result, ranges, values read
  QuasiAffineContext context_;
  const size_t given_;  // so many variables are of the index that the disjunct starts from
  const size_t first_read_;
  const Pair<Symbol> pair_;
  std::vector<size_t> parent_;  // of variables that belong together
  std::vector<Symbol> targets_;
  std::vector<bool> kept_;  // by target
  spec::Dims sizes_;
  std::vector<Formula> conditions_;
  std::vector<std::set<size_t>> groups_;  // variables of each target, then of each condition
};

// Of disjuncts that have a pair at all.
std::vector<std::unique_ptr<ProductOfSets>> products_of(const std::vector<Disjunct>& disjuncts,
                                                        const spec::Dims& result) {
  std::vector<std::unique_ptr<ProductOfSets>> products;
  for (const Disjunct& disjunct : disjuncts) {
    if (is_empty(disjunct.ranges()) || is_empty(disjunct.reads())) continue;
    products.push_back(std::make_unique<ProductOfSets>(disjunct, result));
  }
  return products;
}

bool has_elements(const spec::Dims& dims) { return std::ranges::count(dims, 0) == 0; }

}  // namespace

std::optional<Along> all_pairs_along(const std::vector<Disjunct>& disjuncts,
                                     const spec::Dims& result, const spec::Dims& operand) {
  if (!has_elements(result) || !has_elements(operand)) return std::nullopt;
  const auto products = products_of(disjuncts, result);
  if (products.empty()) return std::nullopt;
  Along along(operand.size(), -1);
  for (size_t d = 0; d < operand.size(); ++d) {
    for (size_t v = 0; v < result.size() && operand[d] > 1 && along[d] < 0; ++v) {
      const auto keeps = [&](const auto& product) { return product->keeps(d, v); };
      if (result[v] == operand[d] && std::ranges::all_of(products, keeps)) {
        along[d] = static_cast<int64_t>(v);
      }
    }
  }
  std::vector<std::vector<bool>> met;  // by coordinate, of disjuncts that have all of the others
  for (const auto& product : products) {
    const auto covered = product->covered(along, result, operand);
    if (!covered) continue;
    const auto parts = std::ranges::count(*covered, false, &Covered::all);
    if (parts == 0) return along;
    if (parts > 1) continue;
    met.resize(covered->size());
    const size_t d = std::ranges::find(*covered, false, &Covered::all) - covered->begin();
    std::vector<bool>& all = met[d];
    all.resize((*covered)[d].met.size());
    for (size_t i = 0; i < all.size(); ++i) all[i] = all[i] || (*covered)[d].met[i];
    if (std::ranges::count(all, false) == 0) return along;
  }
  return std::nullopt;
}

bool keep(const std::vector<Disjunct>& disjuncts, const Along& along, const spec::Dims& result) {
  if (is_any_index(along)) return true;
  const auto products = products_of(disjuncts, result);
  return std::ranges::all_of(products, [&](const auto& product) {
    for (size_t d = 0; d < along.size(); ++d) {
      if (along[d] >= 0 && !product->keeps(d, static_cast<size_t>(along[d]))) return false;
    }
    return true;
  });
}

Along kept_by(const Disjunct& disjunct, const spec::Dims& result, const spec::Dims& operand) {
  Along along(operand.size(), -1);
  if (!has_elements(result) || is_empty(disjunct.ranges())) return along;
  const ProductOfSets product(disjunct, result);
  for (size_t d = 0; d < operand.size(); ++d) {
    for (size_t v = 0; v < result.size() && along[d] < 0; ++v) {
      if (product.keeps(d, v)) along[d] = static_cast<int64_t>(v);
    }
  }
  return along;
}

bool stay_inside(const std::vector<Disjunct>& disjuncts, const spec::Dims& result,
                 const spec::Dims& operand) {
  if (!has_elements(result)) return true;
  const auto products = products_of(disjuncts, result);
  return std::ranges::all_of(
      products, [&](const auto& product) { return product->is_inside(result, operand); });
}

}  // namespace tileproof::verify
