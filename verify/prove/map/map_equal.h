// SPDX-License-Identifier: Apache-2.0
// Decides whether two indexing maps are equal.
//
//     equal(l, r)    dom(l) = dom(r), and l(x) = r(x) for every x in it
//
// Variables match by position, and all are universally quantified. The answer is a proof, or a
// point at which the maps differ, or "undecided" if the time is over. Example:
//
//     (d0) -> (d0 mod 6), domain: d0 in [0, 99]
//     (d0) -> (d0 - (d0 floordiv 6) * 6), domain: d0 in [0, 99]                        equal
//     (d0) -> (d0 mod 6), domain: d0 in [0, 99], d0 * 3 in [0, 290]       d0 = 97 is in one domain
//
// The methods, in the order in which `equal` tries them. The answer names the one that decided:
//
//     identical     the maps have the same text, except for names
//     enumerated    the reference evaluates every point of both boxes, if they are few
//     sampled       the reference finds a difference among some points
//     normal form   impl::simplify gives the same text for both, and the checker accepts the logs
//                   of both simplifications (equality_log.h)
//     cases         products of variables: residues, or values of variables with small ranges
//                   (product_cases.h)
//     rearranged    both have the same quasi-affine expressions (verify/prove/smt/quasi_affine.h);
//                   tried before `sampled` as well, if the options say so
//     solver        Z3 answers a linear question for each constraint, each bound, each result and
//                   each direction: can the left one be greater? (equality_prover.h)
//     intervals     the same questions, all of which Z3 left open: the box is cut into parts, in
//                   each of which the bounds of the sums decide
//     solver on normal forms, intervals of normal forms    the same for the simplified maps, with
//                   checked logs
//
// Values are unbounded integers: two results of 2^70 are equal, though the reference reports both
// as errors. The reference confirms each difference before `equal` returns it.
//
// Without products of variables every question is linear. Z3 then decides it, unless the time is
// over or a number exceeds 127 bits. With products, cases or Z3 may fail.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/map/indexing_map.h"
#include "spec/map/map_evaluation.h"
#include "verify/prove/map/map_points.h"
#include "verify/prove/smt/ask_solver.h"

namespace tileproof::verify {

enum class Basis {
  kIdentical,
  kEnumerated,
  kSampled,
  kRearranged,
  kNormalForm,
  kCases,
  kIntervals,
  kSimplifiedIntervals,
  kSolver,
  kSimplifiedSolver,
  kNothing
};

// "identical", "enumerated", .. as above.
absl::string_view to_text(Basis basis);

// The same for people: "normal form; simplification logged and checked".
std::string explain(Basis basis);

// A point at which two maps differ, with the value of each.
struct MapDifference {
  spec::Point at;
  absl::StatusOr<std::optional<std::vector<int64_t>>> left;
  absl::StatusOr<std::optional<std::vector<int64_t>>> right;
};

// "d0 = 97: (1) and outside"
std::string to_text(const IndexingMap& map, const MapDifference& difference);

struct MapEquality {
  Verdict verdict = Verdict::kUndecided;
  Basis basis = Basis::kNothing;
  std::optional<MapDifference> difference;  // if and only if refuted
  std::string open;                         // if undecided: the first undecided question
  int64_t points = 0;                       // that the reference compared
  int64_t questions = 0;                    // to the solver
};

struct EqualOptions {
  int64_t milliseconds = 2000;     // CPU time of the solver; work limits bound everything else
  int64_t enumerated = 1'000'000;  // evaluations of a node, for enumeration
  int64_t sampled_points = 300;
  bool sampled_first = true;     // false: for maps that are likely to be equal
  bool normal_forms = true;      // false: no answer rests on the simplifier
  std::string smtlib_directory;  // each question becomes a file there; none if empty
};

// A result so far with its verdict. `values`: where the maps differ; the point is made smaller.
MapEquality proven(Basis basis, MapEquality result);
MapEquality different(const IndexingMap& left, const IndexingMap& right, const Values& values,
                      Basis basis, MapEquality result);

// An error if the maps have different numbers of variables or results. (A map that is known to be
// empty may have any number of results.)
absl::Status check_counts(const IndexingMap& left, const IndexingMap& right);

// Errors: an invalid map; the errors of check_counts.
absl::StatusOr<MapEquality> equal(const IndexingMap& left, const IndexingMap& right,
                                  const EqualOptions& options = {});

}  // namespace tileproof::verify
