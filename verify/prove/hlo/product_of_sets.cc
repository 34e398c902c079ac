// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/product_of_sets.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "verify/prove/hlo/integer_box.h"
#include "verify/prove/smt/certain.h"
#include "verify/prove/smt/formula.h"

namespace tileproof::verify {
namespace {

constexpr int64_t kMostIndices = 1 << 16;    // of a coordinate
constexpr int64_t kMostPoints = 1 << 16;     // of the variables of a group
constexpr int64_t kMostTried = 1 << 10;      // of a group with more points, until one fits
constexpr int64_t kIndicesOfWork = 16;       // that are written down in the time of an evaluation
constexpr int64_t kMostEvaluated = 1 << 17;  // conditions and coordinates of one disjunct, in all

// The variables of the sum, also inside of floors.
void add_variables(const QuasiAffineContext& context, const Sum& sum, std::set<size_t>& variables) {
  for (const auto& [product, coefficient] : sum.terms) {
    for (const int32_t number : product) {
      const QuasiAffineContext::Atom& atom = context.atoms()[number];
      if (atom.divisor != 0) {
        add_variables(context, atom.dividend, variables);
      } else {
        variables.insert(static_cast<size_t>(number));
      }
    }
  }
}

void add_variables(const QuasiAffineContext& context, const Formula& formula,
                   std::set<size_t>& variables) {
  if (formula.kind() == Formula::Kind::kLiteral) {
    add_variables(context, formula.literal(), variables);
  }
  for (const Formula& part : formula.parts()) add_variables(context, part, variables);
}

bool is_too_large(const Formula& formula) {
  return formula.literal().too_large || std::ranges::any_of(formula.parts(), is_too_large);
}

// Only indices that both have.
void intersect(Covered& covered, const Covered& other) {
  if (other.all) return;
  if (covered.all) {
    covered = other;
    return;
  }
  for (size_t i = 0; i < covered.met.size(); ++i) covered.met[i] = covered.met[i] && other.met[i];
}

size_t root_of(std::vector<size_t>& parents, size_t v) {
  while (parents[v] != v) v = parents[v] = parents[parents[v]];
  return v;
}

}  // namespace

ProductOfSets::ProductOfSets(const Disjunct& disjunct, const spec::Dims& result)
    : disjunct_(disjunct),
      bounds_(bounds_of(disjunct, result)),
      context_(bounds_),
      first_start_(disjunct.is_inverse() ? result.size() : 0),
      given_(result.size() + disjunct.index_variables()),
      first_read_(bounds_.size() - disjunct.reads().size()),
      elements_(disjunct.reads().size()),
      is_element_known_(disjunct.reads().size(), true),
      pair_(evaluated(result.size())) {}

std::vector<Interval> ProductOfSets::bounds_of(const Disjunct& disjunct, const spec::Dims& result) {
  std::vector<Interval> bounds;
  for (const int64_t size : result) bounds.push_back({0, size - 1});
  bounds.insert(bounds.end(), disjunct.ranges().begin(), disjunct.ranges().end());
  bounds.insert(bounds.end(), disjunct.reads().begin(), disjunct.reads().end());
  return bounds;
}

Pair<Symbol> ProductOfSets::evaluated(size_t rank) {
  std::vector<Symbol> o, s;
  for (size_t v = 0; v < first_read_; ++v) (v < rank ? o : s).push_back(atom(v));
  size_t next = 0;
  const auto value = [&](const RuntimeRead<Symbol>& read) {
    const size_t which = next++;
    for (const Symbol& symbol : read.index) {
      add_variables(context_, symbol.sum, elements_[which]);
      if (symbol.sum.too_large) is_element_known_[which] = false;
    }
    return atom(first_read_ + which);
  };
  return disjunct_.pair(o, s, value);
}

bool ProductOfSets::keeps(size_t d, size_t v) const {
  return d < pair_.index.size() && v < pair_.output.size() &&
         pair_.index[d].sum == pair_.output[v].sum;
}

bool ProductOfSets::is_inside(const spec::Dims& result, const spec::Dims& operand) const {
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

bool ProductOfSets::begin(const Along& along, const spec::Dims& result, const spec::Dims& operand) {
  const bool inverse = disjunct_.is_inverse();
  targets_ = inverse ? pair_.output : pair_.index;
  sizes_ = inverse ? result : operand;
  if (targets_.size() != sizes_.size()) return false;
  for (size_t d = 0; d < disjunct_.index_variables(); ++d) {
    const Interval& index = disjunct_.ranges()[d];
    if (d >= operand.size() || index.low > 0 || index.high < operand[d] - 1) return false;
  }
  for (size_t d = 0; d < targets_.size(); ++d) {
    const auto own = static_cast<int64_t>(d);
    kept_.push_back(inverse ? std::ranges::count(along, own) > 0 : along[d] >= 0);
    if (targets_[d].sum.too_large) return false;
  }
  conditions_ = conditions_of(context_, pair_.in_domain);
  if (std::ranges::any_of(conditions_, is_too_large)) return false;
  find_groups();
  const auto has_two_coordinates = [](const Group& group) { return group.coordinate == SIZE_MAX; };
  if (std::ranges::any_of(groups_, has_two_coordinates) || !are_in_order()) return false;
  always_.resize(targets_.size());
  std::vector<Group> open;
  for (Group& group : groups_) {
    if (!group.coordinate && is_anywhere(group)) continue;
    if (group.given.empty()) {
      if (!group.coordinate) return false;
      always_[*group.coordinate] = indices_of(group, std::vector<int64_t>(bounds_.size(), 0));
      if (!always_[*group.coordinate]) return false;
      continue;
    }
    for (const size_t v : group.given) looks_at_.insert(v - first_start_);
    for (const Formula* condition : group.conditions) add_seen(*condition);
    if (group.coordinate) add_seen(targets_[*group.coordinate].sum);
    open.push_back(std::move(group));
  }
  groups_ = std::move(open);
  return true;
}

// Joins range variables that one condition or coordinate has.
void ProductOfSets::find_groups() {
  std::vector<size_t> parents(bounds_.size());
  std::iota(parents.begin(), parents.end(), size_t{0});
  struct Member {
    std::set<size_t> variables;
    const Formula* condition = nullptr;
    std::optional<size_t> coordinate;
  };
  std::vector<Member> members;
  for (size_t d = 0; d < targets_.size(); ++d) {
    if (kept_[d]) continue;
    members.push_back({{}, nullptr, d});
    add_variables(context_, targets_[d].sum, members.back().variables);
  }
  for (const Formula& condition : conditions_) {
    members.push_back({{}, &condition, std::nullopt});
    add_variables(context_, condition, members.back().variables);
  }
  for (const Member& member : members) {
    std::optional<size_t> first;
    for (const size_t v : member.variables) {
      if (!is_range(v)) continue;
      if (!first) first = v;
      parents[root_of(parents, v)] = root_of(parents, *first);
    }
  }
  std::vector<std::optional<size_t>> group_of(bounds_.size());  // by root
  for (const Member& member : members) {
    const auto range =
        std::ranges::find_if(member.variables, [&](size_t v) { return is_range(v); });
    size_t number = groups_.size();
    if (range != member.variables.end()) {
      std::optional<size_t>& known = group_of[root_of(parents, *range)];
      if (!known) known = number;
      number = *known;
    }
    if (number == groups_.size()) groups_.emplace_back();
    Group& group = groups_[number];
    for (const size_t v : member.variables) {
      std::vector<size_t>& kind = v < given_        ? group.given
                                  : v < first_read_ ? group.ranges
                                                    : group.reads;
      if (std::ranges::count(kind, v) == 0) kind.push_back(v);
    }
    if (member.condition != nullptr) group.conditions.push_back(member.condition);
    if (member.coordinate) group.coordinate = group.coordinate ? SIZE_MAX : *member.coordinate;
  }
}

// Whether the variables of one group after another can be chosen so that all values that a group
// depends on are of elements that were chosen before.
bool ProductOfSets::are_in_order() const {
  std::vector<bool> is_open(bounds_.size(), false);  // by variable
  for (const Group& group : groups_) {
    for (const size_t v : group.ranges) is_open[v] = true;
  }
  for (size_t v = first_read_; v < bounds_.size(); ++v) is_open[v] = true;
  const auto is_known = [&](size_t v) { return !is_open[v]; };
  std::vector<bool> is_placed(groups_.size(), false);
  for (bool again = true; again;) {
    again = false;
    for (size_t r = 0; r < elements_.size(); ++r) {
      const size_t v = first_read_ + r;
      if (!is_open[v] || !is_element_known_[r]) continue;
      if (!std::ranges::all_of(elements_[r], is_known)) continue;
      is_open[v] = false;
      again = true;
    }
    for (size_t g = 0; g < groups_.size(); ++g) {
      if (is_placed[g] || !std::ranges::all_of(groups_[g].reads, is_known)) continue;
      for (const size_t v : groups_[g].ranges) is_open[v] = false;
      is_placed[g] = again = true;
    }
  }
  return std::ranges::count(is_placed, false) == 0;
}

std::optional<int64_t> ProductOfSets::points_of(const std::vector<size_t>& variables) const {
  int64_t points = 1;
  for (const size_t v : variables) {
    const int64_t size = bounds_[v].high - bounds_[v].low + 1;
    if (size > kMostPoints || (points *= size) > kMostPoints) return std::nullopt;
  }
  return points;
}

// Visits all values of the variables, until `visit` returns false.
template <class Visit>
bool ProductOfSets::for_each_point(const std::vector<size_t>& variables, std::vector<int64_t>& at,
                                   const Visit& visit) {
  std::vector<Interval> box;
  std::vector<int64_t> point;
  for (const size_t v : variables) {
    box.push_back(bounds_[v]);
    point.push_back(bounds_[v].low);
  }
  do {
    for (size_t k = 0; k < variables.size(); ++k) at[variables[k]] = point[k];
    if (!visit()) return false;
  } while (next_point(box, point));
  return true;
}

// False if it is not known.
bool ProductOfSets::holds(const Formula& formula, const std::vector<int64_t>& at) const {
  const auto holds_at = [&](const Formula& part) { return holds(part, at); };
  switch (formula.kind()) {
    case Formula::Kind::kTrue:
      return true;
    case Formula::Kind::kFalse:
      return false;
    case Formula::Kind::kLiteral: {
      const spec::Exact sum = value_at(context_, formula.literal(), at);
      return sum.value && *sum.value >= 0;
    }
    case Formula::Kind::kAll:
      return std::ranges::all_of(formula.parts(), holds_at);
    default:
      return std::ranges::any_of(formula.parts(), holds_at);
  }
}

bool ProductOfSets::hold(const Group& group, const std::vector<int64_t>& at) {
  work_ += 1 + std::ssize(group.conditions);
  return std::ranges::all_of(group.conditions,
                             [&](const Formula* condition) { return holds(*condition, at); });
}

// Whether some values of the range variables fit these of the others; false if it is not known.
bool ProductOfSets::has_point(const Group& group, std::vector<int64_t>& at) {
  if (work_ >= kMostEvaluated) return false;
  for (const size_t v : group.ranges) at[v] = bounds_[v].high;
  if (hold(group, at)) return true;
  int64_t most = points_of(group.ranges).value_or(kMostTried);
  bool found = false;
  for_each_point(group.ranges, at, [&] {
    found = hold(group, at);
    return !found && --most > 0 && work_ < kMostEvaluated;
  });
  return found;
}

bool ProductOfSets::has_point_whatever_is_read(const Group& group, std::vector<int64_t> at) {
  if (!points_of(group.reads)) return false;
  return for_each_point(group.reads, at, [&] { return has_point(group, at); });
}

// Whether it has a point from every index.
bool ProductOfSets::is_anywhere(const Group& group) {
  if (!points_of(group.given)) return false;
  std::vector<int64_t> at(bounds_.size(), 0);
  return for_each_point(group.given, at, [&] { return has_point_whatever_is_read(group, at); });
}

// The indices of a coordinate that is a variable without conditions, and a number.
std::optional<Covered> ProductOfSets::shifted_variable(const Group& group,
                                                       const std::vector<int64_t>& at) const {
  if (!group.conditions.empty() || group.ranges.size() != 1 || !group.reads.empty()) {
    return std::nullopt;
  }
  Sum sum = targets_[*group.coordinate].sum;
  const size_t v = group.ranges[0];
  const auto own = sum.terms.find(Product{static_cast<int32_t>(v)});
  if (own == sum.terms.end() || own->second != 1) return std::nullopt;
  sum.terms.erase(own);
  std::set<size_t> others;
  add_variables(context_, sum, others);
  const std::optional<int64_t> shift = to_int64(value_at(context_, sum, at));
  if (others.contains(v) || !shift) return std::nullopt;
  const int64_t size = sizes_[*group.coordinate];
  const Wide low = Wide{*shift} + bounds_[v].low, high = Wide{*shift} + bounds_[v].high;
  if (low <= 0 && high >= size - 1) return Covered{.all = true};
  if (size > kMostIndices) return std::nullopt;
  Covered one{.met = std::vector<bool>(size)};
  for (Wide i = std::max<Wide>(low, 0); i <= std::min<Wide>(high, size - 1); ++i) {
    one.met[static_cast<size_t>(i)] = true;
  }
  return one;
}

// The indices that a group meets, for these values that it reads.
std::optional<Covered> ProductOfSets::indices_at(const Group& group, std::vector<int64_t>& at) {
  if (work_ >= kMostEvaluated) return std::nullopt;
  if (auto shifted = shifted_variable(group, at)) return shifted;
  const int64_t size = sizes_[*group.coordinate];
  if (size > kMostIndices || !points_of(group.ranges)) return std::nullopt;
  work_ += size / kIndicesOfWork;
  Covered one{.met = std::vector<bool>(size)};
  int64_t missing = size;
  for_each_point(group.ranges, at, [&] {
    if (!hold(group, at)) return work_ < kMostEvaluated;
    const spec::Exact index = value_at(context_, targets_[*group.coordinate].sum, at);
    if (!index.value || *index.value < 0 || *index.value >= size) return work_ < kMostEvaluated;
    auto met = one.met[static_cast<size_t>(*index.value)];
    if (!met) --missing;
    met = true;
    return missing > 0 && work_ < kMostEvaluated;
  });
  one.all = missing == 0;
  return one;
}

// The indices that it meets whatever is read.
std::optional<Covered> ProductOfSets::indices_of(const Group& group, std::vector<int64_t> at) {
  if (!points_of(group.reads)) return std::nullopt;
  Covered met_always{.all = true};
  bool is_known = true;
  for_each_point(group.reads, at, [&] {
    const auto one = indices_at(group, at);
    is_known = one.has_value();
    if (one) intersect(met_always, *one);
    return is_known && (met_always.all || std::ranges::count(met_always.met, true) > 0);
  });
  if (!is_known) return std::nullopt;
  return met_always;
}

std::optional<std::vector<Covered>> ProductOfSets::covered(const std::vector<int64_t>& start) {
  std::vector<Covered> all(targets_.size());
  for (size_t d = 0; d < targets_.size(); ++d) {
    if (kept_[d]) all[d] = {.all = true};
    if (always_[d]) all[d] = *always_[d];
  }
  std::vector<int64_t> at(bounds_.size(), 0);
  for (size_t v = 0; v < start.size(); ++v) at[first_start_ + v] = start[v];
  for (const Group& group : groups_) {
    if (!group.coordinate) {
      if (!has_point_whatever_is_read(group, at)) return std::nullopt;
      continue;
    }
    auto one = indices_of(group, at);
    if (!one) return std::nullopt;
    all[*group.coordinate] = *std::move(one);
  }
  return all;
}

bool ProductOfSets::is_of_start(int32_t number) const {
  const QuasiAffineContext::Atom& atom = context_.atoms()[number];
  return atom.divisor != 0 ? is_of_start(atom.dividend) : static_cast<size_t>(number) < given_;
}

bool ProductOfSets::is_of_start(const Sum& sum) const {
  return std::ranges::all_of(sum.terms, [&](const auto& term) {
    return std::ranges::all_of(term.first, [&](int32_t number) { return is_of_start(number); });
  });
}

// What the sum has of the index that the disjunct starts from, as a function of all other variables.
void ProductOfSets::add_seen(const Sum& sum) {
  Sum own{&context_, {}, 0, false};
  for (const auto& [product, coefficient] : sum.terms) {
    if (std::ranges::all_of(product, [&](int32_t number) { return is_of_start(number); })) {
      own.terms[product] = coefficient;
      continue;
    }
    for (const int32_t number : product) {
      const QuasiAffineContext::Atom& atom = context_.atoms()[number];
      if (is_of_start(number)) {
        add_seen(context_.atom(number));
      } else if (atom.divisor != 0) {
        add_seen(Sum(atom.dividend));
      }
    }
  }
  if (!own.terms.empty() && std::ranges::count(seen_, own) == 0) seen_.push_back(std::move(own));
}

void ProductOfSets::add_seen(const Formula& formula) {
  if (formula.kind() == Formula::Kind::kLiteral) add_seen(formula.literal());
  for (const Formula& part : formula.parts()) add_seen(part);
}

std::optional<std::vector<Wide>> ProductOfSets::sees(const std::vector<int64_t>& start) const {
  std::vector<int64_t> at(bounds_.size(), 0);
  std::vector<Wide> values;
  for (size_t v = 0; v < start.size(); ++v) at[first_start_ + v] = start[v];
  for (const Sum& sum : seen_) {
    const spec::Exact value = value_at(context_, sum, at);
    if (!value.value) return std::nullopt;
    values.push_back(*value.value);
  }
  return values;
}

}  // namespace tileproof::verify
