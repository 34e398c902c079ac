// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/map/map_equal.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "impl/map/simplify.h"
#include "spec/base/exact_int.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/indexing_map.h"
#include "spec/lang/map/map_text.h"
#include "verify/prove/map/equality_log.h"
#include "verify/prove/map/equality_prover.h"
#include "verify/prove/map/map_points.h"
#include "verify/prove/smt/thread_cpu_clock.h"

namespace tileproof::verify {
namespace {

// Equality of maps with products of variables, by cases.
//
// Quasi-affine rewriting and linear questions say little about a product of variables. But in each
// of a few cases a variable d is f * q + r for numbers f and r and a new variable q:
//
//     by residues   f = m, the least common multiple of the divisors; r = 0, .., m - 1
//                   (d0 * d0) mod 2 and d0 mod 2:
//                       d0 = 2*q        (4*q*q) mod 2 = 0              (2*q) mod 2 = 0
//                       d0 = 2*q + 1    (4*q*q + 4*q + 1) mod 2 = 1    (2*q + 1) mod 2 = 1
//     by values     f = 0: each value of a variable with a small range. A product with one varying
//                   factor is linear.
//
// Residues are tried first. They need no solver: rearranging shows that the maps are equal in a
// case, or does not.

using Clock = ThreadCpuClock;
using spec::Wide;
using VariableSet = std::set<size_t>;

constexpr int64_t kMostProductCases = 4096;
constexpr int64_t kMostWork = 4'000'000;  // cases times nodes
constexpr int64_t kMostNodes = 10'000;    // of both maps

// The variables under the operands of one multiplication.
struct Factors {
  VariableSet left, right;
};

// Every multiplication of which both operands vary.
std::vector<Factors> products_of(const IndexingMap& map) {
  std::vector<Factors> products;
  std::vector<VariableSet> under(map.nodes.size());
  for (size_t i = 0; i < map.nodes.size(); ++i) {
    const Node& node = map.nodes[i];
    if (is_variable(node.op)) under[i] = {place_of(map, node)};
    if (is_leaf(node.op)) continue;
    const VariableSet &left = under[node.left], &right = under[node.right];
    if (node.op == Op::kMul && !left.empty() && !right.empty()) products.push_back({left, right});
    under[i] = left;
    under[i].insert(right.begin(), right.end());
  }
  return products;
}

// The divisors of quotients that a product is part of, or that are part of a product.
std::set<int64_t> divisors_of(const IndexingMap& map) {
  const size_t count = map.nodes.size();
  std::vector<bool> varies(count), has_product(count), in_product(count);
  for (size_t i = 0; i < count; ++i) {
    const Node& node = map.nodes[i];
    varies[i] = is_variable(node.op);
    if (is_leaf(node.op)) continue;
    varies[i] = varies[node.left] || varies[node.right];
    has_product[i] = has_product[node.left] || has_product[node.right] ||
                     (node.op == Op::kMul && varies[node.left] && varies[node.right]);
  }
  std::set<int64_t> divisors;
  for (size_t i = count; i-- > 0;) {
    const Node& node = map.nodes[i];
    if (is_leaf(node.op)) continue;
    const bool is_product = node.op == Op::kMul && varies[node.left] && varies[node.right];
    for (const NodeId operand : {node.left, node.right})
      in_product[operand] = in_product[operand] || in_product[i] || is_product;
    if (node.op == Op::kAdd || node.op == Op::kMul) continue;
    const Node& divisor = map.nodes[node.right];
    if (divisor.op == Op::kConstant && (has_product[i] || in_product[i]))
      divisors.insert(divisor.value);
  }
  return divisors;
}

// One variable in all cases: f * q + r, for each of `count` values of r from `first` on.
struct Split {
  int64_t factor = 1;
  int64_t first = 0;
  int64_t count = 1;
};
using Plan = std::vector<Split>;

std::optional<int64_t> cases_of(const Plan& plan) {
  int64_t cases = 1;
  for (const Split& split : plan) {
    if (split.count > kMostProductCases / cases) return std::nullopt;
    cases *= split.count;
  }
  return cases;
}

// The number of values, or more than kMostProductCases.
int64_t width_of(const Interval& bounds) {
  const Wide width = Wide{bounds.high} - bounds.low + 1;
  return static_cast<int64_t>(std::clamp<Wide>(width, 1, kMostProductCases + 1));
}

class Cases {
 public:
  Cases(const IndexingMap& left, const IndexingMap& right, SolverSession& session)
      : left_(left), right_(right), session_(session), box_(box_around(left, right)) {
    for (const IndexingMap* map : {&left, &right}) {
      for (Factors& factors : products_of(*map)) products_.push_back(std::move(factors));
    }
  }

