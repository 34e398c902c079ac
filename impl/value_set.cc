#include "impl/value_set.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "impl/linear.h"
#include "spec/lang/checked.h"

namespace tileproof::impl {
namespace {

// constant + sum of factor * atom. An atom is a variable, a quotient or a remainder by a constant,
// told by the number of its tree.
struct AtomSum {
  std::map<NodeId, int64_t> factors;
  int64_t constant = 0;
};

// `core in interval`
struct Requirement {
  AtomSum core;
  Interval interval;
  bool applied = false;
};

constexpr int64_t kFar = int64_t{1} << 61;
constexpr int64_t kMaxTree = 2000;  // nodes of an expression, written out

int64_t floor_of(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

class Values {
 public:
  explicit Values(const IndexingMap& map) : map_(map) {
    TreeNumbers trees;
    numbers_ = trees.of(map.nodes, static_cast<NodeId>(map.nodes.size()));
    for (NodeId id = 0; id < std::ssize(map.nodes); ++id) places_.try_emplace(numbers_[id], id);
  }

  std::optional<NumberSet> of_result() {
    if (map_.dimensions.size() > 64 || is_large(map_.results[0])) return std::nullopt;
    for (const Constraint& constraint : map_.constraints) {
      if (is_large(constraint.expr)) return std::nullopt;
    }
    const std::optional<AtomSum> sum = sum_of(map_.results[0]);
    if (!sum || !read_requirements()) return std::nullopt;
    const std::optional<NumberSet> found = set_of(*sum);
    const bool all = std::ranges::all_of(requirements_, &Requirement::applied);
    return all ? found : std::nullopt;
  }

 private:
  struct Part {  // some terms of a sum
    std::vector<NodeId> atoms;
    NumberSet values;
  };

  bool is_large(NodeId root) const { return tree_size(map_.nodes, root) > kMaxTree; }

  const Node& node_of(NodeId atom) const { return map_.nodes[places_.at(atom)]; }

  static bool add(AtomSum& to, const AtomSum& from, int64_t times) {
    const auto constant = checked_mul(from.constant, times);
    const auto sum = constant ? checked_add(to.constant, *constant) : std::nullopt;
    if (!sum) return false;
    to.constant = *sum;
    for (const auto& [atom, factor] : from.factors) {
      const auto scaled = checked_mul(factor, times);
      const auto both = scaled ? checked_add(to.factors[atom], *scaled) : std::nullopt;
      if (!both) return false;
      to.factors[atom] = *both;
      if (*both == 0) to.factors.erase(atom);
    }
    return true;
  }

  std::optional<AtomSum> sum_of(NodeId id) const {
    const Node& node = map_.nodes[id];
    AtomSum sum;
    if (node.op == Op::kConstant) {
      sum.constant = node.value;
      return sum;
    }
    if (node.op == Op::kAdd || node.op == Op::kMul) {
      const auto left = sum_of(node.left), right = sum_of(node.right);
      if (!left || !right) return std::nullopt;
      if (node.op == Op::kAdd) {
        return add(sum, *left, 1) && add(sum, *right, 1) ? std::optional(sum) : std::nullopt;
      }
      const bool swap = left->factors.empty();
      if (!swap && !right->factors.empty()) return std::nullopt;
      const bool fine = swap ? add(sum, *right, left->constant) : add(sum, *left, right->constant);
      return fine ? std::optional(sum) : std::nullopt;
    }
    if (node.op == Op::kFloorDiv || node.op == Op::kMod) {
      const Node& divisor = map_.nodes[node.right];
      if (divisor.op != Op::kConstant || divisor.value < 1) return std::nullopt;
    } else if (node.op != Op::kDimension) {
      return std::nullopt;
    }
    sum.factors[numbers_[id]] = 1;
    return sum;
  }

  bool read_requirements() {
    for (const Constraint& constraint : map_.constraints) {
      const std::optional<AtomSum> sum = sum_of(constraint.expr);
      if (!sum) return false;
      const auto low = checked_sub(constraint.interval.low, sum->constant);
      const auto high = checked_sub(constraint.interval.high, sum->constant);
      if (!low || !high) return false;
      const auto is_far = [](const auto& term) { return std::abs(term.second / 2) > kFar / 2; };
      if (std::ranges::any_of(sum->factors, is_far)) return false;
      // No set reaches farther than kFar.
      Requirement requirement{*sum, {std::max(*low, -kFar), std::min(*high, kFar)}};
      requirement.core.constant = 0;
      requirements_.push_back(std::move(requirement));
    }
    const auto terms = [](const Requirement& r) { return r.core.factors.size(); };
    std::ranges::stable_sort(requirements_, {}, terms);
    return true;
  }

  uint64_t variables_of(NodeId atom) {
    const auto [known, is_new] = variables_.try_emplace(atom, 0);
    if (!is_new) return known->second;
    uint64_t found = 0;
    const Node& node = node_of(atom);
    if (node.op == Op::kDimension) {
      found = uint64_t{1} << node.value;
    } else {
      const std::optional<AtomSum> inside = sum_of(node.left);
      for (const auto& [inner, factor] : inside->factors) found |= variables_of(inner);
    }
    return variables_[atom] = found;
  }

  // All that is written in an atom must be a sum, too.
  bool readable(NodeId atom) const {
    const Node& node = node_of(atom);
    if (node.op == Op::kDimension) return true;
    const std::optional<AtomSum> inner = sum_of(node.left);
    return inner && std::ranges::all_of(inner->factors,
                                        [this](const auto& term) { return readable(term.first); });
  }

  std::optional<NumberSet> set_of_atom(NodeId atom) {
    const Node& node = node_of(atom);
    if (node.op == Op::kDimension) {
      return NumberSet::interval(map_.dimensions[node.value].bounds);
    }
    const std::optional<NumberSet> inner = set_of(*sum_of(node.left));
    if (!inner) return std::nullopt;
    const int64_t divisor = map_.nodes[node.right].value;
    return node.op == Op::kMod ? inner->mod(divisor) : inner->floordiv(divisor);
  }

  std::optional<NumberSet> set_of(const AtomSum& sum) {
    uint64_t seen = 0;
    std::vector<Part> parts;
    for (const auto& [atom, factor] : sum.factors) {
      if (!readable(atom) || (seen & variables_of(atom)) != 0) return std::nullopt;
      seen |= variables_of(atom);
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

  // The parts as one. Small strides first: what they fill stays filled.
  static std::optional<Part> joined(std::vector<Part> parts) {
    std::ranges::stable_sort(parts, {}, [](const Part& part) {
      return part.values.size() == 1 ? INT64_MAX : part.values.stride();
    });
    Part all{{}, *NumberSet::interval({0, 0})};
    for (const Part& part : parts) {
      std::optional<NumberSet> values = sum(all.values, part.values);
      if (!values) return std::nullopt;
      all.values = *std::move(values);
      all.atoms.insert(all.atoms.end(), part.atoms.begin(), part.atoms.end());
    }
    return all;
  }

  // The same terms, but for a factor: core * times_core = (terms of the sum) * times_sum.
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
        const int64_t common = std::gcd(factor, in_sum->second);
        found = Match{factor / common, in_sum->second / common};
      }
      if (Wide{factor} * found->sum != Wide{in_sum->second} * found->core) return std::nullopt;
    }
    return found;
  }

  // Keeps the values for which the requirement holds, if it is about some terms of this sum. False
  // where that cannot be done.
  bool apply(Requirement& requirement, const AtomSum& sum, std::vector<Part>& parts) {
    AtomSum core = requirement.core;
    int64_t divisor = 0;
    Interval interval = requirement.interval;
    std::optional<Match> found = match(core, sum);
    if (!found && core.factors.size() == 1) {  // a remainder or a quotient of such terms
      const auto [atom, factor] = *core.factors.begin();
      const Node& node = node_of(atom);
      if (is_leaf(node.op) || factor < 1 || !readable(atom)) return true;
      interval = {-floor_of(-interval.low, factor), floor_of(interval.high, factor)};
      core = *sum_of(node.left);
      divisor = map_.nodes[node.right].value;
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

  // All numbers are multiples of the divisor.
  static std::optional<NumberSet> divided(const NumberSet& values, int64_t divisor) {
    const std::optional<NumberSet> signed_as = divisor < 0 ? values.times(-1) : values;
    return signed_as ? signed_as->floordiv(std::abs(divisor)) : std::nullopt;
  }

  const IndexingMap& map_;
  std::vector<NodeId> numbers_;           // of trees, by node
  std::map<NodeId, NodeId> places_;       // a node with that tree
  std::map<NodeId, uint64_t> variables_;  // of atoms
  std::vector<Requirement> requirements_;
};

}  // namespace

std::optional<NumberSet> values_of(const IndexingMap& map) { return Values(map).of_result(); }

}  // namespace tileproof::impl
