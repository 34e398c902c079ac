#include "verify/map_equal.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "impl/simplify.h"
#include "spec/lang/map_text.h"
#include "verify/map_points.h"
#include "verify/quotients.h"
#include "verify/sum_question.h"

namespace tileproof::verify {
namespace {

constexpr Op kKinds[] = {Op::kDimension, Op::kRange, Op::kRuntime};

absl::Status check_pair(const IndexingMap& left, const IndexingMap& right) {
  for (const IndexingMap* map : {&left, &right}) {
    if (map->known_empty) continue;  // an answer, not a text
    const absl::Status status = validate(*map);
    if (!status.ok()) return status;
  }
  constexpr absl::string_view kWhat[] = {"dimension", "range", "runtime"};
  for (size_t i = 0; i < 3; ++i) {
    const size_t a = variables_of(left, kKinds[i]).size();
    const size_t b = variables_of(right, kKinds[i]).size();
    if (a != b) {
      return absl::InvalidArgumentError(absl::StrCat(
          "expected as many ", kWhat[i], " variables on both sides, found ", a, " and ", b));
    }
  }
  if (!left.known_empty && !right.known_empty && left.results.size() != right.results.size()) {
    return absl::InvalidArgumentError(absl::StrCat("expected as many results on both sides, found ",
                                                   left.results.size(), " and ",
                                                   right.results.size()));
  }
  return absl::OkStatus();
}

IndexingMap without_names(IndexingMap map) {
  for (Op kind : kKinds) {
    for (Variable& variable : variables_of(map, kind)) variable.name.clear();
  }
  return map;
}

// The bounds of the variables, and what constraints on single variables add to them.
std::vector<Interval> box_of(const IndexingMap& map) {
  std::vector<Interval> box;
  size_t before[3] = {0, map.dimensions.size(), map.dimensions.size() + map.ranges.size()};
  for (Op kind : kKinds) {
    for (const Variable& variable : variables_of(map, kind)) box.push_back(variable.bounds);
  }
  for (const Constraint& constraint : map.constraints) {
    const Node& node = map.nodes[constraint.expr];
    if (!is_variable(node.op)) continue;
    const size_t kind = node.op == Op::kDimension ? 0 : node.op == Op::kRange ? 1 : 2;
    Interval& bounds = box[before[kind] + static_cast<size_t>(node.value)];
    bounds = {std::max(bounds.low, constraint.interval.low),
              std::min(bounds.high, constraint.interval.high)};
  }
  return box;
}

bool has_points(const std::vector<Interval>& box) {
  return std::ranges::all_of(box, [](const Interval& i) { return i.low <= i.high; });
}

// What a map's constraints say: sums that are at least 0 in its domain.
struct Limits {
  std::vector<Sum> at_least_zero;  // two for each constraint
  std::vector<std::string> names;
};

class Prover {
 public:
  Prover(const IndexingMap& left, const IndexingMap& right, Asking& asking)
      : left_(left), right_(right), asking_(asking) {}

  // Refuted: `found` is the point.
  Verdict prove() {
    for (const bool mirrored : {false, true}) {
      const Verdict verdict = domain_within(mirrored ? right_ : left_, mirrored ? left_ : right_,
                                            mirrored ? "right" : "left");
      if (verdict == Verdict::kRefuted) return verdict;
    }
    if (results() == Verdict::kRefuted) return Verdict::kRefuted;
    return open_.empty() ? Verdict::kProven : Verdict::kUndecided;
  }

  const Values& found() const { return found_; }
  const std::string& open() const { return open_; }

 private:
  Limits limits_of(Quotients& atoms, const IndexingMap& map) {
    std::vector<NodeId> roots;
    for (const Constraint& constraint : map.constraints) roots.push_back(constraint.expr);
    const std::vector<Sum> sums = atoms.sums(map, roots);
    Limits limits;
    for (size_t i = 0; i < sums.size(); ++i) {
      const Interval& interval = map.constraints[i].interval;
      limits.at_least_zero.push_back(sums[i] - atoms.number(interval.low));
      limits.names.push_back(absl::StrCat("constraint ", i, " from below"));
      limits.at_least_zero.push_back(atoms.number(interval.high) - sums[i]);
      limits.names.push_back(absl::StrCat("constraint ", i, " from above"));
    }
    return limits;
  }

