// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/map/map_equal.h"

#include <chrono>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "impl/map/simplify.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/map_text.h"
#include "verify/prove/map/equality_log.h"
#include "verify/prove/map/equality_prover.h"
#include "verify/prove/map/product_cases.h"
#include "verify/prove/map/smaller_difference.h"
#include "verify/prove/smt/thread_cpu_clock.h"

namespace tileproof::verify {
namespace {

using Clock = ThreadCpuClock;

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
