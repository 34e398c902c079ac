// SPDX-License-Identifier: Apache-2.0
// Sums over all values of indexes, and functions of indexes, as those of real numbers (the law kReal):
//
//     all (a x[s] + b y[s] z[d])          a all (x[s]) + b z[d] all (y[s])
//     all (c), where s is below 4         4 c
//     T at v: e, for T = x[v] all (..)    x[e] (all (..) at v: e)
//     all ([s = i[z]] x[s]), if i < 4     x[i[z]]
//     all (x[s] all (y[s, t] z[t]))       all (x[s] y[s, t] z[t]), over both
//
// So what does not depend on an index of the sum is no part of it, however a program writes it, and
// the mean of x - mean(x) is 0 for arrays of any size. The terms: verify/prove/hlo/modules/at_any_index.h.
#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/base/operands_first.h"
#include "verify/prove/values/forms.h"

namespace tileproof::verify {

using absl::int128;

namespace {

constexpr absl::string_view kIndexName = "index ";

bool holds_any(const std::vector<FormId>& sorted, const std::vector<FormId>& of) {
  return std::ranges::any_of(of,
                             [&](FormId one) { return std::ranges::binary_search(sorted, one); });
}

}  // namespace

std::vector<std::vector<size_t>> orders_of(const Dims& sizes, bool any_order) {
  std::vector<size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  if (!any_order) return {order};
  std::ranges::stable_sort(order, {}, [&](size_t k) { return sizes[k]; });
  constexpr size_t kMost = 24;
  const std::vector<size_t> first = order;
  std::vector<std::vector<size_t>> orders;
  do {
    orders.push_back(order);
    if (orders.size() > kMost) return {first};
    // The next order of positions of one size: those of different sizes stay apart.
    bool is_next = false;
    for (size_t begin = 0; begin < order.size() && !is_next;) {
      size_t end = begin;
      while (end < order.size() && sizes[order[end]] == sizes[order[begin]]) ++end;
      is_next = std::next_permutation(order.begin() + static_cast<int64_t>(begin),
                                      order.begin() + static_cast<int64_t>(end));
      begin = end;
    }
    if (!is_next) return orders;
  } while (true);
}

bool Forms::is_of_arrays(FormId id, absl::string_view name) const {
  return forms_[id].kind == Kind::kOfArrays && absl::StartsWith(symbol(id), name);
}

FormId Forms::without_indexes(FormId id) const {
  return is_of_arrays(id, kAt) ? operands(id)[0] : id;
}

// The size of an index: it is any number below.
std::optional<int64_t> Forms::index_size(FormId id) const {
  if (forms_[id].kind != Kind::kElement) return std::nullopt;
  const std::string& name = symbol(id);
  int64_t size = 0;
  const bool is_index = absl::StartsWith(name, kIndexName) &&
                        absl::SimpleAtoi(name.substr(name.rfind(' ') + 1), &size);
  return is_index ? std::optional(size) : std::nullopt;
}

// The index of this name that has the size of another.
FormId Forms::index_named(absl::string_view name, FormId like) {
  const std::string all = absl::StrCat(kIndexName, name, " below ", *index_size(like));
  return intern({.kind = Kind::kElement, .type = forms_[like].type, .symbol = symbol_number(all)},
                {});
}

// The variables that are bound in the operand 0 of a function at an index, or in the first ones of a
// sum: the rest of the operands, or each second one.
Forms::Ids Forms::bound_in(FormId id) {
  const bool is_at = is_of_arrays(id, kAt);
  Ids bound;
  const Ids all(operands(id).begin(), operands(id).end());
  const size_t first = is_at ? 1 : all.size() - static_cast<size_t>(forms_[id].number);
  for (size_t k = first; k < all.size(); k += is_at ? 2 : 1) {
    const Ids& one = indexes_in(all[k]);
    bound.insert(bound.end(), one.begin(), one.end());
  }
  std::ranges::sort(bound);
  return bound;
}

// The indexes that a form holds, and that it does not bind. Of what a function of whole arrays binds,
// nothing is known.
const Forms::Ids& Forms::indexes_in(FormId form) {
  operands_first(
      form, [&](FormId at) { return Ids(operands(at).begin(), operands(at).end()); },
      [&](FormId at) { return indexes_in_.contains(at); },
      [&](FormId at) {
        Ids all;
        if (index_size(at)) all.push_back(at);
        const bool is_at = is_of_arrays(at, kAt);
        const Ids bound = is_at || is_of_arrays(at, kAllOver) ? bound_in(at) : Ids();
        for (size_t k = 0; k < operands(at).size(); ++k) {
          const bool is_free = is_at && k > 0 && k % 2 == 0;
          for (const FormId one : indexes_in_.at(operands(at)[k])) {
            if (is_free || std::ranges::count(bound, one) == 0) all.push_back(one);
          }
        }
        std::ranges::sort(all);
        all.erase(std::unique(all.begin(), all.end()), all.end());
        work_ -= 1 + std::ssize(all);
        indexes_in_.emplace(at, std::move(all));
      },
      [] { return true; });
  return indexes_in_.at(form);
}

// How many functions of points at all indexes are one in another.
int64_t Forms::height_of(FormId form) {
  operands_first(
      form, [&](FormId at) { return Ids(operands(at).begin(), operands(at).end()); },
      [&](FormId at) { return heights_.contains(at); },
      [&](FormId at) {
        int64_t height = 0;
        for (const FormId one : operands(at)) height = std::max(height, heights_.at(one));
        heights_.emplace(at, height + (is_of_arrays(at, kAllOver) ? 1 : 0));
      },
      [] { return true; });
  return heights_.at(form);
}

// A function of points, whose last operands are the indexes, so many as its number. They are named by what it
// holds, not by what it is in: those inside of the points are of smaller heights, and others are not bound yet.
FormId Forms::over_indexes(const Form& form, const Ids& all) {
  int64_t height = 0;
  for (const FormId one : all) height = std::max(height, height_of(one));
  absl::flat_hash_map<FormId, FormId> renamed;
  for (auto index = all.end() - form.number; index != all.end(); ++index) {
    if (indexes_in(*index).empty()) continue;
    const FormId one = indexes_in(*index)[0];
    const std::string& name = symbol(one);
    const size_t dot = name.find('.');
    renamed.emplace(
        one,
        index_named(absl::StrCat("b", height, name.substr(dot, name.find(' ', dot) - dot)), one));
  }
  Ids changed;
  for (const FormId one : all) {
    changed.push_back(replaced(one, renamed, [](FormId) { return std::optional<FormId>(); }));
  }
  // In any order there is a point for each order of the indexes.
  if (absl::StartsWith(symbols_[form.symbol], absl::StrCat(kAllOver, "in any order"))) {
    std::sort(changed.begin(), changed.end() - form.number);
  }
  return intern(form, changed);
}

// The product where one of the indexes is what a predicate says, or zero if that is no such index.
std::optional<Forms::FixedIndex> Forms::fixed_index(FormId product, const Ids& indexes) {
  const ElementType type = forms_[product].type;
  std::map<FormId, int64_t> others;
  std::optional<FormId> truth;
  for (const auto& [one, power] : powers_of(product)) {
    if (is_real_truth(one)) truth = operands(one)[0];
    if (!is_real_truth(one)) others[one] = power;
  }
  if (!truth) return std::nullopt;
  const bool is_and = forms_[*truth].kind == Kind::kAnd;
  const Ids conjuncts =
      is_and ? Ids(operands(*truth).begin(), operands(*truth).end()) : Ids{*truth};
  for (const FormId equality : conjuncts) {
    if (!symbol_is(equality, kEqualsZero)) continue;
    const FormId zero = operands(equality)[0];
    for (const FormId index : indexes) {
      const FormId seen = resized(index, forms_[zero].type, false);
      const auto same = solved(zero, seen);
      const int128 high = range(index, false).high;
      const FormId last = integer(forms_[zero].type, static_cast<int64_t>(high));
      if (!same || range(seen, false).high < high ||
          holds_any(indexes_in(*same), indexes_in(index))) {
        continue;
      }
      Ids rest = conjuncts;
      std::erase(rest, equality);
      const bool is_signed = range(last, true).high == high;
      if (is_signed) rest.push_back(less(integer(forms_[zero].type, -1), *same, true));
      rest.push_back(negation(less(last, *same, is_signed)));
      const FormId holds = select(both(rest), number(type, 1), number(type, 0));
      const FormId left = real_product(holds, real_powers(type, others));
      return FixedIndex{index,
                        at_indexes(left, {index, resized(*same, forms_[index].type, false)})};
    }
  }
  return std::nullopt;
}

// The points of a sum, or of one at indexes, with names of their indexes that the product has not.
Forms::SumPoints Forms::points_of(FormId sum, FormId product) {
  const FormId all = without_indexes(sum);
  const bool is_at = all != sum;
  const Ids pairs = is_at ? Ids(operands(sum).begin() + 1, operands(sum).end()) : Ids();
  SumPoints points{operands(all)[0], Ids(operands(all).begin() + 1, operands(all).end())};
  const Ids taken = indexes_in(product);
  absl::flat_hash_map<FormId, FormId> renamed;
  int64_t name = 0;
  for (FormId& index : points.indexes) {
    const FormId own = indexes_in(index)[0];
    FormId other = own;
    do {
      other = index_named(absl::StrCat("m", name++, ".0"), own);
    } while (std::ranges::binary_search(taken, other));
    renamed.emplace(own, other);
    index = resized(other, forms_[index].type, false);
  }
  points.point = replaced(points.point, std::move(renamed), [](FormId) { return std::nullopt; });
  if (is_at) points.point = at_indexes(points.point, pairs);
  return points;
}

// The sum over all values of indexes that the product holds. Of sums that differ by the names of the indexes it
// is one.
FormId Forms::sum_over(FormId product, const Ids& indexes) {
  if (indexes.empty()) return product;
  const ElementType type = forms_[product].type;
  Dims sizes;
  for (const FormId index : indexes) sizes.push_back(*index_size(indexes_in(index)[0]));
  std::optional<FormId> least;
  for (const std::vector<size_t>& order : orders_of(sizes, true)) {
    std::map<int64_t, int64_t> of_size;
    absl::flat_hash_map<FormId, FormId> renamed;
    Ids all = {0};
    for (const size_t k : order) {
      const FormId own = indexes_in(indexes[k])[0];
      const FormId other = index_named(absl::StrCat("s.", of_size[sizes[k]]++), own);
      renamed.emplace(own, other);
      all.push_back(resized(other, forms_[indexes[k]].type, false));
    }
    all[0] = replaced(product, std::move(renamed), [](FormId) { return std::nullopt; });
    const FormId one = over_indexes({.kind = Kind::kOfArrays,
                                     .type = type,
                                     .symbol = symbol_number(kRealSumOver),
                                     .number = std::ssize(indexes)},
                                    all);
    least = std::min(least.value_or(one), one);
  }
  return *least;
}

// A sum of products with sums is one of all of their points: all (x[s] all (y[t] z[s])) = all (x[s] y[t] z[s])
FormId Forms::real_sum_over(FormId point, const Ids& indexes) {
  const ElementType type = forms_[point].type;
  const auto size_of = [&](FormId index) {
    return static_cast<double>(*index_size(indexes_in(index)[0]));
  };
  double points = 1;
  for (const FormId index : indexes) points *= size_of(index);
  const RealSum sum = real_sum_of(point);
  std::vector<std::pair<FormId, double>> result = {{number(type, 1), sum.number * points}};
  for (const auto& [term, by] : sum.terms) {
    if (work_ < 0) return point;
    if (const auto fixed = fixed_index(term, indexes)) {
      Ids rest = indexes;
      std::erase(rest, fixed->index);
      result.emplace_back(real_sum_over(fixed->product, rest), by);
      continue;
    }
    std::map<FormId, int64_t> inside, outside;
    std::optional<FormId> nested;
    Ids held;
    for (const auto& [factor, power] : powers_of(term)) {
      const Ids in_factor = indexes_in(factor);
      const bool depends = std::ranges::any_of(
          indexes, [&](FormId index) { return holds_any(in_factor, indexes_in(index)); });
      (depends ? inside : outside)[factor] += power;
      if (!depends) continue;
      held.insert(held.end(), in_factor.begin(), in_factor.end());
      // A negative power has no sum to give, but for ever more: S^-1 = S^-2 S.
      if (power > 0 && is_sum_over(factor, kRealSumOver)) nested = factor;
    }
    std::ranges::sort(held);
    double times = by;
    Ids rest;
    for (const FormId index : indexes) {
      const bool depends = holds_any(held, indexes_in(index));
      if (depends) rest.push_back(index);
      if (!depends) times *= size_of(index);
    }
    FormId product = real_powers(type, inside);
    if (nested) {
      SumPoints inner = points_of(*nested, product);
      --inside[*nested];
      product = real_product(real_powers(type, inside), inner.point);
      rest.insert(rest.end(), inner.indexes.begin(), inner.indexes.end());
    }
    const FormId all = nested ? real_sum_over(product, rest) : sum_over(product, rest);
    result.emplace_back(real_product(real_powers(type, outside), all), times);
  }
  return real_sum(type, result);
}

// Pairs: an index and what is in its place. Sums stay as they are, at these indexes.
FormId Forms::at_indexes(FormId form, const Ids& pairs) {
  absl::flat_hash_map<FormId, FormId> put;
  for (size_t k = 0; k < pairs.size(); k += 2) {
    const FormId index = indexes_in(pairs[k])[0];
    put.emplace(pairs[k], pairs[k + 1]);
    put.emplace(index, resized(pairs[k + 1], forms_[index].type, false));
  }
  return replaced(form, std::move(put), [&](FormId at) { return function_at(at, pairs); });
}

// The form with others in place of some: `put`. `whole` gives what is in place of a sum, which is not
// looked into. A function at indexes has indexes of its own.
FormId Forms::replaced(FormId form, absl::flat_hash_map<FormId, FormId> put,
                       absl::FunctionRef<std::optional<FormId>(FormId)> whole) {
  Ids indexes;
  for (const auto& [of, by] : put) {
    if (forms_[of].kind == Kind::kElement) indexes.push_back(of);
  }
  std::ranges::sort(indexes);
  const auto is_at = [&](FormId at) {
    if (!is_of_arrays(at, kAt)) return false;
    const Ids own = bound_in(at);
    return std::ranges::none_of(indexes_in(operands(at)[0]), [&](FormId one) {
      return std::ranges::binary_search(indexes, one) && !std::ranges::binary_search(own, one);
    });
  };
  const auto in_place_of = [&](FormId at) {
    const bool is_whole = forms_[at].kind == Kind::kOfArrays && !is_at(at);
    return is_whole ? whole(at) : std::nullopt;
  };
  const auto inner = [&](FormId at) {
    Ids all;
    if (!holds_any(indexes_in(at), indexes) || in_place_of(at)) return all;
    const size_t step = is_at(at) ? 2 : 1;
    for (size_t k = step == 2 ? 2 : 0; k < operands(at).size(); k += step) {
      all.push_back(operands(at)[k]);
    }
    return all;
  };
  const bool is_done = operands_first(
      form, inner, [&](FormId at) { return put.contains(at); },
      [&](FormId at) {
        FormId result = at;
        if (holds_any(indexes_in(at), indexes)) {
          const bool has_own = is_at(at);
          const auto known = in_place_of(at);
          Ids changed(operands(at).begin(), operands(at).end());
          for (size_t k = has_own ? 2 : 0; k < changed.size() && !known; k += has_own ? 2 : 1) {
            changed[k] = put.at(changed[k]);
          }
          result = known     ? *known
                   : has_own ? function_at(changed[0], Ids(changed.begin() + 1, changed.end()))
                             : rebuilt(at, changed);
        }
        put.emplace(at, result);
      },
      [&] { return work_ >= 0; });
  return is_done ? put.at(form) : form;
}

// A function at indexes. Of each size, its own are the first ones there are, in the order of what is
// in their place.
FormId Forms::function_at(FormId function, const Ids& pairs) {
  const Ids held = indexes_in(function);
  std::vector<std::pair<FormId, FormId>> put;  // what is in place of an index, and the index
  for (size_t k = 0; k < pairs.size(); k += 2) {
    const FormId index = indexes_in(pairs[k])[0];
    if (std::ranges::binary_search(held, index)) put.emplace_back(pairs[k + 1], pairs[k]);
  }
  const auto is_same = [](const auto& one) { return one.first == one.second; };
  if (std::ranges::all_of(put, is_same)) return function;
  std::ranges::sort(put);
  std::map<int64_t, int64_t> of_size;
  absl::flat_hash_map<FormId, FormId> renamed;
  for (const auto& [by, of] : put) {
    const FormId index = indexes_in(of)[0];
    renamed.emplace(index, index_named(absl::StrCat("v", of_size[*index_size(index)]++), index));
  }
  const bool has_others =
      std::ranges::any_of(renamed, [](const auto& one) { return one.first != one.second; });
  const auto with_names = [&](FormId form) {
    if (!has_others) return form;
    return replaced(form, renamed, [](FormId) { return std::optional<FormId>(); });
  };
  Ids all = {with_names(function)};
  for (const auto& [by, of] : put) all.insert(all.end(), {with_names(of), by});
  return intern(
      {.kind = Kind::kOfArrays, .type = forms_[function].type, .symbol = symbol_number(kAt)}, all);
}

}  // namespace tileproof::verify