  // Is every point of the domain of `inner` in that of `outer`?
  Verdict domain_within(const IndexingMap& inner, const IndexingMap& outer,
                        absl::string_view side) {
    const std::vector<Interval> box = box_of(inner);
    if (inner.known_empty || !has_points(box)) return Verdict::kProven;
    Quotients atoms(box);
    const Limits domain = limits_of(atoms, inner);
    Limits wanted = limits_of(atoms, outer);
    if (outer.known_empty) wanted = {{atoms.number(-1)}, {"the other domain is empty"}};
    size_t v = 0;
    for (Op kind : kKinds) {
      for (size_t i = 0; i < variables_of(outer, kind).size(); ++i, ++v) {
        const Interval& bounds = variables_of(outer, kind)[i].bounds;
        const Sum x = atoms.atom(static_cast<int32_t>(v));
        wanted.at_least_zero.push_back(x - atoms.number(bounds.low));
        wanted.at_least_zero.push_back(atoms.number(bounds.high) - x);
        wanted.names.resize(wanted.at_least_zero.size(),
                            absl::StrCat("bounds of ", default_name(kind, i)));
      }
    }
    for (size_t i = 0; i < wanted.at_least_zero.size(); ++i) {
      const Sum violated = atoms.number(-1) - wanted.at_least_zero[i];
      const Verdict verdict =
          impossible(atoms, violated, domain.at_least_zero,
                     absl::StrCat(wanted.names[i], ", in the domain of the ", side, " map"));
      if (verdict == Verdict::kRefuted) return verdict;
    }
    return Verdict::kProven;
  }

  Verdict results() {
    if (left_.known_empty || right_.known_empty) return Verdict::kProven;
    std::vector<Interval> box = box_of(left_);
    const std::vector<Interval> other = box_of(right_);
    for (size_t v = 0; v < box.size(); ++v) {
      box[v] = {std::max(box[v].low, other[v].low), std::min(box[v].high, other[v].high)};
    }
    if (!has_points(box)) return Verdict::kProven;
    Quotients atoms(box);
    // A point in both domains: what either side says of it may help.
    Limits domain = limits_of(atoms, left_);
    for (Sum& sum : limits_of(atoms, right_).at_least_zero) {
      if (std::ranges::find(domain.at_least_zero, sum) == domain.at_least_zero.end())
        domain.at_least_zero.push_back(std::move(sum));
    }
    const std::vector<Sum> of_left = atoms.sums(left_, left_.results);
    const std::vector<Sum> of_right = atoms.sums(right_, right_.results);
    for (size_t i = 0; i < of_left.size(); ++i) {
      if (of_left[i] == of_right[i]) continue;
      for (const bool greater : {true, false}) {
        const Sum more = greater ? of_left[i] - of_right[i] : of_right[i] - of_left[i];
        const Verdict verdict = impossible(
            atoms, more - atoms.number(1), domain.at_least_zero,
            absl::StrCat("result ", i, " ", greater ? "greater" : "less", " on the left"));
        if (verdict == Verdict::kRefuted) return verdict;
      }
    }
    return Verdict::kProven;
  }

  // The claim is that a sum is at least 0, somewhere in the domain.
  Verdict impossible(Quotients& atoms, const Sum& claim, const std::vector<Sum>& domain,
                     const std::string& what) {
    const spec::Exact most = atoms.reach(claim).high;
    if (most.value && *most.value < 0) return Verdict::kProven;
    // What the domain says outright: s >= 0 and the claim c >= 0, where s + c < 0 always.
    for (const Sum& sum : domain) {
      const Sum both = sum + claim;
      if (both.is_number() && both.constant < 0) return Verdict::kProven;
    }
    Verdict verdict = Verdict::kUndecided;
    const bool expressible =
        !claim.too_large && std::ranges::none_of(domain, [](const Sum& s) { return s.too_large; });
    if (!claim.too_large) {
      std::vector<Sum> known = domain;
      std::erase_if(known, [](const Sum& sum) { return sum.too_large; });
      verdict = prove_impossible(atoms, {claim}, known, asking_, [&](const Values& values) {
        if (compare_at(left_, right_, point_of(left_, values)) != AtPoint::kDiffer) return false;
        found_ = values;
        return true;
      });
    }
    if (verdict == Verdict::kUndecided && open_.empty()) {
      open_ = expressible ? what : absl::StrCat(what, ", with numbers of more than 127 bits");
    }
    return verdict;
  }