  EqualityVerdict prove() {
    if (products_.empty()) return {};
    for (const int64_t modulus : moduli()) {
      // The deadline is over: nothing but rearranging.
      SolverSession none{Clock::now(), "", session_.asked};
      EqualityVerdict result = prove_each(by_residues(modulus), none);
      if (result.verdict != Verdict::kUndecided) return result;
    }
    return prove_each(by_values(), session_);
  }

 private:
  // The least common multiple of the divisors, then their product, if there are few residues.
  std::vector<int64_t> moduli() const {
    std::set<int64_t> divisors = divisors_of(left_);
    divisors.merge(divisors_of(right_));
    int64_t multiple = 1, product = 1;
    for (const int64_t signed_divisor : divisors) {
      if (signed_divisor < -kMostProductCases || signed_divisor > kMostProductCases) return {};
      const int64_t divisor = std::abs(signed_divisor);
      if (divisor == 0) return {};
      multiple = std::lcm(multiple, divisor);
      if (multiple > kMostProductCases) return {};
      if (product <= kMostProductCases) product *= divisor;
    }
    if (product == multiple || product > kMostProductCases) return {multiple};
    return {multiple, product};
  }

  Split values_of(size_t v) const { return {0, box_[v].low, width_of(box_[v])}; }

  Plan by_residues(int64_t modulus) const {
    Plan plan(box_.size());
    for (const Factors& factors : products_) {
      for (const VariableSet* side : {&factors.left, &factors.right}) {
        for (const size_t v : *side) {
          const bool few = width_of(box_[v]) <= modulus;
          plan[v] = few ? values_of(v) : Split{modulus, 0, modulus};
        }
      }
    }
    return plan;
  }

  // Gives values to variables until each product has one varying factor at most.
  Plan by_values() const {
    Plan plan(box_.size());
    const auto values = [&](const VariableSet& variables) {
      int64_t count = 1;
      for (const size_t v : variables) {
        if (plan[v].factor != 0) count = std::min(count * width_of(box_[v]), kMostProductCases + 1);
      }
      return count;
    };
    for (const Factors& factors : products_) {
      const bool left = values(factors.left) <= values(factors.right);
      for (const size_t v : left ? factors.left : factors.right) plan[v] = values_of(v);
    }
    return plan;
  }

  EqualityVerdict prove_each(const Plan& plan, SolverSession& session) {
    const std::optional<int64_t> cases = cases_of(plan);
    const int64_t nodes = std::ssize(left_.nodes) + std::ssize(right_.nodes) + 8;
    if (!cases || *cases > kMostWork / nodes) return {};
    Dims counts, number(plan.size(), 0);
    for (const Split& split : plan) counts.push_back(split.count);
    do {
      if (Clock::now() >= session_.deadline) return {};
      Dims rests;
      for (size_t v = 0; v < plan.size(); ++v) rests.push_back(plan[v].first + number[v]);
      EqualityVerdict result =
          prove_equality(in_case(left_, plan, rests), in_case(right_, plan, rests), session);
      for (size_t v = 0; v < result.found.size(); ++v)
        result.found[v] = plan[v].factor * result.found[v] + rests[v];
      if (result.verdict != Verdict::kProven) return result;
    } while (next_index(counts, number));
    return {Verdict::kProven, {}, ""};
  }

  // The values of q for which factor * q + rest is within the bounds.
  static Interval bounds_of(const Interval& bounds, int64_t factor, int64_t rest) {
    if (factor == 0)
      return bounds.low <= rest && rest <= bounds.high ? Interval{0, 0} : Interval{1, 0};
    const auto divided = [&](Wide x) {  // rounded down
      return static_cast<int64_t>(*floordiv(spec::exact(x), spec::exact(factor)).value);
    };
    return {divided(Wide{bounds.low} - rest + factor - 1), divided(Wide{bounds.high} - rest)};
  }

