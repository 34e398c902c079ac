// SPDX-License-Identifier: Apache-2.0
// Decides facts of a map (spec/access/map_facts.h): proves each, or finds a small point that refutes
// it.
//
//     points      the reference looks at each point, if there are few: the counterexample is the
//                 smallest, and the counts are known
//     else the fact is an equality of two maps, which verify/prove/map/map_equal.h decides:
//
//     inside      the map's domain              and  the points of it that give results in the box
//     width       the same, for each part of the results
//     one-to-one  inverse(map(x))               and  x
//                 or, of two points x and y with map(x) = map(y):  x and y
//     onto        map(inverse(e))               and  e, for the elements e of the box
//                 or, in closed form (impl/access/image.h): the image has as many elements as the box
//
// A counterexample from a proof is made smaller: for one variable after the other, the prover
// answers whether there is one with smaller values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/access/map_facts.h"
#include "spec/lang/map/indexing_map.h"
#include "verify/prove/map/map_equal.h"

namespace tileproof::verify {

struct CheckedFact {
  Verdict verdict = Verdict::kUndecided;
  std::string by;                     // what decided: "points", "solver", "image", ..
  std::optional<spec::MapFact> fact;  // refuted, or counted by points; counts are 0 if not counted
  bool is_counted = false;            // whether `of` and `against` of the fact are known
  std::string open;                   // if undecided: why
};

struct CheckOptions {
  int64_t milliseconds = 2000;  // for each question to the prover
  int64_t points = 200'000;     // that the reference looks at
};

// Variables may divide (spec/lang/map/variable_divisors.h). Errors: those of the reference, but for
// its budget; an invalid map.
absl::StatusOr<CheckedFact> check_inside(const IndexingMap& map, const std::vector<Interval>& box,
                                         const CheckOptions& options = {});
absl::StatusOr<CheckedFact> check_one_to_one(const IndexingMap& map,
                                             const CheckOptions& options = {});
absl::StatusOr<CheckedFact> check_onto(const IndexingMap& map, const std::vector<int64_t>& sizes,
                                       const CheckOptions& options = {});
absl::StatusOr<CheckedFact> check_width(const IndexingMap& map, const spec::IntegerWidth& width,
                                        const CheckOptions& options = {});

// Whether no point of the map gives this element.
Verdict never_gives(const IndexingMap& map, const std::vector<int64_t>& element,
                    const CheckOptions& options = {});

// "pid = 33 gives (9, 0), outside dimension 0 of size 9; 3 of 36 points do"
std::string text_of_outside(const IndexingMap& map, const std::vector<Interval>& box,
                            const CheckedFact& checked);
// "k = 0 and k = 1 both give (0); 3 of 8 points meet an earlier one"
std::string text_of_meeting(const IndexingMap& map, const CheckedFact& checked);
// "(0, 128) is never reached; 128 of 256 are not"
std::string text_of_missing(const CheckedFact& checked);
// "(x - 32768) * 65536 at x = 98304 is 4294967296; .."
std::string text_of_leaving(const IndexingMap& map, const CheckedFact& checked);

}  // namespace tileproof::verify
