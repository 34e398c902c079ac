// SPDX-License-Identifier: Apache-2.0
#include "impl/map/value_set.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

#include "impl/map/atom_sum.h"
#include "impl/map/normal_form/normal_form.h"
#include "spec/lang/base/checked_arithmetic.h"

namespace tileproof::impl {
namespace {

// `core in interval`
struct Requirement {
  AtomSum core;
  Interval interval;
  bool applied = false;
};

constexpr int64_t kFar = int64_t{1} << 61;

class Values {
 public:
  explicit Values(const IndexingMap& map) : map_(map), sums_(map) {}

  std::optional<NumberSet> of_result() {
    const std::optional<AtomSum> sum = sums_.of(map_.results[0]);
    if (!sum || !read_requirements()) return std::nullopt;
    const std::optional<NumberSet> found = set_of(*sum);
    const bool all = std::ranges::all_of(requirements_, &Requirement::applied);
    return all ? found : std::nullopt;
  }

 private:
  struct Part {  // some terms of a sum, and the values of their sum
    std::vector<NodeId> atoms;
    NumberSet values;
  };

  bool read_requirements() {
    for (const Constraint& constraint : map_.constraints) {
      const std::optional<AtomSum> sum = sums_.of(constraint.expr);
      if (!sum) return false;
      const auto low = checked_sub(constraint.interval.low, sum->constant);
      const auto high = checked_sub(constraint.interval.high, sum->constant);
      if (!low || !high) return false;
      const auto is_far = [](const auto& term) { return std::abs(term.second / 2) > kFar / 2; };
      if (std::ranges::any_of(sum->factors, is_far)) return false;
      // No set contains numbers beyond kFar.
      Requirement requirement{*sum, {std::max(*low, -kFar), std::min(*high, kFar)}};
      requirement.core.constant = 0;
      requirements_.push_back(std::move(requirement));
    }
    const auto terms = [](const Requirement& r) { return r.core.factors.size(); };
    std::ranges::stable_sort(requirements_, {}, terms);
    return true;
  }

  std::optional<NumberSet> set_of_atom(NodeId atom) {
    const Node& node = sums_.node(atom);
    if (node.op == Op::kDimension) {
      return NumberSet::interval(map_.dimensions[node.value].bounds);
    }
    const std::optional<NumberSet> inner = set_of(*sums_.of(node.left));
    if (!inner) return std::nullopt;
    const int64_t divisor = sums_.divisor(atom);
    return node.op == Op::kMod ? inner->mod(divisor) : inner->floordiv(divisor);
  }

  std::optional<NumberSet> set_of(const AtomSum& sum) {
    uint64_t seen = 0;
    std::vector<Part> parts;
    for (const auto& [atom, factor] : sum.factors) {
      if ((seen & sums_.variables(atom)) != 0) return std::nullopt;
      seen |= sums_.variables(atom);
      const auto values = set_of_atom(atom);
      const auto scaled = values ? values->times(factor) : std::nullopt;
      if (!scaled) return std::nullopt;
      parts.push_back({{atom}, *scaled});
    }
    for (Requirement& requirement : requirements_) {
      if (!requirement.applied && !apply(requirement, sum, parts)) return std::nullopt;
    }
    const std::optional<Part> all = joined(parts);
    return all ? all->values.plus(sum.constant) : std::nullopt;
  }

  // The sum of all parts. Small strides first, so that filled gaps stay filled.
  static std::optional<Part> joined(std::vector<Part> parts) {
    std::ranges::stable_sort(parts, {}, [](const Part& part) { return part.values.stride(); });
    Part all{{}, *NumberSet::interval({0, 0})};
    for (const Part& part : parts) {
      std::optional<NumberSet> values = sum(all.values, part.values);
      if (!values) return std::nullopt;
      all.values = *std::move(values);
      all.atoms.insert(all.atoms.end(), part.atoms.begin(), part.atoms.end());
    }
    return all;
  }