  // The map with factor * q + rest in place of each variable.
  static IndexingMap in_case(const IndexingMap& map, const Plan& plan, const Dims& rests) {
    IndexingMap result = map;
    size_t place = 0;
    for (const Op kind : kVariableKinds) {
      for (Variable& variable : variables_of(result, kind)) {
        variable.bounds = bounds_of(variable.bounds, plan[place].factor, rests[place]);
        ++place;
      }
    }
    ExprTable nodes;
    std::vector<NodeId> at;
    for (Node node : map.nodes) {
      if (!is_leaf(node.op)) {
        at.push_back(add_operation(nodes, node.op, at[node.left], at[node.right]));
        continue;
      }
      nodes.push_back(node);
      at.push_back(static_cast<NodeId>(nodes.size() - 1));
      if (!is_variable(node.op)) continue;
      const size_t v = place_of(map, node);
      const NodeId factor = add_constant(nodes, plan[v].factor);
      const NodeId scaled = add_operation(nodes, Op::kMul, at.back(), factor);
      const NodeId rest = add_constant(nodes, rests[v]);
      at.back() = add_operation(nodes, Op::kAdd, scaled, rest);
    }
    result.nodes = std::move(nodes);
    for (NodeId& root : result.results) root = at[root];
    for (Constraint& constraint : result.constraints) constraint.expr = at[constraint.expr];
    return result;
  }

  const IndexingMap& left_;
  const IndexingMap& right_;
  SolverSession& session_;
  std::vector<Interval> box_;
  std::vector<Factors> products_;
};

// As prove_equality. Undecided, without work, if no result or constraint has a product of
// variables, or if there are too many cases.
EqualityVerdict prove_equality_by_cases(const IndexingMap& left, const IndexingMap& right,
                                        SolverSession& session) {
  if (std::ssize(left.nodes) + std::ssize(right.nodes) > kMostNodes) return {};
  return Cases(left, right, session).prove();
}

IndexingMap without_names(IndexingMap map) {
  for (Op kind : kVariableKinds) {
    for (Variable& variable : variables_of(map, kind)) variable.name.clear();
  }
  return map;
}

std::string to_text(const absl::StatusOr<std::optional<std::vector<int64_t>>>& results) {
  if (!results.ok()) return absl::StrCat("an error (", results.status().message(), ")");
  if (!*results) return "outside";
  return absl::StrCat("(", absl::StrJoin(**results, ", "), ")");
}

struct NormalForms {
  IndexingMap left, right;
};

std::optional<NormalForms> normal_forms(const IndexingMap& left, const IndexingMap& right) {
  absl::StatusOr<IndexingMap> a = impl::simplify(left);
  absl::StatusOr<IndexingMap> b = impl::simplify(right);
  if (!a.ok() || !b.ok()) return std::nullopt;
  return NormalForms{*std::move(a), *std::move(b)};
}

bool same(const IndexingMap& a, const IndexingMap& b) {
  return (a.known_empty && b.known_empty) || a == b;
}

class EqualityProof {
 public:
  EqualityProof(const IndexingMap& left, const IndexingMap& right, const EqualOptions& options,
                MapEquality result)
      : left_(left), right_(right), options_(options), result_(std::move(result)) {}

  // Normal forms, cases, the solver. The solver is asked about the maps as they are; if that takes
  // too long, the simplified maps may be easier.
  MapEquality prove() {
    const std::chrono::milliseconds time(options_.milliseconds);
    if (options_.normal_forms) simple_ = normal_forms(left_, right_);
    if (simple_ && same(simple_->left, simple_->right)) {
      if (are_logged(*simple_)) return proven(Basis::kNormalForm, result_);
      simple_.reset();
    }
    if (ask(prove_equality_by_cases, left_, right_, time / 4, Basis::kCases)) return result_;
    if (ask(prove_equality, left_, right_, simple_ ? time / 2 : time, Basis::kSolver)) {
      if (result_.verdict == Verdict::kProven && result_.questions == 0)
        result_.basis = Basis::kRearranged;
      return result_;
    }
    if (simple_ && are_logged(*simple_))
      ask(prove_equality, simple_->left, simple_->right, time, Basis::kSimplifiedSolver);
    return result_;
  }

 private:
  bool are_logged(const NormalForms& forms) const {
    return simplification_is_logged(left_, forms.left) &&
           simplification_is_logged(right_, forms.right);
  }

