// Are two indexing maps equal?
//
//     equal(l, r)    dom(l) = dom(r), and l(x) = r(x) for every x in it
//
// Variables are matched by position, all are universally quantified. The answer is a proof, a
// point, or neither within the time given. Example:
//
//     (d0) -> (d0 mod 6), domain: d0 in [0, 99]
//     (d0) -> (d0 - (d0 floordiv 6) * 6), domain: d0 in [0, 99]                        equal
//     (d0) -> (d0 mod 6), domain: d0 in [0, 99], d0 * 3 in [0, 290]       d0 = 97 is in one domain
//
// What is tried, in this order, each answer saying what it rests on:
//
//     identical     the same text but for names
//     enumerated    every point of both boxes, by the reference, where they are few
//     (a sample of points, to find a difference)
//     rearranged    the same quasi-affine expressions (verify/prove/smt/quasi_affine.h): nothing is asked
//     normal form   impl::simplify gives the same text for both
//     solver        one linear question for each constraint, bound and result, and each direction
//                   (verify/prove/smt/linear_query.h): could the left one be greater? A question that takes
//                   too long is asked for halves of the box, and so on
//
// Values are integers, however large: two results of 2^70 are equal though the reference reports
// both as errors. A difference is always found again by the reference before it is told.
//
// Without products of variables a map is affine, and every question is decided but for time and
// for numbers of more than 127 bits. Products are asked about as far as Z3 goes.
// Source: INTERFACE, section 2 "Maps", section 3 `map.equal`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/map/indexing_map.h"
#include "spec/map/map_evaluation.h"
#include "verify/prove/smt/smt_context.h"

namespace tileproof::verify {

enum class Basis { kIdentical, kEnumerated, kSampled, kRearranged, kNormalForm, kSolver, kNothing };

// "identical", "enumerated", .. as above; "sampled" of a difference.
absl::string_view to_text(Basis basis);

// What the reference says of both maps at one point.
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
  std::optional<MapDifference> difference;  // exactly where refuted
  std::string open;                         // where undecided: the first question left open
  int64_t points = 0;                       // compared by the reference
  int64_t questions = 0;                    // put to the solver
};

struct EqualOptions {
  int64_t milliseconds = 2000;  // of computing, for the solver; everything else is bounded by work
  int64_t enumerated = 1'000'000;  // evaluations of a node, for enumeration
  int64_t sampled_points = 300;
  bool normal_forms = true;      // false: nothing rests on the simplifier
  std::string smtlib_directory;  // questions are written there; none if empty
};

// Errors: a map that is not valid; variables or results of different number. (A map that is known
// to be empty may have any number of results.)
absl::StatusOr<MapEquality> equal(const IndexingMap& left, const IndexingMap& right,
                                  const EqualOptions& options = {});

}  // namespace tileproof::verify