  const IndexingMap& left_;
  const IndexingMap& right_;
  Asking& asking_;
  Values found_;
  std::string open_;
};

MapEquality different(const IndexingMap& left, const IndexingMap& right, const Values& values,
                      Basis basis, MapEquality result) {
  const spec::Point at = point_of(left, smaller_difference(left, right, values));
  result.verdict = Verdict::kRefuted;
  result.basis = basis;
  result.difference = MapDifference{at, spec::evaluate(left, at), spec::evaluate(right, at)};
  return result;
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

MapEquality proven(Basis basis, MapEquality result) {
  result.verdict = Verdict::kProven;
  result.basis = basis;
  return result;
}

// Normal forms, then the solver. What is asked of the maps as they are rests on the solver alone;
// where that takes too long, what the simplifier made of them may be easier.
MapEquality equal_by_proof(const IndexingMap& left, const IndexingMap& right,
                           const EqualOptions& options, MapEquality result) {
  const auto begin = std::chrono::steady_clock::now();
  const std::chrono::milliseconds time(options.milliseconds);
  std::optional<NormalForms> simple;
  if (options.normal_forms) simple = normal_forms(left, right);
  if (simple && same(simple->left, simple->right)) return proven(Basis::kNormalForm, result);

  const auto ask = [&](const IndexingMap& a, const IndexingMap& b,
                       std::chrono::milliseconds until) {
    Asking asking{begin + until, options.smtlib_directory, result.questions};
    Prover prover(a, b, asking);
    result.verdict = prover.prove();
    result.questions = asking.asked;
    result.open = prover.open();
    return prover.found();
  };
  Values found = ask(left, right, simple ? time / 2 : time);
  if (result.verdict == Verdict::kProven)
    return proven(result.questions == 0 ? Basis::kRearranged : Basis::kSolver, result);
  if (result.verdict == Verdict::kUndecided && simple) {
    found = ask(simple->left, simple->right, time);
    if (result.verdict == Verdict::kProven) return proven(Basis::kNormalForm, result);
  }
  // A difference of the normal forms must be one of the maps.
  if (result.verdict == Verdict::kRefuted &&
      compare_at(left, right, point_of(left, found)) == AtPoint::kDiffer)
    return different(left, right, found, Basis::kSolver, result);
  if (result.verdict == Verdict::kRefuted) result.open = "the simplifier changed the maps";
  result.verdict = Verdict::kUndecided;
  return result;
}

}  // namespace

absl::string_view to_text(Basis basis) {
  switch (basis) {
    case Basis::kIdentical:
      return "identical";
    case Basis::kEnumerated:
      return "enumerated";
    case Basis::kSampled:
      return "sampled";
    case Basis::kRearranged:
      return "rearranged";
    case Basis::kNormalForm:
      return "normal form";
    case Basis::kSolver:
      return "solver";
    case Basis::kNothing:
      break;
  }
  return "nothing";
}

std::string to_text(const IndexingMap& map, const MapDifference& difference) {
  return absl::StrCat(spec::to_text(map, difference.at), ": ", to_text(difference.left), " and ",
                      to_text(difference.right));
}

absl::StatusOr<MapEquality> equal(const IndexingMap& given_left, const IndexingMap& given_right,
                                  const EqualOptions& options) {
  const absl::Status status = check_pair(given_left, given_right);
  if (!status.ok()) return status;
  const IndexingMap left = without_names(given_left);
  const IndexingMap right = without_names(given_right);
  MapEquality result;
  if (same(left, right)) return proven(Basis::kIdentical, result);

  const Searched all = search_all(left, right, options.enumerated);
  result.points = all.points;
  if (all.difference) return different(left, right, *all.difference, Basis::kEnumerated, result);
  if (all.complete) return proven(Basis::kEnumerated, result);

  Choose choose(Choose::Random{0});
  const Searched some =
      search_some(left, right, options.sampled_points, options.enumerated, choose);
  result.points += some.points;
  if (some.difference) return different(left, right, *some.difference, Basis::kSampled, result);
  return equal_by_proof(left, right, options, result);
}

}  // namespace tileproof::verify