  // Returns whether the prover decided, so many milliseconds after the beginning at most.
  bool ask(EqualityVerdict (*prover)(const IndexingMap&, const IndexingMap&, SolverSession&),
           const IndexingMap& a, const IndexingMap& b, std::chrono::milliseconds until,
           Basis basis) {
    SolverSession session{begin_ + until, options_.smtlib_directory, result_.questions};
    const EqualityVerdict verdict = prover(a, b, session);
    result_.questions = session.asked;
    if (!verdict.open.empty()) result_.open = verdict.open;
    if (verdict.verdict == Verdict::kProven) {
      // Every answer was "unknown": the bounds of the parts decided.
      if (session.decided == 0 && basis == Basis::kSolver) basis = Basis::kIntervals;
      if (session.decided == 0 && basis == Basis::kSimplifiedSolver)
        basis = Basis::kSimplifiedIntervals;
      result_ = proven(basis, result_);
      return true;
    }
    // A difference of simplified maps must be one of the maps.
    if (verdict.verdict != Verdict::kRefuted ||
        compare_at(left_, right_, point_of(left_, verdict.found)) != AtPoint::kDiffer)
      return false;
    result_ = different(left_, right_, verdict.found, Basis::kSolver, result_);
    return true;
  }

  const IndexingMap& left_;
  const IndexingMap& right_;
  const EqualOptions& options_;
  const Clock::time_point begin_ = Clock::now();
  MapEquality result_;
  std::optional<NormalForms> simple_;
};

}  // namespace

absl::string_view to_text(Basis basis) {
  constexpr absl::string_view kNames[] = {"identical",   "enumerated",
                                          "sampled",     "rearranged",
                                          "normal form", "cases",
                                          "intervals",   "intervals of normal forms",
                                          "solver",      "solver on normal forms",
                                          "nothing"};
  return kNames[static_cast<size_t>(basis)];
}

std::string explain(Basis basis) {
  const bool simplified = basis == Basis::kNormalForm || basis == Basis::kSimplifiedIntervals ||
                          basis == Basis::kSimplifiedSolver;
  return absl::StrCat(to_text(basis), simplified ? "; simplification logged and checked" : "");
}

std::string to_text(const IndexingMap& map, const MapDifference& difference) {
  return absl::StrCat(spec::to_text(map, difference.at), ": ", to_text(difference.left), " and ",
                      to_text(difference.right));
}

MapEquality proven(Basis basis, MapEquality result) {
  result.verdict = Verdict::kProven;
  result.basis = basis;
  return result;
}

MapEquality different(const IndexingMap& left, const IndexingMap& right, const Values& values,
                      Basis basis, MapEquality result) {
  const spec::Point at = point_of(left, smaller_difference(left, right, values, kWorkOfShrinking));
  result.verdict = Verdict::kRefuted;
  result.basis = basis;
  result.difference = MapDifference{at, spec::evaluate(left, at), spec::evaluate(right, at)};
  return result;
}

absl::Status check_counts(const IndexingMap& left, const IndexingMap& right) {
  constexpr absl::string_view kWhat[] = {"dimension", "range", "runtime"};
  for (size_t i = 0; i < 3; ++i) {
    const size_t a = variables_of(left, kVariableKinds[i]).size();
    const size_t b = variables_of(right, kVariableKinds[i]).size();
    if (a != b) {
      return absl::InvalidArgumentError(absl::StrCat("expected the same number of ", kWhat[i],
                                                     " variables, found ", a, " and ", b));
    }
  }
  if (!left.known_empty && !right.known_empty && left.results.size() != right.results.size()) {
    return absl::InvalidArgumentError(absl::StrCat("expected the same number of results, found ",
                                                   left.results.size(), " and ",
                                                   right.results.size()));
  }
  return absl::OkStatus();
}

absl::StatusOr<MapEquality> equal(const IndexingMap& given_left, const IndexingMap& given_right,
                                  const EqualOptions& options) {
  for (const IndexingMap* map : {&given_left, &given_right}) {
    if (map->known_empty) continue;  // KNOWN EMPTY has no text to validate
    TRY(validate(*map));
  }
  TRY(check_counts(given_left, given_right));
  const IndexingMap left = without_names(given_left);
  const IndexingMap right = without_names(given_right);
  MapEquality result;
  if (same(left, right)) return proven(Basis::kIdentical, result);

  const SearchResult all = search_all(left, right, options.enumerated);
  result.points = all.points;
  if (all.difference) return different(left, right, *all.difference, Basis::kEnumerated, result);
  if (all.complete) return proven(Basis::kEnumerated, result);

  // Most maps that are equal show it at once, and then no points need to be compared.
  if (!options.sampled_first && are_rearranged(left, right))
    return proven(Basis::kRearranged, result);

  Choose choose(Choose::Random{0});
  const SearchResult some =
      search_some(left, right, options.sampled_points, options.enumerated, choose);
  result.points += some.points;
  if (some.difference) return different(left, right, *some.difference, Basis::kSampled, result);
  return EqualityProof(left, right, options, std::move(result)).prove();
}

}  // namespace tileproof::verify