  // The same terms up to a factor: core * times_core = (terms of the sum) * times_sum.
  struct Match {
    int64_t core;
    int64_t sum;
  };
  static std::optional<Match> match(const AtomSum& core, const AtomSum& sum) {
    std::optional<Match> found;
    for (const auto& [atom, factor] : core.factors) {
      const auto in_sum = sum.factors.find(atom);
      if (in_sum == sum.factors.end()) return std::nullopt;
      if (!found) {
        if (factor == INT64_MIN || in_sum->second == INT64_MIN) return std::nullopt;  // no |x|
        const int64_t common = std::gcd(factor, in_sum->second);
        found = Match{factor / common, in_sum->second / common};
      }
      if (Wide{factor} * found->sum != Wide{in_sum->second} * found->core) return std::nullopt;
    }
    return found;
  }

  // Keeps the values for which the requirement holds, if it is about some terms of this sum.
  // Returns false if that is impossible.
  bool apply(Requirement& requirement, const AtomSum& sum, std::vector<Part>& parts) {
    AtomSum core = requirement.core;
    int64_t divisor = 0;
    Interval interval = requirement.interval;
    std::optional<Match> found = match(core, sum);
    if (!found && core.factors.size() == 1) {  // a remainder or a quotient of terms of the sum
      const auto [atom, factor] = *core.factors.begin();
      const Node& node = sums_.node(atom);
      if (is_leaf(node.op) || factor < 1) return true;
      interval = {-floor_quotient(-interval.low, factor), floor_quotient(interval.high, factor)};
      core = *sums_.of(node.left);
      divisor = sums_.divisor(atom);
      found = match(core, sum);
      if (node.op == Op::kFloorDiv && found) {
        const auto low = checked_mul(interval.low, divisor);
        const auto high = checked_mul(interval.high, divisor);
        const auto last = high ? checked_add(*high, divisor - 1) : std::nullopt;
        if (!low || !last) return false;
        interval = {*low, *last};
        divisor = 0;
      }
    }
    if (!found) return true;
    std::vector<Part> inside, outside;
    size_t atoms = 0;
    for (Part& part : parts) {
      const bool touches = std::ranges::any_of(
          part.atoms, [&core](NodeId atom) { return core.factors.contains(atom); });
      if (touches) atoms += part.atoms.size();
      (touches ? inside : outside).push_back(std::move(part));
    }
    if (atoms != core.factors.size()) return false;
    std::optional<Part> whole = joined(std::move(inside));
    if (!whole) return false;
    const auto kept = filtered(whole->values, *found, core.constant, divisor, interval);
    if (!kept) return false;
    whole->values = *kept;
    outside.push_back(*std::move(whole));
    parts = std::move(outside);
    requirement.applied = true;
    return true;
  }

  static std::optional<NumberSet> filtered(const NumberSet& values, Match match, int64_t constant,
                                           int64_t divisor, Interval interval) {
    auto core = divided(values, match.sum);
    if (core) core = core->times(match.core);
    if (core) core = core->plus(constant);
    if (core)
      core = divisor == 0 ? core->within(interval) : core->with_remainder(divisor, interval);
    if (core) core = core->plus(-constant);
    if (core) core = divided(*core, match.core);
    return core ? core->times(match.sum) : std::nullopt;
  }

  // The values divided by the divisor, if it divides all of them.
  static std::optional<NumberSet> divided(const NumberSet& values, int64_t divisor) {
    const std::optional<NumberSet> signed_as = divisor < 0 ? values.times(-1) : values;
    return signed_as ? signed_as->floordiv(std::abs(divisor)) : std::nullopt;
  }

  const IndexingMap& map_;
  const AtomSums sums_;
  std::vector<Requirement> requirements_;
};

}  // namespace

std::optional<NumberSet> values_of(const IndexingMap& map) {
  return map.known_empty ? NumberSet() : Values(map).of_result();
}

}  // namespace tileproof::impl
